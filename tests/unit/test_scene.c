// tests/unit/test_scene.c: reading scenes. Run at the top of the source tree. `test_scene --write`
// renews what is made from the tables (schema, manual) and the expected messages of
// tests/scenes-bad: look at the difference before it is committed.
#include "check.h"

#include "model/energy.h"
#include "scene/scene.h"
#include "scene/units.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int writing;
static char folder[] = "/tmp/test_scene_XXXXXX";

// ----------------------------------------------------------------------------------------- helpers

/// A log that gathers "file:line:column pointer: text" lines.
typedef struct lines {
  csim_log log;
  char *text;
  size_t size;
  FILE *out;
} lines;

// The energy of a cloth's hinges, or NULL.
static const csim_energy_kind *hinge_kind(const csim_object *o) {
  return o->bending < CSIM_BENDING_HINGE ? NULL
                                         : csim_bending_kinds[o->bending - CSIM_BENDING_HINGE];
}

static void gather(void *user, const csim_message *m) {
  lines *l = user;
  const char *slash = m->file ? strrchr(m->file, '/') : NULL;
  fprintf(l->out, "%s", slash ? slash + 1 : m->file ? m->file : "");
  if (m->line) fprintf(l->out, ":%d:%d", m->line, m->column);
  fprintf(l->out, "%s%s: %s\n", m->pointer && *m->pointer ? " " : "", m->pointer ? m->pointer : "",
          m->text);
}

static void lines_open(lines *l) {
  *l = (lines){.log = {.write = gather, .user = l}};
  l->out = open_memstream(&l->text, &l->size);
  if (!l->out) exit(1);
}

static char *load(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return strdup("");
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  for (int c; (c = getc(f)) != EOF;) putc(c, out);
  fclose(out);
  fclose(f);
  return text;
}

static void save(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  if (!f) exit(1);
  fputs(text, f);
  fclose(f);
}

// A file in our folder; the name is good until the next call.
static const char *in_folder(const char *name, const char *text) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (text) save(path, text);
  return path;
}

/// Reads a scene given as text, with at most one --set.
static csim_scene *read_scene(const char *text, const char *set, lines *l) {
  csim_scene *scene = NULL;
  lines_open(l);
  csim_scene_read(in_folder("s.json", text), &set, set != NULL, &l->log, &scene);
  fclose(l->out);
  return scene;
}

static csim_scene *expect_scene(const char *text, const char *set) {
  lines l;
  csim_scene *scene = read_scene(text, set, &l);
  check_that(scene && l.log.nerror == 0, __FILE__, __LINE__, "%s is refused: %s", set ? set : text,
             l.text);
  free(l.text);
  return scene;
}

static void expect_error(const char *text, const char *set, const char *part) {
  lines l;
  csim_scene *scene = read_scene(text, set, &l);
  check_that(!scene && l.log.nerror && strstr(l.text, part), __FILE__, __LINE__,
             "expected \"%s\", got \"%s\"", part, l.text);
  csim_scene_free(scene);
  free(l.text);
}

// ------------------------------------------------------------------------------------------ scenes

#define CLOTH "\"type\": \"cloth\", \"material\": \"cotton\", \"mesh\": {\"shape\": \"grid\"}"
#define SCENE "{\"objects\": [{\"name\": \"a\", " CLOTH "}]}"

