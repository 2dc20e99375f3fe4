// test_translation: the common translation that takes the net force of a residual away, against
// products of its own; and a linear solve that ends when it is asked to.
#include "check.h"
#include "kit.h"

#include "solver/translation.h"

#include <string.h>

enum { CELLS = 12 };

typedef struct fixture {
  kit k;
  csim_arena arena;
  csim_solver_params params;
  csim_problem problem;
  csim_linear linear;
  csim_balance balance;
  csim_translation t;
  double *x, *r, *q; // (nvert x 3), and one number more
} fixture;

// A stretched cloth with random residuals, held at two corners or nowhere.
static void create(int pinned, fixture *f) {
  *f = (fixture){.params = {.linear = "pcg",
                            .preconditioner = CSIM_PRECONDITIONER_MULTILEVEL,
                            .linear_iterations = 500}};
  kit *k = &f->k;
  kit_cloth(CELLS, 1, 0.2, 1000, 1e-4, 1.0 / 120, k);
  if (pinned) kit_pin(k, 0), kit_pin(k, CELLS);
  kit_ready(k, 2);
  int n = 3 * k->model->nvert;
  double **vector[] = {&f->x, &f->r, &f->q};
  for (int i = 0; i < 3; i++) *vector[i] = CSIM_ARENA_NEW(&f->arena, double, (ptrdiff_t)n + 1);
  unsigned seed = 5;
  for (int i = 0; i < n; i++) {
    f->x[i] = 1.01 * k->model->x0[i] + 1e-3 * kit_random(&seed);
    f->r[i] = k->model->fixed[i / 3] ? 0 : 0.1 + kit_random(&seed);
  }
  f->problem = (csim_problem){.model = k->model, .params = &f->params, .pool = k->pool};
  CHECK(csim_linear_create(&f->arena, k->model, &f->params, &f->linear) == 0);
  CHECK(csim_balance_create(&f->arena, k->model, &f->balance) == 0);
  CHECK(csim_translation_create(&f->arena, &f->balance, &f->t) == 0);
  CHECK(f->linear.A.on_edges);
  csim_stiffness_update(k->pool, &(csim_point){.x = f->x}, CSIM_PSD_DROP,
                        kit_inertia(&f->arena, k->model, k->h), NULL, &f->linear.A.K);
  f->problem.inertia = kit_inertia(&f->arena, k->model, k->h);
  f->problem.h = k->h;
  f->problem.y = k->model->x0;
  f->problem.v = CSIM_ARENA_NEW(&f->arena, double, n);
  csim_balance_begin(&f->problem, &f->balance, f->x);
  csim_translation_begin(&f->t);
}

static void destroy(fixture *f) {
  csim_linear_destroy(&f->linear);
  csim_arena_free(&f->arena);
  kit_end(&f->k);
}

static void test_net_force(void) {
  for (int pinned = 0; pinned < 2; pinned++) {
    fixture f;
    create(pinned, &f);
    const csim_model *model = f.k.model;
    int n = 3 * model->nvert;
    const double *left = csim_translation_find(&f.problem, &f.linear, &f.t, f.r);
    double net[3] = {0}, before[3] = {0}, worst = 0;
    for (int i = 0; i < n; i++) before[i % 3] += f.r[i];
    for (int p = 0; p < f.balance.npatch; p++)
      for (int c = 0; c < 3; c++) net[c] += left[CSIM_BALANCE_SUMS * p + c];
    for (int c = 0; c < 3; c++) {
      CHECK(fabs(before[c]) > 0.1);
      CHECK(fabs(net[c]) < 1e-10);
      CHECK(f.t.e[c] != 0);
    }
    // what is left is the residual of x + W e, by a product of that
    double *step = CSIM_ARENA_NEW(&f.arena, double, (ptrdiff_t)n + 1);
    double *sums = CSIM_ARENA_NEW(&f.arena, double, CSIM_BALANCE_SUMS *f.balance.npatch);
    csim_translation_add(&f.problem, &f.t, step);
    for (int i = 0; i < n; i++) CHECK(step[i] == (model->fixed[i / 3] ? 0 : f.t.e[i % 3]));
    csim_linear_multiply(&f.problem, &f.linear, step, f.q);
    for (int i = 0; i < n; i++) f.q[i] = f.r[i] - f.q[i];
    csim_balance_add_up(f.k.pool, &f.balance, NULL, f.q, sums);
    for (int j = 0; j < CSIM_BALANCE_SUMS * f.balance.npatch; j++)
      worst = fmax(worst, fabs(sums[j] - left[j]));
    CHECK(worst < 1e-9);
    // nothing pulls a free cloth back but its inertia; pins do, along it
    double mass = 0, h = f.k.h;
    for (int i = 0; i < model->nvert; i++) mass += model->fixed[i] ? 0 : model->mass[i];
    double free_e = before[0] * h * h / mass;
    CHECK(pinned ? fabs(f.t.e[0]) < 0.8 * fabs(free_e) : fabs(f.t.e[0] / free_e - 1) < 1e-6);
    destroy(&f);
  }
}

static int is_third_time(void *context, const double *r) {
  int *asked = context;
  CHECK(isfinite(r[0]));
  return ++*asked == 3;
}

static void test_goal(void) {
  fixture f;
  create(0, &f);
  int asked = 0;
  csim_solve_goal goal = {.tolerance = 0.3, .max_iterations = 500};
  CHECK(csim_pcg_reserve(f.problem.scratch = &(csim_scratch){0}, 3 * f.k.model->nvert) == 0);
  csim_solve_report plain = csim_linear_solve(&f.problem, &f.linear, f.r, &goal, f.x);
  goal.is_enough = is_third_time;
  goal.context = &asked;
  csim_solve_report longer = csim_linear_solve(&f.problem, &f.linear, f.r, &goal, f.x);
  CHECK(plain.outcome == CSIM_SOLVE_CONVERGED && longer.outcome == CSIM_SOLVE_CONVERGED);
  CHECK(asked == 3);
  CHECK(longer.iterations >= plain.iterations + 4 && longer.residual < plain.residual);
  // the limit is one of iterations, whatever is asked for
  asked = 3;
  goal.max_iterations = plain.iterations + 7;
  longer = csim_linear_solve(&f.problem, &f.linear, f.r, &goal, f.x);
  CHECK(longer.outcome == CSIM_SOLVE_LIMIT && longer.iterations == plain.iterations + 7);
  csim_scratch_free(f.problem.scratch);
  destroy(&f);
}

int main(void) {
  test_net_force();
  test_goal();
  return check_report();
}
