// tests/unit/test_cache.c: the native cache: round trips, random access, resuming, damage.
#include "cache/planes.h"
#include "cache/traversal.h"
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIDE = 13, NVERT = SIDE * SIDE, NFRAME = 21 };

static char dir[64];

static const char *in_dir(const char *name) {
  static char path[4][256];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
  return path[turn];
}

// ------------------------------------------------------------------------------------- a small run

// A quad sheet with uv and tags, a tetrahedral solid with velocities, a collider that stands still
// for most of the run, loose points.
typedef struct run {
  csim_cache_object object[4];
  int face_start[(SIDE - 1) * (SIDE - 1) + 1], face_vert[4 * (SIDE - 1) * (SIDE - 1)];
  int face_tag[(SIDE - 1) * (SIDE - 1)];
  double uv[2 * NVERT];
} run;

enum { NOBJECT = 4 };

static void make_run(run *r) {
  static const int solid_start[] = {0, 3, 6, 9, 12, 15, 18};
  static const int solid_face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 3, 2, 1, 3, 0};
  static const int tet[] = {0, 1, 2, 5, 0, 1, 3, 5, 1, 2, 5, 4, 2, 3, 4, 6};
  static const int box_start[] = {0, 4}, box_face[] = {0, 1, 2, 3};
  static char *tags[] = {"front", "back \xc3\xa9"};
  int n = 0;
  for (int j = 0; j + 1 < SIDE; j++)
    for (int i = 0; i + 1 < SIDE; i++, n++) {
      int a = j * SIDE + i;
      const int quad[4] = {a, a + 1, a + SIDE + 1, a + SIDE};
      memcpy(r->face_vert + 4 * n, quad, sizeof quad);
      r->face_start[n + 1] = 4 * (n + 1);
      r->face_tag[n] = n % 3 - 1;
    }
  r->face_start[0] = 0;
  for (int i = 0; i < NVERT; i++) {
    r->uv[2 * i] = (i % SIDE) / 16.0;
    r->uv[2 * i + 1] = (i / SIDE) / 16.0;
  }
  r->object[0] = (csim_cache_object){.name = "sheet",
                                     .nvert = NVERT,
                                     .nface = n,
                                     .face_start = r->face_start,
                                     .face_vert = r->face_vert,
                                     .nuv = NVERT,
                                     .uv = r->uv,
                                     .face_uv = r->face_vert,
                                     .ntag = 2,
                                     .tag = tags,
                                     .face_tag = r->face_tag};
  r->object[1] = (csim_cache_object){.name = "jelly",
                                     .type = CSIM_CACHE_SOLID,
                                     .has_velocity = 1,
                                     .nvert = 8, // 7 is in no tetrahedron
                                     .nface = 6,
                                     .face_start = solid_start,
                                     .face_vert = solid_face,
                                     .ntet = 4,
                                     .tet = tet};
  r->object[2] = (csim_cache_object){.name = "floor",
                                     .type = CSIM_CACHE_COLLIDER,
                                     .nvert = 4,
                                     .nface = 1,
                                     .face_start = box_start,
                                     .face_vert = box_face};
  r->object[3] = (csim_cache_object){.name = "dust", .nvert = 5};
}

// A reproducible wiggle; the collider moves in frames 3 to 5 and 11 only.
static void make_state(int object, int frame, int nvert, double *x) {
  uint32_t seed = (uint32_t)(object * 1000 + frame + 1);
  if (object == 2) frame = frame < 3 ? 0 : frame < 6 ? frame : frame < 11 ? 5 : 11;
  for (int i = 0; i < 3 * nvert; i++) {
    seed = seed * 1664525u + 1013904223u;
    double jitter = object == 2 ? 0 : 1e-4 * (double)(seed >> 8) / (1 << 24);
    x[i] = (i % 7) * 0.25 - 0.5 + 0.01 * frame * frame * ((i % 3) - 1) + jitter;
  }
}

static const csim_cache_options LOSSLESS = {.fps = 25, .up = 1};

