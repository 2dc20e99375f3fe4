// base/morton.h: positions along the Morton curve, and sorting by them. Needs nothing.
#ifndef CSIM_BASE_MORTON_H
#define CSIM_BASE_MORTON_H

#include <stdint.h>

enum { CSIM_MORTON_BITS = 21, CSIM_MORTON_LAST = (1 << CSIM_MORTON_BITS) - 1 };

typedef struct csim_morton_entry {
  uint64_t code; ///< place along the curve
  int item;
} csim_morton_entry;

/// Place of a cell with coordinates 0 .. CSIM_MORTON_LAST along the curve: 63 bits.
uint64_t csim_morton(const uint32_t cell[3]);

/// Sorts by code; equal codes keep their order (radix sort, O(n)).
/// @param scratch  (n)
void csim_morton_sort(int n, csim_morton_entry *list, csim_morton_entry *scratch);

#endif
