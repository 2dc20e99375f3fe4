// tests/unit/test_truth.c: mechanics with the settings that a scene gets when naming none. Every
// question has a closed form: free fall, sliding with and without friction, Newton's third law,
// spin, the energy of a swing, bodies that keep to their motion.
#include "check.h"
#include "kit.h"

#include "math/vec3.h"
#include "scene/compile.h"
#include "solver/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double G = 9.81, DEGREE = 3.14159265358979323846 / 180;

// A scene that is stepped frame by frame.
typedef struct sim {
  kit_scene k;
  double lag;   // [m] largest so far
  int contacts; // most in a substep
} sim;

// Opens the scene that the format makes; quotes are written as ' in it.
__attribute__((format(printf, 2, 3))) static int sim_open(sim *s, const char *format, ...) {
  char text[4000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  s->lag = 0;
  s->contacts = 0;
  return kit_scene_open(text, 2, &s->k);
}

static void sim_frames(sim *s, int frames) {
  for (int f = 0; f < frames; f++) {
    double end =
        (double)(s->k.state.step + s->k.scene->substeps) / (s->k.scene->fps * s->k.scene->substeps);
    csim_solver_begin_frame(s->k.solver, end);
    for (int k = 0; k < s->k.scene->substeps; k++) {
      csim_step_report report;
      CHECK(csim_step(s->k.solver, &s->k.state, &report) == 0);
      if (report.contact.lag > s->lag) s->lag = report.contact.lag;
      if (report.contacts > s->contacts) s->contacts = report.contacts;
    }
  }
}

// Sum of a body's mass times a vector field, over its mass.
static void mean(const sim *s, int body, const double *field, double out[3]) {
  const csim_model *model = s->k.world.model;
  double mass = 0;
  memset(out, 0, 3 * sizeof *out);
  for (int i = model->body[body].vert0; i < model->body[body].vert0 + model->body[body].nvert;
       i++) {
    csim_add_scaled(model->mass[i], field + csim_xyz(i), out);
    mass += model->mass[i];
  }
  for (int c = 0; c < 3; c++) out[c] /= mass;
}

// The way of a body's centre of mass in some frames.
static double way_of(sim *s, int body, int frames) {
  double from[3], to[3];
  mean(s, body, s->k.state.x, from);
  sim_frames(s, frames);
  mean(s, body, s->k.state.x, to);
  return csim_distance(from, to);
}

// ------------------------------------------------------------------------------------- questions

// Cloth slides off a ball and then falls: its own contacts must not hold it.
static void falls_free(const char *material, int nx, int nz, double offset, double friction) {
  sim s;
  double x[3][3];
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'wind': {'density': 0},"
               " 'contact': {'friction': %g, 'thickness': 0.003}, 'objects': ["
               "{'name': 'c', 'type': 'cloth', 'material': '%s', 'position': [%g, 0.26, 0],"
               " 'mesh': {'shape': 'grid', 'size': [0.8, 0.8], 'cells': [%d, %d]}},"
               "{'name': 'b', 'type': 'collider', 'mesh': {'shape': 'sphere', 'radius': 0.25}}]}",
               friction, material, offset, nx, nz))
    return;
  sim_frames(&s, 36);
  for (int k = 0; k < 3; k++) {
    mean(&s, 0, s.k.state.x, x[k]);
    if (k < 2) sim_frames(&s, 4);
  }
  double dt = 4 / s.k.scene->fps, a = (x[2][1] - 2 * x[1][1] + x[0][1]) / (dt * dt);
  check_that(x[2][1] < -2, __FILE__, __LINE__, "%s: it has left the ball, at %g m", material,
             x[2][1]);
  CHECK_NEAR(a, -G, 0.02 * G);
  kit_scene_close(&s.k);
}

// The same with the substeps of a quality, until it has crumpled: its folds must not hold it up.
static void falls_crumpled(const char *quality) {
  sim s;
  double x[3][3];
  if (sim_open(&s,
               "{'quality': '%s', 'wind': {'density': 0},"
               " 'contact': {'friction': 0.1, 'thickness': 0.003}, 'objects': ["
               "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'position': [0.2, 0.26, 0],"
               " 'mesh': {'shape': 'grid', 'size': [0.8, 0.8], 'cells': [24, 24]}},"
               "{'name': 'b', 'type': 'collider', 'mesh': {'shape': 'sphere', 'radius': 0.25}}]}",
               quality))
    return;
  sim_frames(&s, 24);
  for (int k = 0; k < 3; k++) {
    mean(&s, 0, s.k.state.x, x[k]);
    if (k < 2) sim_frames(&s, 8);
  }
  double dt = 8 / s.k.scene->fps, a = (x[2][1] - 2 * x[1][1] + x[0][1]) / (dt * dt);
  CHECK_NEAR(a, -G, 0.02 * G);
  kit_scene_close(&s.k);
}

