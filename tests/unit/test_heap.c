// test_heap: no heap call in a step after the first, and no harm from an allocation that fails,
// whichever it is.
//
// The allocator is the C library's (or the sanitizer's) seen through counters: functions of the
// same names in the program come before those of every shared library.
#include "check.h"

#include "abc_file.h"

#include "cache/checkpoint.h"
#include "scene/compile.h"
#include "solver/step.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------- the allocator

static atomic_long calls;        // of any function below
static atomic_long live;         // blocks that were handed out and not yet freed
static atomic_long fail_in = -1; // allocations left until one fails; < 0: none will

// The function that would have been called without the one defined here. A sanitizer's is named, as
// its start allocates before dlsym can be used; else dlsym's pointer is converted as POSIX has it.
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ ||                                 \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZER = 1 };
#define NEXT(function)                                                                             \
  extern __typeof__(function) __interceptor_##function;                                            \
  __typeof__(function) *next = __interceptor_##function
#else
enum { SANITIZER = 0 };
#define NEXT(function)                                                                             \
  static __typeof__(function) *next;                                                               \
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, #function)
#endif

static int must_fail(void) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  if (atomic_load_explicit(&fail_in, memory_order_relaxed) < 0) return 0;
  if (atomic_fetch_sub(&fail_in, 1) != 0) return 0;
  errno = ENOMEM;
  return 1;
}

static void *count(void *p) {
  if (p) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  return p;
}

void *malloc(size_t size) {
  NEXT(malloc);
  return must_fail() ? NULL : count(next(size));
}

void *calloc(size_t n, size_t size) {
  NEXT(calloc);
  return must_fail() ? NULL : count(next(n, size));
}

