// scene/output.c: see output.h.
#include "scene/output.h"

#include "base/number.h"
#include "io/file.h"
#include "io/obj_write.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIN_DIGITS = 4 };

struct csim_output_writer {
  csim_arena arena;
  const csim_scene *scene;
  const csim_world *world;
  csim_log *log;
  const char *out;
  int digits;               // of frame numbers: constant over the run
  csim_cache_writer *cache; // NULL when the scene wants none
  double *x, *v;            // of one object, in the scene's units
};

// ---------------------------------------------------------------------------------- the directory

// Whether a file in `out` is one that a run of this scene writes.
static int is_ours(const csim_scene *scene, const char *file) {
  if (!strcmp(file, "run.json")) return 1;
  size_t n = strlen(scene->name);
  if (!strncmp(file, scene->name, n) && (!strcmp(file + n, ".clothcache") || !strcmp(file + n, ".clothcache.part")))
    return 1;
  for (int o = 0; o < scene->nobject; o++) {
    n = strlen(scene->object[o].name);
    if (strncmp(file, scene->object[o].name, n) || file[n] != '_') continue;
    size_t digits = strspn(file + n + 1, "-0123456789");
    if (digits > 0 && !strcmp(file + n + 1 + digits, ".obj")) return 1;
  }
  return 0;
}

static csim_status prepare_directory(const csim_scene *scene, const char *out, int overwrite,
                                     csim_log *log) {
  csim_status status = csim_make_directories(out, log);
  if (status) return status;
  DIR *dir = opendir(out);
  if (!dir) {
    csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "cannot read this directory: %s", strerror(errno));
    return CSIM_IO;
  }
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
    if (!overwrite) {
      csim_say(log, CSIM_ERROR, (csim_place){.file = out},
               "this directory is not empty (%s); choose another, or give --overwrite to replace an "
               "earlier run",
               name);
      status = CSIM_INVALID;
    } else if (is_ours(scene, name)) {
      char *path = csim_alloc((ptrdiff_t)(strlen(out) + strlen(name) + 2), 1);
      if (!path) {
        status = CSIM_MEMORY;
        break;
      }
      sprintf(path, "%s/%s", out, name);
      if (unlink(path)) {
        csim_say(log, CSIM_ERROR, (csim_place){.file = path}, "cannot replace this file: %s", strerror(errno));
        status = CSIM_IO;
      }
      free(path);
    }
  }
  closedir(dir);
  return status;
}

// ---------------------------------------------------------------------------------------- create

static const csim_mesh *mesh_of(const csim_world *world, int k) {
  return k < world->model->nbody ? world->model->body[k].mesh
                                 : &world->collider_mesh[k - world->model->nbody];
}

static const char *name_of(const csim_world *world, int k) {
  return k < world->model->nbody ? world->model->body[k].name
                                 : world->collider[k - world->model->nbody].name;
}

static csim_status create_cache(csim_output_writer *w) {
  const csim_scene *scene = w->scene;
  const csim_model *model = w->world->model;
  char *path = csim_arena_print(&w->arena, "%s/%s.clothcache", w->out, scene->name);
  char unit[32];
  csim_print_number(scene->length_unit, 17, unit);
  char *meta = csim_arena_print(&w->arena,
                                "{\"generator\": \"clothsim " CSIM_VERSION "\", \"scene\": \"%s\", "
                                "\"scene_hash\": \"%016llx\", \"meters_per_unit\": %s}",
                                scene->name, (unsigned long long)scene->hash, unit);
  csim_cache_options options = {.fps = scene->fps, .up = scene->up,
                                .position_error = scene->output.cache_error / scene->length_unit};
  if (w->arena.failed) return CSIM_MEMORY;
  csim_status status = csim_cache_create(path, &options, meta, w->log, &w->cache);
  for (int k = 0; !status && k < model->nbody + w->world->ncollider; k++) {
    const csim_mesh *mesh = mesh_of(w->world, k);
    const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
    csim_cache_object object = {
        .name = name_of(w->world, k),
        .type = !body                               ? CSIM_CACHE_COLLIDER
                : body->type == CSIM_OBJECT_SOLID ? CSIM_CACHE_SOLID
                                                  : CSIM_CACHE_CLOTH,
        .has_velocity = body && scene->output.velocities,
        .nvert = body ? body->nvert : mesh->nvert,
        .nface = mesh->nface,
        .face_start = mesh->face_start,
        .face_vert = mesh->face_vert,
        .nuv = mesh->nuv,
        .uv = mesh->uv,
        .face_uv = mesh->face_uv,
        .ntag = mesh->ntag,
        .tag = mesh->tag,
        .face_tag = mesh->face_tag,
        .ntet = body ? body->ntet : 0,
        .tet = body ? body->tet : NULL,
    };
    status = csim_cache_add_object(w->cache, &object);
  }
  return status ? status : csim_cache_begin(w->cache);
}