// A cloth let fall in a vacuum is where Galilei has it: it does not lag by a part of a step.
static void falls_from_rest(const char *integrator, double most_off) {
  sim s;
  double from[3], to[3];
  if (sim_open(&s,
               "{'wind': {'density': 0}, 'contact': {'response': 'none'}, 'solver': {'integrator': "
               "'%s'},"
               " 'objects': [{'name': 'c', 'type': 'cloth', 'material': 'cotton',"
               " 'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [8, 8]}}]}",
               integrator))
    return;
  mean(&s, 0, s.k.state.x, from);
  sim_frames(&s, 24);
  mean(&s, 0, s.k.state.x, to);
  CHECK_NEAR(from[1] - to[1], G / 2, most_off);
  kit_scene_close(&s.k);
}

// Cloth on a tilted board: a = g (sin - mu cos), or it holds.
static void slides(const char *material, double degrees, double friction, int nx, int nz) {
  sim s;
  double a = degrees * DEGREE, up = 0.8 * tan(a) + 0.02, fall = sin(a) - friction * cos(a);
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'wind': {'density': 0},"
               " 'contact': {'friction': %g, 'thickness': 0.001}, 'objects': ["
               "{'name': 'b', 'type': 'collider', 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'box', 'size': [3, 0.02, 1], 'cells': [30, 1, 10]}},"
               "{'name': 'c', 'type': 'cloth', 'material': '%s', 'position': [-0.8, %g, 0],"
               " 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'grid', 'size': [0.4, 0.4], 'cells': [%d, %d]}}]}",
               friction, -degrees, material, up, -degrees, nx, nz))
    return;
  sim_frames(&s, 6);
  double t0 = kit_scene_time(&s.k), way = way_of(&s, 0, 14), t1 = kit_scene_time(&s.k);
  double theory = fall > 0 ? 0.5 * G * fall * (t1 * t1 - t0 * t0) : 0;
  CHECK_NEAR(way, theory, fall > 0 ? 0.06 * theory : 1e-3);
  kit_scene_close(&s.k);
}

// Cloth that drops on a board from a gap [m] gets friction's impulse, mu times that of the normal
// force, and slides on: v = g (sin - mu cos) t from the start. `share` is the error allowed.
static void lands_sliding(double degrees, double friction, double gap, int frames, double share) {
  sim s;
  double a = degrees * DEGREE, up = 0.8 * tan(a) + (0.01 + gap) / cos(a), from[3], to[3];
  if (sim_open(&s,
               "{'frames': {}, 'wind': {'density': 0},"
               " 'contact': {'friction': %g, 'thickness': 0.001}, 'objects': ["
               "{'name': 'b', 'type': 'collider', 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'box', 'size': [4, 0.02, 1], 'cells': [40, 1, 10]}},"
               "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'position': [-0.8, %g, 0],"
               " 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'grid', 'size': [0.4, 0.4], 'cells': [20, 20]}}]}",
               friction, -degrees, up, -degrees))
    return;
  sim_frames(&s, frames);
  mean(&s, 0, s.k.state.x, from);
  sim_frames(&s, 1);
  mean(&s, 0, s.k.state.x, to);
  double t = kit_scene_time(&s.k) - 0.5 / s.k.scene->fps;
  double theory = G * (sin(a) - friction * cos(a)) * t;
  CHECK_NEAR(csim_distance(to, from) * s.k.scene->fps, theory, share * theory);
  kit_scene_close(&s.k);
}

// Cloth that slides fast over the flat side of a mesh: v = g (sin - mu cos) t.
static void slides_fast(const char *quality, int along, int nx, int nz, int frames) {
  sim s;
  double a = 30 * DEGREE, friction = 0.3, from[3], to[3];
  if (sim_open(&s,
               "{'quality': '%s', 'frames': {}, 'wind': {'density': 0},"
               " 'contact': {'friction': %g}, 'objects': ["
               "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'rotation': [0, 0, 30],"
               " 'position': [-0.00075, 0.0012990381056766582, 0],"
               " 'mesh': {'shape': 'grid', 'size': [0.3, 0.25], 'cells': [%d, %d]}},"
               "{'name': 'b', 'type': 'collider', 'rotation': [0, 0, 30],"
               " 'position': [0.25, -0.4330127018922194, 0],"
               " 'mesh': {'shape': 'box', 'size': [20, 1, 3], 'cells': [%d, 2, 7]}}]}",
               quality, friction, nx, nz, along))
    return;
  sim_frames(&s, frames - 1);
  mean(&s, 0, s.k.state.x, from);
  sim_frames(&s, 1);
  mean(&s, 0, s.k.state.x, to);
  double t = kit_scene_time(&s.k) - 0.5 / s.k.scene->fps;
  double theory = G * (sin(a) - friction * cos(a)) * t;
  CHECK_NEAR(csim_distance(to, from) * s.k.scene->fps, theory, 0.02 * theory);
  kit_scene_close(&s.k);
}

