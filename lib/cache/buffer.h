// cache/buffer.h: growing byte buffers, and floats as integers. Needs base/.
#ifndef CSIM_CACHE_BUFFER_H
#define CSIM_CACHE_BUFFER_H

#include "base/bytes.h"

#include <stddef.h>

/// Bytes that grow at the end. Append everything, test `failed` once; zero-initialise, free `data`.
typedef struct csim_bytes {
  uint8_t *data;
  ptrdiff_t n, capacity;
  int failed; ///< out of memory; sticky
} csim_bytes;

/// Space for n more bytes at the end, not yet counted in `n`; NULL when out of memory.
uint8_t *csim_bytes_reserve(csim_bytes *bytes, ptrdiff_t n);

/// Appends n bytes (zeros when `data` is NULL).
void csim_bytes_add(csim_bytes *bytes, const void *data, ptrdiff_t n);
void csim_bytes_add32(csim_bytes *bytes, uint32_t value);
void csim_bytes_add64(csim_bytes *bytes, uint64_t value);
void csim_bytes_add_double(csim_bytes *bytes, double value);

/// The bits of a float and back.
static inline uint32_t csim_float_bits(float value) {
  union {
    float f;
    uint32_t u;
  } both = {.f = value};
  return both.u;
}
static inline float csim_bits_float(uint32_t bits) {
  union {
    uint32_t u;
    float f;
  } both = {.u = bits};
  return both.f;
}

/// Float bits as an unsigned integer of the same order, so that near values are near integers.
static inline uint32_t csim_order_bits(uint32_t b) {
  return b >> 31 ? ~b : b | 0x80000000u;
}
static inline uint32_t csim_unorder_bits(uint32_t u) {
  return u >> 31 ? u & 0x7fffffffu : ~u;
}

/// Small differences of either sign as small unsigned integers: 0, -1, 1, -2 -> 0, 1, 2, 3.
static inline uint32_t csim_zigzag(uint32_t d) {
  return d << 1 ^ (0u - (d >> 31));
}
static inline uint32_t csim_unzigzag(uint32_t z) {
  return z >> 1 ^ (0u - (z & 1));
}

#endif
