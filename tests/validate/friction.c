// tests/validate/friction.c: case 11: Coulomb friction against closed forms.
#include "validate.h"

#include "mesh/shapes.h"

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define THICKNESS 1e-3

/// A piece of cloth and one collider.
typedef struct bench {
  kit k;
  csim_mesh surface; // of the collider
  csim_collider collider;
  csim_solver_setup setup;
} bench;

// A grid of cells[0] x cells[1] whose vertices `bend` has put in place.
static void bench_begin(const double size[2], const int cells[2],
                        void (*bend)(const double flat[3], double x[3]), double density, double E2D,
                        double B, double h, bench *b) {
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {size[0], size[1]}, .cells = {cells[0], cells[1]}};
  csim_topology topology;
  csim_mesh flat;
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &flat) == CSIM_OK);
  CHECK(csim_topology_build(flat.nvert, flat.ntri, flat.tri, &topology) == CSIM_OK);
  double *x = CSIM_NEW(double, csim_xyz(flat.nvert));
  for (int i = 0; i < flat.nvert; i++) bend(flat.vert + 3 * i, x + 3 * i);
  kit *k = &b->k;
  kit_begin(flat.nvert, x, density * size[0] * size[1] / flat.nvert, h, k);
  free(x);
  csim_mesh *own = CSIM_ARENA_NEW(&k->model->arena, csim_mesh, 1);
  CHECK(own && csim_mesh_shape(&spec, (csim_place){0}, NULL, own) == CSIM_OK);
  k->model->body[0].mesh = own;
  csim_part part = {.X = flat.vert};
  csim_network_mesh(&topology, &part, E2D, &k->springs);
  if (B > 0) csim_network_hinges(&topology, &part, B, &k->quadratic);
  csim_topology_free(&topology);
  csim_mesh_free(&flat);
  k->params = (csim_solver_params){.method = "newton",
                                   .linear = "pcg",
                                   .preconditioner = CSIM_PRECONDITIONER_ICHOL,
                                   .iterations = 60,
                                   .tolerance = 1e-4,
                                   .linear_iterations = 2000,
                                   .linear_tolerance = 1e-3,
                                   .line_search = 1};
}

static void bench_ready(double mu, bench *b) {
  kit *k = &b->k;
  const csim_elements *sets[] = {&k->springs, &k->quadratic};
  CHECK(csim_model_assemble(k->model, 2, sets) == 0);
  CHECK(csim_state_create(k->model, &k->state) == 0);
  k->model->body[0].friction = b->collider.friction = mu;
  b->setup = (csim_solver_setup){.model = k->model,
                                 .params = k->params,
                                 .contact = {.response = CSIM_RESPONSE_FILTER,
                                             .thickness = THICKNESS,
                                             .friction = mu,
                                             .slip = 1e-5},
                                 .ncollider = 1,
                                 .collider = &b->collider,
                                 .h = k->h};
  k->solver = csim_solver_create(&b->setup);
  CHECK(k->solver != NULL);
}

static void bench_end(bench *b) {
  csim_mesh_free(&b->surface);
  csim_mesh_free((csim_mesh *)(uintptr_t)b->k.model->body[0].mesh);
  kit_end(&b->k);
}

static double mean(const bench *b, int axis, const double *of) {
  double sum = 0;
  for (int i = 0; i < b->k.model->nvert; i++) sum += of[3 * i + axis];
  return sum / b->k.model->nvert;
}

// --------------------------------------------------------------------------------------- incline

static void lay_down(const double flat[3], double x[3]) {
  memcpy(x, flat, 3 * sizeof *x);
  x[1] = 2 * THICKNESS; // what starts nearer than the thickness would have a smaller one
}

