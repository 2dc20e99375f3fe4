// math/precondition.c: see precondition.h.
#include "math/precondition.h"

#include "base/mask.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>
#include <string.h>

enum { ROW_GRAIN = 256 };

int csim_precond_create_jacobi(csim_arena *arena, int nrow, csim_precond *P) {
  *P = (csim_precond){.kind = CSIM_BLOCK_JACOBI, .isa = csim_simd_best(), .nrow = nrow};
  P->inverse = CSIM_ARENA_NEW(arena, float, csim_row(6, nrow));
  return arena->failed ? -1 : 0;
}

int csim_precond_create(csim_arena *arena, const csim_pattern *pattern,
                        csim_preconditioner_kind kind, csim_precond *P) {
  if (kind == CSIM_BLOCK_JACOBI) return csim_precond_create_jacobi(arena, pattern->nrow, P);
  *P = (csim_precond){.kind = kind, .nrow = pattern->nrow, .pattern = pattern};
  P->diag = CSIM_ARENA_NEW(arena, double, csim_row(9, pattern->nrow));
  P->val = CSIM_ARENA_NEW(arena, double, csim_row(9, pattern->nblock));
  return arena->failed ? -1 : 0;
}

// ------------------------------------------------------------------------------------ block-Jacobi

typedef struct invert_job {
  const csim_bsr *blocks; // one of the two
  const csim_edge_matrix *edges;
  const csim_precond *P;
} invert_job;

// Upper half of the inverse of a symmetric block, row by row, by cofactors. Returns 0 when it is
// not positive definite: then a leading minor is not positive (Sylvester).
static inline int invert_definite(const double *a, float *inverse) {
  double c0 = a[4] * a[8] - a[5] * a[5], c1 = a[2] * a[5] - a[1] * a[8];
  double c2 = a[1] * a[5] - a[2] * a[4], minor = a[0] * a[4] - a[1] * a[1];
  double det = a[0] * c0 + a[1] * c1 + a[2] * c2;
  if (!(a[0] > 0 && minor > 0 && det > 0)) return 0;
  double s = 1 / det;
  inverse[0] = (float)(s * c0);
  inverse[1] = (float)(s * c1);
  inverse[2] = (float)(s * c2);
  inverse[3] = (float)(s * (a[0] * a[8] - a[2] * a[2]));
  inverse[4] = (float)(s * (a[1] * a[2] - a[0] * a[5]));
  inverse[5] = (float)(s * minor);
  return isfinite(s);
}

// Inverts the diagonal blocks of the rows [first, last). One that is not positive definite becomes
// the identity times 3 / trace. @return how many of these there were
static double invert_diagonals(void *context, int first, int last) {
  const invert_job *job = context;
  enum { BATCH = 64 };
  double blocks[9 * BATCH]; // of an edge-based matrix
  int repaired = 0;
  if (csim_mask_covers(job->P->idle, first, last)) return 0;
  for (int i = first; i < last; i++) {
    const double *a = blocks + 9 * ((i - first) % BATCH);
    if (!job->edges)
      a = job->blocks->val + csim_row(9, job->blocks->pattern->diag[i]);
    else if (a == blocks)
      csim_edge_matrix_diagonals(job->edges, i, last - i < BATCH ? last : i + BATCH, blocks);
    float *inverse = job->P->inverse + csim_row(6, i);
    if (invert_definite(a, inverse)) continue;
    double scale = fabs(a[0]) + fabs(a[4]) + fabs(a[8]);
    memset(inverse, 0, 6 * sizeof *inverse);
    inverse[0] = inverse[3] = inverse[5] = (float)(scale > 0 ? 3 / scale : 1);
    repaired++;
  }
  return repaired;
}

typedef struct apply_job {
  const csim_precond *P;
  const double *r;
  double *z;
} apply_job;

// z = P^-1 r; returns r.z.
CSIM_SIMD_BODY double apply_rows(const apply_job *job, int first, int last) {
  csim_v4 rz = {0};
  for (int i = first; i < last; i++) {
    ptrdiff_t at = csim_xyz(i);
    const float *inverse = job->P->inverse + csim_row(6, i);
    csim_v4 ri = CSIM_LOAD3(job->r + at), x = CSIM_LOAD4F(inverse),
            tail = CSIM_LOAD4F(inverse + 2); // rows (0 1 2) (1 3 4) (2 4 5)
    csim_v4 y = __builtin_shufflevector(x, tail, 1, 3, 6, 3);
    csim_v4 zi = x * ri[0] + y * ri[1] + __builtin_shufflevector(tail, tail, 0, 2, 3, 3) * ri[2];
    CSIM_STORE3(job->z + at, zi);
    rz += ri * zi;
  }
  return CSIM_SUM3(rz);
}
CSIM_SIMD_KERNEL(double, apply_rows, (const apply_job *job, int first, int last),
                 (job, first, last))

