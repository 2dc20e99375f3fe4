// tests/validate/liu.c: case 8: the convergence of projective dynamics (Liu et al. 2013, figure 5).
#include "validate.h"

#include "mesh/shapes.h"
#include "solver/problem.h"
#include <time.h>

// ------------------------------------------------------------------------------ 8 Liu's curve

// Of the processor, on one thread: what others do on the machine is not in it.
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_curve(const int *at, const double *error, int n) {
  FILE *f = asked.curve_file ? fopen(asked.curve_file, "w") : NULL;
  if (!f) return;
  fputs("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 400' font-family='sans-serif' "
        "font-size='13'>\n"
        "<rect width='640' height='400' fill='white'/>\n",
        f);
  for (int d = 0; d <= 3; d++)
    fprintf(
        f,
        "<path d='M%d 30V350' stroke='#ddd'/><text x='%d' y='370' text-anchor='middle'>%g</text>\n",
        70 + 180 * d, 70 + 180 * d, pow(10, d));
  for (int d = 0; d <= 5; d++)
    fprintf(
        f,
        "<path d='M70 %dH610' stroke='#ddd'/><text x='60' y='%d' text-anchor='end'>1e-%d</text>\n",
        30 + 64 * d, 35 + 64 * d, d);
  fputs("<path fill='none' stroke='#c33' stroke-width='2' d='", f);
  for (int i = 0; i < n; i++)
    fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', 70 + 180 * log10(at[i]),
            30 - 64 * log10(error[i] / error[0]));
  fputs("'/>\n<text x='340' y='392' text-anchor='middle'>iterations of pd</text>"
        "<text x='340' y='20' text-anchor='middle'>distance to the exact step, relative to the "
        "first iteration (81 x 81 curtain)</text>\n</svg>\n",
        f);
  fclose(f);
}

// F of the step from start to the present state, as solver/problem.h has it; all forces are weight.
static double step_value(const kit *k, const double *start, const double *velocity) {
  int n = k->model->nvert;
  double *y = malloc(3 * (size_t)n * sizeof *y);
  for (int i = 0; i < 3 * n; i++)
    y[i] = start[i] + k->h * (velocity[i] + k->h * k->model->gravity[i % 3]);
  for (int i = 0; i < k->model->ntarget; i++) { // a constant, which would hide the difference
    ptrdiff_t v = csim_xyz(k->model->target[i].vert);
    memcpy(y + v, k->state.x + v, 3 * sizeof *y);
  }
  csim_arena arena = {0};
  csim_problem problem = {.model = k->model,
                          .params = &k->params,
                          .h = k->h,
                          .inertia = kit_inertia(&arena, k->model, k->h),
                          .y = y};
  double value = csim_problem_value(&problem, k->state.x);
  csim_arena_free(&arena);
  free(y);
  return value;
}

void case_liu(void) {
  static const int at[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
  enum { N = sizeof at / sizeof *at };
  heading("8  pd on an 81 x 81 curtain, one step: distance to the exact step against iterations");
  double error[N], excess[N], taken[N], least = 0, *exact = NULL, *start = NULL, *velocity = NULL;
  for (int run = -2; run < N; run++) { // -2: swing; -1: the exact step
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
    if (run == -1) s = PD_ANDERSON;
    s.iterations = run < 0 ? 20000 : at[run];
    apply(run == -2 ? &NEWTON : &s, run == -2 ? 1e-3 : run == -1 ? 1e-7 : 0, &k);
    if (run == -2) {
      k.params.linear = "pcg";
      k.params.preconditioner = CSIM_PRECONDITIONER_ICHOL;
      k.params.linear_tolerance = 1e-6;
    }
    kit_ready(&k, run < 0 ? 2 : 1);
    size_t bytes = 3 * (size_t)k.model->nvert * sizeof(double);
    if (run == -2) { // swing for a third of a second
      start = malloc(bytes), velocity = malloc(bytes), exact = malloc(bytes);
      for (int n = 0; n < 10; n++) kit_step(&k);
      memcpy(start, k.state.x, bytes);
      memcpy(velocity, k.state.v, bytes);
      if (asked.verbose) printf("%d vertices, %d springs\n", k.model->nvert, k.springs.nelem);
    } else {
      memcpy(k.state.x, start, bytes);
      memcpy(k.state.v, velocity, bytes);
      double t0 = seconds();
      kit_step(&k);
      if (run == -1) {
        // compressed springs leave many minima close together: Newton may find another one, and the
        // distance to it would flatten
        memcpy(exact, k.state.x, bytes);
        least = step_value(&k, start, velocity);
        kit_end(&k);
        continue;
      }
      taken[run] = seconds() - t0;
      error[run] = 0;
      for (int i = 0; i < 3 * k.model->nvert; i++)
        error[run] += (k.state.x[i] - exact[i]) * (k.state.x[i] - exact[i]);
      error[run] = sqrt(error[run]);
      excess[run] = step_value(&k, start, velocity) - least;
      if (asked.verbose)
        printf("%6d iterations: distance %.6e of the first, F - F* %.6e of the first\n", at[run],
               error[run] / error[0], excess[run] / excess[0]);
      if (asked.verbose && run == N - 1) // F grows by c/2 |distance|^2 from its minimum
        printf("   stiffness of F along the rest: %.3g N/m, of it inertia %.3g\n",
               2 * excess[run] / (error[run] * error[run]), k.model->mass[0] / (k.h * k.h));
    }
    kit_end(&k);
  }
  int monotone = 1;
  for (int i = 1; i < N; i++) monotone &= error[i] < error[i - 1];
  expect("monotone (1 = yes)", 1, monotone, 0);
  expect("error(10) / error(1) <= 0.6", 0, error[4] / error[0], 0.6);
  expect("error(1000) / error(1) <= 5e-3", 0, error[10] / error[0], 5e-3);
  expect("the same of F - F*", 0, excess[10] / excess[0], 5e-3);
  // told, not tested: a machine may be busy
  double iteration = (taken[N - 1] - taken[0]) / (at[N - 1] - at[0]);
  printf("   %.2f ms an iteration, %.0f ms for the factor; Liu et al. on a core of an i7-3720QM: 5 "
         "and 113\n",
         1e3 * iteration, 1e3 * (taken[0] - iteration));
  draw_curve(at, error, N);
  free(start);
  free(velocity);
  free(exact);
}
