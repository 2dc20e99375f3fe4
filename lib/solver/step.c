// solver/step.c: see step.h.
#include "solver/step.h"

#include "math/vec3.h"
#include "math/vector.h"
#include "model/external.h"
#include "model/links.h"
#include "solver/guess.h"
#include "solver/integrate.h"
#include "solver/pace.h"
#include "solver/project.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

// The state before the step.
typedef struct earlier_state {
  int known;
  double *x, *v, *a; // (nvert x 3)
} earlier_state;

// States of contact to go back to, csim_contact_save.
typedef struct earlier_contact {
  double *step; // before the step
  double *part; // before the present part of it; NULL: the method does not know contact
} earlier_contact;

// For methods without contact: the bodies without their energies, and newton on them.
typedef struct loose_bodies {
  csim_model model;
  csim_solver_params params;
  void *scratch;
} loose_bodies;

// For methods that have the drag in their problem. For others it is part of csim_solver's v.
typedef struct free_flight {
  double *v;          // (nvert x 3) [m/s] after the other external forces; else csim_solver's
  double *resistance; // (nvert x CSIM_RESISTANCE) of the air; NULL: none
} free_flight;

// (nbody) each, of this step.
typedef struct body_losses {
  double *decay;   // scratch of csim_external_velocity
  double *damping; // [s] of springs; NULL: none
} body_losses;

// Pins, links and chambers at the end of the part.
typedef struct driven {
  double *target;            // (ntarget x 3)
  double *hold;              // (ntarget) NULL unless the model is timed
  double *link;              // (nlink x CSIM_LINK_NOW)
  csim_chamber_now *chamber; // (nchamber)
} driven;

struct csim_solver {
  csim_solver_setup setup;
  csim_arena arena;     // of everything below
  csim_scratch scratch; // of linear solvers and contact
  const csim_method *method;
  void *method_scratch;
  double *y, *x, *v; // (nvert x 3)
  double *step;      // (nvert x 3) when there is no contact, which has its own
  free_flight air;
  earlier_state earlier;
  int lacks_a;       // the state's accelerations are not known yet
  int halvings_left; // times the step may still be halved
  csim_guess guess;
  csim_integration integration;
  csim_energy_memo energy_memo;
  body_losses loss;
  driven driven;
  double *goal;          // (nvert x 3) the method's proposal, when contact is resolved after it
  csim_contact *contact; // NULL unless the response is "filter"
  csim_zones *zones;     // NULL unless it is "impact-zones"
  earlier_contact contact_before;
  loose_bodies loose;
};

extern const csim_method csim_method_newton;

// Creates newton for vertices with only inertia and contact.
static void create_loose(csim_solver *solver) {
  const csim_model *model = solver->setup.model;
  solver->loose.model = *model;
  solver->loose.model.nenergy = solver->loose.model.chambers.nchamber = 0;
  solver->loose.params = (csim_solver_params){.method = "newton",
                                              .linear = "pcg",
                                              .iterations = 8,
                                              .tolerance = 1e-3,
                                              .linear_iterations = 200,
                                              .linear_tolerance = 0.01,
                                              .line_search = 1};
  if (solver->arena.failed) return;
  solver->loose.scratch =
      csim_method_newton.create(&solver->arena, &solver->loose.model, &solver->loose.params);
}

static int is_damped(const csim_model *model, const csim_solver_params *params) {
  int damped = model->stretch_damping != NULL;
  for (int b = 0; b < model->nbody; b++)
    damped |= params->damping * model->body[b].numerical_damping > 0;
  return damped;
}

// Keeps gradients of volumes where they couple vertices.
static void create_chambers(csim_arena *arena, const csim_model *model, csim_solver *solver) {
  solver->driven.chamber = CSIM_ARENA_NEW(arena, csim_chamber_now, model->chambers.nchamber);
  for (int k = 0; k < model->chambers.nchamber && solver->driven.chamber; k++)
    if (model->chambers.chamber[k].gas || model->chambers.chamber[k].stiffness > 0)
      solver->driven.chamber[k].grad = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
}

