// base/sort.c: see sort.h.
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

static int by_one(const void *a, const void *b) {
  return csim_compare_rows(a, b, 1);
}
static int by_two(const void *a, const void *b) {
  return csim_compare_rows(a, b, 2);
}
static int by_three(const void *a, const void *b) {
  return csim_compare_rows(a, b, 3);
}
static int by_four(const void *a, const void *b) {
  return csim_compare_rows(a, b, 4);
}

void csim_sort_rows(void *row, ptrdiff_t n, size_t size, int nkey) {
  static int (*const compare[])(const void *, const void *) = {by_one, by_two, by_three, by_four};
  assert(n >= 0 && nkey >= 1 && nkey <= 4);
  if (n) qsort(row, (size_t)n, size, compare[nkey - 1]);
}
