// scene/targets.c: colliders and pins moved by the caller, see sim.h.
//
// A rigid target is a motion with two keys; a target of single vertices is two sets of points.
// Contact and solver treat them like any motion of the scene.
#include "scene/sim.h"

#include <stdlib.h>
#include <string.h>

static csim_mover *collider_mover(csim_sim *sim, int k) {
  return &sim->mover[k];
}

static csim_mover *pin_mover(csim_sim *sim, int p) {
  return &sim->mover[sim->world.ncollider + p];
}

static int count_movers(const csim_sim *sim) {
  return sim->world.ncollider + sim->world.model->pins.ngroup;
}

int csim_movers_create(csim_sim *sim) {
  csim_world *world = &sim->world;
  csim_model *model = world->model;
  sim->own_collider = CSIM_ARENA_COPY(&sim->arena, world->collider, world->ncollider);
  sim->mover =
      sim->own_collider ? CSIM_ARENA_NEW(&sim->arena, csim_mover, count_movers(sim)) : NULL;
  if (!sim->mover) return -1;
  for (int k = 0; k < world->ncollider; k++) {
    csim_collider *collider = &world->collider[k];
    csim_mover *m = collider_mover(sim, k);
    m->motion = &collider->motion;
    m->own = collider->motion;
    m->nvert = collider->shape == CSIM_COLLIDER_MESH ? world->collider_mesh[k].nvert : 0;
  }
  for (int p = 0; p < model->pins.ngroup; p++) {
    pin_mover(sim, p)->motion = &model->pins.group[p].motion;
    pin_mover(sim, p)->own = model->pins.group[p].motion;
  }
  for (int i = 0; i < model->ntarget; i++)
    if (model->target[i].group >= 0) pin_mover(sim, model->target[i].group)->nvert++;
  return 0;
}

void csim_movers_free(csim_sim *sim) {
  for (int i = 0; sim->mover && i < count_movers(sim); i++) free(sim->mover[i].points);
}

void csim_movers_reset(csim_sim *sim) {
  csim_world *world = &sim->world;
  for (int i = 0; i < count_movers(sim); i++) {
    csim_mover *m = &sim->mover[i];
    *m->motion = m->own;
    m->moved = m->pending = 0;
    free(m->points);
    m->points = NULL;
  }
  for (int k = 0; k < world->ncollider; k++) world->collider[k] = sim->own_collider[k];
  for (int p = 0; p < world->model->pins.ngroup; p++) world->model->pins.group[p].path = NULL;
}

// Sets the times of a mover's two keys and sets of points.
static void set_times(csim_sim *sim, int i, double from, double to) {
  csim_mover *m = &sim->mover[i];
  m->key[0].time = m->path.time[0] = from;
  m->key[1].time = m->path.time[1] = to;
  if (i >= sim->world.ncollider || !m->points) return;
  sim->world.collider[i].frame_start = from;
  sim->world.collider[i].frame_step = to - from;
}

void csim_movers_schedule(csim_sim *sim, double from, double to) {
  for (int i = 0; i < count_movers(sim); i++)
    if (sim->mover[i].pending) set_times(sim, i, from, to);
}

void csim_movers_settle(csim_sim *sim) {
  for (int i = 0; i < count_movers(sim); i++) sim->mover[i].pending = 0;
}

// ------------------------------------------------------------------------------------ what is set

