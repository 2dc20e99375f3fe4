// solver/pd.c: projective dynamics: one constant matrix, factored once (Liu, Bargteil, O'Brien,
// Kavan, Fast Simulation of Mass-Spring Systems, SIGGRAPH Asia 2013).
//
// Local and global step together are x <- x - A^-1 grad F(x) with A = M/h^2 + L: for springs the
// local projection d and the gradient agree, grad F = A x - M y/h^2 - J d(x). In this form every
// energy contributes exactly, through its gradient; its laplacian approximates its Hessian (Liu,
// Bouaziz, Kavan, Quasi-Newton Methods for Real-Time Simulation of Hyperelastic Materials, TOG
// 2017). L-BFGS improves A with the last steps. Where A bounds the Hessian (springs, quadratic
// bending, anchors) a whole step always lowers F; with other energies a line search ensures it.
#include "solver/method.h"

#include "math/cholesky.h"
#include "math/vector.h"
#include "solver/accelerate.h"
#include "solver/line_search.h"

#include <math.h>
#include <string.h>

typedef struct pd {
  csim_layout layout;
  csim_cholesky F;
  double *A;     // (nblock) M/h^2 + the energies' constant matrices; fixed rows: of the identity
  double h;      // step that F was factored for; 0 = none yet
  double *g, *d; // (nvert x 3) gradient, step
  int search;    // A does not bound the Hessian and whole steps were not asked for
  csim_accelerator accelerator;
  // L-BFGS
  int window, count, newest;
  double *x_last; // (nvert x 3); of guarded accelerated steps too
  double *g_last; // (nvert x 3)
  double *s, *y;  // (window x nvert x 3)
} pd;

static void *pd_create(csim_arena *arena, const csim_model *model,
                       const csim_solver_params *params) {
  int n = 3 * model->nvert;
  pd *s = CSIM_ARENA_NEW(arena, pd, 1);
  if (!s || csim_layout_build(arena, model, &s->layout) ||
      csim_cholesky_analyze(arena, &s->layout.pattern, 1, &s->F))
    return NULL;
  s->A = CSIM_ARENA_NEW(arena, double, s->layout.pattern.nblock);
  s->g = CSIM_ARENA_NEW(arena, double, n);
  s->d = CSIM_ARENA_NEW(arena, double, n);
  csim_accelerator_create(arena, params, n, &s->accelerator);
  int lbfgs = params->acceleration == CSIM_ACCELERATION_LBFGS;
  for (int e = 0; e < model->nenergy; e++)
    if (!model->energy[e].kind->laplacian_bounds) s->search = params->line_search;
  if (lbfgs || s->search) s->x_last = CSIM_ARENA_NEW(arena, double, n);
  if (lbfgs) {
    s->window = params->window;
    s->g_last = CSIM_ARENA_NEW(arena, double, n);
    s->s = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n * s->window);
    s->y = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n * s->window);
  }
  return arena->failed ? NULL : s;
}

static int factor(const csim_problem *problem, pd *s) {
  const csim_model *model = problem->model;
  const csim_pattern *p = &s->layout.pattern;
  const double *push = problem->integration ? problem->integration->push : NULL;
  if (s->h == problem->h) return 0; // push changes with h only
  csim_point at = csim_problem_point(problem, problem->x);
  memset(s->A, 0, (size_t)p->nblock * sizeof *s->A);
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_laplacian(problem->pool, &s->layout.energy[e], &at, s->A);
  for (int i = 0; i < p->nrow; i++)
    for (int b = p->start[i]; b < p->start[i + 1]; b++) {
      int fixed = model->fixed[i] || model->fixed[p->col[b]];
      if (fixed)
        s->A[b] = p->col[b] == i;
      else if (p->col[b] == i)
        s->A[b] += csim_pushed_mass(model, push, i) / (problem->h * problem->h);
    }
  if (csim_cholesky_factor(&s->F, s->A) != CSIM_SOLVE_CONVERGED) return -1;
  s->h = problem->h;
  return 0;
}

// d = -H^-1 g, H^-1 being the two-loop product of the last pairs (s, y) around A^-1 (Nocedal &
// Wright, Numerical Optimization, algorithm 7.4).
static void two_loops(const csim_problem *problem, pd *s) {
  int n = s->accelerator.n;
  double alpha[CSIM_MAX_WINDOW];
  for (int i = 0; i < n; i++) s->d[i] = -s->g[i];
  for (int k = 0; k < s->count; k++) {
    int at = (s->newest - k + s->window) % s->window;
    const double *sk = s->s + (ptrdiff_t)at * n, *yk = s->y + (ptrdiff_t)at * n;
    alpha[at] =
        csim_vector_dot(problem->pool, n, sk, s->d) / csim_vector_dot(problem->pool, n, yk, sk);
    csim_vector_add(problem->pool, n, -alpha[at], yk, s->d);
  }
  csim_cholesky_solve(&s->F, s->d, s->d);
  for (int k = s->count - 1; k >= 0; k--) {
    int at = (s->newest - k + s->window) % s->window;
    const double *sk = s->s + (ptrdiff_t)at * n, *yk = s->y + (ptrdiff_t)at * n;
    double beta =
        csim_vector_dot(problem->pool, n, yk, s->d) / csim_vector_dot(problem->pool, n, yk, sk);
    csim_vector_add(problem->pool, n, alpha[at] - beta, sk, s->d);
  }
}

