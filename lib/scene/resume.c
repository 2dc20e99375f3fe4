// scene/resume.c: see resume.h.
#include "scene/resume.h"

#include "base/hash.h"
#include "io/json_write.h"
#include "scene/difference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const NAMES[2] = {CSIM_CHECKPOINT_NAME, CSIM_CHECKPOINT_NAME ".old"};

// ------------------------------------------------------------------------------------------ saving

// The scene says where meshes come from; what they were is told by these.
static void print_mesh(csim_json_out *out, const char *name, int nvert, uint64_t hash) {
  char text[17];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  csim_json_open_flat(out, NULL, '{');
  csim_json_text(out, "name", name);
  csim_json_integer(out, "vertices", nvert);
  csim_json_text(out, "content", text);
  csim_json_close(out, '}');
}

// META of a checkpoint; free(). NULL when out of memory.
static char *describe(const csim_scene *scene, const csim_world *world,
                      const csim_run_totals *totals) {
  const csim_model *model = world->model;
  csim_json_out out = {0};
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "program", "clothsim " CSIM_VERSION);
  csim_json_open_flat(&out, "totals", '{');
  csim_json_integer(&out, "substeps", totals->taken);
  csim_json_integer(&out, "halved", totals->halved);
  csim_json_integer(&out, "retaken", totals->retaken);
  csim_json_integer(&out, "unconverged", totals->unconverged);
  csim_json_integer(&out, "lagged", totals->lagged);
  csim_json_integer(&out, "verified", totals->verified);
  csim_json_integer(&out, "crossing", totals->crossing);
  csim_json_close(&out, '}');
  csim_json_open(&out, "meshes", '[');
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    uint64_t h = csim_mesh_hash(body->mesh);
    if (body->ntet) h = csim_hash_bytes(h, body->tet, 4 * (size_t)body->ntet * sizeof *body->tet);
    h = csim_hash_bytes(h, model->x0 + 3 * (ptrdiff_t)body->vert0,
                        3 * (size_t)body->nvert * sizeof *model->x0);
    print_mesh(&out, body->name, body->nvert, h);
  }
  for (int k = 0; k < world->ncollider + world->nghost; k++) {
    const csim_collider *collider = &world->collider[k];
    const csim_mesh *mesh = &world->collider_mesh[k];
    size_t size = 3 * (size_t)mesh->nvert * (size_t)collider->nframe * sizeof *collider->frame;
    print_mesh(&out, collider->name, mesh->nvert,
               csim_hash_bytes(csim_mesh_hash(mesh), collider->frame, size));
  }
  csim_json_close(&out, ']');
  csim_json_raw(&out, "scene", scene->resolved);
  csim_json_close(&out, '}');
  if (!out.failed) return out.text;
  free(out.text);
  return NULL;
}

static char *join(const char *out, const char *name, const char *suffix) {
  size_t size = strlen(out) + strlen(name) + strlen(suffix) + 2;
  char *path = CSIM_NEW(char, (ptrdiff_t)size);
  if (path) snprintf(path, size, "%s/%s%s", out, name, suffix);
  return path;
}

csim_status csim_resume_save(const csim_scene *scene, const csim_world *world, const char *out,
                             int frame, const csim_state *state, const csim_run_totals *totals,
                             csim_log *log) {
  char *meta = describe(scene, world, totals);
  char *now = join(out, NAMES[0], ""), *old = join(out, NAMES[1], ""),
       *next = join(out, NAMES[0], ".new");
  csim_status status = CSIM_MEMORY;
  if (meta && now && old && next) {
    // only when the new one is whole does the present one become the old one
    status = csim_checkpoint_write(next, frame, state, meta, log);
    if (!status && ((rename(now, old) && errno != ENOENT) || rename(next, now))) {
      csim_say(log, CSIM_ERROR, (csim_place){.file = next}, "cannot rename: %s", strerror(errno));
      status = CSIM_IO;
    }
  } else {
    csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "out of memory");
  }
  free(meta);
  free(now);
  free(old);
  free(next);
  return status;
}

