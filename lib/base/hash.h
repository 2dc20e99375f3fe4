// base/hash.h: a hash of contents, not cryptographic. Needs nothing.
#ifndef CSIM_BASE_HASH_H
#define CSIM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CSIM_HASH_START 14695981039346656037u

/// Continues hash h over some bytes: FNV-1a, eight bytes at a time.
static inline uint64_t csim_hash_bytes(uint64_t h, const void *bytes, size_t size) {
  for (const unsigned char *p = bytes; size; p += 8) {
    uint64_t word = 0;
    size_t n = size < 8 ? size : 8;
    memcpy(&word, p, n);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
    size -= n;
  }
  return h;
}

/// Continues hash h over a text: FNV-1a, byte by byte (Fowler, Noll, Vo).
static inline uint64_t csim_hash_text(uint64_t h, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
  return h;
}

#endif
