// solver/line_search.c: see line_search.h.
#include "solver/line_search.h"

#include "math/vector.h"

#include <math.h>

csim_descent csim_line_search(const csim_problem *problem, const double *d, double slope,
                              double least, double *x_try, double *x) {
  int n = 3 * problem->model->nvert;
  double F = csim_problem_value(problem, x), noise = 1e-14 * fabs(F);
  int blind = -slope <= noise;
  for (double a = 1; a > least; a *= 0.5) {
    csim_vector_go(problem->pool, n, x, a, d, x_try);
    double tried = csim_problem_value(problem, x_try);
    if (!(tried <= F + 1e-4 * a * slope + noise)) continue;
    csim_problem_apply(problem, a, d, x);
    return (csim_descent){.share = a, .gain = F - tried, .blind = blind};
  }
  return (csim_descent){.blind = blind};
}