static csim_status put_frame(csim_cache_writer *w, const run *r, int frame) {
  static double x[3 * NVERT], v[3 * NVERT];
  char stats[64];
  csim_status status = csim_cache_begin_frame(w, frame + 1, frame / 25.0);
  for (int i = 0; i < NOBJECT && !status; i++) {
    make_state(i, frame, r->object[i].nvert, x);
    make_state(i + 10, frame, r->object[i].nvert, v);
    status = csim_cache_put(w, i, x, r->object[i].has_velocity ? v : NULL);
  }
  snprintf(stats, sizeof stats, "{\"contacts\": %d}", frame * 3);
  if (!status && frame % 2) status = csim_cache_put_stats(w, stats);
  return status ? status : csim_cache_end_frame(w);
}

static csim_status add_all(csim_cache_writer *w, const run *r) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < NOBJECT && !status; i++) status = csim_cache_add_object(w, &r->object[i]);
  return status ? status : csim_cache_begin(w);
}

// Writes frames [0, nframe); commits, or leaves the .part.
static csim_status write_run(const char *path, const csim_cache_options *options, int nframe,
                             int commit, csim_log *log) {
  run r;
  csim_cache_writer *w;
  make_run(&r);
  csim_status status = csim_cache_create(path, options, "{\"scene\": \"test\"}", log, &w);
  if (status) return status;
  status = add_all(w, &r);
  for (int f = 0; f < nframe && !status; f++) status = put_frame(w, &r, f);
  csim_status closed = csim_cache_close(w, commit && !status);
  return status ? status : closed;
}

static unsigned char *slurp(const char *path, long *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  unsigned char *bytes = malloc((size_t)*size + 1);
  if (fread(bytes, 1, (size_t)*size, f) != (size_t)*size) *size = -1;
  fclose(f);
  return bytes;
}

static void spill(const char *path, const unsigned char *bytes, long size) {
  FILE *f = fopen(path, "wb");
  fwrite(bytes, 1, (size_t)size, f);
  fclose(f);
}

static int equal_files(const char *a, const char *b) {
  long na = 0, nb = 0;
  unsigned char *x = slurp(a, &na), *y = slurp(b, &nb);
  int equal = x && y && na == nb && !memcmp(x, y, (size_t)na);
  free(x);
  free(y);
  return equal;
}

// Whether a frame of an object is what make_state made, within `error`, or to the bit.
static int is_frame(csim_cache *c, const run *r, int object, int frame, double error) {
  static double want[3 * NVERT];
  static float got[3 * NVERT], velocity[3 * NVERT];
  int n = r->object[object].nvert;
  if (csim_cache_read(c, object, frame, got, velocity)) return 0;
  make_state(object, frame, n, want);
  for (int i = 0; i < 3 * n; i++)
    if (error > 0 ? !(fabs((double)got[i] - want[i]) <= error) : got[i] != (float)want[i]) return 0;
  if (!r->object[object].has_velocity) return velocity[0] == 0;
  make_state(object + 10, frame, n, want);
  for (int i = 0; i < 3 * n; i++)
    if (velocity[i] != (float)want[i]) return 0;
  return 1;
}

// ------------------------------------------------------------------------------------------ tests

static void test_planes(void) {
  enum { N = 5000 };
  static uint32_t word[N], back[N];
  csim_planes planes = {0};
  for (int kind = 0; kind < 4; kind++) {
    uint32_t seed = 1;
    for (int i = 0; i < N; i++) {
      seed = seed * 1664525u + 1013904223u;
      word[i] = kind == 0 ? 0 : kind == 1 ? seed ^ seed >> 16 : kind == 2 ? seed >> 20 : ~0u;
    }
    csim_bytes out = {0};
    CHECK(!csim_planes_write(&planes, (csim_effort)(kind % 2), word, N, &out));
    const uint8_t *at = out.data, *end = out.data + out.n;
    CHECK(!csim_planes_read(&planes, &at, end, N, back));
    CHECK(at == end && !memcmp(word, back, sizeof word));
    CHECK(csim_planes_plausible(N, (uint64_t)out.n));
    CHECK(kind != 0 || out.n < 200); // zeros shrink
    at = out.data;
    CHECK(csim_planes_read(&planes, &at, end - 1, N, back));
    at = out.data;
    CHECK(csim_planes_read(&planes, &at, end, N - 1, back));
    free(out.data);
  }
  csim_planes_free(&planes);
  for (uint32_t d = 0; d < 100; d++)
    CHECK(csim_unzigzag(csim_zigzag(d)) == d && csim_unzigzag(csim_zigzag(0 - d)) == 0 - d);
  CHECK(csim_zigzag(0) == 0 && csim_zigzag(~0u) == 1 && csim_zigzag(1) == 2);
  const float rising[] = {-INFINITY, -1e30f, -1, -1e-40f, -0.f, 0.f, 1e-40f, 1, 1e30f, INFINITY};
  for (int i = 0; i < 10; i++) {
    uint32_t u = csim_order_bits(csim_float_bits(rising[i]));
    CHECK(csim_unorder_bits(u) == csim_float_bits(rising[i]));
    CHECK(!i || u > csim_order_bits(csim_float_bits(rising[i - 1])));
  }
}

