// tests/unit/test_tetrahedra.c: surfaces good and bad through clothsim-tet, results that lie, and
// children that misbehave. Needs the program: CLOTHSIM_TET, or BIN, or bin/.
#include "check.h"

#include "io/spawn.h"
#include "io/tet_wire.h"
#include "io/tetrahedralize.h"
#include "math/vec3.h"
#include "mesh/icosphere.h"
#include "mesh/shapes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PI 3.14159265358979323846

enum { MAX_VERT = 2000, MAX_TRI = 4000 };

typedef struct model {
  int nvert, ntri;
  double vert[3 * MAX_VERT];
  int tri[3 * MAX_TRI];
} model;

static char program[4096];

static void find_program(void) {
  const char *path = getenv("CLOTHSIM_TET"), *bin = getenv("BIN");
  if (path)
    snprintf(program, sizeof program, "%s", path);
  else
    snprintf(program, sizeof program, "%s/clothsim-tet", bin ? bin : "bin");
}

// ------------------------------------------------------------------------------------ the models

// An axis-parallel box, outward, or inward when `inside`.
static void add_box(model *m, const double lo[3], double size, int inside) {
  static const int face[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                  {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  for (int t = 0; t < 12; t++, m->ntri++)
    for (int k = 0; k < 3; k++) m->tri[3 * m->ntri + k] = m->nvert + face[t][inside ? 2 - k : k];
  for (int v = 0; v < 8; v++, m->nvert++)
    for (int k = 0; k < 3; k++) m->vert[3 * m->nvert + k] = lo[k] + (v >> (2 - k) & 1) * size;
}

static model make_cube(void) {
  static model m;
  m.nvert = m.ntri = 0;
  add_box(&m, (double[]){0, 0, 0}, 1, 0);
  return m;
}

// A torus of n x n cells; radius 2, tube 0.5; `eight`: the tube's section is a figure eight.
static void make_torus(model *m, int n, int eight) {
  m->nvert = m->ntri = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = 2 * PI * i / n, b = 2 * PI * (j + 0.25) / n;
      double r = 2 + 0.5 * cos(b), h = 0.5 * (eight ? sin(2 * b) : sin(b));
      double *p = m->vert + 3 * m->nvert++;
      p[0] = r * cos(a), p[1] = h, p[2] = -r * sin(a);
      int v[4] = {i * n + j, (i + 1) % n * n + j, (i + 1) % n * n + (j + 1) % n,
                  i * n + (j + 1) % n};
      int t[6] = {v[0], v[1], v[2], v[0], v[2], v[3]};
      memcpy(m->tri + 3 * m->ntri, t, sizeof t);
      m->ntri += 2;
    }
}

static void make_moebius(model *m, int n) {
  m->nvert = m->ntri = 0;
  for (int i = 0; i < n; i++) {
    double a = 2 * PI * i / n;
    for (int s = -1; s <= 1; s += 2) {
      double r = 2 + 0.5 * s * cos(a / 2), *p = m->vert + 3 * m->nvert++;
      p[0] = r * cos(a), p[1] = 0.5 * s * sin(a / 2), p[2] = r * sin(a);
    }
    int a0 = 2 * i, a1 = 2 * i + 1, last = i + 1 == n;
    int b0 = last ? 1 : a0 + 2, b1 = last ? 0 : a1 + 2;
    int t[6] = {a0, b0, b1, a0, b1, a1};
    memcpy(m->tri + 3 * m->ntri, t, sizeof t);
    m->ntri += 2;
  }
}

// --------------------------------------------------------------------------------------- running

static check_log last_log;

// A surface may have several kinds of defects: all of their lines are kept.
static void append_error(void *user, const csim_message *m) {
  check_log *log = user;
  size_t n = strlen(log->text);
  if (m->level == CSIM_ERROR) snprintf(log->text + n, sizeof log->text - n, "%s\n", m->text);
}

static csim_status run_with(const csim_tet_options *options, const model *m, csim_tets *out) {
  csim_surface s = {"solid \"x\"", m->nvert, m->vert, m->ntri, m->tri, NULL};
  check_log_init(&last_log);
  last_log.log.write = append_error;
  csim_status status = csim_tetrahedralize(options, &s, (csim_place){0}, &last_log.log, out);
  CHECK((last_log.log.nerror > 0) == (status != CSIM_OK));
  return status;
}

static csim_status run(const model *m, csim_tets *out) {
  return run_with(&(csim_tet_options){.program = program}, m, out);
}

// Fills the model and looks at the result with own eyes.
static void expect_filled(const model *m, double volume, int nwarning) {
  csim_tets t;
  double sum = 0;
  CHECK(run(m, &t) == CSIM_OK);
  check_that(t.ntet > 0, __FILE__, __LINE__, "not filled: %s", last_log.text);
  CHECK(last_log.log.nwarning == nwarning);
  CHECK(t.nsurface == m->nvert && t.nvert >= m->nvert);
  if (t.ntet) CHECK(!memcmp(t.vert, m->vert, sizeof(double) * 3 * (size_t)m->nvert));
  for (int k = 0; k < t.ntet; k++) {
    CHECK(csim_tet_volume(t.vert, t.tet + csim_row(4, k)) > 0);
    sum += csim_tet_volume(t.vert, t.tet + csim_row(4, k));
  }
  CHECK_NEAR(sum / volume, 1, 1e-9);
  CHECK_NEAR(t.volume / volume, 1, 1e-9);
  csim_tets_free(&t);
}

// Every failure is one line that names the object and the cause, with an empty result.
static void expect_refused(const model *m, const char *cause) {
  csim_tets t;
  CHECK(run(m, &t) == CSIM_INVALID);
  CHECK(strstr(last_log.text, "solid \"x\": ") == last_log.text);
  check_that(strstr(last_log.text, cause) != NULL, __FILE__, __LINE__, "\"%s\" does not say \"%s\"",
             last_log.text, cause);
  CHECK(t.ntet == 0 && t.vert == NULL && t.arena.head == NULL);
}

static void test_good(void) {
  static model m;
  m = make_cube();
  expect_filled(&m, 1, 0);
  for (int t = 0; t < 12; t++) { // inside out
    int v = m.tri[3 * t];
    m.tri[3 * t] = m.tri[3 * t + 1];
    m.tri[3 * t + 1] = v;
  }
  expect_filled(&m, 1, 1);

  m = make_cube();
  m.vert[3 * m.nvert] = 9; // loose
  m.nvert++;
  csim_tets t;
  CHECK(run(&m, &t) == CSIM_OK && last_log.log.nwarning == 1);
  CHECK(t.nloose == 1 && t.loose[0] == 8 && t.nsurface == 9 && t.vert[24] == 9);
  csim_tets_free(&t);

  make_torus(&m, 24, 0);
  CHECK(m.nvert == 576);
  csim_surface s = {"", m.nvert, m.vert, m.ntri, m.tri, NULL};
  csim_solid solid;
  CHECK(csim_check_solid(&s, (csim_place){0}, NULL, &solid) == CSIM_OK);
  CHECK_NEAR(solid.volume, 2 * PI * PI * 2 * 0.25, 0.3);
  expect_filled(&m, solid.volume, 0);
  csim_solid_free(&solid);
}

// Sizes and places far from 1 and 0, and solids thinner than TetGen's own tolerance.
static void test_scales(void) {
  static const double scale[] = {1e-80, 1e-12, 1e12, 1e80}, thin[] = {1e-3, 1e-9, 1e-12, 1e-15};
  static model m;
  for (int k = 0; k < 4; k++) {
    m = make_cube();
    for (int i = 0; i < 24; i++) m.vert[i] *= scale[k];
    expect_filled(&m, scale[k] * scale[k] * scale[k], 0);
    m = make_cube();
    for (int i = 2; i < 24; i += 3) m.vert[i] *= thin[k];
    expect_filled(&m, thin[k], 0);
  }
  m = make_cube();
  for (int i = 0; i < 24; i++) m.vert[i] += i % 3 == 1 ? -1e9 : 1e9;
  expect_filled(&m, 1, 0);
  for (int i = 0; i < 24; i++) m.vert[i] *= 1e100;
  expect_refused(&m, "coordinate x of vertex 0 (counted from 0) is 1e+109");
}

// Turned, the flat faces of a box are uneven by rounding.
static void test_turned(void) {
  static model m;
  for (int n = 2; n <= 3; n++) {
    csim_mesh box;
    csim_shape_spec spec = {CSIM_SHAPE_KIND_BOX, .size = {1, 1, 1}, .cells = {n, n, n}};
    CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &box) == CSIM_OK);
    m.nvert = box.nvert;
    m.ntri = box.ntri;
    memcpy(m.tri, box.tri, sizeof(int) * 3 * (size_t)m.ntri);
    for (int degrees = 1; degrees < 90; degrees++) {
      double c = cos(degrees * PI / 180), s = sin(degrees * PI / 180);
      for (int i = 0; i < m.nvert; i++) {
        const double *x = box.vert + csim_xyz(i);
        memcpy(m.vert + csim_xyz(i), (double[]){c * x[0] + s * x[2], x[1], c * x[2] - s * x[0]},
               3 * sizeof(double));
      }
      expect_filled(&m, 1, 0);
    }
    csim_mesh_free(&box);
  }
}

