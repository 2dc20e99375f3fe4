// scene/output.c: see output.h.
#include "scene/output.h"
#include "scene/exceptions.h"
#include "scene/worst.h"

#include "base/number.h"
#include "io/file.h"
#include "io/json_write.h"
#include "io/obj_write.h"
#include "mesh/topology.h"
#include "scene/ledger.h"
#include "scene/resume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_DIGITS = 4 };

// Contact pressures, when they are wanted.
typedef struct contact_pressure {
  csim_solver *solver;       // that knows them; NULL: none yet
  double *force;             // (model->nvert) [N] pressing on each vertex; NULL: not wanted
  double **pressure, **area; // (nobject) of (nvert) [Pa], [m^2] at rest; NULL without pressures
} contact_pressure;

// The frame that is to be written.
typedef struct taken_frame {
  int number;
  double time; // [s]
  csim_frame_stats stats;
} taken_frame;

struct csim_output_writer {
  csim_arena arena;
  const csim_scene *scene;
  const csim_world *world;
  csim_log *log;
  const char *out;
  int folder;                // the directory, locked; -1 = not open
  int digits;                // of frame numbers: constant over the run
  int nobject;               // bodies, then render meshes, then colliders
  csim_cache_object *object; // (nobject)
  const double **x, **v;     // (nobject) of (nvert x 3), in the scene's units; v NULL without them
  double **x_room, **v_room; // what those of them point to that are no part of a state; else NULL
  double *earlier;           // (largest collider that moves x 3) workspace of their velocities
  contact_pressure pressed;
  const char *cache_path;
  csim_cache_writer *cache; // NULL when the scene wants none
  int nexport, nexported;   // exports open; objects they take
  csim_export **exports;    // (nexport)
  csim_ledger *ledger;      // of all files written
  int frames;               // written
  taken_frame taken;
};

// ---------------------------------------------------------------------------------- the directory

typedef enum file_kind { NOT_OURS, OURS, FRAME, TEMPORARY } file_kind;

// Whether the n characters of `file` are `name` followed by one of the endings; with `number` a
// frame number stands before the ending.
static int is_named(const char *file, size_t n, const char *name, const char *const *endings,
                    long long *number) {
  size_t at = strlen(name);
  if (n < at || strncmp(file, name, at)) return 0;
  if (number) {
    if (at == n || file[at] != '_') return 0;
    char *end;
    *number = strtoll(file + at + 1, &end, 10);
    if (end == file + at + 1) return 0;
    at = (size_t)(end - file);
  }
  for (; *endings; endings++)
    if (n - at == strlen(*endings) && !strncmp(file + at, *endings, n - at)) return 1;
  return 0;
}

static file_kind kind_of(const csim_scene *scene, const char *file, size_t n, long long *number) {
  static const char *const films[] = {
      ".clothcache", ".clothcache.part", ".clothcache.old", ".abc", ".usda", ".pvd", NULL};
  static const char *const points[] = {".pc2", ".mdd", "_rest.ply", "_rest.obj", NULL};
  static const char *const frames[] = {".obj", ".ply", ".vtp", NULL};
  static const char *const records[] = {"", NULL}, *const points_to[] = {"", ".old", ".new", NULL};
  if (is_named(file, n, CSIM_RECORD_NAME, records, NULL) ||
      is_named(file, n, CSIM_LEDGER_NAME, records, NULL) || csim_resume_kept(file, n) ||
      is_named(file, n, CSIM_CHECKPOINT_NAME, points_to, NULL) ||
      is_named(file, n, scene->name, films, NULL))
    return OURS;
  for (int o = 0; o < scene->nobject; o++) {
    const csim_object *object = &scene->object[o];
    for (int k = -1; k < object->nrender; k++) {
      const char *name = k < 0 ? object->name : object->render[k].name;
      if (is_named(file, n, name, points, NULL)) return OURS;
      if (is_named(file, n, name, frames, number)) return FRAME;
    }
  }
  return NOT_OURS;
}

