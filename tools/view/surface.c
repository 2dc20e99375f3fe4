// view/surface.c: see surface.h.
#include "surface.h"

#include <stdlib.h>
#include <string.h>

/// Side `corner` of a triangle, under its two vertices in order.
typedef struct side {
  int a, b, tri, corner;
} side;

static int compare_sides(const void *p, const void *q) {
  const side *s = p, *t = q;
  if (s->a != t->a) return s->a < t->a ? -1 : 1;
  if (s->b != t->b) return s->b < t->b ? -1 : 1;
  return s->tri < t->tri ? -1 : s->tri > t->tri;
}

static side *sort_sides(int ntri, const int *tri) {
  side *sides = malloc(3 * (size_t)ntri * sizeof *sides + 1);
  if (!sides) return NULL;
  for (int t = 0; t < ntri; t++)
    for (int k = 0; k < 3; k++) {
      int a = tri[3 * t + k], b = tri[3 * t + (k + 1) % 3];
      sides[3 * t + k] = (side){a < b ? a : b, a < b ? b : a, t, k};
    }
  qsort(sides, 3 * (size_t)ntri, sizeof *sides, compare_sides);
  return sides;
}

int *view_find_across(int ntri, const int *tri) {
  side *sides = sort_sides(ntri, tri);
  int *across = malloc(3 * (size_t)ntri * sizeof *across + 1);
  if (!sides || !across) {
    free(sides);
    free(across);
    return NULL;
  }
  for (int i = 0; i < 3 * ntri; i++) across[i] = -1;
  for (int i = 0, end; i < 3 * ntri; i = end) {
    for (end = i + 1; end < 3 * ntri; end++)
      if (sides[end].a != sides[i].a || sides[end].b != sides[i].b) break;
    if (end - i != 2) continue;
    int p = 3 * sides[i].tri + sides[i].corner, q = 3 * sides[i + 1].tri + sides[i + 1].corner;
    across[p] = q;
    across[q] = p;
  }
  free(sides);
  return across;
}

static int next_corner(int c) {
  return c % 3 == 2 ? c - 2 : c + 1;
}

/// flip[t] = 1 for triangles to be turned so that each piece has one winding; the smaller part
/// turns.
static void choose_flips(int ntri, const int *tri, const int *across, int *stack, uint8_t *flip) {
  enum { UNSEEN = 2 };
  memset(flip, UNSEEN, (size_t)ntri);
  for (int seed = 0; seed < ntri; seed++) {
    if (flip[seed] != UNSEEN) continue;
    int n = 1, nflip = 0; // stack keeps the whole piece, `done` walks along it
    stack[0] = seed;
    flip[seed] = 0;
    for (int done = 0; done < n; done++) {
      int t = stack[done];
      for (int k = 0; k < 3; k++) {
        int other = across[3 * t + k];
        if (other < 0 || flip[other / 3] != UNSEEN) continue;
        int alike = tri[3 * t + k] != tri[other]; // neighbours run through their edge both ways
        flip[other / 3] = alike ? flip[t] : !flip[t];
        nflip += flip[other / 3];
        stack[n++] = other / 3;
      }
    }
    if (2 * nflip > n)
      for (int i = 0; i < n; i++) flip[stack[i]] = !flip[stack[i]];
  }
}

static vec3 tri_normal(const double *x, const int *v) {
  vec3 a = vec_load(x + 3 * v[0]);
  return vec_cross(vec_sub(vec_load(x + 3 * v[1]), a), vec_sub(vec_load(x + 3 * v[2]), a));
}