csim_status csim_output_create(const csim_scene *scene, const csim_world *world, const char *out,
                               int overwrite, csim_log *log, csim_output_writer **writer) {
  *writer = NULL;
  csim_status status = prepare_directory(scene, out, overwrite, log);
  if (status) return status;
  csim_output_writer *w = CSIM_NEW(csim_output_writer, 1);
  if (!w) return CSIM_MEMORY;
  *w = (csim_output_writer){.scene = scene, .world = world, .log = log, .out = out};
  char last[16];
  w->digits = snprintf(last, sizeof last, "%d", scene->frame_end);
  if (w->digits < MIN_DIGITS) w->digits = MIN_DIGITS;
  int most = 0;
  for (int k = 0; k < world->model->nbody; k++)
    most = world->model->body[k].nvert > most ? world->model->body[k].nvert : most;
  for (int k = 0; k < world->ncollider; k++)
    most = world->collider_mesh[k].nvert > most ? world->collider_mesh[k].nvert : most;
  w->x = CSIM_ARENA_NEW(&w->arena, double, 3 * (ptrdiff_t)most);
  w->v = CSIM_ARENA_NEW(&w->arena, double, 3 * (ptrdiff_t)most);
  if (w->arena.failed) status = CSIM_MEMORY;
  if (!status && scene->output.cache) status = create_cache(w);
  if (status) {
    csim_output_close(w, 0);
    return status;
  }
  *writer = w;
  return CSIM_OK;
}

// ----------------------------------------------------------------------------------------- frames

static void to_units(double metres, ptrdiff_t n, const double *from, double *to) {
  if (metres == 1)
    memcpy(to, from, (size_t)n * sizeof *to);
  else
    for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] / metres;
}

// Where contact has let a collider go (it may lag behind its motion), or NULL when that is not known.
static const double *real_vertices(const csim_world *world, int k, const csim_state *state) {
  ptrdiff_t at = 0;
  if (!state->kinematic || world->collider[k].shape == CSIM_COLLIDER_PLANE) return NULL;
  for (int j = 0; j < k; j++)
    if (world->collider[j].shape != CSIM_COLLIDER_PLANE) at += world->collider_mesh[j].nvert;
  return state->kinematic + 3 * at;
}

// Positions (and velocities) of object k in the scene's units, into w->x and w->v.
static void gather(csim_output_writer *w, int k, double time, const csim_state *state) {
  const csim_model *model = w->world->model;
  double unit = w->scene->length_unit;
  if (k < model->nbody) {
    const csim_body *body = &model->body[k];
    to_units(unit, 3 * (ptrdiff_t)body->nvert, state->x + 3 * (ptrdiff_t)body->vert0, w->x);
    to_units(unit, 3 * (ptrdiff_t)body->nvert, state->v + 3 * (ptrdiff_t)body->vert0, w->v);
    return;
  }
  const csim_collider *collider = &w->world->collider[k - model->nbody];
  const csim_mesh *mesh = &w->world->collider_mesh[k - model->nbody];
  const double *real = real_vertices(w->world, k - model->nbody, state);
  if (!real) csim_collider_vertices(collider, time, w->x);
  to_units(unit, 3 * (ptrdiff_t)mesh->nvert, real ? real : w->x, w->x);
}