void *realloc(void *p, size_t size) {
  NEXT(realloc);
  if (must_fail()) return NULL;
  return p ? next(p, size) : count(next(p, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(aligned_alloc);
  return must_fail() ? NULL : count(next(alignment, size));
}

void free(void *p) {
  NEXT(free);
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  if (p) atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  next(p);
}

// ------------------------------------------------------------------------------------- the scenes

static char folder[32]; // in memory where that can be: checkpoints wait for the disk
static char scene_path[64], out_path[64], tet_path[4096];

// Everything a step can meet: wind, a moving pin and soft ones, every energy, two colliders.
static const char rich[] =
    "{\"version\": 1, \"name\": \"rich\", \"extends\": \"base.json\",\n"
    "\"wind\": {\"velocity\": [3, 0, 1], \"turbulence\": 0.5},\n"
    "\"materials\": {\"sheet\": {\"preset\": \"cotton\", \"bend\": \"2x\", \"damping\": 0.1}},\n"
    "\"objects\": [\n"
    "{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"sheet\", \"position\": [0, 0.51, "
    "0],\n"
    " \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [6, 6]},\n"
    " \"pins\": [{\"nearest\": [-0.5, 0.5, -0.5], \"motion\": {\"keys\": [\n"
    "   {\"frame\": 1, \"position\": [0, 0, 0]}, {\"frame\": 9, \"position\": [0, 0.1, 0]}]}}]},\n"
    "{\"name\": \"patch\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [2, 0.5, "
    "0],\n"
    " \"mesh\": {\"file\": \"patch.obj\"}},\n"
    "{\"name\": \"ball\", \"type\": \"collider\", \"mesh\": {\"shape\": \"sphere\", \"radius\": "
    "0.5}},\n"
    "{\"name\": \"floor\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}}]}\n";

static const char base[] = "{\"version\": 1, \"frames\": {\"start\": 1, \"end\": 2, \"fps\": 24, "
                           "\"substeps\": 2}, \"solver\": {\"iterations\": 2}}\n";

static const char patch[] = "o patch\nv 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 1\n"
                            "g one two\nf 1/1 2/2 3/2 4/1\n";

static const char solid[] =
    "{\"version\": 1, \"name\": \"solid\", \"frames\": {\"start\": 1, \"end\": 2, \"substeps\": "
    "2},\n"
    "\"objects\": [{\"name\": \"jelly\", \"type\": \"solid\", \"material\": \"jelly\",\n"
    " \"mesh\": {\"shape\": \"box\", \"size\": [1, 1, 1]}}]}\n";

// Membranes, bending by curvature, a rest shape and maps.
static const char fabric[] =
    "{\"version\": 1, \"name\": \"fabric\", \"extends\": \"base.json\",\n"
    "\"objects\": [{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": {\"arcsim\": "
    "\"arcsim.json\"},\n"
    " \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [4, 4]},\n"
    " \"membrane\": {\"angle\": 30}, \"springs\": {\"bending\": "
    "\"curvature\"},\n"
    " \"rest\": {\"from\": \"uv\", \"scale\": 0.9}, \"pins\": [{\"vertices\": [0]}],\n"
    " \"maps\": [{\"of\": \"bend\", \"low\": 1, \"high\": 2, \"vertices\": [1, 1, 1, 1, 1, 0, 0, "
    "0, "
    "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]},\n"
    "{\"name\": \"patch\", \"type\": \"cloth\", \"material\": \"silk-crepe\", \"position\": [2, 0, "
    "0],\n"
    " \"mesh\": {\"file\": \"patch.obj\"}, \"rest\": {\"from\": \"file\", \"file\": "
    "\"patch.obj\"},\n"
    " \"membrane\": {\"law\": \"woven\"},\n"
    " \"maps\": [{\"of\": \"density\", \"high\": 2, \"group\": [\"one\"]}]}]}\n";

static const char arcsim[] =
    "{\"density\": 0.2, \"stretching\": [[50, 10, 20, 3], [50, 10, 20, 3], [50, 10, 20, 3],\n"
    " [50, 10, 20, 3], [50, 10, 20, 3], [50, 10, 20, 3]], \"bending\": [[4e-5, 4e-5, "
    "4e-5, 4e-5, 4e-5], [5e-5, 5e-5, 5e-5, 5e-5, 5e-5], [6e-5, 6e-5, 6e-5, 6e-5, 6e-5]]}";

// A pattern, seams that tear, a string, a chamber, and pins that follow and let go.
static const char garment[] =
    "{\"version\": 1, \"name\": \"garment\", \"frames\": {\"end\": 3, \"substeps\": 1},\n"
    "\"gravity\": [{\"frame\": 1, \"value\": [0, 0, 0]}, {\"frame\": 2, \"value\": [0, -9, 0]}],\n"
    "\"objects\": [{\"name\": \"skirt\", \"type\": \"cloth\", \"material\": \"cotton\",\n"
    " \"mesh\": {\"pattern\": \"pattern.json\", \"resolution\": 0.05}, \"pins\": [\n"
    " {\"group\": \"waist\", \"follow\": \"ghost\", \"to\": 2}, {\"vertices\": [3],\n"
    " \"stiffness\": [{\"frame\": 1, \"value\": 3}]}]},\n"
    "{\"name\": \"top\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [2, 0, 0],\n"
    " \"layer\": 1,\n"
    " \"mesh\": {\"shape\": \"disk\", \"cells\": [4, 1]}},\n"
    "{\"name\": \"bottom\", \"type\": \"cloth\", \"material\": \"cotton\", "
    "\"position\": [2, 0.1, 0], \"layer\": 2,\n"
    " \"mesh\": {\"shape\": \"disk\", \"cells\": [4, 1]}},\n"
    "{\"name\": \"ghost\", \"type\": \"collider\", \"ghost\": true, \"mesh\": "
    "{\"shape\": \"box\"}}],\n"
    "\"attachments\": [{\"a\": {\"object\": \"skirt\", \"vertices\": [0]}, \"b\": {\"object\":\n"
    " \"top\"}, \"force\": 1}],\n"
    "\"seams\": [{\"a\": {\"object\": \"top\", \"vertices\": [\"0-3\"]}, \"b\": "
    "{\"object\": \"bottom\",\n"
    " \"vertices\": [\"0-3\"]}}],\n"
    "\"chambers\": [{\"objects\": [\"top\", \"bottom\"], \"gas\": true, \"pressure\": 9}]}\n";

static const char pattern[] =
    "{\"pattern\": {\"panels\": {\"a\": {\"translation\": [0, 0, 5], \"rotation\": [0, 0, 0],\n"
    "\"vertices\": [[0, 0], [20, 0], [20, 20], [0, 20]], \"edges\": [{\"endpoints\": [0, 1]},\n"
    "{\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3], \"label\": \"waist\"}, "
    "{\"endpoints\": [3, 0]}]},\n"
    "\"b\": {\"translation\": [0, 0, 5], \"rotation\": [0, 0, 0],\n"
    "\"vertices\": [[20, 0], [40, 0], [40, 20], [20, 20]], \"edges\": [{\"endpoints\": [0, 1]},\n"
    "{\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]}},\n"
    "\"stitches\": [[{\"panel\": \"a\", \"edge\": 1}, {\"panel\": \"b\", \"edge\": 3}]]}}\n";

// Cloth, its rest shape and a collider from an Alembic file.
static const char archive[] =
    "{\"version\": 1, \"name\": \"archive\", \"extends\": \"base.json\", \"objects\": [\n"
    "{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\", \"position\": [9, 0, "
    "0],\n"
    " \"mesh\": {\"file\": \"rig.abc\", \"object\": \"rig\", \"frame\": 1.5, \"up\": \"z\"},\n"
    " \"rest\": {\"from\": \"file\", \"file\": \"rig.abc\", \"object\": \"/rig/body\"},\n"
    " \"pins\": [{\"group\": \"hem\", \"follow\": \"body\"}]},\n"
    "{\"name\": \"body\", \"type\": \"collider\", \"mesh\": {\"sequence\": \"rig.abc\"}}]}\n";

// Two triangles that deform under a transform at uneven times, with a face set and texture.
static void save_rig(void) {
  static const double x[24] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1,
                               0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1};
  static const double move[6] = {0, 0, 0, 0, 0, 1}, corners[6] = {2, 1, 0, 3, 2, 0};
  char path[64];
  abc_file f;
  abc_list geom = {0}, own = {0}, inner = {0}, set = {0}, sets = {0}, mesh = {0}, xform = {0};
  abc_list none = {0};
  abc_begin(&f);
  f.metadata = "_ai_DCC_FPS=24;clothsim_up=y";
  abc_times(&f, 1, 1, (double[]){0});
  abc_times(&f, ABC_ACYCLIC, 2, (double[]){1 / 24.0, 2 / 24.0});
  abc_times(&f, ABC_ACYCLIC, 2, (double[]){1 / 24.0, 1.25 / 24.0});
  abc_property(&f, &geom, "P", (abc_type){ABC_ARRAY, ABC_F32, 3, 1, NULL},
               (abc_samples){2, 1, 2, 12, x});
  abc_property(&f, &geom, ".faceIndices", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 6, corners});
  abc_property(&f, &geom, ".faceCounts", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 2, (double[]){3, 3}});
  abc_property(&f, &geom, "uv", (abc_type){ABC_ARRAY, ABC_F32, 2, 0, NULL},
               (abc_samples){1, 1, 1, 8, x});
  abc_compound(&f, &own, ".geom", &geom);
  abc_property(&f, &inner, ".faces", (abc_type){ABC_ARRAY, ABC_I32, 1, 0, NULL},
               (abc_samples){1, 1, 1, 1, (double[]){1}});
  abc_compound(&f, &set, ".faceset", &inner);
  abc_object(&f, &sets, "hem", "schema=AbcGeom_FaceSet_v1", &set, &none);
  abc_object(&f, &mesh, "body", ABC_MESH, &own, &sets);
  abc_property(&f, &inner, ".ops", (abc_type){ABC_SCALAR, ABC_U8, 1, 0, NULL},
               (abc_samples){1, 1, 1, 1, (double[]){1 << 4}});
  abc_property(&f, &inner, ".vals", (abc_type){ABC_SCALAR, ABC_F64, 3, 2, NULL},
               (abc_samples){2, 1, 2, 3, move});
  abc_compound(&f, &xform, ".xform", &inner);
  abc_object(&f, &f.top, "rig", ABC_XFORM, &xform, &mesh);
  abc_finish(&f);
  snprintf(path, sizeof path, "%s/rig.abc", folder);
  abc_write(path, f.bytes.data, (size_t)f.bytes.n);
  free(f.bytes.data);
}

