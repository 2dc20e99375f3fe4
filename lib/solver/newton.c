// solver/newton.c: projected Newton with line search. iterations = 1 and no line search is Baraff &
// Witkin, Large Steps in Cloth Simulation, SIGGRAPH 1998.
#include "solver/method.h"

#include "math/vec3.h"
#include "math/vector.h"
#include "solver/joint.h"
#include "solver/lagged_friction.h"
#include "solver/leftover.h"
#include "solver/line_search.h"
#include "solver/system.h"

#include <math.h>
#include <string.h>

// State of one step.
typedef struct solve_state {
  double cut;            // [m] most that the filter cut from a vertex's last step
  double vertex_share;   // smallest share of a vertex's last step that it left
  double common_share;   // share of the last step that it left as a whole
  csim_descent made;     // along the step of the last iteration
  double gained;         // [J] by all iterations
  int gained_little;     // 1: the last one gained little of that
  double first_residual; // at the initial guess
  double least_residual; // of the iterations
  double ratio;          // of the last residual to the least before
  double residuals[3];   // of the last iterations, the latest first
  int pins_left;         // exact pins have yet to go to their targets, by a counter-force
} solve_state;

typedef struct newton {
  csim_balance balance;
  csim_groups groups;
  csim_system system;
  csim_joint joint;
  csim_lagged_friction friction;
  csim_gradient_memo gradient_memo;
  csim_leftovers leftovers;
  double *x_try; // (nvert x 3), and one number more: scratch, also of joint and friction
  double *whole; // (nvert x 3) step before the filter
  solve_state solve;
} newton;

static void *newton_create(csim_arena *arena, const csim_model *model,
                           const csim_solver_params *params) {
  ptrdiff_t n = csim_xyz(model->nvert);
  newton *s = CSIM_ARENA_NEW(arena, newton, 1);
  if (!s) return NULL;
  s->x_try = CSIM_ARENA_NEW(arena, double, n + 1); // products read one number past the end
  s->whole = CSIM_ARENA_NEW(arena, double, n);
  if (csim_balance_create(arena, model, &s->balance) ||
      csim_groups_create(arena, model, &s->groups) ||
      csim_lagged_friction_create(arena, &s->balance, s->x_try, &s->friction) ||
      (model->nbody > 1 && csim_gradient_memo_create(arena, &s->groups, &s->gradient_memo)) ||
      csim_leftovers_create(arena, &s->balance, &s->leftovers))
    return NULL;
  return csim_system_create(arena, model, params, &s->balance, &s->groups, &s->system) ? NULL : s;
}

static void newton_destroy(void *scratch) {
  csim_system_destroy(&((newton *)scratch)->system);
}

// Iterations that were not joint steps: systems solved for a step of newton's, and releases of
// cloth.
static int count_solves(const newton *s, const csim_method_report *report) {
  return report->iterations - s->joint.made;
}

// ------------------------------------------------------------------------------------- convergence

// Whether the step may end. Either the last iteration gained little, and half of the forces at its
// start are gone (where folds are pressed together they are not). Or the gradient would move
// vertices only by a share of an edge (step-norm test). Forces alone say little: 1 N is much for a
// slack cloth and nothing for a stretched one. Overwrites problem->step.
static int has_settled(const csim_problem *problem, newton *s, csim_method_report *report) {
  int n = 3 * problem->model->nvert;
  double limit = problem->params->step_tolerance * s->system.edge;
  if (s->solve.gained_little && report->residual <= 0.5 * s->solve.first_residual) return 1;
  if (!(limit > 0)) return 0;
  double balance = problem->params->balance;
  if (balance > 0) {
    report->imbalance =
        csim_balance_measure(problem, &s->balance, s->system.g, &report->unbalanced);
    if (report->imbalance > balance || s->solve.cut > csim_idle_most_cut(problem)) return 0;
  }
  csim_system_estimate(problem, &s->system, problem->step);
  return csim_vector_dot(problem->pool, n, problem->step, problem->step) <=
         limit * limit * problem->model->nvert;
}

