// mesh/intersect.h: exact tests for intersecting triangles. Needs base/, math/predicates.h.
//
// Triangles are closed: touching counts. Exact for coordinates within math/predicates.h's range.
#ifndef CSIM_MESH_INTERSECT_H
#define CSIM_MESH_INTERSECT_H

#include "base/pool.h"
#include "clothsim.h"

/// A triangle mesh that the caller owns. Every index is in 0 .. nvert-1.
typedef struct csim_triangles {
  int nvert;
  const double *vert; ///< (nvert x 3) [m], finite
  int ntri;
  const int *tri; ///< (ntri x 3)
} csim_triangles;

/// 1 when the closed triangles a b c and p q r have a point in common.
/// Precondition: neither is degenerate (csim_collinear).
int csim_triangles_meet(const double a[3], const double b[3], const double c[3], const double p[3],
                        const double q[3], const double r[3]);

/// 1 when triangles i and j of a mesh meet where they should not. By the vertices they share:
///   none   any common point
///   one    an edge that does not hold it meets the other triangle
///   two    they lie in one plane, folded over each other
///   three  always
/// Precondition: neither is degenerate.
int csim_pair_intersects(const csim_triangles *mesh, int i, int j);

/// All pairs (i < j) of triangles of one mesh that intersect, as csim_pair_intersects has it.
/// Degenerate triangles take no part.
/// @param      pool   may be NULL: one thread
/// @param      limit  capacity of `pair` in pairs; may be 0
/// @param[out] pair   (min(*total, limit) x 2) the first ones in rising order of i, then j
/// @param[out] total  how many there are; may be NULL
/// @return CSIM_OK or CSIM_MEMORY
/// Cost: O((n + candidates) log n); 10,000 triangles take about 10 ms.
csim_status csim_find_self_intersections(csim_pool *pool, const csim_triangles *mesh, int limit,
                                         int *pair, long long *total);

/// All pairs of a triangle i of `a` and a triangle j of `b` that have a common point.
/// Otherwise as csim_find_self_intersections.
csim_status csim_find_intersections(csim_pool *pool, const csim_triangles *a,
                                    const csim_triangles *b, int limit, int *pair,
                                    long long *total);

#endif
