// test_terms: every point of a collider's surface counts once: energies of a vertex above surfaces
// against closed forms, and their continuity.
#include "check.h"
#include "kit.h"

#include "contact/terms.h"
#include "math/vec3.h"
#include "mesh/shapes.h"

#include <string.h>

// A vertex of a body, number 0, and a collider.
typedef struct place {
  csim_arena arena;
  csim_mesh mesh;
  csim_collider collider;
  csim_model model;
  csim_body body;
  csim_collision_mesh surface;
  double x0[3], mass, *x; // (surface.nvert x 3)
  int body_of;
} place;

static const double LIMIT = 0.03;

// A function with a continuous derivative that ends at the limit.
static double barrier(double d) {
  return d < LIMIT ? (LIMIT - d) * (LIMIT - d) : 0;
}

static void place_begin(csim_shape_spec spec, place *p) {
  *p = (place){.mass = 1, .body = {.nvert = 1}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &p->mesh) == CSIM_OK);
  p->collider = (csim_collider){
      .shape = CSIM_COLLIDER_MESH, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mesh = &p->mesh};
  p->model = (csim_model){.nvert = 1,
                          .nbody = 1,
                          .body = &p->body,
                          .body_of = &p->body_of,
                          .tri = &p->body_of, // of no triangle
                          .x0 = p->x0,
                          .mass = &p->mass};
  CHECK(csim_collision_mesh_build(&p->arena, &p->model, 1, &p->collider, &p->surface) == 0);
  p->x = CSIM_ARENA_NEW(&p->arena, double, csim_xyz(p->surface.nvert));
  csim_collision_mesh_starts(&p->surface, p->x);
}

static void place_end(place *p) {
  csim_mesh_free(&p->mesh);
  csim_arena_free(&p->arena);
}

// Energy of the vertex at q, and, unless NULL, its gradient and its distance from the surface.
static double energy(place *p, const double q[3], double gradient[3], double *distance) {
  double sum = 0, nearest = INFINITY;
  memcpy(p->x, q, 3 * sizeof *q);
  if (gradient) memset(gradient, 0, 3 * sizeof *gradient);
  for (int t = 0; t < p->surface.ntri; t++) {
    csim_term term[CSIM_MOST_TERMS];
    const int *tri = p->surface.tri + csim_xyz(t);
    int v[4] = {0, tri[0], tri[1], tri[2]};
    int n = csim_terms_find(&p->surface, &(csim_candidate){.b = t}, v, p->x, LIMIT, term);
    for (int k = 0; k < n; k++) {
      sum += term[k].times * barrier(term[k].d);
      nearest = csim_min(nearest, term[k].d);
      for (int j = 0; j < 4 && gradient; j++)
        csim_add_scaled(term[k].times * 2 * (LIMIT - term[k].d) * term[k].w[j] / term[k].d,
                        p->x + csim_xyz(v[j]), gradient);
    }
  }
  if (distance) *distance = nearest;
  return sum;
}

static const csim_shape_spec GRID = {
    .kind = CSIM_SHAPE_KIND_GRID, .size = {0.1, 0.1}, .cells = {6, 5}};

// Above a flat mesh, irregular in its plane, and beyond its border: the barrier of the distance.
static void test_flat(void) {
  place p;
  unsigned seed = 5;
  place_begin(GRID, &p);
  for (int i = 1; i < p.surface.nvert; i++) // the outer ones stay on a square
    for (int a = 0; a < 3; a += 2)
      if (fabs(p.x[csim_xyz(i)]) < 0.049 && fabs(p.x[csim_xyz(i) + 2]) < 0.049)
        p.x[csim_xyz(i) + a] += 4e-3 * kit_random(&seed);
  for (int k = 0; k < 2000; k++) {
    double q[3] = {0.075 * kit_random(&seed), 0.002 + 0.02 * fabs(kit_random(&seed)),
                   0.075 * kit_random(&seed)};
    const double *on = p.x + csim_xyz(1 + k % (p.surface.nvert - 1));
    if (k % 4 == 0) q[0] = on[0]; // over a vertex, or over its sides
    if (k % 8 == 0) q[2] = on[2];
    double beyond[3] = {csim_max(0, fabs(q[0]) - 0.05), q[1], csim_max(0, fabs(q[2]) - 0.05)};
    CHECK_NEAR(energy(&p, q, NULL, NULL), barrier(csim_norm(beyond)), 1e-14);
  }
  place_end(&p);
}

