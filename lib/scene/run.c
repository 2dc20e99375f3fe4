// scene/run.c: the main job, from a scene to frames on disk. Needs everything below.
#include "base/number.h"
#include "contact/start.h"
#include "contact/untangle.h"
#include "io/file.h"
#include "model/chamber.h"
#include "model/links.h"
#include "scene/resume.h"
#include "scene/watch.h"
#include "scene/writing.h"
#include "solver/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
  const csim_scene *scene;
  const csim_run_options *options;
  csim_log *log;
  csim_run_report *report;
  csim_world world;
  csim_state state;
  csim_pool *pool;
  csim_solver *solver;
  csim_writing writing;
  int folder; // the directory of a run that may be gone on with, until the output has it; -1
  csim_resume resume;
  int checkpoint_frame;     // of the last checkpoint; frame_start - 1 when there is none
  double checkpoint_time;   // [s] when it was written
  double began;             // [s]
  csim_watch *watch;        // NULL: substeps are not verified
  long long crossing_start; // pairs that meet at the start
} run;

static void count_model(const csim_model *model, csim_run_report *report) {
  report->nvert = model->nvert;
  report->ntri = model->ntri;
  for (int b = 0; b < model->nbody; b++) report->ntet += model->body[b].ntet;
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind == &csim_spring_kind) report->nspring += model->energy[e].nelem;
}

static double substep_of(const csim_scene *scene) {
  return 1 / (scene->fps * scene->substeps);
}

static csim_status untangle(const run *r) {
  const csim_world *world = &r->world;
  const csim_contact_params *contact = &r->scene->contact;
  long long before, after;
  csim_status status =
      csim_contact_untangle(world->model, world->ncollider, world->collider, contact->self,
                            contact->thickness, world->model->x0, &before, &after);
  if (!status && before)
    csim_say(
        r->log, after ? CSIM_WARNING : CSIM_INFO, (csim_place){.file = r->scene->file},
        "untangled the start: %lld pairs of triangles passed through each other, %lld do now%s",
        before, after, after ? "; they stay so" : "");
  return status;
}

// A start with surfaces through each other is refused, unless the scene says to go on.
static csim_status check_start(run *r) {
  const csim_contact_params *contact = &r->scene->contact;
  const csim_world *world = &r->world;
  if (contact->response != CSIM_RESPONSE_FILTER && contact->response != CSIM_RESPONSE_IMPACT_ZONES)
    return CSIM_OK;
  csim_arena arena = {0};
  csim_place place = {.file = r->scene->file};
  char *path = NULL;
  long long total = 0;
  int refuse = contact->on_intersection == CSIM_INTERSECTION_REFUSE;
  if (contact->on_intersection == CSIM_INTERSECTION_UNTANGLE) {
    csim_status untangled = untangle(r);
    if (untangled) return untangled;
  }
  if (r->options->out) {
    path = csim_arena_print(&arena, "%s-intersections.obj", r->options->out);
    if (!path) return CSIM_MEMORY;
  }
  csim_status status =
      csim_contact_check_start(r->pool, world->model, world->ncollider, world->collider,
                               contact->self, refuse, contact->thickness, path, r->log, &total);
  if (!status && total && refuse) {
    csim_say(
        r->log, CSIM_ERROR, place,
        "contact keeps apart what is apart at the start; move the objects, or go on as it is "
        "with \"contact\": {\"on_intersection\": \"ignore-pairs\"}, or have it pulled apart with "
        "\"untangle\"");
    status = CSIM_INVALID;
  }
  csim_arena_free(&arena);
  return status;
}

// Explicit methods blow up beyond a step that the scene does not show.
static void warn_unstable(const run *r, double h) {
  if (!csim_method_find(r->scene->solver.method)->is_explicit) return;
  double omega = csim_largest_frequency(r->pool, r->world.model);
  double longest = omega > 0 ? csim_longest_step(r->world.model, omega) : INFINITY;
  if (!(h > longest)) return;
  csim_say(r->log, CSIM_WARNING, (csim_place){.file = r->scene->file},
           "method \"%s\" is stable for substeps under %.3g s only, and these are %.3g s: set "
           "frames.substeps to %.0f or more",
           r->scene->solver.method, longest, h, floor(1 / (longest * r->scene->fps)) + 1);
}

