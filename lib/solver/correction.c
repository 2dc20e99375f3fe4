// solver/correction.c: see correction.h.
#include "solver/correction.h"

#include "math/vec3.h"
#include "math/vector.h"

#include <string.h>

enum { VERT_GRAIN = 512 };

int csim_correction_create(csim_arena *arena, const csim_balance *balance, csim_correction *c) {
  ptrdiff_t n = csim_xyz(balance->model->nvert) + 1; // products read one number past the end
  ptrdiff_t nsum = csim_row(CSIM_BALANCE_SUMS, balance->npatch);
  *c = (csim_correction){.balance = balance};
  c->W = CSIM_ARENA_NEW(arena, double, n);
  c->AW = CSIM_ARENA_NEW(arena, double, n);
  for (int k = 0; k < 3; k++) c->sums[k] = CSIM_ARENA_NEW(arena, double, nsum);
  c->left = CSIM_ARENA_NEW(arena, double, nsum);
  return arena->failed ? -1 : 0;
}

void csim_correction_begin(csim_correction *c) {
  c->ready = c->asked = c->due = 0;
  c->share = 0;
  memset(c->e, 0, sizeof c->e);
}

// ------------------------------------------------------------------------------ one translation

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
static void prepare(const csim_problem *problem, const csim_linear *linear, csim_correction *c) {
  const csim_model *model = problem->model;
  double E[9];
  for (int k = 0; k < 3; k++) {
    double axis[3] = {k == 0, k == 1, k == 2};
    csim_pool_for(problem->pool, model->nvert, VERT_GRAIN, translate_range,
                  &(translation_job){model, problem->iteration.idle, axis, c->W, 0});
    csim_linear_translate(problem, linear, k, c->W, c->AW);
    csim_balance_add_up(problem->pool, c->balance, problem->iteration.idle, c->AW, c->sums[k]);
    add_up_forces(c->balance, c->sums[k], E + csim_xyz(k)); // a row: E is symmetric
  }
  c->ready = csim_mat3_inverse(E, c->inverse) > 0 ? 1 : -1;
}

// Corrects the sums of a residual by the translation.
static void translate(const csim_problem *problem, const csim_linear *linear, csim_correction *c) {
  double force[3];
  if (!c->ready) prepare(problem, linear, c);
  if (c->ready < 0) return;
  add_up_forces(c->balance, c->left, force);
  csim_mat3_mul(c->inverse, force, c->e);
  for (ptrdiff_t k = 0; k < csim_row(CSIM_BALANCE_SUMS, c->balance->npatch); k++)
    for (int j = 0; j < 3; j++) c->left[k] -= c->e[j] * c->sums[j][k];
}

// ----------------------------------------------------------------------------------- aggregates

// A correction costs as much as an iteration, so the next is made after this share of the checks.
static const double PAUSE = 0.15;

// Corrects the sums of a residual by aggregates. The share of W e is the best one, as the coarse
// matrix does not know of chambers. Returns 0 if there are no aggregates.
static int correct_by_aggregates(const csim_problem *problem, csim_linear *linear,
                                 csim_correction *c, const double *r) {
  int n = 3 * problem->model->nvert;
  if (!csim_linear_correct(problem, linear, r, c->W)) return 0;
  double curvature = csim_linear_multiply(problem, linear, c->W, c->AW);
  double along = csim_vector_dot(problem->pool, n, c->W, r);
  if (!(curvature > 0)) return 0;
  c->share = along / curvature;
  csim_balance_add_up(problem->pool, c->balance, problem->iteration.idle, c->AW, c->sums[0]);
  for (ptrdiff_t k = 0; k < csim_row(CSIM_BALANCE_SUMS, c->balance->npatch); k++)
    c->left[k] -= c->share * c->sums[0][k];
  c->due = c->asked + (int)(PAUSE * c->asked);
  return 1;
}

// ---------------------------------------------------------------------------------------- check

int csim_correction_balances(const csim_problem *problem, csim_linear *linear, csim_correction *c,
                             const double *r, double bound) {
  int body;
  csim_balance_add_up(problem->pool, c->balance, problem->iteration.idle, r, c->left);
  if (problem->model->nbody > 1 && c->ready == 0) {
    c->share = 0;
    if (csim_balance_judge(problem, c->balance, c->left, &body) <= bound) return 1;
    if (c->asked++ < c->due) return 0;
    if (!correct_by_aggregates(problem, linear, c, r)) translate(problem, linear, c);
  } else {
    translate(problem, linear, c);
  }
  return csim_balance_judge(problem, c->balance, c->left, &body) <= bound;
}

void csim_correction_add(const csim_problem *problem, const csim_correction *c, double *x) {
  const csim_model *model = problem->model;
  if (c->ready)
    csim_pool_for(problem->pool, model->nvert, VERT_GRAIN, translate_range,
                  &(translation_job){model, problem->iteration.idle, c->e, x, 1});
  else if (c->share != 0)
    csim_vector_add(problem->pool, 3 * model->nvert, c->share, c->W, x);
}
