// scene/conserved.c: see conserved.h.
//
// Energy is kinetic, elastic and of gravity. That of contact is left out: a barrier holds little of
// it in a frame and returns it. Energy can only be judged if nothing adds any: no wind, no moving
// collider or pin, no key over time, no pressure, no closing seam, no gap so narrow at the start
// that contact widens it. Drag, damping, friction and the integrator may then only reduce the
// energy of the start.
#include "scene/conserved.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// [m/s] The energy of the whole scene at this speed is the least that a gain is compared with: in a
// scene where nothing moves all energy is rounding, and most of it may be "gained".
static const double STILL = 1e-9;

static int moves(const csim_collider *collider) {
  return collider->motion.nkey > 1 || collider->nframe > 1;
}

// Whether energies with a plastic state, but for patches of solids, are there. Those only count
// once they lose their resistance, see is_lost.
static int has_plastic(const csim_model *model) {
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind->nplastic && model->energy[e].kind != &csim_solid_patch_kind)
      return 1;
  return 0;
}

// Whether a patch of a solid has been crushed: it recovers with less energy.
static int is_lost(const csim_state *state) {
  for (int k = 0; k < state->nplastic; k++)
    if (state->plastic[k] != 0) return 1;
  return 0;
}

static int is_closed(const csim_scene *scene, const csim_world *world) {
  const csim_model *model = world->model;
  const csim_wind *wind = &model->air.wind;
  int open = scene->nphase > 0 || model->gravity_key.nkey > 0 || wind->velocity_key.nkey > 0 ||
             csim_norm(wind->velocity) > 0 || model->pins.ncourse > 0 || model->pins.timed ||
             model->links.nlink > 0 || model->chambers.nchamber > 0 || model->late.nenergy > 0 ||
             has_plastic(model);
  for (int k = 0; k < model->pins.ngroup; k++) {
    const csim_pin_group *group = &model->pins.group[k];
    open |= group->motion.nkey > 1 || group->path != NULL;
  }
  for (int c = 0; c < world->ncollider; c++) open |= moves(&world->collider[c]);
  return !open;
}

typedef struct energy_sum {
  const csim_model *model;
  const csim_state *state;
} energy_sum;

// Kinetic energy, and that of gravity, of free vertices.
static void sum_vertices(void *context, int first, int last, double *sum) {
  const energy_sum *job = context;
  const csim_model *model = job->model;
  sum[0] = sum[1] = 0;
  for (int i = first; i < last; i++) {
    if (model->fixed[i]) continue;
    const double *v = job->state->v + csim_xyz(i);
    sum[0] += 0.5 * model->mass[i] * csim_dot(v, v);
    sum[1] -= model->mass[i] * csim_dot(model->gravity, job->state->x + csim_xyz(i));
  }
}

typedef struct energy {
  double kinetic, elastic, gravity; // [J]
} energy;

// -1 when out of memory.
static int measure(csim_pool *pool, const csim_model *model, const csim_state *state, energy *e) {
  double *anchor = CSIM_NEW(double, csim_xyz(model->ntarget) + 1), sum[2];
  if (!anchor) return -1;
  csim_model_targets(model, 0, anchor);
  csim_point at = {.x = state->x, .anchor = anchor, .plastic = state->plastic};
  e->elastic = csim_model_energy(pool, model, &at);
  free(anchor);
  csim_pool_sums(pool, model->nvert, CSIM_SUM_GRAIN, 2, sum_vertices, &(energy_sum){model, state},
                 sum);
  e->kinetic = sum[0];
  e->gravity = sum[1];
  return 0;
}

int csim_conserved_open(csim_pool *pool, const csim_scene *scene, const csim_world *world,
                        const csim_state *state, csim_conserved *kept) {
  const csim_model *model = world->model;
  *kept = (csim_conserved){.closed = is_closed(scene, world)};
  for (int i = 0; i < model->nvert; i++)
    if (!model->fixed[i]) kept->mass += model->mass[i];
  energy e;
  if (!kept->closed) return 0;
  if (measure(pool, model, state, &e)) return -1;
  kept->start = e.kinetic + e.elastic + e.gravity;
  kept->exchanged = e.kinetic + e.elastic;
  return 0;
}

