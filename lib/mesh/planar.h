// mesh/planar.h: triangles inside of a closed outline in the plane. Needs base/, math/predicates.h.
//
// The outline stays as it is: a sewing pattern's seams rely on its vertices. It is triangulated by
// ear cutting, made Delaunay by flips (Lawson 1977), and points of a triangular lattice are
// inserted one by one: a constrained Delaunay triangulation without Steiner points on the outline.
// Orientations are exact, so the triangles are valid whatever the rounding.
#ifndef CSIM_MESH_PLANAR_H
#define CSIM_MESH_PLANAR_H

#include "base/arena.h"

typedef struct csim_planar {
  csim_arena arena; ///< owns all below
  int nvert;
  double *vert; ///< (nvert x 2) the outline first, in its order
  int ntri;
  int *tri; ///< (ntri x 3) counter-clockwise
} csim_planar;

typedef enum csim_planar_fault {
  CSIM_PLANAR_OK,
  CSIM_PLANAR_CROSSING, ///< the outline passes through or along itself
  CSIM_PLANAR_MANY,     ///< the outline or the lattice has too many points
  CSIM_PLANAR_MEMORY,
} csim_planar_fault;

/// @param      outline  (n x 2) counter-clockwise, without repetition; |coordinates| as in
///                      math/predicates.h
/// @param      spacing  > 0 distance of the lattice's points, about that of the outline's
/// @param[out] fault    (2) with CROSSING: the two sides that meet, by their first vertices
/// @param[out] mesh     overwritten; csim_planar_free in any case
csim_planar_fault csim_planar_mesh(int n, const double *outline, double spacing, int fault[2],
                                   csim_planar *mesh);
void csim_planar_free(csim_planar *mesh);

#endif
