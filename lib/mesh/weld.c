// mesh/weld.c: see weld.h.
#include "mesh/weld.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

// The finaliser of MurmurHash3: every bit of the input reaches every bit of the output.
static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

static uint64_t hash_position(const double *p) {
  uint64_t h = 0;
  for (int k = 0; k < 3; k++) {
    double value = p[k] + 0.0; // -0 becomes 0
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    h = mix(h + bits + 0x9e3779b97f4a7c15u);
  }
  return h;
}

csim_status csim_weld(int nvert, const double *x, int *first) {
  ptrdiff_t size = 16;
  while (size < csim_row(2, nvert)) size *= 2;
  int *slot = CSIM_NEW(int, size); // 1 + vertex, 0 = free
  if (!slot) return CSIM_MEMORY;
  for (int i = 0; i < nvert; i++) {
    const double *p = x + csim_xyz(i);
    size_t s = hash_position(p) & (size_t)(size - 1);
    for (;; s = (s + 1) & (size_t)(size - 1)) {
      if (!slot[s]) {
        slot[s] = i + 1;
        first[i] = i;
        break;
      }
      const double *q = x + csim_xyz(slot[s] - 1);
      if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
        first[i] = slot[s] - 1;
        break;
      }
    }
  }
  free(slot);
  return CSIM_OK;
}
