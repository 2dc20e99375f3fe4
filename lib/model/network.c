// model/network.c: see network.h.
#include "model/network.h"
#include "model/bound.h"

#include "math/vec3.h"
#include "mesh/tetrahedra.h"

#include <stdlib.h>
#include <string.h>

void csim_elements_add(csim_elements *elements, const int *node, const double *param) {
  if (elements->failed) return;
  int nnode = elements->kind->nnode, nparam = elements->kind->nparam;
  ptrdiff_t n = elements->nelem;
  if (CSIM_GROW(elements->node, elements->node_capacity, (n + 1) * nnode) ||
      CSIM_GROW(elements->param, elements->param_capacity, (n + 1) * nparam) ||
      n >= CSIM_MESH_MAX_FACE) {
    elements->failed = 1;
    return;
  }
  memcpy(elements->node + n * nnode, node, (size_t)nnode * sizeof *node);
  memcpy(elements->param + n * nparam, param, (size_t)nparam * sizeof *param);
  elements->nelem++;
}

void csim_elements_free(csim_elements *elements) {
  free(elements->node);
  free(elements->param);
  *elements = (csim_elements){.kind = elements->kind};
}

static void add_spring(const csim_part *part, int a, int b, double k, double L,
                       csim_elements *springs) {
  int node[2] = {part->vert0 + a, part->vert0 + b};
  double param[4] = {part->spring > 0 ? part->spring : k, L, part->compression, part->slack};
  csim_elements_add(springs, node, param);
}

static double length_of(const csim_part *part, int a, int b) {
  return csim_distance(part->X + csim_xyz(a), part->X + csim_xyz(b));
}

// Positions of a hinge's vertices a, b, c, d in a pattern, both triangles in the plane of the
// first, (4 x 3) [m]. Where the pattern is cut, each triangle has its own edge; that of the first
// is used.
static void unfold_hinge(const csim_topology *topology, const csim_part *part, int h,
                         double X[12]) {
  const int *v = topology->hinge + csim_row(4, h);
  const int *pair = topology->edge_tri + csim_row(2, topology->hinge_edge[h]);
  double l[2], along[2], off[2];
  for (int side = 0; side < 2; side++) {
    const int *corner = part->tri + csim_xyz(pair[side]);
    const double *at[3] = {0}, *f = part->flat + csim_row(6, pair[side]);
    for (int k = 0; k < 3; k++) at[corner[k] == v[0] ? 0 : corner[k] == v[1] ? 1 : 2] = f + 2 * k;
    double e[2] = {at[1][0] - at[0][0], at[1][1] - at[0][1]};
    double r[2] = {at[2][0] - at[0][0], at[2][1] - at[0][1]};
    l[side] = sqrt(e[0] * e[0] + e[1] * e[1]);
    along[side] = (e[0] * r[0] + e[1] * r[1]) / l[side];
    off[side] = fabs(e[0] * r[1] - e[1] * r[0]) / l[side];
  }
  memcpy(X, (double[]){0, 0, 0, l[0], 0, 0, along[0], off[0], 0, along[1], -off[1], 0},
         12 * sizeof *X);
}

// Rest length of an edge; in a pattern the mean of its triangles'.
static double edge_length(const csim_topology *topology, const csim_part *part, int e) {
  const int *v = topology->edge + csim_row(2, e);
  double sum = 0;
  int n = 0;
  if (part->X) return length_of(part, v[0], v[1]);
  for (int side = 0; side < 2; side++) {
    int t = topology->edge_tri[csim_row(2, e) + side];
    const double *at[2] = {0};
    for (int k = 0; k < 3 && t >= 0; k++)
      for (int end = 0; end < 2; end++)
        if (part->tri[csim_xyz(t) + k] == v[end]) at[end] = part->flat + csim_row(6, t) + 2 * k;
    if (t < 0) continue;
    double d[2] = {at[1][0] - at[0][0], at[1][1] - at[0][1]};
    sum += sqrt(d[0] * d[0] + d[1] * d[1]);
    n++;
  }
  return n ? sum / n : 0;
}

