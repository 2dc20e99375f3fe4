// contact/ccd.h: when do two moving primitives touch? Needs contact/distance.h.
#ifndef CSIM_CONTACT_CCD_H
#define CSIM_CONTACT_CCD_H

#include "contact/distance.h"

/// Time of impact: first time in [0, 1] at which the pair comes as near as `gap`, less a small
/// safety distance. Vertices move straight from x to x + u. Conservative: never later than the true
/// time. Directional conservative advancement: along a fixed direction the separation of two hulls
/// is a minimum of affine functions of time, so the step to its first zero is exact. Where the
/// direction gives little, the additive step (distance over speed) is taken instead.
///
/// @param      x    (4) the points at time 0
/// @param      u    (4) their displacements until time 1
/// @param      gap  [m] distance that counts as touching, >= 0
/// @param[out] time of impact, if there is one; may be NULL
/// @return 1 touch, 0 none. Errs towards 1 when the pair passes within about 1e-9 of its size.
int csim_ccd_pair(csim_pair_kind kind, const double *const x[4], const double *const u[4],
                  double gap, double *time);

/// Direction n from the first side of the pair to the second when they come as near as `gap`, or
/// at time 1 if they do not, with the weights w of their nearest points then. A triangle that
/// slides under a vertex is beside it at time 0: along the direction of then it would push the
/// vertex ahead of it.
/// @param[out] w  (4) as csim_pair_closest
/// @param[out] n  (3) of length 1; 0 where they touch
/// @return distance of these points along n at time 0 [m]
double csim_ccd_direction(csim_pair_kind kind, const double *const x[4], const double *const u[4],
                          double gap, double w[4], double n[3]);

#endif
