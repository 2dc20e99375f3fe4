// test_rest: cloth whose rest shape is not its start: a flat pattern, another mesh. Also where warp
// runs in a scene, and what is refused.
#include "check.h"

#include "math/vec3.h"
#include "scene/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/test_rest_XXXXXX";
static char path[3][64];

static void write_text(const char *file, const char *text) {
  FILE *f = fopen(file, "w");
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
}

// A grid of 5 x 4 cells that is `wide` long, its texture coordinates 0 to 1, as OBJ.
static void write_grid(const char *file, double wide, double deep, int uv) {
  enum { NX = 5, NZ = 4 };
  FILE *f = fopen(file, "w");
  for (int j = 0; j <= NZ; j++)
    for (int i = 0; i <= NX; i++)
      fprintf(f, "v %.17g %g %.17g\n", wide * i / NX, uv ? 0.1 * sin(i + 2.0 * j) : 0,
              deep * j / NZ);
  for (int j = 0; j <= NZ; j++)
    for (int i = 0; i <= NX; i++) fprintf(f, "vt %.17g %.17g\n", (double)i / NX, -(double)j / NZ);
  for (int j = 0; j < NZ; j++)
    for (int i = 0; i < NX; i++) {
      int a = j * (NX + 1) + i + 1, b = a + 1, c = a + NX + 1, d = c + 1;
      fprintf(f, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, c, c, d, d, a, a, d, d, b, b);
    }
  fclose(f);
}

static csim_status compile(const char *object, const char *solver, check_log *log,
                           csim_world *world) {
  char text[2000];
  csim_scene *scene = NULL;
  check_log_init(log);
  snprintf(text, sizeof text,
           "{\"version\": 1, \"name\": \"rest\", \"frames\": {\"start\": 1, \"end\": 2}%s,"
           " \"objects\": [{\"name\": \"cloth\", \"type\": \"cloth\", %s}]}",
           solver, object);
  write_text(path[0], text);
  *world = (csim_world){0};
  csim_status status = csim_scene_read(path[0], NULL, 0, &log->log, &scene);
  if (!status) status = csim_compile(scene, NULL, NULL, &log->log, NULL, world);
  csim_scene_free(scene);
  return status;
}

// The same constants: elements in the same order, whatever the start.
static void compare(const csim_model *a, const csim_model *b, const char *what) {
  CHECK(a->nvert == b->nvert && a->nenergy == b->nenergy);
  for (int i = 0; i < a->nvert; i++) CHECK_NEAR(a->mass[i], b->mass[i], 1e-13 * a->mass[i]);
  for (int e = 0; e < a->nenergy; e++) {
    const csim_energy *p = &a->energy[e], *q = &b->energy[e];
    CHECK(p->kind == q->kind && p->nelem == q->nelem);
    for (int k = 0; k < p->nelem; k++)
      for (int c = 0; c < p->kind->nparam; c++) {
        double u = csim_energy_param(p, k)[c], v = csim_energy_param(q, k)[c];
        check_that(fabs(u - v) <= 1e-7 * fabs(u) + 1e-9, __FILE__, __LINE__,
                   "%s, energy %s, element %d, constant %d: %.17g and %.17g", what, p->kind->name,
                   k, c, u, v);
      }
  }
}