// Every vertex once, predicted from earlier places only, whatever the faces are.
static int is_traversal(const csim_traversal *t) {
  char *seen = calloc((size_t)t->nvert, 1);
  int ok = 1;
  for (int i = 0; i < t->nvert; i++) {
    csim_predictor p = t->predict[i];
    ok = ok && t->order[i] >= 0 && t->order[i] < t->nvert && !seen[t->order[i]]++;
    ok = ok && (p.a < i || p.a == t->nvert) && (p.b < i || p.b == t->nvert);
    ok = ok && (p.d < i || p.d == t->nvert) && p.a >= 0 && p.b >= 0 && p.d >= 0;
  }
  free(seen);
  return ok;
}

static void test_traversal(void) {
  run r;
  csim_traversal t;
  make_run(&r);
  for (int i = 0; i < NOBJECT; i++) {
    const csim_cache_object *o = &r.object[i];
    CHECK(
        !csim_traversal_init(&t, o->nvert, o->nface, o->face_start, o->face_vert, o->ntet, o->tet));
    CHECK(is_traversal(&t));
    if (i == 0) { // a sheet: all but the first triangle's corners have three known vertices
      int simple = 0;
      for (int k = 0; k < t.nvert; k++) simple += t.predict[k].a == t.predict[k].b;
      CHECK(simple == 3);
    }
    csim_traversal_free(&t);
  }
  uint32_t seed = 5;
  for (int round = 0; round < 300;
       round++) { // random soup: repeated corners, shared edges, slivers
    enum { V = 9 };
    int start[13] = {0}, vert[80], tet[20], n = 0;
    for (int f = 0; f < 12; f++) {
      seed = seed * 1664525u + 1013904223u;
      for (int k = (int)(seed >> 16) % 6; k > 0; k--) {
        seed = seed * 1664525u + 1013904223u;
        vert[n++] = (int)(seed >> 16) % V;
      }
      start[f + 1] = n;
    }
    for (int i = 0; i < 20; i++) {
      seed = seed * 1664525u + 1013904223u;
      tet[i] = (int)(seed >> 16) % V;
    }
    CHECK(!csim_traversal_init(&t, V, 12, start, vert, round % 2 ? 5 : 0, tet));
    CHECK(is_traversal(&t));
    csim_traversal_free(&t);
  }
}

static void check_object(const csim_cache_object *a, const csim_cache_object *b) {
  CHECK_TEXT(a->name, b->name);
  CHECK(a->type == b->type && a->nvert == b->nvert && a->nface == b->nface);
  CHECK(a->has_velocity == b->has_velocity && a->nuv == b->nuv && a->ntag == b->ntag);
  CHECK(a->ntet == b->ntet);
  size_t n = sizeof(int);
  if (a->nface) {
    CHECK(!memcmp(a->face_start, b->face_start, n * (size_t)(a->nface + 1)));
    CHECK(!memcmp(a->face_vert, b->face_vert, n * (size_t)a->face_start[a->nface]));
  }
  if (a->nuv) {
    CHECK(!memcmp(a->uv, b->uv, 2 * sizeof(double) * (size_t)a->nuv));
    CHECK(!memcmp(a->face_uv, b->face_uv, n * (size_t)a->face_start[a->nface]));
  }
  for (int i = 0; i < a->ntag; i++) CHECK_TEXT(a->tag[i], b->tag[i]);
  if (a->ntag) CHECK(!memcmp(a->face_tag, b->face_tag, n * (size_t)a->nface));
  if (a->ntet) CHECK(!memcmp(a->tet, b->tet, 4 * n * (size_t)a->ntet));
}

