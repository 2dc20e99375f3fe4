// contact/wedge.c: see wedge.h.
#include "contact/wedge.h"

#include "math/vec3.h"

#include <math.h>

static const double COS_ALPHA = 0.93969262078590838, SIN_ALPHA = 0.34202014332566873;
static const double END = 0.1; // of an edge

static double share_of_edges(const double w[4]) {
  double least = 1;
  for (int k = 0; k < 4; k++) least = csim_min(least, fabs(w[k]));
  return csim_min(1, least / END);
}

// Unit vector from the line through a along e to p, perpendicular to it; 0 if p is on it.
static void find_across(const double *p, const double *a, const double *e, double out[3]) {
  double length2 = csim_dot(e, e);
  csim_sub(p, a, out);
  if (length2 > 0) csim_add_scaled(-csim_dot(out, e) / length2, e, out);
  double length = csim_norm(out);
  for (int k = 0; k < 3; k++) out[k] = length > 0 ? out[k] / length : 0;
}

// cos(delta + alpha) on side k of a triangle, with q opposite, seen from where the normal points.
static double wedge_cosine(const int *tri, int k, int q, const double *x, const double *normal) {
  const double *a = x + csim_xyz(tri[k]), *b = x + csim_xyz(tri[(k + 1) % 3]);
  double e[3], own[3], other[3];
  if (q < 0) return -1;
  csim_sub(b, a, e);
  find_across(x + csim_xyz(q), a, e, other);
  if (csim_dot(other, normal) >= 0) return COS_ALPHA; // it bends towards the vertex
  find_across(x + csim_xyz(tri[(k + 2) % 3]), a, e, own);
  double c = -csim_dot(own, other), s = sqrt(csim_max(0, 1 - c * c));
  if (c <= -COS_ALPHA) return -1;
  return c * COS_ALPHA - s * SIN_ALPHA;
}

double csim_wedge_share(const csim_collision_mesh *mesh, const csim_candidate *pair,
                        const double *x, const double w[4]) {
  csim_pair_kind kind = csim_candidate_kind(pair);
  int v[4];
  csim_candidate_vertices(mesh, pair, v);
  if (v[0] < mesh->nbody_vert && v[csim_pair_split(kind)] < mesh->nbody_vert) return 1;
  if (kind == CSIM_PAIR_EDGE_EDGE) return share_of_edges(w);
  if (w[1] != 0 && w[2] != 0 && w[3] != 0) return 1;
  const int *tri = mesh->tri + csim_xyz(pair->b);
  const int *across = mesh->across + csim_xyz(pair->b);
  const double *p = x + csim_xyz(mesh->point[pair->a]);
  double n[3], gap[3] = {0, 0, 0};
  csim_face_normal(x, tri, n);
  for (int k = 0; k < 3; k++) { // of differences: far from the origin a sum would lose digits
    double way[3];
    csim_sub(p, x + csim_xyz(tri[k]), way);
    csim_add_scaled(w[k + 1], way, gap);
  }
  double length = csim_norm(n), d = csim_norm(gap);
  if (!(length > 0 && d > 0)) return 1;
  double along = csim_dot(gap, n) / (length * d), least = 1;
  if (along < 0)
    for (int k = 0; k < 3; k++) n[k] = -n[k];
  for (int k = 0; k < 3; k++) // side k lies opposite to corner k + 2, and ends at the two others
    if (w[1 + (k + 2) % 3] == 0) least = csim_min(least, wedge_cosine(tri, k, across[k], x, n));
  return csim_max(0, (fabs(along) - least) / (1 - least));
}