// The pattern of 2 m x 1 m as texture coordinates, or as a mesh file, under a cloth that starts
// wavy and of another size: both are what the flat cloth itself is.
static void test_patterns(void) {
  static const char *const bendings[] = {"none",     "spring",    "quadratic",
                                         "dihedral", "cotangent", "curvature"};
  static const char *const laws[] = {"none", "woven", "orthotropic"};
  write_grid(path[1], 1, 1, 1);
  write_grid(path[2], 1, 1, 0);
  for (int b = 0; b < 6; b++)
    for (int l = 0; l < 3; l++) {
      char made_of[300], object[900];
      check_log log;
      csim_world flat, uv, file;
      snprintf(
          made_of, sizeof made_of,
          "\"material\": {\"preset\": \"cotton\", \"weft\": 700, \"shear\": 50, \"poisson\": 0.2},"
          "\"springs\": {\"bending\": \"%s\"}, \"membrane\": {\"law\": \"%s\"}",
          bendings[b], laws[l]);
      snprintf(object, sizeof object, "\"mesh\": {\"file\": \"flat.obj\"}, \"scale\": 2, %s",
               made_of);
      CHECK(compile(object, "", &log, &flat) == CSIM_OK);
      snprintf(object, sizeof object,
               "\"mesh\": {\"file\": \"wavy.obj\"}, \"scale\": 3, \"rotation\": [20, 0, 40], "
               "\"rest\": {\"from\": \"uv\", \"scale\": \"200 cm\"}, %s",
               made_of);
      CHECK(compile(object, "", &log, &uv) == CSIM_OK);
      snprintf(object, sizeof object,
               "\"mesh\": {\"file\": \"wavy.obj\"}, \"scale\": 2, \"rotation\": [20, 0, 40], "
               "\"rest\": {\"from\": \"file\", \"file\": \"flat.obj\"}, %s",
               made_of);
      CHECK(compile(object, "", &log, &file) == CSIM_OK);
      compare(flat.model, uv.model, bendings[b]);
      compare(flat.model, file.model, bendings[b]);
      // the wavy cloth starts strained
      csim_point at = {.x = uv.model->x0};
      CHECK(csim_model_energy(NULL, uv.model, &at) > 10);
      csim_world_free(&flat);
      csim_world_free(&uv);
      csim_world_free(&file);
    }
}

// Pulled along x: what holds is warp, weft, or at 45 degrees next to nothing.
static void test_warp(void) {
  static const struct {
    const char *warp;
    double angle, modulus;
  } cases[] = {{"x", 0, 1000}, {"auto", 0, 1000}, {"uv", 0, 1000}, {"z", 0, 100},
               {"x", 90, 100}, {"z", 90, 1000},   {"y", 0, 100}};
  for (int k = 0; k < 7; k++) {
    char object[600];
    check_log log;
    csim_world world;
    snprintf(object, sizeof object,
             "\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
             "\"rotation\": [0, 30, 0], \"springs\": {\"bending\": \"none\"},"
             "\"material\": {\"density\": 0.1, \"stretch\": 1000, \"weft\": 100, \"shear\": 1},"
             "\"membrane\": {\"law\": \"orthotropic\", \"warp\": \"%s\", \"angle\": %g}",
             cases[k].warp, cases[k].angle);
    CHECK(compile(object, "", &log, &world) == CSIM_OK);
    double e = 1e-4, x[75], along[3] = {cos(acos(-1) / 6), 0, -sin(acos(-1) / 6)};
    for (int i = 0; i < 25; i++) { // stretched along the mesh's x
      double *to = x + 3 * i, s = csim_dot(world.model->x0 + 3 * i, along);
      for (int c = 0; c < 3; c++) to[c] = world.model->x0[3 * i + c] + e * s * along[c];
    }
    csim_point at = {.x = x};
    double E = csim_model_energy(NULL, world.model, &at) / (0.5 * e * e);
    CHECK_NEAR(E, cases[k].modulus, 1e-3 * cases[k].modulus);
    csim_world_free(&world);
  }
}