// Length of a name without the ".<pid>-<k>.tmp" that io/file.h puts behind it; 0 when it has none.
static size_t temporary_stem(const char *file) {
  const char *end = file + strlen(file) - 4, *p = end;
  if (end <= file || strcmp(end, ".tmp")) return 0;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  if (p == end || p == file || p[-1] != '-') return 0;
  const char *dash = --p;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  return p == dash || p == file || p[-1] != '.' ? 0 : (size_t)(p - 1 - file);
}

// What a file in the directory is to a run of this scene; the number of frames' files.
static file_kind classify(const csim_scene *scene, const char *file, long long *number) {
  if (!strncmp(file, ".spool.", 7) && strlen(file) == 13) return TEMPORARY; // see cache/export.c
  size_t stem = temporary_stem(file);
  if (!stem) return kind_of(scene, file, strlen(file), number);
  return kind_of(scene, file, stem, number) == NOT_OURS ? NOT_OURS : TEMPORARY;
}

static csim_status remove_file(const char *out, int folder, const char *name, csim_log *log) {
  if (!unlinkat(folder, name, 0) || errno == ENOENT) return CSIM_OK;
  csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "cannot remove %s: %s", name,
           strerror(errno));
  return CSIM_IO;
}

static DIR *open_directory(const char *out, csim_log *log) {
  DIR *dir = opendir(out);
  if (!dir)
    csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "cannot read this directory: %s",
             strerror(errno));
  return dir;
}

csim_status csim_output_sweep(const csim_scene *scene, const char *out, int folder, csim_log *log) {
  csim_status status = CSIM_OK;
  DIR *dir = open_directory(out, log);
  for (struct dirent *entry; dir && !status && (entry = readdir(dir));) {
    long long number;
    if (classify(scene, entry->d_name, &number) == TEMPORARY)
      status = remove_file(out, folder, entry->d_name, log);
  }
  if (dir) closedir(dir);
  return dir ? status : CSIM_IO;
}

// Where a file system knows no such lock, nothing is kept out.
csim_status csim_output_enter(const char *out, csim_log *log, int *folder) {
  *folder = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*folder < 0) {
    if (errno == ENOENT) return CSIM_OK;
    csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "cannot open this directory: %s",
             strerror(errno));
    return CSIM_IO;
  }
  if (!csim_lock(*folder)) return CSIM_OK;
  csim_say(log, CSIM_ERROR, (csim_place){.file = out},
           "another clothsim is writing into this directory");
  close(*folder);
  *folder = -1;
  return CSIM_IO;
}

static csim_status take_directory(csim_output_writer *w) {
  if (w->folder >= 0) return CSIM_OK;
  csim_status status = csim_make_directories(w->out, w->log);
  if (!status) status = csim_output_enter(w->out, w->log, &w->folder);
  if (status || w->folder >= 0) return status;
  csim_say(w->log, CSIM_ERROR, (csim_place){.file = w->out}, "this directory has gone again");
  return CSIM_IO;
}

// Removes what an earlier run has left, but for its record: as long as that stands, what is left is
// known as a run's, wherever this is cut off.
static csim_status prepare_directory(csim_output_writer *w, const csim_output_start *start) {
  csim_status status = csim_output_sweep(w->scene, w->out, w->folder, w->log);
  DIR *dir = status ? NULL : open_directory(w->out, w->log);
  if (!dir) return status ? status : CSIM_IO;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    long long number = 0;
    if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
    file_kind kind = classify(w->scene, name, &number);
    if (!strcmp(name, CSIM_RECORD_NAME) && (start->resume || start->overwrite)) continue;
    if (start->resume) {
      if (kind == FRAME && number > start->after_frame)
        status = remove_file(w->out, w->folder, name, w->log);
    } else if (!start->overwrite) {
      csim_say(
          w->log, CSIM_ERROR, (csim_place){.file = w->out},
          "this directory is not empty (%s); choose another, or give --overwrite to replace an "
          "earlier run, or --resume to go on with one",
          name);
      status = CSIM_INVALID;
    } else if (kind != NOT_OURS) {
      status = remove_file(w->out, w->folder, name, w->log);
    }
  }
  closedir(dir);
  return status;
}

