// test_buckets: every bucket lists the items that concern its rows, in order, and work on buckets
// gives what a loop over all items does.
#include "check.h"

#include "base/buckets.h"

enum { MOST_ITEMS = 20000, CORNERS = 4 };

typedef struct fixture {
  csim_buckets buckets;
  int nrow, nitem;
  int n[MOST_ITEMS], row[MOST_ITEMS][CORNERS];
  double *sum;   // (nrow)
  int *distinct; // (buckets) distinct numbers n
} fixture;

static unsigned next_random(unsigned *seed) {
  return (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

// Items of up to four rows near each other, as contacts have, and some of none.
static void make_items(fixture *f, int nrow, int nitem) {
  unsigned seed = 5;
  f->nrow = nrow;
  f->nitem = nitem;
  for (int i = 0; i < nitem; i++) {
    int at = (int)((long long)i * nrow / nitem);
    f->n[i] = (int)(next_random(&seed) % (CORNERS + 1));
    for (int k = 0; k < f->n[i]; k++) f->row[i][k] = (at + (int)(next_random(&seed) % 50)) % nrow;
  }
}

static uint64_t bucket_of(const void *context, int i, int shift) {
  const fixture *f = context;
  uint64_t mask = 0;
  for (int k = 0; k < f->n[i]; k++) mask |= csim_bucket_of(f->row[i][k], shift);
  return mask;
}

// Sums that depend on the order: an item adds its number to its rows, and each sum shrinks.
static void add_item(fixture *f, int i, int first, int last, double *sum) {
  for (int k = 0; k < f->n[i]; k++) {
    int row = f->row[i][k];
    if (row >= first && row < last) sum[row] = 0.7 * sum[row] + i;
  }
}

static int is_number(const void *wanted, int number) {
  return *(const int *)wanted == number;
}

static void add_bucket(void *context, int bucket) {
  fixture *f = context;
  const csim_buckets *b = &f->buckets;
  csim_hash_table table = csim_buckets_table(b, bucket);
  f->distinct[bucket] = 0;
  for (int k = b->start[bucket]; k < b->start[bucket + 1]; k++) {
    int i = csim_bucket_item(b, k), number = f->n[i];
    add_item(f, i, csim_bucket_row(b, bucket), csim_bucket_row(b, bucket + 1), f->sum);
    int *slot = csim_hash_table_find(&table, (uint64_t)number, is_number, &number);
    f->distinct[bucket] += !*slot;
    *slot = 1 + number;
  }
}

static void compare_with_loop(csim_pool *pool, int nrow, int nitem) {
  static fixture f;
  csim_buckets *b = &f.buckets;
  int distinct[CSIM_MOST_BUCKETS], wrong = 0;
  double *sum = calloc((size_t)nrow + 1, sizeof *sum), *expected = calloc((size_t)nrow + 1, 8);
  f.sum = sum;
  f.distinct = distinct;
  make_items(&f, nrow, nitem);
  CHECK(csim_buckets_fill(pool, b, nrow, nitem, bucket_of, &f) == 0);
  CHECK(csim_buckets_reserve_tables(b) == 0);
  CHECK(b->n >= 1 && b->n <= CSIM_MOST_BUCKETS);
  csim_pool_run(pool, b->n, add_bucket, &f);
  for (int i = 0; i < nitem; i++) add_item(&f, i, 0, nrow, expected);
  for (int row = 0; row < nrow; row++) wrong += sum[row] != expected[row];
  CHECK(wrong == 0);
  for (int k = 0; k < b->n; k++) {
    int least = b->n > 1 ? 1 : 0, count = 0; // one bucket has items without rows, too
    for (int number = least, found = 0; number <= CORNERS; number++, found = 0) {
      for (int at = b->start[k]; at < b->start[k + 1]; at++)
        found |= f.n[csim_bucket_item(b, at)] == number;
      count += found;
    }
    CHECK(distinct[k] == count);
  }
  CHECK(csim_bucket_row(b, 0) == 0 && csim_bucket_row(b, b->n) == nrow);
  if (csim_pool_used(pool) > 1 && nitem == MOST_ITEMS && nrow > 4) CHECK(b->n > 4);
  free(sum);
  free(expected);
}

int main(void) {
  static const int THREADS[] = {1, 2, 8}, NROW[] = {1, 3, 64, 65, 1000, 30000};
  static const int NITEM[] = {1, 100, 2049, MOST_ITEMS};
  static fixture empty;
  for (int t = 0; t < 3; t++) {
    csim_pool *pool = t ? csim_pool_create(THREADS[t]) : NULL;
    for (int r = 0; r < 6; r++)
      for (int i = 0; i < 4; i++) compare_with_loop(pool, NROW[r], NITEM[i]);
    CHECK(csim_buckets_fill(pool, &empty.buckets, 0, 0, bucket_of, &empty) == 0);
    CHECK(empty.buckets.n == 1 && empty.buckets.start[1] == 0);
    if (pool) csim_pool_free(pool);
  }
  csim_buckets_free(&empty.buckets);
  return check_report();
}
