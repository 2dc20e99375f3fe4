// test_validate: every method against closed forms and numbers that no one here wrote (the cases are those
// of validation.md). Without arguments: the cases that take seconds. --all: all of them, printed as a
// table of case, reference, ours, error, verdict; --curve FILE.svg draws case 8.
#include "check.h"
#include "kit.h"

#include "io/tetrahedralize.h"
#include "math/vec3.h"
#include "mesh/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int verbose, all;
static const char *curve_file;

// One line of the table.
static void expect(const char *what, double reference, double ours, double tolerance) {
  double error = fabs(ours - reference);
  int ok = error <= tolerance;
  check_that(ok, __FILE__, __LINE__, "%s: %.12g, expected %.12g +- %.3g", what, ours, reference, tolerance);
  if (verbose)
    printf("%-58s %16.9g %16.9g %10.2e %10.2e  %s\n", what, reference, ours, error, tolerance,
           ok ? "ok" : "MISSED");
}

static void heading(const char *text) {
  if (verbose) printf("\n%s\n", text);
}

// A way to solve a step, as a scene would name it.
typedef struct setting {
  const char *name, *method;
  csim_linear linear;
  csim_acceleration acceleration;
  csim_projection projection;
  csim_preconditioner preconditioner;
  int iterations;
} setting;

static const setting NEWTON = {.name = "newton", .method = "newton", .linear = CSIM_LINEAR_CHOLESKY, .iterations = 100};
static const setting PD = {.name = "pd", .method = "pd", .iterations = 20000};
static const setting PD_ANDERSON = {.name = "pd anderson", .method = "pd",
                                    .acceleration = CSIM_ACCELERATION_ANDERSON, .iterations = 5000};
static const setting XPBD = {.name = "xpbd", .method = "xpbd", .iterations = 20000};
static const setting XPBD_LINEAR = {.name = "xpbd linear", .method = "xpbd", .projection = CSIM_PROJECTION_LINEAR, .iterations = 200};
static const setting DESCENT = {.name = "descent", .method = "descent", .iterations = 20000};
static const setting SYMPLECTIC = {.name = "symplectic", .method = "symplectic", .iterations = 1};
static const setting EXPLICIT = {.name = "explicit", .method = "explicit", .iterations = 1};
static const setting PBD = {.name = "pbd", .method = "pbd", .iterations = 20};

static void apply(const setting *s, double tolerance, kit *k) {
  k->params.method = s->method;
  k->params.linear = s->linear;
  k->params.acceleration = s->acceleration;
  k->params.projection = s->projection;
  k->params.preconditioner = s->preconditioner;
  k->params.iterations = s->iterations;
  k->params.tolerance = tolerance;
  k->params.linear_tolerance = 1e-13;
}

// --------------------------------------------------------------------------------------- 1 free fall

static void case_free_fall(void) {
  static const setting *const settings[] = {&NEWTON, &PD, &PD_ANDERSON, &XPBD, &XPBD_LINEAR, &DESCENT, &PBD, &SYMPLECTIC, &EXPLICIT};
  enum { STEPS = 60 };
  heading("1  free fall: largest error of any vertex after 60 steps, relative to the fall");
  for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
    kit k;
    kit_cloth(6, 1, 0.2, 1000, 1e-4, 1.0 / 60, &k);
    apply(settings[s], 1e-9, &k);
    kit_ready(&k, 2);
    for (int n = 0; n < STEPS; n++) kit_step(&k);
    int explicit_euler = settings[s] == &EXPLICIT;
    double fall = 9.81 * k.h * k.h * STEPS * (explicit_euler ? STEPS - 1 : STEPS + 1) / 2, worst = 0;
    for (int i = 0; i < 3 * k.model->nvert; i++)
      worst = fmax(worst, fabs(k.state.x[i] - k.model->x0[i] + (i % 3 == 1 ? fall : 0)));
    expect(settings[s]->name, 0, worst / fall, 1e-12);
    kit_end(&k);
  }
}

// ----------------------------------------------------------------------------- 2 integrator identity

