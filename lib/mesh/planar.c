// mesh/planar.c: see planar.h.
#include "mesh/planar.h"

#include "base/sort.h"
#include "math/predicates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A triangulation that grows. Neighbour k of a triangle lies across from its corner k, -1 = none.
typedef struct mesher {
  csim_planar *mesh;
  int *near;  // (most triangles x 3) triangle across the side opposite each corner; -1: none
  int *stack; // triangles whose first corner has just been inserted
  int nstack;
} mesher;

static const double *point(const mesher *m, int v) {
  return m->mesh->vert + csim_row(2, v);
}

static int *corners(const mesher *m, int t) {
  return m->mesh->tri + csim_xyz(t);
}

static int *neighbours(const mesher *m, int t) {
  return m->near + csim_xyz(t);
}

// --------------------------------------------------------------------------------------- outline

// Whether the closed segments a b and c d have a point in common.
static int segments_meet(const double *a, const double *b, const double *c, const double *d) {
  for (int k = 0; k < 2; k++)
    if (fmax(a[k], b[k]) < fmin(c[k], d[k]) || fmax(c[k], d[k]) < fmin(a[k], b[k])) return 0;
  return csim_orient2d(a, b, c) * csim_orient2d(a, b, d) <= 0 &&
         csim_orient2d(c, d, a) * csim_orient2d(c, d, b) <= 0;
}

// Whether a side turns back onto the one before it.
static int folds_back(const double *a, const double *b, const double *c) {
  double along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
  return csim_orient2d(a, b, c) == 0 && along <= 0;
}

static int outline_crosses(int n, const double *x, int fault[2]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n);
      const double *c = x + 2 * j, *d = x + 2 * ((j + 1) % n);
      int bad = j == i + 1         ? folds_back(a, b, d)
                : (j + 1) % n == i ? folds_back(c, a, b)
                                   : segments_meet(a, b, c, d);
      if (!bad) continue;
      fault[0] = i;
      fault[1] = j;
      return 1;
    }
  return 0;
}

// Whether b is an ear: convex, and its closed triangle contains no other remaining vertex.
static int is_ear(const double *x, const int *next, int a, int b, int c) {
  const double *A = x + 2 * a, *B = x + 2 * b, *C = x + 2 * c;
  if (csim_orient2d(A, B, C) <= 0) return 0;
  for (int v = next[c]; v != a; v = next[v]) {
    const double *P = x + 2 * v;
    if (csim_orient2d(A, B, P) >= 0 && csim_orient2d(B, C, P) >= 0 && csim_orient2d(C, A, P) >= 0)
      return 0;
  }
  return 1;
}

// Cuts ears until nothing is left. Returns 0 when no ear is found.
static int cut_ears(int n, const double *x, int *prev, int *next, csim_planar *mesh) {
  for (int i = 0; i < n; i++) {
    prev[i] = (i + n - 1) % n;
    next[i] = (i + 1) % n;
  }
  int b = 0, left = n;
  for (int tried = 0; left > 3 && tried <= left;) {
    int a = prev[b], c = next[b];
    if (!is_ear(x, next, a, b, c)) {
      b = c;
      tried++;
      continue;
    }
    memcpy(mesh->tri + csim_xyz(mesh->ntri++), (int[]){a, b, c}, 3 * sizeof(int));
    next[a] = c;
    prev[c] = a;
    b = next[c]; // skip the ear beside this one: fans make slivers
    left--;
    tried = 0;
  }
  if (left > 3 || csim_orient2d(x + 2 * prev[b], x + 2 * b, x + 2 * next[b]) <= 0) return 0;
  memcpy(mesh->tri + csim_xyz(mesh->ntri++), (int[]){prev[b], b, next[b]}, 3 * sizeof(int));
  return 1;
}

// ----------------------------------------------------------------------------------------- flips

typedef struct half_edge {
  int low, high, tri, corner;
} half_edge;

static int find_neighbours(mesher *m) {
  int n = 3 * m->mesh->ntri;
  half_edge *half = CSIM_NEW(half_edge, n);
  if (!half) return -1;
  for (int i = 0; i < n; i++) {
    const int *v = corners(m, i / 3);
    int a = v[(i + 1) % 3], b = v[(i + 2) % 3];
    half[i] = (half_edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    m->near[i] = -1;
  }
  csim_sort_rows(half, n, sizeof *half, 3);
  for (int i = 0; i + 1 < n; i++)
    if (half[i].low == half[i + 1].low && half[i].high == half[i + 1].high) {
      neighbours(m, half[i].tri)[half[i].corner] = half[i + 1].tri;
      neighbours(m, half[i + 1].tri)[half[i + 1].corner] = half[i].tri;
    }
  free(half);
  return 0;
}

// Whether d lies clearly inside of the circle through a, b, c. Points on it within rounding do not
// count: flips would not end.
static int in_circle(const double *a, const double *b, const double *c, const double *d) {
  double p[3][2], s[3];
  const double *x[3] = {a, b, c};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) p[k][i] = x[k][i] - d[i];
    s[k] = p[k][0] * p[k][0] + p[k][1] * p[k][1];
  }
  double t0 = s[0] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  double t1 = s[1] * (p[2][0] * p[0][1] - p[2][1] * p[0][0]);
  double t2 = s[2] * (p[0][0] * p[1][1] - p[0][1] * p[1][0]);
  double size = s[0] * sqrt(s[1] * s[2]) + s[1] * sqrt(s[2] * s[0]) + s[2] * sqrt(s[0] * s[1]);
  return t0 + t1 + t2 > 1e-12 * size;
}