static const char whole[] =
    "{ // everything once\n"
    "  \"$schema\": \"x\", \"version\": 1, \"name\": \"test\", \"description\": \"d\", "
    "\"look_at\": \"l\",\n"
    "  \"units\": {\"length\": \"cm\", \"up\": \"z\"},\n"
    "  \"frames\": {\"start\": 5, \"end\": 29, \"fps\": 25, \"substeps\": 4},\n"
    "  \"wind\": {\"velocity\": [100, \"2 m/s\", 0], \"turbulence\": 0.5},\n"
    "  \"solver\": {\"method\": \"descent\", \"linear\": \"cholesky\", \"line_search\": false},\n"
    "  \"contact\": {\"thickness\": \"2 mm\", \"friction\": 0.7},\n"
    "  \"output\": {\"digits\": 17, \"obj\": false},\n"
    "  \"materials\": {\"soft\": {\"preset\": \"cotton\", \"bend\": \"2x\", \"density\": \"150 "
    "g/m^2\"},\n"
    "                \"plain\": {\"density\": 0.2, \"stretch\": 1000}},\n"
    "  \"objects\": [\n"
    "    {\"name\": \"sheet\", \"type\": \"cloth\", \"material\": \"soft\", \"scale\": 2,\n"
    "     \"mesh\": {\"shape\": \"grid\", \"size\": [200, \"1 m\"], \"cells\": [3, 4]},\n"
    "     \"position\": [0, 0, 60], \"rotation\": [90, 0, \"1 rad\"], \"spin\": [0, 180, 0],\n"
    "     \"springs\": {\"network\": \"structured\", \"bending\": \"dihedral\"},\n"
    "     \"pins\": [{\"vertices\": [0, \"3-5\"], \"group\": \"collar\", \"nearest\": [1, 2, 3]},\n"
    "              {\"box\": [[[0, 0, 0], [1, 1, 1]], [[2, 2, 2], [3, 3, 3]]], \"stiffness\": \"3 "
    "N/m\",\n"
    "               \"motion\": [{\"frame\": 5}, {\"frame\": 30, \"position\": [10, 0, 0]}]},\n"
    "              {\"vertices\": \"all\", \"motion\": {\"interpolation\": \"smooth\", \"pivot\": "
    "[1, 1, 1],\n"
    "               \"keys\": [{\"time\": \"500 ms\", \"rotation\": [0, 720, 0]}]}}]},\n"
    "    {\"name\": \"toy\", \"type\": \"solid\", \"mesh\": {\"shape\": \"box\"}, \"friction\": "
    "0.1,\n"
    "     \"material\": {\"preset\": \"jelly\", \"modulus\": \"0.5x\"}, \"tetrahedra\": "
    "{\"max_volume\": 1,\n"
    "     \"finer\": [{\"box\": [[[0, 0, 0], [1, 1, 1]], [[2, 2, 2], [3, 3, 3]]], \"distance\": "
    "\"2 "
    "cm\",\n"
    "                \"max_volume\": \"3 mm^3\"}]}},\n"
    "    {\"name\": \"rag\", \"type\": \"cloth\", \"mesh\": {\"shape\": \"disk\"}, \"material\": "
    "\"silk\"},\n"
    "    {\"name\": \"floor\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}},\n"
    "  ],\n"
    "}\n";

