// test_sequence: colliders that deform: where their vertices are between frames, by every format,
// and what is wrong with a sequence.
#include "check.h"

#include "scene/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char dir[] = "/tmp/test_sequence_XXXXXX";

/// A log that keeps all that is said.
typedef struct said {
  csim_log log;
  char text[4000];
} said;

static void add_text(void *user, const csim_message *m) {
  said *s = user;
  size_t n = strlen(s->text);
  snprintf(s->text + n, sizeof s->text - n, "%s\n", m->text);
}

enum { NVERT = 4, NFRAME = 5 };
static const int face_start[] = {0, 3, 6, 9, 12};
static const int face_vert[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

// A tetrahedron that stretches by a quarter of itself a frame, along x; exact in floats.
static void shape_at(double frame, double *x) {
  static const double rest[3 * NVERT] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0.25, 1, 0.25};
  for (int i = 0; i < 3 * NVERT; i++) x[i] = rest[i] * (i % 3 ? 1 : 1 + 0.25 * frame);
}

static void write_obj(const char *name, double frame, int nvert) {
  char path[200];
  double x[3 * NVERT];
  shape_at(frame, x);
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  if (!f) exit(1);
  for (int i = 0; i < nvert; i++)
    fprintf(f, "v %.9g %.9g %.9g\n", x[3 * (i % NVERT)], x[3 * (i % NVERT) + 1],
            x[3 * (i % NVERT) + 2]);
  for (int k = 0; k < 12; k += 3)
    fprintf(f, "f %d %d %d\n", face_vert[k] + 1, face_vert[k + 1] + 1, face_vert[k + 2] + 1);
  fclose(f);
}

// All formats at once by our own exporters, frames 10 to 14 at 24 a second; `bad`: a NaN in it.
static void export_as(const char *format, int bad) {
  csim_cache_object object = {.name = "body",
                              .type = CSIM_CACHE_COLLIDER,
                              .nvert = NVERT,
                              .nface = 4,
                              .face_start = face_start,
                              .face_vert = face_vert};
  csim_export_options options = {
      .format = format, .directory = dir, .name = "scene", .fps = 24, .last_number = 14, .up = 1};
  csim_export *e;
  CHECK(csim_export_open(&options, 1, &object, NULL, &e) == CSIM_OK);
  for (int f = 0; f < NFRAME; f++) {
    double x[3 * NVERT];
    const double *const xs[] = {x}, *const vs[] = {NULL};
    shape_at(f, x);
    if (bad && f == 3) x[7] = NAN;
    CHECK(csim_export_frame(e, 10 + f, xs, vs) == CSIM_OK);
  }
  CHECK(csim_export_close(e, 1) == CSIM_OK);
}

static void write_cache(void) {
  csim_cache_object object = {.name = "body",
                              .type = CSIM_CACHE_COLLIDER,
                              .nvert = NVERT,
                              .nface = 4,
                              .face_start = face_start,
                              .face_vert = face_vert};
  csim_cache_options options = {.fps = 24, .up = 1};
  char path[200];
  csim_cache_writer *w;
  snprintf(path, sizeof path, "%s/body.clothcache", dir);
  CHECK(csim_cache_create(path, &options, "{}", NULL, &w) == CSIM_OK);
  CHECK(csim_cache_add_object(w, &object) == CSIM_OK);
  CHECK(csim_cache_begin(w) == CSIM_OK);
  for (int f = 0; f < NFRAME; f++) {
    double x[3 * NVERT];
    shape_at(f, x);
    CHECK(csim_cache_begin_frame(w, 10 + f, f / 24.0) == CSIM_OK);
    CHECK(csim_cache_put(w, 0, x, NULL) == CSIM_OK && csim_cache_end_frame(w) == CSIM_OK);
  }
  CHECK(csim_cache_close(w, 1) == CSIM_OK);
}

static csim_scene *kept; // names and motions of the last world are its

// Reads a scene of one cloth far away and a collider with this mesh, and compiles it for frames 1
// to `end`.
static csim_status compile(const char *mesh, const char *more, int end, said *log,
                           csim_world *world) {
  char path[200], text[1200];
  snprintf(
      text, sizeof text,
      "{\"frames\": {\"start\": 1, \"end\": %d, \"fps\": 24}, \"objects\": [{\"name\": \"c\", "
      "\"type\": \"cloth\", \"material\": \"cotton\", \"position\": [0, 9, 0], \"mesh\": "
      "{\"shape\": \"grid\", \"cells\": [2, 2]}}, {\"name\": \"body\", \"type\": \"collider\", "
      "\"mesh\": {%s}%s}]}",
      end, mesh, more);
  snprintf(path, sizeof path, "%s/scene.json", dir);
  FILE *f = fopen(path, "w");
  if (!f) exit(1);
  fputs(text, f);
  fclose(f);
  *log = (said){.log = {.write = add_text, .user = log}};
  csim_scene *scene = NULL;
  *world = (csim_world){0};
  csim_scene_free(kept);
  csim_status status = csim_scene_read(path, NULL, 0, &log->log, &scene);
  if (!status) status = csim_compile(scene, "/nonexistent", NULL, &log->log, NULL, world);
  kept = scene;
  return status;
}

