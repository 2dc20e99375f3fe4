// scene/run.c: runs a scene and writes its frames. Needs everything below.
#include "scene/conserved.h"
#include "scene/describe.h"
#include "scene/exceptions.h"
#include "scene/resume.h"
#include "scene/samples.h"
#include "scene/sim.h"
#include "scene/summary.h"
#include "scene/watch.h"
#include "scene/worst.h"
#include "scene/writing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct run {
  const csim_scene *scene;
  const csim_run_options *options;
  csim_log *log;
  csim_run_report *report;
  csim_sim sim;
  csim_writing writing;
  csim_output_directory directory; // entered by csim_run, if it is there
  csim_resume resume;
  int checkpoint_frame;     // of the last checkpoint; frame_start - 1 when there is none
  double checkpoint_time;   // [s] when it was written
  double began;             // [s]
  csim_samples samples;     // between frames
  csim_watch *watch;        // NULL: substeps are not verified
  long long crossing_start; // intersecting pairs at the start
} run;

static csim_status out_of_memory(const run *r) {
  return csim_fail_memory(r->log, r->scene->file);
}

// Watches the meshes of the phase, if substeps are verified.
static csim_status watch_phase(run *r) {
  if (!r->options->verify_substeps) return CSIM_OK;
  csim_watch_free(r->watch);
  r->watch = csim_watch_create(r->sim.pool, &r->sim.world, r->scene->contact.self);
  return r->watch ? CSIM_OK : out_of_memory(r);
}

// Before a frame: enters its phase, and applies pins that begin or end with it.
static csim_status begin_frame(run *r) {
  int changed = 0;
  // the world of its own phase describes the frame that is being written
  csim_status status = csim_sim_changes(&r->sim) ? csim_writing_wait(&r->writing) : CSIM_OK;
  int phase = r->sim.state.phase;
  if (!status) status = csim_sim_begin(&r->sim, &changed);
  if (!status && r->sim.state.phase != phase) status = watch_phase(r);
  if (!status && changed) csim_output_follow(r->writing.output, r->sim.solver);
  return status;
}

// Why the run is to stop, or NULL.
static const char *why_stop(const run *r) {
  const csim_run_options *o = r->options;
  if (o->stop && *o->stop) return "stopped on request";
  if (o->max_seconds > 0 && csim_seconds() - r->began > o->max_seconds)
    return "stopped at the time limit";
  return NULL;
}

static int is_to_stop(const void *user) {
  return why_stop(user) != NULL;
}

static csim_status create(run *r) {
  const csim_run_options *o = r->options;
  csim_sim *sim = &r->sim;
  csim_sim_start start = {
      .tet_program = o->tet_program, .nthread = o->nthread, .stop = {is_to_stop, r}, .out = o->out};
  csim_status status = csim_sim_open(r->scene, &start, r->log, sim);
  if (status) return status;
  csim_model_counts counts = csim_count_model(sim->world.model);
  r->report->nvert = counts.nvert;
  r->report->ntri = counts.ntri;
  r->report->ntet = counts.ntet;
  r->report->nspring = counts.nspring;
  r->report->crossings_at_start = sim->crossings_at_start;
  if (csim_writing_create(sim->pool, &sim->state, csim_solver_kinematic_size(sim->solver), r->log,
                          r->report, &r->writing))
    return csim_fail(r->log, CSIM_MEMORY, csim_in_file(r->scene->file),
                     "out of memory for %d vertices", sim->world.model->nvert);
  const csim_output *output = &r->scene->output;
  if (csim_samples_create(output->nshare, output->share, &r->samples) ||
      csim_conserved_open(sim->pool, r->scene, &sim->world, &sim->state,
                          &r->report->total.conserved))
    return out_of_memory(r);
  status = watch_phase(r);
  if (status || !r->watch) return status;
  return csim_watch_count(r->watch, &sim->state, 0, &r->crossing_start) ? out_of_memory(r)
                                                                        : CSIM_OK;
}

static void destroy(run *r) {
  csim_writing_free(&r->writing);
  csim_output_leave(&r->directory);
  csim_watch_free(r->watch);
  csim_samples_free(&r->samples);
  csim_resume_free(&r->resume);
  csim_sim_close(&r->sim);
}

static void report_progress(const run *r, int frame, int substep, const csim_frame_stats *stats) {
  if (!r->options->progress) return;
  const csim_scene *scene = r->scene;
  int span = scene->frame_end - scene->frame_start;
  int substeps = r->sim.scene->substeps;
  double done = frame - 1 - scene->frame_start + (double)substep / substeps;
  r->options->progress(r->options->user,
                       &(csim_progress){.frame_start = scene->frame_start,
                                        .frame_end = scene->frame_end,
                                        .frame = frame,
                                        .substep = substep,
                                        .substeps = substeps,
                                        .share = span > 0 ? done / span : 1,
                                        .iterations = stats->iterations,
                                        .linear_iterations = stats->linear_iterations,
                                        .contacts = stats->contacts,
                                        .residual = stats->residual});
}

