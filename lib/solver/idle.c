// solver/idle.c: see idle.h.
#include "solver/idle.h"

#include "math/vec3.h"
#include "math/vector.h"

#include <string.h>

enum { PATCH_GRAIN = 8, VERT_GRAIN = 512 };

int csim_idle_create(csim_arena *arena, csim_balance *balance, const csim_groups *groups,
                     csim_idle *idle) {
  const csim_model *model = balance->model;
  *idle = (csim_idle){.balance = balance, .groups = groups};
  idle->set = CSIM_ARENA_NEW(arena, int, model->nbody);
  idle->cut = CSIM_ARENA_NEW(arena, double, model->nbody);
  idle->square = CSIM_ARENA_NEW(arena, double, balance->npatch);
  idle->body = CSIM_ARENA_NEW(arena, unsigned char, model->nbody);
  idle->vert = CSIM_ARENA_NEW(arena, unsigned char, model->nvert);
  return arena->failed ? -1 : 0;
}

// A step that was cut by more has not gone where the forces pull. The root mean square of what was
// cut does not see a folded corner: one of a cloth of 129 x 129 was left with an edge stretched by
// 0.48.
double csim_idle_most_cut(const csim_problem *problem) {
  static const double SHARE = 0.1;
  double gravity = csim_max(csim_norm(problem->model->gravity), 1); // [m/s^2] 1 where there is none
  return SHARE * gravity * problem->h * problem->h;
}

static void wake_all(csim_idle *idle) {
  memset(idle->body, 0, (size_t)idle->balance->model->nbody);
  idle->nidle = 0;
}

void csim_idle_begin(csim_idle *idle) {
  memset(idle->cut, 0, (size_t)idle->balance->model->nbody * sizeof *idle->cut);
  wake_all(idle);
}

typedef struct idle_job {
  const csim_problem *problem;
  const csim_idle *idle;
  const double *g;
  double *d;
} idle_job;

// For every patch the sum of |g/w|^2.
static void add_up_squares(void *context, int first, int last) {
  const idle_job *job = context;
  const csim_balance *b = job->idle->balance;
  for (int p = first; p < last; p++) {
    double sum = 0;
    for (int k = b->patch_start[p]; k < b->patch_start[p + 1]; k++) {
      const double *g = job->g + csim_xyz(b->vert[k]), w = job->problem->inertia[b->vert[k]];
      sum += csim_dot(g, g) / (w * w);
    }
    job->idle->square[p] = sum;
  }
}

// Marks bodies whose vertices would go at most that far, and those that are held altogether.
static void mark_near(const csim_problem *problem, const double *g, double most, csim_idle *idle) {
  const csim_balance *b = idle->balance;
  csim_pool_for(problem->pool, b->npatch, PATCH_GRAIN, add_up_squares,
                &(idle_job){.problem = problem, .idle = idle, .g = g});
  double sum = 0;
  int count = 0;
  for (int k = 0; k < b->model->nbody; k++) idle->body[k] = !(b->body_mass[k] > 0);
  for (int p = 0; p < b->npatch; p++) {
    int k = b->patch_body[p];
    sum += idle->square[p];
    count += b->patch_start[p + 1] - b->patch_start[p];
    if (p + 1 < b->npatch && b->patch_body[p + 1] == k) continue;
    idle->body[k] = sum <= most * most * count;
    sum = count = 0;
  }
}

const unsigned char *csim_idle_choose(const csim_problem *problem, const double *g, double share,
                                      double most_cut, double most, csim_idle *idle) {
  csim_balance *b = idle->balance;
  int nbody = b->model->nbody, worst;
  double allowed = share * problem->params->balance;
  wake_all(idle);
  if (nbody < 2 || !(allowed > 0)) return NULL;
  csim_balance_measure(problem, b, g, &worst);
  mark_near(problem, g, most, idle);
  for (int k = 0; k < nbody; k++)
    if (b->imbalance[k] > allowed || idle->cut[k] > most_cut) idle->body[k] = 0;
  memcpy(idle->set, idle->groups->first, (size_t)nbody * sizeof *idle->set);
  if (problem->contact) csim_contact_join(problem->contact, idle->set);
  idle->nidle = csim_groups_agree(nbody, idle->set, idle->body);
  if (idle->nidle == nbody) wake_all(idle);
  if (!idle->nidle) return NULL;
  csim_groups_mark(problem->pool, idle->groups, idle->body, idle->vert);
  return idle->vert;
}

double csim_idle_record(csim_pool *pool, const double *cut, csim_idle *idle) {
  const csim_model *model = idle->balance->model;
  double most = 0;
  for (int k = 0; k < model->nbody; k++) {
    const csim_body *body = &model->body[k];
    if (!idle->body[k])
      idle->cut[k] = csim_vector_max3(pool, body->nvert, cut + csim_xyz(body->vert0));
    most = csim_max(most, idle->cut[k]);
  }
  return most;
}

static void bound_range(void *context, int first, int last) {
  const idle_job *job = context;
  for (int i = first; i < last; i++)
    for (int c = 0; job->idle->vert[i] && c < 3; c++)
      job->d[csim_xyz(i) + c] = job->g[csim_xyz(i) + c] / job->problem->inertia[i];
}

void csim_idle_bound(const csim_problem *problem, const csim_idle *idle, const double *g,
                     double *d) {
  if (!idle->nidle) return;
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, bound_range,
                &(idle_job){.problem = problem, .idle = idle, .g = g, .d = d});
}
