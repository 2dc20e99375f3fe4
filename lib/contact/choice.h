// contact/choice.h: some of many items, found by chunks in parallel, in their order. Needs
// base/pool.h.
#ifndef CSIM_CONTACT_CHOICE_H
#define CSIM_CONTACT_CHOICE_H

#include "base/pool.h"

#include <stddef.h>
#include <stdint.h>

enum { CSIM_CHOICE_CHUNK = 512, CSIM_CHOICE_WORDS = CSIM_CHOICE_CHUNK / 64 };

/// A bit for each item, and where each chunk's chosen begin among all that are chosen.
typedef struct csim_choice {
  ptrdiff_t word_room, start_room;
  uint64_t *word; ///< (nchunk x CSIM_CHOICE_WORDS)
  int *start;     ///< (nchunk + 1)
  int nchunk;
} csim_choice;

/// Sets the bits of a chunk's chosen items in word, which comes cleared (CSIM_CHOICE_WORDS).
typedef void csim_choose_fn(void *context, int chunk, uint64_t *word);

/// Asks fn about all chunks.
/// @return the number of items chosen, or -1 when out of memory
int csim_choice_make(csim_pool *pool, csim_choice *choice, int nchunk, csim_choose_fn *fn,
                     void *context);
void csim_choice_free(csim_choice *choice);

/// Number of chunks of n items.
static inline int csim_chunks(int n) {
  return n / CSIM_CHOICE_CHUNK + (n % CSIM_CHOICE_CHUNK != 0);
}

static inline void csim_choose(uint64_t *word, int i) {
  word[i / 64] |= (uint64_t)1 << i % 64;
}

/// A walk over a chunk's chosen items.
typedef struct csim_chosen {
  const uint64_t *word;
  uint64_t left; ///< of the present word
  int at;        ///< its number
} csim_chosen;

static inline csim_chosen csim_choice_walk(const csim_choice *choice, int chunk) {
  const uint64_t *word = choice->word + (ptrdiff_t)chunk * CSIM_CHOICE_WORDS;
  return (csim_chosen){word, word[0], 0};
}

/// The next one, counted from the chunk's first item; -1 after the last.
static inline int csim_next_chosen(csim_chosen *walk) {
  while (!walk->left) {
    if (++walk->at == CSIM_CHOICE_WORDS) return -1;
    walk->left = walk->word[walk->at];
  }
  int i = 64 * walk->at + __builtin_ctzll(walk->left);
  walk->left &= walk->left - 1;
  return i;
}

#endif
