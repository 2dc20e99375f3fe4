// cache/planes.c: see planes.h.
#include "cache/planes.h"

#include "base/arena.h"
#include "base/dmath.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Memory level 7: a Huffman code lasts 8,192 bytes; residuals change along a plane (measured best).
enum { RAW_DEFLATE = -15, MEMORY_LEVEL = 7 };
static const uint32_t DEFLATED = 0x80000000u;

struct csim_planes_streams {
  z_stream deflater[2], inflater; // one deflater for each effort
  int ready[2], inflater_ready;
};

static int prepare(csim_planes *p, ptrdiff_t n) {
  if (!p->streams && !(p->streams = CSIM_NEW(struct csim_planes_streams, 1))) return -1;
  return CSIM_GROW(p->plane, p->capacity, n);
}

static z_stream *get_deflater(csim_planes *p, csim_effort effort) {
  z_stream *z = &p->streams->deflater[effort];
  if (p->streams->ready[effort]) return deflateReset(z) == Z_OK ? z : NULL;
  int runs = effort == CSIM_EFFORT_RUNS;
  if (deflateInit2(z, runs ? 1 : 6, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                   runs ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  p->streams->ready[effort] = 1;
  return z;
}

static z_stream *get_inflater(csim_planes *p) {
  z_stream *z = &p->streams->inflater;
  if (p->streams->inflater_ready) return inflateReset(z) == Z_OK ? z : NULL;
  if (inflateInit2(z, RAW_DEFLATE) != Z_OK) {
    p->failed = 1;
    return NULL;
  }
  p->streams->inflater_ready = 1;
  return z;
}

// Entropy above 7.9 bits a byte: deflating would cost time and gain at most 1.3 %.
static int is_noise(const uint8_t *plane, ptrdiff_t n) {
  uint32_t count[4][256] = {{0}}; // four tables, so that equal neighbours do not wait on each other
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) count[k][plane[i + k]]++;
  for (; i < n; i++) count[0][plane[i]]++;
  double bits = 0;
  for (int v = 0; v < 256; v++) {
    double c = (double)count[0][v] + count[1][v] + count[2][v] + count[3][v];
    if (c > 0) bits += c * csim_ln((double)n / c);
  }
  return bits > 7.9 * 0.69314718055994531 * (double)n;
}

static int write_plane(csim_planes *p, csim_effort effort, ptrdiff_t n, csim_bytes *out) {
  uint8_t *to = csim_bytes_reserve(out, n + 4);
  if (!to) return -1;
  ptrdiff_t size = n;
  int deflated = 0;
  if (n > 0 && !(effort == CSIM_EFFORT_RUNS && is_noise(p->plane, n))) {
    z_stream *z = get_deflater(p, effort);
    if (!z) return -1;
    z->next_in = p->plane;
    z->avail_in = (uInt)n;
    z->next_out = to + 4;
    z->avail_out = (uInt)n; // a plane that does not shrink is stored as it is
    deflated = deflate(z, Z_FINISH) == Z_STREAM_END && z->avail_out > 0;
    if (deflated) size = n - (ptrdiff_t)z->avail_out;
  }
  if (!deflated) memcpy(to + 4, p->plane, (size_t)n);
  csim_store_u32((uint32_t)size | (deflated ? DEFLATED : 0), to);
  out->n += size + 4;
  return 0;
}

int csim_planes_write(csim_planes *p, csim_effort effort, const uint32_t *word, ptrdiff_t n,
                      csim_bytes *out) {
  if (prepare(p, n)) return -1;
  for (int shift = 0; shift < 32; shift += 8) {
    uint8_t *restrict plane = p->plane;
    for (ptrdiff_t i = 0; i < n; i++) plane[i] = (uint8_t)(word[i] >> shift);
    if (write_plane(p, effort, n, out)) return -1;
  }
  return 0;
}

// The plane's bytes: in place when stored, else inflated to p->plane. NULL when malformed.
static const uint8_t *read_plane(csim_planes *p, const uint8_t **at, const uint8_t *end,
                                 ptrdiff_t n) {
  if (end - *at < 4) return NULL;
  uint32_t head = csim_load_u32(*at);
  ptrdiff_t size = head & ~DEFLATED;
  const uint8_t *from = *at + 4;
  if (size > end - from) return NULL;
  *at = from + size;
  if (!(head & DEFLATED)) return size == n ? from : NULL;
  z_stream *z = get_inflater(p);
  if (!z) return NULL;
  z->next_in = (Bytef *)(uintptr_t)from; // zlib's interface lacks a const
  z->avail_in = (uInt)size;
  z->next_out = p->plane;
  z->avail_out = (uInt)n;
  int code = inflate(z, Z_FINISH);
  p->failed |= code == Z_MEM_ERROR;
  return code == Z_STREAM_END && !z->avail_out && !z->avail_in ? p->plane : NULL;
}

int csim_planes_read(csim_planes *p, const uint8_t **at, const uint8_t *end, ptrdiff_t n,
                     uint32_t *word) {
  if (prepare(p, n)) {
    p->failed = 1;
    return -1;
  }
  for (int shift = 0; shift < 32; shift += 8) {
    const uint8_t *restrict plane = read_plane(p, at, end, n);
    if (!plane) return -1;
    if (shift == 0)
      for (ptrdiff_t i = 0; i < n; i++) word[i] = plane[i];
    else
      for (ptrdiff_t i = 0; i < n; i++) word[i] |= (uint32_t)plane[i] << shift;
  }
  return 0;
}

int csim_planes_plausible(uint64_t n, uint64_t bytes) {
  return n / 1032 <= bytes / 4;
}

uint32_t *csim_planes_read_array(csim_planes_reader *r, ptrdiff_t n) {
  if (!csim_planes_plausible((uint64_t)n, (uint64_t)(r->end - r->at))) return NULL;
  uint32_t *word = CSIM_ARENA_NEW(r->arena, uint32_t, n);
  if (!word || csim_planes_read(r->planes, &r->at, r->end, n, word)) return NULL;
  for (ptrdiff_t i = 0; i < n; i++) word[i] = csim_unzigzag(word[i]) + (i ? word[i - 1] : 0);
  return word;
}

int csim_planes_write_array(csim_planes *p, uint32_t *word, ptrdiff_t n, csim_bytes *out) {
  for (ptrdiff_t i = n - 1; i >= 0; i--) word[i] = csim_zigzag(word[i] - (i ? word[i - 1] : 0));
  return csim_planes_write(p, CSIM_EFFORT_REPEATS, word, n, out);
}

int csim_planes_write_ints(csim_planes *p, const int *value, ptrdiff_t n, uint32_t *word,
                           csim_bytes *out) {
  for (ptrdiff_t i = 0; i < n; i++) word[i] = (uint32_t)value[i];
  return csim_planes_write_array(p, word, n, out);
}

int csim_planes_write_vectors(csim_planes *p, const double *value, int width, ptrdiff_t n,
                              uint32_t *word, csim_bytes *out) {
  for (int c = 0; c < width; c++) {
    for (ptrdiff_t i = 0; i < n; i++)
      word[i] = csim_order_bits(csim_float_bits((float)value[width * i + c]));
    if (csim_planes_write_array(p, word, n, out)) return -1;
  }
  return 0;
}

double *csim_planes_read_vectors(csim_planes_reader *r, int width, ptrdiff_t n) {
  if (!csim_planes_plausible((uint64_t)width * (uint64_t)n, (uint64_t)(r->end - r->at)))
    return NULL;
  double *value = CSIM_ARENA_NEW(r->arena, double, width *n);
  for (int c = 0; c < width && value; c++) {
    const uint32_t *word = csim_planes_read_array(r, n);
    if (!word) return NULL;
    for (ptrdiff_t i = 0; i < n; i++)
      value[width * i + c] = (double)csim_bits_float(csim_unorder_bits(word[i]));
  }
  return value;
}

void csim_planes_free(csim_planes *p) {
  if (p->streams) {
    for (int k = 0; k < 2; k++)
      if (p->streams->ready[k]) deflateEnd(&p->streams->deflater[k]);
    if (p->streams->inflater_ready) inflateEnd(&p->streams->inflater);
  }
  free(p->streams);
  free(p->plane);
  *p = (csim_planes){0};
}
