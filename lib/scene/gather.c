// scene/gather.c: see gather.h.
#include "scene/gather.h"

#include "cache/look.h"
#include "mesh/divide.h"
#include "model/network.h"

#include <stdlib.h>
#include <string.h>

// The render mesh with object number k; NULL: it is none.
static csim_bound_mesh *render_of(const csim_world *world, int k) {
  int nbody = world->model->nbody;
  return k < nbody || k >= csim_world_first_collider(world) ? NULL
                                                            : &world->renders->mesh[k - nbody];
}

const csim_mesh *csim_gather_mesh(const csim_world *world, int k) {
  const csim_bound_mesh *render = render_of(world, k);
  return k < world->model->nbody ? csim_body_shown(&world->model->body[k])
         : render                ? &render->mesh
                                 : &world->collider_mesh[k - csim_world_first_collider(world)];
}

const char *csim_gather_name(const csim_world *world, int k) {
  const csim_bound_mesh *render = render_of(world, k);
  return k < world->model->nbody ? world->model->body[k].name
         : render                ? render->name
                                 : world->collider[k - csim_world_first_collider(world)].name;
}

static csim_cache_type type_of(const csim_world *world, int k) {
  if (k >= world->model->nbody)
    return render_of(world, k) ? CSIM_CACHE_RENDER : CSIM_CACHE_COLLIDER;
  return world->model->body[k].type == CSIM_OBJECT_SOLID ? CSIM_CACHE_SOLID : CSIM_CACHE_CLOTH;
}

// Whether a collider moves in any phase, by itself or by its frames.
static int is_moving(const csim_scene *scene, const csim_collider *collider) {
  int moves = collider->nframe > 1;
  for (int k = -1; k < scene->nphase && !moves; k++) {
    const csim_scene *of = k < 0 ? scene : scene->phase[k].scene;
    for (int o = 0; o < of->nobject; o++)
      moves |= of->object[o].motion.nkey > 0 && !strcmp(of->object[o].name, collider->name);
  }
  return moves;
}

// Whether object k moves: static colliders have neither velocities nor samples.
static int moves(const csim_gather *g, int k) {
  int c = k - csim_world_first_collider(g->world);
  return c < 0 || is_moving(g->scene, &g->world->collider[c]);
}

// Whether a mesh has normals that still fit: its faces have not changed since it was read.
static int has_normals(const csim_mesh *mesh) {
  csim_normal_faces faces = {mesh->nface, mesh->face_start, mesh->face_vert};
  return mesh->look.normals.n && csim_normals_fit(&mesh->look.normals, &faces);
}

static csim_cache_object describe(const csim_gather *g, int k) {
  const csim_model *model = g->world->model;
  const csim_output *output = &g->scene->output;
  const csim_mesh *mesh = csim_gather_mesh(g->world, k);
  const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
  int moving = moves(g, k);
  csim_cache_object o = csim_object_of_mesh(mesh);
  o.name = csim_gather_name(g->world, k);
  o.type = type_of(g->world, k);
  o.has_velocity = output->velocities && moving;
  o.has_pressure = body && g->force;
  o.has_strain = body && output->strain;
  o.nsample = moving ? output->nshare : 0;
  if (!has_normals(mesh)) o.nnormal = 0;
  if (!body) return o;
  if (csim_body_nshown(body) != mesh->nvert) o.colour = NULL;
  o.nvert = csim_body_nshown(body);
  o.ntet = body->ntet;
  o.tet = body->tet;
  return o;
}