static csim_solver *create_solver(const run *r) {
  return csim_solver_create(&(csim_solver_setup){.model = r->world.model,
                                                 .params = r->scene->solver,
                                                 .contact = r->scene->contact,
                                                 .ncollider = r->world.ncollider,
                                                 .collider = r->world.collider,
                                                 .pool = r->pool,
                                                 .h = substep_of(r->scene),
                                                 .accuracy = r->scene->accuracy,
                                                 .most = r->scene->substeps});
}

// Pins begin and end with frames. Solvers lay out their matrices by what is pinned: a change needs
// a new one, which a frame does not see, as it depends on the state alone.
static csim_status hold_pins(run *r, int frame) {
  const csim_scene *scene = r->scene;
  double begin = (frame - 1 - scene->frame_start) / scene->fps, end = begin + 1 / scene->fps;
  if (!r->world.model->timed || !csim_model_hold(r->world.model, begin, end)) return CSIM_OK;
  csim_solver_free(r->solver);
  r->solver = create_solver(r);
  csim_output_press(r->writing.output, r->solver);
  return r->solver ? CSIM_OK : CSIM_MEMORY;
}

static csim_status create(run *r) {
  r->pool = csim_pool_create(r->options->nthread);
  csim_pool_phase(r->pool, CSIM_PHASE_START);
  csim_status status = csim_compile(r->scene, r->options->tet_program, r->log, &r->world);
  if (!status) status = check_start(r);
  if (status) return status;
  count_model(r->world.model, r->report);
  r->solver = create_solver(r);
  if (!r->pool || !r->solver || csim_state_create(r->world.model, &r->state) ||
      csim_writing_create(r->pool, &r->state, csim_solver_kinematic_size(r->solver), r->log,
                          r->report, &r->writing)) {
    csim_say(r->log, CSIM_ERROR, (csim_place){.file = r->scene->file},
             "out of memory for %d vertices", r->world.model->nvert);
    return CSIM_MEMORY;
  }
  warn_unstable(r, substep_of(r->scene));
  if (r->scene->contact.response != CSIM_RESPONSE_FILTER)
    csim_say(
        r->log, CSIM_INFO, (csim_place){.file = r->scene->file},
        "contact.response is not \"filter\": there is no guarantee that nothing passes through "
        "anything");
  if (!r->options->verify_substeps) return CSIM_OK;
  r->watch = csim_watch_create(r->pool, &r->world, r->scene->contact.self);
  return r->watch ? csim_watch_count(r->watch, &r->state, 0, &r->crossing_start) : CSIM_MEMORY;
}

static void destroy(run *r) {
  if (r->folder >= 0) close(r->folder);
  csim_writing_free(&r->writing);
  csim_watch_free(r->watch);
  csim_solver_free(r->solver);
  csim_pool_free(r->pool);
  csim_state_free(&r->state);
  csim_resume_free(&r->resume);
  csim_world_free(&r->world);
}

static void tell_progress(const run *r, int frame, int substep, const csim_frame_stats *stats) {
  if (!r->options->progress) return;
  const csim_scene *scene = r->scene;
  int span = scene->frame_end - scene->frame_start;
  double done = frame - 1 - scene->frame_start + (double)substep / scene->substeps;
  r->options->progress(r->options->user,
                       &(csim_progress){.frame_start = scene->frame_start,
                                        .frame_end = scene->frame_end,
                                        .frame = frame,
                                        .substep = substep,
                                        .substeps = scene->substeps,
                                        .share = span > 0 ? done / span : 1,
                                        .iterations = stats->iterations,
                                        .linear_iterations = stats->linear_iterations,
                                        .contacts = stats->contacts,
                                        .residual = stats->residual});
}

