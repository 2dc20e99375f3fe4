// tests/bench/bench_methods.c: time a frame of one hanging cloth takes with every method and
// setting to bring every step to a relative residual of 1e-2 and of 1e-4.
//
// bench_methods [CSV [NAME]]: prints a table; the CSV (bench_methods.csv) has the same numbers.
// With NAME: only settings with it in their names.
//
// The cloth is 1 m square, 0.2 kg/m^2, E2D = 1000 N/m, B = 1e-4 N m, held by two corners, one
// thread. It has fallen for 0.2 s, by Newton, when the clock starts. The residual is
// max |grad F| over the mean force; pbd and the explicit methods have none, so their line tells
// what a frame costs. A setting that is not there within its time (CAP) "does not reach" ("no,
// at ..."). pd's factor and the analysis of patterns, made once for a run, are not in the times.
#include "mesh/shapes.h"
#include "model/assemble.h"
#include "model/network.h"
#include "solver/step.h"
#include "solver/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Time [s/vertex] for one step, and for the steps measured of one setting: 2.5 s at 2,500 vertices,
// 10 s at 10,000.
static const double CAP = 1e-3;
static const double FRAME = 1.0 / 60; // [s]
static const double FALL = 0.2;       // [s] before the clock starts

typedef struct setting {
  const char *name, *method;
  const char *linear;
  csim_preconditioner preconditioner;
  csim_acceleration acceleration;
  csim_projection projection;
  double rho; // chebyshev; 0: not used
} setting;

static const setting settings[] = {
    {.name = "newton cholesky", .method = "newton", .linear = "cholesky"},
    {.name = "newton pcg block-jacobi", .method = "newton", .linear = "pcg"},
    {.name = "newton pcg ichol",
     .method = "newton",
     .linear = "pcg",
     .preconditioner = CSIM_PRECONDITIONER_ICHOL},
    {.name = "newton pcg multilevel",
     .method = "newton",
     .linear = "pcg",
     .preconditioner = CSIM_PRECONDITIONER_MULTILEVEL},
    {.name = "newton jacobi", .method = "newton", .linear = "jacobi"},
    {.name = "newton chebyshev-jacobi",
     .method = "newton",
     .linear = "chebyshev-jacobi",
     .rho = 0.99},
    {.name = "descent", .method = "descent"},
    {.name = "descent chebyshev",
     .method = "descent",
     .acceleration = CSIM_ACCELERATION_CHEBYSHEV,
     .rho = 0.99},
    {.name = "descent nesterov", .method = "descent", .acceleration = CSIM_ACCELERATION_NESTEROV},
    {.name = "pd", .method = "pd"},
    {.name = "pd chebyshev",
     .method = "pd",
     .acceleration = CSIM_ACCELERATION_CHEBYSHEV,
     .rho = 0.99},
    {.name = "pd anderson", .method = "pd", .acceleration = CSIM_ACCELERATION_ANDERSON},
    {.name = "pd lbfgs", .method = "pd", .acceleration = CSIM_ACCELERATION_LBFGS},
    {.name = "xpbd gauss-seidel", .method = "xpbd", .projection = CSIM_PROJECTION_GAUSS_SEIDEL},
    {.name = "xpbd jacobi", .method = "xpbd", .projection = CSIM_PROJECTION_JACOBI},
    {.name = "xpbd linear", .method = "xpbd", .projection = CSIM_PROJECTION_LINEAR},
};
enum { NSETTING = sizeof settings / sizeof *settings };

// Processor time: one thread's, whoever else is on the machine.
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "bench_methods: %s\n", what);
  exit(1);
}