// Allocates buffers. Bodies need none if a frame is written directly from the state: in metres, and
// with nothing else computed from it.
static int make_buffers(csim_gather *g, int k, int as_it_is, csim_arena *arena) {
  const csim_cache_object *o = &g->object[k];
  const csim_mesh *mesh = csim_gather_mesh(g->world, k);
  csim_gather_buffers *to = &g->buffers[k];
  csim_cache_values *value = &g->value[k];
  ptrdiff_t n = o->nvert;
  int may_be_coarse = k < g->world->model->nbody && mesh->parent; // in some phase
  if (k >= g->world->model->nbody || !as_it_is || may_be_coarse) {
    value->x = to->x = CSIM_ARENA_NEW(arena, double, 3 * n);
    if (o->has_velocity) value->v = to->v = CSIM_ARENA_NEW(arena, double, 3 * n);
  }
  if (o->nsample) {
    ptrdiff_t size = 3 * n * o->nsample;
    value->sample_x = to->sample_x = CSIM_ARENA_NEW(arena, double, size);
    if (o->has_velocity) value->sample_v = to->sample_v = CSIM_ARENA_NEW(arena, double, size);
  }
  if (o->has_pressure) {
    value->pressure = to->pressure = CSIM_ARENA_NEW(arena, double, n);
    to->area = CSIM_ARENA_NEW(arena, double, n);
    if (may_be_coarse) to->around = CSIM_ARENA_NEW(arena, double, n);
    csim_part rest = {.X = mesh->rest.flat ? NULL : csim_mesh_rest(mesh), .flat = mesh->rest.flat};
    if (to->area) csim_part_areas(&rest, mesh->nvert, mesh->ntri, mesh->tri, NULL, to->area);
  }
  if (o->has_strain) {
    value->strain = to->strain = CSIM_ARENA_NEW(arena, double, n);
    return csim_rest_metric_create(arena, mesh->nvert, mesh->ntri, mesh->tri, csim_mesh_rest(mesh),
                                   mesh->rest.flat, &to->shape);
  }
  return 0;
}

int csim_gather_create(const csim_scene *scene, const csim_world *world, int resume,
                       csim_arena *arena, csim_gather *g) {
  const csim_output *output = &scene->output;
  // whether frames can be written from the state itself: in metres, and by no exporter
  int as_it_is = scene->length_unit == 1 && !output->nformat && !resume;
  int n = csim_world_first_collider(world) + world->ncollider;
  ptrdiff_t largest = 0, coarse = 0;
  *g = (csim_gather){.scene = scene,
                     .world = world,
                     .nobject = n,
                     .object = CSIM_ARENA_NEW(arena, csim_cache_object, n),
                     .value = CSIM_ARENA_NEW(arena, csim_cache_values, n),
                     .buffers = CSIM_ARENA_NEW(arena, csim_gather_buffers, n)};
  if (output->pressures && (output->cache || output->nformat) &&
      scene->contact.response == CSIM_RESPONSE_FILTER)
    g->force = CSIM_ARENA_NEW(arena, double, csim_model_nshown(world->model));
  for (int k = 0; k < n && !arena->failed; k++) {
    g->object[k] = describe(g, k);
    if (make_buffers(g, k, as_it_is, arena)) return -1;
    ptrdiff_t size = csim_xyz(g->object[k].nvert);
    if (type_of(world, k) == CSIM_CACHE_COLLIDER && g->buffers[k].v && size > largest)
      largest = size;
    if (k < world->model->nbody && csim_gather_mesh(world, k)->parent && size > coarse)
      coarse = size;
  }
  g->carried = CSIM_ARENA_NEW(arena, double, coarse);
  g->earlier = CSIM_ARENA_NEW(arena, double, largest);
  return arena->failed ? -1 : 0;
}

// ----------------------------------------------------------------------------------------- taking

static void to_units(double metres, ptrdiff_t n, const double *from, double *to) {
  if (metres == 1)
    memmove(to, from, (size_t)n * sizeof *to);
  else
    for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] / metres;
}

// Velocities of a collider's own motion when it arrives at a time (at the start: leaves), by
// one-sided differences, as a key or the end of a run may follow: s (4 x(t + s h) - x(t + 2 s h) -
// 3 x(t)) / 2h.
static void collider_velocities(const csim_gather *g, const csim_collider *collider, double time,
                                ptrdiff_t n, double *v) {
  const double h = 1e-5; // [s] errors of rounding and of order h^2 are below what floats keep
  double side = time < 2 * h ? 1 : -1, over = side / (2 * h * g->scene->length_unit);
  csim_collider_vertices(collider, time + side * h, v);
  csim_collider_vertices(collider, time + 2 * side * h, g->earlier);
  for (ptrdiff_t i = 0; i < n; i++) v[i] = 4 * v[i] - g->earlier[i];
  csim_collider_vertices(collider, time, g->earlier);
  for (ptrdiff_t i = 0; i < n; i++) v[i] = over * (v[i] - 3 * g->earlier[i]);
}

