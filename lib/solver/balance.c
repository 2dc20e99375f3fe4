// solver/balance.c: see balance.h.
#include "solver/balance.h"

#include "base/sort.h"
#include "math/vec3.h"

#include <string.h>

enum { PATCHES = 64, LEAST_PATCH = 16, PATCH_GRAIN = 8 };

// Numbers in the state of a patch, see add_up_states.
enum { STATES = 8 };

// Factor t for an object that touches nothing: only the solver's error turns it. A disk of silk
// that tumbled through the air gained 1.3 % of its spin in 2 s. For objects in contact the same
// factor took 1.5 times the iterations for a drop.
static const double TURN_FREE = 10;

// Factor of force and torque of an object that is held and touches nothing. Where it swings by some
// degrees, what moves it is a small share of gravity: a cloth of 2 cm gained a fifth of its energy,
// with this factor nothing. With 10 a flag took 22 % longer, with 3 it takes 2 %.
static const double HELD = 3;

// Vertices around each vertex, over the elements of all energies.
typedef struct neighbours {
  ptrdiff_t *start; // (nvert + 1), of a vertex's neighbours in vert
  int *vert;        // one that shares several elements is there several times
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
  n->start = CSIM_ARENA_NEW(temp, ptrdiff_t, (ptrdiff_t)nvert + 1);
  if (!n->start) return -1;
  count_or_list(model, n, 0);
  for (int i = 0; i < nvert; i++) n->start[i + 1] += n->start[i];
  n->vert = CSIM_ARENA_NEW(temp, int, n->start[nvert]);
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
    for (ptrdiff_t k = n->start[queue[at]]; k < n->start[queue[at] + 1] && count < most; k++) {
      int j = n->vert[k];
      if (patch_of[j] >= 0 || model->fixed[j] || model->body_of[j] != model->body_of[seed])
        continue;
      patch_of[j] = patch;
      queue[count++] = j;
    }
}

static int cover_with_patches(const csim_model *model, const neighbours *n, int *queue,
                              int *patch_of) {
  int npatch = 0;
  for (int i = 0; i < model->nvert; i++) patch_of[i] = -1;
  for (int i = 0; i < model->nvert; i++) {
    int share = model->body[model->body_of[i]].nvert / PATCHES;
    if (patch_of[i] >= 0 || model->fixed[i]) continue;
    grow_patch(model, n, i, share > LEAST_PATCH ? share : LEAST_PATCH, npatch++, queue, patch_of);
  }
  return npatch;
}

// Vertices and masses of the patches.
static void list_patches(const int *patch_of, csim_balance *b) {
  const csim_model *model = b->model;
  csim_list_by_key(model->nvert, patch_of, b->npatch, b->patch_start, b->vert);
  for (int i = 0; i < model->nvert; i++) {
    if (patch_of[i] < 0) continue;
    b->patch_body[patch_of[i]] = model->body_of[i];
    b->patch_mass[patch_of[i]] += model->mass[i];
    b->body_mass[model->body_of[i]] += model->mass[i];
  }
}

int csim_balance_create(csim_arena *arena, const csim_model *model, csim_balance *balance) {
  csim_arena temp = {0};
  neighbours n = {0};
  int nbody = model->nbody;
  *balance = (csim_balance){.model = model};
  int *queue = CSIM_ARENA_NEW(&temp, int, model->nvert);
  int *patch_of = CSIM_ARENA_NEW(&temp, int, model->nvert);
  if (temp.failed || find_neighbours(&temp, model, &n)) arena->failed = 1;
  if (arena->failed) goto done;
  int npatch = balance->npatch = cover_with_patches(model, &n, queue, patch_of);
  balance->patch_start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)npatch + 1);
  balance->vert = CSIM_ARENA_NEW(arena, int, model->nvert);
  balance->patch_body = CSIM_ARENA_NEW(arena, int, npatch);
  balance->patch_mass = CSIM_ARENA_NEW(arena, double, npatch);
  balance->state = CSIM_ARENA_NEW(arena, double, csim_row(STATES, npatch));
  balance->sums = CSIM_ARENA_NEW(arena, double, csim_row(CSIM_BALANCE_SUMS, npatch));
  balance->body_mass = CSIM_ARENA_NEW(arena, double, nbody);
  balance->imbalance = CSIM_ARENA_NEW(arena, double, nbody);
  balance->scale = CSIM_ARENA_NEW(arena, double, nbody);
  balance->centre = CSIM_ARENA_NEW(arena, double, csim_xyz(nbody));
  balance->radius = CSIM_ARENA_NEW(arena, double, nbody);
  if (!arena->failed) list_patches(patch_of, balance);