static int corner_of(const mesher *m, int t, int neighbour) {
  const int *near = neighbours(m, t);
  return near[0] == neighbour ? 0 : near[1] == neighbour ? 1 : 2;
}

static void replace_neighbour(const mesher *m, int t, int before, int after) {
  if (t >= 0) neighbours(m, t)[corner_of(m, t, before)] = after;
}

// Flips the edge opposite corner k of t if it is not Delaunay and the two triangles form a convex
// quadrangle. Returns 1 if it did.
//
//         p                  p
//       / t \              / | \        the sides pa, aq, qb and bp
//      a --- b   becomes  a t|u b       keep their neighbours
//       \ u /              \ | /
//         q                  q
static int flip(mesher *m, int t, int k) {
  int u = neighbours(m, t)[k];
  if (u < 0) return 0;
  int j = corner_of(m, u, t);
  int p = corners(m, t)[k], a = corners(m, t)[(k + 1) % 3], b = corners(m, t)[(k + 2) % 3];
  int q = corners(m, u)[j];
  if (!in_circle(point(m, p), point(m, a), point(m, b), point(m, q)) ||
      csim_orient2d(point(m, p), point(m, a), point(m, q)) <= 0 ||
      csim_orient2d(point(m, p), point(m, q), point(m, b)) <= 0)
    return 0;
  int pa = neighbours(m, t)[(k + 2) % 3], bp = neighbours(m, t)[(k + 1) % 3];
  int qb = neighbours(m, u)[(j + 2) % 3], aq = neighbours(m, u)[(j + 1) % 3];
  memcpy(corners(m, t), (int[]){p, a, q}, 3 * sizeof(int));
  memcpy(corners(m, u), (int[]){p, q, b}, 3 * sizeof(int));
  memcpy(neighbours(m, t), (int[]){aq, u, pa}, 3 * sizeof(int));
  memcpy(neighbours(m, u), (int[]){qb, bp, t}, 3 * sizeof(int));
  replace_neighbour(m, aq, u, t);
  replace_neighbour(m, bp, t, u);
  return 1;
}

// Flips until all edges but the outline's are Delaunay. Each flip lowers the triangulation in an
// order of finitely many; the bound is for rounding.
static void make_delaunay(mesher *m) {
  int changed = 1;
  for (int pass = 0; changed && pass < 1000; pass++) {
    changed = 0;
    for (int i = 0; i < 3 * m->mesh->ntri; i++) changed |= flip(m, i / 3, i % 3);
  }
}

// ------------------------------------------------------------------------------------- insertion

static int contains(const mesher *m, int t, const double *x) {
  const int *v = corners(m, t);
  for (int k = 0; k < 3; k++)
    if (csim_orient2d(point(m, v[k]), point(m, v[(k + 1) % 3]), x) <= 0) return 0;
  return 1;
}

// The triangle strictly around x, by a walk from t, or by testing all if the walk leaves the
// outline. -1 if x lies on an edge.
static int locate(const mesher *m, int t, const double *x) {
  for (int step = 0; step < m->mesh->ntri && t >= 0; step++) {
    const int *v = corners(m, t);
    int out = -1;
    for (int k = 0; k < 3 && out < 0; k++)
      if (csim_orient2d(point(m, v[(k + 1) % 3]), point(m, v[(k + 2) % 3]), x) <= 0) out = k;
    if (out < 0) return t;
    t = neighbours(m, t)[out];
  }
  for (t = 0; t < m->mesh->ntri; t++)
    if (contains(m, t, x)) return t;
  return -1;
}

// Splits the triangle t around the new vertex p in three, all with p first, and flips around it.
static void insert(mesher *m, int t, int p) {
  int a = corners(m, t)[0], b = corners(m, t)[1], c = corners(m, t)[2];
  int na = neighbours(m, t)[0], nb = neighbours(m, t)[1], nc = neighbours(m, t)[2];
  int u = m->mesh->ntri++, w = m->mesh->ntri++;
  memcpy(corners(m, t), (int[]){p, a, b}, 3 * sizeof(int));
  memcpy(corners(m, u), (int[]){p, b, c}, 3 * sizeof(int));
  memcpy(corners(m, w), (int[]){p, c, a}, 3 * sizeof(int));
  memcpy(neighbours(m, t), (int[]){nc, u, w}, 3 * sizeof(int));
  memcpy(neighbours(m, u), (int[]){na, w, t}, 3 * sizeof(int));
  memcpy(neighbours(m, w), (int[]){nb, t, u}, 3 * sizeof(int));
  replace_neighbour(m, na, t, u);
  replace_neighbour(m, nb, t, w);
  m->nstack = 0;
  m->stack[m->nstack++] = t;
  m->stack[m->nstack++] = u;
  m->stack[m->nstack++] = w;
  while (m->nstack) {
    int at = m->stack[--m->nstack], other = neighbours(m, at)[0];
    if (!flip(m, at, 0)) continue; // p stays first in both
    m->stack[m->nstack++] = at;
    m->stack[m->nstack++] = other;
  }
}