// Vectors of a body's vertices as they are written: those of a coarse mesh, carried over.
static const double *shown_vectors(csim_gather *g, const csim_body *body, const double *value) {
  const double *own = value + csim_xyz(body->vert0);
  if (!body->shown) return own;
  memcpy(g->carried, own, 3 * (size_t)body->nvert * sizeof *own);
  csim_carry_over(body->nvert, body->shown->nvert, body->parent, 3, g->carried);
  return g->carried;
}

// Positions and velocities (NULL: not needed) of body or collider k, in the scene's unit. A
// collider that lags behind its motion has its actual positions in the state.
static void object_state(csim_gather *g, int k, double time, const csim_state *state, double *x,
                         double *v) {
  const csim_model *model = g->world->model;
  double unit = g->scene->length_unit;
  ptrdiff_t n = csim_xyz(g->object[k].nvert);
  if (k < model->nbody) {
    to_units(unit, n, shown_vectors(g, &model->body[k], state->x), x);
    if (v) to_units(unit, n, shown_vectors(g, &model->body[k], state->v), v);
    return;
  }
  int c = k - csim_world_first_collider(g->world);
  const csim_collider *collider = &g->world->collider[c];
  const double *real = csim_world_real_vertices(g->world, c, state);
  if (!real) csim_collider_vertices(collider, time, x);
  if (!real) csim_world_hold_plane(g->world, c, state, x);
  to_units(unit, n, real ? real : x, x);
  if (v) collider_velocities(g, collider, time, n, v);
}

// Pressures on a body. Its coarse mesh counts the area of vertices that divisions add as one of
// those they divide.
static void take_pressures(csim_gather *g, const csim_body *body, csim_gather_buffers *to) {
  const double *area = to->area;
  if (body->shown) {
    memcpy(to->around, area, (size_t)body->shown->nvert * sizeof *area);
    for (int i = body->shown->nvert - 1; i >= body->nvert; i--)
      for (int k = 0; k < 2; k++)
        to->around[body->parent[csim_row(2, i) + k]] += 0.5 * to->around[i];
    area = to->around;
  }
  for (int i = 0; i < body->nvert; i++) // where a vertex has no area, 0
    to->pressure[i] = area[i] > 0 ? g->force[body->vert0 + i] / area[i] : 0;
  if (body->shown) csim_carry_over(body->nvert, body->shown->nvert, body->parent, 1, to->pressure);
}

static void take_values(csim_gather *g, int k, double time, const csim_state *state) {
  const csim_model *model = g->world->model;
  csim_gather_buffers *to = &g->buffers[k];
  const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
  ptrdiff_t first = body ? csim_xyz(body->vert0) : 0;
  if (to->x) {
    object_state(g, k, time, state, to->x, to->v);
  } else {
    g->value[k].x = state->x + first;
    g->value[k].v = g->object[k].has_velocity ? state->v + first : NULL;
  }
  if (to->pressure) take_pressures(g, body, to);
  if (to->strain) csim_rest_metric_strain(&to->shape, shown_vectors(g, body, state->x), to->strain);
}

static void take_samples(csim_gather *g, int k, double time, const csim_state *state,
                         const csim_samples *samples) {
  csim_gather_buffers *to = &g->buffers[k];
  ptrdiff_t n = csim_xyz(g->object[k].nvert);
  for (int s = 0; s < g->object[k].nsample; s++) {
    int taken = samples && s < samples->taken;
    double at = taken ? time + samples->share[s] / g->scene->fps : time;
    object_state(g, k, at, taken ? &samples->state[s] : state, to->sample_x + n * s,
                 to->sample_v ? to->sample_v + n * s : NULL);
  }
}

void csim_gather_take(csim_gather *g, double time, const csim_state *state,
                      const csim_samples *samples) {
  if (g->force && g->solver) csim_solver_normal_forces(g->solver, state, g->force);
  for (int k = 0; k < g->nobject; k++) {
    if (render_of(g->world, k)) continue; // see csim_gather_renders
    take_values(g, k, time, state);
    take_samples(g, k, time, state, samples);
  }
}

