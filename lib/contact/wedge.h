// contact/wedge.h: the share of its energy that a pair has by where its nearest points lie. Needs
// contact/collision_mesh.h, distance.h.
//
// Where a flat part of a surface is made of several triangles, all of them see the vertex above it,
// but only the one below it should push: from the others' sides it would be pushed aside.
//
//            . v                  The triangle left of e has its nearest point to v on e. It
//           /|                    pushes along e v only if v lies in the wedge between the
//      ____e_|____                normals there, or little beside it; on a flat surface the
//                                 wedge is a plane.
#ifndef CSIM_CONTACT_WEDGE_H
#define CSIM_CONTACT_WEDGE_H

#include "contact/candidates.h"

/// Of a vertex and a triangle with the nearest point inside it, 1. With the nearest point on a side
/// or corner, with tau the angle between the line across the gap and the triangle's normal, delta
/// the angle by which the surface bends away there (the larger of a corner's two sides, pi on a
/// border, 0 where it bends towards the vertex), and alpha = 20 degrees:
///
///   max(0, (cos tau - cos(delta + alpha)) / (1 - cos(delta + alpha)))
///
/// Of two edges, 1, and falling to 0 in the last tenth before their ends, where vertices and
/// triangles do the same. Of two bodies always 1: between cloth that moves, shares that change from
/// one iteration to the next kept it from settling (a sewn tube: 121 of 445 substeps; 4 so).
///
/// @param x  (mesh->nvert x 3) positions
/// @param w  (4) weights of csim_pair_closest there
/// @return [0, 1]
double csim_wedge_share(const csim_collision_mesh *mesh, const csim_candidate *pair,
                        const double *x, const double w[4]);

#endif