static void check_made(const char *material, double expected[6]) {
  char text[900];
  check_log log;
  csim_scene *scene = NULL;
  check_log_init(&log);
  snprintf(
      text, sizeof text,
      "{\"version\": 1, \"frames\": {\"start\": 1, \"end\": 2}, \"objects\": [{\"name\": \"a\", "
      "\"type\": \"cloth\", \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [2, 2]}, "
      "\"material\": {%s}}]}",
      material);
  write_text(path[0], text);
  check_that(csim_scene_read(path[0], NULL, 0, &log.log, &scene) == CSIM_OK, __FILE__, __LINE__,
             "%s", log.text);
  if (!scene) return;
  const csim_material *m = &scene->material[0];
  double got[6] = {m->stretch, m->weft, m->shear, m->bend, m->bend_weft, m->poisson};
  for (int k = 0; k < 6; k++) CHECK_NEAR(got[k], expected[k], 1e-12 * fabs(expected[k]));
  // what is printed is numbers, and reads as the same material
  const char *printed = csim_scene_resolved(scene);
  CHECK(!strstr(printed, "bending_length") && !strstr(printed, "arcsim"));
  write_text(path[0], printed);
  csim_scene *again = NULL;
  CHECK(csim_scene_read(path[0], NULL, 0, NULL, &again) == CSIM_OK);
  CHECK(again && csim_scene_hash(again) == csim_scene_hash(scene));
  csim_scene_free(again);
  csim_scene_free(scene);
}

// FAST's and KES's figures, and a file as ARCSim has them (made up: 2 c11 (1 - nu^2), c33, B/4).
static void test_measured(void) {
  check_made("\"density\": 0.15, \"extension\": 0.03, \"extension_weft\": 0.05, "
             "\"extension_bias\": 0.04, \"bending_length\": \"18 mm\", "
             "\"bending_length_weft\": \"15 mm\"",
             (double[]){98.0665 / 0.03, 98.0665 / 0.05, 4.903325 / 0.16,
                        0.15 * 9.80665 * 0.018 * 0.018 * 0.018,
                        0.15 * 9.80665 * 0.015 * 0.015 * 0.015, 0});
  double pi = acos(-1);
  check_made("\"density\": 0.15, \"stretch\": 1000, \"shear\": \"0.8 gf/cm/deg\", \"bend\": "
             "\"0.1 gf cm^2/cm\"",
             (double[]){1000, 0, 0.8 * 0.980665 * 180 / pi, 0.1 * 9.80665e-5, 0, 0});
  write_text(path[1],
             "{\"density\": 0.2, \"stretching\": [[50, 10, 20, 3], [90, 20, 30, 4], "
             "[80, 70, 40, 5], [60, -2, 50, 90], [50, 10, 60, 7], [40, 10, 70, -1]], "
             "\"bending\": [[4e-5, 8e-5, 8e-5, 8e-5, 8e-5], [5e-5, 5e-5, 5e-5, 5e-5, 5e-5], "
             "[6e-5, 4e-5, 2e-5, -1, 0]], \"damping\": 0}");
  double nu = 10 / sqrt(1000.0);
  check_made("\"arcsim\": \"wavy.obj\", \"shear\": 7",
             (double[]){100 * (1 - nu * nu), 40 * (1 - nu * nu), 7, 1.5e-5, 1e-5, nu});
  check_made("\"arcsim\": \"wavy.obj\", \"bend\": 2e-5",
             (double[]){100 * (1 - nu * nu), 40 * (1 - nu * nu), 3, 2e-5, 1e-5, nu});
}

// Tension of a sheet that is stretched along its mesh's x or z to a Green strain, as a stiffness.
static double stiffness_at(const char *more, int axis, double strain) {
  char object[600];
  check_log log;
  csim_world world;
  snprintf(object, sizeof object,
           "\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"springs\": "
           "{\"bending\": \"none\"}, \"material\": {\"arcsim\": \"wavy.obj\"%s",
           more);
  check_that(compile(object, "", &log, &world) == CSIM_OK, __FILE__, __LINE__, "%s: %s", more,
             log.text);
  if (!world.model || !world.model->nenergy) return 0;
  double E[2], x[75];
  for (int k = 0; k < 2; k++) {
    double g = strain * (1 + (k ? 1e-5 : -1e-5)), stretch = sqrt(1 + 2 * g);
    for (int i = 0; i < 75; i++) x[i] = world.model->x0[i] * (i % 3 == axis ? stretch : 1);
    csim_point at = {.x = x};
    E[k] = csim_model_energy(NULL, world.model, &at);
  }
  csim_world_free(&world);
  return (E[1] - E[0]) / (2e-5 * strain * strain);
}