// The vertices at a time, in frames of 1/24 s, are those of this frame of the sequence.
static void expect_shape(const csim_world *world, double time, double frame, const char *what) {
  double x[3 * NVERT], wanted[3 * NVERT], worst = 0;
  csim_collider_vertices(&world->collider[0], time / 24, x);
  shape_at(frame, wanted);
  for (int i = 0; i < 3 * NVERT; i++) worst = fmax(worst, fabs(x[i] - wanted[i]));
  check_that(worst < 1e-12, __FILE__, __LINE__, "%s at %g: off by %g", what, time, worst);
}

static void test_formats(void) {
  static const char *const meshes[] = {
      "\"sequence\": \"body_####.obj\"",
      "\"sequence\": \"body_##.obj\"", // more digits than #, but with leading zeros: not these
      "\"sequence\": \"body.pc2\", \"faces\": \"body_0010.obj\"",
      "\"sequence\": \"body.mdd\", \"faces\": \"body_0010.obj\"",
      "\"sequence\": \"scene.abc\"", // by our exporter
      "\"sequence\": \"body.clothcache\"",
      "\"shape\": \"sequence\", \"sequence\": \"body.clothcache\", \"object\": \"body\""};
  for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) {
    said log;
    csim_world world;
    csim_status status = compile(meshes[k], "", 5, &log, &world);
    if (k == 1) {
      CHECK(status != CSIM_OK && strstr(log.text, "there is no such file"));
    } else {
      check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", meshes[k], log.text);
      if (!status) {
        const csim_collider *c = &world.collider[0];
        CHECK(c->nframe == NFRAME && c->mesh->nvert == NVERT && c->mesh->ntri == 4);
        for (int t = -2; t <= 20; t++)
          expect_shape(&world, 0.25 * t, fmin(fmax(0.25 * t, 0), 4), meshes[k]);
      }
    }
    csim_world_free(&world);
  }
}

static void test_time(void) {
  static const struct {
    const char *keys;
    int end, nframe;
    double speed, shift; // frame shown at time t: speed t + shift
  } cases[] = {{"", 5, 5, 1, 0},
               {"", 3, 3, 1, 0},
               {", \"fps\": 12", 9, 5, 0.5, 0},
               {", \"fps\": 12", 2, 2, 0.5, 0},
               {", \"offset\": -1.5", 3, 4, 1, 1.5},
               {", \"offset\": 1.25", 5, 4, 1, -1.25},
               {", \"offset\": 20", 5, 1, 1, -20},
               {", \"offset\": -20", 5, 1, 1, 20}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char mesh[200];
    said log;
    csim_world world;
    snprintf(mesh, sizeof mesh, "\"sequence\": \"body_####.obj\"%s", cases[k].keys);
    CHECK(compile(mesh, "", cases[k].end, &log, &world) == CSIM_OK);
    check_that(world.collider[0].nframe == cases[k].nframe, __FILE__, __LINE__, "%s: %d frames",
               mesh, world.collider[0].nframe);
    for (int t = 0; t <= 4 * (cases[k].end - 1); t++)
      expect_shape(&world, 0.25 * t, fmin(fmax(0.25 * t * cases[k].speed + cases[k].shift, 0), 4),
                   mesh);
    // the mesh stands as it will at the start
    CHECK_NEAR(world.collider[0].mesh->vert[6], 1 + 0.25 * fmin(fmax(cases[k].shift, 0), 4), 1e-12);
    csim_world_free(&world);
  }
}

// Placed, scaled and in other units; then moved as a whole besides.
static void test_placement(void) {
  said log;
  csim_world world;
  CHECK(compile("\"sequence\": \"body_####.obj\"",
                ", \"scale\": [2, 1, 1], \"position\": [0, 3, 0], \"solid\": true, \"motion\": "
                "[{\"frame\": 1, \"position\": [0, 0, 5]}]",
                5, &log, &world) == CSIM_OK);
  double x[3 * NVERT];
  csim_collider_vertices(&world.collider[0], 2 / 24.0, x);
  CHECK_NEAR(x[6], 3, 1e-12);
  CHECK_NEAR(x[7], 3, 1e-12);
  CHECK_NEAR(x[8], 5, 1e-12);
  CHECK_NEAR(world.collider[0].mesh->vert[8], 0, 1e-12);
  csim_world_free(&world);
}

