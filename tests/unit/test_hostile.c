// test_hostile: what every method makes of models that no one should simulate: a result or a clear
// outcome, and never a state that is not finite.
#include "check.h"
#include "kit.h"

#include "math/pcg.h"
#include "solver/stability.h"

#include <stdio.h>
#include <string.h>

// Every method, as variants of the solver's parameters.
static const struct {
  const char *name, *method;
  const char *linear;
  csim_preconditioner preconditioner;
  csim_acceleration acceleration;
  csim_projection projection;
} methods[] = {
    {"newton cholesky", "newton", "cholesky", 0, 0, 0},
    {"newton pcg", "newton", "pcg", CSIM_PRECONDITIONER_JACOBI, 0, 0},
    {"newton pcg ichol", "newton", "pcg", CSIM_PRECONDITIONER_ICHOL, 0, 0},
    {"newton pcg multilevel", "newton", "pcg", CSIM_PRECONDITIONER_MULTILEVEL, 0, 0},
    {"newton jacobi", "newton", "jacobi", 0, 0, 0},
    {"newton chebyshev-jacobi", "newton", "chebyshev-jacobi", 0, 0, 0},
    {"descent", "descent", 0, 0, CSIM_ACCELERATION_NONE, 0},
    {"descent chebyshev", "descent", 0, 0, CSIM_ACCELERATION_CHEBYSHEV, 0},
    {"descent nesterov", "descent", 0, 0, CSIM_ACCELERATION_NESTEROV, 0},
    {"pd", "pd", 0, 0, CSIM_ACCELERATION_NONE, 0},
    {"pd chebyshev", "pd", 0, 0, CSIM_ACCELERATION_CHEBYSHEV, 0},
    {"pd anderson", "pd", 0, 0, CSIM_ACCELERATION_ANDERSON, 0},
    {"pd lbfgs", "pd", 0, 0, CSIM_ACCELERATION_LBFGS, 0},
    {"pbd", "pbd", 0, 0, 0, CSIM_PROJECTION_GAUSS_SEIDEL},
    {"pbd jacobi", "pbd", 0, 0, 0, CSIM_PROJECTION_JACOBI},
    {"xpbd", "xpbd", 0, 0, 0, CSIM_PROJECTION_GAUSS_SEIDEL},
    {"xpbd jacobi", "xpbd", 0, 0, 0, CSIM_PROJECTION_JACOBI},
    {"xpbd linear", "xpbd", 0, 0, 0, CSIM_PROJECTION_LINEAR},
    {"explicit", "explicit", 0, 0, 0, 0},
    {"symplectic", "symplectic", 0, 0, 0, 0},
};
enum { NMETHOD = sizeof methods / sizeof *methods };

static void choose(int m, kit *k) {
  k->params.method = methods[m].method;
  k->params.linear = methods[m].linear;
  k->params.preconditioner = methods[m].preconditioner;
  k->params.acceleration = methods[m].acceleration;
  k->params.projection = methods[m].projection;
  k->params.iterations = 20;
  k->params.linear_iterations = 100;
  k->params.tolerance = 1e-6;
}

static int is_finite(const csim_state *state) {
  for (int i = 0; i < 3 * state->nvert; i++)
    if (!isfinite(state->x[i]) || !isfinite(state->v[i])) return 0;
  return 1;
}

// Ten steps with every method. A step may give up, which leaves the state as it was; may_fail: it
// is allowed to.
static void try_methods(const char *what, void (*make)(kit *), int may_fail) {
  for (int m = 0; m < NMETHOD; m++) {
    kit k;
    csim_step_report report;
    make(&k);
    choose(m, &k);
    kit_ready(&k, 1);
    int failed = 0;
    for (int n = 0; n < 10 && !failed; n++) failed = csim_step(k.solver, &k.state, &report) != 0;
    check_that(is_finite(&k.state), __FILE__, __LINE__, "%s, %s: not finite", what,
               methods[m].name);
    check_that(!failed || may_fail, __FILE__, __LINE__, "%s, %s: gave up with outcome %d", what,
               methods[m].name, (int)report.method.outcome);
    if (failed)
      check_that(report.method.outcome >= CSIM_OUTCOME_INDEFINITE, __FILE__, __LINE__,
                 "%s, %s: gave up, and the outcome does not tell", what, methods[m].name);
    kit_end(&k);
  }
}

static void one_vertex(kit *k) {
  kit_begin(1, (double[]){1, 2, 3}, 0.1, 0.01, k);
}

static void no_springs(kit *k) {
  kit_begin(3, (double[]){0, 0, 0, 1, 0, 0, 0, 0, 1}, 0.1, 0.01, k);
  kit_pin(k, 0);
}

static void all_pinned(kit *k) {
  kit_begin(2, (double[]){0, 0, 0, 1, 0, 0}, 0.1, 0.01, k);
  kit_spring(k, 0, 1, 100, 0.5);
  kit_pin(k, 0);
  kit_pin(k, 1);
}

static void coincident(kit *k) {
  double x[12] = {0};
  kit_begin(4, x, 0.1, 0.01, k);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) kit_spring(k, i, j, 100, 0.2);
  csim_elements_add(&k->dihedral, (int[]){0, 1, 2, 3}, (double[]){1, 0, 1, 1, -1, -1});
  csim_elements_add(&k->cotangent, (int[]){0, 1, 2, 3}, (double[]){1, 1, -1, -1, 0.1});
  csim_elements_add(&k->volume, (int[]){0, 1, 2, 3}, (double[]){1, 1e-3});
}

