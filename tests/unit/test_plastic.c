// test_plastic: what is bent or pulled beyond its yield point stays so, by closed forms.
#include "check.h"
#include "kit.h"

#include "model/fabric.h"

#include <string.h>

// The share 1 - exp(-r t) flows, however time is divided; hardening leaves H/(1 + H) of what is
// beyond.
static void test_flow(void) {
  for (int n = 1; n <= 64; n *= 4) {
    csim_yield yield = {0.1, 0, 3};
    double set = 0, flowed = 0;
    for (int k = 0; k < n; k++) set += csim_yield_flow(&yield, -0.5 - set, 0.7 / n, &flowed);
    CHECK_NEAR(set, -0.4 * (1 - exp(-3 * 0.7)), 1e-14);
    CHECK_NEAR(flowed, -set, 1e-14);
  }
  csim_yield yield = {0.1, 0.25, 0};
  double flowed = 0, set = csim_yield_flow(&yield, 0.5, 1, &flowed);
  CHECK_NEAR(set, 0.4 / 1.25, 1e-15);
  CHECK_NEAR(0.5 - set, yield.at + yield.hardening * flowed, 1e-15); // it stands at its yield point
  CHECK(csim_yield_flow(&yield, 0.5 - set, 1, &flowed) < 1e-15);
  double before = flowed; // back: it yields at as much in the other direction
  CHECK_NEAR(csim_yield_flow(&yield, -0.3, 1, &flowed), -(0.3 - 0.1 - 0.25 * before) / 1.25, 1e-15);
  CHECK(csim_yield_flow(&yield, 0.05, 1, &flowed) == 0);
}

// A strip bent to curvature K and let go: curvature K - K_y stays, on a grid of triangles and by
// second differences of a shape `grid` alike; a second bend to less does nothing.
static void test_springback(void) {
  enum { N = 20, COLUMNS = 3 };
  const double a = 0.01, K = 60, Ky = 25, B = 1e-4;
  for (int grid = 0; grid < 2; grid++) {
    double x[3 * COLUMNS * (N + 1)], bent[3 * COLUMNS * (N + 1)];
    int tri[6 * N * (COLUMNS - 1)], ntri = 0, nx = COLUMNS - 1;
    for (int j = 0; j <= N; j++)
      for (int i = 0; i < COLUMNS; i++) {
        double *at = x + 3 * (j * COLUMNS + i), *to = bent + 3 * (j * COLUMNS + i);
        double phi = K * a * j, R = a / (2 * sin(K * a / 2)); // chords keep their length
        memcpy(at, (double[]){a * i, 0, a * j}, 3 * sizeof *at);
        memcpy(to, (double[]){a * i, R * (1 - cos(phi)), R * sin(phi)}, 3 * sizeof *to);
      }
    for (int j = 0; j < N; j++)
      for (int i = 0; i < nx; i++) {
        int v = j * COLUMNS + i;
        memcpy(tri + 3 * ntri++, (int[]){v, v + COLUMNS, v + 1}, 3 * sizeof *tri);
        memcpy(tri + 3 * ntri++, (int[]){v + 1, v + COLUMNS, v + COLUMNS + 1}, 3 * sizeof *tri);
      }
    csim_topology t;
    csim_elements hinges = {.kind = &csim_crease_kind};
    csim_part part = {.X = x, .compression = 1};
    CHECK(csim_topology_build(COLUMNS * (N + 1), ntri, tri, &t) == CSIM_OK);
    if (grid)
      csim_network_grid_hinges(nx, N, &part, B, &hinges);
    else
      csim_network_hinges(&t, &part, B, &hinges);
    csim_yield yield = {Ky, 0, 0};
    for (int e = 0; e < hinges.nelem; e++)
      csim_crease_yield(&yield, hinges.param + hinges.kind->nparam * e);
    kit k;
    kit_begin(COLUMNS * (N + 1), x, 1e-3, 1e-3, &k);
    const csim_elements *sets[] = {&hinges};
    CHECK(csim_model_assemble(k.model, 1, sets) == 0);
    CHECK(k.model->nplastic == 2 * hinges.nelem);
    CHECK(csim_state_create(k.model, &k.state) == 0 && k.state.plastic);
    csim_model_yield(NULL, k.model, x, 1, k.state.plastic);
    for (int i = 0; i < k.model->nplastic; i++) CHECK(k.state.plastic[i] == 0);
    csim_model_yield(NULL, k.model, bent, 1, k.state.plastic);
    const csim_energy *energy = k.model->energy;
    double before[2 * 8 * N * COLUMNS];
    memcpy(before, k.state.plastic, (size_t)k.model->nplastic * sizeof *before);
    int along = 0;
    for (int e = 0; e < energy->nelem; e++) {
      const int *v = energy->node + 4 * e;
      double set = fabs(before[2 * e]);
      if (v[0] / COLUMNS == v[1] / COLUMNS) { // about a row
        CHECK_NEAR(set / a, K - Ky, 1e-9 * K);
        CHECK_NEAR(before[2 * e + 1], K - Ky, 1e-9 * K);
        along++;
      } else if (v[0] % COLUMNS == v[1] % COLUMNS) {
        CHECK(set < 1e-12); // about a column, which stays straight
      }
    }
    CHECK(along >= (N - 1) * nx);
    for (int i = 0; i < 3 * COLUMNS * (N + 1); i++) bent[i] = 0.5 * (bent[i] + x[i]);
    csim_model_yield(NULL, k.model, bent, 1, k.state.plastic);
    for (int i = 1; i < k.model->nplastic; i += 2) CHECK(k.state.plastic[i] >= before[i]);
    csim_topology_free(&t);
    csim_elements_free(&hinges);
    csim_state_free(&k.state);
    csim_model_free(k.model);
  }
}

