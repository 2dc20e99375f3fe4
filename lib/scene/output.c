// scene/output.c: see output.h.
#include "scene/output.h"
#include "scene/conserved.h"
#include "scene/exceptions.h"
#include "scene/ledger.h"
#include "scene/gather.h"
#include "scene/inputs.h"
#include "scene/worst.h"

#include "base/number.h"
#include "io/file.h"
#include "io/json_write.h"
#include "io/obj_write.h"
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

struct csim_output_writer {
  csim_arena arena;
  const csim_scene *scene;
  const csim_world *world;
  csim_log *log;
  const char *out;
  int folder;                // the directory, locked; -1 = not open
  int digits;                // of frame numbers: constant over the run
  csim_ledger_list earlier;  // files of the run that was in the directory
  const char *earlier_scene; // its name; NULL: not known
  int earlier_whole;         // it was complete
  csim_gather g;             // data to be written
  const char *cache_path;
  csim_cache_writer *cache; // NULL when the scene wants none
  int nexport, nexported;   // exports open; objects they take
  csim_export **exports;    // (nexport)
  csim_cache_values *given; // (nexported) their data
  csim_ledger *ledger;      // of all files written
  int frames;               // written
  int finished;
  // the frame taken
  int frame;
  double time; // [s]
  csim_frame_stats stats;
};

// ---------------------------------------------------------------------------------- the directory

typedef enum file_kind { NOT_OURS, OURS, FRAME, TEMPORARY } file_kind;

// How a name ends, and the output that writes it: "obj", "cache", "points" (of any kind), a format,
// or NULL for every run.
typedef struct ending {
  const char *text, *output;
} ending;

static const ending RECORDS[] = {{"", NULL}, {NULL, NULL}};
static const ending CHECKPOINTS[] = {{"", NULL}, {".old", NULL}, {".new", NULL}, {NULL, NULL}};
static const ending RUN_FILES[] = {{".clothcache", "cache"},
                                   {".clothcache.part", "cache"},
                                   {".clothcache.old", "cache"},
                                   {".abc", "abc"},
                                   {".usda", "usda"},
                                   {".glb", "glb"},
                                   {".pvd", "vtp"},
                                   {NULL, NULL}};
static const ending POINTS[] = {{".pc2", "pc2"},
                                {".mdd", "mdd"},
                                {"_rest.ply", "points"},
                                {"_rest.obj", "points"},
                                {NULL, NULL}};
static const ending FRAMES[] = {{".obj", "obj"}, {".ply", "ply"}, {".vtp", "vtp"}, {NULL, NULL}};

// What a name says.
typedef struct naming {
  const ending *ending;
  long long number; // of a frame
  int digits;       // of the number, with its sign
  int collider;     // 1: of one
} naming;

// Whether the n characters of `file` are `name` followed by one of the endings; with `numbered` a
// frame number is before the ending. A name of inputs may have #### for it.
static int is_named(const char *file, size_t n, const char *name, const ending *endings,
                    int numbered, naming *found) {
  size_t at = strlen(name);
  if (n < at || strncmp(file, name, at)) return 0;
  if (numbered) {
    if (at == n || file[at] != '_') return 0;
    const char *begin = file + at + 1;
    char *end = (char *)(uintptr_t)begin + strspn(begin, "#");
    if (end == begin) found->number = strtoll(begin, &end, 10);
    if (end == begin) return 0;
    found->digits = (int)(end - begin);
    at = (size_t)(end - file);
  }
  for (; endings->text; endings++) {
    if (n - at != strlen(endings->text) || strncmp(file + at, endings->text, n - at)) continue;
    found->ending = endings;
    return 1;
  }
  return 0;
}

static file_kind kind_of(const csim_scene *scene, const char *file, size_t n, naming *found) {
  static const ending none = {"", NULL};
  *found = (naming){.ending = &none};
  if (is_named(file, n, CSIM_RECORD_NAME, RECORDS, 0, found) ||
      is_named(file, n, CSIM_LEDGER_NAME, RECORDS, 0, found) || csim_resume_kept(file, n) ||
      is_named(file, n, CSIM_CHECKPOINT_NAME, CHECKPOINTS, 0, found) ||
      is_named(file, n, scene->name, RUN_FILES, 0, found))
    return OURS;
  for (int o = 0; o < scene->nobject; o++) {
    const csim_object *object = &scene->object[o];
    found->collider = object->type == CSIM_OBJECT_COLLIDER;
    for (int k = -1; k < object->nrender; k++) {
      const char *name = k < 0 ? object->name : object->render[k].name;
      if (is_named(file, n, name, POINTS, 0, found)) return OURS;
      if (is_named(file, n, name, FRAMES, 1, found)) return FRAME;
    }
  }
  return NOT_OURS;
}

