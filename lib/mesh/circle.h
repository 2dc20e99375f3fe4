// mesh/circle.h: points of a circle, symmetric to the last bit. Needs base/dmath.h.
#ifndef CSIM_MESH_CIRCLE_H
#define CSIM_MESH_CIRCLE_H

#include <stdint.h>

/// Cosine and sine of 2 pi i / n. Mirror images among the n points have coordinates of equal
/// magnitude, and points on an axis are exact: round shapes are as symmetric as they look.
/// @param i  0 <= i <= n < 2^60
void csim_circle_point(int64_t i, int64_t n, double *cosine, double *sine);

#endif