static void save(const char *name, const char *text) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) exit(1);
}

static void choose(const char *name) {
  snprintf(scene_path, sizeof scene_path, "%s/%s", folder, name);
}

static void remove_tree(const char *path) {
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char inner[512];
    if (entry->d_name[0] == '.') continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    if (unlink(inner)) remove_tree(inner);
  }
  if (dir) closedir(dir);
  rmdir(path);
}

// ------------------------------------------------------------------------------------------ steps

// Counts the heap calls of twenty steps after a first one.
static void count_step_calls(const char *name, const char *const *sets, int nset) {
  csim_scene *scene = NULL;
  csim_world world = {0};
  csim_state state = {0};
  csim_step_report report;
  check_log log;
  check_log_init(&log);
  choose(name);
  if (csim_scene_read(scene_path, sets, nset, &log.log, &scene) ||
      csim_compile(scene, tet_path, NULL, &log.log, NULL, &world)) {
    check_that(0, __FILE__, __LINE__, "%s: %s", name, log.text);
    goto done;
  }
  CHECK(csim_state_create(world.model, &state) == 0);
  csim_pool *pool = csim_pool_create(2);
  csim_solver *solver =
      csim_solver_create(&(csim_solver_setup){.model = world.model,
                                              .params = scene->solver,
                                              .contact = world.contact,
                                              .ncollider = world.ncollider,
                                              .collider = world.collider,
                                              .pool = pool,
                                              .h = 1 / (scene->fps * scene->substeps)});
  CHECK(solver != NULL);
  CHECK(csim_step(solver, &state, &report) == 0);
  // under a sanitizer a thread's own start allocates, and it may start late; the lists of the
  // contact filter grow while surfaces come together: look again then
  long during = 1, contacts = 0;
  int looks = SANITIZER || scene->contact.response == CSIM_RESPONSE_FILTER ? 8 : 1;
  for (int look = 0; during && look < looks; look++) {
    long before = calls;
    for (int n = 0; n < 20; n++) {
      CHECK(csim_step(solver, &state, &report) == 0);
      contacts += report.contacts;
    }
    during = calls - before;
  }
  check_that(during == 0, __FILE__, __LINE__, "%s with %s %s: %ld heap calls in 20 steps", name,
             nset > 0 ? sets[0] : "", nset > 1 ? sets[1] : "", during);
  if (nset == 1) CHECK(contacts > 0);
  csim_solver_free(solver);
  csim_pool_free(pool);
done:
  csim_state_free(&state);
  csim_world_free(&world);
  csim_scene_free(scene);
}

