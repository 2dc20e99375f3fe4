// solver/linear.c: the list of linear solvers, and what they share.
#include "solver/linear.h"

#include "math/vector.h"

#include <string.h>

// The list: X(NAME, "name") is csim_linear_NAME in its own file, and its name in a scene.
#define SOLVERS(X)                                                                                 \
  X(pcg, "pcg")                                                                                    \
  X(cholesky, "cholesky")                                                                          \
  X(jacobi, "jacobi")                                                                              \
  X(chebyshev_jacobi, "chebyshev-jacobi")

#define DECLARE(name, text) extern const csim_linear_kind csim_linear_##name;
SOLVERS(DECLARE)

#define POINTER(name, text) &csim_linear_##name,
static const csim_linear_kind *const kinds[] = {SOLVERS(POINTER)};

#define TEXT(name, text) text,
const char *const csim_linear_names[] = {SOLVERS(TEXT) NULL};

const csim_linear_kind *csim_linear_find(const char *name) {
  for (int i = 0; csim_linear_names[i]; i++)
    if (!strcmp(csim_linear_names[i], name)) return kinds[i];
  return NULL;
}

int csim_linear_matrix_create(csim_arena *arena, const csim_model *model,
                              const csim_solver_params *params, int may_use_edges,
                              csim_linear_matrix *A) {
  A->on_edges = may_use_edges && params->pins != CSIM_PINS_COUNTER_FORCE &&
                csim_stiffness_create(arena, model, &A->K) == 0;
  if (arena->failed) return -1;
  if (A->on_edges) return 0;

  if (csim_layout_build(arena, model, &A->layout)) return -1;
  const csim_pattern *pattern = &A->layout.pattern;
  A->H = (csim_bsr){pattern, CSIM_ARENA_NEW(arena, double, csim_row(9, pattern->nblock))};
  return arena->failed ? -1 : 0;
}

int csim_linear_create(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                       csim_linear *linear) {
  linear->kind = csim_linear_find(params->linear);
  if (!linear->kind) return -1;
  linear->scratch = linear->kind->create(arena, model, params, &linear->A);
  return linear->scratch && !arena->failed ? 0 : -1;
}

void csim_linear_destroy(csim_linear *linear) {
  csim_stiffness_free(&linear->A.K);
  if (linear->scratch && linear->kind->destroy) linear->kind->destroy(linear->scratch);
}

void csim_linear_assemble(const csim_problem *problem, const double *x, csim_linear *linear) {
  csim_linear_matrix *A = &linear->A;
  csim_psd psd = problem->params->psd;
  if (A->on_edges)
    csim_problem_stiffness(problem, x, psd, &A->K);
  else
    csim_problem_hessian(problem, &A->layout, x, psd, &A->H);
}

// Blocks of contact with p, for multiply_rest.
static csim_loop begin_rest(const csim_problem *problem, const double *p) {
  return problem->contact ? csim_contact_begin_multiply(problem->contact, p) : (csim_loop){0};
}

// Adds to q the part of A p that chambers and contact have outside of the matrix. Returns p times
// that.
static double multiply_rest(const csim_problem *problem, const double *p, double *q) {
  csim_pool *pool = problem->pool;
  double pq = csim_chambers_multiply(pool, problem->model, problem->chamber, p, q);
  csim_section before = csim_pool_section(pool, CSIM_SECTION_CONTACT);
  if (problem->contact) pq += csim_contact_multiply_rest(pool, problem->contact, p, q);
  csim_pool_section(pool, before);
  return pq;
}

double csim_linear_multiply(const csim_problem *problem, const csim_linear *linear, const double *p,
                            double *q) {
  const csim_linear_matrix *A = &linear->A;
  csim_pool *pool = problem->pool;
  csim_loop rest = begin_rest(problem, p);
  double pq = 0;
  if (A->on_edges) {
    pq = csim_edge_matrix_multiply(pool, &A->K.A, p, q, &rest);
  } else {
    csim_pool_for_all(pool, 1, &rest);
    csim_bsr_multiply(pool, &A->H, p, q);
    pq = csim_vector_dot(pool, 3 * problem->model->nvert, p, q);
  }
  pq += multiply_rest(problem, p, q);
  csim_problem_hold_idle(problem, q);
  return pq;
}

void csim_linear_translate(const csim_problem *problem, const csim_linear *linear, int axis,
                           const double *W, double *q) {
  csim_loop rest = begin_rest(problem, W);
  csim_pool_for_all(problem->pool, 1, &rest);
  if (linear->A.on_edges)
    csim_edge_matrix_translate(problem->pool, &linear->A.K.A, problem->model->fixed, axis, q);
  else
    csim_bsr_multiply(problem->pool, &linear->A.H, W, q);
  multiply_rest(problem, W, q);
  csim_problem_hold_idle(problem, q);
}

double csim_linear_precondition(const csim_problem *problem, csim_linear *linear, const double *r,
                                double *z) {
  double rz = linear->kind->precondition(problem->pool, linear->scratch, r, z);
  csim_problem_hold_idle(problem, z);
  return rz;
}

int csim_linear_correct(const csim_problem *problem, csim_linear *linear, const double *r,
                        double *z) {
  const csim_linear_kind *kind = linear->kind;
  if (!kind->correct || !kind->correct(problem->pool, linear->scratch, r, z)) return 0;
  csim_problem_hold_idle(problem, z);
  return 1;
}

// A problem's system in the form that conjugate gradients use.
typedef struct system_of_problem {
  const csim_problem *problem;
  csim_linear *linear;
} system_of_problem;

static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  const system_of_problem *system = context;
  (void)pool; // the problem's
  return csim_linear_multiply(system->problem, system->linear, p, q);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  const system_of_problem *system = context;
  (void)pool; // the problem's
  return csim_linear_precondition(system->problem, system->linear, r, z);
}

// Whether vertices are coupled outside the matrix's pattern.
static int is_coupled(const csim_problem *problem) {
  return (problem->contact && csim_contact_is_coupled(problem->contact)) ||
         problem->model->chambers.nchamber > 0;
}

csim_solve_report csim_linear_solve(const csim_problem *problem, csim_linear *linear,
                                    const double *b, const csim_solve_goal *goal, double *x) {
  const csim_linear_kind *kind = linear->kind;
  csim_solve_report report = {.iterations = 1};
  report.outcome = kind->prepare(problem, &linear->A, linear->scratch);
  if (report.outcome != CSIM_SOLVE_CONVERGED) return report;
  if (kind->solve && !is_coupled(problem))
    return kind->solve(problem, &linear->A, linear->scratch, b, goal->tolerance, x);

  system_of_problem context = {problem, linear};
  csim_linear_system system = {&context, 3 * problem->model->nvert, multiply, precondition};
  return csim_pcg_solve(problem->pool, &system, b, goal, problem->scratch, x);
}
