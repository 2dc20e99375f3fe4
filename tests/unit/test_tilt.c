// test_tilt: the stiffness of contacts against tilting, against second differences of distances: a
// triangle between two points, and an edge between two edges, that press from both sides.
#include "check.h"
#include "kit.h"

#include "contact/distance.h"
#include "contact/tilt.h"
#include "math/vec3.h"

#include <string.h>

enum { FREE = 3, VERTS = 9 };

static const double FORCE = 5000, H = 1.0 / 120; // [N], [s]

// Two contacts of free vertices 0 to 2, or 0 and 1, with colliders' vertices from 3 on.
typedef struct fixture {
  csim_collision_mesh mesh;
  csim_kinematics kin;
  csim_active_set active;
  csim_tilt_set tilts;
  csim_pair_kind kind;
  double mass[FREE], x[3 * VERTS];
  unsigned char kinematic[FREE];
  csim_active_contact contact[2];
} fixture;

static double distance(const fixture *f, const double *x, int i, double w[4]) {
  const double *p[4];
  for (int k = 0; k < 4; k++) p[k] = x + csim_xyz(f->contact[i].v[k]);
  return sqrt(csim_pair_closest(f->kind, p, w));
}

static void put(fixture *f, int i, double x, double y, double z) {
  f->x[3 * i] = x;
  f->x[3 * i + 1] = y;
  f->x[3 * i + 2] = z;
}

static void create(csim_pair_kind kind, double gap, double force, fixture *f) {
  *f = (fixture){.kind = kind};
  f->mesh = (csim_collision_mesh){.nbody_vert = FREE, .mass = f->mass};
  f->kin = (csim_kinematics){.mesh = &f->mesh, .h = H, .kinematic = f->kinematic};
  for (int i = 0; i < FREE; i++) f->mass[i] = 1e-4;
  put(f, 0, -0.02, 0, 0.01);
  put(f, 1, 0.03, 0, 0.005);
  put(f, 2, 0.002, 0, 0.025);
  for (int i = 0; i < 2; i++) {
    csim_active_contact *c = &f->contact[i];
    double y = i ? -gap : 1.5 * gap;
    if (kind == CSIM_PAIR_VERTEX_TRIANGLE) {
      put(f, 3 + i, 0.001, y, 0.012);
      memcpy(c->v, (int[4]){3 + i, 0, 1, 2}, sizeof c->v);
    } else {
      put(f, 3 + 2 * i, 0.001, y, -0.01);
      put(f, 4 + 2 * i, 0.015, y, 0.03);
      memcpy(c->v, (int[4]){0, 1, 3 + 2 * i, 4 + 2 * i}, sizeof c->v);
    }
    distance(f, f->x, i, c->w);
    for (int k = 1; k < 4; k++) {
      const double *o = f->x + csim_xyz(c->v[0]), *p = f->x + csim_xyz(c->v[k]);
      for (int a = 0; a < 3; a++) c->n[a] += c->w[k] * (p[a] - o[a]);
    }
    double length = csim_norm(c->n);
    for (int a = 0; a < 3; a++) c->n[a] /= length;
    c->force = -force;
  }
  f->active =
      (csim_active_set){.kin = &f->kin, .x = f->x, .contact = f->contact, .n = 2, .nfound = 2};
  f->tilts.active = &f->active;
}

// Twice the energy of the tilts found when free vertices move by u (FREE x 3).
static double quadratic(const fixture *f, const double *u) {
  double sum = 0;
  for (int i = 0; i < f->tilts.n; i++) {
    const csim_tilt *t = &f->tilts.tilt[i];
    double s[3] = {0}, Bs[3];
    for (int k = 0; k < 4; k++)
      if (t->v[k] < FREE) csim_add_scaled(t->w[k], u + csim_xyz(t->v[k]), s);
    csim_mat3_mul(t->B, s, Bs);
    sum += csim_dot(s, Bs);
  }
  return sum;
}

// The same of two forces that do not change: -FORCE times the second difference of both distances.
static double by_differences(const fixture *f, const double *u) {
  static const double E = 1e-3;
  double sum = 0, w[4];
  for (int i = 0; i < 2; i++) {
    double d[3];
    for (int s = -1; s <= 1; s++) {
      double x[3 * VERTS];
      memcpy(x, f->x, sizeof x);
      for (int k = 0; k < 3 * FREE; k++) x[k] += E * s * u[k];
      d[s + 1] = distance(f, x, i, w);
    }
    sum -= FORCE * (d[2] - 2 * d[1] + d[0]) / (E * E);
  }
  return sum;
}

// What pinches from both sides does not slide along with what tilts, so that nothing else is left
// of the second derivative.
static void test_pinched(csim_pair_kind kind) {
  fixture f;
  create(kind, 1e-3, FORCE, &f);
  CHECK(csim_tilts_find(&f.tilts) == 0);
  CHECK(f.tilts.n == 4);
  unsigned seed = 3;
  for (int trial = 0; trial < 20; trial++) {
    double u[3 * FREE] = {0};
    for (int i = 0; i < FREE; i++) u[3 * i + 1] = 1e-3 * kit_random(&seed);
    double expected = by_differences(&f, u);
    CHECK(expected > 0);
    CHECK_NEAR(quadratic(&f, u), expected, 0.01 * expected);
    // rigid translations do not tilt
    for (int i = 0; i < 3 * FREE; i++) u[i] = i % 3 == 1;
    CHECK(quadratic(&f, u) < 1e-12);
  }
  csim_tilts_free(&f.tilts);
}

// Only what presses, and resists far more than inertia does.
static void test_which(void) {
  fixture f;
  create(CSIM_PAIR_VERTEX_TRIANGLE, 1e-3, 1e-3, &f); // |f| d/L^2 is less than m/h^2 = 1.4 N/m
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 0);
  csim_tilts_free(&f.tilts);
  create(CSIM_PAIR_VERTEX_TRIANGLE, 0.2, FORCE, &f); // the triangle is smaller than the gap
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 0);
  csim_tilts_free(&f.tilts);
  create(CSIM_PAIR_VERTEX_TRIANGLE, 1e-3, -FORCE, &f); // it pulls
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 0);
  csim_tilts_free(&f.tilts);
  create(CSIM_PAIR_VERTEX_TRIANGLE, 1e-3, FORCE, &f);
  f.contact[0].v[3] = -1; // of a plane
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 2);
  f.active.nfound = 0; // guides are none
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 0);
  f.active.nfound = 2;
  memset(f.kinematic, 1, sizeof f.kinematic); // nothing is free
  CHECK(csim_tilts_find(&f.tilts) == 0 && f.tilts.n == 0);
  csim_tilts_free(&f.tilts);
}

int main(void) {
  test_pinched(CSIM_PAIR_VERTEX_TRIANGLE);
  test_pinched(CSIM_PAIR_EDGE_EDGE);
  test_which();
  return check_report();
}
