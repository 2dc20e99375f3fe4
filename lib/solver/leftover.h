// solver/leftover.h: what a step's error does to the momentum of every object, and its removal.
// Needs solver/balance.h.
//
// A step ends with a residual R_i = -dF/dx_i: forces that nothing exerts, with a net force F and a
// torque T on every object. They are small, but they add up: cloth on a slope just steep enough to
// slide did so at a tenth of its acceleration. The velocities of the step are therefore corrected
// by the rigid motion that undoes them,
//
//   dv_i = h (F/M + a x (x_i - c)),  a = J^-1 (T - (c - c_body) x F)
//
// with M, c and J the mass, the centre of mass and the inertia about it of the vertices that touch
// nothing, or of all where those are less than half of the object's mass: what rests on something
// would have to be stopped again in every step, which took up to twice the iterations. The momentum
// of an object then obeys its true forces, whatever the tolerance. Errors of single parts stay:
// they have both signs, and the next step takes most of them back.
//
// F h and T h are taken to be at most a tenth of the object's momentum and angular momentum, before
// or after the step: what is at rest stays so.
#ifndef CSIM_SOLVER_LEFTOVER_H
#define CSIM_SOLVER_LEFTOVER_H

#include "solver/balance.h"

typedef struct csim_leftovers {
  const csim_balance *balance;
  double *motion; ///< scratch, for every patch
} csim_leftovers;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_leftovers_create(csim_arena *arena, const csim_balance *balance, csim_leftovers *l);

/// Sets problem->leftover of every body with free mass.
/// @param         g     (nvert x 3) [N] the gradient at the point of csim_balance_begin
/// @param[in,out] left  (3) [N] the sum of g; what is given back is subtracted
void csim_leftovers_find(const csim_problem *problem, const csim_leftovers *l, const double *g,
                         double left[3]);

#endif