double csim_flat_area(const double flat[6]) {
  return 0.5 * fabs((flat[2] - flat[0]) * (flat[5] - flat[1]) -
                    (flat[3] - flat[1]) * (flat[4] - flat[0]));
}

static double area_of(const csim_part *part, const int *tri) {
  double n[3];
  csim_face_normal(part->X, tri, n);
  return 0.5 * csim_norm(n);
}

void csim_part_areas(const csim_part *part, int nvert, int ntri, const int *tri,
                     const double *factor, double *area) {
  if (part->X && !factor) {
    csim_vert_areas(nvert, ntri, tri, part->X, area);
    return;
  }
  memset(area, 0, (size_t)nvert * sizeof *area);
  for (int t = 0; t < ntri; t++) {
    const int *v = tri + csim_xyz(t);
    double A = part->X ? area_of(part, v) : csim_flat_area(part->flat + csim_row(6, t));
    for (int k = 0; k < 3; k++) area[v[k]] += (factor ? factor[t] : 1) * A / 3;
  }
}

// Whether an edge is clearly the longest side of both its triangles.
static int is_diagonal(const csim_topology *topology, const csim_part *part, int e) {
  double L = edge_length(topology, part, e);
  for (int side = 0; side < 2; side++) {
    int t = topology->edge_tri[2 * e + side];
    if (t < 0) return 0;
    for (int k = 0; k < 3; k++) {
      int other = topology->tri_edge[csim_xyz(t) + k];
      if (other != e && L < 1.1 * edge_length(topology, part, other)) return 0;
    }
  }
  return 1;
}

int csim_network_mesh(const csim_topology *topology, const csim_part *part, double E2D,
                      csim_elements *springs) {
  double mean = 0;
  for (int e = 0; e < topology->nedge; e++) mean += edge_length(topology, part, e);
  if (topology->nedge) mean /= topology->nedge;
  int flat = 0;
  for (int e = 0; e < topology->nedge; e++) {
    int a = topology->edge[2 * e], b = topology->edge[2 * e + 1];
    if (part->no_diagonals && is_diagonal(topology, part, e)) continue;
    double area = 0, L = edge_length(topology, part, e);
    for (int side = 0; side < 2; side++) {
      int t = topology->edge_tri[2 * e + side], opposite = topology->edge_opp[2 * e + side];
      if (t >= 0)
        area += part->X ? area_of(part, (int[]){a, b, opposite})
                        : csim_flat_area(part->flat + csim_row(6, t));
    }
    int ok = L > 1e-9 * mean;
    flat += !ok;
    // the edge of a sliver would have almost no stiffness: at least a hundredth of a regular one's
    double k = ok ? E2D * area / (L * L) : E2D;
    add_spring(part, a, b, k > 0.01 * E2D ? k : 0.01 * E2D, L, springs);
  }
  return flat;
}

void csim_network_limits(const csim_elements *springs, int first, double limit, double stiffness,
                         csim_elements *limits) {
  for (int e = first; e < springs->nelem; e++) {
    const double *param = springs->param + (ptrdiff_t)springs->kind->nparam * e;
    int bound = limits->kind == &csim_bound_kind;
    double k = stiffness > 0 ? stiffness : (bound ? 10 : 100) * param[0];
    double begin = 1 + (bound ? CSIM_BOUND_BEGIN * limit : limit);
    csim_elements_add(limits, springs->node + csim_row(2, e),
                      (double[]){k, begin * param[1], (1 + limit) * param[1]});
  }
}

