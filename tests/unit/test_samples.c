// test_samples.c: samples between frames against closed forms, in cache and Alembic; strain.
#include "cache/sequence.h"
#include "check.h"
#include "clothsim.h"
#include "kit.h"
#include "mesh/strain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A sheet that falls in a vacuum, a wheel that turns by 18 degrees a frame, a box that stands.
static const char SCENE[] =
    "{\"name\": \"s\", \"frames\": {\"start\": 3, \"end\": 8, \"fps\": 24, \"substeps\": 4},"
    "\"wind\": {\"density\": 0}, \"output\": {\"obj\": false, \"strain\": true, \"colliders\": "
    "true,"
    "\"samples\": [0.25, -0.25, 0.5, 0], \"formats\": [\"abc\"]}, \"objects\": ["
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [0, 2, 0],"
    "\"mesh\": {\"shape\": \"grid\", \"cells\": [4, 4]}},"
    "{\"name\": \"wheel\", \"type\": \"collider\", \"position\": [4, 0, 0],"
    "\"mesh\": {\"shape\": \"cylinder\", \"radius\": 0.3, \"height\": 0.1}, \"motion\": "
    "{\"keys\": [{\"frame\": 3}, {\"frame\": 8, \"rotation\": [0, 90, 0]}]}},"
    "{\"name\": \"box\", \"type\": \"collider\", \"position\": [8, 0, 0], \"mesh\": "
    "{\"shape\": \"box\"}}]}";

static csim_cache *run_scene(int substeps) {
  char set[64];
  kit_write_text(kit_path("s.json"), SCENE);
  snprintf(set, sizeof set, "frames.substeps=%d", substeps);
  const char *sets[] = {set};
  csim_scene *scene = NULL;
  csim_cache *cache = NULL;
  csim_run_report report;
  if (csim_scene_read(kit_path("s.json"), sets, 1, NULL, &scene)) return NULL;
  csim_run_options options = {.out = kit_path("out"), .nthread = 2, .overwrite = 1};
  if (!csim_run(scene, &options, NULL, &report))
    csim_cache_open(kit_path("out/s.clothcache"), NULL, &cache);
  csim_scene_free(scene);
  return cache;
}

// The largest error of a sample of sheet and wheel, `at` frames from the start.
static void measure(csim_cache *cache, int f, int s, double at, double error[2]) {
  const csim_cache_object *wheel = &csim_cache_get_info(cache)->object[1];
  float sheet[75], *x = malloc(6 * (size_t)wheel->nvert * sizeof *x);
  if (!x) abort();
  float *start = x + 3 * wheel->nvert;
  double t = at / 24, angle = at * M_PI / 10, fallen = 9.81 / 2 * t * t;
  CHECK(!csim_cache_read_sample(cache, 0, f, s, sheet, NULL));
  CHECK(!csim_cache_read_sample(cache, 1, f, s, x, NULL));
  CHECK(!csim_cache_read(cache, 1, 0, start, NULL));
  for (int i = 0; i < 25; i++)
    error[0] = fmax(error[0], fabs((double)sheet[3 * i + 1] - 2 + fallen));
  for (int i = 0; i < wheel->nvert; i++) {
    const float *p = x + 3 * i, *q = start + 3 * i;
    double dx = (double)q[0] - 4, dz = (double)q[2];
    error[1] = fmax(error[1], fabs((double)p[0] - 4 - (cos(angle) * dx + sin(angle) * dz)));
    error[1] = fmax(error[1], fabs((double)p[2] - (cos(angle) * dz - sin(angle) * dx)));
  }
  free(x);
}

