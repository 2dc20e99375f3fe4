// mesh/intersect.c: see intersect.h.
#include "mesh/intersect.h"

#include "base/arena.h"
#include "math/predicates.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------- one pair, exactly

static inline const double *point(const csim_triangles *mesh, int tri, int corner) {
  return mesh->vert + 3 * (ptrdiff_t)mesh->tri[3 * (ptrdiff_t)tri + corner];
}

static int orient_along(int axis, const double *a, const double *b, const double *c) {
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return csim_orient2d((double[]){a[i], a[j]}, (double[]){b[i], b[j]}, (double[]){c[i], c[j]});
}

// Closed segments p q and a b in the plane across `axis`, given that they lie in one plane of
// which that projection is one-to-one.
static int segments_meet(int axis, const double *p, const double *q, const double *a,
                         const double *b) {
  int pa = orient_along(axis, p, q, a), pb = orient_along(axis, p, q, b);
  int ap = orient_along(axis, a, b, p), aq = orient_along(axis, a, b, q);
  if (pa * pb > 0 || ap * aq > 0) return 0;
  if (pa || pb || ap || aq) return 1;
  // on one line: their intervals decide, on both axes of the projection
  for (int k = 0; k < 3; k++) {
    if (k == axis) continue;
    if (fmax(p[k], q[k]) < fmin(a[k], b[k]) || fmax(a[k], b[k]) < fmin(p[k], q[k])) return 0;
  }
  return 1;
}

// Closed segment and triangle that lie in one plane.
static int coplanar_meet(const double *p, const double *q, const double *const t[3]) {
  int axis = 0, turn = 0;
  while (axis < 3 && (turn = orient_along(axis, t[0], t[1], t[2])) == 0) axis++;
  if (turn == 0) return 0; // degenerate: our caller broke the contract, but nothing else may break
  int inside = 1;
  for (int k = 0; k < 3; k++) inside &= orient_along(axis, t[k], t[(k + 1) % 3], p) * turn >= 0;
  if (inside) return 1;
  for (int k = 0; k < 3; k++)
    if (segments_meet(axis, p, q, t[k], t[(k + 1) % 3])) return 1;
  return 0;
}

// Closed segment p q and triangle t; sp and sq tell on which side of its plane p and q are.
static int segment_meets(const double *p, const double *q, int sp, int sq,
                         const double *const t[3]) {
  if (sp * sq > 0) return 0;
  if (sp == 0 && sq == 0) return coplanar_meet(p, q, t);
  // p q meets the plane in one point, and the line meets the triangle if it passes all edges on
  // the same side
  int turn = csim_orient3d(p, q, t[0], t[1]);
  int next = csim_orient3d(p, q, t[1], t[2]);
  if (turn * next < 0) return 0;
  if (next) turn = next;
  return csim_orient3d(p, q, t[2], t[0]) * turn >= 0;
}

// 1 only if the plane through o with normal n has all of a strictly above and all of b strictly
// below it, whatever the rounding: each dot product carries at most 5 roundings.
static int separates(const double n[3], const double *o, int na, const double *const *a, int nb,
                     const double *const *b) {
  for (int i = 0; i < na + nb; i++) {
    const double *p = i < na ? a[i] : b[i - na];
    double dot = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
      double x = n[k] * (p[k] - o[k]);
      dot += x;
      sum += fabs(x);
    }
    if (!((i < na ? dot : -dot) > 8 * 0x1p-53 * sum)) return 0;
  }
  return 1;
}

// Triangles of a flat sheet are nearly coplanar, where exact signs are slow; but most are far
// enough apart for a plane across the line from one to the other.
static int quickly_apart(const double *const a[3], const double *const b[3]) {
  double n[3], o[3];
  for (int k = 0; k < 3; k++) {
    double ca = a[0][k] + a[1][k] + a[2][k], cb = b[0][k] + b[1][k] + b[2][k];
    n[k] = ca - cb;
  }
  // the plane goes through the corner of b that reaches highest, moved halfway up to a
  double low = INFINITY, high = -INFINITY;
  int il = 0, ih = 0;
  for (int i = 0; i < 3; i++) {
    double da = n[0] * a[i][0] + n[1] * a[i][1] + n[2] * a[i][2];
    double db = n[0] * b[i][0] + n[1] * b[i][1] + n[2] * b[i][2];
    if (da < low) low = da, il = i;
    if (db > high) high = db, ih = i;
  }
  if (!(low > high)) return 0;
  for (int k = 0; k < 3; k++) o[k] = 0.5 * (a[il][k] + b[ih][k]);
  return separates(n, o, 3, a, 3, b);
}

static int disjoint_meet(const double *const a[3], const double *const b[3]) {
  int sa[3], sb[3];
  if (quickly_apart(a, b)) return 0;
  for (int i = 0; i < 3; i++) sa[i] = csim_orient3d(b[0], b[1], b[2], a[i]);
  if (sa[0] && sa[0] == sa[1] && sa[0] == sa[2]) return 0;
  for (int i = 0; i < 3; i++) sb[i] = csim_orient3d(a[0], a[1], a[2], b[i]);
  if (sb[0] && sb[0] == sb[1] && sb[0] == sb[2]) return 0;
  // two triangles meet where an edge of one meets the other
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (segment_meets(a[i], a[j], sa[i], sa[j], b)) return 1;
    if (segment_meets(b[i], b[j], sb[i], sb[j], a)) return 1;
  }
  return 0;
}

