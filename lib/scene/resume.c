// scene/resume.c: see resume.h.
#include "scene/resume.h"
#include "scene/conserved.h"
#include "scene/exceptions.h"
#include "scene/ledger.h"
#include "scene/worst.h"

#include "base/hash.h"
#include "io/file.h"
#include "io/json_write.h"
#include "scene/difference.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char KEPT[] = CSIM_CHECKPOINT_NAME "-";
static const char *const NAMES[2] = {CSIM_CHECKPOINT_NAME, CSIM_CHECKPOINT_NAME ".old"};

// ------------------------------------------------------------------------------------------ saving

static void open_mesh(csim_json_out *out, const char *name, int nvert, uint64_t hash) {
  csim_json_open_flat(out, NULL, '{');
  csim_json_text(out, "name", name);
  csim_json_integer(out, "vertices", nvert);
  csim_json_hash(out, "content", hash);
}

// Describes a mesh by its contents: the scene has only its path.
static void print_mesh(csim_json_out *out, const char *name, int nvert, uint64_t hash) {
  open_mesh(out, name, nvert, hash);
  csim_json_close(out, '}');
}

// Describes every frame of a deforming collider in the run; a longer run has more of them.
static void print_collider(csim_json_out *out, const csim_collider *collider,
                           const csim_mesh *mesh) {
  ptrdiff_t n = csim_xyz(mesh->nvert);
  open_mesh(out, collider->name, mesh->nvert, csim_mesh_hash(mesh));
  csim_json_open_flat(out, "frames", '[');
  for (int f = 0; f < collider->nframe; f++) {
    uint64_t h =
        csim_hash_bytes(CSIM_HASH_START, collider->frame + n * f, (size_t)n * sizeof(double));
    if (collider->frame_time) h = csim_hash_bytes(h, &collider->frame_time[f], sizeof(double));
    csim_json_hash(out, NULL, h);
  }
  csim_json_close(out, ']');
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
  csim_worst_print(scene, totals, &out);
  csim_conserved_save(&totals->conserved, &out);
  csim_exceptions_print(scene, totals, &out);
  csim_json_close(&out, '}');
  csim_json_open(&out, "meshes", '[');
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    uint64_t h = csim_mesh_hash(csim_body_shown(body));
    if (body->ntet) h = csim_hash_bytes(h, body->tet, 4 * (size_t)body->ntet * sizeof *body->tet);
    h = csim_hash_bytes(h, model->x0 + csim_xyz(body->vert0),
                        3 * (size_t)body->ncommon * sizeof *model->x0);
    if (model->v0)
      h = csim_hash_bytes(h, model->v0 + csim_xyz(body->vert0),
                          3 * (size_t)body->ncommon * sizeof *model->v0);
    print_mesh(&out, body->name, csim_body_nshown(body), h);
  }
  for (int k = 0; world->renders && k < world->renders->n; k++) {
    const csim_bound_mesh *render = &world->renders->mesh[k];
    print_mesh(&out, render->name, render->mesh.nvert, csim_mesh_hash(&render->mesh));
  }
  for (int k = 0; k < world->ncollider + world->nghost; k++) {
    print_collider(&out, &world->collider[k], &world->collider_mesh[k]);
  }
  csim_json_close(&out, ']');
  csim_json_raw(&out, "scene", scene->resolved);
  csim_json_close(&out, '}');
  return csim_json_take(&out);
}

int csim_resume_kept(const char *file, size_t n) {
  size_t stem = strlen(KEPT);
  if (n <= stem || strncmp(file, KEPT, stem)) return 0;
  if (file[stem] == '-') stem++;
  return n > stem && strspn(file + stem, "0123456789") == n - stem;
}

// Links a second name to the checkpoint, which remains when the first is replaced.
static csim_status keep_checkpoint(const char *out, const char *now, int frame, csim_log *log) {
  char *kept = csim_print("%s/%s%d", out, KEPT, frame);
  if (!kept) return csim_fail_memory(log, out);
  csim_status status = CSIM_OK;
  if ((unlink(kept) && errno != ENOENT) || link(now, kept))
    status = csim_fail_system(log, kept, "keep this checkpoint", errno);
  free(kept);
  return status;
}

