// test_divide: triangles divided in four, against counts, areas and linear functions.
#include "check.h"

#include "math/vec3.h"
#include "mesh/divide.h"

#include <stdlib.h>
#include <string.h>

enum { N = 7 }; // vertices on a side of the grid

static double area_of(const double *x, const int *v) {
  double n[3];
  csim_triangle_normal(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], n);
  return n[2] / 2;
}

int main(void) {
  int tri[3 * 2 * (N - 1) * (N - 1)], ntri = 0;
  for (int j = 0; j + 1 < N; j++)
    for (int i = 0; i + 1 < N; i++) {
      int a = j * N + i, four[4] = {a, a + 1, a + N + 1, a + N};
      for (int half = 0; half < 2; half++) {
        tri[3 * ntri] = four[0];
        tri[3 * ntri + 1] = four[1 + half];
        tri[3 * ntri++ + 2] = four[2 + half];
      }
    }
  csim_topology topology;
  CHECK(csim_topology_build(N * N, ntri, tri, &topology) == CSIM_OK);
  int n = N * N + topology.nedge;
  CHECK(n == (2 * N - 1) * (2 * N - 1)); // the grid of half the spacing

  // uneven, and every number a linear function of the first two
  double *x = calloc((size_t)n, 3 * sizeof *x);
  int *four = calloc((size_t)ntri, 12 * sizeof *four),
      *parent = calloc((size_t)n, 2 * sizeof *parent);
  for (int i = 0; i < N * N; i++) {
    x[3 * i] = i % N + 0.2 * sin(3.0 * i);
    x[3 * i + 1] = i / N + 0.2 * cos(5.0 * i);
  }
  memcpy(parent + 2 * N * N, topology.edge, 2 * (size_t)topology.nedge * sizeof *parent);
  csim_carry_over(N * N, n, parent, 3, x);
  csim_divide_triangles(&topology, tri, four);
  for (int t = 0; t < ntri; t++)
    for (int k = 0; k < 4; k++)
      CHECK_NEAR(area_of(x, four + 12 * t + 3 * k), area_of(x, tri + 3 * t) / 4, 1e-14);
  double *f = calloc((size_t)n, sizeof *f);
  for (int i = 0; i < N * N; i++) f[i] = 2 - 3 * x[3 * i] + 0.5 * x[3 * i + 1];
  csim_carry_over(N * N, n, parent, 1, f);
  for (int i = 0; i < n; i++) CHECK_NEAR(f[i], 2 - 3 * x[3 * i] + 0.5 * x[3 * i + 1], 1e-14);

  csim_topology fine;
  CHECK(csim_topology_build(n, 4 * ntri, four, &fine) == CSIM_OK);
  CHECK(fine.nfaulty == 0 && fine.nflipped == 0 && fine.nboundary == 2 * topology.nboundary);
  CHECK(fine.nedge == 2 * topology.nedge + 3 * ntri);
  csim_topology_free(&fine);

  int found = 0;
  for (int a = 0; a < N * N; a++)
    for (int b = 0; b < N * N; b++) {
      int e = csim_edge_between(&topology, a, b);
      found += e >= 0;
      CHECK(e < 0 || (topology.edge[2 * e] == (a < b ? a : b) &&
                      topology.edge[2 * e + 1] == (a < b ? b : a)));
    }
  CHECK(found == 2 * topology.nedge);
  csim_topology_free(&topology);
  free(x);
  free(f);
  free(four);
  free(parent);
  return check_report();
}
