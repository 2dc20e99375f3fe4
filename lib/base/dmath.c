// base/dmath.c: see dmath.h. Series in Horner form after an exact argument reduction; term counts
// are chosen so that the first neglected term is below 2^-54 of the result.
#include "base/dmath.h"

#include <math.h>

// pi/2 in three parts of at most 33 bits: k * part is exact for |k| < 2^20 (Cody & Waite 1980)
static const double PIO2_1 = 0x1.921fb544p+0, PIO2_2 = 0x1.0b4611a6p-34,
                    PIO2_3 = 0x1.3198a2e037073p-69;

// sin(r) on |r| <= pi/4: Taylor to r^17 (next term 0.785^19 / 19! = 8e-20).
static double sin_series(double r) {
  double z = r * r;
  double p = -1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0);
  p = 1.0 / 6227020800.0 + z * p;
  p = -1.0 / 39916800.0 + z * p;
  p = 1.0 / 362880.0 + z * p;
  p = -1.0 / 5040.0 + z * p;
  p = 1.0 / 120.0 + z * p;
  p = -1.0 / 6.0 + z * p;
  return r + r * (z * p);
}

// cos(r) on |r| <= pi/4: Taylor to r^16 (next term 0.785^18 / 18! = 2e-18).
static double cos_series(double r) {
  double z = r * r;
  double p = -1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0);
  p = 1.0 / 479001600.0 + z * p;
  p = -1.0 / 3628800.0 + z * p;
  p = 1.0 / 40320.0 + z * p;
  p = -1.0 / 720.0 + z * p;
  p = 1.0 / 24.0 + z * p;
  return (1.0 - 0.5 * z) + z * z * p;
}

// sin(x + quarter * pi/2)
static double sin_shifted(double x, int quarter) {
  if (!(fabs(x) <= 1e9)) return NAN;
  double k = floor(x * (2 / CSIM_PI) + 0.5);
  double r = ((x - k * PIO2_1) - k * PIO2_2) - k * PIO2_3;
  switch (((long long)k + quarter) & 3) {
  case 0:
    return sin_series(r);
  case 1:
    return cos_series(r);
  case 2:
    return -sin_series(r);
  default:
    return -cos_series(r);
  }
}

double csim_sin(double x) {
  return sin_shifted(x, 0);
}
double csim_cos(double x) {
  return sin_shifted(x, 1);
}

// atan(t) on [0, 1]: t is brought to |u| <= tan(pi/16) by atan(t) = c + atan((t - T) / (1 + t T)),
// then the alternating series to u^25 (next term 0.199^27 / 27 = 4e-21).
static double atan_unit(double t) {
  static const double angle[] = {0, CSIM_PI / 8, CSIM_PI / 4};
  static const double tangent[] = {0, 0.41421356237309504880, 1};
  int i = t < 0.19891236737965800691 ? 0 : t < 0.66817863791929891999 ? 1 : 2;
  double u = i ? (t - tangent[i]) / (1 + t * tangent[i]) : t;
  double z = u * u, p = 1.0 / 25;
  for (int n = 23; n >= 3; n -= 2) p = 1.0 / n - z * p;
  return angle[i] + (u - u * (z * p));
}

double csim_atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y);
  if (isnan(x) || isnan(y)) return NAN;
  if (ax == 0 && ay == 0) return 0;
  double a;
  if (isinf(ax) || isinf(ay))
    a = isinf(ax) && isinf(ay) ? CSIM_PI / 4 : isinf(ax) ? 0 : CSIM_PI / 2;
  else
    a = ay <= ax ? atan_unit(ay / ax) : CSIM_PI / 2 - atan_unit(ax / ay);
  if (x < 0) a = CSIM_PI - a;
  return y < 0 ? -a : a;
}

static const double LN2_HI = 0x1.62e42fefap-1, LN2_LO = 0x1.cf79abc9e3b3ap-40;

double csim_ln(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (isinf(x)) return x;
  int e;
  double m = frexp(x, &e); // exact: in [1/2, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    e--;
  }
  // log(m) = 2 atanh(s), s = (m - 1)/(m + 1), |s| <= 0.1716; series to s^23
  double f = m - 1, s = f / (2 + f), z = s * s, p = 1.0 / 23;
  for (int n = 21; n >= 3; n -= 2) p = 1.0 / n + z * p;
  // 2 s = f - s f keeps the leading term exact near 1
  double tail = 2 * s * (z * p);
  return e * LN2_HI + (f - (s * f - (tail + e * LN2_LO)));
}

double csim_exp(double x) {
  if (isnan(x)) return x;
  if (x > 709.7) return INFINITY;
  if (x < -745) return 0;
  double k = floor(x * 1.44269504088896340736 + 0.5);
  double hi = x - k * LN2_HI, lo = k * LN2_LO, r = hi - lo;
  // Taylor to r^15 on |r| <= 0.3466 (next term 2e-21)
  double p = 1.0 / 15;
  for (int n = 14; n >= 3; n--) p = (1 + r * p) / n;
  double series = 0.5 * r * r * (1 + r * p);
  return ldexp(1 + (r + series + ((hi - r) - lo)), (int)k);
}
