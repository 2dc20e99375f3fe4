// The k-th call that changes the disk fails, for every k of a tiny run: it is told, nothing leaks
// or crashes, what stands on disk is whole, and the same run resumed leaves the files of one that
// nothing happened to. So does a run that is dead from the k-th call on.
//
// The functions below are defined here, so the linker takes them instead of the C library's.
#include "check.h"

#include "cache/checkpoint.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ----------------------------------------------------------------------------- the disk that fails

// frames may be written by another thread than the one that steps
static atomic_long calls; // since the last reset
static long fail_at = -1; // number of the call that fails; < 0: none
static long fail_for = 1; // so many calls fail from there on
static long die_at = -1;  // number of the call that the process dies at; < 0: none
static const char *_Atomic failed_call;
static int unsynced; // renames of checkpoints since a directory was synced

#define NEXT(function)                                                                             \
  static __typeof__(function) *next;                                                               \
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, #function)

static int must_fail(const char *name) {
  long call = atomic_fetch_add(&calls, 1);
  if (call == die_at) _exit(9);
  if (fail_at < 0 || call < fail_at || call >= fail_at + fail_for) return 0;
  failed_call = name;
  errno = ENOSPC;
  return 1;
}

ssize_t write(int fd, const void *data, size_t size) {
  NEXT(write);
  if (fd <= 2) return next(fd, data, size);
  return must_fail("write") ? -1 : next(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  NEXT(pwrite);
  return must_fail("pwrite") ? -1 : next(fd, data, size, offset);
}

int ftruncate(int fd, off_t size) {
  NEXT(ftruncate);
  return must_fail("ftruncate") ? -1 : next(fd, size);
}

int fsync(int fd) { // the disk's own would do nothing but take time here
  struct stat st;
  if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) unsynced = 0;
  return must_fail("fsync") ? -1 : 0;
}

int rename(const char *from, const char *to) {
  NEXT(rename);
  unsynced += strstr(to, "run.checkpoint") != NULL;
  return must_fail("rename") ? -1 : next(from, to);
}

int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  return must_fail("mkdir") ? -1 : next(path, mode);
}

int unlink(const char *path) {
  NEXT(unlink);
  return must_fail("unlink") ? -1 : next(path);
}

int open(const char *path, int flags, ...) {
  NEXT(open);
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & O_CREAT ? (mode_t)va_arg(args, int) : 0;
  va_end(args);
  return (flags & O_CREAT) && must_fail("open") ? -1 : next(path, flags, mode);
}

// ------------------------------------------------------------------------------------------- a run

static char folder[32], scene_path[64], out_path[64], good_path[64];

static const char scene_text[] =
    "{\"version\": 1, \"name\": \"tiny\", \"frames\": {\"start\": 1, \"end\": 4, \"fps\": 24, "
    "\"substeps\": 1},\n"
    "\"solver\": {\"iterations\": 2}, \"contact\": {\"thickness\": 0.01},\n"
    "\"output\": {\"formats\": [\"pc2\", \"ply\", \"vtp\"]},\n"
    "\"objects\": [{\"name\": \"cloth\", \"type\": \"cloth\", \"material\": \"cotton\",\n"
    " \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [3, 3]}, \"position\": [0, "
    "0.52, "
    "0]},\n"
    "{\"name\": \"ball\", \"type\": \"collider\", \"mesh\": {\"shape\": \"sphere\", \"radius\": "
    "0.5, "
    "\"cells\": [8, 6]}}]}\n";

static int threads, every; // frames from checkpoint to checkpoint
static int overwrite;      // what is in the directory, by runs that do not resume

static csim_status run(const csim_scene *scene, const char *out, int resume, csim_log *log,
                       csim_run_report *report) {
  csim_run_options options = {.out = out,
                              .tet_program = "clothsim-tet",
                              .nthread = threads,
                              .overwrite = overwrite && !resume,
                              .resume = resume,
                              .checkpoint_frames = every,
                              .checkpoint_last = 1};
  return csim_run(scene, &options, log, report);
}

static void remove_tree(const char *path) {
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char inner[512];
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    if (unlink(inner)) remove_tree(inner);
  }
  if (dir) closedir(dir);
  rmdir(path);
}

