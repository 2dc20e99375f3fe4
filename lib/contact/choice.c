// contact/choice.c: see choice.h.
#include "contact/choice.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

typedef struct choose_job {
  csim_choice *choice;
  csim_choose_fn *fn;
  void *context;
} choose_job;

static void choose_chunk(void *context, int chunk) {
  const choose_job *job = context;
  uint64_t *word = job->choice->word + (ptrdiff_t)chunk * CSIM_CHOICE_WORDS;
  int n = 0;
  memset(word, 0, CSIM_CHOICE_WORDS * sizeof *word);
  job->fn(job->context, chunk, word);
  for (int k = 0; k < CSIM_CHOICE_WORDS; k++) n += __builtin_popcountll(word[k]);
  job->choice->start[chunk] = n;
}

int csim_choice_make(csim_pool *pool, csim_choice *choice, int nchunk, csim_choose_fn *fn,
                     void *context) {
  csim_choice *s = choice;
  uint64_t *word =
      csim_grow(s->word, &s->word_room, (ptrdiff_t)nchunk * CSIM_CHOICE_WORDS, sizeof *word);
  if (word) s->word = word;
  int *start = csim_grow(s->start, &s->start_room, (ptrdiff_t)nchunk + 1, sizeof *start);
  if (start) s->start = start;
  if (!word || !start) return -1;
  s->nchunk = nchunk;
  csim_pool_run(pool, nchunk, choose_chunk, &(choose_job){s, fn, context});
  int total = 0;
  for (int k = 0; k < nchunk; k++) {
    int n = start[k];
    start[k] = total;
    total += n;
  }
  return start[nchunk] = total;
}

void csim_choice_free(csim_choice *choice) {
  free(choice->word);
  free(choice->start);
  *choice = (csim_choice){0};
}
