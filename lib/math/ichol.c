// math/ichol.c: see ichol.h.
#include "math/ichol.h"

#include "math/vec3.h"
#include "math/vector.h"

#include <string.h>

int csim_ichol_create(csim_arena *arena, const csim_pattern *pattern, csim_ichol *L) {
  *L = (csim_ichol){.pattern = pattern,
                    .diag = CSIM_ARENA_NEW(arena, double, csim_row(9, pattern->nrow)),
                    .val = CSIM_ARENA_NEW(arena, double, csim_row(9, pattern->nblock))};
  return arena->failed ? -1 : 0;
}

// Row i of L from rows above: L_ij = (A_ij - sum_k L_ik L_jk^T) L_jj^-T over the k both rows have.
// Returns 0 when the pivot is not positive definite.
static int factor_row(const csim_bsr *A, double shift, int i, csim_ichol *L) {
  const csim_pattern *p = L->pattern;
  int first = p->start[i], diag = p->diag[i];
  double pivot[9], root[9];
  memcpy(pivot, A->val + csim_row(9, diag), sizeof pivot);
  for (int k = 0; k < 3; k++) pivot[4 * k] *= 1 + shift;
  for (int b = first; b < diag; b++) {
    int j = p->col[b];
    double *l = L->val + csim_row(9, b);
    memcpy(l, A->val + csim_row(9, b), 9 * sizeof *l);
    for (int c = first, d = p->start[j]; c < b && d < p->diag[j];) {
      if (p->col[c] == p->col[d])
        csim_mat3_sub_transposed(L->val + csim_row(9, c++), L->val + csim_row(9, d++), l);
      else if (p->col[c] < p->col[d])
        c++;
      else
        d++;
    }
    csim_mat3_mul_transposed(l, L->diag + csim_row(9, j), l);
    csim_mat3_sub_transposed(l, l, pivot);
  }
  if (!csim_mat3_cholesky(pivot, root)) return 0;
  return csim_mat3_inverse(root, L->diag + csim_row(9, i)) > 0;
}

int csim_ichol_factor(const csim_bsr *A, csim_ichol *L) {
  double shift = 0;
  for (int restarts = 0;; restarts++) {
    int i = 0;
    while (i < L->pattern->nrow && factor_row(A, shift, i, L)) i++;
    if (i == L->pattern->nrow) return restarts;
    if (restarts == 40) { // A is not even positive on its diagonal: fall back to the identity
      memset(L->val, 0, 9 * (size_t)L->pattern->nblock * sizeof *L->val);
      memset(L->diag, 0, 9 * (size_t)L->pattern->nrow * sizeof *L->diag);
      for (i = 0; i < L->pattern->nrow; i++)
        for (int k = 0; k < 3; k++) L->diag[csim_row(9, i) + 4 * k] = 1;
      return restarts;
    }
    shift = shift == 0 ? 1e-3 : 2 * shift;
  }
}

// Sequential: row i waits for the rows above it.
double csim_ichol_solve(csim_pool *pool, const csim_ichol *L, const double *r, double *z) {
  const csim_pattern *p = L->pattern;
  for (int i = 0; i < p->nrow; i++) {
    double t[3] = {r[csim_xyz(i)], r[csim_xyz(i) + 1], r[csim_xyz(i) + 2]};
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      double u[3];
      csim_mat3_mul(L->val + csim_row(9, b), z + csim_xyz(p->col[b]), u);
      csim_sub(t, u, t);
    }
    csim_mat3_mul(L->diag + csim_row(9, i), t, z + csim_xyz(i));
  }
  for (int i = p->nrow - 1; i >= 0; i--) {
    const double *l = L->diag + csim_row(9, i);
    double *zi = z + csim_xyz(i);
    double t[3] = {l[0] * zi[0] + l[3] * zi[1] + l[6] * zi[2],
                   l[1] * zi[0] + l[4] * zi[1] + l[7] * zi[2],
                   l[2] * zi[0] + l[5] * zi[1] + l[8] * zi[2]};
    memcpy(zi, t, sizeof t);
    for (int b = p->start[i]; b < p->diag[i]; b++) {
      const double *a = L->val + csim_row(9, b);
      double *zj = z + csim_xyz(p->col[b]);
      zj[0] -= a[0] * t[0] + a[3] * t[1] + a[6] * t[2];
      zj[1] -= a[1] * t[0] + a[4] * t[1] + a[7] * t[2];
      zj[2] -= a[2] * t[0] + a[5] * t[1] + a[8] * t[2];
    }
  }
  return csim_vector_dot(pool, 3 * p->nrow, r, z);
}
