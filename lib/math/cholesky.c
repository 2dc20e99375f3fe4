// math/cholesky.c: see cholesky.h. Up-looking factorisation along the elimination tree (Davis,
// Direct Methods for Sparse Linear Systems, 2006, chapter 4), with 3 x 3 or scalar blocks.
#include "math/cholesky.h"

#include "base/simd.h"
#include "math/vec3.h"

#include <string.h>
#include <suitesparse/amd.h>

static int order(const csim_pattern *p, int *perm) {
  if (p->nrow == 0) return 0;
  double control[AMD_CONTROL];
  amd_defaults(control);
  return amd_order(p->nrow, p->start, p->col, perm, control, NULL) >= AMD_OK ? 0 : -1;
}

// Elimination tree with path compression through `ancestor` (Liu 1990).
static void elimination_tree(const csim_cholesky *F, int *ancestor) {
  const csim_pattern *p = F->pattern;
  for (int k = 0; k < F->n; k++) {
    F->parent[k] = ancestor[k] = -1;
    for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++)
      for (int i = F->inverse[p->col[b]], next; i != -1 && i < k; i = next) {
        next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) F->parent[i] = k;
      }
  }
}

// Columns of row k of L, in an order that puts children before parents: stack[top .. n).
static int row_pattern(csim_cholesky *F, int k) {
  const csim_pattern *p = F->pattern;
  int top = F->n;
  F->mark[k] = k;
  for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++) {
    int i = F->inverse[p->col[b]], length = 0;
    if (i >= k) continue;
    for (; F->mark[i] != k; i = F->parent[i]) {
      F->stack[length++] = i;
      F->mark[i] = k;
    }
    while (length > 0) F->stack[--top] = F->stack[--length];
  }
  return top;
}

int csim_cholesky_analyze(csim_arena *arena, const csim_pattern *pattern, int size,
                          csim_cholesky *F) {
  int n = pattern->nrow;
  *F = (csim_cholesky){.pattern = pattern, .size = size, .n = n};
  F->perm = CSIM_ARENA_NEW(arena, int, n);
  F->inverse = CSIM_ARENA_NEW(arena, int, n);
  F->parent = CSIM_ARENA_NEW(arena, int, n);
  F->start = CSIM_ARENA_NEW(arena, ptrdiff_t, (ptrdiff_t)n + 1);
  F->diag = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n *size *size + 1);
  F->fill = CSIM_ARENA_NEW(arena, ptrdiff_t, n);
  F->stack = CSIM_ARENA_NEW(arena, int, n);
  F->mark = CSIM_ARENA_NEW(arena, int, n);
  F->work = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n *(size == 3 ? 9 : 3) + 1);
  if (arena->failed || order(pattern, F->perm)) {
    arena->failed = 1;
    return -1;
  }
  for (int k = 0; k < n; k++) F->inverse[F->perm[k]] = k;
  elimination_tree(F, F->stack);
  for (int k = 0; k < n; k++) F->mark[k] = -1;
  for (int k = 0; k < n; k++)
    for (int t = row_pattern(F, k); t < n; t++) F->start[F->stack[t] + 1]++;
  for (int k = 0; k < n; k++) F->start[k + 1] += F->start[k];
  F->row = CSIM_ARENA_NEW(arena, int, F->start[n]);
  F->val = CSIM_ARENA_NEW(arena, double, F->start[n] * size * size + 1);
  return arena->failed ? -1 : 0;
}

// Loads of 3 x 3 blocks run one number past them, into a lane that is not used. Vectors are passed
// by pointer: see base/simd.h.

// The columns of a block.
CSIM_SIMD_BODY void load_columns(const double *block, csim_v4 column[4]) {
  for (int i = 0; i < 3; i++) column[i] = CSIM_LOAD4(block + csim_xyz(i));
  column[3] = (csim_v4){0};
  csim_transpose4(column);
}

// A x, of the columns of A.
#define MULTIPLY(column, x) ((column)[0] * (x)[0] + (column)[1] * (x)[1] + (column)[2] * (x)[2])

// xi -= A B^T, with the columns of B.
CSIM_SIMD_BODY void subtract_product(const double *A, const csim_v4 B[4], double *xi) {
  csim_v4 row[3];
  for (int i = 0; i < 3; i++) row[i] = CSIM_LOAD4(xi + csim_xyz(i)) - MULTIPLY(B, A + csim_xyz(i));
  CSIM_STORE4(xi, row[0]); // also writes xi[3], which the next row overwrites
  CSIM_STORE4(xi + 3, row[1]);
  CSIM_STORE3(xi + 6, row[2]);
}

