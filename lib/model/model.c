// model/model.c: see model.h.
#include "model/model.h"

#include "math/vec3.h"
#include "model/curve.h"

#include <stdlib.h>
#include <string.h>

void csim_model_free(csim_model *model) {
  if (!model) return;
  for (int b = 0; b < model->nbody; b++) {
    if (model->body[b].mesh) csim_mesh_free(model->body[b].mesh);
    if (model->body[b].shown) csim_mesh_free(model->body[b].shown);
  }
  csim_arena arena = model->arena; // the model itself lives in it
  csim_arena_free(&arena);
}

int csim_model_nshown(const csim_model *model) {
  int n = 0;
  for (int b = 0; b < model->nbody; b++) n += csim_body_nshown(&model->body[b]);
  return n;
}

int csim_model_drags(const csim_model *model) {
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].drag > 0 && model->air.wind.density > 0) return 1;
  return 0;
}

// Target k of a group that has a path.
static void follow_path(const csim_pin_path *path, int k, double time, double *target) {
  double s = (time - path->time[0]) / (path->time[1] - path->time[0]);
  s = csim_max(0, csim_min(1, s));
  const double *from = path->from + csim_xyz(k), *to = path->to + csim_xyz(k);
  for (int c = 0; c < 3; c++) target[c] = s < 1 ? from[c] + s * (to[c] - from[c]) : to[c];
}

// The point on the triangle, and the triangle's frame in the rows of F: without an area that of the
// axes.
static void follow_base(const csim_follow *follow, const csim_course_pose *at, double *point,
                        double F[9]) {
  double x[3][3];
  for (int k = 0; k < 3; k++) csim_course_vertex(at, follow->node[k], x[k]);
  for (int c = 0; c < 3; c++)
    point[c] =
        follow->weight[0] * x[0][c] + follow->weight[1] * x[1][c] + follow->weight[2] * x[2][c];
  if (csim_triangle_frame(x[0], x[1], x[2], F))
    memcpy(F, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *F);
}

void csim_follow_attach(const csim_course_pose *at, const double *x, csim_follow *follow) {
  double point[3], F[9], r[3];
  follow_base(follow, at, point, F);
  csim_sub(x, point, r);
  csim_mat3_mul(F, r, follow->offset);
}

// Position of the point at a pose.
static void follow_point(const csim_follow *follow, const csim_course_pose *at, double *out) {
  double point[3], F[9];
  follow_base(follow, at, point, F);
  csim_mat3_mul_by_transpose(F, follow->offset, out);
  csim_add_scaled(1, point, out);
}

void csim_model_targets(const csim_model *model, double time, double *target) {
  int group = -2, first = 0;
  csim_pose pose = {0};
  csim_course_pose course = {0};
  for (int i = 0; i < model->ntarget; i++) {
    const csim_target *t = &model->target[i];
    const csim_pin_group *g = t->group >= 0 ? &model->pins.group[t->group] : NULL;
    const double *rest = model->x0 + csim_xyz(t->vert);
    double *out = target + csim_xyz(i);
    if (t->group != group) { // one pose a group
      group = t->group;
      first = i;
      if (g) pose = csim_motion_pose(&g->motion, g->pivot, time);
      if (g && t->follow >= 0) course = csim_course_at(&model->pins.course[g->course], time);
    }
    if (g && g->path)
      follow_path(g->path, i - first, time, out);
    else if (t->follow >= 0)
      follow_point(&model->pins.follow[t->follow], &course, out);
    else if (g && g->motion.nkey > 0)
      csim_pose_apply(&pose, rest, out);
    else
      memcpy(out, rest, 3 * sizeof *rest);
  }
}

// Tolerance for times at the beginning and end of steps [s]: they are rounded.
static const double SAME_TIME = 1e-9;

int csim_is_active(double begin, double end, double time) {
  return time > begin + SAME_TIME && time <= end + SAME_TIME;
}

static int holds(const csim_model *model, const csim_target *t, double begin, double end) {
  if (t->group < 0) return 1;
  const csim_pin_group *g = &model->pins.group[t->group];
  return g->begin <= begin + SAME_TIME && end <= g->end + SAME_TIME;
}

