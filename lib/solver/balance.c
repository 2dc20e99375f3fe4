// solver/balance.c: see balance.h.
#include "solver/balance.h"

#include "math/vec3.h"

#include <string.h>

enum { PATCHES = 64, LEAST_PATCH = 16 };

// Nothing but the solver's error turns an object that touches nothing: a disk of silk that tumbled
// through the air won 1.3 % of its spin in 2 s. Asked of objects in contact, it took 1.5 times the
// iterations for a drop.
static const double TURN_FREE = 10;

// Vertices around each vertex, over the elements of all energies.
typedef struct neighbours {
  int *start, *vert;
} neighbours;

static void count_or_list(const csim_model *model, neighbours *n, int list) {
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    int k = energy->kind->nnode;
    for (ptrdiff_t i = 0; i < energy->nelem; i++)
      for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
          const int *node = energy->node + k * i;
          if (a == b) continue;
          if (list)
            n->vert[n->start[node[a]]++] = node[b];
          else
            n->start[node[a] + 1]++;
        }
  }
}

static int find_neighbours(csim_arena *temp, const csim_model *model, neighbours *n) {
  int nvert = model->nvert;
  n->start = CSIM_ARENA_NEW(temp, int, (ptrdiff_t)nvert + 2);
  if (!n->start) return -1;
  count_or_list(model, n, 0);
  for (int i = 0; i < nvert; i++) n->start[i + 1] += n->start[i];
  n->vert = CSIM_ARENA_NEW(temp, int, (ptrdiff_t)n->start[nvert] + 1);
  if (!n->vert) return -1;
  count_or_list(model, n, 1);
  for (int i = nvert; i > 0; i--) n->start[i] = n->start[i - 1]; // listing moved each to its end
  n->start[0] = 0;
  return 0;
}

// Grows a patch from a seed, nearest first, up to `most` vertices.
static void grow_patch(const csim_model *model, const neighbours *n, int seed, int most, int patch,
                       int *queue, int *patch_of) {
  int count = 0;
  queue[count++] = seed;
  patch_of[seed] = patch;
  for (int at = 0; at < count; at++)
    for (int k = n->start[queue[at]]; k < n->start[queue[at] + 1] && count < most; k++) {
      int j = n->vert[k];
      if (patch_of[j] >= 0 || model->fixed[j]) continue;
      patch_of[j] = patch;
      queue[count++] = j;
    }
}

int csim_balance_create(csim_arena *arena, const csim_model *model, csim_balance *balance) {
  csim_arena temp = {0};
  neighbours n = {0};
  int nvert = model->nvert, nbody = model->nbody;
  *balance = (csim_balance){.model = model, .patch_of = CSIM_ARENA_NEW(arena, int, nvert)};
  balance->body_mass = CSIM_ARENA_NEW(arena, double, nbody);
  balance->body_force = CSIM_ARENA_NEW(arena, double, csim_xyz(nbody));
  balance->body_scale = CSIM_ARENA_NEW(arena, double, nbody);
  int *queue = CSIM_ARENA_NEW(&temp, int, nvert);
  if (find_neighbours(&temp, model, &n) || !queue) arena->failed = 1;
  if (arena->failed) goto done;
  for (int i = 0; i < nvert; i++) balance->patch_of[i] = -1;
  for (int i = 0; i < nvert; i++) {
    const csim_body *body = &model->body[model->body_of[i]];
    if (balance->patch_of[i] >= 0 || model->fixed[i]) continue;
    int most = body->nvert / PATCHES > LEAST_PATCH ? body->nvert / PATCHES : LEAST_PATCH;
    grow_patch(model, &n, i, most, balance->npatch++, queue, balance->patch_of);
  }
  balance->patch_body = CSIM_ARENA_NEW(arena, int, balance->npatch);
  balance->patch_mass = CSIM_ARENA_NEW(arena, double, balance->npatch);
  balance->patch_force = CSIM_ARENA_NEW(arena, double, csim_xyz(balance->npatch));
  if (arena->failed) goto done;
  for (int i = 0; i < nvert; i++) {
    if (balance->patch_of[i] < 0) continue;
    balance->patch_body[balance->patch_of[i]] = model->body_of[i];
    balance->patch_mass[balance->patch_of[i]] += model->mass[i];
    balance->body_mass[model->body_of[i]] += model->mass[i];
  }
done:
  csim_arena_free(&temp);
  return arena->failed ? -1 : 0;
}

