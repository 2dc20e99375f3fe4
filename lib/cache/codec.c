// cache/codec.c: see codec.h.
//
// A frame's base is zero (key), the previous frame, or an extrapolation of the two previous frames.
// The differences from the base vary little over the surface. Each vertex's difference is therefore
// predicted from its neighbours, by a parallelogram (Touma and Gotsman, Triangle Mesh Compression,
// 1998) or a mean, whichever costs less in this frame. Lossless: base and prediction are floats,
// computed by additions in a fixed order only, so that every machine gets the same. Prediction and
// value are mapped to integers of the same order, and their zigzag difference is stored. Lossy: the
// same in integers, on multiples of the step. Residuals are stored sorted by their size in the
// previous frames. They are small where cloth is at rest and large where it moves, and each class
// gets its own Huffman codes (2.5 % on a cloth draped over a ball).
#include "cache/codec.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Quantised values stay exact in 32 bits, and so do differences of two.
static const double QUANTUM_MAX = 1 << 30;

int csim_track_init(csim_track *track, int width, int nvert) {
  ptrdiff_t n = (ptrdiff_t)width * nvert;
  *track = (csim_track){.width = width, .nvert = nvert, .stored = -1};
  track->value = CSIM_NEW(float, n);
  track->older = CSIM_NEW(float, n);
  track->next = CSIM_NEW(float, n);
  track->base = CSIM_NEW(uint32_t, nvert);
  track->shift = CSIM_NEW(uint32_t, (ptrdiff_t)nvert + 1);
  track->word = CSIM_NEW(uint32_t, n);
  track->size = CSIM_NEW(uint32_t, n);
  int whole = track->value && track->older && track->next && track->base && track->shift &&
              track->word && track->size;
  return whole ? 0 : -1;
}

void csim_track_free(csim_track *track) {
  free(track->value);
  free(track->older);
  free(track->next);
  free(track->base);
  free(track->shift);
  free(track->word);
  free(track->size);
  *track = (csim_track){0};
}

void csim_track_get(const csim_track *track, const csim_traversal *t, float *value) {
  ptrdiff_t n = track->nvert, width = track->width;
  for (ptrdiff_t i = 0; i < n; i++)
    for (ptrdiff_t c = 0; c < width; c++) value[width * t->order[i] + c] = track->value[c * n + i];
}

static size_t values_of(const csim_track *track) {
  return (size_t)track->width * (size_t)track->nvert;
}

// Makes the frame just coded the value.
static void advance(csim_track *track, int key) {
  float *oldest = track->older;
  track->older = track->value;
  track->value = track->next;
  track->next = oldest;
  if (key) memcpy(track->older, track->value, values_of(track) * sizeof(float));
}

// --------------------------------------------------------------------------------------- lossless

static inline uint32_t to_int(float value) {
  return csim_order_bits(csim_float_bits(value));
}

static inline float spread_float(csim_cache_space space, csim_predictor p, const float *shift) {
  switch (space) {
  case CSIM_CACHE_MEAN:
    return (shift[p.a] + shift[p.b]) * 0.5f;
  case CSIM_CACHE_PARALLELOGRAM:
    return ((shift[p.a] + shift[p.b]) - shift[p.d]) * p.scale;
  default:
    return 0;
  }
}

// The prediction as an integer; not finite: 0.
static inline uint32_t predict_float(csim_cache_space space, csim_predictor p, const float *shift,
                                     float base) {
  float v = base + spread_float(space, p, shift);
  return to_int(fabsf(v) <= 3.4028234663852886e38f ? v : 0);
}

static void base_floats(const csim_track *track, ptrdiff_t c, csim_cache_mode mode, int order,
                        float *restrict base) {
  ptrdiff_t n = track->nvert;
  const float *restrict value = track->value + c * n, *restrict older = track->older + c * n;
  if (mode == CSIM_CACHE_KEY)
    memset(base, 0, (size_t)n * sizeof *base);
  else if (order == 1)
    memcpy(base, value, (size_t)n * sizeof *base);
  else
    for (ptrdiff_t i = 0; i < n; i++) base[i] = value[i] + (value[i] - older[i]);
}

// Inlined for each way, so that the loop has no branch.
static inline __attribute__((always_inline)) void
residual_floats(csim_cache_space space, const csim_predictor *predict, ptrdiff_t n,
                const float *restrict value, const float *restrict base,
                const float *restrict shift, uint32_t *restrict word) {
  for (ptrdiff_t i = 0; i < n; i++)
    word[i] = csim_zigzag(to_int(value[i]) - predict_float(space, predict[i], shift, base[i]));
}