static int same_file(const char *a, const char *b) {
  FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
  int same = f && g, c = 0;
  while (same && c != EOF) same = (c = getc(f)) == getc(g);
  if (f) fclose(f);
  if (g) fclose(g);
  return same;
}

// Number of files of `a` that `b` has not, or has otherwise.
static int count_missing(const char *a, const char *b) {
  int count = 0;
  DIR *dir = opendir(a);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char inner[2][512];
    // what cannot be removed in the end does no harm
    if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "run.checkpoint.old")) continue;
    snprintf(inner[0], sizeof *inner, "%s/%s", a, entry->d_name);
    snprintf(inner[1], sizeof *inner, "%s/%s", b, entry->d_name);
    if (same_file(inner[0], inner[1])) continue;
    fprintf(stderr, "%s differs\n", entry->d_name);
    count++;
  }
  if (dir) closedir(dir);
  return count;
}

// What a run that failed has left: frames up to the checkpoint's, all of them whole. With `last`
// the checkpoint is that of the last frame which the run has told to be on disk.
static void check_remains(long k, int last) {
  char path[128];
  csim_checkpoint point;
  csim_cache *cache;
  snprintf(path, sizeof path, "%s/run.checkpoint", out_path);
  if (access(path, F_OK)) snprintf(path, sizeof path, "%s/run.checkpoint.old", out_path);
  if (access(path, F_OK)) {
    check_that(last < 1, __FILE__, __LINE__, "call %ld (%s) fails: no checkpoint behind frame %d",
               k, failed_call, last);
    return;
  }
  csim_status read = csim_checkpoint_read(path, NULL, &point);
  check_that(!read, __FILE__, __LINE__, "call %ld (%s) fails: the checkpoint is damaged", k,
             failed_call);
  if (read) return;
  check_that(last < 1 || point.frame == last, __FILE__, __LINE__,
             "call %ld (%s) fails: the checkpoint is of frame %d, not %d", k, failed_call,
             point.frame, last);
  snprintf(path, sizeof path, "%s/tiny.clothcache", out_path);
  csim_status opened = csim_cache_open(path, NULL, &cache);
  check_that(!opened && csim_cache_get_info(cache)->nframe >= point.frame, __FILE__, __LINE__,
             "call %ld (%s) fails: the cache has fewer frames than the checkpoint", k, failed_call);
  if (!opened) csim_cache_free(cache);
  csim_checkpoint_free(&point);
}

static void fail_each(const csim_scene *scene, long how_many) {
  long k = 0, told = 0;
  for (; k < 5000; k++) {
    check_log log;
    check_log_init(&log);
    remove_tree(out_path);
    calls = 0;
    fail_at = k;
    fail_for = how_many;
    failed_call = NULL;
    csim_run_report report;
    csim_status status = run(scene, out_path, 0, &log.log, &report);
    fail_at = -1;
    if (!failed_call) {
      CHECK(status == CSIM_OK);
      break;
    }
    told += status == CSIM_IO;
    check_that(status == CSIM_OK || status == CSIM_IO, __FILE__, __LINE__,
               "call %ld (%s) fails: status %d: %s", k, failed_call, (int)status, log.text);
    if (status)
      check_that(log.log.nerror > 0, __FILE__, __LINE__, "call %ld (%s) fails: nothing is said", k,
                 failed_call);
    // where it was a frame's files that failed, not the checkpoint's or what comes after all frames
    int amid = how_many == 1 && report.last_frame < 4 && strcmp(failed_call, "fsync") != 0;
    check_remains(k, amid ? report.last_frame : 0);
    check_log_init(&log);
    status = run(scene, out_path, 1, &log.log, &report);
    check_that(!status && !count_missing(good_path, out_path) &&
                   !count_missing(out_path, good_path),
               __FILE__, __LINE__, "call %ld (%s) failed, then resumed: status %d: %s", k,
               failed_call, (int)status, log.text);
  }
  CHECK(k < 5000);
  CHECK(told > k / 2);
  printf("%d threads, a checkpoint every %d frames: %ld calls\n", threads, every, k);
}

