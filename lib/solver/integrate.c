// solver/integrate.c: see integrate.h.
#include "solver/integrate.h"

#include "base/dmath.h"
#include "math/vec3.h"

#include <string.h>

enum { VERT_GRAIN = 512 };

typedef struct integrate_job {
  const csim_model *model;
  const csim_integration *step;
  const csim_state *state;
  const double *x;      // what the solver found
  const double *v_free; // of free flight
  double *y, *v, *a;
} integrate_job;

int csim_integration_create(csim_arena *arena, const csim_model *model, csim_integrator integrator,
                            csim_integration *step) {
  ptrdiff_t n = model->nvert;
  *step = (csim_integration){.integrator = integrator};
  step->inertia = CSIM_ARENA_NEW(arena, double, n);
  step->rough = CSIM_ARENA_NEW(arena, unsigned char, n);
  step->leftover = CSIM_ARENA_NEW(arena, csim_leftover, model->nbody);
  for (int k = 0; k < 2 && integrator == CSIM_INTEGRATOR_BDF2; k++)
    step->extrapolated[k] = CSIM_ARENA_NEW(arena, double, 3 * n);
  int damps = 0;
  for (int b = 0; b < model->nbody; b++) damps |= model->body[b].damping > 0;
  if (damps && integrator != CSIM_INTEGRATOR_EULER) {
    double *factor = CSIM_ARENA_NEW(arena, double, n);
    *(integrator == CSIM_INTEGRATOR_ALPHA ? &step->decay : &step->push) = factor;
    step->decayed = CSIM_ARENA_NEW(arena, double, 3 * n);
  }
  return arena->failed ? -1 : 0;
}

static void extrapolate(void *context, int first, int last) {
  const integrate_job *job = context;
  const csim_state *s = job->state;
  for (int i = first; i < last; i++) {
    job->step->extrapolated[0][i] = (4 * s->x[i] - s->x_prev[i]) / 3;
    job->step->extrapolated[1][i] = (4 * s->v[i] - s->v_prev[i]) / 3;
  }
}

// (1 - e^-x)/x for x >= 0.
static double mean_decay(double x) {
  return x < 1e-3 ? 1 - x * (1.0 / 2 - x * (1.0 / 6 - x / 24)) : (1 - csim_exp(-x)) / x;
}

static void decay_range(void *context, int first, int last) {
  const integrate_job *job = context;
  const csim_model *model = job->model;
  const csim_integration *s = job->step;
  const double *v = job->state->v, *v_prev = job->state->v_prev;
  for (int i = first; i < last; i++) {
    const csim_body *body = &model->body[model->body_of[i]];
    double loss = model->fixed[i] ? 0 : csim_body_damping(body, i - body->vert0) * s->h;
    double e = loss > 0 ? csim_exp(s->decay ? -0.5 * loss : -loss) : 1;
    if (s->decay) s->decay[i] = e;
    if (s->push) s->push[i] = mean_decay(loss) * (s->looks_back ? 0.5 * (3 - e) : 1);
    for (ptrdiff_t k = csim_xyz(i); k < csim_xyz(i) + 3; k++)
      s->decayed[k] = s->looks_back ? (4 * e * v[k] - e * e * v_prev[k]) / 3 : e * v[k];
  }
}

void csim_integration_begin(csim_pool *pool, const csim_model *model, const csim_state *state,
                            double h, int whole, csim_integration *step) {
  step->h = step->rate = h;
  step->x_from = state->x;
  step->v_from = state->v;
  step->a_from = step->integrator == CSIM_INTEGRATOR_ALPHA ? state->a : NULL;
  step->looks_back = whole && step->integrator == CSIM_INTEGRATOR_BDF2 && state->x_prev;
  memset(step->rough, 0, (size_t)state->nvert);
  memset(step->leftover, 0, (size_t)model->nbody * sizeof *step->leftover);
  integrate_job job = {.model = model, .step = step, .state = state};
  if (step->looks_back) {
    csim_pool_for(pool, 3 * state->nvert, 3 * VERT_GRAIN, extrapolate, &job);
    step->x_from = step->extrapolated[0];
    step->v_from = step->extrapolated[1];
    step->rate = 2 * h / 3;
  }
  if (!step->decayed) return;
  csim_pool_for(pool, state->nvert, VERT_GRAIN, decay_range, &job);
  step->v_from = step->decayed;
}