static void test_parts(void) {
  static model m;
  m = make_cube();
  add_box(&m, (double[]){2, 0, 0}, 1, 0);
  expect_filled(&m, 2, 0);
  m = make_cube();
  add_box(&m, (double[]){0.25, 0.25, 0.25}, 0.5, 1);
  expect_filled(&m, 0.875, 0);
  add_box(&m, (double[]){0.375, 0.375, 0.375}, 0.25, 0); // a kernel in the cavity
  expect_filled(&m, 0.875 + 1.0 / 64, 0);
  add_box(&m, (double[]){0.4, 0.4, 0.4}, 0.125, 1); // and a hole in the kernel
  expect_filled(&m, 0.875 + 1.0 / 64 - 1.0 / 512, 0);
  for (int t = 0; t < m.ntri; t++) { // all of it inside out
    int v = m.tri[3 * t];
    m.tri[3 * t] = m.tri[3 * t + 1];
    m.tri[3 * t + 1] = v;
  }
  expect_filled(&m, 0.875 + 1.0 / 64 - 1.0 / 512, 1);
  m.ntri = m.nvert = 0;
  add_box(&m, (double[]){0.25, 0.25, 0.25}, 0.5, 1); // the cavity first
  add_box(&m, (double[]){0, 0, 0}, 1, 0);
  expect_filled(&m, 0.875, 0);
  m = make_cube();
  add_box(&m, (double[]){0.25, 0.25, 0.25}, 0.5, 0);
  expect_refused(&m,
                 "face 12, at (0.25, 0.25, 0.25), lies inside another part and faces the same way");
  m = make_cube();
  add_box(&m, (double[]){1, 1, 1}, 1, 0); // touching in a vertex they share
  for (int i = 36; i < 72; i++)
    m.tri[i] = m.tri[i] == 8 ? 7 : m.tri[i] > 8 ? m.tri[i] - 1 : m.tri[i];
  memmove(m.vert + 24, m.vert + 27, 21 * sizeof(double));
  m.nvert = 15;
  expect_filled(&m, 2, 0);
  m = make_cube();
  add_box(&m, (double[]){1 + 1e-10, 0, 0}, 1, 0); // a gap TetGen's own tolerance closes
  expect_filled(&m, 2, 0);
}

