// A bound of strain: never passed, in no step, and equilibrium with the tension of its closed form.
#include "check.h"
#include "kit.h"
#include "math/vec3.h"
#include "model/bound.h"

#include <math.h>

static const double LIMIT = 0.05;

// k e + q w B'(u), what a strain e pulls by.
static double tension(double k, double q, double limit, double e) {
  double way = limit - CSIM_BOUND_BEGIN * limit;
  csim_v4 u = CSIM_SPLAT4((e - CSIM_BOUND_BEGIN * limit) / way), B[3];
  csim_bound_law(&u, B);
  return k * e + q * way * B[1][0];
}

// The strain that carries a load.
static double strain_under(double k, double q, double limit, double load) {
  double low = 0, high = limit;
  for (int i = 0; i < 60; i++) {
    double e = 0.5 * (low + high);
    *(tension(k, q, limit, e) < load ? &low : &high) = e;
  }
  return low;
}

static double largest_strain(const kit *k) {
  double most = 0;
  csim_point at = {.x = k->state.x};
  for (int n = 0; n < k->model->nenergy; n++) {
    const csim_energy *energy = &k->model->energy[n];
    for (int e = 0; e < energy->nelem && energy->kind->strain; e++)
      most = fmax(most, energy->kind->strain(energy, &at, e));
  }
  return most;
}

// B and its derivatives: by differences, and without a jump at both ends.
static void test_law(void) {
  for (double u = -0.5; u < 1.5; u += 0.01) {
    double d = 1e-6;
    csim_v4 at = CSIM_SPLAT4(u), high = CSIM_SPLAT4(u + d), low = CSIM_SPLAT4(u - d), B[3], H[3],
            L[3];
    csim_bound_law(&at, B);
    csim_bound_law(&high, H);
    csim_bound_law(&low, L);
    CHECK(B[0][0] >= 0 && B[1][0] >= 0 && B[2][0] >= 0);
    for (int k = 0; k < 2; k++)
      CHECK_NEAR((H[k][0] - L[k][0]) / (2 * d), B[k + 1][0], 2 * d + 1e-3 * B[k + 1][0]);
    if (u > 0 && u < 0.99) CHECK_NEAR(B[0][0], u * u * u / (1 - u), 1e-13 * (1 + B[0][0]));
  }
}

// The share of a step ends at nine tenths of what was left, or beyond the whole step.
static void test_room(void) {
  unsigned seed = 4;
  int cut = 0;
  for (int trial = 0; trial < 1000; trial++) {
    double r[3], d[3], to[3];
    for (int c = 0; c < 3; c++) r[c] = kit_random(&seed), d[c] = 0.5 * kit_random(&seed);
    double l = csim_norm(r), end = l * (1.0001 + 0.2 * (kit_random(&seed) + 0.5));
    double t = csim_bound_room(l, r, d, end), most = l + CSIM_BOUND_STEP * (end - l);
    CHECK(t > 0 && t <= 1);
    for (int c = 0; c < 3; c++) to[c] = r[c] + t * d[c];
    if (t < 1) CHECK_NEAR(csim_norm(to), most, 1e-12);
    CHECK(csim_norm(to) <= most + 1e-12);
    cut += t < 1;
  }
  CHECK(cut > 100);
  CHECK(csim_bound_room(1, (double[]){1, 0, 0}, (double[]){1, 0, 0}, 0.9) == 1);
}

// A chain of links falls, is thrown, and comes to rest under a growing load: no link ever has its
// bound's strain, and each that of the weight below it.
static void test_chain(void) {
  enum { LINKS = 8, STEPS = 400 };
  double x[3 * (LINKS + 1)] = {0};
  static const double L = 0.1, K = 50, MASS = 0.01;
  for (int i = 0; i <= LINKS; i++) x[3 * i] = L * i;
  kit k;
  kit_begin(LINKS + 1, x, MASS, 0.01, &k);
  for (int i = 0; i < LINKS; i++) kit_spring(&k, i, i + 1, K, L);
  csim_network_limits(&k.springs, 0, LIMIT, 0, &k.bounds);
  kit_pin(&k, 0);
  kit_ready(&k, 1);
  for (int i = 1; i <= LINKS; i++) k.state.v[3 * i + 1] = 20; // [m/s]
  double most = 0;
  for (int load = 0; load < 3; load++) {
    k.model->gravity[1] = -9.81 * pow(10, load);
    for (int s = 0; s < STEPS; s++) {
      kit_step(&k);
      most = fmax(most, largest_strain(&k));
    }
    for (int s = 0; s < STEPS; s++) { // to rest
      for (int i = 0; i < 3 * (LINKS + 1); i++) k.state.v[i] *= 0.9;
      kit_step(&k);
    }
    for (int i = 0; i < LINKS; i++) {
      double d[3], weight = (LINKS - i) * MASS * -k.model->gravity[1];
      csim_sub(k.state.x + 3 * i + 3, k.state.x + 3 * i, d);
      CHECK_NEAR(csim_norm(d) / L - 1, strain_under(K * L, 10 * K * L, LIMIT, weight), 1e-7);
    }
  }
  CHECK(most > 0.9 * LIMIT);
  CHECK(most < LIMIT);
  kit_end(&k);
}

// A square of two triangles hangs by an edge: the strain of warp is that of a strip under the load.
static void test_membrane(int orthotropic) {
  kit k;
  kit_cloth(1, 1, 0, 1000, 0, 0.01, &k);
  k.springs.nelem = 0;
  csim_moduli moduli = {
      .warp = 500, .weft = 300, .shear = 40, .limit = LIMIT, .stiffening = 3000, .bound = 1};
  kit_membrane(&k, &moduli, orthotropic ? &k.orthotropic : &k.woven);
  for (int i = 0; i < 4; i++) {
    k.model->mass[i] = 1;
    if (k.model->x0[3 * i] < 0) kit_pin(&k, i);
  }
  kit_ready(&k, 1);
  k.model->gravity[1] = 0;
  double most = 0;
  for (int load = 0; load < 3; load++) {
    k.model->gravity[0] = pow(20, load);
    for (int s = 0; s < 300; s++) {
      if (s >= 100)
        for (int i = 0; i < 12; i++) k.state.v[i] *= 0.8;
      kit_step(&k);
      most = fmax(most, largest_strain(&k));
    }
    double e = largest_strain(&k), weight = 2 * k.model->gravity[0];
    if (orthotropic) { // E = (f^2 - 1)/2, force t dE/df = t f
      double f = 1 + e, end = LIMIT + 0.5 * LIMIT * LIMIT;
      double begin = CSIM_BOUND_BEGIN * LIMIT * (1 + 0.5 * CSIM_BOUND_BEGIN * LIMIT);
      csim_v4 u = CSIM_SPLAT4((0.5 * (f * f - 1) - begin) / (end - begin)), B[3];
      csim_bound_law(&u, B);
      CHECK_NEAR(f * (500 * 0.5 * (f * f - 1) + 3000 * (end - begin) * B[1][0]), weight,
                 1e-5 * weight);
    } else {
      CHECK_NEAR(e, strain_under(500, 3000, LIMIT, weight), 1e-7);
    }
  }
  CHECK(most < LIMIT && most > 0.5 * LIMIT);
  kit_end(&k);
}

int main(void) {
  test_law();
  test_room();
  test_chain();
  test_membrane(0);
  test_membrane(1);
  return check_report();
}
