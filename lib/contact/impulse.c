// contact/impulse.c: see impulse.h.
#include "contact/impulse.h"

#include "contact/friction.h"
#include "math/vec3.h"

#include <string.h>

enum { VERT_GRAIN = 1024 };

typedef struct impulse_job {
  const csim_impulse_step *step;
  int number; // of the collider
  csim_pose now, before;
  double *x, *v; // x NULL: penalty
} impulse_job;

// Depth of the vertex that ends at x within the thickness, and the outward direction (world); < 0
// when it is outside.
static double find_depth(const impulse_job *job, const double *x0, const double *x, double *local,
                         double n[3]) {
  const csim_impulse_step *s = job->step;
  const csim_collider *collider = &s->collider[job->number];
  double from[3], t, depth = 0;
  int touches = 0;
  csim_collider_to_local(collider, &job->now, x, local);
  if (s->params->test == CSIM_TEST_CONTINUOUS) {
    csim_collider_to_local(collider, &job->before, x0, from);
    touches = csim_collider_touch(collider, from, local, s->params->thickness, &t, n);
    if (touches) depth = -(1 - t) * (csim_dot(local, n) - csim_dot(from, n));
  }
  if (!touches) depth = s->params->thickness - csim_collider_distance(collider, local, n);
  csim_mat3_mul(collider->R, n, n);
  csim_mat3_mul(job->now.R, n, n);
  return depth;
}

// Velocity of the collider's point that is at x at the end of the step.
static void collider_velocity(const impulse_job *job, const double *local, double u[3]) {
  const csim_collider *collider = &job->step->collider[job->number];
  double was[3], is[3];
  csim_collider_to_world(collider, &job->before, local, was);
  csim_collider_to_world(collider, &job->now, local, is);
  for (int c = 0; c < 3; c++) u[c] = (is[c] - was[c]) / job->step->h;
}

// Removes at most `loss` [m/s] of the speed along the surface.
static void apply_friction(const double u[3], const double n[3], double loss, double *v) {
  double slip[3];
  csim_sub(v, u, slip);
  csim_add_scaled(-csim_dot(slip, n), n, slip);
  double speed = csim_norm(slip);
  if (speed > 0) csim_add_scaled(loss < speed ? -loss / speed : -1, slip, v);
}

static int respond(const impulse_job *job, int i) {
  const csim_impulse_step *s = job->step;
  const double *x0 = s->x0 + csim_xyz(i);
  double *v = job->v + csim_xyz(i), local[3], n[3], u[3], end[3];
  for (int c = 0; c < 3; c++)
    end[c] = job->x ? job->x[csim_xyz(i) + c] : s->from[csim_xyz(i) + c] + s->rate * v[c];
  double depth = find_depth(job, x0, end, local, n);
  if (!(depth > 0)) return 0;
  int body = s->model->body_of[i];
  const csim_body *own = &s->model->body[body];
  double rough[2] = {csim_body_factor(own, CSIM_FACTOR_FRICTION, i - own->vert0), 1};
  double mu = csim_friction_coefficient(s->params, s->model, s->collider, body,
                                        s->model->nbody + job->number, rough);
  collider_velocity(job, local, u);
  double push = depth / s->h;
  if (job->x) {
    csim_add_scaled(depth, n, job->x + csim_xyz(i));
    if (s->a) {
      double *a = s->a + csim_xyz(i);
      csim_add_scaled(0.5 * s->h, a, v);
      memset(a, 0, 3 * sizeof *a);
    }
    push = csim_impulse_of_push(s, depth, csim_dot(u, n) - csim_dot(v, n));
  } else {
    double approach = csim_dot(v, n) - csim_dot(u, n), share = s->params->penalty;
    push = csim_max(0, share * push - csim_min(1, 2 * sqrt(share)) * csim_min(approach, 0));
  }
  csim_add_scaled(push, n, v);
  apply_friction(u, n, mu * push, v);
  return 1;
}

static double respond_range(void *context, int first, int last) {
  const impulse_job *job = context;
  int count = 0;
  for (int i = first; i < last; i++)
    if (!job->step->model->fixed[i]) count += respond(job, i);
  return count;
}

static int respond_all(const csim_impulse_step *s, double *x, double *v) {
  double count = 0;
  for (int k = 0; k < s->ncollider; k++) {
    const csim_collider *collider = &s->collider[k];
    impulse_job job = {.step = s,
                       .number = k,
                       .now = csim_motion_pose(&collider->motion, collider->pivot, s->time),
                       .before =
                           csim_motion_pose(&collider->motion, collider->pivot, s->time - s->h),
                       .x = x,
                       .v = v};
    count += csim_pool_sum(s->pool, s->model->nvert, respond_range, &job);
  }
  return (int)count;
}

int csim_impulse_respond(const csim_impulse_step *step, double *x, double *v) {
  return respond_all(step, x, v);
}

int csim_penalty_push(const csim_impulse_step *step, double *v) {
  return respond_all(step, NULL, v);
}