static void test_values(void) {
  csim_scene *s = expect_scene(whole, NULL);
  if (!s) return;
  CHECK_TEXT(s->name, "test");
  CHECK(s->up == 2 && s->gravity[2] == -9.81 && s->gravity[1] == 0 && s->length_unit == 0.01);
  CHECK(s->frame_start == 5 && s->frame_end == 29 && s->fps == 25 && s->substeps == 4);
  CHECK(s->wind.velocity[0] == 1 && s->wind.velocity[1] == 2 && s->wind.density == 1.2);
  CHECK(s->wind.turbulence == 0.5 && s->wind.gust_length == 1);
  CHECK_TEXT(s->solver.method, "descent");
  CHECK(!strcmp(s->solver.linear, "cholesky") && !s->solver.line_search);
  CHECK(s->solver.iterations == 4 && s->solver.tolerance == 1e-3);
  CHECK(s->contact.thickness == 0.002 && s->contact.response == CSIM_RESPONSE_FILTER);
  CHECK(s->output.obj_digits == 17 && !s->output.obj && s->output.cache);

  CHECK(s->nmaterial == 4);
  CHECK(s->material[0].density == 0.15 && s->material[0].bend == 4.2e-5);
  CHECK(s->material[0].stretch == 1500 && s->material[0].stuff == CSIM_STUFF_SHEET);
  CHECK(s->material[1].bend == 0 && !s->material[1].preset);
  CHECK_TEXT(s->material[2].name, "toy.material");
  CHECK(s->material[2].modulus == 2500 && s->material[2].density == 1000);

  CHECK(s->nobject == 4);
  const csim_object *o = &s->object[0];
  CHECK(o->type == CSIM_OBJECT_CLOTH && o->material == 0 && o->friction == 0.7);
  CHECK(o->mesh.shape == CSIM_SHAPE_GRID && o->mesh.size[0] == 2 && o->mesh.size[1] == 1);
  CHECK(o->mesh.cells[0] == 3 && o->mesh.cells[1] == 4);
  CHECK_TEXT(o->mesh.diagonals, "alternate");
  CHECK(o->scale[0] == 2 && o->scale[2] == 2 && o->position[2] == 0.6);
  CHECK_NEAR(o->rotation[0], 1.5707963267948966, 1e-15);
  CHECK(o->rotation[2] == 1);
  CHECK_NEAR(o->spin[1], 3.1415926535897931, 1e-15);
  CHECK(o->network == CSIM_NETWORK_STRUCTURED && hinge_kind(o) == &csim_dihedral_kind);
  CHECK(o->place.line == 12 && o->place.column == 5 && o->mesh_place.line == 13);
  CHECK_TEXT(o->place.pointer, "/objects/0");
  CHECK(o->npin == 3);
  const csim_pin *p = o->pin;
  CHECK(p[0].select.nindex == 4 && p[0].select.index[3] == 5 && p[0].select.ngroup == 1);
  CHECK_TEXT(p[0].select.group[0], "collar");
  CHECK(p[0].select.nnearest == 1 && p[0].select.nearest[0][2] == 0.03 && p[0].motion.nkey == 0);
  CHECK(p[1].select.nbox == 2 && p[1].select.box[1][5] == 0.03 && p[1].stiffness == 3);
  CHECK(p[1].motion.nkey == 2 && p[1].motion.key[0].time == 0 && p[1].motion.key[1].time == 1);
  CHECK(p[1].motion.key[1].position[0] == 0.1 && !p[1].motion.smooth && !p[1].motion.has_pivot);
  CHECK(p[2].select.all && p[2].motion.smooth && p[2].motion.has_pivot);
  CHECK(p[2].motion.pivot[0] == 0.01 && p[2].motion.key[0].time == 0.5);
  CHECK_TEXT(p[2].place.pointer, "/objects/0/pins/2");
  o = &s->object[1];
  CHECK(o->type == CSIM_OBJECT_SOLID && o->material == 2 && o->friction == 0.1);
  CHECK_NEAR(o->max_volume, 1e-6, 1e-20);
  CHECK(o->nfiner == 1 && o->finer[0].nbox == 2 && o->finer[0].box[1][5] == 0.03);
  CHECK(o->finer[0].distance == 0.02 && fabs(o->finer[0].max_volume - 3e-9) < 1e-22);
  CHECK(o->radius_edge_ratio == 1.414 && o->mesh.size[0] == 1);
  CHECK(s->object[2].material == 3 && hinge_kind(&s->object[2]) == &csim_quadratic_kind);
  CHECK(s->object[3].material == -1 && s->object[3].mesh.shape == CSIM_SHAPE_PLANE);
  csim_scene_free(s);
}

