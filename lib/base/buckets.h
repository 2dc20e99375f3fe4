// base/buckets.h: divides work on items among buckets. Needs base/hash_table.h, base/pool.h.
//
// What adds items up in rows, or finds equal ones, cannot be divided by items: two threads would
// write to the same row. It is divided into buckets of rows that follow each other, which list the
// items that concern them in rising order. Each row therefore adds up the same numbers in the same
// order as a loop over all items does: the same bits for any number of threads. Items that follow
// each other mostly concern rows that do, so buckets find what they need in the cache.
#ifndef CSIM_BASE_BUCKETS_H
#define CSIM_BASE_BUCKETS_H

#include "base/hash_table.h"
#include "base/pool.h"

enum { CSIM_MOST_BUCKETS = 64 };

/// Zero-initialise; csim_buckets_free in the end.
typedef struct csim_buckets {
  int n;                            ///< buckets: a few for each thread, as far as items suffice
  int nrow;                         ///< rows of all
  int shift;                        ///< row r is in bucket r >> shift
  int start[CSIM_MOST_BUCKETS + 1]; ///< (n + 1) place of each bucket's first item
  int *item;                        ///< (start[n]) of each bucket; not used if there is one
  uint64_t *mask;                   ///< (items) buckets of each, as bits
  int *count;                       ///< (chunks x n) scratch
  int *slot;                        ///< of all tables
  ptrdiff_t item_capacity, mask_capacity, count_capacity, slot_capacity;
} csim_buckets;

/// The buckets that item i concerns, as bits: csim_bucket_of each of its rows. Called in parallel.
typedef uint64_t csim_bucket_fn(const void *context, int i, int shift);

/// Frees the capacity; zero is allowed.
void csim_buckets_free(csim_buckets *buckets);

/// Lists the items of each bucket. Their work then is csim_pool_run of buckets->n chunks. One
/// bucket has all items, also those that concern none.
/// @return 0, or -1 when out of memory: there is no bucket then
int csim_buckets_fill(csim_pool *pool, csim_buckets *buckets, int nrow, int nitem,
                      csim_bucket_fn *fn, const void *context);

/// Makes room for a table of each bucket.
/// @return 0, or -1 when out of memory
int csim_buckets_reserve_tables(csim_buckets *buckets);

/// An empty table for the items of bucket k. The buckets own it.
csim_hash_table csim_buckets_table(const csim_buckets *buckets, int k);

/// The item at a place of the lists.
static inline int csim_bucket_item(const csim_buckets *buckets, int place) {
  return buckets->n > 1 ? buckets->item[place] : place;
}

/// Bit of a row's bucket.
static inline uint64_t csim_bucket_of(int row, int shift) {
  return (uint64_t)1 << (row >> shift);
}

/// First row of bucket k; nrow after the last.
static inline int csim_bucket_row(const csim_buckets *buckets, int k) {
  int64_t row = (int64_t)k << buckets->shift;
  return row < buckets->nrow ? (int)row : buckets->nrow;
}

#endif