static csim_model *make_cloth(int side) {
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {side - 1, side - 1}};
  csim_elements springs = {.kind = &csim_spring_kind}, bending = {.kind = &csim_quadratic_kind};
  if (csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) ||
      csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology))
    fail("out of memory");
  csim_arena arena = {0};
  csim_model *model = CSIM_ARENA_NEW(&arena, csim_model, 1);
  *model = (csim_model){
      .arena = arena, .nvert = mesh.nvert, .nbody = 1, .ntarget = 2, .gravity = {0, -9.81, 0}};
  model->x0 = CSIM_ARENA_NEW(&model->arena, double, 3 * mesh.nvert);
  model->v0 = CSIM_ARENA_NEW(&model->arena, double, 3 * mesh.nvert);
  model->mass = CSIM_ARENA_NEW(&model->arena, double, mesh.nvert);
  model->target = CSIM_ARENA_NEW(&model->arena, csim_target, 2);
  model->body = CSIM_ARENA_NEW(&model->arena, csim_body, 1);
  model->body[0] = (csim_body){
      .name = "cloth", .nvert = mesh.nvert, .mesh = CSIM_ARENA_NEW(&model->arena, csim_mesh, 1)};
  memcpy(model->x0, mesh.vert, 3 * (size_t)mesh.nvert * sizeof *mesh.vert);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, model->mass);
  for (int i = 0; i < mesh.nvert; i++) model->mass[i] *= 0.2;
  for (int i = 0; i < 2; i++)
    model->target[i] =
        (csim_target){.vert = i ? side - 1 : 0, .group = -1, .follow = -1, .exact = 1, .hard = 1};
  csim_part part = {.X = mesh.vert, .compression = 1};
  csim_network_mesh(&topology, &part, 1000, &springs);
  csim_network_grid_hinges(side - 1, side - 1, &part, 1e-4, &bending);
  csim_topology_free(&topology);
  *model->body[0].mesh = mesh;
  const csim_elements *sets[] = {&springs, &bending};
  if (csim_model_assemble(model, 2, sets)) fail("out of memory");
  csim_elements_free(&springs);
  csim_elements_free(&bending);
  return model;
}

static csim_solver *make_solver(const csim_model *model, const setting *s, double tolerance,
                                int iterations, double h) {
  csim_solver_setup setup = {.model = model, .h = h};
  setup.params = (csim_solver_params){.method = s->method,
                                      .linear = s->linear,
                                      .preconditioner = s->preconditioner,
                                      .acceleration = s->acceleration,
                                      .projection = s->projection,
                                      .iterations = iterations,
                                      .tolerance = tolerance,
                                      .linear_iterations = 1000,
                                      .linear_tolerance = 0.05,
                                      .line_search = 1,
                                      .jacobi_alpha = 0.6,
                                      .chebyshev_rho = s->rho,
                                      .window = 5,
                                      .pbd.stiffness = 1};
  csim_solver *solver = csim_solver_create(&setup);
  if (!solver) fail("out of memory");
  return solver;
}

static void copy_state(const csim_state *from, csim_state *to) {
  size_t bytes = 3 * (size_t)from->nvert * sizeof(double);
  memcpy(to->x, from->x, bytes);
  memcpy(to->v, from->v, bytes);
  to->step = 0;
}

// How many iterations a step may have so that it ends within CAP, from the time of a few.
static int affordable(const csim_model *model, const csim_state *start, const setting *s,
                      double h) {
  enum { FEW = 4, MOST = 5000 };
  csim_solver *solver = make_solver(model, s, 0, FEW, h);
  csim_state state;
  csim_step_report report;
  if (csim_state_create(model, &state)) fail("out of memory");
  copy_state(start, &state);
  double t0 = seconds();
  csim_step(solver, &state, &report);
  double t = (seconds() - t0) / (double)(report.iterations > 0 ? report.iterations : 1);
  double cap = CAP * model->nvert;
  csim_state_free(&state);
  csim_solver_free(solver);
  return cap / t < 1 ? 1 : cap / t > MOST ? MOST : (int)(cap / t);
}

typedef struct result {
  double frame;                         // [s]; NAN: does not reach
  double residual;                      // worst of the steps taken
  double iterations, linear_iterations; // a step
} result;

// One frame from `start` (fewer steps when they take too long, and the frame's time by the share
// done).
static result measure(const csim_model *model, const csim_state *start, const setting *s,
                      double tolerance, int substeps, int iterations) {
  csim_solver *solver = make_solver(model, s, tolerance, iterations, FRAME / substeps);
  csim_state state;
  if (csim_state_create(model, &state)) fail("out of memory");
  copy_state(start, &state);
  if (!strcmp(s->method, "pd")) { // its factor is made in the first step, once for a whole run
    csim_step_report report;
    csim_step(solver, &state, &report);
    copy_state(start, &state);
  }
  result r = {0};
  int n = 0;
  double t0 = seconds(), t = 0;
  for (; n < substeps && t < CAP * model->nvert; n++) {
    csim_step_report report;
    int failed = csim_step(solver, &state, &report) != 0;
    t = seconds() - t0;
    r.iterations += (double)report.iterations;
    r.linear_iterations += (double)report.linear_iterations;
    r.residual = fmax(r.residual, failed ? INFINITY : report.method.residual);
    if (failed || r.residual > tolerance) {
      n++;
      r.frame = NAN;
      break;
    }
  }
  if (isfinite(r.frame)) r.frame = t * substeps / n;
  r.iterations /= n;
  r.linear_iterations /= n;
  csim_state_free(&state);
  csim_solver_free(solver);
  return r;
}

