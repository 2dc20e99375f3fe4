// solver/lagged_friction.c: see lagged_friction.h.
#include "solver/lagged_friction.h"

#include "math/vec3.h"
#include "math/vector.h"

int csim_lagged_friction_create(csim_arena *arena, csim_balance *balance, double *scratch,
                                csim_lagged_friction *f) {
  *f = (csim_lagged_friction){.balance = balance, .missing = scratch, .share = 1};
  f->whole = CSIM_ARENA_NEW(arena, double, csim_xyz(balance->model->nvert));
  return arena->failed ? -1 : 0;
}

void csim_lagged_friction_begin(csim_lagged_friction *f) {
  f->share = 1;
}

// Normal forces that depend on friction may never agree with it: more friction of cloth pulled
// round a bar leaves less tension, and so less normal force and friction in the next iteration.
// Where two iterations have not halved the residual, updates take a smaller share of the new
// forces. Without that half of the substeps ended at their limit where friction was 1 or more.
void csim_lagged_friction_update(const csim_problem *problem, csim_lagged_friction *f,
                                 const double *x, int solves, const double residuals[3]) {
  enum { PATIENCE = 6 };
  if (solves == 0) return;
  if (solves > PATIENCE && residuals[0] > 0.5 * residuals[2]) f->share *= 0.5;
  csim_problem_update_friction(problem, x, f->share);
}

void csim_lagged_friction_take_all(csim_lagged_friction *f) {
  f->share = 1;
}

// Imbalance of a step if friction took all of its normal forces at x.
static double imbalance_with_all(const csim_problem *problem, const csim_lagged_friction *f,
                                 const double *g, const double *x, int *body) {
  csim_problem_friction(problem, x, 0, 1 - f->share, f->missing);
  csim_vector_add(problem->pool, 3 * problem->model->nvert, 1, g, f->missing);
  return csim_balance_measure(problem, f->balance, f->missing, body);
}

// Whether every object lacks at most a share of the friction of its normal forces at x.
static int lacks_little(const csim_problem *problem, const csim_lagged_friction *f,
                        const double *x) {
  static const double LITTLE = 0.05;
  const csim_model *model = problem->model;
  csim_problem_friction(problem, x, 1, 1 - f->share, f->whole);
  csim_problem_friction(problem, x, 0, 1 - f->share, f->missing);
  for (int b = 0; b < model->nbody; b++) {
    double has = 0, lacks = 0;
    for (int i = model->body[b].vert0; i < model->body[b].vert0 + model->body[b].nvert; i++) {
      has += csim_norm(f->whole + csim_xyz(i));
      lacks += csim_norm(f->missing + csim_xyz(i));
    }
    if (lacks > LITTLE * has) return 0;
  }
  return 1;
}

// Where normal forces did not settle, friction has followed only a part of their changes. A step
// that ended so would keep friction of forces that are long gone: cloth that slid over a mesh,
// pressed by 10,000 times its weight in one first iteration, stopped dead.
int csim_lagged_friction_agrees(const csim_problem *problem, const csim_lagged_friction *f,
                                const double *g, const double *x) {
  double balance = problem->params->balance;
  int body;
  if (!problem->contact || !(f->share < 1)) return 1;
  return lacks_little(problem, f, x) ||
         (balance > 0 && imbalance_with_all(problem, f, g, x, &body) <= balance);
}

void csim_lagged_friction_judge(const csim_problem *problem, const csim_lagged_friction *f,
                                const double *g, const double *x, csim_method_report *report) {
  int body;
  if (!(problem->params->balance > 0) || csim_lagged_friction_agrees(problem, f, g, x)) return;
  double imbalance = imbalance_with_all(problem, f, g, x, &body);
  if (imbalance <= report->imbalance) return;
  report->imbalance = imbalance;
  report->unbalanced = body;
}
