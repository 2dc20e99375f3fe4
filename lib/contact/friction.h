// contact/friction.h: Coulomb friction. Needs contact/active.h.
//
//   E(u) = mu N f0(|u|), u the slip of this step across the gap's normal, f0' = f1,
//   f1(y) = min(y/eps, 1)
//
// What sticks is linear: while normal forces stay, Newton's method finds it in one iteration.
//
// eps is the slip speed times the step. It is longer where sticking would be far stiffer than the
// bodies are: what is pressed hard would otherwise be as good as welded, and conjugate gradients
// took six times the iterations for a twisted tube.
//
// Contact points, normals and N are constants of the energy: those at the start of the step in the
// first iteration (Li et al. 2020, 5.4), and in every later one those at the point of its gradient.
// Friction of the start alone is late by a step: what landed on a slope, or began to slide on it,
// was too fast by mu g h ever after. Where that does not converge, as normal forces depend on
// friction, an update changes only a share of them.
#ifndef CSIM_CONTACT_FRICTION_H
#define CSIM_CONTACT_FRICTION_H

#include "base/buckets.h"
#include "contact/active.h"

/// Friction of one pair.
typedef struct csim_friction_contact {
  int v[4];
  double w[4];
  double n[3];
  double start[3]; ///< [m] sum_k w_k x_k when the step began; with a plane, moved as that is to
  double limit;    ///< [N] mu times the normal force, by the last updates; < 0: takes back what the
                   ///< other terms of a valley have too much (terms.h)
  double change;   ///< [N] by the last update, if it had taken all of the new limit
  double eps;      ///< [m] friction has its full size from this slip on
  double last[3];  ///< [m] slip at the last Hessian
  double along;    ///< share of the secant that it had along the slip
  double B[9];     ///< [N/m] second derivative in the slip, of the last Hessian
} csim_friction_contact;

typedef struct csim_friction_set {
  const csim_kinematics *kin;
  const csim_contact_params *params;
  int n;
  csim_friction_contact *contact; ///< (n)
  csim_friction_contact *next;    ///< the list that an update makes, then swapped with `contact`
  csim_buckets buckets;           ///< of both, by their first vertices, in an update
  double *force;                  ///< (n x 3) [N] of a gradient
  ptrdiff_t capacity, next_capacity, force_capacity;
} csim_friction_set;

/// Frees what the set has.
void csim_friction_set_free(csim_friction_set *set);

/// Starts a step.
static inline void csim_friction_set_begin(csim_friction_set *set) {
  set->n = 0;
}

/// Gives friction to each active contact that presses. Contacts that had it in the same step keep
/// their last slip.
/// @param share  of the new limits; the rest is left of those before, also where a contact is not
///               active any more: the limits of a valley only make sense together
/// @return 0, or -1 when out of memory: there is none then
int csim_friction_set_update(csim_friction_set *set, const csim_active_set *active, double share);

/// Energy [J] with everything at x (mesh->nvert x 3).
double csim_friction_set_value(const csim_friction_set *set, const double *x);

/// Adds its gradient [N] to g (mesh->nbody_vert x 3), of limits that are these shares of the
/// present ones and of their changes.
/// @return 0, or -1 when out of memory: nothing is added then
int csim_friction_set_gradient(csim_friction_set *set, const double *x, double of_limit,
                               double of_change, double *g);

/// Sets B of one contact for the next iteration, everything being at x.
void csim_friction_set_hessian(csim_friction_set *set, int i, const double *x);

/// Coefficient of friction [-] between parts a and b (bodies, then colliders): the scene's for the
/// pair, else the smaller of their own.
/// @param factor  (2) of a and b where they touch, see csim_friction_factors; NULL: 1
double csim_friction_coefficient(const csim_contact_params *params, const csim_model *model,
                                 const csim_collider *collider, int a, int b,
                                 const double factor[2]);

/// Factors of friction [-] on both sides of a contact: means of the vertices' own, by weight.
/// @param      v, w    (4) vertices of the collision mesh and weights as of csim_active_contact
/// @param      part    (2) the part on each side
/// @param[out] factor  (2)
void csim_friction_factors(const csim_model *model, const int v[4], const double w[4],
                           const int part[2], double factor[2]);

#endif
