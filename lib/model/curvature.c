// model/curvature.c: see curvature.h.
#include "model/curvature.h"

#include "base/dmath.h"
#include "base/hash_table.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST = 6, // neighbours of a fit; if there are fewer, the next ring is used too
  MOST = 48, // of pairs, at a hub, where as many all around it are enough
  PATCH = MOST + LEAST,
};

// A vertex and the neighbours that its curvature is fitted to, laid flat.
typedef struct patch {
  int center, n;
  int vert[PATCH];
  double at[PATCH][2]; // [m] from the centre, along warp and weft
} patch;

// Triangles around vertices.
typedef struct fans {
  const csim_topology *topology;
  const int *tri;
  const double *flat;
  int *start, *around; // (nvert + 1), (3 ntri)
  int *ring;           // (most triangles of a vertex, + 1) vertices around one, in order
  int *ring_tri;       // (the same) triangle from each to the next
  double *angle;       // (the same) [rad]
  double *area;        // (nvert) [m^2] mixed Voronoi
} fans;

static int corner_of(const int *t, int v) {
  return t[0] == v ? 0 : t[1] == v ? 1 : 2;
}

static double distance2(const double *a, const double *b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

// Shares of the triangles' areas: Voronoi's where no angle is obtuse, else half to the obtuse
// corner and a quarter to each of the others.
static void share_areas(int ntri, fans *f) {
  for (int t = 0; t < ntri; t++) {
    const double *x = f->flat + csim_row(6, t);
    const int *v = f->tri + csim_xyz(t);
    double A = csim_flat_area(x), L[3], cot[3];
    if (!(A > 0)) continue;
    int obtuse = -1;
    for (int k = 0; k < 3; k++)
      L[k] = distance2(x + 2 * ((k + 1) % 3), x + 2 * ((k + 2) % 3)); // opposite corner k
    for (int k = 0; k < 3; k++) {
      cot[k] = (L[(k + 1) % 3] + L[(k + 2) % 3] - L[k]) / (4 * A);
      if (cot[k] < 0) obtuse = k;
    }
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      f->area[v[k]] += obtuse < 0    ? (L[p] * cot[p] + L[q] * cot[q]) / 8
                       : obtuse == k ? A / 2
                                     : A / 4;
    }
  }
}

static int index_fans(const csim_topology *topology, csim_arena *arena, fans *f) {
  int nvert = topology->nvert, n = 3 * topology->ntri, most = 0;
  f->start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)nvert + 1);
  f->around = CSIM_ARENA_NEW(arena, int, n);
  f->area = CSIM_ARENA_NEW(arena, double, nvert);
  if (arena->failed) return -1;
  csim_list_by_key(n, f->tri, nvert, f->start, f->around);
  for (int k = 0; k < n; k++) f->around[k] /= 3; // corners
  for (int v = 0; v < nvert; v++)
    if (f->start[v + 1] - f->start[v] > most) most = f->start[v + 1] - f->start[v];
  f->ring = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)most + 1);
  f->ring_tri = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)most + 1);
  f->angle = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)most + 1);
  return arena->failed ? -1 : 0;
}

// The edge of triangle t between two of its vertices.
static int edge_between(const fans *f, int t, int a, int b) {
  const int *v = f->tri + csim_xyz(t);
  int ka = corner_of(v, a), kb = corner_of(v, b);
  return f->topology->tri_edge[csim_xyz(t) + ((ka + 1) % 3 == kb ? ka : kb)];
}

// The triangle across that edge; -1: none, or more than one.
static int across(const fans *f, int t, int a, int b) {
  int e = edge_between(f, t, a, b);
  if (f->topology->edge_ntri[e] != 2) return -1;
  const int *pair = f->topology->edge_tri + csim_row(2, e);
  return pair[0] == t ? pair[1] : pair[0];
}

static int third(const fans *f, int t, int a, int b) {
  const int *v = f->tri + csim_xyz(t);
  for (int k = 0; k < 3; k++)
    if (v[k] != a && v[k] != b) return v[k];
  return -1;
}

static const double *place_in(const fans *f, int t, int v) {
  return f->flat + csim_row(6, t) + 2 * corner_of(f->tri + csim_xyz(t), v);
}

// Angle of triangle t at v, between the directions to a and b.
static double angle_at(const fans *f, int t, int v, int a, int b) {
  const double *o = place_in(f, t, v), *p = place_in(f, t, a), *q = place_in(f, t, b);
  double u[2] = {p[0] - o[0], p[1] - o[1]}, w[2] = {q[0] - o[0], q[1] - o[1]};
  return csim_atan2(fabs(u[0] * w[1] - u[1] * w[0]), u[0] * w[0] + u[1] * w[1]);
}

