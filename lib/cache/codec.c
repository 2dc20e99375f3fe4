// cache/codec.c: see codec.h.
//
// Lossless: the prediction is a float, prediction and value become integers of the same order, and
// their zigzag difference is stored. Only float additions in a fixed order, so every machine
// predicts the same. Lossy: the same in integers, on the multiples of the step.
// Parallelogram prediction: Touma and Gotsman, Triangle Mesh Compression, 1998; here of the
// displacement since the previous frame, which is smoother than the surface.
#include "cache/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Quantised values stay exact in 32 bits, and so do differences of two.
static const double QUANTUM_MAX = 1 << 30;

int csim_track_init(csim_track *track, int nvert) {
  ptrdiff_t n = 3 * (ptrdiff_t)nvert;
  *track = (csim_track){.nvert = nvert, .stored = -1};
  track->value = CSIM_NEW(float, n);
  track->next = CSIM_NEW(float, n);
  track->shift = CSIM_NEW(float, n + 3);
  track->word = CSIM_NEW(uint32_t, n);
  return track->value && track->next && track->shift && track->word ? 0 : -1;
}

void csim_track_free(csim_track *track) {
  free(track->value);
  free(track->next);
  free(track->shift);
  free(track->word);
  *track = (csim_track){0};
}

void csim_track_get(const csim_track *track, const csim_traversal *t, float *xyz) {
  ptrdiff_t n = track->nvert;
  for (ptrdiff_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) xyz[3 * (ptrdiff_t)t->order[i] + c] = track->value[c * n + i];
}

static void swap_frames(csim_track *track) {
  float *value = track->value;
  track->value = track->next;
  track->next = value;
}

// --------------------------------------------------------------------------------------- lossless

static inline float predict_float(csim_predictor p, const float *shift, float before) {
  float v = before + ((shift[p.a] + shift[p.b]) - shift[p.d]) * p.scale;
  return fabsf(v) <= 3.4028234663852886e38f ? v : 0; // NaN and infinity: 0
}

static void write_floats(const csim_traversal *t, int key, csim_track *track) {
  ptrdiff_t n = track->nvert;
  for (int c = 0; c < 3; c++) {
    float *shift = track->shift + c * (n + 1);
    const float *value = track->next + c * n, *before = track->value + c * n;
    uint32_t *word = track->word + c * n;
    for (ptrdiff_t i = 0; i < n; i++) shift[i] = key ? value[i] : value[i] - before[i];
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      float predicted = predict_float(t->predict[i], shift, key ? 0 : before[i]);
      word[i] = csim_zigzag(csim_order_bits(csim_float_bits(value[i])) -
                            csim_order_bits(csim_float_bits(predicted)));
    }
  }
}

static void read_floats(const csim_traversal *t, int key, csim_track *track) {
  ptrdiff_t n = track->nvert;
  for (int c = 0; c < 3; c++) {
    float *shift = track->shift + c * (n + 1), *value = track->next + c * n;
    const float *before = track->value + c * n;
    const uint32_t *word = track->word + c * n;
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      float from = key ? 0 : before[i];
      float predicted = predict_float(t->predict[i], shift, from);
      value[i] = csim_bits_float(
          csim_unorder_bits(csim_order_bits(csim_float_bits(predicted)) + csim_unzigzag(word[i])));
      shift[i] = key ? value[i] : value[i] - from;
    }
  }
}

// ------------------------------------------------------------------------------------------ lossy

// Nearest multiple of the step; 0 for what does not fit (the frame before may hold anything).
static inline int32_t quantise(double x, double step) {
  double k = floor(x / step + 0.5);
  return fabs(k) <= QUANTUM_MAX ? (int32_t)k : 0;
}

// Differences wrap around: hostile data must not overflow a signed integer.
static inline uint32_t predict_quantum(csim_predictor p, const uint32_t *shift, uint32_t before) {
  uint32_t u = shift[p.a] + shift[p.b] - shift[p.d];
  return before + (p.scale < 1 ? u >> 1 | (u & 0x80000000u) : u);
}

// The multiples' prediction and difference. The quanta come in track->word, in place.
static void write_quanta(const csim_traversal *t, int key, double step, csim_track *track) {
  ptrdiff_t n = track->nvert;
  uint32_t *shift = (uint32_t *)(void *)track->shift;
  for (int c = 0; c < 3; c++) {
    const float *before = track->value + c * n;
    uint32_t *word = track->word + c * n;
    for (ptrdiff_t i = 0; i < n; i++)
      shift[i] = word[i] - (key ? 0 : (uint32_t)quantise(before[i], step));
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      word[i] = csim_zigzag(shift[i] - predict_quantum(t->predict[i], shift, 0));
  }
}

