// solver/guess.c: see guess.h.
#include "solver/guess.h"

#include "math/vec3.h"
#include "math/vector.h"
#include "solver/project.h"

#include <string.h>

int csim_guess_create(csim_arena *arena, const csim_model *model, csim_guess *guess) {
  *guess = (csim_guess){0};
  if (model->has_bounds) {
    guess->goal = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
    guess->mobility = CSIM_ARENA_NEW(arena, double, model->nvert);
  }
  return arena->failed ? -1 : 0;
}

// Moves exact pins to their targets.
static void put_pins(const csim_problem *problem, double *x) {
  const csim_model *model = problem->model;
  for (int i = 0; i < model->ntarget; i++)
    if (model->target[i].hard)
      memcpy(x + csim_xyz(model->target[i].vert), problem->target + csim_xyz(i), 3 * sizeof *x);
}

// Chooses the initial guess of the method; exact pins are at their targets.
static void choose_start(const csim_problem *problem, const csim_method *method, double *x) {
  int n = 3 * problem->model->nvert;
  if (problem->params->start == CSIM_START_VELOCITY)
    csim_vector_go(problem->pool, n, problem->x, problem->h, problem->v, x);
  else
    csim_vector_copy(problem->pool, n,
                     problem->params->start == CSIM_START_INERTIA ? problem->y : problem->x, x);
  if (problem->params->pins == CSIM_PINS_COUNTER_FORCE && method->solves_systems)
    return; // the first iteration moves the pins to their targets
  put_pins(problem, x);
}

// Sets x to the positions at the start of the step, with pins at their targets.
static void start_at_rest(const csim_problem *problem, double *x) {
  csim_vector_copy(problem->pool, 3 * problem->model->nvert, problem->x, x);
  put_pins(problem, x);
}

// ------------------------------------------------------------------------------- bounds of strain

static int keeps_bounds(const csim_problem *problem, const double *x) {
  return csim_problem_max_step(problem, x, NULL) > 0;
}

// The displacements from the start of the step to x, in the array that contact filters.
static double *displacements_to(const csim_problem *problem, const double *x) {
  int n = 3 * problem->model->nvert;
  for (int i = 0; i < n; i++) problem->step[i] = x[i] - problem->x[i];
  return problem->step;
}

// Moves the guess x back towards the start of the step until no strain exceeds its bound. Pins stay
// at their targets.
static void move_back(const csim_problem *problem, double *x) {
  const csim_model *model = problem->model;
  double share = csim_problem_max_step(problem, problem->x, NULL);
  if (share > 0 && keeps_bounds(problem, x)) return;
  const double *d = displacements_to(problem, x);
  share *= csim_problem_max_step(problem, problem->x, d);
  for (int i = 0; i < 3 * model->nvert; i++)
    if (!model->fixed[i / 3]) x[i] = problem->x[i] + share * d[i];
}

// Moves what is strained too much in x until nothing is. x stays if that takes too many sweeps:
// then a sheet is pulled taut as a whole, moves far, and is no better a guess than one moved back
// (40 sweeps took a third longer than 15). Returns whether x has moved.
static int limit_strains(const csim_guess *guess, const csim_problem *problem, double *x) {
  enum { MOST_SWEEPS = 15 };
  const csim_model *model = problem->model;
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  csim_pass pass = {
      .model = model, .pool = problem->pool, .at = csim_problem_point(problem, problem->x)};
  double *d = displacements_to(problem, x);
  int changed = 1, sweeps = 0;
  for (; changed > 0 && sweeps < MOST_SWEEPS; sweeps++) {
    changed = 0;
    for (int e = 0; e < model->nenergy; e++)
      if (model->energy[e].kind->excess)
        changed += csim_project_bounds(&pass, &model->energy[e], guess->mobility, d);
  }
  int moved = changed == 0 && sweeps > 1;
  for (int i = 0; i < 3 * model->nvert && moved; i++)
    if (!model->fixed[i / 3]) x[i] = problem->x[i] + d[i];
  csim_pool_section(problem->pool, before);
  return moved;
}

// Inverse masses, 0 for what is held. They are halved for vertices that contact stopped on their
// way to guess->goal, as it would stop them again.
static void set_mobility(const csim_guess *guess, const csim_problem *problem, const double *x) {
  static const double CLEARLY = 1e-3; // share of a vertex's way
  const csim_model *model = problem->model;
  for (int i = 0; i < model->nvert; i++) {
    const double *goal = guess->goal + csim_xyz(i);
    double missed = csim_distance(x + csim_xyz(i), goal);
    int stopped = missed > CLEARLY * csim_distance(goal, problem->x + csim_xyz(i));
    int moves = !model->fixed[i] && model->mass[i] > 0;
    guess->mobility[i] = moves ? (stopped ? 0.5 : 1) / model->mass[i] : 0;
  }
}

static void remember_goal(const csim_guess *guess, const csim_problem *problem, const double *x) {
  csim_vector_copy(problem->pool, 3 * problem->model->nvert, x, guess->goal);
}

static double value_without_contact(const csim_problem *problem, const double *x) {
  return csim_problem_inertia(problem, x) + csim_problem_elasticity(problem, x);
}

// Makes the method's guess keep the bounds, in the way that leaves less energy. A guess moved back
// as a whole has no kinks: Newton undoes its error at once unless that is large. With the other
// guess whenever its energy is less, sheets held by two corners took a sixth more iterations.
static void enforce_bounds(const csim_guess *guess, const csim_problem *problem, double *x) {
  static const double MUCH_LESS = 0.1;
  if (!problem->model->has_bounds) return;
  double *limited = guess->goal;
  remember_goal(guess, problem, x);
  set_mobility(guess, problem, x);
  int moved = limit_strains(guess, problem, limited);
  move_back(problem, x);
  if (moved && keeps_bounds(problem, limited) &&
      value_without_contact(problem, limited) <= MUCH_LESS * value_without_contact(problem, x))
    csim_vector_copy(problem->pool, 3 * problem->model->nvert, limited, x);
  else
    remember_goal(guess, problem, x);
}