// A file of ARCSim with all it says: a low stiffness at low strain, its own for warp and weft
// beyond 7/6 (a Green strain of 13/72), with maps; the averages of low strain where asked for.
static void test_tables(void) {
  const double high = 1.2 * 13 / 72, nu2 = 0.1;
  write_text(path[1],
             "{\"density\": 0.2, \"stretching\": [[50, 10, 20, 3], [90, 20, 30, 4], "
             "[80, 70, 40, 5], [60, -2, 50, 90], [50, 10, 60, 7], [40, 10, 70, -1]], "
             "\"bending\": [[4e-5, 8e-5, 8e-5, 8e-5, 8e-5], [5e-5, 5e-5, 5e-5, 5e-5, 5e-5], "
             "[6e-5, 4e-5, 2e-5, -1, 0]], \"damping\": 0}");
  CHECK_NEAR(stiffness_at("}", 0, 1e-5), 100, 0.1);
  CHECK_NEAR(stiffness_at("}", 0, high), 180, 0.01);
  CHECK_NEAR(stiffness_at("}", 2, high), 140, 0.01);
  char soft[300] = "}, \"maps\": [{\"of\": \"stretch\", \"vertices\": [1";
  for (int v = 1; v < 25; v++) strcat(soft, ",1");
  strcat(soft, "], \"high\": 0.5}]");
  CHECK_NEAR(stiffness_at(soft, 2, high), 70, 0.01);
  CHECK_NEAR(stiffness_at("}, \"membrane\": {\"law\": \"orthotropic\"}", 0, high), 100, 0.01);
  CHECK_NEAR(stiffness_at(", \"weft\": 40}", 0, high), 100 * (1 - nu2) / (1 - nu2), 0.01);
}

// Moment over curvature of a sheet that is bent along its mesh's x or z; vertices at its border
// that see no curvature across it.
static double bending_at(const char *more, int axis, double curvature) {
  char object[700];
  check_log log;
  csim_world world;
  snprintf(object, sizeof object,
           "\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
           "{\"arcsim\": \"wavy.obj\"%s",
           more);
  check_that(compile(object, "", &log, &world) == CSIM_OK, __FILE__, __LINE__, "%s: %s", more,
             log.text);
  if (!world.model || !world.model->nenergy) return 0;
  double E[2] = {0}, x[75];
  for (int k = 0; k < 2; k++) {
    double bend = curvature * (1 + (k ? 1e-5 : -1e-5));
    for (int i = 0; i < 25; i++) {
      const double *from = world.model->x0 + 3 * i;
      for (int c = 0; c < 3; c++) x[3 * i + c] = from[c];
      x[3 * i + 1] += 0.5 * bend * from[axis] * from[axis];
    }
    csim_point at = {.x = x};
    for (int e = 0; e < world.model->nenergy; e++)
      if (world.model->energy[e].kind->role == CSIM_ROLE_CURVATURE)
        E[k] += csim_energy_value(NULL, &world.model->energy[e], &at);
  }
  csim_world_free(&world);
  const double share = 0.875; // of the area
  return (E[1] - E[0]) / (2e-5 * curvature * curvature) / share;
}

