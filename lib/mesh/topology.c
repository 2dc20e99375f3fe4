// mesh/topology.c: see topology.h.
#include "mesh/topology.h"

#include "math/vec3.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Half-edge 3 t + k is corner k of triangle t and runs to corner k + 1.
static int next_corner(int h) {
  return h % 3 == 2 ? h - 2 : h + 1;
}

static int half_min(const int *tri, int h) {
  int a = tri[h], b = tri[next_corner(h)];
  return a < b ? a : b;
}

static int half_max(const int *tri, int h) {
  int a = tri[h], b = tri[next_corner(h)];
  return a > b ? a : b;
}

// One stable counting sort of half-edges by key. `count` has nkey + 1 entries of scratch.
static void counting_sort(int n, const int *in, const int *tri, int (*key)(const int *, int),
                          int nkey, int *count, int *out) {
  memset(count, 0, ((size_t)nkey + 1) * sizeof *count);
  for (int i = 0; i < n; i++) count[key(tri, in ? in[i] : i) + 1]++;
  for (int v = 0; v < nkey; v++) count[v + 1] += count[v];
  for (int i = 0; i < n; i++) {
    int h = in ? in[i] : i;
    out[count[key(tri, h)]++] = h;
  }
}

// Walks the half-edges in order of (min, max, triangle) and numbers the edges.
static void collect_edges(csim_topology *t, const int *tri, int nhalf, const int *order) {
  int e = -1, a = -1, b = -1;
  for (int i = 0; i < nhalf; i++) {
    int h = order[i], lo = half_min(tri, h), hi = half_max(tri, h);
    if (lo != a || hi != b) {
      e++;
      t->edge[2 * e] = a = lo;
      t->edge[2 * e + 1] = b = hi;
      for (int k = 0; k < 2; k++) t->edge_tri[2 * e + k] = t->edge_opp[2 * e + k] = -1;
    }
    int k = t->edge_ntri[e]++;
    if (k < 2) {
      t->edge_tri[2 * e + k] = h / 3;
      t->edge_opp[2 * e + k] = tri[next_corner(next_corner(h))];
    }
    t->tri_edge[h] = e;
  }
}

static int count_edges(const int *tri, int nhalf, const int *order) {
  int n = 0;
  for (int i = 0, a = -1, b = -1; i < nhalf; i++) {
    int lo = half_min(tri, order[i]), hi = half_max(tri, order[i]);
    n += lo != a || hi != b;
    a = lo;
    b = hi;
  }
  return n;
}

// Whether triangle t runs from a to b along their common edge.
static int runs_forward(const int *tri, int t, int a, int b) {
  const int *v = tri + 3 * t;
  return (v[0] == a && v[1] == b) || (v[1] == a && v[2] == b) || (v[2] == a && v[0] == b);
}

static void collect_hinges(csim_topology *t, const int *tri) {
  int nhinge = 0, nboundary = 0;
  for (int e = 0; e < t->nedge; e++) {
    if (t->edge_ntri[e] == 1) t->boundary[nboundary++] = e;
    if (t->edge_ntri[e] != 2) continue;
    int a = t->edge[2 * e], b = t->edge[2 * e + 1];
    int forward = runs_forward(tri, t->edge_tri[2 * e], a, b);
    if (forward == runs_forward(tri, t->edge_tri[2 * e + 1], a, b)) {
      if (!t->nflipped++) t->first_flipped = e;
    }
    int *hinge = t->hinge + 4 * nhinge;
    hinge[0] = forward ? a : b;
    hinge[1] = forward ? b : a;
    hinge[2] = t->edge_opp[2 * e];
    hinge[3] = t->edge_opp[2 * e + 1];
    t->hinge_edge[nhinge++] = e;
  }
}

// Neighbours ascend without sorting: edges ascend by their lower vertex, so the first pass gives
// every vertex its lower neighbours in order, and the second its higher ones.
static void collect_neighbours(csim_topology *t, int *fill) {
  for (int i = 0; i < 2 * t->nedge; i++) t->adj_start[t->edge[i] + 1]++;
  for (int v = 0; v < t->nvert; v++) t->adj_start[v + 1] += t->adj_start[v];
  memcpy(fill, t->adj_start, (size_t)t->nvert * sizeof *fill);
  for (int e = 0; e < t->nedge; e++) t->adj[fill[t->edge[2 * e + 1]]++] = t->edge[2 * e];
  for (int e = 0; e < t->nedge; e++) t->adj[fill[t->edge[2 * e]]++] = t->edge[2 * e + 1];
}

