// tests/fuzz/fuzz_abc.c: libFuzzer on the reader of Alembic files: open, list, read some frames.
#include "cache/sequence.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok) {
  if (!ok) abort();
}

static void read_all(csim_sequence *s) {
  const csim_sequence_info *info = csim_sequence_get_info(s);
  for (int f = 0; f < info->nframe; f++) must(!info->time || isfinite(info->time[f]));
  for (int i = 0; i < info->nobject && i < 8; i++) {
    const csim_cache_object *o = &info->object[i];
    for (int c = 0; o->nface && c < o->face_start[o->nface]; c++)
      must(o->face_vert[c] >= 0 && o->face_vert[c] < o->nvert &&
           (!o->nuv || (o->face_uv[c] >= -1 && o->face_uv[c] < o->nuv)));
    double *x = calloc(3 * (size_t)o->nvert + 1, sizeof *x),
           *v = calloc(3 * (size_t)o->nvert + 1, sizeof *v);
    for (int f = 0; f < info->nframe && f < 8 && x && v; f++) csim_sequence_read(s, i, f, x, v);
    free(x);
    free(v);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (size < 1 || size > 1 << 16) return 0;
  if (fd < 0) {
    must((fd = memfd_create("abc", 0)) >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
  csim_log log = {0};
  csim_sequence *s;
  csim_status status = csim_sequence_open_kind(path, "abc", &log, &s);
  must(status == CSIM_OK || log.nerror > 0);
  if (status) return 0;
  read_all(s);
  csim_sequence_free(s);
  return 0;
}
