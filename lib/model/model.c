// model/model.c: see model.h.
#include "model/model.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

void csim_model_free(csim_model *model) {
  if (!model) return;
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].mesh) csim_mesh_free(model->body[b].mesh);
  csim_arena arena = model->arena; // the model itself lives in it
  csim_arena_free(&arena);
}

int csim_model_drags(const csim_model *model) {
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].drag > 0 && model->wind.density > 0) return 1;
  return 0;
}

// Target number k of a group that has a path.
static void follow_path(const csim_pin_path *path, int k, double time, double *target) {
  double s = (time - path->time[0]) / (path->time[1] - path->time[0]);
  s = csim_max(0, csim_min(1, s));
  const double *from = path->from + 3 * (ptrdiff_t)k, *to = path->to + 3 * (ptrdiff_t)k;
  for (int c = 0; c < 3; c++) target[c] = s < 1 ? from[c] + s * (to[c] - from[c]) : to[c];
}

void csim_model_targets(const csim_model *model, double time, double *target) {
  int group = -2, first = 0;
  csim_pose pose = {0};
  for (int i = 0; i < model->ntarget; i++) {
    const csim_target *t = &model->target[i];
    const csim_pin_group *g = t->group >= 0 ? &model->group[t->group] : NULL;
    const double *rest = model->x0 + 3 * (ptrdiff_t)t->vert;
    double *out = target + 3 * (ptrdiff_t)i;
    if (t->group != group) { // one pose a group
      group = t->group;
      first = i;
      if (g) pose = csim_motion_pose(&g->motion, g->pivot, time);
    }
    if (g && g->path)
      follow_path(g->path, i - first, time, out);
    else if (g && g->motion.nkey > 0)
      csim_pose_apply(&pose, rest, out);
    else
      memcpy(out, rest, 3 * sizeof *rest);
  }
}

double csim_model_energy(csim_pool *pool, const csim_model *model, const csim_point *at) {
  double sum = 0;
  for (int e = 0; e < model->nenergy; e++) sum += csim_energy_value(pool, &model->energy[e], at);
  return sum;
}

int csim_state_create(const csim_model *model, csim_state *state) {
  ptrdiff_t n = 3 * (ptrdiff_t)model->nvert;
  *state = (csim_state){
      .nvert = model->nvert, .span = 1, .x = CSIM_NEW(double, n), .v = CSIM_NEW(double, n)};
  if (!state->x || !state->v) return -1;
  memcpy(state->x, model->x0, (size_t)n * sizeof(double));
  if (model->v0) memcpy(state->v, model->v0, (size_t)n * sizeof(double));
  return 0;
}

static int copy_array(const double *from, int n, double **to) {
  if (!*to && from) *to = CSIM_NEW(double, 3 * (ptrdiff_t)n);
  if (from && *to) memcpy(*to, from, 3 * (size_t)n * sizeof **to);
  return from && !*to ? -1 : 0;
}

void csim_state_forget(csim_state *state) {
  free(state->x_prev);
  free(state->v_prev);
  free(state->a);
  state->x_prev = state->v_prev = state->a = NULL;
}

int csim_state_copy(const csim_state *from, csim_state *to) {
  if (!from->x_prev != !to->x_prev || !from->a != !to->a) csim_state_forget(to);
  to->nvert = from->nvert;
  to->nkinematic = from->nkinematic;
  to->step = from->step;
  to->span = from->span;
  return copy_array(from->x, from->nvert, &to->x) || copy_array(from->v, from->nvert, &to->v) ||
                 copy_array(from->x_prev, from->nvert, &to->x_prev) ||
                 copy_array(from->v_prev, from->nvert, &to->v_prev) ||
                 copy_array(from->a, from->nvert, &to->a) ||
                 copy_array(from->kinematic, from->nkinematic, &to->kinematic)
             ? -1
             : 0;
}

void csim_state_free(csim_state *state) {
  free(state->x);
  free(state->v);
  csim_state_forget(state);
  free(state->kinematic);
  *state = (csim_state){0};
}
