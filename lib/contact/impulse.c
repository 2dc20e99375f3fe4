// contact/impulse.c: see impulse.h.
#include "contact/impulse.h"

#include "math/vec3.h"

enum { VERT_GRAIN = 1024 };

typedef struct impulse_job {
  const csim_model *model;
  const csim_collider *collider;
  csim_pose now, before;
  double thickness, h;
  double *x, *v;
} impulse_job;

static int respond(const impulse_job *job, int i) {
  const csim_collider *collider = job->collider;
  double *x = job->x + 3 * (ptrdiff_t)i, *v = job->v + 3 * (ptrdiff_t)i;
  double local[3], n[3];
  csim_collider_to_local(collider, &job->now, x, local);
  double depth = job->thickness - csim_collider_distance(collider, local, n);
  if (!(depth > 0)) return 0;
  csim_mat3_mul(collider->R, n, n);
  csim_mat3_mul(job->now.R, n, n);
  csim_add_scaled(depth, n, x);
  csim_add_scaled(depth / job->h, n, v);

  double was[3], slip[3];
  csim_collider_to_world(collider, &job->before, local, was);
  csim_collider_to_world(collider, &job->now, local, slip);
  for (int c = 0; c < 3; c++) slip[c] = v[c] - (slip[c] - was[c]) / job->h;
  csim_add_scaled(-csim_dot(slip, n), n, slip);
  double friction = job->model->body[job->model->body_of[i]].friction;
  double mu = collider->friction < friction ? collider->friction : friction;
  double speed = csim_norm(slip), loss = mu * depth / job->h;
  if (speed > 0) csim_add_scaled(loss < speed ? -loss / speed : -1, slip, v);
  return 1;
}

static double respond_range(void *context, int first, int last) {
  const impulse_job *job = context;
  int count = 0;
  for (int i = first; i < last; i++)
    if (!job->model->fixed[i]) count += respond(job, i);
  return count;
}

int csim_impulse_respond(csim_pool *pool, const csim_model *model, int ncollider,
                         const csim_collider *collider, double thickness, double time, double h,
                         double *x, double *v) {
  double count = 0;
  for (int k = 0; k < ncollider; k++) {
    impulse_job job = {.model = model,
                       .collider = &collider[k],
                       .now = csim_motion_pose(&collider[k].motion, collider[k].pivot, time),
                       .before = csim_motion_pose(&collider[k].motion, collider[k].pivot, time - h),
                       .thickness = thickness,
                       .h = h,
                       .x = x,
                       .v = v};
    count += csim_pool_sum(pool, model->nvert, respond_range, &job);
  }
  return (int)count;
}
