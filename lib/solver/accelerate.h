// solver/accelerate.h: acceleration of fixed-point iterations x <- G(x). Needs solver/problem.h.
#ifndef CSIM_SOLVER_ACCELERATE_H
#define CSIM_SOLVER_ACCELERATE_H

#include "solver/problem.h"

typedef struct csim_accelerator {
  csim_acceleration kind;
  int n;                   ///< numbers in x: 3 nvert
  int window, count;       ///< anderson: columns allowed, and in use
  double *last;            ///< (n) chebyshev, nesterov: the iterate before
  double *g_last, *f_last; ///< (n) anderson: G(x) and G(x) - x of the iteration before
  double *dG, *dF;         ///< (window x n) anderson: their differences
  double omega, t;         ///< chebyshev's weight; nesterov's momentum sequence
  double value;            ///< objective at the last accepted x
  double rho;
  int k; ///< iterations since the (re)start
} csim_accelerator;

/// Allocates for n numbers. -1 when out of memory.
int csim_accelerator_create(csim_arena *arena, const csim_solver_params *params, int n,
                            csim_accelerator *a);

/// Forgets all history: call at the start of every step.
void csim_accelerator_restart(csim_accelerator *a);

/// Turns G(x) into the next iterate.
///
///   chebyshev  x' = w (G - x_last) + x_last, w = 1, 2/(2 - rho^2), 4/(4 - rho^2 w)
///   nesterov   x' = G + (t - 1)/t' (G - G_last); restarts when the objective rises
///              (O'Donoghue & Candes 2015)
///   anderson   x' = G - dG theta, theta = argmin |f - dF theta|, f = G - x; if the objective at
///              x' is above the last one, x' = G and the history is dropped (Peng et al. 2018)
///
/// @param      g  (n) G(x)
/// @param[out] x  (n) x on entry, the next iterate on return
void csim_accelerator_apply(csim_accelerator *a, const csim_problem *problem, const double *g,
                            double *x);

#endif