// ---------------------------------------------------------------------------------------- create

// The render mesh that object k is; NULL: it is none.
static csim_bound_mesh *render_of(const csim_world *world, int k) {
  int nbody = world->model->nbody;
  return k < nbody || k >= csim_world_first_collider(world) ? NULL
                                                            : &world->renders->mesh[k - nbody];
}

static const csim_mesh *mesh_of(const csim_world *world, int k) {
  const csim_bound_mesh *render = render_of(world, k);
  return k < world->model->nbody ? world->model->body[k].mesh
         : render                ? &render->mesh
                                 : &world->collider_mesh[k - csim_world_first_collider(world)];
}

static const char *name_of(const csim_world *world, int k) {
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

static int has_velocity(const csim_output_writer *w, int k) {
  int c = k - csim_world_first_collider(w->world);
  return w->scene->output.velocities && (c < 0 || is_moving(w->scene, &w->world->collider[c]));
}

// What every object is, for cache and exports, and room for its state. Bodies need none where a
// frame is written as it stands in the state: in metres, and with nothing else to be made of it.
static csim_status describe_objects(csim_output_writer *w, int resume) {
  const csim_model *model = w->world->model;
  int as_it_is = w->scene->length_unit == 1 && !w->scene->output.nformat && !resume;
  ptrdiff_t largest = 0;
  w->nobject = csim_world_first_collider(w->world) + w->world->ncollider;
  w->object = CSIM_ARENA_NEW(&w->arena, csim_cache_object, w->nobject);
  w->x = CSIM_ARENA_NEW(&w->arena, const double *, w->nobject);
  w->v = CSIM_ARENA_NEW(&w->arena, const double *, w->nobject);
  w->x_room = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->v_room = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->pressed.pressure = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  w->pressed.area = CSIM_ARENA_NEW(&w->arena, double *, w->nobject);
  int pressures = w->scene->output.pressures && w->scene->output.cache &&
                  w->scene->contact.response == CSIM_RESPONSE_FILTER;
  if (pressures) w->pressed.force = CSIM_ARENA_NEW(&w->arena, double, model->nvert);
  for (int k = 0; k < w->nobject && !w->arena.failed; k++) {
    const csim_mesh *mesh = mesh_of(w->world, k);
    const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
    w->object[k] = (csim_cache_object){
        .name = name_of(w->world, k),
        .type = type_of(w->world, k),
        .has_velocity = has_velocity(w, k),
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
    if (!body || !as_it_is) {
      w->x[k] = w->x_room[k] = CSIM_ARENA_NEW(&w->arena, double, n);
      if (w->object[k].has_velocity) w->v[k] = w->v_room[k] = CSIM_ARENA_NEW(&w->arena, double, n);
    }
    if (type_of(w->world, k) == CSIM_CACHE_COLLIDER && w->v_room[k] && n > largest) largest = n;
    if (w->object[k].has_pressure) {
      w->pressed.pressure[k] = CSIM_ARENA_NEW(&w->arena, double, n / 3);
      w->pressed.area[k] = CSIM_ARENA_NEW(&w->arena, double, n / 3);
      if (w->pressed.area[k])
        csim_vert_areas(mesh->nvert, mesh->ntri, mesh->tri, mesh->vert, w->pressed.area[k]);
    }
  }
  w->earlier = CSIM_ARENA_NEW(&w->arena, double, largest);
  return w->arena.failed ? CSIM_MEMORY : CSIM_OK;
}

// ----------------------------------------------------------------------------------------- cache

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

static csim_status create_cache(csim_output_writer *w, int keep_frames) {
  const csim_scene *scene = w->scene;
  csim_json_out meta = {0};
  describe_run(w, &meta);
  csim_cache_options options = {.fps = scene->fps,
                                .up = scene->up,
                                .position_error = scene->output.cache_error / scene->length_unit};
  csim_status status = CSIM_MEMORY;
  if (!w->arena.failed && !meta.failed)
    status = keep_frames ? csim_cache_append(w->cache_path, keep_frames, &options, meta.text,
                                             w->log, &w->cache)
                         : csim_cache_create(w->cache_path, &options, meta.text, w->log, &w->cache);
  free(meta.text);
  for (int k = 0; !status && k < w->nobject; k++)
    status = csim_cache_add_object(w->cache, &w->object[k]);
  return status ? status : csim_cache_begin(w->cache);
}

static csim_status open_exports(csim_output_writer *w) {
  const csim_scene *scene = w->scene;
  w->nexported = scene->output.colliders ? w->nobject : csim_world_first_collider(w->world);
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
    csim_status status =
        csim_export_open(&options, w->nexported, w->object, w->log, &w->exports[k]);
    if (status) return status;
    w->nexport++;
  }
  return CSIM_OK;
}

// Exports see positions as the cache keeps them, so that they can be made again from it.
static csim_status export_frame(csim_output_writer *w, int frame) {
  csim_status status = CSIM_OK;
  for (int k = 0; w->nexport && k < w->nexported; k++)
    for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)w->object[k].nvert; i++) {
      w->x_room[k][i] = (double)(float)w->x[k][i];
      if (w->v[k]) w->v_room[k][i] = (double)(float)w->v[k][i];
    }
  for (int k = 0; !status && k < w->nexport; k++)
    status = csim_export_frame(w->exports[k], frame, w->x, w->v);
  return status;
}

