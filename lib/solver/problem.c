// solver/problem.c: see problem.h.
#include "solver/problem.h"

#include "base/mask.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "model/external.h"

#include <string.h>

enum { VERT_GRAIN = 512 };

typedef struct problem_job {
  const csim_problem *problem;
  const double *x;
  double *out;
  const unsigned char *stay; // (nvert) of the gradient; NULL: none
} problem_job;

csim_point csim_problem_point(const csim_problem *problem, const double *x) {
  return (csim_point){.x = x,
                      .anchor = problem->target,
                      .hold = problem->hold,
                      .link = problem->link,
                      .plastic = problem->plastic,
                      .damping = problem->damping,
                      .body_of = problem->model->body_of,
                      .from = problem->x,
                      .earlier = problem->iteration.earlier,
                      .idle = problem->iteration.idle,
                      .h = problem->h};
}

static double inertia_value(void *context, int first, int last) {
  const problem_job *job = context;
  const unsigned char *fixed = job->problem->model->fixed, *idle = job->problem->iteration.idle;
  double sum = 0;
  if (csim_mask_covers(idle, first, last)) return 0;
  for (int i = first; i < last; i++) {
    if (fixed[i] || (idle && idle[i])) continue;
    double d[3];
    csim_sub(job->x + csim_xyz(i), job->problem->y + csim_xyz(i), d);
    sum += job->problem->inertia[i] * csim_dot(d, d);
  }
  return sum;
}

double csim_problem_inertia(const csim_problem *problem, const double *x) {
  problem_job job = {.problem = problem, .x = x};
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  double inertia = csim_pool_sum(problem->pool, problem->model->nvert, inertia_value, &job);
  csim_pool_section(problem->pool, before);
  return 0.5 * inertia;
}

static double drag_value(void *context, int first, int last) {
  const problem_job *job = context;
  const csim_problem *p = job->problem;
  double sum = 0;
  if (csim_mask_covers(p->iteration.idle, first, last)) return 0;
  for (int i = first; i < last; i++) {
    if (p->model->fixed[i] || (p->iteration.idle && p->iteration.idle[i])) continue;
    const double *of = p->resistance + csim_row(CSIM_RESISTANCE, i);
    double d[3], force[3];
    csim_sub(job->x + csim_xyz(i), p->x + csim_xyz(i), d);
    csim_resist(of, d, force);
    sum += 0.5 / p->h * csim_dot(d, force) - csim_dot(d, of + 6);
  }
  return sum;
}

double csim_problem_drag(const csim_problem *problem, const double *x) {
  problem_job job = {.problem = problem, .x = x};
  if (!problem->resistance) return 0;
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  double drag = csim_pool_sum(problem->pool, problem->model->nvert, drag_value, &job);
  csim_pool_section(problem->pool, before);
  return drag;
}

