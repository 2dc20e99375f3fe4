// contact/bind.h: binds a mesh to another one: a render mesh to the simulated mesh. Needs
// contact/nearest.h.
//
// A vertex bound to a triangle a b c is at
//
//     sum w_k x_k + o_0 t + o_1 (n x t) + o_2 n
//
// where w are the barycentric weights of the nearest point and n is the unit normal there,
// interpolated from the vertices, so that a fine surface stays smooth over coarse facets. t is the
// edge a b without its component along n. The offset o is constant from the time of binding. The
// vertex therefore starts where it was, follows rigid motion, and keeps its distance from the
// simulated surface. A vertex bound to a tetrahedron is at sum w_k x_k, without offset, and follows
// every affine motion exactly.
#ifndef CSIM_CONTACT_BIND_H
#define CSIM_CONTACT_BIND_H

#include "contact/nearest.h"

/// How one vertex is bound.
typedef struct csim_bond {
  int elem;         ///< triangle or tetrahedron
  double weight[4]; ///< of its vertices, sum 1
  double offset[3]; ///< [m] along t, n x t and n; all 0 in a tetrahedron
} csim_bond;

typedef struct csim_bind {
  int nbond;
  csim_bond *bond; ///< (nbond)
  int nvert;       ///< of the simulated mesh
  int width;       ///< 3 = bound to triangles, 4 = to tetrahedra
  int nelem;
  const int *elem;        ///< (nelem x width) a copy
  double *normal, *shift; ///< (nvert x 3) workspace; normal is NULL for tetrahedra
  double *ahead;          ///< (nbond x 3) workspace
  double farthest;        ///< [m] largest distance of a vertex from its nearest point
  int far;                ///< the vertex of that distance
} csim_bind;

/// The mesh to bind to, at its current position.
typedef struct csim_bind_mesh {
  int nvert, width, nelem;
  const int *elem; ///< (nelem x width)
  const double *x; ///< (nvert x 3) [m]
} csim_bind_mesh;

/// Binds vertices x (n x 3) [m] to the elements of a mesh with vertices `to` (nvert x 3), both at
/// their current positions. Neither is needed afterwards.
/// @param width  3 = elem are triangles, 4 = tetrahedra; nelem >= 1
/// @param[out] bind  all its memory is in the arena
/// @return 0, or -1 when out of memory
int csim_bind_create(csim_arena *arena, const csim_bind_mesh *to, int n, const double *x,
                     csim_bind *bind);

/// Where the bound vertices are: out (nbond x 3), overwritten.
/// @param x     (nvert x 3) of the simulated mesh, in units of length
/// @param unit  [m] of one such unit
void csim_bind_place(csim_bind *bind, const double *x, double unit, double *out);

/// Their velocities: the derivative of csim_bind_place along v, by central differences over 20
/// microseconds (exact for tetrahedra). out (nbond x 3), overwritten.
/// @param v  (nvert x 3) units of length per second
void csim_bind_velocity(csim_bind *bind, const double *x, const double *v, double unit,
                        double *out);

#endif
