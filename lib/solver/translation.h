// solver/translation.h: removes the net force of a linear system's residual by one common
// translation. Needs solver/linear.h.
//
// Conjugate gradients reduce the net force late and in waves: it is the sum of a few large
// residuals, mostly of contacts. The balance of a step depends on just that sum (balance.h). With W
// the translations of all free vertices, but idle ones, along x, y and z, (nvert x 3) x 3,
//
//   e = (W^T A W)^-1 W^T r,  x + W e has the residual r - A W e, whose sum is zero:
//
// the coarse correction of a two-level method (Nicolaides 1987), made once at the end. Every check
// of the residual is of the corrected one. The balance needs only the sums of both over patches. A
// drop of 129 x 129 takes 6,880 iterations with the translation and 12,266 without.
#ifndef CSIM_SOLVER_TRANSLATION_H
#define CSIM_SOLVER_TRANSLATION_H

#include "solver/balance.h"
#include "solver/linear.h"

typedef struct csim_translation {
  const csim_balance *balance; ///< the sums are over its patches
  double *W, *AW;              ///< (nvert x 3) and one number more: one of them, scratch; [N/m]
  double *sums[3];             ///< (npatch x CSIM_BALANCE_SUMS) of A W
  double *left;                ///< (npatch x CSIM_BALANCE_SUMS) of r - A W e
  double inverse[9];           ///< (W^T A W)^-1
  int ready;   ///< 1: AW and inverse are of the present matrix; -1: no inverse exists; 0: unknown
  double e[3]; ///< [m]
} csim_translation;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_translation_create(csim_arena *arena, const csim_balance *balance, csim_translation *t);

/// Resets for another matrix: nothing is known, e = 0.
void csim_translation_begin(csim_translation *t);

/// Finds e of a residual, and the sums of what remains. Needs csim_balance_begin.
/// @param r  (nvert x 3) [N]
/// @return sums over patches of r - A W e, or of r if there is no such translation
const double *csim_translation_find(const csim_problem *problem, const csim_linear *linear,
                                    csim_translation *t, const double *r);

/// x += W e. x (nvert x 3)
void csim_translation_add(const csim_problem *problem, const csim_translation *t, double *x);

#endif