static void test_bad(void) {
  static model m;
  m = make_cube();
  m.ntri = 10;
  expect_refused(&m, "not closed: edge 1-3 of face 0, from (0, 0, 1) to (0, 1, 1)");
  m = make_cube();
  m.tri[35] = m.tri[33], m.tri[33] = 3; // face 11 turned
  expect_refused(&m, "face 11 at (0, 1, 1) is wound against its neighbours");
  m = make_cube();
  add_box(&m, (double[]){0.5, 0.25, 0.125}, 1, 0);
  expect_refused(&m, "intersects itself: faces ");
  m = make_cube();
  add_box(&m, (double[]){1, 0.25, 0.25}, 0.5, 0); // touching with a face
  expect_refused(&m, "intersects itself: faces ");
  make_torus(&m, 24, 1);
  expect_refused(&m, "intersects itself: faces ");
  m = make_cube();
  memcpy(m.tri + 36, m.tri, 3 * sizeof(int));
  m.ntri++;
  expect_refused(&m, "faces 0 and 12 have the same vertices 0, 1, 3");
  m = make_cube();
  memcpy(m.tri + 36, (int[]){0, 0, 1}, 3 * sizeof(int));
  m.ntri++;
  expect_refused(&m, "face 12 uses vertex 0 (0, 0, 0) twice");
  m = make_cube();
  memcpy(m.vert + 24, (double[]){0, 0, 0.5}, 3 * sizeof(double));
  memcpy(m.tri + 36, (int[]){0, 8, 1}, 3 * sizeof(int));
  m.nvert++, m.ntri++;
  expect_refused(&m, "face 12 has no area: its vertices 0, 8, 1");
  m = make_cube();
  memcpy(m.tri + 36, (int[]){0, 1, 7, 0, 7, 6}, 6 * sizeof(int));
  m.ntri += 2;
  expect_refused(&m, "edge 0-1, from (0, 0, 0) to (0, 0, 1), belongs to 3 faces");
  make_moebius(&m, 20);
  expect_refused(&m, "not closed");
  memcpy(m.vert, (double[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, 12 * sizeof(double));
  memcpy(m.tri, (int[]){0, 1, 2, 0, 2, 3, 2, 1, 0, 3, 2, 0}, 12 * sizeof(int));
  m.nvert = m.ntri = 4; // a flat pillow
  expect_refused(&m, "faces 0 and 2 have the same vertices 0, 1, 2");
}

// Keeps all that is said, not only the last line.
static void add_line(void *user, const csim_message *message) {
  char *all = user;
  size_t n = strlen(all);
  snprintf(all + n, 8000 - n, "%s\n", message->text);
}

// A box with a hole, a face twice, a face without area, an inner wall, and a second box through it.
static void test_all_defects(void) {
  static model m;
  static char said[8000];
  m = make_cube();
  m.ntri = 11; // a hole
  memcpy(m.tri + 33, m.tri + 3, 3 * sizeof(int));
  memcpy(m.tri + 36, (int[]){0, 1, 7, 2, 2, 5}, 6 * sizeof(int));
  memcpy(m.vert + 24, (double[]){0, 0, 0.5}, 3 * sizeof(double));
  memcpy(m.tri + 42, (int[]){0, 8, 1}, 3 * sizeof(int));
  m.nvert = 9, m.ntri = 15;
  add_box(&m, (double[]){0.5, 0.25, 0.125}, 1, 0);
  csim_surface s = {"solid \"x\"", m.nvert, m.vert, m.ntri, m.tri, NULL};
  csim_log log = {.write = add_line, .user = said};
  csim_solid solid;
  CHECK(csim_check_solid(&s, (csim_place){0}, &log, &solid) == CSIM_INVALID);
  CHECK(strstr(said, "face 13 uses vertex 2") && strstr(said, "face 14 has no area"));
  CHECK(strstr(said, "faces 1 and 11 have the same vertices"));
  CHECK(strstr(said, "belongs to 4 faces") || strstr(said, "belongs to 3 faces"));
  CHECK(strstr(said, "is not closed") && strstr(said, "intersects itself: faces "));
  check_that(log.nerror == 6, __FILE__, __LINE__, "%d kinds of defects: %s", log.nerror, said);
}

static void test_bad_seams(void) {
  static model m;
  m = make_cube(); // every face with vertices of its own
  for (int i = 0; i < 36; i++) memcpy(m.vert + 24 + 3 * i, m.vert + 3 * m.tri[i], 24);
  memmove(m.vert, m.vert + 24, 108 * sizeof(double));
  for (int i = 0; i < 36; i++) m.tri[i] = i;
  m.nvert = 36;
  expect_refused(&m, "28 vertices on open edges lie exactly on others");
  m = make_cube(); // face 0 (0 1 3) split at vertex 8 in edge 0-1, face 5 (0 5 1) not
  memcpy(m.vert + 24, (double[]){0, 0, 0.5}, 24);
  memcpy(m.tri, (int[]){0, 8, 3}, 3 * sizeof(int));
  memcpy(m.tri + 36, (int[]){8, 1, 3}, 3 * sizeof(int));
  m.nvert++, m.ntri++;
  expect_refused(&m, "vertex 8 lies on this edge (a T-junction)");
}

// A projective plane on 6 vertices: closed, and one-sided.
static void test_one_sided(void) {
  static model m;
  static const int tri[30] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 1,
                              1, 2, 4, 2, 3, 5, 3, 4, 1, 4, 5, 2, 5, 1, 3};
  for (int i = 0; i < 18; i++) m.vert[i] = (i * 7 % 11) + 0.1 * (i * i % 13);
  memcpy(m.tri, tri, sizeof tri);
  m.nvert = 6, m.ntri = 10;
  expect_refused(&m, "one side only");
}

static void test_rubbish(void) {
  static model m;
  csim_tets t;
  m = make_cube();
  m.ntri = 0;
  expect_refused(&m, "0 triangles and 8 vertices enclose nothing");
  m.ntri = -5;
  expect_refused(&m, "-5 triangles");
  m = make_cube();
  m.tri[7] = 8;
  expect_refused(&m, "face 2 names vertex 8, but there are 8");
  m.tri[7] = -1;
  expect_refused(&m, "face 2 names vertex -1");
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e-310, 1e300};
  for (int k = 0; k < 5; k++) {
    m = make_cube();
    m.vert[10] = bad[k];
    expect_refused(&m, "coordinate y of vertex 3");
  }
  m = make_cube();
  const csim_tet_options options[] = {{.radius_edge_ratio = 1},     {.radius_edge_ratio = NAN},
                                      {.radius_edge_ratio = 1e300}, {.max_volume = -1},
                                      {.max_volume = INFINITY},     {.max_volume = NAN},
                                      {.max_volume = 1e-12},        {.time_limit = -1}};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    csim_tet_options o = options[k];
    o.program = program;
    CHECK(run_with(&o, &m, &t) == CSIM_INVALID && t.ntet == 0);
  }
}

