// test_topology: edges, hinges and neighbours against a slow count; areas and normals.
#include "check.h"
#include "kit.h"

#include "mesh/shapes.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

static void test_topology(void) {
  // two triangles over the edge 1-2, a third on it makes it faulty; vertex 5 is loose
  static const int tri[] = {0, 1, 2, 2, 1, 3, 1, 2, 4};
  csim_topology t;
  CHECK(csim_topology_build(6, 2, tri, &t) == CSIM_OK);
  CHECK(t.nedge == 5 && t.nhinge == 1 && t.nboundary == 4 && t.nfaulty == 0 && t.nflipped == 0);
  static const int edges[] = {0, 1, 0, 2, 1, 2, 1, 3, 2, 3};
  CHECK(!memcmp(t.edge, edges, sizeof edges));
  CHECK(t.hinge[0] == 1 && t.hinge[1] == 2 && t.hinge[2] == 0 && t.hinge[3] == 3);
  CHECK(t.hinge_edge[0] == 2 && t.edge_tri[4] == 0 && t.edge_tri[5] == 1);
  CHECK(t.tri_edge[0] == 0 && t.tri_edge[1] == 2 && t.tri_edge[2] == 1);
  CHECK(t.adj_start[6] == 10 && t.adj_start[5] == 10);
  static const int near1[] = {0, 2, 3};
  CHECK(t.adj_start[2] - t.adj_start[1] == 3);
  CHECK(!memcmp(t.adj + t.adj_start[1], near1, sizeof near1));
  csim_topology_free(&t);
  CHECK(csim_topology_build(6, 3, tri, &t) == CSIM_OK);
  CHECK(t.nfaulty == 1 && t.nhinge == 0 && t.edge_ntri[2] == 3);
  csim_topology_free(&t);
  static const int flipped[] = {0, 2, 1, 2, 1, 3};
  CHECK(csim_topology_build(4, 2, flipped, &t) == CSIM_OK);
  CHECK(t.nflipped == 1 && t.first_flipped == 2);
  CHECK(t.hinge[0] == 2 && t.hinge[1] == 1); // as triangle 0 runs
  csim_topology_free(&t);
  CHECK(csim_topology_build(0, 0, NULL, &t) == CSIM_OK);
  CHECK(t.nedge == 0 && t.adj_start[0] == 0);
  csim_topology_free(&t);
}

// Random triangles against a count over all pairs.
static void test_topology_random(void) {
  enum { N = 12, T = 40 };
  unsigned seed = 1;
  for (int round = 0; round < 200; round++) {
    int tri[3 * T], count[N][N] = {{0}}, nedge = 0, nfaulty = 0;
    for (int i = 0; i < T; i++)
      for (int k = 0; k < 3; k++) {
        int fresh;
        do {
          seed = seed * 1664525u + 1013904223u;
          tri[3 * i + k] = (int)((seed >> 16) % N);
          fresh = 1;
          for (int j = 0; j < k; j++) fresh &= tri[3 * i + j] != tri[3 * i + k];
        } while (!fresh);
      }
    int ntri = round % T;
    for (int h = 0; h < 3 * ntri; h++) {
      int a = tri[h], b = tri[h % 3 == 2 ? h - 2 : h + 1];
      count[a < b ? a : b][a < b ? b : a]++;
    }
    csim_topology t;
    CHECK(csim_topology_build(N, ntri, tri, &t) == CSIM_OK);
    for (int a = 0, e = 0; a < N; a++)
      for (int b = a + 1; b < N; b++) {
        nfaulty += count[a][b] > 2;
        if (!count[a][b]) continue;
        nedge++;
        CHECK(e < t.nedge && t.edge[2 * e] == a && t.edge[2 * e + 1] == b &&
              t.edge_ntri[e] == count[a][b]);
        e++;
      }
    CHECK(t.nedge == nedge && t.nfaulty == nfaulty && t.adj_start[N] == 2 * nedge);
    for (int v = 0; v < N; v++)
      for (int i = t.adj_start[v]; i + 1 < t.adj_start[v + 1]; i++) CHECK(t.adj[i] < t.adj[i + 1]);
    csim_topology_free(&t);
  }
}

static void test_areas(void) {
  csim_mesh m =
      kit_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 1, .cells = {60}});
  double *area = CSIM_NEW(double, m.nvert), sum = 0;
  csim_vert_areas(m.nvert, m.ntri, m.tri, m.vert, area);
  for (int v = 0; v < m.nvert; v++) sum += area[v];
  CHECK_NEAR(sum, kit_area(&m), 1e-12);
  free(area);
  csim_mesh_free(&m);
}

// Every triangle turned like the polygon, their areas adding up to `area` seen along z.
// Two triangles that meet at a right angle, one twice as large, and a vertex of no triangle.
static void test_vert_normals(void) {
  static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 9, 9, 9};
  static const int tri[6] = {0, 1, 2, 0, 3, 1}; // normals (0, 0, 2) and (0, 1, 0)
  double n[15];
  for (int i = 0; i < 15; i++) n[i] = 5;
  csim_vert_normals(5, 2, tri, x, n);
  double l = sqrt(5);
  for (int i = 0; i < 2; i++) {
    CHECK_NEAR(n[3 * i], 0, 0);
    CHECK_NEAR(n[3 * i + 1], 1 / l, 1e-15);
    CHECK_NEAR(n[3 * i + 2], 2 / l, 1e-15);
  }
  CHECK(n[6] == 0 && n[7] == 0 && n[8] == 1);
  CHECK(n[9] == 0 && n[10] == 1 && n[11] == 0);
  CHECK(n[12] == 0 && n[13] == 0 && n[14] == 0);
}

int main(void) {
  test_topology();
  test_topology_random();
  test_areas();
  test_vert_normals();
  return check_report();
}