static void test_steps(void) {
  static const char *const linears[] = {"solver.linear=pcg", "solver.linear=cholesky",
                                        "solver.linear=jacobi", "solver.linear=chebyshev-jacobi"};
  static const char *const bendings[] = {"cloth.springs.bending=quadratic",
                                         "cloth.springs.bending=dihedral",
                                         "cloth.springs.bending=spring"};
  count_step_calls("rich.json", (const char *[]){"contact.response=impulse"}, 1);
  for (int l = 0; l < 4; l++) count_step_calls("rich.json", &linears[l], 1);
  for (int b = 0; b < 3; b++) count_step_calls("rich.json", &bendings[b], 1);
  count_step_calls("rich.json",
                   (const char *[]){"solver.linear=pcg", "solver.preconditioner=ichol"}, 2);
  for (int m = 0; csim_method_names[m]; m++) {
    char set[64];
    snprintf(set, sizeof set, "solver.method=%s", csim_method_names[m]);
    // short steps: the explicit methods are refused longer ones
    count_step_calls("rich.json", (const char *[]){set, "frames.substeps=100"}, 2);
    count_step_calls("solid.json", (const char *[]){set, "frames.substeps=100"}, 2);
    count_step_calls("solid.json",
                     (const char *[]){set, "jelly.elasticity=neo-hookean", "frames.substeps=100"},
                     3);
    int projects = strstr(csim_method_names[m], "pbd") != NULL;
    count_step_calls("fabric.json",
                     (const char *[]){set, "frames.substeps=100", "cloth.maps=[]",
                                      "cloth.springs.bending=quadratic"},
                     projects ? 4 : 2);
  }
}

