// cache/murmur.c: see murmur.h.
//
// Two 64-bit lanes. Each block of 16 bytes mixes a word into each lane, the tail likewise, and both
// are mixed at the end.
#include "cache/murmur.h"

#include "base/bytes.h"

static uint64_t rotate(uint64_t x, int r) {
  return x << r | x >> (64 - r);
}

static uint64_t mix_block(uint64_t word, uint64_t first, int r, uint64_t second) {
  return rotate(word * first, r) * second;
}

static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

void csim_murmur(const void *data, size_t size, uint8_t digest[16]) {
  static const uint64_t C1 = 0x87c37b91114253d5u, C2 = 0x4cf5ad432745937fu;
  const uint8_t *p = data;
  uint64_t h1 = 0, h2 = 0;
  size_t left = size;
  for (; left >= 16; left -= 16, p += 16) {
    h1 ^= mix_block(csim_load_u64(p), C1, 31, C2);
    h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= mix_block(csim_load_u64(p + 8), C2, 33, C1);
    h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  if (left) {
    uint64_t word[2] = {0, 0};
    for (size_t i = 0; i < left; i++) word[i / 8] |= (uint64_t)p[i] << 8 * (i % 8);
    h2 ^= mix_block(word[1], C2, 33, C1); // a zero word stirs nothing in
    h1 ^= mix_block(word[0], C1, 31, C2);
  }
  h1 ^= size;
  h2 ^= size;
  h1 += h2;
  h2 += h1;
  h1 = mix(h1);
  h2 = mix(h2);
  h1 += h2;
  h2 += h1;
  csim_store_u64(h1, digest);
  csim_store_u64(h2, digest + 8);
}
