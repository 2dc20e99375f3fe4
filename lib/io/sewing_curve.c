// io/sewing_curve.c: see sewing_curve.h.
#include "io/sewing_curve.h"

#include "base/dmath.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void csim_sewing_control_point(const double *a, const double *b, const double *at, double *out) {
  double d[2] = {b[0] - a[0], b[1] - a[1]};
  out[0] = a[0] + at[0] * d[0] - at[1] * d[1];
  out[1] = a[1] + at[0] * d[1] + at[1] * d[0];
}

void csim_sewing_bezier(const double *p, int degree, double *curve) {
  for (int i = 0; i <= CSIM_SEWING_CURVE_POINTS; i++) {
    double t = (double)i / CSIM_SEWING_CURVE_POINTS, q[8];
    memcpy(q, p, 2 * ((size_t)degree + 1) * sizeof *q);
    for (int n = degree; n > 0; n--) // de Casteljau
      for (int k = 0; k < 2 * n; k++) q[k] += t * (q[k + 2] - q[k]);
    memcpy(curve + 2 * i, q, 2 * sizeof *q);
  }
  memcpy(curve + 2 * CSIM_SEWING_CURVE_POINTS, p + 2 * degree,
         2 * sizeof *p); // exact, without rounding
}

void csim_sewing_arc(const double *a, const double *b, double radius, int large, int left,
                     double *curve) {
  double half[2] = {(a[0] - b[0]) / 2, (a[1] - b[1]) / 2};
  double d2 = half[0] * half[0] + half[1] * half[1];
  double h = sqrt(fmax(0, radius * radius / d2 - 1)) * (large != left ? 1 : -1);
  if (radius * radius < d2) radius = sqrt(d2); // as small as it can be
  double center[2] = {(a[0] + b[0]) / 2 + h * half[1], (a[1] + b[1]) / 2 - h * half[0]};
  double from = csim_atan2(a[1] - center[1], a[0] - center[0]);
  double turn = csim_atan2(b[1] - center[1], b[0] - center[0]) - from;
  if (left && turn < 0) turn += 2 * CSIM_PI;
  if (!left && turn > 0) turn -= 2 * CSIM_PI;
  for (int i = 0; i <= CSIM_SEWING_CURVE_POINTS; i++) {
    double angle = from + turn * i / CSIM_SEWING_CURVE_POINTS;
    curve[2 * i] = center[0] + radius * csim_cos(angle);
    curve[2 * i + 1] = center[1] + radius * csim_sin(angle);
  }
  memcpy(curve, a, 2 * sizeof *a);
  memcpy(curve + 2 * CSIM_SEWING_CURVE_POINTS, b, 2 * sizeof *b);
}
