// A bound of strain: never passed, in no step, and equilibrium with the tension of its closed form.
#include "base/dmath.h"
#include "check.h"
#include "kit.h"
#include "math/vec3.h"
#include "model/fabric.h"
#include "model/principal.h"

#include <math.h>
#include <string.h>

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

// Newton's slope: by the chord one iteration goes back to the strain before; where nothing has been
// strained further it is the tangent.
static void test_slope(void) {
  unsigned seed = 5;
  for (int trial = 0; trial < 1000; trial++) {
    double u = 1.1 * kit_random(&seed) + 0.5, from = 1.1 * kit_random(&seed) + 0.5;
    csim_v4 at = CSIM_SPLAT4(u), before = CSIM_SPLAT4(from), B[3], B0[3], slope;
    csim_bound_law(&at, B);
    csim_bound_law(&before, B0);
    csim_bound_slope(&at, &before, &slope);
    CHECK(slope[0] >= 0 && slope[0] <= B[2][0] * (1 + 1e-12));
    if (u - fmax(from, 0) > 2e-3)
      CHECK_NEAR(u - (B[1][0] - B0[1][0]) / slope[0], fmax(from, 0), 1e-9);
    else if (u <= from)
      CHECK(slope[0] == B[2][0]);
  }
}

// The share of a step ends at nine tenths of what was left, or beyond the whole step.
static void test_max_step(void) {
  unsigned seed = 4;
  int cut = 0;
  for (int trial = 0; trial < 1000; trial++) {
    double r[3], d[3], to[3];
    for (int c = 0; c < 3; c++) r[c] = kit_random(&seed), d[c] = 0.5 * kit_random(&seed);
    double l = csim_norm(r), end = l * (1.0001 + 0.2 * (kit_random(&seed) + 0.5));
    double t = csim_bound_max_step(l, r, d, end), most = l + CSIM_BOUND_STEP * (end - l);
    CHECK(t > 0 && t <= 1);
    for (int c = 0; c < 3; c++) to[c] = r[c] + t * d[c];
    if (t < 1) CHECK_NEAR(csim_norm(to), most, 1e-12);
    CHECK(csim_norm(to) <= most + 1e-12);
    cut += t < 1;
  }
  CHECK(cut > 100);
  CHECK(csim_bound_max_step(1, (double[]){1, 0, 0}, (double[]){1, 0, 0}, 0.9) == 1);
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

// A weight that rests on its link is thrown at the bound: the initial guess goes up to nine tenths
// of what is left, where the link pulls back far too hard. Newton finds back in a few iterations,
// also where the link ends more stretched than before. By tangents each of these took 8 to 10, by
// chords from the start of the step up to 37.
static void test_thrown(double speed) {
  enum { MOST = 8 };
  static const double L = 0.1, K = 50, MASS = 1;
  double x[6] = {0, 0, 0, 0, -L, 0};
  kit k;
  kit_begin(2, x, MASS, 0.01, &k);
  kit_spring(&k, 0, 1, K, L);
  csim_network_limits(&k.springs, 0, LIMIT, 0, &k.bounds);
  kit_pin(&k, 0);
  kit_ready(&k, 1);
  k.model->gravity[1] = -98.1;
  for (int s = 0; s < 400; s++) { // to rest
    for (int i = 0; i < 6; i++) k.state.v[i] *= 0.9;
    kit_step(&k);
  }
  k.state.v[4] = -speed;
  csim_step_report report;
  CHECK(csim_step(k.solver, &k.state, &report) == 0);
  CHECK(report.method.outcome == CSIM_OUTCOME_CONVERGED);
  CHECK(report.iterations <= MOST);
  CHECK(largest_strain(&k) < LIMIT);
  kit_end(&k);
}

// The larger singular value after a share of a step ends at nine tenths of what was left.
static void test_principal_max_step(void) {
  unsigned seed = 6;
  int cut = 0;
  for (int trial = 0; trial < 2000; trial++) {
    double F[6], D[6];
    for (int k = 0; k < 6; k++) F[k] = kit_random(&seed), D[k] = 0.5 * kit_random(&seed);
    if (trial % 3 == 0) // along one direction only, where singular values cross
      for (int k = 0; k < 6; k++) F[k] = k % 4 == 0, D[k] = k == 4 ? 0.5 : 0;
    double l = csim_principal_largest(F, D, 0), end = l * (1.0001 + 0.2 * (trial % 7) / 7);
    double t = csim_principal_max_step(F, D, end), most = l + CSIM_BOUND_STEP * (end - l);
    CHECK(t > 0 && t <= 1);
    CHECK(csim_principal_largest(F, D, t) <= most);
    if (t < 1) CHECK_NEAR(csim_principal_largest(F, D, t), most, 1e-8);
    cut += t < 1;
  }
  CHECK(cut > 500);
  double F[6] = {1, 0, 0, 0, 1, 0}, turned[6] = {0, 1, 0, -1, 0, 0};
  CHECK(csim_principal_max_step(F, F, 0.9) == 1);
  CHECK(csim_principal_max_step(F, turned, 1.1) < 0.45); // turning by a straight way stretches
}

// A membrane on k's cloth whose warp is at an angle [rad] to x.
static void add_membrane(kit *k, const csim_moduli *moduli, double angle, int orthotropic) {
  enum { MOST = 32 };
  const csim_mesh *mesh = k->model->body[0].mesh;
  double flat[6 * MOST], turn[MOST], axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  csim_moduli of_tri[MOST];
  CHECK(mesh->ntri <= MOST);
  for (int t = 0; t < mesh->ntri; t++) turn[t] = angle, of_tri[t] = *moduli;
  csim_fabric_lay(mesh->ntri, mesh->tri, mesh->vert, axes, flat);
  csim_fabric_turn(mesh->ntri, turn, flat);
  csim_fabric_membrane(mesh->ntri, mesh->tri, &(csim_part){.vert0 = 0}, flat, of_tri, NULL,
                       orthotropic ? &k->orthotropic : &k->woven);
  k->springs.nelem = 0;
  k->model->has_bounds = 1;
}

// A square sheet that is held at one edge and pulled at the other, its warp at an angle [rad] to
// the pull. Moduli are isotropic without Poisson's ratio, so that it stretches by the same
// everywhere, whatever the angle, as the bound does.
//   woven, angle 0:  load = E e + q w B'     orthotropic:  load = f E (f^2 - 1)/2 + q w B', f = 1 +
//   e
static void test_membrane(double angle, int orthotropic) {
  enum { CELLS = 3 };
  static const double E = 500, Q = 3000;
  csim_moduli moduli = {
      .warp = E, .weft = E, .shear = 0.5 * E, .limit = LIMIT, .stiffening = Q, .bound = 1};
  kit k;
  kit_cloth(CELLS, 1, 0, 1000, 0, 0.01, &k);
  add_membrane(&k, &moduli, angle, orthotropic);
  for (int i = 0; i < k.model->nvert; i++) {
    double u = k.model->x0[3 * i], v = k.model->x0[3 * i + 2];
    k.model->mass[i] = fabs(u) < 0.49 ? 1e-9 : fabs(v) < 0.49 ? 1.0 / CELLS : 0.5 / CELLS;
    if (u < -0.49) kit_pin(&k, i);
  }
  kit_ready(&k, 1);
  k.model->gravity[1] = 0;
  double most = 0;
  for (int load = 0; load < 3; load++) {
    double weight = k.model->gravity[0] = pow(50, load); // [N/m] of an edge of 1 m
    for (int s = 0; s < 300; s++) {
      for (int i = 0; i < k.state.nvert * 3 && s >= 100; i++) k.state.v[i] *= 0.8;
      kit_step(&k);
      most = fmax(most, largest_strain(&k));
    }
    for (int i = 0; i < k.model->nvert; i++) {
      double f = 0.5 + k.state.x[3 * i], e = f - 1;
      if (k.model->x0[3 * i] < 0.49) continue;
      double own = orthotropic ? f * E * 0.5 * (f * f - 1) : E * e;
      CHECK_NEAR(own + tension(0, Q, LIMIT, e), weight, 1e-4 * weight);
    }
  }
  CHECK(most > 0.9 * LIMIT);
  CHECK(most < LIMIT);
  kit_end(&k);
}

// A sheet sheared by g: its larger stretch is s = g/2 + sqrt(1 + g^2/4), of a line that is neither
// warp nor weft. The force of that shear is dE/dg = A q w B'(s - 1) ds/dg.
static void test_shear(void) {
  static const double Q = 3000;
  csim_moduli moduli = {.limit = LIMIT, .stiffening = Q, .bound = 1};
  kit k;
  kit_cloth(1, 1, 0, 1000, 0, 0.01, &k);
  add_membrane(&k, &moduli, 0, 0);
  kit_ready(&k, 1);
  for (double g = 0.01; g < 0.095; g += 0.005) {
    double x[12], force[12] = {0}, pull = 0;
    for (int i = 0; i < 4; i++) {
      const double *X = k.model->x0 + 3 * i;
      memcpy(x + 3 * i, X, 3 * sizeof *x);
      x[3 * i] += g * X[2];
    }
    csim_point at = {.x = x};
    csim_energy_gradient(k.pool, &k.model->energy[0], &at, force);
    for (int i = 0; i < 4; i++) pull += k.model->x0[3 * i + 2] * force[3 * i];
    double root = sqrt(1 + 0.25 * g * g), s = 0.5 * g + root;
    double want = tension(0, Q, LIMIT, s - 1) * (0.5 + 0.25 * g / root);
    CHECK_NEAR(pull, want, 1e-9 * (1 + want));
    CHECK(want > 0 || s - 1 <= CSIM_BOUND_BEGIN * LIMIT);
  }
  kit_end(&k);
}

// The share of a step of many triangles is the least share of each alone, with every kernel.
static void test_shares_of_many(void) {
  enum { CELLS = 4 };
  csim_moduli moduli = {.limit = LIMIT, .stiffening = 3000, .bound = 1};
  kit k;
  unsigned seed = 7;
  kit_cloth(CELLS, 1, 0, 1000, 0, 0.01, &k);
  add_membrane(&k, &moduli, 0.3, 0);
  kit_ready(&k, 1);
  csim_energy energy = k.model->energy[0];
  double d[3 * (CELLS + 1) * (CELLS + 1)];
  csim_point at = {.x = k.model->x0};
  for (int trial = 0; trial < 200; trial++) {
    double size = trial % 2 ? 0.1 : 0.01;
    for (int i = 0; i < 3 * k.model->nvert; i++) d[i] = size * kit_random(&seed);
    for (energy.isa = 0; energy.isa <= csim_simd_best(); energy.isa++) {
      double alone = 1, share = energy.kind->max_step(&energy, &at, d, 0, energy.nelem);
      for (int e = 0; e < energy.nelem; e++)
        alone = fmin(alone, energy.kind->max_step(&energy, &at, d, e, e + 1));
      CHECK(share == alone);
      CHECK(share > 0 && (trial % 2 == 0 || share < 1));
    }
  }
  kit_end(&k);
}

int main(void) {
  test_law();
  test_slope();
  test_max_step();
  test_chain();
  for (int k = 0; k < 6; k++) test_thrown((double[]){0.01, 0.1, 0.3, 1, 2, 5}[k]);
  test_principal_max_step();
  for (int orthotropic = 0; orthotropic < 2; orthotropic++) test_membrane(0, orthotropic);
  test_membrane(CSIM_PI / 6, 1);
  test_membrane(CSIM_PI / 4, 1);
  test_shear();
  test_shares_of_many();
  return check_report();
}