static void test_round_trip(void) {
  run r;
  csim_cache *c;
  make_run(&r);
  const char *path = in_dir("lossless");
  CHECK(!write_run(path, &LOSSLESS, NFRAME, 1, NULL));
  CHECK(!csim_cache_open(path, NULL, &c));
  const csim_cache_info *info = csim_cache_get_info(c);
  CHECK(info->complete && info->nframe == NFRAME && info->nobject == NOBJECT);
  CHECK(info->options.fps == 25 && info->options.up == 1);
  CHECK_TEXT(info->meta, "{\"scene\": \"test\"}");
  for (int i = 0; i < NOBJECT; i++) check_object(&r.object[i], &info->object[i]);
  for (int f = 0; f < NFRAME; f++) {
    CHECK(info->number[f] == f + 1 && info->time[f] == f / 25.0);
    for (int i = 0; i < NOBJECT; i++) CHECK(is_frame(c, &r, i, f, 0));
  }
  for (int f = NFRAME - 1; f >= 0; f--) // backward, and every other order
    for (int i = 0; i < NOBJECT; i++) CHECK(is_frame(c, &r, i, f, 0));
  for (int k = 0; k < 3 * NFRAME; k++)
    for (int i = 0; i < NOBJECT; i++) CHECK(is_frame(c, &r, i, k * 8 % NFRAME, 0));
  CHECK_TEXT(csim_cache_read_stats(c, 5), "{\"contacts\": 15}");
  CHECK_TEXT(csim_cache_read_stats(c, 4), "");
  CHECK(!csim_cache_read_stats(c, NFRAME));
  CHECK(csim_cache_read(c, 0, NFRAME, NULL, NULL) == CSIM_INVALID);
  CHECK(csim_cache_read(c, NOBJECT, 0, NULL, NULL) == CSIM_INVALID);
  CHECK(!csim_cache_verify(c, NULL, NULL));
  csim_cache_free(c);
  CHECK(!write_run(in_dir("again"), &LOSSLESS, NFRAME, 1, NULL));
  CHECK(equal_files(path, in_dir("again")));
  CHECK(access(in_dir("again.part"), F_OK));
}

// Bits that no arithmetic keeps: NaN with a payload, infinities, -0, denormals, the largest float.
static void test_any_bits(void) {
  static const int start[] = {0, 3, 6}, face[] = {0, 1, 2, 2, 1, 3};
  static const float odd[] = {0.f,    -0.f,   INFINITY, -INFINITY, 3e38f,
                              -3e38f, 1e-44f, -1e-39f,  1,         -1};
  csim_cache_object o = {
      .name = "odd", .nvert = 4, .nface = 2, .face_start = start, .face_vert = face};
  for (int lossy = 0; lossy < 2; lossy++) {
    csim_cache_options options = {.fps = 24, .up = 2, .position_error = lossy * 1e-3};
    csim_cache_writer *w;
    csim_cache *c;
    double x[12];
    float back[12];
    CHECK(!csim_cache_create(in_dir("odd"), &options, NULL, NULL, &w));
    CHECK(!csim_cache_add_object(w, &o) && !csim_cache_begin(w));
    for (int f = 0; f < 40; f++) {
      for (int i = 0; i < 12; i++) x[i] = f % 9 == 8 ? NAN : (double)odd[(f * 7 + i * 3) % 10];
      CHECK(!csim_cache_begin_frame(w, f, 0) && !csim_cache_put(w, 0, x, NULL));
      CHECK(!csim_cache_end_frame(w));
    }
    CHECK(!csim_cache_close(w, 1) && !csim_cache_open(in_dir("odd"), NULL, &c));
    for (int f = 39; f >= 0; f--) {
      CHECK(!csim_cache_read(c, 0, f, back, NULL));
      for (int i = 0; i < 12; i++) {
        float want = f % 9 == 8 ? NAN : odd[(f * 7 + i * 3) % 10];
        CHECK(isnan(want) ? isnan(back[i])
                          : back[i] == want && !signbit(back[i]) == !signbit(want));
      }
    }
    csim_cache_free(c);
  }
}

