// test_bind: render meshes that go with simulated ones, against closed forms, and the nearest
// element against a search through all of them.
#include "check.h"

#include "contact/bind.h"
#include "contact/distance.h"
#include "math/vec3.h"
#include "mesh/shapes.h"

#include <stdlib.h>
#include <string.h>

static double random_in(double lo, double hi) {
  return lo + (hi - lo) * (check_random() % 65536) / 65536.0;
}

static csim_mesh make(csim_shape_kind kind, double size, int cells) {
  csim_mesh mesh;
  csim_shape_spec spec = {
      .kind = kind, .size = {size, size, size}, .radius = size, .cells = {cells, cells, cells}};
  if (csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh)) abort();
  return mesh;
}

// Two tetrahedra on every triangle of a grid would do; eight cubes of five are as good as any.
static int cubes(int n, double *x, int *tet) {
  static const int five[5][4] = {
      {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}};
  int ntet = 0;
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) {
        double *v = x + csim_xyz(i + (n + 1) * (j + (n + 1) * k));
        v[0] = (double)i / n;
        v[1] = (double)j / n;
        v[2] = (double)k / n;
      }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        for (int t = 0; t < 5; t++, ntet++)
          for (int c = 0; c < 4; c++) {
            int corner = five[t][c], flip = (i + j + k) % 2; // mirrored, so that faces meet
            int a = flip ? 1 - (corner & 1) : corner & 1;
            tet[4 * ntet + c] =
                i + a + (n + 1) * (j + (corner >> 1 & 1) + (n + 1) * (k + (corner >> 2)));
          }
  return ntet;
}

static void test_nearest(void) {
  csim_mesh ball = make(CSIM_SHAPE_KIND_SPHERE, 0.5, 20);
  csim_arena arena = {0};
  csim_nearest tree;
  CHECK(!csim_nearest_create(&arena, 3, ball.ntri, ball.tri, ball.vert, &tree));
  int wrong = 0;
  for (int trial = 0; trial < 300; trial++) {
    double p[3] = {random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)}, w[3], best = INFINITY;
    int nearest = -1, found = csim_nearest_find(&tree, p, 0, INFINITY, w);
    for (int t = 0; t < ball.ntri; t++) {
      const int *v = ball.tri + csim_xyz(t);
      double all[3],
          d = csim_point_triangle(p, ball.vert + csim_xyz(v[0]), ball.vert + csim_xyz(v[1]),
                                  ball.vert + csim_xyz(v[2]), all);
      if (!(d < best)) continue;
      best = d;
      nearest = t;
    }
    wrong += found != nearest;
  }
  CHECK(wrong == 0);
  csim_mesh_free(&ball);
  csim_arena_free(&arena);

  // in a cube of tetrahedra: those around a point inside, the nearest outside
  double x[3 * 27], w[4];
  int tet[4 * 40], ntet = cubes(2, x, tet);
  arena = (csim_arena){0};
  CHECK(!csim_nearest_create(&arena, 4, ntet, tet, x, &tree));
  wrong = 0;
  for (int trial = 0; trial < 500; trial++) {
    double p[3] = {random_in(-0.2, 1.2), random_in(-0.2, 1.2), random_in(-0.2, 1.2)}, q[3] = {0};
    int inside = 1, e = csim_nearest_find(&tree, p, 0, INFINITY, w);
    for (int c = 0; c < 3; c++) inside &= p[c] >= 0 && p[c] <= 1;
    for (int k = 0; k < 4; k++) csim_add_scaled(w[k], x + csim_xyz(tet[4 * e + k]), q);
    wrong += csim_distance(p, q) > 1e-14;
    for (int k = 0; k < 4 && inside; k++) wrong += w[k] < -1e-14;
  }
  CHECK(wrong == 0);
  // a point far out magnifies every tetrahedron
  CHECK(csim_nearest_find(&tree, (double[3]){9, 0.1, 0.1}, 0, 4, w) < 0);
  CHECK(csim_nearest_find(&tree, (double[3]){9, 0.1, 0.1}, 0, INFINITY, w) >= 0);
  csim_arena_free(&arena);
}