static double run_apply(void *context, int first, int last) {
  const apply_job *job = context;
  if (csim_mask_covers(job->P->idle, first, last)) {
    memset(job->z + csim_xyz(first), 0, 3 * (size_t)(last - first) * sizeof *job->z);
    return 0;
  }
  return apply_rows_kernel[job->P->isa](job, first, last);
}

// -------------------------------------------------------------------- incomplete Cholesky, IC(0)

// Row i of L from rows above: L_ij = (A_ij - sum_k L_ik L_jk^T) L_jj^-T over the k both rows have.
// Returns 0 when the pivot is not positive definite.
static int factor_row(const csim_bsr *A, double shift, int i, csim_precond *P) {
  const csim_pattern *p = P->pattern;
  int first = p->start[i], diag = p->diag[i];
  double pivot[9], L[9];
  memcpy(pivot, A->val + csim_row(9, diag), sizeof pivot);
  for (int k = 0; k < 3; k++) pivot[4 * k] *= 1 + shift;
  for (int b = first; b < diag; b++) {
    int j = p->col[b];
    double *l = P->val + csim_row(9, b);
    memcpy(l, A->val + csim_row(9, b), 9 * sizeof *l);
    for (int c = first, d = p->start[j]; c < b && d < p->diag[j];) {
      if (p->col[c] == p->col[d])
        csim_mat3_sub_transposed(P->val + csim_row(9, c++), P->val + csim_row(9, d++), l);
      else if (p->col[c] < p->col[d])
        c++;
      else
        d++;
    }
    csim_mat3_mul_transposed(l, P->diag + csim_row(9, j), l);
    csim_mat3_sub_transposed(l, l, pivot);
  }
  if (!csim_mat3_cholesky(pivot, L)) return 0;
  return csim_mat3_inverse(L, P->diag + csim_row(9, i)) > 0;
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
        for (int k = 0; k < 3; k++) P->diag[csim_row(9, i) + 4 * k] = 1;
      return restarts;
    }
    shift = shift == 0 ? 1e-3 : 2 * shift;
  }
}

// z = L^-T L^-1 r. Sequential: row i waits for the rows above it.
static void solve_factor(const csim_precond *P, const double *r, double *z) {
  const csim_pattern *p = P->pattern;
  for (int i = 0; i < p->nrow; i++) {
    double t[3] = {r[csim_xyz(i)], r[csim_xyz(i) + 1], r[csim_xyz(i) + 2]};
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      double u[3];
      csim_mat3_mul(P->val + csim_row(9, b), z + csim_xyz(p->col[b]), u);
      csim_sub(t, u, t);
    }
    csim_mat3_mul(P->diag + csim_row(9, i), t, z + csim_xyz(i));
  }
  for (int i = p->nrow - 1; i >= 0; i--) {
    const double *l = P->diag + csim_row(9, i);
    double *zi = z + csim_xyz(i);
    double t[3] = {l[0] * zi[0] + l[3] * zi[1] + l[6] * zi[2],
                   l[1] * zi[0] + l[4] * zi[1] + l[7] * zi[2],
                   l[2] * zi[0] + l[5] * zi[1] + l[8] * zi[2]};
    memcpy(zi, t, sizeof t);
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      const double *a = P->val + csim_row(9, b);
      double *zj = z + csim_xyz(p->col[b]);
      zj[0] -= a[0] * t[0] + a[3] * t[1] + a[6] * t[2];
      zj[1] -= a[1] * t[0] + a[4] * t[1] + a[7] * t[2];
      zj[2] -= a[2] * t[0] + a[5] * t[1] + a[8] * t[2];
    }
  }
}

// ------------------------------------------------------------------------------------------------

static int invert(csim_pool *pool, invert_job job, const csim_task *task) {
  return (int)csim_pool_sum_beside(pool, task, job.P->nrow, ROW_GRAIN, invert_diagonals, &job);
}

int csim_precond_update(csim_pool *pool, const csim_bsr *A, csim_precond *P,
                        const csim_task *task) {
  if (P->kind == CSIM_BLOCK_JACOBI) return invert(pool, (invert_job){.blocks = A, .P = P}, task);
  if (task) task->fn(task->context);
  return factor(A, P);
}

int csim_precond_update_edges(csim_pool *pool, const csim_edge_matrix *A, csim_precond *P,
                              const csim_task *task) {
  assert(P->kind == CSIM_BLOCK_JACOBI);
  P->idle = A->idle;
  return invert(pool, (invert_job){.edges = A, .P = P}, task);
}

double csim_precond_apply(csim_pool *pool, const csim_precond *P, const double *r, double *z,
                          const csim_task *task) {
  if (P->kind == CSIM_BLOCK_JACOBI)
    return csim_pool_sum_beside(pool, task, P->nrow, ROW_GRAIN, run_apply, &(apply_job){P, r, z});
  if (task) task->fn(task->context);
  solve_factor(P, r, z);
  return csim_vector_dot(pool, 3 * P->nrow, r, z);
}
