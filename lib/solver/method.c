// solver/method.c: the list of methods.
#include "solver/method.h"

#include "math/vector.h"

#include <string.h>

static const csim_method *const methods[] = {
    &csim_method_newton,
    &csim_method_descent,
};

const csim_method *csim_method_find(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(methods[i]->name, name)) return methods[i];
  return NULL;
}

double csim_method_residual(const csim_problem *problem, const double *g) {
  double max = csim_vector_max3(problem->pool, problem->model->nvert, g);
  return max == 0 ? 0 : max / problem->force_scale;
}