// Outside of convex bodies, with sharp and with blunt edges.
static void test_convex(csim_shape_spec spec, double far) {
  place p;
  unsigned seed = 6;
  int near = 0;
  place_begin(spec, &p);
  for (int k = 0; k < 3000; k++) {
    const double *on = p.x + csim_xyz(1 + k % (p.surface.nvert - 1));
    double q[3], distance;
    for (int a = 0; a < 3; a++) q[a] = 1.02 * on[a] + far * kit_random(&seed);
    double radius = spec.radius > 0 ? csim_norm(q) : 0, half = spec.size[0] / 2;
    int outside = spec.radius > 0 ? radius > spec.radius
                                  : fabs(q[0]) > half || fabs(q[1]) > half || fabs(q[2]) > half;
    if (!outside) continue;
    double got = energy(&p, q, NULL, &distance);
    CHECK_NEAR(got, isfinite(distance) ? barrier(distance) : 0, 1e-14);
    near += got > 0;
  }
  CHECK(near > 500);
  place_end(&p);
}

// In a valley of two planes, over the middle of the mesh: both count, less their edge.
static void test_valley(double slope) {
  place p;
  unsigned seed = 7;
  place_begin(GRID, &p);
  for (int i = 1; i < p.surface.nvert; i++) p.x[csim_xyz(i) + 1] = slope * fabs(p.x[csim_xyz(i)]);
  double across = 1 / sqrt(1 + slope * slope);
  for (int k = 0; k < 1000; k++) {
    double q[3] = {5e-3 * kit_random(&seed), 0, 0.03 * kit_random(&seed)};
    q[1] = slope * fabs(q[0]) + 0.001 + 0.005 * fabs(kit_random(&seed));
    double d[2], expected = 0;
    for (int side = 0; side < 2; side++) {
      double along = (q[0] * (side ? 1 : -1) + slope * q[1]) * across; // from the bottom upwards
      d[side] = along > 0 ? (q[1] - slope * (side ? q[0] : -q[0])) * across : hypot(q[0], q[1]);
      expected += barrier(d[side]);
    }
    expected -= barrier(hypot(q[0], q[1]));
    CHECK_NEAR(energy(&p, q, NULL, NULL), expected, 1e-14);
  }
  place_end(&p);
}

// Over a rough surface the energy has a continuous gradient: along straight ways it changes by no
// more than the gradient says.
static void test_rough(void) {
  place p;
  unsigned seed = 8;
  place_begin(GRID, &p);
  for (int i = 1; i < p.surface.nvert; i++) p.x[csim_xyz(i) + 1] = 4e-3 * kit_random(&seed);
  enum { STEPS = 4000 };
  for (int way = 0; way < 10; way++) {
    double from[3], to[3], q[3], g[3], before[3] = {0}, last = 0, step[3], worst = 0;
    for (int a = 0; a < 3; a++) {
      from[a] = a == 1 ? 0.008 : 0.06 * kit_random(&seed);
      to[a] = a == 1 ? 0.008 : 0.06 * kit_random(&seed);
      step[a] = (to[a] - from[a]) / STEPS;
    }
    for (int k = 0; k <= STEPS; k++) {
      for (int a = 0; a < 3; a++) q[a] = from[a] + k * step[a];
      double now = energy(&p, q, g, NULL);
      if (k > 0)
        worst =
            csim_max(worst, fabs(now - last - 0.5 * (csim_dot(g, step) + csim_dot(before, step))));
      last = now;
      memcpy(before, g, sizeof g);
    }
    CHECK(worst < 20 * csim_dot(step, step)); // second derivatives times the step squared
  }
  place_end(&p);
}

int main(void) {
  test_flat();
  test_convex(
      (csim_shape_spec){.kind = CSIM_SHAPE_KIND_BOX, .size = {0.1, 0.1, 0.1}, .cells = {3, 3, 3}},
      0.02);
  test_convex((csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 0.1, .cells = {16, 12}},
              0.02);
  test_valley(0.05);
  test_valley(1);
  test_rough();
  return check_report();
}
