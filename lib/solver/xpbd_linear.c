// solver/xpbd_linear.c: see xpbd_linear.h.
#include "solver/xpbd_linear.h"

#include "math/pcg.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "solver/line_search.h"

#include <string.h>

enum { ELEMENT_GRAIN = 512, VERT_GRAIN = 1024 };

struct csim_xpbd_linear {
  int nrow;              // elements of all energies
  int *first;            // (nenergy + 1) first row of each energy
  csim_constraint *c;    // (nrow) at the present x; dim 0 = none
  double *rhs, *dlambda; // (nrow x 3)
  double *g, *d, *u;     // (nvert x 3)
  csim_scratch scratch;  // of conjugate gradients, in the arena
};

csim_xpbd_linear *csim_xpbd_linear_create(csim_arena *arena, const csim_model *model) {
  csim_xpbd_linear *s = CSIM_ARENA_NEW(arena, csim_xpbd_linear, 1);
  if (!s) return NULL;
  s->first = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)model->nenergy + 1);
  for (int e = 0; e < model->nenergy && s->first; e++) {
    s->first[e] = s->nrow;
    s->nrow += model->energy[e].nelem;
  }
  if (s->first) s->first[model->nenergy] = s->nrow;
  s->c = CSIM_ARENA_NEW(arena, csim_constraint, s->nrow);
  s->rhs = CSIM_ARENA_NEW(arena, double, csim_xyz(s->nrow));
  s->dlambda = CSIM_ARENA_NEW(arena, double, csim_xyz(s->nrow));
  s->scratch.size = csim_pcg_bytes(3 * s->nrow);
  s->scratch.memory = CSIM_ARENA_NEW(arena, char, s->scratch.size);
  double **verts[] = {&s->g, &s->d, &s->u};
  for (int k = 0; k < 3; k++) *verts[k] = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  return arena->failed ? NULL : s;
}

typedef struct linear_job {
  const csim_problem *problem;
  csim_xpbd_linear *s;
  int energy;
  const double *in;
  double *out;
} linear_job;

static void evaluate_range(void *context, int first, int last) {
  const linear_job *job = context;
  const csim_energy *energy = &job->problem->model->energy[job->energy];
  csim_point at = csim_problem_point(job->problem, job->in);
  for (int e = first; e < last; e++) {
    csim_constraint *c = &job->s->c[job->s->first[job->energy] + e];
    if (!csim_energy_constraint(energy, &at, e, c)) *c = (csim_constraint){0};
  }
}

// out += J^T in over the elements [first, last), which are of one colour
static void transpose_range(void *context, int first, int last) {
  const linear_job *job = context;
  const csim_energy *energy = &job->problem->model->energy[job->energy];
  int nnode = energy->kind->nnode;
  for (int e = first; e < last; e++) {
    ptrdiff_t row = job->s->first[job->energy] + (ptrdiff_t)e;
    const csim_constraint *c = &job->s->c[row];
    for (int n = 0; n < nnode && c->dim; n++) {
      double *out = job->out + csim_xyz(energy->node[(ptrdiff_t)nnode * e + n]);
      if (c->dim == 1)
        csim_add_scaled(job->in[3 * row], c->grad[n], out);
      else
        csim_add_scaled(c->grad[n][0], job->in + 3 * row, out);
    }
  }
}

// out = J in over elements
static void forward_range(void *context, int first, int last) {
  const linear_job *job = context;
  const csim_energy *energy = &job->problem->model->energy[job->energy];
  int nnode = energy->kind->nnode;
  for (int e = first; e < last; e++) {
    ptrdiff_t row = job->s->first[job->energy] + (ptrdiff_t)e;
    const csim_constraint *c = &job->s->c[row];
    double *out = job->out + 3 * row;
    memset(out, 0, 3 * sizeof *out);
    for (int n = 0; n < nnode && c->dim; n++) {
      const double *in = job->in + csim_xyz(energy->node[(ptrdiff_t)nnode * e + n]);
      if (c->dim == 1)
        out[0] += csim_dot(c->grad[n], in);
      else
        csim_add_scaled(c->grad[n][0], in, out);
    }
  }
}

static double mass_of(const csim_problem *problem, int i) {
  const csim_integration *step = problem->integration;
  return csim_pushed_mass(problem->model, step ? step->push : NULL, i);
}

static void scale_range(void *context, int first, int last) { // out = W in, 0 at fixed vertices
  const linear_job *job = context;
  const csim_model *model = job->problem->model;
  for (int i = first; i < last; i++) {
    double w = model->fixed[i] ? 0 : 1 / mass_of(job->problem, i);
    for (int c = 0; c < 3; c++) job->out[csim_xyz(i) + c] = w * job->in[csim_xyz(i) + c];
  }
}

static void apply_transpose(linear_job *job) {
  const csim_model *model = job->problem->model;
  memset(job->out, 0, 3 * (size_t)model->nvert * sizeof *job->out);
  for (job->energy = 0; job->energy < model->nenergy; job->energy++)
    csim_energy_for(job->problem->pool, &model->energy[job->energy], ELEMENT_GRAIN, transpose_range,
                    job);
}