// With 4 substeps samples are at their ends and exact; with 3 they are on straight lines between
// them, whose middle is off by a h^2 / 8.
static void test_motion(void) {
  static const double share[3] = {-0.75, -0.5, -0.25};
  for (int substeps = 4; substeps >= 3; substeps--) {
    csim_cache *cache = run_scene(substeps);
    CHECK(cache != NULL);
    if (!cache) return;
    const csim_cache_info *info = csim_cache_get_info(cache);
    CHECK(info->nsample == 3 && !memcmp(info->share, share, sizeof share));
    CHECK(info->object[0].nsample == 3 && info->object[1].nsample == 3);
    CHECK(info->object[2].nsample == 0); // it does not move
    double error[2] = {0, 0}, h = 1.0 / 24 / substeps, spin = M_PI / 10 * 24;
    for (int f = 1; f < info->nframe; f++)
      for (int s = 0; s < 3; s++) measure(cache, f, s, f + share[s], error);
    double bound[2] = {9.81 * h * h / 8, 0.3 * spin * spin * h * h / 8};
    for (int k = 0; k < 2; k++) {
      // floats, and of the sheet what newton leaves of a free fall of 0.2 m
      CHECK(error[k] < (substeps == 4 ? (k ? 2e-6 : 5e-6) : 1.01 * bound[k] + 5e-6));
      CHECK(substeps == 4 || error[k] > 0.5 * bound[k]); // the test would see a better one
    }
    float x[75], y[75];
    for (int s = 0; s < 3; s++) { // before the first frame there is nothing
      CHECK(!csim_cache_read(cache, 0, 0, x, NULL) &&
            !csim_cache_read_sample(cache, 0, 0, s, y, NULL));
      CHECK(!memcmp(x, y, sizeof x));
    }
    CHECK(csim_cache_read_sample(cache, 0, 1, 3, x, NULL) == CSIM_INVALID);
    CHECK(csim_cache_read_sample(cache, 2, 1, 0, x, NULL) == CSIM_INVALID);
    csim_cache_free(cache);
  }
}

// The Alembic file of the run has the cache's numbers at all those times.
static void test_alembic(void) {
  csim_cache *cache = run_scene(5);
  csim_sequence *abc = NULL;
  CHECK(cache && !csim_sequence_open(kit_path("out/s.abc"), NULL, &abc));
  if (!cache || !abc) return;
  const csim_sequence_info *info = csim_sequence_get_info(abc);
  CHECK(info->nframe == 6 + 5 * 3);
  int wheel = strcmp(info->object[1].name, "wheel") ? 0 : 1;
  const size_t n = 3 * (size_t)info->object[wheel].nvert;
  double *x = malloc(2 * n * sizeof *x);
  float *y = malloc(2 * n * sizeof *y);
  if (!x || !y) abort();
  for (int i = 0; i < info->nframe; i++) {
    double time = info->time ? info->time[i] : (double)info->number[i] / info->fps;
    double frame = time * 24;
    int f = (int)ceil(frame - 1e-9) - 3, s = (int)lrint((frame - floor(frame + 1e-9)) * 4) - 1;
    CHECK(!csim_sequence_read(abc, wheel, i, x, x + n));
    CHECK(!(s < 0 ? csim_cache_read(cache, 1, f, y, y + n)
                  : csim_cache_read_sample(cache, 1, f, s, y, y + n)));
    int same = 0;
    for (size_t k = 0; k < 2 * n; k++) same += x[k] == (double)y[k];
    CHECK(same == (int)(2 * n));
  }
  free(x);
  free(y);
  csim_sequence_free(abc);
  csim_cache_free(cache);
}

// A collider or mesh that is read from the cache has the samples as the Alembic file has them; the
// frames of a whole cache are its own.
static void test_read_back(void) {
  csim_cache *cache = run_scene(5);
  csim_sequence *s[2] = {NULL, NULL}, *whole = NULL;
  int object[2];
  CHECK(cache && !csim_sequence_open_part(kit_path("out/s.abc"), "wheel", NULL, &s[0], &object[0]));
  CHECK(!csim_sequence_open_part(kit_path("out/s.clothcache"), "wheel", NULL, &s[1], &object[1]));
  CHECK(!csim_sequence_open(kit_path("out/s.clothcache"), NULL, &whole));
  if (!cache || !s[0] || !s[1] || !whole) return;
  const csim_sequence_info *a = csim_sequence_get_info(s[0]), *b = csim_sequence_get_info(s[1]);
  CHECK(a->nframe == 21 && b->nframe == 21 && b->time);
  CHECK(csim_sequence_get_info(whole)->nframe == 6);
  const size_t n = 3 * (size_t)b->object[object[1]].nvert;
  double *x = malloc(4 * n * sizeof *x);
  if (!x) abort();
  for (int f = 0; f < 21 && b->time; f++) {
    CHECK_NEAR(a->time ? a->time[f] : (double)a->number[f] / a->fps, b->time[f], 1e-9);
    for (size_t k = 0; k < 2; k++)
      CHECK(!csim_sequence_read(s[k], object[k], f, x + 2 * k * n, x + (2 * k + 1) * n));
    CHECK(!memcmp(x, x + 2 * n, 2 * n * sizeof *x)); // also -0
  }
  free(x);
  csim_sequence_free(s[0]);
  csim_sequence_free(s[1]);
  csim_sequence_free(whole);
  csim_cache_free(cache);
  // what does not move has no samples
  CHECK(!csim_sequence_open_part(kit_path("out/s.clothcache"), "box", NULL, &s[0], &object[0]));
  CHECK(csim_sequence_get_info(s[0])->nframe == 6 && !csim_sequence_get_info(s[0])->time);
  csim_sequence_free(s[0]);
}

