// test_planar: triangles inside of outlines: area, outline edges kept, Delaunay, angles.
#include "check.h"

#include "math/predicates.h"
#include "mesh/planar.h"

#include <stdlib.h>
#include <string.h>

static double area_of(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n);
    sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  return sum;
}

// Positive triangles that sum to the outline's area, each side of it in one of them, every other
// edge in two. Returns the smallest angle [degrees] of triangles with a vertex inside.
static double check_mesh(int n, const double *x, const csim_planar *m) {
  double sum = 0, least = 180;
  int side = 0, edges = 0;
  for (int t = 0; t < m->ntri; t++) {
    const int *v = m->tri + 3 * t;
    double p[6];
    for (int k = 0; k < 3; k++) memcpy(p + 2 * k, m->vert + 2 * v[k], 2 * sizeof *p);
    CHECK(csim_orient2d(p, p + 2, p + 4) > 0);
    sum += area_of(3, p);
    for (int k = 0; k < 3; k++) {
      side += v[(k + 1) % 3] == (v[k] + 1) % n && v[k] < n && v[(k + 1) % 3] < n;
      const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % 3), *c = p + 2 * ((k + 2) % 3);
      double u[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {c[0] - a[0], c[1] - a[1]};
      double angle = atan2(u[0] * w[1] - u[1] * w[0], u[0] * w[0] + u[1] * w[1]);
      if (v[0] >= n || v[1] >= n || v[2] >= n) least = fmin(least, angle * 180 / acos(-1));
    }
    edges += 3;
  }
  CHECK(memcmp(m->vert, x, 2 * (size_t)n * sizeof *x) == 0);
  CHECK_NEAR(sum, area_of(n, x), 1e-12 * sum);
  CHECK(side == n);
  CHECK((edges - n) % 2 == 0);
  CHECK(m->nvert - (edges + n) / 2 + m->ntri == 1); // Euler: one disk
  return least;
}

static int outline_of(const double (*corner)[2], int ncorner, double spacing, double *x) {
  int n = 0;
  for (int i = 0; i < ncorner; i++) {
    const double *a = corner[i], *b = corner[(i + 1) % ncorner];
    int parts = (int)ceil(hypot(b[0] - a[0], b[1] - a[1]) / spacing);
    for (int k = 0; k < parts; k++, n++)
      for (int c = 0; c < 2; c++) x[2 * n + c] = a[c] + (b[c] - a[c]) * k / parts;
  }
  return n;
}

static void test_shapes(void) {
  static const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  static const double ell[][2] = {{0, 0}, {1, 0}, {1, 0.3}, {0.4, 0.3}, {0.3, 1}, {0, 1}};
  static const double dart[][2] = {{0, 0}, {0.48, 0}, {0.5, 0.6}, {0.52, 0},
                                   {1, 0}, {1, 1},    {0, 1}};
  static const double band[][2] = {{0, 0}, {1, 0}, {1, 0.04}, {0, 0.04}};
  static const double comb[][2] = {{0, 0},   {1, 0},     {1, 1}, {0.8, 0.1},
                                   {0.6, 1}, {0.5, 0.1}, {0, 1}};
  const struct {
    const double (*corner)[2];
    int n;
    double angle;
  } shape[] = {{square, 4, 25}, {ell, 6, 20}, {dart, 7, 1}, {band, 4, 20}, {comb, 7, 3}};
  static const double spacing[] = {0.3, 0.05, 0.02};
  double *x = CSIM_NEW(double, 4096);
  for (int s = 0; s < 5; s++)
    for (int k = 0; k < 3; k++) {
      csim_planar mesh;
      int n = outline_of(shape[s].corner, shape[s].n, spacing[k], x), fault[2];
      CHECK(csim_planar_mesh(n, x, spacing[k], fault, &mesh) == CSIM_PLANAR_OK);
      double least = check_mesh(n, x, &mesh);
      CHECK(least >= shape[s].angle);
      csim_planar_free(&mesh);
    }
  // as many vertices as a lattice of equilateral triangles has
  csim_planar mesh;
  int fault[2], n = outline_of(square, 4, 0.02, x);
  CHECK(csim_planar_mesh(n, x, 0.02, fault, &mesh) == CSIM_PLANAR_OK);
  CHECK_NEAR(mesh.nvert, 1 / (0.02 * 0.02 * sqrt(0.75)), 0.05 * mesh.nvert);
  csim_planar_free(&mesh);
  free(x);
}

// Outlines that cross or touch themselves are told by their sides.
static void test_crossing(void) {
  static const double bow[] = {0, 0, 1, 1, 1, 0, 0, 1};
  static const double touch[] = {0, 0, 1, 0, 1, 1, 0.5, 0, 0, 1};
  static const double back[] = {0, 0, 1, 0, 0.5, 0, 0.5, 1};
  csim_planar mesh;
  int fault[2];
  CHECK(csim_planar_mesh(4, bow, 0.1, fault, &mesh) == CSIM_PLANAR_CROSSING);
  CHECK(fault[0] == 0 && fault[1] == 2);
  csim_planar_free(&mesh);
  CHECK(csim_planar_mesh(5, touch, 0.1, fault, &mesh) == CSIM_PLANAR_CROSSING);
  CHECK(fault[0] == 0 && fault[1] == 2);
  csim_planar_free(&mesh);
  CHECK(csim_planar_mesh(4, back, 0.1, fault, &mesh) == CSIM_PLANAR_CROSSING);
  CHECK(fault[0] == 0 && fault[1] == 1);
  csim_planar_free(&mesh);
}

int main(void) {
  test_shapes();
  test_crossing();
  return check_report();
}