double csim_problem_elasticity(const csim_problem *problem, const double *x) {
  csim_energy_memo *memo = problem->energy_memo;
  int n = 3 * problem->model->nvert;
  if (memo && memo->known && csim_vector_equal(problem->pool, n, x, memo->x)) return memo->value;
  csim_point at = csim_problem_point(problem, x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  double value = csim_model_energy(problem->pool, problem->model, &at);
  csim_pool_section(problem->pool, before);
  if (!memo) return value;
  csim_vector_copy(problem->pool, n, x, memo->x);
  memo->value = value;
  memo->known = 1;
  return value;
}

double csim_problem_value(const csim_problem *problem, const double *x) {
  double value = csim_problem_inertia(problem, x) + csim_problem_drag(problem, x) +
                 csim_chambers_value(problem->model, problem->chamber, x) +
                 csim_problem_elasticity(problem, x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double contact = problem->contact ? csim_contact_value(problem->contact, x) : 0;
  csim_pool_section(problem->pool, before);
  return value + contact;
}

// D (x - x_start)/h - D u of vertex i.
static void add_drag(const csim_problem *p, int i, const double *x, double *g) {
  const double *of = p->resistance + csim_row(CSIM_RESISTANCE, i);
  double d[3], force[3];
  csim_sub(x, p->x + csim_xyz(i), d);
  csim_resist(of, d, force);
  for (int c = 0; c < 3; c++) g[c] += force[c] / p->h - of[6 + c];
}

static void inertia_gradient(void *context, int first, int last) {
  const problem_job *job = context;
  const csim_problem *p = job->problem;
  if (csim_mask_covers(job->stay, first, last)) return;
  for (int i = first; i < last; i++) {
    if (job->stay && job->stay[i]) continue;
    const double *x = job->x + csim_xyz(i), *y = p->y + csim_xyz(i);
    double *g = job->out + csim_xyz(i);
    for (int c = 0; c < 3; c++) g[c] = p->inertia[i] * (x[c] - y[c]);
    if (p->resistance) add_drag(p, i, x, g);
  }
}

static void clear_fixed(void *context, int first, int last) {
  const problem_job *job = context;
  for (int i = first; i < last; i++)
    if (job->problem->model->fixed[i]) memset(job->out + csim_xyz(i), 0, 3 * sizeof(double));
}

void csim_problem_update_friction(const csim_problem *problem, const double *x, double share) {
  if (!problem->contact) return;
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  csim_contact_update_friction(problem->contact, x, share);
  csim_pool_section(problem->pool, before);
}

void csim_problem_friction(const csim_problem *problem, const double *x, double of_limit,
                           double of_change, double *g) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  csim_contact_friction(problem->contact, x, of_limit, of_change, g);
  for (int i = 0; i < problem->model->nvert; i++)
    if (problem->model->fixed[i]) memset(g + csim_xyz(i), 0, 3 * sizeof *g);
  csim_pool_section(problem->pool, before);
}

int csim_gradient_memo_create(csim_arena *arena, const csim_groups *groups,
                              csim_gradient_memo *memo) {
  ptrdiff_t n = csim_xyz(groups->model->nvert);
  *memo = (csim_gradient_memo){.groups = groups};
  memo->x = CSIM_ARENA_NEW(arena, double, n);
  memo->g = CSIM_ARENA_NEW(arena, double, n);
  memo->body = CSIM_ARENA_NEW(arena, unsigned char, groups->model->nbody);
  memo->vert = CSIM_ARENA_NEW(arena, unsigned char, groups->model->nvert);
  return arena->failed ? -1 : 0;
}

// Marks the bodies that x has where they were. Returns memo->vert, or NULL if there are none.
static const unsigned char *find_staying(csim_pool *pool, const double *x,
                                         csim_gradient_memo *memo) {
  const csim_model *model = memo->groups->model;
  if (!memo->known) return NULL;
  for (int k = 0; k < model->nbody; k++) {
    ptrdiff_t at = csim_xyz(model->body[k].vert0);
    memo->body[k] =
        (unsigned char)csim_vector_equal(pool, 3 * model->body[k].nvert, x + at, memo->x + at);
  }
  if (!csim_groups_agree(model->nbody, memo->groups->first, memo->body)) return NULL;
  csim_groups_mark(pool, memo->groups, memo->body, memo->vert);
  return memo->vert;
}

// Gradient of inertia, drag and elasticity; bodies that stay keep theirs.
static void elastic_gradient(const csim_problem *problem, const double *x,
                             const unsigned char *stay, double *g) {
  const csim_model *model = problem->model;
  problem_job job = {.problem = problem, .x = x, .out = g, .stay = stay};
  csim_point at = csim_problem_point(problem, x);
  at.idle = stay;
  csim_pool_for(problem->pool, model->nvert, VERT_GRAIN, inertia_gradient, &job);
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_gradient(problem->pool, &model->energy[e], &at, g);
}

static void elastic_gradient_by_memo(const csim_problem *problem, const double *x, double *g) {
  csim_gradient_memo *memo = problem->iteration.gradient_memo;
  csim_pool *pool = problem->pool;
  int n = 3 * problem->model->nvert;
  elastic_gradient(problem, x, find_staying(pool, x, memo), memo->g);
  csim_vector_copy(pool, n, x, memo->x);
  csim_vector_copy(pool, n, memo->g, g);
  memo->known = 1;
}

void csim_problem_gradient(const csim_problem *problem, const double *x, double *g) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  if (problem->iteration.gradient_memo)
    elastic_gradient_by_memo(problem, x, g);
  else
    elastic_gradient(problem, x, NULL, g);
  csim_chambers_gradient(problem->model, problem->chamber, x, g);
  csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  if (problem->contact) csim_contact_gradient(problem->contact, x, g);
  csim_pool_section(problem->pool, before);
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, clear_fixed,
                &(problem_job){.problem = problem, .out = g});
}