// ---------------------------------------------------------------------------------------- resuming

// Reads frame f of the old cache into w->x, w->v and w->pressed.pressure.
static csim_status read_back(csim_output_writer *w, csim_cache *old, int f) {
  for (int k = 0; k < w->nobject; k++) {
    double *to[3] = {w->x_room[k], w->v_room[k], w->pressed.pressure[k]};
    int nvert = w->object[k].nvert;
    float *x = CSIM_NEW(float, 3 * (ptrdiff_t)nvert), *v = CSIM_NEW(float, 3 * (ptrdiff_t)nvert),
          *p = CSIM_NEW(float, nvert), *from[3] = {x, v, p};
    csim_status status = x && v && p ? csim_cache_read(old, k, f, x, v) : CSIM_MEMORY;
    if (!status && to[2]) status = csim_cache_read_pressure(old, k, f, p);
    for (int a = 0; !status && a < 3; a++)
      for (ptrdiff_t i = 0; to[a] && i < (a == 2 ? 1 : 3) * (ptrdiff_t)nvert; i++)
        to[a][i] = (double)from[a][i];
    free(x);
    free(v);
    free(p);
    if (status) return status;
  }
  return CSIM_OK;
}

static int same_objects(const csim_output_writer *w, const csim_cache_info *info) {
  int same = info->nobject == w->nobject;
  for (int k = 0; same && k < w->nobject; k++)
    same = info->object[k].nvert == w->object[k].nvert &&
           !info->object[k].has_velocity == !w->object[k].has_velocity &&
           !info->object[k].has_pressure == !w->object[k].has_pressure;
  return same;
}

// Gives the frames that are kept to the exports, and with a changed scene to the new cache.
static csim_status replay(csim_output_writer *w, csim_cache *old, int keep, int copy) {
  const csim_cache_info *info = csim_cache_get_info(old);
  csim_status status = CSIM_OK;
  if (!same_objects(w, info)) {
    csim_say(w->log, CSIM_ERROR, (csim_place){.file = info->file}, "the cache has other objects");
    return CSIM_INVALID;
  }
  for (int f = 0; !status && f < keep; f++) {
    status = read_back(w, old, f);
    if (!status && copy) status = csim_cache_begin_frame(w->cache, info->number[f], info->time[f]);
    for (int k = 0; !status && copy && k < w->nobject; k++)
      status = csim_cache_put_pressed(w->cache, k, w->x[k], w->v[k], w->pressed.pressure[k]);
    const char *stats = !status && copy ? csim_cache_read_stats(old, f) : NULL;
    if (stats) status = csim_cache_put_stats(w->cache, stats);
    if (!status && copy) status = csim_cache_end_frame(w->cache);
    if (!status) status = export_frame(w, (int)info->number[f]);
  }
  return status;
}

