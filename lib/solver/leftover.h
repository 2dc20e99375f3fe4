// solver/leftover.h: what a step's error does to the momentum of every object, and its removal.
// Needs solver/balance.h.
//
// A step of newton that ends in balance (csim_balance) still leaves a residual R_i = -dF/dx_i, the
// part of the forces that it did not follow. Its net force f and torque t on an object are small,
// but they add up: cloth on a slope just steep enough to slide did so at a tenth of its
// acceleration. The velocities of the step are therefore corrected by the rigid motion
//
//   dv_i = h (f/m + a x (x_i - c)),  a = J^-1 (t - (c - c_object) x f)
//
// whose acceleration, f/m and a, is the leftover of the object. m, c and J are the mass, the centre
// of mass and the inertia about it of the vertices that are not in contact when the step begins
// (csim_integration's `rough` ones are), or of all where those are less than half of the object's
// mass: what rests on something would have to be stopped again in every step, which took up to
// twice the iterations. Momentum then follows from the forces at the end of the step.
// Generalized-alpha splits the correction between v and a as it splits a force. Errors of single
// parts stay: they have both signs, and the next step takes most of them back.
//
// Generalized-alpha has an error of its own. It keeps p = v + h/2 a, but x moves on an arc: the
// angular momentum of p, L = sum (x_i - c) x m p_i, changes by h times the torque and
//
//   sum m ((x'_i - c') - (x_i - c)) x p_i
//
// of which the second is taken back whole, beside t, for objects without exact pins. Without that a
// ball of five turns a second lost 41 % of its spin in three seconds, and a cloth of two turns 5 %.
//
// Of the forces, f h and t h are taken to be at most a tenth of the object's momentum and angular
// momentum, before or after the step: what is at rest stays so.
#ifndef CSIM_SOLVER_LEFTOVER_H
#define CSIM_SOLVER_LEFTOVER_H

#include "solver/balance.h"

typedef struct csim_leftovers {
  const csim_balance *balance;
  double *motion; ///< scratch, for every patch
} csim_leftovers;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_leftovers_create(csim_arena *arena, const csim_balance *balance, csim_leftovers *l);

/// Sets the leftover of problem->integration of every body with free mass.
/// The gradient is the one that csim_balance_measure was called with last.
/// @param[in,out] left  (3) [N] its sum; what is given back is subtracted
void csim_leftovers_find(const csim_problem *problem, const csim_leftovers *l, double left[3]);

#endif