void csim_resume_remove(const char *out, int keep_last) {
  for (int k = keep_last; k < 2; k++) {
    char *path = join(out, NAMES[k], "");
    if (path) unlink(path);
    free(path);
  }
}

// ----------------------------------------------------------------------------------------- finding

typedef struct record {
  int exists, complete, same_scene, frame_end;
} record;

static csim_status read_record(const csim_scene *scene, const char *out, record *r) {
  char *path = join(out, CSIM_RECORD_NAME, ""), hash[17];
  if (!path) return CSIM_MEMORY;
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scene->hash);
  csim_json json = {0};
  cJSON *tree = NULL;
  csim_status status = csim_json_read_file(&json, path, NULL, &tree);
  if (!status) {
    const cJSON *state = csim_json_get(tree, "state"), *of = csim_json_get(tree, "scene_hash"),
                *end = csim_json_get(tree, "frame_end");
    r->exists = 1;
    r->complete = cJSON_IsString(state) && !strcmp(state->valuestring, "complete");
    r->same_scene = cJSON_IsString(of) && !strcmp(of->valuestring, hash);
    if (cJSON_IsNumber(end)) {
      double number = csim_json_note_of(&json, end)->number;
      r->frame_end = number > -2e9 && number < 2e9 ? (int)number : 0;
    }
  }
  cJSON_Delete(tree);
  csim_json_free(&json);
  free(path);
  return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_OK;
}

// Whether the cache in `out` holds all frames up to one; that of an interrupted change of the scene
// stands aside.
static csim_status cache_reaches(const csim_scene *scene, const char *out, int frame,
                                 int *reaches) {
  csim_status status = CSIM_OK;
  *reaches = !scene->output.cache;
  for (int aside = 1; aside >= 0 && !*reaches && status != CSIM_MEMORY; aside--) {
    csim_cache *cache;
    char *path = join(out, scene->name, aside ? ".clothcache.old" : ".clothcache");
    status = path ? csim_cache_open(path, NULL, &cache) : CSIM_MEMORY;
    if (!status) {
      const csim_cache_info *info = csim_cache_get_info(cache);
      for (int f = info->nframe - 1; f >= 0 && !*reaches; f--) *reaches = info->number[f] == frame;
      csim_cache_free(cache);
    }
    free(path);
  }
  return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_OK;
}

// Whether the checkpoint at `path` can be gone on from; it is in resume->point then. `frames` gets
// its number added.
static csim_status try_checkpoint(const csim_scene *scene, const csim_run_options *options,
                                  const char *path, csim_log *log, csim_resume *resume,
                                  char frames[64]) {
  int reaches;
  if (access(path, F_OK)) return CSIM_OK;
  csim_status status = csim_checkpoint_read(path, log, &resume->point);
  if (status) return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_OK;
  size_t n = strlen(frames);
  int frame = resume->point.frame;
  snprintf(frames + n, 64 - n, "%s%d", n ? ", " : "", frame);
  if (!options->from_frame || frame == options->resume_from) {
    status = cache_reaches(scene, options->out, frame, &reaches);
    if (!status && reaches) {
      resume->found = 1;
      return CSIM_OK;
    }
    if (!status)
      csim_say(log, CSIM_WARNING, (csim_place){.file = path},
               "cannot be used: the cache does not hold all frames up to %d", frame);
  }
  csim_checkpoint_free(&resume->point);
  return status;
}

static csim_status refuse(csim_log *log, const char *out, const char *why) {
  csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "%s", why);
  return CSIM_INVALID;
}

