// scene/sim.c: stepping a scene, see sim.h and clothsim.h.
#include "scene/sim.h"

#include "contact/check_start.h"
#include "contact/layers.h"
#include "contact/untangle.h"
#include "solver/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- create

static csim_status untangle(const csim_sim *sim, const csim_collision_setup *setup) {
  long long before, after;
  if (csim_contact_untangle(setup, sim->world.model->x0, &before, &after))
    return csim_sim_no_memory(sim);
  if (before)
    csim_say(sim->log, after ? CSIM_WARNING : CSIM_INFO, csim_in_file(sim->scene->file),
             "untangled the start: %lld pairs of triangles intersected, %lld do now%s", before,
             after, after ? "; these stay crossed" : "");
  return CSIM_OK;
}

// Moves cloth over the layers below it.
static csim_status lay_over(const csim_sim *sim, const csim_collision_setup *setup) {
  csim_layering done;
  if (csim_contact_layers(setup, sim->world.model->x0, &done)) return csim_sim_no_memory(sim);
  if (done.nmoved)
    csim_say(sim->log, done.after ? CSIM_WARNING : CSIM_INFO, csim_in_file(sim->scene->file),
             "layers at the start: %d vertices were moved out, by up to %.3g mm; %lld pairs of "
             "triangles met, %lld do now",
             done.nmoved, 1e3 * done.farthest, done.before, done.after);
  return CSIM_OK;
}

// Finds intersections of the start, and shows them in OUT-intersections.obj.
static csim_status find_crossings(csim_sim *sim, const csim_collision_setup *setup, int refuse,
                                  const char *out) {
  csim_arena arena = {0};
  char *path = out ? csim_arena_print(&arena, "%s-intersections.obj", out) : NULL;
  if (out && !path) return csim_sim_no_memory(sim);
  csim_status status =
      csim_contact_check_start(sim->pool, setup, refuse, path, sim->log, &sim->crossings_at_start);
  csim_arena_free(&arena);
  return status;
}

// Lays layers over each other, and untangles the start or refuses one with intersections, as the
// scene has it.
static csim_status check_start(csim_sim *sim, const char *out) {
  const csim_contact_params *contact = &sim->world.contact;
  const csim_world *world = &sim->world;
  csim_collision_setup setup = {.model = world->model,
                                .ncollider = world->ncollider,
                                .collider = world->collider,
                                .self = contact->self,
                                .thickness = contact->thickness,
                                .share = contact->share,
                                .place = csim_in_file(sim->scene->file)};
  int refuse = contact->on_intersection == CSIM_INTERSECTION_REFUSE;
  csim_status status = lay_over(sim, &setup);
  if (status) return status;
  if (contact->response != CSIM_RESPONSE_FILTER && contact->response != CSIM_RESPONSE_IMPACT_ZONES)
    return CSIM_OK;
  if (contact->on_intersection == CSIM_INTERSECTION_UNTANGLE) status = untangle(sim, &setup);
  if (!status) status = find_crossings(sim, &setup, refuse, out);
  if (!status && sim->crossings_at_start && refuse)
    status = csim_refuse(sim->log, csim_in_file(sim->scene->file),
                         "contact needs a start without intersections: move the objects, or set "
                         "\"contact\": {\"on_intersection\": \"ignore-pairs\"} to ignore these "
                         "pairs, or \"untangle\" to separate them");
  return status;
}

// Warns of explicit methods beyond their stable step, which the scene does not show. With the
// filter, which holds up what blows up and gets ever slower, such a run is refused.
static csim_status check_stable(const csim_sim *sim, double h) {
  if (!csim_method_find(sim->scene->solver.method)->is_explicit) return CSIM_OK;
  double omega = csim_largest_frequency(sim->pool, sim->world.model);
  double longest = omega > 0 ? csim_longest_step(sim->world.model, omega) : INFINITY;
  if (!(h > longest)) return CSIM_OK;
  int refuse = sim->scene->contact.response == CSIM_RESPONSE_FILTER;
  csim_say(sim->log, refuse ? CSIM_ERROR : CSIM_WARNING, csim_in_file(sim->scene->file),
           "method \"%s\" is stable for substeps under %.3g s only, and these are %.3g s: set "
           "frames.substeps to %.0f or more",
           sim->scene->solver.method, longest, h, floor(1 / (longest * sim->scene->fps)) + 1);
  return refuse ? CSIM_INVALID : CSIM_OK;
}

