// solver/stability.h: the largest stable step of an explicit method. Needs model/model.h.
#ifndef CSIM_SOLVER_STABILITY_H
#define CSIM_SOLVER_STABILITY_H

#include "model/model.h"

/// Largest frequency omega_max [1/s] of the model at its start positions: the square root of the
/// largest eigenvalue of M^-1 K over the free vertices, K the elastic Hessian. Power iteration with
/// a Rayleigh quotient, which approaches it from below: within a few percent after its 100
/// iterations. Explicit integration is stable for h < 2 / omega_max (symplectic Euler; explicit
/// Euler needs less).
///
/// @param pool  NULL allowed
/// @return omega_max, 0 if nothing is stiff; -1 when out of memory
double csim_largest_frequency(csim_pool *pool, const csim_model *model);

/// Longest stable step [s] of symplectic Euler at a largest frequency omega > 0. With damping tau,
/// the longest of any vertex, the mode x'' = -omega^2 (x + tau x') is stable for
/// h^2 omega^2 + 2 h tau omega^2 < 4.
double csim_longest_step(const csim_model *model, double omega);

#endif
