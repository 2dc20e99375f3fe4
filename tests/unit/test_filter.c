// tests/unit/test_filter.c: the step filter against everything that could make it let something
// through, judged by geometry of its own; and that it stops nothing else.
#include "check.h"
#include "kit.h"

#include "contact/ccd.h"
#include "contact/filter.h"
#include "math/vec3.h"
#include "mesh/intersect.h"

#include <string.h>

static unsigned seed = 12345;

// Six times the volume of the tetrahedron that a pair is part of, after the share s of a motion;
// and the four points then.
static long double volume(double x[4][3], double y[4][3], long double s, long double at[4][3]) {
  long double e[3][3];
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) at[k][c] = x[k][c] + s * ((long double)y[k][c] - x[k][c]);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) e[k][c] = at[k + 1][c] - at[0][c];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Whether four points in a plane meet within their primitives: sum_k w_k x_k = 0 has weights of the
// right signs (of the triangle, or of both edges). By the least squares of two unknowns.
static int meets_inside(csim_pair_kind kind, long double at[4][3]) {
  long double a[3], b[3], r[3], aa = 0, ab = 0, bb = 0, ar = 0, br = 0;
  for (int c = 0; c < 3; c++) {
    int triangle = kind == CSIM_PAIR_VERTEX_TRIANGLE;
    a[c] = triangle ? at[2][c] - at[1][c] : at[1][c] - at[0][c];
    b[c] = triangle ? at[3][c] - at[1][c] : at[2][c] - at[3][c];
    r[c] = triangle ? at[0][c] - at[1][c] : at[2][c] - at[0][c];
    aa += a[c] * a[c];
    ab += a[c] * b[c];
    bb += b[c] * b[c];
    ar += a[c] * r[c];
    br += b[c] * r[c];
  }
  long double det = aa * bb - ab * ab, edge = 1e-6L;
  if (!(det > 1e-12L * aa * bb)) return 0; // parallel: the distance tells
  long double p = (bb * ar - ab * br) / det, q = (aa * br - ab * ar) / det;
  return kind == CSIM_PAIR_VERTEX_TRIANGLE ? p > edge && q > edge && p + q < 1 - edge
                                           : p > edge && p < 1 - edge && q > edge && q < 1 - edge;
}

// Whether a straight motion takes the two sides through each other: some time at which the four
// points are in a plane and meet within their primitives. By bisection of the volume's sign over
// 48 intervals, in long double, and independent of the filter.
static int passes(csim_pair_kind kind, double x[4][3], double y[4][3]) {
  enum { N = 48 };
  long double at[4][3], before = volume(x, y, 0, at);
  for (int i = 1; i <= N; i++) {
    long double lo = (long double)(i - 1) / N, hi = (long double)i / N;
    long double after = volume(x, y, hi, at), sign = before;
    before = after;
    if ((sign < 0) == (after < 0)) continue;
    for (int k = 0; k < 70; k++) {
      long double mid = (lo + hi) / 2;
      if ((volume(x, y, mid, at) < 0) == (sign < 0))
        lo = mid;
      else
        hi = mid;
    }
    volume(x, y, hi, at);
    if (meets_inside(kind, at)) return 1;
  }
  return 0;
}

// Random pairs, near-parallel ones, tiny gaps, far from the origin, degenerate ones: after any
// number of filtered motions they are still apart and have not passed; so it is for every part of a
// motion.
static void test_filter(void) {
  int cut = 0, would_pass = 0;
  for (int trial = 0; trial < 30000; trial++) {
    csim_pair_kind kind = (csim_pair_kind)(trial & 1);
    int style = trial / 2 % 6;
    double x[4][3], d[4][3], y[4][3], t[4], n[3], offset = style == 3 ? 1e4 : 0;
    kit_points(&seed, 4, 1, x);
    if (style == 1 || style == 4) { // almost parallel, almost touching
      double gap = pow(10, kit_uniform(&seed, -10, -3)), e[3];
      csim_sub(x[1], x[0], e);
      for (int c = 0; c < 3; c++) {
        x[2][c] = x[0][c] + kit_uniform(&seed, -0.5, 0.5) * e[c] + gap * (c == 1);
        x[3][c] = x[2][c] + e[c] + kit_uniform(&seed, -1, 1) * gap * 0.1;
      }
    }
    if (style == 2)
      for (int i = 1; i < 4; i++)
        x[i][1] = -pow(10, kit_uniform(&seed, -9, -1)); // flat, vertex above
    if (style == 5) memcpy(x[3], x[2], sizeof x[3]);
    for (int i = 0; i < 4; i++) x[i][0] += offset;
    const double *p[4] = {x[0], x[1], x[2], x[3]}, *q[4] = {d[0], d[1], d[2], d[3]};
    if (!(csim_separate_pair(kind, p, n) > 0)) continue; // touching already
    for (int move = 0; move < 12; move++) {
      kit_points(&seed, 4, move % 3 ? 1 : 1e-3, d);
      for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) y[k][c] = x[k][c] + d[k][c];
      would_pass += passes(kind, x, y);
      cut += csim_filter_pair(kind, p, q, 0, t);
      for (int part = 1; part <= 2; part++) {
        for (int k = 0; k < 4; k++) {
          CHECK(t[k] >= 0 && t[k] <= 1);
          // half the way for some, all of it for others: any shorter motion is safe as well
          double s = part == 1 ? t[k] * kit_uniform(&seed, 0, 1) : t[k];
          for (int c = 0; c < 3; c++) y[k][c] = x[k][c] + s * d[k][c];
        }
        double w[4];
        CHECK(!passes(kind, x, y));
        CHECK(csim_pair_closest(kind, (const double *[]){y[0], y[1], y[2], y[3]}, w) > 0);
      }
      double u[4][3], time;
      for (int k = 0; k < 4; k++) csim_sub(y[k], x[k], u[k]);
      if (csim_separate_pair(kind, p, n) > 1e-7)
        CHECK(!csim_ccd_pair(kind, p, (const double *[]){u[0], u[1], u[2], u[3]}, 0, &time) ||
              time > 0.999);
      memcpy(x, y, sizeof x);
    }
  }
  CHECK(cut > 10000);
  check_that(would_pass > 2000, __FILE__, __LINE__, "%d motions had to be stopped", would_pass);
}

