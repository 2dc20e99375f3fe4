// mesh/icosphere.h: a sphere of near equal triangles. Needs base/dmath.h, math/vec3.h.
#ifndef CSIM_MESH_ICOSPHERE_H
#define CSIM_MESH_ICOSPHERE_H

/// Divides every face of the icosahedron into n^2 triangles on the sphere about the origin. Largest
/// over smallest area of a triangle is below 1.25 for any n.
///
/// @param n          1 .. 2590; 2 pi / 1.1071 = 5.675 n edges make a great circle
/// @param radius     [m]
/// @param[out] vert  (10 n^2 + 2 x 3) [m]; overwritten
/// @param[out] tri   (20 n^2 x 3) pointing outward; overwritten
void csim_icosphere(int n, double radius, double *vert, int *tri);

#endif