// Bending by the same file: its first row is for edges along warp, across which weft bends. A
// table in the scene, maps, and keys of low curvature, which replace the file's table.
static void test_bending_table(void) {
  CHECK_NEAR(bending_at("}", 0, 1e-3), 1.5e-5, 1e-9);
  CHECK_NEAR(bending_at("}", 0, 5), 1.25e-5, 1e-9);
  CHECK_NEAR(bending_at("}", 0, 50), 0, 1e-9);
  CHECK_NEAR(bending_at("}", 2, 1e-3), 1e-5, 1e-9);
  CHECK_NEAR(bending_at("}", 2, 50), 2e-5, 1e-9);
  CHECK_NEAR(bending_at(", \"bend\": 3e-5}", 0, 50), 3e-5, 1e-9);
  CHECK_NEAR(bending_at(", \"bend_weft\": 2e-5}", 0, 50), 1.5e-5, 1e-9);
  CHECK_NEAR(bending_at(", \"bend_table\": [9e-6, 9e-6, 9e-6, 9e-6, 8e-6, 9e-6, 9e-6, 9e-6, 9e-6, "
                        "8e-6, 9e-6, 9e-6, 9e-6, 9e-6, 8e-6]}",
                        0, 60),
             8e-6, 1e-9);
  char soft[300] = "}, \"maps\": [{\"of\": \"bend\", \"vertices\": [1";
  for (int v = 1; v < 25; v++) strcat(soft, ",1");
  strcat(soft, "], \"high\": 0.5}]");
  CHECK_NEAR(bending_at(soft, 2, 50), 1e-5, 1e-9);
}

// Mass of a body, and stiffness against a stretch of 1e-4 along x and along z.
static void weigh(const csim_world *world, double out[3]) {
  const csim_model *model = world->model;
  double *x = CSIM_NEW(double, 3 * model->nvert);
  out[0] = 0;
  for (int i = 0; i < model->nvert; i++) out[0] += model->mass[i];
  for (int c = 0; c < 3; c += 2) {
    for (int i = 0; i < 3 * model->nvert; i++) x[i] = model->x0[i] * (i % 3 == c ? 1 + 1e-4 : 1);
    csim_point at = {.x = x};
    out[1 + c / 2] = csim_model_energy(NULL, model, &at) / 0.5e-8;
  }
  free(x);
}