// a[0] = b[0] is the shared vertex
static int fan_meet(const double *const a[3], const double *const b[3]) {
  double n[3] = {0};
  for (int i = 1; i < 3; i++) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
      u[k] = a[i][k] - a[0][k];
      v[k] = b[i][k] - b[0][k];
    }
    double lu = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    double lv = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) n[k] += u[k] / lu - v[k] / lv;
  }
  if (separates(n, a[0], 2, a + 1, 2, b + 1)) return 0;
  int s1 = csim_orient3d(b[0], b[1], b[2], a[1]), s2 = csim_orient3d(b[0], b[1], b[2], a[2]);
  if (segment_meets(a[1], a[2], s1, s2, b)) return 1;
  s1 = csim_orient3d(a[0], a[1], a[2], b[1]), s2 = csim_orient3d(a[0], a[1], a[2], b[2]);
  return segment_meets(b[1], b[2], s1, s2, a);
}

// Triangles p q r and p q s: in one plane and on one side of p q.
static int fold_meets(const double *p, const double *q, const double *r, const double *s) {
  for (int axis = 0; axis < 3; axis++) {
    int side = orient_along(axis, p, q, r);
    // were they folded over, they would be so in every projection
    if (side != orient_along(axis, p, q, s)) return 0;
  }
  return csim_orient3d(p, q, r, s) == 0;
}

int csim_triangles_meet(const double a[3], const double b[3], const double c[3], const double p[3],
                        const double q[3], const double r[3]) {
  return disjoint_meet((const double *[]){a, b, c}, (const double *[]){p, q, r});
}

int csim_pair_intersects(const csim_triangles *mesh, int i, int j) {
  const int *ti = mesh->tri + 3 * (ptrdiff_t)i, *tj = mesh->tri + 3 * (ptrdiff_t)j;
  int nshared = 0, ki[3] = {0}, kj[3] = {0};
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      if (ti[k] == tj[l] && nshared < 3) {
        ki[nshared] = k;
        kj[nshared++] = l;
      }
  if (nshared == 3) return 1;
  if (nshared == 2)
    return fold_meets(point(mesh, i, ki[0]), point(mesh, i, ki[1]),
                      point(mesh, i, 3 - ki[0] - ki[1]), point(mesh, j, 3 - kj[0] - kj[1]));
  const double *a[3], *b[3];
  for (int k = 0; k < 3; k++) {
    a[k] = point(mesh, i, (ki[0] + k) % 3);
    b[k] = point(mesh, j, (kj[0] + k) % 3);
  }
  return nshared == 1 ? fan_meet(a, b) : disjoint_meet(a, b);
}

// --------------------------------------------------------------------------------- tree of boxes
//
// Triangles in Morton order of their box centres, LEAF by LEAF; over the leaves a complete binary
// tree in an array, children of k at 2 k + 1 and 2 k + 2. Leaves beyond the last hold an empty box.

enum { LEAF = 4, MORTON_BITS = 21, MAX_DEPTH = 40 };

typedef struct box {
  double lo[3], hi[3];
} box;

typedef struct tree {
  int n;           // triangles that are not degenerate
  ptrdiff_t nleaf; // a power of two
  int *item;       // (n) triangle
  box *item_box;   // (n)
  box *node;       // (2 nleaf - 1)
} tree;

typedef struct key {
  uint64_t code;
  int tri;
} key;

static const box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline int overlap(const box *a, const box *b) {
  return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
         b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static box join(box a, const box *b) {
  for (int k = 0; k < 3; k++) {
    a.lo[k] = fmin(a.lo[k], b->lo[k]);
    a.hi[k] = fmax(a.hi[k], b->hi[k]);
  }
  return a;
}

static box box_of(const csim_triangles *mesh, int t) {
  box b = EMPTY;
  for (int c = 0; c < 3; c++) {
    const double *p = point(mesh, t, c);
    b = join(b, &(box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}});
  }
  return b;
}

static int is_degenerate(const csim_triangles *mesh, int t) {
  return csim_collinear(point(mesh, t, 0), point(mesh, t, 1), point(mesh, t, 2));
}

