// test_pins: pins that follow, begin and end, soft pins and gravity keyed over frames, against
// closed forms.
#include "check.h"
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name) {
  static char path[2][128];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  if (!file) abort();
  fputs(text, file);
  fclose(file);
}

static const char *sets[2]; // of run_scene, as of --set
static int nset;

// Runs a scene of one cloth with these objects; its frames, or NULL.
static csim_cache *run_scene(const char *scene_keys, const char *objects, check_log *log) {
  static char text[8192];
  snprintf(text, sizeof text,
           "{\"name\": \"s\", \"frames\": {\"end\": 11, \"fps\": 20, \"substeps\": 5},"
           "\"solver\": {\"method\": \"newton\", \"integrator\": \"implicit-euler\","
           "\"iterations\": 20, \"tolerance\": 1e-9, \"linear_tolerance\": 1e-10},"
           "\"wind\": {\"density\": 0}, %s \"output\": {\"obj\": false},"
           "\"contact\": {\"response\": \"none\"}, \"objects\": [%s]}",
           scene_keys, objects);
  write_text("s.json", text);
  csim_scene *scene = NULL;
  csim_cache *cache = NULL;
  csim_run_report report;
  check_log_init(log);
  csim_run_options options = {.out = in_folder("out"), .nthread = 2, .overwrite = 1};
  if (!csim_scene_read(in_folder("s.json"), sets, nset, &log->log, &scene) &&
      !csim_run(scene, &options, &log->log, &report))
    csim_cache_open(in_folder("out/s.clothcache"), NULL, &cache);
  csim_scene_free(scene);
  return cache;
}

#define CLOTH                                                                                      \
  "{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\", "                          \
  "\"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]}, "

enum { NVERT = 25 };

static void read_frame(csim_cache *cache, int frame, float x[3 * NVERT]) {
  CHECK(csim_cache_read(cache, 0, frame, x, NULL) == CSIM_OK);
}

// A box turns by 90 degrees about y and goes up: what follows it goes along as if it were glued on,
// whichever point each vertex has chosen.
static void test_follow_rigid(void) {
  static const char *const by[] = {"face", "vertex"};
  for (int k = 0; k < 2; k++) {
    char objects[2048];
    check_log log;
    snprintf(objects, sizeof objects,
             CLOTH "\"position\": [0.3, 0.8, 0.1],"
                   "\"pins\": [{\"vertices\": \"all\", \"follow\": \"box\", \"by\": \"%s\"}]},"
                   "{\"name\": \"box\", \"type\": \"collider\", \"ghost\": true,"
                   "\"mesh\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [3, 3, 3]},"
                   "\"motion\": [{\"frame\": 1}, {\"frame\": 11, \"rotation\": [0, 90, 0],"
                   "\"position\": [0, 0.5, 0]}]}",
             by[k]);
    csim_cache *cache = run_scene("", objects, &log);
    CHECK(cache != NULL);
    if (!cache) continue;
    float start[3 * NVERT], x[3 * NVERT];
    read_frame(cache, 0, start);
    for (int f = 0; f <= 10; f++) {
      double angle = acos(-1) / 2 * f / 10, c = cos(angle), s = sin(angle);
      read_frame(cache, f, x);
      for (int i = 0; i < NVERT; i++) {
        const float *a = start + 3 * i;
        CHECK_NEAR((double)x[3 * i], c * a[0] + s * a[2], 1e-6);
        CHECK_NEAR((double)x[3 * i + 1], a[1] + 0.05 * f, 1e-6);
        CHECK_NEAR((double)x[3 * i + 2], -s * a[0] + c * a[2], 1e-6);
      }
    }
    csim_cache_free(cache);
  }
}

// A sequence of two frames in which every vertex moves by itself: by number, and snapped to the
// nearest vertex of it, the cloth is the sequence.
static void test_follow_sequence(void) {
  char obj[4096];
  for (int f = 1; f <= 2; f++) {
    size_t n = 0;
    for (int i = 0; i < NVERT; i++)
      n += (size_t)snprintf(obj + n, sizeof obj - n, "v %g %g %g\n", -0.5 + 0.25 * (i % 5),
                            f == 2 ? 0.01 * i * i : 0.0, -0.5 + 0.25 * (i / 5));
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++)
        n += (size_t)snprintf(obj + n, sizeof obj - n, "f %d %d %d %d\n", 5 * j + i + 1,
                              5 * j + i + 6, 5 * j + i + 7, 5 * j + i + 2);
    write_text(f == 1 ? "q_1.obj" : "q_2.obj", obj);
  }
  static const char *const how[] = {"\"by\": \"number\"", "\"by\": \"vertex\", \"snap\": true"};
  for (int k = 0; k < 2; k++) {
    char objects[2048];
    check_log log;
    snprintf(objects, sizeof objects,
             CLOTH "\"position\": [0, %g, 0], \"pins\": [{\"vertices\": \"all\", \"follow\": \"q\","
                   "%s}]}, {\"name\": \"q\", \"type\": \"collider\", \"ghost\": true, \"mesh\": "
                   "{\"sequence\": \"q_#.obj\", \"fps\": 2}}",
             k ? 0.1 : 0.0, how[k]);
    csim_cache *cache = run_scene("", objects, &log);
    CHECK(cache != NULL);
    if (!cache) continue;
    float x[3 * NVERT];
    for (int f = 1; f <= 10; f++) {
      read_frame(cache, f, x);
      for (int i = 0; i < NVERT; i++) {
        CHECK_NEAR((double)x[3 * i], -0.5 + 0.25 * (i % 5), 1e-6);
        CHECK_NEAR((double)x[3 * i + 1], 0.01 * i * i * f / 10, 1e-6);
      }
    }
    csim_cache_free(cache);
  }
}

