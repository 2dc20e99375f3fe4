// test_abc: Alembic in: our own exports read back, transforms and times against closed forms, what
// is refused, and damaged files.
#include "check.h"

#include "abc_file.h"
#include "cache/sequence.h"

#include <math.h>
#include <unistd.h>

static char path[] = "/tmp/test_abc_XXXXXX";

/// A log that keeps all that is said.
typedef struct said {
  csim_log log;
  char text[2000];
} said;

static void add_text(void *user, const csim_message *m) {
  said *s = user;
  size_t n = strlen(s->text);
  snprintf(s->text + n, sizeof s->text - n, "%s\n", m->text);
}

// A quad and a triangle: Alembic's winding.
static const double corners[7] = {3, 2, 1, 0, 4, 2, 3}, counts[2] = {4, 3};
static const double rest[15] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0.5, 0, 2};

static void add_faces(abc_file *f, abc_list *geom) {
  abc_property(f, geom, ".faceIndices", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 7, corners});
  abc_property(f, geom, ".faceCounts", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 2, counts});
}

// Adds a mesh whose points are `points`, one sample.
static void add_mesh(abc_file *f, abc_list *parent, const char *name, const char *schema) {
  abc_list geom = {0}, own = {0}, none = {0};
  abc_property(f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F32, 3, 0, NULL},
               (abc_samples){1, 1, 1, 15, rest});
  add_faces(f, &geom);
  abc_compound(f, &own, ".geom", &geom);
  abc_object(f, parent, name, schema, &own, &none);
}

static csim_status open_bytes(abc_file *f, said *log, const char *part, csim_sequence **s) {
  int object;
  abc_finish(f);
  abc_write(path, f->bytes.data, (size_t)f->bytes.n);
  free(f->bytes.data);
  *log = (said){.log = {.write = add_text, .user = log}};
  return csim_sequence_open_part(path, part, &log->log, s, &object);
}

// -------------------------------------------------------------------------------------- our own

static void test_own_exports(void) {
  static const int start[] = {0, 4, 7}, vert[] = {0, 1, 2, 3, 3, 2, 4},
                   face_uv[] = {0, 1, 2, 3, 3, 2, -1};
  static const double uv[] = {0, 0, 1, 0, 1, 1, 0, 0.125};
  csim_cache_object object = {
      .name = "cloth",
      .has_velocity = 1,
      .nvert = 5,
      .nface = 2,
      .face_start = start,
      .face_vert = vert,
      .nuv = 4,
      .uv = uv,
      .face_uv = face_uv,
      .ntag = 2,
      .tag = (char *const[]){(char[]){"g hem front\nusemtl hem\n"}, (char[]){"g front\n"}},
      .face_tag = (const int[]){1, 0}};
  char name[sizeof path + 8];
  snprintf(name, sizeof name, "%s.abc", path);
  csim_export_options options = {.format = "abc",
                                 .directory = "/tmp",
                                 .name = path + 5,
                                 .fps = 30,
                                 .last_number = 4,
                                 .up = 2,
                                 .velocities = 1,
                                 .unit = 0.01};
  csim_export *e;
  double x[15], v[15];
  CHECK(csim_export_open(&options, 1, &object, NULL, &e) == CSIM_OK);
  for (int f = 0; f < 5; f++) {
    for (int i = 0; i < 15; i++) {
      x[i] = rest[i] + (f > 1 ? 0.1 * (f - 1) : 0);
      v[i] = 0.25 * i;
    }
    CHECK(csim_export_frame(e, 3 + f, (const double *const[]){x}, (const double *const[]){v}) ==
          CSIM_OK);
  }
  CHECK(csim_export_close(e, 1) == CSIM_OK);
  csim_sequence *s;
  CHECK(csim_sequence_open(name, NULL, &s) == CSIM_OK);
  if (!s) return;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  const csim_cache_object *o = &info->object[0];
  CHECK(info->nobject == 1 && !strcmp(o->name, "cloth") && !strcmp(info->kind, "abc"));
  CHECK(info->fps == 30 && info->up == 2 && info->unit == 0.01 && !info->time);
  CHECK(info->nframe == 5 && info->number[0] == 3 && info->number[4] == 7);
  CHECK(o->nvert == 5 && o->nface == 2 && !memcmp(o->face_vert, vert, sizeof vert));
  for (int c = 0; c < 6; c++) CHECK(!memcmp(o->uv + 2 * o->face_uv[c], uv + 2 * face_uv[c], 16));
  // groups and materials come back as groups, those of equal names apart
  CHECK(o->ntag == 2 && !strcmp(o->tag[o->face_tag[0]], "g front\n"));
  CHECK(o->ntag == 2 && !strcmp(o->tag[o->face_tag[1]], "g hem front hem_material\n"));
  for (int f = 0; f < 5; f++) {
    int bad = 0;
    CHECK(csim_sequence_read(s, 0, f, x, v) == CSIM_OK);
    for (int i = 0; i < 15; i++)
      bad += x[i] != (double)(float)(rest[i] + (f > 1 ? 0.1 * (f - 1) : 0)) || v[i] != 0.25 * i;
    CHECK(bad == 0);
  }
  csim_sequence_free(s);
  unlink(name);
}