void csim_network_grid(int nx, int nz, const csim_part *part, double E2D, csim_elements *springs) {
  // steps (i, j) of the four springs that start at each vertex
  static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  double a = length_of(part, 0, 1), b = length_of(part, 0, nx + 1);
  for (int j = 0; j <= nz; j++)
    for (int i = 0; i <= nx; i++)
      for (int s = 0; s < 4; s++) {
        int i2 = i + step[s][0], j2 = j + step[s][1];
        if (i2 < 0 || i2 > nx || j2 > nz) continue;
        int border = (s == 0 && (j == 0 || j == nz)) || (s == 1 && (i == 0 || i == nx));
        int v = j * (nx + 1) + i, w = j2 * (nx + 1) + i2;
        double L = length_of(part, v, w), area = border ? 0.5 * a * b : a * b;
        add_spring(part, v, w, 0.75 * E2D * area / (L * L), L, springs);
      }
}

void csim_network_grid_bend(int nx, int nz, const csim_part *part, double k,
                            csim_elements *springs) {
  for (int j = 0; j <= nz; j++)
    for (int i = 0; i <= nx; i++) {
      int v = j * (nx + 1) + i;
      if (i + 2 <= nx) add_spring(part, v, v + 2, k, length_of(part, v, v + 2), springs);
      if (j + 2 <= nz)
        add_spring(part, v, v + 2 * (nx + 1), k, length_of(part, v, v + 2 * (nx + 1)), springs);
    }
}

void csim_network_mesh_bend(const csim_topology *topology, const csim_part *part, double k,
                            csim_elements *springs) {
  for (int h = 0; h < topology->nhinge; h++) {
    int c = topology->hinge[4 * h + 2], d = topology->hinge[4 * h + 3];
    double X[12];
    if (!part->X) unfold_hinge(topology, part, h, X);
    double L = part->X ? length_of(part, c, d) : csim_distance(X + 6, X + 9);
    if (c != d) add_spring(part, c, d, k, L, springs);
  }
}

typedef struct tet_edge {
  int a, b;
  double V;
} tet_edge;

static int compare_edges(const void *p, const void *q) {
  const tet_edge *e = p, *f = q;
  if (e->a != f->a) return e->a < f->a ? -1 : 1;
  if (e->b != f->b) return e->b < f->b ? -1 : 1;
  return (e->V > f->V) - (e->V < f->V); // a fixed order, so that sums have fixed bits
}

int csim_network_tets(int ntet, const int *tet, const csim_part *part, double E,
                      csim_elements *springs) {
  static const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  tet_edge *edge = CSIM_NEW(tet_edge, csim_row(6, ntet));
  if (!edge) return -1;
  ptrdiff_t n = csim_row(6, ntet);
  for (int t = 0; t < ntet; t++)
    for (int k = 0; k < 6; k++) {
      int a = tet[csim_row(4, t) + pair[k][0]], b = tet[csim_row(4, t) + pair[k][1]];
      edge[csim_row(6, t) + k] =
          (tet_edge){a < b ? a : b, a < b ? b : a, csim_tet_volume(part->X, tet + csim_row(4, t))};
    }
  qsort(edge, (size_t)n, sizeof *edge, compare_edges);
  for (ptrdiff_t i = 0, j; i < n; i = j) {
    double V = 0, L = length_of(part, edge[i].a, edge[i].b);
    for (j = i; j < n && edge[j].a == edge[i].a && edge[j].b == edge[i].b; j++) V += edge[j].V;
    add_spring(part, edge[i].a, edge[i].b, E * V / (L * L), L, springs);
  }
  free(edge);
  return 0;
}

void csim_network_ductile(const csim_elements *springs, const csim_yield *yield,
                          csim_elements *ductile) {
  int n = springs->kind->nparam;
  for (int e = 0; e < springs->nelem; e++) {
    double param[CSIM_MAX_PARAM];
    memcpy(param, springs->param + csim_row(n, e), (size_t)n * sizeof *param);
    memcpy(param + n, (double[3]){yield->at, yield->hardening, yield->rate}, 3 * sizeof *param);
    csim_elements_add(ductile, springs->node + csim_row(2, e), param);
  }
  ductile->failed |= springs->failed;
}