// Pulled along warp a ductile sheet has the modulus E up to the yield strain, then E H/(1 + H);
// unloaded it keeps what has flowed. A triangle of 1 m^2/2 whose weft is free to narrow (nu = 0).
static void test_pull(void) {
  const double E = 700, H = 0.2, at = 0.01, e = 0.05;
  for (int k = 0; k < 2; k++) {
    const csim_energy_kind *kind = k ? &csim_ductile_orthotropic_kind : &csim_ductile_woven_kind;
    csim_moduli moduli = {E, 300, 50, 0, 0, 0, 0};
    csim_yield yield = {at, H, 0};
    double param[CSIM_MAX_PARAM], plastic[4] = {0}, x[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    CHECK(csim_ductile_membrane_param(k ? CSIM_MEMBRANE_ORTHOTROPIC : CSIM_MEMBRANE_WOVEN,
                                      (double[]){0, 0, 1, 0, 0, 1}, &moduli, &yield, param) == 0);
    csim_arena arena = {0};
    csim_energy energy;
    CHECK(csim_energy_create(&arena, kind, 3, 1, (int[]){0, 1, 2}, param, &energy) == 0);
    csim_point point = {.x = x, .plastic = plastic};
    double strain = 0, stress = 0;
    for (int step = 1; step <= 50; step++) {
      double g[9] = {0};
      x[3] = 1 + e * step / 50;
      strain = k ? 0.5 * (x[3] * x[3] - 1) : x[3] - 1;
      csim_energy_yield(NULL, &energy, &point, 1, plastic);
      csim_energy_gradient(NULL, &energy, &point, g);
      stress = g[3] / 0.5 / (k ? x[3] : 1); // second Piola & Kirchhoff's of orthotropic
      double want = strain < at ? E * strain : E * (at + H / (1 + H) * (strain - at));
      CHECK_NEAR(stress, want, 1e-9 * E);
    }
    CHECK_NEAR(plastic[0], strain - stress / E, 1e-12); // what is left when it is let go
    CHECK(plastic[1] == 0 && plastic[3] == 0);          // weft has not been pulled
    csim_arena_free(&arena);
  }
}

int main(void) {
  test_flow();
  test_springback();
  test_pull();
  return check_report();
}