// What csim_cache_put_values refuses, and what it keeps.
static void test_cache(void) {
  static const int start[2] = {0, 3}, vert[3] = {0, 1, 2};
  csim_cache_object object = {.name = "t",
                              .has_strain = 1,
                              .nsample = 2,
                              .nvert = 3,
                              .nface = 1,
                              .face_start = start,
                              .face_vert = vert};
  csim_cache_options options = {.fps = 24, .up = 1};
  double x[27], strain[3] = {0.5, 0.25, 0.125};
  for (int i = 0; i < 27; i++) x[i] = i;
  csim_cache_values good = {.x = x, .strain = strain, .sample_x = x + 9}, bad = good;
  csim_cache_writer *w = NULL;
  csim_cache *cache = NULL;
  bad.sample_x = NULL;
  const char *meta = "{\"samples\": [-0.5, -0.25]}";
  for (int k = 0; k < 2; k++) {
    CHECK(!csim_cache_create(kit_path("t.clothcache"), &options, meta, NULL, &w));
    CHECK(!csim_cache_add_object(w, &object) && !csim_cache_begin(w));
    CHECK(!csim_cache_begin_frame(w, 1, 0));
    CHECK(csim_cache_put_values(w, 0, k ? &good : &bad) == (k ? CSIM_OK : CSIM_INVALID));
    if (k)
      CHECK(!csim_cache_end_frame(w) && !csim_cache_close(w, 1));
    else
      csim_cache_abandon(w);
  }
  CHECK(!csim_cache_open(kit_path("t.clothcache"), NULL, &cache));
  float y[9], z[3];
  CHECK(!csim_cache_read_sample(cache, 0, 0, 1, y, NULL) && (double)y[8] == 26);
  CHECK(!csim_cache_read_strain(cache, 0, 0, z) && (double)z[2] == 0.125);
  csim_cache_free(cache);
  // META that tells of other samples
  CHECK(!csim_cache_create(kit_path("u.clothcache"), &options, "{\"samples\": [-0.5, -0.75]}", NULL,
                           &w));
  CHECK(!csim_cache_add_object(w, &object) && !csim_cache_begin(w));
  CHECK(!csim_cache_begin_frame(w, 1, 0) && !csim_cache_put_values(w, 0, &good));
  CHECK(!csim_cache_end_frame(w) && !csim_cache_close(w, 1));
  CHECK(csim_cache_open(kit_path("u.clothcache"), NULL, &cache) == CSIM_IO);
}

// Stretched by 1.2 along a line and pressed to 0.9 across it, turned and bent: strain 0.2
// throughout.
static void test_strain(void) {
  enum { N = 5 };
  double rest[3 * N * N], x[3 * N * N], strain[N * N + 1];
  int tri[6 * (N - 1) * (N - 1)], n = 0;
  csim_arena arena = {0};
  csim_rest_metric metric;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double *p = rest + 3 * (i + N * j), *q = x + 3 * (i + N * j);
      p[0] = 0.1 * i + 0.03 * j, p[1] = 7, p[2] = 0.2 * j - 0.01 * i;
      double along = 1.2 * (0.6 * p[0] + 0.8 * p[2]), across = 0.9 * (0.6 * p[2] - 0.8 * p[0]);
      q[0] = across, q[1] = 3, q[2] = along; // turned
    }
  for (int j = 0; j + 1 < N; j++)
    for (int i = 0; i + 1 < N; i++) {
      int a = i + N * j, corner[6] = {a, a + 1, a + N, a + 1, a + N + 1, a + N};
      memcpy(tri + n, corner, sizeof corner);
      n += 6;
    }
  CHECK(!csim_rest_metric_create(&arena, N * N, n / 3, tri, rest, NULL, &metric));
  csim_rest_metric_strain(&metric, x, strain);
  for (int v = 0; v < N * N; v++) CHECK(fabs(strain[v] - 0.2) < 1e-12);
  csim_rest_metric_strain(&metric, rest, strain);
  for (int v = 0; v < N * N; v++) CHECK(fabs(strain[v]) < 1e-12);
  csim_arena_free(&arena);
}

int main(void) {
  test_motion();
  test_alembic();
  test_read_back();
  test_cache();
  test_strain();
  kit_folder_end();
  return check_report();
}
