// contact/check_start.h: the initial intersection check. Needs
// contact/collision_mesh.h, mesh/intersect.h, io/.
#ifndef CSIM_CONTACT_CHECK_START_H
#define CSIM_CONTACT_CHECK_START_H

#include "contact/collision_mesh.h"

/// Tests all surfaces at the start exactly, for all pairs that the step filter keeps apart: bodies
/// with colliders, with each other and with themselves. Colliders may intersect each other. Parts
/// of bodies wholly inside of solid colliders count too. Logs each two objects that intersect, with
/// the first of their faces: as errors, or as warnings if `refuse` is 0.
///
/// Bodies whose mean edge is shorter than the thickness are always an error: their own vertices
/// would push each other apart.
///
/// @param      path   OBJ file to write the triangles that meet to, when there are any; NULL = none
/// @param[out] total  pairs of triangles that meet, vertices behind planes, and parts inside of
/// solid colliders
/// @return CSIM_OK whether or not there are any; CSIM_INVALID (thickness); CSIM_MEMORY; CSIM_IO
/// (the file)
csim_status csim_contact_check_start(csim_pool *pool, const csim_collision_setup *setup, int refuse,
                                     const char *path, csim_log *log, long long *total);

#endif
