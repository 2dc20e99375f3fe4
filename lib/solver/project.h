// solver/project.h: one pass of constraint projection over an energy, shared by pbd, xpbd, strain
// limiting and initial guesses. Needs solver/problem.h.
#ifndef CSIM_SOLVER_PROJECT_H
#define CSIM_SOLVER_PROJECT_H

#include "solver/problem.h"

/// One projection of a constraint C with gradient g and inverse masses w:
///
///   dlambda = -(s C + a lambda) / (sum w |g|^2 + a),  dx_i = w_i g_i dlambda
///
/// a: compliance 1/(k h^2) for xpbd, 0 for pbd; s: share of the error to remove. Macklin, Mueller,
/// Chentanez, XPBD, MIG 2016; Mueller et al., Position Based Dynamics, 2007.
typedef struct csim_pass {
  const csim_model *model;
  csim_pool *pool;
  csim_point at;      ///< point where constraints are evaluated, except for x
  double compliance;  ///< 1/h^2 [1/s^2]: a = compliance / k; 0 = rigid
  double share;       ///< s, (0, 1]
  const double *push; ///< (nvert) the integrator's p: w is p/m; NULL: 1
} csim_pass;

/// Takes strains that the displacements d (nvert x 3) from pass->at.x bring too close to their
/// bounds back, see csim_energy_kind.excess. Gauss-Seidel.
/// @param mobility  (nvert) in place of inverse masses; 0: stays
/// @return number of elements changed
int csim_project_bounds(const csim_pass *pass, const csim_energy *energy, const double *mobility,
                        double *d);

/// Gauss-Seidel: colour by colour; each constraint uses the result of the previous ones.
/// @param lambda  (nelem x 3) multipliers, read and changed; NULL when compliance is 0
/// @param x       (nvert x 3) read and changed; fixed vertices stay
void csim_project_gauss_seidel(const csim_pass *pass, const csim_energy *energy, double *lambda,
                               double *x);

/// Jacobi: every constraint uses the same x; corrections and one count per vertex are added.
/// @param x      (nvert x 3) read only
/// @param dx     (nvert x 3) added to
/// @param count  (nvert) added to
void csim_project_jacobi(const csim_pass *pass, const csim_energy *energy, double *lambda,
                         const double *x, double *dx, double *count);

/// Adds W J(x)^T lambda to out (nvert x 3): the displacement by the multipliers, with the gradients
/// at x.
void csim_project_push(const csim_pass *pass, const csim_energy *energy, const double *lambda,
                       const double *x, double *out);

/// Shortens the springs of an energy that are longer than (1 + limit) times their rest length to
/// that length, Gauss-Seidel.
void csim_project_limit(const csim_pass *pass, const csim_energy *springs, double limit, double *x);

#endif
