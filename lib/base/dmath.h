// base/dmath.h: elementary functions with the same bits on every machine. Needs nothing.
//
// glibc picks FMA variants of sin, log, exp, ... by CPU, so their last bit differs between nodes of
// a farm. These use only + - * / sqrt in a fixed order. Errors are measured in
// tests/unit/test_base.c.
#ifndef CSIM_BASE_DMATH_H
#define CSIM_BASE_DMATH_H

#define CSIM_PI 3.14159265358979323846

/// sin and cos, |x| <= 1e6 (absolute error under 1e-15 for |x| <= 1e3); NaN beyond 1e9.
double csim_sin(double x);
double csim_cos(double x);

/// Angle of (x, y) in [-pi, pi]; 0 for (0, 0). Relative error under 4e-16.
double csim_atan2(double y, double x);

/// Natural logarithm of x > 0, relative error under 4e-16 away from 1, absolute near it.
/// x = 0 gives -infinity, x < 0 NaN.
double csim_ln(double x);

/// e^x; 0 below -745, infinity above 709.7. Relative error under 4e-16.
double csim_exp(double x);

#endif