static int find_root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Joins the corners at both ends of every side that is not a crease, then numbers the sets.
static void group_corners(const double *x, double crease, const int *across, const uint8_t *flip,
                          const int *tri, int *parent, view_shape *shape) {
  int ncorner = 3 * shape->ntri;
  double least_cos = cos(crease);
  for (int i = 0; i < ncorner; i++) parent[i] = i;
  for (int p = 0; p < ncorner; p++) {
    int q = across[p];
    if (q < p) continue;
    vec3 m = tri_normal(x, tri + 3 * (p / 3)), n = tri_normal(x, tri + 3 * (q / 3));
    double sign = flip[p / 3] == flip[q / 3] ? 1 : -1;
    double size = vec_length(m) * vec_length(n);
    if (sign * vec_dot(m, n) < least_cos * size) continue;
    int q2 = next_corner(q), p2 = next_corner(p);
    int same = tri[p] == tri[q];
    parent[find_root(parent, p)] = find_root(parent, same ? q : q2);
    parent[find_root(parent, p2)] = find_root(parent, same ? q2 : q);
  }
  shape->ngroup = 0;
  for (int i = 0; i < ncorner; i++) shape->group[i] = -1;
  for (int i = 0; i < ncorner; i++) {
    int root = find_root(parent, i);
    if (shape->group[root] < 0) shape->group[root] = shape->ngroup++;
    shape->group[i] = shape->group[root];
  }
}

/// Turns the triangles chosen, with their edge bits and groups.
static void apply_flips(const uint8_t *flip, view_shape *shape) {
  for (int t = 0; t < shape->ntri; t++) {
    if (!flip[t]) continue;
    int *v = shape->tri + 3 * t, *g = shape->group + 3 * t;
    int vertex = v[1], group = g[1], bits = shape->edge[t];
    v[1] = v[2], g[1] = g[2];
    v[2] = vertex, g[2] = group;
    // (0 1)(1 2)(2 0) becomes (0 2)(2 1)(1 0)
    shape->edge[t] = (uint8_t)((bits & 2) | (bits >> 2 & 1) | (bits & 1) << 2);
  }
}

csim_status view_shape_make(int nvert, const double *x, int ntri, const int *tri,
                            const uint8_t *edge, double crease, view_shape *shape) {
  csim_status status = CSIM_MEMORY;
  size_t n = (size_t)ntri;
  int *across = view_find_across(ntri, tri);
  int *parent = malloc(3 * n * sizeof *parent + 1);
  uint8_t *flip = malloc(n + 1);
  *shape = (view_shape){.nvert = nvert, .ntri = ntri};
  shape->tri = malloc(3 * n * sizeof *shape->tri + 1);
  shape->group = malloc(3 * n * sizeof *shape->group + 1);
  shape->edge = malloc(n + 1);
  if (!across || !parent || !flip || !shape->tri || !shape->group || !shape->edge) goto done;
  if (n) memcpy(shape->tri, tri, 3 * n * sizeof *tri);
  if (n && edge)
    memcpy(shape->edge, edge, n);
  else
    memset(shape->edge, 7, n);
  choose_flips(ntri, tri, across, parent, flip);
  group_corners(x, crease, across, flip, tri, parent, shape);
  apply_flips(flip, shape);
  status = CSIM_OK;
done:
  if (status) view_shape_free(shape);
  free(across);
  free(parent);
  free(flip);
  return status;
}

void view_shape_free(view_shape *shape) {
  free(shape->tri);
  free(shape->group);
  free(shape->edge);
  *shape = (view_shape){0};
}

void view_shape_normals(const view_shape *shape, const double *x, double *normal) {
  memset(normal, 0, 3 * (size_t)shape->ngroup * sizeof *normal);
  const vec3 none = {0};
  for (int t = 0; t < shape->ntri; t++) {
    const int *v = shape->tri + 3 * t;
    vec3 n = vec_unit(tri_normal(x, v), none);
    for (int k = 0; k < 3; k++) {
      vec3 p = vec_load(x + 3 * v[k]);
      vec3 d = vec_unit(vec_sub(vec_load(x + 3 * v[(k + 1) % 3]), p), none);
      vec3 e = vec_unit(vec_sub(vec_load(x + 3 * v[(k + 2) % 3]), p), none);
      double angle = acos(view_clamp(vec_dot(d, e), -1, 1));
      double *sum = normal + 3 * shape->group[3 * t + k];
      sum[0] += angle * n.x;
      sum[1] += angle * n.y;
      sum[2] += angle * n.z;
    }
  }
  for (int g = 0; g < shape->ngroup; g++) {
    vec3 n = vec_unit(vec_load(normal + 3 * g), none);
    normal[3 * g] = n.x;
    normal[3 * g + 1] = n.y;
    normal[3 * g + 2] = n.z;
  }
}