// Every third bit of the result is one of the low 21 bits of x.
static uint64_t spread(uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

static uint64_t morton(const box *b, const box *all) {
  uint64_t code = 0;
  for (int k = 0; k < 3; k++) {
    double extent = all->hi[k] - all->lo[k], centre = 0.5 * b->lo[k] + 0.5 * b->hi[k] - all->lo[k];
    double cell = extent > 0 ? centre / extent * (1 << MORTON_BITS) : 0;
    double last = (1 << MORTON_BITS) - 1;
    code |= spread(cell > 0 ? (uint64_t)fmin(cell, last) : 0) << k;
  }
  return code;
}

static int compare_keys(const void *a, const void *b) {
  const key *p = a, *q = b;
  if (p->code != q->code) return p->code < q->code ? -1 : 1;
  return (p->tri > q->tri) - (p->tri < q->tri);
}

static void tree_free(tree *t) {
  free(t->item);
  free(t->item_box);
  free(t->node);
}

static csim_status tree_build(const csim_triangles *mesh, tree *t) {
  *t = (tree){.nleaf = 1};
  key *keys = CSIM_NEW(key, mesh->ntri);
  if (!keys) return CSIM_MEMORY;
  box all = EMPTY;
  for (int i = 0; i < mesh->ntri; i++) {
    if (is_degenerate(mesh, i)) continue;
    keys[t->n++].tri = i;
    box b = box_of(mesh, i);
    all = join(all, &b);
  }
  for (int i = 0; i < t->n; i++) {
    box b = box_of(mesh, keys[i].tri);
    keys[i].code = morton(&b, &all);
  }
  qsort(keys, (size_t)t->n, sizeof *keys, compare_keys);

  while (t->nleaf * LEAF < t->n) t->nleaf *= 2;
  t->item = CSIM_NEW(int, t->n);
  t->item_box = CSIM_NEW(box, t->n);
  t->node = CSIM_NEW(box, 2 * t->nleaf - 1);
  if (!t->item || !t->item_box || !t->node) {
    free(keys);
    tree_free(t);
    return CSIM_MEMORY;
  }
  for (ptrdiff_t l = 0; l < t->nleaf; l++) t->node[t->nleaf - 1 + l] = EMPTY;
  for (int i = 0; i < t->n; i++) {
    box *leaf = &t->node[t->nleaf - 1 + i / LEAF];
    t->item[i] = keys[i].tri;
    t->item_box[i] = box_of(mesh, keys[i].tri);
    *leaf = join(*leaf, &t->item_box[i]);
  }
  for (ptrdiff_t k = t->nleaf - 2; k >= 0; k--)
    t->node[k] = join(t->node[2 * k + 1], &t->node[2 * k + 2]);
  free(keys);
  return CSIM_OK;
}

typedef struct list {
  int *item;
  ptrdiff_t n, capacity;
} list;

// Triangles above `after` whose boxes overlap b, in no order worth having. 0 when out of memory.
static int tree_query(const tree *t, const box *b, int after, list *found) {
  ptrdiff_t stack[2 * MAX_DEPTH];
  int top = 0;
  found->n = 0;
  stack[top++] = 0;
  while (top) {
    ptrdiff_t k = stack[--top];
    if (!overlap(&t->node[k], b)) continue;
    if (k < t->nleaf - 1) {
      stack[top++] = 2 * k + 2;
      stack[top++] = 2 * k + 1;
      continue;
    }
    ptrdiff_t first = (k - (t->nleaf - 1)) * LEAF;
    for (ptrdiff_t i = first; i < first + LEAF && i < t->n; i++) {
      if (t->item[i] <= after || !overlap(&t->item_box[i], b)) continue;
      int *grown = csim_grow(found->item, &found->capacity, found->n + 1, sizeof *found->item);
      if (!grown) return 0;
      found->item = grown;
      found->item[found->n++] = t->item[i];
    }
  }
  return 1;
}

static int compare_ints(const void *a, const void *b) {
  int p = *(const int *)a, q = *(const int *)b;
  return (p > q) - (p < q);
}

// b NULL: a against itself
static csim_status find(const csim_triangles *a, const csim_triangles *b, int limit, int *pair,
                        long long *total) {
  tree t;
  list found = {0};
  long long count = 0;
  csim_status status = tree_build(b ? b : a, &t);
  if (status) return status;
  for (int i = 0; i < a->ntri; i++) {
    if (is_degenerate(a, i)) continue;
    box bi = box_of(a, i);
    if (!tree_query(&t, &bi, b ? -1 : i, &found)) {
      status = CSIM_MEMORY;
      goto done;
    }
    if (found.n > 1) qsort(found.item, (size_t)found.n, sizeof *found.item, compare_ints);
    for (ptrdiff_t k = 0; k < found.n; k++) {
      int j = found.item[k];
      int hit = b ? csim_triangles_meet(point(a, i, 0), point(a, i, 1), point(a, i, 2),
                                        point(b, j, 0), point(b, j, 1), point(b, j, 2))
                  : csim_pair_intersects(a, i, j);
      if (!hit) continue;
      if (count < limit) {
        pair[2 * count] = i;
        pair[2 * count + 1] = j;
      }
      count++;
    }
  }
  if (total) *total = count;
done:
  free(found.item);
  tree_free(&t);
  return status;
}

csim_status csim_find_self_intersections(const csim_triangles *mesh, int limit, int *pair,
                                         long long *total) {
  return find(mesh, NULL, limit, pair, total);
}

csim_status csim_find_intersections(const csim_triangles *a, const csim_triangles *b, int limit,
                                    int *pair, long long *total) {
  return find(a, b, limit, pair, total);
}