// p turned by `angle` about z and moved; its velocity when it turns at `rate` and moves along x.
static void turn(const double *p, double angle, double *out) {
  out[0] = cos(angle) * p[0] - sin(angle) * p[1] + 3;
  out[1] = sin(angle) * p[0] + cos(angle) * p[1] - 1;
  out[2] = p[2];
}

// Rigid motion, and velocities of it: a fine ball that floats about a coarse one.
static void test_rigid(void) {
  csim_mesh coarse = make(CSIM_SHAPE_KIND_SPHERE, 0.5, 8),
            fine = make(CSIM_SHAPE_KIND_SPHERE, 0.53, 30);
  csim_arena arena = {0};
  csim_bind bind;
  csim_bind_mesh to = {coarse.nvert, 3, coarse.ntri, coarse.tri, coarse.vert};
  CHECK(!csim_bind_create(&arena, &to, fine.nvert, fine.vert, &bind));
  CHECK(bind.farthest > 0.03 && bind.farthest < 0.2);
  double *x = CSIM_NEW(double, 3 * coarse.nvert), *v = CSIM_NEW(double, 3 * coarse.nvert),
         *out = CSIM_NEW(double, 3 * fine.nvert);
  for (int pass = 0; pass < 2; pass++) {
    double unit = pass ? 0.01 : 1, off = 0, slow = 0;
    for (int i = 0; i < coarse.nvert; i++) {
      double *p = x + csim_xyz(i), *q = v + csim_xyz(i);
      turn(coarse.vert + csim_xyz(i), 2, p);
      q[0] = -7 * (p[1] + 1) + 2;
      q[1] = 7 * (p[0] - 3);
      for (int c = 0; c < 3; c++) p[c] /= unit, q[c] /= unit;
    }
    csim_bind_place(&bind, x, unit, out);
    for (int i = 0; i < fine.nvert; i++) {
      double p[3];
      turn(fine.vert + csim_xyz(i), 2, p);
      for (int c = 0; c < 3; c++) p[c] /= unit;
      off = fmax(off, csim_distance(p, out + csim_xyz(i)) * unit);
    }
    CHECK_NEAR(off, 0, 1e-13);
    csim_bind_velocity(&bind, x, v, unit, out);
    for (int i = 0; i < fine.nvert; i++) {
      double p[3];
      turn(fine.vert + csim_xyz(i), 2, p);
      double q[3] = {(-7 * (p[1] + 1) + 2) / unit, 7 * (p[0] - 3) / unit, 0};
      slow = fmax(slow, csim_distance(q, out + csim_xyz(i)) * unit);
    }
    CHECK_NEAR(slow, 0, 1e-8);
  }
  free(x);
  free(v);
  free(out);
  csim_mesh_free(&coarse);
  csim_mesh_free(&fine);
  csim_arena_free(&arena);
}