csim_status csim_topology_build(int nvert, int ntri, const int *tri, csim_topology *topology) {
  assert(nvert >= 0 && ntri >= 0 && ntri <= INT_MAX / 6);
  csim_topology *t = topology;
  *t = (csim_topology){.nvert = nvert, .ntri = ntri, .first_flipped = -1};
  for (int h = 0; h < 3 * ntri; h++)
    assert(tri[h] >= 0 && tri[h] < nvert && tri[h] != tri[next_corner(h)]);

  csim_status status = CSIM_MEMORY;
  int nhalf = 3 * ntri;
  int *count = CSIM_NEW(int, (ptrdiff_t)nvert + 1);
  int *by_max = CSIM_NEW(int, nhalf);
  int *order = CSIM_NEW(int, nhalf);
  if (!count || !by_max || !order) goto done;
  counting_sort(nhalf, NULL, tri, half_max, nvert, count, by_max);
  counting_sort(nhalf, by_max, tri, half_min, nvert, count, order);

  t->nedge = count_edges(tri, nhalf, order);
  t->edge = CSIM_ARENA_NEW(&t->arena, int, 2 * t->nedge);
  t->edge_tri = CSIM_ARENA_NEW(&t->arena, int, 2 * t->nedge);
  t->edge_opp = CSIM_ARENA_NEW(&t->arena, int, 2 * t->nedge);
  t->edge_ntri = CSIM_ARENA_NEW(&t->arena, int, t->nedge);
  t->tri_edge = CSIM_ARENA_NEW(&t->arena, int, nhalf);
  t->adj_start = CSIM_ARENA_NEW(&t->arena, int, (ptrdiff_t)nvert + 1);
  t->adj = CSIM_ARENA_NEW(&t->arena, int, 2 * t->nedge);
  if (t->arena.failed) goto done;
  collect_edges(t, tri, nhalf, order);
  collect_neighbours(t, count);

  for (int e = 0; e < t->nedge; e++) {
    t->nhinge += t->edge_ntri[e] == 2;
    t->nboundary += t->edge_ntri[e] == 1;
    if (t->edge_ntri[e] > 2) t->nfaulty++;
  }
  t->hinge = CSIM_ARENA_NEW(&t->arena, int, csim_row(4, t->nhinge));
  t->hinge_edge = CSIM_ARENA_NEW(&t->arena, int, t->nhinge);
  t->boundary = CSIM_ARENA_NEW(&t->arena, int, t->nboundary);
  if (t->arena.failed) goto done;
  collect_hinges(t, tri);
  status = CSIM_OK;
done:
  free(count);
  free(by_max);
  free(order);
  if (status) csim_topology_free(t);
  return status;
}

void csim_topology_free(csim_topology *topology) {
  csim_arena_free(&topology->arena);
  *topology = (csim_topology){.first_flipped = -1};
}

double csim_tri_area(const double *x, const int *v) {
  double n[3];
  csim_face_normal(x, v, n);
  return 0.5 * csim_norm(n);
}

void csim_vert_areas(int nvert, int ntri, const int *tri, const double *x, double *area) {
  for (int v = 0; v < nvert; v++) area[v] = 0;
  for (int t = 0; t < ntri; t++) {
    double third = csim_tri_area(x, tri + csim_xyz(t)) / 3;
    for (int k = 0; k < 3; k++) area[tri[3 * t + k]] += third;
  }
}

void csim_vert_normals(int nvert, int ntri, const int *tri, const double *x, double *normal) {
  memset(normal, 0, 3 * (size_t)nvert * sizeof *normal);
  for (int t = 0; t < ntri; t++) {
    const int *v = tri + csim_xyz(t);
    double n[3];
    csim_face_normal(x, v, n);
    for (int k = 0; k < 3; k++) csim_add_scaled(1, n, normal + csim_xyz(v[k]));
  }
  for (int i = 0; i < nvert; i++) csim_normalise(normal + csim_xyz(i));
}
