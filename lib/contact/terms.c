// contact/terms.c: see terms.h.
#include "contact/terms.h"

#include "math/vec3.h"

#include <assert.h>

double csim_edges_share(const double w[4]) {
  static const double END = 0.1; // of an edge
  double least = 1;
  for (int k = 0; k < 4; k++) least = csim_min(least, fabs(w[k]));
  return csim_min(1, least / END);
}

// The point of the segment from vertex i to j of a triangle that is nearest to vertex v[0]. i = j:
// a corner. Every triangle finds the same bits, so that their terms cancel.
static csim_term nearest_of(const double *x, const int v[4], int i, int j) {
  int low = v[i] < v[j] ? i : j, high = i + j - low;
  const double *p = x + csim_xyz(v[0]), *a = x + csim_xyz(v[low]), *b = x + csim_xyz(v[high]);
  double s = csim_point_segment(p, a, b), gap[3];
  csim_term term = {.w = {-1}, .times = 1, .side = {i, j}};
  term.w[low] = 1 - s;
  term.w[high] += s;
  csim_sub(p, a, gap);
  for (int c = 0; c < 3; c++) gap[c] -= s * (b[c] - a[c]);
  term.d = csim_norm(gap);
  return term;
}

// Of a vertex and a triangle: if their nearest points lie on a side or corner, finds them again as
// those of that side.
static void share_bits(const double *x, const int v[4], csim_term *term) {
  int on[3], n = 0;
  for (int k = 1; k < 4; k++)
    if (term->w[k] != 0) on[n++] = k;
  assert(n > 0);
  if (n < 3) *term = nearest_of(x, v, on[0], on[n - 1]);
  term->side[0] = term->side[1] = 0;
}

int csim_terms_find(const csim_collision_mesh *mesh, const csim_candidate *pair, const int v[4],
                    const double *x, double limit, csim_term term[CSIM_MOST_TERMS]) {
  const double *p[4];
  csim_pair_kind kind = csim_candidate_kind(pair);
  for (int k = 0; k < 4; k++) p[k] = x + csim_xyz(v[k]);
  double d2 = csim_pair_closest(kind, p, term->w);
  if (!(d2 < limit * limit && d2 > 0)) return 0;
  term->d = sqrt(d2);
  term->times = 1;
  term->side[0] = term->side[1] = 0;
  if (kind == CSIM_PAIR_EDGE_EDGE || csim_collision_mesh_of_bodies(mesh, v[0], v[1])) return 1;

  const signed char *surplus = mesh->surplus + csim_row(6, pair->b);
  int n = 1;
  share_bits(x, v, term);
  for (int k = 0; k < 6; k++) {
    if (!surplus[k]) continue;
    term[n] = k < 3 ? nearest_of(x, v, 1 + k, 1 + (k + 1) % 3) : nearest_of(x, v, k - 2, k - 2);
    term[n].times = -surplus[k];
    if (term[n].d < limit && term[n].d > 0) n++;
  }
  return n;
}