static csim_status rename_file(csim_output_writer *w, const char *from, const char *to) {
  if (!rename(from, to)) return CSIM_OK;
  csim_say(w->log, CSIM_ERROR, (csim_place){.file = from}, "cannot rename: %s", strerror(errno));
  return CSIM_IO;
}

// With a changed scene the old cache stands aside until a checkpoint of the new one is written.
// When such a run was killed before that, it stands aside already.
static csim_status place_old(csim_output_writer *w, const char *aside, int changed) {
  char *part = csim_arena_print(&w->arena, "%s.part", w->cache_path);
  if (!part) return CSIM_MEMORY;
  if (!access(aside, F_OK)) return changed ? CSIM_OK : rename_file(w, aside, part);
  return changed ? rename_file(w, access(part, F_OK) ? w->cache_path : part, aside) : CSIM_OK;
}

static csim_status resume_cache(csim_output_writer *w, const csim_output_start *start) {
  const csim_scene *scene = w->scene;
  int keep = start->after_frame - scene->frame_start + 1;
  if (!scene->output.cache) {
    if (!scene->output.nformat) return CSIM_OK;
    csim_say(w->log, CSIM_ERROR, (csim_place){.file = scene->file},
             "\"output.formats\" without \"output.cache\" cannot be resumed: their frames so far "
             "would be written anew from the cache");
    return CSIM_INVALID;
  }
  if (scene->output.nformat && scene->output.cache_error > 0)
    csim_say(w->log, CSIM_WARNING, (csim_place){.file = scene->file},
             "\"output.formats\" are written anew from the cache, up to frame %d with its "
             "\"output.cache_error\"",
             start->after_frame);
  char *aside = csim_arena_print(&w->arena, "%s.old", w->cache_path);
  csim_cache *old = NULL;
  csim_status status = aside ? CSIM_OK : CSIM_MEMORY;
  if (!status) status = place_old(w, aside, start->changed);
  if (!status && (start->changed || w->nexport))
    status = csim_cache_open(start->changed ? aside : w->cache_path, w->log, &old);
  if (!status) status = create_cache(w, start->changed ? 0 : keep);
  if (!status && old) status = replay(w, old, keep, start->changed);
  csim_cache_free(old);
  return status;
}

csim_status csim_output_create(const csim_scene *scene, const csim_world *world,
                               const csim_output_start *start, csim_log *log,
                               csim_output_writer **writer) {
  *writer = NULL;
  csim_output_writer *w = CSIM_NEW(csim_output_writer, 1);
  if (!w && start->folder >= 0) close(start->folder);
  if (!w) return CSIM_MEMORY;
  *w = (csim_output_writer){
      .scene = scene, .world = world, .log = log, .out = start->out, .folder = start->folder};
  char last[16];
  w->digits = snprintf(last, sizeof last, "%d", scene->frame_end);
  if (w->digits < MIN_DIGITS) w->digits = MIN_DIGITS;
  w->cache_path = csim_arena_print(&w->arena, "%s/%s.clothcache", w->out, scene->name);
  csim_status status = take_directory(w);
  // the record before anything is made or removed: by it, a run that is killed at once is known as
  // ours, and one that was complete no longer is
  int known = start->resume || start->overwrite;
  if (!status && !known) status = prepare_directory(w, start);
  if (!status) status = csim_output_record(w, "running", start->report);
  int recorded = !status;
  if (!status && start->overwrite && !start->resume) csim_resume_remove(w->out, 0);
  if (!status && known) status = prepare_directory(w, start);
  if (!status)
    status = csim_ledger_open(w->out, start->resume, start->after_frame, log, &w->ledger);
  if (!status) status = describe_objects(w, start->resume);
  if (!status) status = open_exports(w);
  if (!status && start->resume)
    status = resume_cache(w, start);
  else if (!status && scene->output.cache)
    status = create_cache(w, 0);
  if (status) {
    csim_run_report failed = *start->report;
    snprintf(failed.reason, sizeof failed.reason, "the files of frames could not be begun");
    w->log = NULL; // what failed is said already
    if (recorded) csim_output_record(w, "failed", &failed);
    csim_output_free(w);
    return status;
  }
  w->frames = start->resume;
  *writer = w;
  return CSIM_OK;
}

