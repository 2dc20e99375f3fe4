// tests/fuzz/fuzz_scene.c: libFuzzer on the reader of scenes. A scene that is accepted is printed
// with every value resolved, and that has to be a scene again, the same one.
#include "clothsim.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok) {
  if (!ok) abort();
}

static void put(int fd, const void *data, size_t size) {
  must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) {
    fd = memfd_create("scene", 0);
    must(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  // another file than the one given: reading whatever a path leads to finds nothing new
  if (memmem(data, size, "extends", 7)) return 0;
  put(fd, data, size);
  csim_log log = {0};
  csim_scene *scene, *again;
  csim_status status = csim_scene_read(path, NULL, 0, &log, &scene);
  must(!scene == (status != CSIM_OK) && (status == CSIM_OK || log.nerror > 0));
  if (status) return 0;
  char *resolved = strdup(csim_scene_resolved(scene));
  must(resolved != NULL);
  put(fd, resolved, strlen(resolved));
  status = csim_scene_read(path, NULL, 0, &log, &again);
  must(status == CSIM_OK && csim_scene_hash(scene) == csim_scene_hash(again) &&
       !strcmp(resolved, csim_scene_resolved(again)));
  free(resolved);
  csim_scene_free(scene);
  csim_scene_free(again);
  return 0;
}
