// cache/buffer.c: see buffer.h.
#include "cache/buffer.h"

#include "base/arena.h"

#include <string.h>

uint8_t *csim_bytes_reserve(csim_bytes *bytes, ptrdiff_t n) {
  if (bytes->failed || n < 0 || n > PTRDIFF_MAX - bytes->n) {
    bytes->failed = 1;
    return NULL;
  }
  if (CSIM_GROW(bytes->data, bytes->capacity, bytes->n + n)) {
    bytes->failed = 1;
    return NULL;
  }
  return bytes->data + bytes->n;
}

void csim_bytes_add(csim_bytes *bytes, const void *data, ptrdiff_t n) {
  uint8_t *end = csim_bytes_reserve(bytes, n);
  if (!end || n == 0) return;
  if (data)
    memcpy(end, data, (size_t)n);
  else
    memset(end, 0, (size_t)n);
  bytes->n += n;
}

void csim_bytes_add32(csim_bytes *bytes, uint32_t value) {
  uint8_t word[4];
  csim_store_u32(value, word);
  csim_bytes_add(bytes, word, 4);
}

void csim_bytes_add64(csim_bytes *bytes, uint64_t value) {
  uint8_t word[8];
  csim_store_u64(value, word);
  csim_bytes_add(bytes, word, 8);
}

void csim_bytes_add_double(csim_bytes *bytes, double value) {
  uint8_t word[8];
  csim_store_f64(value, word);
  csim_bytes_add(bytes, word, 8);
}