// Creates contact for the response of the scene, and arrays for its state before the step.
static void create_contact(csim_solver *solver) {
  const csim_solver_setup *setup = &solver->setup;
  csim_arena *arena = &solver->arena;
  int knows_contact = solver->method->knows_contact;
  if (setup->contact.response == CSIM_RESPONSE_IMPACT_ZONES) {
    solver->zones = csim_zones_create(setup->pool, &solver->scratch, setup->model, setup->ncollider,
                                      setup->collider, &setup->contact);
    if (!solver->zones) arena->failed = 1;
  }
  if (setup->contact.response != CSIM_RESPONSE_FILTER) return;
  if (!knows_contact || setup->params.strain_limit > 0)
    solver->goal = CSIM_ARENA_NEW(arena, double, csim_xyz(setup->model->nvert));
  solver->contact =
      csim_contact_create(setup->pool, &solver->scratch, setup->model, setup->ncollider,
                          setup->collider, &setup->contact, setup->h);
  if (!solver->contact) {
    arena->failed = 1;
    return;
  }
  ptrdiff_t size = csim_xyz(csim_contact_kinematic_size(solver->contact));
  solver->contact_before.step = CSIM_ARENA_NEW(arena, double, size);
  if (knows_contact)
    solver->contact_before.part = CSIM_ARENA_NEW(arena, double, size);
  else
    create_loose(solver);
}

// Makes the shared scratch as large as its largest user outside of contact needs.
static void reserve_scratch(csim_solver *solver) {
  const csim_model *model = solver->setup.model;
  int solves = solver->method->solves_systems || solver->loose.scratch;
  ptrdiff_t drag = csim_scratch_bytes(model->ntri, sizeof(csim_drag));
  if ((solves && csim_pcg_reserve(&solver->scratch, 3 * model->nvert)) ||
      (csim_model_drags(model) && csim_scratch_reserve(&solver->scratch, drag)))
    solver->arena.failed = 1;
}

csim_solver *csim_solver_create(const csim_solver_setup *setup) {
  const csim_method *method = csim_method_find(setup->params.method);
  csim_solver *solver = method ? CSIM_NEW(csim_solver, 1) : NULL;
  if (!solver) return NULL;
  ptrdiff_t n = csim_xyz(setup->model->nvert);
  csim_arena *arena = &solver->arena;
  solver->setup = *setup;
  solver->method = method;
  solver->y = CSIM_ARENA_NEW(arena, double, n);
  solver->x = CSIM_ARENA_NEW(arena, double, n);
  solver->v = CSIM_ARENA_NEW(arena, double, n);
  solver->energy_memo.x = CSIM_ARENA_NEW(arena, double, n);
  solver->air.v = solver->v;
  if (method->solves_systems && csim_model_drags(setup->model)) {
    solver->air.v = CSIM_ARENA_NEW(arena, double, n);
    solver->air.resistance =
        CSIM_ARENA_NEW(arena, double, csim_row(CSIM_RESISTANCE, setup->model->nvert));
  }
  csim_integrator integrator =
      method->is_explicit ? CSIM_INTEGRATOR_EULER : setup->params.integrator;
  csim_integration_create(arena, setup->model, integrator, &solver->integration);
  solver->driven.target = CSIM_ARENA_NEW(arena, double, csim_xyz(setup->model->ntarget));
  if (setup->model->pins.timed)
    solver->driven.hold = CSIM_ARENA_NEW(arena, double, setup->model->ntarget);
  solver->driven.link =
      CSIM_ARENA_NEW(arena, double, csim_row(CSIM_LINK_NOW, setup->model->links.nlink));
  create_chambers(arena, setup->model, solver);
  solver->loss.decay = CSIM_ARENA_NEW(arena, double, setup->model->nbody);
  if (is_damped(setup->model, &setup->params))
    solver->loss.damping = CSIM_ARENA_NEW(arena, double, setup->model->nbody);
  solver->method_scratch = method->create(arena, setup->model, &solver->setup.params);
  create_contact(solver);
  csim_guess_create(arena, setup->model, &solver->guess);
  solver->guess.method = method;
  solver->guess.colliders = solver->contact_before.part;
  if (method->solves_systems && !solver->contact) solver->step = CSIM_ARENA_NEW(arena, double, n);
  reserve_scratch(solver);
  if (arena->failed) {
    csim_solver_free(solver);
    return NULL;
  }
  return solver;
}