// tri_face translates numbers in messages.
static void test_face_numbers(void) {
  static model m;
  int face[12];
  csim_tets t;
  m = make_cube();
  for (int i = 0; i < 12; i++) face[i] = i / 2;
  m.ntri = 10;
  csim_surface s = {"x", m.nvert, m.vert, m.ntri, m.tri, face};
  check_log_init(&last_log);
  csim_tet_options o = {.program = program};
  CHECK(csim_tetrahedralize(&o, &s, (csim_place){0}, &last_log.log, &t) == CSIM_INVALID);
  CHECK(strstr(last_log.text, "edge 1-5 of face 2") || strstr(last_log.text, "edge 1-3 of face 0"));
  s.ntri = 12;
  face[11] = 77;
  m.tri[33] = m.tri[34];
  check_log_init(&last_log);
  last_log.log.write = append_error;
  CHECK(csim_tetrahedralize(&o, &s, (csim_place){0}, &last_log.log, &t) == CSIM_INVALID);
  CHECK(strstr(last_log.text, "face 77 uses vertex 7") != NULL);
  CHECK(csim_tetrahedralize(&o, &s, (csim_place){0}, NULL, &t) == CSIM_INVALID);
}

// Share of dihedral angles below a limit [deg].
static double flat_share(const csim_tets *t, double limit) {
  static const int edge[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                 {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  int flat = 0;
  for (int i = 0; i < t->ntet; i++)
    for (int e = 0; e < 6; e++) {
      const double *p[4];
      double n[2][3];
      for (int k = 0; k < 4; k++) p[k] = t->vert + csim_xyz(t->tet[4 * i + edge[e][k]]);
      csim_triangle_normal(p[0], p[1], p[2], n[0]);
      csim_triangle_normal(p[0], p[1], p[3], n[1]);
      double c = csim_dot(n[0], n[1]) / (csim_norm(n[0]) * csim_norm(n[1]));
      flat += acos(fmin(fmax(c, -1), 1)) * 180 / PI < limit;
    }
  return flat / (6.0 * t->ntet);
}

// A ratio that is asked for rids the solid of flat tetrahedra: TetGen has read it.
static void test_shape(void) {
  static model m;
  csim_tets free_of, bound;
  make_torus(&m, 24, 0);
  csim_tet_options o = {.program = program}, q = {.program = program, .radius_edge_ratio = 1.414};
  CHECK(run_with(&o, &m, &free_of) == CSIM_OK && run_with(&q, &m, &bound) == CSIM_OK);
  double before = flat_share(&free_of, 5), after = flat_share(&bound, 5);
  check_that(after < 1e-3 && before > 10 * after, __FILE__, __LINE__,
             "angles below 5 degrees: %.4f without a bound, %.4f with it", before, after);
  csim_tets_free(&free_of);
  csim_tets_free(&bound);
}

static void test_quality(void) {
  static model m;
  csim_tets coarse, fine, again;
  make_torus(&m, 24, 0);
  CHECK(run(&m, &coarse) == CSIM_OK);
  csim_tet_options o = {.program = program, .radius_edge_ratio = 1.4, .max_volume = 0.01};
  CHECK(run_with(&o, &m, &fine) == CSIM_OK);
  CHECK(fine.ntet > 9.8 / 0.01 && fine.nvert > coarse.nvert);
  CHECK(run_with(&o, &m, &again) == CSIM_OK);
  CHECK(again.ntet == fine.ntet && again.nvert == fine.nvert);
  if (again.ntet == fine.ntet && fine.ntet) {
    CHECK(!memcmp(again.tet, fine.tet, sizeof(int) * 4 * (size_t)fine.ntet));
    CHECK(!memcmp(again.vert, fine.vert, sizeof(double) * 3 * (size_t)fine.nvert));
  }
  csim_tets_free(&coarse);
  csim_tets_free(&fine);
  csim_tets_free(&again);
  m = make_cube(); // whose faces are too large for the bound: told
  CHECK(run_with(&o, &m, &fine) == CSIM_OK && last_log.log.nwarning == 1);
  csim_tets_free(&fine);
}

// Tets whose centre has x > 0 (side 1) or x < 0 (side -1): their number, and the largest volume.
static int count_side(const csim_tets *t, double side, double *largest) {
  int n = 0;
  *largest = 0;
  for (int e = 0; e < t->ntet; e++) {
    double x = 0;
    for (int k = 0; k < 4; k++) x += t->vert[3 * t->tet[4 * e + k]];
    if (!(side * x > 0)) continue;
    n++;
    *largest = fmax(*largest, csim_tet_volume(t->vert, t->tet + 4 * e));
  }
  return n;
}

// TetGen leaves one or two a little too large (it does not split the surface).
// Half of a ball in small tetrahedra, far from the origin as well; the other half hardly changes.
static void test_zones(void) {
  static model m;
  for (int far = 0; far < 2; far++) {
    m.nvert = 642, m.ntri = 1280;
    csim_icosphere(8, 1, m.vert, m.tri);
    csim_tets even, graded;
    csim_tet_zone zone = {{0, -9, -9, 9, 9, 9}, 0.0016};
    csim_tet_options o = {.program = program, .radius_edge_ratio = 1.4};
    for (int i = 0; i < m.nvert && far; i++) m.vert[3 * i + 1] += 1e4;
    if (far) zone.box[1] += 1e4, zone.box[4] += 1e4;
    CHECK(run_with(&o, &m, &even) == CSIM_OK);
    o.nzone = 1;
    o.zone = &zone;
    CHECK(run_with(&o, &m, &graded) == CSIM_OK);
    double was, is, other;
    int n = count_side(&even, 1, &was), more = count_side(&graded, 1, &is);
    int left = count_side(&even, -1, &other), same = count_side(&graded, -1, &other);
    check_that(was > 0.004 && is < 1.25 * 0.0016 && more > 1.5 * n && same < 1.5 * left, __FILE__,
               __LINE__, "%d tets, largest %g, are %d, %g; the others %d, %d", n, was, more, is,
               left, same);
    csim_tets_free(&even);
    csim_tets_free(&graded);
  }
  csim_tets t;
  csim_tet_zone bad[] = {{{0, 0, 0, 1, 1, 1}, 0},
                         {{0, 0, 0, -1, 1, 1}, 1},
                         {{NAN, 0, 0, 1, 1, 1}, 1},
                         {{0, 0, 0, 1, 1, 1}, INFINITY},
                         {{-9, -9, -9, 9, 9, 9}, 1e-12}};
  for (int k = 0; k < 5; k++) {
    csim_tet_options o = {.program = program, .nzone = 1, .zone = &bad[k]};
    CHECK(run_with(&o, &m, &t) == CSIM_INVALID);
  }
  m = make_cube(); // whose faces are too large for it: told
  csim_tet_zone zone = {{-9, -9, -9, 9, 9, 9}, 0.001};
  csim_tet_options o = {.program = program, .nzone = 1, .zone = &zone};
  CHECK(run_with(&o, &m, &t) == CSIM_OK && last_log.log.nwarning == 1);
  csim_tets_free(&t);
}

// -------------------------------------------------------------------------------- results that lie

static void test_check_tets(void) {
  static model m;
  m = make_cube();
  csim_surface s = {"x", m.nvert, m.vert, m.ntri, m.tri, NULL};
  csim_solid solid;
  csim_tets t;
  const char *wrong;
  CHECK(csim_check_solid(&s, (csim_place){0}, NULL, &solid) == CSIM_OK);
  CHECK(run(&m, &t) == CSIM_OK);
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_OK && !wrong);
  if (t.ntet < 2) return;
  int first[4], n = t.ntet;
  memcpy(first, t.tet, sizeof first);

  t.tet[0] = first[1], t.tet[1] = first[0];
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID);
  CHECK_TEXT(wrong, "a tetrahedron is flat or inside out");
  memcpy(t.tet, t.tet + 4, sizeof first); // one twice, one missing
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID && wrong);
  t.tet[2] = 99;
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID);
  CHECK_TEXT(wrong, "a tetrahedron has a vertex that does not exist");
  t.tet[2] = -1;
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID && wrong);
  memcpy(t.tet, first, sizeof first);
  t.ntet = n - 1;
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID && wrong);
  t.ntet = 0;
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID);
  CHECK_TEXT(wrong, "there are no tetrahedra");
  t.ntet = n;
  solid.volume *= 1 + 3e-9;
  CHECK(csim_check_tets(&t, &solid, &wrong) == CSIM_INVALID);
  CHECK_TEXT(wrong, "volumes do not add up to the surface's");
  csim_tets_free(&t);
  csim_solid_free(&solid);
}

