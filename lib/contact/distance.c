// contact/distance.c: see distance.h. Voronoi regions as in Ericson, Real-Time Collision Detection,
// 2005, 5.1.
#include "contact/distance.h"

#include "math/vec3.h"

static double clamp01(double s) {
  return s > 0 ? (s < 1 ? s : 1) : 0;
}

double csim_point_segment(const double *p, const double *a, const double *b) {
  double u[3], v[3];
  csim_sub(b, a, u);
  csim_sub(p, a, v);
  double uu = csim_dot(u, u);
  return uu > 0 ? clamp01(csim_dot(u, v) / uu) : 0;
}

static double weighted_distance2(const double *p, const double *const corner[3],
                                 const double w[3]) {
  double d[3] = {-p[0], -p[1], -p[2]};
  for (int k = 0; k < 3; k++) csim_add_scaled(w[k], corner[k], d);
  return csim_dot(d, d);
}

// For a triangle whose area is lost in rounding: the nearest of its three edges.
static double nearest_edge(const double *p, const double *const corner[3], double w[3]) {
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3;
    double s = csim_point_segment(p, corner[k], corner[l]), trial[3] = {0};
    trial[k] = 1 - s;
    trial[l] = s;
    double d2 = weighted_distance2(p, corner, trial);
    if (!(d2 < best)) continue;
    best = d2;
    for (int c = 0; c < 3; c++) w[c] = trial[c];
  }
  return best;
}

static void set3(double a, double b, double c, double w[3]) {
  w[0] = a;
  w[1] = b;
  w[2] = c;
}

double csim_point_triangle(const double *p, const double *a, const double *b, const double *c,
                           double w[3]) {
  double ab[3], ac[3], ap[3], bp[3], cp[3];
  const double *const corner[3] = {a, b, c};
  csim_sub(b, a, ab);
  csim_sub(c, a, ac);
  csim_sub(p, a, ap);
  csim_sub(p, b, bp);
  csim_sub(p, c, cp);
  double d1 = csim_dot(ab, ap), d2 = csim_dot(ac, ap);
  double d3 = csim_dot(ab, bp), d4 = csim_dot(ac, bp);
  double d5 = csim_dot(ab, cp), d6 = csim_dot(ac, cp);
  double wc = d1 * d4 - d3 * d2, wb = d5 * d2 - d1 * d6, wa = d3 * d6 - d5 * d4;
  double sum = wa + wb + wc, scale = csim_dot(ab, ab) * csim_dot(ac, ac);
  if (!(sum > 1e-24 * scale)) return nearest_edge(p, corner, w);
  if (d1 <= 0 && d2 <= 0)
    set3(1, 0, 0, w);
  else if (d3 >= 0 && d4 <= d3)
    set3(0, 1, 0, w);
  else if (d6 >= 0 && d5 <= d6)
    set3(0, 0, 1, w);
  else if (wc <= 0 && d1 >= 0 && d3 <= 0)
    set3(1 - d1 / (d1 - d3), d1 / (d1 - d3), 0, w);
  else if (wb <= 0 && d2 >= 0 && d6 <= 0)
    set3(1 - d2 / (d2 - d6), 0, d2 / (d2 - d6), w);
  else if (wa <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    set3(0, 1 - s, s, w);
  } else {
    set3(1 - wb / sum - wc / sum, wb / sum, wc / sum, w);
  }
  return weighted_distance2(p, corner, w);
}

// Nearest points p0 + s (p1 - p0) and q0 + t (q1 - q0) of two segments, s and t in [0, 1]. For
// parallel segments, one of the nearest pairs. Degenerate segments are points. @return squared
// distance [m^2]
static double segment_segment(const double *p0, const double *p1, const double *q0,
                              const double *q1, double *s, double *t) {
  double u[3], v[3], r[3];
  csim_sub(p1, p0, u);
  csim_sub(q1, q0, v);
  csim_sub(p0, q0, r);
  double uu = csim_dot(u, u), vv = csim_dot(v, v), uv = csim_dot(u, v);
  double ur = csim_dot(u, r), vr = csim_dot(v, r), det = uu * vv - uv * uv;
  if (!(uu > 0)) {
    *s = 0;
    *t = csim_point_segment(p0, q0, q1);
  } else if (!(vv > 0)) {
    *t = 0;
    *s = clamp01(-ur / uu);
  } else {
    // parallel segments: any s will do, as long as t follows it and s follows a clamped t
    *s = det > 1e-14 * uu * vv ? clamp01((uv * vr - ur * vv) / det) : 0;
    *t = (uv * *s + vr) / vv;
    if (!(*t > 0)) {
      *t = 0;
      *s = clamp01(-ur / uu);
    } else if (*t > 1) {
      *t = 1;
      *s = clamp01((uv - ur) / uu);
    }
  }
  for (int c = 0; c < 3; c++) r[c] += *s * u[c] - *t * v[c];
  return csim_dot(r, r);
}

double csim_pair_closest(csim_pair_kind kind, const double *const x[4], double w[4]) {
  if (kind == CSIM_PAIR_VERTEX_TRIANGLE) {
    w[0] = -1;
    return csim_point_triangle(x[0], x[1], x[2], x[3], w + 1);
  }
  double s, t, d2 = segment_segment(x[0], x[1], x[2], x[3], &s, &t);
  w[0] = s - 1;
  w[1] = -s;
  w[2] = 1 - t;
  w[3] = t;
  return d2;
}

double csim_pair_direction(csim_pair_kind kind, const double *const x[4], double w[4],
                           double n[3]) {
  double gap = sqrt(csim_pair_closest(kind, x, w));
  for (int a = 0; a < 3; a++) {
    n[a] = 0;
    for (int k = 1; k < 4 && gap > 0; k++) n[a] += w[k] * (x[k][a] - x[0][a]) / gap;
  }
  return gap;
}
