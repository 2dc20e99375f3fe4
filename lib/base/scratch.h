// base/scratch.h: shared scratch memory. Needs nothing.
//
// What is needed only while one call works lies in one room that many share: whoever begins lays
// out his arrays there, finds nothing in them, and leaves nothing that others may count on. It is
// as large as the one who needs most has asked for when he was made.
#ifndef CSIM_BASE_SCRATCH_H
#define CSIM_BASE_SCRATCH_H

#include <stddef.h>

typedef struct csim_scratch {
  char *room;
  ptrdiff_t size, used; ///< bytes
} csim_scratch;

/// Bytes that n elements take up.
static inline ptrdiff_t csim_scratch_bytes(ptrdiff_t n, size_t size) {
  return (n * (ptrdiff_t)size + 63) / 64 * 64;
}

/// Makes room for so many bytes. Nobody may be at work.
/// @return 0, or -1 when out of memory: the room is then as it was
int csim_scratch_reserve(csim_scratch *scratch, ptrdiff_t bytes);
void csim_scratch_free(csim_scratch *scratch);

/// Whoever was there before leaves.
static inline void csim_scratch_begin(csim_scratch *scratch) {
  scratch->used = 0;
}

/// n elements of what was reserved, 64-byte aligned; they hold anything.
void *csim_scratch_take(csim_scratch *scratch, ptrdiff_t n, size_t size);
#define CSIM_SCRATCH_TAKE(scratch, T, n) ((T *)csim_scratch_take((scratch), (n), sizeof(T)))

#endif