void csim_solver_free(csim_solver *solver) {
  if (!solver) return;
  if (solver->method_scratch && solver->method->destroy)
    solver->method->destroy(solver->method_scratch);
  if (solver->loose.scratch) csim_method_newton.destroy(solver->loose.scratch);
  csim_contact_free(solver->contact);
  csim_zones_free(solver->zones);
  csim_scratch_free(&solver->scratch);
  csim_arena_free(&solver->arena);
  free(solver);
}

size_t csim_solver_memory(const csim_solver *solver) {
  return solver->arena.used + (size_t)solver->scratch.size +
         (solver->contact ? csim_contact_memory(solver->contact) : 0);
}

int csim_solver_kinematic_size(const csim_solver *solver) {
  return solver->contact ? csim_contact_kinematic_size(solver->contact) : 0;
}

int csim_solver_accepts(const csim_solver *solver, const csim_state *state) {
  return state->nkinematic == csim_solver_kinematic_size(solver) &&
         (!solver->contact || csim_contact_accepts(solver->contact, state->kinematic));
}

void csim_solver_place_colliders(csim_solver *solver, double time, double *kinematic) {
  if (!solver->contact) return;
  csim_contact_place(solver->contact, time);
  csim_contact_save(solver->contact, kinematic);
}

void csim_solver_begin_frame(csim_solver *solver, double end) {
  if (!solver->contact) return;
  csim_contact_begin_frame(solver->contact, end);
}

// Shortens springs beyond the strain limit, after the solve (Provot 1995).
static void limit_strain(const csim_solver *solver, double *x) {
  const csim_solver_setup *setup = &solver->setup;
  csim_pass pass = {.model = setup->model, .pool = setup->pool, .share = 1};
  for (int k = 0; k < setup->params.strain_limit_iterations; k++)
    for (int e = 0; e < setup->model->nenergy; e++)
      if (setup->model->energy[e].kind == &csim_spring_kind)
        csim_project_limit(&pass, &setup->model->energy[e], setup->params.strain_limit, x);
}

// Turns the method's proposal into positions: inertia pulls every vertex to the proposal, contact
// energies resist, and the filter makes the result free of intersections. x: the proposal on entry.
static int resolve_contact(csim_solver *solver, const csim_problem *problem, double *x,
                           csim_step_report *report) {
  csim_contact *contact = solver->contact;
  ptrdiff_t n = csim_xyz(problem->model->nvert);
  memcpy(solver->goal, x, (size_t)n * sizeof *x);
  if (!solver->method->knows_contact)
    csim_contact_initial_guess(contact, problem->v, problem->h, x);
  if (csim_contact_advance(contact, x, x)) {
    report->method.outcome = CSIM_OUTCOME_MEMORY;
    return -1;
  }
  if (solver->method->knows_contact) return 0;
  csim_problem loose = *problem;
  loose.model = &solver->loose.model;
  loose.energy_memo = NULL;
  loose.integration = NULL;
  loose.params = &solver->loose.params;
  loose.y = solver->goal;
  loose.contact = contact;
  csim_method_report last = csim_method_newton.solve(&loose, solver->loose.scratch, x);
  report->linear_iterations += last.linear_iterations;
  if (last.outcome < CSIM_OUTCOME_INDEFINITE) return 0;
  report->method.outcome = last.outcome;
  return -1;
}

typedef struct velocity_job {
  const double *from, *x;
  double h, *v;
} velocity_job;

static void add_velocity(void *context, int first, int last) {
  const velocity_job *job = context;
  for (int i = first; i < last; i++) job->v[i] += (job->x[i] - job->from[i]) / job->h;
}

// Velocities of the step to x, when the method's proposal was solver->goal.
static void set_velocity(const csim_solver *solver, csim_state *state, const double *x, double *v) {
  int sets = solver->method->sets_velocity && !(solver->setup.params.strain_limit > 0);
  if (!sets)
    csim_integration_end(solver->setup.pool, solver->setup.model, &solver->integration, x, state,
                         v);
  if (!sets || !solver->contact) return;
  velocity_job job = {solver->goal, x, solver->integration.rate, v};
  csim_pool_for(solver->setup.pool, 3 * state->nvert, CSIM_SUM_GRAIN, add_velocity, &job);
}

