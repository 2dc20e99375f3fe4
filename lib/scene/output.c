// scene/output.c: see output.h.
#include "scene/output.h"

#include "base/number.h"
#include "io/file.h"
#include "io/json_write.h"
#include "io/obj_write.h"
#include "mesh/topology.h"

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
  int digits;                // of frame numbers: constant over the run
  int nobject;               // bodies, then colliders
  csim_cache_object *object; // (nobject)
  double **x, **v;           // (nobject) of (nvert x 3), in the scene's units; v NULL for colliders
  csim_solver *solver;       // that knows the contact pressures; NULL: none yet
  double *force;             // (model->nvert) [N] pressing on each vertex; NULL: not wanted
  double **pressure, **area; // (nobject) of (nvert) [Pa], [m^2] at rest; NULL without pressures
  csim_cache_writer *cache;  // NULL when the scene wants none
  int nexport, nexported;    // exports open; objects they take
  csim_export **exports;     // (nexport)
  int frames;                // written
};

// ---------------------------------------------------------------------------------- the directory

// Whether `file` is `name` followed by one of the endings, with a frame number before it or without.
static int is_named(const char *file, const char *name, int numbered, const char *const *endings) {
  size_t n = strlen(name);
  if (strncmp(file, name, n)) return 0;
  file += n;
  if (numbered) {
    size_t digits = *file == '_' ? strspn(file + 1, "-0123456789") : 0;
    if (digits == 0) return 0;
    file += 1 + digits;
  }
  for (; *endings; endings++)
    if (!strcmp(file, *endings)) return 1;
  return 0;
}

