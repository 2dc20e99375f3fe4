// tests/validate/integrators.c: cases 1 to 4: what one step does to closed forms of motion.
#include "validate.h"

#include "math/vec3.h"

// --------------------------------------------------------------------------------------- 1 free
// fall

void case_free_fall(void) {
  static const setting *const settings[] = {&NEWTON,  &PD,  &PD_ANDERSON, &XPBD,    &XPBD_LINEAR,
                                            &DESCENT, &PBD, &SYMPLECTIC,  &EXPLICIT};
  enum { STEPS = 60 };
  heading("1  free fall: largest error of any vertex after 60 steps, relative to the fall");
  for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
    kit k;
    kit_cloth(6, 1, 0.2, 1000, 1e-4, 1.0 / 60, &k);
    apply(settings[s], 1e-9, &k);
    kit_ready(&k, 2);
    for (int n = 0; n < STEPS; n++) kit_step(&k);
    int explicit_euler = settings[s] == &EXPLICIT;
    double fall = 9.81 * k.h * k.h * STEPS * (explicit_euler ? STEPS - 1 : STEPS + 1) / 2,
           worst = 0;
    for (int i = 0; i < 3 * k.model->nvert; i++)
      worst = fmax(worst, fabs(k.state.x[i] - k.model->x0[i] + (i % 3 == 1 ? fall : 0)));
    expect(settings[s]->name, 0, worst / fall, 1e-12);
    kit_end(&k);
  }
}

// ----------------------------------------------------------------------------- 2 integrator
// identity

static void spring_kit(double wh, double elongation, kit *k) {
  double x[6] = {0, 0, 0, 1 + elongation, 0, 0}, stiff = 50, mass = 0.3;
  kit_begin(2, x, mass, wh / sqrt(stiff / mass), k);
  memset(k->model->gravity, 0, sizeof k->model->gravity);
  kit_pin(k, 0);
  kit_spring(k, 0, 1, stiff, 1);
}

// Largest error over 50 steps against lambda^n of the given modulus and phase. Backward Euler
// starts at rest with u_n + i v_n/w = u_0 conj(lambda)^n; symplectic Euler's u_n = u_0 cos((n +
// 1/2) p) / cos(p/2).
static double amplitude_error(const setting *s, double wh, double modulus, double phase) {
  kit k;
  spring_kit(wh, 0.2, &k);
  apply(s, 1e-14, &k);
  kit_ready(&k, 1);
  double worst = 0;
  for (int n = 1; n <= 50; n++) {
    kit_step(&k);
    double reference = s == &SYMPLECTIC ? cos((n + 0.5) * phase) / cos(0.5 * phase)
                                        : pow(modulus, n) * cos(n * phase);
    worst = fmax(worst, fabs((k.state.x[3] - 1) / 0.2 - reference));
  }
  kit_end(&k);
  return worst;
}

// |lambda| of BDF2 from four consecutive positions: u_{n+1} = 2 Re(lambda) u_n - |lambda|^2 u_{n-1}
// once the parasitic root has died out.
static double bdf2_modulus(double wh) {
  kit k;
  spring_kit(wh, 0.2, &k);
  k.params.tolerance = 1e-15;
  k.params.integrator = CSIM_INTEGRATOR_BDF2;
  kit_ready(&k, 1);
  double u[4] = {0};
  for (int n = 0; n < 60; n++) {
    kit_step(&k);
    memmove(u, u + 1, 3 * sizeof *u);
    u[3] = k.state.x[3] - 1;
  }
  kit_end(&k);
  double det = -u[1] * u[1] + u[0] * u[2];
  return sqrt((u[1] * u[3] - u[2] * u[2]) / -det * -1);
}

void case_integrator(void) {
  static const double wh[3] = {0.1, 0.5, 1.0};
  static const double euler[3][2] = {{0.995037190210, 0.099668652491},
                                     {0.894427191000, 0.463647609001},
                                     {0.707106781187, 0.785398163397}};
  static const double symplectic[3] = {0.100041713612, 0.505360510284, 1.047197551197};
  static const double bdf2[3] = {0.999975609345, 0.990401434583, 0.933321058436};
  static const setting *const settings[] = {&NEWTON, &PD, &XPBD, &XPBD_LINEAR, &DESCENT};
  heading("2  integrator identity: largest error over 50 steps, in amplitudes");
  for (int c = 0; c < 3; c++) {
    char what[80];
    for (size_t s = 0; s < 5; s++) {
      snprintf(what, sizeof what, "%s, h w = %g", settings[s]->name, wh[c]);
      expect(what, 0, amplitude_error(settings[s], wh[c], euler[c][0], euler[c][1]), 1e-10);
    }
    snprintf(what, sizeof what, "symplectic, h w = %g", wh[c]);
    expect(what, 0, amplitude_error(&SYMPLECTIC, wh[c], 1, symplectic[c]), 1e-10);
    snprintf(what, sizeof what, "bdf2 modulus, h w = %g", wh[c]);
    expect(what, bdf2[c], bdf2_modulus(wh[c]), 1e-9);
  }
}