// Finds the accelerations of a state that has none yet: those of its forces, without contact. From
// a = 0 everything that starts at rest would lose g h/2 of speed permanently. The method treats
// stiff forces implicitly: a stitch of 10 kN/m that is 0.1 mm too long would throw its edges at 80
// m/s.
static void find_accelerations(const csim_solver *solver, const csim_problem *problem,
                               csim_state *state, double *force) {
  const csim_model *model = problem->model;
  csim_problem_gradient(problem, state->x, force);
  for (int i = 0; i < state->nvert; i++) {
    int moves = !model->fixed[i] && model->mass[i] > 0;
    double back = 2 / problem->h * model->mass[i]; // w (x - y) has 2 m v/h
    double drag[3] = {0};
    if (problem->resistance) // its gradient is that of cloth that stands still
      csim_resist(problem->resistance + csim_row(CSIM_RESISTANCE, i), problem->v + csim_xyz(i),
                  drag);
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      force[k] = moves ? -force[k] - back * problem->v[k] - drag[k - 3 * i] : 0;
      state->a[k] = moves ? force[k] / model->mass[i] : 0;
    }
  }
  if (solver->method->accelerate)
    solver->method->accelerate(problem, solver->method_scratch, force, state->a);
}

// Input of impulses and penalty springs for a part of a step that ends at `end`.
static csim_impulse_step impulse_step(const csim_solver *solver, const csim_state *state,
                                      double end, double h) {
  const csim_solver_setup *setup = &solver->setup;
  return (csim_impulse_step){.pool = setup->pool,
                             .model = setup->model,
                             .ncollider = setup->ncollider,
                             .collider = setup->collider,
                             .params = &setup->contact,
                             .x0 = state->x,
                             .from = solver->integration.x_from,
                             .time = end,
                             .h = h,
                             .rate = solver->integration.rate};
}

// Computes velocities solver->v after the external forces, the inertial target solver->y, and the
// positions of pins, links and chambers at the end of the part.
static void apply_external_forces(csim_solver *solver, const csim_state *state, double time,
                                  double h, csim_step_report *report) {
  const csim_solver_setup *setup = &solver->setup;
  const csim_model *model = setup->model;
  csim_integration *step = &solver->integration;
  csim_external external = {.model = model,
                            .x = step->x_from,
                            .v = step->v_from,
                            .h = step->rate,
                            .undamped = step->decayed != NULL,
                            .time = csim_integration_force_time(step, time),
                            .span = step->h,
                            .decay = solver->loss.decay,
                            .air = solver->y,
                            .without = solver->air.resistance ? solver->air.v : NULL,
                            .resistance = solver->air.resistance};
  if (csim_model_drags(model)) {
    csim_scratch_begin(&solver->scratch);
    external.drag = CSIM_SCRATCH_TAKE(&solver->scratch, csim_drag, model->ntri);
  }
  csim_external_velocity(setup->pool, &external, solver->v);
  if (setup->contact.response == CSIM_RESPONSE_PENALTY) {
    csim_impulse_step touch = impulse_step(solver, state, time + h, h);
    report->contacts += csim_penalty_push(&touch, solver->v);
    if (solver->air.resistance) csim_penalty_push(&touch, solver->air.v);
  }
  csim_integration_aim(setup->pool, model, state, solver->air.v, step, solver->y);

  csim_model_targets(model, time + h, solver->driven.target);
  csim_chambers_at(model, time + h, solver->driven.chamber);
  if (model->links.nlink) {
    csim_links_at(model, time + h, state->torn, solver->driven.link);
    csim_links_direct(model, step->x_from, step->v_from, h, solver->driven.link);
  }
  if (solver->driven.hold) csim_model_pin_shares(model, time + h, solver->driven.hold);
  for (int b = 0; b < model->nbody && solver->loss.damping; b++)
    solver->loss.damping[b] =
        setup->params.damping * model->body[b].numerical_damping * step->rate +
        (model->stretch_damping ? model->stretch_damping[b] : 0);
}

