// solver/linear.h: newton's linear systems and the linear solvers that a scene can choose. Needs
// solver/problem.h, math/pcg.h.
//
// Adding a solver: one new file with a csim_linear_kind, one word in the list of linear.c. A solver
// gets a matrix. Where contact or chambers couple vertices outside the matrix, conjugate gradients
// solve the system with the solver as preconditioner. It need not know of them: multigrid does of
// contact.
#ifndef CSIM_SOLVER_LINEAR_H
#define CSIM_SOLVER_LINEAR_H

#include "math/pcg.h"
#include "solver/problem.h"

/// The Hessian of a problem: edge-based for springs and membranes, or in 3 x 3 blocks.
typedef struct csim_linear_matrix {
  int on_edges;
  csim_stiffness K;   ///< on_edges
  csim_layout layout; ///< else
  csim_bsr H;         ///< else
} csim_linear_matrix;

/// Allocates the matrix of a model. It is edge-based, which is faster, if the solver supports that
/// and the model and its pins have that form; else it has blocks.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_linear_matrix_create(csim_arena *arena, const csim_model *model,
                              const csim_solver_params *params, int may_use_edges,
                              csim_linear_matrix *A);

/// A solver of A x = b. b and x (nvert x 3). At fixed vertices both are zero, or the rows and
/// columns are those of the identity.
typedef struct csim_linear_kind {
  /// Allocates the matrix and memory of the solver in the arena; NULL when out of memory.
  void *(*create)(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                  csim_linear_matrix *A);
  void (*destroy)(void *scratch); ///< frees what is not in the arena; NULL: nothing
  /// Factors A, or computes its preconditioner; called once for every matrix.
  /// @return CSIM_SOLVE_CONVERGED, or the reason that there is no factor
  csim_solve_outcome (*prepare)(const csim_problem *problem, const csim_linear_matrix *A,
                                void *scratch);
  /// z = P^-1 r with a symmetric positive definite P near A; returns r.z
  double (*precondition)(csim_pool *pool, void *scratch, const double *r, double *z);
  /// z = W (W^T A W)^-1 W^T r, where the columns W are translations of large parts. NULL: none
  /// @return whether it has such parts; else z is not set
  int (*correct)(csim_pool *pool, void *scratch, const double *r, double *z);
  /// Solves until |b - A x| <= tolerance |b|, or exactly. NULL: conjugate gradients.
  csim_solve_report (*solve)(const csim_problem *problem, const csim_linear_matrix *A,
                             void *scratch, const double *b, double tolerance, double *x);
  int is_preconditioner; ///< solves coupled systems as well as others; else the scene may not have
                         ///< chambers, whose systems are always coupled
  int requires_definite; ///< an indefinite matrix ends the step; conjugate gradients continue
} csim_linear_kind;

/// Names of the solvers a scene can choose, NULL-terminated.
extern const char *const csim_linear_names[];

/// The solver of this name, or NULL.
const csim_linear_kind *csim_linear_find(const char *name);

/// A matrix and its solver.
typedef struct csim_linear {
  const csim_linear_kind *kind;
  csim_linear_matrix A;
  void *scratch; ///< the solver's
} csim_linear;

/// The solver that params->linear names. csim_linear_destroy in any case.
/// @return 0, or -1 when out of memory (arena->failed) or when there is none of this name
int csim_linear_create(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                       csim_linear *linear);

/// Frees what is not in the arena; zero is allowed.
void csim_linear_destroy(csim_linear *linear);

/// Assembles the Hessian at x (nvert x 3).
void csim_linear_assemble(const csim_problem *problem, const double *x, csim_linear *linear);

/// q = (A + the parts of chambers and contact outside of it) p, both (nvert x 3). p must have one
/// more readable number behind its end. Of idle vertices p and q are zero here and below.
/// @return p . q
double csim_linear_multiply(const csim_problem *problem, const csim_linear *linear, const double *p,
                            double *q);

/// The same for a translation p = W: 1 along an axis at free vertices, otherwise 0. Edges between
/// free vertices do not contribute.
void csim_linear_translate(const csim_problem *problem, const csim_linear *linear, int axis,
                           const double *W, double *q);

/// z = P^-1 r with the P of the last solve; returns r.z.
double csim_linear_precondition(const csim_problem *problem, csim_linear *linear, const double *r,
                                double *z);

/// z = W (W^T A W)^-1 W^T r with the A of the last solve, without what chambers couple, and W of
/// csim_linear_kind.correct.
/// @return whether there is such a W; else z is not set
int csim_linear_correct(const csim_problem *problem, csim_linear *linear, const double *r,
                        double *z);

/// Solves for x (nvert x 3), overwritten, until the goal is reached, or exactly.
csim_solve_report csim_linear_solve(const csim_problem *problem, csim_linear *linear,
                                    const double *b, const csim_solve_goal *goal, double *x);

#endif