// Length of a name without the ".<pid>-<k>.tmp" that io/file.h appends; 0 if it has none.
static size_t temporary_stem(const char *file) {
  const char *end = file + strlen(file) - 4, *p = end;
  if (end <= file || strcmp(end, ".tmp")) return 0;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  if (p == end || p == file || p[-1] != '-') return 0;
  const char *dash = --p;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  return p == dash || p == file || p[-1] != '.' ? 0 : (size_t)(p - 1 - file);
}

// The kind of a file in the directory, for a run of this scene.
static file_kind classify(const csim_scene *scene, const char *file, naming *found) {
  if (!strncmp(file, ".spool.", 7) && strlen(file) == 13) return TEMPORARY; // see cache/export.c
  size_t stem = temporary_stem(file);
  if (!stem) return kind_of(scene, file, strlen(file), found);
  return kind_of(scene, file, stem, found) == NOT_OURS ? NOT_OURS : TEMPORARY;
}

static int digits_of(const csim_scene *scene) {
  char last[16];
  int n = snprintf(last, sizeof last, "%d", scene->frame_end);
  return n < MIN_DIGITS ? MIN_DIGITS : n;
}

// Whether a run has this output, see `ending`.
static int has_output(const csim_output *output, const char *name) {
  if (!name) return 1;
  if (!strcmp(name, "cache")) return output->cache;
  if (!strcmp(name, "points")) return has_output(output, "pc2") || has_output(output, "mdd");
  int has = output->obj && !strcmp(name, "obj");
  for (int k = 0; k < output->nformat; k++) has |= !strcmp(output->format[k], name);
  return has;
}

// Whether the run itself will write this file, or a part of it that was stopped has; of frames, one
// after after_frame.
static int will_write(const csim_scene *scene, const char *file, int after_frame) {
  naming found;
  file_kind kind = classify(scene, file, &found);
  if (kind == NOT_OURS || !has_output(&scene->output, found.ending->output) ||
      (found.collider && !scene->output.colliders))
    return 0;
  if (kind != FRAME) return kind == OURS;
  char text[24];
  int n = snprintf(text, sizeof text, "%0*lld", digits_of(scene), found.number);
  return n == found.digits && found.number > after_frame && found.number >= scene->frame_start &&
         found.number <= scene->frame_end;
}

static csim_status remove_file(const char *out, int folder, const char *name, csim_log *log) {
  if (!unlinkat(folder, name, 0) || errno == ENOENT) return CSIM_OK;
  return csim_fail(log, CSIM_IO, csim_in_file(out), "cannot remove %s: %s", name, strerror(errno));
}

static DIR *open_directory(const char *out, csim_log *log) {
  DIR *dir = opendir(out);
  if (!dir) csim_fail_system(log, out, "read this directory", errno);
  return dir;
}

csim_status csim_output_sweep(const csim_scene *scene, const char *out, int folder, csim_log *log) {
  csim_status status = CSIM_OK;
  DIR *dir = open_directory(out, log);
  for (struct dirent *entry; dir && !status && (entry = readdir(dir));) {
    naming found;
    if (classify(scene, entry->d_name, &found) == TEMPORARY)
      status = remove_file(out, folder, entry->d_name, log);
  }
  if (dir) closedir(dir);
  return dir ? status : CSIM_IO;
}

// On a file system without such locks other runs are not kept out.
csim_status csim_output_enter(const char *out, csim_log *log, int *folder) {
  *folder = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*folder < 0) {
    if (errno == ENOENT) return CSIM_OK;
    return csim_fail_system(log, out, "open this directory", errno);
  }
  if (!csim_lock(*folder, out, log)) return CSIM_OK;
  csim_say(log, CSIM_ERROR, csim_in_file(out), "another clothsim is writing into this directory");
  close(*folder);
  *folder = -1;
  return CSIM_IO;
}