static void spring_kit(double wh, double elongation, kit *k) {
  double x[6] = {0, 0, 0, 1 + elongation, 0, 0}, stiff = 50, mass = 0.3;
  kit_begin(2, x, mass, wh / sqrt(stiff / mass), k);
  memset(k->model->gravity, 0, sizeof k->model->gravity);
  kit_pin(k, 0);
  kit_spring(k, 0, 1, stiff, 1);
}

// Largest error over 50 steps against lambda^n of the given modulus and phase. Backward Euler starts at
// rest with u_n + i v_n/w = u_0 conj(lambda)^n; symplectic Euler's u_n = u_0 cos((n + 1/2) p) / cos(p/2).
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

static void case_integrator(void) {
  static const double wh[3] = {0.1, 0.5, 1.0};
  static const double euler[3][2] = {{0.995037190210, 0.099668652491}, {0.894427191000, 0.463647609001}, {0.707106781187, 0.785398163397}};
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

// --------------------------------------------------------------------- 3 edge of explicit stability

static void case_stability(void) {
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
  expect("h w = 1.99: largest elongation in 1e5 steps, in starts", 1 / sqrt(1 - 0.995 * 0.995), largest / 0.02, 1e-2);
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

static void case_conservation(void) {
  static const setting *const settings[] = {&NEWTON, &PD, &PD_ANDERSON, &XPBD, &XPBD_LINEAR, &PBD, &SYMPLECTIC, &EXPLICIT};
  heading("4  spinning free cloth, 200 steps of 1/960 s (explicit: 1e-5 s): drift of momentum, relative to the sum of |m v|");
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

// ------------------------------------------------------------------------------------ 5 catenary

// Sag of a chain of n links, span 1 m, length 1.2 m, 0.12 kg, EA 200 N; NULL node = middle only.
static void hang_chain(const setting *s, int links, double h, int steps, double tolerance, double *x_out) {
  double *x = calloc((size_t)(3 * (links + 1)), sizeof *x);
  for (int i = 0; i <= links; i++) {
    x[3 * i] = (double)i / links;
    x[3 * i + 1] = -1.2 * i * (links - i) / ((double)links * links);
  }
  kit k;
  kit_begin(links + 1, x, 0.12 / links, h, &k);
  kit_pin(&k, 0);
  kit_pin(&k, links);
  for (int i = 0; i < links; i++) kit_spring(&k, i, i + 1, 200 * links / 1.2, 1.2 / links);
  apply(s, tolerance, &k);
  k.model->body[0].damping = s == &EXPLICIT || s == &SYMPLECTIC ? 6 : 0;
  kit_ready(&k, 1);
  for (int n = 0; n < steps; n++) kit_step(&k);
  memcpy(x_out, k.state.x, (size_t)(3 * (links + 1)) * sizeof *x);
  kit_end(&k);
  free(x);
}

static void case_catenary(void) {
  static const double node[5][2] = {{0.078412511144, -0.091390185330}, {0.167592416802, -0.172232126820},
                                    {0.268593140137, -0.237630383988}, {0.380721032902, -0.281192262702},
                                    {0.500000000000, -0.296638957157}};
  static const struct {
    const setting *s;
    double h, tolerance, allowed;
    int steps;
  } runs[] = {{&NEWTON, 0.1, 1e-12, 1e-8, 1500},      {&PD, 0.02, 1e-10, 1e-6, 3000},
              {&PD_ANDERSON, 0.02, 1e-10, 1e-6, 3000}, {&XPBD, 0.005, 1e-10, 1e-6, 4000},
              {&XPBD_LINEAR, 0.1, 1e-11, 1e-8, 1500}, {&SYMPLECTIC, 2e-4, 0, 1e-6, 60000}, {&EXPLICIT, 1e-5, 0, 1e-6, 1000000}};
  heading("5  hanging chain of 10 links: largest error of any node [m]");
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
    if (!all && runs[r].s == &EXPLICIT) continue;
    double x[33], worst = 0;
    hang_chain(runs[r].s, 10, runs[r].h, runs[r].steps, runs[r].tolerance, x);
    for (int i = 1; i <= 5; i++)
      for (int c = 0; c < 2; c++) worst = fmax(worst, fabs(x[3 * i + c] - node[i - 1][c]));
    expect(runs[r].s->name, 0, worst, runs[r].allowed);
  }
  double error[3];
  for (int r = 0; r < 3; r++) {
    int links = 8 << r;
    double x[3 * 33];
    hang_chain(&NEWTON, links, 0.1, 1500, 1e-11, x);
    error[r] = -x[3 * (links / 2) + 1] - 0.295111058;
  }
  expect("order of the error against the continuum, 8 to 16 links", 2, log2(error[0] / error[1]), 0.1);
  expect("order of the error against the continuum, 16 to 32 links", 2, log2(error[1] / error[2]), 0.1);
}

// ------------------------------------------------------------------------- 6 residual of a step

// max |M (x2 - 2 x1 + x0)/h^2 - f(x2) - M g| over free vertices, in mean weights.
static double euler_residual(const kit *k, const double *x0, const double *x1, const double *x2) {
  int n = k->model->nvert;
  double *r = calloc((size_t)(3 * n), sizeof *r), weight = 0, worst = 0;
  for (int i = 0; i < n; i++) {
    weight += k->model->mass[i] * 9.81 / n;
    for (int c = 0; c < 3; c++) {
      int j = 3 * i + c;
      r[j] = k->model->mass[i] * ((x2[j] - 2 * x1[j] + x0[j]) / (k->h * k->h) + (c == 1 ? 9.81 : 0));
    }
  }
  for (int e = 0; e < k->springs.nelem; e++) {
    int a = k->springs.node[2 * e], b = k->springs.node[2 * e + 1];
    double d[3];
    csim_sub(x2 + 3 * a, x2 + 3 * b, d);
    double f = k->springs.param[4 * e] * (1 - k->springs.param[4 * e + 1] / csim_norm(d));
    csim_add_scaled(f, d, r + 3 * a);
    csim_add_scaled(-f, d, r + 3 * b);
  }
  for (int i = 0; i < n; i++)
    if (!k->model->fixed[i]) worst = fmax(worst, fmax(fabs(r[3 * i]), fmax(fabs(r[3 * i + 1]), fabs(r[3 * i + 2]))) / weight);
  free(r);
  return worst;
}

static void case_residual(void) {
  static const struct {
    setting s;
    double tolerance, allowed;
  } runs[] = {
      {{.name = "newton cholesky", .method = "newton", .linear = CSIM_LINEAR_CHOLESKY, .iterations = 100}, 1e-8, 1e-6},
      {{.name = "newton pcg", .method = "newton", .linear = CSIM_LINEAR_PCG, .iterations = 100}, 1e-8, 1e-6},
      {{.name = "newton pcg ichol", .method = "newton", .linear = CSIM_LINEAR_PCG, .preconditioner = CSIM_PRECONDITIONER_ICHOL, .iterations = 100}, 1e-8, 1e-6},
      {{.name = "pd", .method = "pd", .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "pd anderson", .method = "pd", .acceleration = CSIM_ACCELERATION_ANDERSON, .iterations = 5000}, 1e-5, 1e-4},
      {{.name = "pd lbfgs", .method = "pd", .acceleration = CSIM_ACCELERATION_LBFGS, .iterations = 5000}, 1e-5, 1e-4},
      {{.name = "pd chebyshev", .method = "pd", .acceleration = CSIM_ACCELERATION_CHEBYSHEV, .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "descent nesterov", .method = "descent", .acceleration = CSIM_ACCELERATION_NESTEROV, .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "xpbd", .method = "xpbd", .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "xpbd linear", .method = "xpbd", .projection = CSIM_PROJECTION_LINEAR, .iterations = 200}, 1e-6, 1e-4},
  };
  heading("6  residual of the step's own equation, falling 12 x 12 cloth on two pins, 20 steps of 1/240 s");
  for (size_t s = 0; s < sizeof runs / sizeof *runs; s++) {
    kit k;
    kit_cloth(12, 1, 0.2, 500, 0, 1.0 / 240, &k);
    kit_pin(&k, 0);
    kit_pin(&k, 12);
    apply(&runs[s].s, runs[s].tolerance, &k);
    kit_ready(&k, 2);
    size_t bytes = 3 * (size_t)k.model->nvert * sizeof(double);
    double *x0 = malloc(bytes), *x1 = malloc(bytes), worst = 0;
    memcpy(x1, k.state.x, bytes);
    memcpy(x0, x1, bytes);
    for (int n = 0; n < 20; n++) {
      kit_step(&k);
      if (n > 0) worst = fmax(worst, euler_residual(&k, x0, x1, k.state.x));
      memcpy(x0, x1, bytes);
      memcpy(x1, k.state.x, bytes);
    }
    expect(runs[s].s.name, 0, worst, runs[s].allowed);
    free(x0);
    free(x1);
    kit_end(&k);
  }
}

// --------------------------------------------------------------------------- 7 statics of solvers

static void case_statics(void) {
  static const struct {
    const setting *s;
    double tolerance;
  } runs[] = {{&NEWTON, 1e-9}, {&PD_ANDERSON, 1e-7}, {&XPBD_LINEAR, 1e-8}, {&XPBD, 1e-6}};
  heading("7  cloth of 10 x 10 cells hanging from an edge, at rest: largest distance to newton's, in cloth sizes");
  double *reference = NULL;
  for (size_t s = 0; s < sizeof runs / sizeof *runs; s++) {
    if (!all && runs[s].s == &XPBD) continue;
    kit k;
    kit_cloth(10, 1, 0.2, 500, 1e-3, 1.0 / 60, &k);
    for (int i = 0; i <= 10; i++) kit_pin(&k, i);
    for (int i = 0; i < k.model->nvert; i++) { // start hanging, so that rest is near
      double *x = k.model->x0 + 3 * i;
      x[1] = -(x[2] + 0.5);
      x[2] = 0;
    }
    k.model->body[0].damping = 3;
    apply(runs[s].s, runs[s].tolerance, &k);
    kit_ready(&k, 2);
    for (int n = 0; n < 600; n++) kit_step(&k);
    if (!reference) {
      reference = malloc(3 * (size_t)k.model->nvert * sizeof *reference);
      memcpy(reference, k.state.x, 3 * (size_t)k.model->nvert * sizeof *reference);
    } else {
      double worst = 0;
      for (int i = 0; i < k.model->nvert; i++) worst = fmax(worst, csim_distance(k.state.x + 3 * i, reference + 3 * i));
      expect(runs[s].s->name, 0, worst, 1e-5);
    }
    kit_end(&k);
  }
  free(reference);
}

// ------------------------------------------------------------------------------- linear solvers

static void case_linear(void) {
  static const struct {
    const char *name;
    csim_linear linear;
    csim_preconditioner preconditioner;
    csim_pin_mode pins;
  } runs[] = {{"cholesky", CSIM_LINEAR_CHOLESKY, 0, 0},
              {"pcg block-jacobi", CSIM_LINEAR_PCG, CSIM_PRECONDITIONER_JACOBI, 0},
              {"pcg incomplete cholesky", CSIM_LINEAR_PCG, CSIM_PRECONDITIONER_ICHOL, 0},
              {"jacobi", CSIM_LINEAR_JACOBI, 0, 0},
              {"chebyshev-jacobi", CSIM_LINEAR_CHEBYSHEV_JACOBI, 0, 0},
              {"cholesky, pins by counter-force", CSIM_LINEAR_CHOLESKY, 0, CSIM_PINS_COUNTER_FORCE},
              {"xpbd's linear system", 0, 0, 0}};
  heading("L  the same 30 steps solved to 1e-9 by every linear solver: largest distance to cholesky's [m]");
  double reference[3 * 81];
  for (size_t s = 0; s < sizeof runs / sizeof *runs; s++) {
    kit k;
    kit_cloth(8, 1, 0.2, 300, 1e-4, 1.0 / 240, &k);
    kit_pin(&k, 0);
    kit_pin(&k, 8);
    apply(s == 6 ? &XPBD_LINEAR : &NEWTON, 1e-9, &k);
    k.params.linear = runs[s].linear;
    k.params.preconditioner = runs[s].preconditioner;
    k.params.pins = runs[s].pins;
    k.params.linear_tolerance = 1e-10;
    k.params.jacobi_alpha = 0.6;
    k.params.chebyshev_rho = 0.95;
    kit_ready(&k, 2);
    for (int n = 0; n < 30; n++) kit_step(&k);
    double worst = 0;
    if (s == 0) memcpy(reference, k.state.x, sizeof reference);
    for (int i = 0; i < 81; i++) worst = fmax(worst, csim_distance(k.state.x + 3 * i, reference + 3 * i));
    if (s > 0) expect(runs[s].name, 0, worst, 1e-8);
    kit_end(&k);
  }
}

// ------------------------------------------------------------------------------ 8 Liu's curve

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_curve(const int *at, const double *error, int n) {
  FILE *f = curve_file ? fopen(curve_file, "w") : NULL;
  if (!f) return;
  fputs("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 400' font-family='sans-serif' font-size='13'>\n"
        "<rect width='640' height='400' fill='white'/>\n", f);
  for (int d = 0; d <= 3; d++)
    fprintf(f, "<path d='M%d 30V350' stroke='#ddd'/><text x='%d' y='370' text-anchor='middle'>%g</text>\n",
            70 + 180 * d, 70 + 180 * d, pow(10, d));
  for (int d = 0; d <= 5; d++)
    fprintf(f, "<path d='M70 %dH610' stroke='#ddd'/><text x='60' y='%d' text-anchor='end'>1e-%d</text>\n",
            30 + 64 * d, 35 + 64 * d, d);
  fputs("<path fill='none' stroke='#c33' stroke-width='2' d='", f);
  for (int i = 0; i < n; i++)
    fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', 70 + 180 * log10(at[i]), 30 - 64 * log10(error[i] / error[0]));
  fputs("'/>\n<text x='340' y='392' text-anchor='middle'>iterations of pd</text>"
        "<text x='340' y='20' text-anchor='middle'>distance to the exact step, relative to the first iteration (81 x 81 curtain)</text>\n</svg>\n", f);
  fclose(f);
}

static void case_liu(void) {
  static const int at[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
  enum { N = sizeof at / sizeof *at };
  heading("8  pd on an 81 x 81 curtain, one step: distance to the exact step against iterations");
  double error[N], *exact = NULL, *start = NULL, *velocity = NULL;
  for (int run = -1; run < N; run++) {
    kit k;
    csim_mesh mesh;
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {80, 80}};
    CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
    csim_topology topology;
    CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
    kit_begin(mesh.nvert, mesh.vert, 1.0 / mesh.nvert, 1.0 / 30, &k);
    csim_part part = {.X = mesh.vert, .compression = 1, .spring = 80};
    csim_network_mesh(&topology, &part, 1, &k.springs);
    csim_network_grid_bend(80, 80, &part, 80, &k.springs);
    csim_topology_free(&topology);
    *k.model->body[0].mesh = mesh;
    kit_pin(&k, 0);
    kit_pin(&k, 80);
    setting s = PD;
    s.iterations = run < 0 ? 10 : at[run];
    apply(run < 0 ? &NEWTON : &s, run < 0 ? 1e-9 : 0, &k);
    if (run < 0) {
      k.params.linear = CSIM_LINEAR_PCG;
      k.params.preconditioner = CSIM_PRECONDITIONER_ICHOL;
      k.params.linear_tolerance = 1e-6;
    }
    kit_ready(&k, run < 0 ? 2 : 1);
    size_t bytes = 3 * (size_t)k.model->nvert * sizeof(double);
    if (run < 0) { // swing for a third of a second, then the step in question, exactly
      start = malloc(bytes), velocity = malloc(bytes), exact = malloc(bytes);
      for (int n = 0; n < 10; n++) kit_step(&k);
      memcpy(start, k.state.x, bytes);
      memcpy(velocity, k.state.v, bytes);
      kit_step(&k);
      memcpy(exact, k.state.x, bytes);
      if (verbose) printf("%d vertices, %d springs\n", k.model->nvert, k.springs.nelem);
    } else {
      memcpy(k.state.x, start, bytes);
      memcpy(k.state.v, velocity, bytes);
      double t0 = seconds();
      kit_step(&k);
      double t = seconds() - t0;
      error[run] = 0;
      for (int i = 0; i < 3 * k.model->nvert; i++) error[run] += (k.state.x[i] - exact[i]) * (k.state.x[i] - exact[i]);
      error[run] = sqrt(error[run]);
      if (verbose) printf("%6d iterations: %.6e of the first; %.2f ms an iteration with the prefactor in it, one thread\n",
                          at[run], error[run] / error[0], 1e3 * t / at[run]);
    }
    kit_end(&k);
  }
  int monotone = 1;
  for (int i = 1; i < N; i++) monotone &= error[i] < error[i - 1];
  expect("monotone (1 = yes)", 1, monotone, 0);
  expect("error(10) / error(1) <= 0.6", 0, error[4] / error[0], 0.6);
  expect("error(1000) / error(1) <= 5e-3", 0, error[10] / error[0], 5e-3);
  draw_curve(at, error, N);
  free(start);
  free(velocity);
  free(exact);
}

// ------------------------------------------------------------------------------- 9 heavy elastica

// Drop over reach of a cantilever strip: N cells free beyond two clamped rows, L = (N + 1/2) a.
static double cantilever(double gamma, int N, int width, int same_diagonals, const csim_energy_kind *bending) {
  double a = 1.0 / (N + 0.5), B = 1e-4, rho = gamma * B / 9.81;
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {(N + 1) * a, width * a}, .cells = {N + 1, width}, .same_diagonals = same_diagonals};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  for (int i = 0; i < mesh.nvert; i++) mesh.vert[3 * i] += (N + 1) * a / 2 - a; // last clamped row at 0
  kit k;
  kit_begin(mesh.nvert, mesh.vert, 0, 0.05, &k);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, k.model->mass);
  for (int i = 0; i < mesh.nvert; i++) k.model->mass[i] *= rho;
  csim_part part = {.X = mesh.vert, .compression = 1};
  // stiff enough that stretching under the whole weight stays below 1e-4
  csim_network_mesh(&topology, &part, 1e4 * rho * 9.81, &k.springs);
  if (bending == &csim_dihedral_kind)
    csim_network_hinges(&topology, &part, B, &k.dihedral);
  else
    csim_network_grid_hinges(N + 1, width, &part, B, bending == &csim_quadratic_kind ? &k.quadratic : &k.cotangent);
  csim_topology_free(&topology);
  *k.model->body[0].mesh = mesh;
  for (int j = 0; j <= width; j++) {
    kit_pin(&k, j * (N + 2));
    kit_pin(&k, j * (N + 2) + 1);
  }
  k.params.tolerance = 1e-7;
  kit_ready(&k, 2);
  double last = 0, drop = 0, reach = 1;
  for (int n = 0; n < 2000; n++) {
    kit_step(&k);
    const double *tip = k.state.x + 3 * ((width / 2) * (N + 2) + N + 1);
    drop = -tip[1], reach = tip[0] + a / 2;
    if (n > 20 && fabs(drop - last) < 1e-9) break;
    last = drop;
  }
  kit_end(&k);
  return drop / reach;
}