// --------------------------------------------------------------------------------------- failures

typedef csim_status try_function(csim_log *log);

static csim_status try_read(csim_log *log) {
  csim_scene *scene;
  csim_status status = csim_scene_read(scene_path, (const char *[]){"cloth.material.bend=2x"},
                                       strstr(scene_path, "rich") != NULL, log, &scene);
  CHECK(!scene == (status != CSIM_OK));
  csim_scene_free(scene);
  return status;
}

static csim_scene *scene_given; // read before allocations begin to fail
static int threads;

static csim_run_options run_options(void) {
  return (csim_run_options){
      .out = out_path, .tet_program = tet_path, .nthread = threads, .overwrite = 1};
}

static csim_status try_check(csim_log *log) {
  csim_run_options options = run_options();
  csim_check_report report;
  return csim_check(scene_given, &options, log, &report);
}

static csim_status try_run(csim_log *log) {
  csim_run_options options = run_options();
  csim_run_report report;
  csim_status status = csim_run(scene_given, &options, log, &report);
  if (!status) CHECK(report.frames_written == 2 + (strstr(scene_path, "garment") != NULL));
  return status;
}

// Goes on behind the first of two frames, with a checkpoint of each.
static csim_status try_resume(csim_log *log) {
  csim_run_options options = run_options();
  csim_run_report report;
  char path[128];
  long before = fail_in;
  fail_in = -1; // the first half may not fail
  options.max_seconds = 1e-9;
  CHECK(csim_run(scene_given, &options, NULL, &report) == CSIM_STOPPED);
  fail_in = before;
  options.max_seconds = options.overwrite = 0;
  options.resume = options.checkpoint_frames = options.checkpoint_last = 1;
  csim_status status = csim_run(scene_given, &options, log, &report);
  long left = fail_in;
  fail_in = -1;
  if (!status) CHECK(report.resumed && report.resumed_after == 1 && report.frames_written == 1);
  // whatever failed, the checkpoint can be read
  csim_checkpoint point;
  snprintf(path, sizeof path, "%s/run.checkpoint", out_path);
  CHECK(csim_checkpoint_read(path, NULL, &point) == CSIM_OK);
  CHECK(point.frame == (status ? point.frame : 2));
  csim_checkpoint_free(&point);
  fail_in = left;
  return status;
}

// Every call of a simulation that allocates, and a step with targets of each kind.
static csim_status try_sim(csim_log *log) {
  csim_sim_options options = {.nthread = threads};
  csim_sim *sim;
  void *data = NULL;
  size_t size;
  double zero[3] = {0}, pin[3] = {-0.5, 0.52, -0.5};
  csim_status status = csim_sim_create(scene_given, &options, log, &sim);
  if (status) return status;
  int ball = csim_sim_find_object(sim, "ball");
  status = csim_sim_move_collider(sim, ball, zero, zero);
  if (!status) status = csim_sim_set_pin_vertices(sim, 0, pin);
  if (!status) status = csim_sim_step(sim, NULL);
  if (!status) status = csim_sim_save(sim, &data, &size);
  csim_status reset = csim_sim_reset(sim);
  if (!status) status = csim_sim_load(sim, data, size);
  if (!status) status = reset;
  free(data);
  csim_sim_free(sim);
  return status;
}

static csim_status try_schema(csim_log *log) {
  (void)log;
  char *schema = csim_scene_schema(), *manual = csim_scene_manual();
  int ok = schema && manual;
  free(schema);
  free(manual);
  return ok ? CSIM_OK : CSIM_MEMORY;
}