csim_status csim_sim_open(const csim_scene *scene, const csim_sim_start *start, csim_log *log,
                          csim_sim *sim) {
  csim_place place = {.file = scene->file};
  *sim = (csim_sim){.whole = scene,
                    .scene = scene->nphase ? scene->phase[0].scene : scene,
                    .log = log,
                    .stop = start->stop,
                    .pool = csim_pool_create(start->nthread)};
  scene = sim->scene;
  csim_once_log_begin(&sim->said, log);
  csim_pool_section(sim->pool, CSIM_SECTION_START);
  if (start->tet_program) sim->tet_program = csim_arena_copy(&sim->arena, start->tet_program);
  if (sim->arena.failed) return csim_sim_no_memory(sim);
  csim_status status =
      csim_compile(scene, start->tet_program, sim->pool, &sim->said.log, NULL, &sim->world);
  if (!status) status = csim_build_renders(scene, &sim->world, log, &sim->renders);
  sim->world.renders = &sim->renders;
  if (!status) status = check_start(sim, start->out);
  if (status) return status;

  if (!sim->pool || csim_sim_restart_solver(sim) ||
      csim_state_create(sim->world.model, &sim->state) || csim_movers_create(sim))
    return csim_fail(log, CSIM_MEMORY, place, "out of memory for %d vertices",
                     sim->world.model->nvert);

  status = check_stable(sim, csim_sim_substep(scene));
  if (status) return status;
  if (scene->contact.response != CSIM_RESPONSE_FILTER)
    csim_say(log, CSIM_INFO, place,
             "contact.response is not \"filter\": there is no guarantee that nothing passes "
             "through anything");
  return CSIM_OK;
}

void csim_sim_close(csim_sim *sim) {
  csim_movers_free(sim);
  csim_solver_free(sim->solver);
  csim_pool_free(sim->pool);
  csim_state_free(&sim->state);
  csim_world_free(&sim->world);
  csim_world_free(&sim->first);
  csim_renders_free(&sim->renders);
  csim_arena_free(&sim->arena);
  csim_once_log_end(&sim->said);
}

csim_status csim_sim_create(const csim_scene *scene, const csim_sim_options *options, csim_log *log,
                            csim_sim **result) {
  csim_sim_start start = {.tet_program = "clothsim-tet", .nthread = 1};
  *result = NULL;
  if (options && options->tet_program) start.tet_program = options->tet_program;
  if (options && options->nthread) start.nthread = options->nthread;
  if (start.nthread < 1 || start.nthread > 256)
    return csim_refuse(log, csim_in_file(scene->file),
                       "csim_sim_create: nthread is %d; 1 to 256 are possible", start.nthread);

  csim_sim *sim = CSIM_NEW(csim_sim, 1);
  if (!sim) return csim_fail_memory(log, scene->file);
  csim_status status = csim_sim_open(scene, &start, log, sim);
  if (status) {
    csim_sim_free(sim);
    return status;
  }
  csim_pool_section(sim->pool, CSIM_SECTION_OTHER);
  *result = sim;
  return CSIM_OK;
}

void csim_sim_free(csim_sim *sim) {
  if (!sim) return;
  csim_sim_close(sim);
  free(sim);
}

csim_status csim_sim_reset(csim_sim *sim) {
  csim_status entered = csim_sim_enter(sim, 0);
  if (entered) return entered;
  // a phase began without memory
  if (!sim->mover && csim_movers_create(sim)) return csim_sim_no_memory(sim);
  csim_movers_reset(sim);
  csim_state_reset(sim->world.model, &sim->state);
  sim->begun = 0;
  return csim_sim_restart_solver(sim) ? csim_sim_no_memory(sim) : CSIM_OK;
}

// ------------------------------------------------------------------------------------------- step

const char *csim_sim_explain(const csim_scene *scene, csim_outcome outcome) {
  if (outcome == CSIM_OUTCOME_DIVERGED && csim_method_find(scene->solver.method)->is_explicit)
    return "the substep is too long for an explicit method, and the state has blown up: raise "
           "frames.substeps, or choose an implicit method";
  switch (outcome) {
  case CSIM_OUTCOME_INDEFINITE:
    return "the matrix is indefinite and Cholesky has no factor: set solver.psd to \"drop\" or "
           "\"clamp\"";
  case CSIM_OUTCOME_STOPPED:
    return "stopped";
  case CSIM_OUTCOME_MEMORY:
    return "out of memory";
  case CSIM_OUTCOME_DIVERGED:
    return "positions are no longer finite, even at a 64th of the substep: raise "
           "frames.substeps, or lower the stiffness";
  default:
    return "the solver gave up";
  }
}

int csim_sim_advance(csim_sim *sim, csim_step_report *report) {
  long long step = sim->state.step;
  int substeps = sim->scene->substeps;
  if (!sim->begun || step % substeps == 0) {
    csim_solver_begin_frame(sim->solver, (double)(step - step % substeps + substeps) *
                                             csim_sim_substep(sim->scene));
  }
  sim->begun = 1;
  csim_threads_begin_step(&sim->threads, sim->pool);
  int failed = csim_step(sim->solver, &sim->state, report);
  csim_threads_end_step(&sim->threads, sim->pool);
  if (!failed && sim->state.step % substeps == 0) csim_sim_count_rest(sim);
  return failed;
}

