// test_sim: simulations stepped by the caller: the bits of a run, targets of colliders and pins,
// saved states.
#include "check.h"

#include "cache/checkpoint.h"
#include "io/file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64]; // of what is written
static check_log messages;

// A cloth with two pins over a ball, a mesh collider and the floor.
static const char scene_text[] =
    "{\"version\": 1, \"name\": \"sim\",\n"
    " \"frames\": {\"start\": 1, \"end\": 5, \"fps\": 25, \"substeps\": 4},\n"
    " \"objects\": [\n"
    "  {\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\",\n"
    "   \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [8, 8]},\n"
    "   \"position\": [0, 0.506, 0],\n"
    "   \"pins\": [{\"nearest\": [-0.5, 0.506, -0.5] PIN_MOTION},\n"
    "              {\"vertices\": [8], \"stiffness\": 500}]},\n"
    "  {\"name\": \"ball\", \"type\": \"collider\" BALL_MOTION,\n"
    "   \"mesh\": {\"shape\": \"sphere\", \"radius\": 0.5}},\n"
    "  {\"name\": \"plate\", \"type\": \"collider\", \"mesh\": {\"file\": \"plate.obj\"}},\n"
    "  {\"name\": \"floor\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"},\n"
    "   \"position\": [0, -0.6, 0]}]}\n";

static const char keys_of_pin[] =
    ", \"motion\": {\"keys\": [{\"frame\": 1},\n"
    "  {\"frame\": 2, \"position\": [0, 0.01, 0], \"rotation\": [0, 3, 0]},\n"
    "  {\"frame\": 3, \"position\": [0, 0.02, 0.01], \"rotation\": [0, 5, 1]},\n"
    "  {\"frame\": 4, \"position\": [0, 0.03, 0]}]}";
static const char keys_of_ball[] =
    ", \"motion\": {\"keys\": [{\"frame\": 1}, {\"frame\": 2, \"position\": [0.01, 0, 0]},\n"
    "  {\"frame\": 3, \"position\": [0.02, 0.01, 0], \"rotation\": [10, 0, 0]},\n"
    "  {\"frame\": 4, \"position\": [0.02, 0.02, 0], \"rotation\": [20, 0, 0]}]}";

enum { CLOTH, BALL, PLATE, FLOOR, NFRAME = 3 };
static const double RAD = 3.14159265358979323846 / 180;

// The scene's keys above, frame by frame.
static const double ball_key[NFRAME][6] = {
    {0.01, 0, 0, 0, 0, 0}, {0.02, 0.01, 0, 10, 0, 0}, {0.02, 0.02, 0, 20, 0, 0}};
static const double pin_key[NFRAME][6] = {
    {0, 0.01, 0, 0, 3, 0}, {0, 0.02, 0.01, 0, 5, 1}, {0, 0.03, 0, 0, 0, 0}};

// Puts text in the place of a word.
static void replace(char *text, size_t size, const char *word, const char *by) {
  char rest[4096];
  char *at = strstr(text, word);
  if (!at) exit(1);
  snprintf(rest, sizeof rest, "%s", at + strlen(word));
  snprintf(at, size - (size_t)(at - text), "%s%s", by, rest);
}

static csim_scene *read_scene(int moving, const char *const *sets, int nset) {
  char text[4096], name[96];
  csim_scene *scene = NULL;
  snprintf(text, sizeof text, "%s", scene_text);
  replace(text, sizeof text, "PIN_MOTION", moving ? keys_of_pin : "");
  replace(text, sizeof text, "BALL_MOTION", moving ? keys_of_ball : "");
  snprintf(name, sizeof name, "%s/sim.json", folder);
  csim_status status =
      csim_scene_parse(text, strlen(text), name, sets, nset, &messages.log, &scene);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", messages.pointer, messages.text);
  if (!scene) exit(1);
  return scene;
}

static csim_sim *create(const csim_scene *scene, int nthread) {
  csim_sim *sim = NULL;
  csim_sim_options options = {.nthread = nthread};
  csim_status status = csim_sim_create(scene, &options, &messages.log, &sim);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", messages.pointer, messages.text);
  if (!sim) exit(1);
  return sim;
}

static int same(const csim_sim *a, const double *x) {
  return !memcmp(csim_sim_positions(a), x, 3 * (size_t)csim_sim_nvert(a) * sizeof *x);
}