// A stiff patch on a sheet held by pins, without friction.
static void patch_slides(const char *material, double degrees, int cells) {
  sim s;
  double a = degrees * DEGREE, sine = sin(a), cosine = cos(a);
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'wind': {'density': 0},"
               " 'contact': {'friction': 0, 'thickness': 0.001}, 'objects': ["
               "{'name': 'p', 'type': 'cloth', 'position': [%g, %g, 0], 'rotation': [0, 0, %g],"
               " 'material': {'preset': '%s', 'stretch': 20000, 'bend': 0.05},"
               " 'mesh': {'shape': 'grid', 'size': [0.2, 0.2], 'cells': [%d, %d]}},"
               "{'name': 's', 'type': 'cloth', 'material': 'cotton', 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'grid', 'size': [1, 0.4], 'cells': [40, 16]},"
               " 'pins': [{'vertices': 'all'}]}]}",
               -0.3 * cosine + 0.0011 * sine, 0.3 * sine + 0.0011 * cosine, -degrees, material,
               cells, cells, -degrees))
    return;
  double way = way_of(&s, 0, 10), t = kit_scene_time(&s.k), theory = 0.5 * G * sine * t * t;
  CHECK_NEAR(way, theory, 0.04 * theory);
  kit_scene_close(&s.k);
}

// A rigid body and where it starts; its smallest thickness [m] and motion.
typedef struct mover {
  const char *name, *body, *motion;
  double thickness;
} mover;

// Largest relative change of a rigid collider's edges.
static double edge_change(const csim_collider *collider, const double *x, const double *rest) {
  double most = 0;
  for (int k = 0; k < 3 * collider->mesh->ntri; k++) {
    int a = collider->mesh->tri[k], b = collider->mesh->tri[k % 3 == 2 ? k - 2 : k + 1];
    double l = csim_distance(rest + csim_xyz(a), rest + csim_xyz(b));
    most = fmax(most, fabs(csim_distance(x + csim_xyz(a), x + csim_xyz(b)) / l - 1));
  }
  return most;
}

// A body keeps its shape and its time, whatever cloth is before it: in every substep it is less
// than 2 mm and a tenth of its thickness behind.
static void body_arrives(const mover *m, const char *cloth, int cells, int frames) {
  sim s;
  if (sim_open(&s,
               "{'frames': {}, 'objects': [{'name': 'c', 'type': 'cloth', 'material': 'cotton',"
               " 'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [%d, %d]}, %s},"
               "{'name': 'b', 'type': 'collider', %s, 'motion': %s}]}",
               cells, cells, cloth, m->body, m->motion))
    return;
  const csim_collider *b = &s.k.world.collider[0];
  double *start = malloc(3 * (size_t)b->mesh->nvert * sizeof *start), change = 0, off = 0;
  double *goal = malloc(3 * (size_t)b->mesh->nvert * sizeof *goal);
  csim_collider_vertices(b, 0, start);
  for (int f = 0; f < frames; f++) {
    sim_frames(&s, 1);
    change = fmax(change, edge_change(b, s.k.state.kinematic, start));
  }
  double most = fmin(2e-3, 0.1 * m->thickness);
  check_that(s.contacts > 0, __FILE__, __LINE__, "%s: it touches nothing", m->name);
  check_that(s.lag < most, __FILE__, __LINE__, "%s: %g m behind", m->name, s.lag);
  check_that(change < 1e-6, __FILE__, __LINE__, "%s: an edge changed by %g", m->name, change);
  csim_collider_vertices(b, kit_scene_time(&s.k), goal);
  for (int i = 0; i < 3 * b->mesh->nvert; i++)
    off = fmax(off, fabs(goal[i] - s.k.state.kinematic[i]));
  check_that(off < most, __FILE__, __LINE__, "%s: a vertex is %g m off", m->name, off);
  free(goal);
  free(start);
  kit_scene_close(&s.k);
}

// A ball at some speeds, a thin plate, a rotating blade through a hanging cloth; a body that turns
// under a cloth.
static void bodies_arrive(void) {
  const char *hung =
      "'rotation': [90, 0, 0], 'pins': [{'nearest': [[-0.5, 0.5, 0], [0.5, 0.5, 0]]}]";
  static const struct {
    double speed;
    int cells, frames;
  } ball[] = {{0.5, 16, 12}, {1, 24, 12}, {2, 16, 10}, {5, 20, 8},
              {10, 16, 5},   {30, 12, 4}, {50, 8, 5},  {100, 8, 5}};
  for (size_t k = 0; k < sizeof ball / sizeof *ball; k++) {
    char name[40], motion[100];
    snprintf(name, sizeof name, "ball, %g m/s", ball[k].speed);
    snprintf(motion, sizeof motion, "[{'frame': 1}, {'frame': 13, 'position': [0, 0, %g]}]",
             -0.5 * ball[k].speed);
    body_arrives(&(mover){name,
                          "'mesh': {'shape': 'sphere', 'radius': 0.1, 'cells': [24, 24]},"
                          " 'position': [0.013, 0.02, 0.11]",
                          motion, 0.2},
                 hung, ball[k].cells, ball[k].frames);
  }
  body_arrives(&(mover){"plate",
                        "'mesh': {'shape': 'box', 'size': [0.3, 0.3, 0.004]},"
                        " 'position': [0, 0, 0.05]",
                        "[{'frame': 1}, {'frame': 13, 'position': [0, 0, -0.4]}]", 0.004},
               hung, 20, 12);
  body_arrives(&(mover){"blade",
                        "'mesh': {'shape': 'box', 'size': [0.6, 0.08, 0.02], 'cells': [12, 2, 1]},"
                        " 'position': [0, 0, 0.15]",
                        "[{'frame': 1}, {'frame': 13, 'rotation': [0, 180, 0]}]", 0.02},
               hung, 20, 12);
  body_arrives(&(mover){"turning body",
                        "'mesh': {'shape': 'box', 'size': [0.4, 0.3, 0.2], 'cells': [4, 3, 2]},"
                        " 'position': [0, -0.17, 0]",
                        "[{'frame': 5}, {'frame': 17, 'rotation': [0, 180, 0]}]", 0.2},
               "'position': [0.05, 0, 0.02]", 20, 16);
}