// The minimisation of a part of a step, before contact begins.
static csim_problem problem_of(csim_solver *solver, const csim_state *state) {
  const csim_integration *step = &solver->integration;
  csim_contact *contact = solver->contact;
  solver->energy_memo.known = 0;
  return (csim_problem){.model = solver->setup.model,
                        .params = &solver->setup.params,
                        .pool = solver->setup.pool,
                        .h = step->rate,
                        .inertia = step->inertia,
                        .resistance = solver->air.resistance,
                        .halvings_left = solver->halvings_left,
                        .damping = solver->loss.damping,
                        .x = step->x_from,
                        .v = step->v_from,
                        .y = solver->y,
                        .target = solver->driven.target,
                        .plastic = state->plastic,
                        .hold = solver->driven.hold,
                        .link = solver->driven.link,
                        .chamber = solver->driven.chamber,
                        .integration = &solver->integration,
                        .stop = &solver->setup.stop,
                        .v_next = solver->v,
                        .energy_memo = &solver->energy_memo,
                        .scratch = &solver->scratch,
                        .step = contact ? csim_contact_displacements(contact) : solver->step};
}

// Begins contact, measures forces, and sets solver->x to the initial guess. -1: out of memory.
static int begin_solve(csim_solver *solver, const csim_state *state, double end, double h,
                       csim_problem *problem) {
  csim_contact *contact = solver->contact;
  csim_integration *step = &solver->integration;
  double *x = solver->x;
  csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  if (solver->contact_before.part) csim_contact_save(contact, solver->contact_before.part);
  if (contact && csim_contact_begin(contact, state->x, state->v, solver->driven.target, end, h))
    return -1;
  problem->force_scale = csim_problem_force_scale(problem, x);
  if (problem->force_scale == 0) problem->force_scale = 1e-300; // any force is too large then
  solver->guess.state = state;
  solver->guess.end = end;
  if (solver->method->knows_contact) problem->contact = contact;
  if (csim_guess_find(&solver->guess, problem, x)) return -1;
  if (!problem->contact) return 0;
  csim_contact_find_touching(contact, x, step->rough);
  csim_integration_aim(problem->pool, problem->model, state, solver->air.v, step, solver->y);
  return 0;
}

// Computes velocities of the step to solver->x, and contact by impulses. -1: out of memory.
static int end_solve(csim_solver *solver, csim_state *state, double end, double h,
                     csim_step_report *report) {
  csim_impulse_step touch = impulse_step(solver, state, end, h);
  int alpha = solver->integration.integrator == CSIM_INTEGRATOR_ALPHA;
  touch.a = alpha ? state->a : NULL;
  touch.by_force = alpha ? 2 / h : 1 / touch.rate;
  set_velocity(solver, state, solver->x, solver->v);
  if (solver->setup.contact.response == CSIM_RESPONSE_IMPULSE)
    report->contacts += csim_impulse_respond(&touch, solver->x, solver->v);
  if (!solver->zones) return 0;
  int left, given = csim_zones_respond(solver->zones, &touch, solver->x, solver->v, &left);
  if (given < 0) return -1;
  report->contacts += given;
  if (left > 0 && report->method.outcome < CSIM_OUTCOME_LIMIT)
    report->method.outcome = CSIM_OUTCOME_LIMIT; // pairs still touch
  return 0;
}

static int fail(csim_step_report *report, csim_outcome outcome) {
  report->method.outcome = outcome;
  return -1;
}

// Makes `worst` the worse of both in every respect.
static void keep_worst(const csim_method_report *part, csim_method_report *worst) {
  if (part->outcome > worst->outcome) worst->outcome = part->outcome;
  if (part->residual > worst->residual) worst->residual = part->residual;
  if (!(part->imbalance > worst->imbalance)) return;
  worst->imbalance = part->imbalance;
  worst->unbalanced = part->unbalanced;
}