done:
  csim_arena_free(&temp);
  return arena->failed ? -1 : 0;
}

// ------------------------------------------------------------------------------------------- state

typedef struct balance_job {
  const csim_problem *problem;
  const csim_balance *balance;
  const unsigned char *idle;
  const double *g;
  double *sums;
} balance_job;

// For every patch: inertia force, mass times velocity squared, first and second moment of mass
// about the first vertex of its object.
static void add_up_states(void *context, int first, int last) {
  const balance_job *job = context;
  const csim_problem *problem = job->problem;
  const csim_balance *b = job->balance;
  const csim_model *model = b->model;
  for (int p = first; p < last; p++) {
    const double *origin = b->x + csim_xyz(model->body[b->patch_body[p]].vert0);
    double net[3] = {0}, moment[3] = {0}, speed = 0, square = 0;
    for (int k = b->patch_start[p]; k < b->patch_start[p + 1]; k++) {
      int i = b->vert[k];
      const double *x = b->x + csim_xyz(i), *v = problem->v + csim_xyz(i);
      double from_y[3], r[3], mass = model->mass[i];
      csim_sub(x, problem->y + csim_xyz(i), from_y);
      csim_sub(x, origin, r);
      csim_add_scaled(problem->inertia[i], from_y, net);
      csim_add_scaled(mass, r, moment);
      speed += mass * csim_dot(v, v);
      square += mass * csim_dot(r, r);
    }
    double *state = b->state + csim_row(STATES, p);
    memcpy(state, net, sizeof net);
    memcpy(state + 3, moment, sizeof moment);
    state[6] = speed;
    state[7] = square;
  }
}

// Computes A, centre and radius of body k, which has mass, from the sum of its patches' states.
static void set_state(const csim_problem *problem, csim_balance *b, int k, const double *sum) {
  // without gravity, as while panels are sewn, internal forces have no scale to compare with
  double gravity = csim_max(csim_norm(b->model->gravity), 1); // [m/s^2]
  double mass = b->body_mass[k], r[3] = {0};
  double speed = sqrt(sum[6] / mass), acceleration = csim_norm(sum) / mass;
  b->scale[k] = csim_max(csim_max(gravity, acceleration), 1e-3 * speed / problem->h);
  csim_add_scaled(1 / mass, sum + 3, r);
  b->radius[k] = sqrt(csim_max(0, sum[7] / mass - csim_dot(r, r)));
  double *centre = b->centre + csim_xyz(k);
  memcpy(centre, b->x + csim_xyz(b->model->body[k].vert0), 3 * sizeof *centre);
  csim_add_scaled(1, r, centre);
}

void csim_balance_begin(const csim_problem *problem, csim_balance *b, const double *x) {
  b->x = x;
  csim_pool_for(problem->pool, b->npatch, PATCH_GRAIN, add_up_states,
                &(balance_job){.problem = problem, .balance = b});
  double sum[STATES] = {0};
  for (int p = 0; p < b->npatch; p++) {
    int k = b->patch_body[p];
    for (int j = 0; j < STATES; j++) sum[j] += b->state[csim_row(STATES, p) + j];
    if (p + 1 < b->npatch && b->patch_body[p + 1] == k) continue;
    if (b->body_mass[k] > 0) set_state(problem, b, k, sum);
    memset(sum, 0, sizeof sum);
  }
}