static csim_status take_directory(csim_output_writer *w) {
  if (w->folder >= 0) return CSIM_OK;
  csim_status status = csim_make_directories(w->out, w->log);
  if (!status) status = csim_output_enter(w->out, w->log, &w->folder);
  if (status || w->folder >= 0) return status;
  return csim_fail(w->log, CSIM_IO, csim_in_file(w->out), "this directory has gone again");
}

// Whether a name, in which # stands for a digit, is this one.
static int is_like(const char *pattern, const char *name) {
  for (; *pattern && *name; pattern++, name++)
    if (*pattern != *name && !(*pattern == '#' && *name >= '0' && *name <= '9')) return 0;
  return *pattern == *name;
}

// Whether the run would replace or remove what has this name.
static int would_replace(const void *writer, const char *name) {
  const csim_output_writer *w = writer;
  naming found;
  int would = classify(w->scene, name, &found) != NOT_OURS;
  for (ptrdiff_t k = 0; k < w->earlier.n && !would; k++)
    would = is_like(name, w->earlier.file[k].name);
  return would;
}

// What the scene reads must not be removed, or replaced by frames.
static csim_status spare_inputs(const csim_output_writer *w) {
  const char *input = csim_inputs_within(w->scene, w->folder, would_replace, w);
  if (!input) return CSIM_OK;
  csim_say(w->log, CSIM_ERROR, csim_in_file(input),
           "this is read for the scene, and a run in %s would replace it: choose another "
           "directory, or put it elsewhere",
           w->out);
  return CSIM_INVALID;
}

// Whether an output of any run can have this name of n characters: a forged ledger may name
// anything.
static int has_ending(const char *name, size_t n) {
  static const ending *const lists[] = {RUN_FILES, POINTS, FRAMES};
  for (int l = 0; l < 3; l++)
    for (const ending *e = lists[l]; e->text; e++) {
      size_t m = strlen(e->text);
      if (n > m && !strncmp(name + n - m, e->text, m)) return 1;
    }
  return 0;
}

