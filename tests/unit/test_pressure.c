// test_pressure.c: contact pressures: what they are, and that the cache keeps them.
#include "check.h"
#include "clothsim.h"
#include "kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static csim_cache *run_scene(const char *response) {
  char text[1024], set[64];
  snprintf(
      text, sizeof text,
      "{\"version\": 1, \"name\": \"flat\", \"frames\": {\"start\": 1, \"end\": 12, \"fps\": 24,"
      "\"substeps\": 8}, \"solver\": {\"method\": \"newton\", \"iterations\": 8, \"tolerance\": "
      "1e-3},"
      "\"objects\": [{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\","
      "\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [8, 8]}, \"position\": [0, "
      "0.006, 0]},"
      "{\"name\": \"floor\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}}],"
      "\"contact\": {\"thickness\": \"5 mm\"}, \"output\": {\"obj\": false, \"pressures\": true}}");
  snprintf(set, sizeof set, "contact.response=%s", response);
  kit_write_text(kit_path("flat.json"), text);
  csim_scene *scene = NULL;
  csim_cache *cache = NULL;
  const char *sets[] = {set};
  csim_run_report report;
  if (csim_scene_read(kit_path("flat.json"), sets, 1, NULL, &scene)) return NULL;
  csim_run_options options = {.out = kit_path("out"), .nthread = 1, .overwrite = 1};
  if (!csim_run(scene, &options, NULL, &report))
    csim_cache_open(kit_path("out/flat.clothcache"), NULL, &cache);
  csim_scene_free(scene);
  return cache;
}

// A cloth that lies still presses on the floor with its weight, evenly.
static void test_weight(void) {
  csim_cache *cache = run_scene("filter");
  CHECK(cache != NULL);
  if (!cache) return;
  const csim_cache_info *info = csim_cache_get_info(cache);
  float pressure[81];
  CHECK(info->object[0].has_pressure == 1);
  CHECK(info->object[1].has_pressure == 0);
  CHECK(csim_cache_read_pressure(cache, 0, 0, pressure) == CSIM_OK);
  for (int i = 0; i < 81; i++) CHECK(pressure[i] == 0); // not touching yet
  CHECK(csim_cache_read_pressure(cache, 0, info->nframe - 1, pressure) == CSIM_OK);
  for (int i = 0; i < 81; i++) CHECK_NEAR((double)pressure[i], 0.2 * 9.81, 0.005); // 0.2 kg/m^2
  CHECK(csim_cache_read_pressure(cache, 1, 0, pressure) == CSIM_OK);               // zeros
  CHECK(pressure[0] == 0 && pressure[3] == 0);
  CHECK(csim_cache_read_pressure(cache, 2, 0, pressure) == CSIM_INVALID);
  CHECK(csim_cache_read_pressure(cache, 0, info->nframe, pressure) == CSIM_INVALID);
  csim_cache_free(cache);
}

// A grid of 9 x 9 vertices, 1 m times `size` along its sides, as an OBJ file; its texture
// coordinates are 0.9 m.
static void write_grid(const char *name, double size) {
  static char text[20000];
  size_t at = 0;
  for (int i = 0; i < 81; i++)
    at += (size_t)sprintf(text + at, "v %g 0.006 %g\nvt %g %g\n", size * (i % 9) / 8,
                          size * (i / 9) / 8, 0.9 * (i % 9) / 8, -0.9 * (i / 9) / 8);
  for (int i = 0; i < 72; i++)
    if (i % 9 < 8)
      at += (size_t)sprintf(text + at, "f %d/%d %d/%d %d/%d %d/%d\n", i + 1, i + 1, i + 10, i + 10,
                            i + 11, i + 11, i + 2, i + 2);
  kit_write_text(kit_path(name), text);
}

