// mesh/solid.h: checks that a surface is the boundary of a solid. Needs base/, math/predicates.h,
// mesh/intersect.h.
#ifndef CSIM_MESH_SOLID_H
#define CSIM_MESH_SOLID_H

#include "base/arena.h"
#include "base/log.h"

/// A triangle surface that the caller owns.
typedef struct csim_surface {
  const char *name; ///< its name in messages, for example "solid \"ball\""
  int nvert;
  const double *vert; ///< (nvert x 3) [m]
  int ntri;
  const int *tri;      ///< (ntri x 3)
  const int *tri_face; ///< (ntri) face of the user's mesh each triangle came from, for messages;
                       ///< NULL: the triangles are the faces
} csim_surface;

/// Most separate parts (bodies and cavities) of a surface: the time to find which contains which is
/// quadratic in them.
enum { CSIM_SOLID_MAX_PARTS = 20000 };

/// A surface known to be the boundary of a solid.
typedef struct csim_solid {
  csim_arena arena; ///< owns all arrays below
  int ntri;
  int *tri; ///< (ntri x 3) the surface's, in its order, normals pointing out of the material
  int nloose;
  int *loose; ///< (nloose) vertices no triangle uses, ascending
  int nhole;
  double *hole;        ///< (nhole x 3) a point inside each cavity [m]
  double volume;       ///< [m^3] of the material
  double volume_error; ///< [m^3] bound of the rounding error in `volume`
} csim_solid;

/// Checks that a surface is closed, manifold, oriented and free of self-intersections, exactly, and
/// finds its cavities.
///
/// A body that faces inwards with all its cavities is turned around, with a warning; so are loose
/// vertices reported. Every other kind of defect is one error line: how often, cause, place (faces
/// and vertices as the user counts them, from 0; coordinates) and remedy.
/// @param      surface  may be hostile: indices and numbers are checked
/// @param      log      may be NULL
/// @param[out] solid    overwritten; csim_solid_free releases it. Empty on failure
/// @return CSIM_OK, CSIM_INVALID or CSIM_MEMORY
csim_status csim_check_solid(const csim_surface *surface, csim_place place, csim_log *log,
                             csim_solid *solid);

/// Frees the arrays of a solid (all zero allowed).
void csim_solid_free(csim_solid *solid);

/// Volume [m^3] enclosed by a closed surface, a sixth of the sum of det(a - o, b - o, c - o) over
/// its triangles, negative if they face inwards; and a bound of its rounding error.
/// @param      o      origin [m]: near the surface keeps the error small
/// @param[out] error  (1) [m^3]
double csim_signed_volume(const double o[3], const double *vert, int ntri, const int *tri,
                          double *error);

#endif