static inline __attribute__((always_inline)) void
restore_floats(csim_cache_space space, const csim_predictor *predict, ptrdiff_t n,
               const uint32_t *restrict word, const float *restrict base, float *restrict shift,
               float *restrict value) {
  for (ptrdiff_t i = 0; i < n; i++) {
    uint32_t predicted = predict_float(space, predict[i], shift, base[i]);
    value[i] = csim_bits_float(csim_unorder_bits(predicted + csim_unzigzag(word[i])));
    shift[i] = value[i] - base[i];
  }
}

// Prepares base and shift of a component.
static void shift_floats(const csim_track *track, ptrdiff_t c, const csim_coding *coding,
                         float *restrict base, float *restrict shift) {
  ptrdiff_t n = track->nvert;
  const float *restrict value = track->next + c * n;
  base_floats(track, c, coding->mode, coding->order, base);
  for (ptrdiff_t i = 0; i < n; i++) shift[i] = value[i] - base[i];
  shift[n] = 0;
}

static void write_floats(const csim_traversal *t, const csim_coding *coding, csim_track *track) {
  ptrdiff_t n = track->nvert;
  float *base = (float *)(void *)track->base, *shift = (float *)(void *)track->shift;
  for (ptrdiff_t c = 0; c < track->width; c++) {
    const float *value = track->next + c * n;
    uint32_t *word = track->word + c * n;
    shift_floats(track, c, coding, base, shift);
    if (coding->space == CSIM_CACHE_PARALLELOGRAM)
      residual_floats(CSIM_CACHE_PARALLELOGRAM, t->predict, n, value, base, shift, word);
    else if (coding->space == CSIM_CACHE_MEAN)
      residual_floats(CSIM_CACHE_MEAN, t->predict, n, value, base, shift, word);
    else
      residual_floats(CSIM_CACHE_NOTHING, t->predict, n, value, base, shift, word);
  }
}

static void read_floats(const csim_traversal *t, const csim_coding *coding, csim_track *track) {
  ptrdiff_t n = track->nvert;
  float *base = (float *)(void *)track->base, *shift = (float *)(void *)track->shift;
  for (ptrdiff_t c = 0; c < track->width; c++) {
    float *value = track->next + c * n;
    const uint32_t *word = track->word + c * n;
    base_floats(track, c, coding->mode, coding->order, base);
    shift[n] = 0;
    if (coding->space == CSIM_CACHE_PARALLELOGRAM)
      restore_floats(CSIM_CACHE_PARALLELOGRAM, t->predict, n, word, base, shift, value);
    else if (coding->space == CSIM_CACHE_MEAN)
      restore_floats(CSIM_CACHE_MEAN, t->predict, n, word, base, shift, value);
    else
      restore_floats(CSIM_CACHE_NOTHING, t->predict, n, word, base, shift, value);
  }
}

// ------------------------------------------------------------------------------------------ lossy

// Nearest integer to x / step (per_step = 1 / step), ties to even: adding 1.5 2^52 leaves no bits
// for a fraction. 0 for what does not fit (the previous frame may hold anything).
static inline int32_t quantise(double x, double per_step) {
  double k = (x * per_step + 6755399441055744.0) - 6755399441055744.0;
  return fabs(k) <= QUANTUM_MAX ? (int32_t)k : 0;
}

// Differences wrap around: hostile data must not overflow a signed integer.
static inline uint32_t half(uint32_t u) {
  return u >> 1 | (u & 0x80000000u);
}

static inline uint32_t predict_quantum(csim_cache_space space, csim_predictor p,
                                       const uint32_t *shift) {
  switch (space) {
  case CSIM_CACHE_MEAN:
    return half(shift[p.a] + shift[p.b]);
  case CSIM_CACHE_PARALLELOGRAM: {
    uint32_t u = shift[p.a] + shift[p.b] - shift[p.d];
    return p.scale < 1 ? half(u) : u;
  }
  default:
    return 0;
  }
}

static void base_quanta(const csim_track *track, ptrdiff_t c, const csim_coding *coding,
                        uint32_t *restrict base) {
  ptrdiff_t n = track->nvert;
  const float *value = track->value + c * n, *older = track->older + c * n;
  double per_step = 1 / coding->step;
  if (coding->mode == CSIM_CACHE_KEY) {
    memset(base, 0, (size_t)n * sizeof *base);
    return;
  }
  for (ptrdiff_t i = 0; i < n; i++) base[i] = (uint32_t)quantise((double)value[i], per_step);
  if (coding->order == 2)
    for (ptrdiff_t i = 0; i < n; i++)
      base[i] += base[i] - (uint32_t)quantise((double)older[i], per_step);
}

