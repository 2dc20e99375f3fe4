// model/fabric.h: the rest shape of cloth, flat, triangle by triangle, in the axes of warp and
// weft; and the membrane on it. Needs model/network.h.
//
// flat (ntri x 6) has the (warp, weft) of each triangle's three corners [m]. Only differences
// within a triangle matter, so triangles need not fit together: where they do not, a garment has
// its seams.
#ifndef CSIM_MODEL_FABRIC_H
#define CSIM_MODEL_FABRIC_H

#include "model/network.h"

/// Lays each triangle of X (nvert x 3) flat, with warp along the projection of an axis. If the axis
/// is within 1 degree of the triangle's normal, the next axis is used.
/// @param axes        (3 x 3) in order of preference, of any length but 0
/// @param[out] flat   (ntri x 6), overwritten
void csim_fabric_lay(int ntri, const int *tri, const double *X, const double axes[9], double *flat);

/// Texture coordinates of the triangles' corners: uv (ntri x 6), overwritten.
/// @return number of triangles that have none, or whose area in them is 0; their six are 0
int csim_fabric_uv(const csim_mesh *mesh, double *uv);

/// Turns triangles laid flat so that warp is the direction of growing u: that in which f =
/// d(flat)/d(u, v) takes (1, 0). Triangles without uv stay.
void csim_fabric_align(int ntri, const double *uv, double *flat);

/// Turns every triangle's warp by an angle [rad], from warp towards weft.
void csim_fabric_turn(int ntri, const double *angle, double *flat);

/// A membrane on each triangle, of kind woven or orthotropic, or of the ductile ones.
/// @param tri     (ntri x 3)
/// @param moduli  (ntri)
/// @param yield   of all; of ductile kinds only
/// @return number of triangles left out because they have no area
int csim_fabric_membrane(int ntri, const int *tri, const csim_part *part, const double *flat,
                         const csim_moduli *moduli, const csim_yield *yield,
                         csim_elements *membrane);

/// A membrane on each triangle, of kind measured.
/// @param table  (ntri x CSIM_MEASURED) see csim_measured_param
/// @return as above
int csim_fabric_measured(int ntri, const int *tri, const csim_part *part, const double *flat,
                         const double *table, csim_elements *membrane);

#endif
