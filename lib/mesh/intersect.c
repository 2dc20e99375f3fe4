// mesh/intersect.c: see intersect.h.
#include "mesh/intersect.h"

#include "base/arena.h"
#include "base/morton.h"
#include "base/sort.h"
#include "math/predicates.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------- one pair, exactly

static inline const double *point(const csim_triangles *mesh, int tri, int corner) {
  return mesh->vert + csim_xyz(mesh->tri[csim_xyz(tri) + corner]);
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

// Closed segment p q and triangle t; sp and sq: on which side of its plane p and q are.
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
  const int *ti = mesh->tri + csim_xyz(i), *tj = mesh->tri + csim_xyz(j);
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

enum { LEAF = 4, MAX_DEPTH = 40, CHUNK_LEAVES = 2048 };

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

static const box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline int overlap(const box *a, const box *b) {
  return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) &
         (b->lo[1] <= a->hi[1]) & (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

static inline void include(box *a, const double *lo, const double *hi) {
  for (int k = 0; k < 3; k++) {
    a->lo[k] = lo[k] < a->lo[k] ? lo[k] : a->lo[k];
    a->hi[k] = hi[k] > a->hi[k] ? hi[k] : a->hi[k];
  }
}

static box box_of(const csim_triangles *mesh, int t) {
  box b = EMPTY;
  for (int c = 0; c < 3; c++) include(&b, point(mesh, t, c), point(mesh, t, c));
  return b;
}

static int is_degenerate(const csim_triangles *mesh, int t) {
  return csim_collinear(point(mesh, t, 0), point(mesh, t, 1), point(mesh, t, 2));
}

static uint64_t place_of(const box *b, const box *all) {
  uint32_t cell[3];
  for (int k = 0; k < 3; k++) {
    double extent = all->hi[k] - all->lo[k], centre = 0.5 * b->lo[k] + 0.5 * b->hi[k] - all->lo[k];
    double at = extent > 0 ? centre / extent * (CSIM_MORTON_LAST + 1.0) : 0;
    cell[k] = at > 0 ? (uint32_t)fmin(at, CSIM_MORTON_LAST) : 0;
  }
  return csim_morton(cell);
}

static void tree_free(tree *t) {
  free(t->item);
  free(t->item_box);
  free(t->node);
}

static csim_status tree_build(const csim_triangles *mesh, tree *t) {
  *t = (tree){.nleaf = 1};
  csim_morton_entry *entry = csim_alloc(mesh->ntri, sizeof *entry);
  csim_morton_entry *scratch = csim_alloc(mesh->ntri, sizeof *scratch);
  csim_status status = CSIM_MEMORY;
  if (!entry || !scratch) goto done;
  box all = EMPTY;
  for (int i = 0; i < mesh->ntri; i++) {
    if (is_degenerate(mesh, i)) continue;
    entry[t->n++].item = i;
    for (int c = 0; c < 3; c++) include(&all, point(mesh, i, c), point(mesh, i, c));
  }
  for (int i = 0; i < t->n; i++) {
    box b = box_of(mesh, entry[i].item);
    entry[i].code = place_of(&b, &all);
  }
  csim_morton_sort(t->n, entry, scratch);

  while (t->nleaf * LEAF < t->n) t->nleaf *= 2;
  t->item = csim_alloc(t->n, sizeof *t->item);
  t->item_box = csim_alloc(t->n, sizeof *t->item_box);
  t->node = csim_alloc(2 * t->nleaf - 1, sizeof *t->node);
  if (!t->item || !t->item_box || !t->node) {
    tree_free(t);
    *t = (tree){0};
    goto done;
  }
  for (ptrdiff_t l = 0; l < t->nleaf; l++) t->node[t->nleaf - 1 + l] = EMPTY;
  for (int i = 0; i < t->n; i++) {
    t->item[i] = entry[i].item;
    t->item_box[i] = box_of(mesh, entry[i].item);
    include(&t->node[t->nleaf - 1 + i / LEAF], t->item_box[i].lo, t->item_box[i].hi);
  }
  for (ptrdiff_t k = t->nleaf - 2; k >= 0; k--) {
    const box *child = &t->node[2 * k + 1];
    t->node[k] = child[0];
    include(&t->node[k], child[1].lo, child[1].hi);
  }
  status = CSIM_OK;
done:
  free(entry);
  free(scratch);
  return status;
}

// ------------------------------------------------------------------------------------------ search

// The pairs of a chunk of leaves: the first ones in order, as soon as there are too many.
typedef struct found_pairs {
  long long count;
  ptrdiff_t n, capacity;
  int (*pair)[2];
} found_pairs;

typedef struct search {
  const csim_triangles *a, *b;
  const tree *ta, *tb; // the same: a against itself
  int limit;
  found_pairs *found; // of each chunk
  atomic_int failed;  // out of memory
} search;

static void sort_pairs(found_pairs *f, int limit) {
  csim_sort_rows(f->pair, f->n, sizeof *f->pair, 2);
  if (f->n > limit) f->n = limit;
}

static void note_pair(search *s, found_pairs *f, int i, int j) {
  f->count++;
  if (s->limit == 0) return;
  if (f->n >= csim_row(2, s->limit)) sort_pairs(f, s->limit);
  if (CSIM_GROW(f->pair, f->capacity, f->n + 1)) {
    atomic_store(&s->failed, 1);
    return;
  }
  f->pair[f->n][0] = i;
  f->pair[f->n++][1] = j;
}

static void test_pair(search *s, found_pairs *f, int i, int j) {
  if (s->ta == s->tb) {
    int low = i < j ? i : j, high = i < j ? j : i;
    if (csim_pair_intersects(s->a, low, high)) note_pair(s, f, low, high);
  } else if (csim_triangles_meet(point(s->a, i, 0), point(s->a, i, 1), point(s->a, i, 2),
                                 point(s->b, j, 0), point(s->b, j, 1), point(s->b, j, 2))) {
    note_pair(s, f, i, j);
  }
}

// The triangles of a leaf of A against those of a leaf of B; of the same tree, each pair once.
static void test_leaves(search *s, found_pairs *f, ptrdiff_t leaf_a, ptrdiff_t leaf_b) {
  const tree *ta = s->ta, *tb = s->tb;
  for (ptrdiff_t i = leaf_a * LEAF; i < (leaf_a + 1) * LEAF && i < ta->n; i++) {
    ptrdiff_t first = ta == tb && leaf_a == leaf_b ? i + 1 : leaf_b * LEAF;
    for (ptrdiff_t j = first; j < (leaf_b + 1) * LEAF && j < tb->n; j++)
      if (overlap(&ta->item_box[i], &tb->item_box[j])) test_pair(s, f, ta->item[i], tb->item[j]);
  }
}

static void search_chunk(void *context, int chunk) {
  search *s = context;
  const tree *ta = s->ta, *tb = s->tb;
  ptrdiff_t stack[2 * MAX_DEPTH], first = (ptrdiff_t)chunk * CHUNK_LEAVES;
  for (ptrdiff_t leaf = first; leaf < first + CHUNK_LEAVES && leaf * LEAF < ta->n; leaf++) {
    const box *around = &ta->node[ta->nleaf - 1 + leaf];
    int top = 0;
    stack[top++] = 0;
    while (top) {
      ptrdiff_t k = stack[--top];
      if (!overlap(&tb->node[k], around)) continue;
      if (k < tb->nleaf - 1) {
        stack[top++] = 2 * k + 2;
        stack[top++] = 2 * k + 1;
      } else if (ta != tb || k - (tb->nleaf - 1) >= leaf) {
        test_leaves(s, &s->found[chunk], leaf, k - (tb->nleaf - 1));
      }
    }
  }
}

// The chunks' pairs as one list in order, and their number.
static csim_status merge(const search *s, int nchunk, int *pair, long long *total) {
  found_pairs all = {0};
  long long count = 0;
  for (int c = 0; c < nchunk; c++) {
    all.n += s->found[c].n;
    count += s->found[c].count;
  }
  all.pair = csim_alloc(all.n, sizeof *all.pair);
  if (!all.pair) return CSIM_MEMORY;
  all.n = 0;
  for (int c = 0; c < nchunk; c++) {
    const found_pairs *f = &s->found[c];
    if (f->n) memcpy(all.pair + all.n, f->pair, (size_t)f->n * sizeof *f->pair);
    all.n += f->n;
  }
  sort_pairs(&all, s->limit);
  if (all.n) memcpy(pair, all.pair, (size_t)all.n * sizeof *all.pair);
  free(all.pair);
  if (total) *total = count;
  return CSIM_OK;
}

// b NULL: a against itself
static csim_status find(csim_pool *pool, const csim_triangles *a, const csim_triangles *b,
                        int limit, int *pair, long long *total) {
  tree ta = {0}, tb = {0};
  search s = {.a = a, .b = b, .ta = &ta, .tb = b ? &tb : &ta, .limit = limit};
  csim_status status = tree_build(a, &ta);
  if (!status && b) status = tree_build(b, &tb);
  int nleaf = (ta.n + LEAF - 1) / LEAF, nchunk = (nleaf + CHUNK_LEAVES - 1) / CHUNK_LEAVES;
  s.found = status ? NULL : CSIM_NEW(found_pairs, nchunk);
  if (s.found) csim_pool_run(pool, nchunk, search_chunk, &s);
  status = s.found && !s.failed ? merge(&s, nchunk, pair, total) : CSIM_MEMORY;
  for (int c = 0; s.found && c < nchunk; c++) free(s.found[c].pair);
  free(s.found);
  tree_free(&ta);
  tree_free(&tb);
  return status;
}

csim_status csim_find_self_intersections(csim_pool *pool, const csim_triangles *mesh, int limit,
                                         int *pair, long long *total) {
  return find(pool, mesh, NULL, limit, pair, total);
}

csim_status csim_find_intersections(csim_pool *pool, const csim_triangles *a,
                                    const csim_triangles *b, int limit, int *pair,
                                    long long *total) {
  return find(pool, a, b, limit, pair, total);
}