int csim_network_hinges(const csim_topology *topology, const csim_part *part, double B,
                        csim_elements *hinges) {
  int left_out = 0;
  for (int h = 0; h < topology->nhinge; h++) {
    static const int in_order[4] = {0, 1, 2, 3};
    const int *hinge = topology->hinge + csim_row(4, h), *local = part->X ? hinge : in_order;
    double flat[12];
    csim_part own = *part;
    if (!part->X) {
      unfold_hinge(topology, part, h, flat);
      own.X = flat;
    }
    double longest = length_of(&own, local[0], local[1]);
    double least = 1e-6 * longest * longest; // a sliver's cotangents are noise
    int sliver = !(area_of(&own, (int[]){local[0], local[1], local[2]}) > least) ||
                 !(area_of(&own, (int[]){local[1], local[0], local[3]}) > least);
    if (sliver || hinge[2] == hinge[3]) {
      left_out++;
      continue;
    }
    double param[CSIM_MAX_PARAM];
    hinges->kind->hinge(own.X, local, B, param);
    int node[4];
    for (int k = 0; k < 4; k++) node[k] = part->vert0 + hinge[k];
    csim_elements_add(hinges, node, param);
  }
  return left_out;
}

// Adds a hinge of stiffness B [N m], as between two triangles.
static void add_grid_angle(const csim_part *part, int a, int b, int c, int d, double B,
                           csim_elements *hinges) {
  double param[CSIM_MAX_PARAM];
  hinges->kind->hinge(part->X, (int[]){a, b, c, d}, B, param);
  int node[4] = {part->vert0 + a, part->vert0 + b, part->vert0 + c, part->vert0 + d};
  csim_elements_add(hinges, node, param);
}

// Angles in place of second differences. The angle of row j at its vertex i is about the edge to
// the rows above and below, with both flaps in row j, so it does not see twist. Each of the two has
// half of the row's width. With a, b the sides of a cell and l its diagonal, the angles are a kx, b
// kz, l kxz.
static void add_grid_angles(int nx, int nz, const csim_part *part, double B,
                            csim_elements *hinges) {
  int row = nx + 1;
  double a = length_of(part, 0, 1), b = length_of(part, 0, row), share = a * b / (a * a + b * b);
  for (int j = 0; j <= nz; j++)
    for (int i = 0; i <= nx; i++) {
      int v = j * row + i;
      for (int up = -1; up <= 1; up += 2) {
        if (i > 0 && i < nx && j + up >= 0 && j + up <= nz)
          add_grid_angle(part, v, v + up * row, v - 1, v + 1, B / 2, hinges);
        if (j > 0 && j < nz && i + up >= 0 && i + up <= nx)
          add_grid_angle(part, v, v + up, v - row, v + row, B / 2, hinges);
      }
      if (i < nx && j < nz && (i + j) % 2 == 0)
        add_grid_angle(part, v, v + row + 1, v + row, v + 1, 2 * B * share * share, hinges);
      else if (i < nx && j < nz)
        add_grid_angle(part, v + 1, v + row, v, v + row + 1, 2 * B * share * share, hinges);
    }
}

void csim_network_grid_hinges(int nx, int nz, const csim_part *part, double B,
                              csim_elements *hinges) {
  if (hinges->kind->by_angle) {
    add_grid_angles(nx, nz, part, B, hinges);
    return;
  }
  double a = length_of(part, 0, 1), b = length_of(part, 0, nx + 1);
  int row = nx + 1;
  // parameter 4 is the rest length of the cotangent kind, 0: flat
  for (int j = 0; j <= nz; j++)
    for (int i = 0; i <= nx; i++) {
      int v = part->vert0 + j * row + i;
      double sx = sqrt(B * a * b * (j == 0 || j == nz ? 0.5 : 1)) / (a * a);
      double sz = sqrt(B * a * b * (i == 0 || i == nx ? 0.5 : 1)) / (b * b);
      double s = sqrt(2 * B / (a * b));
      // a stencil of three vertices names the middle one twice
      if (i > 0 && i < nx)
        csim_elements_add(hinges, (int[]){v, v, v - 1, v + 1}, (double[]){-2 * sx, 0, sx, sx, 0});
      if (j > 0 && j < nz)
        csim_elements_add(hinges, (int[]){v, v, v - row, v + row},
                          (double[]){-2 * sz, 0, sz, sz, 0});
      if (i < nx && j < nz)
        csim_elements_add(hinges, (int[]){v, v + row + 1, v + 1, v + row},
                          (double[]){s, s, -s, -s, 0});
    }
}