static void read_quanta(const csim_traversal *t, int key, double step, csim_track *track) {
  ptrdiff_t n = track->nvert;
  uint32_t *shift = (uint32_t *)(void *)track->shift;
  for (int c = 0; c < 3; c++) {
    const float *before = track->value + c * n;
    const uint32_t *word = track->word + c * n;
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      shift[i] = predict_quantum(t->predict[i], shift, 0) + csim_unzigzag(word[i]);
      uint32_t k = shift[i] + (key ? 0 : (uint32_t)quantise(before[i], step));
      track->next[c * n + i] = (float)((double)(int32_t)k * step);
    }
  }
}

// Fills track->word with the multiples of the step; returns the step, or 0 when the bound cannot
// be held. Every value is dequantised and compared: the bound is a fact, not an argument.
static double find_quanta(const csim_traversal *t, const double *x, double error,
                          csim_track *track) {
  ptrdiff_t n = track->nvert;
  double largest = 0;
  for (ptrdiff_t i = 0; i < 3 * n; i++) {
    if (!(fabs(x[i]) <= 1e30)) return 0; // NaN, infinite or absurd
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  }
  double ulp = (double)nextafterf((float)largest, INFINITY) - (double)(float)largest;
  double step = 2 * error - ulp;
  if (!(step > error) || largest / step > QUANTUM_MAX - 2) return 0;
  for (ptrdiff_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      double value = x[3 * (ptrdiff_t)t->order[i] + c];
      int32_t k = quantise(value, step);
      float back = (float)(k * step);
      if (!(fabs(value - (double)back) <= error)) return 0;
      track->word[c * n + i] = (uint32_t)k;
      track->next[c * n + i] = back;
    }
  return step;
}

// ------------------------------------------------------------------------------------ both

// Whether the frame may refer to the one that holds the track's data. A key frame refers only to a
// key frame, which bounds the frames that one random access decodes.
static int is_same(const csim_track *track, ptrdiff_t index, int interval) {
  if (track->stored < 0) return 0;
  if (index % interval == 0 && track->stored % interval != 0) return 0;
  return !memcmp(track->value, track->next, 3 * (size_t)track->nvert * sizeof(float));
}

int csim_codec_write(const csim_traversal *t, csim_planes *planes, const double *x, double error,
                     ptrdiff_t index, int interval, csim_track *track, csim_cache_mode *mode,
                     double *step, ptrdiff_t *reference, csim_bytes *out) {
  ptrdiff_t n = track->nvert;
  int key = index % interval == 0;
  *step = error > 0 ? find_quanta(t, x, error, track) : 0;
  if (!(*step > 0))
    for (ptrdiff_t i = 0; i < n; i++)
      for (int c = 0; c < 3; c++) track->next[c * n + i] = (float)x[3 * (ptrdiff_t)t->order[i] + c];
  if (is_same(track, index, interval)) {
    *mode = CSIM_CACHE_SAME;
    *reference = track->stored;
    *step = 0;
    return 0;
  }
  *mode = key ? CSIM_CACHE_KEY : CSIM_CACHE_DELTA;
  *reference = key ? index : index - 1;
  if (*step > 0)
    write_quanta(t, key, *step, track);
  else
    write_floats(t, key, track);
  for (int c = 0; c < 3; c++)
    if (csim_planes_write(planes, CSIM_EFFORT_RUNS, track->word + c * n, n, out)) return -1;
  swap_frames(track);
  track->stored = index;
  return 0;
}

int csim_codec_read(const csim_traversal *t, csim_planes *planes, csim_cache_mode mode, double step,
                    const uint8_t *data, ptrdiff_t size, csim_track *track) {
  ptrdiff_t n = track->nvert;
  const uint8_t *at = data, *end = data + size;
  int key = mode == CSIM_CACHE_KEY;
  for (int c = 0; c < 3; c++)
    if (csim_planes_read(planes, &at, end, n, track->word + c * n)) return -1;
  if (at != end) return -1;
  if (step > 0)
    read_quanta(t, key, step, track);
  else
    read_floats(t, key, track);
  swap_frames(track);
  return 0;
}
