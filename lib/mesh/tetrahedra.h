// mesh/tetrahedra.h: a solid: the closed surface it is made from, its tetrahedra, and the checks of
// both. Needs base/, math/predicates.h, mesh/intersect.h. io/tetrahedralize.h makes them.
#ifndef CSIM_MESH_TETRAHEDRA_H
#define CSIM_MESH_TETRAHEDRA_H

#include "base/arena.h"
#include "base/log.h"

/// A triangle surface somebody else owns.
typedef struct csim_surface {
  const char *name; ///< what messages call it, for example "solid \"ball\""
  int nvert;
  const double *vert; ///< (nvert x 3) [m]
  int ntri;
  const int *tri;      ///< (ntri x 3)
  const int *tri_face; ///< (ntri) face of the user's mesh each triangle came from, for messages;
                       ///< NULL: the triangles are the faces
} csim_surface;

/// Tetrahedra that fill a closed surface.
typedef struct csim_tets {
  csim_arena arena; ///< owns all arrays below
  int nvert;        ///< of the surface, then those TetGen put inside
  int nsurface;     ///< vertices of the surface: the first ones, bit for bit
  double *vert;     ///< (nvert x 3) [m]
  int ntet;
  int *tet; ///< (ntet x 4) a, b, c, d with det(b - a, c - a, d - a) > 0, exactly
  int nloose;
  int *loose;    ///< (nloose) surface vertices no triangle uses, ascending; no tet uses them
  double volume; ///< [m^3] enclosed by the surface = sum of the tets
} csim_tets;

void csim_tets_free(csim_tets *tets);

#endif
