// test_triangulate: polygons cut into triangles: areas, and what cannot be cut.
#include "check.h"
#include "kit.h"

#include "mesh/circle.h"
#include "mesh/topology.h"
#include "mesh/triangulate.h"

#include <stdlib.h>
#include <string.h>

static void check_cut(int line, int n, const double (*p)[2], double area) {
  csim_mesh m = kit_polygon(n, p);
  double sum = 0, least = 1e300;
  for (int t = 0; t < m.ntri; t++) {
    const double *a = p[m.tri[3 * t]], *b = p[m.tri[3 * t + 1]], *c = p[m.tri[3 * t + 2]];
    double A = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    least = fmin(least, A);
    sum += A;
  }
  check_that(least > 0, __FILE__, line, "a triangle of area %g", least);
  check_that(fabs(sum - area) < 1e-12 * area, __FILE__, line, "area %.17g", sum);
  csim_topology t;
  CHECK(csim_topology_build(m.nvert, m.ntri, m.tri, &t) == CSIM_OK);
  check_that(t.nfaulty == 0 && t.nflipped == 0 && t.nboundary == n, __FILE__, line, "not a disk");
  csim_topology_free(&t);
  csim_mesh_free(&m);
}

static void test_triangulate(void) {
  // convex quads are cut along v0-v2, arrows along their notch
  static const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  csim_mesh m = kit_polygon(4, square);
  static const int fan[] = {0, 1, 2, 0, 2, 3};
  CHECK(!memcmp(m.tri, fan, sizeof fan));
  csim_mesh_free(&m);
  static const double kite[][2] = {{0, 0}, {0.4, 0.5}, {0, 1}, {-2, 0.5}};
  check_cut(__LINE__, 4, kite, 1.2);
  static const double arrow[][2] = {{0, 0}, {2, 0.5}, {0, 1}, {1, 0.5}}; // notch at 3
  check_cut(__LINE__, 4, arrow, 0.5);
  static const double turned[][2] = {{1, 0.5}, {0, 0}, {2, 0.5}, {0, 1}}; // notch at 0
  check_cut(__LINE__, 4, turned, 0.5);
  // straight corners: no triangle without area
  static const double tee[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}};
  check_cut(__LINE__, 5, tee, 4);
  static const double sides[][2] = {{0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 2}, {0, 1}};
  check_cut(__LINE__, 6, sides, 2);
  static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                   {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  check_cut(__LINE__, 16, comb, 7 + 8);
  double spiral[400][2], area = 0; // a strip wound up
  for (int i = 0; i < 200; i++) {
    double c, s, r = 1 + 0.02 * i;
    csim_circle_point(i % 40, 40, &c, &s);
    spiral[i][0] = (r + 0.3) * c;
    spiral[i][1] = (r + 0.3) * s;
    spiral[399 - i][0] = r * c;
    spiral[399 - i][1] = r * s;
  }
  for (int i = 0; i < 400; i++) {
    const double *a = spiral[i], *b = spiral[(i + 1) % 400];
    area += (a[0] * b[1] - a[1] * b[0]) / 2;
  }
  check_cut(__LINE__, 400, (const double(*)[2])spiral, area);
}

// Folded, flat and crossing polygons still give n - 2 triangles of their own corners.
static void test_triangulate_bad(void) {
  static const double flat[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {1, 0}};
  csim_mesh m = kit_polygon(5, flat);
  csim_mesh_free(&m);
  static const double bow[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
  m = kit_polygon(4, bow);
  csim_mesh_free(&m);
  static const double same[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
  m = kit_polygon(4, same);
  csim_mesh_free(&m);
  unsigned seed = 7;
  for (int round = 0; round < 2000; round++) {
    double p[24][2];
    int n = 3 + round % 22;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 2; k++) {
        seed = seed * 1664525u + 1013904223u;
        p[i][k] = round % 2 ? (double)(seed >> 29) : (double)seed;
      }
    m = kit_polygon(n, (const double(*)[2])p);
    for (int c = 0; c < 3 * m.ntri; c++) CHECK(m.tri[c] >= 0 && m.tri[c] < n);
    csim_mesh_free(&m);
  }
  // beyond the limit only convex faces pass
  int n = CSIM_MESH_MAX_CONCAVE + 1;
  double(*big)[2] = csim_alloc(n, sizeof *big);
  for (int i = 0; i < n; i++) csim_circle_point(i, n, &big[i][0], &big[i][1]);
  m = kit_polygon(n, (const double(*)[2])big);
  m.vert[0] = m.vert[1] = m.vert[2] = 0;
  check_log log;
  check_log_init(&log);
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, &log.log) == CSIM_INVALID);
  CHECK(strstr(log.text, "not convex") != NULL);
  free(big);
  csim_mesh_free(&m);
}

int main(void) {
  test_triangulate();
  test_triangulate_bad();
  return check_report();
}