// Inside of the outline, and at least `clear` away from it.
static int is_inside(int n, const double *outline, const double *x, double clear) {
  int inside = 0;
  for (int i = 0; i < n; i++) {
    const double *a = outline + 2 * i, *b = outline + 2 * ((i + 1) % n);
    double ab[2] = {b[0] - a[0], b[1] - a[1]}, ax[2] = {x[0] - a[0], x[1] - a[1]};
    double l2 = ab[0] * ab[0] + ab[1] * ab[1];
    double s = l2 > 0 ? (ax[0] * ab[0] + ax[1] * ab[1]) / l2 : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    double r[2] = {ax[0] - s * ab[0], ax[1] - s * ab[1]};
    if (r[0] * r[0] + r[1] * r[1] < clear * clear) return 0;
    if ((a[1] > x[1]) != (b[1] > x[1]) && ax[0] < ax[1] / ab[1] * ab[0]) inside = !inside;
  }
  return inside;
}

// A point of the lattice, moved by a thousandth of the spacing: no four points on a circle or three
// on a line, where edges of the triangulation would run.
static void lattice_point(const double *low, double spacing, int i, int j, double *x) {
  unsigned seed = (unsigned)i * 2654435761u ^ (unsigned)j * 2246822519u;
  for (int k = 0; k < 2; k++) {
    seed = seed * 1664525u + 1013904223u;
    double place = k ? j * sqrt(0.75) : i + 0.5 * (j & 1);
    x[k] = low[k] + spacing * (place + 1e-3 * ((double)(seed >> 8) / (1 << 24) - 0.5));
  }
}

// Sides of the outline are tested against each other, and finding an ear tests all of its corners:
// the time grows as the square of their number.
enum { MOST_POINTS = 1 << 22, MOST_OUTLINE = 1 << 14 };

static int reserve(ptrdiff_t most, mesher *m) {
  csim_planar *mesh = m->mesh;
  ptrdiff_t ntri = 2 * most;
  mesh->vert = CSIM_ARENA_NEW(&mesh->arena, double, 2 * most);
  mesh->tri = CSIM_ARENA_NEW(&mesh->arena, int, 3 * ntri);
  m->near = CSIM_NEW(int, 3 * ntri);
  m->stack = CSIM_NEW(int, 2 * ntri);
  return mesh->arena.failed || !m->near || !m->stack ? -1 : 0;
}

csim_planar_fault csim_planar_mesh(int n, const double *outline, double spacing, int fault[2],
                                   csim_planar *mesh) {
  mesher m = {.mesh = mesh};
  int *link = CSIM_NEW(int, csim_row(2, n));
  csim_planar_fault result = CSIM_PLANAR_MEMORY;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  *mesh = (csim_planar){0};
  for (int i = 0; i < 2 * n; i++) {
    low[i % 2] = fmin(low[i % 2], outline[i]);
    high[i % 2] = fmax(high[i % 2], outline[i]);
  }
  double columns = (high[0] - low[0]) / spacing + 2, rows = (high[1] - low[1]) / spacing / 0.86 + 2;
  if (!link) goto done;
  result = CSIM_PLANAR_MANY;
  if (n > MOST_OUTLINE || !(columns * rows < MOST_POINTS)) goto done;
  result = CSIM_PLANAR_MEMORY;
  if (reserve(n + (ptrdiff_t)(columns * rows) + 8, &m)) goto done;
  memcpy(mesh->vert, outline, 2 * (size_t)n * sizeof *outline);
  mesh->nvert = n;
  fault[0] = fault[1] = 0;
  result = CSIM_PLANAR_CROSSING;
  if (outline_crosses(n, outline, fault) || !cut_ears(n, outline, link, link + n, mesh)) goto done;
  result = CSIM_PLANAR_MEMORY;
  if (find_neighbours(&m)) goto done;
  make_delaunay(&m);
  int last = 0;
  for (int j = 0; j < (int)rows; j++)
    for (int i = 0; i < (int)columns; i++) {
      double *x = mesh->vert + csim_row(2, mesh->nvert);
      lattice_point(low, spacing, i, j, x);
      if (!is_inside(n, outline, x, 0.6 * spacing)) continue;
      int t = locate(&m, last, x);
      if (t < 0) continue;
      insert(&m, t, mesh->nvert++);
      last = t;
    }
  result = CSIM_PLANAR_OK;
done:
  free(link);
  free(m.near);
  free(m.stack);
  return result;
}

void csim_planar_free(csim_planar *mesh) {
  csim_arena_free(&mesh->arena);
  *mesh = (csim_planar){0};
}
