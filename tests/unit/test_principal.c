// test_principal: principal stretches against the singular values of F, and the largest step within
// a bound.
#include "check.h"

#include "math/vec3.h"
#include "model/principal.h"

static double uniform(void) {
  return (double)check_random() / 2147483648.0 - 1;
}

// Singular values of the columns f and g: roots of the eigenvalues of [[f.f, f.g], [f.g, g.g]].
static void singular(const double *f, const double *g, double s[2]) {
  double trace = csim_dot(f, f) + csim_dot(g, g), n[3];
  csim_cross(f, g, n);
  double area = csim_norm(n); // s1 s2
  s[0] = sqrt(0.5 * (trace + sqrt(fmax(0, trace * trace - 4 * area * area))));
  s[1] = area / s[0];
}

static void test_stretches(void) {
  for (int trial = 0; trial < 200; trial++) {
    csim_v4 fu[3], fv[3], rest[2] = {CSIM_SPLAT4(2.0), CSIM_SPLAT4(0.5)};
    csim_principal p;
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 4; i++) {
        fu[c][i] = uniform();
        fv[c][i] = trial % 4 ? uniform() : (i % 2 ? 0.25 * fu[c][i] : 0); // parallel, none
      }
    csim_principal_find(fu, fv, rest, &p);
    for (int i = 0; i < 4; i++) {
      double f[3], g[3], F[6], s[2], still[6] = {0};
      for (int c = 0; c < 3; c++) {
        F[c] = f[c] = fu[c][i] / 2;
        F[3 + c] = g[c] = fv[c][i] / 0.5;
      }
      singular(f, g, s);
      CHECK_NEAR(p.s[0][i], s[0], 1e-14);
      CHECK_NEAR(p.s[1][i], s[1], 2e-8); // a root of what cancels where F is of rank one
      CHECK_NEAR(csim_principal_largest(F, still, 0), s[0], 1e-14);
      double along[3]; // s_1 u_1 is as long as s_1
      for (int c = 0; c < 3; c++)
        along[c] = p.weight[0][0][i] * fu[c][i] + p.weight[0][1][i] * fv[c][i];
      CHECK_NEAR(csim_norm(along), s[0], 1e-14);
    }
  }
}

static void test_steps(void) {
  int stopped = 0;
  for (int trial = 0; trial < 500; trial++) {
    double F[6], D[6];
    for (int k = 0; k < 6; k++) {
      F[k] = (k == 0 || k == 4) + 0.02 * uniform();
      D[k] = 0.3 * uniform();
    }
    double end = 1.05, t = csim_principal_max_step(F, D, end);
    CHECK(t >= 0 && t <= 1);
    CHECK(csim_principal_largest(F, D, t) < end); // convex in t, and so all the way there
    double most = csim_principal_largest(F, D, 0);
    most += CSIM_BOUND_STEP * (end - most);
    if (t == 1) continue;
    stopped++;
    CHECK(csim_principal_largest(F, D, t + 1e-6) > most); // no farther than it had to be
  }
  CHECK(stopped > 100);
}

int main(void) {
  test_stretches();
  test_steps();
  return check_report();
}
