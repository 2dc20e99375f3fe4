// scene/output.c: see output.h.
#include "scene/output.h"
#include "scene/conserved.h"
#include "scene/exceptions.h"
#include "scene/ledger.h"
#include "scene/gather.h"
#include "scene/worst.h"

#include "base/number.h"
#include "io/file.h"
#include "io/json_write.h"
#include "io/obj_write.h"
#include "scene/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct csim_output_writer {
  csim_arena arena;
  const csim_scene *scene;
  const csim_world *world;
  csim_log *log;
  const csim_output_directory *directory;
  int digits;    // of frame numbers
  csim_gather g; // data to be written
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
  csim_status status;
  if (w->arena.failed || meta.failed)
    status = csim_fail_memory(w->log, w->cache_path);
  else
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
  if (w->arena.failed) return csim_fail_memory(w->log, scene->file);
  int *rigid = scene->output.transforms ? CSIM_ARENA_NEW(&w->arena, int, w->nexported) : NULL;
  if (w->arena.failed) return csim_fail_memory(w->log, scene->file);
  for (int k = csim_world_first_collider(w->world); rigid && k < w->nexported; k++)
    rigid[k] = w->world->collider[k - csim_world_first_collider(w->world)].nframe <= 1;
  for (int k = 0; k < scene->output.nformat; k++) {
    csim_export_options options = {.format = scene->output.format[k],
                                   .directory = w->directory->path,
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
    int wanted = csim_output_has(output, formats[k]);
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
    status = csim_gather_read(&w->g, old, f, w->log);
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
  if (!part) return csim_fail_memory(w->log, w->cache_path);
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
  csim_status status = aside ? CSIM_OK : csim_fail_memory(w->log, w->cache_path);
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
  if (!w) return csim_fail_memory(log, scene->file);
  *w = (csim_output_writer){
      .scene = scene, .world = world, .log = log, .directory = start->directory};
  w->digits = csim_output_digits(scene);
  w->cache_path = csim_arena_print(&w->arena, "%s/%s.clothcache", w->directory->path, scene->name);
  int replace = start->resume || start->overwrite;
  csim_status status = csim_output_claim(start->directory, replace, log);
  // write the record before anything is created or removed: a run that is killed at once is then
  // known to be ours, and one that was complete no longer counts as complete
  if (!status) status = csim_output_record(w, "running", start->report);
  int recorded = !status;
  if (!status && replace)
    status = csim_output_clear(start->directory, start->resume, start->after_frame, log);
  if (!status)
    status = csim_ledger_open(w->directory->path, start->resume && !scene->output.nformat,
                              start->after_frame, log, &w->ledger);
  if (!status && csim_gather_create(scene, world, start->resume, &w->arena, &w->g))
    status = csim_fail_memory(log, scene->file);
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
  char *path = csim_print("%s/%s_%0*d.obj", w->directory->path, csim_gather_name(w->world, k),
                          w->digits, frame);
  if (!path) return csim_fail_memory(w->log, w->scene->file);
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
  char *path = csim_print("%s/" CSIM_RECORD_NAME, w->directory->path);
  char *text = print_record(w->scene, state, report);
  csim_file *file;
  csim_status status = path && text ? CSIM_OK : csim_fail_memory(w->log, w->directory->path);
  if (!status) status = csim_file_replace(path, w->log, &file);
  if (!status) {
    csim_file_text(file, text);
    status = csim_file_commit(file, 0);
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
  if (!status && w->ledger)
    status = csim_output_note_files(w->directory, complete, w->ledger, w->log);
  return status;
}

void csim_output_free(csim_output_writer *w) {
  if (!w) return;
  csim_output_finish(w, 0);
  csim_ledger_free(w->ledger);
  csim_arena_free(&w->arena);
  free(w);
}