static csim_status stop(run *r) {
  const char *why = why_stop(r); // NULL if the caller has taken its wish back
  snprintf(r->report->reason, sizeof r->report->reason, "%s", why ? why : "stopped on request");
  return CSIM_STOPPED;
}

// After a substep, if requested: tests for intersections. Logs once a frame.
static csim_status verify_substep(run *r, int frame, int substep, long long *most) {
  long long count = 0;
  if (!r->watch) return CSIM_OK;
  double time = csim_sim_time(&r->sim);
  if (csim_watch_count(r->watch, &r->sim.state, time, &count)) return out_of_memory(r);
  r->report->total.verified++;
  if (count <= r->crossing_start) return CSIM_OK;
  r->report->total.crossing++;
  if (*most == 0)
    csim_say(r->log, CSIM_ERROR, csim_in_file(r->scene->file),
             "frame %d, substep %d of %d: %lld pairs of triangles intersect, or vertices are "
             "behind planes; at the start there were %lld",
             frame, substep, r->sim.scene->substeps, count, r->crossing_start);
  if (count > *most) *most = count;
  return CSIM_OK;
}

static void count_substep(run *r, int frame, const csim_step_report *step,
                          csim_frame_stats *stats) {
  csim_run_totals *total = &r->report->total;
  int unconverged = step->method.outcome != CSIM_OUTCOME_CONVERGED, halved = step->parts > 1;
  total->taken++;
  total->unconverged += unconverged;
  total->halved += halved;
  total->retaken += step->retaken;
  // a lag of less than the contact distance is normal
  total->lagged += step->contact.lag > r->sim.world.contact.thickness;
  csim_worst_step(r->scene, frame, step, total);
  csim_conserved_step(&r->sim.scene->solver, step, &total->conserved);
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

// Reports the fallbacks that a frame's substeps used, see docs/run-report.md.
static void report_frame(const run *r, int frame, const csim_frame_stats *stats, int parts,
                         const csim_contact_report *lag) {
  csim_place place = {.file = r->scene->file};
  if (stats->unconverged)
    csim_say(r->log, CSIM_DEBUG, place,
             "frame %d: %lld of %lld substeps ended above the tolerance, the worst at a residual "
             "of %.2g",
             frame, stats->unconverged, stats->substeps, stats->residual);
  if (stats->halved)
    csim_say(r->log, CSIM_DEBUG, place,
             "frame %d: %lld of %lld substeps were taken in up to %d parts: a body was too fast, "
             "they diverged, or that is cheaper",
             frame, stats->halved, stats->substeps, parts);
  if (!(lag->lag > r->sim.world.contact.thickness)) return;
  int object = csim_scene_object_of(r->scene, r->sim.world.model->nbody, lag->lag_part);
  int pins = lag->lag_part < r->sim.world.model->nbody;
  csim_say(r->log, CSIM_WARNING, place,
           "frame %d: %s\"%s\" %s up to %.3g m behind %s; move %s slower or less far%s", frame,
           pins ? "pins of " : "", object >= 0 ? r->scene->object[object].name : "",
           pins ? "are" : "is", lag->lag,
           pins ? "their motion: something is in their way, or in that of the cloth they hold"
                : "its motion: cloth in its way has no room to leave",
           pins ? "them" : "it",
           csim_scene_may_release(r->scene, object)
               ? ", or set \"contact\": {\"pinched\": \"ignore\"}"
               : "");
}

// Takes all substeps of one frame.
static csim_status step_frame(run *r, int frame, csim_frame_stats *stats) {
  *stats = (csim_frame_stats){0};
  csim_contact_report lag = {0}; // of the substep with the largest
  int parts = 1;
  long long crossing = 0;
  int done = 0; // in shortest substeps of the frame
  int substeps = r->sim.scene->substeps;
  csim_samples_begin(&r->samples);
  while (done < substeps) {
    if (is_to_stop(r)) return stop(r);
    csim_step_report step;
    if (csim_samples_before(&r->samples, &r->sim)) return out_of_memory(r);
    int gave_up = csim_sim_advance(&r->sim, &step);
    if (step.method.outcome == CSIM_OUTCOME_STOPPED) return stop(r);
    count_substep(r, frame, &step, stats);
    if (gave_up) {
      snprintf(r->report->reason, sizeof r->report->reason, "frame %d, substep %d of %d: %s", frame,
               done + 1, substeps, csim_sim_explain(r->sim.scene, step.method.outcome));
      csim_say(r->log, CSIM_ERROR, csim_in_file(r->scene->file), "%s", r->report->reason);
      return step.method.outcome == CSIM_OUTCOME_MEMORY ? CSIM_MEMORY : CSIM_FAILED;
    }
    done += step.span;
    if (csim_samples_after(&r->samples, &r->sim, done, step.span)) return out_of_memory(r);
    csim_status status = verify_substep(r, frame, done, &crossing);
    if (status) return status;
    if (step.contact.lag > lag.lag) lag = step.contact;
    if (step.parts > parts) parts = step.parts;
    if (done >= substeps) {
      csim_worst_frame(r->sim.pool, r->scene, r->sim.world.model, frame, &step, r->sim.state.x,
                       &r->report->total);
      if (csim_conserved_frame(r->sim.pool, &r->sim.world, frame, &r->sim.state,
                               &r->report->total.conserved))
        return out_of_memory(r);
      csim_exceptions_frame(r->scene, &r->sim.world, frame, &r->sim.state, &r->report->total);
    }
    report_progress(r, frame, done, stats);
  }
  report_frame(r, frame, stats, parts, &lag);
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------ checkpoints

// Saves the state after the last good frame, unless it is saved.
static csim_status save_checkpoint(run *r, csim_log *log) {
  int frame = r->report->last_frame;
  if (frame < r->scene->frame_start || frame == r->checkpoint_frame) return CSIM_OK;
  csim_status status = csim_output_sync(r->writing.output);
  csim_resume_point point = {frame, &r->writing.good, &r->writing.good_totals};
  // scenes are compared by the first phase, in which every run begins
  const csim_world *world = r->sim.first.model ? &r->sim.first : &r->sim.world;
  if (!status)
    status = csim_resume_save(r->scene, world, r->options->out, &point,
                              r->options->keep_checkpoints, log);
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

// Refuses a checkpoint with a state that the solver of its phase does not accept. Nothing to say
// before the simulation is in that phase.
static csim_status check_colliders(const run *r) {
  const csim_state *from = &r->resume.point.state;
  // before the first step colliders are at their start, and may be left out
  int has = r->resume.point.frame > r->scene->frame_start || from->nkinematic;
  if (!has || csim_sim_phase_of(&r->sim, from) != r->sim.state.phase ||
      csim_solver_accepts(r->sim.solver, from))
    return CSIM_OK;
  return csim_refuse(r->log, csim_in_file(r->scene->file),
                     "the checkpoint has other colliders or contact distances, or is damaged");
}

// Counts the frames on disk: all up to that of the checkpoint.
static csim_status count_done(run *r) {
  const csim_state *from = &r->resume.point.state;
  csim_status status = check_colliders(r);
  if (status) return status;
  int frame = r->resume.point.frame;
  r->report->total = r->resume.totals;
  r->report->resumed = 1;
  r->report->resumed_after = frame;
  if (!r->resume.changed && !r->resume.cached) r->checkpoint_frame = frame;
  return csim_writing_behind(&r->writing, frame, from) ? out_of_memory(r) : CSIM_OK;
}

// --------------------------------------------------------------------------------------------- run

static csim_status write_frame(run *r, int frame, const csim_frame_stats *stats) {
  const csim_scene *scene = r->scene;
  double time = (frame - scene->frame_start) / scene->fps;
  csim_status status =
      csim_writing_frame(&r->writing, frame, time, &r->sim.state, &r->samples, stats);
  if (status || frame == scene->frame_end || !checkpoint_due(r, frame)) return status;
  status = csim_writing_wait(&r->writing);
  return status ? status : save_checkpoint(r, r->log);
}

static csim_status run_frames(run *r) {
  const csim_scene *scene = r->scene;
  csim_frame_stats stats = {0};
  csim_pool_section(r->sim.pool, CSIM_SECTION_OTHER);
  if (r->resume.found) { // only after the first phase has described the files
    csim_status status = csim_sim_go_on(&r->sim, &r->resume.point.state, r->resume.point.frame);
    if (!status) status = check_colliders(r);
    if (!status) status = watch_phase(r);
    if (status) return status;
    csim_output_follow(r->writing.output, r->sim.solver);
  }
  for (int frame = r->report->last_frame + 1;
       frame <= scene->frame_end && !csim_sim_at_rest(&r->sim); frame++) {
    csim_status status = frame > scene->frame_start ? begin_frame(r) : CSIM_OK;
    if (!status && frame > scene->frame_start) status = step_frame(r, frame, &stats);
    csim_section before = csim_pool_section(r->sim.pool, CSIM_SECTION_OUTPUT);
    if (!status) status = write_frame(r, frame, &stats);
    csim_pool_section(r->sim.pool, before);
    if (status) return status;
  }
  return CSIM_OK;
}

static csim_status begin_output(run *r) {
  const csim_resume *resume = &r->resume;
  csim_output_start start = {.directory = &r->directory,
                             .overwrite = r->options->overwrite || resume->replace,
                             .resume = resume->found,
                             .after_frame = resume->point.frame,
                             .changed = resume->changed,
                             .report = r->report};
  csim_status status = csim_writing_begin(&r->writing, r->scene, &r->sim.world, &start);
  if (status) return status;
  csim_output_follow(r->writing.output, r->sim.solver);
  csim_world_release(&r->sim.world,
                     r->scene->output.obj || r->scene->output.nformat || r->scene->output.strain);
  // the old cache is kept until the checkpoint is written
  return resume->changed ? save_checkpoint(r, r->log) : CSIM_OK;
}

// Finishes files, checkpoints and the record, in an order that leaves a resumable run wherever it
// is interrupted.
static csim_status end_run(run *r, csim_status status) {
  csim_pool_section(r->sim.pool, CSIM_SECTION_OUTPUT);
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
  csim_status written = csim_writing_wait(&r->writing);
  if (written && (!status || status == CSIM_STOPPED)) {
    status = written;
    report->reason[0] = 0;
  }
  if (!status && report->total.crossing) {
    status = CSIM_FAILED;
    snprintf(report->reason, sizeof report->reason, "surfaces intersect in %lld of %lld substeps",
             report->total.crossing, report->total.verified);
  }
  if (status) report->total = r->writing.good_totals;
  csim_exceptions_report(r->scene, &report->total, r->log);
  if (csim_worst_judge(r->scene, &report->total, r->log) && r->options->strict && !status) {
    status = CSIM_FAILED;
    snprintf(report->reason, sizeof report->reason, "the run is beyond the bounds of \"strict\"");
  }
  if (!status && csim_sim_at_rest(&r->sim)) {
    report->at_rest = 1;
    snprintf(report->reason, sizeof report->reason, "at rest after frame %d", report->last_frame);
  }
  if (!status) csim_summarise(&r->sim, report, r->log);
  if (status == CSIM_STOPPED || (!status && r->options->checkpoint_last)) {
    csim_status saved = save_checkpoint(r, r->log);
    if (saved) status = saved, report->reason[0] = 0;
  } else if (status) {
    save_checkpoint(r, NULL); // if possible: the failure itself has been reported
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

static void report_seconds(run *r) {
  double s[CSIM_NSECTION];
  if (!r->sim.pool) return;
  csim_pool_seconds(r->sim.pool, s);
  r->report->threads = csim_pool_used(r->sim.pool);
  r->report->seconds = (csim_run_seconds){.start = s[CSIM_SECTION_START],
                                          .elasticity = s[CSIM_SECTION_ELASTICITY],
                                          .linear = s[CSIM_SECTION_LINEAR],
                                          .search = s[CSIM_SECTION_SEARCH],
                                          .contact = s[CSIM_SECTION_CONTACT],
                                          .output = s[CSIM_SECTION_OUTPUT],
                                          .other = s[CSIM_SECTION_OTHER]};
}

csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report) {
  int none = scene->frame_start - 1;
  run r = {.scene = scene,
           .options = options,
           .log = log,
           .report = report,
           .checkpoint_frame = none,
           .directory = {.scene = scene, .path = options->out, .folder = -1},
           .began = csim_seconds()};
  r.checkpoint_time = r.began;
  *report = (csim_run_report){
      .last_frame = none, .iterations = scene->solver.iterations, .total = csim_worst_none()};
  csim_status status = csim_output_enter(&r.directory, log);
  if (!status && options->resume) status = csim_resume_find(scene, options, log, &r.resume);
  if (!status && r.resume.complete) {
    // left by a run that was killed at its very end, or before it could replace this one
    csim_resume_remove(options->out, 1);
    status = csim_output_sweep(&r.directory, log);
    report->last_frame = r.resume.last_frame;
    snprintf(report->reason, sizeof report->reason, "nothing to do, the run is complete");
    destroy(&r);
    return status;
  }
  if (!status) status = create(&r);
  if (!status) status = csim_report_contact(r.sim.scene, &r.sim.world, CSIM_DEBUG, log);
  if (!status && r.resume.cached)
    status = csim_resume_from_cache(&r.sim, options, log, &r.resume);
  else if (!status && r.resume.found)
    status = csim_resume_compare(scene, &r.sim.world, options, log, &r.resume);
  if (!status && r.resume.found) status = count_done(&r);
  if (!status) status = begin_output(&r);
  if (r.writing.output) status = end_run(&r, status ? status : run_frames(&r));
  report_seconds(&r);
  destroy(&r);
  return status;
}