// Residuals of the quantised values in track->word, in place.
static void write_quanta(const csim_traversal *t, const csim_coding *coding, csim_track *track) {
  ptrdiff_t n = track->nvert;
  uint32_t *shift = track->shift;
  for (ptrdiff_t c = 0; c < track->width; c++) {
    uint32_t *word = track->word + c * n;
    base_quanta(track, c, coding, track->base);
    for (ptrdiff_t i = 0; i < n; i++) shift[i] = word[i] - track->base[i];
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      word[i] = csim_zigzag(shift[i] - predict_quantum(coding->space, t->predict[i], shift));
  }
}

static void read_quanta(const csim_traversal *t, const csim_coding *coding, csim_track *track) {
  ptrdiff_t n = track->nvert;
  uint32_t *shift = track->shift;
  for (ptrdiff_t c = 0; c < track->width; c++) {
    const uint32_t *word = track->word + c * n;
    base_quanta(track, c, coding, track->base);
    shift[n] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      shift[i] = predict_quantum(coding->space, t->predict[i], shift) + csim_unzigzag(word[i]);
      int32_t k = (int32_t)(shift[i] + track->base[i]);
      track->next[c * n + i] = (float)((double)k * coding->step);
    }
  }
}

// Fills track->word with the multiples of the step; returns the step, or 0 if the bound cannot be
// held. Every value is dequantised and compared, which verifies the bound.
static double find_quanta(const csim_traversal *t, const double *x, double error,
                          csim_track *track) {
  ptrdiff_t n = track->nvert, width = track->width;
  double largest = 0;
  for (ptrdiff_t i = 0; i < width * n; i++) {
    if (!(fabs(x[i]) <= 1e30)) return 0; // NaN, infinite or absurd
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  }
  double ulp = (double)nextafterf((float)largest, INFINITY) - (double)(float)largest;
  double step = 2 * error - ulp;
  if (!(step > error) || largest / step > QUANTUM_MAX - 2) return 0;
  double per_step = 1 / step;
  for (ptrdiff_t i = 0; i < n; i++)
    for (ptrdiff_t c = 0; c < width; c++) {
      double value = x[width * t->order[i] + c];
      int32_t k = quantise(value, per_step);
      float back = (float)(k * step);
      if (!(fabs(value - (double)back) <= error)) return 0;
      track->word[c * n + i] = (uint32_t)k;
      track->next[c * n + i] = back;
    }
  return step;
}

// ----------------------------------------------------------------------------------------- choice

// Bits of a residual, near enough to compare ways of predicting.
static inline int bit_length(uint32_t zigzag) {
  return zigzag ? 32 - __builtin_clz(zigzag) : 0;
}

enum { SPACES = CSIM_CACHE_PARALLELOGRAM + 1 };

// Estimates the cost of each prediction from one base, on a sample of the vertices. For lossy
// frames only the part of a difference that exceeds the step counts.
static void estimate(const csim_traversal *t, const csim_coding *coding, csim_track *track,
                     int64_t cost[SPACES]) {
  enum { STRIDE = 16 };
  ptrdiff_t n = track->nvert;
  float *base = (float *)(void *)track->base, *shift = (float *)(void *)track->shift;
  double per_step = coding->step > 0 ? 1 / coding->step : 0;
  for (ptrdiff_t c = 0; c < track->width; c++) {
    const float *value = track->next + c * n;
    shift_floats(track, c, coding, base, shift);
    for (int space = 0; space < SPACES; space++)
      for (ptrdiff_t i = 0; i < n; i += STRIDE) {
        csim_predictor p = t->predict[i];
        if (coding->step > 0) {
          float gap = shift[i] - spread_float((csim_cache_space)space, p, shift);
          cost[space] += bit_length((uint32_t)fmin(fabs((double)gap) * per_step, 1e9));
        } else {
          uint32_t predicted = predict_float((csim_cache_space)space, p, shift, base[i]);
          cost[space] += bit_length(csim_zigzag(to_int(value[i]) - predicted));
        }
      }
  }
}

// Chooses the cheapest base and prediction of this frame.
static void choose(const csim_traversal *t, csim_coding *coding, csim_track *track) {
  csim_coding best = *coding;
  int64_t lowest = INT64_MAX;
  int orders = coding->mode == CSIM_CACHE_KEY ? 1 : 2;
  for (int order = 1; order <= orders; order++) {
    int64_t cost[SPACES] = {0};
    csim_coding way = *coding;
    way.order = order;
    estimate(t, &way, track, cost);
    for (int space = SPACES - 1; space >= 0; space--)
      if (cost[space] < lowest) {
        lowest = cost[space];
        best = way;
        best.space = (csim_cache_space)space;
      }
  }
  *coding = best;
}

// ------------------------------------------------------------------------------ order of residuals

