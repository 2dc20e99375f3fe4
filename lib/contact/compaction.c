// contact/compaction.c: see compaction.h.
#include "contact/compaction.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

typedef struct compact_job {
  csim_compaction *compaction;
  csim_compaction_fn *fn;
  void *context;
} compact_job;

static void compact_chunk(void *context, int chunk) {
  const compact_job *job = context;
  uint64_t *word = job->compaction->word + (ptrdiff_t)chunk * CSIM_COMPACTION_WORDS;
  int n = 0;
  memset(word, 0, CSIM_COMPACTION_WORDS * sizeof *word);
  job->fn(job->context, chunk, word);
  for (int k = 0; k < CSIM_COMPACTION_WORDS; k++) n += __builtin_popcountll(word[k]);
  job->compaction->start[chunk] = n;
}

int csim_compact(csim_pool *pool, csim_compaction *compaction, int nchunk, csim_compaction_fn *fn,
                 void *context) {
  csim_compaction *s = compaction;
  uint64_t *word = csim_grow(s->word, &s->word_capacity, (ptrdiff_t)nchunk * CSIM_COMPACTION_WORDS,
                             sizeof *word);
  if (word) s->word = word;
  int *start = csim_grow(s->start, &s->start_capacity, (ptrdiff_t)nchunk + 1, sizeof *start);
  if (start) s->start = start;
  if (!word || !start) return -1;
  s->nchunk = nchunk;
  csim_pool_run(pool, nchunk, compact_chunk, &(compact_job){s, fn, context});
  int total = 0;
  for (int k = 0; k < nchunk; k++) {
    int n = start[k];
    start[k] = total;
    total += n;
  }
  return start[nchunk] = total;
}

void csim_compaction_free(csim_compaction *compaction) {
  free(compaction->word);
  free(compaction->start);
  *compaction = (csim_compaction){0};
}
