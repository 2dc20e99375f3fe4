// tests/unit/test_predicates.c: signs against integer arithmetic that cannot round.
#include "check.h"

#include "math/predicates.h"

#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 wide;

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static int64_t draw_within(int64_t most) {
  return (int64_t)(draw() % (uint64_t)(2 * most + 1)) - most;
}

static int sign_of(wide x) {
  return (x > 0) - (x < 0);
}

static int true_orient2d(int64_t p[3][2]) {
  wide u[2], v[2];
  for (int k = 0; k < 2; k++) {
    u[k] = (wide)p[1][k] - p[0][k];
    v[k] = (wide)p[2][k] - p[0][k];
  }
  return sign_of(u[0] * v[1] - u[1] * v[0]);
}

// The sum of three products of a minor (under 2^119) and a difference (under 2^60): minors are cut
// at bit 54, so that either half's sum fits.
static int true_orient3d(int64_t p[4][3]) {
  const wide cut = (wide)1 << 54;
  wide d[3][3], high = 0, low = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) d[i][k] = (wide)p[i + 1][k] - p[0][k];
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    wide minor = d[0][i] * d[1][j] - d[0][j] * d[1][i];
    wide rest = minor & (cut - 1);
    high += (minor - rest) / cut * d[2][k];
    low += rest * d[2][k];
  }
  wide rest = low & (cut - 1);
  high += (low - rest) / cut;
  return high ? sign_of(high) : rest > 0;
}

// Any double of at most 53 bits below 2^58.
static int64_t draw_coordinate(int bits) {
  int64_t x = draw_within(((int64_t)1 << (bits < 53 ? bits : 53)) - 1);
  return bits > 53 ? x * ((int64_t)1 << (draw() % (uint64_t)(bits - 52))) : x;
}

static void compare3d(int64_t p[4][3], double scale) {
  double x[4][3];
  for (int i = 0; i < 12; i++) x[i / 3][i % 3] = (double)p[i / 3][i % 3] * scale;
  int expected = true_orient3d(p);
  int got = csim_orient3d(x[0], x[1], x[2], x[3]);
  check_that(got == expected, __FILE__, __LINE__, "orient3d is %d, expected %d", got, expected);
  CHECK(csim_orient3d(x[1], x[0], x[2], x[3]) == -expected);
  CHECK(csim_orient3d(x[1], x[2], x[0], x[3]) == expected);
  CHECK(csim_orient3d(x[3], x[0], x[1], x[2]) == -expected);
}

static void test_orient3d_random(void) {
  int nzero = 0;
  for (int bits = 1; bits <= 58; bits++)
    for (int n = 0; n < 400; n++) {
      int64_t p[4][3];
      for (int i = 0; i < 12; i++) p[i / 3][i % 3] = draw_coordinate(bits);
      nzero += true_orient3d(p) == 0;
      compare3d(p, n % 3 ? 1 : n % 2 ? 0x1p-280 : 0x1p200);
    }
  CHECK(nzero > 100);
}

// d in the plane of a, b, c, or off it by one unit: far below what floating point resolves
static void test_orient3d_near(void) {
  for (int n = 0; n < 20000; n++) {
    int64_t p[4][3], s = draw_within(1000), t = draw_within(1000);
    int bits = 10 + (int)(draw() % 30);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) p[i][k] = draw_within((int64_t)1 << bits);
    for (int k = 0; k < 3; k++)
      p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
    CHECK(true_orient3d(p) == 0);
    compare3d(p, 1);
    p[draw() % 4][draw() % 3] += draw() % 2 ? 1 : -1;
    compare3d(p, 0x1p-60);
  }
}

static void test_orient2d(void) {
  for (int bits = 1; bits <= 58; bits++)
    for (int n = 0; n < 500; n++) {
      int64_t p[3][2];
      double x[3][2];
      for (int i = 0; i < 6; i++) p[i / 2][i % 2] = draw_coordinate(bits);
      if (n % 2 && bits <= 46) {
        int64_t s = draw_within(16);
        for (int k = 0; k < 2; k++) p[2][k] = p[0][k] + s * (p[1][k] - p[0][k]);
        if (n % 4 == 1) p[draw() % 3][draw() % 2] += 1;
      }
      for (int i = 0; i < 6; i++) x[i / 2][i % 2] = (double)p[i / 2][i % 2];
      CHECK(csim_orient2d(x[0], x[1], x[2]) == true_orient2d(p));
      CHECK(csim_orient2d(x[1], x[0], x[2]) == -true_orient2d(p));
    }
}

