// solver/method.h: what every method of the implicit step looks like. Needs solver/problem.h.
//
// Adding a method: one new file with a csim_method, one word in the list of method.c. A method
// knows the problem and nothing else: no files, no JSON, no colliders.
#ifndef CSIM_SOLVER_METHOD_H
#define CSIM_SOLVER_METHOD_H

#include "math/pcg.h"
#include "solver/problem.h"

/// How a step ended. Numerical, never the user's fault or ours.
typedef enum csim_outcome {
  CSIM_OUTCOME_CONVERGED,
  CSIM_OUTCOME_LIMIT,      ///< iteration limit; x is usable, its residual is reported
  CSIM_OUTCOME_STALLED,    ///< no further decrease is possible in double precision
  CSIM_OUTCOME_INDEFINITE, ///< Cholesky met a pivot that is not positive (psd "none"); x not usable
  CSIM_OUTCOME_DIVERGED,   ///< not finite; x is not usable
  CSIM_OUTCOME_TOO_FAST,   ///< a collider comes too fast for the step; x is not usable
  CSIM_OUTCOME_UNBALANCED, ///< forces are far from balance at the limit; x is not to be used while
                           ///< the step can be halved
  CSIM_OUTCOME_MEMORY,     ///< out of memory
} csim_outcome;

typedef struct csim_method_report {
  csim_outcome outcome;
  int iterations;        ///< outer
  int linear_iterations; ///< inner, in total
  double imbalance;      ///< [-] of the worst object at the end, see balance.h; 0 when not measured
  int unbalanced;        ///< that object, a body
  double left[3];        ///< [N] sum of the gradient at the end, where it was measured
  double residual;       ///< max |gradient| / force_scale at the end, [-]; < 0 when not measured
} csim_method_report;

typedef struct csim_method {
  const char *name;
  /// Memory for problems on this model, from the arena; NULL when out of memory.
  void *(*create)(csim_arena *arena, const csim_model *model, const csim_solver_params *params);
  /// Frees what of the scratch is not in the arena; NULL: nothing.
  void (*destroy)(void *scratch);
  /// Improves x (nvert x 3) from its starting point; fixed vertices already stand at their targets.
  csim_method_report (*solve)(const csim_problem *problem, void *scratch, double *x);
  /// Accelerations a (nvert x 3) [m/s^2] of the start of a step that the force f (nvert x 3) [N]
  /// acts on, as an implicit step sees them: (M + h^2/2 K) a = f. What is soft gets f/m, what is
  /// too stiff for the step what takes it to its balance. a is f/m on entry. NULL: f/m for all.
  void (*accelerate)(const csim_problem *problem, void *scratch, const double *f, double *a);
  int sets_velocity;  ///< solve writes problem->v_next; else the velocity is (x - x_n)/h
  int knows_contact;  ///< solve takes problem->contact into its energy and filters its steps; for
                      ///< the others contact is resolved around the x they return
  int solves_systems; ///< steps by the whole Hessian: needs problem->scratch, and alone can have
                      ///< bounds of strain, chambers, generalized-alpha, pins by counter-forces
  int projects;       ///< satisfies one element after another: every energy needs `constraint`
  int is_explicit;    ///< stable for small steps only: a step that blows up is not tried in parts
} csim_method;

/// Names of the methods a scene can choose, NULL-terminated; the first is "auto", which a scene
/// resolves.
extern const char *const csim_method_names[];

/// The method of this name, or NULL.
const csim_method *csim_method_find(const char *name);

/// Relative residual: max |g_i| / force_scale.
double csim_method_residual(const csim_problem *problem, const double *g);

#endif