// Half of a sheet is twice as heavy and three times as stiff: by faces, by vertices (whose
// triangles at the seam lie between), and by a group; two maps of the same multiply.
static void test_maps(void) {
  FILE *f = fopen(path[1], "w");
  fputs("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 1\ng left\nf 1 4 5 2\ng right\n"
        "f 2 5 6 3\n",
        f);
  fclose(f);
  static const struct {
    const char *maps;
    double want[3]; // of 0.1 kg/m^2 and 1000 N/m over 2 m^2
  } cases[] = {
      {"", {0.2, 2000, 2000}},
      {"{\"of\": \"density\", \"low\": 1, \"high\": 2, \"faces\": [0, 1]}, {\"of\": \"stretch\","
       " \"low\": 1, \"high\": 3, \"group\": [\"right\"]}",
       {0.3, 4000, 4000}},
      {"{\"of\": \"density\", \"low\": 1, \"high\": 4, \"vertices\": [0, 0, 1, 0, 0, 1]}",
       {0.2 + 0.3 * 0.5, 2000, 2000}},
      {"{\"of\": \"stretch\", \"low\": 1, \"high\": 3, \"faces\": [1, 0]}, {\"of\": \"stretch\","
       " \"low\": 1, \"high\": 0.5, \"faces\": [1, 1]}, {\"of\": \"weft\", \"high\": 2, "
       "\"faces\": [1, 1]}",
       {0.2, 2000, 4000}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char object[900];
    check_log log;
    csim_world world;
    double got[3];
    snprintf(
        object, sizeof object,
        "\"mesh\": {\"file\": \"wavy.obj\"}, \"springs\": {\"bending\": \"none\"}, \"material\": "
        "{\"density\": 0.1, \"stretch\": 1000, \"shear\": 100}, \"membrane\": {\"law\": "
        "\"woven\", \"warp\": \"x\"}, \"maps\": [%s]",
        cases[k].maps);
    CHECK(compile(object, "", &log, &world) == CSIM_OK);
    weigh(&world, got);
    for (int c = 0; c < 3; c++) CHECK_NEAR(got[c], cases[k].want[c], 1e-6 * cases[k].want[c]);
    csim_world_free(&world);
  }
  // bending: the energy of a bent sheet is that of its halves
  double energy[3];
  for (int k = 0; k < 3; k++) {
    char object[900];
    check_log log;
    csim_world world;
    static const char *const maps[3] = {"", "{\"of\": \"bend\", \"high\": 3, \"faces\": [1, 1]}",
                                        "{\"of\": \"bend\", \"high\": 3, \"faces\": [1, 0]}"};
    snprintf(object, sizeof object,
             "\"mesh\": {\"file\": \"wavy.obj\"}, \"springs\": {\"bending\": \"curvature\"}, "
             "\"material\": {\"preset\": \"silk\"}, \"maps\": [%s]",
             maps[k]);
    CHECK(compile(object, "", &log, &world) == CSIM_OK);
    double x[18];
    for (int i = 0; i < 6; i++) {
      memcpy(x + 3 * i, world.model->x0 + 3 * i, 3 * sizeof *x);
      x[3 * i + 1] = 0.01 * x[3 * i] * x[3 * i];
    }
    energy[k] = 0;
    for (int e = 0; e < world.model->nenergy; e++) {
      csim_point at = {.x = x};
      if (world.model->energy[e].kind == &csim_curvature_kind)
        energy[k] = csim_energy_value(NULL, &world.model->energy[e], &at);
    }
    csim_world_free(&world);
  }
  CHECK(energy[0] > 0);
  CHECK_NEAR(energy[1], 3 * energy[0], 1e-9 * energy[0]);
  CHECK(energy[2] > 0.5 * energy[0] && energy[2] < 2.5 * energy[0]);
}

static void test_refused(void) {
  static const struct {
    const char *object, *solver, *text;
  } wrong[] = {
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"maps\": [{\"of\": \"density\", \"vertices\": [1, 2]}]",
       "", "has 25 vertices"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"maps\": [{\"of\": \"density\", \"faces\": [1, 2]}]",
       "", "has 32 faces"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"maps\": [{\"of\": \"density\", \"group\": [\"none\"]}]",
       "", "has no group"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"maps\": [{\"of\": \"density\"}]",
       "", "takes its weights from one of"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"membrane\": {\"law\": \"none\"}, "
       "\"maps\": [{\"of\": \"shear\", \"group\": [\"a\"]}]",
       "", "springs take no map"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"membrane\": {\"law\": \"none\"}, "
       "\"maps\": [{\"of\": \"bend\", \"group\": [\"a\"]}]",
       "", "needs \"bending\""},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"rest\": {\"folds\": [{\"vertices\": [1, 3], \"angle\": 9}]}",
       "", "chooses no edge"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "\"silk\", "
       "\"springs\": {\"bending\": \"curvature\"}, "
       "\"rest\": {\"folds\": [{\"vertices\": [6, 7], \"angle\": 9}]}",
       "", "leave \"bending\" out"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"rotation\": [0, 0, 0], \"maps\": [{\"of\": \"density\", "
       "\"vertices\": [-9, -9, -9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
       "0]}]",
       "", "must be 0 or more"},
      {"\"mesh\": {\"shape\": \"tube\", \"radius\": 1}, \"material\": \"silk\", "
       "\"rest\": {\"from\": \"uv\"}",
       "", "have no texture coordinates"},
      {"\"mesh\": {\"shape\": \"tube\", \"radius\": 1}, \"material\": \"silk\", "
       "\"membrane\": {\"law\": \"woven\", \"warp\": \"uv\"}",
       "", "have no texture coordinates"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"rest\": {\"from\": \"file\", \"file\": \"flat.obj\"}",
       "", "same vertices and faces"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"rest\": {\"from\": \"file\"}",
       "", "needs \"file\""},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "\"silk\","
       "\"membrane\": {\"law\": \"woven\"}, \"springs\": {\"network\": \"structured\"}",
       "", "takes the place of the springs"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "{\"preset\": \"silk\", \"slack\": 0.1}, \"membrane\": {\"law\": \"woven\"}",
       "", "which is of springs"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "{\"preset\": \"silk\", \"poisson\": 1}",
       "", "poisson"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "{\"preset\": \"silk\", \"bend\": 1e-5, \"bending_length\": 0.02}",
       "", "say the same"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "{\"stretch\": 100, \"vertex_mass\": 1, \"bending_length\": 0.02}",
       "", "follows from a bending length"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, \"material\": "
       "{\"arcsim\": \"wavy.obj\"}",
       "", "is no material of ARCSim"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": {\"density\": 1, \"stretch_table\": [9,9,9,9, 9,0,9,9, 9,0,9,9, 9,0,9,9, "
       "9,0,9,9, 9,0,9,9]}",
       "", "row 1: c12 is 9"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": {\"density\": 1, \"stretch\": 9, \"stretch_table\": [9, 9]}",
       "", "at least 24 are needed"},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"membrane\": {\"law\": \"measured\"}",
       "", "has no \"stretch_table\""},
      {"\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "
       "\"material\": \"silk\", \"springs\": {\"bending\": \"curvature\"}",
       ", \"solver\": {\"method\": \"xpbd\"}", "no constraint that xpbd could project"},
  };
  write_text(path[1], "{\"density\": 0.2, \"stretching\": [[50, 10, 20]], \"bending\": []}");
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    check_log log;
    csim_world world;
    CHECK(compile(wrong[k].object, wrong[k].solver, &log, &world) != CSIM_OK);
    check_that(strstr(log.text, wrong[k].text) || strstr(log.pointer, wrong[k].text), __FILE__,
               __LINE__, "case %zu says: %s (%s)", k, log.text, log.pointer);
    csim_world_free(&world);
  }
}

