// test_nearest: the nearest triangle or tetrahedron against measuring every one.
#include "check.h"
#include "kit.h"

#include "contact/nearest.h"

#include <math.h>

enum { NVERT = 60, NELEM = 80, NPOINT = 200 };

// Squared distance of p from a triangle by subdividing it (accurate to a small part of its size).
static double apart(const double *p, const double *w, int width, const int *v, double x[][3]) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    double d = -p[c];
    for (int k = 0; k < width; k++) d += w[k] * x[v[k]][c];
    square += d * d;
  }
  return square;
}

// The least over weights on a grid of the simplex.
static double brute(const double *p, const int *v, double x[][3]) {
  enum { STEPS = 40 };
  double least = INFINITY;
  for (int i = 0; i <= STEPS; i++)
    for (int j = 0; i + j <= STEPS; j++) {
      double w[3] = {(double)i / STEPS, (double)j / STEPS, (double)(STEPS - i - j) / STEPS};
      least = fmin(least, apart(p, w, 3, v, x));
    }
  return least;
}

static void test_triangles(void) {
  unsigned seed = 3;
  double x[NVERT][3], p[NPOINT][3];
  int elem[NELEM][3];
  csim_arena arena = {0};
  csim_nearest tree;
  kit_points(&seed, NVERT, 1, x);
  kit_points(&seed, NPOINT, 1.5, p);
  for (int e = 0; e < NELEM; e++)
    for (int k = 0; k < 3; k++) elem[e][k] = (e * 7 + k * 13 + e / 5) % NVERT;
  CHECK(csim_nearest_create(&arena, 3, NELEM, elem[0], x[0], &tree) == 0);
  for (int i = 0; i < NPOINT; i++) {
    double w[3], least = INFINITY;
    int found = csim_nearest_find(&tree, p[i], 0, INFINITY, w);
    CHECK(found >= 0 && found < NELEM);
    CHECK(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) < 1e-12);
    for (int e = 0; e < NELEM; e++) least = fmin(least, brute(p[i], elem[e], x));
    double own = apart(p[i], w, 3, elem[found], x);
    CHECK(sqrt(own) <= sqrt(least) + 1e-12); // a grid's points are never nearer
    CHECK(sqrt(own) >= sqrt(least) - 0.1);   // nor much farther
    // an element that is near enough will do; one that is not will not
    double enough = sqrt(own) + 0.2;
    found = csim_nearest_find(&tree, p[i], enough, INFINITY, w);
    CHECK(apart(p[i], w, 3, elem[found], x) < enough * enough);
    if (!(sqrt(own) > 0.1)) continue;
    found = csim_nearest_find(&tree, p[i], 0.1, INFINITY, w);
    CHECK(apart(p[i], w, 3, elem[found], x) == own);
  }
  csim_arena_free(&arena);
}

static void test_tetrahedra(void) {
  static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  static const int tet[] = {0, 1, 2, 3, 1, 2, 3, 4};
  csim_arena arena = {0};
  csim_nearest tree;
  double w[4];
  CHECK(csim_nearest_create(&arena, 4, 2, tet, x, &tree) == 0);
  CHECK(csim_nearest_find(&tree, (double[]){0.1, 0.2, 0.3}, 0, INFINITY, w) == 0);
  CHECK_NEAR(w[0], 0.4, 1e-14);
  CHECK_NEAR(w[1], 0.1, 1e-14);
  CHECK_NEAR(w[2], 0.2, 1e-14);
  CHECK_NEAR(w[3], 0.3, 1e-14);
  CHECK(csim_nearest_find(&tree, (double[]){0.6, 0.6, 0.6}, 0, INFINITY, w) == 1);
  CHECK(csim_nearest_find(&tree, (double[]){-9, 0, 0}, 0, INFINITY, w) == 0);
  CHECK_NEAR(w[1], -9, 1e-13); // weights of the point itself, outside too
  CHECK(csim_nearest_find(&tree, (double[]){-9, 0, 0}, 0, 2, w) == -1);
  csim_arena_free(&arena);
}

int main(void) {
  test_triangles();
  test_tetrahedra();
  return check_report();
}