// Whether a file in `out` is one that a run of this scene writes.
static int is_ours(const csim_scene *scene, const char *file) {
  static const char *const films[] = {".clothcache", ".clothcache.part", ".abc", ".usda", ".pvd", NULL};
  static const char *const points[] = {".pc2", ".mdd", "_rest.ply", "_rest.obj", NULL};
  static const char *const frames[] = {".obj", ".ply", ".vtp", NULL};
  if (!strcmp(file, "run.json") || is_named(file, scene->name, 0, films)) return 1;
  for (int o = 0; o < scene->nobject; o++)
    if (is_named(file, scene->object[o].name, 0, points) || is_named(file, scene->object[o].name, 1, frames))
      return 1;
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

// What every object is, for cache and exports, and room for its state.
static csim_status describe_objects(csim_output_writer *w) {
  const csim_model *model = w->world->model;
  w->nobject = model->nbody + w->world->ncollider;
  w->object = CSIM_ARENA_NEW(&w->arena, csim_cache_object, w->nobject);
  w->x = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->v = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->pressure = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->area = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  int pressures = w->scene->output.pressures && w->scene->output.cache &&
                  w->scene->contact.response == CSIM_RESPONSE_FILTER;
  if (pressures) w->force = CSIM_ARENA_NEW(&w->arena, double, model->nvert);
  for (int k = 0; k < w->nobject && !w->arena.failed; k++) {
    const csim_mesh *mesh = mesh_of(w->world, k);
    const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
    w->object[k] = (csim_cache_object){
        .name = name_of(w->world, k),
        .type = !body                             ? CSIM_CACHE_COLLIDER
                : body->type == CSIM_OBJECT_SOLID ? CSIM_CACHE_SOLID
                                                  : CSIM_CACHE_CLOTH,
        .has_velocity = body && w->scene->output.velocities,
        .has_pressure = body && pressures,
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
    ptrdiff_t n = 3 * (ptrdiff_t)w->object[k].nvert;
    w->x[k] = CSIM_ARENA_NEW(&w->arena, double, n);
    if (w->object[k].has_velocity) w->v[k] = CSIM_ARENA_NEW(&w->arena, double, n);
    if (w->object[k].has_pressure) {
      w->pressure[k] = CSIM_ARENA_NEW(&w->arena, double, n / 3);
      w->area[k] = CSIM_ARENA_NEW(&w->arena, double, n / 3);
      if (w->area[k]) csim_vert_areas(mesh->nvert, mesh->ntri, mesh->tri, mesh->vert, w->area[k]);
    }
  }
  return w->arena.failed ? CSIM_MEMORY : CSIM_OK;
}

// META of the cache: what made it, and which vertices are pinned (not of scenes so large and so
// pinned that the list would be a burden).
static void describe_run(const csim_output_writer *w, csim_json_out *meta) {
  enum { MOST_PINS = 1 << 20 };
  const csim_scene *scene = w->scene;
  const csim_model *model = w->world->model;
  char hash[20];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scene->hash);
  csim_json_open_flat(meta, NULL, '{');
  csim_json_text(meta, "generator", "clothsim " CSIM_VERSION);
  csim_json_text(meta, "scene", scene->name);
  csim_json_text(meta, "scene_hash", hash);
  csim_json_number(meta, "meters_per_unit", scene->length_unit);
  if (model->ntarget > 0 && model->ntarget <= MOST_PINS) {
    csim_json_open(meta, "pins", '[');
    for (int b = 0, open = 0; b < model->nbody; b++, open = 0) {
      const csim_body *body = &model->body[b];
      for (int i = 0; i < model->ntarget; i++) {
        int v = model->target[i].vert - body->vert0;
        if (v < 0 || v >= body->nvert) continue;
        if (!open++) {
          csim_json_open(meta, NULL, '{');
          csim_json_text(meta, "object", body->name);
          csim_json_open(meta, "index", '[');
        }
        csim_json_integer(meta, NULL, v);
      }
      if (open) csim_json_close(meta, ']');
      if (open) csim_json_close(meta, '}');
    }
    csim_json_close(meta, ']');
  }
  csim_json_close(meta, '}');
}

static csim_status create_cache(csim_output_writer *w) {
  const csim_scene *scene = w->scene;
  char *path = csim_arena_print(&w->arena, "%s/%s.clothcache", w->out, scene->name);
  csim_json_out meta = {0};
  describe_run(w, &meta);
  csim_cache_options options = {.fps = scene->fps,
                                .up = scene->up,
                                .position_error = scene->output.cache_error / scene->length_unit};
  csim_status status = CSIM_MEMORY;
  if (!w->arena.failed && !meta.failed)
    status = csim_cache_create(path, &options, meta.text, w->log, &w->cache);
  free(meta.text);
  for (int k = 0; !status && k < w->nobject; k++)
    status = csim_cache_add_object(w->cache, &w->object[k]);
  return status ? status : csim_cache_begin(w->cache);
}

static csim_status open_exports(csim_output_writer *w) {
  const csim_scene *scene = w->scene;
  int nbody = w->world->model->nbody;
  w->nexported = scene->output.colliders ? w->nobject : nbody;
  w->exports = CSIM_ARENA_NEW(&w->arena, csim_export *, scene->output.nformat);
  if (w->arena.failed) return CSIM_MEMORY;
  for (int k = 0; k < scene->output.nformat; k++) {
    csim_export_options options = {.format = scene->output.format[k],
                                   .directory = w->out,
                                   .name = scene->name,
                                   .fps = scene->fps,
                                   .last_number = scene->frame_end,
                                   .up = scene->up,
                                   .unit = scene->length_unit,
                                   .velocities = scene->output.velocities};
    csim_status status = csim_export_open(&options, w->nexported, w->object, w->log, &w->exports[k]);
    if (status) return status;
    w->nexport++;
  }
  return CSIM_OK;
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
  status = describe_objects(w);
  if (!status && scene->output.cache) status = create_cache(w);
  if (!status) status = open_exports(w);
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

// Positions (and velocities) of object k in the scene's units, into w->x[k] and w->v[k].
static void gather(csim_output_writer *w, int k, double time, const csim_state *state) {
  const csim_model *model = w->world->model;
  double unit = w->scene->length_unit;
  if (k < model->nbody) {
    const csim_body *body = &model->body[k];
    ptrdiff_t n = 3 * (ptrdiff_t)body->nvert, first = 3 * (ptrdiff_t)body->vert0;
    to_units(unit, n, state->x + first, w->x[k]);
    if (w->v[k]) to_units(unit, n, state->v + first, w->v[k]);
    return;
  }
  const csim_collider *collider = &w->world->collider[k - model->nbody];
  const csim_mesh *mesh = &w->world->collider_mesh[k - model->nbody];
  const double *real = real_vertices(w->world, k - model->nbody, state);
  if (!real) csim_collider_vertices(collider, time, w->x[k]);
  to_units(unit, 3 * (ptrdiff_t)mesh->nvert, real ? real : w->x[k], w->x[k]);
}

// Contact pressures of a body [Pa]; where a vertex has no area, 0.
static void gather_pressure(csim_output_writer *w, int k) {
  const csim_body *body = &w->world->model->body[k];
  for (int i = 0; i < body->nvert; i++)
    w->pressure[k][i] = w->area[k][i] > 0 ? w->force[body->vert0 + i] / w->area[k][i] : 0;
}

void csim_output_press(csim_output_writer *w, csim_solver *solver) { w->solver = solver; }

static csim_status write_obj(csim_output_writer *w, int k, int frame) {
  const char *name = name_of(w->world, k);
  char *path = csim_alloc((ptrdiff_t)(strlen(w->out) + strlen(name) + 32), 1);
  if (!path) return CSIM_MEMORY;
  sprintf(path, "%s/%s_%0*d.obj", w->out, name, w->digits, frame);
  csim_status status =
      csim_obj_write(path, mesh_of(w->world, k), w->x[k], w->scene->output.obj_digits, w->log);
  free(path);
  return status;
}

csim_status csim_output_frame(csim_output_writer *w, int frame, double time,
                              const csim_state *state, const csim_frame_stats *stats) {
  const csim_output *output = &w->scene->output;
  int nbody = w->world->model->nbody;
  csim_status status = CSIM_OK;
  if (w->cache) status = csim_cache_begin_frame(w->cache, frame, time);
  if (w->force && w->solver) csim_solver_press(w->solver, state, w->force);
  for (int k = 0; !status && k < w->nobject; k++) {
    gather(w, k, time, state);
    if (w->pressure[k]) gather_pressure(w, k);
    if (output->obj && (k < nbody || output->colliders)) status = write_obj(w, k, frame);
    if (!status && w->cache)
      status = csim_cache_put_pressed(w->cache, k, w->x[k], w->v[k], w->pressure[k]);
  }
  for (int k = 0; !status && k < w->nexport; k++)
    status = csim_export_frame(w->exports[k], frame, (const double *const *)w->x,
                               (const double *const *)w->v);
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
  w->frames += !status;
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
  csim_file_print(file, "  \"contact_guarantee\": %s,\n",
                  scene->contact.response == CSIM_RESPONSE_FILTER ? "true" : "false");
  if (report->verified_substeps)
    csim_file_print(file, "  \"verified_substeps\": %lld,\n  \"crossing_substeps\": %lld,\n",
                    report->verified_substeps, report->crossing_substeps);
  csim_file_print(file, "  \"substeps\": %lld,\n  \"halved_substeps\": %lld,\n  \"unconverged_substeps\": %lld\n}\n",
                  report->substeps, report->halved_substeps, report->unconverged_substeps);
  return csim_file_commit(file, 0);
}

csim_status csim_output_close(csim_output_writer *w, int complete) {
  if (!w) return CSIM_OK;
  csim_status status = csim_cache_close(w->cache, complete);
  // what a stopped run has of a film is worth keeping: these formats have no way to go on
  for (int k = 0; k < w->nexport; k++) {
    csim_status closed = csim_export_close(w->exports[k], w->frames > 0);
    if (!status) status = closed;
  }
  csim_arena_free(&w->arena);
  free(w);
  return status;
}