void csim_model_pin_shares(const csim_model *model, double time, double *share) {
  for (int i = 0; i < model->ntarget; i++) {
    const csim_target *t = &model->target[i];
    const csim_pin_group *g = t->group >= 0 ? &model->pins.group[t->group] : NULL;
    share[i] = 1;
    if (!g || t->exact) continue;
    double k = 0;
    csim_curve_at(&g->keyed, 1, &g->stiffness, time, &k);
    share[i] = csim_is_active(g->begin, g->end, time) ? k / g->stiffness : 0;
  }
}

// Adds late energies to the count while they act. Returns 1 when the count changes.
static int count_late(csim_model *model, double begin) {
  int act = begin + SAME_TIME >= model->late.time;
  if (model->late.nenergy == 0 || act == model->late.act) return 0;
  model->late.act = act;
  model->nenergy += act ? model->late.nenergy : -model->late.nenergy;
  return 1;
}

int csim_model_hold(csim_model *model, double begin, double end) {
  int changed = 0, late = count_late(model, begin);
  for (int i = 0; i < model->ntarget; i++) {
    csim_target *t = &model->target[i];
    int hard = t->exact && holds(model, t, begin, end);
    changed |= hard != t->hard;
    t->hard = hard;
  }
  if (!changed) return late;
  memset(model->fixed, 0, (size_t)model->nvert);
  for (int i = 0; i < model->ntarget; i++)
    if (model->target[i].hard) model->fixed[model->target[i].vert] = 1;
  return 1;
}

void csim_model_gravity(const csim_model *model, double time, double span, double *g) {
  double half = 0.5 * span;
  csim_curve_mean(&model->gravity_key, 3, model->gravity, time - half, time + half, g);
}

double csim_model_energy(csim_pool *pool, const csim_model *model, const csim_point *at) {
  double sum = 0;
  for (int e = 0; e < model->nenergy; e++) sum += csim_energy_value(pool, &model->energy[e], at);
  return sum;
}

double csim_model_max_step(csim_pool *pool, const csim_model *model, const csim_point *at,
                           const double *d) {
  double share = 1;
  for (int e = 0; e < model->nenergy; e++)
    share = csim_min(share, csim_energy_max_step(pool, &model->energy[e], at, d));
  return share;
}

void csim_model_yield(csim_pool *pool, const csim_model *model, const double *x, double h,
                      double *plastic) {
  csim_point at = {.x = x, .plastic = plastic};
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_yield(pool, &model->energy[e], &at, h, plastic);
}

// Gives the array that `array` points to n elements: zero, unless it has that many already. Frees
// it when n is 0. -1 when out of memory.
static int fit_array(void *array, int *count, int n, size_t size) {
  void *of;
  memcpy(&of, array, sizeof of);
  if (*count == n) return 0;
  free(of);
  of = n ? csim_alloc(n, size) : NULL;
  memcpy(array, &of, sizeof of);
  *count = n;
  return n && !of ? -1 : 0;
}

// Links that have torn, and plastic strains.
static int fit_lasting(csim_state *state, int nlink, int nplastic) {
  return fit_array(&state->torn, &state->nlink, nlink, 1) ||
                 fit_array(&state->plastic, &state->nplastic, nplastic, sizeof(double))
             ? -1
             : 0;
}

int csim_state_create(const csim_model *model, csim_state *state) {
  ptrdiff_t n = csim_xyz(model->nvert);
  *state = (csim_state){.nvert = model->nvert};
  state->x = CSIM_NEW(double, n);
  state->v = CSIM_NEW(double, n);
  state->path = CSIM_NEW(double, model->nvert);
  if (!state->x || !state->v || !state->path) return -1;
  if (fit_lasting(state, model->links.tears ? model->links.nlink : 0, model->nplastic)) return -1;
  csim_state_reset(model, state);
  return 0;
}

