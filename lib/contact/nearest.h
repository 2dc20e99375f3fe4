// contact/nearest.h: the triangle or tetrahedron of a mesh nearest to a point. Needs base/, math/.
#ifndef CSIM_CONTACT_NEAREST_H
#define CSIM_CONTACT_NEAREST_H

#include "base/arena.h"

/// A binary tree of boxes over elements in Morton order.
typedef struct csim_nearest {
  int nelem, width; ///< elements; vertices of each: 3 = triangles, 4 = tetrahedra
  const int *elem;  ///< (nelem x width)
  const double *x;  ///< of the vertices, 3 each [m]
  int *item;        ///< (nelem) elements in the order of the tree
  int nleaf;        ///< a power of two; leaf k has every element from its share of `item`
  double (*box)[6]; ///< (2 nleaf) least and largest corner of node 1 (the root), 2, 3, ...
} csim_nearest;

/// @param elem   (nelem x width) kept by reference, as x is; nelem >= 1
/// @param arena  owns what the tree needs
/// @return 0, or -1 when out of memory
int csim_nearest_create(csim_arena *arena, int width, int nelem, const int *elem, const double *x,
                        csim_nearest *tree);

/// The element nearest to p, or any that is nearer than `enough`; of several equally near the one
/// with the lowest number.
///
/// A tetrahedron is a distance of 0 from points inside. From points outside, those of which an
/// affine map would magnify more than `most` times (a sliver in front of them) are passed over.
///
/// @param enough  [m] 0: the nearest
/// @param most    largest absolute weight allowed of a tetrahedron; INFINITY: any. Unused for
///                triangles
/// @param[out] w  (width) weights of the element's vertices, sum 1: of triangles those of the
///                nearest point (>= 0), of tetrahedra those of p itself
/// @return its number; -1: none is allowed
int csim_nearest_find(const csim_nearest *tree, const double *p, double enough, double most,
                      double *w);

#endif