void csim_gather_renders(csim_gather *g) {
  double unit = g->scene->length_unit;
  for (int k = 0; k < g->nobject; k++) {
    csim_bound_mesh *render = render_of(g->world, k);
    if (!render) continue;
    const csim_cache_values *of = &g->value[render->body];
    csim_gather_buffers *to = &g->buffers[k];
    ptrdiff_t n = csim_xyz(g->object[k].nvert);
    ptrdiff_t m = csim_xyz(g->object[render->body].nvert);
    csim_bind_place(&render->bind, of->x, unit, to->x);
    if (of->v) csim_bind_velocity(&render->bind, of->x, of->v, unit, to->v);
    for (int s = 0; s < g->object[k].nsample; s++) {
      const double *x = of->sample_x + m * s;
      csim_bind_place(&render->bind, x, unit, to->sample_x + n * s);
      if (of->sample_v)
        csim_bind_velocity(&render->bind, x, of->sample_v + m * s, unit, to->sample_v + n * s);
    }
  }
}

static void round_all(const double *from, ptrdiff_t n, double *to) {
  for (ptrdiff_t i = 0; to && i < n; i++) to[i] = (double)(float)from[i];
}

void csim_gather_round(csim_gather *g, int k) {
  const csim_cache_values *value = &g->value[k];
  csim_gather_buffers *to = &g->buffers[k];
  ptrdiff_t n = g->object[k].nvert, nsample = g->object[k].nsample;
  round_all(value->x, 3 * n, to->x);
  round_all(value->v, 3 * n, to->v);
  round_all(value->pressure, n, to->pressure);
  round_all(value->strain, n, to->strain);
  round_all(value->sample_x, 3 * n * nsample, to->sample_x);
  round_all(value->sample_v, 3 * n * nsample, to->sample_v);
}

// ----------------------------------------------------------------------------------------- a cache

static void widen(const float *from, ptrdiff_t n, double *to) {
  for (ptrdiff_t i = 0; to && i < n; i++) to[i] = (double)from[i];
}

static csim_status read_object(csim_gather *g, csim_cache *cache, int k, int f, float *x,
                               float *v) {
  csim_gather_buffers *to = &g->buffers[k];
  ptrdiff_t n = g->object[k].nvert;
  csim_status status = csim_cache_read(cache, k, f, x, v);
  if (status) return status;
  widen(x, 3 * n, to->x);
  widen(v, 3 * n, to->v);
  if (to->pressure) status = csim_cache_read_pressure(cache, k, f, x);
  if (!status) widen(x, n, to->pressure);
  if (!status && to->strain) status = csim_cache_read_strain(cache, k, f, x);
  if (!status) widen(x, n, to->strain);
  for (int s = 0; s < g->object[k].nsample && !status; s++) {
    status = csim_cache_read_sample(cache, k, f, s, x, v);
    if (status) return status;
    widen(x, 3 * n, to->sample_x + 3 * n * s);
    if (to->sample_v) widen(v, 3 * n, to->sample_v + 3 * n * s);
  }
  return status;
}

csim_status csim_gather_read(csim_gather *g, csim_cache *cache, int f, csim_log *log) {
  csim_status status = CSIM_OK;
  for (int k = 0; k < g->nobject && !status; k++) {
    ptrdiff_t n = csim_xyz(g->object[k].nvert);
    float *x = CSIM_NEW(float, n), *v = CSIM_NEW(float, n);
    status = x && v ? read_object(g, cache, k, f, x, v)
                    : csim_fail_memory(log, csim_cache_get_info(cache)->file);
    free(x);
    free(v);
  }
  return status;
}

int csim_gather_fits(const csim_gather *g, const csim_cache_info *info) {
  int same = info->nobject == g->nobject;
  for (int k = 0; same && k < g->nobject; k++) {
    const csim_cache_object *a = &info->object[k], *b = &g->object[k];
    same = a->nvert == b->nvert && !a->has_velocity == !b->has_velocity &&
           !a->has_pressure == !b->has_pressure && !a->has_strain == !b->has_strain &&
           a->nsample == b->nsample;
  }
  return same;
}