// Takes the part of a step from `time` to time + h. Changes x and v only if it returns 0.
static int advance(csim_solver *solver, csim_state *state, double time, double h, int whole,
                   csim_step_report *report) {
  csim_pool *pool = solver->setup.pool;
  csim_contact *contact = solver->contact;
  int n = 3 * solver->setup.model->nvert, limits = solver->setup.params.strain_limit > 0;
  double *x = solver->x, *v = solver->v;
  csim_pool_section(pool, CSIM_SECTION_OTHER);
  csim_integration_begin(pool, solver->setup.model, state, h, whole, &solver->integration);
  apply_external_forces(solver, state, time, h, report);

  // contact needs finite positions for its lists
  if (!isfinite(csim_vector_dot(pool, n, solver->y, solver->y)))
    return fail(report, CSIM_OUTCOME_DIVERGED);
  csim_problem problem = problem_of(solver, state);
  if (solver->lacks_a) {
    find_accelerations(solver, &problem, state, x);
    if (solver->earlier.known) csim_vector_copy(pool, n, state->a, solver->earlier.a);
    solver->lacks_a = 0;
  }
  if (begin_solve(solver, state, time + h, h, &problem)) return fail(report, CSIM_OUTCOME_MEMORY);

  csim_pool_section(pool, CSIM_SECTION_ELASTICITY);
  csim_method_report part = solver->method->solve(&problem, solver->method_scratch, x);
  report->iterations += part.iterations;
  report->linear_iterations += part.linear_iterations;
  csim_add_scaled(h, part.left, report->left);
  keep_worst(&part, &report->method);
  if (contact && csim_contact_failed(contact)) report->method.outcome = CSIM_OUTCOME_MEMORY;
  if (report->method.outcome >= CSIM_OUTCOME_INDEFINITE) return -1;

  if (limits) limit_strain(solver, x);
  csim_pool_section(pool, CSIM_SECTION_CONTACT);
  if (contact && (!solver->method->knows_contact || limits) &&
      resolve_contact(solver, &problem, x, report))
    return -1;
  if (end_solve(solver, state, time + h, h, report)) return fail(report, CSIM_OUTCOME_MEMORY);
  // frames have floats
  if (!(csim_vector_dot(pool, n, x, x) + csim_vector_dot(pool, n, v, v) <= FLT_MAX))
    return fail(report, CSIM_OUTCOME_DIVERGED);

  csim_vector_copy(pool, n, x, state->x);
  csim_vector_copy(pool, n, v, state->v);
  if (contact) {
    csim_contact_end(contact);
    report->contact = csim_contact_get_report(contact);
    report->contacts = report->contact.active;
  }
  csim_pool_section(pool, CSIM_SECTION_OTHER);
  return 0;
}

// Sets the positions of colliders from the state; a new state has them at their start.
static int load_colliders(csim_solver *solver, csim_state *state) {
  int n = csim_contact_kinematic_size(solver->contact);
  if (!state->nkinematic) {
    double *kinematic = CSIM_NEW(double, csim_xyz(n));
    if (!kinematic) return -1;
    csim_contact_save(solver->contact, kinematic);
    free(state->kinematic);
    state->kinematic = kinematic;
    state->nkinematic = n;
  }
  assert(state->nkinematic == n);
  csim_contact_load(solver->contact, state->kinematic);
  memcpy(solver->contact_before.step, state->kinematic, 3 * (size_t)n * sizeof(double));
  return 0;
}

// ---------------------------------------------------------------------------------- step control

typedef struct body_motion {
  const csim_solver *solver;
  const csim_state *state;
  int vert0;
} body_motion;

// Sum of |v' - v|^2 over a body's free vertices, and their number.
static void sum_changes(void *context, int first, int last, double *sum) {
  const body_motion *m = context;
  sum[0] = sum[1] = 0;
  for (int i = m->vert0 + first; i < m->vert0 + last; i++) {
    if (m->solver->setup.model->fixed[i]) continue;
    double dv[3];
    csim_sub(m->state->v + csim_xyz(i), m->solver->earlier.v + csim_xyz(i), dv);
    sum[0] += csim_dot(dv, dv);
    sum[1]++;
  }
}