// A run that dies at its k-th call that changes the disk, in a process of its own. 1: it did.
static int dies(const csim_scene *scene, long k, int resume) {
  csim_run_report report;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    calls = 0;
    die_at = k;
    _exit(run(scene, out_path, resume, NULL, &report) ? 1 : 0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 0);
  return WEXITSTATUS(status) == 9;
}

typedef enum before { NOTHING, DEAD, COMPLETE } before; // what a dying run finds

// Dead at any call, the run can be gone on with and leaves the files of an undisturbed one.
static void die_each(const csim_scene *scene, before found) {
  csim_run_report report;
  long k = 0;
  for (;; k++) {
    remove_tree(out_path);
    if (found == COMPLETE) CHECK(run(scene, out_path, 0, NULL, &report) == CSIM_OK);
    if (found == DEAD) CHECK(dies(scene, 30, 0)); // before the first checkpoint
    overwrite = found == COMPLETE;
    int died = dies(scene, k, found == DEAD);
    overwrite = 0;
    check_log log;
    check_log_init(&log);
    csim_status status = run(scene, out_path, 1, &log.log, &report);
    check_that(!status && !count_missing(good_path, out_path) &&
                   !count_missing(out_path, good_path),
               __FILE__, __LINE__, "dead at call %ld (found %d), then resumed: status %d: %s", k,
               (int)found, (int)status, log.text);
    if (!died || k == 5000) break;
  }
  CHECK(k > 50 && k < 5000);
  printf("%d threads, a checkpoint every %d frames: dead at %ld calls\n", threads, every, k);
}

// In every frame the ball is where it was put, and the cloth is not.
static void check_frames(void) {
  char path[128];
  csim_cache *cache;
  snprintf(path, sizeof path, "%s/tiny.clothcache", good_path);
  CHECK(csim_cache_open(path, NULL, &cache) == CSIM_OK);
  const csim_cache_info *info = csim_cache_get_info(cache);
  CHECK(info->nframe == 4 && info->nobject == 2);
  for (int f = 0; f < info->nframe; f++) {
    float x[3 * 64], v[3 * 64], lowest = 1;
    CHECK(info->object[1].nvert <= 64 && csim_cache_read(cache, 1, f, x, v) == CSIM_OK);
    for (int i = 0; i < info->object[1].nvert; i++)
      CHECK_NEAR(hypot(hypot(x[3 * i], x[3 * i + 1]), x[3 * i + 2]), 0.5, 1e-6);
    CHECK(info->object[0].nvert == 16 && csim_cache_read(cache, 0, f, x, v) == CSIM_OK);
    for (int i = 0; i < 16; i++) lowest = fminf(lowest, x[3 * i + 1]);
    CHECK(f ? lowest < 0.52f && lowest > 0 : lowest == 0.52f);
  }
  csim_cache_free(cache);
}

int main(void) {
  strcpy(folder,
         access("/dev/shm", W_OK) ? "/tmp/test_writes_XXXXXX" : "/dev/shm/test_writes_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(scene_path, sizeof scene_path, "%s/tiny.json", folder);
  snprintf(out_path, sizeof out_path, "%s/out", folder);
  snprintf(good_path, sizeof good_path, "%s/good", folder);
  FILE *file = fopen(scene_path, "w");
  if (!file || fputs(scene_text, file) < 0 || fclose(file)) return 1;
  csim_scene *scene;
  CHECK(csim_scene_read(scene_path, NULL, 0, NULL, &scene) == CSIM_OK);
  csim_run_report report;
  threads = every = 1;
  CHECK(run(scene, good_path, 0, NULL, &report) == CSIM_OK);
  CHECK(unsynced == 0);
  check_frames();
  for (threads = 1; threads <= 2; threads++)
    for (every = 1; every <= 3; every += 2) {
      fail_each(scene, 1);
      fail_each(scene, 1000000); // a disk that stays full
      die_each(scene, NOTHING);
      die_each(scene, DEAD);
      die_each(scene, COMPLETE);
    }
  csim_scene_free(scene);
  remove_tree(folder);
  return check_report();
}