typedef struct hessian_job {
  const csim_problem *problem;
  csim_bsr *H;
} hessian_job;

static void inertia_hessian(void *context, int first, int last) {
  const hessian_job *job = context;
  const csim_problem *p = job->problem;
  const csim_pattern *pattern = job->H->pattern;
  for (int i = first; i < last; i++) {
    double *row = job->H->val + csim_row(9, pattern->start[i]);
    memset(row, 0, 9 * (size_t)(pattern->start[i + 1] - pattern->start[i]) * sizeof *row);
    double *diag = job->H->val + csim_row(9, pattern->diag[i]);
    diag[0] = diag[4] = diag[8] = p->inertia[i];
    if (!p->resistance) continue;
    const double *D = p->resistance + csim_row(CSIM_RESISTANCE, i);
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int c = 0; c < 9; c++) diag[c] += D[at[c]] / p->h;
  }
}

static void full_hessian(const csim_problem *problem, const csim_layout *layout, const double *x,
                         csim_psd psd, csim_bsr *H) {
  csim_point at = csim_problem_point(problem, x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, inertia_hessian,
                &(hessian_job){problem, H});
  for (int e = 0; e < layout->nenergy; e++)
    csim_energy_hessian(problem->pool, &layout->energy[e], &at, psd, H->val);
  csim_pool_section(problem->pool, before);
}

void csim_problem_hessian(const csim_problem *problem, const csim_layout *layout, const double *x,
                          csim_psd psd, csim_bsr *H) {
  full_hessian(problem, layout, x, psd, H);
  csim_chambers_hessian(problem->model, problem->chamber, x);
  csim_bsr_fix(problem->pool, problem->model->fixed, H);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  if (problem->contact && csim_contact_find_blocks(problem->contact, NULL) == 0)
    csim_contact_build_blocks(problem->contact, H->pattern->diag, H->val);
  csim_pool_section(problem->pool, before);
}

void csim_problem_stiffness(const csim_problem *problem, const double *x, csim_psd psd,
                            csim_stiffness *K) {
  csim_point at = csim_problem_point(problem, x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  csim_chambers_hessian(problem->model, problem->chamber, x);
  csim_stiffness_update(problem->pool, &at, psd, problem->inertia, problem->resistance, K);
  csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  if (problem->contact && csim_contact_find_blocks(problem->contact, K->A.place) == 0) {
    if (csim_edge_matrix_place(problem->pool, &K->A))
      csim_contact_fail(problem->contact);
    else
      csim_contact_build_blocks(problem->contact, K->A.place, K->A.block);
  }
  csim_pool_section(problem->pool, before);
}

double csim_problem_filter(const csim_problem *problem, double *d) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double least = problem->contact ? csim_contact_filter(problem->contact, d) : 1;
  csim_pool_section(problem->pool, before);
  return least;
}

double csim_problem_filter_together(const csim_problem *problem, int resolves, double *d) {
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_CONTACT);
  double share = problem->contact ? csim_contact_filter_together(problem->contact, resolves, d) : 1;
  csim_pool_section(problem->pool, before);
  return share;
}

static void hold_range(void *context, int first, int last) {
  const problem_job *job = context;
  const unsigned char *idle = job->problem->iteration.idle;
  if (csim_mask_covers(idle, first, last)) {
    memset(job->out + csim_xyz(first), 0, 3 * (size_t)(last - first) * sizeof *job->out);
    return;
  }
  for (int i = first; i < last; i++)
    if (idle[i]) memset(job->out + csim_xyz(i), 0, 3 * sizeof *job->out);
}

