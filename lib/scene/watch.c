// scene/watch.c: see watch.h.
#include "scene/watch.h"

#include "contact/pinched.h"
#include "math/vec3.h"
#include "mesh/intersect.h"

#include <stdlib.h>
#include <string.h>

struct csim_watch {
  csim_arena arena;
  csim_pool *pool;
  const csim_world *world;
  int self;
  csim_collision_mesh mesh;
  int nbody_tri; // triangles of bodies come first
  double *x;     // (mesh.nvert x 3)
  int *pair;     // intersecting triangles of bodies and of colliders
  ptrdiff_t pair_capacity;
};

csim_watch *csim_watch_create(csim_pool *pool, const csim_world *world, int self) {
  csim_watch *watch = CSIM_NEW(csim_watch, 1);
  if (!watch) return NULL;
  *watch =
      (csim_watch){.pool = pool, .world = world, .self = self, .nbody_tri = world->model->ntri};
  if (!csim_collision_mesh_build(&watch->arena, world->model, world->ncollider, world->collider,
                                 &watch->mesh))
    watch->x = CSIM_ARENA_NEW(&watch->arena, double, csim_xyz(watch->mesh.nvert));
  if (watch->x) return watch;
  csim_watch_free(watch);
  return NULL;
}

void csim_watch_free(csim_watch *watch) {
  if (!watch) return;
  csim_arena_free(&watch->arena);
  free(watch->pair);
  free(watch);
}

static void place(csim_watch *w, const csim_state *state, double time) {
  const csim_collision_mesh *mesh = &w->mesh;
  ptrdiff_t nbody = csim_xyz(mesh->nbody_vert);
  memcpy(w->x, state->x, (size_t)nbody * sizeof *w->x);
  if (state->kinematic) {
    memcpy(w->x + nbody, state->kinematic,
           3 * (size_t)(mesh->nvert - mesh->nbody_vert) * sizeof *w->x);
    return;
  }
  for (int k = 0; k < w->world->ncollider; k++)
    if (w->world->collider[k].shape != CSIM_COLLIDER_PLANE)
      csim_collider_vertices(&w->world->collider[k], time,
                             w->x + csim_xyz(mesh->first[mesh->nbody + k]));
}

// Counts points of bodies on planes or behind them.
static long long count_behind(const csim_watch *w, const csim_state *state, double time) {
  const csim_collision_mesh *mesh = &w->mesh;
  long long count = 0;
  int plane = 0;
  for (int k = 0; k < w->world->ncollider; k++) {
    const csim_collider *collider = &w->world->collider[k];
    if (collider->shape != CSIM_COLLIDER_PLANE) continue;
    const double *left = // where contact has left the plane
        state->kinematic ? csim_kinematics_plane(mesh, state->kinematic, plane++) : NULL;
    csim_pose pose = csim_motion_pose(&collider->motion, collider->pivot, time);
    for (int q = 0; q < mesh->npoint && mesh->point[q] < mesh->nbody_vert; q++) {
      const double *x = w->x + csim_xyz(mesh->point[q]);
      double local[3];
      csim_collider_to_local(collider, &pose, x, local);
      double d = left ? csim_dot(left, x) - left[3] : local[1];
      count += !(d > 0);
    }
  }
  return count;
}

// Counts those of the first `total` intersecting pairs that may intersect, because the collider has
// released a vertex of the body.
static long long count_released(const csim_watch *w, long long total, const double *released) {
  const csim_collision_mesh *mesh = &w->mesh;
  long long count = 0;
  for (ptrdiff_t i = 0; i < total; i++) {
    const int *body = mesh->tri + csim_xyz(w->pair[2 * i]);
    int other = mesh->tri[3 * ((ptrdiff_t)w->pair[2 * i + 1] + w->nbody_tri)];
    int part = csim_collision_mesh_part(mesh, other), any = 0;
    for (int k = 0; k < 3; k++) any |= released[body[k]] == part || released[body[k]] < 0;
    count += any;
  }
  return count;
}

// Counts pairs of bodies with colliders that intersect and may not.
static csim_status count_with(csim_watch *w, const csim_state *state, const csim_triangles *body,
                              const csim_triangles *other, long long *count) {
  enum { MOST = 1 << 20 };
  const double *released =
      csim_pinched_of(w->mesh.nbody_vert, &w->world->contact, state->kinematic, state->nkinematic);
  csim_status status = csim_find_intersections(w->pool, body, other, 0, NULL, count);
  if (status || !released || !*count) return status;
  int capacity = *count < MOST ? (int)*count : MOST;
  int *pair = csim_grow(w->pair, &w->pair_capacity, capacity, 2 * sizeof *pair);
  if (!pair) return CSIM_MEMORY;
  w->pair = pair;
  status = csim_find_intersections(w->pool, body, other, capacity, pair, NULL);
  if (!status) *count -= count_released(w, capacity, released);
  return status;
}

int csim_watch_count(csim_watch *w, const csim_state *state, double time, long long *count) {
  const csim_collision_mesh *mesh = &w->mesh;
  place(w, state, time);
  csim_triangles body = {mesh->nvert, w->x, w->nbody_tri, mesh->tri};
  csim_triangles other = {mesh->nvert, w->x, mesh->ntri - w->nbody_tri,
                          mesh->tri + csim_xyz(w->nbody_tri)};
  long long own = 0, with = 0;
  csim_status status = CSIM_OK;
  if (w->self) status = csim_find_self_intersections(w->pool, &body, 0, NULL, &own);
  if (!status && other.ntri) status = count_with(w, state, &body, &other, &with);
  *count = own + with + count_behind(w, state, time);
  return status ? -1 : 0;
}