static void for_each_element(linear_job *job, csim_range_fn *fn) {
  const csim_model *model = job->problem->model;
  for (job->energy = 0; job->energy < model->nenergy; job->energy++)
    csim_pool_for(job->problem->pool, model->energy[job->energy].nelem, ELEMENT_GRAIN, fn, job);
}

static void scale_by_masses(const csim_problem *problem, const double *in, double *out) {
  linear_job job = {.problem = problem, .in = in, .out = out};
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, scale_range, &job);
}

// Diagonal of J W J^T + a for element e; 1 where there is no constraint.
static double diagonal(const csim_problem *problem, const csim_xpbd_linear *s, int energy, int e) {
  const csim_model *model = problem->model;
  const csim_energy *en = &model->energy[energy];
  const csim_constraint *c = &s->c[s->first[energy] + e];
  if (!c->dim) return 1;
  double sum = 1 / (c->k * problem->h * problem->h);
  for (int n = 0; n < en->kind->nnode; n++) {
    int v = en->node[(ptrdiff_t)en->kind->nnode * e + n];
    double g2 = c->dim == 1 ? csim_dot(c->grad[n], c->grad[n]) : c->grad[n][0] * c->grad[n][0];
    if (!model->fixed[v]) sum += g2 / mass_of(problem, v);
  }
  return sum;
}

// q = (J W J^T + a) p
static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  const csim_problem *problem = ((const linear_job *)context)->problem;
  csim_xpbd_linear *s = ((const linear_job *)context)->s;
  apply_transpose(&(linear_job){.problem = problem, .s = s, .in = p, .out = s->u});
  scale_by_masses(problem, s->u, s->u);
  for_each_element(&(linear_job){.problem = problem, .s = s, .in = s->u, .out = q}, forward_range);
  for (int i = 0; i < s->nrow; i++)
    for (int c = 0; c < 3; c++) {
      ptrdiff_t k = csim_xyz(i) + c;
      q[k] += c < s->c[i].dim ? p[k] / (s->c[i].k * problem->h * problem->h) : p[k];
    }
  return csim_vector_dot(pool, 3 * s->nrow, p, q);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  const csim_problem *problem = ((const linear_job *)context)->problem;
  const csim_xpbd_linear *s = ((const linear_job *)context)->s;
  for (int e = 0; e < problem->model->nenergy; e++)
    for (int i = 0; i < problem->model->energy[e].nelem; i++) {
      double d = diagonal(problem, s, e, i);
      for (int c = 0; c < 3; c++) {
        ptrdiff_t k = 3 * ((ptrdiff_t)s->first[e] + i) + c;
        z[k] = r[k] / d;
      }
    }
  return csim_vector_dot(pool, 3 * s->nrow, r, z);
}

// Solves for dlambda. Returns the iterations.
static int solve_multipliers(const csim_problem *problem, csim_xpbd_linear *s) {
  linear_job job = {.problem = problem, .s = s};
  csim_linear_system system = {&job, 3 * s->nrow, multiply, precondition};
  csim_solve_goal goal = {.tolerance = problem->params->linear_tolerance,
                          .max_iterations = problem->params->linear_iterations};
  return csim_pcg_solve(problem->pool, &system, s->rhs, &goal, &s->scratch, s->dlambda).iterations;
}

csim_method_report csim_xpbd_linear_solve(const csim_problem *problem, csim_xpbd_linear *s,
                                          double *x) {
  int n = 3 * problem->model->nvert;
  csim_descent made = {0};
  double h2 = problem->h * problem->h, last_residual = INFINITY;
  csim_method_report report = {.outcome = CSIM_OUTCOME_LIMIT};
  for (;; report.iterations++) {
    csim_problem_gradient(problem, x, s->g);
    int ends = csim_method_ends(problem, s->g, &report);
    if (made.blind && report.residual > 0.5 * last_residual) report.outcome = CSIM_OUTCOME_STALLED;
    last_residual = report.residual;
    if (ends || report.outcome == CSIM_OUTCOME_STALLED) return report;

    for_each_element(&(linear_job){.problem = problem, .s = s, .in = x}, evaluate_range);
    scale_by_masses(problem, s->g, s->d); // W grad F = W g / h^2
    for_each_element(&(linear_job){.problem = problem, .s = s, .in = s->d, .out = s->rhs},
                     forward_range);
    for (int i = 0; i < 3 * s->nrow; i++) s->rhs[i] *= h2;
    report.linear_iterations += solve_multipliers(problem, s);
    apply_transpose(&(linear_job){.problem = problem, .s = s, .in = s->dlambda, .out = s->u});
    scale_by_masses(problem, s->u, s->u);
    for (int i = 0; i < n; i++) s->d[i] = s->u[i] - h2 * s->d[i];
    double slope = csim_vector_dot(problem->pool, n, s->g, s->d);
    if (slope < 0) made = csim_line_search(problem, s->d, slope, CSIM_LEAST_SHARE, s->u, x);
    if (!(slope < 0) || made.share == 0) {
      report.outcome = CSIM_OUTCOME_STALLED;
      return report;
    }
  }
}