// A of every object, into body_scale.
static void find_scales(const csim_problem *problem, csim_balance *b, const double *x) {
  const csim_model *model = b->model;
  // without gravity, as while panels are sewn, forces inside an object leave nothing to compare
  // with
  double gravity = csim_max(csim_norm(model->gravity), 1); // [m/s^2]
  for (int k = 0; k < model->nbody; k++) {
    const csim_body *body = &model->body[k];
    double net[3] = {0}, square = 0;
    for (int i = body->vert0; i < body->vert0 + body->nvert; i++) {
      if (model->fixed[i]) continue;
      const double *v = problem->v + csim_xyz(i);
      for (int c = 0; c < 3; c++)
        net[c] += problem->inertia[i] * (x[csim_xyz(i) + c] - problem->y[csim_xyz(i) + c]);
      square += model->mass[i] * csim_dot(v, v);
    }
    if (!(b->body_mass[k] > 0)) continue;
    double acceleration = csim_norm(net) / b->body_mass[k];
    double speed = sqrt(square / b->body_mass[k]);
    b->body_scale[k] = csim_max(csim_max(gravity, acceleration), 1e-3 * speed / problem->h);
  }
}

// What the residuals of an object turn it by, over what its mass at its radius of gyration may at
// the acceleration A.
static double measure_turn(const csim_balance *b, int k, const double *x, const double *g) {
  const csim_model *model = b->model;
  const csim_body *body = &model->body[k];
  double centre[3] = {0}, torque[3] = {0}, square = 0;
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++)
    if (!model->fixed[i])
      csim_add_scaled(model->mass[i] / b->body_mass[k], x + csim_xyz(i), centre);
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++) {
    double r[3], turn[3];
    if (model->fixed[i]) continue;
    csim_sub(x + csim_xyz(i), centre, r);
    csim_cross(r, g + csim_xyz(i), turn);
    csim_add_scaled(1, turn, torque);
    square += model->mass[i] * csim_dot(r, r);
  }
  double allowed = b->body_scale[k] * sqrt(square * b->body_mass[k]);
  return allowed > 0 ? csim_norm(torque) / allowed : 0;
}

// Nothing touches or holds the object. Contacts are counted of all together, pins for each.
static int is_free(const csim_problem *problem, int k) {
  const csim_body *body = &problem->model->body[k];
  if (problem->contact && csim_contact_get_report(problem->contact).active > 0) return 0;
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++)
    if (problem->model->fixed[i]) return 0;
  return 1;
}

double csim_balance_measure(const csim_problem *problem, csim_balance *b, const double *x,
                            const double *g, int *body) {
  const csim_model *model = b->model;
  double worst = 0;
  *body = 0;
  find_scales(problem, b, x);
  memset(b->patch_force, 0, 3 * (size_t)b->npatch * sizeof *b->patch_force);
  memset(b->body_force, 0, 3 * (size_t)model->nbody * sizeof *b->body_force);
  for (int i = 0; i < model->nvert; i++)
    if (b->patch_of[i] >= 0)
      csim_add_scaled(1, g + csim_xyz(i), b->patch_force + csim_xyz(b->patch_of[i]));
  // mean square over patches of one object after the other, which they are listed by
  double square = 0;
  for (int p = 0; p < b->npatch; p++) {
    const double *force = b->patch_force + csim_xyz(p);
    int k = b->patch_body[p];
    csim_add_scaled(1, force, b->body_force + csim_xyz(k));
    square += csim_dot(force, force) / b->patch_mass[p];
    if (p + 1 < b->npatch && b->patch_body[p + 1] == k) continue;
    double allowed = b->body_scale[k] * b->body_mass[k];
    if (allowed > 0) {
      double object = csim_norm(b->body_force + csim_xyz(k)) / allowed;
      double patches = sqrt(square / b->body_mass[k]) / b->body_scale[k];
      double turn = measure_turn(b, k, x, g) * (is_free(problem, k) ? TURN_FREE : 1);
      double imbalance = csim_max(csim_max(object, turn), patches / CSIM_BALANCE_PATCHES);
      if (imbalance > worst) *body = k;
      worst = csim_max(worst, imbalance);
    }
    square = 0;
  }
  return worst;
}