// Fails the first allocation, then only the second, and so on until there is none left to fail.
static void fail_each(const char *name, try_function *attempt, int stride) {
  enum { MANY = 200000 };
  int nmemory = 0;
  long k = 0;
  CHECK(attempt(NULL) == CSIM_OK);
  for (; k < MANY; k += stride) {
    check_log log;
    check_log_init(&log);
    long before = live;
    fail_in = k;
    csim_status status = attempt(&log.log);
    int failed = fail_in < 0;
    fail_in = -1;
    // the C library keeps what it gave to threads; a sanitizer finds leaks by itself, and hands
    // out blocks (strdup) that are not counted
    if (threads == 1 && !SANITIZER)
      check_that(live == before, __FILE__, __LINE__, "%s: allocation %ld fails: %ld blocks leak",
                 name, k, (long)live - before);
    if (!failed) {
      CHECK(status == CSIM_OK);
      break;
    }
    nmemory += status == CSIM_MEMORY;
    // a reader reports its file, csim_compile the scene
    int reported = log.log.nerror == 1 || log.log.nerror == 2 || attempt == try_schema;
    check_that(status != CSIM_MEMORY || reported, __FILE__, __LINE__,
               "%s: allocation %ld fails: %d errors reported: %s", name, k, log.log.nerror,
               log.text);
    // a failure that does no harm (a buffer of stdio, a thread less) is fine; one inside opendir or
    // the like is the file's
    int as_file = status == CSIM_IO && strstr(log.text, strerror(ENOMEM));
    check_that(status == CSIM_MEMORY || status == CSIM_OK || as_file, __FILE__, __LINE__,
               "%s: allocation %ld fails: status %d: %s", name, k, (int)status, log.text);
  }
  CHECK(k < MANY);
  CHECK(nmemory > 0);
}

static void test_failures(void) {
  threads = 1;
  fail_each("schema", try_schema, 1);
  choose("rich.json");
  fail_each("read", try_read, 1);
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene_given) == CSIM_OK);
  fail_each("check", try_check, 1);
  fail_each("run", try_run, 1);
  fail_each("sim", try_sim, 1);
  fail_each("resume", try_resume, 1);
  threads = 3;
  if (!SANITIZER) fail_each("run with threads", try_run, 1); // a sanitizer's threads must start
  csim_scene_free(scene_given);
  threads = 1;
  choose("solid.json");
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene_given) == CSIM_OK);
  fail_each("solid", try_check, 1);
  csim_scene_free(scene_given);
  choose("fabric.json");
  fail_each("read of fabric", try_read, 1);
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene_given) == CSIM_OK);
  fail_each("fabric", try_check, 1);
  csim_scene_free(scene_given);
  choose("archive.json");
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene_given) == CSIM_OK);
  fail_each("check of an archive", try_check, 1);
  fail_each("run of an archive", try_run, 1);
  csim_scene_free(scene_given);
  choose("garment.json");
  fail_each("read a garment", try_read, 1);
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene_given) == CSIM_OK);
  fail_each("check a garment", try_check, 1);
  fail_each("run a garment", try_run, 1);
  csim_scene_free(scene_given);
}

int main(void) {
  const char *bin = getenv("BIN");
  snprintf(tet_path, sizeof tet_path, "%s/clothsim-tet", bin ? bin : "bin");
  strcpy(folder, access("/dev/shm", W_OK) ? "/tmp/test_heap_XXXXXX" : "/dev/shm/test_heap_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(out_path, sizeof out_path, "%s/out", folder);
  save("rich.json", rich);
  save("base.json", base);
  save("solid.json", solid);
  save("fabric.json", fabric);
  save("arcsim.json", arcsim);
  save("patch.obj", patch);
  save("garment.json", garment);
  save("archive.json", archive);
  save_rig();
  save("pattern.json", pattern);
  test_steps();
  test_failures();
  remove_tree(folder);
  return check_report();
}
