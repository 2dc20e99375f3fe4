// solver/project.c: see project.h.
#include "solver/project.h"

#include "math/vec3.h"

#include <stdatomic.h>

enum { ELEMENT_GRAIN = 256 };

typedef struct pass_job {
  const csim_pass *pass;
  const csim_energy *energy;
  double *lambda;
  const double *x;
  double *dx, *count; // gauss-seidel: dx is x itself and count NULL
  double limit;
} pass_job;

// Length squared of the gradient at node n.
static inline double weight_of(const csim_constraint *c, int n) {
  return c->dim == 1 ? csim_dot(c->grad[n], c->grad[n]) : c->grad[n][0] * c->grad[n][0];
}

static void project_element(const pass_job *job, int e) {
  const csim_model *model = job->pass->model;
  int nnode = job->energy->kind->nnode;
  const int *node = job->energy->node + (ptrdiff_t)nnode * e;
  csim_constraint c;
  csim_point at = job->pass->at;
  at.x = job->x;
  if (!csim_energy_constraint(job->energy, &at, e, &c)) return;
  double denominator = job->pass->compliance / c.k, compliance = denominator;
  for (int n = 0; n < nnode; n++)
    if (!model->fixed[node[n]])
      denominator += weight_of(&c, n) / csim_pushed_mass(model, job->pass->push, node[n]);
  if (!(denominator > 0)) return; // all nodes are fixed
  double dlambda[3];
  for (int d = 0; d < c.dim; d++) {
    double *lambda = job->lambda ? &job->lambda[csim_xyz(e) + d] : NULL;
    dlambda[d] = -(job->pass->share * c.C[d] + (lambda ? compliance * *lambda : 0)) / denominator;
    if (lambda) *lambda += dlambda[d];
  }
  for (int n = 0; n < nnode; n++) {
    if (model->fixed[node[n]]) continue;
    double w = 1 / csim_pushed_mass(model, job->pass->push, node[n]),
           *dx = job->dx + csim_xyz(node[n]);
    if (c.dim == 1)
      csim_add_scaled(w * dlambda[0], c.grad[n], dx);
    else
      csim_add_scaled(w * c.grad[n][0], dlambda, dx);
    if (job->count) job->count[node[n]] += 1;
  }
}

static void shorten_range(void *context, int first, int last) {
  const pass_job *job = context;
  const csim_model *model = job->pass->model;
  for (int e = first; e < last; e++) {
    const int *node = job->energy->node + csim_row(2, e);
    double *a = job->dx + csim_xyz(node[0]), *b = job->dx + csim_xyz(node[1]), r[3];
    double wa = model->fixed[node[0]] ? 0 : 1 / model->mass[node[0]];
    double wb = model->fixed[node[1]] ? 0 : 1 / model->mass[node[1]];
    csim_sub(a, b, r);
    double l = csim_norm(r);
    double most = (1 + job->limit) * csim_energy_param(job->energy, e)[1];
    if (!(l > most) || !(wa + wb > 0)) continue;
    double s = (l - most) / (l * (wa + wb));
    csim_add_scaled(-s * wa, r, a);
    csim_add_scaled(s * wb, r, b);
  }
}

static void push_range(void *context, int first, int last) {
  const pass_job *job = context;
  const csim_model *model = job->pass->model;
  int nnode = job->energy->kind->nnode;
  csim_point at = job->pass->at;
  at.x = job->x;
  for (int e = first; e < last; e++) {
    csim_constraint c;
    if (!csim_energy_constraint(job->energy, &at, e, &c)) continue;
    const double *lambda = job->lambda + csim_xyz(e);
    for (int n = 0; n < nnode; n++) {
      int v = job->energy->node[(ptrdiff_t)nnode * e + n];
      if (model->fixed[v]) continue;
      double w = 1 / csim_pushed_mass(model, job->pass->push, v);
      if (c.dim == 1)
        csim_add_scaled(w * lambda[0], c.grad[n], job->dx + csim_xyz(v));
      else
        csim_add_scaled(w * c.grad[n][0], lambda, job->dx + csim_xyz(v));
    }
  }
}

static void project_range(void *context, int first, int last) {
  const pass_job *job = context;
  for (int e = first; e < last; e++) project_element(job, e);
}

static void project_colors(pass_job *job, csim_range_fn *fn) {
  csim_energy_for(job->pass->pool, job->energy, ELEMENT_GRAIN, fn, job);
}

typedef struct bounds_job {
  const csim_pass *pass;
  const csim_energy *energy;
  const double *mobility;
  double *d;
  atomic_int changed;
} bounds_job;

static int project_excess(const bounds_job *job, int e) {
  int nnode = job->energy->kind->nnode;
  const int *node = job->energy->node + (ptrdiff_t)nnode * e;
  csim_constraint c;
  if (!job->energy->kind->excess(job->energy, &job->pass->at, job->d, e, &c)) return 0;
  double sum = 0;
  for (int n = 0; n < nnode; n++) sum += job->mobility[node[n]] * csim_dot(c.grad[n], c.grad[n]);
  if (!(sum > 0)) return 0; // all nodes stay
  for (int n = 0; n < nnode; n++)
    csim_add_scaled(-c.C[0] * job->mobility[node[n]] / sum, c.grad[n], job->d + csim_xyz(node[n]));
  return 1;
}

// Most elements are far from their bounds: largest steps find that out several at a time.
static void project_bounds_range(void *context, int first, int last) {
  enum { AT_ONCE = 16 };
  bounds_job *job = context;
  const csim_energy_kind *kind = job->energy->kind;
  int changed = 0;
  for (int end; first < last; first = end) {
    end = first + AT_ONCE < last ? first + AT_ONCE : last;
    if (!(kind->max_step(job->energy, &job->pass->at, job->d, first, end) < 1)) continue;
    for (int e = first; e < end; e++) changed += project_excess(job, e);
  }
  atomic_fetch_add_explicit(&job->changed, changed, memory_order_relaxed);
}

int csim_project_bounds(const csim_pass *pass, const csim_energy *energy, const double *mobility,
                        double *d) {
  bounds_job job = {.pass = pass, .energy = energy, .mobility = mobility, .d = d};
  csim_energy_for(pass->pool, energy, ELEMENT_GRAIN, project_bounds_range, &job);
  return job.changed;
}

void csim_project_gauss_seidel(const csim_pass *pass, const csim_energy *energy, double *lambda,
                               double *x) {
  project_colors(&(pass_job){.pass = pass, .energy = energy, .lambda = lambda, .x = x, .dx = x},
                 project_range);
}

void csim_project_jacobi(const csim_pass *pass, const csim_energy *energy, double *lambda,
                         const double *x, double *dx, double *count) {
  project_colors(
      &(pass_job){
          .pass = pass, .energy = energy, .lambda = lambda, .x = x, .dx = dx, .count = count},
      project_range);
}

void csim_project_push(const csim_pass *pass, const csim_energy *energy, const double *lambda,
                       const double *x, double *out) {
  // lambda is only read here
  project_colors(
      &(pass_job){.pass = pass, .energy = energy, .lambda = (double *)lambda, .x = x, .dx = out},
      push_range);
}

void csim_project_limit(const csim_pass *pass, const csim_energy *springs, double limit,
                        double *x) {
  project_colors(&(pass_job){.pass = pass, .energy = springs, .limit = limit, .dx = x},
                 shorten_range);
}