// Walks around v, from a border if there is one. Returns the number of triangles in f->ring_tri,
// which lie between f->ring[k] and f->ring[k + 1]; of a closed fan the last of these is the first.
static int walk_around(const fans *f, int v) {
  int first = f->start[v], last = f->start[v + 1], t = f->around[first], n = 0;
  int a = f->tri[csim_xyz(t) + (corner_of(f->tri + csim_xyz(t), v) + 1) % 3];
  for (int k = first; k < last; k++) {
    const int *corner = f->tri + csim_xyz(f->around[k]);
    for (int side = 1; side < 3; side++) {
      int b = corner[(corner_of(corner, v) + side) % 3];
      if (across(f, f->around[k], v, b) >= 0) continue;
      t = f->around[k];
      a = b;
      k = last;
      break;
    }
  }
  int begin = a;
  f->ring[0] = a;
  while (t >= 0 && n < last - first) {
    int b = third(f, t, v, a);
    f->angle[n] = angle_at(f, t, v, a, b);
    f->ring_tri[n++] = t;
    f->ring[n] = b;
    if (b == begin) break;
    t = across(f, t, v, b);
    a = b;
  }
  return n;
}

static void add_neighbour(int vert, double x, double y, patch *p) {
  if (vert == p->center || p->n == PATCH) return;
  for (int k = 0; k < p->n; k++)
    if (p->vert[k] == vert) return;
  p->vert[p->n] = vert;
  p->at[p->n][0] = x;
  p->at[p->n++][1] = y;
}

// Adds the vertex behind edge ab of triangle t, laid flat away from the centre.
static void add_behind(const fans *f, int t, int a, int b, const double P[2], const double Q[2],
                       patch *p) {
  int u = across(f, t, a, b);
  if (u < 0) return;
  int d = third(f, u, a, b);
  const double *fa = place_in(f, u, a), *fb = place_in(f, u, b), *fd = place_in(f, u, d);
  double ab2 = distance2(fa, fb), dx = Q[0] - P[0], dy = Q[1] - P[1];
  if (!(ab2 > 0)) return;
  double along = (ab2 + distance2(fa, fd) - distance2(fb, fd)) / (2 * ab2); // in units of ab
  double off = 2 * csim_flat_area(f->flat + csim_row(6, u)) / ab2;
  double side = P[0] * dy - P[1] * dx > 0 ? 1 : -1; // away from the centre
  add_neighbour(d, P[0] + along * dx + side * off * dy, P[1] + along * dy - side * off * dx, p);
}

// Lays the neighbourhood of v flat. Distances are kept; angles are scaled by one factor, which
// makes those around an inner vertex sum to 2 pi. Warp is that of the first triangle. Of a ring of
// more than `most` vertices every second, third ... is used.
static void lay_patch(const fans *f, int v, int most, patch *p) {
  *p = (patch){.center = v};
  int n = walk_around(f, v), closed = f->ring[n] == f->ring[0] && n > 2, t0 = f->ring_tri[0];
  double sum = 0, (*at)[2] = p->at;
  for (int k = 0; k < n; k++) sum += f->angle[k];
  double scale = closed && sum > 0 ? 2 * CSIM_PI / sum : 1;
  const double *o = place_in(f, t0, v), *q = place_in(f, t0, f->ring[0]);
  const double *r = place_in(f, t0, f->ring[1]);
  double turned = (q[0] - o[0]) * (r[1] - o[1]) - (q[1] - o[1]) * (r[0] - o[0]) < 0 ? -1 : 1;
  double phi = csim_atan2(turned * (q[1] - o[1]), q[0] - o[0]);
  int stride = (n + !closed + most - 1) / most;
  for (int k = 0; k < n + !closed; k++) {
    int t = f->ring_tri[k < n ? k : n - 1];
    double l = sqrt(distance2(place_in(f, t, v), place_in(f, t, f->ring[k])));
    if (k % stride == 0) add_neighbour(f->ring[k], l * csim_cos(phi), l * csim_sin(phi), p);
    if (k < n) phi += scale * f->angle[k];
  }
  int ring = p->n;
  for (int k = 0; k < n && ring < LEAST && stride == 1; k++) {
    int next = (k + 1) % ring;
    add_behind(f, f->ring_tri[k], f->ring[k], f->ring[k + 1], at[k], at[next], p);
  }
}

