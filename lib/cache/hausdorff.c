// cache/hausdorff.c: the distance between two meshes with different vertices. See clothsim.h. Needs
// base/.
//
// A tree of boxes over the triangles of one mesh, split at the middle of the longest side of the
// centres' box; from each vertex of the other mesh, down the nearer child first.
#include "base/arena.h"
#include "clothsim.h"

#include <math.h>

enum { LEAF = 4, DEPTH = 64 };

typedef struct node {
  double low[3], high[3];
  int first, count; // of a leaf's triangles; count = 0: children are at `first` and first + 1
} node;

typedef struct tree {
  csim_arena arena;
  const double *x;
  int ntri, nnode;
  int *tri;   // (ntri x 3), degenerate where the mesh has points only
  int *order; // (ntri) triangles as the leaves hold them
  double *centre;
  node *node;
} tree;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ------------------------------------------------------------------------------------------- tree

static int make_triangles(tree *t, const csim_cache_object *o) {
  int ncorner = o->nface ? o->face_start[o->nface] : 0, n = 0;
  int capacity = ncorner > 2 * o->nface ? ncorner - 2 * o->nface : 0;
  for (int f = 0; f < o->nface; f++)
    if (o->face_start[f + 1] - o->face_start[f] < 3) capacity += 2;
  t->tri = CSIM_ARENA_NEW(&t->arena, int, csim_xyz(capacity > o->nvert ? capacity : o->nvert));
  if (!t->tri) return -1;
  for (int f = 0; f < o->nface; f++)
    for (int c = o->face_start[f] + 1; c + 1 < o->face_start[f + 1]; c++, n++) {
      t->tri[csim_xyz(n)] = o->face_vert[o->face_start[f]];
      t->tri[csim_xyz(n) + 1] = o->face_vert[c];
      t->tri[csim_xyz(n) + 2] = o->face_vert[c + 1];
    }
  for (int v = 0; v < o->nvert && !o->nface; v++, n++)
    for (int k = 0; k < 3; k++) t->tri[csim_xyz(n) + k] = v;
  t->ntri = n;
  return 0;
}

static void bound(const tree *t, node *n, int first, int count) {
  for (int c = 0; c < 3; c++) {
    n->low[c] = INFINITY;
    n->high[c] = -INFINITY;
  }
  for (int i = first; i < first + count; i++)
    for (int k = 0; k < 3; k++) {
      const double *p = t->x + csim_xyz(t->tri[csim_xyz(t->order[i]) + k]);
      for (int c = 0; c < 3; c++) {
        n->low[c] = fmin(n->low[c], p[c]);
        n->high[c] = fmax(n->high[c], p[c]);
      }
    }
}

// Splits [first, first + count) by the centres' middle along the box's longest side; by halves when
// that separates nothing.
static int split(tree *t, const node *n, int first, int count) {
  int axis = 0;
  for (int c = 1; c < 3; c++)
    if (n->high[c] - n->low[c] > n->high[axis] - n->low[axis]) axis = c;
  double low = INFINITY, high = -INFINITY;
  for (int i = first; i < first + count; i++) {
    double p = t->centre[csim_xyz(t->order[i]) + axis];
    low = fmin(low, p);
    high = fmax(high, p);
  }
  double middle = low + (high - low) / 2;
  int i = first, j = first + count - 1;
  while (i <= j) {
    if (t->centre[csim_xyz(t->order[i]) + axis] <= middle) {
      i++;
    } else {
      int swap = t->order[i];
      t->order[i] = t->order[j];
      t->order[j--] = swap;
    }
  }
  int left = i - first;
  return left == 0 || left == count ? count / 2 : left;
}

static void build(tree *t, int index, int first, int count, int depth) {
  node *n = &t->node[index];
  bound(t, n, first, count);
  n->first = first;
  n->count = count;
  if (count <= LEAF || depth == DEPTH - 1) return;
  int left = split(t, n, first, count), child = t->nnode;
  t->nnode += 2;
  n->first = child;
  n->count = 0;
  build(t, child, first, left, depth + 1);
  build(t, child + 1, first + left, count - left, depth + 1);
}

static int tree_init(tree *t, const csim_cache_object *o, const double *x) {
  *t = (tree){.x = x};
  if (make_triangles(t, o)) return -1;
  t->order = CSIM_ARENA_NEW(&t->arena, int, t->ntri);
  t->centre = CSIM_ARENA_NEW(&t->arena, double, csim_xyz(t->ntri));
  t->node = CSIM_ARENA_NEW(&t->arena, node, csim_row(2, t->ntri) + 1);
  if (t->arena.failed) return -1;
  for (int i = 0; i < t->ntri; i++) {
    t->order[i] = i;
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++)
        t->centre[csim_xyz(i) + c] += x[csim_xyz(t->tri[csim_xyz(i) + k]) + c] / 3;
  }
  t->nnode = 1;
  if (t->ntri) build(t, 0, 0, t->ntri, 0);
  return 0;
}