// ----------------------------------------------------------------------------------------- frames

static void to_units(double metres, ptrdiff_t n, const double *from, double *to) {
  if (metres == 1)
    memmove(to, from, (size_t)n * sizeof *to);
  else
    for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] / metres;
}

// The velocities with which a collider's own motion arrives at a time (at the start: leaves), by
// one-sided differences, as a key or the end of a run may follow: s (4 x(t + s h) - x(t + 2 s h) -
// 3 x(t)) / 2h.
static void collider_velocities(const csim_output_writer *w, const csim_collider *collider,
                                double time, ptrdiff_t n, double *v) {
  const double h = 1e-5; // [s] errors of rounding and of order h^2 are below what floats keep
  double side = time < 2 * h ? 1 : -1, over = side / (2 * h * w->scene->length_unit);
  csim_collider_vertices(collider, time + side * h, v);
  csim_collider_vertices(collider, time + 2 * side * h, w->earlier);
  for (ptrdiff_t i = 0; i < n; i++) v[i] = 4 * v[i] - w->earlier[i];
  csim_collider_vertices(collider, time, w->earlier);
  for (ptrdiff_t i = 0; i < n; i++) v[i] = over * (v[i] - 3 * w->earlier[i]);
}

// Positions (and velocities) of object k in the scene's units: w->x[k] and w->v[k].
static void gather(csim_output_writer *w, int k, double time, const csim_state *state) {
  const csim_model *model = w->world->model;
  double unit = w->scene->length_unit;
  if (k < model->nbody) {
    const csim_body *body = &model->body[k];
    ptrdiff_t n = 3 * (ptrdiff_t)body->nvert, first = 3 * (ptrdiff_t)body->vert0;
    if (w->x_room[k]) {
      to_units(unit, n, state->x + first, w->x_room[k]);
      if (w->v_room[k]) to_units(unit, n, state->v + first, w->v_room[k]);
    } else {
      w->x[k] = state->x + first;
      w->v[k] = w->object[k].has_velocity ? state->v + first : NULL;
    }
    return;
  }
  if (render_of(w->world, k)) return; // see place_renders
  int c = k - csim_world_first_collider(w->world);
  const csim_collider *collider = &w->world->collider[c];
  const csim_mesh *mesh = &w->world->collider_mesh[c];
  const double *real = csim_world_real_vertices(w->world, c, state);
  if (!real) csim_collider_vertices(collider, time, w->x_room[k]);
  to_units(unit, 3 * (ptrdiff_t)mesh->nvert, real ? real : w->x_room[k], w->x_room[k]);
  if (w->v_room[k])
    collider_velocities(w, collider, time, 3 * (ptrdiff_t)mesh->nvert, w->v_room[k]);
}

// Contact pressures of a body [Pa]; where a vertex has no area, 0.
static void gather_pressure(csim_output_writer *w, int k) {
  const csim_body *body = &w->world->model->body[k];
  for (int i = 0; i < body->nvert; i++)
    w->pressed.pressure[k][i] =
        w->pressed.area[k][i] > 0 ? w->pressed.force[body->vert0 + i] / w->pressed.area[k][i] : 0;
}

void csim_output_press(csim_output_writer *w, csim_solver *solver) {
  w->pressed.solver = solver;
}

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

void csim_output_take(csim_output_writer *w, int frame, double time, const csim_state *state,
                      const csim_frame_stats *stats) {
  w->taken.number = frame;
  w->taken.time = time;
  w->taken.stats = *stats;
  if (w->pressed.force && w->pressed.solver)
    csim_solver_press(w->pressed.solver, state, w->pressed.force);
  for (int k = 0; k < w->nobject; k++) {
    gather(w, k, time, state);
    if (w->pressed.pressure[k]) gather_pressure(w, k);
  }
}