static double *copy(const csim_sim *sim) {
  size_t size = 3 * (size_t)csim_sim_nvert(sim) * sizeof(double);
  double *x = malloc(size);
  if (!x) exit(1);
  return memcpy(x, csim_sim_positions(sim), size);
}

// ------------------------------------------------------------------------------------ like a run

// Phases are those of a run, also from a state saved in another phase, and after a reset.
static void test_phases(void) {
  static const char phases[] =
      "phases=[{\"name\":\"a\",\"frames\":{\"end\":3},\"gravity\":[0,0,0]},"
      "{\"name\":\"b\",\"quality\":\"draft\",\"frames\":{\"end\":4,\"substeps\":3}},"
      "{\"name\":\"c\",\"objects\":[{\"name\":\"cloth\",\"pins\":[]}]}]";
  const char *sets[] = {phases, "output.obj=true", "output.digits=17"};
  csim_scene *scene = read_scene(1, sets, 3);
  csim_run_report report;
  csim_run_options run = {.out = folder, .nthread = 2, .overwrite = 1};
  CHECK(csim_run(scene, &run, &messages.log, &report) == CSIM_OK);
  csim_sim *sim = create(scene, 3), *slow = create(scene, 1);
  void *data;
  size_t size;
  CHECK(csim_sim_step_frame(slow, NULL) == CSIM_OK);
  CHECK(csim_sim_save(slow, &data, &size) == CSIM_OK);
  while (csim_sim_frame(slow) < 5) CHECK(csim_sim_step(slow, NULL) == CSIM_OK);
  double *end = copy(slow);
  for (int round = 0; round < 2; round++) {
    for (int frame = 1; frame <= 5; frame++) {
      char path[128];
      csim_polygons *written = NULL;
      snprintf(path, sizeof path, "%s/cloth_%04d.obj", folder, frame);
      CHECK(csim_polygons_read(path, &messages.log, &written) == CSIM_OK);
      CHECK(written && same(sim, written->vert) && csim_sim_frame(sim) == frame);
      csim_polygons_free(written);
      if (frame < 5) CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
    }
    CHECK_NEAR(csim_sim_time(sim), 4 / 25.0, 1e-15);
    CHECK(csim_sim_reset(sim) == CSIM_OK && csim_sim_frame(sim) == 1);
  }
  CHECK(csim_sim_load(slow, data, size) == CSIM_OK && csim_sim_frame(slow) == 2);
  while (csim_sim_frame(slow) < 5) CHECK(csim_sim_step_frame(slow, NULL) == CSIM_OK);
  CHECK(same(slow, end));

  // a state of another phase that does not fit leaves the simulation as it was
  csim_bytes bytes = {0};
  csim_state wrong = {.nvert = csim_sim_nvert(slow), .span = 1, .x = end, .v = end, .phase = 2};
  double strain = 0.5;
  wrong.plastic = &strain;
  wrong.nplastic = 1;
  csim_checkpoint_pack(5, &wrong, "{}", &bytes);
  CHECK(csim_sim_load(slow, data, size) == CSIM_OK && csim_sim_frame(slow) == 2);
  CHECK(csim_sim_load(slow, bytes.data, (size_t)bytes.n) == CSIM_INVALID);
  CHECK(csim_sim_frame(slow) == 2);
  while (csim_sim_frame(slow) < 5) CHECK(csim_sim_step_frame(slow, NULL) == CSIM_OK);
  CHECK(same(slow, end));
  free(bytes.data);
  free(data);
  free(end);
  csim_sim_free(sim);
  csim_sim_free(slow);
  csim_scene_free(scene);
}