// Solves N x = b for b (5), N = L L^T.
static void solve5(double L[5][5], double b[5]) {
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < i; j++) b[i] -= L[i][j] * b[j];
    b[i] /= L[i][i];
  }
  for (int i = 4; i >= 0; i--) {
    for (int j = i + 1; j < 5; j++) b[i] -= L[j][i] * b[j];
    b[i] /= L[i][i];
  }
}

static int factor5(double N[5][5]) {
  for (int j = 0; j < 5; j++) {
    double whole = N[j][j];
    for (int k = 0; k < j; k++) N[j][j] -= N[j][k] * N[j][k];
    if (!(N[j][j] > 1e-10 * whole)) return -1;
    N[j][j] = sqrt(N[j][j]);
    for (int i = j + 1; i < 5; i++) {
      for (int k = 0; k < j; k++) N[i][j] -= N[i][k] * N[j][k];
      N[i][j] /= N[j][j];
    }
  }
  return 0;
}

// Coefficients of the second derivatives along 11, 22 and 12 [1/m^2]: row[0] of the centre, row[1 +
// k] of neighbour k. Least squares with weights 1/r^4, in which near neighbours dominate. A
// regularisation of a millionth of the weights determines second derivatives that the neighbours do
// not; it does not affect planes. -1: the neighbours lie on a line.
static int fit_curvature(const patch *p, double row[][3]) {
  double mean = 0, N[5][5] = {{0}}, weight = 0;
  for (int k = 0; k < p->n; k++) mean += p->at[k][0] * p->at[k][0] + p->at[k][1] * p->at[k][1];
  mean /= p->n;
  if (!(mean > 0)) return -1;
  double s = sqrt(mean), basis[PATCH][5], w[PATCH];
  for (int k = 0; k < p->n; k++) {
    double x = p->at[k][0] / s, y = p->at[k][1] / s, r2 = x * x + y * y;
    memcpy(basis[k], (double[]){x, y, 0.5 * x * x, 0.5 * y * y, x * y}, sizeof basis[k]);
    w[k] = 1 / (r2 * r2 + 1e-6);
    weight += w[k] / p->n;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) N[i][j] += w[k] * basis[k][i] * basis[k][j];
  }
  for (int i = 2; i < 5; i++) N[i][i] += 1e-6 * weight;
  if (factor5(N)) return -1;
  memset(row, 0, 3 * sizeof **row);
  for (int k = 0; k < p->n; k++) {
    double b[5];
    for (int i = 0; i < 5; i++) b[i] = w[k] * basis[k][i];
    solve5(N, b);
    for (int c = 0; c < 3; c++) {
      row[1 + k][c] = b[2 + c] / mean;
      row[0][c] -= row[1 + k][c];
    }
  }
  return 0;
}

// ------------------------------------------------------------------------------------------- pairs

// Finds the elements of pairs by their vertices.
typedef struct pair_index {
  csim_elements *pairs;
  int first; // element of these pairs
  csim_hash_table table;
} pair_index;

typedef struct wanted_pair {
  const int *node; // (elements x 2)
  int end[2];
} wanted_pair;

static int is_pair(const void *wanted, int number) {
  const wanted_pair *pair = wanted;
  return !memcmp(pair->node + csim_row(2, number), pair->end, sizeof pair->end);
}

static int *place_of(const pair_index *index, const int end[2]) {
  wanted_pair pair = {index->pairs->node, {end[0], end[1]}};
  return csim_hash_table_find(&index->table, csim_hash_bytes(CSIM_HASH_START, end, sizeof pair.end),
                              is_pair, &pair);
}

// Makes room for n pairs. -1 when out of memory.
static int grow_index(pair_index *index, ptrdiff_t n) {
  if (csim_hash_table_begin(&index->table, n)) return -1;
  for (int e = index->first; e < index->pairs->nelem; e++)
    *place_of(index, index->pairs->node + csim_row(2, e)) = 1 + e;
  return 0;
}

static int add_pair(pair_index *index, int a, int b, double w) {
  const int end[2] = {a < b ? a : b, a < b ? b : a};
  ptrdiff_t n = index->pairs->nelem - index->first;
  if (2 * (n + 1) > index->table.size && grow_index(index, 2 * (n + 1))) return -1;
  int *place = place_of(index, end);
  if (*place) {
    index->pairs->param[*place - 1] += w;
    return 0;
  }
  csim_elements_add(index->pairs, end, &w);
  *place = index->pairs->nelem;
  return index->pairs->failed ? -1 : 0;
}

