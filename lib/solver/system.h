// solver/system.h: newton's linear systems H d = -g, without idle bodies. Needs solver/linear.h,
// idle.h, correction.h.
//
// An iteration puts the gradient of F into g, leaves idle bodies out, assembles the Hessian at x,
// which turns g into -g, and solves for d. Everything that is of one system only is in here;
// newton.c and joint.c decide which systems are solved, and what is done with d.
#ifndef CSIM_SOLVER_SYSTEM_H
#define CSIM_SOLVER_SYSTEM_H

#include "solver/correction.h"
#include "solver/idle.h"
#include "solver/linear.h"

typedef struct csim_system {
  csim_linear linear; ///< the Hessian and its solver
  csim_idle idle;
  csim_correction correction;
  double edge; ///< [m] mean length of the surface's edges at the start
  double *g;   ///< (nvert x 3) [N] gradient of F; once a system is assembled its right-hand side -g
  double *last; ///< (nvert x 3) [m] where the last system was assembled, csim_system_begin before
} csim_system;

/// @return 0, or -1 when out of memory (arena->failed) or without a linear solver of this name;
/// csim_system_destroy in any case
int csim_system_create(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                       csim_balance *balance, const csim_groups *groups, csim_system *system);

/// Frees what is not in the arena; zero is allowed.
void csim_system_destroy(csim_system *system);

/// Begins a step: no body is idle, and the last system was at x (nvert x 3).
void csim_system_begin(const csim_problem *problem, const double *x, csim_system *system);

/// Chooses the bodies that the next system, of the gradient g, leaves out: problem->iteration.idle.
/// Needs csim_balance_begin.
/// @param solves  systems that this step has solved
void csim_system_leave_out_idle(csim_problem *problem, int solves, csim_system *system);

/// All bodies take part again.
void csim_system_include_all(csim_problem *problem);

/// Assembles the Hessian at x (nvert x 3). g becomes -g, zero at idle vertices.
void csim_system_assemble(const csim_problem *problem, const double *x, csim_system *system);

/// The same for exact pins that go their remaining way by a counter-force; overwrites
/// problem->step. Leaves `last` as it is.
void csim_system_assemble_with_pins(const csim_problem *problem, const double *x,
                                    csim_system *system);

/// Solves for problem->step to a relative residual.
csim_solve_report csim_system_solve(const csim_problem *problem, double tolerance,
                                    csim_system *system);

/// The same, as accurately as is useful for an iteration of newton.
/// @param iteration  its number
/// @param ratio      of the residual |g| to the least of all iterations before
csim_solve_report csim_system_solve_to_goal(const csim_problem *problem, int iteration,
                                            double ratio, csim_system *system);

/// Estimates how far the gradient g would still move vertices, by one application of the last
/// system's preconditioner.
/// @param[out] d  (nvert x 3) [m]
void csim_system_estimate(const csim_problem *problem, csim_system *system, double *d);

#endif
