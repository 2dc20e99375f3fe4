// contact/distance.h: closest points of the two kinds of contact pairs. Needs math/.
#ifndef CSIM_CONTACT_DISTANCE_H
#define CSIM_CONTACT_DISTANCE_H

/// Point of triangle a b c nearest to p.
/// @param[out] w  (3) its weights: >= 0, sum 1
/// @return squared distance [m^2]. Degenerate triangles are the union of their edges.
double csim_point_triangle(const double *p, const double *a, const double *b, const double *c,
                           double w[3]);

/// Parameter, in [0, 1], of the point of segment a b nearest to p; 0 if the segment is a point.
double csim_point_segment(const double *p, const double *a, const double *b);

/// Meaning of the four vertices of a contact pair.
typedef enum csim_pair_kind {
  CSIM_PAIR_VERTEX_TRIANGLE, ///< v[0] against the triangle v[1] v[2] v[3]
  CSIM_PAIR_EDGE_EDGE,       ///< v[0] v[1] against v[2] v[3]
} csim_pair_kind;

/// Number of the pair's vertices on its first side: 1 or 2.
static inline int csim_pair_split(csim_pair_kind kind) {
  return kind == CSIM_PAIR_VERTEX_TRIANGLE ? 1 : 2;
}

/// Vector from the nearest point of the first side to that of the second, as weights of the four
/// points: sum_k w_k x_k. The weights of the first side sum to -1, those of the second to 1.
/// @return its squared length [m^2]
double csim_pair_closest(csim_pair_kind kind, const double *const x[4], double w[4]);

/// The same, and its direction n (3), of length 1; 0 where the sides touch.
/// @return its length [m]
double csim_pair_direction(csim_pair_kind kind, const double *const x[4], double w[4], double n[3]);

#endif
