// contact/twins.c: see twins.h.
#include "contact/twins.h"

#include "contact/active.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 512 };

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
  csim_table_free(&twins->table);
  free(twins->gross);
  free(twins->key);
}

typedef struct key_job {
  const csim_active_contact *contact;
  csim_twin_key *key;
} key_job;

static void find_keys(void *context, int first, int last) {
  const key_job *job = context;
  for (int i = first; i < last; i++) job->key[i] = key_of(&job->contact[i]);
}

typedef struct twin {
  const csim_twin_key *key; // of contacts
  csim_twin_key wanted;
} twin;

static int is_twin(const void *wanted, int number) {
  const twin *t = wanted;
  return !memcmp(&t->key[number], &t->wanted, sizeof t->wanted);
}

// Returns the number of the earlier contact that number i is a twin of; if there is none, adds
// `number`, where i will be, and returns that.
static int look_up(const csim_twins *twins, int i, int number) {
  twin t = {twins->key, twins->key[i]};
  if (!t.wanted.n) return number;
  uint64_t hash = csim_hash_bytes(CSIM_HASH_START, &t.wanted, sizeof t.wanted);
  int *slot = csim_table_find(&twins->table, hash, is_twin, &t);
  if (!*slot) *slot = 1 + number;
  return *slot - 1;
}

// Drops the contacts whose forces cancel. Returns how many are left.
static int drop_cancelled(const double *gross, csim_active_contact *contact, int n) {
  static const double ROUNDING = 1e-9;
  int left = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(contact[i].force) > ROUNDING * gross[i])) continue;
    if (left < i) contact[left] = contact[i];
    if (contact[left].stiff < 0) contact[left].stiff = 0;
    left++;
  }
  return left;
}

int csim_twins_merge(csim_pool *pool, csim_twins *twins, csim_active_contact *contact, int n) {
  int left = 0;
  if (csim_table_begin(&twins->table, n) || CSIM_GROW(twins->gross, twins->gross_capacity, n) ||
      CSIM_GROW(twins->key, twins->key_capacity, n))
    return -1;
  csim_pool_for(pool, n, GRAIN, find_keys, &(key_job){contact, twins->key});
  for (int i = 0; i < n; i++) {
    if (contact[i].force == 0) continue;
    int first = look_up(twins, i, left);
    double size = fabs(contact[i].force);
    if (first == left) {
      if (left < i) {
        contact[left] = contact[i];
        twins->key[left] = twins->key[i];
      }
      twins->gross[left++] = size;
    } else {
      contact[first].force += contact[i].force;
      contact[first].stiff += contact[i].stiff;
      twins->gross[first] += size;
    }
  }
  return drop_cancelled(twins->gross, contact, left);
}