static void case_elastica(void) {
  static const double gamma[6] = {1, 2, 5, 8, 10, 20};
  static const double ratio[6] = {0.124562, 0.246673, 0.585721, 0.884330, 1.066802, 1.863930};
  static const struct {
    const char *name;
    const csim_energy_kind *kind;
  } kinds[3] = {{"quadratic", &csim_quadratic_kind}, {"dihedral", &csim_dihedral_kind}, {"cotangent", &csim_cotangent_kind}};
  heading("9  heavy elastica: drop over reach of a cantilever strip");
  for (int k = 0; k < 3; k++)
    for (int fine = 0; fine < (all ? 2 : 1); fine++)
      for (int same = 0; same < 2; same++)
        for (int g = 0; g < 6; g++) {
          if (!all && (g != 3 || k != 0)) continue;
          int N = fine ? 80 : 40;
          char what[80];
          snprintf(what, sizeof what, "%s, N = %d, %s diagonals, Gamma = %g", kinds[k].name, N, same ? "same" : "alternate", gamma[g]);
          expect(what, ratio[g], cantilever(gamma[g], N, 4, same, kinds[k].kind), ratio[g] * (fine ? 0.01 : 0.02));
        }
}

// -------------------------------------------------------------------------------- 10 grid moduli

// Energy of a plane homogeneous strain (ex along x, ez along z) per area and strain squared.
static double strain_energy(kit *k, double area, double ex, double ez) {
  double *x = malloc(3 * (size_t)k->model->nvert * sizeof *x);
  for (int i = 0; i < k->model->nvert; i++) {
    x[3 * i] = (1 + ex) * k->model->x0[3 * i];
    x[3 * i + 1] = 0;
    x[3 * i + 2] = (1 + ez) * k->model->x0[3 * i + 2];
  }
  double E = csim_model_energy(NULL, k->model, &(csim_point){.x = x});
  free(x);
  return 2 * E / area;
}