// A loose vertex without mass, which the scene's compiler holds where it is (hold_loose).
static void massless(kit *k) {
  kit_begin(3, (double[]){0, 0, 0, 1, 0, 0, 5, 5, 5}, 0.1, 0.01, k);
  kit_spring(k, 0, 1, 100, 1);
  k->model->mass[2] = 0;
  kit_pin(k, 2);
}

static void no_stiffness(kit *k) {
  kit_begin(2, (double[]){0, 0, 0, 1, 0, 0}, 0.1, 0.01, k);
  kit_spring(k, 0, 1, 0, 1);
  kit_pin(k, 0);
}

static void hanging(double stiffness, kit *k) {
  kit_cloth(6, 1, 0.2, stiffness, 0, 1.0 / 60, k);
  kit_pin(k, 0);
  kit_pin(k, 6);
}

// Nearly no compliance anywhere.
static void rigid(kit *k) {
  hanging(1e12, k);
}

static void crushed(kit *k) { // every spring compressed to a tenth
  hanging(1000, k);
  for (int i = 0; i < 3 * k->model->nvert; i++) k->model->x0[i] *= 0.1;
}

// Symplectic and explicit Euler beyond 2/omega_max give up and keep the last good state; the
// estimate of omega_max is the closed form's for one spring, sqrt(k/m), and tells the cloth's edge.
static void test_explicit(void) {
  kit k;
  kit_begin(2, (double[]){0, 0, 0, 1, 0, 0}, 0.3, 0.01, &k);
  kit_spring(&k, 0, 1, 50, 1);
  kit_pin(&k, 0);
  kit_ready(&k, 1);
  CHECK_NEAR(csim_largest_frequency(NULL, k.model), sqrt(50 / 0.3), 1e-9);
  double w = sqrt(50 / 0.3), tau = 0.02;
  CHECK_NEAR(csim_longest_step(k.model, w), 2 / w, 1e-15);
  k.model->stretch_damping = CSIM_ARENA_NEW(&k.model->arena, double, 1);
  k.model->stretch_damping[0] = tau;
  double h = csim_longest_step(k.model, w);
  CHECK_NEAR(h * w * h * w + 2 * h * tau * w * w, 4, 1e-12);
  k.model->stretch_damping = NULL;
  kit_end(&k);
  for (int m = 0; m < 2; m++) {
    for (int stable = 0; stable < 2; stable++) {
      hanging(1000, &k);
      k.params.method = m ? "explicit" : "symplectic";
      kit_ready(&k, 1);
      double omega = csim_largest_frequency(NULL, k.model);
      kit_end(&k);
      hanging(1000, &k);
      k.params.method = m ? "explicit" : "symplectic";
      k.h = (stable ? 0.5 : 2.2) / omega;
      kit_ready(&k, 1);
      csim_step_report report = {0};
      int failed = 0;
      for (int n = 0; n < 3000 && !failed; n++)
        failed = csim_step(k.solver, &k.state, &report) != 0;
      check_that(is_finite(&k.state), __FILE__, __LINE__, "%s: not finite", k.params.method);
      if (!stable) {
        CHECK(failed);
        CHECK(report.method.outcome == CSIM_OUTCOME_DIVERGED);
      } else if (m == 0) {
        CHECK(!failed); // explicit Euler without damping gains energy at any step
      }
      kit_end(&k);
    }
  }
}

// psd "none": a compressed spring turns the Hessian indefinite. Cholesky says so; pcg finds a
// direction of negative curvature and still gives a descent direction.
static void test_indefinite(void) {
  for (int pcg = 0; pcg < 2; pcg++) {
    kit k;
    double x[6] = {0, 0, 0, 0.1, 0, 0};
    kit_begin(2, x, 1e-4, 0.1, &k);
    kit_pin(&k, 0);
    kit_spring(&k, 0, 1, 100, 1);
    k.params.psd = CSIM_PSD_NONE;
    k.params.linear = pcg ? "pcg" : "cholesky";
    kit_ready(&k, 1);
    csim_step_report report;
    int failed = csim_step(k.solver, &k.state, &report);
    CHECK(is_finite(&k.state));
    if (pcg) {
      CHECK(!failed);
    } else {
      CHECK(failed && report.method.outcome == CSIM_OUTCOME_INDEFINITE);
      CHECK(report.parts == 1); // not hidden by smaller steps
      CHECK_NEAR(k.state.x[3], 0.1, 0);
    }
    kit_end(&k);
  }
}

// xpbd's limit of no compliance: the springs are rigid to what the iterations reach, and k = 0 is
// no spring at all.
static void test_compliance(void) {
  kit k;
  kit_begin(2, (double[]){0, 0, 0, 1, 0, 0}, 0.1, 0.01, &k);
  kit_spring(&k, 0, 1, 1e30, 1);
  kit_pin(&k, 0);
  k.params.method = "xpbd";
  kit_ready(&k, 1);
  for (int n = 0; n < 100; n++) kit_step(&k);
  CHECK_NEAR(hypot(k.state.x[3], k.state.x[4]), 1, 1e-9);
  kit_end(&k);

  no_stiffness(&k);
  k.params.method = "xpbd";
  kit_ready(&k, 1);
  for (int n = 0; n < 10; n++) kit_step(&k);
  CHECK_NEAR(k.state.x[4], -9.81 * 1e-4 * 55, 1e-12);
  kit_end(&k);
}

int main(void) {
  try_methods("one vertex", one_vertex, 0);
  try_methods("no springs", no_springs, 0);
  try_methods("all pinned", all_pinned, 0);
  try_methods("coincident vertices", coincident, 0);
  try_methods("massless loose vertex", massless, 0);
  try_methods("k = 0", no_stiffness, 0);
  try_methods("rigid springs", rigid, 1);
  try_methods("crushed", crushed, 1);
  test_explicit();
  test_indefinite();
  test_compliance();
  return check_report();
}