void csim_curvature_hold(const csim_topology *topology, const int *tri, unsigned char *held,
                         double *factor) {
  enum { HELD = 1, BENDS = 2 };
  for (int t = 0; t < topology->ntri; t++) {
    const int *v = tri + csim_xyz(t);
    if (held[v[0]] & held[v[1]] & held[v[2]] & HELD) continue;
    for (int k = 0; k < 3; k++) held[v[k]] |= BENDS;
  }
  for (int v = 0; v < topology->nvert; v++)
    if (!(held[v] & BENDS)) factor[v] = 0;
}

// Adds what bends at each vertex: the pairs of a patch, or an element of its own.
typedef struct adder {
  int most; // neighbours in a ring
  int (*add)(struct adder *to, const patch *p, double area);
  const csim_part *part;
  const double *factor;
  csim_bend bend;
  pair_index index;       // of pairs
  const double *table;    // of elements
  csim_elements *patches; // the same
} adder;

// All that a vertex's neighbours allow. Returns the number left out, or -1 when out of memory.
static int add_all(const csim_topology *topology, const int *tri, const double *flat, adder *to) {
  csim_arena arena = {0};
  fans f = {.topology = topology, .tri = tri, .flat = flat};
  int left_out = 0, status = index_fans(topology, &arena, &f);
  if (!status) share_areas(topology->ntri, &f);
  for (int v = 0; v < topology->nvert && status >= 0; v++) {
    if (f.start[v + 1] == f.start[v] || !(f.area[v] > 0) || !(to->factor[v] > 0)) continue;
    patch p;
    lay_patch(&f, v, to->most, &p);
    status = to->add(to, &p, f.area[v]);
    if (status > 0) left_out++;
  }
  csim_arena_free(&arena);
  return status < 0 ? -1 : left_out;
}

// Adds the bending energy of a vertex as pairs. It is 1/2 sum_c W_c k_c^2 of the curvatures k_c =
// sum_i row_ic x_i. The row_ic of a c sum to zero, so it is also
//   -1/2 sum_{j<i} (sum_c W_c row_ic row_jc) |x_i - x_j|^2.
// Returns 1 when no quadric fits, -1 when out of memory.
static int add_pairs(adder *to, const patch *p, double area) {
  double row[1 + PATCH][3], by = to->factor[p->center] * area;
  const csim_bend *bend = &to->bend;
  const double W[3] = {by * bend->warp, by * bend->weft, 2 * by * sqrt(bend->warp * bend->weft)};
  if (p->n < 2 || fit_curvature(p, row)) return 1;
  for (int i = 0; i <= p->n; i++)
    for (int j = 0; j < i; j++) {
      double w = 0;
      for (int c = 0; c < 3; c++) w -= W[c] * row[i][c] * row[j][c];
      int a = i ? p->vert[i - 1] : p->center, b = j ? p->vert[j - 1] : p->center;
      if (add_pair(&to->index, to->part->vert0 + a, to->part->vert0 + b, w)) return -1;
    }
  return 0;
}

int csim_curvature_pairs(const csim_topology *topology, const int *tri, const double *flat,
                         const csim_part *part, const csim_bend *bend, const double *factor,
                         csim_elements *pairs) {
  adder to = {.most = MOST, .add = add_pairs, .part = part, .factor = factor, .bend = *bend};
  to.index = (pair_index){.pairs = pairs, .first = pairs->nelem};
  if (!(bend->warp > 0) && !(bend->weft > 0)) return 0;
  int left_out = add_all(topology, tri, flat, &to);
  csim_hash_table_free(&to.index.table);
  return left_out;
}

static int add_measured(adder *to, const patch *p, double area) {
  double row[1 + PATCH][3], param[CSIM_MAX_PARAM];
  int node[CSIM_FIT_NODES];
  if (p->n < 2 || fit_curvature(p, row)) return 1;
  for (int k = 0; k < CSIM_FIT_NODES; k++)
    node[k] = to->part->vert0 + (k && k <= p->n ? p->vert[k - 1] : p->center);
  csim_measured_bending_param(to->factor[p->center] * area, to->table, p->n, row + 1, param);
  csim_elements_add(to->patches, node, param);
  return to->patches->failed ? -1 : 0;
}

int csim_curvature_measured(const csim_topology *topology, const int *tri, const double *flat,
                            const csim_part *part, const double *table, const double *factor,
                            csim_elements *patches) {
  adder to = {.most = CSIM_FIT_NODES - 1,
              .add = add_measured,
              .part = part,
              .factor = factor,
              .table = table,
              .patches = patches};
  return add_all(topology, tri, flat, &to);
}