// --------------------------------------------------------------------- 3 edge of explicit
// stability

void case_stability(void) {
  heading("3  symplectic at the edge of stability");
  kit k;
  spring_kit(1.99, 0.02, &k);
  apply(&SYMPLECTIC, 0, &k);
  kit_ready(&k, 1);
  double largest = 0;
  for (int n = 0; n < 100000; n++) {
    kit_step(&k);
    largest = fmax(largest, fabs(k.state.x[3] - 1));
  }
  // its invariant bounds the growth by 1/sqrt(1 - (h w/2)^2)
  expect("h w = 1.99: largest elongation in 1e5 steps, in starts", 1 / sqrt(1 - 0.995 * 0.995),
         largest / 0.02, 1e-2);
  kit_end(&k);
  spring_kit(2.01, 0.02, &k);
  apply(&SYMPLECTIC, 0, &k);
  kit_ready(&k, 1);
  int failed_at = 0;
  csim_step_report report;
  for (int n = 1; n <= 5000 && !failed_at; n++)
    if (csim_step(k.solver, &k.state, &report)) failed_at = n;
  expect("h w = 2.01: gives up (1 = yes)", 1, failed_at > 0, 0);
  expect("h w = 2.01: the state left behind is finite (1 = yes)", 1, isfinite(k.state.x[3]), 0);
  kit_end(&k);
}

// -------------------------------------------------------------------------------- 4 conservation

void case_conservation(void) {
  static const setting *const settings[] = {&NEWTON,      &PD,  &PD_ANDERSON, &XPBD,
                                            &XPBD_LINEAR, &PBD, &SYMPLECTIC,  &EXPLICIT};
  heading("4  spinning free cloth, 200 steps of 1/960 s (explicit: 1e-5 s): drift of momentum, "
          "relative to the sum of |m v|");
  for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
    kit k;
    // explicit Euler feeds every vibration: only a small step keeps it near
    kit_cloth(6, 1, 0.2, 200, 0, settings[s] == &EXPLICIT ? 1e-5 : 1.0 / 960, &k);
    memset(k.model->gravity, 0, sizeof k.model->gravity);
    for (int i = 0; i < k.model->nvert; i++) {
      const double *x = k.model->x0 + 3 * i;
      double v[3] = {0.5 - 4 * x[2], 1.5 * x[0], -0.2 + 4 * x[0]};
      memcpy(k.model->v0 + 3 * i, v, sizeof v);
    }
    apply(settings[s], 1e-10, &k);
    if (settings[s] == &XPBD || settings[s] == &PD) k.params.iterations = 50;
    kit_ready(&k, 2);
    double p[2][3] = {{0}}, L[2][3] = {{0}}, scale = 0;
    for (int when = 0; when < 2; when++) {
      for (int i = 0; i < k.model->nvert; i++) {
        double t[3];
        csim_cross(k.state.x + 3 * i, k.state.v + 3 * i, t);
        csim_add_scaled(k.model->mass[i], k.state.v + 3 * i, p[when]);
        csim_add_scaled(k.model->mass[i], t, L[when]);
        if (!when) scale += k.model->mass[i] * csim_norm(k.state.v + 3 * i);
      }
      for (int n = 0; n < 200 && !when; n++) kit_step(&k);
    }
    char what[80];
    snprintf(what, sizeof what, "%s: linear", settings[s]->name);
    expect(what, 0, csim_distance(p[0], p[1]) / scale, 1e-12);
    if (settings[s] == &SYMPLECTIC) {
      // the invariant of symplectic Euler is sum of m x_n x v_n with x after the step
      expect("symplectic: angular", 0, csim_distance(L[0], L[1]) / scale, 1e-10);
    }
    kit_end(&k);
  }
}
