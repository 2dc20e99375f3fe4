// view/surface.h: a mesh made ready to draw: consistent sides, creases, smooth normals.
// Needs vec.h, clothsim.h.
#ifndef VIEW_SURFACE_H
#define VIEW_SURFACE_H

#include "clothsim.h"
#include "vec.h"

/// Data that is constant while the vertices move.
typedef struct view_shape {
  int nvert, ntri;
  int *tri;      ///< (ntri x 3) wound alike over each connected piece, as most of it was given
  uint8_t *edge; ///< (ntri) bit k: side k (corner k to k + 1) is an edge of the given polygons
  int ngroup;
  int *group; ///< (ntri x 3) corners with one number share one smooth normal
} view_shape;

/// Prepares `tri` (ntri x 3, indices in [0, nvert)). Edges that are folded by more than the crease
/// angle [rad] in x (nvert x 3) stay sharp in every frame: a box keeps its edges, cloth that starts
/// flat has none however it folds later. edge: as in view_shape, or NULL for all.
csim_status view_shape_make(int nvert, const double *x, int ntri, const int *tri,
                            const uint8_t *edge, double crease, view_shape *shape);
void view_shape_free(view_shape *shape);

/// Normals of all groups at positions x, weighted by the corners' angles.
/// @param[out] normal  (ngroup x 3) unit length, or 0 where nothing has an area; overwritten
void view_shape_normals(const view_shape *shape, const double *x, double *normal);

/// The side that lies against each side of each triangle: across[3 t + k] = 3 t' + k', or -1 at
/// borders and where more than two triangles meet. Released with free(); NULL when out of memory.
int *view_find_across(int ntri, const int *tri);

#endif
