// base/morton.c: see morton.h.
#include "base/morton.h"

#include <string.h>

// Every third bit of the result is one of the low 21 bits of x.
static uint64_t spread(uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

uint64_t csim_morton(const uint32_t cell[3]) {
  return spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2;
}

void csim_morton_sort(int n, csim_morton_entry *list, csim_morton_entry *scratch) {
  enum { BITS = 11, BINS = 1 << BITS };
  csim_morton_entry *from = list, *to = scratch;
  for (int shift = 0; shift < 3 * CSIM_MORTON_BITS; shift += BITS) {
    int bin[BINS] = {0}, at = 0;
    for (int i = 0; i < n; i++) bin[from[i].code >> shift & (BINS - 1)]++;
    if (n == 0 || bin[from[0].code >> shift & (BINS - 1)] == n) continue; // all alike
    for (int b = 0; b < BINS; b++) {
      int count = bin[b];
      bin[b] = at;
      at += count;
    }
    for (int i = 0; i < n; i++) to[bin[from[i].code >> shift & (BINS - 1)]++] = from[i];
    csim_morton_entry *swap = from;
    from = to;
    to = swap;
  }
  if (from != list) memcpy(list, from, (size_t)n * sizeof *list);
}