// ------------------------------------------------------------------------------------- transforms

/// Rotation vectors are checked against what they do to a point.
static void expect(csim_sequence *s, int frame, int vert, double x, double y, double z) {
  const csim_sequence_info *info = csim_sequence_get_info(s);
  double *p = CSIM_NEW(double, 3 * info->object[0].nvert);
  int ok = p && csim_sequence_read(s, 0, frame, p, NULL) == CSIM_OK;
  double *q = p + 3 * vert;
  check_that(ok && fabs(q[0] - x) + fabs(q[1] - y) + fabs(q[2] - z) < 1e-12, __FILE__, __LINE__,
             "frame %d, vertex %d: (%.15g %.15g %.15g), not (%g %g %g)", frame, vert, q[0], q[1],
             q[2], x, y, z);
  free(p);
}

/// Operations of a transform and their values (nsample x n).
typedef struct moves {
  int nop;
  const double *op;
  int n, nsample;
  const double *value;
  int sampling;
  double inherits;
} moves;

static void add_xform(abc_file *f, abc_list *parent, const char *name, moves m,
                      abc_list *children) {
  abc_list xform = {0}, own = {0};
  int kind = m.n > 200 ? ABC_ARRAY : ABC_SCALAR;
  abc_property(f, &xform, ".inherits", (abc_type){ABC_SCALAR, ABC_BOOL, 1, 0, NULL},
               (abc_samples){1, 1, 1, 1, &m.inherits});
  abc_property(f, &xform, ".ops", (abc_type){ABC_SCALAR, ABC_U8, m.nop, 0, NULL},
               (abc_samples){1, 1, 1, m.nop, m.op});
  abc_property(f, &xform, ".vals",
               (abc_type){kind, ABC_F64, kind == ABC_ARRAY ? 1 : m.n, m.sampling, NULL},
               (abc_samples){m.nsample, 1, m.nsample, m.n, m.value});
  abc_compound(f, &own, ".xform", &xform);
  abc_object(f, parent, name, ABC_XFORM, &own, children);
}

enum {
  SCALE = 0,
  TRANSLATE = 1 << 4,
  ROTATE = 2 << 4,
  MATRIX = 3 << 4,
  ROTX = 4 << 4,
  ROTY = 5 << 4,
  ROTZ = 6 << 4
};

// /top moves along x by 24 a second; /top/arm turns by 90 degrees about z, scales z, then moves.
static void test_transforms(void) {
  abc_file f;
  abc_list arm = {0}, top = {0};
  said log;
  csim_sequence *s;
  abc_begin(&f);
  f.metadata = "_ai_Application=none;_ai_DCC_FPS=24";
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, 1.0 / 24, 1, (double[]){2.0 / 24});
  add_mesh(&f, &arm, "shape", ABC_MESH);
  add_xform(
      &f, &top, "arm",
      (moves){3, (double[]){TRANSLATE, ROTZ, SCALE}, 7, 1, (double[]){0, 10, 0, 90, 1, 1, 3}, 0, 1},
      &arm);
  add_xform(&f, &f.top, "top",
            (moves){1, (double[]){TRANSLATE | 1}, 3, 4,
                    (double[]){1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}, 1, 1},
            &top);
  CHECK(open_bytes(&f, &log, "/top/arm", &s) == CSIM_OK);
  if (!s) return;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  CHECK(info->nframe == 4 && info->number[0] == 2 && info->fps == 24 && info->up == 1);
  CHECK(info->unit == 0 && !strcmp(info->object[0].name, "arm"));
  CHECK(info->object[0].face_vert[0] == 0 && info->object[0].face_vert[3] == 3);
  for (int k = 0; k < 4; k++) { // (1, 0, 1): scaled (1, 0, 3), turned (0, 1, 3), moved
    expect(s, k, 2, 1 + k, 11, 3);
    expect(s, k, 1, 1 + k, 11, 0);
  }
  csim_sequence_free(s);
}