static double angular_momentum(const sim *s) {
  const csim_model *model = s->k.world.model;
  double c[3], v[3], L[3] = {0};
  mean(s, 0, s->k.state.x, c);
  mean(s, 0, s->k.state.v, v);
  for (int i = 0; i < model->nvert; i++) {
    double r[3], w[3], l[3];
    csim_sub(s->k.state.x + csim_xyz(i), c, r);
    csim_sub(s->k.state.v + csim_xyz(i), v, w);
    csim_cross(r, w, l);
    csim_add_scaled(model->mass[i], l, L);
  }
  return csim_norm(L);
}

// A press closes farther than cloth lets it, and opens: it is late only while it is closed.
static void press_opens(const char *material, double depth, int n) {
  sim s;
  if (sim_open(&s,
               "{'objects': ["
               "{'name': 'c', 'type': 'cloth', 'material': '%s',"
               " 'mesh': {'shape': 'grid', 'size': [0.6, 0.6], 'cells': [%d, %d]}},"
               "{'name': 'a', 'type': 'collider', 'mesh': {'shape': 'box', 'size': [0.3, 0.1, "
               "0.3], 'cells': [6, 2, 6]},"
               " 'position': [0, 0.06, 0], 'motion': [{'frame': 1}, {'frame': 5, 'position': [0, "
               "%g, 0]},"
               " {'frame': 8, 'position': [0, %g, 0]}, {'frame': 12}]},"
               "{'name': 'b', 'type': 'collider', 'mesh': {'shape': 'box', 'size': [0.3, 0.1, "
               "0.3], 'cells': [6, 2, 6]},"
               " 'position': [0, -0.06, 0]}]}",
               material, n, n, -depth, -depth))
    return;
  sim_frames(&s, 7);
  double caught = s.lag;
  CHECK(caught > depth - 0.02);
  sim_frames(&s, 2);
  s.lag = 0;
  sim_frames(&s, 2);
  check_that(s.lag < 1e-9, __FILE__, __LINE__, "press, %s: %g m behind when it is open, %g closed",
             material, s.lag, caught);
  kit_scene_close(&s.k);
}

// A free object turns on, for two seconds.
static void keeps_spin(const char *object, const char *spin, double least) {
  sim s;
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'gravity': [0, 0, 0], 'wind': {'density': 0},"
               " 'contact': {'response': 'none'}, 'objects': [{'name': 'c', %s, 'spin': %s}]}",
               object, spin))
    return;
  double before = angular_momentum(&s);
  sim_frames(&s, 48);
  double kept = angular_momentum(&s) / before;
  check_that(kept > least && kept < 1.0005, __FILE__, __LINE__, "%s: keeps %g of a spin of %s",
             object, kept, spin);
  kit_scene_close(&s.k);
}

// Contact between simulated things changes no momentum.
static void collides(const char *a, const char *b, double speed, double friction) {
  sim s;
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'gravity': [0, 0, 0], 'wind': {'density': 0},"
               " 'contact': {'friction': %g}, 'objects': ["
               "{'name': 'a', %s, 'velocity': [0, %g, 0], 'position': [0.1, 0.12, 0.07]},"
               "{'name': 'b', %s}]}",
               friction, a, -speed, b))
    return;
  double v[2][3], mass[2] = {0, 0}, worst = 0;
  const csim_model *model = s.k.world.model;
  for (int i = 0; i < model->nvert; i++) mass[model->body_of[i]] += model->mass[i];
  for (int f = 0; f < 20; f++) {
    sim_frames(&s, 1);
    double p[3] = {0, mass[0] * speed, 0};
    for (int k = 0; k < 2; k++) {
      mean(&s, k, s.k.state.v, v[k]);
      csim_add_scaled(mass[k], v[k], p);
    }
    worst = fmax(worst, csim_norm(p) / (mass[0] * speed));
  }
  check_that(worst < 0.01, __FILE__, __LINE__, "%s meets %s: %g of the momentum is lost", a, b,
             worst);
  check_that(fabs(v[0][1] + speed) > 0.05 * speed, __FILE__, __LINE__, "%s meets %s: they met", a,
             b);
  kit_scene_close(&s.k);
}

