// contact/filter.c: see filter.h.
#include "contact/filter.h"

#include "math/vec3.h"

#include <float.h>

// Width of the empty slab across n; hi and lo are its faces, relative to x[0].
// Rounding: the differences to x[0] are exact to half a unit, each dot product carries three more
// roundings, and n is a unit vector to two: 8 units of the largest difference cover them. Writing
// a position rounds each coordinate by half a unit of its own size: 2 units cover both sides.
static double slab(int split, const double *const x[4], const double *n, double *hi, double *lo) {
  double extent = 0, size = 0;
  *hi = -INFINITY;
  *lo = INFINITY;
  for (int k = 0; k < 4; k++) {
    double r[3], s;
    csim_sub(x[k], x[0], r);
    s = csim_dot(n, r);
    for (int c = 0; c < 3; c++) {
      extent = csim_max(extent, fabs(r[c]));
      size = csim_max(size, fabs(x[k][c]));
    }
    if (k < split)
      *hi = csim_max(*hi, s);
    else
      *lo = csim_min(*lo, s);
  }
  return *lo - *hi - DBL_EPSILON * (16 * extent + 4 * size);
}

static int make_unit(double n[3]) {
  double l = csim_normalise(n);
  return l > 0x1p-500 && isfinite(l);
}

static double separate(csim_pair_kind kind, const double *const x[4], double n[3], double *hi,
                       double *lo) {
  int split = csim_pair_split(kind);
  double w[4], best = 0;
  for (int attempt = 0; attempt < 2 && !(best > 0); attempt++) {
    if (attempt == 0) { // across the shortest connection
      csim_pair_closest(kind, x, w);
      for (int c = 0; c < 3; c++)
        n[c] = w[1] * (x[1][c] - x[0][c]) + w[2] * (x[2][c] - x[0][c]) + w[3] * (x[3][c] - x[0][c]);
    } else { // across both edges, or the triangle: right when the connection is lost in rounding
      double u[3], v[3];
      csim_sub(x[split == 1 ? 2 : 1], x[split == 1 ? 1 : 0], u);
      csim_sub(x[3], x[split == 1 ? 1 : 2], v);
      csim_cross(u, v, n);
    }
    if (!make_unit(n)) continue;
    double width = slab(split, x, n, hi, lo);
    if (attempt == 1 && !(width > 0)) {
      for (int c = 0; c < 3; c++) n[c] = -n[c];
      width = slab(split, x, n, hi, lo);
    }
    if (width > best) best = width;
  }
  return best;
}

double csim_separate_pair(csim_pair_kind kind, const double *const x[4], double n[3]) {
  double hi, lo;
  return separate(kind, x, n, &hi, &lo);
}

int csim_filter_pair(csim_pair_kind kind, const double *const x[4], const double *const d[4],
                     double keep, double t[4]) {
  int split = csim_pair_split(kind), cut = 0;
  double n[3], hi, lo, closing[2] = {0, 0}, along[4];
  for (int k = 0; k < 4; k++) t[k] = 1;
  double width = separate(kind, x, n, &hi, &lo);
  if (!(width > 0)) { // touching to the last bit: only a step of 0 is certain
    for (int k = 0; k < 4; k++) {
      if (d[k][0] == 0 && d[k][1] == 0 && d[k][2] == 0) continue;
      t[k] = 0;
      cut = 1;
    }
    return cut;
  }
  for (int k = 0; k < 4; k++) {
    int side = k >= split;
    along[k] = csim_dot(n, d[k]) * (side ? -1 : 1); // towards the other side
    closing[side] = csim_max(closing[side], along[k]);
  }
  double gap = csim_max(0, width - keep), sum = closing[0] + closing[1];
  if (sum <= CSIM_FILTER_SHARE * gap) return 0;
  double share = csim_min(csim_max(closing[0] / sum, 0.05), 0.95);
  double face[2] = {hi + share * gap, -lo + (1 - share) * gap};
  for (int k = 0; k < 4; k++) {
    int side = k >= split;
    if (!(along[k] > 0)) continue;
    double r[3];
    csim_sub(x[k], x[0], r);
    double to_face = face[side] - (side ? -1 : 1) * csim_dot(n, r);
    double limit = CSIM_FILTER_SHARE * csim_max(0, to_face);
    if (along[k] <= limit) continue;
    t[k] = limit / along[k];
    cut = 1;
  }
  return cut;
}

double csim_filter_plane(const double *x, const double *d, const double n[3], double offset,
                         double keep) {
  double closing = -csim_dot(n, d);
  if (!(closing > 0)) return 1;
  double size = fabs(offset);
  for (int c = 0; c < 3; c++) size = csim_max(size, fabs(x[c]));
  double gap = CSIM_FILTER_SHARE * (csim_dot(n, x) - offset - keep - 16 * DBL_EPSILON * size);
  return closing <= gap ? 1 : csim_max(0, gap) / closing;
}
