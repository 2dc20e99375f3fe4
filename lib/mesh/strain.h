// mesh/strain.h: strain of a surface relative to its rest shape. Needs math/, base/.
#ifndef CSIM_MESH_STRAIN_H
#define CSIM_MESH_STRAIN_H

#include "base/arena.h"

/// The rest shape of triangles.
typedef struct csim_rest_metric {
  int nvert, ntri;
  const int *tri; ///< (ntri x 3)
  double *rest;  ///< (ntri x 3) 1/l, a/(l b), 1/b of a triangle (0, 0), (l, 0), (a, b); zeros where
                 ///< it has no area
  double *share; ///< (ntri x 3) of a corner: the triangle's area over that around the vertex
} csim_rest_metric;

/// @param tri  (ntri x 3) must outlive the shape
/// @param x    (nvert x 3) [m] at rest
/// @param flat (ntri x 6) [m] corners of triangles at rest; NULL: as in x
/// @return 0, or -1 when out of memory; everything is in the arena
int csim_rest_metric_create(csim_arena *arena, int nvert, int ntri, const int *tri, const double *x,
                            const double *flat, csim_rest_metric *shape);

/// The strain of each vertex, the mean of its triangles by area. That of a triangle with
/// deformation gradient F is the largest singular value of F less 1.
/// @param x            (nvert x 3) [m]
/// @param[out] strain  (nvert) [-] overwritten; 0 for vertices without triangles
void csim_rest_metric_strain(const csim_rest_metric *shape, const double *x, double *strain);

#endif
