// test_uv_sets.c: further sets of texture coordinates from Alembic through a run to cache, Alembic
// and USD; what is refused, and damaged bytes.
#include "abc_file.h"
#include "cache/uv_sets.h"
#include "check.h"
#include "clothsim.h"
#include "kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two quads. The second set has no texture coordinate at one corner.
enum { NVERT = 6, NCORNER = 8 };
static const double rest[3 * NVERT] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 1};
static const int start[] = {0, 4, 8}, vert[NCORNER] = {0, 3, 4, 1, 1, 4, 5, 2};
static const double first_uv[] = {0, 0, 1, 1}, light_uv[] = {0.25, 0.5, -3, 8, 0.125, 7};
static const int first_index[NCORNER] = {0, 1, 0, 1, 0, 1, 0, 1};
static const int light_index[NCORNER] = {2, 1, 0, 0, 1, 2, -1, 2};
static const csim_uv_set sets[] = {
    {"light map", 3, light_uv, light_index},
    {"pressure", 2, first_uv, first_index},
    {"light/map", 2, first_uv, first_index},
};
static const csim_cache_object patch = {.name = "patch",
                                        .type = CSIM_CACHE_COLLIDER,
                                        .nvert = NVERT,
                                        .nface = 2,
                                        .face_start = start,
                                        .face_vert = vert,
                                        .nuv = 2,
                                        .uv = first_uv,
                                        .face_uv = first_index,
                                        .nuv_set = 3,
                                        .uv_set = sets};

static int export_patch(const char *format) {
  csim_export_options options = {.format = format,
                                 .directory = kit_path("out"),
                                 .name = "given",
                                 .fps = 24,
                                 .last_number = 1,
                                 .up = 1};
  csim_export *e;
  const double *const x[] = {rest};
  if (csim_export_open(&options, 1, &patch, NULL, &e)) return -1;
  int bad = csim_export_frame(e, 1, x, NULL) != CSIM_OK;
  return csim_export_close(e, !bad) || bad ? -1 : 0;
}

// Whether a set has the coordinates of `want` at every corner, as floats; `fill`: (0, 0) for none.
static int same_set(const csim_uv_set *got, const csim_uv_set *want, int fill) {
  for (int c = 0; c < NCORNER; c++) {
    int i = got->face_uv[c], j = want->face_uv[c];
    if (!fill && (i < 0) != (j < 0)) return 0;
    for (int k = 0; k < 2; k++) {
      double u = i < 0 ? 0 : got->uv[2 * i + k], v = j < 0 ? 0 : want->uv[2 * j + k];
      if ((float)u != (float)v) return 0;
    }
  }
  return 1;
}

static void check_sets(const csim_cache_object *o, const char *const *name, int fill) {
  CHECK(o->nuv_set == 3);
  for (int k = 0; k < 3 && o->nuv_set == 3; k++) {
    CHECK_TEXT(o->uv_set[k].name, name[k]);
    CHECK(same_set(&o->uv_set[k], &sets[k], fill));
  }
}

static const char *const abc_names[] = {"light map", "pressure_2", "light_map"};

static void test_alembic(void) {
  csim_sequence *s = NULL;
  CHECK(!export_patch("abc"));
  CHECK(!csim_sequence_open(kit_path("out/given.abc"), NULL, &s));
  if (!s) return;
  const csim_cache_object *o = &csim_sequence_get_info(s)->object[0];
  check_sets(o, abc_names, 1);
  CHECK(o->nuv == 2 && !memcmp(o->face_uv, first_index, sizeof first_index));
  csim_sequence_free(s);
}

static void test_usda(void) {
  static const char *const names[] = {"st", "light_map", "pressure_2", "light_map_2"};
  CHECK(!export_patch("usda"));
  char text[4096] = "";
  FILE *in = fopen(kit_path("out/given.usda"), "rb");
  size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in) fclose(in);
  CHECK(n > 0 && n < sizeof text - 1);
  for (int k = 0; k < 4; k++) {
    char line[80];
    snprintf(line, sizeof line, "texCoord2f[] primvars:%s = [", names[k]);
    CHECK(strstr(text, line));
    snprintf(line, sizeof line, "int[] primvars:%s:indices = [", names[k]);
    CHECK(strstr(text, line));
  }
  // the corner without one refers to a (0, 0) that is added
  CHECK(strstr(text, "[(0.25, 0.5), (-3, 8), (0.125, 7), (0, 0)]"));
  CHECK(strstr(text, "primvars:light_map:indices = [2, 1, 0, 0, 1, 2, 3, 2]"));
}

