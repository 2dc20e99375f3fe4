// base/hash_table.h: finds the numbers of items by what is in them. Needs base/arena.h,
// base/hash.h.
//
// A hash table of numbers, with open addressing, at most half full. The items themselves belong to
// the caller, who compares them. Results do not depend on the hash, as items are only found by it.
#ifndef CSIM_BASE_HASH_TABLE_H
#define CSIM_BASE_HASH_TABLE_H

#include "base/arena.h"
#include "base/hash.h"

#include <stdlib.h>

/// Zero-initialise; csim_hash_table_free in the end.
typedef struct csim_hash_table {
  int *slot;      ///< (size) 1 + number of an item, 0 = free
  ptrdiff_t size; ///< a power of two; 0: there is no place yet
  ptrdiff_t capacity;
} csim_hash_table;

/// Whether an item of the table is the one that `wanted` describes.
typedef int csim_hash_table_is(const void *wanted, int number);

/// Frees the table; it is empty and usable again.
static inline void csim_hash_table_free(csim_hash_table *table) {
  free(table->slot);
  *table = (csim_hash_table){0};
}

/// Empties the table, and makes room for n items.
/// @return 0, or -1 when out of memory: it cannot be used then
static inline int csim_hash_table_begin(csim_hash_table *table, ptrdiff_t n) {
  ptrdiff_t size = 64;
  while (size < 2 * n) size *= 2;
  if (CSIM_GROW(table->slot, table->capacity, size)) return -1;
  memset(table->slot, 0, (size_t)size * sizeof *table->slot);
  table->size = size;
  return 0;
}

/// Finds an item by its hash, of which every bit counts.
/// @return where its number + 1 is, or a 0 where the caller may put it
static inline int *csim_hash_table_find(const csim_hash_table *table, uint64_t hash,
                                        csim_hash_table_is *is, const void *wanted) {
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu; // the finaliser of MurmurHash3
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
  ptrdiff_t mask = table->size - 1, at = (ptrdiff_t)(hash >> 33) & mask;
  while (table->slot[at] && !is(wanted, table->slot[at] - 1)) at = (at + 1) & mask;
  return &table->slot[at];
}

#endif