// [J/kg] of motion and height.
static double energy(const sim *s) {
  const csim_model *model = s->k.world.model;
  double sum = 0, mass = 0;
  for (int i = 0; i < model->nvert; i++) {
    const double *v = s->k.state.v + csim_xyz(i);
    sum += model->mass[i] * (0.5 * csim_dot(v, v) + G * s->k.state.x[csim_xyz(i) + 1]);
    mass += model->mass[i];
  }
  return sum / mass;
}

// A cloth let go from the horizontal along one side swings through: of the energy it has to swing
// with, g times half its length, it loses little in a second, and it never gains.
static void swings(const char *integrator, double most_lost) {
  sim s;
  if (sim_open(
          &s,
          "{'frames': {'substeps': 10}, 'wind': {'density': 0}, 'contact': {'response': 'none'},"
          " 'solver': {'integrator': '%s'},"
          " 'objects': [{'name': 'c', 'type': 'cloth', 'material': 'cotton',"
          " 'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [20, 20]},"
          " 'pins': [{'box': [[-0.51, -0.1, -0.51], [-0.49, 0.1, 0.51]]}]}]}",
          integrator))
    return;
  double start = energy(&s), most = start;
  for (int f = 0; f < 24; f++) {
    sim_frames(&s, 1);
    most = fmax(most, energy(&s));
  }
  double lost = (start - energy(&s)) / (G * 0.5);
  check_that(lost < most_lost, __FILE__, __LINE__, "%s loses %g of a swing's energy", integrator,
             lost);
  check_that(most <= start + 0.002 * G, __FILE__, __LINE__, "%s gains %g J/kg", integrator,
             most - start);
  kit_scene_close(&s.k);
}

// Sizes of the contact forces on a body, summed [N], over the weight of its model's mass.
static double pressed(sim *s, int body) {
  const csim_model *model = s->k.world.model;
  double *force = calloc((size_t)model->nvert, sizeof *force), sum = 0;
  csim_solver_normal_forces(s->k.solver, &s->k.state, force);
  for (int i = 0; i < model->body[body].nvert; i++) sum += force[model->body[body].vert0 + i];
  free(force);
  return sum;
}

static double weight(const sim *s, int body) {
  double sum = 0;
  for (int i = 0; i < s->k.world.model->body[body].nvert; i++)
    sum += G * s->k.world.model->mass[s->k.world.model->body[body].vert0 + i];
  return sum;
}

static double speed(const sim *s) {
  const csim_model *model = s->k.world.model;
  double sum = 0, mass = 0;
  for (int i = 0; i < model->nvert; i++) {
    const double *v = s->k.state.v + csim_xyz(i);
    sum += model->mass[i] * csim_dot(v, v);
    mass += model->mass[i];
  }
  return sqrt(sum / mass);
}

// A sheet at rest on a meshed board presses on it with its weight times the cosine of the tilt.
static void presses(const char *material, const char *mesh, double degrees, double most_off) {
  sim s;
  double up = 0.022 / cos(degrees * DEGREE);
  if (sim_open(&s,
               "{'contact': {'friction': 0.8}, 'objects': ["
               "{'name': 'b', 'type': 'collider', 'rotation': [0, 0, %g],"
               " 'mesh': {'shape': 'box', 'size': [2, 0.04, 1], 'cells': [17, 1, 9]}},"
               "{'name': 'c', 'type': 'cloth', 'material': '%s', 'position': [0, %g, 0],"
               " 'rotation': [0, 0, %g], 'mesh': %s}]}",
               -degrees, material, up, -degrees, mesh))
    return;
  sim_frames(&s, 30);
  double mean = 0; // of a frame's substeps
  for (int f = 0; f < 6; f++) {
    sim_frames(&s, 1);
    mean += pressed(&s, 0) / 6;
  }
  CHECK_NEAR(mean / (weight(&s, 0) * cos(degrees * DEGREE)), 1, most_off);
  kit_scene_close(&s.k);
}

// A patch on a board that starts to move at a constant speed is taken along by friction alone:
// it slides until it has that speed, and stays behind by V^2 / (2 mu g).
static void is_taken_along(const char *material, double V, double friction, int cells) {
  sim s;
  if (sim_open(&s,
               "{'frames': {'substeps': 10}, 'wind': {'density': 0},"
               " 'contact': {'friction': %g, 'thickness': 0.001}, 'objects': ["
               "{'name': 'b', 'type': 'collider', 'mesh': {'shape': 'box', 'size': [3, 0.02, 1],"
               " 'cells': [30, 1, 10]}, 'motion': [{'frame': 7}, {'frame': 31, 'position': [%g, 0, "
               "0]}]},"
               "{'name': 'c', 'type': 'cloth', 'material': '%s', 'position': [-0.5, 0.0115, 0],"
               " 'mesh': {'shape': 'grid', 'size': [0.3, 0.3], 'cells': [%d, %d]}}]}",
               friction, V, material, cells, cells))
    return;
  sim_frames(&s, 6);
  double way = way_of(&s, 0, 20), t = 20 / s.k.scene->fps;
  double theory = V * t - V * V / (2 * friction * G);
  CHECK_NEAR(way, theory, 0.04 * theory);
  kit_scene_close(&s.k);
}