// Notes the files of the frame: NAME_0001.obj, and those of formats that have a file a frame. What
// is made anew when a run is resumed is noted anew then, too.
static csim_status note_frame(csim_output_writer *w) {
  static const char *const formats[] = {"obj", "ply", "vtp"};
  const csim_output *output = &w->scene->output;
  int moving = csim_world_first_collider(w->world);
  csim_status status = CSIM_OK;
  for (int k = 0; k < 3 && !status; k++) {
    int wanted = k == 0 && output->obj;
    for (int f = 0; f < output->nformat; f++) wanted |= !strcmp(output->format[f], formats[k]);
    for (int o = 0; o < w->nobject && wanted && !status; o++) {
      char name[300];
      if (o >= moving && !output->colliders) break;
      snprintf(name, sizeof name, "%s_%0*d.%s", name_of(w->world, o), w->digits, w->taken.number,
               formats[k]);
      status = csim_ledger_add(w->ledger, 0, w->taken.number, name);
    }
  }
  return status ? status : csim_ledger_write(w->ledger, 0);
}

static csim_status write_stats(csim_output_writer *w) {
  const csim_frame_stats *stats = &w->taken.stats;
  char residual[32], text[320];
  csim_print_number(stats->residual, 6, residual);
  snprintf(text, sizeof text,
           "{\"substeps\": %lld, \"iterations\": %lld, \"linear_iterations\": %lld, "
           "\"contacts\": %lld, \"halved\": %lld, \"unconverged\": %lld, \"residual\": %s}",
           stats->substeps, stats->iterations, stats->linear_iterations, stats->contacts,
           stats->halved, stats->unconverged, residual);
  return csim_cache_put_stats(w->cache, text);
}

// Render meshes follow from what has been taken of their bodies.
static void place_renders(csim_output_writer *w) {
  for (int k = 0; k < w->nobject; k++) {
    csim_bound_mesh *render = render_of(w->world, k);
    if (!render) continue;
    double unit = w->scene->length_unit;
    const double *x = w->x[render->body], *v = w->v[render->body];
    csim_bind_place(&render->bind, x, unit, w->x_room[k]);
    if (v) csim_bind_velocity(&render->bind, x, v, unit, w->v_room[k]);
  }
}

csim_status csim_output_write(csim_output_writer *w) {
  const csim_output *output = &w->scene->output;
  int moving = csim_world_first_collider(w->world);
  csim_status status = CSIM_OK;
  place_renders(w);
  if (w->cache) status = csim_cache_begin_frame(w->cache, w->taken.number, w->taken.time);
  for (int k = 0; !status && k < w->nobject; k++) {
    if (output->obj && (k < moving || output->colliders)) status = write_obj(w, k, w->taken.number);
    if (!status && w->cache)
      status = csim_cache_put_pressed(w->cache, k, w->x[k], w->v[k], w->pressed.pressure[k]);
  }
  if (!status) status = export_frame(w, w->taken.number);
  if (!status) status = note_frame(w);
  if (!status && w->cache) status = write_stats(w);
  if (!status && w->cache) status = csim_cache_end_frame(w->cache);
  w->frames += !status;
  return status;
}

