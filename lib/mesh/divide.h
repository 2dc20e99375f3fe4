// mesh/divide.h: triangles divided in four, and numbers carried from a coarse mesh to a divided
// one. Needs mesh/topology.h.
//
// Vertices of the coarse mesh keep their numbers, those of midpoints follow. A divided mesh at
// positions carried from the coarse one is the same surface, so nothing intersects that did not
// before.
#ifndef CSIM_MESH_DIVIDE_H
#define CSIM_MESH_DIVIDE_H

#include "mesh/topology.h"

/// Divides triangles at the midpoints of their edges. The midpoint of edge e is vertex nvert + e.
/// @param      tri   (ntri x 3) those of the topology
/// @param[out] four  (4 ntri x 3) the parts of triangle t from 4 t on, wound like it
void csim_divide_triangles(const csim_topology *topology, const int *tri, int *four);

/// The edge between two vertices; -1: there is none. O(log nedge).
int csim_edge_between(const csim_topology *topology, int a, int b);

/// Sets numbers of vertices first .. nvert-1 to the means of their parents', in order.
/// @param         parent  (nvert x 2) the ends of the edge that each divided; smaller numbers
/// @param         n       numbers of each vertex
/// @param[in,out] value   (nvert x n)
void csim_carry_over(int first, int nvert, const int *parent, int n, double *value);

#endif
