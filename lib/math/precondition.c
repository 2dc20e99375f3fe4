// math/precondition.c: see precondition.h.
#include "math/precondition.h"

#include "math/vec3.h"

#include <string.h>

enum { ROW_GRAIN = 1024 };

int csim_precond_create(csim_arena *arena, const csim_pattern *pattern,
                        csim_preconditioner_kind kind, csim_precond *P) {
  *P = (csim_precond){.kind = kind, .pattern = pattern};
  P->diag = CSIM_ARENA_NEW(arena, double, 9 * (ptrdiff_t)pattern->nrow);
  if (kind == CSIM_BLOCK_ICHOL)
    P->val = CSIM_ARENA_NEW(arena, double, 9 * (ptrdiff_t)pattern->nblock);
  return arena->failed ? -1 : 0;
}

// ------------------------------------------------------------------------------------ block-Jacobi

typedef struct jacobi_job {
  const csim_bsr *A;
  const csim_precond *P;
  const double *r;
  double *z;
} jacobi_job;

static double invert_diagonals(void *context, int first, int last) {
  const jacobi_job *job = context;
  int repaired = 0;
  for (int i = first; i < last; i++) {
    const double *a = job->A->val + 9 * (ptrdiff_t)job->A->pattern->diag[i];
    double *inverse = job->P->diag + 9 * (ptrdiff_t)i, L[9];
    if (csim_mat3_cholesky(a, L) && csim_mat3_inverse(a, inverse) > 0) continue;
    double scale = fabs(a[0]) + fabs(a[4]) + fabs(a[8]);
    memset(inverse, 0, 9 * sizeof *inverse);
    inverse[0] = inverse[4] = inverse[8] = scale > 0 ? 3 / scale : 1;
    repaired++;
  }
  return repaired;
}

static void apply_diagonals(void *context, int first, int last) {
  const jacobi_job *job = context;
  for (int i = first; i < last; i++)
    csim_mat3_mul(job->P->diag + 9 * (ptrdiff_t)i, job->r + 3 * (ptrdiff_t)i,
                  job->z + 3 * (ptrdiff_t)i);
}

// ------------------------------------------------------------------------ incomplete Cholesky
// IC(0)

// out -= a b^T
static void subtract_outer(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] -=
          a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}

// out = a b^T
static void times_transposed(const double *a, const double *b, double *out) {
  double c[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] =
          a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
  memcpy(out, c, sizeof c);
}

// Row i of L from rows above: L_ij = (A_ij - sum_k L_ik L_jk^T) L_jj^-T over the k both rows have.
// Returns 0 when the pivot is not positive definite.
static int factor_row(const csim_bsr *A, double shift, int i, csim_precond *P) {
  const csim_pattern *p = P->pattern;
  int first = p->start[i], diag = p->diag[i];
  double pivot[9], L[9];
  memcpy(pivot, A->val + 9 * (ptrdiff_t)diag, sizeof pivot);
  for (int k = 0; k < 3; k++) pivot[4 * k] *= 1 + shift;
  for (int b = first; b < diag; b++) {
    int j = p->col[b];
    double *l = P->val + 9 * (ptrdiff_t)b;
    memcpy(l, A->val + 9 * (ptrdiff_t)b, 9 * sizeof *l);
    for (int c = first, d = p->start[j]; c < b && d < p->diag[j];) {
      if (p->col[c] == p->col[d])
        subtract_outer(P->val + 9 * (ptrdiff_t)c++, P->val + 9 * (ptrdiff_t)d++, l);
      else if (p->col[c] < p->col[d])
        c++;
      else
        d++;
    }
    times_transposed(l, P->diag + 9 * (ptrdiff_t)j, l);
    subtract_outer(l, l, pivot);
  }
  if (!csim_mat3_cholesky(pivot, L)) return 0;
  return csim_mat3_inverse(L, P->diag + 9 * (ptrdiff_t)i) > 0;
}

static int factor(const csim_bsr *A, csim_precond *P) {
  double shift = 0;
  for (int restarts = 0;; restarts++) {
    int i = 0;
    while (i < P->pattern->nrow && factor_row(A, shift, i, P)) i++;
    if (i == P->pattern->nrow) return restarts;
    if (restarts == 40) { // A is not even positive on its diagonal: fall back to the identity
      memset(P->val, 0, 9 * (size_t)P->pattern->nblock * sizeof *P->val);
      memset(P->diag, 0, 9 * (size_t)P->pattern->nrow * sizeof *P->diag);
      for (i = 0; i < P->pattern->nrow; i++)
        for (int k = 0; k < 3; k++) P->diag[9 * (ptrdiff_t)i + 4 * k] = 1;
      return restarts;
    }
    shift = shift == 0 ? 1e-3 : 2 * shift;
  }
}

// z = L^-T L^-1 r. Sequential: row i waits for the rows above it.
static void solve_factor(const csim_precond *P, const double *r, double *z) {
  const csim_pattern *p = P->pattern;
  for (int i = 0; i < p->nrow; i++) {
    double t[3] = {r[3 * (ptrdiff_t)i], r[3 * (ptrdiff_t)i + 1], r[3 * (ptrdiff_t)i + 2]};
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      double u[3];
      csim_mat3_mul(P->val + 9 * (ptrdiff_t)b, z + 3 * (ptrdiff_t)p->col[b], u);
      csim_sub(t, u, t);
    }
    csim_mat3_mul(P->diag + 9 * (ptrdiff_t)i, t, z + 3 * (ptrdiff_t)i);
  }
  for (int i = p->nrow - 1; i >= 0; i--) {
    const double *l = P->diag + 9 * (ptrdiff_t)i;
    double *zi = z + 3 * (ptrdiff_t)i;
    double t[3] = {l[0] * zi[0] + l[3] * zi[1] + l[6] * zi[2],
                   l[1] * zi[0] + l[4] * zi[1] + l[7] * zi[2],
                   l[2] * zi[0] + l[5] * zi[1] + l[8] * zi[2]};
    memcpy(zi, t, sizeof t);
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      const double *a = P->val + 9 * (ptrdiff_t)b;
      double *zj = z + 3 * (ptrdiff_t)p->col[b];
      zj[0] -= a[0] * t[0] + a[3] * t[1] + a[6] * t[2];
      zj[1] -= a[1] * t[0] + a[4] * t[1] + a[7] * t[2];
      zj[2] -= a[2] * t[0] + a[5] * t[1] + a[8] * t[2];
    }
  }
}

// ------------------------------------------------------------------------------------------------

int csim_precond_update(csim_pool *pool, const csim_bsr *A, csim_precond *P) {
  if (P->kind == CSIM_BLOCK_ICHOL) return factor(A, P);
  jacobi_job job = {.A = A, .P = P};
  return (int)csim_pool_sum(pool, P->pattern->nrow, invert_diagonals, &job);
}

void csim_precond_apply(csim_pool *pool, const csim_precond *P, const double *r, double *z) {
  if (P->kind == CSIM_BLOCK_ICHOL) {
    solve_factor(P, r, z);
    return;
  }
  jacobi_job job = {.P = P, .r = r, .z = z};
  csim_pool_for(pool, P->pattern->nrow, ROW_GRAIN, apply_diagonals, &job);
}
