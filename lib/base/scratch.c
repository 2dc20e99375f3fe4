// base/scratch.c: see scratch.h.
#include "base/scratch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int csim_scratch_reserve(csim_scratch *scratch, ptrdiff_t bytes) {
  scratch->used = 0;
  if (bytes <= scratch->size) return 0;
  char *memory = aligned_alloc(64, (size_t)csim_scratch_bytes(bytes, 1));
  if (!memory) return -1;
  free(scratch->memory);
  scratch->memory = memory;
  scratch->size = bytes;
  return 0;
}

void csim_scratch_free(csim_scratch *scratch) {
  free(scratch->memory);
  *scratch = (csim_scratch){0};
}

void *csim_scratch_take(csim_scratch *scratch, ptrdiff_t n, size_t size) {
  char *at = scratch->memory + scratch->used;
  ptrdiff_t bytes = csim_scratch_bytes(n, size);
  scratch->used += bytes;
  assert(scratch->used <= scratch->size);
#ifdef CSIM_POISON // code that relies on stale contents finds this
  memset(at, 0xff, (size_t)bytes);
#endif
  return at;
}
