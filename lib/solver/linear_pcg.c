// solver/linear_pcg.c: conjugate gradients, preconditioned by block Jacobi with or without
// multigrid on it, or by incomplete Cholesky.
#include "solver/linear.h"

#include "math/ichol.h"
#include "math/multigrid.h"

#include <stdlib.h>

typedef struct pcg {
  csim_ichol L; // no pattern unless it is asked for; else the rest
  csim_block_jacobi P;
  csim_multigrid multigrid; // no levels unless they are asked for
  csim_couplings couplings; // of contact
} pcg;

static void *pcg_create(csim_arena *arena, const csim_model *model,
                        const csim_solver_params *params, csim_linear_matrix *A) {
  int ichol = params->preconditioner == CSIM_PRECONDITIONER_ICHOL;
  int levels = params->preconditioner == CSIM_PRECONDITIONER_MULTILEVEL;
  const int *knot = model->links.seam; // stitches are much stiffer than cloth
  pcg *s = CSIM_ARENA_NEW(arena, pcg, 1);
  if (!s || csim_linear_matrix_create(arena, model, params, !ichol, A)) return NULL;

  const csim_pattern *pattern = &A->layout.pattern;
  if (ichol) return csim_ichol_create(arena, pattern, &s->L) ? NULL : s;
  if (csim_block_jacobi_create(arena, model->nvert, &s->P)) return NULL;
  if (levels && A->on_edges)
    csim_multigrid_create_edges(arena, &A->K.graph, knot, &s->multigrid);
  else if (levels)
    csim_multigrid_create(arena, pattern, model->fixed, knot, &s->multigrid);
  return s;
}

static void pcg_destroy(void *scratch) {
  pcg *s = scratch;
  csim_multigrid_free(&s->multigrid);
  free(s->couplings.item);
}

// Takes idle vertices, which are held, out of the couplings.
static void drop_idle(const unsigned char *idle, csim_couplings *couplings) {
  for (int i = 0; idle && i < couplings->n; i++) {
    csim_coupling *c = &couplings->item[i];
    int n = 0;
    for (int k = 0; k < c->n; k++) {
      if (idle[c->row[k]]) continue;
      c->row[n] = c->row[k];
      c->w[n++] = c->w[k];
    }
    c->n = n;
  }
}

static csim_solve_outcome pcg_prepare(const csim_problem *problem, const csim_linear_matrix *A,
                                      void *scratch) {
  pcg *s = scratch;
  csim_pool *pool = problem->pool;
  csim_couplings *couplings = &s->couplings;
  if (s->L.pattern) {
    csim_ichol_factor(&A->H, &s->L);
    return CSIM_SOLVE_CONVERGED;
  }
  couplings->n = 0;
  int uses = s->multigrid.nlevel > 0 || s->multigrid.knots.nrow > 0;
  if (uses && problem->contact) // without them it is only slower
    (void)csim_contact_couplings(problem->contact, couplings);
  drop_idle(problem->iteration.idle, couplings);
  if (A->on_edges)
    csim_multigrid_update_edges(pool, &A->K.A, couplings, &s->multigrid, &s->P);
  else
    csim_multigrid_update(pool, &A->H, couplings, &s->multigrid, &s->P);
  return CSIM_SOLVE_CONVERGED;
}

static double pcg_precondition(csim_pool *pool, void *scratch, const double *r, double *z) {
  pcg *s = scratch;
  if (s->L.pattern) return csim_ichol_solve(pool, &s->L, r, z);
  return csim_multigrid_apply(pool, &s->multigrid, &s->P, r, z);
}

static int pcg_correct(csim_pool *pool, void *scratch, const double *r, double *z) {
  return csim_multigrid_correct(pool, &((pcg *)scratch)->multigrid, r, z);
}

extern const csim_linear_kind csim_linear_pcg;
const csim_linear_kind csim_linear_pcg = {.create = pcg_create,
                                          .destroy = pcg_destroy,
                                          .prepare = pcg_prepare,
                                          .precondition = pcg_precondition,
                                          .correct = pcg_correct,
                                          .is_preconditioner = 1};
