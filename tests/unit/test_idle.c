// test_idle: objects that a Newton iteration leaves where they are: which they are, and what is not
// computed for them.
#include "check.h"
#include "kit.h"

#include "math/vector.h"
#include "model/links.h"
#include "solver/idle.h"
#include "solver/linear.h"
#include "solver/step.h"

#include <string.h>

#define CLOTH(name, x)                                                                             \
  "{'name': '" name "', 'type': 'cloth', 'material': 'cotton', 'position': [" #x ", 0, 0], "       \
  "'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [8, 8]}}"
#define ATTACHMENT                                                                                 \
  "{'a': {'object': 'shirt', 'vertices': [8]}, 'b': {'object': 'button', 'vertices': [0]}}"

// Nothing touches.
static const char FOUR[] = "{'version': 1, 'frames': {'end': 2}, 'attachments': [" ATTACHMENT "], "
                           "'objects': [" CLOTH("shirt", 0) ", " CLOTH("towel", 3) ", " CLOTH(
                               "button", 1.5) ", " CLOTH("flag", 6) "]}";
enum { SHIRT, TOWEL, BUTTON, FLAG, BODIES };

typedef struct fixture {
  kit_scene k;
  csim_arena arena;
  csim_problem problem;
  csim_balance balance;
  csim_groups groups;
  csim_idle idle;
  csim_linear linear;
  csim_gradient_memo memo;
  double *x, *g, *q[2]; // (nvert x 3), and one number more
  unsigned char *mask;  // (nvert)
} fixture;

static void create(fixture *f) {
  *f = (fixture){0};
  CHECK(kit_scene_open(FOUR, 2, &f->k) == 0);
  const csim_model *model = f->k.world.model;
  int n = 3 * model->nvert;
  double **vector[] = {&f->x, &f->g, &f->q[0], &f->q[1]};
  for (int i = 0; i < 4; i++) *vector[i] = CSIM_ARENA_NEW(&f->arena, double, (ptrdiff_t)n + 1);
  f->mask = CSIM_ARENA_NEW(&f->arena, unsigned char, model->nvert);
  double *link = CSIM_ARENA_NEW(&f->arena, double, csim_row(CSIM_LINK_NOW, model->links.nlink));
  csim_links_at(model, 0, NULL, link);
  unsigned seed = 3;
  for (int i = 0; i < n; i++) f->x[i] = 1.01 * model->x0[i] + 1e-3 * kit_random(&seed);
  f->problem = kit_problem(&f->arena, &f->k, 1.0 / 120);
  f->problem.link = link;
  CHECK(model->nbody == BODIES);
  CHECK(csim_balance_create(&f->arena, model, &f->balance) == 0);
  CHECK(csim_groups_create(&f->arena, model, &f->groups) == 0);
  CHECK(csim_idle_create(&f->arena, &f->balance, &f->groups, &f->idle) == 0);
  CHECK(csim_gradient_memo_create(&f->arena, &f->groups, &f->memo) == 0);
  CHECK(csim_linear_create(&f->arena, model, &f->k.scene->solver, &f->linear) == 0);
  csim_balance_begin(&f->problem, &f->balance, model->x0);
  csim_idle_begin(&f->idle);
}

static void destroy(fixture *f) {
  csim_linear_destroy(&f->linear);
  csim_arena_free(&f->arena);
  kit_scene_close(&f->k);
}

// Puts a force on a vertex in the middle of a body.
static void push(fixture *f, int body, double force) {
  f->g[csim_xyz(f->k.world.model->body[body].vert0 + 40) + 1] += force;
}

// Which bodies are idle, as bits.
static int choose(fixture *f, double share, double most_cut, double most) {
  int bits = 0;
  const unsigned char *vert = csim_idle_choose(&f->problem, f->g, share, most_cut, most, &f->idle);
  for (int k = 0; k < BODIES; k++) bits |= f->idle.body[k] << k;
  CHECK((vert != NULL) == (bits != 0));
  for (int i = 0; vert && i < f->problem.model->nvert; i++)
    CHECK(vert[i] == f->idle.body[f->problem.model->body_of[i]]);
  return bits;
}