// "auto" stands for settings of newton; what the scene says itself stays.
static void test_auto(void) {
  static const struct {
    const char *solver, *method;
    csim_start start;
    int iterations;
    double step_tolerance, linear_tolerance, balance;
    int substeps;
    csim_integrator integrator;
  } cases[] = {
      {"", "newton", CSIM_START_VELOCITY, 40, 0.05, 0.05, 0.05, 5, CSIM_INTEGRATOR_ALPHA},
      {", \"quality\": \"draft\"", "newton", CSIM_START_VELOCITY, 40, 0.1, 0.03, 0.1, 3,
       CSIM_INTEGRATOR_ALPHA},
      {", \"quality\": \"final\", \"frames\": {\"substeps\": 7}", "newton", CSIM_START_VELOCITY, 80,
       0.02, 0.02, 0.02, 7, CSIM_INTEGRATOR_ALPHA},
      {", \"solver\": {\"method\": \"auto\", \"step_tolerance\": 0.2, \"iterations\": 7}", "newton",
       CSIM_START_VELOCITY, 7, 0.2, 0.05, 0.05, 5, CSIM_INTEGRATOR_ALPHA},
      {", \"solver\": {\"linear_tolerance\": 1e-6}", "newton", CSIM_START_VELOCITY, 40, 0.05, 1e-6,
       0.05, 5, CSIM_INTEGRATOR_ALPHA},
      {", \"solver\": {\"integrator\": \"bdf2\"}", "newton", CSIM_START_VELOCITY, 40, 0.05, 0.05,
       0.05, 5, CSIM_INTEGRATOR_BDF2},
      {", \"frames\": {\"accuracy\": 0.1}", "newton", CSIM_START_VELOCITY, 40, 0.05, 0.05, 0.05, 64,
       CSIM_INTEGRATOR_EULER},
      {", \"solver\": {\"method\": \"newton\"}", "newton", CSIM_START_INERTIA, 4, 0, 1e-3, 0, 5,
       CSIM_INTEGRATOR_ALPHA},
      {", \"solver\": {\"method\": \"pd\"}", "pd", CSIM_START_INERTIA, 4, 0, 1e-3, 0, 5,
       CSIM_INTEGRATOR_EULER},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text, "{\"objects\": [{\"name\": \"a\", " CLOTH "}]%s}", cases[i].solver);
    csim_scene *s = expect_scene(text, NULL);
    if (!s) continue;
    CHECK_TEXT(s->solver.method, cases[i].method);
    CHECK(s->solver.start == cases[i].start && s->solver.step_tolerance == cases[i].step_tolerance);
    CHECK(s->solver.iterations == cases[i].iterations);
    CHECK(s->solver.linear_tolerance == cases[i].linear_tolerance);
    CHECK(s->solver.balance == cases[i].balance && s->substeps == cases[i].substeps);
    CHECK(s->solver.integrator == cases[i].integrator);
    csim_scene_free(s);
  }
}

// The resolved scene is a scene, and resolves to itself.
// What cloth is made of where the scene leaves it open.
static void test_fabric(void) {
  enum { SPRINGS = CSIM_MEMBRANE_NONE, MEMBRANE = CSIM_MEMBRANE_ORTHOTROPIC };
  enum { QUADRATIC = CSIM_BENDING_HINGE, CURVATURE = CSIM_BENDING_CURVATURE };
  static const struct {
    const char *set;
    int law, bending;
  } cases[] = {
      {"quality=normal", MEMBRANE, QUADRATIC},
      {"a.mesh.shape=disk", MEMBRANE, CURVATURE},
      {"a.material.bend_weft=1e-6", MEMBRANE, CURVATURE},
      {"a.maps=[{\"of\": \"bend\", \"vertices\": [1]}]", MEMBRANE, CURVATURE},
      {"a.maps=[{\"of\": \"stretch\", \"vertices\": [1]}]", MEMBRANE, QUADRATIC},
      {"a.springs.bending=dihedral", MEMBRANE, CSIM_BENDING_HINGE + 2},
      {"a.membrane.law=woven", CSIM_MEMBRANE_WOVEN, QUADRATIC},
      {"a.membrane.law=none", SPRINGS, QUADRATIC},
      {"a.springs.network=structured", SPRINGS, QUADRATIC},
      {"a.springs.network=mesh", SPRINGS, QUADRATIC},
      {"a.springs.levels=1", SPRINGS, QUADRATIC},
      {"a.springs.bending=spring", SPRINGS, CSIM_BENDING_SPRING},
      {"a.material.spring=100", SPRINGS, QUADRATIC},
      {"a.material.compression=0.1", SPRINGS, QUADRATIC},
      {"solver.method=newton", SPRINGS, QUADRATIC},
      {"solver.method=xpbd", SPRINGS, QUADRATIC},
      {"solver.strain_limit=0.1", SPRINGS, QUADRATIC},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    csim_scene *s = expect_scene(SCENE, cases[i].set);
    if (!s) continue;
    check_that((int)s->object[0].membrane == cases[i].law &&
                   s->object[0].bending == cases[i].bending,
               __FILE__, __LINE__, "%s: law %d, bending %d", cases[i].set,
               (int)s->object[0].membrane, s->object[0].bending);
    csim_scene_free(s);
  }
}

