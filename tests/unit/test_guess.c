// test_guess: initial guesses with bounds of strain: what is strained too much moves, by impulses
// that keep the momentum, and nothing else does.
#include "check.h"
#include "kit.h"

#include "math/vec3.h"
#include "model/bound.h"
#include "solver/guess.h"
#include "solver/project.h"

#include <string.h>

static const double LIMIT = 0.05, H = 0.01;
enum { CELLS = 12, VERTS = (CELLS + 1) * (CELLS + 1) };

typedef enum bound_law { SPRINGS, WOVEN, ORTHOTROPIC, LAWS } bound_law;

// A free sheet of 1 m whose springs or triangles have a bound.
static void create(bound_law law, int nthread, kit *k) {
  csim_moduli moduli = {
      .warp = 5, .weft = 3, .shear = 2, .limit = LIMIT, .stiffening = 30, .bound = 1};
  kit_cloth(CELLS, 1, 0.2, 10, 0, H, k);
  if (law == SPRINGS)
    csim_network_limits(&k->springs, 0, LIMIT, 0, &k->bounds);
  else
    kit_membrane(k, &moduli, law == WOVEN ? &k->woven : &k->orthotropic);
  k->model->has_bounds = 1;
  kit_ready(k, nthread);
}

static const csim_energy *bound_of(const kit *k) {
  for (int e = 0; e < k->model->nenergy; e++)
    if (k->model->energy[e].kind->excess) return &k->model->energy[e];
  return NULL;
}

// Share of the displacements d that keeps the bounds, and 0 if x is beyond one, for d = NULL.
static double max_step(const kit *k, const double *x, const double *d) {
  return csim_model_max_step(k->pool, k->model, &(csim_point){.x = x}, d);
}

static void displace(const kit *k, double size, unsigned seed, double *d) {
  for (int i = 0; i < 3 * k->model->nvert; i++) d[i] = size * kit_random(&seed);
}

// Gradients of an excess are its differences. Without an excess a step is not shortened, unless it
// ends below where the bound begins.
static void test_excess(bound_law law) {
  kit k;
  create(law, 1, &k);
  const csim_energy *energy = bound_of(&k);
  double d[3 * VERTS], step = 1e-6;
  int found = 0, nnode = energy->kind->nnode;
  csim_point at = {.x = k.model->x0};
  displace(&k, 0.03, 5, d);
  for (int e = 0; e < energy->nelem; e++) {
    csim_constraint c, high, low;
    double share = energy->kind->max_step(energy, &at, d, e, e + 1);
    if (!energy->kind->excess(energy, &at, d, e, &c)) {
      CHECK(share == 1);
      continue;
    }
    found++;
    CHECK(share < 1 && c.C[0] > 0);
    for (int n = 0; n < 3 * nnode; n++) {
      double *moved = &d[csim_xyz(energy->node[nnode * e + n / 3]) + n % 3], before = *moved;
      *moved = before + step;
      CHECK(energy->kind->excess(energy, &at, d, e, &high));
      *moved = before - step;
      CHECK(energy->kind->excess(energy, &at, d, e, &low));
      *moved = before;
      CHECK_NEAR((high.C[0] - low.C[0]) / (2 * step), c.grad[n / 3][n % 3], 1e-5 * CELLS);
    }
  }
  CHECK(found > 20);
  kit_end(&k);
}

// Where an excess leads back to: the beginning of the bound, or a tenth of what was left.
static void test_goal(void) {
  CHECK_NEAR(csim_bound_excess(0, 7, 3, 5), 4, 1e-12);
  CHECK_NEAR(csim_bound_excess(4, 7, 3, 5), 7 - 4.1, 1e-12);
  CHECK(csim_bound_excess(4, 4.89, 3, 5) == 0);
  CHECK(csim_bound_excess(4, 4.91, 3, 5) > 0);
  CHECK(csim_bound_excess(-20, 2.9, 3, 5) == 0);
  CHECK(csim_bound_excess(5, 7, 3, 5) == 0);
  CHECK(csim_bound_excess(6, 7, 3, 5) == 0);
}