static void test_choice(void) {
  fixture f;
  create(&f);
  double weight = f.balance.body_mass[FLAG] * 9.81;
  CHECK(choose(&f, 1, 1, 1) == 0); // all would be
  push(&f, TOWEL, weight);
  CHECK(choose(&f, 1, 1, 1) == (1 << SHIRT | 1 << BUTTON | 1 << FLAG));
  push(&f, BUTTON, weight); // and what it is attached to
  CHECK(choose(&f, 1, 1, 1) == 1 << FLAG);
  double allowed = f.k.scene->solver.balance;
  push(&f, FLAG, 0.5 * allowed * weight);
  CHECK(choose(&f, 1, 1, 1) == 1 << FLAG);
  CHECK(choose(&f, 0.1, 1, 1) == 0);
  // inertia would let it move one of 81 vertices by F h^2/m
  double h = f.problem.h, m = f.problem.model->mass[f.problem.model->body[FLAG].vert0 + 40];
  double way = 0.5 * allowed * weight * h * h / m;
  CHECK(choose(&f, 1, 1, 1.05 * way / 9) == 1 << FLAG);
  CHECK(choose(&f, 1, 1, 0.95 * way / 9) == 0);
  // contact cut a vertex of the flag; while that is idle, it stays so
  f.q[0][csim_xyz(f.k.world.model->body[FLAG].vert0)] = 3e-3;
  CHECK(choose(&f, 1, 1, 1) == 1 << FLAG);
  CHECK(csim_idle_record(f.k.pool, f.q[0], &f.idle) == 0);
  CHECK(choose(&f, 0.1, 1, 1) == 0);
  CHECK(csim_idle_record(f.k.pool, f.q[0], &f.idle) == 3e-3);
  CHECK(choose(&f, 1, 2e-3, 1) == 0);
  CHECK(choose(&f, 1, 4e-3, 1) == 1 << FLAG);
  destroy(&f);
}

// Product, solution and energy of a random vector that is zero at masked vertices.
static double solve(fixture *f, const unsigned char *idle, double *product, double *solution) {
  const csim_model *model = f->problem.model;
  csim_solve_goal goal = {.tolerance = 1e-3, .max_iterations = 100};
  unsigned seed = 8;
  f->problem.iteration.idle = idle;
  csim_linear_assemble(&f->problem, f->x, &f->linear);
  CHECK(f->linear.A.on_edges);
  for (int i = 0; i < 3 * model->nvert; i++) f->g[i] = f->mask[i / 3] ? 0 : kit_random(&seed);
  csim_linear_multiply(&f->problem, &f->linear, f->g, product);
  CHECK(csim_linear_solve(&f->problem, &f->linear, f->g, &goal, solution).iterations > 3);
  double before = csim_problem_value(&f->problem, f->x);
  csim_vector_go(f->k.pool, 3 * model->nvert, f->x, 1e-3, f->g, solution + 3 * model->nvert);
  double after = csim_problem_value(&f->problem, solution + 3 * model->nvert);
  f->problem.iteration.idle = NULL;
  return after - before;
}

// What the others get has the same bits as if idle ones, which are held, were computed.
static void test_parts_left_out(void) {
  fixture f;
  create(&f);
  const csim_model *model = f.problem.model;
  int n = 3 * model->nvert;
  csim_scratch scratch = {0};
  CHECK(csim_pcg_reserve(&scratch, n) == 0);
  f.problem.scratch = &scratch;
  unsigned char all[BODIES] = {[SHIRT] = 1, [BUTTON] = 1, [FLAG] = 1};
  csim_groups_mark(f.k.pool, &f.groups, all, f.mask);
  double *solution[2], change[2];
  for (int k = 0; k < 2; k++) {
    solution[k] = CSIM_ARENA_NEW(&f.arena, double, 2 * (ptrdiff_t)n + 1);
    change[k] = solve(&f, k ? f.mask : NULL, f.q[k], solution[k]);
  }
  CHECK(!memcmp(f.q[0], f.q[1], (size_t)n * sizeof(double)));
  CHECK(!memcmp(solution[0], solution[1], (size_t)n * sizeof(double)));
  CHECK(change[0] != 0);
  CHECK_NEAR(change[1] / change[0], 1, 1e-9);
  csim_scratch_free(&scratch);
  destroy(&f);
}

// A body that stays keeps its gradient, with the same bits; one that is tied to it does not.
static void test_kept_gradient(void) {
  static const int moved[][2] = {{TOWEL, FLAG}, {SHIRT, SHIRT}, {FLAG, FLAG}};
  fixture f;
  create(&f);
  int n = 3 * f.problem.model->nvert;
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 2; k++) {
      const csim_body *body = &f.problem.model->body[moved[round][k]];
      for (int i = 0; i < 3 * body->nvert; i++) f.x[csim_xyz(body->vert0) + i] *= 1.001;
    }
    f.problem.iteration.gradient_memo = &f.memo;
    csim_problem_gradient(&f.problem, f.x, f.q[0]);
    f.problem.iteration.gradient_memo = NULL;
    csim_problem_gradient(&f.problem, f.x, f.q[1]);
    CHECK(!memcmp(f.q[0], f.q[1], (size_t)n * sizeof(double)));
  }
  int staying = 0; // in the last round
  for (int k = 0; k < BODIES; k++) staying |= f.memo.body[k] << k;
  CHECK(staying == (1 << SHIRT | 1 << TOWEL | 1 << BUTTON));
  destroy(&f);
}

int main(void) {
  test_choice();
  test_parts_left_out();
  test_kept_gradient();
  return check_report();
}
