// solver/sample.c: the sample of tests/recipes: a method for which nothing but inertia and gravity
// is there. Needs solver/method.h.
#include "solver/method.h"

#include "math/vector.h"

static void *create(csim_arena *arena, const csim_model *model, const csim_solver_params *params) {
  (void)model, (void)params;
  return CSIM_ARENA_NEW(arena, char, 1);
}

static csim_method_report solve(const csim_problem *problem, void *scratch, double *x) {
  (void)scratch;
  csim_vector_copy(problem->pool, 3 * problem->model->nvert, problem->y, x);
  return (csim_method_report){.outcome = CSIM_OUTCOME_CONVERGED, .iterations = 1};
}

extern const csim_method csim_method_sample;
const csim_method csim_method_sample = {.name = "sample", .create = create, .solve = solve};