static int stop_wanted(const run *r) {
  const csim_run_options *o = r->options;
  const char *why = o->stop && *o->stop ? "stopped on request"
                    : o->max_seconds > 0 && csim_seconds() - r->began > o->max_seconds
                        ? "stopped at the time limit"
                        : NULL;
  if (why) snprintf(r->report->reason, sizeof r->report->reason, "%s", why);
  return why != NULL;
}

static const char *outcome_text(const csim_scene *scene, csim_outcome outcome) {
  if (outcome == CSIM_OUTCOME_DIVERGED && csim_method_find(scene->solver.method)->is_explicit)
    return "the substep is too long for an explicit method, and the state has blown up: raise "
           "frames.substeps, or choose an implicit method";
  switch (outcome) {
  case CSIM_OUTCOME_INDEFINITE:
    return "the matrix is indefinite and Cholesky has no factor: set solver.spd to \"drop\" or "
           "\"clamp\"";
  case CSIM_OUTCOME_MEMORY:
    return "out of memory";
  case CSIM_OUTCOME_DIVERGED:
    return "positions are no longer finite, even at a sixteenth of the substep: raise "
           "frames.substeps, or lower the stiffness";
  default:
    return "the solver gave up";
  }
}

// After a substep, when that was asked for: has anything passed through anything? Tells once a
// frame.
static csim_status verify_substep(run *r, int frame, int substep, long long *most) {
  long long count = 0;
  if (!r->watch) return CSIM_OK;
  double time = (double)r->state.step * substep_of(r->scene);
  csim_status status = csim_watch_count(r->watch, &r->state, time, &count);
  if (status) return status;
  r->report->total.verified++;
  if (count <= r->crossing_start) return CSIM_OK;
  r->report->total.crossing++;
  if (*most == 0)
    csim_say(
        r->log, CSIM_ERROR, (csim_place){.file = r->scene->file},
        "frame %d, substep %d of %d: %lld pairs of triangles meet, or vertices are behind planes; "
        "at the start %lld did",
        frame, substep, r->scene->substeps, count, r->crossing_start);
  if (count > *most) *most = count;
  return CSIM_OK;
}

static void count_substep(run *r, const csim_step_report *step, csim_frame_stats *stats) {
  csim_run_totals *total = &r->report->total;
  int unconverged = step->method.outcome != CSIM_OUTCOME_CONVERGED, halved = step->parts > 1;
  total->taken++;
  total->unconverged += unconverged;
  total->halved += halved;
  total->retaken += step->retaken;
  // less than the contact distance is the play of contact itself
  total->lagged += step->contact.lag > r->scene->contact.thickness;
  stats->substeps++;
  stats->unconverged += unconverged;
  stats->halved += halved;
  r->report->iterations_taken += step->iterations;
  r->report->linear_iterations += step->linear_iterations;
  stats->iterations += step->iterations;
  stats->linear_iterations += step->linear_iterations;
  stats->contacts += step->contacts;
  stats->residual = fmax(stats->residual, step->method.residual);
}

// The rungs that a frame's substeps had to take, see docs/run-report.md.
static void tell_frame(const run *r, int frame, const csim_frame_stats *stats, int parts,
                       double lag) {
  csim_place place = {.file = r->scene->file};
  if (stats->unconverged)
    csim_say(r->log, CSIM_DEBUG, place,
             "frame %d: %lld of %lld substeps ended above the tolerance, the worst at a residual "
             "of %.2g",
             frame, stats->unconverged, stats->substeps, stats->residual);
  if (stats->halved)
    csim_say(r->log, CSIM_WARNING, place,
             "frame %d: %lld of %lld substeps blew up and were taken in up to %d parts", frame,
             stats->halved, stats->substeps, parts);
  if (lag > r->scene->contact.thickness)
    csim_say(r->log, CSIM_WARNING, place,
             "frame %d: a collider or pin is up to %.3g m behind its motion, as there is no room: "
             "something is squeezed",
             frame, lag);
}