// E2D and nu from C11 and C12 of a network at strain 1e-6.
static void moduli(kit *k, double area, double *E2D, double *nu) {
  double e = 1e-6, C11 = strain_energy(k, area, e, 0) / (e * e), C33 = strain_energy(k, area, 0, e) / (e * e);
  double C13 = (strain_energy(k, area, e, e) / (e * e) - C11 - C33) / 2;
  *E2D = C11 - C13 * C13 / C33;
  *nu = C13 / C33;
}

static void case_moduli(void) {
  heading("10  moduli of networks: asked for and measured");
  kit k;
  double E2D, nu;
  csim_mesh mesh;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {20, 20}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 1, 0.01, &k);
  csim_network_grid(20, 20, &(csim_part){.X = mesh.vert, .compression = 1}, 1000, &k.springs);
  *k.model->body[0].mesh = mesh;
  kit_ready(&k, 1);
  moduli(&k, 1, &E2D, &nu);
  expect("structured network from E2D = 1000: E2D", 1000, E2D, 1e-2);
  expect("structured network: nu", 1.0 / 3, nu, 1e-5);
  kit_end(&k);

  // an equilateral lattice of 20 x 20 rhombi
  enum { M = 20 };
  static double x[3 * (M + 1) * (M + 1)];
  static int tri[6 * M * M];
  for (int j = 0; j <= M; j++)
    for (int i = 0; i <= M; i++) {
      x[3 * (j * (M + 1) + i)] = i + 0.5 * j;
      x[3 * (j * (M + 1) + i) + 2] = j * sqrt(0.75);
    }
  for (int c = 0; c < M * M; c++) {
    int v = c / M * (M + 1) + c % M;
    int corners[6] = {v, v + 1, v + M + 1, v + 1, v + M + 2, v + M + 1};
    memcpy(tri + 6 * c, corners, sizeof corners);
  }
  csim_topology topology;
  CHECK(csim_topology_build((M + 1) * (M + 1), 2 * M * M, tri, &topology) == CSIM_OK);
  kit_begin((M + 1) * (M + 1), x, 1, 0.01, &k);
  csim_network_mesh(&topology, &(csim_part){.X = x, .compression = 1}, 1000, &k.springs);
  csim_topology_free(&topology);
  kit_ready(&k, 1);
  moduli(&k, M * M * sqrt(0.75), &E2D, &nu);
  expect("equilateral mesh from E2D = 1000: E2D", 1000, E2D, 1e-2);
  expect("equilateral mesh: nu", 1.0 / 3, nu, 1e-5);
  double stiffest = 0;
  for (int e = 0; e < k.springs.nelem; e++) stiffest = fmax(stiffest, k.springs.param[4 * e]);
  expect("equilateral mesh: k = sqrt(3)/2 E2D", sqrt(0.75) * 1000, stiffest, 1e-9 * 1000);
  kit_end(&k);
}