// ---------------------------------------------------------------------------------------- children

static csim_child_end shell(const char *script, const void *input, size_t ninput, double seconds,
                            size_t limit, csim_child_result *r) {
  csim_child c = {(const char *const[]){"/bin/sh", "-c", script, NULL}, input, ninput, seconds,
                  limit};
  CHECK(csim_run_child(&c, r) == CSIM_OK);
  return r->end;
}

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void test_children(void) {
  csim_child_result r;
  size_t n = 5000000; // many times what pipes hold
  unsigned char *big = malloc(n);
  for (size_t i = 0; i < n; i++) big[i] = (unsigned char)(i * 7 + i / 256);
  CHECK(shell("exec cat", big, n, 30, n, &r) == CSIM_CHILD_EXITED && r.code == 0);
  CHECK(r.noutput == n && !memcmp(r.output, big, n));
  free(r.output);
  CHECK(shell("exec cat", big, n, 30, n - 1, &r) == CSIM_CHILD_FLOODED);
  free(r.output);
  // input nobody reads must not raise SIGPIPE
  CHECK(shell("exit 7", big, n, 30, 100, &r) == CSIM_CHILD_EXITED && r.code == 7);
  free(r.output);
  CHECK(shell("exec <&-; sleep 0.1; echo hello", big, n, 30, 100, &r) == CSIM_CHILD_EXITED);
  CHECK(r.noutput == 6 && !memcmp(r.output, "hello\n", 6));
  free(r.output);
  CHECK(shell("echo one >&2; echo two >&2; echo >&2; kill -SEGV $$", "", 0, 30, 0, &r) ==
        CSIM_CHILD_SIGNALED);
  CHECK(r.code == SIGSEGV);
  CHECK_TEXT(r.said, "two");
  free(r.output);
  CHECK(shell("yes", "", 0, 30, 100000, &r) == CSIM_CHILD_FLOODED);
  free(r.output);
  free(big);
}