// All substeps of one frame.
static csim_status step_frame(run *r, int frame, csim_frame_stats *stats) {
  *stats = (csim_frame_stats){0};
  csim_solver_begin_frame(r->solver,
                          (double)(r->state.step + r->scene->substeps) * substep_of(r->scene));
  double lag = 0;
  int parts = 1;
  long long crossing = 0;
  int done = 0; // of the frame, in shortest substeps
  while (done < r->scene->substeps) {
    if (stop_wanted(r)) return CSIM_STOPPED;
    csim_step_report step;
    int gave_up = csim_step(r->solver, &r->state, &step);
    count_substep(r, &step, stats);
    if (gave_up) {
      snprintf(r->report->reason, sizeof r->report->reason, "frame %d, substep %d of %d: %s", frame,
               done + 1, r->scene->substeps, outcome_text(r->scene, step.method.outcome));
      csim_say(r->log, CSIM_ERROR, (csim_place){.file = r->scene->file}, "%s", r->report->reason);
      return step.method.outcome == CSIM_OUTCOME_MEMORY ? CSIM_MEMORY : CSIM_FAILED;
    }
    done += step.span;
    csim_status status = verify_substep(r, frame, done, &crossing);
    if (status) return status;
    lag = fmax(lag, step.contact.lag);
    if (step.parts > parts) parts = step.parts;
    tell_progress(r, frame, done, stats);
  }
  tell_frame(r, frame, stats, parts, lag);
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------ checkpoints

// Keeps the state behind the last good frame, unless that is done.
static csim_status save_checkpoint(run *r, csim_log *log) {
  int frame = r->report->last_frame;
  if (frame < r->scene->frame_start || frame == r->checkpoint_frame) return CSIM_OK;
  csim_status status = csim_output_sync(r->writing.output);
  if (!status)
    status = csim_resume_save(r->scene, &r->world, r->options->out, frame, &r->writing.good,
                              &r->writing.good_totals, log);
  if (status) return status;
  csim_output_forget_old(r->writing.output);
  r->checkpoint_frame = frame;
  r->checkpoint_time = csim_seconds();
  return CSIM_OK;
}

static int checkpoint_due(const run *r, int frame) {
  const csim_run_options *o = r->options;
  return (o->checkpoint_frames > 0 &&
          (frame - r->scene->frame_start) % o->checkpoint_frames == 0) ||
         (o->checkpoint_seconds > 0 &&
          csim_seconds() - r->checkpoint_time >= o->checkpoint_seconds);
}

// Takes over the state of the checkpoint found.
static csim_status take_state(run *r) {
  const csim_scene *scene = r->scene;
  csim_state *from = &r->resume.point.state;
  int moved = r->resume.point.frame > scene->frame_start; // before, colliders are at their start
  if (moved && from->nkinematic != csim_solver_kinematic_size(r->solver)) {
    csim_say(r->log, CSIM_ERROR, (csim_place){.file = scene->file},
             "the checkpoint tells of other colliders: \"contact.response\" has to stay");
    return CSIM_INVALID;
  }
  int frame = r->resume.point.frame;
  long long step = (long long)(frame - scene->frame_start) * scene->substeps;
  int nlink = r->state.nlink;
  if (csim_state_copy(from, &r->state)) return CSIM_MEMORY;
  if (r->state.nlink != nlink) { // of a scene with other links: none of these has torn yet
    free(r->state.torn);
    r->state.torn = nlink ? CSIM_NEW(unsigned char, nlink) : NULL;
    r->state.nlink = nlink;
    if (nlink && !r->state.torn) return CSIM_MEMORY;
  }
  if (step != from->step) { // other substeps: what two-step integrators look back on is remade
    double h = substep_of(scene);
    for (ptrdiff_t i = 0; from->x_prev && i < 3 * (ptrdiff_t)from->nvert; i++) {
      r->state.x_prev[i] = from->x[i] - h * from->v[i];
      r->state.v_prev[i] = from->v[i];
    }
    r->state.step = step;
    r->state.span = 1;
  }
  r->report->total = r->resume.totals;
  r->report->resumed = 1;
  r->report->resumed_after = frame;
  if (!r->resume.changed) r->checkpoint_frame = frame;
  return csim_writing_behind(&r->writing, frame, &r->state);
}

// --------------------------------------------------------------------------------------------- run

static csim_status write_frame(run *r, int frame, const csim_frame_stats *stats) {
  const csim_scene *scene = r->scene;
  double time = (frame - scene->frame_start) / scene->fps;
  csim_status status = csim_writing_frame(&r->writing, frame, time, &r->state, stats);
  if (status || frame == scene->frame_end || !checkpoint_due(r, frame)) return status;
  status = csim_writing_settle(&r->writing);
  return status ? status : save_checkpoint(r, r->log);
}

static csim_status run_frames(run *r) {
  const csim_scene *scene = r->scene;
  csim_frame_stats stats = {0};
  csim_pool_phase(r->pool, CSIM_PHASE_OTHER);
  for (int frame = r->report->last_frame + 1; frame <= scene->frame_end; frame++) {
    csim_status status = frame > scene->frame_start ? hold_pins(r, frame) : CSIM_OK;
    if (!status && frame > scene->frame_start) status = step_frame(r, frame, &stats);
    csim_phase before = csim_pool_phase(r->pool, CSIM_PHASE_OUTPUT);
    if (!status) status = write_frame(r, frame, &stats);
    csim_pool_phase(r->pool, before);
    if (status) return status;
  }
  return CSIM_OK;
}

static csim_status begin_output(run *r) {
  const csim_resume *resume = &r->resume;
  csim_output_start start = {.out = r->options->out,
                             .overwrite = r->options->overwrite || resume->replace,
                             .resume = resume->found,
                             .after_frame = resume->point.frame,
                             .changed = resume->changed,
                             .report = r->report,
                             .folder = r->folder};
  r->folder = -1;
  csim_status status = csim_writing_begin(&r->writing, r->scene, &r->world, &start);
  if (status) return status;
  csim_output_press(r->writing.output, r->solver);
  csim_world_shed(&r->world, r->scene->output.obj || r->scene->output.nformat);
  // the old cache stands aside until this is written
  return resume->changed ? save_checkpoint(r, r->log) : CSIM_OK;
}

// How far seams have closed, and what has torn.
static void tell_links(const run *r) {
  const csim_model *model = r->world.model;
  for (int g = 0; g < model->nlink_group; g++) {
    const csim_link_group *group = &model->link_group[g];
    const char *what = group->seam ? "seam" : "attachment";
    csim_place place = {.file = r->scene->file};
    int torn = 0, n = 0;
    for (int i = 0; i < model->nlink; i++) {
      if (model->link[i].group != g) continue;
      n++;
      torn += r->state.torn && r->state.torn[i];
    }
    if (group->seam)
      csim_say(r->log, CSIM_INFO, place, "seam of %s: %d stitches, the largest gap is %.3g mm",
               group->name, n, 1e3 * csim_links_gap(model, g, r->state.x, r->state.torn));
    if (torn)
      csim_say(r->log, CSIM_INFO, place, "%s of %s: %d of %d strings have torn", what, group->name,
               torn, n);
  }
}

static void tell_chambers(const run *r) {
  const csim_model *model = r->world.model;
  double time = (double)r->state.step * substep_of(r->scene);
  csim_chamber_now *now = CSIM_NEW(csim_chamber_now, model->nchamber);
  if (!now) return;
  csim_chambers_at(model, time, now);
  for (int k = 0; k < model->nchamber; k++) {
    const csim_chamber *c = &model->chamber[k];
    double V = csim_chamber_volume(model, c, r->state.x + 3 * (ptrdiff_t)c->vert, r->state.x);
    csim_say(r->log, CSIM_INFO, (csim_place){.file = r->scene->file},
             "chamber of \"%s\": %.6g m^3, %.6g Pa", c->name, V,
             csim_chamber_pressure(c, &now[k], V));
  }
  free(now);
}

// Ends files, checkpoints and the record, in an order that leaves a run that can be resumed
// wherever it is cut off.
static csim_status end_run(run *r, csim_status status) {
  csim_pool_phase(r->pool, CSIM_PHASE_OUTPUT);
  static const struct {
    csim_status status;
    const char *state, *reason;
  } ends[] = {{CSIM_OK, "complete", "all frames written"},
              {CSIM_STOPPED, "stopped", "stopped on request"},
              {CSIM_FAILED, "failed", "the solver gave up"},
              {CSIM_IO, "failed", "a file could not be written"},
              {CSIM_MEMORY, "failed", "out of memory"},
              {CSIM_INVALID, "failed", "invalid"}};
  csim_run_report *report = r->report;
  csim_status written = csim_writing_settle(&r->writing);
  if (written && (!status || status == CSIM_STOPPED)) {
    status = written;
    report->reason[0] = 0;
  }
  if (!status && report->total.crossing) {
    status = CSIM_FAILED;
    snprintf(report->reason, sizeof report->reason,
             "in %lld of %lld substeps surfaces pass through each other", report->total.crossing,
             report->total.verified);
  }
  if (status) report->total = r->writing.good_totals;
  if (!status) {
    tell_links(r);
    tell_chambers(r);
  }
  if (status == CSIM_STOPPED || (!status && r->options->checkpoint_last)) {
    csim_status saved = save_checkpoint(r, r->log);
    if (saved) status = saved, report->reason[0] = 0;
  } else if (status) {
    save_checkpoint(r, NULL); // where that can be: the failure itself has been told
  }
  csim_status finished = csim_output_finish(r->writing.output, status == CSIM_OK);
  if (!status) status = finished;
  size_t k = 0;
  while (ends[k].status != status) k++;
  if (!report->reason[0]) snprintf(report->reason, sizeof report->reason, "%s", ends[k].reason);
  csim_status recorded = csim_output_record(r->writing.output, ends[k].state, report);
  if (!status) status = recorded;
  if (!status) csim_resume_remove(r->options->out, r->options->checkpoint_last);
  return status;
}

static void tell_seconds(run *r) {
  double s[CSIM_NPHASE];
  if (!r->pool) return;
  csim_pool_seconds(r->pool, s);
  r->report->seconds = (csim_run_seconds){.start = s[CSIM_PHASE_START],
                                          .elasticity = s[CSIM_PHASE_ELASTICITY],
                                          .linear = s[CSIM_PHASE_LINEAR],
                                          .search = s[CSIM_PHASE_SEARCH],
                                          .contact = s[CSIM_PHASE_CONTACT],
                                          .output = s[CSIM_PHASE_OUTPUT],
                                          .other = s[CSIM_PHASE_OTHER]};
}

csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report) {
  int none = scene->frame_start - 1;
  run r = {.scene = scene,
           .options = options,
           .log = log,
           .report = report,
           .checkpoint_frame = none,
           .folder = -1,
           .began = csim_seconds()};
  r.checkpoint_time = r.began;
  *report = (csim_run_report){.last_frame = none, .iterations = scene->solver.iterations};
  csim_status status = CSIM_OK;
  if (options->resume) status = csim_output_enter(options->out, log, &r.folder);
  if (!status && options->resume) status = csim_resume_find(scene, options, log, &r.resume);
  if (!status && r.resume.complete) {
    // a run that was killed in its last moment, or before it could replace this one, left them
    csim_resume_remove(options->out, 1);
    status = csim_output_sweep(scene, options->out, r.folder, log);
    report->last_frame = scene->frame_end;
    snprintf(report->reason, sizeof report->reason, "nothing to do, the run is complete");
    destroy(&r);
    return status;
  }
  if (!status) status = create(&r);
  if (!status && r.resume.found)
    status = csim_resume_compare(scene, &r.world, options, log, &r.resume);
  if (!status && r.resume.found) status = take_state(&r);
  if (!status) status = begin_output(&r);
  if (r.writing.output) status = end_run(&r, status ? status : run_frames(&r));
  tell_seconds(&r);
  destroy(&r);
  return status;
}

csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report) {
  csim_run_report counts = {0};
  run r = {.scene = scene, .options = options, .log = log, .report = &counts, .folder = -1};
  *report = (csim_check_report){.frames = scene->frame_end - scene->frame_start + 1,
                                .substeps = scene->substeps,
                                .adaptive = scene->accuracy > 0};
  csim_status status = create(&r);
  if (!status) {
    const csim_model *model = r.world.model;
    report->nvert = counts.nvert;
    report->ntri = counts.ntri;
    report->ntet = counts.ntet;
    report->nspring = counts.nspring;
    for (int i = 0; i < model->nvert; i++) report->nfixed += model->fixed[i];
    for (int e = 0; e < model->nenergy; e++)
      if (model->energy[e].kind == &csim_quadratic_kind ||
          model->energy[e].kind == &csim_dihedral_kind)
        report->nhinge += model->energy[e].nelem;
    // three states, and with two-step integrators what they look back on
    size_t kept = scene->solver.integrator == CSIM_INTEGRATOR_BDF2 ? 36 : 18;
    report->memory = model->arena.used + csim_solver_memory(r.solver) +
                     kept * (size_t)model->nvert * sizeof(double);
  }
  destroy(&r);
  return status;
}

static void dump_springs(const csim_energy *energy, csim_file *file) {
  for (int e = 0; e < energy->nelem; e++) {
    const double *param = csim_energy_param(energy, e);
    csim_file_print(file, "%s\n[%d, %d, ", e ? "," : "", energy->node[2 * (ptrdiff_t)e],
                    energy->node[2 * (ptrdiff_t)e + 1]);
    csim_file_print_number(file, param[0], 17);
    csim_file_text(file, ", ");
    csim_file_print_number(file, param[1], 17);
    csim_file_text(file, "]");
  }
}