void csim_network_volumes(int ntet, const int *tet, const csim_part *part, double K,
                          csim_elements *volumes) {
  for (int t = 0; t < ntet; t++) {
    const int *local = tet + csim_row(4, t);
    int node[4];
    for (int k = 0; k < 4; k++) node[k] = part->vert0 + local[k];
    double V = csim_tet_volume(part->X, local);
    csim_elements_add(volumes, node, (double[]){K / V, V});
  }
}

// Share of the shear modulus that acts on patches. Beams four cells across bend by 0.83 to 0.87 of
// the right amount with 0, by 0.91 to 0.95 with 1/2, and by 1.00 to 1.04 with 0.9, which leaves
// little against hourglass modes.
static const double PATCH_SHARE = 0.5;

// Number of vertex v in a patch (CSIM_PATCH_NODES) of *n vertices; a new one is added.
static int number_in(int v, int *node, int *n) {
  int k = 0;
  while (k < *n && node[k] != v) k++;
  if (k == *n) node[(*n)++] = v;
  return k;
}

int csim_network_solid(int ntet, const int *tet, const csim_part *part, double E, double nu,
                       csim_elements *tets, csim_elements *patches) {
  csim_lame whole = csim_lame_of(E, nu);
  csim_lame of_tet = {(1 - PATCH_SHARE) * whole.mu, 0};
  csim_lame of_patch = {PATCH_SHARE * whole.mu, whole.lambda};
  int *patch = CSIM_NEW(int, ntet), npatch = patch ? csim_tet_patches(ntet, tet, patch) : -1;
  int *node = CSIM_NEW(int, csim_row(CSIM_PATCH_NODES, npatch)), *count = CSIM_NEW(int, npatch);
  int nparam = csim_solid_patch_kind.nparam, left_out = 0;
  double *param = CSIM_NEW(double, csim_row(nparam, npatch));
  if (npatch < 0 || !node || !count || !param) left_out = -1;
  for (int p = 0; p < npatch && left_out == 0; p++)
    csim_solid_patch_param(&of_patch, param + csim_row(nparam, p));
  for (int t = 0; t < ntet && left_out >= 0; t++) {
    const int *corner = tet + csim_row(4, t);
    double of_one[CSIM_MAX_PARAM];
    int at[4], local[4], p = patch[t];
    if (csim_neohooke_param(part->X, corner, &of_tet, of_one)) {
      left_out++;
      continue;
    }
    for (int k = 0; k < 4; k++) {
      at[k] = part->vert0 + corner[k];
      local[k] = number_in(at[k], node + csim_row(CSIM_PATCH_NODES, p), &count[p]);
    }
    csim_elements_add(tets, at, of_one);
    csim_solid_patch_add(of_one, local, param + csim_row(nparam, p));
  }
  for (int p = 0; p < npatch && left_out >= 0; p++) {
    int *of = node + csim_row(CSIM_PATCH_NODES, p);
    for (int k = count[p]; k < CSIM_PATCH_NODES; k++) of[k] = of[0];
    if (count[p] > 0) csim_elements_add(patches, of, param + csim_row(nparam, p));
  }
  free(patch);
  free(node);
  free(count);
  free(param);
  return left_out;
}
