// math/block_jacobi.c: see block_jacobi.h.
#include "math/block_jacobi.h"

#include "base/mask.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 256 };

int csim_block_jacobi_create(csim_arena *arena, int nrow, csim_block_jacobi *P) {
  *P = (csim_block_jacobi){.isa = csim_simd_best(), .nrow = nrow};
  P->inverse = CSIM_ARENA_NEW(arena, float, csim_row(6, nrow));
  return arena->failed ? -1 : 0;
}

typedef struct invert_job {
  const csim_bsr *blocks; // one of the two
  const csim_edge_matrix *edges;
  const csim_block_jacobi *P;
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
  const csim_block_jacobi *P;
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

static int invert(csim_pool *pool, invert_job job, const csim_loop *beside) {
  return (int)csim_pool_sum_beside(pool, beside, job.P->nrow, ROW_GRAIN, invert_diagonals, &job);
}

int csim_block_jacobi_update(csim_pool *pool, const csim_bsr *A, csim_block_jacobi *P,
                             const csim_loop *beside) {
  return invert(pool, (invert_job){.blocks = A, .P = P}, beside);
}

int csim_block_jacobi_update_edges(csim_pool *pool, const csim_edge_matrix *A, csim_block_jacobi *P,
                                   const csim_loop *beside) {
  P->idle = A->idle;
  return invert(pool, (invert_job){.edges = A, .P = P}, beside);
}

double csim_block_jacobi_apply(csim_pool *pool, const csim_block_jacobi *P, const double *r,
                               double *z, const csim_loop *beside) {
  return csim_pool_sum_beside(pool, beside, P->nrow, ROW_GRAIN, run_apply, &(apply_job){P, r, z});
}