// As cloth and as a collider, through a whole run.
static void test_run(void) {
  static const char SCENE[] =
      "{\"name\": \"r\", \"frames\": {\"start\": 1, \"end\": 2, \"fps\": 24, \"substeps\": 1},"
      "\"output\": {\"colliders\": true, \"formats\": [\"abc\"]}, \"objects\": ["
      "{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [0, 2, "
      "0],"
      "\"mesh\": {\"file\": \"out/given.abc\"}},"
      "{\"name\": \"patch\", \"type\": \"collider\", \"mesh\": {\"sequence\": "
      "\"out/given.abc\"}}]}";
  csim_scene *scene = NULL;
  csim_run_report report;
  kit_write_text(kit_path("r.json"), SCENE);
  CHECK(!csim_scene_read(kit_path("r.json"), NULL, 0, NULL, &scene));
  csim_run_options options = {.out = kit_path("run"), .nthread = 1, .overwrite = 1};
  CHECK(scene && !csim_run(scene, &options, NULL, &report));
  csim_scene_free(scene);
  csim_cache *cache = NULL;
  csim_sequence *s = NULL;
  CHECK(!csim_cache_open(kit_path("run/r.clothcache"), NULL, &cache));
  CHECK(!csim_sequence_open(kit_path("run/r.abc"), NULL, &s));
  for (int i = 0; i < 2 && cache && s; i++) {
    check_sets(&csim_cache_get_info(cache)->object[i], abc_names, 1);
    check_sets(&csim_sequence_get_info(s)->object[i], abc_names, 1);
  }
  csim_cache_free(cache);
  csim_sequence_free(s);
}

// ------------------------------------------------------------------------------------------ cache

static csim_status write_cache(const csim_cache_object *object, csim_log *log) {
  csim_cache_options options = {.fps = 24, .up = 1};
  csim_cache_writer *w;
  csim_status status = csim_cache_create(kit_path("c.clothcache"), &options, NULL, log, &w);
  if (status) return status;
  status = csim_cache_add_object(w, object);
  if (!status) status = csim_cache_begin(w);
  if (!status) status = csim_cache_begin_frame(w, 1, 0);
  if (!status) status = csim_cache_put(w, 0, rest, NULL);
  if (!status) status = csim_cache_end_frame(w);
  if (!status) return csim_cache_close(w, 1);
  csim_cache_abandon(w);
  return status;
}

static void test_cache(void) {
  static const char *const names[] = {"light map", "pressure", "light/map"};
  csim_cache *cache = NULL;
  CHECK(!write_cache(&patch, NULL));
  CHECK(!csim_cache_open(kit_path("c.clothcache"), NULL, &cache));
  if (!cache) return;
  check_sets(&csim_cache_get_info(cache)->object[0], names, 0);
  CHECK(!csim_cache_verify(cache, NULL, NULL));
  csim_cache_free(cache);
}

static void test_refusals(void) {
  static const int beyond[NCORNER] = {0, 1, 0, 1, 0, 1, 0, 2};
  static const csim_uv_set wrong[] = {
      {"light map", 2, first_uv, first_index},
      {"", 2, first_uv, first_index},
      {NULL, 2, first_uv, first_index},
      {"a", 0, first_uv, first_index},
      {"a", 2, first_uv, beyond},
  };
  static const char *const said[] = {"same name", "1 to 255 bytes", "1 to 255 bytes",
                                     "out of range", "does not exist"};
  for (int k = 0; k < 5; k++) {
    csim_uv_set two[] = {sets[0], wrong[k]};
    csim_cache_object object = patch;
    check_log log;
    check_log_init(&log);
    object.nuv_set = 2;
    object.uv_set = two;
    CHECK(write_cache(&object, &log.log) == CSIM_INVALID);
    CHECK(strstr(log.text, said[k]));
  }
  csim_cache_object object = patch;
  object.nuv_set = CSIM_CACHE_MAX_UV_SET + 1;
  CHECK(write_cache(&object, NULL) == CSIM_INVALID);
}

