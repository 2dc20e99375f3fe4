// cache/traversal.h: the order in which a mesh's vertices are coded, and their predictors. Needs
// base/.
#ifndef CSIM_CACHE_TRAVERSAL_H
#define CSIM_CACHE_TRAVERSAL_H

#include "base/arena.h"

/// What one vertex is predicted from: places in the order, all before its own, or nvert for "zero".
/// The displacement since the previous frame is predicted as scale (u[a] + u[b] - u[d]).
typedef struct csim_predictor {
  int a, b, d;
  float scale; ///< 1, or 1/2 inside tetrahedra
} csim_predictor;

/// Depends on the topology only, so that writer and reader build the same one.
typedef struct csim_traversal {
  csim_arena arena;
  int nvert;
  int *order;              ///< (nvert) vertex at each place
  csim_predictor *predict; ///< (nvert) by place
} csim_traversal;

/// Breadth-first over the triangles of the fans of the faces, across edges: the new vertex opposite
/// the edge ab of the known triangle a b d is predicted from a, b, d (a parallelogram). Vertices
/// that no face reaches follow over the tetrahedra, then loose ones. Linear time.
///
/// @param face_start (nface + 1), face_vert (face_start[nface]) corners, all in [0, nvert)
/// @param tet        (ntet x 4) or NULL
/// @return 0, or -1 when out of memory or when the faces have more than 2^31 / 3 triangles
int csim_traversal_init(csim_traversal *t, int nvert, int nface, const int *face_start,
                        const int *face_vert, int ntet, const int *tet);
void csim_traversal_free(csim_traversal *t);

#endif
