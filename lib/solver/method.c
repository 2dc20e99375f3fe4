// solver/method.c: the list of methods.
#include "solver/method.h"

#include "math/vector.h"

#include <string.h>

// The list: a name X is csim_method_X in its own file, and its name in a scene.
#define METHODS(X) X(newton) X(descent) X(pd) X(pbd) X(xpbd) X(explicit) X(symplectic)

#define DECLARE(name) extern const csim_method csim_method_##name;
METHODS(DECLARE)

#define POINTER(name) &csim_method_##name,
static const csim_method *const methods[] = {METHODS(POINTER)};

#define NAME(name) #name,
const char *const csim_method_names[] = {"auto", METHODS(NAME) NULL};

const csim_method *csim_method_find(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(methods[i]->name, name)) return methods[i];
  return NULL;
}

double csim_method_residual(const csim_problem *problem, const double *g) {
  double max = csim_vector_max3(problem->pool, problem->model->nvert, g);
  return max == 0 ? 0 : max / problem->force_scale;
}

int csim_method_ends(const csim_problem *problem, const double *g, csim_method_report *report) {
  report->residual = csim_method_residual(problem, g);
  if (!isfinite(report->residual)) report->outcome = CSIM_OUTCOME_DIVERGED;
  if (report->residual <= problem->params->tolerance) report->outcome = CSIM_OUTCOME_CONVERGED;
  return report->outcome != CSIM_OUTCOME_LIMIT || report->iterations >= problem->params->iterations;
}