// A quarter turn from z up to y up, and a unit, by the keys; of one frame of a file too.
static void test_axes(void) {
  static const struct {
    const char *mesh;
    double z, unit; // of vertex 3, (0.25, 1, 0.25) stretched by a frame 1 of the file
  } cases[] = {{"\"sequence\": \"body_####.obj\", \"up\": \"z\", \"unit\": \"cm\"", -1, 0.01},
               {"\"sequence\": \"scene.abc\", \"up\": \"z\"", -1, 1},
               {"\"file\": \"body_0010.obj\", \"unit\": \"dm\", \"up\": \"z\"", -1, 0.1},
               {"\"file\": \"scene.abc\", \"unit\": \"mm\"", 0.25, 0.001},
               {"\"file\": \"body.clothcache\", \"object\": \"body\", \"frame\": 10", 0.25, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    said log;
    csim_world world;
    csim_status status = compile(cases[k].mesh, "", 2, &log, &world);
    check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", cases[k].mesh, log.text);
    if (!status) {
      const double *x = world.collider[0].mesh->vert + 9;
      CHECK_NEAR(x[0], 0.25 * cases[k].unit, 1e-15);
      CHECK_NEAR(x[1], (cases[k].z < 0 ? 0.25 : 1) * cases[k].unit, 1e-15);
      CHECK_NEAR(x[2], cases[k].z * cases[k].unit, 1e-15);
    }
    csim_world_free(&world);
  }
}

// A frame of a file, also between two, as what stays.
static void test_frame_of_file(void) {
  static const char *const files[] = {"scene.abc", "body.clothcache"};
  static const double frames[] = {10, 11, 12.5, 14};
  for (int k = 0; k < 2; k++)
    for (int f = 0; f < 4; f++) {
      char mesh[200];
      said log;
      csim_world world;
      snprintf(mesh, sizeof mesh, "\"file\": \"%s\", \"frame\": %g", files[k], frames[f]);
      check_that(compile(mesh, "", 3, &log, &world) == CSIM_OK, __FILE__, __LINE__, "%s: %s", mesh,
                 log.text);
      if (world.collider) expect_shape(&world, 1, frames[f] - 10, mesh);
      csim_world_free(&world);
    }
}

// Frames at times of their own: straight between them, held outside.
static void test_uneven(void) {
  static const double frame_time[] = {0, 0.25, 1};
  double frames[9 * NVERT], x[3 * NVERT];
  csim_mesh mesh = {.nvert = NVERT};
  for (int f = 0; f < 3; f++) shape_at(f * f, frames + (ptrdiff_t)3 * NVERT * f);
  csim_collider c = {
      .mesh = &mesh, .nframe = 3, .frame = frames, .frame_time = frame_time, .frame_step = 1};
  static const double at[][2] = {{-1, 0},      {0, 0}, {0.125, 0.5}, {0.25, 1},
                                 {0.625, 2.5}, {1, 4}, {9, 4}};
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    csim_collider_vertices(&c, at[k][0], x);
    CHECK_NEAR(x[6], 1 + 0.25 * at[k][1], 1e-14);
  }
}

static void expect_refusal(const char *mesh, const char *more, int end, const char *part) {
  said log;
  csim_world world;
  csim_status status = compile(mesh, more, end, &log, &world);
  check_that(status != CSIM_OK && log.log.nerror > 0, __FILE__, __LINE__, "%s is accepted", mesh);
  check_that(strstr(log.text, part) != NULL, __FILE__, __LINE__, "%s: \"%s\" is not in \"%s\"",
             mesh, part, log.text);
  csim_world_free(&world);
}