// ---------------------------------------------------------------------------------------- distance

static double distance_to_segment(const double *p, const double *a, const double *b) {
  double ab[3], ap[3];
  for (int c = 0; c < 3; c++) {
    ab[c] = b[c] - a[c];
    ap[c] = p[c] - a[c];
  }
  double length = dot(ab, ab), s = length > 0 ? dot(ap, ab) / length : 0;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  double d[3] = {ap[0] - s * ab[0], ap[1] - s * ab[1], ap[2] - s * ab[2]};
  return dot(d, d);
}

// Squared distance: to the plane when p is above the triangle, else to the nearest side.
static double distance_to_triangle(const double *p, const double *a, const double *b,
                                   const double *c) {
  double ab[3], ac[3], ap[3];
  for (int k = 0; k < 3; k++) {
    ab[k] = b[k] - a[k];
    ac[k] = c[k] - a[k];
    ap[k] = p[k] - a[k];
  }
  double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                 ab[0] * ac[1] - ab[1] * ac[0]};
  double area = dot(n, n);
  if (area > 0) {
    double aa = dot(ab, ab), bb = dot(ac, ac), mixed = dot(ab, ac);
    double u = (bb * dot(ap, ab) - mixed * dot(ap, ac)) / area;
    double v = (aa * dot(ap, ac) - mixed * dot(ap, ab)) / area;
    if (u >= 0 && v >= 0 && u + v <= 1) {
      double height = dot(ap, n);
      return height * height / area;
    }
  }
  return fmin(distance_to_segment(p, a, b),
              fmin(distance_to_segment(p, b, c), distance_to_segment(p, c, a)));
}

static double distance_to_box(const double *p, const node *n) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    double d = fmax(0, fmax(n->low[c] - p[c], p[c] - n->high[c]));
    sum += d * d;
  }
  return sum;
}

// Squared distance from p to the mesh, or any value below `enough` once it is known to be smaller.
static double nearest(const tree *t, const double *p, double enough) {
  int stack[2 * DEPTH], n = 0;
  double best = INFINITY;
  stack[n++] = 0;
  while (n && best > enough) {
    const node *at = &t->node[stack[--n]];
    if (distance_to_box(p, at) >= best) continue;
    for (int i = at->first; i < at->first + at->count; i++) {
      const int *tri = t->tri + csim_xyz(t->order[i]);
      best = fmin(best, distance_to_triangle(p, t->x + csim_xyz(tri[0]), t->x + csim_xyz(tri[1]),
                                             t->x + csim_xyz(tri[2])));
    }
    if (at->count) continue;
    int near = at->first, far = near + 1;
    if (distance_to_box(p, &t->node[far]) < distance_to_box(p, &t->node[near])) {
      far = near;
      near = at->first + 1;
    }
    stack[n++] = far;
    stack[n++] = near;
  }
  return best;
}

static double farthest(const tree *t, const csim_cache_object *from, const double *x, int *vertex) {
  double worst = -1;
  for (int v = 0; v < from->nvert && t->ntri; v++) {
    const double *p = x + csim_xyz(v);
    if (!(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))) continue;
    double d = nearest(t, p, worst);
    if (d > worst && isfinite(d)) {
      worst = d;
      *vertex = v;
    }
  }
  return worst;
}

csim_status csim_hausdorff(const csim_cache_object *a, const double *xa, const csim_cache_object *b,
                           const double *xb, double *distance, int *side, int *vertex) {
  tree ta = {0}, tb = {0};
  csim_status status = CSIM_MEMORY;
  *distance = *side = *vertex = 0;
  if (tree_init(&ta, a, xa) || tree_init(&tb, b, xb)) goto done;
  status = CSIM_OK;
  int va = 0, vb = 0;
  double to_b = farthest(&tb, a, xa, &va), to_a = farthest(&ta, b, xb, &vb);
  *side = to_a > to_b;
  *vertex = *side ? vb : va;
  double worst = *side ? to_a : to_b;
  *distance = worst > 0 ? sqrt(worst) : 0;
done:
  csim_arena_free(&ta.arena);
  csim_arena_free(&tb.arena);
  return status;
}