// Writes a strip of width 0.2 and length `along` + `down` that lies along x on a table of height 0
// and goes down behind its edge, rounded by r. @return its name, to be removed
static const char *write_strip(double along, double down, double r, int n, int m) {
  static char path[64];
  strcpy(path, "/tmp/test_truth_XXXXXX.obj");
  int file = mkstemps(path, 4);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (!f) exit(1);
  double arc = r * 90 * DEGREE, whole = along + arc + down;
  for (int j = 0; j <= m; j++)
    for (int i = 0; i <= n; i++) {
      double s = whole * i / n - along, z = 0.2 * j / m - 0.1, x = s, y = r;
      if (s > 0) {
        double a = fmin(s / r, 90 * DEGREE);
        x = r * sin(a);
        y = r * cos(a) - fmax(s - arc, 0);
      }
      fprintf(f, "v %.9g %.9g %.9g\n", x, y, z);
    }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      int a = j * (n + 1) + i + 1, b = a + n + 1;
      fprintf(f, "f %d %d %d\nf %d %d %d\n", a, b, a + 1, a + 1, b, b + 1);
    }
  fclose(f);
  return path;
}

// Cloth is drawn over an edge by what hangs down: without friction L y'' = g (y + r), so that
// y + r grows by cosh(t sqrt(g / L)).
static void is_drawn_over_edge(const char *material, double along, double down, int n) {
  sim s;
  double r = 0.05, L = along + down + r * 90 * DEGREE;
  const char *path = write_strip(along, down, r + 0.0015, n, n / 6);
  int failed =
      sim_open(&s,
               "{'frames': {'substeps': 10}, 'wind': {'density': 0},"
               " 'contact': {'friction': 0, 'thickness': 0.001}, 'objects': ["
               "{'name': 'c', 'type': 'cloth', 'material': {'preset': '%s', 'bend': 1e-7},"
               " 'mesh': {'file': '%s'}},"
               "{'name': 'roll', 'type': 'collider', 'rotation': [90, 0, 0],"
               " 'mesh': {'shape': 'cylinder', 'radius': %g, 'height': 0.6, 'cells': [120, 1, 1]}},"
               "{'name': 'table', 'type': 'collider', 'position': [-1, %g, 0],"
               " 'mesh': {'shape': 'box', 'size': [2, 0.02, 0.6]}}]}",
               material, path, r, r - 0.01);
  unlink(path);
  if (failed) return;
  double way = way_of(&s, 0, 8), t = kit_scene_time(&s.k);
  (void)way;
  double lowest = 0;
  for (int i = 0; i < s.k.world.model->nvert; i++)
    lowest = fmin(lowest, s.k.state.x[csim_xyz(i) + 1]);
  double theory = (down + r) * cosh(t * sqrt(G / L)) - r;
  CHECK_NEAR(-lowest - down, theory - down, 0.05 * (theory - down));
  kit_scene_close(&s.k);
}

// Sheets thrown on a heap come to rest, and never move faster than they fell.
static void heap_settles(const char *a, const char *b, const char *c) {
  sim s;
  if (sim_open(
          &s,
          "{'contact': {'friction': 0.3}, 'objects': ["
          "{'name': 'ground', 'type': 'collider', 'mesh': {'shape': 'box', 'size': [3, 0.1, 3],"
          " 'cells': [6, 1, 6]}, 'position': [0, -0.05, 0]},"
          "{'name': 'a', 'type': 'cloth', 'material': '%s', 'position': [0, 0.25, 0],"
          " 'rotation': [50, 10, 0], 'mesh': {'shape': 'grid', 'size': [0.5, 0.5], 'cells': [14, "
          "14]}},"
          "{'name': 'b', 'type': 'cloth', 'material': '%s', 'position': [0.05, 0.75, 0],"
          " 'rotation': [0, 30, 70], 'mesh': {'shape': 'disk', 'radius': 0.25, 'cells': [20, 7]}},"
          "{'name': 'c', 'type': 'cloth', 'material': '%s', 'position': [0, 1.1, 0.05],"
          " 'rotation': [15, 0, 20], 'mesh': {'shape': 'grid', 'size': [0.4, 0.6], 'cells': [10, "
          "15]}}]}",
          a, b, c))
    return;
  double most = 0;
  for (int f = 0; f < 72; f++) {
    sim_frames(&s, 1);
    most = fmax(most, speed(&s));
  }
  check_that(most < sqrt(2 * G * 1.4), __FILE__, __LINE__, "a heap of %s moves at %g m/s", a, most);
  check_that(speed(&s) < 0.02, __FILE__, __LINE__, "a heap of %s still moves at %g m/s", a,
             speed(&s));
  kit_scene_close(&s.k);
}

