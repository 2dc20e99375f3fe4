// tests/unit/test_intersect.c: pairs of triangles that meet, by hand, by symmetry, against testing
// all pairs, and against counts of an independent exact program (CGAL 5.5).
#include "check.h"

#include "mesh/intersect.h"
#include "math/predicates.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int draw(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

// ---------------------------------------------------------------------------------------- by hand

typedef struct two_triangles {
  double a[3][3], b[3][3];
  int meet;
} two_triangles;

static const two_triangles BY_HAND[] = {
    // pierced; beside the hole; touching in a corner, on an edge, inside; just short of an edge
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {1, 1, 1}, {2, 1, 1}}, 1},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{3, 3, -1}, {3, 3, 1}, {4, 3, 1}}, 0},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}, 1},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{2, 2, 0}, {3, 3, 1}, {4, 3, 1}}, 1},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, 1},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{2, 2 + 0x1p-51, 0}, {3, 3, 1}, {4, 3, 1}}, 0},
    // edges that cross in one point, and pass at a hair's breadth
    {{{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, -1, 0}, {0, 1, 0}, {0, 0, 1}}, 1},
    {{{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, -1, 1e-80}, {0, 1, 1e-80}, {0, 0, 1}}, 0},
    // in one plane: one within the other, overlapping, sharing a border, a corner, apart
    {{{0, 0, 1}, {9, 0, 1}, {0, 9, 1}}, {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}, 1},
    {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, {{1, 1, 1}, {5, 1, 1}, {5, 5, 1}}, 1},
    {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, {{1, 0, 1}, {3, 0, 1}, {2, -3, 1}}, 1},
    {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, {{4, 0, 1}, {5, 0, 1}, {5, 2, 1}}, 1},
    {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, {{3, 3, 1}, {5, 3, 1}, {5, 5, 1}}, 0},
    {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, {{6, 0, 1}, {8, 0, 1}, {7, 1, 1}}, 0},
    // the same triangle
    {{{0, 1, 2}, {4, 1, 0}, {0, 4, 7}}, {{0, 1, 2}, {4, 1, 0}, {0, 4, 7}}, 1},
};

static void test_by_hand(void) {
  static const int turn[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (size_t i = 0; i < sizeof BY_HAND / sizeof *BY_HAND; i++)
    for (int k = 0; k < 36 * 3; k++) {
      const int *ta = turn[k % 6], *tb = turn[k / 6 % 6];
      double x[6][3];
      for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) { // axes in turn as well
          x[c][(d + k / 36) % 3] = BY_HAND[i].a[ta[c]][d];
          x[3 + c][(d + k / 36) % 3] = BY_HAND[i].b[tb[c]][d];
        }
      int got = csim_triangles_meet(x[0], x[1], x[2], x[3], x[4], x[5]);
      int back = csim_triangles_meet(x[3], x[4], x[5], x[0], x[1], x[2]);
      check_that(got == BY_HAND[i].meet && back == got, __FILE__, __LINE__,
                 "case %d, permutation %d: %d and %d, expected %d", (int)i, k, got, back,
                 BY_HAND[i].meet);
    }
}

static int pair_of(const double *vert, const int *tri) {
  csim_triangles mesh = {8, vert, 2, tri};
  int forth = csim_pair_intersects(&mesh, 0, 1), back = csim_pair_intersects(&mesh, 1, 0);
  CHECK(forth == back);
  return forth;
}

// Triangles that share vertices.
static void test_shared(void) {
  static const double v[] = {0, 0, 0, 4, 0, 0, 0,  4,  0, 1, 1, 0,
                             4, 4, 0, 1, 1, 1, -4, -1, 0, 2, 9, 0};
  CHECK(pair_of(v, (int[]){0, 1, 2, 0, 1, 2}) == 1); // doubled
  CHECK(pair_of(v, (int[]){0, 1, 2, 2, 1, 0}) == 1); // and reversed
  CHECK(pair_of(v, (int[]){0, 1, 2, 1, 0, 3}) == 1); // folded over edge 0-1
  CHECK(pair_of(v, (int[]){0, 1, 2, 2, 1, 4}) == 0); // flat neighbours
  CHECK(pair_of(v, (int[]){0, 1, 2, 1, 0, 5}) == 0); // folded by less than pi
  CHECK(pair_of(v, (int[]){0, 1, 2, 0, 3, 5}) == 1); // 3 lies inside
  CHECK(pair_of(v, (int[]){0, 1, 2, 0, 5, 6}) == 0);
  CHECK(pair_of(v, (int[]){0, 1, 2, 0, 4, 5}) == 1); // edge 0-4 runs across
  CHECK(pair_of(v, (int[]){0, 1, 2, 2, 4, 7}) == 0); // flat, apart but for vertex 2
}

// ----------------------------------------------------------------------------- against all pairs

static int is_degenerate(const csim_triangles *m, int t) {
  const double *p[3];
  for (int k = 0; k < 3; k++) p[k] = m->vert + 3 * m->tri[3 * t + k];
  return csim_collinear(p[0], p[1], p[2]);
}

