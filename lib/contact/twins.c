// contact/twins.c: see twins.h.
#include "contact/twins.h"

#include "contact/active.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 512, DROP_CHUNK = 2048 };

// The vertices with weight, by rising number, each twice its number, and one more if it is not on
// the side of the lowest. A plane, and four vertices, which only one pair has, make no key.
static csim_twin_key key_of(const csim_active_contact *c) {
  csim_twin_key key = {0};
  int n = 0, v[4], side[4];
  if (c->v[3] < 0) return key;
  for (int k = 0; k < 4; k++) {
    if (c->w[k] == 0) continue;
    int at = n++;
    for (; at > 0 && v[at - 1] > c->v[k]; at--) {
      v[at] = v[at - 1];
      side[at] = side[at - 1];
    }
    v[at] = c->v[k];
    side[at] = c->w[k] > 0;
  }
  if (n > CSIM_TWIN_KEY) return key;
  for (int k = 0; k < n; k++) key.vert[k] = 2 * v[k] + (side[k] != side[0]);
  key.n = n;
  return key;
}

void csim_twins_free(csim_twins *twins) {
  csim_buckets_free(&twins->buckets);
  free(twins->gross);
  free(twins->key);
  free(twins->left);
}

typedef struct merge_job {
  csim_twins *twins;
  csim_active_contact *contact;
  int n;
} merge_job;

static void find_keys(void *context, int first, int last) {
  const merge_job *job = context;
  for (int i = first; i < last; i++) {
    job->twins->key[i] = key_of(&job->contact[i]);
    job->twins->gross[i] = fabs(job->contact[i].force);
  }
}

static uint64_t hash_of(const csim_twin_key *key) {
  return csim_hash_bytes(CSIM_HASH_START, key, sizeof *key);
}

static int may_have_twins(const merge_job *job, int i) {
  return job->twins->key[i].n && job->contact[i].force != 0;
}

// The bucket of a contact is that of its lowest vertex.
static uint64_t bucket_of(const void *context, int i, int shift) {
  const merge_job *job = context;
  return may_have_twins(job, i) ? csim_bucket_of(job->twins->key[i].vert[0] / 2, shift) : 0;
}

typedef struct twin {
  const csim_twin_key *key; // of contacts
  csim_twin_key wanted;
} twin;

static int is_twin(const void *wanted, int number) {
  const twin *t = wanted;
  return !memcmp(&t->key[number], &t->wanted, sizeof t->wanted);
}

// Adds each contact of a bucket to its first twin, and leaves it without force.
static void merge_bucket(void *context, int bucket) {
  const merge_job *job = context;
  const csim_twins *twins = job->twins;
  csim_hash_table table = csim_buckets_table(&twins->buckets, bucket);
  for (int k = twins->buckets.start[bucket]; k < twins->buckets.start[bucket + 1]; k++) {
    int i = csim_bucket_item(&twins->buckets, k);
    if (!may_have_twins(job, i)) continue;
    twin t = {twins->key, twins->key[i]};
    int *slot = csim_hash_table_find(&table, hash_of(&t.wanted), is_twin, &t), first = *slot - 1;
    if (!*slot) {
      *slot = 1 + i;
      continue;
    }
    job->contact[first].force += job->contact[i].force;
    job->contact[first].stiff += job->contact[i].stiff;
    twins->gross[first] += twins->gross[i];
    job->contact[i].force = twins->gross[i] = 0;
  }
}

// Moves the contacts of a chunk whose forces do not cancel to its beginning.
static void drop_chunk(void *context, int chunk) {
  static const double ROUNDING = 1e-9;
  const merge_job *job = context;
  int first = chunk * DROP_CHUNK, left = first;
  int last = job->n - first < DROP_CHUNK ? job->n : first + DROP_CHUNK;
  for (int i = first; i < last; i++) {
    if (!(fabs(job->contact[i].force) > ROUNDING * job->twins->gross[i])) continue;
    if (left < i) job->contact[left] = job->contact[i];
    if (job->contact[left].stiff < 0) job->contact[left].stiff = 0;
    left++;
  }
  job->twins->left[chunk] = left - first;
}

int csim_twins_merge(csim_pool *pool, csim_twins *twins, int nvert, csim_active_contact *contact,
                     int n) {
  merge_job job = {twins, contact, n};
  int nchunk = n / DROP_CHUNK + (n % DROP_CHUNK != 0), left = 0;
  if (CSIM_GROW(twins->gross, twins->gross_capacity, n) ||
      CSIM_GROW(twins->key, twins->key_capacity, n) ||
      CSIM_GROW(twins->left, twins->left_capacity, nchunk))
    return -1;
  csim_pool_for(pool, n, GRAIN, find_keys, &job);
  if (csim_buckets_fill(pool, &twins->buckets, nvert, n, bucket_of, &job) ||
      csim_buckets_reserve_tables(&twins->buckets))
    return -1;
  csim_pool_run(pool, twins->buckets.n, merge_bucket, &job);
  csim_pool_run(pool, nchunk, drop_chunk, &job);
  for (int k = 0; k < nchunk; k++) {
    const csim_active_contact *from = contact + (ptrdiff_t)k * DROP_CHUNK;
    if (from > contact + left) memmove(contact + left, from, (size_t)twins->left[k] * sizeof *from);
    left += twins->left[k];
  }
  return left;
}