static csim_status write_obj(csim_output_writer *w, int k, int frame) {
  const char *name = name_of(w->world, k);
  char *path = csim_alloc((ptrdiff_t)(strlen(w->out) + strlen(name) + 32), 1);
  if (!path) return CSIM_MEMORY;
  sprintf(path, "%s/%s_%0*d.obj", w->out, name, w->digits, frame);
  csim_status status =
      csim_obj_write(path, mesh_of(w->world, k), w->x, w->scene->output.obj_digits, w->log);
  free(path);
  return status;
}

csim_status csim_output_frame(csim_output_writer *w, int frame, double time,
                              const csim_state *state, const csim_frame_stats *stats) {
  const csim_output *output = &w->scene->output;
  int nbody = w->world->model->nbody;
  csim_status status = CSIM_OK;
  if (w->cache) status = csim_cache_begin_frame(w->cache, frame, time);
  for (int k = 0; !status && k < nbody + w->world->ncollider; k++) {
    gather(w, k, time, state);
    if (output->obj && (k < nbody || output->colliders)) status = write_obj(w, k, frame);
    if (!status && w->cache)
      status = csim_cache_put(w->cache, k, w->x, k < nbody && output->velocities ? w->v : NULL);
  }
  if (!status && w->cache) {
    char residual[32], text[320];
    csim_print_number(stats->residual, 6, residual);
    snprintf(text, sizeof text,
             "{\"substeps\": %lld, \"iterations\": %lld, \"linear_iterations\": %lld, "
             "\"contacts\": %lld, \"halved\": %lld, \"unconverged\": %lld, \"residual\": %s}",
             stats->substeps, stats->iterations, stats->linear_iterations, stats->contacts,
             stats->halved, stats->unconverged, residual);
    status = csim_cache_put_stats(w->cache, text);
    if (!status) status = csim_cache_end_frame(w->cache);
  }
  return status;
}

csim_status csim_output_record(csim_output_writer *w, const char *state,
                               const csim_run_report *report) {
  char *path = csim_alloc((ptrdiff_t)strlen(w->out) + 16, 1);
  if (!path) return CSIM_MEMORY;
  sprintf(path, "%s/run.json", w->out);
  csim_file *file;
  csim_status status = csim_file_create(path, w->log, &file);
  free(path);
  if (status) return status;
  const csim_scene *scene = w->scene;
  csim_file_print(file, "{\n  \"state\": \"%s\",\n  \"reason\": \"%s\",\n", state, report->reason);
  csim_file_print(file, "  \"program\": \"clothsim\",\n  \"version\": \"%s\",\n", CSIM_VERSION);
  csim_file_print(file, "  \"scene\": \"%s\",\n  \"scene_hash\": \"%016llx\",\n", scene->name,
                  (unsigned long long)scene->hash);
  csim_file_print(file, "  \"frame_start\": %d,\n  \"frame_end\": %d,\n  \"last_frame\": %d,\n",
                  scene->frame_start, scene->frame_end, report->last_frame);
  csim_file_print(file, "  \"vertices\": %d,\n  \"triangles\": %d,\n  \"tetrahedra\": %d,\n  \"springs\": %d,\n",
                  report->nvert, report->ntri, report->ntet, report->nspring);
  csim_file_print(file, "  \"substeps\": %lld,\n  \"halved_substeps\": %lld,\n  \"unconverged_substeps\": %lld\n}\n",
                  report->substeps, report->halved_substeps, report->unconverged_substeps);
  return csim_file_commit(file, 0);
}

csim_status csim_output_close(csim_output_writer *w, int complete) {
  if (!w) return CSIM_OK;
  csim_status status = csim_cache_close(w->cache, complete);
  csim_arena_free(&w->arena);
  free(w);
  return status;
}