static void test_resolved(void) {
  csim_scene *s = expect_scene(whole, NULL);
  if (!s) return;
  csim_scene *again = expect_scene(csim_scene_resolved(s), NULL);
  if (again) {
    CHECK_TEXT(csim_scene_resolved(again), csim_scene_resolved(s));
    CHECK(csim_scene_hash(again) == csim_scene_hash(s));
    csim_scene_free(again);
  }
  static const struct {
    const char *set;
    int same; // as the hash without it
  } changes[] = {
      {"frames.end=50", 1},
      {"output.obj=true", 1},
      {"name=other", 1},
      {"look_at=elsewhere", 1},
      {"frames.substeps=5", 0},
      {"sheet.position.2=\"61 cm\"", 0},
      {"gravity=[0,0,-9]", 0},
      {"toy.material.drag=0", 0},
      {"frames.start=4", 0},
      {"contact.friction=0.7", 1},
      {"sheet.position=[0, 0, \"0.6 m\"]", 1},
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    again = expect_scene(whole, changes[i].set);
    if (again)
      check_that((csim_scene_hash(again) == csim_scene_hash(s)) == changes[i].same, __FILE__,
                 __LINE__, "hash after %s", changes[i].set);
    csim_scene_free(again);
  }
  csim_scene_free(s);
}

static void test_defaults(void) {
  csim_scene *s = expect_scene(SCENE, NULL);
  if (!s) return;
  CHECK_TEXT(s->name, "s");
  CHECK(s->gravity[1] == -9.81 && s->up == 1 && s->length_unit == 1 && s->wind.density == 1.2);
  CHECK(s->frame_start == 1 && s->frame_end == 100 && s->fps == 24);
  CHECK(s->object[0].scale[1] == 1 && s->object[0].mesh.size[0] == 1 && s->object[0].npin == 0);
  CHECK(s->object[0].mesh.cells[0] == 32 && s->object[0].friction == 0.3);
  csim_scene_free(s);
}

static void test_units(void) {
  static const struct {
    const char *text;
    double value;
    int m, kg, s;
  } good[] = {
      {"", 1, 0, 0, 0},
      {"mm", 1e-3, 1, 0, 0},
      {"kg/m^2", 1, -2, 1, 0},
      {"g/m2", 1e-3, -2, 1, 0},
      {"N m", 1, 2, 1, -2},
      {"N*m", 1, 2, 1, -2},
      {"1/s", 1, 0, 0, -1},
      {"m/s^2", 1, 1, 0, -2},
      {"m s^-2", 1, 1, 0, -2},
      {"MPa", 1e6, -1, 1, -2},
      {"oz/yd^2", 0.028349523125 / 0.83612736, -2, 1, 0},
      {"in", 0.0254, 1, 0, 0},
      {"min", 60, 0, 0, 1},
      {"kg / m / s", 1, -1, 1, -1},
  };
  static const char *const bad[] = {"mn",
                                    "m/",
                                    "/m",
                                    "m//s",
                                    "m^",
                                    "m^9",
                                    "m**s",
                                    "2m",
                                    "*m",
                                    "m^-",
                                    "m m m m m m m m m",
                                    "1/1/1",
                                    "\xC2\xB5m"};
  csim_unit u;
  char unknown[32];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    int ok = csim_parse_unit(good[i].text, &u, unknown);
    check_that(ok && u.m == good[i].m && u.kg == good[i].kg && u.s == good[i].s, __FILE__, __LINE__,
               "unit \"%s\"", good[i].text);
    CHECK_NEAR(u.times / u.over, good[i].value, 1e-15 * good[i].value);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check_that(!csim_parse_unit(bad[i], &u, unknown), __FILE__, __LINE__, "\"%s\" is no unit",
               bad[i]);
}

// -------------------------------------------------------------------------------- settings,
// extends

