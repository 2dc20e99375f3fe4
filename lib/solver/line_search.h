// solver/line_search.h: how far to go along a descent direction. Needs solver/problem.h.
#ifndef CSIM_SOLVER_LINE_SEARCH_H
#define CSIM_SOLVER_LINE_SEARCH_H

#include "solver/problem.h"

/// After so many halvings the difference is rounding.
#define CSIM_LEAST_SHARE 1e-9

/// Result of a line search along d.
typedef struct csim_descent {
  double share; ///< a; 0: there is none
  double gain;  ///< [J] F(x) - F(x + a d)
  int blind;    ///< 1 when all that could be gained is below F's round-off
} csim_descent;

/// Moves x to x + a d with the largest a = 1, 1/2, 1/4, ... that gives F(x + a d) <= F(x) + 1e-4 a
/// g.d (Armijo 1966). Differences of F below its round-off (1e-14 |F|) count as no change. x is
/// unchanged if no such a is above `least`.
///
/// @param      d      (nvert x 3) [m] direction, as csim_problem_filter returned it
/// @param      slope  g.d [J], < 0
/// @param      x_try  (nvert x 3) scratch
/// @param      x      (nvert x 3) [m] moved
csim_descent csim_line_search(const csim_problem *problem, const double *d, double slope,
                              double least, double *x_try, double *x);

#endif