// A wavy mesh bent by nothing at rest, or by its angles where they are to be flat; lengths stay.
static void test_angles(void) {
  static const char *const kinds[3] = {"dihedral", "cotangent", "quadratic"};
  write_grid(path[1], 2, 1, 1);
  for (int k = 0; k < 6; k++) {
    char object[500];
    check_log log;
    csim_world world;
    snprintf(object, sizeof object,
             "\"mesh\": {\"file\": \"%s\"}, \"material\": {\"density\": 0.1, \"stretch\": 100, "
             "\"bend\": 1e-3}, \"springs\": {\"bending\": \"%s\"}, \"rest\": {\"angles\": \"%s\"}",
             path[1], kinds[k / 2], k % 2 ? "flat" : "shape");
    CHECK(compile(object, "", &log, &world) == CSIM_OK);
    const csim_model *model = world.model;
    csim_point at = {.x = model->x0};
    for (int e = 0; model && e < model->nenergy; e++) {
      const csim_energy *energy = &model->energy[e];
      double E = csim_energy_value(NULL, energy, &at), bent = 0;
      if (energy->kind->role != CSIM_ROLE_BEND) {
        CHECK(E < 1e-20);
        continue;
      }
      for (int h = 0; h < energy->nelem; h++) { // what the quadratic energy has, for small angles
        double sum[3] = {0};
        const double *param = csim_energy_param(energy, h), *q = param + (k / 2 == 0 ? 2 : 0);
        for (int n = 0; n < 4; n++)
          csim_add_scaled(q[n], model->x0 + 3 * energy->node[4 * h + n], sum);
        bent += 0.5 * csim_dot(sum, sum);
      }
      if (k % 2 || k / 2 == 2)
        CHECK_NEAR(E / bent, 1, k / 2 ? 1e-12 : 0.15);
      else
        CHECK(E < 1e-20);
    }
    csim_world_free(&world);
  }
}