static void test_lossy(void) {
  run r;
  csim_cache *c;
  make_run(&r);
  for (int e = 2; e < 7; e++) { // below, floats of this size are too coarse
    csim_cache_options options = {.fps = 25, .up = 1, .position_error = pow(10, -e)};
    CHECK(!write_run(in_dir("lossy"), &options, NFRAME, 1, NULL));
    CHECK(!csim_cache_open(in_dir("lossy"), NULL, &c));
    for (int f = NFRAME - 1; f >= 0; f--)
      for (int i = 0; i < NOBJECT; i++) CHECK(is_frame(c, &r, i, f, options.position_error));
    csim_cache_free(c);
  }
}

// Stops after any frame, goes on, even after frames that must be cut: the same bytes.
static void test_append(void) {
  run r;
  make_run(&r);
  csim_cache_options kinds[2] = {LOSSLESS, {.fps = 25, .up = 1, .position_error = 1e-4}};
  for (int kind = 0; kind < 2; kind++) {
    CHECK(!write_run(in_dir("whole"), &kinds[kind], NFRAME, 1, NULL));
    for (int keep = 0; keep <= NFRAME; keep++)
      for (int extra = 0; extra < 3; extra++) {
        csim_cache_writer *w;
        int written = keep + extra > NFRAME ? NFRAME : keep + extra;
        unlink(in_dir("resumed"));
        CHECK(!write_run(in_dir("resumed"), &kinds[kind], written, extra == 2, NULL));
        CHECK(!csim_cache_append(in_dir("resumed"), keep, &kinds[kind], "{\"scene\": \"test\"}",
                                 NULL, &w));
        CHECK(!add_all(w, &r));
        for (int f = keep; f < NFRAME; f++) CHECK(!put_frame(w, &r, f));
        CHECK(!csim_cache_close(w, 1));
        CHECK(equal_files(in_dir("whole"), in_dir("resumed")));
      }
  }
}

// One frame of a long run costs a small share of the file.
static void test_random_access(void) {
  enum { BIG = 64, COUNT = 1000, WANTED = 900 };
  static double x[3 * BIG * BIG];
  static float got[3 * BIG * BIG];
  static int start[2 * BIG * BIG], vert[4 * BIG * BIG];
  csim_cache_object o = {.name = "big", .nvert = BIG * BIG, .face_start = start, .face_vert = vert};
  csim_cache_writer *w;
  csim_cache *c = NULL;
  for (int j = 0; j + 1 < BIG; j++)
    for (int i = 0; i + 1 < BIG; i++, o.nface++) {
      int a = j * BIG + i;
      const int quad[4] = {a, a + BIG, a + BIG + 1, a + 1};
      memcpy(vert + 4 * o.nface, quad, sizeof quad);
      start[o.nface + 1] = 4 * (o.nface + 1);
    }
  CHECK(!csim_cache_create(in_dir("long"), &LOSSLESS, NULL, NULL, &w));
  CHECK(!csim_cache_add_object(w, &o) && !csim_cache_begin(w));
  for (int f = 0; f < COUNT; f++) {
    make_state(0, f, o.nvert, x);
    CHECK(!csim_cache_begin_frame(w, f, f / 25.0) && !csim_cache_put(w, 0, x, NULL));
    CHECK(!csim_cache_end_frame(w));
  }
  CHECK(!csim_cache_close(w, 1));
  CHECK(!csim_cache_open(in_dir("long"), NULL, &c));
  CHECK(!csim_cache_read(c, 0, WANTED, got, NULL));
  const csim_cache_info *info = csim_cache_get_info(c);
  CHECK(info->bytes_read * 100 < info->size);
  make_state(0, WANTED, o.nvert, x);
  for (int i = 0; i < 3 * o.nvert; i++) CHECK(got[i] == (float)x[i]);
  csim_cache_free(c);
  unlink(in_dir("long"));
}

