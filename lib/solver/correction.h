// solver/correction.h: corrects the solution of a linear system before it is judged. Needs
// solver/linear.h.
//
// Conjugate gradients reduce the net force on an object late and in waves: it is the sum of a few
// large residuals, mostly of contacts. The balance of a step depends on just that sum (balance.h).
// With columns W that are smooth, and e = (W^T A W)^-1 W^T r,
//
//   x + W e has the residual r - A W e, and W^T (r - A W e) = 0:
//
// the coarse correction of a two-level method (Nicolaides 1987), made once at the end. Every check
// of the residual is of the corrected one.
//
// One object: W are the translations of all free vertices, but idle ones, along x, y and z. The
// balance needs only the sums of A W over patches. A drop of 129 x 129 takes 6,880 iterations with
// them and 12,266 without.
//
// Several objects: W are the translations of all aggregates of the coarsest level of multigrid,
// which know what touches. Five sheets of 16,384 vertices on one another took 1,200 iterations a
// frame with the common translation, and 210 with these. One sheet between two plates took 2,291 of
// Newton's iterations with them and 1,341 without, silk in a ring 2,152 and 1,863.
#ifndef CSIM_SOLVER_CORRECTION_H
#define CSIM_SOLVER_CORRECTION_H

#include "solver/balance.h"
#include "solver/linear.h"

typedef struct csim_correction {
  const csim_balance *balance; ///< the sums are over its patches
  double *W, *AW;              ///< (nvert x 3) and one number more: a column, or W e; [N/m] or [N]
  double *sums[3];             ///< (npatch x CSIM_BALANCE_SUMS) of A W
  double *left;                ///< (npatch x CSIM_BALANCE_SUMS) of the residual judged last
  double inverse[9];           ///< (W^T A W)^-1 of the translation
  int ready;   ///< 1: sums and inverse are of the present matrix; -1: no inverse exists; 0: unknown
  double e[3]; ///< [m] translation
  double share;   ///< of W e by aggregates that is added
  int asked, due; ///< checks so far; the first that may correct by aggregates again
} csim_correction;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_correction_create(csim_arena *arena, const csim_balance *balance, csim_correction *c);

/// Resets for another matrix: nothing is known, nothing is added.
void csim_correction_begin(csim_correction *c);

/// Whether a residual, corrected, is balanced to `bound` (csim_balance_judge). Keeps the correction
/// for csim_correction_add, and the sums of what is left. Needs csim_balance_begin.
/// @param r  (nvert x 3) [N]
int csim_correction_balances(const csim_problem *problem, csim_linear *linear, csim_correction *c,
                             const double *r, double bound);

/// x += the correction of the last check. x (nvert x 3)
void csim_correction_add(const csim_problem *problem, const csim_correction *c, double *x);

#endif