static double time_of(const csim_sim *sim, long long step) {
  return (double)step / (sim->scene->fps * sim->scene->substeps);
}

static void count_substep(const csim_step_report *step, csim_sim_report *total) {
  total->substeps++;
  total->unconverged += step->method.outcome != CSIM_OUTCOME_CONVERGED;
  total->halved += step->parts > 1;
  total->iterations += step->iterations;
  total->linear_iterations += step->linear_iterations;
  total->contacts += step->contacts;
  total->residual = fmax(total->residual, step->method.residual);
  total->lag = fmax(total->lag, step->contact.lag);
}

// Takes one substep, or all to the end of the frame; pending targets are reached at the end.
static csim_status step_to(csim_sim *sim, int whole_frame, csim_sim_report *report) {
  csim_sim_report total = {0};
  csim_status status = sim->solver ? CSIM_OK : csim_sim_no_memory(sim);
  int changed;
  if (!status && (!sim->begun || sim->state.step % sim->scene->substeps == 0))
    status = csim_sim_begin(sim, &changed);
  if (status) return status;
  long long now = sim->state.step, substeps = sim->scene->substeps,
            last = whole_frame ? now - now % substeps + substeps : now + 1;
  csim_movers_schedule(sim, csim_sim_time(sim), time_of(sim, last));
  while (!status && sim->state.step < last) {
    csim_step_report step;
    if (csim_sim_advance(sim, &step) == 0) {
      count_substep(&step, &total);
      continue;
    }
    csim_say(sim->log, CSIM_ERROR, csim_in_file(sim->scene->file), "the substep at %.6g s: %s",
             csim_sim_time(sim), csim_sim_explain(sim->scene, step.method.outcome));
    status = step.method.outcome == CSIM_OUTCOME_MEMORY ? CSIM_MEMORY : CSIM_FAILED;
  }
  if (!status) csim_movers_settle(sim);
  total.time = csim_sim_time(sim);
  if (report) *report = total;
  return status;
}

csim_status csim_sim_step(csim_sim *sim, csim_sim_report *report) {
  return step_to(sim, 0, report);
}

csim_status csim_sim_step_frame(csim_sim *sim, csim_sim_report *report) {
  return step_to(sim, 1, report);
}

// ---------------------------------------------------------------------------------------- queries

const char *csim_version(void) {
  return CSIM_VERSION;
}

double csim_sim_time(const csim_sim *sim) {
  return csim_sim_now(sim);
}

int csim_sim_frame(const csim_sim *sim) {
  return sim->scene->frame_start + (int)(sim->state.step / sim->scene->substeps);
}

int csim_sim_nvert(const csim_sim *sim) {
  return sim->state.nvert;
}

const double *csim_sim_positions(const csim_sim *sim) {
  return sim->state.x;
}

double *csim_sim_velocities(csim_sim *sim) {
  return sim->state.v;
}

int csim_sim_nobject(const csim_sim *sim) {
  return sim->world.model->nbody + sim->world.ncollider;
}

csim_sim_object csim_sim_get_object(const csim_sim *sim, int k) {
  const csim_model *model = sim->world.model;
  const csim_body *body = k < model->nbody ? &model->body[k] : NULL;
  const csim_mesh *mesh = body ? body->mesh : &sim->world.collider_mesh[k - model->nbody];
  return (csim_sim_object){.name = body ? body->name : sim->world.collider[k - model->nbody].name,
                           .type = body ? body->type : CSIM_OBJECT_COLLIDER,
                           .first = body ? body->vert0 : -1,
                           .nvert = body ? body->nvert : mesh->nvert,
                           .nface = mesh->nface,
                           .face_start = mesh->face_start,
                           .face_vert = mesh->face_vert,
                           .ntri = mesh->ntri,
                           .tri = mesh->tri};
}

int csim_sim_find_object(const csim_sim *sim, const char *name) {
  for (int k = 0; k < csim_sim_nobject(sim); k++)
    if (!strcmp(csim_sim_get_object(sim, k).name, name)) return k;
  return -1;
}

void csim_sim_get_vertices(const csim_sim *sim, int k, double *x) {
  int nbody = sim->world.model->nbody;
  csim_sim_object object = csim_sim_get_object(sim, k);
  size_t size = 3 * (size_t)object.nvert * sizeof *x;
  if (k < nbody) {
    memcpy(x, sim->state.x + csim_xyz(object.first), size);
    return;
  }
  const double *real = csim_world_real_vertices(&sim->world, k - nbody, &sim->state);
  if (real) {
    memcpy(x, real, size);
    return;
  }
  csim_collider_vertices(&sim->world.collider[k - nbody], csim_sim_time(sim), x);
  csim_world_hold_plane(&sim->world, k - nbody, &sim->state, x);
}