static void test_set(void) {
  csim_scene *s;
  s = expect_scene(whole, "sheet.material.bend=2x"); // of the scene's 2x: a private copy
  CHECK(s && s->material[s->object[0].material].bend == 4 * 2.1e-5 &&
        s->material[0].bend == 4.2e-5);
  csim_scene_free(s);
  s = expect_scene(whole, "materials.soft.bend=1e-6");
  CHECK(s && s->material[s->object[0].material].bend == 1e-6);
  csim_scene_free(s);
  s = expect_scene(whole, "rag.material.density=2x"); // of a preset named directly
  CHECK(s && s->material[s->object[2].material].density == 0.122);
  csim_scene_free(s);
  s = expect_scene(whole, "frames.end=2x");
  CHECK(s && s->frame_end == 58);
  csim_scene_free(s);
  s = expect_scene(whole, "contact.thickness=0.5x");
  CHECK(s && s->contact.thickness == 0.001);
  csim_scene_free(s);
  s = expect_scene(whole, "contact.thickness=3mm");
  CHECK(s && s->contact.thickness == 0.003);
  csim_scene_free(s);
  s = expect_scene(whole, "objects.0.position=[1, 0, 0,]");
  CHECK(s && s->object[0].position[0] == 0.01);
  csim_scene_free(s);
  s = expect_scene(whole, "objects.toy.tetrahedra.radius_edge_ratio=2");
  CHECK(s && s->object[1].radius_edge_ratio == 2);
  csim_scene_free(s);
  s = expect_scene(whole, "sheet.pins.1.motion.1.position.0=20");
  CHECK(s && s->object[0].pin[1].motion.key[1].position[0] == 0.2);
  csim_scene_free(s);
  s = expect_scene(whole, "sheet.pins=null");
  CHECK(s && s->object[0].npin == 0);
  csim_scene_free(s);
  s = expect_scene(SCENE, "a.springs.bending=none"); // makes what is on the way
  CHECK(s && s->object[0].bending == CSIM_BENDING_NONE);
  csim_scene_free(s);
  s = expect_scene("{\"objects\": [{\"name\": \"v1\", " CLOTH "}, {\"name\": \"v1.2\", " CLOTH
                   "}]}",
                   "v1.2.position=[3, 0, 0]"); // the longest name that fits
  CHECK(s && s->object[1].position[0] == 3 && s->object[0].position[0] == 0);
  csim_scene_free(s);

  expect_error(
      whole, "sheet.materail.bend=2x",
      "--set sheet.materail.bend=2x /objects/0/materail: unknown key, did you mean \"material\"?");
  expect_error(whole, "sheet.material.bend=-1",
               "/objects/0/material/bend: must be >= 0 N m, found -1");
  expect_error(whole, "shet.position=0", "did you mean \"sheet\"?");
  expect_error(whole, "contact.frction=1",
               "/contact/frction: unknown key, did you mean \"friction\"?");
  expect_error(whole, "frames.end=[1", "/frames/end: expected a whole number");
  expect_error(whole, "objects.4.name=x", "neither a name in this list nor a number below 4");
  expect_error(whole, "frames.end.x=1", "/frames/end is 29: it has no \"x\"");
  expect_error(whole, "frames..end=1", "the path has an empty part");
  expect_error(whole, "frames.=1", "the path has an empty part");
  expect_error(whole, "frames.end", "expected PATH=VALUE");
  expect_error(whole, "=1", "expected PATH=VALUE");
  expect_error(whole, "", "expected PATH=VALUE");
  expect_error(whole, "name=\xFF", "not UTF-8");
  expect_error(whole, "solver.iterations=2x3", "/solver/iterations: expected a whole number");
  expect_error(whole, "wind.gust_length=2x", "there is none here");
  expect_error(whole, "objects=null", "\"objects\" is missing");
}