csim_status csim_dump_model(const csim_scene *scene, const csim_run_options *options,
                            const char *path, csim_log *log) {
  csim_run_report counts = {0};
  run r = {.scene = scene, .options = options, .log = log, .report = &counts, .folder = -1};
  csim_file *file = NULL;
  csim_status status = create(&r);
  if (!status) status = csim_file_create(path, log, &file);
  if (status) goto done;
  const csim_model *model = r.world.model;
  csim_file_text(file, "{\"mass\": [");
  for (int i = 0; i < model->nvert; i++) {
    if (i) csim_file_text(file, ", ");
    csim_file_print_number(file, model->mass[i], 17);
  }
  csim_file_text(file, "],\n\"pins\": [");
  for (int i = 0, n = 0; i < model->nvert; i++)
    if (model->fixed[i]) csim_file_print(file, "%s%d", n++ ? ", " : "", i);
  csim_file_text(file, "],\n\"gravity\": [");
  for (int c = 0; c < 3; c++) {
    if (c) csim_file_text(file, ", ");
    csim_file_print_number(file, model->gravity[c], 17);
  }
  csim_file_text(file, "],\n\"h\": ");
  csim_file_print_number(file, substep_of(scene), 17);
  csim_file_text(file, ", \"damping\": 0,");
  for (int i = 0; i < model->nvert && model->stretch_damping; i++) {
    csim_file_text(file, i ? ", " : "\n\"stretch_damping\": [");
    csim_file_print_number(file, model->stretch_damping[model->body_of[i]], 17);
  }
  csim_file_text(file, model->stretch_damping ? "],\n\"springs\": [" : "\n\"springs\": [");
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind == &csim_spring_kind) dump_springs(&model->energy[e], file);
  csim_file_text(file, "]}\n");
  status = csim_file_commit(file, 0);
done:
  destroy(&r);
  return status;
}
