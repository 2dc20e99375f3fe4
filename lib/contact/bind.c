// contact/bind.c: see bind.h.
#include "contact/bind.h"

#include "contact/distance.h"
#include "math/vec3.h"
#include "mesh/topology.h"

#include <string.h>

// Largest weight: beyond it a tetrahedron magnifies motion too much to carry vertices outside of
// it.
static const double MOST_WEIGHT = 4;

static const int *nodes(const csim_bind *bind, int elem) {
  return bind->elem + (ptrdiff_t)bind->width * elem;
}

static int normalise(double *a) {
  double length = csim_normalise(a);
  return length > 0 && length < INFINITY ? 0 : -1;
}

// The columns t, n x t and n of the frame at a bound vertex: frame[0 .. 2].
static void frame_of(const csim_bind *bind, const csim_bond *bond, const double *x,
                     double frame[3][3]) {
  const int *v = nodes(bind, bond->elem);
  const double *a = x + csim_xyz(v[0]), *b = x + csim_xyz(v[1]), *c = x + csim_xyz(v[2]);
  double *t = frame[0], *across = frame[1], *n = frame[2];
  for (int d = 0; d < 3; d++) n[d] = 0;
  for (int k = 0; k < 3; k++) csim_add_scaled(bond->weight[k], bind->normal + csim_xyz(v[k]), n);
  if (normalise(n)) {
    csim_triangle_normal(a, b, c, n);
    if (normalise(n)) n[0] = n[1] = 0, n[2] = 1; // no area: any frame will do
  }
  csim_sub(b, a, t);
  csim_add_scaled(-csim_dot(t, n), n, t);
  if (normalise(t)) { // n is along the edge
    double least = csim_min(csim_min(fabs(n[0]), fabs(n[1])), fabs(n[2]));
    int axis = fabs(n[0]) == least ? 0 : fabs(n[1]) == least ? 1 : 2;
    for (int d = 0; d < 3; d++) t[d] = d == axis;
    csim_add_scaled(-n[axis], n, t);
    normalise(t);
  }
  csim_cross(n, t, across);
}

// The point of the element that the vertex is bound to.
static void foot_of(const csim_bind *bind, const csim_bond *bond, const double *x, double *foot) {
  const int *v = nodes(bind, bond->elem);
  for (int d = 0; d < 3; d++) foot[d] = 0;
  for (int k = 0; k < bind->width; k++) csim_add_scaled(bond->weight[k], x + csim_xyz(v[k]), foot);
}

// Distance of p from its tetrahedron, 0 inside.
static double distance_outside(const csim_bind *bind, const csim_bond *bond, const double *x,
                               const double *p) {
  const int *v = nodes(bind, bond->elem);
  double w[3], nearest = INFINITY;
  int inside = 1;
  for (int k = 0; k < 4; k++) inside &= bond->weight[k] >= 0;
  if (inside) return 0;
  for (int k = 0; k < 4; k++)
    nearest = csim_min(nearest, csim_point_triangle(p, x + csim_xyz(v[(k + 1) % 4]),
                                                    x + csim_xyz(v[(k + 2) % 4]),
                                                    x + csim_xyz(v[(k + 3) % 4]), w));
  return sqrt(nearest);
}

static double bind_vertex(const csim_bind *bind, const csim_nearest *tree, const double *p,
                          csim_bond *bond) {
  bond->elem = csim_nearest_find(tree, p, 0, MOST_WEIGHT, bond->weight);
  if (bond->elem < 0) bond->elem = csim_nearest_find(tree, p, 0, INFINITY, bond->weight);
  if (bond->elem < 0) { // nothing has a volume: with the first vertex of all
    *bond = (csim_bond){.weight = {1}};
    return csim_distance(p, tree->x + csim_xyz(nodes(bind, 0)[0]));
  }
  if (bind->width == 4) return distance_outside(bind, bond, tree->x, p);
  double foot[3], offset[3], frame[3][3];
  foot_of(bind, bond, tree->x, foot);
  csim_sub(p, foot, offset);
  frame_of(bind, bond, tree->x, frame);
  for (int k = 0; k < 3; k++) bond->offset[k] = csim_dot(offset, frame[k]);
  return csim_norm(offset);
}

int csim_bind_create(csim_arena *arena, const csim_bind_mesh *to, int n, const double *x,
                     csim_bind *bind) {
  csim_nearest tree;
  csim_arena scratch = {0};
  ptrdiff_t nnode = (ptrdiff_t)to->width * to->nelem;
  *bind = (csim_bind){.nbond = n, .nvert = to->nvert, .width = to->width, .nelem = to->nelem};
  int *elem = CSIM_ARENA_NEW(arena, int, nnode);
  bind->elem = elem;
  bind->bond = CSIM_ARENA_NEW(arena, csim_bond, n);
  bind->shift = CSIM_ARENA_NEW(arena, double, csim_xyz(to->nvert));
  bind->ahead = CSIM_ARENA_NEW(arena, double, csim_xyz(n));
  if (to->width == 3) bind->normal = CSIM_ARENA_NEW(arena, double, csim_xyz(to->nvert));
  int failed =
      arena->failed || csim_nearest_create(&scratch, to->width, to->nelem, to->elem, to->x, &tree);
  if (!failed) {
    memcpy(elem, to->elem, (size_t)nnode * sizeof *elem);
    if (bind->normal) csim_vert_normals(to->nvert, to->nelem, elem, to->x, bind->normal);
  }
  for (int i = 0; i < n && !failed; i++) {
    double far = bind_vertex(bind, &tree, x + csim_xyz(i), &bind->bond[i]);
    if (!(far > bind->farthest)) continue;
    bind->farthest = far;
    bind->far = i;
  }
  csim_arena_free(&scratch);
  return failed ? -1 : 0;
}

void csim_bind_place(csim_bind *bind, const double *x, double unit, double *out) {
  if (bind->normal) csim_vert_normals(bind->nvert, bind->nelem, bind->elem, x, bind->normal);
  for (int i = 0; i < bind->nbond; i++, out += 3) {
    const csim_bond *bond = &bind->bond[i];
    double frame[3][3];
    foot_of(bind, bond, x, out);
    if (!bind->normal) continue;
    frame_of(bind, bond, x, frame);
    for (int k = 0; k < 3; k++) csim_add_scaled(bond->offset[k] / unit, frame[k], out);
  }
}

void csim_bind_velocity(csim_bind *bind, const double *x, const double *v, double unit,
                        double *out) {
  const double h = 1e-5; // [s] rounding and curvature of paths are both far below what floats keep
  if (!bind->normal) {
    csim_bind_place(bind, v, unit, out);
    return;
  }
  for (int side = 0; side < 2; side++) {
    for (ptrdiff_t k = 0; k < csim_xyz(bind->nvert); k++)
      bind->shift[k] = x[k] + (side ? -h : h) * v[k];
    csim_bind_place(bind, bind->shift, unit, side ? out : bind->ahead);
  }
  for (ptrdiff_t k = 0; k < csim_xyz(bind->nbond); k++)
    out[k] = (bind->ahead[k] - out[k]) / (2 * h);
}
