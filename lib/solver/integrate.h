// solver/integrate.h: time integration: turns a step into a minimisation, and its solution into the
// next state. Needs model/.
//
// Every implicit integrator solves x' = argmin 1/2 sum w_i |x_i - y_i|^2 + E(x), with forces f per
// mass at x' only. They differ in the weights w, the targets y and the velocities that follow from
// x'. g is the acceleration by gravity, damping and, unless drag is a term of its own (newton, see
// problem.h), air, from the velocities at the start.
//
//   backward Euler    w = m/h^2     y = x + h (v + h g)
//                     v' = (x' - x)/h
//   BDF2              backward Euler of 2h/3 from states extrapolated over the last two:
//                     x <- (4 x_n - x_{n-1})/3, v <- (4 v_n - v_{n-1})/3
//                     Ascher & Petzold 1998; the first step, and any in parts, is backward Euler
//   generalized-alpha w = 2m/h^2    y = x + h v + h^2/2 g
//                     v' = v + h/4 a + 3/4 h f,  a' = (a + f)/2,  h f = 2 ((x' - x)/h - v)
//                     Chung & Hulbert 1993 with rho_infinity = 0, forces at the end of the step:
//                     second order, what is stiff is gone after two steps, and it looks back on
//                     nothing but a, so that steps may change their length
//
// Damping is part of g with backward Euler. As a force of the start of a step it took too much with
// the others, with generalized-alpha a fifth of 20/s at 72 steps a second, and velocities of 60/s
// changed their sign; a quarter of 60/s with BDF2. Generalized-alpha takes the share e^(-damping
// h/2) of the velocities before a step and after it (Strang 1968). BDF2 steps e^(damping t) v, as
// exponential integrators do (Hochbruck & Ostermann 2010), with e = e^(-damping h):
//     v <- (4 e v_n - e^2 v_{n-1})/3,   v' = v + 2h/3 p f,   p = (1 - e)(3 - e)/(2 damping h)
// and in the first step v <- e v_n, p = (1 - e)/(damping h). p is such that what falls comes to
// g/damping; w = m/(p (2h/3)^2).
//
// Generalized-alpha keeps its momentum in p = v + h/2 a: p' = p + h f. A vertex that contact stops
// in a step is `rough`: a second-order step would bounce it back with the velocity that it had. It
// takes backward Euler's step from v = p, a = 0 instead, in the same minimisation. Forces between
// any two vertices conserve total p, whichever step either takes.
#ifndef CSIM_SOLVER_INTEGRATE_H
#define CSIM_SOLVER_INTEGRATE_H

#include "model/model.h"

/// The acceleration of a rigid motion: what residual forces that a step has not followed would give
/// a body, see leftover.h.
typedef struct csim_leftover {
  int of_rough;           ///< 0: of vertices that are not rough, 1: of all
  double acceleration[3]; ///< [m/s^2] at the centre
  double turn[3];         ///< [1/s^2] angular acceleration
  double centre[3];       ///< [m]
} csim_leftover;

typedef struct csim_integration {
  csim_integrator integrator;
  int looks_back;          ///< BDF2, and the state holds an earlier one
  double h;                ///< [s] of the step
  double rate;             ///< [s] velocities are (x' - x_from)/rate
  const double *x_from;    ///< (nvert x 3) [m]
  const double *v_from;    ///< (nvert x 3) [m/s]
  double *decay;           ///< (nvert) generalized-alpha's e^(-damping h/2); NULL: none
  double *push;            ///< (nvert) BDF2's p; NULL: none
  double *decayed;         ///< (nvert x 3) [m/s] v_from with one of these; NULL: damping is in g
  const double *a_from;    ///< (nvert x 3) [m/s^2] generalized-alpha's; NULL: others
  double *inertia;         ///< (nvert) [N/m] w
  unsigned char *rough;    ///< (nvert) 1: takes backward Euler's step
  csim_leftover *leftover; ///< (nbody) of this step, 0 until the method sets it
  double *extrapolated[2]; ///< (nvert x 3) extrapolated states; NULL unless BDF2
} csim_integration;

/// Mass [kg] that vertex i has in a step with this p: m/p is w h^2. NULL: p is 1.
static inline double csim_pushed_mass(const csim_model *model, const double *push, int i) {
  return push ? model->mass[i] / push[i] : model->mass[i];
}

/// @return 0, or -1 when out of memory (arena->failed)
int csim_integration_create(csim_arena *arena, const csim_model *model, csim_integrator integrator,
                            csim_integration *step);

/// Begins a step of h [s]: x_from, v_from, rate. `whole`: not one of several parts of a step.
void csim_integration_begin(csim_pool *pool, const csim_model *model, const csim_state *state,
                            double h, int whole, csim_integration *step);

/// Time [s] for which a step from `time` needs gravity and wind: the end, where second-order
/// integrators have all forces; for backward Euler the middle. The mean gravity of a step's length
/// around it gives the exact velocity, with generalized-alpha some steps after a key.
double csim_integration_force_time(const csim_integration *step, double time);

/// Sets weights and targets, once step->rough is known.
/// @param      v_free  (nvert x 3) [m/s] v_from after `rate` of gravity, damping and air
/// @param[out] y       (nvert x 3) [m] overwritten
void csim_integration_aim(csim_pool *pool, const csim_model *model, const csim_state *state,
                          const double *v_free, csim_integration *step, double *y);

/// Sets the velocities of the step to x, without its leftover, and the state's new accelerations.
/// @param[out] v  (nvert x 3) [m/s] overwritten
void csim_integration_end(csim_pool *pool, const csim_model *model, const csim_integration *step,
                          const double *x, csim_state *state, double *v);

#endif
