// contact/compaction.h: selects some of many items in parallel chunks, and keeps their order. Needs
// base/pool.h.
#ifndef CSIM_CONTACT_COMPACTION_H
#define CSIM_CONTACT_COMPACTION_H

#include "base/pool.h"

#include <stddef.h>
#include <stdint.h>

enum { CSIM_COMPACTION_CHUNK = 512, CSIM_COMPACTION_WORDS = CSIM_COMPACTION_CHUNK / 64 };

/// A bit for each item, and the number of items kept before each chunk.
typedef struct csim_compaction {
  ptrdiff_t word_capacity, start_capacity;
  uint64_t *word; ///< (nchunk x CSIM_COMPACTION_WORDS)
  int *start;     ///< (nchunk + 1)
  int nchunk;
} csim_compaction;

/// Sets the bits of the items that a chunk keeps, in word (CSIM_COMPACTION_WORDS), which is zero
/// before.
typedef void csim_compaction_fn(void *context, int chunk, uint64_t *word);

/// Calls fn for all chunks.
/// @return the number of items kept, or -1 when out of memory
int csim_compact(csim_pool *pool, csim_compaction *compaction, int nchunk, csim_compaction_fn *fn,
                 void *context);
void csim_compaction_free(csim_compaction *compaction);

/// Number of chunks of n items.
static inline int csim_compaction_chunks(int n) {
  return n / CSIM_COMPACTION_CHUNK + (n % CSIM_COMPACTION_CHUNK != 0);
}

/// Sets the bit of a chunk's item i.
static inline void csim_compaction_keep(uint64_t *word, int i) {
  word[i / 64] |= (uint64_t)1 << i % 64;
}

/// A walk over a chunk's kept items.
typedef struct csim_kept {
  const uint64_t *word;
  uint64_t left; ///< of the present word
  int at;        ///< its number
} csim_kept;

/// Starts a walk over one chunk, for csim_next_kept.
static inline csim_kept csim_compaction_walk(const csim_compaction *compaction, int chunk) {
  const uint64_t *word = compaction->word + (ptrdiff_t)chunk * CSIM_COMPACTION_WORDS;
  return (csim_kept){word, word[0], 0};
}

/// The next one, counted from the chunk's first item; -1 after the last.
static inline int csim_next_kept(csim_kept *walk) {
  while (!walk->left) {
    if (++walk->at == CSIM_COMPACTION_WORDS) return -1;
    walk->left = walk->word[walk->at];
  }
  int i = 64 * walk->at + __builtin_ctzll(walk->left);
  walk->left &= walk->left - 1;
  return i;
}

#endif
