// cache/sequence_points.c: frames from PC2 and MDD point caches. Needs base/.
//
// Both are a header and then x, y, z of each point of each frame as floats; cache/export_pc2.c and
// cache/export_mdd.c have the tables of bytes.
#include "base/bytes.h"
#include "cache/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct points {
  int fd;
  int big_endian;
  uint64_t first; // offset of the first frame
} points;

static csim_status damaged(csim_sequence *s, const char *what) {
  csim_say(s->log, CSIM_ERROR, (csim_place){.file = s->path}, "%s", what);
  return CSIM_IO;
}

static int read_at(points *p, uint64_t offset, size_t n, unsigned char *bytes) {
  for (size_t done = 0; done < n;) {
    ssize_t got = pread(p->fd, bytes + done, n - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    done += (size_t)got;
  }
  return 0;
}

// The object's name: the file's, without folders and extension.
static const char *name_of(csim_sequence *s) {
  const char *slash = strrchr(s->path, '/');
  char *name = csim_arena_copy(&s->arena, slash ? slash + 1 : s->path);
  char *dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot > name) *dot = 0;
  return name;
}

static csim_status open_points(csim_sequence *s, size_t header, points **out) {
  points *p = *out = CSIM_ARENA_NEW(&s->arena, points, 1);
  struct stat st;
  if (!p) return csim_sequence_memory(s);
  s->state = p;
  p->fd = open(s->path, O_RDONLY | O_CLOEXEC);
  if (p->fd < 0 || fstat(p->fd, &st)) return damaged(s, strerror(errno));
  if (!S_ISREG(st.st_mode)) return damaged(s, "is not a regular file");
  if ((size_t)st.st_size < header) return damaged(s, "is too short for its header");
  return CSIM_OK;
}

// Checks the counts against the size of the file and makes the object and the frame numbers.
static csim_status describe(csim_sequence *s, int64_t nvert, int64_t nframe, uint64_t header) {
  points *p = s->state;
  struct stat st;
  if (nvert < 1 || nvert > CSIM_CACHE_MAX_VERT || nframe < 0)
    return damaged(s, "its header has counts out of range");
  if (fstat(p->fd, &st)) return damaged(s, strerror(errno));
  uint64_t frame = 12 * (uint64_t)nvert, size = (uint64_t)st.st_size;
  if (size < header || (size - header) / frame < (uint64_t)nframe)
    return damaged(s, "is shorter than its header says");
  csim_cache_object *object = CSIM_ARENA_NEW(&s->arena, csim_cache_object, 1);
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, nframe);
  if (!object || !number) return csim_sequence_memory(s);
  *object = (csim_cache_object){.name = name_of(s), .nvert = (int)nvert};
  s->info.nobject = 1;
  s->info.object = object;
  s->info.nframe = (int)nframe;
  s->info.number = number;
  s->info.has_faces = 0;
  p->first = header;
  return s->arena.failed ? csim_sequence_memory(s) : CSIM_OK;
}

static csim_status open_pc2(csim_sequence *s) {
  unsigned char head[32];
  points *p;
  csim_status status = open_points(s, sizeof head, &p);
  if (status) return status;
  if (read_at(p, 0, sizeof head, head) || memcmp(head, "POINTCACHE2", 12) ||
      csim_load_i32(head + 12) != 1)
    return damaged(s, "is not a PC2 point cache of version 1");
  status = describe(s, csim_load_i32(head + 16), csim_load_i32(head + 28), sizeof head);
  if (status) return status;
  double start = (double)csim_load_f32(head + 20), rate = (double)csim_load_f32(head + 24);
  long long *number = (long long *)(uintptr_t)s->info.number; // ours, filled here
  int whole = fabs(start) < 1e9 && rate >= 1 && rate < 1e6;
  for (int f = 0; f < s->info.nframe; f++)
    number[f] = whole ? (long long)start + f * (long long)rate : f;
  return CSIM_OK;
}

static csim_status open_mdd(csim_sequence *s) {
  unsigned char head[8];
  points *p;
  csim_status status = open_points(s, sizeof head, &p);
  if (status) return status;
  if (read_at(p, 0, sizeof head, head)) return damaged(s, "cannot be read");
  int64_t nframe = (int32_t)csim_load_u32_be(head), nvert = (int32_t)csim_load_u32_be(head + 4);
  if (nframe < 0) return damaged(s, "its header has counts out of range");
  status = describe(s, nvert, nframe, 8 + 4 * (uint64_t)nframe);
  if (status) return status;
  // frame numbers from the times, when these are multiples of their first difference
  p->big_endian = 1;
  double step = 0, first = 0;
  long long *number = (long long *)(uintptr_t)s->info.number; // ours, filled here
  for (int f = 0; f < s->info.nframe; f++) {
    unsigned char word[4];
    if (read_at(p, 8 + 4 * (uint64_t)f, 4, word)) return damaged(s, "cannot be read");
    union {
      uint32_t u;
      float f;
    } time = {.u = csim_load_u32_be(word)};
    if (f == 0) first = (double)time.f;
    if (f == 1) step = (double)time.f - first;
    number[f] = f;
  }
  if (step > 1e-6 && step < 1e6 && fabs(first / step) < 1e9) {
    s->info.fps = 1 / step;
    for (int f = 0; f < s->info.nframe; f++) number[f] = llround(first / step) + f;
  }
  return CSIM_OK;
}

static csim_status read_points(csim_sequence *s, int object, int frame, double *x, double *v) {
  enum { PIECE = 12 * 4096 };
  points *p = s->state;
  uint64_t size = 12 * (uint64_t)s->info.object[object].nvert;
  uint64_t at = p->first + size * (uint64_t)frame;
  unsigned char bytes[PIECE];
  for (uint64_t done = 0; done < size; done += PIECE) {
    size_t n = size - done < PIECE ? (size_t)(size - done) : PIECE;
    if (read_at(p, at + done, n, bytes)) return damaged(s, "the file ends amid a frame");
    for (size_t i = 0; i < n; i += 4) {
      unsigned char word[4];
      uint32_t bits = p->big_endian ? csim_load_u32_be(bytes + i) : csim_load_u32(bytes + i);
      csim_store_u32(bits, word);
      *x++ = (double)csim_load_f32(word);
    }
  }
  if (v) memset(v, 0, (size_t)size / 4 * sizeof *v);
  return CSIM_OK;
}

static void free_points(csim_sequence *s) {
  points *p = s->state;
  if (p && p->fd >= 0) close(p->fd);
}

const csim_sequence_kind csim_sequence_pc2 = {"pc2", open_pc2, read_points, free_points};
const csim_sequence_kind csim_sequence_mdd = {"mdd", open_mdd, read_points, free_points};
