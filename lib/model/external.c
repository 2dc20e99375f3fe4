// model/external.c: see external.h.
#include "model/external.h"

#include "base/dmath.h"
#include "math/vec3.h"
#include "model/curve.h"

#include <string.h>

enum { VERT_GRAIN = 512 };

void csim_wind_at(const csim_wind *wind, const double *x, double time, double *u) {
  csim_curve_at(&wind->velocity_key, 3, wind->velocity, time, u);
  double strength = csim_norm(u), speed = csim_norm(wind->velocity); // gusts travel at one speed
  if (!(wind->turbulence > 0 && speed > 0 && wind->gust_length > 0)) return;
  // four waves of decreasing length carried along by the wind; directions and phases are fixed
  // numbers without a common period
  static const double direction[4][3] = {
      {0.8, 0.3, 0.52}, {-0.45, 0.6, 0.66}, {0.3, -0.75, 0.59}, {0.1, 0.5, -0.86}};
  static const double push[4][3] = {
      {0.9, 0.1, 0.42}, {0.5, 0.4, -0.77}, {-0.3, 0.6, 0.74}, {0.2, -0.8, 0.57}};
  double wave = 2 * CSIM_PI / wind->gust_length;
  double amplitude = wind->turbulence * strength * sqrt(0.5);
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(direction[k], x) - 0.7 * speed * time;
    double s = csim_sin(wave * along + 1.7 * k);
    csim_add_scaled(amplitude * s, push[k], u);
    wave *= 1.83;
    amplitude *= 0.8;
  }
}

typedef struct external_job {
  csim_external at;
  double gravity[3]; // [m/s^2]
  double *v_next;
} external_job;

static void sample_wind(void *context, int first, int last) {
  const external_job *job = context;
  for (int i = first; i < last; i++)
    csim_wind_at(&job->at.model->air.wind, job->at.x + csim_xyz(i), job->at.time,
                 job->at.air + csim_xyz(i));
}

static void find_drag(const external_job *job, int t, csim_drag *drag) {
  const csim_model *m = job->at.model;
  const int *tri = m->tri + csim_xyz(t);
  double n[3], w[3] = {0}, u[3] = {0}, c = m->body[m->body_of[tri[0]]].drag;
  csim_face_normal(job->at.x, tri, n);
  double twice = csim_norm(n);
  memset(drag, 0, sizeof *drag);
  if (!(twice > 0 && c > 0)) return;
  for (int k = 0; k < 3; k++) {
    csim_add_scaled(1.0 / 3, job->at.air + csim_xyz(tri[k]), u);
    csim_add_scaled(1.0 / 3, job->at.v + csim_xyz(tri[k]), w);
  }
  csim_sub(w, u, w);
  double normal = fabs(csim_dot(w, n)) / twice;
  double weight = 0.5 * m->air.wind.density * (0.5 * twice) / 3 * c;
  double across = weight * 0.05 * csim_norm(w), along = weight * normal - across;
  for (int k = 0; k < 9; k += 4) drag->D[k] = across;
  csim_mat3_add_outer(along / (twice * twice), n, n, drag->D);
  csim_mat3_mul(drag->D, u, drag->Du);
}

static void find_drags(void *context, int first, int last) {
  const external_job *job = context;
  for (int t = first; t < last; t++) find_drag(job, t, &job->at.drag[t]);
}

// Adds vertex i's share of the drag matrix D and of D u.
static void add_drag(const external_job *job, int i, double *D, double *Du) {
  const csim_model *m = job->at.model;
  const csim_body *body = &m->body[m->body_of[i]];
  double factor = csim_body_factor(body, CSIM_FACTOR_DRAG, i - body->vert0);
  for (int k = m->air.tri_start[i]; k < m->air.tri_start[i + 1]; k++) {
    const csim_drag *drag = &job->at.drag[m->air.tri_around[k]];
    for (int c = 0; c < 9; c++) D[c] += factor * drag->D[c];
    csim_add_scaled(factor, drag->Du, Du);
  }
}

static void clear_resistance(const external_job *job, int i) {
  memset(job->at.resistance + csim_row(CSIM_RESISTANCE, i), 0, CSIM_RESISTANCE * sizeof(double));
}

static void store_resistance(const double D[9], const double Du[3], double *to) {
  memcpy(to, (double[]){D[0], D[1], D[2], D[4], D[5], D[8], Du[0], Du[1], Du[2]},
         CSIM_RESISTANCE * sizeof *to);
}

static void accelerate(void *context, int first, int last) {
  const external_job *job = context;
  const csim_model *m = job->at.model;
  for (int i = first; i < last; i++) {
    const double *v = job->at.v + csim_xyz(i);
    double *out = job->v_next + csim_xyz(i);
    const csim_body *body = &m->body[m->body_of[i]];
    double decay = job->at.decay[m->body_of[i]];
    if (body->factor[CSIM_FACTOR_DAMPING] && !job->at.undamped)
      decay = csim_exp(-csim_body_damping(body, i - body->vert0) * job->at.h);
    for (int c = 0; c < 3; c++) out[c] = decay * v[c] + job->at.h * job->gravity[c];
    if (job->at.without) memcpy(job->at.without + csim_xyz(i), out, 3 * sizeof *out);
    if (job->at.resistance) clear_resistance(job, i);
    if (m->fixed[i] || !(body->drag > 0 && m->air.wind.density > 0)) continue;
    double D[9] = {0}, Du[3] = {0}, A[9], rhs[3];
    add_drag(job, i, D, Du);
    if (job->at.resistance)
      store_resistance(D, Du, job->at.resistance + csim_row(CSIM_RESISTANCE, i));
    for (int c = 0; c < 9; c++) A[c] = job->at.h * D[c] + (c % 4 ? 0 : m->mass[i]);
    for (int c = 0; c < 3; c++) rhs[c] = m->mass[i] * out[c] + job->at.h * Du[c];
    double inverse[9];
    if (csim_mat3_inverse(A, inverse) > 0) csim_mat3_mul(inverse, rhs, out);
  }
}

void csim_external_velocity(csim_pool *pool, const csim_external *external, double *v_next) {
  const csim_model *model = external->model;
  external_job job = {.at = *external, .v_next = v_next};
  csim_model_gravity(model, external->time, external->span, job.gravity);
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    external->decay[b] =
        body->damping > 0 && !external->undamped ? csim_exp(-body->damping * external->h) : 1;
  }
  if (csim_model_drags(model)) {
    csim_pool_for(pool, model->nvert, VERT_GRAIN, sample_wind, &job);
    csim_pool_for(pool, model->ntri, VERT_GRAIN, find_drags, &job);
  }
  csim_pool_for(pool, model->nvert, VERT_GRAIN, accelerate, &job);
}