csim_status csim_resume_save(const csim_scene *scene, const csim_world *world, const char *out,
                             const csim_resume_point *point, int keep, csim_log *log) {
  char *meta = describe(scene, world, point->totals);
  char *now = csim_print("%s/%s", out, NAMES[0]), *old = csim_print("%s/%s", out, NAMES[1]);
  char *next = csim_print("%s/%s.new", out, NAMES[0]);
  csim_status status;
  if (meta && now && old && next) {
    // replace the old checkpoint only when the new one is complete
    status = csim_checkpoint_write(next, point->frame, point->state, meta, log);
    if (!status && ((rename(now, old) && errno != ENOENT) || rename(next, now)))
      status = csim_fail_system(log, next, "rename", errno);
    if (!status && keep) status = keep_checkpoint(out, now, point->frame, log);
    if (!status) csim_sync_directory(now);
  } else {
    status = csim_fail_memory(log, out);
  }
  free(meta);
  free(now);
  free(old);
  free(next);
  return status;
}

void csim_resume_remove(const char *out, int keep_last) {
  for (int k = keep_last; k < 2; k++) {
    char *path = csim_print("%s/%s", out, NAMES[k]);
    if (path) unlink(path);
    free(path);
  }
}

// ----------------------------------------------------------------------------------------- finding

typedef struct record {
  int exists, complete, same_scene, frame_end, last_frame;
} record;

static csim_status read_record(const csim_scene *scene, const char *out, csim_log *log, record *r) {
  char *path = csim_print("%s/%s", out, CSIM_RECORD_NAME), hash[17];
  if (!path) return csim_fail_memory(log, out);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scene->hash);
  csim_json json = {0};
  cJSON *tree = NULL;
  csim_status status = csim_json_read_file(&json, path, NULL, &tree);
  if (!status) {
    const cJSON *state = csim_json_get(tree, "state"), *of = csim_json_get(tree, "scene_hash"),
                *end = csim_json_get(tree, "frame_end"),
                *reached = csim_json_get(tree, "last_frame");
    r->exists = 1;
    r->complete = cJSON_IsString(state) && !strcmp(state->valuestring, "complete");
    if (cJSON_IsNumber(reached)) {
      double number = csim_json_note_of(&json, reached)->number;
      // more frames than any run has would only cost memory
      if (number >= scene->frame_start - 1.0 && number < scene->frame_start + 1e8)
        r->last_frame = (int)number;
    }
    r->same_scene = cJSON_IsString(of) && !strcmp(of->valuestring, hash);
    if (cJSON_IsNumber(end)) {
      double number = csim_json_note_of(&json, end)->number;
      r->frame_end = number > -2e9 && number < 2e9 ? (int)number : 0;
    }
  }
  cJSON_Delete(tree);
  csim_json_free(&json);
  free(path);
  return status == CSIM_MEMORY ? csim_fail_memory(log, out) : CSIM_OK;
}

// Whether the first n frames of a cache can be read. One without an index, of a run that was
// stopped, ends before the first damage: csim_cache_open has looked for it.
static csim_status is_readable(csim_cache *cache, int n, int *readable) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  float *x = NULL;
  ptrdiff_t capacity = 0;
  csim_status status = CSIM_OK;
  for (int f = 0; f < n && info->complete && !status; f++) {
    if (!csim_cache_read_stats(cache, f)) status = CSIM_IO;
    for (int o = 0; o < info->nobject && !status; o++) {
      if (CSIM_GROW(x, capacity, csim_row(6, info->object[o].nvert))) {
        status = CSIM_MEMORY;
        break;
      }
      ptrdiff_t xyz = csim_xyz(info->object[o].nvert);
      status = csim_cache_read(cache, o, f, x, x + xyz);
      if (!status) status = csim_cache_read_pressure(cache, o, f, x);
      if (!status) status = csim_cache_read_strain(cache, o, f, x);
      for (int s = 0; s < info->object[o].nsample && !status; s++)
        status = csim_cache_read_sample(cache, o, f, s, x, x + xyz);
    }
  }
  free(x);
  *readable = !status;
  return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_OK;
}

