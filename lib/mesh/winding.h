// mesh/winding.h: tests whether a point is inside a surface. Needs base/, math/.
#ifndef CSIM_MESH_WINDING_H
#define CSIM_MESH_WINDING_H

/// Winding number of a surface about a point: 1 inside of a closed surface whose faces point
/// outward, 0 outside, -1 inside of one that is inside out; in between near the holes of an open
/// one. The sum of the triangles' solid angles over 4 pi (Van Oosterom & Strackee 1983; Jacobson et
/// al. 2013).
/// @param tri  (ntri x 3)
/// @param x    (nvert x 3) [m]
/// @param p    (3) [m] not on the surface
double csim_winding_number(int ntri, const int *tri, const double *x, const double p[3]);

#endif