// What csim_run writes with 17 digits are the positions of csim_sim_step_frame, and of single
// substeps.
static void test_run(const char *method) {
  char set[64], path[128];
  snprintf(set, sizeof set, "solver.method=%s", method);
  const char *sets[] = {set, "output.obj=true", "output.digits=17"};
  csim_scene *scene = read_scene(1, sets, 3);
  csim_run_report report;
  csim_run_options run = {
      .out = folder, .nthread = 2, .overwrite = 1, .checkpoint_frames = 1, .checkpoint_last = 1};
  CHECK(csim_run(scene, &run, &messages.log, &report) == CSIM_OK);
  csim_sim *sim = create(scene, 3), *slow = create(scene, 1);
  CHECK(csim_sim_frame(sim) == 1 && csim_sim_time(sim) == 0);
  for (int frame = 1; frame <= 5; frame++) {
    csim_polygons *written = NULL;
    snprintf(path, sizeof path, "%s/cloth_%04d.obj", folder, frame);
    CHECK(csim_polygons_read(path, &messages.log, &written) == CSIM_OK);
    CHECK(written && written->nvert == csim_sim_nvert(sim) && same(sim, written->vert));
    CHECK(same(slow, csim_sim_positions(sim)));
    csim_polygons_free(written);
    csim_sim_report step;
    CHECK(csim_sim_step_frame(sim, &step) == CSIM_OK);
    CHECK(step.substeps == 4 && step.time == csim_sim_time(sim));
    CHECK(csim_sim_frame(sim) == frame + 1);
    CHECK_NEAR(csim_sim_time(sim), frame / 25.0, 1e-15);
    for (int k = 0; k < 4; k++) CHECK(csim_sim_step(slow, NULL) == CSIM_OK);
  }
  // the run's checkpoint behind frame 5 goes on like the simulation that has come there
  char *data;
  size_t size;
  snprintf(path, sizeof path, "%s/run.checkpoint", folder);
  CHECK(csim_file_read(path, 1 << 24, &messages.log, &data, &size) == CSIM_OK);
  CHECK(csim_sim_load(slow, data, size) == CSIM_OK && csim_sim_frame(slow) == 5);
  CHECK(csim_sim_step_frame(slow, NULL) == CSIM_OK && same(slow, csim_sim_positions(sim)));
  free(data);
  csim_sim_free(sim);
  csim_sim_free(slow);
  csim_scene_free(scene);
}

// ---------------------------------------------------------------------------------------- targets

static void move_both(csim_sim *sim, int frame) {
  double rotation[2][3];
  for (int c = 0; c < 3; c++) {
    rotation[0][c] = ball_key[frame][3 + c] * RAD;
    rotation[1][c] = pin_key[frame][3 + c] * RAD;
  }
  CHECK(csim_sim_move_collider(sim, BALL, ball_key[frame], rotation[0]) == CSIM_OK);
  CHECK(csim_sim_move_pin(sim, 0, pin_key[frame], rotation[1]) == CSIM_OK);
}

// Moved by the caller from frame to frame, colliders and pins go the way of the same keys in a
// scene. (The pin's pivot is its vertex, so that rotation does nothing to it.)
static void test_moves(const char *response) {
  char set[64];
  snprintf(set, sizeof set, "contact.response=%s", response);
  // shares of a frame that are exact, and steps too short to be taken in parts of other shares:
  // rounding of targets by 1e-16 m moves cloth in contact by 1e-10 m
  const char *sets[] = {set, "frames.substeps=8",
                        "plate.mesh={\"shape\": \"sphere\", \"radius\": 0.05}"};
  // impulses know no meshes
  int nset = strcmp(response, "filter") ? 3 : 2;
  csim_scene *keyed = read_scene(1, sets, nset), *still = read_scene(0, sets, nset);
  csim_sim *a = create(keyed, 1), *b = create(still, 1);
  for (int frame = 0; frame < NFRAME; frame++) {
    move_both(b, frame);
    CHECK(csim_sim_step_frame(a, NULL) == CSIM_OK);
    CHECK(csim_sim_step_frame(b, NULL) == CSIM_OK);
    double far = 0;
    for (int i = 0; i < 3 * csim_sim_nvert(a); i++)
      far = fmax(far, fabs(csim_sim_positions(a)[i] - csim_sim_positions(b)[i]));
    check_that(far < 1e-12, __FILE__, __LINE__, "%s, frame %d: %.3g m apart", response, frame + 1,
               far);
  }
  csim_sim_free(a);
  csim_sim_free(b);
  csim_scene_free(keyed);
  csim_scene_free(still);
}

