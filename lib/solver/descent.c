// solver/descent.c: gradient descent with a diagonal approximation of the Hessian (Wang, GAMES103,
// laboratory 2).
//
//   x_i <- x_i - g_i / (m_i/h^2 + 4 k_i),  `iterations` times
//
// k_i is the largest stiffness of the springs at vertex i.
#include "solver/method.h"

#include "solver/accelerate.h"

typedef struct descent {
  double *g;         // (nvert x 3)
  double *stiffness; // (nvert) 4 k_i [N/m]
  csim_accelerator accelerator;
} descent;

static void *descent_create(csim_arena *arena, const csim_model *model,
                            const csim_solver_params *params) {
  descent *s = CSIM_ARENA_NEW(arena, descent, 1);
  if (!s) return NULL;
  s->g = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  s->stiffness = CSIM_ARENA_NEW(arena, double, model->nvert);
  csim_accelerator_create(arena, params, 3 * model->nvert, &s->accelerator);
  csim_arena temp = {0};
  csim_layout layout;
  csim_layout_build(&temp, model, &layout);
  double *diag = CSIM_ARENA_NEW(&temp, double, layout.pattern.nblock);
  if (temp.failed) arena->failed = 1;
  if (arena->failed) goto done;
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    if (energy->kind == &csim_spring_kind) {
      for (int k = 0; k < 2 * energy->nelem; k++) {
        double *at = &s->stiffness[energy->node[k]],
               stiff = 4 * csim_energy_param(energy, k / 2)[0];
        if (stiff > *at) *at = stiff;
      }
    } else { // other elements than springs: their share of the constant matrix
      csim_energy_laplacian(NULL, &layout.energy[e], NULL, diag);
    }
  }
  for (int i = 0; i < model->nvert; i++) s->stiffness[i] += 2 * diag[layout.pattern.diag[i]];
done:
  csim_arena_free(&temp);
  return arena->failed ? NULL : s;
}

static csim_method_report descent_solve(const csim_problem *problem, void *scratch, double *x) {
  descent *s = scratch;
  const csim_model *model = problem->model;
  const double *push = problem->integration ? problem->integration->push : NULL;
  double w = 1 / (problem->h * problem->h);
  csim_accelerator_restart(&s->accelerator);
  csim_method_report report = {.outcome = CSIM_OUTCOME_LIMIT};
  for (;; report.iterations++) {
    csim_problem_gradient(problem, x, s->g);
    if (csim_method_ends(problem, s->g, &report)) return report;
    for (int i = 0; i < model->nvert; i++) {
      double damping = problem->damping ? problem->damping[model->body_of[i]] / problem->h : 0;
      double stiffness = (1 + damping) * s->stiffness[i];
      double inverse = model->fixed[i] ? 0 : 1 / (w * csim_pushed_mass(model, push, i) + stiffness);
      for (int c = 0; c < 3; c++) {
        ptrdiff_t k = csim_xyz(i) + c;
        s->g[k] = x[k] - inverse * s->g[k];
      }
    }
    csim_accelerator_apply(&s->accelerator, problem, s->g, x);
  }
}

const csim_method csim_method_descent = {
    .name = "descent", .create = descent_create, .solve = descent_solve};
