// cache/sequence_points.c: frames from PC2 and MDD point caches: a file, or those of a folder, each
// of which is an object. Needs base/.
//
// Both are a header and then x, y, z of each point of each frame as floats; cache/export_pc2.c and
// cache/export_mdd.c have the tables of bytes.
#include "base/bytes.h"
#include "cache/sequence.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct point_file {
  const char *path;
  int fd;
  int nvert, nframe;
  uint64_t size;     // of the file [bytes]
  uint64_t first;    // offset of the first frame
  long long *number; // (nframe)
} point_file;

typedef struct points {
  int big_endian;
  int nfile;
  point_file *file; // (nfile)
  int *index;       // (nfile x info.nframe) frame within the file, -1 = it lacks this one
} points;

static csim_status damaged(csim_sequence *s, const point_file *p, const char *what) {
  return csim_fail(s->log, CSIM_IO, csim_in_file(p->path), "%s", what);
}

static int read_at(const point_file *p, uint64_t offset, size_t n, unsigned char *bytes) {
  for (size_t done = 0; done < n;) {
    ssize_t got = pread(p->fd, bytes + done, n - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    done += (size_t)got;
  }
  return 0;
}

// The object's name: the file's, without folders and extension.
static const char *name_of(csim_sequence *s, const point_file *p) {
  const char *slash = strrchr(p->path, '/');
  char *name = csim_arena_copy(&s->arena, slash ? slash + 1 : p->path);
  char *dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot > name) *dot = 0;
  return name;
}

static csim_status open_point_file(csim_sequence *s, size_t header, point_file *p) {
  csim_status status = csim_file_open(p->path, s->log, &p->fd, &p->size);
  if (status) return status;
  return p->size < header ? damaged(s, p, "is too short for its header") : CSIM_OK;
}

// Checks the counts against the size of the file and allocates the frame numbers.
static csim_status describe(csim_sequence *s, int64_t nvert, int64_t nframe, uint64_t header,
                            point_file *p) {
  if (nvert < 1 || nvert > CSIM_CACHE_MAX_VERT || nframe < 0)
    return damaged(s, p, "its header has counts out of range");
  uint64_t frame = 12 * (uint64_t)nvert;
  if (p->size < header || (p->size - header) / frame < (uint64_t)nframe)
    return damaged(s, p, "is shorter than its header says");
  p->nvert = (int)nvert;
  p->nframe = (int)nframe;
  p->first = header;
  p->number = CSIM_ARENA_NEW(&s->arena, long long, nframe);
  return p->number ? CSIM_OK : csim_sequence_memory(s);
}

static csim_status open_one_pc2(csim_sequence *s, point_file *p) {
  unsigned char head[32];
  csim_status status = open_point_file(s, sizeof head, p);
  if (status) return status;
  if (read_at(p, 0, sizeof head, head) || memcmp(head, "POINTCACHE2", 12) ||
      csim_load_i32(head + 12) != 1)
    return damaged(s, p, "is not a PC2 point cache of version 1");
  status = describe(s, csim_load_i32(head + 16), csim_load_i32(head + 28), sizeof head, p);
  if (status) return status;
  double start = (double)csim_load_f32(head + 20), rate = (double)csim_load_f32(head + 24);
  int whole = fabs(start) < 1e9 && rate >= 1 && rate < 1e6;
  for (int f = 0; f < p->nframe; f++)
    p->number[f] = whole ? (long long)start + f * (long long)rate : f;
  return CSIM_OK;
}

// The rate of n frames from `first` to `last` [s], two times that were rounded to floats: of the
// rates that fit a whole one, one of television (24000/1001), or one with few digits.
static double find_rate(double first, double last, int n) {
  static const double per[] = {1, 1.001, 10, 100, 1000};
  double rate = (n - 1) / (last - first);
  double slack = 1.01 * ldexp(rate, -24) * (fabs(first) + fabs(last)) / (last - first);
  for (size_t k = 0; k < sizeof per / sizeof *per; k++) {
    double near = floor(rate * per[k] + 0.5) / per[k];
    if (near > 0 && fabs(near - rate) <= slack) return near;
  }
  return rate;
}

static csim_status open_one_mdd(csim_sequence *s, point_file *p) {
  unsigned char head[8];
  csim_status status = open_point_file(s, sizeof head, p);
  if (status) return status;
  if (read_at(p, 0, sizeof head, head)) return damaged(s, p, "cannot be read");
  int64_t nframe = (int32_t)csim_load_u32_be(head), nvert = (int32_t)csim_load_u32_be(head + 4);
  if (nframe < 0) return damaged(s, p, "its header has counts out of range");
  status = describe(s, nvert, nframe, 8 + 4 * (uint64_t)nframe, p);
  if (status) return status;
  // frame numbers from the times, when these are multiples of their first difference
  double step = 0, first = 0, last = 0;
  for (int f = 0; f < p->nframe; f++) {
    unsigned char word[4];
    if (read_at(p, 8 + 4 * (uint64_t)f, 4, word)) return damaged(s, p, "cannot be read");
    union {
      uint32_t u;
      float f;
    } time = {.u = csim_load_u32_be(word)};
    if (f == 0) first = (double)time.f;
    if (f == 1) step = (double)time.f - first;
    last = (double)time.f;
    p->number[f] = f;
  }
  if (step > 1e-6 && step < 1e6 && fabs(first / step) < 1e9) {
    int even = fabs(last - first - (p->nframe - 1) * step) < 0.5 * step;
    s->info.fps = even ? find_rate(first, last, p->nframe) : 1 / step;
    for (int f = 0; f < p->nframe; f++) p->number[f] = llround(first * s->info.fps) + f;
  }
  return CSIM_OK;
}

