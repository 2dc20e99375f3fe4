// solver/method.h: the interface of all methods of the implicit step. Needs solver/problem.h.
//
// Adding a method: one new file with a csim_method, one word in the list of method.c. A method uses
// the problem and nothing else: no files, no JSON, no colliders.
#ifndef CSIM_SOLVER_METHOD_H
#define CSIM_SOLVER_METHOD_H

#include "math/pcg.h"
#include "solver/problem.h"

/// How a step ended. A numerical outcome, never an error of the user or of the program.
typedef enum csim_outcome {
  CSIM_OUTCOME_CONVERGED,
  CSIM_OUTCOME_LIMIT,      ///< iteration limit; x is usable, its residual is reported
  CSIM_OUTCOME_STALLED,    ///< no further decrease is possible in double precision
  CSIM_OUTCOME_INDEFINITE, ///< Cholesky met a pivot that is not positive (psd "none"); x not usable
  CSIM_OUTCOME_DIVERGED,   ///< not finite; x is not usable
  CSIM_OUTCOME_TOO_FAST,   ///< something is too fast for the step; x is not usable
  CSIM_OUTCOME_UNBALANCED, ///< forces are far from balance at the limit; x is not to be used while
                           ///< the step can be halved
  CSIM_OUTCOME_MEMORY,     ///< out of memory; from here on a step is not repeated
  CSIM_OUTCOME_STOPPED,    ///< a stop was wanted; x is not usable
} csim_outcome;

typedef struct csim_method_report {
  csim_outcome outcome;
  int iterations;        ///< outer
  int linear_iterations; ///< inner, in total
  double imbalance;      ///< [-] of the worst object at the end, see balance.h; 0: not measured
  int unbalanced;        ///< that object, a body
  double left[3];  ///< [N] sum of the gradient at the end, less what is given back, if measured
  double residual; ///< max |gradient| / force_scale at the end, [-]; < 0: not measured
} csim_method_report;

typedef struct csim_method {
  const char *name;
  /// Allocates memory for problems on this model in the arena; NULL when out of memory.
  void *(*create)(csim_arena *arena, const csim_model *model, const csim_solver_params *params);
  /// Frees the part of the scratch that is not in the arena; NULL: nothing to free.
  void (*destroy)(void *scratch);
  /// Improves x (nvert x 3) from its initial guess; fixed vertices are at their targets already.
  csim_method_report (*solve)(const csim_problem *problem, void *scratch, double *x);
  /// Accelerations a (nvert x 3) [m/s^2] at the start of a step under the force f (nvert x 3) [N],
  /// as an implicit step sees them: (M + h^2/2 K) a = f. Soft parts get f/m; parts too stiff for
  /// the step get the acceleration that takes them to balance. a is f/m on entry. NULL: f/m for
  /// all.
  void (*accelerate)(const csim_problem *problem, void *scratch, const double *f, double *a);
  int sets_velocity;  ///< solve writes problem->v_next; else the velocity is (x - x_n)/h
  int knows_contact;  ///< solve takes problem->contact into its energy and filters its steps; for
                      ///< the others contact is resolved around the x they return
  int solves_systems; ///< steps by the whole Hessian: needs problem->scratch, and alone can have
                      ///< bounds of strain, chambers, generalized-alpha, pins by counter-forces
  int projects;       ///< satisfies one element after another: every energy needs `constraint`
  int is_explicit; ///< stable for small steps only: a step that diverges is not repeated in parts
} csim_method;

/// Names of the methods a scene can choose, NULL-terminated; the first is "auto", which a scene
/// resolves.
extern const char *const csim_method_names[];

/// The method of this name, or NULL.
const csim_method *csim_method_find(const char *name);

/// Relative residual: max |g_i| / force_scale.
double csim_method_residual(const csim_problem *problem, const double *g);

/// Measures the gradient g at the start of an iteration, and whether it is the last one: converged,
/// diverged, or at the limit.
int csim_method_ends(const csim_problem *problem, const double *g, csim_method_report *report);

#endif
