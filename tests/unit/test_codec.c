// test_codec: frames of an attribute read back: every bit, or within the bound that was asked for;
// bytes that were changed are no danger.
#include "check.h"

#include "cache/codec.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, NVERT = SIDE * SIDE, NFACE = (SIDE - 1) * (SIDE - 1), FRAMES = 9 };

// A wave, with numbers of every size; the last frames stand still.
static void place(int frame, double *x) {
  int f = frame < 6 ? frame : 6;
  for (int v = 0; v < NVERT; v++) {
    x[3 * v] = v % SIDE / 10.0 + 1e-3 * f * f;
    x[3 * v + 1] = sin(v % SIDE * 0.5 + 0.2 * f) + (v == 5 ? 1e6 : 0);
    x[3 * v + 2] = v / SIDE / 10.0 * (v % 7 ? 1 : -1e-20);
  }
}

static void round_trip(const csim_traversal *t, double error) {
  csim_planes planes = {0};
  csim_track in = {0}, out = {0};
  static double x[3 * NVERT];
  static float back[3 * NVERT];
  size_t bytes = 0;
  int same = 0, deltas = 0;
  CHECK(csim_track_init(&in, 3, NVERT) == 0 && csim_track_init(&out, 3, NVERT) == 0);
  for (int f = 0; f < FRAMES; f++) {
    csim_coding coding;
    csim_bytes data = {0};
    place(f, x);
    csim_codec_frame frame = {.x = x, .error = error, .index = f, .interval = 5};
    CHECK(csim_codec_write(t, &planes, &frame, &in, &coding, &data) == 0 && !data.failed);
    CHECK((f % 5 == 0) == (coding.mode == CSIM_CACHE_KEY) || coding.mode == CSIM_CACHE_SAME);
    same += coding.mode == CSIM_CACHE_SAME;
    deltas += coding.mode == CSIM_CACHE_DELTA;
    if (coding.mode == CSIM_CACHE_SAME)
      CHECK(data.n == 0 && coding.reference < f);
    else
      CHECK(csim_codec_read(t, &planes, &coding, data.data, data.n, &out) == 0);
    csim_track_get(&out, t, back);
    for (int k = 0; k < 3 * NVERT; k++) {
      float exact = (float)x[k];
      if (error > 0)
        CHECK(fabs(x[k] - (double)back[k]) <= error);
      else
        CHECK(!memcmp(&exact, &back[k], sizeof exact));
    }
    bytes += (size_t)data.n;
    // any bytes are safe
    for (int k = 0; k < 40 && data.n; k++) {
      csim_track hurt = {0};
      CHECK(csim_track_init(&hurt, 3, NVERT) == 0);
      data.data[check_random() % (uint32_t)data.n] ^= (uint8_t)(1 + check_random() % 255);
      csim_codec_read(t, &planes, &coding, data.data, data.n - k % 3, &hurt);
      csim_track_free(&hurt);
    }
    free(data.data);
  }
  CHECK(same >= 1 && deltas >= 3);
  CHECK(bytes < 3 * sizeof(float) * NVERT * FRAMES / 2);
  csim_track_free(&in);
  csim_track_free(&out);
  csim_planes_free(&planes);
}

int main(void) {
  int start[NFACE + 1], vert[4 * NFACE];
  for (int f = 0; f < NFACE; f++) {
    int v = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
    memcpy(vert + 4 * f, (int[]){v, v + 1, v + SIDE + 1, v + SIDE}, 4 * sizeof *vert);
    start[f] = 4 * f;
  }
  start[NFACE] = 4 * NFACE;
  csim_traversal t;
  CHECK(csim_traversal_init(&t, NVERT, NFACE, start, vert, 0, NULL) == 0);
  round_trip(&t, 0);
  round_trip(&t, 0.2); // of numbers up to 1e6 no finer bound can be kept
  csim_traversal_free(&t);
  return check_report();
}