// Any bytes are safe, and a set that passes its checks can be used.
static void test_damage(void) {
  csim_planes planes = {0};
  csim_bytes good = {0};
  CHECK(!csim_uv_set_write(&planes, &patch, &sets[0], &good));
  int refused = 0, tried = 0;
  for (ptrdiff_t at = 0; at < good.n; at++)
    for (int how = 0; how < 10; how++, tried++) {
      csim_arena arena = {0};
      csim_cache_object object = patch;
      uint8_t *bytes = malloc((size_t)good.n); // of its own: sanitizers see what is read beyond
      if (!bytes) abort();
      memcpy(bytes, good.data, (size_t)good.n);
      if (how < 8) bytes[at] ^= (uint8_t)(1 << how);
      if (how == 8) bytes[at] = 255;
      object.nuv_set = 0;
      int bad = csim_uv_set_read(&planes, bytes, how < 9 ? good.n : at, &arena, &object);
      CHECK(bad || object.nuv_set == 1);
      if (!bad) bad = csim_uv_sets_check(&object) != NULL;
      for (int c = 0; c < NCORNER && !bad; c++) {
        int k = object.uv_set[0].face_uv[c];
        bad = k >= 0 && object.uv_set[0].uv[2 * k] == 1e300;
      }
      refused += bad != 0;
      free(bytes);
      csim_arena_free(&arena);
    }
  CHECK(refused > tried / 4 && refused < tried);
  free(good.data);
  csim_planes_free(&planes);
}

// ------------------------------------------------------------------------------- others' archives

// Which of the parameters of others are texture coordinates.
static void test_foreign(void) {
  static const char UV[] = "geoScope=fvr;interpretation=vector;podExtent=2",
                    VERTEX[] = "geoScope=vtx;interpretation=vector;podExtent=2",
                    NOT[] = "geoScope=fvr;interpretation=vector;podExtent=2;notUV=1",
                    WHOLE[] = "geoScope=con;interpretation=vector;podExtent=2";
  static const double corners[NCORNER] = {1, 4, 3, 0, 2, 5, 4, 1}, counts[] = {4, 4};
  static const struct {
    const char *name, *metadata;
    int n;
    double value;
  } param[] = {{"corners", UV, NCORNER, 1},   {"vertices", VERTEX, NVERT, 2},
               {"not", NOT, NCORNER, 3},      {"whole", WHOLE, 1, 4},
               {"short", UV, NCORNER - 1, 5}, {"nan", UV, NCORNER, NAN},
               {"corners", UV, NCORNER, 6}};
  abc_file f;
  abc_list geom = {0}, own = {0}, params = {0}, none = {0};
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  abc_property(&f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F32, 3, 0, NULL},
               (abc_samples){1, 1, 1, 3 * NVERT, rest});
  abc_property(&f, &geom, ".faceIndices", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, NCORNER, corners});
  abc_property(&f, &geom, ".faceCounts", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 2, counts});
  for (int k = 0; k < 7; k++) {
    double value[2 * NCORNER];
    for (int i = 0; i < 2 * NCORNER; i++) value[i] = param[k].value + i;
    abc_property(&f, &params, param[k].name,
                 (abc_type){ABC_ARRAY, ABC_F32, 2, 0, param[k].metadata},
                 (abc_samples){1, 1, 1, 2 * param[k].n, value});
  }
  abc_compound(&f, &geom, ".arbGeomParams", &params);
  abc_compound(&f, &own, ".geom", &geom);
  abc_object(&f, &f.top, "mesh", ABC_MESH, &own, &none);
  abc_finish(&f);
  abc_write(kit_path("f.abc"), f.bytes.data, (size_t)f.bytes.n);
  free(f.bytes.data);
  check_log log;
  csim_sequence *s = NULL;
  check_log_init(&log);
  CHECK(!csim_sequence_open(kit_path("f.abc"), &log.log, &s));
  if (!s) return;
  const csim_cache_object *o = &csim_sequence_get_info(s)->object[0];
  CHECK(o->nuv == 0 && o->nuv_set == 2);
  CHECK(log.log.nwarning == 3); // short, nan, and a second of the same name
  if (o->nuv_set == 2) {
    CHECK_TEXT(o->uv_set[0].name, "corners");
    CHECK_TEXT(o->uv_set[1].name, "vertices");
    for (int c = 0; c < NCORNER; c++) { // corners are backward within each face
      int back = c / 4 * 4 + 3 - c % 4;
      CHECK(o->uv_set[0].uv[2 * o->uv_set[0].face_uv[c]] == 1 + 2 * back);
      CHECK(o->uv_set[1].uv[2 * o->uv_set[1].face_uv[c]] == 2 + 2 * o->face_vert[c]);
    }
  }
  csim_sequence_free(s);
}

int main(void) {
  test_alembic();
  test_usda();
  test_run();
  test_cache();
  test_refusals();
  test_damage();
  test_foreign();
  kit_folder_end();
  return check_report();
}