// ------------------------------------------------------------------------------------ 15 tet beam

// Displacement of the free end's centre of a 1 m beam, side 0.1 m, clamped at x = 0, under gravity g.
static double beam(int cells, const double *gravity, int axis, int *nodes) {
  csim_mesh mesh;
  csim_tets tets;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 0.1, 0.1}, .cells = {10 * cells, cells, cells}};
  const char *program = getenv("CLOTHSIM_TET");
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  csim_tet_options options = {.program = program ? program : "bin/clothsim-tet", .radius_edge_ratio = 1.2,
                              .max_volume = 0.2e-3 / (cells * cells * cells)};
  csim_surface surface = {"beam", mesh.nvert, mesh.vert, mesh.ntri, mesh.tri, NULL};
  check_log log;
  check_log_init(&log);
  csim_status status = csim_tetrahedralize(&options, &surface, (csim_place){0}, &log.log, &tets);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "tetrahedra of the beam: %s", log.text);
  if (status) {
    csim_mesh_free(&mesh);
    return NAN;
  }
  kit k;
  kit_begin(tets.nvert, tets.vert, 0, 1e4, &k);
  memcpy(k.model->gravity, gravity, sizeof k.model->gravity);
  for (int t = 0; t < tets.ntet; t++)
    for (int n = 0; n < 4; n++) k.model->mass[tets.tet[4 * t + n]] += 1000 * csim_tet_volume(tets.vert, tets.tet + 4 * t) / 4;
  csim_part part = {.X = tets.vert, .compression = 1};
  CHECK(csim_network_tets(tets.ntet, tets.tet, &part, 1e6, &k.springs) == 0);
  *k.model->body[0].mesh = mesh;
  double moved = 0, count = 0;
  for (int i = 0; i < tets.nvert; i++)
    if (tets.vert[3 * i] < -0.5 + 1e-9) kit_pin(&k, i);
  k.params.tolerance = 1e-9;
  kit_ready(&k, 2);
  kit_step(&k);
  for (int i = 0; i < tets.nvert; i++)
    if (tets.vert[3 * i] > 0.5 - 1e-9) {
      moved += k.state.x[3 * i + axis] - tets.vert[3 * i + axis];
      count++;
    }
  *nodes = tets.nvert;
  kit_end(&k);
  csim_tets_free(&tets);
  return moved / count;
}

