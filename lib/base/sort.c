// base/sort.c: see sort.h.
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

void csim_list_by_key(int n, const int *key, int nkey, int *start, int *item) {
  memset(start, 0, ((size_t)nkey + 1) * sizeof *start);
  for (int i = 0; i < n; i++)
    if (key[i] >= 0) start[key[i] + 1]++;
  for (int k = 0; k < nkey; k++) start[k + 1] += start[k];
  // listing moves each start to its end, which is the next one's start: shift back afterwards
  for (int i = 0; i < n; i++)
    if (key[i] >= 0) item[start[key[i]]++] = i;
  memmove(start + 1, start, (size_t)nkey * sizeof *start);
  start[0] = 0;
}
