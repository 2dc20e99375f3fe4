// solver/lagged_friction.h: how friction follows the normal forces in the iterations of a step.
// Needs solver/balance.h, method.h.
//
// Friction is lagged (Li et al. 2020, Incremental Potential Contact): F has it with normal forces
// that are constant between updates. Every iteration updates them at its x, by all of their change
// or by a share of it. A step may end only when friction agrees with the normal forces at its end.
#ifndef CSIM_SOLVER_LAGGED_FRICTION_H
#define CSIM_SOLVER_LAGGED_FRICTION_H

#include "solver/balance.h"
#include "solver/method.h"

typedef struct csim_lagged_friction {
  csim_balance *balance;
  double share;    ///< of a change of the normal forces that an update takes, (0, 1]
  double *whole;   ///< (nvert x 3) [N] scratch: friction of the normal forces at x
  double *missing; ///< (nvert x 3) [N] scratch of the caller: what friction lacks of that
} csim_lagged_friction;

/// @param scratch  (nvert x 3) overwritten by all functions that judge
/// @return 0, or -1 when out of memory (arena->failed)
int csim_lagged_friction_create(csim_arena *arena, csim_balance *balance, double *scratch,
                                csim_lagged_friction *friction);

/// Begins a step: updates take all of a change.
void csim_lagged_friction_begin(csim_lagged_friction *friction);

/// Updates friction at x, after `solves` linear systems. Before the first solve it stays that of
/// the start of the step: the initial guess is far from balance, and its contact forces mean
/// nothing.
/// @param residuals  (3) of the last iterations, the latest first
void csim_lagged_friction_update(const csim_problem *problem, csim_lagged_friction *friction,
                                 const double *x, int solves, const double residuals[3]);

/// Whether friction agrees with the normal forces at x: it lacks little, or the step is in balance
/// with all of it. Needs csim_balance_begin at x.
/// @param g  (nvert x 3) [N] gradient of F at x
int csim_lagged_friction_agrees(const csim_problem *problem, const csim_lagged_friction *friction,
                                const double *g, const double *x);

/// The next update takes all of a change.
void csim_lagged_friction_take_all(csim_lagged_friction *friction);

/// For a step that ends at x without having settled: reports its imbalance with all of the
/// friction, if that is worse. Needs csim_balance_begin at x.
/// @param g  (nvert x 3) [N] gradient of F at x
void csim_lagged_friction_judge(const csim_problem *problem, const csim_lagged_friction *friction,
                                const double *g, const double *x, csim_method_report *report);

#endif
