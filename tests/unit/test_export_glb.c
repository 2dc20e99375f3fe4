// test_export_glb: glTF out, parsed again: sizes, accessors, and that first frame and targets add
// up to every frame, at every corner.
#include "base/bytes.h"
#include "check.h"
#include "kit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A quad and a triangle with a seam between them, a loose vertex; a wedge with given normals that
// stands still; points.
enum { NVERT = 6, NFRAME = 4, NCORNER = 7, NOBJECT = 3 };
static const int face_start[] = {0, 4, 7}, face_vert[] = {0, 1, 2, 3, 1, 4, 2};
static const int face_uv[] = {0, 1, 2, 3, 4, 5, -1}, face_normal[] = {0, 1, 2, 3, 4, 5, 6};
static const double uv[] = {0, 0, .5, 0, .5, 1, 0, 1, .625, 0, 1, 0};
// a further set, with a seam where the first has none: between corners of vertex 2
static const int face_more[] = {0, 1, 2, 0, 1, 2, 1};
static const double more[] = {.25, .5, .75, 1, -2, 3};
static const csim_uv_set sets[] = {
    {.name = "light \"map\"", .n = 3, .uv = more, .face_uv = face_more}};
static const double normal[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const double colour[] = {0, 0, 0, .5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const csim_cache_object objects[NOBJECT] = {
    {.name = "a \"b\"\\\n/",
     .nvert = NVERT,
     .nface = 2,
     .face_start = face_start,
     .face_vert = face_vert,
     .nuv = 6,
     .uv = uv,
     .face_uv = face_uv,
     .nuv_set = 1,
     .uv_set = sets,
     .colour = colour},
    {.name = "wedge",
     .type = CSIM_CACHE_COLLIDER,
     .nvert = NVERT,
     .nface = 2,
     .face_start = face_start,
     .face_vert = face_vert,
     .nnormal = NCORNER,
     .normal = normal,
     .face_normal = face_normal,
     .nuv_set = 1,
     .uv_set = sets},
    {.name = "dust", .type = CSIM_CACHE_COLLIDER, .nvert = 2},
};
// corners of the triangles, as fans
static const int fan[] = {0, 1, 2, 0, 2, 3, 4, 5, 6};

static void make_state(int frame, double *x) {
  static const double flat[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 1, 9, 9, 9};
  for (int i = 0; i < 3 * NVERT; i++) x[i] = flat[i] + 0.1 * frame * (i % 4);
}

static csim_status export_all(int nframe, int up, double unit, const csim_cache_object *object,
                              csim_log *log) {
  csim_export_options options = {.format = "glb",
                                 .directory = kit_path("glb"),
                                 .name = "scene",
                                 .fps = 25,
                                 .last_number = 20,
                                 .up = up,
                                 .unit = unit};
  double x[3 * NVERT], still[3 * NVERT];
  const double *const xs[] = {x, still, x};
  csim_export *e;
  csim_status status = csim_export_open(&options, NOBJECT, object, log, &e);
  if (status) return status;
  make_state(0, still);
  for (int f = 0; f < nframe && !status; f++) {
    make_state(f, x);
    status = csim_export_frame(e, 10 + 2 * f, xs, NULL);
  }
  csim_status closed = csim_export_close(e, !status);
  return status ? status : closed;
}

/// A file in memory.
typedef struct file {
  unsigned char data[1 << 15];
  size_t size;
  cJSON *json;
  const unsigned char *bin;
  size_t bin_size;
} file;

static cJSON *item(const cJSON *of, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(of, key);
}

static int number(const cJSON *of, const char *key) {
  const cJSON *n = item(of, key);
  return n ? n->valueint : -1;
}

static void open_file(file *f) {
  *f = (file){.size = 0};
  FILE *in = fopen(kit_path("glb/scene.glb"), "rb");
  if (in) f->size = fread(f->data, 1, sizeof f->data, in);
  if (in) fclose(in);
  CHECK(f->size > 28 && f->size < sizeof f->data);
  CHECK(!memcmp(f->data, "glTF\2\0\0", 8) && csim_load_u32(f->data + 8) == f->size);
  size_t text = csim_load_u32(f->data + 12);
  CHECK(text % 4 == 0 && !memcmp(f->data + 16, "JSON", 4) && 28 + text <= f->size);
  f->json = cJSON_ParseWithLength((char *)f->data + 20, text);
  CHECK(f->json);
  f->bin_size = csim_load_u32(f->data + 20 + text);
  CHECK(28 + text + f->bin_size == f->size && !memcmp(f->data + 24 + text, "BIN", 4));
  f->bin = f->data + 28 + text;
  CHECK(number(cJSON_GetArrayItem(item(f->json, "buffers"), 0), "byteLength") == (int)f->bin_size);
}

// The bytes of an accessor, which must be whole. @param[out] n  its elements
static const unsigned char *array_of(const file *f, int accessor, const char *type, int *n) {
  const cJSON *a = cJSON_GetArrayItem(item(f->json, "accessors"), accessor);
  const cJSON *view = cJSON_GetArrayItem(item(f->json, "bufferViews"), number(a, "bufferView"));
  int width = *type == 'S' ? 1 : type[3] - '0', at = number(view, "byteOffset");
  *n = number(a, "count");
  CHECK(a && view && *n > 0 && at >= 0 && at % 4 == 0);
  CHECK_TEXT(item(a, "type")->valuestring, type);
  CHECK(number(view, "byteLength") == 4 * width * *n);
  CHECK((size_t)(at + 4 * width * *n) <= f->bin_size);
  return f->bin + at;
}

static double value_of(const unsigned char *array, int k) {
  return (double)csim_load_f32(array + 4 * k);
}

static const cJSON *primitive_of(const file *f, int mesh) {
  const cJSON *m = cJSON_GetArrayItem(item(f->json, "meshes"), mesh);
  return cJSON_GetArrayItem(item(m, "primitives"), 0);
}

// The first object: every corner in every frame.
static void check_cloth(const file *f) {
  const cJSON *p = primitive_of(f, 0), *attributes = item(p, "attributes");
  int n, nvert, m;
  const unsigned char *index = array_of(f, number(p, "indices"), "SCALAR", &n);
  const unsigned char *x = array_of(f, number(attributes, "POSITION"), "VEC3", &nvert);
  const unsigned char *normals = array_of(f, number(attributes, "NORMAL"), "VEC3", &m);
  const unsigned char *st = array_of(f, number(attributes, "TEXCOORD_0"), "VEC2", &m);
  const unsigned char *further = array_of(f, number(attributes, "TEXCOORD_1"), "VEC2", &m);
  const unsigned char *rgb = array_of(f, number(attributes, "COLOR_0"), "VEC3", &m);
  const cJSON *targets = item(p, "targets");
  CHECK(n == 9 && nvert == NCORNER && cJSON_GetArraySize(targets) == NFRAME - 1);
  for (int k = 0; k < 9; k++) {
    int at = (int)csim_load_u32(index + 4 * k), c = fan[k];
    CHECK(at >= 0 && at < nvert);
    CHECK(value_of(st, 2 * at) == (face_uv[c] < 0 ? 0 : uv[2 * face_uv[c]]));
    CHECK(value_of(st, 2 * at + 1) == 1 - (face_uv[c] < 0 ? 0 : uv[2 * face_uv[c] + 1]));
    CHECK(value_of(further, 2 * at) == more[2 * face_more[c]]);
    CHECK(value_of(further, 2 * at + 1) == 1 - more[2 * face_more[c] + 1]);
    for (int frame = 0; frame < NFRAME; frame++) {
      double want[3 * NVERT], length = 0;
      const cJSON *target = cJSON_GetArrayItem(targets, frame - 1);
      const unsigned char *dx = frame ? array_of(f, number(target, "POSITION"), "VEC3", &m) : NULL;
      const unsigned char *dn = frame ? array_of(f, number(target, "NORMAL"), "VEC3", &m) : NULL;
      make_state(frame, want);
      for (int i = 0; i < 3; i++) {
        double got = value_of(x, 3 * at + i) + (dx ? value_of(dx, 3 * at + i) : 0);
        double unit = value_of(normals, 3 * at + i) + (dn ? value_of(dn, 3 * at + i) : 0);
        CHECK_NEAR(got, want[3 * face_vert[c] + i], 3e-7);
        length += unit * unit;
        CHECK(value_of(rgb, 3 * at + i) == colour[3 * face_vert[c] + i]);
      }
      CHECK_NEAR(length, 1, 1e-6);
    }
  }
  const cJSON *box = cJSON_GetArrayItem(item(f->json, "accessors"), number(attributes, "POSITION"));
  CHECK(cJSON_GetArrayItem(item(box, "max"), 0)->valuedouble == 2); // not the loose vertex's 9
}

static void check_animation(const file *f) {
  const cJSON *animation = cJSON_GetArrayItem(item(f->json, "animations"), 0);
  const cJSON *sampler = cJSON_GetArrayItem(item(animation, "samplers"), 0);
  int n, m;
  const unsigned char *times = array_of(f, number(sampler, "input"), "SCALAR", &n);
  const unsigned char *weights = array_of(f, number(sampler, "output"), "SCALAR", &m);
  CHECK(n == NFRAME && m == NFRAME * (NFRAME - 1));
  for (int frame = 0; frame < NFRAME; frame++) {
    CHECK_NEAR(value_of(times, frame), 2 * frame / 25.0, 1e-7);
    for (int k = 1; k < NFRAME; k++)
      CHECK(value_of(weights, frame * (NFRAME - 1) + k - 1) == (k == frame));
  }
  const cJSON *channels = item(animation, "channels");
  CHECK(cJSON_GetArraySize(channels) == 2); // what does not move has none
}

static void test_file(void) {
  file f;
  CHECK(!export_all(NFRAME, 1, 1, objects, NULL));
  open_file(&f);
  check_cloth(&f);
  check_animation(&f);
  const cJSON *wedge = primitive_of(&f, 1), *dust = primitive_of(&f, 2);
  CHECK(!item(wedge, "targets") && item(item(wedge, "attributes"), "NORMAL"));
  // names of sets, and a further set alone is the first of glTF
  const cJSON *meshes = item(f.json, "meshes");
  const cJSON *names = item(item(cJSON_GetArrayItem(meshes, 0), "extras"), "uv_sets");
  CHECK(cJSON_GetArraySize(names) == 2);
  CHECK_TEXT(cJSON_GetArrayItem(names, 1)->valuestring, "light \"map\"");
  CHECK(cJSON_GetArraySize(item(item(cJSON_GetArrayItem(meshes, 1), "extras"), "uv_sets")) == 1);
  CHECK(item(item(wedge, "attributes"), "TEXCOORD_0") &&
        !item(item(wedge, "attributes"), "TEXCOORD_1"));
  CHECK(number(wedge, "mode") == 4 && number(wedge, "material") == 1);
  CHECK(number(dust, "mode") == 0 && !item(dust, "indices") && item(dust, "targets"));
  const cJSON *nodes = item(f.json, "nodes"), *root = cJSON_GetArrayItem(nodes, NOBJECT);
  CHECK_TEXT(item(cJSON_GetArrayItem(nodes, 0), "name")->valuestring, "a \"b\"\\/");
  CHECK(cJSON_GetArraySize(item(root, "children")) == NOBJECT && !item(root, "rotation"));
  cJSON_Delete(f.json);
}

// z up in centimetres, one frame: the root turns and scales, nothing moves.
static void test_root(void) {
  file f;
  CHECK(!export_all(1, 2, 0.01, objects, NULL));
  open_file(&f);
  const cJSON *root = cJSON_GetArrayItem(item(f.json, "nodes"), NOBJECT);
  CHECK_NEAR(cJSON_GetArrayItem(item(root, "scale"), 1)->valuedouble, 0.01, 1e-9);
  CHECK_NEAR(cJSON_GetArrayItem(item(root, "rotation"), 0)->valuedouble, -sqrt(0.5), 1e-15);
  CHECK(!item(f.json, "animations") && !item(primitive_of(&f, 0), "targets"));
  cJSON_Delete(f.json);
}

// Numbers that JSON has no words for, faces without area or corners.
static void test_odd(void) {
  csim_export_options options = {.format = "glb",
                                 .directory = kit_path("glb"),
                                 .name = "scene",
                                 .fps = 25,
                                 .last_number = 2,
                                 .up = 1};
  static const int start[] = {0, 0, 1, 4}, vert[] = {0, 1, 1, 1};
  csim_cache_object odd = {
      .name = "odd", .nvert = 2, .nface = 3, .face_start = start, .face_vert = vert};
  const double x[2][6] = {{NAN, INFINITY, 0, 1, -INFINITY, 1e39}, {0, 0, 0, 1, 1, 1}};
  csim_export *e;
  file f;
  CHECK(!csim_export_open(&options, 1, &odd, NULL, &e));
  for (int k = 0; k < 2; k++) CHECK(!csim_export_frame(e, k, (const double *const[]){x[k]}, NULL));
  CHECK(!csim_export_close(e, 1));
  open_file(&f);
  cJSON_Delete(f.json);
}

int main(void) {
  test_file();
  test_root();
  test_odd();
  kit_folder_end();
  return check_report();
}
