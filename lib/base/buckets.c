// base/buckets.c: see buckets.h.
#include "base/buckets.h"

// Items of a chunk, and at least of a bucket; buckets of a thread.
enum { CHUNK = 512, EACH = 128, OF_THREAD = 4, LEAST_TABLE = 64 };

void csim_buckets_free(csim_buckets *buckets) {
  free(buckets->item);
  free(buckets->mask);
  free(buckets->count);
  free(buckets->slot);
  *buckets = (csim_buckets){0};
}

typedef struct fill_job {
  csim_buckets *buckets;
  csim_bucket_fn *fn;
  const void *context;
  int nitem;
} fill_job;

static int chunk_end(const fill_job *job, int chunk) {
  int first = chunk * CHUNK;
  return job->nitem - first < CHUNK ? job->nitem : first + CHUNK;
}

static void count_chunk(void *context, int chunk) {
  const fill_job *job = context;
  csim_buckets *b = job->buckets;
  int *count = b->count + csim_row(b->n, chunk);
  memset(count, 0, (size_t)b->n * sizeof *count);
  for (int i = chunk * CHUNK, end = chunk_end(job, chunk); i < end; i++) {
    b->mask[i] = job->fn(job->context, i, b->shift);
    for (uint64_t left = b->mask[i]; left; left &= left - 1) count[__builtin_ctzll(left)]++;
  }
}

// `count` has become the place of the chunk's first item in each bucket.
static void list_chunk(void *context, int chunk) {
  const fill_job *job = context;
  csim_buckets *b = job->buckets;
  int *place = b->count + csim_row(b->n, chunk);
  for (int i = chunk * CHUNK, end = chunk_end(job, chunk); i < end; i++)
    for (uint64_t left = b->mask[i]; left; left &= left - 1)
      b->item[place[__builtin_ctzll(left)]++] = i;
}

// Turns counts into places. Returns the number of entries.
static ptrdiff_t place_chunks(csim_buckets *b, int nchunk) {
  ptrdiff_t total = 0;
  for (int k = 0; k < b->n; k++) {
    b->start[k] = (int)total;
    for (int chunk = 0; chunk < nchunk; chunk++) {
      int *at = b->count + csim_row(b->n, chunk) + k, count = *at;
      *at = (int)total;
      total += count;
    }
    if (total > INT32_MAX) return total;
  }
  b->start[b->n] = (int)total;
  return total;
}

// Chooses the number of buckets. Results do not depend on it.
static void choose_number(const csim_pool *pool, int nitem, csim_buckets *b) {
  int threads = csim_pool_divides(pool), most = nitem / EACH;
  if (most > OF_THREAD * threads) most = OF_THREAD * threads;
  if (most > CSIM_MOST_BUCKETS) most = CSIM_MOST_BUCKETS;
  if (threads == 1 || most < 1) most = 1;
  for (b->shift = 0; (b->nrow - 1) >> b->shift >= most;) b->shift++;
  b->n = b->nrow > 0 ? ((b->nrow - 1) >> b->shift) + 1 : 1;
}

int csim_buckets_fill(csim_pool *pool, csim_buckets *buckets, int nrow, int nitem,
                      csim_bucket_fn *fn, const void *context) {
  csim_buckets *b = buckets;
  int nchunk = nitem / CHUNK + (nitem % CHUNK != 0);
  b->nrow = nrow;
  choose_number(pool, nitem, b);
  b->start[0] = 0, b->start[1] = nitem;
  if (b->n == 1) return 0;
  fill_job job = {b, fn, context, nitem};
  if (CSIM_GROW(b->mask, b->mask_capacity, nitem) ||
      CSIM_GROW(b->count, b->count_capacity, csim_row(b->n, nchunk)))
    goto failed;
  csim_pool_run(pool, nchunk, count_chunk, &job);
  ptrdiff_t total = place_chunks(b, nchunk);
  if (total > INT32_MAX || CSIM_GROW(b->item, b->item_capacity, total)) goto failed;
  csim_pool_run(pool, nchunk, list_chunk, &job);
  return 0;
failed:
  b->n = b->start[0] = 0;
  return -1;
}

// A table is at most half full, and its size a power of two: less than four times its items.
static ptrdiff_t first_slot(const csim_buckets *buckets, int k) {
  return 4 * (ptrdiff_t)buckets->start[k] + (ptrdiff_t)k * LEAST_TABLE;
}

int csim_buckets_reserve_tables(csim_buckets *buckets) {
  return CSIM_GROW(buckets->slot, buckets->slot_capacity, first_slot(buckets, buckets->n));
}

csim_hash_table csim_buckets_table(const csim_buckets *buckets, int k) {
  ptrdiff_t size = LEAST_TABLE, n = buckets->start[k + 1] - buckets->start[k];
  while (size < 2 * n) size *= 2;
  csim_hash_table table = {.slot = buckets->slot + first_slot(buckets, k), .size = size};
  memset(table.slot, 0, (size_t)size * sizeof *table.slot);
  return table;
}