// The same rotation in every way there is to write it, and one that does not inherit.
static void test_operations(void) {
  static const double quarter[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
  static const struct {
    double op[3];
    int nop, n;
    double value[16];
    double wanted[3]; // of (1, 0, 1)
  } cases[] = {
      {{MATRIX}, 1, 16, {0}, {5, 7, 8}},
      {{ROTATE}, 1, 4, {0, 0, 2, 90}, {0, 1, 1}},
      {{ROTX}, 1, 1, {90}, {1, -1, 0}},
      {{ROTY}, 1, 1, {90}, {1, 0, -1}},
      {{ROTZ}, 1, 1, {-90}, {0, -1, 1}},
      {{ROTATE}, 1, 4, {0, 0, 0, 90}, {1, 0, 1}},
      {{ROTATE}, 1, 4, {1, 1, 1, 120}, {1, 1, 0}},
      {{SCALE, TRANSLATE}, 2, 6, {2, 2, 2, 1, 1, 1}, {4, 2, 4}},
      {{TRANSLATE, SCALE}, 2, 6, {1, 1, 1, 2, 2, 2}, {3, 1, 3}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int inherits = 0; inherits < 2; inherits++) {
      abc_file f;
      abc_list arm = {0}, top = {0};
      said log;
      csim_sequence *s;
      const double *value = cases[k].op[0] == MATRIX ? quarter : cases[k].value;
      abc_begin(&f);
      abc_times(&f, 1, 1, (double[]){0});
      add_mesh(&f, &arm, "shape", ABC_MESH);
      add_xform(&f, &top, "arm",
                (moves){cases[k].nop, cases[k].op, cases[k].n, 1, value, 0, inherits}, &arm);
      add_xform(&f, &f.top, "top",
                (moves){1, (double[]){TRANSLATE}, 3, 1, (double[]){100, 0, 0}, 0, 1}, &top);
      CHECK(open_bytes(&f, &log, NULL, &s) == CSIM_OK);
      if (!s) continue;
      const double *w = cases[k].wanted;
      expect(s, 0, 2, w[0] + (inherits ? 100 : 0), w[1], w[2]);
      csim_sequence_free(s);
    }
}

// ------------------------------------------------------------------------------------------ times

// Points that rise by 1 a sample, from sample `first` - 1 on, under this sampling.
static csim_status open_rising(int count, int first, int stored, double cycle, int ntime,
                               const double *time, csim_sequence **s) {
  abc_file f;
  abc_list geom = {0}, own = {0}, none = {0};
  said log;
  double *x = CSIM_NEW(double, 15 * stored);
  for (int i = 0; i < 15 * stored && x; i++) x[i] = rest[i % 15] + (i % 3 == 1 ? i / 15 : 0);
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, cycle, ntime, time);
  abc_property(&f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F64, 3, 1, NULL},
               (abc_samples){count, first, stored, 15, x});
  add_faces(&f, &geom);
  abc_compound(&f, &own, ".geom", &geom);
  abc_object(&f, &f.top, "mesh", "schema=AbcGeom_SubD_v1", &own, &none);
  free(x);
  return open_bytes(&f, &log, NULL, s);
}

