// contact/nearest.c: see nearest.h.
#include "contact/nearest.h"

#include "base/morton.h"
#include "contact/distance.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 }; // elements in a leaf, roughly

static const double *vertex(const csim_nearest *tree, int e, int k) {
  return tree->x + csim_xyz(tree->elem[(ptrdiff_t)tree->width * e + k]);
}

static void grow(double box[6], const double *lo, const double *hi) {
  for (int c = 0; c < 3; c++) {
    box[c] = csim_min(box[c], lo[c]);
    box[3 + c] = csim_max(box[3 + c], hi[c]);
  }
}

static void empty(double box[6]) {
  for (int c = 0; c < 6; c++) box[c] = c < 3 ? INFINITY : -INFINITY;
}

// First element of leaf k, in the order of the tree.
static int first_of(const csim_nearest *tree, int k) {
  return (int)((long long)tree->nelem * k / tree->nleaf);
}

static void sort(csim_nearest *tree, csim_morton_entry *list, csim_morton_entry *scratch) {
  double all[6];
  empty(all);
  for (int e = 0; e < tree->nelem; e++)
    for (int k = 0; k < tree->width; k++) grow(all, vertex(tree, e, k), vertex(tree, e, k));
  for (int e = 0; e < tree->nelem; e++) {
    uint32_t cell[3];
    for (int c = 0; c < 3; c++) {
      double sum = 0, size = all[3 + c] - all[c];
      for (int k = 0; k < tree->width; k++) sum += vertex(tree, e, k)[c] - all[c];
      double share = size > 0 ? sum / (tree->width * size) : 0;
      cell[c] = (uint32_t)(csim_min(csim_max(share, 0), 1) * CSIM_MORTON_LAST);
    }
    list[e] = (csim_morton_entry){csim_morton(cell), e};
  }
  csim_morton_sort(tree->nelem, list, scratch);
  for (int e = 0; e < tree->nelem; e++) tree->item[e] = list[e].item;
}

int csim_nearest_create(csim_arena *arena, int width, int nelem, const int *elem, const double *x,
                        csim_nearest *tree) {
  *tree = (csim_nearest){.nelem = nelem, .width = width, .elem = elem, .x = x, .nleaf = 1};
  while (tree->nleaf < nelem / LEAF) tree->nleaf *= 2;
  tree->item = CSIM_ARENA_NEW(arena, int, nelem);
  tree->box = csim_arena_alloc(arena, csim_row(2, tree->nleaf), sizeof *tree->box);
  csim_morton_entry *list = CSIM_NEW(csim_morton_entry, nelem),
                    *scratch = CSIM_NEW(csim_morton_entry, nelem);
  int failed = !tree->item || !tree->box || !list || !scratch;
  if (!failed) sort(tree, list, scratch);
  free(list);
  free(scratch);
  if (failed) return -1;
  for (int n = 2 * tree->nleaf - 1; n > 0; n--) {
    double *box = tree->box[n];
    empty(box);
    if (n < tree->nleaf) {
      for (int k = 0; k < 2; k++) grow(box, tree->box[2 * n + k], tree->box[2 * n + k] + 3);
      continue;
    }
    for (int i = first_of(tree, n - tree->nleaf); i < first_of(tree, n - tree->nleaf + 1); i++)
      for (int k = 0; k < width; k++)
        grow(box, vertex(tree, tree->item[i], k), vertex(tree, tree->item[i], k));
  }
  return 0;
}

// Barycentric weights of p in a tetrahedron, sum 1, also outside. -1 if it has no volume.
static int tet_weights(const double *a, const double *b, const double *c, const double *d,
                       const double *p, double w[4]) {
  double ab[3], ac[3], ad[3], ap[3], n[3];
  csim_sub(b, a, ab);
  csim_sub(c, a, ac);
  csim_sub(d, a, ad);
  csim_sub(p, a, ap);
  csim_cross(ac, ad, n);
  double volume = csim_dot(ab, n);
  if (!(fabs(volume) > 0)) return -1;
  w[1] = csim_dot(ap, n) / volume;
  csim_cross(ad, ab, n);
  w[2] = csim_dot(ap, n) / volume;
  csim_cross(ab, ac, n);
  w[3] = csim_dot(ap, n) / volume;
  w[0] = 1 - w[1] - w[2] - w[3];
  return 0;
}

// Squared distance of p from a tetrahedron, INFINITY if it is skipped.
static double distance_tet(const csim_nearest *tree, int e, const double *p, double most,
                           double w[4]) {
  const double *v[4];
  for (int k = 0; k < 4; k++) v[k] = vertex(tree, e, k);
  if (tet_weights(v[0], v[1], v[2], v[3], p, w)) return INFINITY;
  double least = INFINITY, largest = 0, nearest = INFINITY, unused[3];
  for (int k = 0; k < 4; k++) {
    least = csim_min(least, w[k]);
    largest = csim_max(largest, fabs(w[k]));
  }
  if (least >= 0) return 0;
  if (!(largest <= most)) return INFINITY;
  for (int k = 0; k < 4; k++)
    nearest = csim_min(
        nearest, csim_point_triangle(p, v[(k + 1) % 4], v[(k + 2) % 4], v[(k + 3) % 4], unused));
  return nearest;
}

// Squared distance of p from a box.
static double distance_box(const double *box, const double *p) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    double d = csim_max(csim_max(box[c] - p[c], p[c] - box[3 + c]), 0);
    sum += d * d;
  }
  return sum;
}

int csim_nearest_find(const csim_nearest *tree, const double *p, double enough, double most,
                      double *w) {
  int stack[64], depth = 0, found = -1;
  double best = INFINITY;
  stack[depth++] = 1;
  while (depth > 0 && best >= enough * enough) {
    int n = stack[--depth];
    if (distance_box(tree->box[n], p) > best) continue;
    if (n < tree->nleaf) {
      int near = distance_box(tree->box[2 * n], p) <= distance_box(tree->box[2 * n + 1], p) ? 0 : 1;
      stack[depth++] = 2 * n + !near;
      stack[depth++] = 2 * n + near;
      continue;
    }
    for (int i = first_of(tree, n - tree->nleaf); i < first_of(tree, n - tree->nleaf + 1); i++) {
      int e = tree->item[i];
      double weight[4], d = tree->width == 4
                                ? distance_tet(tree, e, p, most, weight)
                                : csim_point_triangle(p, vertex(tree, e, 0), vertex(tree, e, 1),
                                                      vertex(tree, e, 2), weight);
      if (!(d < best) && !(d == best && e < found)) continue;
      if (d == INFINITY) continue;
      best = d;
      found = e;
      memcpy(w, weight, (size_t)tree->width * sizeof *w);
    }
  }
  return found;
}