static csim_status remove_regular(const csim_output_writer *w, const char *name) {
  struct stat st;
  if (fstatat(w->folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) return CSIM_OK;
  return remove_file(w->out, w->folder, name, w->log);
}

// Finds what the earlier run has left: its ledger, and the name of its scene, which an unfinished
// cache carries.
static csim_status find_earlier(csim_output_writer *w) {
  csim_status status = csim_ledger_list_read(w->out, w->log, &w->earlier);
  char *path = csim_print("%s/%s", w->out, CSIM_RECORD_NAME);
  csim_json json = {0};
  cJSON *tree = NULL;
  if (!status && !path) status = csim_fail_memory(w->log, w->out);
  if (!status && csim_json_read_file(&json, path, NULL, &tree) == CSIM_OK) {
    const cJSON *scene = csim_json_get(tree, "scene"), *state = csim_json_get(tree, "state");
    w->earlier_whole = cJSON_IsString(state) && !strcmp(state->valuestring, "complete");
    if (cJSON_IsString(scene) && !strchr(scene->valuestring, '/'))
      w->earlier_scene = csim_arena_copy(&w->arena, scene->valuestring);
  }
  cJSON_Delete(tree);
  csim_json_free(&json);
  free(path);
  return status;
}

// Removes the file of the next frame: a run that was killed may have written it and not listed it.
static csim_status remove_next(const csim_output_writer *w, const csim_ledger_file *file) {
  const char *name = file->name, *dot = strrchr(name, '.'), *number = dot;
  while (number > name && number[-1] >= '0' && number[-1] <= '9') number--;
  if (number == dot || file->frame == INT_MAX) return CSIM_OK;
  if (number > name && number[-1] == '-') number--;
  char *next = csim_print("%.*s%0*d%s", (int)(number - name), name, (int)(dot - number),
                          file->frame + 1, dot);
  csim_status status = next ? remove_regular(w, next) : csim_fail_memory(w->log, w->out);
  free(next);
  return status;
}

// Removes the files that the ledger of the earlier run names; of frames, those after after_frame.
static csim_status remove_earlier(csim_output_writer *w, int whole, int after_frame) {
  static const char *const unfinished[] = {".clothcache.part", ".clothcache.old"};
  csim_status status = CSIM_OK;
  int last = INT_MIN;
  for (ptrdiff_t k = 0; k < w->earlier.n; k++)
    if (!w->earlier.file[k].whole && w->earlier.file[k].frame > last)
      last = w->earlier.file[k].frame;
  for (ptrdiff_t k = 0; k < w->earlier.n && !status; k++) {
    const csim_ledger_file *file = &w->earlier.file[k];
    if (!has_ending(file->name, strlen(file->name))) continue;
    if (!file->whole && file->frame == last && last >= after_frame && !w->earlier_whole)
      status = remove_next(w, file);
    if (status) break;
    if ((file->whole ? whole : file->frame > after_frame)) status = remove_regular(w, file->name);
  }
  for (int k = 0; k < 2 && whole && w->earlier_scene && !status; k++) {
    char *name = csim_print("%s%s", w->earlier_scene, unfinished[k]);
    status = name ? remove_regular(w, name) : csim_fail_memory(w->log, w->out);
    free(name);
  }
  return status;
}

// Removes the files of an earlier run: those of its ledger, and those that this run will write. The
// record and the ledger stay until they are written anew: with them the remaining files are known
// to be a run's, wherever this is interrupted.
static csim_status prepare_directory(csim_output_writer *w, const csim_output_start *start) {
  int known = start->resume || start->overwrite;
  int after_frame = start->resume ? start->after_frame : INT_MIN;
  csim_status status = csim_output_sweep(w->scene, w->out, w->folder, w->log);
  if (!status && known) status = remove_earlier(w, !start->resume, after_frame);
  if (w->earlier_scene && start->overwrite && !w->earlier.n &&
      (!w->earlier.text || *w->earlier.text))
    csim_say(
        w->log, CSIM_WARNING, csim_in_file(w->out),
        "of the earlier run only files that this one writes are replaced: its " CSIM_LEDGER_NAME
        " is missing or damaged");
  DIR *dir = status ? NULL : open_directory(w->out, w->log);
  if (!dir) return status ? status : CSIM_IO;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    naming found;
    if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
    if (!known)
      status = csim_refuse(w->log, csim_in_file(w->out),
                           "this directory is not empty (%s); choose another, or give --overwrite "
                           "to replace an earlier run, or --resume to continue one",
                           name);
    else if (!strcmp(name, CSIM_RECORD_NAME) || !strcmp(name, CSIM_LEDGER_NAME) ||
             (start->resume && classify(w->scene, name, &found) != FRAME))
      continue;
    else if (will_write(w->scene, name, after_frame) ||
             (start->overwrite && has_ending(name, temporary_stem(name))))
      status = remove_file(w->out, w->folder, name, w->log);
  }
  closedir(dir);
  return status;
}

// ----------------------------------------------------------------------------------------- cache

// META of the cache: program and scene, and the pinned vertices, unless there are so many that the
// list would be a burden.
static void describe_run(const csim_output_writer *w, csim_json_out *meta) {
  enum { MOST_PINS = 1 << 20 };
  const csim_scene *scene = w->scene;
  const csim_model *model = w->world->model;
  csim_json_open_flat(meta, NULL, '{');
  csim_json_text(meta, "generator", "clothsim " CSIM_VERSION);
  csim_json_text(meta, "scene", scene->name);
  csim_json_hash(meta, "scene_hash", scene->hash);
  csim_json_number(meta, "meters_per_unit", scene->length_unit);
  if (scene->output.nshare) {
    csim_json_open(meta, "samples", '[');
    for (int s = 0; s < scene->output.nshare; s++)
      csim_json_number(meta, NULL, scene->output.share[s]);
    csim_json_close(meta, ']');
  }
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
  for (int k = 0; !status && k < w->g.nobject; k++)
    status = csim_cache_add_object(w->cache, &w->g.object[k]);
  return status ? status : csim_cache_begin(w->cache);
}