static void compare_all_pairs(const csim_triangles *m, long long expected) {
  enum { LIMIT = 20000, FEW = 7 };
  static int pair[2 * LIMIT], few[2 * FEW];
  long long total = -1, n = 0, again = -1;
  CHECK(csim_find_self_intersections(NULL, m, LIMIT, pair, &total) == CSIM_OK);
  check_that(total == expected, __FILE__, __LINE__, "%lld pairs, expected %lld", total, expected);
  CHECK(csim_find_self_intersections(NULL, m, FEW, few, &again) == CSIM_OK && again == total);
  for (int i = 0; i < m->ntri; i++)
    for (int j = i + 1; j < m->ntri; j++) {
      if (is_degenerate(m, i) || is_degenerate(m, j) || !csim_pair_intersects(m, i, j)) continue;
      CHECK(n < total && pair[2 * n] == i && pair[2 * n + 1] == j);
      if (n < FEW) CHECK(few[2 * n] == i && few[2 * n + 1] == j);
      n++;
    }
  CHECK(n == total);
}

enum { NVERT = 60, NTRI = 180 };

static void make_soup(int kind, int seed, double *vert, int *tri) {
  state = (uint64_t)seed;
  for (int v = 0; v < NVERT; v++) {
    int x = draw(6), y = draw(6), z = draw(6);
    double *p = vert + 3 * v;
    if (kind == 0) { // corners of a coarse lattice: everything touches everything
      p[0] = x % 5, p[1] = y % 5, p[2] = z % 5;
    } else if (kind == 1) { // in one plane
      p[0] = x, p[1] = y, p[2] = 2 * x + 3 * y;
    } else { // in one plane, but for rounding
      p[0] = x / 10.0, p[1] = y / 10.0, p[2] = 0.3 * p[0] + 0.7 * p[1] + 0.1;
    }
  }
  for (int t = 0; t < NTRI; t++) {
    int *v = tri + 3 * t;
    do {
      for (int k = 0; k < 3; k++) v[k] = draw(NVERT);
    } while (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]);
  }
}

static void test_soups(void) {
  // counted by CGAL's exact predicates with the same rules on the same triangles
  static const int counted[3][3] = {{5222, 5733, 5555}, {9200, 9204, 8665}, {5985, 6345, 5847}};
  for (int kind = 0; kind < 3; kind++)
    for (int seed = 0; seed < 3; seed++) {
      double vert[3 * NVERT];
      int tri[3 * NTRI];
      make_soup(kind, seed + 1, vert, tri);
      csim_triangles m = {NVERT, vert, NTRI, tri};
      compare_all_pairs(&m, counted[kind][seed]);
    }
}

static void test_between(void) {
  double va[3 * NVERT], vb[3 * NVERT];
  int ta[3 * NTRI], tb[3 * NTRI];
  make_soup(0, 5, va, ta);
  make_soup(2, 6, vb, tb);
  csim_triangles a = {NVERT, va, NTRI, ta}, b = {NVERT, vb, NTRI, tb};
  enum { LIMIT = 40000 };
  int *pair = calloc(2 * LIMIT, sizeof *pair);
  long long total, n = 0, back;
  CHECK(csim_find_intersections(NULL, &a, &b, LIMIT, pair, &total) == CSIM_OK);
  CHECK(csim_find_intersections(NULL, &b, &a, 0, NULL, &back) == CSIM_OK && back == total);
  for (int i = 0; i < NTRI; i++)
    for (int j = 0; j < NTRI; j++) {
      const double *p[3], *q[3];
      for (int k = 0; k < 3; k++) {
        p[k] = va + 3 * ta[3 * i + k];
        q[k] = vb + 3 * tb[3 * j + k];
      }
      if (csim_collinear(p[0], p[1], p[2]) || csim_collinear(q[0], q[1], q[2])) continue;
      if (!csim_triangles_meet(p[0], p[1], p[2], q[0], q[1], q[2])) continue;
      CHECK(n < total && pair[2 * n] == i && pair[2 * n + 1] == j);
      n++;
    }
  CHECK(n == total && total > 100);
  free(pair);
}

static void test_empty(void) {
  csim_triangles none = {0}, one = {3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 1, (int[]){0, 1, 2}};
  csim_triangles flat = {3, (double[]){0, 0, 0, 1, 0, 0, 2, 0, 0}, 2, (int[]){0, 1, 2, 0, 1, 2}};
  long long total = -1;
  CHECK(csim_find_self_intersections(NULL, &none, 0, NULL, &total) == CSIM_OK && total == 0);
  CHECK(csim_find_self_intersections(NULL, &one, 0, NULL, &total) == CSIM_OK && total == 0);
  CHECK(csim_find_self_intersections(NULL, &flat, 0, NULL, &total) == CSIM_OK && total == 0);
  CHECK(csim_find_intersections(NULL, &none, &one, 0, NULL, &total) == CSIM_OK && total == 0);
  CHECK(csim_find_intersections(NULL, &one, &one, 0, NULL, &total) == CSIM_OK && total == 1);
  CHECK(csim_find_intersections(NULL, &one, &one, 0, NULL, NULL) == CSIM_OK);
}

int main(void) {
  test_by_hand();
  test_shared();
  test_soups();
  test_between();
  test_empty();
  return check_report();
}
