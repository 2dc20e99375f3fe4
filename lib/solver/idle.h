// solver/idle.h: idle objects: those whose forces balance, which an iteration of newton leaves
// where they are. Needs solver/balance.h.
//
// In a scene of many objects most are often at rest, while a few take many iterations. An
// iteration solves for the others, as if idle ones were held. Every iteration measures all forces
// anew, so an object that another one pushes takes part in the next. A step ends, as ever, when all
// objects balance.
#ifndef CSIM_SOLVER_IDLE_H
#define CSIM_SOLVER_IDLE_H

#include "solver/balance.h"

typedef struct csim_idle {
  csim_balance *balance;
  const csim_groups *groups;
  int *set;            ///< (nbody) scratch: groups in contact are one set
  double *cut;         ///< (nbody) [m] most that contact cut from a vertex's last step
  double *square;      ///< (npatch) scratch
  unsigned char *body; ///< (nbody) 1: idle
  unsigned char *vert; ///< (nvert) 1: of an idle body
  int nidle;           ///< number of idle bodies
} csim_idle;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_idle_create(csim_arena *arena, csim_balance *balance, const csim_groups *groups,
                     csim_idle *idle);

/// Begins a step: nothing is idle, and nothing was cut.
void csim_idle_begin(csim_idle *idle);

/// [m] Most that contact may cut from any vertex's step for its body to be idle, and for a step to
/// end: a share of the motion by gravity in the step.
double csim_idle_most_cut(const csim_problem *problem);

/// Chooses the idle bodies. A body is idle if its imbalance is at most `share` of what a step may
/// leave, contact cut at most most_cut [m] from its last step, and its forces would move its
/// vertices by at most `most` [m], root mean square, were inertia all that resists. Bodies that
/// touch each other, or are of a group, are idle together. None is if all would be. Needs
/// csim_balance_begin.
/// @param g  (nvert x 3) [N] gradient
/// @return csim_idle.vert, or NULL if no body is idle
const unsigned char *csim_idle_choose(const csim_problem *problem, const double *g, double share,
                                      double most_cut, double most, csim_idle *idle);

/// Records what contact cut from a step (nvert x 3) [m] of the bodies that are not idle.
/// @return [m] the most that it has cut from a vertex's last step, idle ones included
double csim_idle_record(csim_pool *pool, const double *cut, csim_idle *idle);

/// Sets d (nvert x 3) [m] at idle vertices to what the gradient g [N] moves them by, were inertia
/// all that resists.
void csim_idle_bound(const csim_problem *problem, const csim_idle *idle, const double *g,
                     double *d);

#endif
