// scene/run.c: the main job, from a scene to frames on disk. Needs everything below.
#include "base/number.h"
#include "contact/start.h"
#include "io/file.h"
#include "scene/output.h"
#include "scene/watch.h"
#include "solver/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
  const csim_scene *scene;
  const csim_run_options *options;
  csim_log *log;
  csim_run_report *report;
  csim_world world;
  csim_state state;
  csim_pool *pool;
  csim_solver *solver;
  csim_output_writer *output;
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

static double substep_of(const csim_scene *scene) { return 1 / (scene->fps * scene->substeps); }

// A start with surfaces through each other is refused, unless the scene says to go on.
static csim_status check_start(run *r) {
  const csim_contact_params *contact = &r->scene->contact;
  const csim_world *world = &r->world;
  if (contact->response != CSIM_RESPONSE_FILTER &&
      contact->response != CSIM_RESPONSE_IMPACT_ZONES)
    return CSIM_OK;
  csim_arena arena = {0};
  csim_place place = {.file = r->scene->file};
  char *path = NULL;
  long long total = 0;
  int refuse = contact->on_intersection == CSIM_INTERSECTION_REFUSE;
  if (r->options->out) {
    path = csim_arena_print(&arena, "%s-intersections.obj", r->options->out);
    if (!path) return CSIM_MEMORY;
  }
  csim_status status = csim_contact_check_start(world->model, world->ncollider, world->collider,
                                                contact->self, refuse, contact->thickness, path,
                                                r->log, &total);
  if (!status && total && refuse) {
    csim_say(r->log, CSIM_ERROR, place,
             "contact keeps apart what is apart at the start; move the objects, or go on as it is "
             "with \"contact\": {\"on_intersection\": \"ignore-pairs\"}");
    status = CSIM_INVALID;
  }
  csim_arena_free(&arena);
  return status;
}

// Explicit methods blow up beyond a step that the scene does not show.
static void warn_unstable(const run *r, double h) {
  if (!csim_method_find(r->scene->solver.method)->is_explicit) return;
  double omega = csim_largest_frequency(r->pool, r->world.model);
  if (!(omega * h > 2)) return;
  csim_say(r->log, CSIM_WARNING, (csim_place){.file = r->scene->file},
           "method \"%s\" is stable for substeps under %.3g s only, and these are %.3g s: set "
           "frames.substeps to %.0f or more",
           r->scene->solver.method, 2 / omega, h,
           floor(omega / (2 * r->scene->fps)) + 1);
}

static csim_status create(run *r) {
  csim_status status = csim_compile(r->scene, r->options->tet_program, r->log, &r->world);
  if (!status) status = check_start(r);
  if (status) return status;
  count_model(r->world.model, r->report);
  r->pool = csim_pool_create(r->options->nthread);
  csim_solver_setup setup = {.model = r->world.model,
                             .params = r->scene->solver,
                             .contact = r->scene->contact,
                             .ncollider = r->world.ncollider,
                             .collider = r->world.collider,
                             .pool = r->pool,
                             .h = substep_of(r->scene)};
  r->solver = csim_solver_create(&setup);
  if (!r->pool || !r->solver || csim_state_create(r->world.model, &r->state)) {
    csim_say(r->log, CSIM_ERROR, (csim_place){.file = r->scene->file},
             "out of memory for %d vertices", r->world.model->nvert);
    return CSIM_MEMORY;
  }
  warn_unstable(r, setup.h);
  if (r->scene->contact.response != CSIM_RESPONSE_FILTER)
    csim_say(r->log, CSIM_INFO, (csim_place){.file = r->scene->file},
             "contact.response is not \"filter\": there is no guarantee that nothing passes through "
             "anything");
  if (!r->options->verify_substeps) return CSIM_OK;
  r->watch = csim_watch_create(&r->world, r->scene->contact.self);
  return r->watch ? csim_watch_count(r->watch, &r->state, 0, &r->crossing_start) : CSIM_MEMORY;
}