// Whether the cache in `out` holds all frames up to one, undamaged; `intact`: the ledger says so of
// every file. After an interrupted change of the scene it has the name of the old cache.
static csim_status cache_reaches(const csim_scene *scene, const char *out, int frame, int intact,
                                 csim_log *log, int *reaches) {
  csim_status status = CSIM_OK;
  *reaches = !scene->output.cache;
  for (int aside = 1; aside >= 0 && !*reaches && status != CSIM_MEMORY; aside--) {
    csim_cache *cache;
    char *path = csim_print("%s/%s.clothcache%s", out, scene->name, aside ? ".old" : "");
    status = path ? csim_cache_open(path, NULL, &cache) : CSIM_MEMORY;
    if (!status) {
      const csim_cache_info *info = csim_cache_get_info(cache);
      int f = info->nframe - 1;
      while (f >= 0 && info->number[f] != frame) f--;
      if (f >= 0 && intact)
        *reaches = 1;
      else if (f >= 0)
        status = is_readable(cache, f + 1, reaches);
      csim_cache_free(cache);
    }
    free(path);
  }
  return status == CSIM_MEMORY ? csim_fail_memory(log, out) : CSIM_OK;
}

// Frames of checkpoints other than the one asked for.
typedef struct others {
  int n, frame[12];
} others;

static void add_other(others *list, int frame) {
  for (int k = 0; k < list->n; k++)
    if (list->frame[k] == frame) return;
  if (list->n < (int)(sizeof list->frame / sizeof *list->frame)) list->frame[list->n++] = frame;
}

// Whether the run can continue from the checkpoint at `path`, which is then in resume->point.
static csim_status try_checkpoint(const csim_scene *scene, const csim_run_options *options,
                                  const char *path, const csim_ledger_report *files, csim_log *log,
                                  csim_resume *resume, others *list) {
  int reaches, before = files->first_frame, intact = files->whole > 0 && !files->damaged;
  if (access(path, F_OK)) return CSIM_OK;
  csim_status status = csim_checkpoint_read(path, log, &resume->point);
  if (status) return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_OK;
  int frame = resume->point.frame;
  if (options->from_frame && frame != options->resume_from) {
    add_other(list, frame);
  } else if (frame >= before) {
    csim_say(log, CSIM_WARNING, csim_in_file(path),
             "cannot be used: files of the earlier frame %d are missing or changed", before);
  } else {
    status = cache_reaches(scene, options->out, frame, intact, log, &reaches);
    if (!status && reaches) {
      resume->found = 1;
      return CSIM_OK;
    }
    if (!status)
      csim_say(log, CSIM_WARNING, csim_in_file(path),
               "cannot be used: the cache does not hold all frames up to %d", frame);
  }
  csim_checkpoint_free(&resume->point);
  return status;
}

// Number of objects with OBJ files in every frame.
static int obj_files(const csim_scene *scene) {
  int n = 0;
  for (int o = 0; o < scene->nobject && scene->output.obj; o++)
    n += scene->output.colliders || scene->object[o].type != CSIM_OBJECT_COLLIDER;
  return n;
}

// Without a ledger: finds missing or empty OBJ files of frames.
static void look_for_frames(const csim_scene *scene, const char *out, int last, int end,
                            csim_log *log, csim_ledger_report *r) {
  char digits[16];
  int width = snprintf(digits, sizeof digits, "%d", scene->frame_end);
  for (int frame = scene->frame_start; frame <= end; frame++) {
    if (frame > last && r->first_frame <= frame) return; // known
    for (int o = 0; o < scene->nobject && scene->output.obj; o++) {
      struct stat st;
      if (!scene->output.colliders && scene->object[o].type == CSIM_OBJECT_COLLIDER) continue;
      char *path =
          csim_print("%s/%s_%0*d.obj", out, scene->object[o].name, width < 4 ? 4 : width, frame);
      if (path && (stat(path, &st) || !st.st_size)) {
        if (frame <= last) csim_say(log, CSIM_WARNING, csim_in_file(path), "is missing or empty");
        r->damaged += frame <= last;
        if (frame < r->first_frame) r->first_frame = frame;
      }
      free(path);
    }
  }
}

// The last expected frame: a run that came to rest has none after it.
static int last_frame(const csim_scene *scene, const record *last) {
  int whole = last->complete && last->same_scene && last->frame_end == scene->frame_end;
  return whole && last->last_frame >= scene->frame_start ? last->last_frame : scene->frame_end;
}

// Finds files of the run that are missing or damaged. first_frame is the first incomplete frame,
// even if the run has not reached it: only earlier checkpoints can be used. (The record of a run
// that was killed after it went back to an older checkpoint does not say how far it got.)
static csim_status verify(const csim_scene *scene, const char *out, const record *last,
                          csim_log *log, csim_ledger_report *r) {
  csim_status status = csim_ledger_verify(out, scene->frame_start, last_frame(scene, last),
                                          obj_files(scene), log, r);
  if (status || !last->exists) return status;
  if (!r->exists) {
    csim_say(log, CSIM_WARNING, csim_in_file(out),
             "there is no " CSIM_LEDGER_NAME ": of the earlier files only OBJ files are searched "
             "for, and their contents are not verified");
    look_for_frames(scene, out, last->last_frame, last_frame(scene, last), log, r);
  }
  return CSIM_OK;
}

