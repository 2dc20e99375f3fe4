// scene/resume_cache.c: continues a run from a frame of its cache, without a checkpoint. See
// resume.h.
//
// A cache has floats, so later frames are not bitwise those of an uninterrupted run.
#include "scene/cached.h"
#include "scene/resume.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static csim_status refuse(csim_log *log, const char *file, const char *why) {
  return csim_refuse(log, csim_in_file(file), "cannot continue from the cache: %s", why);
}

// Whether the cache has these objects with these numbers of vertices.
static int same_objects(const csim_cache_info *info, const csim_world *world) {
  const csim_model *model = world->model;
  int first = csim_world_first_collider(world);
  if (info->nobject != first + world->ncollider) return 0;
  for (int b = 0; b < model->nbody; b++)
    if (strcmp(info->object[b].name, model->body[b].name) != 0 ||
        info->object[b].nvert != model->body[b].nvert)
      return 0;
  for (int k = 0; k < world->ncollider; k++)
    if (info->object[first + k].nvert != world->collider_mesh[k].nvert) return 0;
  return 1;
}

// Reads positions and velocities of the bodies.
static csim_status read_bodies(csim_cache *cache, int f, const csim_world *world, double unit,
                               csim_state *state) {
  csim_status status = CSIM_OK;
  for (int b = 0; b < world->model->nbody && !status; b++) {
    ptrdiff_t at = csim_xyz(world->model->body[b].vert0);
    status = csim_cached_state(cache, b, f, unit, state->x + at, state->v + at);
  }
  return status;
}

// Moves a collider to its position in the cache if that differs by more than the rounding of
// floats: it may have lagged. at (nvert x 3)
static csim_status read_collider(csim_cache *cache, int object, int f, double unit, double *at) {
  ptrdiff_t n = csim_xyz(csim_cache_get_info(cache)->object[object].nvert);
  double *cached = CSIM_NEW(double, n), largest = 0, off = 0;
  if (!cached) return CSIM_MEMORY;
  memset(cached, 0, (size_t)n * sizeof *cached);
  csim_status status = csim_cached_add(cache, object, f, 0, unit, cached);
  for (ptrdiff_t i = 0; i < n && !status; i++) {
    largest = csim_max(largest, fabs(cached[i]));
    off = csim_max(off, fabs(cached[i] - at[i]));
  }
  if (!status && off > largest * 2 * (double)FLT_EPSILON)
    memcpy(at, cached, (size_t)n * sizeof *at);
  free(cached);
  return status;
}

// Reads the actual positions of colliders.
static csim_status read_colliders(csim_cache *cache, int f, const csim_sim *sim,
                                  csim_state *state) {
  const csim_world *world = &sim->world;
  int n = csim_solver_kinematic_size(sim->solver);
  csim_status status = CSIM_OK;
  if (!n) return CSIM_OK;
  state->kinematic = CSIM_NEW(double, csim_xyz(n));
  if (!state->kinematic) return CSIM_MEMORY;
  state->nkinematic = n;
  double time = (double)state->step * csim_sim_substep(sim->scene);
  csim_solver_place_colliders(sim->solver, time, state->kinematic);
  ptrdiff_t at = 0;
  for (int k = 0; k < world->ncollider && !status; k++) {
    if (world->collider[k].shape == CSIM_COLLIDER_PLANE) continue;
    status = read_collider(cache, csim_world_first_collider(world) + k, f, sim->scene->length_unit,
                           state->kinematic + 3 * at);
    at += world->collider_mesh[k].nvert;
  }
  return status;
}

// Whether META has the hash of this scene.
static int same_scene(const csim_scene *scene, const char *meta) {
  char hash[40];
  snprintf(hash, sizeof hash, "\"scene_hash\": \"%016llx\"", (unsigned long long)scene->hash);
  return strstr(meta, hash) != NULL;
}

// Whether a phase before the last one may have ended early.
static int rests_before(const csim_scene *scene) {
  for (int k = 0; k + 1 < scene->nphase; k++)
    if (scene->phase[k].scene->until_rest) return 1;
  return 0;
}

csim_status csim_resume_from_cache(const csim_sim *sim, const csim_run_options *options,
                                   csim_log *log, csim_resume *resume) {
  const csim_scene *scene = sim->whole;
  const csim_world *world = &sim->world;
  csim_arena arena = {0};
  csim_cache *cache = NULL;
  char *path = csim_arena_print(&arena, "%s/%s.clothcache", options->out, scene->name);
  csim_status status = path ? csim_cache_open(path, log, &cache) : CSIM_MEMORY;
  if (status) goto done;
  const csim_cache_info *info = csim_cache_get_info(cache);
  int frame = resume->point.frame, f = csim_cached_frame(info, frame);
  if (f < 0 || f != frame - scene->frame_start)
    status = refuse(log, info->file, "it does not hold all frames up to that one");
  else if (info->options.position_error > 0)
    status = refuse(log, info->file, "its positions are rounded (output.cache_error)");
  else if (csim_model_nshown(world->model) != world->model->nvert)
    status = refuse(log, info->file, "the first phase has coarser meshes");
  else if (!same_objects(info, world))
    status = refuse(log, info->file, "objects and their numbers of vertices have to stay");
  else if (rests_before(scene))
    status = refuse(log, info->file, "when phases end that wait for rest is not in it");
  else if (!(resume->changed = !same_scene(scene, info->meta)))
    csim_say(log, CSIM_INFO, csim_in_file(info->file),
             "continues from the floats of the cache: later frames differ %s from those of a run "
             "that was never stopped",
             scene->solver.integrator == CSIM_INTEGRATOR_ALPHA
                 ? "a little (the cache has no accelerations)"
                 : "in their last digits");
  else if (!options->allow_changes)
    status = refuse(log, info->file, "the scene has changed since; --allow-changes permits that");
  if (status) goto done;
  csim_state *state = &resume->point.state;
  status = csim_state_create(world->model, state) ? CSIM_MEMORY : CSIM_OK;
  if (!status) status = read_bodies(cache, f, world, scene->length_unit, state);
  state->step = (long long)(frame - scene->frame_start) * sim->scene->substeps;
  if (!status) status = read_colliders(cache, f, sim, state);
done:
  csim_cache_free(cache);
  csim_arena_free(&arena);
  if (status == CSIM_MEMORY) csim_fail_memory(log, options->out);
  return status;
}