static void destroy(run *r) {
  csim_watch_free(r->watch);
  csim_solver_free(r->solver);
  csim_pool_free(r->pool);
  csim_state_free(&r->state);
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

static int stop_wanted(const run *r) { return r->options->stop && *r->options->stop; }

static const char *outcome_text(const csim_scene *scene, csim_outcome outcome) {
  if (outcome == CSIM_OUTCOME_DIVERGED && csim_method_find(scene->solver.method)->is_explicit)
    return "the substep is too long for an explicit method, and the state has blown up: raise "
           "frames.substeps, or choose an implicit method";
  switch (outcome) {
  case CSIM_OUTCOME_INDEFINITE:
    return "the matrix is indefinite and Cholesky has no factor: set solver.spd to \"drop\" or "
           "\"clamp\"";
  case CSIM_OUTCOME_BLOCKED:
    return "contact lets nothing move, even at a sixteenth of the substep";
  case CSIM_OUTCOME_MEMORY: return "out of memory";
  case CSIM_OUTCOME_DIVERGED:
    return "positions are no longer finite, even at a sixteenth of the substep: raise "
           "frames.substeps, or lower the stiffness";
  default: return "the solver gave up";
  }
}

// After a substep, when that was asked for: has anything passed through anything? Tells once a frame.
static csim_status verify_substep(run *r, int frame, int substep, long long *most) {
  long long count = 0;
  if (!r->watch) return CSIM_OK;
  double time = (double)r->state.step * substep_of(r->scene);
  csim_status status = csim_watch_count(r->watch, &r->state, time, &count);
  if (status) return status;
  r->report->verified_substeps++;
  if (count <= r->crossing_start) return CSIM_OK;
  r->report->crossing_substeps++;
  if (*most == 0)
    csim_say(r->log, CSIM_ERROR, (csim_place){.file = r->scene->file},
             "frame %d, substep %d of %d: %lld pairs of triangles meet, or vertices are behind planes; "
             "at the start %lld did",
             frame, substep, r->scene->substeps, count, r->crossing_start);
  if (count > *most) *most = count;
  return CSIM_OK;
}

// All substeps of one frame.
static csim_status step_frame(run *r, int frame, csim_frame_stats *stats) {
  *stats = (csim_frame_stats){0};
  csim_solver_begin_frame(r->solver);
  double lag = 0;
  long long crossing = 0;
  for (int s = 0; s < r->scene->substeps; s++) {
    if (stop_wanted(r)) return CSIM_STOPPED;
    csim_step_report step;
    int gave_up = csim_step(r->solver, &r->state, &step);
    r->report->substeps++;
    r->report->halved_substeps += step.parts > 1;
    r->report->unconverged_substeps += step.method.outcome != CSIM_OUTCOME_CONVERGED;
    stats->substeps++;
    stats->iterations += step.iterations;
    stats->linear_iterations += step.linear_iterations;
    stats->contacts += step.contacts;
    stats->halved += step.parts > 1;
    stats->unconverged += step.method.outcome != CSIM_OUTCOME_CONVERGED;
    stats->residual = fmax(stats->residual, step.method.residual);
    if (gave_up) {
      snprintf(r->report->reason, sizeof r->report->reason, "frame %d, substep %d of %d: %s", frame,
               s + 1, r->scene->substeps, outcome_text(r->scene, step.method.outcome));
      csim_say(r->log, CSIM_ERROR, (csim_place){.file = r->scene->file}, "%s", r->report->reason);
      return step.method.outcome == CSIM_OUTCOME_MEMORY ? CSIM_MEMORY : CSIM_FAILED;
    }
    csim_status status = verify_substep(r, frame, s + 1, &crossing);
    if (status) return status;
    lag = fmax(lag, step.contact.lag);
    tell_progress(r, frame, s + 1, stats);
  }
  // less than the contact distance is the play of contact itself
  if (lag > r->scene->contact.thickness)
    csim_say(r->log, CSIM_WARNING, (csim_place){.file = r->scene->file},
             "frame %d: a collider or pin is up to %.3g m behind its motion, as there is no room: "
             "something is squeezed",
             frame, lag);
  return CSIM_OK;
}

static csim_status run_frames(run *r) {
  const csim_scene *scene = r->scene;
  csim_frame_stats stats = {0};
  for (int frame = scene->frame_start; frame <= scene->frame_end; frame++) {
    csim_status status = frame > scene->frame_start ? step_frame(r, frame, &stats) : CSIM_OK;
    if (!status)
      status = csim_output_frame(r->output, frame, (frame - scene->frame_start) / scene->fps, &r->state, &stats);
    if (status) return status;
    r->report->frames_written++;
    r->report->last_frame = frame;
    status = csim_output_record(r->output, "running", r->report);
    if (status) return status;
  }
  return CSIM_OK;
}

csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report) {
  static const struct {
    csim_status status;
    const char *state, *reason;
  } ends[] = {{CSIM_OK, "complete", "all frames written"},
              {CSIM_STOPPED, "stopped", "stopped on request"},
              {CSIM_FAILED, "failed", "the solver gave up"},
              {CSIM_IO, "failed", "a file could not be written"},
              {CSIM_MEMORY, "failed", "out of memory"},
              {CSIM_INVALID, "failed", "invalid"}};
  run r = {.scene = scene, .options = options, .log = log, .report = report};
  *report = (csim_run_report){.last_frame = scene->frame_start - 1};
  csim_status status = create(&r);
  if (!status)
    status = csim_output_create(scene, &r.world, options->out, options->overwrite, log, &r.output);
  if (!status) {
    csim_output_press(r.output, r.solver);
    status = run_frames(&r);
    if (!status && report->crossing_substeps) {
      status = CSIM_FAILED;
      snprintf(report->reason, sizeof report->reason,
               "in %lld of %lld substeps surfaces pass through each other", report->crossing_substeps,
               report->verified_substeps);
    }
    size_t k = 0;
    while (ends[k].status != status) k++;
    if (!report->reason[0]) snprintf(report->reason, sizeof report->reason, "%s", ends[k].reason);
    csim_status recorded = csim_output_record(r.output, ends[k].state, report);
    csim_status ended = csim_output_close(r.output, status == CSIM_OK);
    if (!status) status = recorded ? recorded : ended;
  }
  destroy(&r);
  return status;
}

csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report) {
  csim_run_report counts = {0};
  run r = {.scene = scene, .options = options, .log = log, .report = &counts};
  *report = (csim_check_report){.frames = scene->frame_end - scene->frame_start + 1,
                                .substeps = scene->substeps};
  csim_status status = create(&r);
  if (!status) {
    const csim_model *model = r.world.model;
    report->nvert = counts.nvert;
    report->ntri = counts.ntri;
    report->ntet = counts.ntet;
    report->nspring = counts.nspring;
    for (int i = 0; i < model->nvert; i++) report->nfixed += model->fixed[i];
    for (int e = 0; e < model->nenergy; e++)
      if (model->energy[e].kind == &csim_quadratic_kind || model->energy[e].kind == &csim_dihedral_kind)
        report->nhinge += model->energy[e].nelem;
    report->memory = model->arena.used + csim_solver_memory(r.solver) +
                     12 * (size_t)model->nvert * sizeof(double);
  }
  destroy(&r);
  return status;
}

static void dump_springs(const csim_energy *energy, csim_file *file) {
  for (int e = 0; e < energy->nelem; e++) {
    const double *param = energy->param + energy->kind->nparam * (ptrdiff_t)e;
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
  run r = {.scene = scene, .options = options, .log = log, .report = &counts};
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
  csim_file_text(file, ", \"damping\": 0,\n\"springs\": [");
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind == &csim_spring_kind) dump_springs(&model->energy[e], file);
  csim_file_text(file, "]}\n");
  status = csim_file_commit(file, 0);
done:
  destroy(&r);
  return status;
}