// Whether a substep may end with forces that do not balance, as its settings do not ask for that.
static int may_drift(const csim_solver_params *params) {
  return !strcmp(params->method, "newton") && params->step_tolerance > 0 && !(params->balance > 0);
}

void csim_conserved_step(const csim_solver_params *params, const csim_step_report *step,
                         csim_conserved *kept) {
  csim_add_scaled(1, step->left, kept->left);
  if (!may_drift(params)) csim_add_scaled(1, step->left, kept->judged);
  kept->closed = kept->closed && !step->contact.widened;
}

int csim_conserved_frame(csim_pool *pool, const csim_world *world, int frame,
                         const csim_state *state, csim_conserved *kept) {
  energy e;
  kept->closed = kept->closed && !is_lost(state);
  if (!kept->closed) return 0;
  if (measure(pool, world->model, state, &e)) return -1;
  double gained = e.kinetic + e.elastic + e.gravity - kept->start;
  if (gained > kept->gained) {
    kept->gained = gained;
    kept->frame = frame;
  }
  kept->exchanged = csim_max(kept->exchanged, e.kinetic + e.elastic);
  return 0;
}

double csim_conserved_gain(const csim_conserved *kept) {
  double exchanged = csim_max(kept->exchanged, 0.5 * kept->mass * STILL * STILL);
  return exchanged > 0 ? kept->gained / exchanged : 0;
}

double csim_conserved_drift(const csim_conserved *kept, const double forces[3]) {
  return kept->mass > 0 ? csim_norm(forces) / kept->mass : 0;
}

// ------------------------------------------------------------------------------------ in and out

void csim_conserved_print(const csim_conserved *kept, csim_json_out *out) {
  csim_json_open_flat(out, "energy", '{');
  csim_json_bool(out, "closed", kept->closed);
  csim_json_number(out, "value", csim_conserved_gain(kept));
  if (kept->gained > 0) csim_json_integer(out, "frame", kept->frame);
  csim_json_close(out, '}');
  csim_json_open_flat(out, "momentum", '{');
  csim_json_number(out, "value", csim_conserved_drift(kept, kept->left));
  csim_json_close(out, '}');
}

static void save_forces(const char *key, const double forces[3], csim_json_out *out) {
  csim_json_open(out, key, '[');
  for (int c = 0; c < 3; c++) csim_json_number(out, NULL, forces[c]);
  csim_json_close(out, ']');
}

static void read_forces(const csim_json *json, const cJSON *list, double forces[3]) {
  for (int c = 0; c < 3; c++) forces[c] = csim_json_number_of(json, cJSON_GetArrayItem(list, c));
}

void csim_conserved_save(const csim_conserved *kept, csim_json_out *out) {
  csim_json_open_flat(out, "conserved", '{');
  csim_json_bool(out, "closed", kept->closed);
  save_forces("left", kept->left, out);
  save_forces("judged", kept->judged, out);
  csim_json_number(out, "mass", kept->mass);
  csim_json_number(out, "start", kept->start);
  csim_json_number(out, "exchanged", kept->exchanged);
  csim_json_number(out, "gained", kept->gained);
  csim_json_integer(out, "frame", kept->frame);
  csim_json_close(out, '}');
}

void csim_conserved_read(const csim_json *json, const cJSON *from, csim_conserved *kept) {
  const cJSON *item = csim_json_get(from, "conserved");
  *kept = (csim_conserved){.closed = cJSON_IsTrue(csim_json_get(item, "closed")),
                           .mass = csim_json_number_of(json, csim_json_get(item, "mass")),
                           .start = csim_json_number_of(json, csim_json_get(item, "start")),
                           .exchanged = csim_json_number_of(json, csim_json_get(item, "exchanged")),
                           .gained = csim_json_number_of(json, csim_json_get(item, "gained")),
                           .frame = csim_json_integer_of(json, csim_json_get(item, "frame"))};
  read_forces(json, csim_json_get(item, "left"), kept->left);
  read_forces(json, csim_json_get(item, "judged"), kept->judged);
}
