// solver/balance.h: force balance of every object: when a step may end. Needs solver/problem.h.
//
// A step is only as accurate as the net force that it leaves. A step norm cannot see that: on cells
// of 28 mm a residual that moves vertices by 1 mm looks converged, while gravity on a slope of 10
// degrees moves the cloth by 0.03 mm a substep. Residuals R_i = -dF/dx_i are therefore summed over
// each object, where all internal forces cancel, and over patches of it, where the noise of
// stretching does. With M the free mass of the object, m_p of patch p, and v the root mean square
// velocity,
//
//   imbalance = max( s |sum_i R_i| / (M A),  t |sum_i r_i x R_i| / (M r A),
//                    sqrt(sum_p |R_p|^2/m_p / M) / (20 A) )
//   A = max(gravity, |net force on the object| / M, 1e-3 v / h)
//
// r_i is relative to the centre of mass, r is the radius of gyration. While anything touches, s and
// t are 1. Else s = t = 3 for an object that is held, and s = 1, t = 10 for a free one. The third
// term is the error of the acceleration, root mean square over the patches. The sums of an object
// alone cannot see contact between its own parts.
#ifndef CSIM_SOLVER_BALANCE_H
#define CSIM_SOLVER_BALANCE_H

#include "solver/problem.h"

enum { CSIM_BALANCE_SUMS = 6 };

typedef struct csim_balance {
  const csim_model *model;
  int npatch;
  int *patch_start;   ///< (npatch + 1) objects are contiguous
  int *vert;          ///< (patch_start[npatch]) free vertices, patch by patch
  int *patch_body;    ///< (npatch)
  double *patch_mass; ///< (npatch) [kg]
  double *body_mass;  ///< (nbody) [kg] of free vertices
  const double *x;    ///< (nvert x 3) [m] point of the forces
  double *state;      ///< (npatch x 8) scratch
  double *sums;       ///< (npatch x CSIM_BALANCE_SUMS) scratch
  double *imbalance;  ///< (nbody) of each body, as judged last
  double *scale;      ///< (nbody) [m/s^2] A
  double *centre;     ///< (nbody x 3) [m] of mass
  double *radius;     ///< (nbody) [m] of gyration
} csim_balance;

/// Divides every object into at most about 64 patches of neighbours.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_balance_create(csim_arena *arena, const csim_model *model, csim_balance *balance);

/// Allowed imbalance of a patch, as a multiple of an object's.
#define CSIM_BALANCE_PATCHES 20

/// Sets the point of the forces to x (nvert x 3), which must not change until the next call.
void csim_balance_begin(const csim_problem *problem, csim_balance *balance, const double *x);

/// Force and torque on every patch about its object's centre of mass. An imbalance is computed from
/// these sums, which are linear in g.
/// @param      idle  (nvert) 1: g is zero at this vertex, and all others of its body; NULL: unknown
/// @param      g     (nvert x 3) [N]
/// @param[out] sums  (npatch x CSIM_BALANCE_SUMS)
void csim_balance_add_up(csim_pool *pool, const csim_balance *balance, const unsigned char *idle,
                         const double *g, double *sums);

/// The worst imbalance of all objects, see above [-].
/// @param      sums  (npatch x CSIM_BALANCE_SUMS) of the gradient of F, or of its negative
/// @param[out] body  the body it is of
double csim_balance_judge(const csim_problem *problem, const csim_balance *balance,
                          const double *sums, int *body);

/// The same of a gradient g (nvert x 3) [N].
double csim_balance_measure(const csim_problem *problem, csim_balance *balance, const double *g,
                            int *body);

#endif
