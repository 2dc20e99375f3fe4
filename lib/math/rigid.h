// math/rigid.h: the rigid motion between two sets of points. Needs math/vec3.h.
#ifndef CSIM_MATH_RIGID_H
#define CSIM_MATH_RIGID_H

#include <stddef.h>

/// Rotation and translation of least squares: y ~ R x + t. Points on a line or a plane will do: on
/// a line they do not twist about it.
/// @param x, y    (n x 3), n >= 1
/// @param[out] R  (3 x 3) a proper rotation
/// @param[out] t  (3)
/// @return the largest error of a coordinate
/// Source: Kabsch, A solution for the best rotation to relate two sets of vectors, Acta
/// Crystallographica A32, 1976.
double csim_rigid_fit(const double *x, const double *y, ptrdiff_t n, double R[9], double t[3]);

#endif