void csim_problem_hold_idle(const csim_problem *problem, double *d) {
  if (!problem->iteration.idle) return;
  csim_pool_for(problem->pool, problem->model->nvert, VERT_GRAIN, hold_range,
                &(problem_job){.problem = problem, .out = d});
}

double csim_problem_max_step(const csim_problem *problem, const double *x, const double *d) {
  if (!problem->model->has_bounds) return 1;
  csim_point at = csim_problem_point(problem, x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  double share = csim_model_max_step(problem->pool, problem->model, &at, d);
  csim_pool_section(problem->pool, before);
  return share;
}

void csim_problem_apply(const csim_problem *problem, double alpha, const double *d, double *x) {
  if (problem->contact)
    csim_contact_apply(problem->contact, alpha, x);
  else
    csim_vector_add(problem->pool, 3 * problem->model->nvert, alpha, d, x);
}

void csim_problem_hessian_counter(const csim_problem *problem, const csim_layout *layout,
                                  const double *x, csim_psd psd, const double *fixed_step,
                                  double *rhs, csim_bsr *H) {
  const csim_model *model = problem->model;
  const csim_pattern *p = &layout->pattern;
  full_hessian(problem, layout, x, psd, H);
  for (int i = 0; i < model->nvert; i++) {
    if (model->fixed[i]) {
      memcpy(rhs + csim_xyz(i), fixed_step + csim_xyz(i), 3 * sizeof *rhs);
      continue;
    }
    for (int b = p->start[i]; b < p->start[i + 1]; b++) {
      if (!model->fixed[p->col[b]]) continue;
      double moved[3];
      csim_mat3_mul(H->val + csim_row(9, b), fixed_step + csim_xyz(p->col[b]), moved);
      csim_sub(rhs + csim_xyz(i), moved, rhs + csim_xyz(i));
    }
  }
  csim_bsr_fix(problem->pool, model->fixed, H);
}

static double force_sum(void *context, int first, int last) {
  const problem_job *job = context;
  const csim_problem *p = job->problem;
  double sum = 0;
  for (int i = first; i < last; i++) {
    if (p->model->fixed[i]) continue;
    double external[3];
    for (int c = 0; c < 3; c++) {
      ptrdiff_t k = csim_xyz(i) + c;
      external[c] = p->inertia[i] * (p->y[k] - p->x[k] - p->h * p->v[k]);
      if (p->resistance) external[c] += p->resistance[csim_row(CSIM_RESISTANCE, i) + 6 + c];
    }
    sum += csim_norm(external) + csim_norm(job->x + csim_xyz(i));
  }
  return sum;
}

// Number of free vertices, and the sum of their inertia.
static void count_free(void *context, int first, int last, double *sum) {
  const problem_job *job = context;
  sum[0] = sum[1] = 0;
  for (int i = first; i < last; i++) {
    if (job->problem->model->fixed[i]) continue;
    sum[0]++;
    sum[1] += job->problem->inertia[i];
  }
}

double csim_problem_force_scale(const csim_problem *problem, double *g) {
  static const double LEAST = 1e-10; // [m] that forces move vertices: below is rounding
  const csim_model *model = problem->model;
  csim_point at = csim_problem_point(problem, problem->x);
  csim_section before = csim_pool_section(problem->pool, CSIM_SECTION_ELASTICITY);
  memset(g, 0, 3 * (size_t)model->nvert * sizeof *g);
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_gradient(problem->pool, &model->energy[e], &at, g);
  csim_chambers_gradient(model, problem->chamber, problem->x, g);
  problem_job job = {.problem = problem, .x = g};
  double all[2];
  csim_pool_sums(problem->pool, model->nvert, CSIM_SUM_GRAIN, 2, count_free, &job, all);
  double sum = csim_pool_sum(problem->pool, model->nvert, force_sum, &job);
  csim_pool_section(problem->pool, before);
  return all[0] > 0 ? csim_max(sum, LEAST * all[1]) / all[0] : 0;
}
