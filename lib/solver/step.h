// solver/step.h: one substep of the whole model: external forces, method, contact. Needs
// solver/method.h, contact/.
#ifndef CSIM_SOLVER_STEP_H
#define CSIM_SOLVER_STEP_H

#include "contact/impulse.h"
#include "contact/zones.h"
#include "solver/method.h"

/// Everything a step needs besides model and state: parameters and scratch. docs/architecture.md
/// lists what a step allocates.
typedef struct csim_solver csim_solver;

typedef struct csim_solver_setup {
  const csim_model *model;
  csim_solver_params params;
  csim_contact_params contact;
  int ncollider;
  const csim_collider *collider; ///< (ncollider)
  csim_pool *pool;               ///< may be NULL: one thread
  double h;                      ///< [s] of a substep
  double accuracy;               ///< [m/s] > 0: substeps are as long as this lets them be, see
                                 ///< csim_step; 0: each is of h
  int most;                      ///< then the longest substep is most x h: a power of two
  csim_stop stop;                ///< asked by newton; the step is given up then
} csim_solver_setup;

typedef struct csim_step_report {
  csim_method_report method;               ///< of the worst part; without iterations and left
  int span;                                ///< of it, in setup.h
  int retaken;                             ///< spans that were too long and were given up
  double error;                            ///< [m/s] estimated, per second
  int parts;                               ///< 1; more if the step was halved
  double left[3];                          ///< [N s] unbalanced forces, less what was given back
  int contacts;                            ///< vertices pushed by colliders, or active pairs
  csim_contact_report contact;             ///< of the last part; zero without the filter
  long long iterations, linear_iterations; ///< over all parts, those of given-up attempts too
} csim_step_report;

/// NULL when out of memory or if params.method is unknown. Free with csim_solver_free.
csim_solver *csim_solver_create(const csim_solver_setup *setup);
void csim_solver_free(csim_solver *solver);

/// Bytes of scratch that the solver holds.
size_t csim_solver_memory(const csim_solver *solver);

/// Number of three-vectors of the colliders' positions, as in csim_state; 0 without the filter.
int csim_solver_kinematic_size(const csim_solver *solver);

/// Whether the colliders of a state read from outside, whose numbers are finite, are of this scene.
int csim_solver_accepts(const csim_solver *solver, const csim_state *state);

/// Prescribed positions of colliders at a time [s]. kinematic (csim_solver_kinematic_size x 3),
/// overwritten.
void csim_solver_place_colliders(csim_solver *solver, double time, double *kinematic);

/// Call it before the first substep of every frame. Results then depend on the state alone, so a
/// run that is resumed there continues with the same bits.
/// @param end  [s] of the frame
void csim_solver_begin_frame(csim_solver *solver, double end);

/// Normal force on each vertex after a step, see csim_contact_normal_force; zeros without the
/// filter.
/// @param[out] force  (model->nvert) [N]
void csim_solver_normal_forces(csim_solver *solver, const csim_state *state, double *force);

/// Advances the state by one substep of setup.h, or by a span of 1, 2, 4, ... setup.most substeps:
/// the longest that keeps the estimated error to setup.accuracy per second. The estimate: implicit
/// Euler takes a step with its last velocity, which is off by h/2 (v' - v) to first order; the
/// error is its root mean square over the free vertices of the worst body, over h. A step with
/// twice the allowed error is repeated with a shorter span. Spans begin at multiples of themselves
/// in state->step, so a span never crosses the end of a frame of setup.most.
///
/// After a step that took many iterations the next begin in 2 or 4 parts (state->pace), as long as
/// that is cheaper. A step that diverges is repeated in twice as many parts, up to six times. If
/// that fails too, the state is restored and the report's outcome has the reason.
/// @return 0, or -1 when the solver gave up
int csim_step(csim_solver *solver, csim_state *state, csim_step_report *report);

#endif
