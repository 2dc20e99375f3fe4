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

int main(void) {
  test_broad_phases();
  return check_report();
}
