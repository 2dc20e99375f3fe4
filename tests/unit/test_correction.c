// test_correction: corrections that take the net force of a residual away, of all of it or of
// aggregates, against products of their own; and a linear solve that ends when it is asked to.
#include "check.h"
#include "kit.h"

#include "solver/correction.h"

#include <string.h>

enum { CELLS = 12 };

typedef struct fixture {
  kit k;
  csim_arena arena;
  csim_solver_params params;
  csim_problem problem;
  csim_linear linear;
  csim_balance balance;
  csim_correction c;
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
  CHECK(csim_correction_create(&f->arena, &f->balance, &f->c) == 0);
  CHECK(f->linear.A.on_edges);
  csim_stiffness_update(k->pool, &(csim_point){.x = f->x}, CSIM_PSD_DROP,
                        kit_inertia(&f->arena, k->model, k->h), NULL, &f->linear.A.K);
  f->problem.inertia = kit_inertia(&f->arena, k->model, k->h);
  f->problem.h = k->h;
  f->problem.y = k->model->x0;
  f->problem.v = CSIM_ARENA_NEW(&f->arena, double, n);
  csim_balance_begin(&f->problem, &f->balance, f->x);
  csim_correction_begin(&f->c);
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
    CHECK(!csim_correction_balances(&f.problem, &f.linear, &f.c, f.r, 0));
    const double *left = f.c.left;
    double net[3] = {0}, before[3] = {0}, worst = 0;
    for (int i = 0; i < n; i++) before[i % 3] += f.r[i];
    for (int p = 0; p < f.balance.npatch; p++)
      for (int c = 0; c < 3; c++) net[c] += left[CSIM_BALANCE_SUMS * p + c];
    for (int c = 0; c < 3; c++) {
      CHECK(fabs(before[c]) > 0.1);
      CHECK(fabs(net[c]) < 1e-10);
      CHECK(f.c.e[c] != 0);
    }
    // what is left is the residual of x + W e, by a product of that
    double *step = CSIM_ARENA_NEW(&f.arena, double, (ptrdiff_t)n + 1);
    double *sums = CSIM_ARENA_NEW(&f.arena, double, CSIM_BALANCE_SUMS *f.balance.npatch);
    csim_correction_add(&f.problem, &f.c, step);
    for (int i = 0; i < n; i++) CHECK(step[i] == (model->fixed[i / 3] ? 0 : f.c.e[i % 3]));
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
    CHECK(pinned ? fabs(f.c.e[0]) < 0.8 * fabs(free_e) : fabs(f.c.e[0] / free_e - 1) < 1e-6);
    destroy(&f);
  }
}

#define CLOTH(name, x)                                                                             \
  "{'name': '" name "', 'type': 'cloth', 'material': 'cotton', 'position': [" #x ", 0, 0], "       \
  "'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [20, 20]}}"

// Opens two cloths that nothing holds; f->r are random residuals.
static void create_two(kit_scene *scene, fixture *f) {
  CHECK(kit_scene_open("{'version': 1, 'frames': {'end': 2}, 'objects': [" CLOTH("a", 0) ", " CLOTH(
                           "b", 3) "]}",
                       2, scene) == 0);
  const csim_model *model = scene->world.model;
  int n = 3 * model->nvert;
  double **vector[] = {&f->x, &f->r, &f->q};
  for (int i = 0; i < 3; i++) *vector[i] = CSIM_ARENA_NEW(&f->arena, double, (ptrdiff_t)n + 1);
  unsigned seed = 6;
  for (int i = 0; i < n; i++) {
    f->x[i] = 1.01 * model->x0[i] + 1e-3 * kit_random(&seed);
    f->r[i] = (i < n / 2 ? 0.1 : -0.2) + kit_random(&seed);
  }
  f->problem = kit_problem(&f->arena, scene, 1.0 / 120);
  f->problem.scratch = CSIM_ARENA_NEW(&f->arena, csim_scratch, 1);
  CHECK(csim_pcg_reserve(f->problem.scratch, n) == 0);
  CHECK(csim_linear_create(&f->arena, model, f->problem.params, &f->linear) == 0);
  CHECK(csim_balance_create(&f->arena, model, &f->balance) == 0);
  CHECK(csim_correction_create(&f->arena, &f->balance, &f->c) == 0);
  csim_linear_assemble(&f->problem, f->x, &f->linear);
  csim_balance_begin(&f->problem, &f->balance, f->x);
  csim_correction_begin(&f->c);
}

// Of several objects each loses its net force.
static void test_objects(void) {
  fixture f = {0};
  kit_scene scene;
  create_two(&scene, &f);
  int n = 3 * f.problem.model->nvert, nsum = CSIM_BALANCE_SUMS * f.balance.npatch, body;
  double *sums = CSIM_ARENA_NEW(&f.arena, double, nsum), worst = 0, net[2][3] = {{0}};
  double *step = CSIM_ARENA_NEW(&f.arena, double, (ptrdiff_t)n + 1);
  csim_solve_goal goal = {.tolerance = 1e-3, .max_iterations = 500};
  csim_linear_solve(&f.problem, &f.linear, f.r, &goal, f.q); // computes the preconditioner
  csim_balance_add_up(scene.pool, &f.balance, NULL, f.r, sums);
  double before = csim_balance_judge(&f.problem, &f.balance, sums, &body);
  // what is balanced is not corrected
  CHECK(csim_correction_balances(&f.problem, &f.linear, &f.c, f.r, before));
  csim_correction_add(&f.problem, &f.c, step);
  for (int i = 0; i < n; i++) CHECK(step[i] == 0);
  CHECK(csim_correction_balances(&f.problem, &f.linear, &f.c, f.r, 0.5 * before));
  csim_correction_add(&f.problem, &f.c, step);
  csim_linear_multiply(&f.problem, &f.linear, step, f.q);
  for (int i = 0; i < n; i++) f.q[i] = f.r[i] - f.q[i];
  csim_balance_add_up(scene.pool, &f.balance, NULL, f.q, sums);
  for (int j = 0; j < nsum; j++) worst = fmax(worst, fabs(sums[j] - f.c.left[j]));
  CHECK(worst < 1e-6 && f.c.share > 0.999 && f.c.share < 1.001);
  for (int i = 0; i < n; i++) net[f.problem.model->body_of[i / 3]][i % 3] += f.q[i];
  for (int k = 0; k < 6; k++) CHECK(fabs(net[k / 3][k % 3]) < 1e-6);
  // a check that fails may correct; of later ones fewer and fewer do
  int corrected = 0;
  for (int i = 0; i < 40; i++) {
    CHECK(!csim_correction_balances(&f.problem, &f.linear, &f.c, f.r, 0));
    corrected += f.c.share != 0;
  }
  CHECK(corrected > 12 && corrected < 25);
  csim_scratch_free(f.problem.scratch);
  csim_linear_destroy(&f.linear);
  csim_arena_free(&f.arena);
  kit_scene_close(&scene);
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
  test_objects();
  test_goal();
  return check_report();
}