// Pinned vertices stand where the caller wants them, half-way after half of a frame's substeps.
static void test_pin_vertices(void) {
  const char *sets[] = {"contact.response=none"};
  csim_scene *scene = read_scene(0, sets, 1);
  csim_sim *sim = create(scene, 1);
  int vert[2];
  CHECK(csim_sim_npin(sim) == 2);
  csim_sim_pin hard = csim_sim_get_pin(sim, 0), soft = csim_sim_get_pin(sim, 1);
  CHECK(hard.nvert == 1 && hard.object == CLOTH && soft.nvert == 1);
  csim_sim_get_pin_vertices(sim, 0, vert);
  csim_sim_get_pin_vertices(sim, 1, vert + 1);
  CHECK(vert[0] == 0 && vert[1] == 8);
  const double *x = csim_sim_positions(sim);
  const double goal[3] = {-0.45, 0.6, -0.5}, back[3] = {-0.5, 0.55, -0.4};
  CHECK(csim_sim_set_pin_vertices(sim, 0, goal) == CSIM_OK);
  CHECK(csim_sim_step(sim, NULL) == CSIM_OK);
  for (int c = 0; c < 3; c++) CHECK(x[c] == goal[c]);
  CHECK(csim_sim_set_pin_vertices(sim, 0, back) == CSIM_OK);
  CHECK(csim_sim_set_pin_vertices(sim, 0, goal) == CSIM_OK); // the last word counts
  CHECK(csim_sim_set_pin_vertices(sim, 0, back) == CSIM_OK);
  CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
  for (int c = 0; c < 3; c++) CHECK(x[c] == back[c]);
  CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK); // and stays
  for (int c = 0; c < 3; c++) CHECK(x[c] == back[c]);
  // from back to rigid targets: from the start's place
  CHECK(csim_sim_move_pin(sim, 0, (double[]){0, 0.1, 0}, (double[]){0, 0, 0}) == CSIM_OK);
  CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
  CHECK_NEAR(x[0], -0.5, 1e-15);
  CHECK_NEAR(x[1], 0.606, 1e-15);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

// A plate of four vertices, bent and lifted by the caller.
static void test_collider_vertices(void) {
  csim_scene *scene = read_scene(0, NULL, 0);
  csim_sim *sim = create(scene, 1);
  double x[12], got[12];
  CHECK(csim_sim_nobject(sim) == 4 && csim_sim_find_object(sim, "plate") == PLATE);
  csim_sim_object plate = csim_sim_get_object(sim, PLATE), cloth = csim_sim_get_object(sim, CLOTH);
  CHECK(plate.nvert == 4 && plate.ntri == 2 && plate.first == -1);
  CHECK(plate.type == CSIM_OBJECT_COLLIDER && cloth.type == CSIM_OBJECT_CLOTH);
  CHECK(cloth.first == 0 && cloth.nvert == csim_sim_nvert(sim) && cloth.nface == 128);
  CHECK(csim_sim_find_object(sim, "nobody") == -1);
  csim_sim_get_vertices(sim, PLATE, x);
  CHECK(x[1] == -0.2 && x[3] == 0.8);
  for (int frame = 0; frame < 2; frame++) {
    x[1] += 0.01;
    x[4] += 0.02;
    CHECK(csim_sim_set_collider_vertices(sim, PLATE, x) == CSIM_OK);
    csim_sim_report report;
    CHECK(csim_sim_step_frame(sim, &report) == CSIM_OK);
    csim_sim_get_vertices(sim, PLATE, got);
    check_that(!memcmp(x, got, sizeof x), __FILE__, __LINE__, "the plate has not come to its goal");
    CHECK(report.lag == 0);
  }
  CHECK(csim_sim_move_collider(sim, PLATE, (double[]){0, -0.1, 0}, (double[]){0, 0, 0}) == CSIM_OK);
  CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
  csim_sim_get_vertices(sim, PLATE, got);
  for (int i = 0; i < 4; i++) CHECK_NEAR(got[3 * i + 1], x[3 * i + 1] - 0.1, 1e-15);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

static void test_refusals(void) {
  csim_scene *scene = read_scene(0, NULL, 0);
  csim_sim *sim = create(scene, 0), *none = sim;
  double zero[3] = {0}, bad[3] = {0, NAN, 0}, far[12] = {INFINITY};
  CHECK(csim_sim_move_collider(sim, CLOTH, zero, zero) == CSIM_INVALID);
  CHECK(csim_sim_move_collider(sim, 4, zero, zero) == CSIM_INVALID);
  CHECK(csim_sim_move_collider(sim, -1, zero, zero) == CSIM_INVALID);
  CHECK(csim_sim_move_collider(sim, BALL, bad, zero) == CSIM_INVALID);
  CHECK(csim_sim_move_collider(sim, BALL, zero, bad) == CSIM_INVALID);
  CHECK(csim_sim_move_pin(sim, 2, zero, zero) == CSIM_INVALID);
  CHECK(csim_sim_move_pin(sim, 0, bad, zero) == CSIM_INVALID);
  CHECK(csim_sim_set_pin_vertices(sim, 0, bad) == CSIM_INVALID);
  CHECK(csim_sim_set_pin_vertices(sim, -1, zero) == CSIM_INVALID);
  CHECK(csim_sim_set_collider_vertices(sim, BALL, zero) == CSIM_INVALID); // a shape, not a mesh
  CHECK(csim_sim_set_collider_vertices(sim, PLATE, far) == CSIM_INVALID);
  CHECK(csim_sim_create(scene, &(csim_sim_options){.nthread = 257}, NULL, &none) == CSIM_INVALID);
  CHECK(none == NULL);
  CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK); // nothing of that has harmed it
  csim_sim_free(sim);
  csim_scene_free(scene);

  const char *sets[] = {"ball.position=[0, 0.2, 0]"};
  scene = read_scene(0, sets, 1);
  CHECK(csim_sim_create(scene, NULL, &messages.log, &sim) == CSIM_INVALID && !sim);
  CHECK(strstr(messages.text, "a start without intersections") != NULL);
  csim_scene_free(scene);
}