// Sweeps end within the bounds, do not move what must stay, keep the momentum of the rest, and have
// the same bits on more threads.
static void test_sweeps(bound_law law) {
  enum { MOST = 200 };
  double d[2][3 * VERTS], mobility[VERTS], before[3] = {0}, after[3] = {0};
  for (int run = 0; run < 2; run++) {
    kit k;
    create(law, run ? 3 : 1, &k);
    const csim_energy *energy = bound_of(&k);
    csim_pass pass = {.model = k.model, .pool = k.pool, .at = {.x = k.model->x0}};
    int sweeps = 0, stays = law == WOVEN ? VERTS / 2 : -1;
    displace(&k, 0.03, 6, d[run]);
    for (int i = 0; i < VERTS; i++) mobility[i] = i == stays ? 0 : (i % 3 + 1) / k.model->mass[i];
    for (int i = 0; i < VERTS && run == 0 && stays < 0; i++)
      csim_add_scaled(1 / mobility[i], d[0] + csim_xyz(i), before);
    CHECK(max_step(&k, k.model->x0, d[run]) < 1);
    while (csim_project_bounds(&pass, energy, mobility, d[run]) > 0 && sweeps < MOST) sweeps++;
    CHECK(sweeps > 1 && sweeps < MOST);
    double x[3 * VERTS];
    for (int i = 0; i < 3 * VERTS; i++) x[i] = k.model->x0[i] + d[run][i];
    CHECK(max_step(&k, x, NULL) > 0);
    if (stays >= 0) {
      double all[3 * VERTS];
      displace(&k, 0.03, 6, all);
      CHECK(memcmp(all + csim_xyz(stays), d[run] + csim_xyz(stays), 3 * sizeof *all) == 0);
    }
    kit_end(&k);
  }
  CHECK(memcmp(d[0], d[1], sizeof d[0]) == 0);
  for (int i = 0; i < VERTS && law != WOVEN; i++)
    csim_add_scaled(1 / mobility[i], d[0] + csim_xyz(i), after);
  for (int c = 0; c < 3; c++) CHECK_NEAR(after[c], before[c], 1e-12);
}

// The guess of a step from x0 with velocities v.
static void find_guess(const kit *k, const double *v, double *x) {
  csim_arena arena = {0};
  csim_solver_params params = k->params;
  params.start = CSIM_START_VELOCITY;
  double *target = CSIM_ARENA_NEW(&arena, double, csim_xyz(k->model->ntarget));
  double *step = CSIM_ARENA_NEW(&arena, double, csim_xyz(VERTS)),
         *y = CSIM_ARENA_NEW(&arena, double, csim_xyz(VERTS));
  for (int i = 0; i < 3 * VERTS; i++) y[i] = k->model->x0[i] + H * v[i];
  csim_problem problem = {.model = k->model,
                          .params = &params,
                          .pool = k->pool,
                          .h = H,
                          .inertia = kit_inertia(&arena, k->model, H),
                          .x = k->model->x0,
                          .v = v,
                          .y = y,
                          .target = target,
                          .step = step};
  csim_guess guess;
  CHECK(csim_guess_create(&arena, k->model, &guess) == 0);
  guess.method = csim_method_find("newton");
  CHECK(csim_guess_find(&guess, &problem, x) == 0);
  csim_arena_free(&arena);
}

// A sheet flies, and one of its corners faster: only what is near the corner is held back. Moving
// all back would leave a third of the way.
static void test_corner(bound_law law) {
  kit k;
  double v[3 * VERTS] = {0}, d[3 * VERTS], x[3 * VERTS], momentum[3] = {0}, want[3] = {0};
  create(law, 1, &k);
  for (int i = 0; i < VERTS; i++) {
    double speed[3] = {0.5, 1, i == 0 ? -2 : 0};
    csim_add_scaled(1, speed, v + csim_xyz(i));
    csim_add_scaled(H * k.model->mass[i], speed, want);
  }
  for (int i = 0; i < 3 * VERTS; i++) d[i] = H * v[i];
  CHECK(max_step(&k, k.model->x0, d) < 0.33);
  find_guess(&k, v, x);
  CHECK(max_step(&k, x, NULL) > 0);
  int moved = 0;
  for (int i = 0; i < VERTS; i++) {
    double off[3], goal[3];
    memcpy(goal, k.model->x0 + csim_xyz(i), sizeof goal);
    csim_add_scaled(H, v + csim_xyz(i), goal);
    csim_sub(x + csim_xyz(i), k.model->x0 + csim_xyz(i), off);
    csim_add_scaled(k.model->mass[i], off, momentum);
    moved += csim_distance(x + csim_xyz(i), goal) > 1e-12;
  }
  CHECK(moved > 1 && moved < VERTS / 4);
  for (int c = 0; c < 3; c++) CHECK_NEAR(momentum[c], want[c], 1e-14);
  kit_end(&k);
}

// A sheet that is stretched everywhere goes as far as its bounds allow as a whole.
static void test_whole(bound_law law) {
  kit k;
  double v[3 * VERTS] = {0}, x[3 * VERTS], rate = 10; // [1/s]
  create(law, 1, &k);
  for (int i = 0; i < VERTS; i++) v[csim_xyz(i)] = rate * k.model->x0[csim_xyz(i)];
  find_guess(&k, v, x);
  double stretch = 1 + CSIM_BOUND_STEP * LIMIT;
  for (int i = 0; i < VERTS; i++)
    CHECK_NEAR(x[csim_xyz(i)], stretch * k.model->x0[csim_xyz(i)], 1e-9);
  kit_end(&k);
}

int main(void) {
  test_goal();
  for (bound_law law = 0; law < LAWS; law++) {
    test_excess(law);
    test_sweeps(law);
    test_corner(law);
    test_whole(law);
  }
  return check_report();
}