static void test_extends(void) {
  in_folder("base.json",
            "{\"name\": \"base\", \"units\": {\"length\": \"mm\"}, \"frames\": {\"end\": 5, "
            "\"fps\": 30},\n"
            " \"materials\": {\"m\": {\"preset\": \"cotton\", \"bend\": \"3x\"}},\n"
            " \"objects\": [{\"name\": \"a\", \"type\": \"cloth\", \"material\": \"m\",\n"
            "  \"mesh\": {\"shape\": \"grid\", \"size\": [10, 10]}},\n"
            "  {\"name\": \"b\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}}]}");
  csim_scene *s =
      expect_scene("{\"extends\": \"base.json\", \"frames\": {\"end\": 7, \"fps\": null},\n"
                   " \"materials\": {\"m\": {\"density\": 0.3}, \"n\": \"silk\"},\n"
                   " \"objects\": [{\"name\": \"c\", \"type\": \"cloth\", \"material\": \"n\", "
                   "\"mesh\": {\"shape\": \"disk\"}},\n"
                   "  {\"name\": \"a\", \"mesh\": {\"shape\": \"disk\", \"radius\": 20}, "
                   "\"position\": [1, 2, 3]}]}",
                   NULL);
  CHECK(s && s->nobject == 3 && s->frame_end == 7 && s->fps == 24);
  if (s && s->nobject == 3) {
    CHECK_TEXT(s->name, "s");
    CHECK_TEXT(s->object[0].name, "a");
    CHECK_TEXT(s->object[2].name, "c");
    CHECK(s->object[0].mesh.shape == CSIM_SHAPE_DISK && s->object[0].mesh.radius == 0.02);
    CHECK(s->object[0].position[2] == 0.003);
    CHECK(s->material[0].density == 0.3 && s->material[0].bend == 3 * 2.1e-5);
    CHECK(s->material[1].density == 0.061);
  }
  csim_scene_free(s);
  // a mesh of another source replaces the one of the base
  s = expect_scene("{\"extends\": \"base.json\", \"objects\": [{\"name\": \"b\", \"mesh\": "
                   "{\"sequence\": \"body_####.obj\"}}]}",
                   NULL);
  CHECK(s && s->object[1].mesh.shape == CSIM_SHAPE_SEQUENCE);
  csim_scene_free(s);
  // a mistake in the base is told there, one in the file above it here
  expect_error("{\"extends\": \"base.json\", \"objects\": [{\"name\": \"a\", \"x\": 1}]}", NULL,
               "s.json:1:52 /objects/0/x: unknown key");
  in_folder("base.json", "{\"gravty\": 1, \"objects\": []}");
  expect_error("{\"extends\": \"base.json\"}", NULL, "base.json:1:2 /gravty: unknown key");
  // a mesh file is looked for beside the file that names it
  char sub[200];
  snprintf(sub, sizeof sub, "%s/sub", folder);
  mkdir(sub, 0700);
  in_folder("sub/tri.obj", "v 0 0 0\n");
  in_folder("sub/base.json",
            "{\"objects\": [{\"name\": \"a\", \"type\": \"cloth\", \"material\": \"wool\","
            " \"mesh\": {\"file\": \"tri.obj\"}}]}");
  s = expect_scene("{\"extends\": \"sub/base.json\"}", NULL);
  char path[250];
  snprintf(path, sizeof path, "%s/sub/tri.obj", folder);
  if (s) CHECK_TEXT(s->object[0].mesh.file, path);
  csim_scene_free(s);
}

// ----------------------------------------------------------------------------------- golden files

// Compares with a file of the tree, or writes it.
static void compare_file(const char *path, const char *text) {
  if (writing) save(path, text);
  char *expected = load(path);
  check_that(!strcmp(expected, text), __FILE__, __LINE__,
             "%s differs; see it with: test_scene --write; git diff", path);
  free(expected);
}

static void test_bad_scenes(void) {
  DIR *dir = opendir("tests/scenes-bad");
  CHECK(dir != NULL);
  int n = 0;
  for (struct dirent *e; dir && (e = readdir(dir));) {
    char path[400];
    const char *point = strrchr(e->d_name, '.');
    if (!point || strcmp(point, ".json")) continue;
    snprintf(path, sizeof path, "tests/scenes-bad/%s", e->d_name);
    lines l;
    lines_open(&l);
    csim_scene *scene = NULL;
    csim_status status = csim_scene_read(path, NULL, 0, &l.log, &scene);
    if (!status) { // sound in itself: what it names is not
      csim_check_report report;
      csim_run_options options = {.tet_program = "/nonexistent", .nthread = 1};
      status = csim_check(scene, &options, &l.log, &report);
      csim_scene_free(scene);
      scene = NULL;
    }
    fclose(l.out);
    check_that(status == CSIM_INVALID && !scene && l.log.nerror, __FILE__, __LINE__,
               "%s is accepted", path);
    csim_scene_free(scene);
    snprintf(strrchr(path, '.'), 5, ".txt");
    compare_file(path, l.text);
    free(l.text);
    n++;
  }
  if (dir) closedir(dir);
  CHECK(n > 30);
  CHECK(csim_scene_read("/nonexistent.json", NULL, 0, NULL, &(csim_scene *){NULL}) == CSIM_IO);
}

