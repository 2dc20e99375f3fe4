// solver/translation.c: see translation.h.
#include "solver/translation.h"

#include "math/vec3.h"

#include <string.h>

enum { VERT_GRAIN = 512 };

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
  const unsigned char *idle;
  const double *step; // for all free vertices that are not idle
  double *x;
  int adds;
} translation_job;

static void translate_range(void *context, int first, int last) {
  const translation_job *job = context;
  for (int i = first; i < last; i++) {
    int stays = job->model->fixed[i] || (job->idle && job->idle[i]);
    for (int c = 0; c < 3; c++) {
      double from = job->adds ? job->x[csim_xyz(i) + c] : 0;
      job->x[csim_xyz(i) + c] = stays ? from : from + job->step[c];
    }
  }
}

// Sum over patches, which have all free vertices: the net force.
static void add_up_forces(const csim_balance *balance, const double *sums, double force[3]) {
  memset(force, 0, 3 * sizeof *force);
  for (int p = 0; p < balance->npatch; p++)
    csim_add_scaled(1, sums + csim_row(CSIM_BALANCE_SUMS, p), force);
}

// Computes sums of A W, and the inverse of W^T A W.
static void prepare(const csim_problem *problem, const csim_linear *linear, csim_translation *t) {
  const csim_model *model = problem->model;
  double E[9];
  for (int c = 0; c < 3; c++) {
    double axis[3] = {c == 0, c == 1, c == 2};
    csim_pool_for(problem->pool, model->nvert, VERT_GRAIN, translate_range,
                  &(translation_job){model, problem->iteration.idle, axis, t->W, 0});
    csim_linear_translate(problem, linear, c, t->W, t->AW);
    csim_balance_add_up(problem->pool, t->balance, problem->iteration.idle, t->AW, t->sums[c]);
    add_up_forces(t->balance, t->sums[c], E + csim_xyz(c)); // a row: E is symmetric
  }
  t->ready = csim_mat3_inverse(E, t->inverse) > 0 ? 1 : -1;
}

const double *csim_translation_find(const csim_problem *problem, const csim_linear *linear,
                                    csim_translation *t, const double *r) {
  double force[3];
  if (!t->ready) prepare(problem, linear, t);
  csim_balance_add_up(problem->pool, t->balance, problem->iteration.idle, r, t->left);
  if (t->ready < 0) return t->left;
  add_up_forces(t->balance, t->left, force);
  csim_mat3_mul(t->inverse, force, t->e);
  for (ptrdiff_t k = 0; k < csim_row(CSIM_BALANCE_SUMS, t->balance->npatch); k++)
    for (int c = 0; c < 3; c++) t->left[k] -= t->e[c] * t->sums[c][k];
  return t->left;
}

void csim_translation_add(const csim_problem *problem, const csim_translation *t, double *x) {
  const csim_model *model = problem->model;
  csim_pool_for(problem->pool, model->nvert, VERT_GRAIN, translate_range,
                &(translation_job){model, problem->iteration.idle, t->e, x, 1});
}
