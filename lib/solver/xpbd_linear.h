// solver/xpbd_linear.h: xpbd's assembled linear system. Needs solver/method.h.
#ifndef CSIM_SOLVER_XPBD_LINEAR_H
#define CSIM_SOLVER_XPBD_LINEAR_H

#include "solver/method.h"

typedef struct csim_xpbd_linear csim_xpbd_linear;

/// Memory for the linear system of a model's constraints, from the arena. NULL when out of memory.
csim_xpbd_linear *csim_xpbd_linear_create(csim_arena *arena, const csim_model *model);

/// Iterates x by the linear system in all multipliers at once. With C the constraints, J their
/// Jacobian, W = M^-1, a = 1/(k h^2) and lambda = -C/a, so that g = M (x - y) - J^T lambda is h^2
/// grad F:
///
///   (J W J^T + a) dlambda = J W g,   dx = W (J^T dlambda - g)
///
/// It is the block system [[M, -J^T], [J, C]] with v eliminated. Conjugate gradients on the
/// multipliers, diagonal preconditioner; Armijo on F.
csim_method_report csim_xpbd_linear_solve(const csim_problem *problem, csim_xpbd_linear *s,
                                          double *x);

#endif
