// math/predicates.h: on which side? Signs of determinants, exact whatever the rounding. Needs
// nothing.
//
// Exact for coordinates that are 0 or of magnitude 2^-300 to 2^300 (5e-91 to 2e90): then no product
// of three differences, nor any of its rounding errors, leaves the range of a double.
#ifndef CSIM_MATH_PREDICATES_H
#define CSIM_MATH_PREDICATES_H

/// Bounds of the magnitude of a coordinate: 2^300 and its inverse.
#define CSIM_EXACT_MAX 0x1p300
#define CSIM_EXACT_MIN 0x1p-300

/// Sign of det(b - a, c - a): 1 when a, b, c turn left, -1 right, 0 when they lie on a line.
int csim_orient2d(const double a[2], const double b[2], const double c[2]);

/// Sign of det(b - a, c - a, d - a): 1 when d lies on the side of the plane a b c that
/// (b - a) x (c - a) points to, -1 on the other side, 0 in the plane.
int csim_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

/// 1 when a, b, c lie on a line (or in a point).
int csim_collinear(const double a[3], const double b[3], const double c[3]);

/// Sign of the volume a closed surface encloses: 1 when its normals (b - a) x (c - a) point out.
/// @param  vert  (n x 3)
/// @param  tri   (ntri x 3) into vert
int csim_volume_sign(const double *vert, int ntri, const int *tri);

#endif