// Held and led at 2 m/s until frame 6, then let go: free fall from there, with that velocity; and
// caught again at once by another pin in frame 10.
static void test_release(void) {
  check_log log;
  csim_cache *cache =
      run_scene("",
                CLOTH "\"pins\": [{\"vertices\": \"all\", \"to\": 6,"
                      "\"motion\": [{\"frame\": 1}, {\"frame\": 11, \"position\": [1, 0, 0]}]},"
                      "{\"vertices\": \"all\", \"from\": 10}]}",
                &log);
  CHECK(cache != NULL);
  if (!cache) return;
  float start[3 * NVERT], x[3 * NVERT];
  double h = 0.01;
  read_frame(cache, 0, start);
  for (int f = 1; f <= 10; f++) {
    int n = f > 5 ? 5 * (f - 5) : 0; // steps since it was let go
    read_frame(cache, f, x);
    for (int i = 0; i < NVERT; i++) {
      double fall = f < 10 ? 9.81 * h * h * n * (n + 1) / 2 : 0, way = f < 10 ? 0.1 * f : 0;
      CHECK_NEAR((double)x[3 * i], start[3 * i] + way, 2e-6);
      CHECK_NEAR((double)x[3 * i + 1], -fall, 2e-6);
    }
  }
  csim_cache_free(cache);
}

// Velocity is the integral of gravity: 0 for 4 frames, then up to 10 m/s^2 over 4, then constant.
static void test_gravity(void) {
  check_log log;
  csim_cache *cache = run_scene("\"gravity\": [{\"frame\": 5, \"value\": [0, 0, 0]}, "
                                "{\"time\": 0.4, \"value\": [10, 0, 0]}],",
                                CLOTH "\"position\": [0, 0, 0]}", &log);
  CHECK(cache != NULL);
  if (!cache) return;
  static const double sum[] = {0, 0, 0, 0, 0, 0.0625, 0.25, 0.5625, 1, 1.5, 2}; // [m/s]
  for (int f = 0; f <= 10; f++) {
    float x[3 * NVERT], v[3 * NVERT];
    CHECK(csim_cache_read(cache, 0, f, x, v) == CSIM_OK);
    for (int i = 0; i < NVERT; i++) CHECK_NEAR((double)v[3 * i], sum[f], 1e-6);
  }
  csim_cache_free(cache);
}

// Under gravity that grows from 0 to 10 m/s^2 in half a second cloth falls by g t^3 / 6 T. Second
// order: twice the substeps, a quarter of the error.
static void test_gravity_order(const char *integrator, double error) {
  double fall[2], exact = 10 * 0.5 * 0.5 / 6;
  for (int k = 0; k < 2; k++) {
    check_log log;
    sets[0] = integrator;
    sets[1] = k ? "frames.substeps=10" : "frames.substeps=5";
    nset = 2;
    csim_cache *cache = run_scene("\"gravity\": [{\"frame\": 1, \"value\": [0, 0, 0]}, "
                                  "{\"time\": 0.5, \"value\": [0, -10, 0]}],",
                                  CLOTH "\"position\": [0, 0, 0]}", &log);
    nset = 0;
    CHECK(cache != NULL);
    if (!cache) return;
    float x[3 * NVERT];
    read_frame(cache, 10, x);
    fall[k] = -(double)x[1];
    csim_cache_free(cache);
  }
  CHECK_NEAR(fall[0], exact, error * exact);
  CHECK(fabs(fall[1] - exact) < 0.3 * fabs(fall[0] - exact));
}