// Row k of L: solve L(0..k, 0..k) l = A(0..k, k), column by column of L. The work blocks hold the
// transposed problem: work[i] becomes L_ki. `size` is a constant at each call, so loops unroll.
CSIM_SIMD_BODY int factor_row(csim_cholesky *F, const double *val, int k, const int size) {
  const csim_pattern *p = F->pattern;
  const int sq = size * size;
  double pivot[9] = {0};
  int top = row_pattern(F, k);
  for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++) {
    int i = F->inverse[p->col[b]];
    if (i > k) continue;
    memcpy(i == k ? pivot : F->work + (ptrdiff_t)sq * i, val + (ptrdiff_t)sq * b,
           (size_t)sq * sizeof(double));
  }
  for (int t = top; t < F->n; t++) {
    int j = F->stack[t];
    double *x = F->work + (ptrdiff_t)sq * j, l[9];
    const double *d = F->diag + (ptrdiff_t)sq * j;
    if (size == 1)
      l[0] = x[0] * d[0];
    else
      csim_mat3_mul_transposed(x, d, l);
    memset(x, 0, (size_t)sq * sizeof(double));
    for (ptrdiff_t q = F->start[j]; q < F->fill[j]; q++) {
      double *xi = F->work + (ptrdiff_t)sq * F->row[q];
      const double *lij = F->val + sq * q;
      if (size == 1)
        xi[0] -= l[0] * lij[0];
      else {
        csim_v4 column[4];
        load_columns(lij, column);
        subtract_product(l, column, xi);
      }
    }
    if (size == 1)
      pivot[0] -= l[0] * l[0];
    else
      csim_mat3_sub_transposed(l, l, pivot);
    ptrdiff_t at = F->fill[j]++;
    F->row[at] = k;
    memcpy(F->val + sq * at, l, (size_t)sq * sizeof(double));
  }
  double *diag = F->diag + (ptrdiff_t)sq * k;
  if (size == 1) {
    if (!(pivot[0] > 0) || !isfinite(pivot[0])) return 0;
    diag[0] = 1 / sqrt(pivot[0]);
    return 1;
  }
  double L[9];
  return csim_mat3_cholesky(pivot, L) && csim_mat3_inverse(L, diag) > 0;
}

// Returns 0 when a pivot is not positive definite.
CSIM_SIMD_BODY int factor_blocks(csim_cholesky *F, const double *val) {
  for (int k = 0; k < F->n; k++)
    if (!factor_row(F, val, k, 3)) return 0;
  return 1;
}
CSIM_SIMD_KERNEL(int, factor_blocks, (csim_cholesky * F, const double *val), (F, val))

static int factor_scalars(csim_cholesky *F, const double *val) {
  for (int k = 0; k < F->n; k++)
    if (!factor_row(F, val, k, 1)) return 0;
  return 1;
}

csim_solve_outcome csim_cholesky_factor(csim_cholesky *F, const double *val) {
  memcpy(F->fill, F->start, (size_t)F->n * sizeof *F->fill);
  memset(F->work, 0, (size_t)F->n * (size_t)(F->size * F->size) * sizeof *F->work);
  for (int k = 0; k < F->n; k++) F->mark[k] = -1;
  int done = F->size == 3 ? factor_blocks_kernel[csim_simd_best()](F, val) : factor_scalars(F, val);
  return done ? CSIM_SOLVE_CONVERGED : CSIM_SOLVE_INDEFINITE;
}

// w = (L L^T)^-1 w, in the factor's order.
CSIM_SIMD_BODY int solve_blocks(const csim_cholesky *F, double *w) {
  csim_v4 column[4];
  for (int k = 0; k < F->n; k++) {
    double *wk = w + csim_xyz(k);
    load_columns(F->diag + csim_row(9, k), column);
    csim_v4 t = MULTIPLY(column, wk);
    CSIM_STORE3(wk, t);
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++) {
      double *wi = w + csim_xyz(F->row[q]);
      load_columns(F->val + 9 * q, column);
      csim_v4 next = CSIM_LOAD4(wi) - MULTIPLY(column, t);
      CSIM_STORE3(wi, next);
    }
  }
  for (int k = F->n - 1; k >= 0; k--) {
    double *wk = w + csim_xyz(k);
    csim_v4 t = CSIM_LOAD4(wk), row[3];
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++) {
      const double *wi = w + csim_xyz(F->row[q]);
      for (int i = 0; i < 3; i++) row[i] = CSIM_LOAD4(F->val + 9 * q + csim_xyz(i));
      t -= MULTIPLY(row, wi);
    }
    for (int i = 0; i < 3; i++) row[i] = CSIM_LOAD4(F->diag + csim_row(9, k) + csim_xyz(i));
    t = MULTIPLY(row, t);
    CSIM_STORE3(wk, t);
  }
  return 0;
}
CSIM_SIMD_KERNEL(int, solve_blocks, (const csim_cholesky *F, double *w), (F, w))

static void solve_scalars(const csim_cholesky *F, double *w) {
  for (int k = 0; k < F->n; k++) {
    double *t = w + csim_xyz(k);
    for (int c = 0; c < 3; c++) t[c] *= F->diag[k];
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++)
      csim_add_scaled(-F->val[q], t, w + csim_xyz(F->row[q]));
  }
  for (int k = F->n - 1; k >= 0; k--) {
    double *t = w + csim_xyz(k);
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++)
      csim_add_scaled(-F->val[q], w + csim_xyz(F->row[q]), t);
    for (int c = 0; c < 3; c++) t[c] *= F->diag[k];
  }
}

void csim_cholesky_solve(csim_cholesky *F, const double *b, double *x) {
  double *w = F->work; // (n x 3)
  for (int k = 0; k < F->n; k++) memcpy(w + csim_xyz(k), b + csim_xyz(F->perm[k]), 24);
  if (F->size == 3)
    solve_blocks_kernel[csim_simd_best()](F, w);
  else
    solve_scalars(F, w);
  for (int k = 0; k < F->n; k++) memcpy(x + csim_xyz(F->perm[k]), w + csim_xyz(k), 24);
}