static void test_times(void) {
  csim_sequence *s;
  // uniform; held for three samples, then two that change, then held
  CHECK(open_rising(8, 3, 3, 0.04, 1, (double[]){0.4}, &s) == CSIM_OK);
  if (s) {
    const csim_sequence_info *info = csim_sequence_get_info(s);
    static const double height[8] = {0, 0, 0, 1, 2, 2, 2, 2};
    CHECK(fabs(info->fps - 25) < 1e-12 && info->nframe == 8 && info->number[0] == 10);
    for (int k = 0; k < 8 && info->nframe == 8; k++) expect(s, k, 0, 0, height[k], 0);
    csim_sequence_free(s);
  }
  // cyclic: two samples a cycle
  CHECK(open_rising(6, 1, 6, 0.1, 2, (double[]){0, 0.025}, &s) == CSIM_OK);
  if (s) {
    const csim_sequence_info *info = csim_sequence_get_info(s);
    static const double at[6] = {0, 0.025, 0.1, 0.125, 0.2, 0.225};
    CHECK(info->nframe == 6 && info->time && fabs(info->fps - 10) < 1e-12);
    for (int k = 0; k < 6 && info->time; k++) {
      CHECK(fabs(info->time[k] - at[k]) < 1e-12);
      expect(s, k, 0, 0, k, 0);
    }
    csim_sequence_free(s);
  }
  // acyclic, and one sample more than there are times for
  CHECK(open_rising(4, 1, 4, ABC_ACYCLIC, 3, (double[]){0.5, 0.75, 2}, &s) == CSIM_OK);
  if (s) {
    const csim_sequence_info *info = csim_sequence_get_info(s);
    CHECK(info->nframe == 3 && info->time && info->time[2] == 2 && info->fps == 0);
    expect(s, 1, 0, 0, 1, 0);
    csim_sequence_free(s);
  }
  // times that fall, or more in a cycle than it holds
  CHECK(open_rising(3, 1, 3, ABC_ACYCLIC, 3, (double[]){0.5, 0.4, 2}, &s) == CSIM_IO);
  CHECK(open_rising(3, 1, 3, 0.1, 2, (double[]){0, 0.2}, &s) == CSIM_IO);
  // four thousand million frames, of nothing
  CHECK(open_rising(2147483647, 1, 2, 0.04, 1, (double[]){0}, &s) != CSIM_OK);
}

// A body that moves at two times of the three at which the other mesh does: linear between.
static void test_interpolation(void) {
  abc_file f;
  abc_list a = {0}, b = {0};
  said log;
  csim_sequence *s;
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, ABC_ACYCLIC, 2, (double[]){0.25, 1});
  add_mesh(&f, &a, "shape", ABC_MESH);
  add_xform(&f, &f.top, "a",
            (moves){1, (double[]){TRANSLATE}, 3, 2, (double[]){0, 0, 0, 8, 0, 0}, 1, 1}, &a);
  add_mesh(&f, &b, "shape", ABC_MESH);
  add_xform(&f, &f.top, "b",
            (moves){1, (double[]){TRANSLATE}, 3, 2, (double[]){0, 0, 0, 1, 0, 0}, 2, 1}, &b);
  abc_finish(&f);
  abc_write(path, f.bytes.data, (size_t)f.bytes.n);
  free(f.bytes.data);
  log = (said){.log = {.write = add_text, .user = &log}};
  CHECK(csim_sequence_open(path, &log.log, &s) == CSIM_OK);
  if (!s) return;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  CHECK(info->nobject == 2 && info->nframe == 3 && info->time && info->time[1] == 0.25);
  expect(s, 0, 0, 0, 0, 0);
  expect(s, 1, 0, 2, 0, 0); // a quarter of the way
  expect(s, 2, 0, 8, 0, 0);
  csim_sequence_free(s);
}

// ------------------------------------------------------------------------------- sets, names,
// refusals

static void test_face_sets(void) {
  abc_file f;
  abc_list geom = {0}, own = {0}, sets = {0}, inner = {0}, set = {0}, none = {0}, uv = {0};
  static const double uvs[] = {0, 0, 1, 0, 0, 1}, index[] = {0, 1, 2, 0, 1, 2, 2};
  said log;
  csim_sequence *s;
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  abc_property(&f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F32, 3, 0, NULL},
               (abc_samples){1, 1, 1, 15, rest});
  add_faces(&f, &geom);
  abc_property(&f, &uv, ".vals", (abc_type){ABC_ARRAY, ABC_F32, 2, 0, NULL},
               (abc_samples){1, 1, 1, 6, uvs});
  abc_property(&f, &uv, ".indices", (abc_type){ABC_ARRAY, ABC_U32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 7, index});
  abc_compound(&f, &geom, "uv", &uv);
  abc_compound(&f, &own, ".geom", &geom);
  abc_property(&f, &own, "visible", (abc_type){ABC_SCALAR, ABC_I8, 1, 0, NULL},
               (abc_samples){1, 1, 1, 1, (double[]){0}});
  const char *name[] = {"the hem", "all"};
  for (int k = 0; k < 2; k++) {
    abc_property(&f, &inner, ".faces", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
                 (abc_samples){1, 1, 1, 1 + k, k ? (double[]){0, 1} : (double[]){1}});
    abc_compound(&f, &set, ".faceset", &inner);
    abc_object(&f, &sets, name[k], "schema=AbcGeom_FaceSet_v1", &set, &none);
  }
  abc_object(&f, &f.top, "mesh", ABC_MESH, &own, &sets);
  CHECK(open_bytes(&f, &log, "mesh", &s) == CSIM_OK);
  CHECK(strstr(log.text, "hidden"));
  if (!s) return;
  const csim_cache_object *o = &csim_sequence_get_info(s)->object[0];
  CHECK(o->ntag == 2 && !strcmp(o->tag[o->face_tag[0]], "g all\n") &&
        !strcmp(o->tag[o->face_tag[1]], "g the_hem all\n"));
  static const int wanted[] = {0, 2, 1, 0, 2, 2, 1}; // backward within each face
  CHECK(o->nuv == 3 && !memcmp(o->face_uv, wanted, sizeof wanted));
  csim_sequence_free(s);
}

