// tests/fuzz/fuzz_cache.c: libFuzzer on the cache reader: open, verify, read every frame of every
// object in two orders, statistics. tests/fuzz/README.md tells how it is built and run.
//
// Nearly all mutations would die at a crc, so the input's crcs are made right first: in the chunk
// headers and payloads that can be found by walking the file. With the input's first byte odd they
// are left as they are, to try the damaged paths too.
#include "clothsim.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = 64, CHUNK = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void store_crc(uint8_t *to, const uint8_t *data, size_t size) {
  uint32_t crc = (uint32_t)crc32(0, data, (uInt)size);
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(crc >> 8 * i);
}

static void repair(uint8_t *file, size_t size) {
  if (size < HEADER) return;
  store_crc(file + 60, file, 60);
  for (size_t at = HEADER; at + CHUNK <= size;) {
    uint64_t payload = 0, left = size - at - CHUNK;
    for (int i = 7; i >= 0; i--) payload = payload << 8 | file[at + 8 + (size_t)i];
    if (payload <= left) store_crc(file + at + 32, file + at + CHUNK, payload);
    store_crc(file + at + 36, file + at, 36);
    if (payload > left) break;
    at += CHUNK + ((payload + 7) & ~(uint64_t)7);
  }
}

// Faces refer to texture coordinates that are there.
static void read_uv_sets(const csim_cache_object *o) {
  for (int k = 0; k < o->nuv_set; k++)
    for (int c = 0; o->nface && c < o->face_start[o->nface]; c++)
      if (o->uv_set[k].face_uv[c] < -1 || o->uv_set[k].face_uv[c] >= o->uv_set[k].n) abort();
}

static void read_all(csim_cache *cache) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  csim_cache_verify(cache, NULL, NULL);
  for (int i = 0; i < info->nobject && i < 8; i++) {
    size_t n = 3 * (size_t)info->object[i].nvert;
    if (n > 3 << 18) continue;
    float *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v);
    for (int f = 0; f < info->nframe && f < 20; f++) csim_cache_read(cache, i, f, x, v);
    for (int f = info->nframe - 1; f >= 0 && f > info->nframe - 8; f -= 2)
      csim_cache_read(cache, i, f, x, NULL);
    for (int f = 0; f < info->nframe && f < 20; f++) {
      csim_cache_read_pressure(cache, i, f, x);
      csim_cache_read_strain(cache, i, f, x);
      for (int s = 0; s < info->object[i].nsample && s < 4; s++)
        csim_cache_read_sample(cache, i, f, s, x, v);
    }
    read_uv_sets(&info->object[i]);
    free(x);
    free(v);
  }
  for (int f = 0; f < info->nframe && f < 20; f++) csim_cache_read_stats(cache, f);
}

// Going on with whatever file it is must be safe too; nothing is written without matching objects.
static void try_to_append(const char *path, const csim_cache_info *info) {
  csim_cache_writer *w;
  int keep = info->nframe / 2;
  if (csim_cache_append(path, keep, &info->options, info->meta, NULL, &w)) return;
  csim_status status = CSIM_OK;
  for (int i = 0; i < info->nobject && !status; i++)
    status =
        info->object[i].nvert > 1 << 18 ? CSIM_INVALID : csim_cache_add_object(w, &info->object[i]);
  csim_cache_close(w, 0); // csim_cache_begin would write
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (size < 1 || size > 1 << 16) return 0;
  if (fd < 0) {
    fd = memfd_create("cache", 0);
    if (fd < 0) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  uint8_t *file = malloc(size);
  memcpy(file, data + 1, size - 1);
  if (!(data[0] & 1)) repair(file, size - 1);
  if (ftruncate(fd, 0) || pwrite(fd, file, size - 1, 0) != (ssize_t)(size - 1)) abort();
  free(file);
  csim_cache *cache;
  if (!csim_cache_open(path, NULL, &cache)) {
    read_all(cache);
    try_to_append(path, csim_cache_get_info(cache));
    csim_cache_free(cache);
  }
  return 0;
}
