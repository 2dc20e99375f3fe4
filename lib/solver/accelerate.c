// solver/accelerate.c: see accelerate.h.
#include "solver/accelerate.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

int csim_accelerator_create(csim_arena *arena, const csim_solver_params *params, int n,
                            csim_accelerator *a) {
  *a = (csim_accelerator){
      .kind = params->acceleration, .n = n, .window = params->window, .rho = params->chebyshev_rho};
  if (a->kind == CSIM_ACCELERATION_CHEBYSHEV || a->kind == CSIM_ACCELERATION_NESTEROV)
    a->last = CSIM_ARENA_NEW(arena, double, n);
  if (a->kind == CSIM_ACCELERATION_ANDERSON) {
    a->g_last = CSIM_ARENA_NEW(arena, double, n);
    a->f_last = CSIM_ARENA_NEW(arena, double, n);
    a->dG = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n * a->window);
    a->dF = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n * a->window);
  }
  return arena->failed ? -1 : 0;
}

void csim_accelerator_restart(csim_accelerator *a) {
  a->k = a->count = 0;
  a->omega = a->t = 1;
  a->value = INFINITY;
}

static void chebyshev(csim_accelerator *a, const double *g, double *x) {
  if (a->k == 1) a->omega = 2 / (2 - a->rho * a->rho);
  if (a->k > 1) a->omega = 4 / (4 - a->rho * a->rho * a->omega);
  for (int i = 0; i < a->n; i++) {
    double next = a->k == 0 ? g[i] : a->omega * (g[i] - a->last[i]) + a->last[i];
    a->last[i] = x[i];
    x[i] = next;
  }
}

static void nesterov(csim_accelerator *a, const csim_problem *problem, const double *g, double *x) {
  double value = csim_problem_value(problem, g);
  if (value > a->value) a->t = 1; // momentum points uphill: drop it
  a->value = value;
  double t = 0.5 * (1 + sqrt(1 + 4 * a->t * a->t)), beta = a->k == 0 ? 0 : (a->t - 1) / t;
  for (int i = 0; i < a->n; i++) {
    x[i] = g[i] + beta * (g[i] - a->last[i]);
    a->last[i] = g[i];
  }
  a->t = t;
}

// Solves the small symmetric system A theta = b in place by elimination. A relative ridge makes
// dependent columns lose weight instead of diverging.
static void solve_small(int m, double A[CSIM_MAX_WINDOW][CSIM_MAX_WINDOW], double *b) {
  double trace = 0;
  for (int i = 0; i < m; i++) trace += A[i][i];
  for (int i = 0; i < m; i++) A[i][i] += 1e-14 * trace + 1e-300;
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j < m; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

static void anderson(csim_accelerator *a, const csim_problem *problem, const double *g, double *x) {
  int n = a->n, m = a->count;
  // x may be an extrapolated point that went uphill: take the plain step from it then
  double value = csim_problem_value(problem, x);
  if (a->k > 0 && value > a->value) {
    memcpy(x, a->g_last, (size_t)n * sizeof *x);
    a->value = csim_problem_value(problem, x);
    a->count = a->k = 0;
    return;
  }
  a->value = value;
  if (a->k > 0) {
    // columns of differences, the newest overwriting the oldest
    int at = (a->k - 1) % a->window;
    double *dG = a->dG + (ptrdiff_t)at * n, *dF = a->dF + (ptrdiff_t)at * n;
    for (int i = 0; i < n; i++) {
      dG[i] = g[i] - a->g_last[i];
      dF[i] = (g[i] - x[i]) - a->f_last[i];
    }
    if (m < a->window) m = ++a->count;
  }
  memcpy(a->g_last, g, (size_t)n * sizeof *g);
  for (int i = 0; i < n; i++) a->f_last[i] = g[i] - x[i];
  memcpy(x, g, (size_t)n * sizeof *x);
  a->k++;
  if (m == 0) return;
  double A[CSIM_MAX_WINDOW][CSIM_MAX_WINDOW], theta[CSIM_MAX_WINDOW];
  for (int i = 0; i < m; i++) {
    const double *dF = a->dF + (ptrdiff_t)i * n;
    theta[i] = csim_vector_dot(problem->pool, n, dF, a->f_last);
    for (int j = 0; j <= i; j++)
      A[i][j] = A[j][i] = csim_vector_dot(problem->pool, n, dF, a->dF + (ptrdiff_t)j * n);
  }
  solve_small(m, A, theta);
  for (int i = 0; i < m; i++)
    csim_vector_add(problem->pool, n, -theta[i], a->dG + (ptrdiff_t)i * n, x);
}

void csim_accelerator_apply(csim_accelerator *a, const csim_problem *problem, const double *g,
                            double *x) {
  switch (a->kind) {
  case CSIM_ACCELERATION_CHEBYSHEV:
    chebyshev(a, g, x);
    a->k++;
    break;
  case CSIM_ACCELERATION_NESTEROV:
    nesterov(a, problem, g, x);
    a->k++;
    break;
  case CSIM_ACCELERATION_ANDERSON:
    anderson(a, problem, g, x);
    break;
  case CSIM_ACCELERATION_NONE:
  case CSIM_ACCELERATION_LBFGS:
    memcpy(x, g, (size_t)a->n * sizeof *x);
    break;
  }
}
