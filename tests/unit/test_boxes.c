// test_boxes: trees of boxes and the grid against testing all pairs.
#include "check.h"
#include "kit.h"

#include "contact/bvh.h"
#include "contact/grid.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static unsigned seed = 12345;

typedef struct odd {
  int modulus;
  const csim_box *A, *B;
} odd;

static int wants(const odd *context, int a, int b) {
  return csim_boxes_meet(&context->A[a], &context->B[b]) && (a + b) % context->modulus != 0;
}

static int keep_some(void *context, int n, csim_pair *pair) {
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (wants(context, pair[i].a, pair[i].b)) pair[kept++] = pair[i];
  return kept;
}

static void random_boxes(int n, int style, csim_box *box) {
  for (int i = 0; i < n; i++) {
    double size = style == 1 ? pow(10, kit_uniform(&seed, -4, 0)) : 0.05;
    for (int c = 0; c < 3; c++) {
      double at = style == 2 ? 0.01 * floor(kit_uniform(&seed, 0, 40))
                             : kit_uniform(&seed, -1, 1); // lattice: many ties
      box[i].lo[c] = (float)at;
      box[i].hi[c] = (float)(at + (style == 2 ? 0.01 : size * kit_uniform(&seed, 0, 1)));
      double drift = style == 3 ? kit_uniform(&seed, 0.2, 0.25) : 0;
      box[i].drift_lo[c] = (float)(drift - (style == 3 ? 0.01 : 0));
      box[i].drift_hi[c] = (float)drift;
    }
    if (style == 4) box[i] = box[0];
  }
}

typedef struct pair_list {
  ptrdiff_t n;
  int *pair; // (n x 3): a, b, and a number that is nobody's business
} pair_list;

static void take_pairs(csim_pair_chunks *chunks, csim_pool *pool, int na, pair_list *list) {
  free(list->pair);
  list->n = csim_pair_chunks_count(chunks);
  list->pair = CSIM_NEW(int, 3 * list->n);
  CHECK(list->n >= 0 && csim_pair_chunks_join(chunks, pool, na, 3, list->pair) == 0);
}

static int same_pairs(const pair_list *a, const pair_list *b) {
  return a->n == b->n && !memcmp(a->pair, b->pair, 3 * (size_t)a->n * sizeof(int));
}

static csim_box box_at(const void *boxes, int i) {
  return ((const csim_box *)boxes)[i];
}

static void test_broad_phases(void) {
  enum { N = 700, M = 500 };
  csim_box *A = CSIM_NEW(csim_box, N), *B = CSIM_NEW(csim_box, M);
  csim_pair_chunks chunks = {0}, brute = {0};
  pair_list want = {0}, got = {0}, want_between = {0};
  csim_grid grid = {0};
  csim_arena arena = {0};
  csim_bvh tree, flat, other;
  odd within = {3, A, A}, across = {3, A, B};
  CHECK(csim_bvh_create(&arena, 0, N, 0, box_at, A, &tree) == 0);
  CHECK(csim_bvh_create(&arena, 0, N, 1, box_at, A, &flat) == 0);
  CHECK(csim_bvh_create(&arena, 0, M, 0, box_at, B, &other) == 0);
  for (int style = 0; style < 5; style++) {
    random_boxes(N, style, A);
    random_boxes(M, style, B);
    csim_pair_chunks_begin(&brute, 2);
    for (int i = N - 1; i >= 0; i--)
      for (int j = i + 1; j < N; j++)
        if (wants(&within, i, j)) csim_pair_chunks_push(&brute, j & 1, (csim_pair){i, j});
    take_pairs(&brute, NULL, N, &want);
    csim_pair_chunks_begin(&brute, 1);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        if (wants(&across, i, j)) csim_pair_chunks_push(&brute, 0, (csim_pair){i, j});
    take_pairs(&brute, NULL, N, &want_between);
    for (int threads = 1; threads <= 3; threads++) {
      csim_pool *pool = csim_pool_create(threads);
      CHECK(csim_bvh_update(pool, &tree) == 0); // sorted for the first style, refitted afterwards
      CHECK(csim_bvh_update(pool, &flat) == 0);
      CHECK(csim_bvh_update(pool, &other) == 0);
      csim_bvh_search self = {.A = &tree, .B = &tree, .alike = 1},
                      between = {.A = threads == 2 ? &flat : &tree, .B = &other};
      csim_bvh_pairs(pool, 1, &self, keep_some, &within, &chunks);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want));
      csim_bvh_pairs(pool, 1, &between, keep_some, &across, &chunks);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want_between));
      CHECK(csim_grid_pairs(pool, &grid, N, A, keep_some, &within, &chunks) == 0);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want));
      CHECK(csim_grid_pairs_between(pool, &grid, (csim_boxes){N, A}, (csim_boxes){M, B}, keep_some,
                                    &across, &chunks) == 0);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want_between));
      csim_pool_free(pool);
    }
    CHECK(want.n > 0);
  }
  // trees of few items, which have but one level or two
  for (int n = 1; n <= 17; n += n == 5 ? 11 : 1) {
    csim_bvh few, small;
    CHECK(csim_bvh_create(&arena, 0, n, 1, box_at, A, &few) == 0);
    CHECK(csim_bvh_create(&arena, 0, n, 0, box_at, B, &small) == 0);
    for (int i = 0; i < n; i++) A[i] = B[i] = A[0];
    CHECK(csim_bvh_update(NULL, &few) == 0 && csim_bvh_update(NULL, &small) == 0);
    csim_bvh_search search = {.A = &few, .B = &small};
    int count = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) count += wants(&across, i, j);
    csim_bvh_pairs(NULL, 1, &search, keep_some, &across, &chunks);
    CHECK(csim_pair_chunks_count(&chunks) == count);
  }
  CHECK(csim_grid_pairs(NULL, &grid, 0, A, keep_some, &within, &chunks) == 0);
  CHECK(csim_pair_chunks_count(&chunks) == 0);
  csim_arena_free(&arena);
  csim_grid_free(&grid);
  csim_pair_chunks_free(&chunks);
  csim_pair_chunks_free(&brute);
  free(want.pair);
  free(want_between.pair);
  free(got.pair);
  free(A);
  free(B);
}