static void test_append_refuses(void) {
  run r;
  check_log log;
  csim_cache_writer *w;
  make_run(&r);
  unlink(in_dir("other"));
  CHECK(csim_cache_append(in_dir("other"), 0, &LOSSLESS, NULL, NULL, &w) == CSIM_IO && !w);
  CHECK(!write_run(in_dir("other"), &LOSSLESS, 3, 1, NULL));
  check_log_init(&log);
  CHECK(csim_cache_append(in_dir("other"), 4, &LOSSLESS, NULL, &log.log, &w) == CSIM_INVALID && !w);
  CHECK_TEXT(log.text, "cannot continue after 4 frames: the cache has 3 complete ones");
  static const char *expected[] = {
      "cannot continue: the cache is of another scene or version",
      "cannot continue: the cache has other settings or objects",
      "cannot continue: an object of the cache has another mesh",
  };
  for (int k = 0; k < 3; k++) {
    csim_cache_options options = LOSSLESS;
    if (k == 1) options.fps = 24;
    if (k == 2) r.object[0].name = "shirt";
    CHECK(!csim_cache_append(in_dir("other"), 2, &options, k ? "{\"scene\": \"test\"}" : "{}",
                             &log.log, &w));
    CHECK(add_all(w, &r) == CSIM_INVALID);
    CHECK_TEXT(log.text, expected[k]);
    CHECK(csim_cache_close(w, 1) == CSIM_INVALID);
    CHECK(!access(in_dir("other"), F_OK) && access(in_dir("other.part"), F_OK)); // untouched
  }
}

// Every whole frame before the cut is there, every cut is said, nothing crashes.
static void test_cuts(void) {
  run r;
  long size;
  make_run(&r);
  CHECK(!write_run(in_dir("whole"), &LOSSLESS, NFRAME, 1, NULL));
  unsigned char *bytes = slurp(in_dir("whole"), &size);
  csim_cache *c;
  int before = 0, opened = 0;
  long step = size / 2500 < 1 ? 1 : size / 2500;
  for (long cut = 0; cut < size; cut += cut < 500 || cut > size - 500 ? 1 : step) {
    check_log log;
    check_log_init(&log);
    spill(in_dir("cut"), bytes, cut);
    csim_status status = csim_cache_open(in_dir("cut"), &log.log, &c);
    if (status) {
      CHECK(status == CSIM_IO && log.log.nerror == 1 && !opened);
      continue;
    }
    opened = 1;
    const csim_cache_info *info = csim_cache_get_info(c);
    CHECK(!info->complete && info->nframe >= before && info->nframe <= NFRAME);
    for (int i = 0; i < NOBJECT && info->nframe > before; i++)
      CHECK(is_frame(c, &r, i, info->nframe - 1, 0));
    before = info->nframe;
    CHECK(csim_cache_verify(c, NULL, NULL) == CSIM_IO);
    csim_cache_free(c);
  }
  CHECK(opened && before == NFRAME); // the last cuts lose the index only
  free(bytes);
}

// One flipped bit: either said, or the frame read is the right one. verify finds every one.
static void test_flips(void) {
  run r;
  long size;
  make_run(&r);
  CHECK(!write_run(in_dir("whole"), &LOSSLESS, NFRAME, 1, NULL));
  unsigned char *bytes = slurp(in_dir("whole"), &size);
  long step = size * 8 / 3000 < 1 ? 1 : size * 8 / 3000;
  for (long bit = 0; bit < size * 8; bit += step + bit % 3) {
    csim_cache *c;
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    spill(in_dir("flip"), bytes, size);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    if (csim_cache_open(in_dir("flip"), NULL, &c)) continue;
    int nframe = csim_cache_get_info(c)->nframe;
    for (int f = 0; f < nframe; f++)
      for (int i = 0; i < NOBJECT; i++) {
        check_log log;
        float x[3 * NVERT];
        check_log_init(&log);
        if (!csim_cache_read(c, i, f, x, NULL)) CHECK(is_frame(c, &r, i, f, 0));
      }
    CHECK(csim_cache_verify(c, NULL, NULL) == CSIM_IO);
    csim_cache_free(c);
  }
  free(bytes);
}

