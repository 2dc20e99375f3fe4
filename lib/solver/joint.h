// solver/joint.h: joint steps of newton: bodies move together with colliders and exact pins that
// lag. Needs solver/system.h, method.h.
//
// A collider cannot move while the cloth in front of it stays, and cloth feels no force from one
// that stays (contact/guide.h). The first iterations of a step are therefore joint steps, until
// everything is where it is to be: a linear system is solved with guides to the colliders' goals,
// and then bodies and colliders move by one share of their ways. What stops that:
//
//     single pairs                            they are corrected (contact/resolve.h)
//     a linear problem that leads nowhere     bodies are carried along (contact/carry.h)
//     nothing of that moves a collider        it is held for the rest of the step
//                                             (contact/blocked.h), and the others go on; or
//     with "pinched": "ignore"                it releases cloth (contact/pinched.h)
//     a bound of strain                       the step is halved (csim_joint_falls_behind)
#ifndef CSIM_SOLVER_JOINT_H
#define CSIM_SOLVER_JOINT_H

#include "solver/method.h"
#include "solver/system.h"

typedef struct csim_joint {
  csim_system *system;
  double *d;    ///< (nvert x 3) [m] of bodies in the last joint step; scratch of the caller
  int made;     ///< joint steps of this solve
  int tries;    ///< of these since a collider was last held
  double share; ///< of its motion that it made
  int misses;   ///< of the last tries that hardly moved
  int releases; ///< times that colliders have released cloth
} csim_joint;

/// Begins a step. d (nvert x 3) is used by csim_joint_step and kept for the csim_joint_release that
/// may follow; in between the caller may not write it.
void csim_joint_begin(csim_system *system, double *d, csim_joint *joint);

/// Whether another joint step is to be made.
int csim_joint_is_due(const csim_problem *problem, const csim_joint *joint);

/// Makes a joint step from x (nvert x 3), which it moves. The gradient at x is in system->g.
/// @param solves  systems that this step has solved outside of joint steps
/// @param report  gets linear iterations and, where the step cannot go on, its outcome
void csim_joint_step(csim_problem *problem, int solves, csim_joint *joint,
                     csim_method_report *report, double *x);

/// Lets blocked colliders release cloth, if the scene asks for that.
/// @return whether something was released, so that iterations can go on
int csim_joint_release(const csim_problem *problem, csim_joint *joint, csim_method_report *report,
                       double *x);

/// At the end of a step: whether a bound of strain has shortened joint steps until cloth and
/// colliders hardly moved, and the step is to be halved.
int csim_joint_falls_behind(const csim_problem *problem);

#endif
