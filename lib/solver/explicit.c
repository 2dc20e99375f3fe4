// solver/explicit.c: explicit and semi-implicit (symplectic) Euler. Needs solver/method.h.
//
//   explicit    x' = x + h v,  v' = v* + h M^-1 f(x)
//   symplectic  v' = v* + h M^-1 f(x),  x' = x + h v'
//
// v* includes the external forces. Stable only for h < csim_longest_step (symplectic); explicit
// Euler gains energy at any step. Nothing is iterated, so nothing converges: the outcome says so,
// or that the step has diverged.
#include "solver/method.h"

#include "math/vec3.h"

#include <string.h>

typedef struct explicit_scratch {
  double *g;    // (nvert x 3)
  double *from; // (nvert x 3) [m] start of the displacement that is damped
  double far;   // [m] a longer step counts as diverged
} explicit_scratch;

static void *explicit_create(csim_arena *arena, const csim_model *model,
                             const csim_solver_params *params) {
  (void)params;
  explicit_scratch *s = CSIM_ARENA_NEW(arena, explicit_scratch, 1);
  if (!s) return NULL;
  s->g = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  if (model->stretch_damping) s->from = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  double lo[3] = {0}, hi[3] = {0};
  if (model->nvert) csim_bounds(model->nvert, model->x0, lo, hi);
  // no body crosses a thousand times the scene in one step
  s->far = 1e3 * (1 + csim_distance(lo, hi));
  return arena->failed ? NULL : s;
}

static csim_method_report euler(const csim_problem *problem, void *scratch, int symplectic,
                                double *x) {
  explicit_scratch *s = scratch;
  const csim_model *model = problem->model;
  double h = problem->h, *v = problem->v_next;
  csim_point at = csim_problem_point(problem, problem->x);
  if (at.damping) { // damping acts on the present velocity
    for (ptrdiff_t k = 0; k < csim_xyz(model->nvert); k++)
      s->from[k] = problem->x[k] - h * problem->v[k];
    at.from = s->from;
  }
  memset(s->g, 0, 3 * (size_t)model->nvert * sizeof *s->g);
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_gradient(problem->pool, &model->energy[e], &at, s->g);
  double longest = 0;
  for (int i = 0; i < model->nvert; i++)
    for (int c = 0; c < 3; c++) {
      ptrdiff_t k = csim_xyz(i) + c;
      if (model->fixed[i]) { // at its target already
        v[k] = (x[k] - problem->x[k]) / h;
        continue;
      }
      double v_star = (problem->y[k] - problem->x[k]) / h;
      v[k] = v_star - h * s->g[k] / model->mass[i];
      x[k] = problem->x[k] + h * (symplectic ? v[k] : problem->v[k]);
      double d = fabs(x[k] - problem->x[k]);
      if (!(d <= longest)) longest = d;
    }
  csim_outcome outcome = longest <= s->far ? CSIM_OUTCOME_CONVERGED : CSIM_OUTCOME_DIVERGED;
  return (csim_method_report){.outcome = outcome, .iterations = 1};
}

static csim_method_report explicit_solve(const csim_problem *problem, void *scratch, double *x) {
  return euler(problem, scratch, 0, x);
}

static csim_method_report symplectic_solve(const csim_problem *problem, void *scratch, double *x) {
  return euler(problem, scratch, 1, x);
}

extern const csim_method csim_method_explicit, csim_method_symplectic;
const csim_method csim_method_explicit = {.name = "explicit",
                                          .create = explicit_create,
                                          .solve = explicit_solve,
                                          .is_explicit = 1,
                                          .sets_velocity = 1};
const csim_method csim_method_symplectic = {.name = "symplectic",
                                            .create = explicit_create,
                                            .solve = symplectic_solve,
                                            .is_explicit = 1,
                                            .sets_velocity = 1};
