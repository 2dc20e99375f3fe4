// contact/carry.h: carries bodies along with colliders. Needs contact/active.h, glide.h.
//
// Guides (guide.h) make bodies give way as far as a linear step predicts. A fast collider goes
// farther than that, and cloth that flies or is crumpled stops itself and so the collider. Carrying
// does not know forces: it is geometry. It keeps colliders on time, and the solver goes on from
// bodies that are stretched smoothly. With colliders moved by d, the displacements u of free
// vertices minimise
//
//   sum_edges |u_i - u_j|^2 + LEAK sum_i |u_i|^2 + sum_ties s |sum_k w_k (u, d)_k - t|^2
//
// There is a tie for every active contact (t = 0: its gap stays as it is), and for every pair that
// would stop the motion (t opens it to its contact distance).
//
//     collider   cloth                  ties        edges
//     |====>      |   |   |             |====>|     |====> |==>  |>
//     |           |   |   |             |     |     |      |     |
#ifndef CSIM_CONTACT_CARRY_H
#define CSIM_CONTACT_CARRY_H

#include "contact/active.h"
#include "contact/glide.h"

/// A term of the sum above that holds up to four vertices to each other.
typedef struct csim_tie {
  int v[4]; ///< (mesh->nvert) weight 0: any
  double w[4];
  double t[3]; ///< [m] what sum_k w_k (u, d)_k is to be
  double stiff;
} csim_tie;

typedef struct csim_carry {
  csim_kinematics *kin;
  csim_reach *reach;
  const csim_active_set *active;
  csim_scratch *scratch; ///< room for csim_pcg_solve of mesh->nbody_vert rows
  int nedge;
  int *edge; ///< (nedge x 2) of bodies, those inside of solids too
  int n;
  csim_tie *tie; ///< (n)
  ptrdiff_t capacity;
  double *u;    ///< (mesh->nbody_vert x 3) [m]
  double *rhs;  ///< (mesh->nbody_vert x 3)
  double *diag; ///< (mesh->nbody_vert) of the matrix
} csim_carry;

/// The caller sets kin, reach, active and scratch.
/// @return 0, or -1 when out of memory (arena->failed); csim_carry_free in any case
int csim_carry_create(csim_arena *arena, csim_carry *carry);

/// Frees what is not in the arena.
void csim_carry_free(csim_carry *carry);

/// Finds u for colliders that go all of their way. Contacts must have been found where bodies are.
/// @return 0, or -1 when out of memory
int csim_carry_find(csim_carry *carry);

#endif
