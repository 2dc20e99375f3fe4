// tests/bench/bench_linear.c: an iteration of conjugate gradients against what memory allows.
//
// bench_linear [CSV]: prints a table; the CSV (bench_linear.csv) has the same numbers.
//
// A square cloth of mesh springs and quadratic bending, one matrix, and iterations as Newton makes
// them. "bytes" is what an iteration must move when nothing stays in a cache: every array once for
// each pass that reads it, twice when it is written (a line is read before it is overwritten). The
// limit is what a triad a = b + s c reaches in the same run, on arrays of the same size as all of
// that, its own read before writing included. "of limit" is the time an iteration would take at
// that rate over the time it takes: 1 is all that the machine can give, more means that caches
// helped.
#include "math/pcg.h"
#include "math/vector.h"
#include "mesh/shapes.h"
#include "model/assemble.h"
#include "model/stiffness.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 7 }; // the best of: others use the machine too

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "bench_linear: %s\n", what);
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
  *model = (csim_model){.arena = arena, .nvert = mesh.nvert, .nbody = 1};
  model->x0 = CSIM_ARENA_NEW(&model->arena, double, 3 * mesh.nvert);
  model->v0 = CSIM_ARENA_NEW(&model->arena, double, 3 * mesh.nvert);
  model->mass = CSIM_ARENA_NEW(&model->arena, double, mesh.nvert);
  model->body = CSIM_ARENA_NEW(&model->arena, csim_body, 1);
  model->body[0] = (csim_body){
      .name = "cloth", .nvert = mesh.nvert, .mesh = CSIM_ARENA_NEW(&model->arena, csim_mesh, 1)};
  memcpy(model->x0, mesh.vert, 3 * (size_t)mesh.nvert * sizeof *mesh.vert);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, model->mass);
  for (int i = 0; i < mesh.nvert; i++) model->mass[i] *= 0.2;
  csim_part part = {.X = mesh.vert, .compression = 1};
  csim_network_mesh(&topology, &part, 1000, &springs);
  csim_network_hinges(&topology, &part, 1e-4, &bending);
  csim_topology_free(&topology);
  *model->body[0].mesh = mesh;
  const csim_elements *sets[] = {&springs, &bending};
  if (csim_model_assemble(model, 2, sets)) fail("out of memory");
  csim_elements_free(&springs);
  csim_elements_free(&bending);
  return model;
}

// ------------------------------------------------------------------------------------------ limits

typedef struct triad_job {
  double *a;
  const double *b, *c;
} triad_job;

static void triad_range(void *context, int first, int last) {
  const triad_job *job = context;
  for (int i = first; i < last; i++) job->a[i] = job->b[i] + 3 * job->c[i];
}

// Bytes per second of a triad on arrays of `bytes` in all, the hidden read of a included.
static double triad_rate(csim_pool *pool, double bytes) {
  int n = (int)(bytes / 24);
  csim_arena arena = {0};
  triad_job job = {CSIM_ARENA_NEW(&arena, double, n), CSIM_ARENA_NEW(&arena, double, n),
                   CSIM_ARENA_NEW(&arena, double, n)};
  if (arena.failed) fail("out of memory");
  double best = 1e30;
  for (int k = 0; k < 3 * REPEATS; k++) {
    double start = seconds();
    csim_pool_for(pool, n, 4096, triad_range, &job);
    double time = seconds() - start;
    if (time < best) best = time;
  }
  csim_arena_free(&arena);
  return 32.0 * n / best;
}

typedef struct meeting {
  int nthread;
  atomic_int here;
} meeting;

// A chunk that waits for all threads: none can be done by one thread alone.
static void meet(void *context, int chunk) {
  meeting *m = context;
  (void)chunk;
  atomic_fetch_add(&m->here, 1);
  for (int spin = 1; atomic_load(&m->here) < m->nthread; spin++)
    if (spin % 4096 == 0) sched_yield();
}

// What it takes to have all threads at work and back again [s], at its best.
static double job_time(csim_pool *pool) {
  double best = 1e30;
  for (int k = 0; k < 20000; k++) {
    meeting m = {.nthread = csim_pool_threads(pool)};
    double start = seconds();
    csim_pool_run(pool, m.nthread, meet, &m);
    double time = seconds() - start;
    if (time < best) best = time;
  }
  return best;
}

// ---------------------------------------------------------------------------------------- measured

typedef struct timing {
  double update, multiply, reduce, apply, advance; // [s] each at its best
  double bytes;                                    // of an iteration
} timing;

static void keep_least(double start, double *least) {
  double time = seconds() - start;
  if (time < *least) *least = time;
}