// Two solids on one another: the upper one is pressed by its own weight, the lower one from both
// sides.
static void stack_stands(const char *material, double side) {
  sim s;
  if (sim_open(
          &s,
          "{'contact': {'friction': 0.4}, 'objects': ["
          "{'name': 'ground', 'type': 'collider', 'mesh': {'shape': 'box', 'size': [3, 0.1, 3],"
          " 'cells': [7, 1, 7]}, 'position': [0, -0.05, 0]},"
          "{'name': 'low', 'type': 'solid', 'material': '%s', 'position': [0, %g, 0],"
          " 'mesh': {'shape': 'box', 'size': [%g, %g, %g], 'cells': [3, 3, 3]}},"
          "{'name': 'high', 'type': 'solid', 'material': '%s', 'position': [0.01, %g, 0.02],"
          " 'rotation': [0, 20, 0], 'mesh': {'shape': 'box', 'size': [%g, %g, %g], 'cells': [3, 3, "
          "3]}}]}",
          material, 0.5 * side + 0.005, side, side, side, material, 1.5 * side + 0.01, 0.8 * side,
          0.8 * side, 0.8 * side))
    return;
  sim_frames(&s, 60);
  double low = 0, high = 0;
  for (int f = 0; f < 12; f++) {
    sim_frames(&s, 1);
    low += pressed(&s, 0) / 12;
    high += pressed(&s, 1) / 12;
  }
  CHECK_NEAR(high / weight(&s, 1), 1, 0.02);
  CHECK_NEAR(low / (weight(&s, 0) + 2 * weight(&s, 1)), 1, 0.02);
  check_that(speed(&s) < 0.01, __FILE__, __LINE__, "a stack of %s moves at %g m/s", material,
             speed(&s));
  kit_scene_close(&s.k);
}

// Writes a hollow ball of radius 0.5 about the origin, 16 x 8 cells, with a wall. @return its name,
// to be removed
static const char *write_hollow_ball(double wall) {
  enum { NU = 16, NV = 8, BOTTOM = 1 + (NV - 1) * NU, N = BOTTOM + 1 };
  static char path[64];
  strcpy(path, "/tmp/test_truth_XXXXXX.obj");
  int file = mkstemps(path, 4);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (!f) exit(1);
  for (int side = 0; side < 2; side++) {
    double r = 0.5 - side * wall;
    fprintf(f, "v 0 %.9g 0\n", r);
    for (int j = 1; j < NV; j++)
      for (int i = 0; i < NU; i++) {
        double t = j * 180 * DEGREE / NV, p = i * 360 * DEGREE / NU;
        fprintf(f, "v %.9g %.9g %.9g\n", r * sin(t) * cos(p), r * cos(t), r * sin(t) * sin(p));
      }
    fprintf(f, "v 0 %.9g 0\n", -r);
  }
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < NV; j++)
      for (int i = 0; i < NU; i++) {
        int o = 1 + side * N, k = (i + 1) % NU, up = o + 1 + (j - 1) * NU, low = up + NU;
        int a = j ? up + i : o, b = j ? up + k : o;
        int c = j < NV - 1 ? low + k : o + BOTTOM, d = j < NV - 1 ? low + i : o + BOTTOM;
        // outward; the inner side is the other way round
        if (j) fprintf(f, "f %d %d %d\n", a, side ? c : b, side ? b : c);
        if (j < NV - 1) fprintf(f, "f %d %d %d\n", a, side ? d : c, side ? c : d);
      }
  fclose(f);
  return path;
}

// Kinetic and elastic energy and that of gravity [J]; counts tetrahedra that are inside out.
static double energy_of(const sim *s, int *inverted) {
  const csim_model *model = s->k.world.model;
  const double *x = s->k.state.x, *v = s->k.state.v;
  double sum = csim_model_energy(s->k.pool, model, &(csim_point){.x = x});
  for (int i = 0; i < model->nvert; i++)
    sum += model->mass[i] * (0.5 * csim_dot(v + csim_xyz(i), v + csim_xyz(i)) -
                             csim_dot(model->gravity, x + csim_xyz(i)));
  *inverted = 0;
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    if (energy->kind != &csim_volume_kind) continue;
    for (int i = 0; i < energy->nelem; i++) {
      const int *t = energy->node + csim_row(4, i);
      double edge[3][3], n[3];
      for (int k = 0; k < 3; k++) csim_sub(x + csim_xyz(t[k + 1]), x + csim_xyz(t[0]), edge[k]);
      csim_cross(edge[0], edge[1], n);
      *inverted += !(csim_dot(n, edge[2]) > 0);
    }
  }
  return sum;
}

