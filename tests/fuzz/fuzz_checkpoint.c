// tests/fuzz/fuzz_checkpoint.c: libFuzzer on the reader of checkpoints, and on the comparison of
// the scenes in them.
//
// With an even first byte the crcs that can be found are made right first, as in fuzz_cache.c.
#include "cache/checkpoint.h"
#include "scene/difference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = CSIM_CHECKPOINT_HEADER, CHUNK = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok) {
  if (!ok) abort();
}

static void store_crc(uint8_t *to, const uint8_t *data, size_t size) {
  uint32_t crc = (uint32_t)crc32(0, data, (uInt)size);
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(crc >> 8 * i);
}

static void repair(uint8_t *file, size_t size) {
  if (size < HEADER) return;
  store_crc(file + 60, file, 60);
  for (size_t at = HEADER; at + CHUNK <= size;) {
    uint64_t payload = 0, left = size - at - CHUNK;
    for (int i = 7; i >= 0; i--) payload = payload << 8 | file[at + 8 + (size_t)i];
    if (payload <= left) store_crc(file + at + 32, file + at + CHUNK, payload);
    store_crc(file + at + 36, file + at, 36);
    if (payload > left) break;
    at += CHUNK + ((payload + 7) & ~(uint64_t)7);
  }
}

// A checkpoint's scene against another, and that again the other way.
static void compare(const char *meta) {
  static const char other[] =
      "{\"scene\": {\"name\": \"a\", \"list\": [1, 2], \"objects\": [{\"name\": \"b\", \"x\": 1, "
      "\"file\": \"c/d\"}], \"materials\": {\"m\": {\"bend\": 1}}}}";
  csim_json json = {0};
  csim_log log = {0};
  cJSON *a = NULL, *b = NULL;
  if (!csim_json_read_text(&json, "a", meta, strlen(meta), NULL, &a) &&
      !csim_json_read_text(&json, "b", other, strlen(other), NULL, &b)) {
    csim_difference d = {.json = &json, .file = "fuzz", .level = CSIM_ERROR, .log = &log};
    const cJSON *x = csim_json_get(a, "scene"), *y = csim_json_get(b, "scene");
    must(csim_report_differences(&d, x, y) == log.nerror);
    csim_report_differences(&d, y, x);
    csim_report_differences(&d, x, x); // not always none: names may be missing or double
  }
  cJSON_Delete(a);
  cJSON_Delete(b);
  csim_json_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (size < 1) return 0;
  if (fd < 0) {
    fd = memfd_create("checkpoint", 0);
    must(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  uint8_t *file = malloc(size);
  must(file != NULL);
  memcpy(file, data + 1, size - 1);
  if (!(data[0] & 1)) repair(file, size - 1);
  must(!ftruncate(fd, 0) && pwrite(fd, file, size - 1, 0) == (ssize_t)(size - 1));
  free(file);
  csim_checkpoint point;
  csim_log log = {0};
  csim_status status = csim_checkpoint_read(path, &log, &point);
  must(status == CSIM_OK || log.nerror + log.nwarning > 0);
  if (!status) {
    must(!point.state.x_prev == !point.state.v_prev);
    for (ptrdiff_t i = 0; i < csim_xyz(point.state.nvert); i++)
      must(isfinite(point.state.x[i]) && (!point.state.v_prev || isfinite(point.state.v_prev[i])));
    compare(point.meta);
  }
  csim_checkpoint_free(&point);
  return 0;
}