// A weight on a soft pin whose stiffness is keyed from k to 4 k hangs m g / k, then m g / (4 k)
// lower than its target; before the pin begins it falls freely. By every method, and in Newton's
// two forms of the matrix.
static void test_keyed_stiffness(void) {
  static const char *const methods[] = {"newton", "newton", "descent", "pd", "xpbd"};
  for (int m = 0; m < 5; m++) {
    kit k;
    double x[6] = {0, 0, 0, 1, 0, 0}, mass = 0.1, stiff = 40, h = 0.02;
    csim_curve_key key[] = {{1, {stiff}}, {2, {4 * stiff}}};
    kit_begin(2, x, mass, h, &k);
    csim_pin_group group = {
        .course = -1, .begin = 0.1, .end = INFINITY, .stiffness = 4 * stiff, .keyed = {2, key}};
    k.model->pins.group = &group;
    k.model->pins.ngroup = k.model->pins.timed = 1;
    k.model->target[k.model->ntarget++] = (csim_target){.vert = 0, .group = 0, .follow = -1};
    kit_pin(&k, 1);
    csim_elements_add(&k.anchors, (int[]){0}, (double[]){4 * stiff, 0, 0, 0, 0});
    // heavy damping, to come to rest
    k.model->body[0].damping = 12;
    k.params.method = methods[m];
    k.params.iterations = 200;
    if (m == 1) k.params.linear = "pcg";
    kit_ready(&k, 1);
    double fall = 0, v = 0;
    for (int n = 0; n < 5; n++) {
      kit_step(&k);
      v = exp(-12 * h) * v - 9.81 * h;
      fall += h * v;
      CHECK_NEAR(k.state.x[1], fall, 1e-12);
    }
    while ((double)k.state.step * h < 0.99) kit_step(&k);
    double sag = -mass * 9.81 / stiff;
    CHECK_NEAR(k.state.x[1], sag, 0.01 * fabs(sag));
    while ((double)k.state.step * h < 3) kit_step(&k);
    CHECK_NEAR(k.state.x[1], sag / 4, 1e-3 * fabs(sag));
    kit_end(&k);
  }
}

// Errors have their place in the file.
static void test_errors(void) {
  static const struct {
    const char *pin, *pointer, *text;
  } bad[] = {
      {"\"follow\": \"bax\"", "/objects/0/pins/0/follow", "there is no collider \"bax\""},
      {"\"follow\": \"cloth\"", "/objects/0/pins/0/follow", "is simulated"},
      {"\"follow\": \"box\", \"motion\": [{\"frame\": 1}]", "/objects/0/pins/0/motion", "either"},
      {"\"from\": 5, \"to\": 4", "/objects/0/pins/0/to", "comes before"},
      {"\"to\": 4.5", "/objects/0/pins/0/to", "whole frame number"},
      {"\"stiffness\": [{\"frame\": 1, \"value\": 0}]", "/objects/0/pins/0/stiffness", "is 0 in"},
      {"\"stiffness\": [{\"frame\": 1}]", "/objects/0/pins/0/stiffness/0", "\"value\" is missing"},
      {"\"stiffness\": [{\"value\": 1}]", "/objects/0/pins/0/stiffness/0", "\"frame\" or \"time\""},
      {"\"stiffness\": [{\"frame\": 2, \"value\": 1}, {\"frame\": 2, \"value\": 1}]",
       "/objects/0/pins/0/stiffness/1", "times must increase"},
      {"\"stiffness\": [{\"frame\": 2, \"value\": -1}]", "/objects/0/pins/0/stiffness/0/value",
       "must be"},
      {"\"follow\": \"box\", \"by\": \"number\"", "", "vertex 8 has no vertex of its number"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char objects[2048];
    check_log log;
    snprintf(objects, sizeof objects,
             CLOTH "\"pins\": [{\"vertices\": \"all\", %s}]}, {\"name\": \"box\", \"type\": "
                   "\"collider\", \"mesh\": {\"shape\": \"box\", \"cells\": [1, 1, 1]}}",
             bad[k].pin);
    csim_cache *cache = run_scene("", objects, &log);
    CHECK(cache == NULL);
    check_that(strstr(log.text, bad[k].text) != NULL, __FILE__, __LINE__, "%zu: \"%s\"", k,
               log.text);
    if (*bad[k].pointer)
      check_that(!strcmp(log.pointer, bad[k].pointer), __FILE__, __LINE__, "%zu: at %s", k,
                 log.pointer);
    csim_cache_free(cache);
  }
}

int main(void) {
  snprintf(folder, sizeof folder, "/tmp/clothsim-pins-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  test_follow_rigid();
  test_follow_sequence();
  test_release();
  test_gravity();
  test_gravity_order("solver.integrator=\"generalized-alpha\"", 4e-3);
  test_gravity_order("solver.integrator=\"bdf2\"", 4e-3); // its first step is backward Euler
  test_keyed_stiffness();
  test_errors();
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0);
  return check_report();
}
