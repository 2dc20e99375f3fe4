// contact/untangle.h: separates surfaces that intersect at the start. Needs
// contact/collision_mesh.h, mesh/intersect.h.
#ifndef CSIM_CONTACT_UNTANGLE_H
#define CSIM_CONTACT_UNTANGLE_H

#include "contact/collision_mesh.h"

/// Moves the start positions of bodies until no surfaces intersect and none lies behind a plane, as
/// far as possible. Where an edge crosses a triangle, both move so as to shorten the line where the
/// surfaces intersect: cloth leaves by the nearest border. Needs no inside and no history. Pinned
/// vertices stay. Volino & Magnenat-Thalmann 2006, "Resolving surface collisions through
/// intersection contour minimization". Bodies that keep more than a quarter of their crossings stay
/// as they are.
/// @param      x0            (model->nvert x 3) [m] start positions, changed
/// @param[out] before,after  pairs of intersecting triangles
/// @return 0, whether or not all are separated; -1 when out of memory
int csim_contact_untangle(const csim_collision_setup *setup, double *x0, long long *before,
                          long long *after);

#endif