// A sheet rolled up to a cylinder of radius R carries a fine one h above it to radius R + h: the
// facets are R (1 - cos(a / 2)) off, normals between vertices turn evenly.
static void test_rolled(void) {
  enum { CELLS = 40 };
  const double R = 0.4, h = 0.02;
  csim_mesh coarse = make(CSIM_SHAPE_KIND_GRID, 1, CELLS),
            fine = make(CSIM_SHAPE_KIND_GRID, 0.9, 130);
  csim_arena arena = {0};
  csim_bind bind;
  csim_bind_mesh to = {coarse.nvert, 3, coarse.ntri, coarse.tri, coarse.vert};
  for (int i = 0; i < fine.nvert; i++) fine.vert[3 * i + 1] = h;
  CHECK(!csim_bind_create(&arena, &to, fine.nvert, fine.vert, &bind));
  CHECK_NEAR(bind.farthest, h, 1e-15);
  for (int i = 0; i < coarse.nvert; i++) {
    double a = coarse.vert[3 * i] / R;
    coarse.vert[3 * i] = R * sin(a);
    coarse.vert[3 * i + 1] = R * cos(a);
  }
  double *out = CSIM_NEW(double, 3 * fine.nvert), most = 0,
         facet = R * (1 - cos(1.0 / CELLS / R / 2));
  csim_bind_place(&bind, coarse.vert, 1, out);
  for (int i = 0; i < fine.nvert; i++) {
    double a = fine.vert[3 * i] / R,
           p[3] = {(R + h) * sin(a), (R + h) * cos(a), fine.vert[3 * i + 2]};
    most = fmax(most, csim_distance(p, out + csim_xyz(i)));
  }
  CHECK(most > 0.5 * facet); // it is what it says
  CHECK(most < 1.5 * facet);
  free(out);
  csim_mesh_free(&coarse);
  csim_mesh_free(&fine);
  csim_arena_free(&arena);
}

// Tetrahedra carry every affine motion exactly, inside and out, and velocities too.
static void test_affine(void) {
  double x[3 * 27], v[3 * 27], p[3 * 200], out[3 * 200];
  const double A[9] = {1.3, 0.2, 0, -0.4, 0.7, 0.1, 0.3, 0, 1.9};
  int tet[4 * 40], ntet = cubes(2, x, tet);
  csim_arena arena = {0};
  csim_bind bind;
  for (int i = 0; i < 600; i++) p[i] = random_in(-0.1, 1.1);
  csim_bind_mesh to = {27, 4, ntet, tet, x};
  CHECK(!csim_bind_create(&arena, &to, 200, p, &bind));
  CHECK(bind.farthest > 0 && bind.farthest <= 0.1 * sqrt(3));
  for (int i = 0; i < 27; i++) {
    csim_mat3_mul(A, x + 3 * i, v + 3 * i);
    for (int c = 0; c < 3; c++) x[3 * i + c] = v[3 * i + c] + 5;
  }
  csim_bind_place(&bind, x, 1, out);
  double off = 0;
  for (int i = 0; i < 200; i++) {
    double q[3];
    csim_mat3_mul(A, p + 3 * i, q);
    for (int c = 0; c < 3; c++) off = fmax(off, fabs(q[c] + 5 - out[3 * i + c]));
  }
  CHECK_NEAR(off, 0, 1e-13);
  csim_bind_velocity(&bind, x, v, 1, out);
  for (int i = 0; i < 200; i++) {
    double q[3];
    csim_mat3_mul(A, p + 3 * i, q);
    off = fmax(off, csim_distance(q, out + 3 * i));
  }
  CHECK_NEAR(off, 0, 1e-13);
  csim_arena_free(&arena);
}

// What has no area or volume, now or later, leaves numbers finite.
static void test_degenerate(void) {
  const double line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, p[6] = {1, 0.5, 0, 3, 0, 0};
  const int tri[3] = {0, 1, 2};
  csim_arena arena = {0};
  csim_bind bind;
  double out[6];
  csim_bind_mesh to = {3, 3, 1, tri, line};
  CHECK(!csim_bind_create(&arena, &to, 2, p, &bind));
  csim_bind_place(&bind, line, 1, out);
  for (int c = 0; c < 6; c++) CHECK_NEAR(out[c], p[c], 1e-15);
  const double sheet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const int tet[4] = {0, 1, 2, 3};
  to = (csim_bind_mesh){4, 4, 1, tet, sheet};
  CHECK(!csim_bind_create(&arena, &to, 2, p, &bind));
  csim_bind_place(&bind, sheet, 1, out);
  for (int c = 0; c < 6; c++) CHECK(isfinite(out[c]));
  csim_arena_free(&arena);
}

int main(void) {
  test_nearest();
  test_rigid();
  test_rolled();
  test_affine();
  test_degenerate();
  return check_report();
}