// Three triangles thrown about at random, all their pairs filtered: never do they meet, exactly.
static void test_triangles(void) {
  static const int tri[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const int edge[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                 {5, 3}, {6, 7}, {7, 8}, {8, 6}};
  for (int trial = 0; trial < 300; trial++) {
    double x[9][3], d[9][3], t[9], s[4];
    do {
      kit_points(&seed, 9, trial % 2 ? 1 : 0.5, x);
      for (int i = 0; i < 9; i++) x[i][1] = trial % 3 == 0 ? i / 3 * 1e-6 : x[i][1];
      long long total = 1;
      csim_triangles mesh = {9, x[0], 3, tri};
      CHECK(csim_find_self_intersections(NULL, &mesh, 0, NULL, &total) == CSIM_OK);
      if (total == 0) break;
    } while (1);
    for (int step = 0; step < 30; step++) {
      kit_points(&seed, 9, 0.5, d);
      for (int i = 0; i < 9; i++) t[i] = 1;
      for (int v = 0; v < 9; v++)
        for (int f = 0; f < 3; f++) {
          if (v / 3 == f) continue;
          int id[4] = {v, 3 * f, 3 * f + 1, 3 * f + 2};
          csim_filter_pair(CSIM_PAIR_VERTEX_TRIANGLE,
                           (const double *[]){x[id[0]], x[id[1]], x[id[2]], x[id[3]]},
                           (const double *[]){d[id[0]], d[id[1]], d[id[2]], d[id[3]]}, 1e-7, s);
          for (int k = 0; k < 4; k++) t[id[k]] = csim_min(t[id[k]], s[k]);
        }
      for (int a = 0; a < 9; a++)
        for (int b = a + 1; b < 9; b++) {
          if (a / 3 == b / 3) continue;
          int id[4] = {edge[a][0], edge[a][1], edge[b][0], edge[b][1]};
          csim_filter_pair(CSIM_PAIR_EDGE_EDGE,
                           (const double *[]){x[id[0]], x[id[1]], x[id[2]], x[id[3]]},
                           (const double *[]){d[id[0]], d[id[1]], d[id[2]], d[id[3]]}, 1e-7, s);
          for (int k = 0; k < 4; k++) t[id[k]] = csim_min(t[id[k]], s[k]);
        }
      for (int i = 0; i < 9; i++) csim_add_scaled(t[i], d[i], x[i]);
      long long total = 1;
      csim_triangles mesh = {9, x[0], 3, tri};
      CHECK(csim_find_self_intersections(NULL, &mesh, 0, NULL, &total) == CSIM_OK);
      CHECK(total == 0);
    }
  }
}

// A vertex above a triangle of the plane y = 0, in the middle.
static void above_triangle(double height, double x[4][3]) {
  static const double at[4][3] = {{0, 0, 0}, {-1, 0, -1}, {1, 0, -1}, {0, 0, 1}};
  memcpy(x, at, sizeof at);
  x[0][1] = height;
}

// The filter stops no more than it must: what moves apart, or within its share of the gap, goes all
// the way; what comes head-on closes that share of the gap, each side in proportion to its speed.
static void test_room(void) {
  static const double speeds[4][2] = {{1, 1}, {3, 1}, {1, 0}, {0, 2}}; // of vertex and triangle
  for (int k = 0; k < 4; k++)
    for (double gap = 1; gap > 1e-5; gap *= 0.1) {
      double x[4][3], d[4][3] = {{0}}, t[4], a = speeds[k][0], b = speeds[k][1];
      const double *p[4] = {x[0], x[1], x[2], x[3]}, *q[4] = {d[0], d[1], d[2], d[3]};
      above_triangle(gap, x);
      for (int way = 0; way < 3; way++) {
        // apart; towards each other by 0.85 of the gap; by ten times the gap
        double size = way == 0 ? 10 : -(way == 1 ? 0.85 * gap / (a + b) : 10 * gap);
        d[0][1] = a * size;
        for (int i = 1; i < 4; i++) d[i][1] = -b * size;
        int cut = csim_filter_pair(CSIM_PAIR_VERTEX_TRIANGLE, p, q, 0, t);
        CHECK(cut == (way == 2));
        if (way < 2) CHECK(t[0] == 1 && t[1] == 1 && t[2] == 1 && t[3] == 1);
        if (way < 2) continue;
        // a side that stands keeps 1/20 of the gap to itself
        double share = fmax(0.05, fmin(0.95, a / (a + b)));
        if (a > 0) CHECK_NEAR(t[0] * 10 * a, CSIM_FILTER_SHARE * share, 1e-6);
        for (int i = 1; i < 4 && b > 0; i++)
          CHECK_NEAR(t[i] * 10 * b, CSIM_FILTER_SHARE * (1 - share), 1e-6);
      }
    }
}

int main(void) {
  test_filter();
  test_triangles();
  test_room();
  return check_report();
}