static int by_pair(const void *a, const void *b) {
  const csim_pair *p = a, *q = b;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// Pairs of any number, which chunks have found in any order, are joined in the order of qsort.
static void test_join(void) {
  enum { NA = 20000, NB = 100, NCHUNK = 7, MOST = 50000 };
  static const int number[] = {0, 1, 124, 125, 250, NA / 64 - 1, NA / 64, 3000, MOST, 5, 4000};
  csim_pair *want = CSIM_NEW(csim_pair, MOST);
  csim_pair_chunks chunks = {0};
  pair_list got = {0};
  for (int nthread = 0; nthread <= 3; nthread++) {
    csim_pool *pool = nthread ? csim_pool_create(nthread) : NULL;
    for (int k = 0; k < (int)(sizeof number / sizeof *number); k++) {
      int n = number[k], wrong = 0;
      csim_pair_chunks_begin(&chunks, NCHUNK);
      for (int i = 0; i < n; i++) { // the steps are coprime to NA and NB, so no pair comes twice
        int at = (int)(7919LL * i % ((long long)NA * NB));
        want[i] = (csim_pair){(int)(10007LL * at % NA), at / NA};
        csim_pair_chunks_push(&chunks, (int)kit_uniform(&seed, 0, NCHUNK - 0.01), want[i]);
      }
      qsort(want, (size_t)n, sizeof *want, by_pair);
      take_pairs(&chunks, pool, NA, &got);
      CHECK(got.n == n);
      for (int i = 0; i < n && got.n == n; i++)
        wrong += got.pair[3 * i] != want[i].a || got.pair[3 * i + 1] != want[i].b;
      CHECK(wrong == 0);
    }
    csim_pool_free(pool);
  }
  csim_pair_chunks_free(&chunks);
  free(want);
  free(got.pair);
}

// Trees of which some boxes have changed report what trees of these boxes do.
static void test_update_some(void) {
  enum { NTREE = 3, MOST = 9000, M = 300 };
  static const int number[NTREE] = {30, 3000, MOST};
  csim_arena arena = {0};
  csim_box *A = CSIM_NEW(csim_box, NTREE * MOST), *B = CSIM_NEW(csim_box, M);
  unsigned char *flag = CSIM_NEW(unsigned char, NTREE *MOST);
  csim_bvh tree[NTREE], other;
  csim_bvh *const trees[NTREE] = {&tree[0], &tree[1], &tree[2]};
  const unsigned char *const flags[NTREE] = {flag, flag + MOST, flag + 2 * MOST};
  csim_pair_chunks chunks = {0};
  pair_list want = {0}, got = {0};
  random_boxes(M, 0, B);
  CHECK(csim_bvh_create(&arena, 0, M, 0, box_at, B, &other) == 0);
  CHECK(csim_bvh_update(NULL, &other) == 0);
  for (int k = 0; k < NTREE; k++) {
    random_boxes(number[k], 0, A + k * MOST);
    CHECK(csim_bvh_create(&arena, 0, number[k], 0, box_at, A + k * MOST, &tree[k]) == 0);
    CHECK(csim_bvh_update(NULL, &tree[k]) == 0);
  }
  for (int threads = 1; threads <= 4; threads++) {
    csim_pool *pool = csim_pool_create(threads);
    for (int i = 0; i < NTREE * MOST; i++) {
      flag[i] = kit_uniform(&seed, 0, 1) < 0.05;
      for (int c = 0; c < 3 && flag[i]; c++) {
        float to = (float)kit_uniform(&seed, -1, 1);
        A[i].hi[c] += to - A[i].lo[c];
        A[i].lo[c] = to;
      }
    }
    csim_bvh_update_some(pool, NTREE, trees, flags);
    for (int k = 0; k < NTREE; k++) {
      odd across = {3, A + k * MOST, B};
      csim_bvh anew;
      CHECK(csim_bvh_create(&arena, 0, number[k], 0, box_at, A + k * MOST, &anew) == 0);
      CHECK(csim_bvh_update(NULL, &anew) == 0);
      csim_bvh_search old = {.A = &tree[k], .B = &other}, fresh = {.A = &anew, .B = &other};
      csim_bvh_pairs(pool, 1, &old, keep_some, &across, &chunks);
      take_pairs(&chunks, pool, MOST, &got);
      csim_bvh_pairs(pool, 1, &fresh, keep_some, &across, &chunks);
      take_pairs(&chunks, pool, MOST, &want);
      CHECK((k == 0 || want.n > 0) && same_pairs(&got, &want));
    }
    csim_pool_free(pool);
  }
  csim_pair_chunks_free(&chunks);
  csim_arena_free(&arena);
  free(want.pair);
  free(got.pair);
  free(flag);
  free(A);
  free(B);
}

int main(void) {
  test_broad_phases();
  test_join();
  test_update_some();
  return check_report();
}
