// solver/joint.c: see joint.h.
#include "solver/joint.h"

#include "math/vector.h"

// Share of an edge by which a collider may approach cloth in one step. Beyond it the step is taken
// in parts, as the linear problem no longer predicts where the cloth goes.
static const double FASTEST = 0.5;

// Share of an edge that exact pins go at most in one step once they have been stuck: less than
// FASTEST, as a wall they cannot pass would have every step taken in so many parts.
static const double STUCK_PINS = 0.45;

// A collider is blocked after so many attempts that move it by less than this share of its way: by
// other colliders, or by cloth that cannot give way.
static const double LEAST_GAIN = 0.03;
enum { MOST_MISSES = 2, MOST_TRIES = 20 };

void csim_joint_begin(csim_system *system, double *d, csim_joint *joint) {
  *joint = (csim_joint){.system = system, .d = d};
}

// Whether colliders or pins have a way to go, and may still get there in this step.
static int are_behind(const csim_contact *contact) {
  return csim_contact_colliders_are_behind(contact) || csim_contact_pins_are_behind(contact);
}

int csim_joint_is_due(const csim_problem *problem, const csim_joint *joint) {
  return problem->contact && joint->tries < MOST_TRIES && joint->misses < MOST_MISSES &&
         are_behind(problem->contact);
}

// Adds guides for bodies that move by joint->d.
static void add_guides(const csim_problem *problem, const csim_joint *joint,
                       csim_method_report *report) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double approach = csim_contact_make_way(problem->contact, joint->d, joint->system->g);
  csim_pool_section(problem->pool, before);
  if (approach < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  if (problem->halvings_left > 0 && approach > FASTEST * joint->system->edge)
    report->outcome = CSIM_OUTCOME_TOO_FAST;
}

// Solves for joint->d, of bodies and pins. Systems are solved to a tenth, as iterations follow that
// change all of it: solved to a hundredth they took 10 to 25 % more linear iterations, and as many
// of Newton's.
static void solve_with_guides(csim_problem *problem, int solves, const csim_joint *joint,
                              csim_method_report *report, const double *x) {
  static const double TOLERANCE = 0.1;
  csim_system *system = joint->system;
  csim_system_leave_out_idle(problem, solves, system);
  csim_system_assemble(problem, x, system);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_LINEAR);
  report->linear_iterations += csim_system_solve(problem, TOLERANCE, system).iterations;
  csim_pool_section(problem->pool, before);
  csim_system_include_all(problem);
  csim_vector_copy(problem->pool, 3 * problem->model->nvert, problem->step, joint->d);
  csim_contact_aim_pins(problem->contact, STUCK_PINS * system->edge, joint->d);
}

// Moves bodies by joint->d and colliders towards their goals. Bounds of strain shorten the motion
// of all. Returns the share of it that was made.
static double go_together(const csim_problem *problem, csim_joint *joint,
                          csim_method_report *report, double *x) {
  double limit = csim_problem_max_step(problem, x, joint->d);
  if (limit < LEAST_GAIN)
    limit = 1; // cloth at its bound cannot give way: colliders stay on schedule
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double share = csim_contact_go_together(problem->contact, limit, joint->d, x);
  csim_pool_section(problem->pool, before);
  if (share < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  return share;
}

// Moves bodies and the lagging colliders as guides say, from a free flight on; system->g is the
// gradient at x. Returns the share of the motion that was made.
static double step_with_guides(csim_problem *problem, int solves, csim_joint *joint,
                               csim_method_report *report, double *x) {
  csim_system *system = joint->system;
  int n = 3 * problem->model->nvert;
  csim_vector_go(problem->pool, n, problem->x, problem->h, problem->v, joint->d);
  csim_vector_add(problem->pool, n, -1, x, joint->d); // rest of the free flight
  csim_contact_aim_pins(problem->contact, STUCK_PINS * system->edge, joint->d);
  add_guides(problem, joint, report);
  if (report->outcome != CSIM_OUTCOME_LIMIT) return 0;
  solve_with_guides(problem, solves, joint, report, x);
  return go_together(problem, joint, report, x);
}

// Moves cloth and colliders without physics (contact/carry.h), where the linear problem leads
// nowhere. Not while shorter steps can keep bounds of strain, which this does not know. Returns the
// share of the motion that was made.
static double carry_along(const csim_problem *problem, csim_method_report *report, double *x) {
  if (problem->model->has_bounds && problem->halvings_left > CSIM_FAST_HALVINGS) return 0;
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double share = csim_contact_carry(problem->contact, x);
  csim_pool_section(problem->pool, before);
  if (share < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  return share;
}

// Holds what stops joint steps; others that lag go on.
static void hold_blocked(const csim_problem *problem, csim_joint *joint,
                         csim_method_report *report) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  int held = csim_contact_hold(problem->contact, joint->d);
  csim_pool_section(problem->pool, before);
  if (held < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  if (held > 0 && are_behind(problem->contact)) joint->tries = joint->misses = 0;
}

void csim_joint_step(csim_problem *problem, int solves, csim_joint *joint,
                     csim_method_report *report, double *x) {
  joint->made++;
  joint->tries++;
  joint->share = step_with_guides(problem, solves, joint, report, x);
  if (report->outcome == CSIM_OUTCOME_LIMIT &&
      csim_contact_colliders_are_behind(problem->contact) &&
      (joint->share < LEAST_GAIN || joint->tries == MOST_TRIES))
    joint->share = carry_along(problem, report, x);
  int missed = joint->share < LEAST_GAIN;
  joint->misses = missed ? joint->misses + 1 : 0;
  if (report->outcome == CSIM_OUTCOME_LIMIT && joint->misses >= MOST_MISSES)
    hold_blocked(problem, joint, report);
}

// A few times they release only what stops them, then everything in their way.
int csim_joint_release(const csim_problem *problem, csim_joint *joint, csim_method_report *report,
                       double *x) {
  enum { MOST_TIMES = 4 };
  csim_contact *contact = problem->contact;
  int times = joint->releases;
  if (!contact || times > MOST_TIMES || !csim_contact_colliders_are_behind(contact)) return 0;
  int some = joint->tries > 0 && joint->tries < MOST_TRIES && times < MOST_TIMES;
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  int done = csim_contact_release(contact, some ? joint->d : NULL, x);
  csim_pool_section(problem->pool, before);
  joint->releases = some ? times + 1 : MOST_TIMES + 1;
  if (done < 0) report->outcome = CSIM_OUTCOME_MEMORY;
  if (done > 0) joint->misses = 0;
  return done > 0;
}

// From their positions in the middle of the step they can go on. Without that a ball pushing a
// sheet with a bound of 2 % at 3.9 m/s lagged by 17 mm, now by less than 0.1 mm.
int csim_joint_falls_behind(const csim_problem *problem) {
  return problem->model->has_bounds && problem->contact &&
         problem->halvings_left > CSIM_FAST_HALVINGS &&
         csim_contact_colliders_fall_behind(problem->contact);
}