// Whether the step may end at x. Where only friction is in the way, it takes all of the forces.
static int is_done(const csim_problem *problem, newton *s, const double *x,
                   csim_method_report *report) {
  if (!(report->iterations > 0 && has_settled(problem, s, report)) &&
      !(report->residual <= problem->params->tolerance))
    return 0;
  if (!(csim_problem_max_step(problem, x, NULL) > 0)) return 0;
  if (csim_lagged_friction_agrees(problem, &s->friction, s->system.g, x)) return 1;
  csim_lagged_friction_take_all(&s->friction);
  return 0;
}

// Largest imbalance of a step that ends at the iteration limit. A worse one has lost momentum:
// cloth that fell crumpled hung in the air, held by its own contacts. In up to four parts such a
// step converges in fewer iterations than a higher limit takes.
static const double MOST_IMBALANCE = 4; // times solver.balance
enum { LEAST_HALVINGS = CSIM_FAST_HALVINGS + 2 };

// Whether a step that ends at x is to be taken in halves.
static int is_worth_halving(const csim_problem *problem, const double *x,
                            const csim_method_report *report) {
  if (report->outcome < CSIM_OUTCOME_INDEFINITE && csim_joint_falls_behind(problem)) return 1;
  int ended = report->outcome == CSIM_OUTCOME_LIMIT || report->outcome == CSIM_OUTCOME_STALLED;
  if (!ended || problem->halvings_left <= LEAST_HALVINGS) return 0;
  if (!(csim_problem_max_step(problem, x, NULL) > 0)) return 1;
  return problem->contact && problem->params->balance > 0 &&
         report->imbalance > MOST_IMBALANCE * problem->params->balance;
}

// Whether a step ends without having settled: at the iteration limit, or halfway there if it is far
// from balance and will likely be halved. With a limit of 20, of twisted tubes, rings and sheets
// hit by a ball 25 solves were that far in the tenth iteration, and four of them ended well.
static int is_over(const csim_problem *problem, const newton *s, const csim_method_report *report) {
  static const double FAR = 200; // times solver.balance
  int solves = count_solves(s, report), most = problem->params->iterations;
  if (solves >= most) return 1;
  return 2 * solves >= most && problem->contact && problem->params->balance > 0 &&
         problem->halvings_left > LEAST_HALVINGS &&
         report->imbalance > FAR * problem->params->balance;
}

// Finds what the step leaves over, with the gradient at its end. Where that is far from balance
// nothing is given back: its forces mean nothing.
static void find_leftovers(const csim_problem *problem, newton *s, csim_method_report *report) {
  double balance = problem->params->balance;
  int body;
  if (!problem->integration || !(balance > 0) || report->outcome > CSIM_OUTCOME_LIMIT) return;
  if (csim_balance_measure(problem, &s->balance, s->system.g, &body) <= MOST_IMBALANCE * balance)
    csim_leftovers_find(problem, &s->leftovers, report->left);
}

// ----------------------------------------------------------------------------------- step limiting

// Shortens problem->step as a whole so that no strain reaches its bound: contact has accepted every
// share of it. Returns the share.
static double keep_bounds(const csim_problem *problem, const double *x) {
  int n = 3 * problem->model->nvert;
  double share = csim_problem_max_step(problem, x, problem->step);
  for (int i = 0; i < n && share < 1; i++) problem->step[i] *= share;
  return share;
}

static void record_cut(const csim_problem *problem, newton *s) {
  int n = 3 * problem->model->nvert;
  csim_vector_copy(problem->pool, n, s->whole, s->x_try);
  csim_vector_add(problem->pool, n, -1, problem->step, s->x_try);
  s->solve.cut = csim_idle_record(problem->pool, s->x_try, &s->system.idle);
}