// Whether all files of a complete run exist.
static csim_status is_whole(const csim_scene *scene, const char *out, const record *last,
                            const csim_ledger_report *r, csim_log *log, int *whole) {
  int reaches = 1;
  csim_status status = CSIM_OK;
  *whole = !r->damaged && r->first_frame == INT_MAX;
  if (r->exists && scene->output.cache && !r->whole) *whole = 0;
  if (!r->exists) status = cache_reaches(scene, out, last_frame(scene, last), 0, log, &reaches);
  if (!reaches) *whole = 0;
  if (!status && !*whole)
    csim_say(log, CSIM_WARNING, csim_in_file(out),
             "files of this complete run are missing or changed: they are written again");
  return status;
}

static int by_frame_down(const void *a, const void *b) {
  int p = *(const int *)a, q = *(const int *)b;
  return (p < q) - (p > q);
}

// Frames of the checkpoints that were kept, the latest first. free(); NULL when out of memory.
static int *list_kept(const char *out, int *count) {
  ptrdiff_t capacity = 0, n = 0;
  int *list = NULL, failed = CSIM_GROW(list, capacity, 1);
  DIR *folder = opendir(out);
  for (struct dirent *d; folder && !failed && (d = readdir(folder));) {
    if (!csim_resume_kept(d->d_name, strlen(d->d_name))) continue;
    failed = CSIM_GROW(list, capacity, n + 1);
    if (!failed) list[n++] = (int)strtol(d->d_name + strlen(KEPT), NULL, 10);
  }
  if (folder) closedir(folder);
  if (failed) free(list);
  if (failed) return NULL;
  qsort(list, (size_t)n, sizeof *list, by_frame_down);
  *count = (int)n;
  return list;
}

// Finds the last usable checkpoint: the current one, the previous one, or one that was kept.
static csim_status find_checkpoint(const csim_scene *scene, const csim_run_options *options,
                                   const csim_ledger_report *files, csim_log *log,
                                   csim_resume *resume, others *list) {
  int nkept = 0;
  int *kept = list_kept(options->out, &nkept);
  csim_status status = kept ? CSIM_OK : csim_fail_memory(log, options->out);
  list->n = 0;
  for (int k = 0; k < 2 + nkept && !resume->found && !status; k++) {
    if (k >= 2 && kept[k - 2] >= files->first_frame) continue;
    if (k >= 2 && options->from_frame && kept[k - 2] != options->resume_from) {
      add_other(list, kept[k - 2]);
      continue;
    }
    char *path = k < 2 ? csim_print("%s/%s", options->out, NAMES[k])
                       : csim_print("%s/%s%d", options->out, KEPT, kept[k - 2]);
    status = path ? try_checkpoint(scene, options, path, files, log, resume, list)
                  : csim_fail_memory(log, options->out);
    free(path);
  }
  free(kept);
  return status;
}

// Decides what to do without a usable checkpoint.
static csim_status without_checkpoint(const csim_run_options *options, const record *last,
                                      int damaged, const others *list, csim_log *log,
                                      csim_resume *resume) {
  const char *out = options->out;
  if (options->from_frame && options->from_cache) {
    resume->found = resume->cached = 1;
    resume->point.frame = options->resume_from;
    return CSIM_OK;
  }
  if (options->from_frame) {
    char text[200] = "";
    for (int k = 0, n = 0; k < list->n; k++)
      n += snprintf(text + n, sizeof text - (size_t)n, "%s%d", k ? ", " : "", list->frame[k]);
    return csim_refuse(log, csim_in_file(out),
                       "there is no checkpoint of frame %d that can be used; %s%s; --from-cache "
                       "continues from the frame in the cache",
                       options->resume_from, list->n ? "there are: " : "there are no others", text);
  }
  if (last->exists && !last->same_scene)
    return csim_refuse(log, csim_in_file(out),
                       "holds a run of another scene and no checkpoint of it: choose another "
                       "directory, or give --overwrite instead of --resume");
  if (last->complete && !damaged)
    return csim_refuse(log, csim_in_file(out),
                       "holds a complete run with another last frame and no checkpoint that can be "
                       "used (--checkpoint-every 0 leaves none): give --overwrite instead of "
                       "--resume, or --resume-from %d --from-cache",
                       last->last_frame);
  resume->replace = last->exists;
  return CSIM_OK;
}

