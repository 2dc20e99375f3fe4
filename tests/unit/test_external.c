// test_external: gravity, damping, wind and drag against their formulas.
#include "check.h"
#include "kit.h"

#include "base/dmath.h"
#include "math/vec3.h"
#include "model/external.h"

#include <stdlib.h>
#include <string.h>

static const double RHO = 1.2, DRAG = 1.3, MASS = 0.01; // [kg/m^3], [-], [kg] of a vertex

// A triangle of area 1/2 in the x-z plane, which only the air and gravity act on.
static void begin(double h, kit *k) {
  static const double x[9] = {0, 0, 0, 0, 0, 1, 1, 0, 0};
  static int face_start[2] = {0, 3}, face[3] = {0, 1, 2};
  kit_begin(3, x, MASS, h, k);
  csim_model *m = k->model;
  csim_mesh *mesh = CSIM_ARENA_NEW(&m->arena, csim_mesh, 1);
  *mesh = (csim_mesh){
      .nvert = 3, .nface = 1, .face_start = face_start, .face_vert = face, .ntri = 1, .tri = face};
  m->nbody = 1;
  m->body = CSIM_ARENA_NEW(&m->arena, csim_body, 1);
  m->body[0] = (csim_body){.name = "sail", .nvert = 3, .mesh = mesh, .drag = DRAG};
  m->air.wind = (csim_wind){.density = RHO, .gust_length = 1};
  CHECK(csim_model_assemble(m, 0, NULL) == 0);
  CHECK(csim_state_create(m, &k->state) == 0);
}

static void blow(kit *k, double h, double v_next[9]) {
  double decay[1], air[9];
  csim_drag drag[1];
  csim_external external = {.model = k->model,
                            .x = k->state.x,
                            .v = k->state.v,
                            .h = h,
                            .decay = decay,
                            .air = air,
                            .drag = drag};
  csim_external_velocity(NULL, &external, v_next);
}

static void set_velocity(kit *k, const double *v) {
  for (int i = 0; i < 3; i++) memcpy(k->state.v + 3 * i, v, 3 * sizeof *v);
}

static void end(kit *k) {
  k->model->body[0].mesh->arena = (csim_arena){0};
  kit_end(k);
}

// Across the surface D = 1/2 rho (A/3) c |w.n|, along it 0.05 of that with |w|; each component then
// is v' = (m v + h m g + h D u) / (m + h D).
static void test_drag(void) {
  static const double winds[4][3] = {{0, 3, 0}, {4, 0, 0}, {2, -1, 0.5}, {0, 0, 0}};
  static const double velocities[3][3] = {{0, 0, 0}, {0, -2, 0}, {1, 3, -2}};
  const double h = 1.0 / 100, n[3] = {0, 1, 0}, share = 0.5 / 3; // of the area, a vertex
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 3; b++) {
      kit k;
      double got[9];
      begin(h, &k);
      memcpy(k.model->air.wind.velocity, winds[a], sizeof winds[a]);
      set_velocity(&k, velocities[b]);
      blow(&k, h, got);
      double w[3], normal, speed;
      csim_sub(velocities[b], winds[a], w);
      normal = fabs(csim_dot(w, n));
      speed = csim_norm(w);
      for (int c = 0; c < 3; c++) {
        double D = 0.5 * RHO * share * DRAG * (c == 1 ? normal : 0.05 * speed);
        double want = (MASS * (velocities[b][c] + h * k.model->gravity[c]) + h * D * winds[a][c]) /
                      (MASS + h * D);
        for (int i = 0; i < 3; i++) CHECK_NEAR(got[3 * i + c], want, 1e-14 * (1 + fabs(want)));
      }
      end(&k);
    }
}

// A sail that falls flat comes to the speed at which drag is its weight,
// v = sqrt(2 m g / (rho c A)), whatever the step.
static void test_terminal_speed(void) {
  for (int coarse = 0; coarse < 2; coarse++) {
    kit k;
    double v[9], h = coarse ? 0.1 : 1e-3;
    begin(h, &k);
    for (int step = 0; step < 4000; step++) {
      blow(&k, h, v);
      memcpy(k.state.v, v, sizeof v);
    }
    double g = fabs(k.model->gravity[1]);
    CHECK(g > 9);
    CHECK_NEAR(v[1], -sqrt(2 * 3 * MASS * g / (RHO * DRAG * 0.5)), 1e-9);
    CHECK_NEAR(v[0], 0, 1e-12);
    end(&k);
  }
}