static csim_status open_exports(csim_output_writer *w) {
  const csim_scene *scene = w->scene;
  w->nexported = scene->output.colliders ? w->g.nobject : csim_world_first_collider(w->world);
  w->exports = CSIM_ARENA_NEW(&w->arena, csim_export *, scene->output.nformat);
  w->given = CSIM_ARENA_NEW(&w->arena, csim_cache_values, w->nexported);
  if (w->arena.failed) return CSIM_MEMORY;
  int *rigid = scene->output.transforms ? CSIM_ARENA_NEW(&w->arena, int, w->nexported) : NULL;
  if (w->arena.failed) return CSIM_MEMORY;
  for (int k = csim_world_first_collider(w->world); rigid && k < w->nexported; k++)
    rigid[k] = w->world->collider[k - csim_world_first_collider(w->world)].nframe <= 1;
  for (int k = 0; k < scene->output.nformat; k++) {
    csim_export_options options = {.format = scene->output.format[k],
                                   .directory = w->out,
                                   .name = scene->name,
                                   .fps = scene->fps,
                                   .last_number = scene->frame_end,
                                   .up = scene->up,
                                   .unit = scene->length_unit,
                                   .velocities = scene->output.velocities,
                                   .nsample = scene->output.nshare,
                                   .rigid = rigid};
    memcpy(options.share, scene->output.share, sizeof options.share);
    csim_status status =
        csim_export_open(&options, w->nexported, w->g.object, w->log, &w->exports[k]);
    if (status) return status;
    w->nexport++;
  }
  return CSIM_OK;
}

// Exports use positions as rounded in the cache, so that they can be written again from it.
static csim_status export_frame(csim_output_writer *w, int frame) {
  csim_status status = CSIM_OK;
  for (int k = 0; w->nexport && k < w->nexported; k++) csim_gather_round(&w->g, k);
  // before the first frame nothing is simulated
  for (int k = 0; k < w->nexported; k++) {
    w->given[k] = w->g.value[k];
    if (frame == w->scene->frame_start) w->given[k].sample_x = w->given[k].sample_v = NULL;
  }
  for (int k = 0; !status && k < w->nexport; k++)
    status = csim_export_values(w->exports[k], frame, w->given);
  return status;
}

// Adds the files of a frame to the ledger: NAME_0001.obj, and those of formats with a file per
// frame.
static csim_status note_frame(csim_output_writer *w, int frame) {
  static const char *const formats[] = {"obj", "ply", "vtp"};
  const csim_output *output = &w->scene->output;
  int first_collider = csim_world_first_collider(w->world);
  csim_status status = CSIM_OK;
  for (int k = 0; k < 3 && !status; k++) {
    int wanted = has_output(output, formats[k]);
    for (int o = 0; o < w->g.nobject && wanted && !status; o++) {
      char name[300];
      if (o >= first_collider && !output->colliders) break;
      snprintf(name, sizeof name, "%s_%0*d.%s", csim_gather_name(w->world, o), w->digits, frame,
               formats[k]);
      status = csim_ledger_add(w->ledger, 0, frame, name);
    }
  }
  return status ? status : csim_ledger_write(w->ledger, 0);
}

// ---------------------------------------------------------------------------------------- resuming

// Passes the kept frames to the exports and, with a changed scene, to the new cache. Files that
// exports write again enter the ledger again, and in the same order those beside them.
static csim_status replay(csim_output_writer *w, csim_cache *old, int keep, int copy) {
  const csim_cache_info *info = csim_cache_get_info(old);
  csim_status status = CSIM_OK;
  if (!csim_gather_fits(&w->g, info))
    return csim_refuse(w->log, csim_in_file(info->file), "the cache has other objects");
  for (int f = 0; !status && f < keep; f++) {
    status = csim_gather_read(&w->g, old, f);
    if (!status && copy) status = csim_cache_begin_frame(w->cache, info->number[f], info->time[f]);
    for (int k = 0; !status && copy && k < w->g.nobject; k++)
      status = csim_cache_put_values(w->cache, k, &w->g.value[k]);
    const char *stats = !status && copy ? csim_cache_read_stats(old, f) : NULL;
    if (stats) status = csim_cache_put_stats(w->cache, stats);
    if (!status && copy) status = csim_cache_end_frame(w->cache);
    if (!status) status = export_frame(w, (int)info->number[f]);
    if (!status && w->nexport) status = note_frame(w, (int)info->number[f]);
  }
  return status;
}

static csim_status rename_file(csim_output_writer *w, const char *from, const char *to) {
  if (!rename(from, to)) return CSIM_OK;
  return csim_fail_system(w->log, from, "rename", errno);
}