void csim_state_reset(const csim_model *model, csim_state *state) {
  size_t size = 3 * (size_t)model->nvert * sizeof(double);
  csim_state_forget(state);
  free(state->kinematic);
  state->kinematic = NULL;
  state->nkinematic = 0;
  state->step = 0;
  state->span = 1;
  state->pace = (csim_pace){0};
  state->phase = state->rest_frames = 0;
  if (state->torn) memset(state->torn, 0, (size_t)state->nlink);
  if (state->plastic) memset(state->plastic, 0, (size_t)state->nplastic * sizeof(double));
  memcpy(state->x, model->x0, size);
  if (model->v0)
    memcpy(state->v, model->v0, size);
  else
    memset(state->v, 0, size);
}

int csim_state_fit(const csim_model *model, long long step, double h, csim_state *state) {
  if (fit_lasting(state, model->links.tears ? model->links.nlink : 0, model->nplastic)) return -1;
  if (step == state->step) return 0;
  // other substeps: the data of two-step integrators is rebuilt
  for (ptrdiff_t i = 0; state->x_prev && i < csim_xyz(state->nvert); i++) {
    state->x_prev[i] = state->x[i] - h * state->v[i];
    state->v_prev[i] = state->v[i];
  }
  state->step = step;
  state->span = 1;
  state->pace = (csim_pace){0};
  return 0;
}

// Copies an array of n numbers of one state to another, which allocates it if needed. A missing
// array (NULL) changes nothing.
static int copy_numbers(const double *from, ptrdiff_t n, double **to) {
  if (!*to && from) *to = CSIM_NEW(double, n);
  if (from && *to) memcpy(*to, from, (size_t)n * sizeof **to);
  return from && !*to ? -1 : 0;
}

static int copy_array(const double *from, int n, double **to) {
  return copy_numbers(from, csim_xyz(n), to);
}

void csim_state_forget(csim_state *state) {
  free(state->x_prev);
  free(state->v_prev);
  free(state->a);
  state->x_prev = state->v_prev = state->a = NULL;
}

// Frees arrays of vertices, of another number of them.
static void free_vertices(csim_state *state) {
  csim_state_forget(state);
  free(state->x);
  free(state->v);
  free(state->path);
  state->x = state->v = state->path = NULL;
}

int csim_state_copy(const csim_state *from, csim_state *to) {
  if (from->nvert != to->nvert) free_vertices(to);
  if (!from->x_prev != !to->x_prev || !from->a != !to->a) csim_state_forget(to);
  if (!to->kinematic ||
      from->nkinematic > to->kinematic_capacity) { // of a phase with more vertices
    free(to->kinematic);
    to->kinematic = NULL;
    to->kinematic_capacity = from->nkinematic;
  }
  to->nvert = from->nvert;
  to->nkinematic = from->nkinematic;
  to->step = from->step;
  to->span = from->span;
  to->pace = from->pace;
  to->phase = from->phase;
  to->rest_frames = from->rest_frames;
  if (fit_lasting(to, from->nlink, from->nplastic)) return -1;
  if (from->torn) memcpy(to->torn, from->torn, (size_t)from->nlink);
  if (from->plastic) memcpy(to->plastic, from->plastic, (size_t)from->nplastic * sizeof(double));
  return copy_array(from->x, from->nvert, &to->x) || copy_array(from->v, from->nvert, &to->v) ||
                 copy_array(from->x_prev, from->nvert, &to->x_prev) ||
                 copy_array(from->v_prev, from->nvert, &to->v_prev) ||
                 copy_array(from->a, from->nvert, &to->a) ||
                 copy_array(from->kinematic, from->nkinematic, &to->kinematic) ||
                 copy_numbers(from->path, from->nvert, &to->path)
             ? -1
             : 0;
}

void csim_state_free(csim_state *state) {
  free_vertices(state);
  free(state->kinematic);
  free(state->torn);
  free(state->plastic);
  *state = (csim_state){0};
}

const csim_body *csim_find_body(const csim_model *model, const char *name) {
  for (int b = 0; b < model->nbody; b++)
    if (!strcmp(model->body[b].name, name)) return &model->body[b];
  return NULL;
}