static void test_refusals(void) {
  static const struct {
    const char *part, *message;
  } cases[] = {{NULL, "has 2 objects: say which"},
               {"/rig", "stands for 2 meshes"},
               {"/rig/hair", "is a Curve_v2 without a mesh"},
               {"/rig/copy", "is a instance without a mesh"},
               {"/rig/nothing", "has no object"},
               {"a", NULL},
               {"rig/a/shape", NULL},
               {"/rig/b", NULL}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    abc_file f;
    abc_list rig = {0}, a = {0}, b = {0}, none = {0}, own = {0};
    said log;
    csim_sequence *s;
    abc_begin(&f);
    abc_times(&f, 1, 1, (double[]){0});
    add_mesh(&f, &a, "shape", ABC_MESH);
    add_mesh(&f, &b, "shape", ABC_MESH);
    add_xform(&f, &rig, "a", (moves){1, (double[]){TRANSLATE}, 3, 1, (double[]){1, 0, 0}, 0, 1},
              &a);
    add_xform(&f, &rig, "b", (moves){1, (double[]){TRANSLATE}, 3, 1, (double[]){2, 0, 0}, 0, 1},
              &b);
    abc_object(&f, &rig, "hair", "schema=AbcGeom_Curve_v2", &own, &none);
    abc_object(&f, &rig, "copy", "isInstance=1", &own, &none);
    abc_object(&f, &f.top, "rig", ABC_XFORM, &own, &rig);
    csim_status status = open_bytes(&f, &log, cases[k].part, &s);
    check_that(cases[k].message ? status == CSIM_INVALID && strstr(log.text, cases[k].message)
                                : status == CSIM_OK,
               __FILE__, __LINE__, "%s: %s", cases[k].part ? cases[k].part : "(none)", log.text);
    csim_sequence_free(s);
  }
  static const struct {
    const char *bytes;
    size_t n;
    const char *message;
  } heads[] = {{"\x89HDF\r\n\x1a\n0000000000000", 20, "HDF5"},
               {"Ogawa\0\0\1\0\0\0\0\0\0\0\0", 16, "not written to its end"},
               {"Ogawa\xff\0\2\0\0\0\0\0\0\0\0", 16, "unknown version"},
               {"Ogawa\xff", 6, "is no Alembic"}};
  char name[sizeof path + 8];
  snprintf(name, sizeof name, "%s.abc", path);
  for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
    said log = {.log = {.write = add_text, .user = &log}};
    csim_sequence *s;
    abc_write(name, (const uint8_t *)heads[k].bytes, heads[k].n);
    CHECK(csim_sequence_open(name, &log.log, &s) != CSIM_OK && strstr(log.text, heads[k].message));
  }
  unlink(name);
}

// ---------------------------------------------------------------------------------------- damage

// Opens and reads whatever it is. @return 0 when that failed without a word
static int try_bytes(const uint8_t *data, size_t size) {
  said log = {.log = {.write = add_text, .user = &log}};
  csim_sequence *s;
  abc_write(path, data, size);
  csim_status status = csim_sequence_open_part(path, "body", &log.log, &s, &(int){0});
  if (!s) return status != CSIM_OK && *log.text;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  int n = 1, spoken = 1;
  for (int k = 0; k < info->nobject; k++) n = info->object[k].nvert > n ? info->object[k].nvert : n;
  double *x = CSIM_NEW(double, csim_xyz(n)), *v = CSIM_NEW(double, csim_xyz(n));
  for (int k = 0; k < info->nobject && x && v; k++)
    for (int f = 0; f < info->nframe && f < 9 && info->object[k].nvert; f++)
      if (csim_sequence_read(s, k, f, x, v)) spoken &= *log.text != 0;
  free(x);
  free(v);
  csim_sequence_free(s);
  return spoken;
}