// Takes the step before the filter, shortened vertex by vertex. Returns g.d after it.
static double filter_apart(const csim_problem *problem, newton *s, csim_method_report *report) {
  int n = 3 * problem->model->nvert;
  csim_vector_copy(problem->pool, n, s->whole, problem->step);
  s->solve.vertex_share = csim_problem_filter(problem, problem->step);
  if (s->solve.vertex_share < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  return -csim_vector_dot(problem->pool, n, s->system.g, problem->step);
}

// Takes the step before the filter, shortened as a whole. resolves: corrected first where pairs
// would stop it. Returns g.d after it.
static double shorten_together(const csim_problem *problem, int resolves, newton *s,
                               const double *x, csim_method_report *report) {
  int n = 3 * problem->model->nvert;
  csim_vector_copy(problem->pool, n, s->whole, problem->step);
  s->solve.common_share = csim_problem_filter_together(problem, resolves, problem->step);
  if (s->solve.common_share < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  keep_bounds(problem, x);
  return -csim_vector_dot(problem->pool, n, s->system.g, problem->step);
}

// Shortens the step as a whole. If little of it is left, takes it with corrected pairs where that
// promises more. Returns g.d after it.
static double filter_together(const csim_problem *problem, newton *s, const double *x,
                              csim_method_report *report) {
  static const double LITTLE = 0.5;
  s->solve.vertex_share = 1;
  double slope = shorten_together(problem, 0, s, x, report);
  if (s->solve.common_share < LITTLE && report->outcome == CSIM_OUTCOME_LIMIT) {
    double resolved = shorten_together(problem, 1, s, x, report);
    if (resolved < slope || report->outcome != CSIM_OUTCOME_LIMIT)
      slope = resolved;
    else
      slope = shorten_together(problem, 0, s, x, report);
  }
  record_cut(problem, s);
  return slope;
}

// Takes the step that filter_apart has left, shortened to its bounds of strain. Where these leave
// less of it than contact leaves of any vertex, it is vertices cut beside others that strain the
// cloth; then the step shortened as a whole may promise more. A sheet with a bound of 1 % that is
// thrown over took 2,000 instead of 3,600 iterations, when chords of bounds (bound.h) were still
// taken from the start of the step. Returns g.d after it.
static double bound_step(const csim_problem *problem, newton *s, const double *x, double slope,
                         csim_method_report *report) {
  double share = keep_bounds(problem, x);
  slope *= share;
  record_cut(problem, s);
  int cut = s->solve.vertex_share >= 0 && s->solve.vertex_share < 1;
  if (!cut || share >= s->solve.vertex_share) return slope;
  double together = filter_together(problem, s, x, report);
  if (together < slope || report->outcome != CSIM_OUTCOME_LIMIT) return together;
  slope = filter_apart(problem, s, report);
  slope *= keep_bounds(problem, x);
  record_cut(problem, s);
  return slope;
}

// Passes problem->step through the filter and records what it cut. A step that is shortened vertex
// by vertex may not be a descent direction any more; it is shortened as a whole then. Returns g.d
// after it; the system holds -g.
static double filter_step(const csim_problem *problem, newton *s, const double *x,
                          csim_method_report *report) {
  int n = 3 * problem->model->nvert;
  csim_pool *pool = problem->pool;
  double slope = -csim_vector_dot(pool, n, s->system.g, problem->step);
  if (!(slope < 0)) return slope;
  s->solve.vertex_share = 1;
  if (!problem->contact) return slope * keep_bounds(problem, x);
  csim_vector_copy(pool, n, problem->step, s->whole);
  slope = filter_apart(problem, s, report);
  if (!(slope < 0) && s->solve.vertex_share >= 0) return filter_together(problem, s, x, report);
  return bound_step(problem, s, x, slope, report);
}

// ------------------------------------------------------------------------------------------ moving

// Searches along a step that the filter has cut vertex by vertex, but not for long: cut vertices
// strain their neighbours, and the step as a whole goes further, unless some pair stops it. Returns
// whether x has moved.
static int search(const csim_problem *problem, newton *s, double slope, csim_method_report *report,
                  double *x) {
  static const double SHORT = 0.1;
  csim_descent *made = &s->solve.made;
  double least = s->solve.vertex_share < 1 ? SHORT : CSIM_LEAST_SHARE;
  *made = csim_line_search(problem, problem->step, slope, least, s->x_try, x);
  if (made->share > 0) return 1;
  if (!(s->solve.vertex_share < 1)) return 0;
  double together = filter_together(problem, s, x, report);
  if (report->outcome != CSIM_OUTCOME_LIMIT) return 0;
  if (s->solve.common_share > SHORT && together < 0)
    *made = csim_line_search(problem, problem->step, together, SHORT, s->x_try, x);
  if (made->share > 0) return 1;
  slope = filter_apart(problem, s, report);
  slope *= keep_bounds(problem, x);
  if (report->outcome == CSIM_OUTCOME_LIMIT && slope < 0)
    *made = csim_line_search(problem, problem->step, slope, CSIM_LEAST_SHARE, s->x_try, x);
  return made->share > 0;
}

// Records what an iteration has gained, and whether that is little of what the step has. An
// iteration that contact stopped before half of its way says nothing about what is left.
static void note_gain(const csim_problem *problem, newton *s) {
  const csim_descent *made = &s->solve.made;
  int n = 3 * problem->model->nvert;
  const csim_solver_params *params = problem->params;
  s->solve.gained += made->gain;
  s->solve.gained_little =
      !(params->balance > 0) && made->gain < params->gain_tolerance * s->solve.gained;
  if (!s->solve.gained_little || !problem->contact) return;
  double went = csim_vector_dot(problem->pool, n, problem->step, problem->step);
  double whole = csim_vector_dot(problem->pool, n, s->whole, s->whole);
  s->solve.gained_little = made->share * made->share * went >= 0.25 * whole;
}

// -------------------------------------------------------------------------------------- iterations

// Whether contact has cut more than so many edges off the free flight to the initial guess x. Such
// steps hardly converge. Halved at once, balls thrown at sheets (45 m/s, sixteen scenes) take 80 s
// instead of 135; half an edge takes longer again, and layers that fall do from one edge on.
static int is_too_fast(const csim_problem *problem, newton *s, const double *x) {
  static const double EDGES = 2;
  if (!problem->contact || problem->halvings_left <= 0 || !(problem->params->balance > 0)) return 0;
  int n = 3 * problem->model->nvert;
  csim_vector_go(problem->pool, n, problem->x, problem->h, problem->v, s->x_try);
  csim_vector_add(problem->pool, n, -1, x, s->x_try);
  return csim_vector_max3(problem->pool, problem->model->nvert, s->x_try) > EDGES * s->system.edge;
}

static int is_stopped(const csim_problem *problem) {
  const csim_stop *stop = problem->stop;
  return stop && stop->wanted && stop->wanted(stop->user);
}

// Moves pins and planes that contact has held back. -1 when out of memory.
static int catch_up(const csim_problem *problem, double *x) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  int failed = problem->contact && csim_contact_catch_up(problem->contact, x);
  csim_pool_section(problem->pool, before);
  return failed ? -1 : 0;
}

// Whether another iteration begins.
static int begin_iteration(const csim_problem *problem, csim_method_report *report, double *x) {
  if (is_stopped(problem)) report->outcome = CSIM_OUTCOME_STOPPED;
  if (catch_up(problem, x)) report->outcome = CSIM_OUTCOME_MEMORY;
  return report->outcome == CSIM_OUTCOME_LIMIT;
}

static void sum_forces(void *context, int first, int last, double *sum) {
  const double *g = context;
  double force[3] = {0};
  for (int i = first; i < last; i++) csim_add_scaled(1, g + csim_xyz(i), force);
  memcpy(sum, force, sizeof force);
}

// Computes the gradient at x, and whether iterations can go on from there.
static void measure(const csim_problem *problem, newton *s, const double *x,
                    csim_method_report *report) {
  solve_state *solve = &s->solve;
  int solves = count_solves(s, report);
  csim_lagged_friction_update(problem, &s->friction, x, solves, solve->residuals);
  csim_problem_gradient(problem, x, s->system.g);
  report->residual = csim_method_residual(problem, s->system.g);
  memmove(solve->residuals + 1, solve->residuals, 2 * sizeof *solve->residuals);
  solve->residuals[0] = report->residual;
  solve->ratio = report->residual / solve->least_residual;
  solve->least_residual = csim_min(solve->least_residual, report->residual);
  if (solves == 0) solve->first_residual = report->residual;
  csim_pool_sums(problem->pool, problem->model->nvert, CSIM_SUM_GRAIN, 3, sum_forces, s->system.g,
                 report->left);
  if (problem->params->balance > 0) csim_balance_begin(problem, &s->balance, x);

  // F no longer resolves progress; continue only while the gradient decreases
  if (solve->made.blind && report->residual > 0.5 * solve->residuals[1])
    report->outcome = CSIM_OUTCOME_STALLED;
  if (!isfinite(report->residual)) report->outcome = CSIM_OUTCOME_DIVERGED;
}

// Takes a joint step, or lets blocked colliders release cloth, while some collider or pin lags.
// Returns whether that was this iteration.
static int move_colliders(csim_problem *problem, newton *s, csim_method_report *report, double *x) {
  if (report->outcome != CSIM_OUTCOME_LIMIT) return 0;
  if (!csim_joint_is_due(problem, &s->joint))
    return csim_joint_release(problem, &s->joint, report, x);
  csim_joint_step(problem, count_solves(s, report), &s->joint, report, x);
  s->solve.gained_little = 0;
  return 1;
}

// Whether the step ends at x: it has converged, cannot go on, or is over. Judges its end then.
static int ends(const csim_problem *problem, newton *s, const double *x,
                csim_method_report *report) {
  if (!s->solve.pins_left && is_done(problem, s, x, report))
    report->outcome = CSIM_OUTCOME_CONVERGED;
  int over = report->outcome == CSIM_OUTCOME_LIMIT && is_over(problem, s, report);
  if (over) csim_lagged_friction_judge(problem, &s->friction, s->system.g, x, report);
  if (report->outcome == CSIM_OUTCOME_LIMIT && !over) return 0;
  find_leftovers(problem, s, report);
  return 1;
}

// Solves the linear system at x for problem->step, and filters that. Exact pins that are left go
// their remaining way by a counter-force. Returns g.d.
static double find_step(csim_problem *problem, newton *s, const double *x,
                        csim_method_report *report) {
  if (s->solve.pins_left) {
    csim_system_assemble_with_pins(problem, x, &s->system);
  } else {
    csim_system_leave_out_idle(problem, count_solves(s, report), &s->system);
    csim_system_assemble(problem, x, &s->system);
  }
  problem->iteration.earlier.chord = s->system.last;
  csim_solve_report linear =
      csim_system_solve_to_goal(problem, report->iterations, s->solve.ratio, &s->system);
  report->linear_iterations += linear.iterations;
  double slope = filter_step(problem, s, x, report);
  if (linear.outcome == CSIM_SOLVE_INDEFINITE && s->system.linear.kind->requires_definite)
    report->outcome = CSIM_OUTCOME_INDEFINITE;
  else if (linear.outcome == CSIM_SOLVE_BREAKDOWN || !isfinite(slope))
    report->outcome = CSIM_OUTCOME_DIVERGED;
  return slope;
}

// Moves x along problem->step, as far as F falls. Returns whether it has moved.
static int take_step(csim_problem *problem, newton *s, double slope, csim_method_report *report,
                     double *x) {
  // F does not judge a step of the pins, and contact has filtered none that goes uphill
  int judged = problem->params->line_search && !s->solve.pins_left;
  int moved = slope < 0 || !(judged || problem->contact);
  if (judged && moved)
    moved = search(problem, s, slope, report, x);
  else if (moved)
    csim_problem_apply(problem, 1, problem->step, x);
  s->solve.pins_left = 0;
  csim_system_include_all(problem);
  note_gain(problem, s);
  if (!moved && report->outcome == CSIM_OUTCOME_LIMIT) report->outcome = CSIM_OUTCOME_STALLED;
  return moved;
}

// The iterations of a step. The first ones bring colliders and pins to their targets, the others
// lower F; a step ends where its forces balance.
static csim_method_report iterate(csim_problem *problem, newton *s, double *x) {
  csim_method_report report = {.outcome = CSIM_OUTCOME_LIMIT};
  if (is_too_fast(problem, s, x)) report.outcome = CSIM_OUTCOME_TOO_FAST;
  for (; begin_iteration(problem, &report, x); report.iterations++) {
    measure(problem, s, x, &report);
    if (move_colliders(problem, s, &report, x)) {
      if (report.outcome != CSIM_OUTCOME_LIMIT) break;
      continue;
    }
    if (ends(problem, s, x, &report)) break;
    double slope = find_step(problem, s, x, &report);
    if (report.outcome != CSIM_OUTCOME_LIMIT) break;
    if (!take_step(problem, s, slope, &report, x)) break;
  }
  csim_system_include_all(problem);
  if (is_worth_halving(problem, x, &report)) report.outcome = CSIM_OUTCOME_UNBALANCED;
  return report;
}

// Whether exact pins are not at their targets, but are to get there by a counter-force.
static int has_pins_left(const csim_problem *problem) {
  return problem->params->pins == CSIM_PINS_COUNTER_FORCE && problem->model->ntarget > 0 &&
         !problem->contact;
}

// Where nothing touches, the first iteration nearly always suffices, and takes the true stress:
// with the predicted one a cloth that swings in a vacuum gained 0.4 % of its energy in a second
// (0.1).
static csim_method_report newton_solve(const csim_problem *problem, void *scratch, double *x) {
  newton *s = scratch;
  csim_problem predicting = *problem;
  int touches = problem->contact && csim_contact_get_report(problem->contact).active > 0;
  predicting.iteration =
      (csim_iteration){.earlier = {.stress = s->system.last, .chord = problem->x},
                       .gradient_memo = s->gradient_memo.groups ? &s->gradient_memo : NULL};
  s->gradient_memo.known = 0;
  s->solve = (solve_state){.least_residual = INFINITY,
                           .residuals = {INFINITY, INFINITY, INFINITY},
                           .pins_left = has_pins_left(problem)};
  csim_system_begin(problem, touches ? problem->x : x, &s->system);
  csim_lagged_friction_begin(&s->friction);
  csim_joint_begin(&s->system, s->x_try, &s->joint);
  return iterate(&predicting, s, x);
}

// ----------------------------------------------------------------------------------- accelerations

static const double ACCELERATION_TOLERANCE = 1e-8; // once in a run

// Solves for the difference from f/m only, so that a free fall has no error of the linear solver.
static void newton_accelerate(const csim_problem *problem, void *scratch, const double *f,
                              double *a) {
  newton *s = scratch;
  int n = 3 * problem->model->nvert;
  double half_h2 = 0.5 * problem->h * problem->h;
  csim_system_assemble(problem, problem->x, &s->system);
  for (int i = 0; i < n; i++) s->x_try[i] = half_h2 * a[i];
  csim_linear_multiply(problem, &s->system.linear, s->x_try, s->system.g);
  for (int i = 0; i < n; i++) s->system.g[i] = f[i] - s->system.g[i];
  csim_system_solve(problem, ACCELERATION_TOLERANCE, &s->system);
  for (int i = 0; i < n; i++) a[i] += problem->step[i] / half_h2;
}

const csim_method csim_method_newton = {.name = "newton",
                                        .create = newton_create,
                                        .destroy = newton_destroy,
                                        .solve = newton_solve,
                                        .accelerate = newton_accelerate,
                                        .knows_contact = 1,
                                        .solves_systems = 1};