static void test_slow_children(void) {
  csim_child_result r;
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  CHECK(shell("exec sleep 100", "", 0, 0.2, 100, &r) == CSIM_CHILD_TIMEOUT);
  free(r.output);
  CHECK(shell("exec >&- 2>&-; exec sleep 100", "", 0, 0.2, 100, &r) == CSIM_CHILD_TIMEOUT);
  free(r.output);
  CHECK(shell("trap '' TERM; while :; do echo x >&2; done", "", 0, 0.2, 100, &r) ==
        CSIM_CHILD_TIMEOUT);
  free(r.output);
  // a grandchild that keeps the pipes open does not keep us
  CHECK(shell("sleep 5 & echo done", "", 0, 30, 100, &r) == CSIM_CHILD_EXITED && r.noutput == 5);
  free(r.output);
  CHECK(seconds_since(&start) < 4);
  csim_child none = {(const char *const[]){"/nonexistent/program", NULL}, "", 0, 1, 1};
  CHECK(csim_run_child(&none, &r) == CSIM_IO && r.end == CSIM_CHILD_UNSTARTED && r.code > 0);
  free(r.output);
}

// A program of our own in the place of clothsim-tet.
static csim_status impostor(const char *script, csim_status expected, const char *cause) {
  static model m;
  char path[] = "/tmp/clothsim-test-XXXXXX";
  csim_tets t;
  m = make_cube();
  int fd = mkstemp(path);
  FILE *f = fdopen(fd, "w");
  fprintf(f, "#!/bin/sh\n%s\n", script);
  fclose(f);
  CHECK(!chmod(path, 0700));
  csim_status status = run_with(&(csim_tet_options){.program = path, .time_limit = 0.3}, &m, &t);
  check_that(status == expected, __FILE__, __LINE__, "\"%s\" gives %d", script, status);
  check_that(strstr(last_log.text, cause) != NULL, __FILE__, __LINE__, "\"%s\" does not say \"%s\"",
             last_log.text, cause);
  CHECK(t.ntet == 0);
  unlink(path);
  return status;
}