// Pressures are over the area at rest, and strains from the lengths at rest, also where the rest
// shape is smaller than the start: another mesh, or texture coordinates.
static void test_rest_area(const char *rest) {
  char text[1024];
  write_grid("start.obj", 1);
  write_grid("rest.obj", 0.9);
  snprintf(text, sizeof text,
           "{\"version\": 1, \"name\": \"shrinks\", \"frames\": {\"end\": 48}, \"objects\": ["
           "{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\", \"mesh\": "
           "{\"file\": \"start.obj\"}, \"rest\": %s},"
           "{\"name\": \"floor\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}}],"
           "\"contact\": {\"thickness\": \"5 mm\"}, \"output\": {\"obj\": false, "
           "\"pressures\": true, \"strain\": true}}",
           rest);
  kit_write_text(kit_path("shrinks.json"), text);
  csim_scene *scene = NULL;
  csim_cache *cache = NULL;
  csim_run_report report;
  csim_run_options options = {.out = kit_path("shrunk"), .nthread = 1, .overwrite = 1};
  CHECK(csim_scene_read(kit_path("shrinks.json"), NULL, 0, NULL, &scene) == CSIM_OK);
  CHECK(scene && csim_run(scene, &options, NULL, &report) == CSIM_OK);
  CHECK(csim_cache_open(kit_path("shrunk/shrinks.clothcache"), NULL, &cache) == CSIM_OK);
  float pressure[81], strain[81];
  double sum = 0;
  CHECK(csim_cache_read_pressure(cache, 0, 47, pressure) == CSIM_OK);
  for (int i = 0; i < 81; i++) { // the mean over the area: less at borders and corners
    double share = (i % 9 % 8 ? 1 : 0.5) * (i / 9 % 8 ? 1 : 0.5);
    sum += share * (double)pressure[i] / 64;
  }
  CHECK_NEAR(sum, 0.2 * 9.81, 0.01 * 0.2 * 9.81);
  CHECK(csim_cache_read_strain(cache, 0, 0, strain) == CSIM_OK);
  for (int i = 0; i < 81; i++) CHECK_NEAR((double)strain[i], 1 / 0.9 - 1, 1e-6);
  CHECK(csim_cache_read_strain(cache, 0, 47, strain) == CSIM_OK);
  for (int i = 0; i < 81; i++) CHECK(fabs((double)strain[i]) < 0.01);
  csim_cache_free(cache);
  csim_scene_free(scene);
}

// The impulse response knows no forces: nothing is stored.
static void test_impulse(void) {
  csim_cache *cache = run_scene("impulse");
  CHECK(cache != NULL);
  if (cache) CHECK(csim_cache_get_info(cache)->object[0].has_pressure == 0);
  csim_cache_free(cache);
}

enum { SIDE = 12, NVERT = SIDE * SIDE, NFRAME = 30 };

static double value_at(int frame, int i, int what) {
  unsigned h = (unsigned)(i * 7919 + what * 104729 + frame / 3 * 31) * 2654435761u;
  if (what == 6) return h % 5 ? 0 : (double)(h >> 8) * 1e-4; // most press on nothing
  return (double)(i % SIDE) + 1e-3 * (double)(h >> 20) + 0.01 * frame;
}

static csim_status write_frames(csim_cache_writer *w, int first, int last) {
  double x[3 * NVERT], v[3 * NVERT], p[NVERT];
  csim_status status = CSIM_OK;
  for (int f = first; f < last && !status; f++) {
    for (int i = 0; i < NVERT; i++) {
      p[i] = value_at(f, i, 6);
      for (int c = 0; c < 3; c++) {
        x[3 * i + c] = value_at(f, i, c);
        v[3 * i + c] = value_at(f, i, 3 + c);
      }
    }
    status = csim_cache_begin_frame(w, f, f / 24.0);
    if (!status)
      status = csim_cache_put_values(w, 0, &(csim_cache_values){.x = x, .v = v, .pressure = p});
    if (!status) status = csim_cache_end_frame(w);
  }
  return status;
}

static const csim_cache_options options = {.fps = 24, .up = 1};

