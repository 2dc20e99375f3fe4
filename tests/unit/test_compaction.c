// test_compaction: items kept in their order, for any number of threads.
#include "check.h"

#include "contact/compaction.h"

enum { N = 5000 };

static int is_kept(int i) {
  return i % 7 == 3 || (i > 2000 && i < 2600) || i == N - 1;
}

static void choose(void *context, int chunk, uint64_t *word) {
  int first = CSIM_COMPACTION_CHUNK * chunk;
  *(int *)context |= first < 0;
  for (int i = 0; i < CSIM_COMPACTION_CHUNK && first + i < N; i++)
    if (is_kept(first + i)) csim_compaction_keep(word, i);
}

static void test_keep(int nthread) {
  csim_pool *pool = csim_pool_create(nthread);
  csim_compaction compaction = {0};
  int bad = 0, expected = 0, at = 0, nchunk = csim_compaction_chunks(N);
  for (int i = 0; i < N; i++) expected += is_kept(i);
  for (int round = 0; round < 2; round++) // the second over memory that was used
    CHECK(csim_compact(pool, &compaction, nchunk, choose, &bad) == expected);
  for (int c = 0; c < nchunk; c++) {
    csim_kept walk = csim_compaction_walk(&compaction, c);
    CHECK(compaction.start[c] == at);
    for (int i, last = -1; (i = csim_next_kept(&walk)) >= 0; last = i, at++) {
      bad += i <= last || !is_kept(CSIM_COMPACTION_CHUNK * c + i);
    }
  }
  CHECK(at == expected && compaction.start[nchunk] == expected && bad == 0);
  csim_compaction_free(&compaction);
  csim_pool_free(pool);
}

int main(void) {
  CHECK(csim_compaction_chunks(0) == 0 && csim_compaction_chunks(1) == 1);
  CHECK(csim_compaction_chunks(512) == 1 && csim_compaction_chunks(513) == 2);
  test_keep(1);
  test_keep(3);
  return check_report();
}