// The frame numbers of all files together, and which frame of each file that is.
static csim_status merge_frames(csim_sequence *s) {
  points *all = s->state;
  ptrdiff_t total = 0, n = 0;
  for (int i = 0; i < all->nfile; i++) total += all->file[i].nframe;
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, total);
  if (!number) return csim_sequence_memory(s);
  for (int i = 0; i < all->nfile; i++)
    for (int f = 0; f < all->file[i].nframe; f++) number[n++] = all->file[i].number[f];
  int nframe = csim_sequence_numbers(total, number);
  all->index = CSIM_ARENA_NEW(&s->arena, int, (ptrdiff_t)all->nfile *nframe);
  if (!all->index) return csim_sequence_memory(s);
  for (int i = 0; i < all->nfile; i++)
    for (int f = 0, own = 0; f < nframe; f++) { // numbers of a file rise
      const point_file *p = &all->file[i];
      int here = own < p->nframe && p->number[own] == number[f];
      all->index[(ptrdiff_t)i * nframe + f] = here ? own++ : -1;
    }
  s->info.nframe = nframe;
  s->info.number = number;
  return CSIM_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The files: one, or the folder's.
static csim_status find_files(csim_sequence *s) {
  points *all = s->state;
  char **name = NULL;
  all->nfile = 1;
  if (s->wanted) {
    csim_status status = csim_sequence_list(s, s->wanted, &all->nfile, &name);
    if (status) return status;
    qsort(name, (size_t)all->nfile, sizeof *name, by_name);
  }
  all->file = CSIM_ARENA_NEW(&s->arena, point_file, all->nfile);
  for (int i = 0; i < all->nfile && all->file; i++)
    all->file[i] = (point_file){
        .path = name ? csim_arena_print(&s->arena, "%s/%s", s->path, name[i]) : s->path, .fd = -1};
  return s->arena.failed ? csim_sequence_memory(s) : CSIM_OK;
}

static csim_status open_points(csim_sequence *s,
                               csim_status (*open_one)(csim_sequence *, point_file *)) {
  points *all = s->state = CSIM_ARENA_NEW(&s->arena, points, 1);
  if (!all) return csim_sequence_memory(s);
  all->big_endian = open_one == open_one_mdd;
  csim_status status = find_files(s);
  if (status) return status;
  csim_cache_object *object = CSIM_ARENA_NEW(&s->arena, csim_cache_object, all->nfile);
  if (!object) return csim_sequence_memory(s);
  for (int i = 0; i < all->nfile && !status; i++) {
    status = open_one(s, &all->file[i]);
    object[i] = (csim_cache_object){.name = name_of(s, &all->file[i]), .nvert = all->file[i].nvert};
  }
  s->info.nobject = all->nfile;
  s->info.object = object;
  s->info.has_faces = 0;
  if (!status) status = s->arena.failed ? csim_sequence_memory(s) : merge_frames(s);
  return status;
}

static csim_status open_pc2(csim_sequence *s) {
  return open_points(s, open_one_pc2);
}

static csim_status open_mdd(csim_sequence *s) {
  return open_points(s, open_one_mdd);
}

static int has_points(const csim_sequence *s, int object, int frame) {
  const points *all = s->state;
  return all->index[(ptrdiff_t)object * s->info.nframe + frame] >= 0;
}

static csim_status read_points(csim_sequence *s, int object, int frame, double *x, double *v) {
  enum { PIECE = 12 * 4096 };
  points *all = s->state;
  const point_file *p = &all->file[object];
  int own = all->index[(ptrdiff_t)object * s->info.nframe + frame];
  if (own < 0)
    return csim_refuse(s->log, csim_in_file(p->path), "lacks frame %lld", s->info.number[frame]);
  uint64_t size = 12 * (uint64_t)p->nvert;
  uint64_t at = p->first + size * (uint64_t)own;
  unsigned char bytes[PIECE];
  for (uint64_t done = 0; done < size; done += PIECE) {
    size_t n = size - done < PIECE ? (size_t)(size - done) : PIECE;
    if (read_at(p, at + done, n, bytes)) return damaged(s, p, "the file ends amid a frame");
    for (size_t i = 0; i < n; i += 4) {
      unsigned char word[4];
      uint32_t bits = all->big_endian ? csim_load_u32_be(bytes + i) : csim_load_u32(bytes + i);
      csim_store_u32(bits, word);
      *x++ = (double)csim_load_f32(word);
    }
  }
  if (v) memset(v, 0, (size_t)size / 4 * sizeof *v);
  return CSIM_OK;
}

static void free_points(csim_sequence *s) {
  points *all = s->state;
  for (int i = 0; all && all->file && i < all->nfile; i++)
    if (all->file[i].fd >= 0) close(all->file[i].fd);
}

const csim_sequence_kind csim_sequence_pc2 = {
    .name = "pc2", .open = open_pc2, .read = read_points, .has = has_points, .free = free_points};
const csim_sequence_kind csim_sequence_mdd = {
    .name = "mdd", .open = open_mdd, .read = read_points, .has = has_points, .free = free_points};