double csim_integration_force_time(const csim_integration *step, double time) {
  int second_order = step->a_from || step->looks_back;
  return time + (second_order ? 1 : 0.5) * step->h;
}

static void aim_range(void *context, int first, int last) {
  const integrate_job *job = context;
  const csim_integration *s = job->step;
  int alpha = s->integrator == CSIM_INTEGRATOR_ALPHA;
  double rate = s->rate;
  for (int i = first; i < last; i++) {
    int smooth = alpha && !s->rough[i];
    double push = s->push ? s->push[i] : 1;
    s->inertia[i] = (smooth ? 2 : 1) / (rate * rate) * job->model->mass[i];
    if (s->push) s->inertia[i] /= push;
    for (ptrdiff_t k = csim_xyz(i); k < csim_xyz(i) + 3; k++) {
      double v = job->v_free[k];
      if (smooth)
        v = 0.5 * (v + s->v_from[k]);
      else if (alpha)
        v += 0.5 * rate * job->state->a[k];
      else if (s->push)
        v = s->v_from[k] + push * (v - s->v_from[k]);
      job->y[k] = s->x_from[k] + rate * v;
    }
  }
}

void csim_integration_aim(csim_pool *pool, const csim_model *model, const csim_state *state,
                          const double *v_free, csim_integration *step, double *y) {
  csim_pool_for(
      pool, model->nvert, VERT_GRAIN, aim_range,
      &(integrate_job){.model = model, .step = step, .state = state, .v_free = v_free, .y = y});
}

// Acceleration of vertex i by the step's error.
static void error_of(const integrate_job *job, int i, double error[3]) {
  const csim_leftover *l = &job->step->leftover[job->model->body_of[i]];
  double r[3];
  memset(error, 0, 3 * sizeof *error);
  if (job->model->fixed[i] || (job->step->rough[i] && !l->of_rough)) return;
  csim_sub(job->x + csim_xyz(i), l->centre, r);
  csim_cross(l->turn, r, error);
  csim_add_scaled(1, l->acceleration, error);
}

static void end_range(void *context, int first, int last) {
  const integrate_job *job = context;
  const csim_integration *s = job->step;
  int alpha = s->integrator == CSIM_INTEGRATOR_ALPHA;
  double error[3];
  for (int i = first; i < last; i++) {
    error_of(job, i, error);
    for (ptrdiff_t k = csim_xyz(i); k < csim_xyz(i) + 3; k++) {
      double u = (job->x[k] - s->x_from[k]) / s->rate, too_much = error[k - csim_xyz(i)];
      if (alpha && !s->rough[i]) {
        double v = s->v_from[k], a = job->a[k], half_f = (u - v) / s->h - 0.5 * too_much;
        job->v[k] = v + s->h * (0.25 * a + 1.5 * half_f);
        job->a[k] = 0.5 * a + half_f;
      } else {
        job->v[k] = u - s->rate * (s->push ? s->push[i] : 1) * too_much;
        if (alpha) job->a[k] = 0;
      }
      if (s->decay) job->v[k] *= s->decay[i];
    }
  }
}

void csim_integration_end(csim_pool *pool, const csim_model *model, const csim_integration *step,
                          const double *x, csim_state *state, double *v) {
  csim_pool_for(pool, state->nvert, VERT_GRAIN, end_range,
                &(integrate_job){
                    .model = model, .step = step, .state = state, .x = x, .a = state->a, .v = v});
}