csim_status csim_resume_find(const csim_scene *scene, const csim_run_options *options,
                             csim_log *log, csim_resume *resume) {
  *resume = (csim_resume){0};
  const char *out = options->out;
  record last = {0};
  char frames[64];
  csim_status status = read_record(scene, out, &last);
  if (status) return status;
  if (last.complete && last.same_scene && last.frame_end == scene->frame_end &&
      !options->from_frame) {
    resume->complete = 1;
    return CSIM_OK;
  }
  *frames = 0;
  for (int k = 0; k < 2 && !resume->found && !status; k++) {
    char *path = join(out, NAMES[k], "");
    status = path ? try_checkpoint(scene, options, path, log, resume, frames) : CSIM_MEMORY;
    free(path);
  }
  if (status) return status;
  if (resume->found && resume->point.frame > scene->frame_end) {
    csim_say(log, CSIM_ERROR, (csim_place){.file = out},
             "the run has come to frame %d already, which is after the last one wanted, %d",
             resume->point.frame, scene->frame_end);
    return CSIM_INVALID;
  }
  if (resume->found) return CSIM_OK;
  if (options->from_frame) {
    csim_say(log, CSIM_ERROR, (csim_place){.file = out}, "there is no checkpoint of frame %d; %s%s",
             options->resume_from, *frames ? "there are: " : "there is none at all", frames);
    return CSIM_INVALID;
  }
  if (last.exists && !last.same_scene)
    return refuse(log, out,
                  "holds a run of another scene and no checkpoint of it: choose another "
                  "directory, or give --overwrite instead of --resume");
  if (last.complete)
    return refuse(log, out,
                  "holds a complete run with another last frame and no checkpoint (such a run "
                  "leaves one with --checkpoint-every): give --overwrite instead of --resume");
  resume->replace = last.exists;
  return CSIM_OK;
}

void csim_resume_free(csim_resume *resume) {
  csim_checkpoint_free(&resume->point);
}

// --------------------------------------------------------------------------------------- comparing

static long long total(const csim_json *json, const cJSON *tree, const char *key) {
  const cJSON *item = csim_json_get(csim_json_get(tree, "totals"), key);
  double number = cJSON_IsNumber(item) ? csim_json_note_of(json, item)->number : 0;
  return number >= 0 && number < 9e15 ? (long long)number : 0;
}

// Whether a key must stay as it was, even where changes are allowed: files there are follow from
// it.
static int same_text(const csim_json *json, const cJSON *was, const cJSON *is, const char *part,
                     const char *key) {
  was = csim_json_get(was, "scene");
  is = csim_json_get(is, "scene");
  if (part) {
    was = csim_json_get(was, part);
    is = csim_json_get(is, part);
  }
  const cJSON *a = csim_json_get(was, key), *b = csim_json_get(is, key);
  if (cJSON_IsNumber(a) && cJSON_IsNumber(b))
    return csim_json_note_of(json, a)->number == csim_json_note_of(json, b)->number;
  return cJSON_Compare(a, b, 1);
}

static int same_meshes(const cJSON *was, const cJSON *is, const char *key) {
  const cJSON *a = csim_json_get(was, "meshes"), *b = csim_json_get(is, "meshes");
  a = a ? a->child : NULL;
  b = b ? b->child : NULL;
  for (; a && b; a = a->next, b = b->next)
    if (!cJSON_Compare(csim_json_get(a, key), csim_json_get(b, key), 1)) return 0;
  return !a && !b;
}

static int width_of(double frame) {
  char text[400];
  int n = snprintf(text, sizeof text, "%.0f", frame);
  return n < 4 ? 4 : n;
}