// An explicit method with too long a substep blows up: the state before it stays.
static void test_failure(void) {
  const char *sets[] = {"solver.method=explicit", "contact.response=none"};
  csim_scene *scene = read_scene(0, sets, 2);
  csim_sim *sim = create(scene, 1);
  csim_status status = CSIM_OK;
  for (int n = 0; n < 2000 && !status; n++) status = csim_sim_step(sim, NULL);
  CHECK(status == CSIM_FAILED);
  CHECK(strstr(messages.text, "explicit") != NULL);
  double *x = copy(sim), time = csim_sim_time(sim);
  CHECK(csim_sim_step(sim, NULL) == CSIM_FAILED && same(sim, x) && csim_sim_time(sim) == time);
  for (int i = 0; i < 3 * csim_sim_nvert(sim); i++) CHECK(isfinite(x[i]));
  free(x);
  CHECK(csim_sim_reset(sim) == CSIM_OK && csim_sim_time(sim) == 0);
  CHECK(csim_sim_step(sim, NULL) == CSIM_OK);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

// --------------------------------------------------------------------------------- save and load

// A state saved with moved targets goes on in another simulation with the same bits.
static void test_state(const char *method) {
  char set[64];
  snprintf(set, sizeof set, "solver.method=%s", method);
  int newton = !strcmp(method, "newton");
  const char *sets[] = {set, newton ? "solver.integrator=bdf2" : "output.obj=false"};
  csim_scene *scene = read_scene(0, sets, 2);
  csim_sim *a = create(scene, 1), *b = create(scene, 2);
  double plate[12], plates[2][12], *start = copy(a);
  void *data, *begin;
  size_t size, begin_size;
  CHECK(csim_sim_save(a, &begin, &begin_size) == CSIM_OK);
  csim_sim_get_vertices(a, PLATE, plate);
  plate[1] += 0.02;
  move_both(a, 0);
  CHECK(csim_sim_set_collider_vertices(a, PLATE, plate) == CSIM_OK);
  CHECK(csim_sim_set_pin_vertices(a, 1, (double[]){0.5, 0.6, -0.5}) == CSIM_OK);
  CHECK(csim_sim_step_frame(a, NULL) == CSIM_OK);
  move_both(a, 1); // on its way when it is saved
  CHECK(csim_sim_save(a, &data, &size) == CSIM_OK);
  CHECK(csim_sim_step_frame(b, NULL) == CSIM_OK); // b has gone elsewhere
  CHECK(csim_sim_load(b, data, size) == CSIM_OK);
  CHECK(same(a, csim_sim_positions(b)) && csim_sim_time(a) == csim_sim_time(b));
  for (int frame = 1; frame < NFRAME; frame++) {
    CHECK(csim_sim_step_frame(a, NULL) == CSIM_OK && csim_sim_step_frame(b, NULL) == CSIM_OK);
    check_that(same(a, csim_sim_positions(b)), __FILE__, __LINE__, "%s: frame %d differs", method,
               frame);
    csim_sim_get_vertices(a, PLATE, plates[0]);
    csim_sim_get_vertices(b, PLATE, plates[1]);
    CHECK(!memcmp(plates[0], plates[1], sizeof plates[0]) && plates[0][1] == plate[1]);
    move_both(a, 2);
    move_both(b, 2);
  }
  // back to the start, by either way, and the same again
  double *end = copy(a);
  CHECK(csim_sim_reset(a) == CSIM_OK && csim_sim_load(b, begin, begin_size) == CSIM_OK);
  CHECK(same(a, start) && same(b, start) && csim_sim_frame(b) == 1);
  for (int k = 0; k < 2; k++) {
    csim_sim *sim = k ? a : b;
    move_both(sim, 0);
    CHECK(csim_sim_set_collider_vertices(sim, PLATE, plate) == CSIM_OK);
    CHECK(csim_sim_set_pin_vertices(sim, 1, (double[]){0.5, 0.6, -0.5}) == CSIM_OK);
    CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
    for (int frame = 1; frame < NFRAME; frame++) {
      move_both(sim, frame);
      CHECK(csim_sim_step_frame(sim, NULL) == CSIM_OK);
    }
    check_that(same(sim, end), __FILE__, __LINE__, "%s: reset or loaded, it ends elsewhere",
               method);
  }
  free(begin);
  free(data);
  free(start);
  free(end);
  csim_sim_free(a);
  csim_sim_free(b);
  csim_scene_free(scene);
}

// A state saved within a frame goes on alike in every simulation that loads it, wherever that was.
static void test_state_within_frame(void) {
  csim_scene *scene = read_scene(1, NULL, 0);
  csim_sim *a = create(scene, 1), *b = create(scene, 1), *c = create(scene, 1);
  void *data;
  size_t size;
  for (int k = 0; k < 6; k++) CHECK(csim_sim_step(a, NULL) == CSIM_OK);
  CHECK(csim_sim_save(a, &data, &size) == CSIM_OK);
  for (int k = 0; k < 15; k++) CHECK(csim_sim_step(b, NULL) == CSIM_OK);
  CHECK(csim_sim_load(b, data, size) == CSIM_OK && csim_sim_load(c, data, size) == CSIM_OK);
  for (int k = 0; k < 9; k++) {
    CHECK(csim_sim_step(b, NULL) == CSIM_OK && csim_sim_step(c, NULL) == CSIM_OK);
    CHECK(same(b, csim_sim_positions(c)));
    if (k == 1) CHECK(csim_sim_step_frame(a, NULL) == CSIM_OK && csim_sim_frame(b) == 3);
  }
  free(data);
  csim_sim_free(a);
  csim_sim_free(b);
  csim_sim_free(c);
  csim_scene_free(scene);
}

// Any bytes are refused and leave the simulation as it is.
static void test_damaged_state(void) {
  csim_scene *scene = read_scene(0, NULL, 0);
  csim_sim *sim = create(scene, 1);
  unsigned char *data;
  size_t size;
  move_both(sim, 0);
  CHECK(csim_sim_step(sim, NULL) == CSIM_OK);
  double *x = copy(sim);
  CHECK(csim_sim_save(sim, (void **)&data, &size) == CSIM_OK);
  int accepted = 0, changed = 0;
  for (size_t n = 0; n < size; n += 97) accepted += csim_sim_load(sim, data, n) == CSIM_OK;
  for (size_t n = 0; n < size; n += 61) {
    data[n] ^= 0x10;
    accepted += csim_sim_load(sim, data, size) == CSIM_OK;
    data[n] ^= 0x10;
    changed += !same(sim, x);
  }
  CHECK(accepted == 0 && changed == 0);
  CHECK(csim_sim_load(sim, NULL, 0) == CSIM_INVALID);
  CHECK(csim_sim_load(sim, data, size) == CSIM_OK);

  // of another scene: fewer vertices, other colliders, other pins
  const char *sets[] = {"cloth.mesh.cells=[4, 4]", "contact.response=none"};
  for (int k = 0; k < 2; k++) {
    csim_scene *other = read_scene(0, sets + k, 1);
    csim_sim *stranger = create(other, 1);
    CHECK(csim_sim_load(stranger, data, size) == CSIM_INVALID);
    CHECK(csim_sim_step(stranger, NULL) == CSIM_OK);
    csim_sim_free(stranger);
    csim_scene_free(other);
  }
  free(data);
  free(x);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

// A state that is whole, but whose META or header do not fit the scene.
static void test_hostile_state(void) {
  static const char *const metas[] = {
      "",
      "not JSON",
      "{\"targets\": 5}",
      "{\"targets\": [5]}",
      "{\"targets\": [{}]}",
      "{\"targets\": [{\"mover\": 0}]}",
      "{\"targets\": [{\"mover\": -1, \"keys\": [0, 0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 1e300, \"keys\": [0, 0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 0.5, \"keys\": [0, 0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 5, \"keys\": [0, 0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 0, \"keys\": [0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 0, \"keys\": [0, 0, 0, 0, 0, 1e999]}]}",
      "{\"targets\": [{\"mover\": 0, \"keys\": [0, 0, 0, 0, 0, \"0\"]}]}",
      "{\"targets\": [{\"mover\": 0, \"pending\": true, \"keys\": [0, 0, 0, 0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 0, \"points\": []}]}", // the ball has no points of its own
      "{\"targets\": [{\"mover\": 1, \"points\": [0, 0, 0]}]}",
      "{\"targets\": [{\"mover\": 3, \"points\": [0, 0, 0, 0]}]}",
  };
  csim_scene *scene = read_scene(0, NULL, 0);
  csim_sim *sim = create(scene, 1);
  double *x = copy(sim);
  csim_state state = {.nvert = csim_sim_nvert(sim), .span = 1, .x = x, .v = x};
  for (size_t k = 0; k < sizeof metas / sizeof *metas; k++) {
    csim_bytes bytes = {0};
    csim_checkpoint_pack(1, &state, metas[k], &bytes);
    csim_status status = csim_sim_load(sim, bytes.data, (size_t)bytes.n);
    check_that(status == CSIM_INVALID, __FILE__, __LINE__, "META %s: %d", metas[k], (int)status);
    CHECK(same(sim, x) && csim_sim_velocities(sim)[1] == 0);
    free(bytes.data);
  }
  csim_bytes bytes = {0};
  state.step = (long long)1 << 60;
  csim_checkpoint_pack(1, &state, "{}", &bytes);
  CHECK(csim_sim_load(sim, bytes.data, (size_t)bytes.n) == CSIM_INVALID);
  bytes.n = 0;
  state.step = 8;
  csim_checkpoint_pack(1, &state, "{}", &bytes);
  CHECK(csim_sim_load(sim, bytes.data, (size_t)bytes.n) == CSIM_OK && csim_sim_frame(sim) == 3);
  bytes.n = 0;
  double strain = 0.5; // the scene has no plastic material
  state.plastic = &strain;
  state.nplastic = 1;
  csim_checkpoint_pack(1, &state, "{}", &bytes);
  CHECK(csim_sim_load(sim, bytes.data, (size_t)bytes.n) == CSIM_INVALID);
  CHECK(csim_sim_frame(sim) == 3);
  free(bytes.data);

  // velocities that the caller has spoilt
  csim_sim_velocities(sim)[3] = NAN;
  CHECK(csim_sim_step(sim, NULL) == CSIM_FAILED && csim_sim_frame(sim) == 3);
  CHECK(csim_sim_reset(sim) == CSIM_OK);
  csim_sim_velocities(sim)[3] = 1e300;
  csim_status status = csim_sim_step(sim, NULL);
  CHECK(status == CSIM_FAILED || status == CSIM_OK);
  for (int i = 0; i < 3 * csim_sim_nvert(sim); i++) CHECK(isfinite(csim_sim_positions(sim)[i]));
  CHECK(csim_sim_reset(sim) == CSIM_OK && csim_sim_step_frame(sim, NULL) == CSIM_OK);
  free(x);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

// ---------------------------------------------------------------------------------------- threads

static void *step_three(void *sim) {
  for (int frame = 0; frame < NFRAME; frame++) csim_sim_step_frame(sim, NULL);
  return NULL;
}

// Simulations of one scene in several threads at once do not see each other.
static void test_threads(void) {
  enum { N = 3 };
  csim_scene *scene = read_scene(1, NULL, 0);
  csim_sim *alone = create(scene, 1), *sim[N];
  pthread_t thread[N];
  step_three(alone);
  for (int k = 0; k < N; k++) CHECK(csim_sim_create(scene, NULL, NULL, &sim[k]) == CSIM_OK);
  for (int k = 0; k < N; k++) CHECK(pthread_create(&thread[k], NULL, step_three, sim[k]) == 0);
  for (int k = 0; k < N; k++) {
    pthread_join(thread[k], NULL);
    CHECK(csim_sim_frame(sim[k]) == 1 + NFRAME && same(sim[k], csim_sim_positions(alone)));
    csim_sim_free(sim[k]);
  }
  csim_sim_free(alone);
  csim_scene_free(scene);
}

// A text in memory is read like a file, and its errors have their place.
static void test_parse(void) {
  static const char wrong[] = "{\"version\": 1,\n \"objcts\": []}";
  csim_scene *scene = NULL, *file = NULL;
  char path[96];
  CHECK(csim_scene_parse(wrong, strlen(wrong), "memory.json", NULL, 0, &messages.log, &scene) ==
        CSIM_INVALID);
  CHECK(!scene && messages.line == 2 && messages.column == 2);
  CHECK(csim_scene_parse(NULL, 0, "nothing.json", NULL, 0, &messages.log, &scene) == CSIM_INVALID);
  static const char right[] =
      "{\"version\": 1, \"name\": \"plain\", \"objects\": [{\"name\": \"c\", \"type\": \"cloth\", "
      "\"material\": \"cotton\",\n"
      "  \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [2, 2]}}]}";
  snprintf(path, sizeof path, "%s/plain.json", folder);
  FILE *out = fopen(path, "w");
  if (!out || fputs(right, out) < 0 || fclose(out)) exit(1);
  const char *sets[] = {"frames.fps=30"};
  CHECK(csim_scene_parse(right, strlen(right), path, sets, 1, &messages.log, &scene) == CSIM_OK);
  CHECK(csim_scene_read(path, sets, 1, &messages.log, &file) == CSIM_OK);
  CHECK(scene && file && csim_scene_hash(scene) == csim_scene_hash(file));
  CHECK_TEXT(csim_scene_resolved(scene), csim_scene_resolved(file));
  CHECK_TEXT(csim_version(), CSIM_VERSION);
  csim_scene_free(scene);
  csim_scene_free(file);
}

// Arrays of vertices grow by doubling up to a MiB, then by quarters: those with three numbers a
// vertex have less to spare than the masses. (Sanitizers see a write beyond their end.)
static void test_second_body(void) {
  enum { NVERT_A = 265 * 265, NVERT_B = 174 * 174 };
  static const char text[] =
      "{\"version\": 1, \"name\": \"two\", \"contact\": {\"self\": false}, \"objects\": [\n"
      "  {\"name\": \"a\", \"type\": \"cloth\", \"material\": \"cotton\",\n"
      "   \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [264, 264]}},\n"
      "  {\"name\": \"b\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [0, 1, "
      "0],\n"
      "   \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [173, 173]}}]}\n";
  csim_scene *scene = NULL;
  CHECK(csim_scene_parse(text, strlen(text), "two.json", NULL, 0, &messages.log, &scene) ==
        CSIM_OK);
  csim_sim *sim = create(scene, 1);
  const double *x = csim_sim_positions(sim);
  CHECK(csim_sim_nvert(sim) == NVERT_A + NVERT_B);
  CHECK(x[0] == -0.5 && x[1] == 0 && x[2] == -0.5);
  const double *last = x + 3 * (NVERT_A + NVERT_B - 1);
  CHECK(last[0] == 0.5 && last[1] == 1 && last[2] == 0.5);
  csim_sim_free(sim);
  csim_scene_free(scene);
}

int main(void) {
  static const char plate[] = "v 0.6 -0.2 0.6\nv 0.8 -0.2 0.6\nv 0.8 -0.2 0.8\nv 0.6 -0.2 0.8\n"
                              "f 1 4 3 2\n";
  char path[96], command[96];
  check_log_init(&messages);
  const char *temporary = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/test-sim.XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/plate.obj", folder);
  FILE *file = fopen(path, "w");
  if (!file || fputs(plate, file) < 0 || fclose(file)) return 1;
  test_parse();
  test_second_body();
  test_run("newton");
  test_phases();
  test_run("pd");
  test_run("xpbd");
  test_moves("filter");
  test_moves("impulse");
  test_pin_vertices();
  test_collider_vertices();
  test_refusals();
  test_failure();
  test_state("newton");
  test_state("pd");
  test_state_within_frame();
  test_damaged_state();
  test_hostile_state();
  test_threads();
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command)) return 1;
  return check_report();
}
