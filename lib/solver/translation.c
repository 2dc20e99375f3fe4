// solver/translation.c: see translation.h.
#include "solver/translation.h"

#include "math/vec3.h"

#include <string.h>

enum { VERT_GRAIN = 1024 };

int csim_translation_create(csim_arena *arena, const csim_model *model, csim_translation *t) {
  ptrdiff_t n = csim_xyz(model->nvert) + 1; // products read one number past the end
  for (int c = 0; c < 3; c++) t->AW[c] = CSIM_ARENA_NEW(arena, double, n);
  t->left = CSIM_ARENA_NEW(arena, double, n);
  return arena->failed ? -1 : 0;
}

void csim_translation_begin(csim_translation *t) {
  t->ready = 0;
  memset(t->e, 0, sizeof t->e);
}

typedef struct translation_job {
  const csim_model *model;
  csim_translation *t;
  const double *r;
} translation_job;

static void sum_free(void *context, int first, int last, double *sum) {
  const translation_job *job = context;
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = first; i < last; i++)
    if (!job->model->fixed[i]) csim_add_scaled(1, job->r + csim_xyz(i), sum);
}

static void add_up(const csim_problem *problem, csim_translation *t, const double *r,
                   double sum[3]) {
  translation_job job = {problem->model, t, r};
  csim_pool_sums(problem->pool, problem->model->nvert, CSIM_SUM_GRAIN, 3, sum_free, &job, sum);
}

// A W, and the inverse of W^T A W.
static void prepare(const csim_problem *problem, const csim_linear *linear, csim_translation *t) {
  const csim_model *model = problem->model;
  double E[9];
  for (int c = 0; c < 3; c++) {
    memset(t->left, 0, 3 * (size_t)model->nvert * sizeof *t->left);
    for (int i = 0; i < model->nvert; i++) t->left[csim_xyz(i) + c] = !model->fixed[i];
    csim_linear_multiply(problem, linear, t->left, t->AW[c]);
    add_up(problem, t, t->AW[c], E + csim_xyz(c)); // a row: E is symmetric
  }
  t->ready = csim_mat3_inverse(E, t->inverse) > 0 ? 1 : -1;
}

static void subtract_range(void *context, int first, int last) {
  const translation_job *job = context;
  csim_translation *t = job->t;
  for (ptrdiff_t k = csim_xyz(first); k < csim_xyz(last); k++)
    t->left[k] = job->r[k] - t->e[0] * t->AW[0][k] - t->e[1] * t->AW[1][k] - t->e[2] * t->AW[2][k];
}

const double *csim_translation_find(const csim_problem *problem, const csim_linear *linear,
                                    csim_translation *t, const double *r) {
  double sum[3];
  if (!t->ready) prepare(problem, linear, t);
  if (t->ready < 0) return r;
  add_up(problem, t, r, sum);
  csim_mat3_mul(t->inverse, sum, t->e);
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, subtract_range,
                &(translation_job){problem->model, t, r});
  return t->left;
}

void csim_translation_add(const csim_model *model, const csim_translation *t, double *x) {
  for (int i = 0; i < model->nvert; i++)
    if (!model->fixed[i]) csim_add_scaled(1, t->e, x + csim_xyz(i));
}