static void test_refusals(void) {
  // what the run does not come to is not looked at
  said log;
  csim_world world;
  write_obj("gap_1.obj", 0, NVERT);
  write_obj("gap_2.obj", 1, NVERT);
  write_obj("gap_4.obj", 3, NVERT);
  CHECK(compile("\"sequence\": \"gap_#.obj\"", "", 2, &log, &world) == CSIM_OK);
  csim_world_free(&world);
  expect_refusal("\"sequence\": \"gap_#.obj\"", "", 9, "frame 3 is missing");
  // a sequence of one frame is told
  CHECK(compile("\"sequence\": \"gap_1.obj\"", "", 9, &log, &world) == CSIM_OK);
  CHECK(log.log.nwarning == 1 && strstr(log.text, "is one frame, and \"body\" does not move"));
  csim_world_free(&world);
  write_obj("more_1.obj", 0, NVERT);
  write_obj("more_2.obj", 1, NVERT + 1);
  expect_refusal("\"sequence\": \"more_#.obj\"", "", 2, "has 5 vertices, and the first frame");
  expect_refusal("\"sequence\": \"body.pc2\"", "", 2, "\"faces\"");
  expect_refusal("\"sequence\": \"body.pc2\", \"faces\": \"more_2.obj\"", "", 2,
                 "has 4 vertices, and its faces");
  expect_refusal("\"sequence\": \"body.clothcache\", \"object\": \"x\"", "", 2,
                 "has no object \"x\"");
  expect_refusal("\"sequence\": \"scene.json\"", "", 2, "cannot be used");
  expect_refusal("\"sequence\": \"none.pc2\"", "", 2, "cannot be read");
  expect_refusal("\"file\": \"scene.abc\", \"frame\": 15", "", 2,
                 "has frames 10 to 14, and not 15");
  expect_refusal("\"file\": \"body_0010.obj\", \"frame\": 1", "", 2, "is one mesh");
  expect_refusal("\"file\": \"body_0010.obj\", \"object\": \"x\"", "", 2, "is one mesh");
  expect_refusal("\"sequence\": \"scene.abc\", \"object\": \"/rig\"", "", 2,
                 "has no object \"/rig\"; its first mesh is \"/body/bodyShape\"");
  expect_refusal("\"file\": \"scene.abc\", \"up\": \"x\"", "", 2, "\"y\"");
  char usd[200];
  snprintf(usd, sizeof usd, "%s/body.usda", dir);
  FILE *f = fopen(usd, "w");
  CHECK(f && fputs("#usda 1.0\n", f) >= 0 && !fclose(f));
  expect_refusal("\"sequence\": \"body.usda\"", "", 2, "clothusd import");
  expect_refusal("\"file\": \"body.usda\"", "", 2, "clothusd import");
  export_as("mdd", 1);
  CHECK(compile("\"sequence\": \"body.mdd\", \"faces\": \"body_0010.obj\"", "", 3, &log, &world) ==
        CSIM_OK);
  csim_world_free(&world);
  expect_refusal("\"sequence\": \"body.mdd\", \"faces\": \"body_0010.obj\"", "", 4,
                 "frame 13: vertex 2 is not finite");
}

// Frames before 0, in a folder and by a pattern; a minus without a separator before it is one.
static void test_negative(void) {
  static const long long numbers[] = {-1000000, -12345, -12, -3, 0, 4};
  enum { N = sizeof numbers / sizeof *numbers };
  char path[200];
  snprintf(path, sizeof path, "%s/below", dir);
  CHECK(!mkdir(path, 0777));
  for (int f = 0; f < N; f++) {
    char name[60];
    snprintf(name, sizeof name, "below/body_%04lld.obj", numbers[f]);
    write_obj(name, f, NVERT);
  }
  write_obj("below/other-0007.obj", 0, NVERT);
  static const char *const ways[] = {"below", "below/body_####.obj", "below/other-####.obj"};
  for (int k = 0; k < 3; k++) {
    csim_sequence *s;
    snprintf(path, sizeof path, "%s/%s", dir, ways[k]);
    CHECK(csim_sequence_open(path, NULL, &s) == CSIM_OK);
    const csim_sequence_info *info = csim_sequence_get_info(s);
    CHECK(info->nobject == (k ? 1 : 2));
    CHECK(!strcmp(info->object[0].name, k < 2 ? "body" : "other"));
    CHECK(info->nframe == (k == 0 ? N + 1 : k == 1 ? N : 1));
    for (int f = 0; f < N && k == 1; f++) CHECK(info->number[f] == numbers[f]);
    if (k == 2) CHECK(info->number[0] == 7);
    csim_sequence_free(s);
  }
}

int main(void) {
  if (!mkdtemp(dir)) return 1;
  export_as("pc2", 0);
  export_as("mdd", 0);
  export_as("abc", 0);
  for (int f = 0; f < NFRAME; f++) {
    char name[40];
    snprintf(name, sizeof name, "body_%04d.obj", 10 + f);
    write_obj(name, f, NVERT);
  }
  write_cache();
  test_formats();
  test_time();
  test_placement();
  test_axes();
  test_frame_of_file();
  test_uneven();
  test_negative();
  test_refusals();
  csim_scene_free(kept);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", dir);
  return system(command) ? 1 : check_report();
}
