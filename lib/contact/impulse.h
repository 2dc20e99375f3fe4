// contact/impulse.h: responses to analytic colliders without a guarantee: impulses and penalty
// springs. Needs collider.h.
//
// Both see vertices only: faces may cut a collider's surface. With the discrete test, fast vertices
// may pass through thin colliders.
#ifndef CSIM_CONTACT_IMPULSE_H
#define CSIM_CONTACT_IMPULSE_H

#include "contact/collider.h"
#include "math/vec3.h"
#include "model/model.h"

/// The step that the responses act on.
typedef struct csim_impulse_step {
  csim_pool *pool;
  const csim_model *model;
  int ncollider;
  const csim_collider *collider; ///< (ncollider)
  const csim_contact_params *params;
  const double *x0;   ///< (nvert x 3) [m] at the start of the step
  const double *from; ///< (nvert x 3) [m] where the integrator starts, x0 unless it looks back
  double time;        ///< [s] at its end
  double h;           ///< [s]
  double rate;        ///< [s] of the integrator, from `from` to the end
  double *a;          ///< (nvert x 3) [m/s^2] generalized-alpha's, changed; NULL: others
  double by_force;    ///< [1/s] what a force over the step changes velocities by, of its way
} csim_impulse_step;

/// Impulse by mass [m/s] of a push by d: d/h, but that of a force over the step, d `by_force`,
/// where this does no more than stop the `approach` [m/s], or else what stops it.
static inline double csim_impulse_of_push(const csim_impulse_step *step, double d,
                                          double approach) {
  return csim_max(d / step->h, csim_min(d * step->by_force, approach));
}

/// Pushes every free vertex nearer than the thickness to a collider out to that distance, along the
/// gradient n of the signed distance at the end of the step, and changes the velocity to match:
///
///   d = (thickness - phi(x)) n,  x += d,  v += d / h
///
/// then Coulomb friction: the slip relative to the collider's own motion loses at most mu |d| / h
/// of its speed. The continuous test takes n where the straight path of the vertex, relative to the
/// collider, first comes within the thickness, and pushes out to the tangent plane there.
///
/// Integrators of second order move x by less than h times what a force gives the velocity in the
/// step: generalized-alpha by half of that in p = v + h/2 a, BDF2 by two thirds. What they push
/// gets the impulse of csim_impulse_of_push in place of |d| / h, with generalized-alpha to p, and
/// then v = p, a = 0: what rests would else keep half or a third of a step of its weight as a
/// speed.
///
/// @param x, v  (nvert x 3) at the end of the step, read and changed
/// @return number of vertices pushed
int csim_impulse_respond(const csim_impulse_step *step, double *x, double *v);

/// Springs and dashpots where from + rate v is nearer than the thickness, by depth d = thickness -
/// phi:
///
///   v += max(0, s d / h - min(1, 2 sqrt(s)) min(v.n, 0)) n,  s = params->penalty
///
/// which is an explicit spring of stiffness s m / h^2 with a dashpot against approach (v relative
/// to the collider); then friction as above.
///
/// @param v  (nvert x 3) with the outer forces of the step, before it is solved; changed
/// @return number of vertices pushed
int csim_penalty_push(const csim_impulse_step *step, double *v);

#endif