// Differences that no double holds: coordinates of very different magnitude.
static void test_lost_bits(void) {
  double a[3] = {1e30, 0, 0}, b[3] = {0, 1, 0}, c[3] = {0, 0, 1};
  double d[3] = {1e-30, 1, 0}; // a hair beyond b in x
  CHECK(csim_orient3d(a, b, c, d) == csim_orient3d(a, b, c, (double[]){1e29, 1, 0}));
  CHECK(csim_orient3d(a, b, c, b) == 0);
  d[0] = -1e-30;
  CHECK(csim_orient3d(a, b, c, d) == -csim_orient3d(a, b, c, (double[]){1e29, 1, 0}));
  double p[2] = {0x1p-290, 0x1p-290}, q[2] = {0x1p290, 0x1p290}, r[2] = {1, 1};
  CHECK(csim_orient2d(p, q, r) == 0);
  r[1] = 1 + 0x1p-52;
  CHECK(csim_orient2d(p, q, r) == 1);
  r[1] = 1 - 0x1p-53;
  CHECK(csim_orient2d(p, q, r) == -1);
  double m = CSIM_EXACT_MAX, e = CSIM_EXACT_MIN;
  CHECK(csim_orient3d((double[]){-m, -m, -m}, (double[]){m, -m, -m}, (double[]){-m, m, -m},
                      (double[]){-m, -m, m}) == 1);
  CHECK(csim_orient3d((double[]){0, 0, 0}, (double[]){e, 0, 0}, (double[]){0, e, 0},
                      (double[]){0, 0, e}) == 1);
}

static void test_collinear(void) {
  // 0.1 + 0.2 is not 0.3: points that look collinear and are not, and the other way round
  CHECK(csim_collinear((double[]){0, 0, 0}, (double[]){1, 2, 3}, (double[]){3, 6, 9}));
  CHECK(!csim_collinear((double[]){0, 0, 0}, (double[]){0.1, 0.2, 0.3}, (double[]){0.3, 0.6, 0.9}));
  CHECK(csim_collinear((double[]){1, 1, 1}, (double[]){1, 1, 1}, (double[]){3, 6, 9}));
  CHECK(!csim_collinear((double[]){0, 0, 0}, (double[]){1, 0, 0}, (double[]){2, 0, 1e-80}));
}

static void test_volume_sign(void) {
  const int tri[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  int turned[12];
  for (int i = 0; i < 12; i++) turned[i] = tri[i / 3 * 3 + (3 - i % 3) % 3];
  double vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1};
  // far away and flat by one unit in the last place, where a sum of doubles has no clue
  const double height[] = {1, 1e-10, 1e-100, 0, -1e-100};
  for (int shift = 0; shift < 2; shift++)
    for (int h = 0; h < 5; h++) {
      vert[11] = height[h];
      int expected = height[h] > 0 ? 1 : height[h] < 0 ? -1 : 0;
      CHECK(csim_volume_sign(vert, 4, tri) == expected);
      CHECK(csim_volume_sign(vert, 4, turned) == -expected);
      for (int i = 0; i < 12 && h == 4; i++) vert[i] += i % 3 == 2 ? 0 : 1e9;
    }
  double tilted[12];
  for (int n = 0; n < 200; n++) {
    int64_t p[4][3];
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] = draw_within(1 << 20);
    for (int k = 0; k < 3; k++)
      p[3][k] = p[0][k] + 3 * (p[1][k] - p[0][k]) - 2 * (p[2][k] - p[0][k]);
    if (n % 2) p[3][n % 3]++;
    for (int i = 0; i < 12; i++) tilted[i] = (double)(p[i / 3][i % 3] + ((int64_t)1 << 50));
    CHECK(csim_volume_sign(tilted, 4, tri) == true_orient3d(p));
  }
  CHECK(csim_volume_sign(vert, 0, tri) == 0);
}

int main(void) {
  test_orient2d();
  test_orient3d_random();
  test_orient3d_near();
  test_lost_bits();
  test_collinear();
  test_volume_sign();
  return check_report();
}