// A patch on a plane, gravity turned by `degrees`, let go at `speed`: the way of its centre [m].
static double slide(double degrees, double speed, double mu, double seconds) {
  const double h = 1.0 / 240, a = degrees * PI / 180;
  bench b = {.collider = {
                 .name = "plane", .shape = CSIM_COLLIDER_PLANE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  bench_begin((double[]){0.4, 0.4}, (int[]){3, 3}, lay_down, 0.2, 300, 1e-5, h, &b);
  kit *k = &b.k;
  k->model->gravity[0] = GRAVITY * sin(a);
  k->model->gravity[1] = -GRAVITY * cos(a);
  bench_ready(mu, &b);
  // where contact carries its weight, so that nothing has to settle
  double depth = GRAVITY * cos(a) / fmax(10 * GRAVITY / THICKNESS, 1 / (h * h));
  for (int i = 0; i < k->model->nvert; i++) {
    k->state.x[3 * i + 1] = THICKNESS - depth;
    k->state.v[3 * i] = speed;
  }
  double from = mean(&b, 0, k->state.x);
  for (int n = 0; n < (int)(seconds / h); n++) kit_step(k);
  double way = mean(&b, 0, k->state.x) - from;
  bench_end(&b);
  return way;
}

// --------------------------------------------------------------------------------------- capstan

enum { ALONG = 160, SIDES = 128 };
#define RADIUS 0.1
#define HANGING 0.15 // on either side [m]
#define WIDTH 0.03

// Over the cylinder about z: down on the left, half a turn, down on the right.
static void wrap(const double flat[3], double x[3]) {
  double r = RADIUS + 0.98 * THICKNESS, s = flat[0], half = 0.5 * PI * r;
  x[2] = flat[2];
  if (fabs(s) > half) {
    x[0] = s < 0 ? -r : r;
    x[1] = half - fabs(s);
  } else {
    x[0] = r * sin(s / r);
    x[1] = r * cos(s / r);
  }
}

// A strip over a fixed cylinder with a weight at either end, the right one `ratio` times the left.
// Once it has settled it gets a push of 5 cm/s to the right, as a chain of links lies in dents and
// would hold a little more than a rope. Speed of the right weight at the ends of [0.1, 0.2] s
// [m/s].
static void pull(double ratio, double mu, double speed[2]) {
  const double h = 1.0 / 480, r = RADIUS + 0.98 * THICKNESS, length = PI * r + 2 * HANGING;
  bench b = {.collider = {.name = "cylinder",
                          .shape = CSIM_COLLIDER_CYLINDER,
                          .radius = RADIUS,
                          .half_height = 0.05,
                          .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  // the surface is what contact sees: a prism about z, its corners on the circle
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_CYLINDER, .radius = RADIUS, .height = 0.1, .cells = {SIDES, 2, 2}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &b.surface) == CSIM_OK);
  for (int i = 0; i < b.surface.nvert; i++) {
    double *x = b.surface.vert + 3 * i, y = x[1];
    x[1] = x[2];
    x[2] = -y;
  }
  b.collider.mesh = &b.surface;
  bench_begin((double[]){length, WIDTH}, (int[]){ALONG, 1}, wrap, 0.02, 1000, 0, h, &b);
  kit *k = &b.k;
  k->model->gravity[1] = -GRAVITY;
  int n = k->model->nvert;
  for (int i = 0; i < n; i++) {
    double *x = k->model->x0 + 3 * i, end = 1e-6 - HANGING;
    if (x[1] < end) k->model->mass[i] = (x[0] < 0 ? 0.02 : 0.02 * ratio) / 2;
  }
  bench_ready(mu, &b);
  k->model->body[0].damping = 20; // at first, until the weights have stopped bouncing
  for (int i = 0; i < (int)(0.5 / h); i++) kit_step(k);
  k->model->body[0].damping = 0;
  for (int i = 0; i < (int)(0.05 / h); i++) kit_step(k);
  int right = 0;
  for (int i = 0; i < n; i++) {
    const double *x = k->state.x + 3 * i;
    double l = sqrt(x[0] * x[0] + x[1] * x[1]), up = x[1] > 0 ? x[0] / l : x[0] < 0 ? -1 : 1;
    k->state.v[3 * i] += x[1] > 0 ? 0.05 * x[1] / l : 0;
    k->state.v[3 * i + 1] -= 0.05 * up;
    if (x[0] > 0 && x[1] < k->state.x[3 * right + 1]) right = i;
  }
  for (int t = 0; t < 2; t++) {
    for (int i = 0; i < (int)(0.1 / h); i++) kit_step(k);
    speed[t] = -k->state.v[3 * right + 1];
  }
  bench_end(&b);
}

void case_friction(void) {
  double critical = atan(0.5) * 180 / PI;
  heading("11 friction: a patch on an incline, stopping, and a strip around a capstan");
  expect("incline at the critical angle - 1 degree: way in 5 s [m]", 0,
         slide(critical - 1, 0, 0.5, 5), 1e-4);
  double way = slide(critical + 5, 0, 0.5, 1);
  expect("incline at + 5 degrees, mu 0.5: acceleration [m/s^2]", 0.9559, 2 * way / (1 + 1.0 / 240),
         0.009559);
  expect("stopping from 2 m/s at mu 0.3: way [m]", 0.67958, slide(0, 2, 0.3, 1),
         2.0 / 480 + 0.00068);
  if (!asked.all) return;
  static const struct {
    double mu, ratio;
  } loads[] = {{0.3, 2.44}, {0.3, 2.7}, {0.3, 3.5}, {1, 30}, {1, 40}};
  for (int k = 0; k < 5; k++) {
    char what[100];
    double mu = loads[k].mu, ratio = loads[k].ratio, most = exp(mu * PI), speed[2];
    double a = GRAVITY * (ratio - most) / (ratio + most);
    pull(ratio, mu, speed);
    snprintf(what, sizeof what, "capstan, half a turn, mu %.1f, load ratio %.2f: %s", mu, ratio,
             a < 0 ? "speed 0.2 s after a push" : "acceleration");
    if (a < 0)
      expect(what, 0, speed[1], 5e-3); // the weights still swing on the strip
    else
      expect(what, a, (speed[1] - speed[0]) / 0.1, 0.05 + 0.05 * a);
  }
}