static csim_cache_object make_object(int *start, int *vert) {
  int nface = 0;
  for (int j = 0; j + 1 < SIDE; j++)
    for (int i = 0; i + 1 < SIDE; i++) {
      const int a = j * SIDE + i, quad[4] = {a, a + 1, a + 1 + SIDE, a + SIDE};
      memcpy(vert + 4 * nface++, quad, sizeof quad);
    }
  for (int f = 0; f <= nface; f++) start[f] = 4 * f;
  return (csim_cache_object){.name = "sheet",
                             .has_velocity = 1,
                             .has_pressure = 1,
                             .nvert = NVERT,
                             .nface = nface,
                             .face_start = start,
                             .face_vert = vert};
}

// Bit for bit, in any order of frames; going on with half a file gives the same file.
static void test_round_trip(void) {
  int start[NVERT + 1], vert[4 * NVERT];
  csim_cache_object object = make_object(start, vert);
  csim_cache_writer *w;
  csim_cache *cache;
  CHECK(csim_cache_create(kit_path("a.clothcache"), &options, NULL, NULL, &w) == CSIM_OK);
  CHECK(csim_cache_add_object(w, &object) == CSIM_OK);
  CHECK(csim_cache_begin(w) == CSIM_OK);
  CHECK(write_frames(w, 0, NFRAME) == CSIM_OK);
  CHECK(csim_cache_close(w, 1) == CSIM_OK);
  CHECK(csim_cache_open(kit_path("a.clothcache"), NULL, &cache) == CSIM_OK);
  float p[NVERT];
  int wrong = 0;
  for (int k = 0; k < 3 * NFRAME; k++) {
    int f = k * 17 % NFRAME;
    CHECK(csim_cache_read_pressure(cache, 0, f, p) == CSIM_OK);
    for (int i = 0; i < NVERT; i++) wrong += p[i] != (float)value_at(f, i, 6);
  }
  CHECK(wrong == 0);
  csim_cache_free(cache);

  CHECK(csim_cache_create(kit_path("b.clothcache"), &options, NULL, NULL, &w) == CSIM_OK);
  CHECK(csim_cache_add_object(w, &object) == CSIM_OK);
  CHECK(csim_cache_begin(w) == CSIM_OK);
  CHECK(write_frames(w, 0, 21) == CSIM_OK);
  CHECK(csim_cache_close(w, 0) == CSIM_OK);
  CHECK(csim_cache_append(kit_path("b.clothcache"), 19, &options, NULL, NULL, &w) == CSIM_OK);
  CHECK(csim_cache_add_object(w, &object) == CSIM_OK);
  CHECK(csim_cache_begin(w) == CSIM_OK);
  CHECK(write_frames(w, 19, NFRAME) == CSIM_OK);
  CHECK(csim_cache_close(w, 1) == CSIM_OK);
  char command[400];
  snprintf(command, sizeof command, "cmp %s %s", kit_path("a.clothcache"),
           kit_path("b.clothcache"));
  CHECK(system(command) == 0);
}

// What does not match the description is refused.
static void test_refused(void) {
  int start[NVERT + 1], vert[4 * NVERT];
  csim_cache_object object = make_object(start, vert);
  double x[3 * NVERT] = {0};
  csim_cache_writer *w;
  for (int has = 0; has < 2; has++) {
    object.has_velocity = 0;
    object.has_pressure = has;
    CHECK(csim_cache_create(kit_path("c.clothcache"), &options, NULL, NULL, &w) == CSIM_OK);
    CHECK(csim_cache_add_object(w, &object) == CSIM_OK);
    CHECK(csim_cache_begin(w) == CSIM_OK);
    CHECK(csim_cache_begin_frame(w, 0, 0) == CSIM_OK);
    CHECK(csim_cache_put_values(w, 0, &(csim_cache_values){.x = x, .pressure = has ? NULL : x}) ==
          CSIM_INVALID);
    csim_cache_abandon(w);
  }
}

int main(void) {
  test_weight();
  test_rest_area("{\"from\": \"file\", \"file\": \"rest.obj\"}");
  test_rest_area("{\"from\": \"uv\"}");
  test_impulse();
  test_round_trip();
  test_refused();
  kit_folder_end();
  return check_report();
}
