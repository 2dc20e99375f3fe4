// solver/translation.c: see translation.h.
#include "solver/translation.h"

#include "math/vec3.h"

#include <string.h>

int csim_translation_create(csim_arena *arena, const csim_balance *balance, csim_translation *t) {
  ptrdiff_t n = csim_xyz(balance->model->nvert) + 1; // products read one number past the end
  ptrdiff_t nsum = csim_row(CSIM_BALANCE_SUMS, balance->npatch);
  *t = (csim_translation){.balance = balance};
  t->W = CSIM_ARENA_NEW(arena, double, n);
  t->AW = CSIM_ARENA_NEW(arena, double, n);
  for (int c = 0; c < 3; c++) t->sums[c] = CSIM_ARENA_NEW(arena, double, nsum);
  t->left = CSIM_ARENA_NEW(arena, double, nsum);
  return arena->failed ? -1 : 0;
}

void csim_translation_begin(csim_translation *t) {
  t->ready = 0;
  memset(t->e, 0, sizeof t->e);
}

typedef struct translation_job {
  const csim_model *model;
  const double *r;
} translation_job;

static void sum_free(void *context, int first, int last, double *sum) {
  const translation_job *job = context;
  double force[3] = {0};
  for (int i = first; i < last; i++)
    if (!job->model->fixed[i]) csim_add_scaled(1, job->r + csim_xyz(i), force);
  memcpy(sum, force, sizeof force);
}

// The net force of r.
static void add_up_forces(const csim_problem *problem, const double *r, double force[3]) {
  csim_pool_sums(problem->pool, problem->model->nvert, CSIM_SUM_GRAIN, 3, sum_free,
                 &(translation_job){problem->model, r}, force);
}

// Computes sums of A W, and the inverse of W^T A W.
static void prepare(const csim_problem *problem, const csim_linear *linear, csim_translation *t) {
  const csim_model *model = problem->model;
  double E[9];
  for (int c = 0; c < 3; c++) {
    memset(t->W, 0, 3 * (size_t)model->nvert * sizeof *t->W);
    for (int i = 0; i < model->nvert; i++) t->W[csim_xyz(i) + c] = !model->fixed[i];
    csim_linear_translate(problem, linear, c, t->W, t->AW);
    csim_balance_add_up(problem->pool, t->balance, t->AW, t->sums[c]);
    add_up_forces(problem, t->AW, E + csim_xyz(c)); // a row: E is symmetric
  }
  t->ready = csim_mat3_inverse(E, t->inverse) > 0 ? 1 : -1;
}

const double *csim_translation_find(const csim_problem *problem, const csim_linear *linear,
                                    csim_translation *t, const double *r) {
  double force[3];
  if (!t->ready) prepare(problem, linear, t);
  csim_balance_add_up(problem->pool, t->balance, r, t->left);
  if (t->ready < 0) return t->left;
  add_up_forces(problem, r, force);
  csim_mat3_mul(t->inverse, force, t->e);
  for (ptrdiff_t k = 0; k < csim_row(CSIM_BALANCE_SUMS, t->balance->npatch); k++)
    for (int c = 0; c < 3; c++) t->left[k] -= t->e[c] * t->sums[c][k];
  return t->left;
}

void csim_translation_add(const csim_translation *t, double *x) {
  const csim_model *model = t->balance->model;
  for (int i = 0; i < model->nvert; i++)
    if (!model->fixed[i]) csim_add_scaled(1, t->e, x + csim_xyz(i));
}
