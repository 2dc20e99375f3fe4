// contact/impulse.h: the impulse response of the first seed. Gives no guarantee. Needs collider.h.
#ifndef CSIM_CONTACT_IMPULSE_H
#define CSIM_CONTACT_IMPULSE_H

#include "contact/collider.h"
#include "model/model.h"

/// Pushes every free vertex nearer than `thickness` to a collider out to that distance, along the
/// gradient n of the signed distance at the end of the step, and changes the velocity to match:
///
///   d = (thickness - phi(x)) n,  x += d,  v += d / h
///
/// then Coulomb friction: the slip against the collider's own motion loses at most mu |d| / h of
/// its speed. Tests vertices only, at the end of the step only: faces may cut a collider's surface,
/// and fast vertices may pass through thin ones.
///
/// @param time  [s] at the end of the step
/// @param h     [s] length of the step
/// @param x, v  (nvert x 3) read and changed
/// @return number of vertices pushed
int csim_impulse_respond(csim_pool *pool, const csim_model *model, int ncollider,
                         const csim_collider *collider, double thickness, double time, double h,
                         double *x, double *v);

#endif
