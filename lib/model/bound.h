// model/bound.h: the energy of a strain that has a bound. Needs base/, math/.
//
// From the strain M = N/2 on, an energy resists that grows without end towards the bound N:
//   E = q w^2 B(u),  u = (e - M)/w,  w = N - M,  B(u) = u^3/(1 - u)
// C2 at M and convex. Pins and bodies that follow their motion can still stretch an element beyond
// u = 0.99. There the quadratic with the value and derivatives of B continues it: its energy stays
// finite, and Newton finds the way back. A barrier for strain limits as in Ando, A Cubic Barrier
// with Elasticity-Inclusive Dynamic Stiffness, ACM TOG 43(6), 2024, where it is cubic.
#ifndef CSIM_MODEL_BOUND_H
#define CSIM_MODEL_BOUND_H

#include "base/simd.h"
#include "math/vec3.h"

#include <math.h>

/// Share of the bound at which it begins to resist. Larger, Newton's steps are shortened more
/// often; smaller, the cloth is stiffer than its material below the bound.
#define CSIM_BOUND_BEGIN 0.5

/// Share of the remaining distance to the bound that a step may use.
#define CSIM_BOUND_STEP 0.9

/// B(u) and its first two derivatives; 0 for u <= 0.
CSIM_SIMD_BODY void csim_bound_law(const csim_v4 *share, csim_v4 B[3]) {
  csim_v4 zero = {0}, last = CSIM_SPLAT4(0.99), u = *share;
  csim_v4 beyond = CSIM_SELECT4(u > last, u - last, zero);
  u = CSIM_SELECT4(u > zero, u, zero);
  u = CSIM_SELECT4(u > last, last, u);
  csim_v4 s = 1 / (1 - u);
  B[2] = (6 - 6 * u + 2 * u * u) * u * s * s * s;
  B[1] = (3 - 2 * u) * u * u * s * s;
  B[0] = u * u * u * s + (B[1] + 0.5 * B[2] * beyond) * beyond;
  B[1] += B[2] * beyond;
}

/// Slope of B' for Newton's method: B''(u), or from deeper than `before` the chord
///   (B'(u) - B'(before))/(u - before),
/// where `before` is u at the last iteration, or at the start of the step. Close to the bound the
/// tangent is so steep that an iteration undoes a third of the way in, and leaves 4/9 of the force;
/// the chord goes back to `before`. A sheet of 64 x 64 cells with a bound of 1 % under gravity that
/// turns over took 4,200 iterations by tangents, 3,600 by chords. Chords from the start of the step
/// in every iteration do not converge where the load grows.
CSIM_SIMD_BODY void csim_bound_slope(const csim_v4 *share, const csim_v4 *before, csim_v4 *slope) {
  csim_v4 zero = {0}, least = CSIM_SPLAT4(1e-3), u = *share, B[3], B0[3];
  csim_v4 from = CSIM_SELECT4(*before > zero, *before, zero), by = u - from;
  csim_bound_law(&u, B);
  csim_bound_law(&from, B0);
  by = CSIM_SELECT4(by > least, by, least);
  *slope = CSIM_SELECT4(u - from > least, (B[1] - B0[1]) / by, B[2]);
}

/// Largest share [0, 1] of the step d (3) after which a vector r of length l has used at most
/// CSIM_BOUND_STEP of its distance to the length `end`. 1 if it is beyond the bound: it can only go
/// back, which F judges.
static inline double csim_bound_max_step(double l, const double r[3], const double d[3],
                                         double end) {
  if (!(l < end)) return 1;
  double most = l + CSIM_BOUND_STEP * (end - l), dd = csim_dot(d, d), rd = csim_dot(r, d);
  double rest = (most - l) * (most + l); // |r + t d|^2 = most^2: t^2 dd + 2 t rd = rest
  if (dd + 2 * rd <= rest) return 1;
  double root = sqrt(rd * rd + dd * rest);
  double t =
      rd > 0 ? rest / (rd + root) : (root - rd) / dd; // neither form subtracts nearly equal numbers
  return t < 1 ? t : 1;
}

/// How far a displacement that takes a length from `from` to `to`, beyond the share that a step may
/// use, takes it past where an initial guess should have it: where the bound begins, or a tenth of
/// the way left to its end. 0 if there is nothing to correct, or `from` is beyond the bound.
/// Guesses at 0.98 of the bound were as near to the solution, but took as many iterations as those
/// moved back as a whole, because forces there are large.
static inline double csim_bound_excess(double from, double to, double begin, double end) {
  static const double CLEARLY = 1e-10; // so that the largest step is less than 1, too
  double left = end - from;
  if (!(left > 0) || to <= csim_max(begin, from + CSIM_BOUND_STEP * left + CLEARLY * end)) return 0;
  return to - csim_max(begin, from + (1 - CSIM_BOUND_STEP) * left);
}

#endif
