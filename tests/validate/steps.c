// tests/validate/steps.c: case 6 and the linear solvers: the step as an equation.
#include "validate.h"

#include "math/vec3.h"

// ------------------------------------------------------------------------- 6 residual of a step

// max |M (x2 - 2 x1 + x0)/h^2 - f(x2) - M g| over free vertices, in mean weights.
static double euler_residual(const kit *k, const double *x0, const double *x1, const double *x2) {
  int n = k->model->nvert;
  double *r = calloc((size_t)(3 * n), sizeof *r), weight = 0, worst = 0;
  for (int i = 0; i < n; i++) {
    weight += k->model->mass[i] * 9.81 / n;
    for (int c = 0; c < 3; c++) {
      int j = 3 * i + c;
      r[j] =
          k->model->mass[i] * ((x2[j] - 2 * x1[j] + x0[j]) / (k->h * k->h) + (c == 1 ? 9.81 : 0));
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
    if (!k->model->fixed[i])
      worst =
          fmax(worst, fmax(fabs(r[3 * i]), fmax(fabs(r[3 * i + 1]), fabs(r[3 * i + 2]))) / weight);
  free(r);
  return worst;
}

void case_residual(void) {
  static const struct {
    setting s;
    double tolerance, allowed;
  } runs[] = {
      {{.name = "newton cholesky", .method = "newton", .linear = "cholesky", .iterations = 100},
       1e-8,
       1e-6},
      {{.name = "newton pcg", .method = "newton", .linear = "pcg", .iterations = 100}, 1e-8, 1e-6},
      {{.name = "newton pcg ichol",
        .method = "newton",
        .linear = "pcg",
        .preconditioner = CSIM_PRECONDITIONER_ICHOL,
        .iterations = 100},
       1e-8,
       1e-6},
      {{.name = "pd", .method = "pd", .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "pd anderson",
        .method = "pd",
        .acceleration = CSIM_ACCELERATION_ANDERSON,
        .iterations = 5000},
       1e-5,
       1e-4},
      {{.name = "pd lbfgs",
        .method = "pd",
        .acceleration = CSIM_ACCELERATION_LBFGS,
        .iterations = 5000},
       1e-5,
       1e-4},
      {{.name = "pd chebyshev",
        .method = "pd",
        .acceleration = CSIM_ACCELERATION_CHEBYSHEV,
        .iterations = 20000},
       1e-5,
       1e-4},
      {{.name = "descent nesterov",
        .method = "descent",
        .acceleration = CSIM_ACCELERATION_NESTEROV,
        .iterations = 20000},
       1e-5,
       1e-4},
      {{.name = "xpbd", .method = "xpbd", .iterations = 20000}, 1e-5, 1e-4},
      {{.name = "xpbd linear",
        .method = "xpbd",
        .projection = CSIM_PROJECTION_LINEAR,
        .iterations = 200},
       1e-6,
       1e-4},
  };
  heading("6  residual of the step's own equation, falling 12 x 12 cloth on two pins, 20 steps of "
          "1/240 s");
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

// ------------------------------------------------------------------------------- linear solvers

void case_linear(void) {
  static const struct {
    const char *name;
    const char *linear;
    csim_preconditioner preconditioner;
    csim_pin_mode pins;
  } runs[] = {{"cholesky", "cholesky", 0, 0},
              {"pcg block-jacobi", "pcg", CSIM_PRECONDITIONER_JACOBI, 0},
              {"pcg incomplete cholesky", "pcg", CSIM_PRECONDITIONER_ICHOL, 0},
              {"jacobi", "jacobi", 0, 0},
              {"chebyshev-jacobi", "chebyshev-jacobi", 0, 0},
              {"cholesky, pins by counter-force", "cholesky", 0, CSIM_PINS_COUNTER_FORCE},
              {"xpbd's linear system", 0, 0, 0}};
  heading("L  the same 30 steps solved to 1e-9 by every linear solver: largest distance to "
          "cholesky's [m]");
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
    for (int i = 0; i < 81; i++)
      worst = fmax(worst, csim_distance(k.state.x + 3 * i, reference + 3 * i));
    if (s > 0) expect(runs[s].name, 0, worst, 1e-8);
    kit_end(&k);
  }
}
