// base/dmath.h: elementary functions with the same bits on every machine. Needs nothing.
//
// glibc picks FMA variants of sin, log, exp, ... by CPU, so their last bit differs between nodes of
// a farm. These use only + - * / sqrt in a fixed order. tests/unit/test_dmath.c measures the errors
// against long double.
#ifndef CSIM_BASE_DMATH_H
#define CSIM_BASE_DMATH_H

#define CSIM_PI 3.14159265358979323846

/// sin and cos, absolute error under 2.5e-16 for |x| <= 1e6; NaN beyond 1e9.
double csim_sin(double x);
double csim_cos(double x);

/// Angle of (x, y) in [-pi, pi]; 0 for (0, 0). Relative error under 3e-16.
double csim_atan2(double y, double x);

/// Natural logarithm of x > 0. Relative error under 2e-16; absolute under 2e-17 for x in
/// [0.9, 1.1].
/// x = 0 gives -infinity, x < 0 NaN.
double csim_ln(double x);

/// e^x; 0 below -745, infinity above 709.7. Relative error under 2e-16 for |x| <= 700.
double csim_exp(double x);

#endif