static void test_impostors(void) {
  impostor("kill -SEGV $$", CSIM_INVALID, "TetGen crashed on this surface");
  impostor("kill -ABRT $$", CSIM_INVALID, "TetGen crashed on this surface");
  impostor("exec sleep 100", CSIM_INVALID, "TetGen did not finish in 8 s on the clock");
  impostor("echo rubbish", CSIM_IO, "no proper reply");
  impostor("exit 0", CSIM_IO, "no proper reply");
  impostor("echo 'cannot load libtet.so' >&2; exit 127", CSIM_IO, "cannot load libtet.so");
  impostor("exec cat", CSIM_IO, "no proper reply");
  // a proper header that promises more than there is
  impostor("printf 'CSTETR01\\0\\0\\0\\0\\0\\0\\0\\0\\377\\377\\377\\7\\377\\377\\377\\7'", CSIM_IO,
           "no proper reply");
  // fewer vertices than were sent
  impostor("printf 'CSTETR01\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'", CSIM_INVALID,
           "changed vertices of the surface");
  // 8 vertices back as they were (offset 60 of the request), but no tets
  impostor("printf 'CSTETR01\\0\\0\\0\\0\\0\\0\\0\\0\\10\\0\\0\\0\\0\\0\\0\\0'; tail -c +61 | head "
           "-c 192",
           CSIM_INVALID, "there are no tetrahedra");
  impostor("printf 'CSTETR01\\3\\0\\0\\0\\5\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0sorry'", CSIM_INVALID,
           "sorry");
  impostor("printf 'CSTETR01\\2\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'", CSIM_INVALID,
           "more memory");
  static model m;
  csim_tets t;
  m = make_cube();
  CHECK(run_with(&(csim_tet_options){.program = "/nonexistent/clothsim-tet"}, &m, &t) == CSIM_IO);
  CHECK(strstr(last_log.text, "/nonexistent/clothsim-tet") != NULL);
}

