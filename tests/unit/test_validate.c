// test_validate: every method against closed forms and numbers that no one here wrote. The cases
// are in tests/validate. Without arguments: those that take seconds. --all: all of them, printed as
// a table of case, reference, ours, error, tolerance and verdict; --case NAME: one of them; --curve
// FILE.svg draws case 8, --folds FILE.svg case K.
#include "validate/validate.h"

validation asked;

void expect(const char *what, double reference, double ours, double tolerance) {
  double error = fabs(ours - reference);
  int ok = error <= tolerance;
  check_that(ok, __FILE__, __LINE__, "%s: %.12g, expected %.12g +- %.3g", what, ours, reference,
             tolerance);
  if (asked.verbose)
    printf("%-66s %14.9g %14.9g %9.2e %9.2e  %s\n", what, reference, ours, error, tolerance,
           ok ? "ok" : "MISSED");
  fflush(stdout);
}

void heading(const char *text) {
  if (asked.verbose) printf("\n%s\n", text);
}

const setting NEWTON = {
    .name = "newton", .method = "newton", .linear = "cholesky", .iterations = 100};
const setting PD = {.name = "pd", .method = "pd", .iterations = 20000};
const setting PD_ANDERSON = {.name = "pd anderson",
                             .method = "pd",
                             .acceleration = CSIM_ACCELERATION_ANDERSON,
                             .iterations = 5000};
const setting XPBD = {.name = "xpbd", .method = "xpbd", .iterations = 20000};
const setting XPBD_LINEAR = {.name = "xpbd linear",
                             .method = "xpbd",
                             .projection = CSIM_PROJECTION_LINEAR,
                             .iterations = 200};
const setting DESCENT = {.name = "descent", .method = "descent", .iterations = 20000};
const setting SYMPLECTIC = {.name = "symplectic", .method = "symplectic", .iterations = 1};
const setting EXPLICIT = {.name = "explicit", .method = "explicit", .iterations = 1};
const setting PBD = {.name = "pbd", .method = "pbd", .iterations = 20};

void apply(const setting *s, double tolerance, kit *k) {
  k->params.method = s->method;
  k->params.linear = s->linear;
  k->params.acceleration = s->acceleration;
  k->params.projection = s->projection;
  k->params.preconditioner = s->preconditioner;
  k->params.iterations = s->iterations;
  k->params.tolerance = tolerance;
  k->params.linear_tolerance = 1e-13;
}

static const struct {
  const char *name;
  void (*run)(void);
  int slow;
} cases[] = {{"1", case_free_fall, 0},    {"2", case_integrator, 0}, {"3", case_stability, 0},
             {"4", case_conservation, 0}, {"5", case_catenary, 0},   {"6", case_residual, 0},
             {"7", case_statics, 0},      {"L", case_linear, 0},     {"8", case_liu, 1},
             {"9", case_elastica, 0},     {"10", case_moduli, 0},    {"11", case_friction, 0},
             {"15", case_beam, 1},        {"K", case_locking, 0}};

int main(int argc, char **argv) {
  const char *only = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--all")) asked.all = asked.verbose = 1;
    if (!strcmp(argv[i], "--verbose")) asked.verbose = 1;
    if (!strcmp(argv[i], "--curve") && i + 1 < argc) asked.curve_file = argv[++i];
    if (!strcmp(argv[i], "--folds") && i + 1 < argc) asked.fold_file = argv[++i];
    if (!strcmp(argv[i], "--case") && i + 1 < argc) only = argv[++i];
  }
  if (asked.verbose)
    printf("%-66s %14s %14s %9s %9s\n", "case", "reference", "ours", "error", "allowed");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    if (only ? !strcmp(only, cases[c].name) : asked.all || !cases[c].slow) cases[c].run();
  return check_report();
}