// Estimated error of the step just taken, see csim_step [m/s].
static double estimate_error(const csim_solver *solver, const csim_state *state) {
  const csim_model *model = solver->setup.model;
  double worst = 0;
  for (int b = 0; b < model->nbody; b++) {
    body_motion m = {solver, state, model->body[b].vert0};
    double sum[2];
    csim_pool_sums(solver->setup.pool, model->body[b].nvert, CSIM_SUM_GRAIN, 2, sum_changes, &m,
                   sum);
    if (sum[1] > 0) worst = csim_max(worst, 0.5 * sqrt(sum[0] / sum[1]));
  }
  return worst;
}

// The longest span that may start here: spans start at multiples of themselves.
static int fit_span(const csim_state *state, int span) {
  while (state->step % span) span /= 2;
  return span;
}

// The span for the next step, after one with an error: at most twice as long.
static int next_span(const csim_solver *solver, int span, double error) {
  const csim_solver_setup *setup = &solver->setup;
  if (2 * span <= setup->most && 2 * error <= setup->accuracy) return 2 * span;
  return span > 1 && error > setup->accuracy ? span / 2 : span;
}

// Whether steps may begin in parts. Without `balance` the number of iterations depends on the
// scene's tolerances, and does not measure how hard contact is.
static int may_begin_halved(const csim_solver *solver) {
  return solver->contact && solver->method->knows_contact && solver->setup.params.balance > 0 &&
         !(solver->setup.accuracy > 0) && solver->integration.integrator != CSIM_INTEGRATOR_BDF2;
}

// Cost of a step: its iterations, and one more for each part; without convergence twice that.
static long long cost_of(const csim_step_report *report) {
  int converged = report->method.outcome == CSIM_OUTCOME_CONVERGED;
  return (converged ? 1 : 2) * (report->iterations + report->parts);
}

// Saves the state for a step that may be repeated or is taken in parts, or for the next step's
// integrator. Other steps change the state only at their very end.
static int remember(csim_solver *solver, const csim_state *state) {
  int n = 3 * state->nvert;
  if (!solver->earlier.x) solver->earlier.x = CSIM_ARENA_NEW(&solver->arena, double, n);
  if (!solver->earlier.v) solver->earlier.v = CSIM_ARENA_NEW(&solver->arena, double, n);
  if (state->a && !solver->earlier.a) solver->earlier.a = CSIM_ARENA_NEW(&solver->arena, double, n);
  if (!solver->earlier.x || !solver->earlier.v || (state->a && !solver->earlier.a)) return -1;
  csim_vector_copy(solver->setup.pool, n, state->x, solver->earlier.x);
  csim_vector_copy(solver->setup.pool, n, state->v, solver->earlier.v);
  if (state->a) csim_vector_copy(solver->setup.pool, n, state->a, solver->earlier.a);
  solver->earlier.known = 1;
  return 0;
}

static void go_back(csim_solver *solver, csim_state *state) {
  if (solver->earlier.known) {
    csim_vector_copy(solver->setup.pool, 3 * state->nvert, solver->earlier.x, state->x);
    csim_vector_copy(solver->setup.pool, 3 * state->nvert, solver->earlier.v, state->v);
    if (state->a)
      csim_vector_copy(solver->setup.pool, 3 * state->nvert, solver->earlier.a, state->a);
  }
  if (!solver->contact) return;
  csim_contact_restore(solver->contact, solver->contact_before.step);
}

// Takes a step of length h from `time`, in 2^state->pace.halvings parts, or up to 2^most_halvings
// times as many. Restores the state and returns -1 if all of them fail.
static int take_step(csim_solver *solver, csim_state *state, double time, double h,
                     int most_halvings, csim_step_report *report) {
  int least = state->pace.halvings;
  for (int halvings = least; halvings <= least + most_halvings; halvings++) {
    int parts = 1 << halvings, done = 0;
    report->parts = parts;
    report->method = (csim_method_report){.residual = -1};
    report->contacts = 0;
    memset(report->left, 0, sizeof report->left);
    solver->halvings_left = least + most_halvings - halvings;
    if (parts > 1 && !solver->earlier.known && remember(solver, state)) {
      report->method.outcome = CSIM_OUTCOME_MEMORY;
      break;
    }
    while (done < parts &&
           advance(solver, state, time + h * done / parts, h / parts, parts == 1, report) == 0)
      done++;
    if (done == parts) return 0;
    go_back(solver, state);
    // smaller parts would hide an indefinite matrix, and a step that is too long for an explicit
    // method: the user must see both
    if (report->method.outcome == CSIM_OUTCOME_INDEFINITE ||
        report->method.outcome >= CSIM_OUTCOME_MEMORY || solver->method->is_explicit)
      break;
  }
  return -1;
}