// What no permission helps against.
static const char *cannot_change(const csim_json *json, const csim_scene *scene, const cJSON *was,
                                 const cJSON *is) {
  const cJSON *end = csim_json_get(csim_json_get(csim_json_get(was, "scene"), "frames"), "end");
  if (!same_meshes(was, is, "name") || !same_meshes(was, is, "vertices"))
    return "objects and their numbers of vertices have to stay";
  if (!same_text(json, was, is, "frames", "start")) return "\"frames.start\" has to stay";
  if (!same_text(json, was, is, NULL, "name")) return "\"name\" has to stay: files carry it";
  if (!same_text(json, was, is, "output", "cache") ||
      !same_text(json, was, is, "output", "velocities") ||
      !same_text(json, was, is, "output", "pressures"))
    return "\"output.cache\", \"output.velocities\" and \"output.pressures\" have to stay";
  if (cJSON_IsNumber(end) && scene->output.obj &&
      width_of(csim_json_note_of(json, end)->number) != width_of(scene->frame_end))
    return "numbers in file names would get another width: \"frames.end\" has too many digits";
  return NULL;
}

static csim_status compare_trees(csim_json *json, const csim_scene *scene,
                                 const csim_run_options *options, csim_log *log,
                                 csim_resume *resume, const cJSON *was, const cJSON *is) {
  int allowed = options->from_frame && options->allow_changes;
  csim_difference d = {
      .json = json, .file = scene->file, .level = allowed ? CSIM_INFO : CSIM_ERROR, .log = log};
  csim_place place = {.file = scene->file};
  resume->totals = (csim_run_totals){.taken = total(json, was, "substeps"),
                                     .halved = total(json, was, "halved"),
                                     .retaken = total(json, was, "retaken"),
                                     .unconverged = total(json, was, "unconverged"),
                                     .lagged = total(json, was, "lagged"),
                                     .verified = total(json, was, "verified"),
                                     .crossing = total(json, was, "crossing")};
  int count = csim_tell_differences(&d, csim_json_get(was, "scene"), csim_json_get(is, "scene"));
  if (!cJSON_Compare(csim_json_get(was, "program"), csim_json_get(is, "program"), 1)) {
    csim_say(log, d.level, place, "the checkpoint is of another version of clothsim");
    count++;
  }
  if (!count && !same_meshes(was, is, "content")) {
    csim_say(log, d.level, place, "the contents of a mesh file have changed");
    count++;
  }
  if (d.memory) return CSIM_MEMORY;
  const char *never = cannot_change(json, scene, was, is);
  if (never) {
    csim_say(log, CSIM_ERROR, place, "cannot go on after frame %d: %s", resume->point.frame, never);
    return CSIM_INVALID;
  }
  resume->changed = count > 0;
  if (!count || allowed) return CSIM_OK;
  csim_say(log, CSIM_ERROR, place,
           "the scene has changed since the checkpoint of frame %d: undo that, or go on all the "
           "same with --resume-from %d --allow-changes, or start over with --overwrite",
           resume->point.frame, resume->point.frame);
  return CSIM_INVALID;
}

csim_status csim_resume_compare(const csim_scene *scene, const csim_world *world,
                                const csim_run_options *options, csim_log *log,
                                csim_resume *resume) {
  char *now = describe(scene, world, &(csim_run_totals){0});
  csim_json json = {0};
  cJSON *was = NULL, *is = NULL;
  csim_status status = CSIM_MEMORY;
  if (!now) goto done;
  status = csim_json_read_text(&json, "checkpoint", resume->point.meta, strlen(resume->point.meta),
                               log, &was);
  if (!status) status = csim_json_read_text(&json, "scene", now, strlen(now), log, &is);
  if (!status) status = compare_trees(&json, scene, options, log, resume, was, is);
  if (!status && (resume->point.state.nvert != world->model->nvert)) {
    csim_say(log, CSIM_ERROR, (csim_place){.file = scene->file},
             "the checkpoint has %d vertices, the scene %d", resume->point.state.nvert,
             world->model->nvert);
    status = CSIM_INVALID;
  }
done:
  if (status == CSIM_MEMORY)
    csim_say(log, CSIM_ERROR, (csim_place){.file = scene->file}, "out of memory");
  cJSON_Delete(was);
  cJSON_Delete(is);
  csim_json_free(&json);
  free(now);
  return status;
}