// Contact shortens the motion of each vertex by itself, which may strain cloth beyond a bound.
// Strains are limited again then, and contact shortens that again. -1: out of memory.
static int enforce_bounds_in_contact(const csim_guess *guess, const csim_problem *problem,
                                     double *x) {
  enum { MOST_ROUNDS = 10 };
  for (int round = 0; round < MOST_ROUNDS && !keeps_bounds(problem, x); round++) {
    set_mobility(guess, problem, x);
    if (!limit_strains(guess, problem, x)) return 0;
    remember_goal(guess, problem, x);
    if (csim_contact_advance(problem->contact, x, x)) return -1;
  }
  return 0;
}

// ---------------------------------------------------------------------------------------- contact

// How bodies move to the initial guess: contact shortens the motion vertex by vertex, or as a
// whole, which keeps bounds of strain; or bodies stay.
typedef enum start_way { START_APART, START_TOGETHER, START_RESTING } start_way;

// Moves x to the initial guess, as far as contact allows. -1: out of memory.
static int begin_in_contact(const csim_guess *guess, const csim_problem *problem, start_way way,
                            double *x) {
  csim_contact *contact = problem->contact;
  if (way == START_RESTING) return csim_contact_advance(contact, NULL, x);
  if (csim_contact_colliders_are_behind(contact) && csim_contact_go_ahead(contact)) return -1;
  choose_start(problem, guess->method, x);
  csim_contact_initial_guess(contact, problem->v, problem->h, x);
  enforce_bounds(guess, problem, x);
  return way == START_TOGETHER ? csim_contact_advance_together(contact, x, x)
                               : csim_contact_advance(contact, x, x);
}

// Restores contact to the state before this part of the step. -1: out of memory.
static int begin_again(const csim_guess *guess, const csim_problem *problem) {
  csim_contact *contact = problem->contact;
  csim_contact_restore(contact, guess->colliders);
  return csim_contact_begin(contact, guess->state->x, guess->state->v, problem->target, guess->end,
                            problem->integration->h);
}

// Largest ratio of the energy F of an initial guess to that of the positions at rest (pins at their
// targets; without chambers, whose -p V may be negative). A guess with more is replaced by those,
// from where F only falls: shortened vertex by vertex it may be torn. A wall of 0.1 mm that fell on
// the floor started with 1e8 times the energy, and some of it was left. At a ratio of 1.5 cloth at
// rest stopped fast colliders: a ball of 5 m/s lagged by 4 mm and, once, by 105 mm. At 30 a
// gathered tube came to rest later; at 1000 a wall of 1 mm was torn. With `gain_tolerance` it is 1
// unless a collider is behind: guesses in which seams were torn took ten iterations.
static double largest_energy_ratio(const csim_problem *problem) {
  int rests = problem->params->start == CSIM_START_REST && problem->params->gain_tolerance > 0;
  return rests && !csim_contact_colliders_are_behind(problem->contact) ? 1 : 100;
}

// F without chambers and drag: a sum of parts that are >= 0.
static double value_of_parts(const csim_problem *problem, const double *x) {
  return csim_problem_value(problem, x) - csim_problem_drag(problem, x) -
         csim_chambers_value(problem->model, problem->chamber, x);
}

// Whether F of the initial guess is small even compared with parts of F at rest: inertia, which
// nearly always suffices, then elasticity too. All parts are >= 0, so leaving out contact is the
// stricter test.
static int accepts_guess_without_contact(const csim_problem *problem, double most_ratio,
                                         double value) {
  double *x = problem->step;
  start_at_rest(problem, x);
  double at_rest = csim_problem_inertia(problem, x);
  if (value <= most_ratio * at_rest) return 1;
  return value <= most_ratio * (at_rest + csim_problem_elasticity(problem, x));
}

// Where strains cannot be limited, bodies move back to where the step began. If bounds are exceeded
// even so, Newton nearly always recovers. If it does not, the step is halved; its parts then begin
// with a guess shortened as a whole.
static int find_in_contact(const csim_guess *guess, const csim_problem *problem, double *x) {
  csim_contact *contact = problem->contact;
  double most_ratio = largest_energy_ratio(problem);
  if (begin_in_contact(guess, problem, START_APART, x)) return -1;
  if (problem->model->has_bounds && enforce_bounds_in_contact(guess, problem, x)) return -1;
  if (!keeps_bounds(problem, x)) {
    if (problem->halvings_left < CSIM_MAX_HALVINGS - 1)
      return begin_again(guess, problem) ? -1 : begin_in_contact(guess, problem, START_TOGETHER, x);
    if (csim_contact_advance(contact, problem->x, x)) return -1;
  }
  double value = value_of_parts(problem, x);
  if (accepts_guess_without_contact(problem, most_ratio, value)) return 0;
  if (begin_again(guess, problem)) return -1;
  start_at_rest(problem, x);
  int accepted = value <= most_ratio * value_of_parts(problem, x);
  return begin_in_contact(guess, problem, accepted ? START_APART : START_RESTING, x);
}

int csim_guess_find(const csim_guess *guess, const csim_problem *problem, double *x) {
  if (problem->contact) return find_in_contact(guess, problem, x);
  choose_start(problem, guess->method, x);
  enforce_bounds(guess, problem, x);
  return 0;
}
