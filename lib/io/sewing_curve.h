// io/sewing_curve.h: curved edges of sewing patterns, as many points. Needs nothing.
#ifndef CSIM_IO_SEWING_CURVE_H
#define CSIM_IO_SEWING_CURVE_H

enum { CSIM_SEWING_CURVE_POINTS = 1024 }; ///< a curve has one more

/// A control point of a curve from a to b. `at` is relative: along the line from a to b, and
/// perpendicular to it, to the left.
void csim_sewing_control_point(const double *a, const double *b, const double *at, double *out);

/// @param p           (degree + 1 x 2) degree at most 3
/// @param[out] curve  (CSIM_SEWING_CURVE_POINTS + 1 x 2)
void csim_sewing_bezier(const double *p, int degree, double *curve);

/// An arc as SVG has it: of the radius, the longer one or not, turning left or not.
void csim_sewing_arc(const double *a, const double *b, double radius, int large, int left,
                     double *curve);

#endif