static int is_finite(const double *x, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

static csim_status refuse(const csim_sim *sim, const char *what) {
  return csim_refuse(sim->log, csim_in_file(sim->scene->file), "%s", what);
}

// After the last target is reached: the next motion starts there.
static void start_from_last(csim_mover *m) {
  if (m->pending) return;
  m->key[0] = m->key[1];
  if (m->points)
    memcpy(m->points, m->points + csim_xyz(m->nvert), 3 * (size_t)m->nvert * sizeof *m->points);
  m->pending = 1;
}

// Makes the mover follow its own two keys.
static void take_motion(csim_mover *m) {
  *m->motion = (csim_motion){.nkey = 2, .key = m->key};
  m->moved = 1;
}

static csim_status move(csim_sim *sim, csim_mover *m, const double *position,
                        const double *rotation) {
  double now = csim_sim_now(sim);
  if (!is_finite(position, 3) || !is_finite(rotation, 3))
    return refuse(sim, "the target of a collider or pin is not finite");
  if (!m->moved) {
    csim_motion_key(m->motion, now, &m->key[1]);
    m->key[0] = m->key[1];
    take_motion(m);
  }
  start_from_last(m);
  memcpy(m->key[1].position, position, sizeof m->key[1].position);
  memcpy(m->key[1].rotation, rotation, sizeof m->key[1].rotation);
  set_times(sim, (int)(m - sim->mover), now, now + csim_sim_substep(sim->scene));
  return CSIM_OK;
}

csim_status csim_sim_move_collider(csim_sim *sim, int k, const double *position,
                                   const double *rotation) {
  int collider = k - sim->world.model->nbody;
  if (collider < 0 || collider >= sim->world.ncollider)
    return refuse(sim, "csim_sim_move_collider: this object is not a collider");
  return move(sim, collider_mover(sim, collider), position, rotation);
}

csim_status csim_sim_move_pin(csim_sim *sim, int p, const double *position,
                              const double *rotation) {
  if (p < 0 || p >= sim->world.model->pins.ngroup)
    return refuse(sim, "csim_sim_move_pin: no such pin");
  csim_mover *m = pin_mover(sim, p);
  csim_status status = move(sim, m, position, rotation);
  if (status || !m->points) return status;
  sim->world.model->pins.group[p].path = NULL;
  free(m->points);
  m->points = NULL;
  return CSIM_OK;
}

static int make_points(csim_mover *m) {
  m->points = CSIM_NEW(double, csim_row(6, m->nvert));
  return m->points ? 0 : -1;
}

// Adds the new set of points; the old one is the end of the last motion.
static csim_status set_points(csim_sim *sim, csim_mover *m, const double *x) {
  double now = csim_sim_now(sim);
  start_from_last(m);
  memcpy(m->points + csim_xyz(m->nvert), x, 3 * (size_t)m->nvert * sizeof *x);
  set_times(sim, (int)(m - sim->mover), now, now + csim_sim_substep(sim->scene));
  return CSIM_OK;
}

// Makes the points of a collider its frames.
static void take_frames(csim_sim *sim, int k) {
  csim_collider *collider = &sim->world.collider[k];
  collider->nframe = 2;
  collider->frame = collider_mover(sim, k)->points;
  collider->frame_time = NULL;
}

csim_status csim_sim_set_collider_vertices(csim_sim *sim, int k, const double *x) {
  int c = k - sim->world.model->nbody;
  csim_mover *m = c >= 0 && c < sim->world.ncollider ? collider_mover(sim, c) : NULL;
  if (!m || !m->nvert)
    return refuse(sim, "csim_sim_set_collider_vertices: this object is not a collider with a mesh");
  if (!is_finite(x, csim_xyz(m->nvert)))
    return refuse(sim, "the target of a collider is not finite");
  if (!m->points) {
    if (make_points(m)) return csim_sim_no_memory(sim);
    csim_collider still = sim->world.collider[c];
    still.motion = (csim_motion){0}; // the motion is applied after the points
    csim_collider_vertices(&still, csim_sim_now(sim), m->points + csim_xyz(m->nvert));
    memcpy(m->points, m->points + csim_xyz(m->nvert), 3 * (size_t)m->nvert * sizeof *m->points);
    take_frames(sim, c);
  }
  return set_points(sim, m, x);
}

// First target of a pin.
static int first_target(const csim_model *model, int p) {
  int i = 0;
  while (i < model->ntarget && model->target[i].group != p) i++;
  return i;
}

static void take_path(csim_sim *sim, int p) {
  csim_mover *m = pin_mover(sim, p);
  m->path.from = m->points;
  m->path.to = m->points + csim_xyz(m->nvert);
  sim->world.model->pins.group[p].path = &m->path;
}

csim_status csim_sim_set_pin_vertices(csim_sim *sim, int p, const double *x) {
  csim_model *model = sim->world.model;
  if (p < 0 || p >= model->pins.ngroup)
    return refuse(sim, "csim_sim_set_pin_vertices: no such pin");
  csim_mover *m = pin_mover(sim, p);
  if (!is_finite(x, csim_xyz(m->nvert))) return refuse(sim, "the target of a pin is not finite");
  if (!model->pins.group[p].path) { // start at the present position of the motion
    double *all = CSIM_NEW(double, csim_xyz(model->ntarget));
    if (!all || make_points(m)) {
      free(all);
      return csim_sim_no_memory(sim);
    }
    csim_model_targets(model, csim_sim_now(sim), all);
    for (int k = 0; k < 2; k++)
      memcpy(m->points + csim_xyz(k) * m->nvert, all + csim_xyz(first_target(model, p)),
             3 * (size_t)m->nvert * sizeof *all);
    free(all);
    take_path(sim, p);
  }
  return set_points(sim, m, x);
}

// -------------------------------------------------------------------------------- save and load

static void print_numbers(csim_json_out *out, const char *key, const double *x, ptrdiff_t n) {
  csim_json_open_flat(out, key, '[');
  for (ptrdiff_t i = 0; i < n; i++) csim_json_number(out, NULL, x[i]);
  csim_json_close(out, ']');
}

void csim_movers_print(const csim_sim *sim, csim_json_out *out) {
  csim_json_open_flat(out, "targets", '[');
  for (int i = 0; i < count_movers(sim); i++) {
    const csim_mover *m = &sim->mover[i];
    if (!m->moved && !m->points) continue;
    csim_json_open_flat(out, NULL, '{');
    csim_json_integer(out, "mover", i);
    csim_json_bool(out, "pending", m->pending);
    double keys[12];
    for (int k = 0; k < 2; k++) {
      memcpy(keys + 6 * k, m->key[k].position, 3 * sizeof *keys);
      memcpy(keys + 6 * k + 3, m->key[k].rotation, 3 * sizeof *keys);
    }
    int skip = m->pending ? 0 : 1; // its start is no longer needed
    ptrdiff_t n = csim_xyz(m->nvert);
    if (m->moved) print_numbers(out, "keys", keys + 6 * skip, 12 - 6 * skip);
    if (m->points) print_numbers(out, "points", m->points + n * skip, 2 * n - n * skip);
    csim_json_close(out, '}');
  }
  csim_json_close(out, ']');
}

// Reads n finite numbers into x (NULL: only checks). 0 when the list has others.
static int read_numbers(const csim_json *json, const cJSON *list, ptrdiff_t n, double *x) {
  ptrdiff_t i = 0;
  if (!cJSON_IsArray(list)) return 0;
  for (const cJSON *c = list->child; c; c = c->next, i++) {
    double value = cJSON_IsNumber(c) ? csim_json_note_of(json, c)->number : INFINITY;
    if (i >= n || !isfinite(value)) return 0;
    if (x) x[i] = value;
  }
  return i == n;
}

// The mover of an entry, or NULL if the entry does not fit the scene.
static csim_mover *mover_of(const csim_sim *sim, const csim_json *json, const cJSON *entry) {
  const cJSON *number = csim_json_get(entry, "mover"), *keys = csim_json_get(entry, "keys"),
              *points = csim_json_get(entry, "points");
  int sets = cJSON_IsTrue(csim_json_get(entry, "pending")) ? 2 : 1;
  double i = cJSON_IsNumber(number) ? csim_json_note_of(json, number)->number : -1;
  if (!(i >= 0 && i < count_movers(sim)) || i != floor(i)) return NULL;
  csim_mover *m = &sim->mover[(int)i];
  if (keys && !read_numbers(json, keys, 6 * sets, NULL)) return NULL;
  if (points && (!m->nvert || !read_numbers(json, points, csim_xyz(sets) * m->nvert, NULL)))
    return NULL;
  return keys || points ? m : NULL;
}

static csim_status take_entry(csim_sim *sim, const csim_json *json, const cJSON *entry) {
  csim_mover *m = mover_of(sim, json, entry);
  const cJSON *keys = csim_json_get(entry, "keys"), *points = csim_json_get(entry, "points");
  int i = (int)(m - sim->mover), pin = i - sim->world.ncollider;
  m->pending = cJSON_IsTrue(csim_json_get(entry, "pending"));
  int first = m->pending ? 0 : 1; // only the last of two sets was saved
  if (keys) {
    double number[12] = {0};
    read_numbers(json, keys, 12 - 6 * first, number + 6 * first);
    for (int k = 0; k < 2; k++) {
      memcpy(m->key[k].position, number + 6 * k, 3 * sizeof *number);
      memcpy(m->key[k].rotation, number + 6 * k + 3, 3 * sizeof *number);
    }
    take_motion(m);
  }
  if (!points) return CSIM_OK;
  if (!m->points && make_points(m)) return csim_sim_no_memory(sim);
  ptrdiff_t n = csim_xyz(m->nvert);
  read_numbers(json, points, 2 * n - n * first, m->points + n * first);
  if (pin < 0)
    take_frames(sim, i);
  else
    take_path(sim, pin);
  return CSIM_OK;
}

csim_status csim_movers_parse(csim_sim *sim, const csim_json *json, const cJSON *targets) {
  csim_status status = CSIM_OK;
  if (targets && !cJSON_IsArray(targets)) return CSIM_INVALID;
  for (const cJSON *c = targets ? targets->child : NULL; c; c = c->next)
    if (!mover_of(sim, json, c)) return CSIM_INVALID;
  csim_movers_reset(sim);
  for (const cJSON *c = targets ? targets->child : NULL; c && !status; c = c->next)
    status = take_entry(sim, json, c);
  return status;
}

void csim_movers_wait(csim_sim *sim) {
  double now = csim_sim_now(sim), h = csim_sim_substep(sim->scene);
  for (int i = 0; i < count_movers(sim); i++) {
    if (sim->mover[i].pending)
      set_times(sim, i, now, now + h);
    else
      set_times(sim, i, -h, 0);
  }
}

// ---------------------------------------------------------------------------------------- queries

int csim_sim_npin(const csim_sim *sim) {
  return sim->world.model->pins.ngroup;
}

csim_sim_pin csim_sim_get_pin(const csim_sim *sim, int p) {
  const csim_model *model = sim->world.model;
  const csim_target *first = &model->target[first_target(model, p)];
  int nvert = sim->mover[sim->world.ncollider + p].nvert;
  return (csim_sim_pin){.object = nvert ? model->body_of[first->vert] : -1, .nvert = nvert};
}

void csim_sim_get_pin_vertices(const csim_sim *sim, int p, int *vert) {
  const csim_model *model = sim->world.model;
  const csim_target *first = &model->target[first_target(model, p)];
  for (int i = 0; i < sim->mover[sim->world.ncollider + p].nvert; i++) vert[i] = first[i].vert;
}