csim_status csim_resume_find(const csim_scene *scene, const csim_run_options *options,
                             csim_log *log, csim_resume *resume) {
  *resume = (csim_resume){0};
  const char *out = options->out;
  record last = {.last_frame = scene->frame_start - 1};
  csim_ledger_report files;
  others list;
  csim_status status = read_record(scene, out, log, &last);
  if (!status) status = verify(scene, out, &last, log, &files);
  if (status) return status;
  if (last.complete && last.same_scene && last.frame_end == scene->frame_end &&
      !options->from_frame) {
    resume->last_frame = last_frame(scene, &last);
    status = is_whole(scene, out, &last, &files, log, &resume->complete);
    if (status || resume->complete) return status;
  }
  status = find_checkpoint(scene, options, &files, log, resume, &list);
  if (status) return status;
  if (options->from_frame && options->resume_from >= files.first_frame &&
      files.first_frame <= last.last_frame)
    return csim_refuse(log, csim_in_file(out),
                       "cannot continue after frame %d: files of frame %d are missing or changed "
                       "and must be computed again: use --resume or an earlier frame",
                       options->resume_from, files.first_frame);
  if (resume->found && resume->point.frame > scene->frame_end)
    return csim_refuse(
        log, csim_in_file(out),
        "the run has already reached frame %d, after the last frame of the scene, %d",
        resume->point.frame, scene->frame_end);
  if (resume->found) return CSIM_OK;
  int damaged =
      files.damaged || files.first_frame <= last.last_frame || last.frame_end == scene->frame_end;
  return without_checkpoint(options, &last, damaged, &list, log, resume);
}

void csim_resume_free(csim_resume *resume) {
  csim_checkpoint_free(&resume->point);
}

// --------------------------------------------------------------------------------------- comparing

static long long count_of(const csim_json *json, const cJSON *totals, const char *key) {
  double number = csim_json_number_of(json, csim_json_get(totals, key));
  return number >= 0 && number < 9e15 ? (long long)number : 0;
}

// Whether a key is unchanged that existing files depend on; it must be, even where changes are
// allowed.
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
  return (!a && !b) || cJSON_Compare(a, b, 1);
}

// The first item of a list; NULL if there is none.
static const cJSON *first_of(const cJSON *object, const char *key) {
  const cJSON *list = csim_json_get(object, key);
  return list ? list->child : NULL;
}

static int same_meshes(const cJSON *was, const cJSON *is, const char *key) {
  const cJSON *a = first_of(was, "meshes"), *b = first_of(is, "meshes");
  for (; a && b; a = a->next, b = b->next)
    if (!cJSON_Compare(csim_json_get(a, key), csim_json_get(b, key), 1)) return 0;
  return !a && !b;
}

// Whether the frames of deforming colliders are the same, in the range that both have.
static int same_frames(const cJSON *was, const cJSON *is) {
  const cJSON *a = first_of(was, "meshes"), *b = first_of(is, "meshes");
  for (; a && b; a = a->next, b = b->next) {
    const cJSON *f = first_of(a, "frames"), *g = first_of(b, "frames");
    for (; f && g; f = f->next, g = g->next)
      if (!cJSON_Compare(f, g, 1)) return 0;
  }
  return 1;
}

// The first object of a phase, or of the scene if there are none or the phase does not change any.
// A phase that there is not is the first one, as csim_sim_go_on has it.
static const cJSON *objects_of(const cJSON *described, int phase) {
  const cJSON *scene = csim_json_get(described, "scene"), *first = first_of(scene, "phases");
  const cJSON *p = first;
  for (int k = 0; k < phase && p; k++) p = p->next;
  if (!p) p = first;
  return first_of(p && csim_json_get(p, "objects") ? p : scene, "objects");
}

// Whether the meshes of a phase are as coarse as they were.
static int same_coarseness(const cJSON *was, const cJSON *is, int phase) {
  const cJSON *a = objects_of(was, phase), *b = objects_of(is, phase);
  for (; a && b; a = a->next, b = b->next) {
    const cJSON *own = csim_json_get(csim_json_get(a, "mesh"), "coarse");
    const cJSON *now = csim_json_get(csim_json_get(b, "mesh"), "coarse");
    if ((own || now) && !cJSON_Compare(own, now, 1)) return 0;
  }
  return !a && !b;
}