// run.json as text; NULL when out of memory. docs/run-report.md is its contract.
static char *print_record(const csim_scene *scene, const char *state,
                          const csim_run_report *report) {
  csim_json_out out = {0};
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scene->hash);
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "state", state);
  csim_json_text(&out, "reason", report->reason);
  csim_json_text(&out, "program", "clothsim");
  csim_json_text(&out, "version", CSIM_VERSION);
  csim_json_text(&out, "scene", scene->name);
  csim_json_text(&out, "scene_hash", hash);
  csim_json_integer(&out, "frame_start", scene->frame_start);
  csim_json_integer(&out, "frame_end", scene->frame_end);
  csim_json_integer(&out, "last_frame", report->last_frame);
  csim_json_bool(&out, "at_rest", report->at_rest);
  csim_json_integer(&out, "vertices", report->nvert);
  csim_json_integer(&out, "triangles", report->ntri);
  csim_json_integer(&out, "tetrahedra", report->ntet);
  csim_json_integer(&out, "springs", report->nspring);
  int kept = report->total.lag.value <= CSIM_ON_TIME && report->total.nlet_go == 0;
  csim_json_bool(&out, "contact_guarantee",
                 kept && scene->contact.response == CSIM_RESPONSE_FILTER);
  if (report->total.verified) {
    csim_json_integer(&out, "verified_substeps", report->total.verified);
    csim_json_integer(&out, "crossing_substeps", report->total.crossing);
  }
  csim_json_integer(&out, "substeps", report->total.taken);
  csim_json_integer(&out, "halved_substeps", report->total.halved);
  csim_json_integer(&out, "retaken_substeps", report->total.retaken);
  csim_json_integer(&out, "unconverged_substeps", report->total.unconverged);
  csim_json_integer(&out, "lagged_substeps", report->total.lagged);
  csim_json_open(&out, "worst", '{');
  csim_worst_print(scene, &report->total, &out);
  csim_json_close(&out, '}');
  csim_exceptions_print(scene, &report->total, &out);
  csim_json_close(&out, '}');
  csim_json_end(&out);
  if (!out.failed) return out.text;
  free(out.text);
  return NULL;
}

csim_status csim_output_record(csim_output_writer *w, const char *state,
                               const csim_run_report *report) {
  size_t size = strlen(w->out) + sizeof "/" CSIM_RECORD_NAME;
  char *path = csim_alloc((ptrdiff_t)size, 1), *text = print_record(w->scene, state, report);
  csim_file *file;
  csim_status status = CSIM_MEMORY;
  if (path && text) {
    snprintf(path, size, "%s/" CSIM_RECORD_NAME, w->out);
    status = csim_file_replace(path, w->log, &file);
    if (!status) {
      csim_file_text(file, text);
      status = csim_file_commit(file, 0);
    }
  }
  free(path);
  free(text);
  return status;
}

csim_status csim_output_sync(csim_output_writer *w) {
  csim_status status = csim_ledger_write(w->ledger, 1);
  return !status && w->cache ? csim_cache_sync(w->cache) : status;
}

void csim_output_forget_old(csim_output_writer *w) {
  char *aside = csim_arena_print(&w->arena, "%s.old", w->cache_path);
  if (aside) unlink(aside);
}

// Notes the files of the whole run, in the order of their names.
static csim_status note_films(csim_output_writer *w) {
  struct dirent **entry;
  int n = scandir(w->out, &entry, NULL, alphasort);
  csim_status status = CSIM_OK;
  if (n < 0) {
    csim_say(w->log, CSIM_ERROR, (csim_place){.file = w->out}, "cannot read this directory: %s",
             strerror(errno));
    return errno == ENOMEM ? CSIM_MEMORY : CSIM_IO;
  }
  for (int i = 0; i < n; i++) {
    const char *name = entry[i]->d_name;
    long long number;
    int other = !strcmp(name, CSIM_RECORD_NAME) || !strcmp(name, CSIM_LEDGER_NAME) ||
                !strncmp(name, CSIM_CHECKPOINT_NAME, strlen(CSIM_CHECKPOINT_NAME));
    if (!status && !other && classify(w->scene, name, &number) == OURS)
      status = csim_ledger_add(w->ledger, 1, 0, name);
    free(entry[i]);
  }
  free(entry);
  return status ? status : csim_ledger_write(w->ledger, 0);
}

csim_status csim_output_finish(csim_output_writer *w, int complete) {
  csim_status status = csim_cache_close(w->cache, complete);
  w->cache = NULL;
  // what a stopped run has of a film is worth keeping, to be looked at: going on writes it anew
  for (int k = 0; k < w->nexport; k++) {
    csim_status closed = csim_export_close(w->exports[k], w->frames > 0);
    if (!status) status = closed;
  }
  w->nexport = 0;
  if (!status && complete) status = note_films(w);
  return status;
}

void csim_output_free(csim_output_writer *w) {
  if (!w) return;
  csim_output_finish(w, 0);
  if (w->folder >= 0) close(w->folder);
  csim_ledger_free(w->ledger);
  csim_arena_free(&w->arena);
  free(w);
}
