// base/sort.h: rows of whole numbers in increasing order, lists by key. Needs nothing.
#ifndef CSIM_BASE_SORT_H
#define CSIM_BASE_SORT_H

#include <stddef.h>

/// Compares the first n numbers of two rows, one after another. Returns -1, 0 or 1.
static inline int csim_compare_rows(const int *a, const int *b, int n) {
  for (int k = 0; k < n; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

/// Sorts rows by the ints that they begin with. Rows with equal ints come in any order: let one of
/// the ints be unique where that matters.
/// @param row   (n) structs or arrays of `size` bytes; NULL allowed when n = 0
/// @param nkey  number of ints, 1 to 4
void csim_sort_rows(void *row, ptrdiff_t n, size_t size, int nkey);

/// Lists items by their keys, by counting: those of key k are item[start[k]] ... before
/// item[start[k + 1]], ascending.
/// @param      key    (n) below nkey; items with a key < 0 are in no list
/// @param[out] start  (nkey + 1) overwritten
/// @param[out] item   (start[nkey]) overwritten; n is enough
void csim_list_by_key(int n, const int *key, int nkey, int *start, int *item);

/// Puts three numbers in order.
/// @return 1, or -1 when that reverses the way round
static inline int csim_sort_three(int v[3]) {
  int side = 1;
  for (int pass = 0; pass < 3; pass++) { // 0-1, 1-2, 0-1
    int *w = v + pass % 2, low = w[0];
    if (w[0] <= w[1]) continue;
    w[0] = w[1];
    w[1] = low;
    side = -side;
  }
  return side;
}

#endif