// Flipped bytes, words of all kinds in place of others, cuts: every byte of a small file, and more.
static void test_damage(void) {
  abc_file f;
  abc_list arm = {0}, geom = {0}, own = {0}, none = {0};
  double x[45];
  for (int i = 0; i < 45; i++) x[i] = rest[i % 15] + i;
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, 1.0 / 24, 1, (double[]){0});
  abc_property(&f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F32, 3, 1, NULL},
               (abc_samples){5, 2, 3, 15, x});
  add_faces(&f, &geom);
  abc_compound(&f, &own, ".geom", &geom);
  abc_object(&f, &arm, "shape", ABC_MESH, &own, &none);
  add_xform(&f, &f.top, "body",
            (moves){2, (double[]){ROTX, SCALE}, 4, 2, (double[]){1, 1, 1, 1, 2, 2, 2, 2}, 1, 1},
            &arm);
  abc_finish(&f);
  size_t size = (size_t)f.bytes.n;
  CHECK(try_bytes(f.bytes.data, size) == 1);
  uint8_t *copy = CSIM_NEW(uint8_t, (ptrdiff_t)size);
  unsigned seed = 7;
  int silent = 0, tried = 0;
  for (size_t k = 0; k < size && copy; k++, tried++) { // one byte
    memcpy(copy, f.bytes.data, size);
    copy[k] ^= (uint8_t)(1u << k % 8);
    silent += !try_bytes(copy, size);
  }
  static const uint64_t words[] = {0,
                                   1,
                                   8,
                                   0x7fffffff,
                                   0xffffffff,
                                   CSIM_OGAWA_DATA,
                                   CSIM_OGAWA_DATA | 16,
                                   UINT64_MAX,
                                   UINT64_MAX >> 1,
                                   16};
  for (int k = 0; k < 1500 && copy; k++, tried++) { // a word, sometimes two
    memcpy(copy, f.bytes.data, size);
    for (int twice = 0; twice <= k % 2; twice++) {
      seed = seed * 1664525u + 1013904223u;
      size_t at = 8 + (seed >> 8) % (size - 16);
      uint64_t word = words[seed % 10] ? words[seed % 10] : (seed >> 4) % size;
      csim_store_u64(word, copy + at);
    }
    silent += !try_bytes(copy, size);
  }
  for (size_t cut = 0; cut < size; cut += 7, tried++) silent += !try_bytes(f.bytes.data, cut);
  check_that(silent == 0 && tried > 2500, __FILE__, __LINE__, "%d of %d said nothing", silent,
             tried);
  free(copy);
  free(f.bytes.data);
}

// A group that is its own child has no end.
static void test_circle(void) {
  abc_file f;
  said log;
  csim_sequence *s;
  abc_begin(&f);
  abc_times(&f, 1, 1, (double[]){0});
  uint64_t at = (uint64_t)f.bytes.n;
  csim_bytes header = {0}, words = {0};
  abc_list none = {0};
  for (int k = 0; k < 2; k++) { // twice itself
    csim_bytes_add32(&header, 1);
    csim_bytes_add(&header, "a\0", 2);
  }
  csim_bytes_add(&header, NULL, 32);
  uint64_t headers = abc_data(&f, &header);
  at = (uint64_t)f.bytes.n;
  csim_bytes_add64(&words, 0);
  csim_bytes_add64(&words, at);
  csim_bytes_add64(&words, at);
  csim_bytes_add64(&words, headers);
  abc_group(&f, &words);
  abc_object(&f, &f.top, "a", "", &none, &(abc_list){0});
  csim_store_u64(at, f.top.word.data); // its group is that one
  CHECK(open_bytes(&f, &log, NULL, &s) == CSIM_INVALID && strstr(log.text, "inside each other"));
  free(header.data);
  free(words.data);
}

int main(void) {
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  test_own_exports();
  test_transforms();
  test_operations();
  test_times();
  test_interpolation();
  test_face_sets();
  test_refusals();
  test_damage();
  test_circle();
  unlink(path);
  return check_report();
}