static void remember_pair(const csim_problem *problem, pd *s, const double *x, int iteration) {
  int n = s->accelerator.n;
  if (iteration > 0) {
    int at = (s->newest + 1) % s->window;
    double *sk = s->s + (ptrdiff_t)at * n, *yk = s->y + (ptrdiff_t)at * n;
    for (int i = 0; i < n; i++) {
      sk[i] = x[i] - s->x_last[i];
      yk[i] = s->g[i] - s->g_last[i];
    }
    if (csim_vector_dot(problem->pool, n, sk, yk) > 0) { // keeps H positive definite
      s->newest = at;
      if (s->count < s->window) s->count++;
    }
  }
  memcpy(s->x_last, x, (size_t)n * sizeof *x);
  memcpy(s->g_last, s->g, (size_t)n * sizeof *x);
}

// Few iterations do not repair an initial guess of very high energy, such as one where inertia
// inverted tetrahedra. Free vertices then start from the beginning of the step.
static void lower_start(const csim_problem *problem, pd *s, double *x) {
  size_t bytes = (size_t)s->accelerator.n * sizeof *x;
  memcpy(s->d, x, bytes);
  for (int i = 0; i < problem->model->nvert; i++)
    if (!problem->model->fixed[i]) {
      ptrdiff_t k = csim_xyz(i);
      memcpy(s->d + k, problem->x + k, 3 * sizeof *x);
    }
  if (!(csim_problem_value(problem, x) <= csim_problem_value(problem, s->d)))
    memcpy(x, s->d, bytes);
}

// Moves x by an accelerated step from x + a d, with a from the line search. If that would end above
// F(x), moves x to x + a d itself. Returns -1 when no a lowers F.
static int guarded_step(const csim_problem *problem, pd *s, double *x) {
  size_t bytes = (size_t)s->accelerator.n * sizeof *x;
  double slope = csim_vector_dot(problem->pool, s->accelerator.n, s->g, s->d);
  double before = csim_problem_value(problem, x);
  memcpy(s->x_last, x, bytes);
  // the gradient still decreases where F no longer resolves that: `blind` does not count
  if (!(slope < 0) || csim_line_search(problem, s->d, slope, CSIM_LEAST_SHARE, s->g, x).share == 0)
    return -1;
  if (s->accelerator.kind == CSIM_ACCELERATION_NONE) return 0;
  memcpy(s->d, x, bytes);
  memcpy(x, s->x_last, bytes);
  csim_accelerator_apply(&s->accelerator, problem, s->d, x);
  if (csim_problem_value(problem, x) <= before) return 0;
  memcpy(x, s->d, bytes);
  csim_accelerator_restart(&s->accelerator);
  return 0;
}

static csim_method_report pd_solve(const csim_problem *problem, void *scratch, double *x) {
  pd *s = scratch;
  const csim_solver_params *params = problem->params;
  int n = s->accelerator.n, lbfgs = params->acceleration == CSIM_ACCELERATION_LBFGS;
  csim_method_report report = {.outcome = CSIM_OUTCOME_LIMIT};
  double last_residual = INFINITY;
  csim_descent made = {0};
  if (factor(problem, s)) return (csim_method_report){.outcome = CSIM_OUTCOME_DIVERGED};
  csim_accelerator_restart(&s->accelerator);
  s->count = 0;
  if (s->search) lower_start(problem, s, x);
  for (;; report.iterations++) {
    csim_problem_gradient(problem, x, s->g);
    int ends = csim_method_ends(problem, s->g, &report);
    if (made.blind && report.residual > 0.5 * last_residual) report.outcome = CSIM_OUTCOME_STALLED;
    last_residual = report.residual;
    if (ends || report.outcome == CSIM_OUTCOME_STALLED) return report;
    if (lbfgs) {
      remember_pair(problem, s, x, report.iterations);
      two_loops(problem, s);
    } else {
      for (int i = 0; i < n; i++) s->d[i] = -s->g[i];
      csim_cholesky_solve(&s->F, s->d, s->d);
    }
    report.linear_iterations++;
    if (lbfgs && params->line_search) {
      // g_last has the gradient too, so g can hold the trial
      double slope = csim_vector_dot(problem->pool, n, s->g, s->d);
      if (slope < 0) made = csim_line_search(problem, s->d, slope, CSIM_LEAST_SHARE, s->g, x);
      if (!(slope < 0) || made.share == 0) report.outcome = CSIM_OUTCOME_STALLED;
    } else if (s->search) {
      if (guarded_step(problem, s, x)) report.outcome = CSIM_OUTCOME_STALLED;
    } else {
      for (int i = 0; i < n; i++) s->d[i] += x[i];
      csim_accelerator_apply(&s->accelerator, problem, s->d, x);
    }
    if (report.outcome == CSIM_OUTCOME_STALLED) return report;
  }
}

extern const csim_method csim_method_pd;
const csim_method csim_method_pd = {.name = "pd", .create = pd_create, .solve = pd_solve};