// A hollow ball comes down on the floor: the two sides of its wall are nearer than the contact
// thickness, and the floor stops one of them first. Nothing may be gained.
static void hollow_ball_lands(double wall, double speed, int frames) {
  sim s;
  int inverted;
  const char *path = write_hollow_ball(wall);
  int failed = sim_open(&s,
                        "{'objects': [{'name': 'ball', 'type': 'solid', 'material': 'rubber-solid',"
                        " 'mesh': {'file': '%s'}, 'position': [0, 0.52, 0], 'velocity': [0, %g, "
                        "0]},"
                        "{'name': 'floor', 'type': 'collider', 'mesh': {'shape': 'plane'}}]}",
                        path, -speed);
  unlink(path);
  if (failed) return;
  double start = energy_of(&s, &inverted), most = start;
  check_that(inverted == 0, __FILE__, __LINE__, "a wall of %g m starts inside out", wall);
  for (int f = 0; f < frames; f++) {
    sim_frames(&s, 1);
    most = fmax(most, energy_of(&s, &inverted));
  }
  check_that(most <= 1.01 * start, __FILE__, __LINE__, "a wall of %g m: %g J became %g", wall,
             start, most);
  check_that(inverted == 0, __FILE__, __LINE__, "a wall of %g m: %d inverted", wall, inverted);
  kit_scene_close(&s.k);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  falls_free("cotton", 24, 24, 0.2, 0.1);
  falls_free("denim", 16, 20, 0.25, 0.05);
  falls_from_rest("generalized-alpha", 1e-5);
  falls_from_rest("bdf2", 2e-3);
  falls_crumpled("normal");
  falls_crumpled("draft");
  slides("cotton", 20, 0.2, 20, 20);
  slides("denim", 15, 0.1, 12, 18);
  slides("wool", 25, 0.3, 16, 16);
  slides("cotton", 20, 0.5, 20, 20);
  lands_sliding(20, 0.2, 9e-3, 6, 0.05);
  lands_sliding(25, 0.3, 9e-3, 8, 0.05);
  lands_sliding(10, 0.05, 4e-3, 8, 0.05);
  lands_sliding(20, 0.34, 9e-3, 10, 0.05);
  lands_sliding(20, 0.35, 6e-4, 60, 0.3); // 0.7 degrees above the limit
  lands_sliding(25, 0.45, 6e-4, 60, 0.3); // 0.8 degrees above it
  slides_fast("draft", 40, 12, 10, 34);
  slides_fast("draft", 200, 12, 10, 40);
  slides_fast("normal", 40, 12, 10, 48);
  patch_slides("cotton", 10, 10);
  patch_slides("denim", 5, 8);
  patch_slides("cotton", 20, 7);
  bodies_arrive();
  press_opens("cotton", 0.03, 16);
  keeps_spin("'type': 'cloth', 'material': 'cotton',"
             " 'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [20, 20]}",
             "[0, 360, 0]", 0.998);
  keeps_spin("'type': 'cloth', 'material': 'silk',"
             " 'mesh': {'shape': 'disk', 'radius': 0.4, 'cells': [24, 8]}",
             "[600, 600, 300]", 0.995);
  keeps_spin("'type': 'cloth', 'material': 'denim', 'mesh': {'shape': 'grid', 'size': [1, 0.5],"
             " 'cells': [9, 21], 'diagonals': 'same'}",
             "[0, 0, 900]", 0.995);
  keeps_spin("'type': 'solid', 'material': 'rubber-solid',"
             " 'mesh': {'shape': 'sphere', 'radius': 0.1, 'cells': [16, 10]}",
             "[1800, 0, 600]", 0.98);
  const char *sheet = "'type': 'cloth', 'material': 'cotton',"
                      " 'mesh': {'shape': 'grid', 'size': [0.5, 0.5], 'cells': [16, 16]}";
  collides(sheet, sheet, 2, 0.3);
  collides(sheet,
           "'type': 'cloth', 'material': 'denim',"
           " 'mesh': {'shape': 'disk', 'radius': 0.3, 'cells': [24, 8]}",
           4, 0);
  collides("'type': 'solid', 'material': 'foam',"
           " 'mesh': {'shape': 'box', 'size': [0.2, 0.2, 0.2], 'cells': [3, 3, 3]}",
           sheet, 1, 0.3);
  presses("cotton", "{'shape': 'grid', 'size': [0.5, 0.5], 'cells': [16, 16]}", 0, 0.02);
  presses("denim", "{'shape': 'disk', 'radius': 0.3, 'cells': [24, 8]}", 0, 0.02);
  presses("cotton", "{'shape': 'grid', 'size': [0.6, 0.4], 'cells': [19, 13]}", 20, 0.05);
  presses("denim", "{'shape': 'disk', 'radius': 0.3, 'cells': [24, 8]}", 20, 0.05);
  presses("wool", "{'shape': 'grid', 'size': [0.6, 0.4], 'cells': [19, 13]}", 20, 0.05);
  presses("wool", "{'shape': 'grid', 'size': [0.5, 0.5], 'cells': [31, 29]}", 30, 0.05);
  is_taken_along("cotton", 0.8, 0.2, 12);
  is_taken_along("denim", 1.2, 0.5, 9);
  is_drawn_over_edge("cotton", 0.5, 0.3, 48);
  is_drawn_over_edge("denim", 0.4, 0.2, 36);
  heap_settles("cotton", "denim", "wool");
  stack_stands("foam", 0.3);
  stack_stands("rubber-solid", 0.2);
  hollow_ball_lands(1e-2, 2.4, 4);
  hollow_ball_lands(1e-3, 2.4, 2);
  hollow_ball_lands(1e-4, 2.4, 3);
  swings("generalized-alpha", 0.05);
  swings("bdf2", 0.05);
  return check_report();
}
