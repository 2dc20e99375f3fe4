// solver/system.c: see system.h.
#include "solver/system.h"

#include "math/vec3.h"
#include "math/vector.h"

int csim_system_create(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                       csim_balance *balance, const csim_groups *groups, csim_system *s) {
  ptrdiff_t n = csim_xyz(model->nvert);
  *s = (csim_system){.edge = csim_mean_edge(model->x0, model->ntri, 3, model->tri)};
  s->g = CSIM_ARENA_NEW(arena, double, n);
  s->last = CSIM_ARENA_NEW(arena, double, n);
  if (csim_idle_create(arena, balance, groups, &s->idle) ||
      csim_correction_create(arena, balance, &s->correction))
    return -1;
  return csim_linear_create(arena, model, params, &s->linear);
}

void csim_system_destroy(csim_system *s) {
  csim_linear_destroy(&s->linear);
}

void csim_system_begin(const csim_problem *problem, const double *x, csim_system *s) {
  csim_idle_begin(&s->idle);
  csim_vector_copy(problem->pool, 3 * problem->model->nvert, x, s->last);
}

// ---------------------------------------------------------------------------------------- assembly

// In a step's first system idle bodies must balance better: what is left then is left in every
// step.
void csim_system_leave_out_idle(csim_problem *problem, int solves, csim_system *s) {
  static const double FIRST = 0.1; // of what a step may leave
  const csim_solver_params *params = problem->params;
  double most = params->step_tolerance * s->edge;
  problem->iteration.idle = csim_idle_choose(problem, s->g, solves > 0 ? 1 : FIRST,
                                             csim_idle_most_cut(problem), most, &s->idle);
  if (problem->iteration.idle && problem->energy_memo) problem->energy_memo->known = 0;
}

void csim_system_include_all(csim_problem *problem) {
  if (problem->iteration.idle && problem->energy_memo) problem->energy_memo->known = 0;
  problem->iteration.idle = NULL;
}

void csim_system_assemble(const csim_problem *problem, const double *x, csim_system *s) {
  int n = 3 * problem->model->nvert;
  csim_vector_negate(problem->pool, n, s->g);
  csim_problem_hold_idle(problem, s->g);
  csim_linear_assemble(problem, x, &s->linear);
  csim_vector_copy(problem->pool, n, x, s->last);
}

// Sets d at exact pins to their remaining displacement.
static void remaining_step(const csim_problem *problem, const double *x, double *d) {
  for (int i = 0; i < problem->model->ntarget; i++) {
    const csim_target *t = &problem->model->target[i];
    if (t->hard)
      csim_sub(problem->target + csim_xyz(i), x + csim_xyz(t->vert), d + csim_xyz(t->vert));
  }
}

void csim_system_assemble_with_pins(const csim_problem *problem, const double *x, csim_system *s) {
  csim_vector_negate(problem->pool, 3 * problem->model->nvert, s->g);
  remaining_step(problem, x, problem->step);
  csim_problem_hessian_counter(problem, &s->linear.A.layout, x, problem->params->psd, problem->step,
                               s->g, &s->linear.A.H);
}

// ----------------------------------------------------------------------------------------- solving

csim_solve_report csim_system_solve(const csim_problem *problem, double tolerance, csim_system *s) {
  csim_solve_goal goal = {.tolerance = tolerance,
                          .max_iterations = problem->params->linear_iterations};
  return csim_linear_solve(problem, &s->linear, s->g, &goal, problem->step);
}

// Tolerance of the linear solver when forces need not balance. Contact and wrinkles change with a
// step, so a later step leaves half or a fifth of the residual however well it is solved. It is
// solved to half of the residual left by the best step so far (Eisenstat & Walker 1996): the last
// one may have opened seams, whose vertices go on by their own shares, and then says nothing. The
// first is solved more accurately, which saved one Newton iteration in eleven.
static double choose_tolerance(const csim_solver_params *params, int iteration, double ratio) {
  static const double FIRST = 0.4, LATER = 6; // times linear_tolerance
  static const double MOST = 0.3;
  double tolerance = params->linear_tolerance;
  if (iteration == 0) return FIRST * tolerance;
  double later =
      params->later_tolerance > 0 ? params->later_tolerance : csim_min(LATER * tolerance, MOST);
  return csim_min(csim_max(0.5 * ratio, tolerance), csim_max(later, tolerance));
}

typedef struct balance_goal {
  const csim_problem *problem;
  csim_system *s;
} balance_goal;

// Whether the residual of the linear system, corrected, is as well balanced as the step must end.
// The bound is a little tighter, as forces are not linear.
static int is_balanced(void *context, const double *r) {
  static const double SHARE = 0.8;
  const balance_goal *goal = context;
  csim_system *s = goal->s;
  return csim_correction_balances(goal->problem, &s->linear, &s->correction, r,
                                  SHARE * goal->problem->params->balance);
}

// Goal of the linear solver: a step ends when its forces balance, so the solver has to reach that.
// By its norm alone half of the first solves ended short of it, which cost another Newton
// iteration, and later ones took three times the iterations needed. The norm still bounds what
// patches do not see: with a FIRST of 2 a draped cloth of 129 x 129 rested 2 to 5 mm from where it
// should, with 0.6 it is 1.2 to 1.5 mm, for 3 % more time.
static csim_solve_goal choose_goal(const csim_solver_params *params, int iteration, double ratio,
                                   balance_goal *balance) {
  static const double FIRST = 0.6, LATER = 10; // times linear_tolerance
  static const double MOST = 0.5;
  csim_solve_goal goal = {.max_iterations = params->linear_iterations};
  if (params->balance > 0) {
    goal.tolerance = csim_min((iteration ? LATER : FIRST) * params->linear_tolerance, MOST);
    goal.is_enough = is_balanced;
    goal.context = balance;
  } else {
    goal.tolerance = choose_tolerance(params, iteration, ratio);
  }
  return goal;
}

csim_solve_report csim_system_solve_to_goal(const csim_problem *problem, int iteration,
                                            double ratio, csim_system *s) {
  balance_goal balance = {problem, s};
  csim_solve_goal goal = choose_goal(problem->params, iteration, ratio, &balance);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_LINEAR);
  csim_correction_begin(&s->correction);
  csim_solve_report report = csim_linear_solve(problem, &s->linear, s->g, &goal, problem->step);
  if (report.outcome == CSIM_SOLVE_CONVERGED)
    csim_correction_add(problem, &s->correction, problem->step);
  csim_pool_section(problem->pool, before);
  return report;
}

void csim_system_estimate(const csim_problem *problem, csim_system *s, double *d) {
  csim_linear_precondition(problem, &s->linear, s->g, d);
  csim_idle_bound(problem, &s->idle, s->g, d);
}
