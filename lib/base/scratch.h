// base/scratch.h: shared scratch memory. Needs nothing.
//
// Memory that functions need only during a call, shared by all of them. csim_scratch_begin releases
// what the previous user took, so contents do not outlive a call. Its size is that of the largest
// user, reserved when that was created.
#ifndef CSIM_BASE_SCRATCH_H
#define CSIM_BASE_SCRATCH_H

#include <stddef.h>

typedef struct csim_scratch {
  char *memory;
  ptrdiff_t size, used; ///< bytes
} csim_scratch;

/// Bytes that n elements take up.
static inline ptrdiff_t csim_scratch_bytes(ptrdiff_t n, size_t size) {
  return (n * (ptrdiff_t)size + 63) / 64 * 64;
}

/// Ensures a size of at least so many bytes. Nothing may be in use: contents are lost.
/// @return 0, or -1 when out of memory: it is then unchanged
int csim_scratch_reserve(csim_scratch *scratch, ptrdiff_t bytes);
void csim_scratch_free(csim_scratch *scratch);

/// Releases everything that was taken.
static inline void csim_scratch_begin(csim_scratch *scratch) {
  scratch->used = 0;
}

/// Takes n elements of the reserved memory, 64-byte aligned. Their contents are undefined (debug
/// builds overwrite them).
void *csim_scratch_take(csim_scratch *scratch, ptrdiff_t n, size_t size);
#define CSIM_SCRATCH_TAKE(scratch, T, n) ((T *)csim_scratch_take((scratch), (n), sizeof(T)))

#endif