// The manual's list of keys follows this line in docs/scene.md; what is above it is written by
// hand.
#define MANUAL_MARK "<!-- made from the tables by test_scene --write; do not edit below -->\n"

static void test_generated(void) {
  char *schema = csim_scene_schema(), *manual = csim_scene_manual(), *page = load("docs/scene.md");
  CHECK(schema && manual);
  if (schema) compare_file("scenes/clothsim.schema.json", schema);
  const char *mark = strstr(page, MANUAL_MARK);
  CHECK(mark != NULL);
  if (mark && manual) {
    size_t head = (size_t)(mark - page) + strlen(MANUAL_MARK);
    char *text = malloc(head + strlen(manual) + 2);
    if (!text) exit(1);
    memcpy(text, page, head);
    text[head] = '\n';
    strcpy(text + head + 1, manual);
    compare_file("docs/scene.md", text);
    free(text);
  }
  free(schema);
  free(manual);
  free(page);
}

// --------------------------------------------------------------------------------------------
// noise

// Changes of a good scene at random: a status comes back, and no harm.
static void test_noise(void) {
  static const char *const parts[] = {
      "null",     "-1",      "1e999", "\"2x\"",  "[]",          "{}",      "true", "\"\"",
      "\"3 mm\"", "[[[0]]]", ",",     "\"all\"", "\"\\u0000\"", "[1,2,3]", "0",    "\"name\":"};
  static const char *const sets[] = {"sheet.material.bend=2x", "objects.0=null", "materials=1",
                                     "sheet.mesh.cells.0=2x",  "toy=0",          "a.b.c=[]"};
  uint32_t seed = 7;
  int accepted = 0;
  for (int round = 0; round < 3000; round++) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    seed = seed * 1664525 + 1013904223;
    size_t from = (seed >> 8) % (sizeof whole - 1), cut = 0;
    seed = seed * 1664525 + 1013904223;
    switch (round % 4) {
    case 0:
      cut = 1;
      break; // a byte replaced
    case 1:
      cut = (seed >> 8) % 40;
      break; // a piece replaced
    case 2:  // a number or text replaced whole
      while (from && !strchr(":[, ", whole[from - 1])) from--;
      cut = strcspn(whole + from, ",]}\n");
      break;
    default:
      cut = 0; // something put in
    }
    if (from + cut > sizeof whole - 1) cut = sizeof whole - 1 - from;
    fwrite(whole, 1, from, out);
    if (round % 4 == 0)
      fputc((int)(seed >> 24), out);
    else
      fputs(parts[(seed >> 24) % 16], out);
    fputs(whole + from + cut, out);
    fclose(out);
    lines l;
    csim_scene *s = read_scene(text, round % 5 ? NULL : sets[seed % 6], &l);
    accepted += s != NULL;
    CHECK((s == NULL) == (l.log.nerror > 0));
    csim_scene_free(s);
    free(l.text);
    free(text);
  }
  CHECK(accepted > 50 && accepted < 2500);
}

int main(int argc, char **argv) {
  writing = argc > 1 && !strcmp(argv[1], "--write");
  if (!mkdtemp(folder)) return 1;
  test_values();
  test_auto();
  test_fabric();
  test_resolved();
  test_defaults();
  test_units();
  test_set();
  test_extends();
  test_bad_scenes();
  test_generated();
  test_noise();
  static const char *const made[] = {"s.json", "base.json", "sub/tri.obj", "sub/base.json"};
  for (int i = 0; i < 4; i++) unlink(in_folder(made[i], NULL));
  rmdir(in_folder("sub", NULL));
  rmdir(folder);
  return check_report();
}
