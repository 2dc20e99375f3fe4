// contact/untangle.h: pulls apart what passes through each other at the start. Needs
// contact/collision_mesh.h, mesh/intersect.h.
#ifndef CSIM_CONTACT_UNTANGLE_H
#define CSIM_CONTACT_UNTANGLE_H

#include "contact/collision_mesh.h"

/// Moves the start positions of bodies until no surfaces pass through each other, and none lies
/// behind a plane, as far as that can be done. Where an edge passes through a triangle, both go the
/// way that shortens the line along which the surfaces meet: cloth leaves by the nearest border.
/// Needs no inside and no history. Vertices that are pinned stay. Volino & Magnenat-Thalmann 2006,
/// "Resolving surface collisions through intersection contour minimization".
/// @param      x0            (model->nvert x 3) [m] start positions, changed
/// @param[out] before,after  pairs of triangles that met
/// @return CSIM_OK whether or not all are apart; CSIM_MEMORY
csim_status csim_contact_untangle(const csim_collision_setup *setup, double *x0, long long *before,
                                  long long *after);

#endif