// Without air: v' = e^(-damping h) v + h g, to the last bit without damping.
static void test_free(void) {
  for (int damped = 0; damped < 2; damped++) {
    kit k;
    double got[9], h = 0.02, v[3] = {1, 2, -3};
    begin(h, &k);
    k.model->air.wind.density = 0;
    k.model->body[0].damping = damped ? 0.7 : 0;
    set_velocity(&k, v);
    blow(&k, h, got);
    for (int c = 0; c < 9; c++) {
      double want = (damped ? exp(-0.7 * h) : 1) * v[c % 3] + h * k.model->gravity[c % 3];
      CHECK_NEAR(got[c], want, damped ? 4e-15 : 0);
    }
    end(&k);
  }
}

// Without turbulence the wind is its mean, exactly; with it gusts average to 0 and have the root
// mean square that external.h says, in proportion to turbulence and speed, and the given size.
static void test_wind(void) {
  csim_wind wind = {.velocity = {3, 0, 4}, .gust_length = 2};
  double u[3], x[3] = {1, 2, 3};
  csim_wind_at(&wind, x, 5, u);
  CHECK(!memcmp(u, wind.velocity, sizeof u));
  for (int strong = 0; strong < 2; strong++) {
    enum { N = 200000 };
    wind.turbulence = strong ? 0.6 : 0.3;
    double mean[3] = {0}, square = 0, steepest = 0;
    unsigned seed = 99;
    for (int i = 0; i < N; i++) {
      double at[3], near[3], v[3], time = 1e3 * (kit_random(&seed) + 0.5);
      for (int c = 0; c < 3; c++) at[c] = 200 * kit_random(&seed);
      csim_wind_at(&wind, at, time, u);
      memcpy(near, at, sizeof near);
      near[i % 3] += 1e-4;
      csim_wind_at(&wind, near, time, v);
      steepest = fmax(steepest, csim_distance(u, v) / 1e-4);
      csim_sub(u, wind.velocity, u);
      csim_add_scaled(1.0 / N, u, mean);
      square += csim_dot(u, u) / N;
    }
    double gust = wind.turbulence * 5; // [m/s]
    CHECK_NEAR(csim_norm(mean), 0, 0.01 * gust);
    CHECK_NEAR(sqrt(square) / gust, 0.76, 0.005);
    // no wave is steeper than 2 pi / length, 1.83 and 0.8 from one to the next: 7.1 in all
    CHECK(steepest < 7.1 * sqrt(0.5) * gust * 2 * CSIM_PI / wind.gust_length);
    CHECK(steepest > gust);
  }
}

// At a point gusts are four sines in time: waves of length L / 1.83^k that travel at 0.7 of the
// wind's speed. The filter with a zero at each of their frequencies lets nothing of them through.
static void test_gust_frequencies(void) {
  const double dt = 0.02, x[3] = {1, 2, 3};
  csim_wind wind = {.velocity = {3, 0, 4}, .gust_length = 2, .turbulence = 0.5};
  double filter[9] = {1}, left[3] = {0}, most = 0;
  for (int k = 0; k < 4; k++) {
    double turn = 2 * cos(2 * CSIM_PI / wind.gust_length * pow(1.83, k) * 0.7 * 5 * dt);
    for (int i = 8; i > 0; i--) filter[i] += (i > 1 ? filter[i - 2] : 0) - turn * filter[i - 1];
  }
  for (int i = 0; i < 9; i++) {
    double u[3];
    csim_wind_at(&wind, x, 10 + i * dt, u);
    csim_sub(u, wind.velocity, u);
    csim_add_scaled(filter[i], u, left);
    most = fmax(most, csim_norm(u));
  }
  CHECK(most > 0.5);
  CHECK_NEAR(csim_norm(left), 0, 1e-11 * most);
}

int main(void) {
  test_drag();
  test_terminal_speed();
  test_free();
  test_wind();
  test_gust_frequencies();
  return check_report();
}