// Where the residuals of a component go: first those of size 0, then 1, 2 to 3, 4 to 7, ...; each
// class in traversal order. Without sizes all are of one class.
static void find_classes(const csim_track *track, ptrdiff_t c, ptrdiff_t start[33]) {
  ptrdiff_t n = track->nvert;
  const uint32_t *size = track->size + c * n;
  memset(start, 0, 33 * sizeof *start);
  if (!track->has_sizes) return;
  for (ptrdiff_t i = 0; i < n; i++) {
    int k = bit_length(size[i]);
    if (k < 32) start[k + 1]++;
  }
  for (int k = 1; k <= 32; k++) start[k] += start[k - 1];
}

static int write_words(csim_planes *planes, csim_track *track, ptrdiff_t c, csim_bytes *out) {
  ptrdiff_t n = track->nvert, start[33];
  const uint32_t *size = track->size + c * n, *word = track->word + c * n;
  find_classes(track, c, start);
  for (ptrdiff_t i = 0; i < n; i++)
    track->base[start[track->has_sizes ? bit_length(size[i]) : 0]++] = word[i];
  return csim_planes_write(planes, CSIM_EFFORT_RUNS, track->base, n, out);
}

static int read_words(csim_planes *planes, csim_track *track, ptrdiff_t c, const uint8_t **at,
                      const uint8_t *end) {
  ptrdiff_t n = track->nvert, start[33];
  const uint32_t *size = track->size + c * n;
  uint32_t *word = track->word + c * n;
  if (csim_planes_read(planes, at, end, n, track->base)) return -1;
  find_classes(track, c, start);
  for (ptrdiff_t i = 0; i < n; i++)
    word[i] = track->base[start[track->has_sizes ? bit_length(size[i]) : 0]++];
  return 0;
}

// Updates the sizes with the residuals of the frame. Those of a key frame are of another kind.
static void learn_sizes(csim_track *track, int key) {
  ptrdiff_t n = (ptrdiff_t)values_of(track);
  if (key)
    track->has_sizes = 0;
  else if (track->has_sizes)
    for (ptrdiff_t i = 0; i < n; i++)
      track->size[i] = (track->size[i] >> 1) + (track->word[i] >> 1);
  else
    memcpy(track->size, track->word, (size_t)n * sizeof *track->size);
  if (!key) track->has_sizes = 1;
}

// -------------------------------------------------------------------------------------- a frame

// Whether the frame may refer to the one that holds the track's data. A key frame refers only to a
// key frame, which bounds the frames that one random access decodes.
static int is_same(const csim_track *track, ptrdiff_t index, int interval) {
  if (track->stored < 0) return 0;
  if (index % interval == 0 && track->stored % interval != 0) return 0;
  return !memcmp(track->value, track->next, values_of(track) * sizeof(float));
}

int csim_codec_write(const csim_traversal *t, csim_planes *planes, const csim_codec_frame *frame,
                     csim_track *track, csim_coding *coding, csim_bytes *out) {
  ptrdiff_t n = track->nvert, width = track->width, index = frame->index;
  int key = index % frame->interval == 0;
  const double *x = frame->x;
  double step = frame->error > 0 ? find_quanta(t, x, frame->error, track) : 0;
  if (!(step > 0))
    for (ptrdiff_t i = 0; i < n; i++)
      for (ptrdiff_t c = 0; c < width; c++)
        track->next[c * n + i] = (float)x[width * t->order[i] + c];
  if (is_same(track, index, frame->interval)) {
    *coding = (csim_coding){.mode = CSIM_CACHE_SAME, .reference = track->stored};
    return 0;
  }
  *coding = (csim_coding){
      .mode = key ? CSIM_CACHE_KEY : CSIM_CACHE_DELTA, .step = step, .reference = index};
  choose(t, coding, track);
  if (step > 0)
    write_quanta(t, coding, track);
  else
    write_floats(t, coding, track);
  if (key) track->has_sizes = 0;
  for (ptrdiff_t c = 0; c < width; c++)
    if (write_words(planes, track, c, out)) return -1;
  learn_sizes(track, key);
  advance(track, key);
  track->stored = index;
  return 0;
}

int csim_codec_read(const csim_traversal *t, csim_planes *planes, const csim_coding *coding,
                    const uint8_t *data, ptrdiff_t size, csim_track *track) {
  const uint8_t *at = data, *end = data + size;
  int key = coding->mode == CSIM_CACHE_KEY;
  if (key) track->has_sizes = 0;
  for (int c = 0; c < track->width; c++)
    if (read_words(planes, track, c, &at, end)) return -1;
  if (at != end) return -1;
  learn_sizes(track, key); // they order the residuals of the next frame
  if (coding->step > 0)    // residuals to values
    read_quanta(t, coding, track);
  else
    read_floats(t, coding, track);
  advance(track, key);
  return 0;
}