// The energy of bending with the part beyond x = 1 m turned up by `angle` [rad] about that line.
static double energy_bent(const csim_model *model, double angle) {
  double E = 0, *x = CSIM_NEW(double, csim_xyz(model->nvert));
  for (int i = 0; i < model->nvert; i++) {
    const double *X = model->x0 + csim_xyz(i);
    double beyond = X[0] > 1 ? X[0] - 1 : 0;
    x[3 * i] = X[0] - beyond + beyond * cos(angle);
    x[3 * i + 1] = X[1] + beyond * sin(angle);
    x[3 * i + 2] = X[2];
  }
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind->role == CSIM_ROLE_BEND)
      E += csim_energy_value(NULL, &model->energy[e], &(csim_point){.x = x});
  free(x);
  return E;
}

// A fold has no energy at its angle, and elsewhere that of an equal bend of flat cloth: a valley on
// the upper side, which the faces look to, is a positive turn, a ridge a negative one.
static void test_folds(void) {
  static const char *const meshes[2] = {"\"shape\": \"grid\", \"size\": [2, 1], \"cells\": [4, 3]",
                                        "\"file\": \"%s\""};
  static const double angles[] = {-90, 35, 150};
  for (int k = 0; k < 6; k++) {
    char mesh[200], object[800];
    double E[2][3], turn = angles[k / 2] * acos(-1) / 180;
    snprintf(mesh, sizeof mesh, meshes[k % 2], path[1]);
    for (int folded = 0; folded < 2; folded++) {
      check_log log;
      csim_world world;
      if (k % 2) {
        FILE *f = fopen(path[1], "w"); // faces of unequal shape on both sides of the line
        fputs("v 0 0 0\nv 1 0 0\nv 2 0 0.1\nv 0.1 0 0.4\nv 1 0 0.6\nv 2.2 0 0.7\nv 0 0 1\n"
              "v 1 0 1\nv 1.8 0 1\nf 1 4 5\nf 1 5 2\nf 2 5 3\nf 3 5 6\nf 4 7 5\nf 5 7 8\n"
              "f 5 8 9\nf 5 9 6\n",
              f);
        fclose(f);
      }
      snprintf(object, sizeof object,
               "\"mesh\": {%s}, \"position\": [%d, 0, 0], \"material\": {\"density\": 0.1, "
               "\"stretch\": 100, \"bend\": 1e-3}, \"springs\": {\"bending\": \"%s\"}, \"rest\": "
               "{\"folds\": [%s{\"box\": [[0.99, -1, -1], [1.01, 1, 2]], \"angle\": %g}]}",
               mesh, k % 2 ? 0 : 1, folded ? "auto" : "dihedral",
               folded ? "{\"box\": [[0.99, -1, -1], [1.01, 1, 2]], \"angle\": 12}, " : "",
               folded ? -angles[k / 2] : 0.0);
      CHECK(compile(object, "", &log, &world) == CSIM_OK);
      for (int n = 0; n < 3 && world.model; n++)
        E[folded][n] = energy_bent(world.model, n * turn - (folded ? 0 : turn));
      csim_world_free(&world);
    }
    CHECK(E[0][0] > 1e-5);
    CHECK(E[1][1] < 1e-12 * E[0][0]);
    CHECK_NEAR(E[1][0] / E[0][0], 1, 1e-12);
    CHECK_NEAR(E[1][2] / E[0][2], 1, 1e-12);
  }
}

int main(void) {
  if (!mkdtemp(dir)) return 1;
  static const char *const names[3] = {"s.json", "wavy.obj", "flat.obj"};
  for (int k = 0; k < 3; k++) snprintf(path[k], sizeof path[k], "%s/%s", dir, names[k]);
  test_patterns();
  test_angles();
  test_folds();
  test_warp();
  test_measured();
  test_tables();
  test_bending_table();
  test_maps();
  test_refused();
  for (int k = 0; k < 3; k++) unlink(path[k]);
  rmdir(dir);
  return check_report();
}