// ---------------------------------------------------------------------------------------- measure

static void add_up_patches(void *context, int first, int last) {
  const balance_job *job = context;
  const csim_balance *b = job->balance;
  for (int p = first; p < last; p++) {
    const double *centre = b->centre + csim_xyz(b->patch_body[p]);
    double force[3] = {0}, torque[3] = {0};
    int end = b->patch_start[p + 1];
    if (job->idle && job->idle[b->vert[b->patch_start[p]]]) end = b->patch_start[p];
    for (int k = b->patch_start[p]; k < end; k++) {
      const double *g = job->g + csim_xyz(b->vert[k]);
      double r[3], turn[3];
      csim_sub(b->x + csim_xyz(b->vert[k]), centre, r);
      csim_cross(r, g, turn);
      csim_add_scaled(1, g, force);
      csim_add_scaled(1, turn, torque);
    }
    memcpy(job->sums + csim_row(CSIM_BALANCE_SUMS, p), force, sizeof force);
    memcpy(job->sums + csim_row(CSIM_BALANCE_SUMS, p) + 3, torque, sizeof torque);
  }
}

void csim_balance_add_up(csim_pool *pool, const csim_balance *balance, const unsigned char *idle,
                         const double *g, double *sums) {
  csim_pool_for(pool, balance->npatch, PATCH_GRAIN, add_up_patches,
                &(balance_job){.balance = balance, .idle = idle, .g = g, .sums = sums});
}

static int is_held(const csim_problem *problem, int k) {
  const csim_body *body = &problem->model->body[k];
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++)
    if (problem->model->fixed[i]) return 1;
  return 0;
}

// Imbalance of body k, from the sum over its patches and that of |R_p|^2/m_p.
static double judge_body(const csim_problem *problem, const csim_balance *b, int k,
                         const double *sum, double square) {
  double mass = b->body_mass[k], allowed = b->scale[k] * mass;
  if (!(allowed > 0)) return 0;
  double of_force = 1, of_torque = 1;
  // contacts are counted over all objects
  if (!problem->contact || csim_contact_get_report(problem->contact).active == 0) {
    int held = is_held(problem, k);
    of_force = held ? HELD : 1;
    of_torque = held ? HELD : TURN_FREE;
  }
  double object = of_force * csim_norm(sum) / allowed, lever = allowed * b->radius[k];
  double turn = lever > 0 ? csim_norm(sum + 3) / lever * of_torque : 0;
  double patches = sqrt(square / mass) / b->scale[k];
  return csim_max(csim_max(object, turn), patches / CSIM_BALANCE_PATCHES);
}

double csim_balance_judge(const csim_problem *problem, const csim_balance *b, const double *sums,
                          int *body) {
  double worst = 0, square = 0, sum[CSIM_BALANCE_SUMS] = {0};
  *body = 0;
  for (int p = 0; p < b->npatch; p++) {
    const double *of_patch = sums + csim_row(CSIM_BALANCE_SUMS, p);
    int k = b->patch_body[p];
    for (int j = 0; j < CSIM_BALANCE_SUMS; j++) sum[j] += of_patch[j];
    square += csim_dot(of_patch, of_patch) / b->patch_mass[p];
    if (p + 1 < b->npatch && b->patch_body[p + 1] == k) continue;
    double imbalance = judge_body(problem, b, k, sum, square);
    b->imbalance[k] = imbalance;
    if (imbalance > worst) *body = k;
    worst = csim_max(worst, imbalance);
    memset(sum, 0, sizeof sum);
    square = 0;
  }
  return worst;
}

double csim_balance_measure(const csim_problem *problem, csim_balance *balance, const double *g,
                            int *body) {
  csim_balance_add_up(problem->pool, balance, NULL, g, balance->sums);
  return csim_balance_judge(problem, balance, balance->sums, body);
}
