// contact/wedge.h: the share of its energy that a pair has, depending on its nearest points. Needs
// contact/collision_mesh.h, distance.h.
//
// A flat part of a surface often consists of several triangles. All of them are near the vertex
// above it, but only the one below it should push: the sides of the others would push it aside.
//
//            . v                  The triangle left of e has its nearest point to v on e. It
//           /|                    pushes along e v only if v lies in the wedge between the
//      ____e_|____                normals there, or little beside it; on a flat surface the
//                                 wedge is a plane.
#ifndef CSIM_CONTACT_WEDGE_H
#define CSIM_CONTACT_WEDGE_H

#include "contact/candidates.h"

/// For a vertex and a triangle: 1 if the nearest point is inside it. For a nearest point on a side
/// or corner, let tau be the angle between the vector across the gap and the triangle's normal.
/// Delta is the angle by which the surface bends away there (the larger of a corner's two sides, pi
/// on a border, 0 where it bends towards the vertex), and alpha = 20 degrees:
///
///   max(0, (cos tau - cos(delta + alpha)) / (1 - cos(delta + alpha)))
///
/// For two edges: 1, falling to 0 in the last tenth before their ends, where vertices and triangles
/// take over. For two bodies: always 1. Between moving cloth, shares that change from one iteration
/// to the next kept it from converging (a sewn tube: 121 of 445 substeps unconverged, instead of
/// 4).
///
/// @param x  (mesh->nvert x 3) positions
/// @param w  (4) weights of csim_pair_closest there
/// @return [0, 1]
double csim_wedge_share(const csim_collision_mesh *mesh, const csim_candidate *pair,
                        const double *x, const double w[4]);

#endif