// Prepares the state for the integrator. -1 when out of memory.
static int prepare_state(csim_solver *solver, csim_state *state) {
  int alpha = solver->integration.integrator == CSIM_INTEGRATOR_ALPHA;
  int two_steps = solver->integration.integrator == CSIM_INTEGRATOR_BDF2;
  // from a run with another integrator
  if ((!two_steps && state->x_prev) || (!alpha && state->a)) csim_state_forget(state);
  solver->lacks_a = alpha && !state->a;
  if (solver->lacks_a) state->a = CSIM_NEW(double, csim_xyz(state->nvert));
  return alpha && !state->a ? -1 : 0;
}

// Keeps the last positions for a two-step integrator. -1 when out of memory, at the first step
// only.
static int keep_last(const csim_solver *solver, csim_state *state) {
  int n = 3 * state->nvert;
  if (!state->x_prev) state->x_prev = CSIM_NEW(double, n);
  if (!state->v_prev) state->v_prev = CSIM_NEW(double, n);
  if (!state->x_prev || !state->v_prev) return -1;
  csim_vector_copy(solver->setup.pool, n, solver->earlier.x, state->x_prev);
  csim_vector_copy(solver->setup.pool, n, solver->earlier.v, state->v_prev);
  return 0;
}

int csim_step(csim_solver *solver, csim_state *state, csim_step_report *report) {
  const csim_solver_setup *setup = &solver->setup;
  double time = (double)state->step * setup->h;
  int two_steps = solver->integration.integrator == CSIM_INTEGRATOR_BDF2;
  int adaptive = setup->accuracy > 0, span = adaptive ? fit_span(state, state->span) : 1;
  *report = (csim_step_report){0};
  solver->earlier.known = 0;
  if (!may_begin_halved(solver)) state->pace = (csim_pace){0}; // of a phase with other settings
  if (prepare_state(solver, state) || ((adaptive || two_steps) && remember(solver, state)) ||
      (solver->contact && load_colliders(solver, state))) {
    report->method.outcome = CSIM_OUTCOME_MEMORY;
    return -1;
  }
  if (state->plastic && state->step == 0) // what is beyond its yield point at the start
    csim_model_yield(setup->pool, setup->model, state->x, 0, state->plastic);
  for (;; span /= 2, report->retaken++) {
    int failed =
        take_step(solver, state, time, span * setup->h, span > 1 ? 0 : CSIM_MAX_HALVINGS, report);
    if (failed && (span == 1 || report->method.outcome == CSIM_OUTCOME_INDEFINITE ||
                   report->method.outcome >= CSIM_OUTCOME_MEMORY))
      return -1;
    if (failed) continue;
    report->error = adaptive ? estimate_error(solver, state) : 0;
    if (span == 1 || report->error <= 2 * setup->accuracy) break;
    go_back(solver, state);
  }
  report->span = span;
  state->span = adaptive ? next_span(solver, span, report->error) : 1;
  if (may_begin_halved(solver)) state->pace = csim_pace_next(state->pace, cost_of(report));
  if (two_steps && keep_last(solver, state)) {
    go_back(solver, state);
    report->method.outcome = CSIM_OUTCOME_MEMORY;
    return -1;
  }
  if (state->plastic)
    csim_model_yield(setup->pool, setup->model, state->x, span * setup->h, state->plastic);
  if (state->torn) csim_links_tear(setup->model, solver->driven.link, state->x, state->torn);
  if (solver->contact) csim_contact_save(solver->contact, state->kinematic);
  state->step += span;
  return 0;
}

void csim_solver_normal_forces(csim_solver *solver, const csim_state *state, double *force) {
  if (solver->contact)
    csim_contact_normal_force(solver->contact, state->x, force);
  else
    memset(force, 0, (size_t)state->nvert * sizeof *force);
}