static timing measure(csim_pool *pool, const csim_model *model) {
  csim_arena arena = {0};
  csim_stiffness K;
  csim_block_jacobi P;
  int n = 3 * model->nvert;
  double *x = CSIM_ARENA_NEW(&arena, double, n), *r = CSIM_ARENA_NEW(&arena, double, n);
  double *p = CSIM_ARENA_NEW(&arena, double, n + 1), *q = CSIM_ARENA_NEW(&arena, double, n + 1);
  if (csim_stiffness_create(&arena, model, &K) ||
      csim_block_jacobi_create(&arena, model->nvert, &P))
    fail("out of memory");
  csim_point at = {.x = model->x0};
  double *inertia = CSIM_ARENA_NEW(&arena, double, model->nvert);
  if (!inertia) fail("out of memory");
  for (int i = 0; i < model->nvert; i++) inertia[i] = 240 * 240 * model->mass[i];
  timing t = {1e30, 1e30, 1e30, 1e30, 1e30, 0};
  for (int k = 0; k < REPEATS; k++) {
    double start = seconds();
    csim_stiffness_update(pool, &at, CSIM_PSD_DROP, inertia, NULL, &K);
    csim_block_jacobi_update_edges(pool, &K.A, &P, NULL);
    keep_least(start, &t.update);
  }
  for (int i = 0; i < n; i++) p[i] = i % 7 - 3;
  for (int k = 0; k < REPEATS; k++) {
    double start = seconds();
    double pq = csim_edge_matrix_multiply(pool, &K.A, p, q, NULL);
    keep_least(start, &t.multiply);
    start = seconds();
    csim_vector_reduce(pool, n, 1 / pq, q, r);
    keep_least(start, &t.reduce);
    start = seconds();
    csim_block_jacobi_apply(pool, &P, r, q, NULL);
    keep_least(start, &t.apply);
    start = seconds();
    csim_vector_advance(pool, n, 0.1, 0.1, q, p, x);
    keep_least(start, &t.advance);
  }
  double row = sizeof(double) + 3.0 * sizeof(int); // D, its place and two starts
  double matrix = model->nvert * row + K.graph.near_start[model->nvert] * (4 * 4.0 + 4) +
                  K.graph.far_start[model->nvert] * (4.0 + 4);
  double vector = 8.0 * n;
  // multiply: p, q written; reduce: q, r changed; apply: r, inverse, q written; advance: q, p and x
  // changed
  t.bytes = matrix + (3 + 3 + 3 + 5) * vector + 24.0 * model->nvert;
  csim_stiffness_free(&K);
  csim_arena_free(&arena);
  return t;
}

int main(int argc, char **argv) {
  static const int sides[] = {65, 129, 317, 1001};
  FILE *csv = fopen(argc > 1 ? argv[1] : "bench_linear.csv", "w");
  if (!csv) fail("cannot write the CSV");
  fprintf(csv, "vertices,threads,update_ms,multiply_ms,reduce_ms,apply_ms,advance_ms,iteration_ms,"
               "bytes_per_vertex,GB_per_s,triad_GB_per_s,of_limit\n");
  printf("vertices threads  update multiply  reduce   apply advance  iteration [ms]   B/vertex   "
         "GB/s  "
         "triad  of limit\n");
  for (int c = 0; c < 4; c++) {
    csim_model *model = make_cloth(sides[c]);
    for (int threads = 1; threads <= 2; threads++) {
      csim_pool *pool = csim_pool_create(threads);
      timing t = measure(pool, model);
      double iteration = t.multiply + t.reduce + t.apply + t.advance, rate = t.bytes / iteration;
      double limit = triad_rate(pool, t.bytes);
      printf("%8d %7d %7.2f %8.3f %7.3f %7.3f %7.3f  %14.3f %10.0f %6.1f %6.1f %9.2f\n",
             model->nvert, threads, 1e3 * t.update, 1e3 * t.multiply, 1e3 * t.reduce, 1e3 * t.apply,
             1e3 * t.advance, 1e3 * iteration, t.bytes / model->nvert, 1e-9 * rate, 1e-9 * limit,
             rate / limit);
      fprintf(csv, "%d,%d,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g\n", model->nvert, threads, 1e3 * t.update,
              1e3 * t.multiply, 1e3 * t.reduce, 1e3 * t.apply, 1e3 * t.advance, 1e3 * iteration,
              t.bytes / model->nvert, 1e-9 * rate, 1e-9 * limit, rate / limit);
      if (c == 0) printf("         %7d to work and back: %.2f us\n", threads, 1e6 * job_time(pool));
      csim_pool_free(pool);
    }
    csim_model_free(model);
  }
  if (fclose(csv)) fail("cannot write the CSV");
  return 0;
}
