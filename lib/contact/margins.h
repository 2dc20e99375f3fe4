// contact/margins.h: how much of the thickness contact keeps free. Needs math/vec3.h.
//
//   gap / thickness
//     1    contact pushes from here on        active contacts (active.h)
//     0.5  cushion: where iterations start    first motion of a step
//     0.1  floor: never below                 CCD step filter; colliders stop a little above it
//     0    surfaces touch
#ifndef CSIM_CONTACT_MARGINS_H
#define CSIM_CONTACT_MARGINS_H

#include "math/vec3.h"

/// Nothing comes nearer than this share of the thickness, towards which energies grow without
/// bound.
#define CSIM_CONTACT_FLOOR 0.1

/// Colliders that press something stop at about this share of the thickness. What is at the floor
/// on both sides cannot move at all, and its forces never balance.
#define CSIM_CONTACT_PRESS 0.102

/// In an initial guess nothing is nearer than this share of the thickness. Deep in the barrier
/// forces are so large that the first steps would only undo them.
#define CSIM_CONTACT_CUSHION 0.5

/// The contact distance of what starts nearer than that, as a share of its gap at the start:
/// nothing is pushed at once.
#define CSIM_CONTACT_START 0.9

/// Least gap [m] to which a collider may bring a pair of this width in one motion. Near the end it
/// uses a tenth of what is left above the floor. With half of it, cloth between the fingers of a
/// hand was at the floor on both sides after a few steps: 5,000 N had 0.2 um to balance in, and
/// never did.
static inline double csim_pressed_gap(double width, double thickness) {
  static const double SLOWLY = 0.1;
  double left = width - CSIM_CONTACT_FLOOR * thickness;
  return csim_min(CSIM_CONTACT_PRESS * thickness, width - SLOWLY * left);
}

#endif