// With a changed scene the old cache keeps another name until a checkpoint of the new scene is
// written. If such a run was killed before that, it has that name already.
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
    return csim_refuse(w->log, csim_in_file(scene->file),
                       "\"output.formats\" without \"output.cache\" cannot be resumed: earlier "
                       "frames would have to be written again from the cache");
  }
  if (scene->output.nformat && scene->output.cache_error > 0)
    csim_say(w->log, CSIM_WARNING, csim_in_file(scene->file),
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
  w->digits = digits_of(scene);
  w->cache_path = csim_arena_print(&w->arena, "%s/%s.clothcache", w->out, scene->name);
  csim_status status = take_directory(w);
  if (!status) status = find_earlier(w);
  if (!status) status = spare_inputs(w);
  // write the record before anything is created or removed: a run that is killed at once is then
  // known to be ours, and one that was complete no longer counts as complete
  int known = start->resume || start->overwrite;
  if (!status && !known) status = prepare_directory(w, start);
  if (!status) status = csim_output_record(w, "running", start->report);
  int recorded = !status;
  if (!status && start->overwrite && !start->resume) csim_resume_remove(w->out, 0);
  if (!status && known) status = prepare_directory(w, start);
  csim_ledger_list_free(&w->earlier);
  if (!status)
    status = csim_ledger_open(w->out, start->resume && !scene->output.nformat, start->after_frame,
                              log, &w->ledger);
  if (!status) status = csim_gather_create(scene, world, start->resume, &w->arena, &w->g);
  if (!status) status = open_exports(w);
  if (!status && start->resume)
    status = resume_cache(w, start);
  else if (!status && scene->output.cache)
    status = create_cache(w, 0);
  if (status) {
    csim_run_report failed = *start->report;
    snprintf(failed.reason, sizeof failed.reason, "the files of frames could not be begun");
    w->log = NULL; // the failure is reported already
    if (recorded) csim_output_record(w, "failed", &failed);
    csim_output_free(w);
    return status;
  }
  w->frames = start->resume;
  *writer = w;
  return CSIM_OK;
}

// ----------------------------------------------------------------------------------------- frames

void csim_output_follow(csim_output_writer *w, csim_solver *solver) {
  w->g.solver = solver;
}

static csim_status write_obj(csim_output_writer *w, int k, int frame) {
  char *path =
      csim_print("%s/%s_%0*d.obj", w->out, csim_gather_name(w->world, k), w->digits, frame);
  if (!path) return CSIM_MEMORY;
  csim_status status = csim_obj_write(path, csim_gather_mesh(w->world, k), w->g.value[k].x,
                                      w->scene->output.obj_digits, w->log);
  free(path);
  return status;
}

void csim_output_take(csim_output_writer *w, int frame, double time, const csim_state *state,
                      const csim_samples *samples, const csim_frame_stats *stats) {
  w->frame = frame;
  w->time = time;
  w->stats = *stats;
  csim_gather_take(&w->g, time, state, samples);
}

static csim_status write_stats(csim_output_writer *w) {
  const csim_frame_stats *stats = &w->stats;
  char residual[32], text[320];
  csim_print_number(stats->residual, 6, residual);
  snprintf(text, sizeof text,
           "{\"substeps\": %lld, \"iterations\": %lld, \"linear_iterations\": %lld, "
           "\"contacts\": %lld, \"halved\": %lld, \"unconverged\": %lld, \"residual\": %s}",
           stats->substeps, stats->iterations, stats->linear_iterations, stats->contacts,
           stats->halved, stats->unconverged, residual);
  return csim_cache_put_stats(w->cache, text);
}

csim_status csim_output_write(csim_output_writer *w) {
  const csim_output *output = &w->scene->output;
  int first_collider = csim_world_first_collider(w->world);
  csim_status status = CSIM_OK;
  csim_gather_renders(&w->g);
  if (w->cache) status = csim_cache_begin_frame(w->cache, w->frame, w->time);
  for (int k = 0; !status && k < w->g.nobject; k++) {
    if (output->obj && (k < first_collider || output->colliders))
      status = write_obj(w, k, w->frame);
    if (!status && w->cache) status = csim_cache_put_values(w->cache, k, &w->g.value[k]);
  }
  if (!status) status = export_frame(w, w->frame);
  if (!status) status = note_frame(w, w->frame);
  if (!status && w->cache) status = write_stats(w);
  if (!status && w->cache) status = csim_cache_end_frame(w->cache);
  w->frames += !status;
  return status;
}

