// solver/pbd.c: position based dynamics and its compliant extension. Needs solver/project.h.
//
// Both start from y and project the constraints of elements one after another (Gauss-Seidel) or all
// at once, averaged (Jacobi). In pbd constraints are rigid, softened by a share that depends on the
// iteration count (Mueller et al. 2007). In xpbd each has a compliance 1/k and a multiplier, so
// that the result tends to the implicit Euler step (Macklin et al. 2016).
#include "solver/method.h"

#include "base/dmath.h"
#include "solver/project.h"
#include "solver/xpbd_linear.h"

#include <math.h>
#include <string.h>

typedef struct pbd {
  double *g, *dx, *count; // (nvert x 3), (nvert x 3), (nvert)
  double **lambda;        // (nenergy) of (nelem x 3); xpbd
  double start_value;     // [J] objective where the iteration began; xpbd
} pbd;

static void *pbd_create(csim_arena *arena, const csim_model *model,
                        const csim_solver_params *params) {
  pbd *s = CSIM_ARENA_NEW(arena, pbd, 1);
  if (!s) return NULL;
  s->g = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  s->dx = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  s->count = CSIM_ARENA_NEW(arena, double, model->nvert);
  s->lambda = CSIM_ARENA_NEW(arena, double *, model->nenergy);
  for (int e = 0; e < model->nenergy && s->lambda; e++)
    s->lambda[e] = CSIM_ARENA_NEW(arena, double, csim_xyz(model->energy[e].nelem));
  (void)params;
  return arena->failed ? NULL : s;
}

// One pass over all energies.
static void project_all(const csim_problem *problem, const csim_pass *pass, pbd *s, int compliant,
                        double *x) {
  const csim_model *model = problem->model;
  if (problem->params->projection == CSIM_PROJECTION_GAUSS_SEIDEL) {
    for (int e = 0; e < model->nenergy; e++)
      csim_project_gauss_seidel(pass, &model->energy[e], compliant ? s->lambda[e] : NULL, x);
    return;
  }
  memset(s->dx, 0, 3 * (size_t)model->nvert * sizeof *s->dx);
  memset(s->count, 0, (size_t)model->nvert * sizeof *s->count);
  for (int e = 0; e < model->nenergy; e++)
    csim_project_jacobi(pass, &model->energy[e], compliant ? s->lambda[e] : NULL, x, s->dx,
                        s->count);
  for (int i = 0; i < model->nvert; i++)
    for (int c = 0; c < 3 && s->count[i] > 0; c++)
      x[csim_xyz(i) + c] += s->dx[csim_xyz(i) + c] / s->count[i];
}

// Recomputes x = y + W J(x)^T lambda. Passes move x by gradients at their own iterate; as these
// rotate, x drifts away from its multipliers, and Gauss-Seidel alone converges to another step than
// implicit Euler's. Multipliers far from converged would throw x away (stiff springs, few passes,
// averaged Jacobi), so x stays if the objective would rise above its initial value.
static void recompute(const csim_problem *problem, const csim_pass *pass, pbd *s, double *x) {
  const csim_model *model = problem->model;
  size_t bytes = 3 * (size_t)model->nvert * sizeof *x;
  memcpy(s->dx, problem->y, bytes);
  for (int e = 0; e < model->nenergy; e++)
    csim_project_push(pass, &model->energy[e], s->lambda[e], x, s->dx);
  for (int i = 0; i < model->nvert; i++)
    if (model->fixed[i]) memcpy(s->dx + csim_xyz(i), x + csim_xyz(i), 3 * sizeof *x);
  if (csim_problem_value(problem, s->dx) <= s->start_value) memcpy(x, s->dx, bytes);
}

static csim_outcome judge(const csim_problem *problem, pbd *s, const double *x, double *residual) {
  csim_problem_gradient(problem, x, s->g);
  *residual = csim_method_residual(problem, s->g);
  if (!isfinite(*residual)) return CSIM_OUTCOME_DIVERGED;
  return *residual <= problem->params->tolerance ? CSIM_OUTCOME_CONVERGED : CSIM_OUTCOME_LIMIT;
}

static csim_method_report solve(const csim_problem *problem, pbd *s, int compliant, double *x) {
  const csim_solver_params *params = problem->params;
  csim_pass pass = {.model = problem->model,
                    .pool = problem->pool,
                    .at = csim_problem_point(problem, x),
                    .compliance = compliant ? 1 / (problem->h * problem->h) : 0,
                    .share = 1,
                    .push = problem->integration ? problem->integration->push : NULL};
  if (!compliant && params->pbd.stiffness < 1) // 1 - (1 - k)^(1/n)
    pass.share = 1 - csim_exp(csim_ln(1 - params->pbd.stiffness) / params->iterations);
  for (int e = 0; e < problem->model->nenergy; e++)
    memset(s->lambda[e], 0, 3 * (size_t)problem->model->energy[e].nelem * sizeof *s->lambda[e]);
  if (compliant) s->start_value = csim_problem_value(problem, x);
  csim_method_report report = {.outcome = CSIM_OUTCOME_LIMIT};
  // the residual costs as much as a pass: measured after 1, 2, 4, ..., 16, 32, 48, ... passes
  for (int next = 1;
       report.iterations < params->iterations && report.outcome == CSIM_OUTCOME_LIMIT;) {
    project_all(problem, &pass, s, compliant, x);
    if (++report.iterations < next && report.iterations < params->iterations) continue;
    next += next < 16 ? next : 16;
    if (compliant && report.iterations > 1) recompute(problem, &pass, s, x);
    report.outcome = judge(problem, s, x, &report.residual);
  }
  return report;
}

static csim_method_report pbd_solve(const csim_problem *problem, void *scratch, double *x) {
  csim_method_report report = solve(problem, scratch, 0, x);
  // rigid constraints have no stiffness that a residual could be measured with
  if (report.outcome != CSIM_OUTCOME_DIVERGED) report.outcome = CSIM_OUTCOME_LIMIT;
  for (ptrdiff_t k = 0; k < csim_xyz(problem->model->nvert); k++) {
    double v_star = (problem->y[k] - problem->x[k]) / problem->h;
    problem->v_next[k] = problem->params->pbd.velocity_update == CSIM_VELOCITY_INCREMENT
                             ? v_star + (x[k] - problem->y[k]) / problem->h
                             : (x[k] - problem->x[k]) / problem->h;
  }
  return report;
}

static void *xpbd_create(csim_arena *arena, const csim_model *model,
                         const csim_solver_params *params) {
  if (params->projection == CSIM_PROJECTION_LINEAR) return csim_xpbd_linear_create(arena, model);
  return pbd_create(arena, model, params);
}

static csim_method_report xpbd_solve(const csim_problem *problem, void *scratch, double *x) {
  if (problem->params->projection == CSIM_PROJECTION_LINEAR)
    return csim_xpbd_linear_solve(problem, scratch, x);
  return solve(problem, scratch, 1, x);
}

extern const csim_method csim_method_pbd, csim_method_xpbd;
const csim_method csim_method_pbd = {
    .name = "pbd", .create = pbd_create, .solve = pbd_solve, .sets_velocity = 1, .projects = 1};
const csim_method csim_method_xpbd = {
    .name = "xpbd", .create = xpbd_create, .solve = xpbd_solve, .projects = 1};
