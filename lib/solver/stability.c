// solver/stability.c: see stability.h.
#include "solver/stability.h"

#include "math/vector.h"
#include "model/layout.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 100 };

// x <- M^-1/2 x, 0 at fixed vertices.
static void scale(const csim_model *model, double *x) {
  for (int i = 0; i < model->nvert; i++) {
    double w = model->fixed[i] || !(model->mass[i] > 0) ? 0 : 1 / sqrt(model->mass[i]);
    for (int c = 0; c < 3; c++) x[csim_xyz(i) + c] *= w;
  }
}

// Numbers in [-1/2, 1/2), the same on every machine: no mode may be absent from the start.
static void scatter(int n, double *x) {
  uint32_t seed = 1;
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
  }
}

// Largest eigenvalue of M^-1/2 K M^-1/2, symmetric and semidefinite.
static double largest_eigenvalue(csim_pool *pool, const csim_model *model, const csim_bsr *K,
                                 double *x, double *y, double *Ky) {
  int n = 3 * model->nvert;
  double eigenvalue = 0;
  scatter(n, x);
  for (int k = 0; k < ITERATIONS; k++) {
    double length2 = csim_vector_dot(pool, n, x, x);
    if (!(length2 > 0) || !isfinite(length2)) return eigenvalue;
    double s = 1 / sqrt(length2);
    for (int i = 0; i < n; i++) x[i] *= s;
    memcpy(y, x, (size_t)n * sizeof *x);
    scale(model, y);
    csim_bsr_multiply(pool, K, y, Ky);
    scale(model, Ky);
    double quotient = csim_vector_dot(pool, n, x, Ky);
    if (!isfinite(quotient)) return eigenvalue;
    if (quotient > eigenvalue) eigenvalue = quotient;
    memcpy(x, Ky, (size_t)n * sizeof *x);
  }
  return eigenvalue;
}

double csim_largest_frequency(csim_pool *pool, const csim_model *model) {
  csim_arena arena = {0};
  ptrdiff_t n = csim_xyz(model->nvert);
  csim_layout layout;
  if (csim_layout_build(&arena, model, &layout)) layout.pattern.nblock = 0;
  csim_bsr K = {&layout.pattern,
                CSIM_ARENA_NEW(&arena, double, csim_row(9, layout.pattern.nblock))};
  double *x = CSIM_ARENA_NEW(&arena, double, n), *y = CSIM_ARENA_NEW(&arena, double, n);
  double *Ky = CSIM_ARENA_NEW(&arena, double, n);
  double *target = CSIM_ARENA_NEW(&arena, double, csim_xyz(model->ntarget));
  double omega = -1;
  if (!arena.failed) {
    csim_model_targets(model, 0, target);
    csim_point at = {.x = model->x0, .anchor = target};
    for (int e = 0; e < model->nenergy; e++)
      csim_energy_hessian(pool, &layout.energy[e], &at, CSIM_PSD_DROP, K.val);
    omega = sqrt(largest_eigenvalue(pool, model, &K, x, y, Ky));
  }
  csim_arena_free(&arena);
  return omega;
}

double csim_longest_step(const csim_model *model, double omega) {
  double tau = 0;
  for (int b = 0; b < model->nbody && model->stretch_damping; b++)
    if (model->stretch_damping[b] > tau) tau = model->stretch_damping[b];
  double free = 2 / omega;
  // -tau + sqrt(tau^2 + free^2), without the loss of digits
  return free * free / (tau + sqrt(tau * tau + free * free));
}