// run.json as text; NULL when out of memory. Documented in docs/run-report.md.
static char *print_record(const csim_scene *scene, const char *state,
                          const csim_run_report *report) {
  csim_json_out out = {0};
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "state", state);
  csim_json_text(&out, "reason", report->reason);
  csim_json_text(&out, "program", "clothsim");
  csim_json_text(&out, "version", CSIM_VERSION);
  csim_json_text(&out, "scene", scene->name);
  csim_json_hash(&out, "scene_hash", scene->hash);
  csim_json_integer(&out, "frame_start", scene->frame_start);
  csim_json_integer(&out, "frame_end", scene->frame_end);
  csim_json_integer(&out, "last_frame", report->last_frame);
  csim_json_bool(&out, "at_rest", report->at_rest);
  csim_json_integer(&out, "vertices", report->nvert);
  csim_json_integer(&out, "triangles", report->ntri);
  csim_json_integer(&out, "tetrahedra", report->ntet);
  csim_json_integer(&out, "springs", report->nspring);
  int kept = report->total.lag.value <= CSIM_ON_TIME && report->total.nreleased == 0 &&
             report->crossings_at_start == 0;
  csim_json_bool(&out, "contact_guarantee",
                 kept && scene->contact.response == CSIM_RESPONSE_FILTER);
  csim_json_integer(&out, "crossings_at_start", report->crossings_at_start);
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
  csim_conserved_print(&report->total.conserved, &out);
  csim_json_close(&out, '}');
  csim_exceptions_print(scene, &report->total, &out);
  csim_json_close(&out, '}');
  return csim_json_end(&out);
}

// On a full disk a record cannot be replaced, but its state can be changed where it is.
static void fail_in_place(const char *path) {
  static const char RUNNING[] = "\"state\": \"running\"", FAILED[] = "\"state\": \"failed\" ";
  char head[64];
  int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = pread(fd, head, sizeof head - 1, 0);
  head[n > 0 ? n : 0] = 0;
  const char *at = strstr(head, RUNNING);
  if (at) (void)!pwrite(fd, FAILED, sizeof FAILED - 1, at - head);
  close(fd);
}

csim_status csim_output_record(csim_output_writer *w, const char *state,
                               const csim_run_report *report) {
  char *path = csim_print("%s/" CSIM_RECORD_NAME, w->out);
  char *text = print_record(w->scene, state, report);
  csim_file *file;
  csim_status status = CSIM_MEMORY;
  if (path && text) {
    status = csim_file_replace(path, w->log, &file);
    if (!status) {
      csim_file_text(file, text);
      status = csim_file_commit(file, 0);
    }
  }
  if (status && path && !strcmp(state, "failed")) fail_in_place(path);
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

// Adds the files of the whole run to the ledger, in the order of their names.
static csim_status note_run_files(csim_output_writer *w, int complete) {
  struct dirent **entry;
  int n = scandir(w->out, &entry, NULL, alphasort);
  csim_status status = CSIM_OK;
  if (n < 0)
    return errno == ENOMEM ? csim_fail_memory(w->log, w->out)
                           : csim_fail_system(w->log, w->out, "read this directory", errno);
  for (int i = 0; i < n; i++) {
    const char *name = entry[i]->d_name;
    int other = !strcmp(name, CSIM_RECORD_NAME) || !strcmp(name, CSIM_LEDGER_NAME) ||
                !strncmp(name, CSIM_CHECKPOINT_NAME, strlen(CSIM_CHECKPOINT_NAME));
    if (!status && !other && will_write(w->scene, name, INT_MAX))
      status = complete ? csim_ledger_add(w->ledger, 1, 0, name)
                        : csim_ledger_add_partial(w->ledger, name);
    free(entry[i]);
  }
  free(entry);
  return status ? status : csim_ledger_write(w->ledger, 0);
}

csim_status csim_output_finish(csim_output_writer *w, int complete) {
  if (w->finished) return CSIM_OK;
  w->finished = 1;
  csim_status status = csim_cache_close(w->cache, complete);
  w->cache = NULL;
  // keep the files of a stopped run, for inspection: resuming writes them again
  for (int k = 0; k < w->nexport; k++) {
    csim_status closed = csim_export_close(w->exports[k], w->frames > 0);
    if (!status) status = closed;
  }
  w->nexport = 0;
  if (!status && w->ledger) status = note_run_files(w, complete);
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