static void case_beam(void) {
  heading("15  beam of tetrahedra 10:1 under its own small weight: tip against Euler-Bernoulli, E from its own tension");
  double ratio[2];
  for (int fine = 0; fine < 2; fine++) {
    int nodes, cells = fine ? 8 : 5;
    // elongation under axial weight, rho g L^2 / 2E, gives E; deflection rho g A L^4 / 8 E I = 150 L^4 ...
    double g = 1e-4, along = beam(cells, (double[]){g, 0, 0}, 0, &nodes);
    double across = beam(cells, (double[]){0, -g, 0}, 1, &nodes);
    double E = 1000 * g / (2 * along), I = 1e-4 / 12, A = 1e-2;
    double reference = 1000 * g * A / (8 * E * (I / 10));
    (void)reference;
    I = 0.1 * 0.1 * 0.1 * 0.1 / 12;
    ratio[fine] = -across / (1000 * g * A / (8 * E * I));
    char what[80];
    snprintf(what, sizeof what, "tip / Euler-Bernoulli, %d nodes", nodes);
    expect(what, 0.975, ratio[fine], 0.075);
    if (verbose) printf("   measured E / asked E: %.3f\n", E / 1e6);
    if (fine) expect("at least 1,800 nodes (1 = yes)", 1, nodes >= 1800, 0);
  }
  expect("refined: nearer to 1 (1 = yes)", 1, fabs(ratio[1] - 1) < fabs(ratio[0] - 1), 0);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--all")) all = verbose = 1;
    if (!strcmp(argv[i], "--verbose")) verbose = 1;
    if (!strcmp(argv[i], "--curve") && i + 1 < argc) curve_file = argv[++i];
  }
  if (verbose) printf("%-58s %16s %16s %10s %10s\n", "case", "reference", "ours", "error", "allowed");
  case_free_fall();
  case_integrator();
  case_stability();
  case_conservation();
  case_catenary();
  case_residual();
  case_statics();
  case_linear();
  case_elastica();
  case_moduli();
  if (all) case_liu();
  if (all) case_beam();
  return check_report();
}