// What the program itself does with requests that are not.
static void test_requests(void) {
  static const char header[CSIM_TET_REQUEST_HEADER] = CSIM_TET_REQUEST;
  static unsigned char request[CSIM_TET_REQUEST_HEADER + 24 * 4 + 12 * 4];
  csim_child c = {(const char *const[]){program, NULL}, NULL, 0, 10, 1 << 20};
  csim_child_result r;
  memcpy(request, header, sizeof header);
  for (int k = 0; k < 4; k++) {
    request[44] = request[48] = 4; // nvert, ntri
    request[47] = k == 2 ? 0xff : 0;
    request[CSIM_TET_REQUEST_HEADER + 24 * 4] = k == 3 ? 9 : 0;
    c.input = request;
    c.ninput = k == 0 ? 0 : k == 1 ? 60 : sizeof request;
    CHECK(csim_run_child(&c, &r) == CSIM_OK && r.end == CSIM_CHILD_EXITED && r.code == 0);
    CHECK(r.noutput > CSIM_TET_REPLY_HEADER && r.output[8] == CSIM_TET_BAD_REQUEST);
    free(r.output);
  }
}

static void test_limits(void) {
  static model m;
  csim_tets t;
  make_torus(&m, 40, 0);
  csim_tet_options o = {.program = program, .radius_edge_ratio = 1.2, .max_volume = 1e-6};
  o.time_limit = 0.5;
  CHECK(run_with(&o, &m, &t) == CSIM_INVALID);
  CHECK(strstr(last_log.text, "did not finish in 1 s of processor time") != NULL);
#ifndef __SANITIZE_ADDRESS__ // under which the child has no memory limit
  o.time_limit = 50;
  o.memory_limit = 1e8;
  CHECK(run_with(&o, &m, &t) == CSIM_INVALID);
  CHECK(strstr(last_log.text, "memory") || strstr(last_log.text, "crashed"));
#endif
}

int main(void) {
  find_program();
  if (access(program, X_OK)) {
    fprintf(stderr, "no %s: build it first (make all)\n", program);
    return 1;
  }
  test_good();
  test_scales();
  test_turned();
  test_parts();
  test_bad();
  test_bad_seams();
  test_all_defects();
  test_one_sided();
  test_rubbish();
  test_face_numbers();
  test_quality();
  test_zones();
  test_shape();
  test_check_tets();
  test_children();
  test_slow_children();
  test_impostors();
  test_requests();
  test_limits();
  return check_report();
}