static int width_of(double frame) {
  char text[400];
  int n = snprintf(text, sizeof text, "%.0f", frame);
  return n < 4 ? 4 : n;
}

// The reason why a run cannot continue with this scene, even where changes are allowed; NULL: it
// can.
static const char *cannot_change(const csim_json *json, const csim_scene *scene, const cJSON *was,
                                 const cJSON *is, int phase) {
  const cJSON *end = csim_json_get(csim_json_get(csim_json_get(was, "scene"), "frames"), "end");
  if (!same_meshes(was, is, "name") || !same_meshes(was, is, "vertices"))
    return "objects and their numbers of vertices have to stay";
  if (!same_coarseness(was, is, phase))
    return "\"coarse\" has to stay in the phase that the run stopped in";
  if (!same_text(json, was, is, "contact", "response") ||
      !same_text(json, was, is, "contact", "pinched"))
    return "\"contact.response\" and \"contact.pinched\" have to stay";
  if (!same_text(json, was, is, "frames", "start")) return "\"frames.start\" has to stay";
  if (!same_text(json, was, is, NULL, "name")) return "\"name\" has to stay: files carry it";
  if (!same_text(json, was, is, "output", "cache") ||
      !same_text(json, was, is, "output", "velocities") ||
      !same_text(json, was, is, "output", "pressures") ||
      !same_text(json, was, is, "output", "strain") ||
      !same_text(json, was, is, "output", "samples"))
    return "\"output.cache\", \"output.velocities\", \"output.pressures\", \"output.strain\" and "
           "\"output.samples\" have to stay";
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
  const cJSON *from = csim_json_get(was, "totals");
  csim_run_totals *totals = &resume->totals;
  *totals = (csim_run_totals){.taken = count_of(json, from, "substeps"),
                              .halved = count_of(json, from, "halved"),
                              .retaken = count_of(json, from, "retaken"),
                              .unconverged = count_of(json, from, "unconverged"),
                              .lagged = count_of(json, from, "lagged"),
                              .verified = count_of(json, from, "verified"),
                              .crossing = count_of(json, from, "crossing")};
  csim_worst_read(json, from, totals);
  csim_conserved_read(json, from, &totals->conserved);
  csim_exceptions_read(json, from, totals);
  int count = csim_report_differences(&d, csim_json_get(was, "scene"), csim_json_get(is, "scene"));
  if (!cJSON_Compare(csim_json_get(was, "program"), csim_json_get(is, "program"), 1)) {
    csim_say(log, d.level, place, "the checkpoint is of another version of clothsim");
    count++;
  }
  if (!count && !(same_meshes(was, is, "content") && same_frames(was, is))) {
    csim_say(log, d.level, place, "the contents of a mesh file have changed");
    count++;
  }
  if (d.memory) return csim_fail_memory(log, scene->file);
  const char *never = cannot_change(json, scene, was, is, resume->point.state.phase);
  if (never)
    return csim_refuse(log, place, "cannot continue after frame %d: %s", resume->point.frame,
                       never);
  resume->changed = count > 0;
  if (!count || allowed) return CSIM_OK;
  return csim_refuse(
      log, place,
      "the scene has changed since the checkpoint of frame %d: undo that, or continue anyway with "
      "--resume-from %d --allow-changes, or start over with --overwrite",
      resume->point.frame, resume->point.frame);
}

csim_status csim_resume_compare(const csim_scene *scene, const csim_world *world,
                                const csim_run_options *options, csim_log *log,
                                csim_resume *resume) {
  char *now = describe(scene, world, &(csim_run_totals){0});
  csim_json json = {0};
  cJSON *was = NULL, *is = NULL;
  if (!now) return csim_fail_memory(log, scene->file);
  csim_status status = csim_json_read_text(&json, "checkpoint", resume->point.meta,
                                           strlen(resume->point.meta), log, &was);
  if (!status) status = csim_json_read_text(&json, "scene", now, strlen(now), log, &is);
  if (!status) status = compare_trees(&json, scene, options, log, resume, was, is);
  cJSON_Delete(was);
  cJSON_Delete(is);
  csim_json_free(&json);
  free(now);
  return status;
}
