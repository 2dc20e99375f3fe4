// contact/twins.c: see twins.h.
#include "contact/twins.h"

#include "contact/active.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3 }; // vertices of a contact that may have twins: only one pair has four with weight

// Key of a contact: its vertices with weight, by rising number, each twice its number, and one more
// if it is not on the side of the lowest. Returns how many there are; 0: no twins.
static int key_of(const csim_active_contact *c, int key[MOST]) {
  int n = 0, v[4], side[4];
  if (c->v[3] < 0) return 0; // a plane's
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
  if (n > MOST) return 0;
  for (int k = 0; k < n; k++) key[k] = 2 * v[k] + (side[k] != side[0]);
  return n;
}

void csim_twins_free(csim_twins *twins) {
  csim_table_free(&twins->table);
  free(twins->gross);
}

typedef struct twin {
  const csim_active_contact *contact;
  int n, key[MOST];
} twin;

static int is_twin(const void *wanted, int number) {
  const twin *t = wanted;
  int key[MOST];
  return key_of(&t->contact[number], key) == t->n &&
         !memcmp(key, t->key, (size_t)t->n * sizeof *key);
}

// Returns the number of the earlier contact that number i is a twin of; if there is none, adds
// `number`, where i will be, and returns that.
static int look_up(const csim_twins *twins, const csim_active_contact *contact, int i, int number) {
  twin t = {.contact = contact};
  t.n = key_of(&contact[i], t.key);
  if (!t.n) return number;
  uint64_t hash = csim_hash_bytes(CSIM_HASH_START, t.key, (size_t)t.n * sizeof *t.key);
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

int csim_twins_merge(csim_twins *twins, csim_active_contact *contact, int n) {
  int left = 0;
  if (csim_table_begin(&twins->table, n) || CSIM_GROW(twins->gross, twins->gross_capacity, n))
    return -1;
  for (int i = 0; i < n; i++) {
    if (contact[i].force == 0) continue;
    int first = look_up(twins, contact, i, left);
    double size = fabs(contact[i].force);
    if (first == left) {
      if (left < i) contact[left] = contact[i];
      twins->gross[left++] = size;
    } else {
      contact[first].force += contact[i].force;
      contact[first].stiff += contact[i].stiff;
      twins->gross[first] += size;
    }
  }
  return drop_cancelled(twins->gross, contact, left);
}