// Methods without a residual of their own: what a frame costs at their usual setting.
static void measure_others(const csim_model *model, const csim_state *start, int side, FILE *csv) {
  static const struct {
    setting s;
    int substeps;
  } others[] = {{{.name = "pbd, 20 passes", .method = "pbd"}, 1},
                {{.name = "symplectic", .method = "symplectic"}, 0}};
  double omega = csim_largest_frequency(NULL, model);
  for (int k = 0; k < 2; k++) {
    // explicit methods: 10% inside the edge of stability
    int substeps = others[k].substeps ? others[k].substeps : (int)(FRAME * omega / 1.8) + 1;
    csim_solver_setup setup = {.model = model, .h = FRAME / substeps};
    setup.params =
        (csim_solver_params){.method = others[k].s.method, .iterations = 20, .pbd.stiffness = 1};
    csim_solver *solver = csim_solver_create(&setup);
    csim_state state;
    if (!solver || csim_state_create(model, &state)) fail("out of memory");
    copy_state(start, &state);
    csim_step_report report;
    int failed = 0;
    double t0 = seconds();
    for (int n = 0; n < substeps && !failed; n++) failed = csim_step(solver, &state, &report) != 0;
    double t = seconds() - t0;
    printf("%-26s %6d steps a frame: %8.2f ms, %s\n", others[k].s.name, substeps, 1e3 * t,
           failed ? "gives up" : "no residual to reach");
    fprintf(csv, "%d,%d,%s,,%.6g,,,\n", side * side, substeps, others[k].s.name, t);
    csim_state_free(&state);
    csim_solver_free(solver);
  }
}

static void print_result(const result *r) {
  if (isfinite(r->frame))
    printf("  %9.2f ms (%6.1f / %7.1f)", 1e3 * r->frame, r->iterations, r->linear_iterations);
  else
    printf("  no, at %-8.1e (%6.1f / %5.0f)", r->residual, r->iterations, r->linear_iterations);
}

static void measure_cloth(int side, const char *only, FILE *csv) {
  static const int substeps[2] = {1, 16};
  csim_model *model = make_cloth(side);
  csim_state start;
  if (csim_state_create(model, &start)) fail("out of memory");
  csim_solver *solver = make_solver(model, &settings[2], 1e-4, 100, FRAME);
  for (int n = 0; n < FALL / FRAME; n++) {
    csim_step_report report;
    if (csim_step(solver, &start, &report)) fail("the reference gave up");
  }
  csim_solver_free(solver);
  for (int u = 0; u < 2; u++) {
    printf("\n%d vertices, %d step%s of 1/%d s a frame: a frame's time (outer / inner iterations a "
           "step)\n"
           "%-26s  %-29s  %s\n",
           model->nvert, substeps[u], u ? "s" : "", 60 * substeps[u], "", "to 1e-2", "to 1e-4");
    for (int s = 0; s < NSETTING; s++) {
      if (only && !strstr(settings[s].name, only)) continue;
      printf("%-26s", settings[s].name);
      int iterations = affordable(model, &start, &settings[s], FRAME / substeps[u]);
      result r = {0};
      for (int k = 0; k < 2; k++) {
        double tolerance = k ? 1e-4 : 1e-2;
        // what does not reach 1e-2 needs no second try
        if (isfinite(r.frame))
          r = measure(model, &start, &settings[s], tolerance, substeps[u], iterations);
        print_result(&r);
        fprintf(csv, "%d,%d,%s,%g,%.6g,%.3g,%.6g,%.6g\n", model->nvert, substeps[u],
                settings[s].name, tolerance, r.frame, r.residual, r.iterations,
                r.linear_iterations);
        fflush(stdout);
      }
      printf("\n");
    }
  }
  measure_others(model, &start, side, csv);
  csim_state_free(&start);
  csim_model_free(model);
}

int main(int argc, char **argv) {
  FILE *csv = fopen(argc > 1 ? argv[1] : "bench_methods.csv", "w");
  if (!csv) fail("the CSV file cannot be written");
  fprintf(
      csv,
      "vertices,substeps,setting,tolerance,frame_seconds,residual,iterations,linear_iterations\n");
  measure_cloth(50, argc > 2 ? argv[2] : NULL, csv);
  measure_cloth(100, argc > 2 ? argv[2] : NULL, csv);
  fclose(csv);
  return 0;
}
