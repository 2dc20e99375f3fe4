// mesh/tetrahedra.h: tetrahedra that fill a solid, and a check that they do. Needs base/,
// math/predicates.h, mesh/solid.h. io/tetrahedralize.h makes them.
#ifndef CSIM_MESH_TETRAHEDRA_H
#define CSIM_MESH_TETRAHEDRA_H

#include "mesh/solid.h"

/// Tetrahedra that fill a closed surface.
typedef struct csim_tets {
  csim_arena arena; ///< owns all arrays below
  int nvert;        ///< of the surface, then those that TetGen added inside
  int nsurface;     ///< vertices of the surface: the first ones, bit for bit
  double *vert;     ///< (nvert x 3) [m]
  int ntet;
  int *tet; ///< (ntet x 4) a, b, c, d with det(b - a, c - a, d - a) > 0, exactly
  int nloose;
  int *loose;    ///< (nloose) surface vertices no triangle uses, ascending; no tet uses them
  double volume; ///< [m^3] enclosed by the surface = sum of the tets
} csim_tets;

/// Frees the arrays (all zero allowed).
void csim_tets_free(csim_tets *tets);

/// Checks that tetrahedra fill a solid exactly once: every one turns positively (exact), every
/// vertex that is not loose is used, every inner face belongs to two of them from opposite sides,
/// the other faces are the solid's triangles one for one, and the volumes agree to 1e-9.
/// @param      tets   may be invalid; sizes must be those of its arrays
/// @param[out] wrong  the fault, in words; NULL if there is none
/// @return CSIM_OK, CSIM_INVALID or CSIM_MEMORY
csim_status csim_check_tets(const csim_tets *tets, const csim_solid *solid, const char **wrong);

/// Volume of a tetrahedron, (x1 - x0) . ((x2 - x0) x (x3 - x0)) / 6 [m^3].
/// @param x    (.. x 3) [m]
/// @param tet  (4) rows in x
double csim_tet_volume(const double *x, const int *tet);

#endif
