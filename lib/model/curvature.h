// model/curvature.h: bending by the curvature at each vertex, the same on every mesh. Needs
// model/fabric.h.
//
// At each vertex v a quadratic surface is fitted to its neighbours, which have been laid flat
// around it; its second derivatives k11, k12, k22 along warp and weft are linear in the positions,
// and
//
//   E = sum_v A_v/2 (B1 |k11|^2 + B2 |k22|^2 + 2 sqrt(B1 B2) |k12|^2),
//
// B1 the bending stiffness along warp, B2 along weft, A_v the mixed Voronoi area (Meyer, Desbrun,
// Schroeder, Barr, Discrete Differential-Geometry Operators for Triangulated 2-Manifolds, 2003). E
// is a constant quadratic form with a flat rest shape, as Bergou's over hinges is. With a table of
// measured stiffness B depends on the curvature instead, see measured_bending.c.
//
// The fit is exact for quadratic surfaces on any mesh, so a cylinder has its exact energy. With
// these areas a cylinder is also in equilibrium, on grids of right triangles and on equilateral
// meshes. Hinges have only one of the two properties: on a grid of alternating diagonals they have
// 0.75 to 1.3 times B by direction, on one of equal diagonals 0.9 to 2.8 times.
#ifndef CSIM_MODEL_CURVATURE_H
#define CSIM_MODEL_CURVATURE_H

#include "model/fabric.h"

/// Bending stiffnesses of a sheet [N m], along warp and along weft.
typedef struct csim_bend {
  double warp, weft;
} csim_bend;

/// Sets the factor of vertices to 0 that are held together with all their neighbours: nothing
/// bends there. Fits at a border use the second ring. At the end of a strip, in its two held rows,
/// they would see the bend beyond the clamp and stiffen it.
/// @param held    (nvert) 1: prescribed for the whole run; overwritten
/// @param factor  (nvert) changed
void csim_curvature_hold(const csim_topology *topology, const int *tri, unsigned char *held,
                         double *factor);

/// Adds the pairs of the energy above.
/// @param tri     (ntri x 3), topology's
/// @param flat    (ntri x 6) [m] see model/fabric.h
/// @param factor  (nvert) of the stiffness
/// @param pairs   of kind csim_curvature_kind
/// @return number of vertices left out because their neighbours lie on a line, or -1 when out of
///         memory
int csim_curvature_pairs(const csim_topology *topology, const int *tri, const double *flat,
                         const csim_part *part, const csim_bend *bend, const double *factor,
                         csim_elements *pairs);

/// The same with stiffness from a table, see csim_measured_bending_param: an element at each
/// vertex.
/// @param patches  of kind csim_measured_bending_kind
int csim_curvature_measured(const csim_topology *topology, const int *tri, const double *flat,
                            const csim_part *part, const double *table, const double *factor,
                            csim_elements *patches);

#endif
