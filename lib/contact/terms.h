// contact/terms.h: what a pair adds to the energy of contact, so that every point of a surface
// counts once. Needs contact/collision_mesh.h, candidates.h.
//
//         v            All triangles around the nearest point of a surface are near a vertex above
//         |            it. Summed up, their barriers b would push it up to six times, and over a
//    A    |    B       flat side the neighbour's, whose nearest point lies on the side e, would
//   ------e------      push it sideways. The sides and corners of the triangles are therefore
//                      counted as well, with the sign of inclusion and exclusion:
//
//   sum over triangles of b  -  sum over sides of (n - 1) b  +  sum over corners of c b
//
// n is the number of triangles at a side, and c = 1 - (triangles at a corner) + sum over its sides
// of (n - 1), 1 inside of a surface. Above a flat or convex surface the sum is the barrier of the
// distance from it. In a valley both sides count, less the edge between them. The sum has a
// continuous gradient everywhere, so Newton's method and its line search see one energy. (Li et
// al., Convergent Incremental Potential Contact, 2023.)
//
// Where surfaces start nearer than the contact distance, triangles around a point differ in their
// reach. What is subtracted then reaches no farther than any of them
// (csim_candidate_side_scale): else it would pull the surfaces together.
#ifndef CSIM_CONTACT_TERMS_H
#define CSIM_CONTACT_TERMS_H

#include "contact/candidates.h"

/// Two points that push each other apart.
typedef struct csim_term {
  double d;     ///< [m] their distance
  double w[4];  ///< weights of the pair's vertices, as those of csim_pair_closest
  double times; ///< how often their barrier counts; < 0: its other terms count it too often
  int side[2];  ///< corners (1 to 3) of the triangle that the term is of, equal for one; 0, 0: all
} csim_term;

enum { CSIM_MOST_TERMS = 7 };

/// The terms of a pair that are nearer than a limit. Those of a vertex and a triangle, of which one
/// is a collider's, are their nearest points and the sides and corners that mesh->surplus assigns
/// to the triangle. All other pairs have one term: with sides and corners for two bodies as well, a
/// twisted tube, rings and rollers converged no better.
/// @param v  (4) csim_candidate_vertices
/// @param x  (mesh->nvert x 3) positions [m]
/// @return how many; 0: the pair is farther apart than that, or touches
int csim_terms_find(const csim_collision_mesh *mesh, const csim_candidate *pair, const int v[4],
                    const double *x, double limit, csim_term term[CSIM_MOST_TERMS]);

/// Share of its energy that a pair of edges has, of which one is a collider's: 1, falling to 0 in
/// the last tenth before their ends, where vertices and triangles take over.
/// @param w  (4) weights of csim_pair_closest
double csim_edges_share(const double w[4]);

#endif