static void test_refusals(void) {
  static const unsigned char text[99] = "o hello\nv 1 2 3\nf 1 1 1\n";
  check_log log;
  csim_cache *c;
  csim_cache_writer *w;
  run r;
  check_log_init(&log);
  make_run(&r);
  CHECK(csim_cache_open(in_dir("nothing"), &log.log, &c) == CSIM_IO && !c);
  CHECK_TEXT(log.text, "cannot open: No such file or directory");
  CHECK(csim_cache_open(dir, &log.log, &c) == CSIM_IO);
  CHECK_TEXT(log.text, "is not a regular file");
  spill(in_dir("text"), text, sizeof text);
  CHECK(csim_cache_open(in_dir("text"), &log.log, &c) == CSIM_IO);
  CHECK_TEXT(log.text, "not a clothsim cache");

  csim_cache_options bad[4] = {LOSSLESS, LOSSLESS, LOSSLESS, LOSSLESS};
  bad[0].fps = 0;
  bad[1].up = 3;
  bad[2].position_error = -1;
  bad[3].velocity_error = NAN;
  for (int i = 0; i < 4; i++)
    CHECK(csim_cache_create(in_dir("bad"), &bad[i], NULL, NULL, &w) == CSIM_INVALID && !w);

  static const int out_of_range[] = {0, 1, 5}, one_face[] = {0, 3};
  csim_cache_object objects[] = {
      {.name = "", .nvert = 1},
      {.name = "a", .nvert = 0},
      {.name = "a", .nvert = CSIM_CACHE_MAX_VERT + 1},
      {.name = "a", .nvert = 5, .nface = 1, .face_start = one_face, .face_vert = out_of_range},
      {.name = "a", .nvert = 5, .ntet = -1}};
  for (int i = 0; i < 5; i++) {
    CHECK(!csim_cache_create(in_dir("bad"), &LOSSLESS, NULL, NULL, &w));
    CHECK(csim_cache_add_object(w, &objects[i]) == CSIM_INVALID);
    CHECK(csim_cache_close(w, 1) == CSIM_INVALID);
  }
  CHECK(access(in_dir("bad"), F_OK) && access(in_dir("bad.part"), F_OK));
  CHECK(!csim_cache_create(in_dir("bad"), &LOSSLESS, NULL, NULL, &w));
  CHECK(csim_cache_begin(w) == CSIM_INVALID); // no objects
  csim_cache_abandon(w);
  CHECK(!csim_cache_create(in_dir("bad"), &LOSSLESS, NULL, NULL, &w));
  CHECK(!add_all(w, &r) && !put_frame(w, &r, 3));
  CHECK(csim_cache_begin_frame(w, 4, 0) == CSIM_INVALID); // numbers must increase
  csim_cache_abandon(w);
  CHECK(access(in_dir("bad.part"), F_OK));
}

// Full disks, missing folders, two writers.
static void test_io_errors(void) {
  check_log log;
  csim_cache *c;
  csim_cache_writer *one, *two;
  run r;
  make_run(&r);
  check_log_init(&log);
  CHECK(write_run(in_dir("no/such/folder"), &LOSSLESS, 1, 1, &log.log) == CSIM_IO);
  CHECK_TEXT(log.text, "cannot create the cache: No such file or directory");

  CHECK(!csim_cache_create(in_dir("shared"), &LOSSLESS, NULL, NULL, &one) && !add_all(one, &r));
  CHECK(!csim_cache_create(in_dir("shared"), &LOSSLESS, NULL, &log.log, &two));
  CHECK(add_all(two, &r) == CSIM_IO);
  CHECK_TEXT(log.text, "another process is writing this cache");
  csim_cache_close(two, 0);
  CHECK(!put_frame(one, &r, 0) && !csim_cache_close(one, 1));

  struct rlimit old, full;
  signal(SIGXFSZ, SIG_IGN);
  CHECK(!getrlimit(RLIMIT_FSIZE, &old));
  full = old;
  full.rlim_cur = 20000;
  CHECK(!setrlimit(RLIMIT_FSIZE, &full));
  unlink(in_dir("full"));
  CHECK(write_run(in_dir("full"), &LOSSLESS, NFRAME, 1, &log.log) == CSIM_IO);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_TEXT(log.text, "cannot write the cache: File too large");
  CHECK(access(in_dir("full"), F_OK)); // only whole caches get the name
  CHECK(!csim_cache_open(in_dir("full"), NULL, &c));
  int nframe = csim_cache_get_info(c)->nframe;
  CHECK(nframe > 3 && nframe < NFRAME);
  for (int f = 0; f < nframe; f++) CHECK(is_frame(c, &r, 0, f, 0));
  csim_cache_free(c);
}

int main(void) {
  snprintf(dir, sizeof dir, "/tmp/test_cache.XXXXXX");
  if (!mkdtemp(dir)) return 3;
  test_planes();
  test_traversal();
  test_round_trip();
  test_any_bits();
  test_lossy();
  test_append();
  test_random_access();
  test_append_refuses();
  test_cuts();
  test_flips();
  test_refusals();
  test_io_errors();
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  CHECK(!system(command));
  return check_report();
}
