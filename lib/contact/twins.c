// contact/twins.c: see twins.h.
#include "contact/twins.h"

#include "base/arena.h"
#include "contact/active.h"

#include <stdint.h>
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

static uint64_t hash_of(const int *key, int n) {
  uint64_t hash = (uint64_t)n;
  for (int k = 0; k < n; k++) hash = (hash ^ (uint64_t)key[k]) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

void csim_twins_free(csim_twins *twins) {
  free(twins->slot);
}

// Returns the number of the earlier contact with this key; if there is none, adds `number` and
// returns it.
static int look_up(csim_twins *twins, ptrdiff_t mask, const csim_active_contact *contact,
                   const int *key, int n, int number) {
  for (ptrdiff_t at = (ptrdiff_t)(hash_of(key, n) & (uint64_t)mask);; at = (at + 1) & mask) {
    int other = twins->slot[at] - 1, its[MOST];
    if (other < 0) {
      twins->slot[at] = 1 + number;
      return number;
    }
    if (key_of(&contact[other], its) == n && !memcmp(its, key, (size_t)n * sizeof *key))
      return other;
  }
}

int csim_twins_merge(csim_twins *twins, csim_active_contact *contact, int n) {
  int key[MOST], left = 0;
  ptrdiff_t capacity = 64;
  twins->counted = 0;
  while (capacity < 2 * (ptrdiff_t)n) capacity *= 2;
  if (CSIM_GROW(twins->slot, twins->capacity, capacity)) return -1;
  memset(twins->slot, 0, (size_t)capacity * sizeof *twins->slot);
  for (int i = 0; i < n; i++) {
    if (contact[i].force == 0) continue;
    twins->counted++;
    int nkey = key_of(&contact[i], key);
    int first = nkey ? look_up(twins, capacity - 1, contact, key, nkey, left) : left;
    if (first == left) {
      if (left < i) contact[left] = contact[i];
      left++;
    } else {
      contact[first].force += contact[i].force;
      contact[first].stiff += contact[i].stiff;
    }
  }
  return left;
}
