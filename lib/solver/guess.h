// solver/guess.h: the initial guess of a step: what contact and bounds of strain leave of it. Needs
// solver/method.h, contact/.
//
// Newton's steps keep bounds of strain, so its initial guess must, too. A guess may be moved back
// as a whole until it does. But then one triangle stops everything: sheets that fell past a ball
// started 10 to 13 mm from the solution, when the guess itself was 0.6 mm from it (root mean
// square). Where that costs much energy, only what is strained too much is moved, by strain
// limiting (Provot, Deformation Constraints in a Mass-Spring Model, 1995): sweeps of projection,
// with masses as in position-based dynamics.
#ifndef CSIM_SOLVER_GUESS_H
#define CSIM_SOLVER_GUESS_H

#include "contact/contact.h"
#include "solver/method.h"

typedef struct csim_guess {
  const csim_method *method;
  const csim_state *state; ///< contact of this part of the step begins here
  double end;              ///< [s] of this part of the step
  const double *colliders; ///< csim_contact_save at its beginning
  double *goal;            ///< (nvert x 3) [m] scratch of models with bounds
  double *mobility;        ///< (nvert) [1/kg] scratch of models with bounds
} csim_guess;

/// Allocates scratch.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_guess_create(csim_arena *arena, const csim_model *model, csim_guess *guess);

/// Sets x (nvert x 3) to the initial guess, as far as contact and bounds allow. Colliders with a
/// free path move first: what rests on one would take half of the gap between them in its free
/// flight, and stop it.
/// @return 0, or -1 when out of memory
int csim_guess_find(const csim_guess *guess, const csim_problem *problem, double *x);

#endif
