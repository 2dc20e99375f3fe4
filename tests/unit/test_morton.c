// test_morton: codes bit by bit, and sorting that keeps the order of equal codes.
#include "check.h"

#include "base/morton.h"

#include <stdlib.h>

static uint64_t interleave(const uint32_t cell[3]) {
  uint64_t code = 0;
  for (int bit = 0; bit < CSIM_MORTON_BITS; bit++)
    for (int c = 0; c < 3; c++) code |= (uint64_t)(cell[c] >> bit & 1) << (3 * bit + c);
  return code;
}

static void test_codes(void) {
  static const uint32_t first[3] = {0, 0, 0},
                        last[3] = {CSIM_MORTON_LAST, CSIM_MORTON_LAST, CSIM_MORTON_LAST};
  CHECK(csim_morton(first) == 0);
  CHECK(csim_morton(last) == (1ull << 63) - 1);
  int wrong = 0;
  for (int k = 0; k < 1000; k++) {
    uint32_t cell[3];
    for (int c = 0; c < 3; c++) cell[c] = check_random() & CSIM_MORTON_LAST;
    wrong += csim_morton(cell) != interleave(cell);
  }
  CHECK(wrong == 0);
}

// Codes of all sizes, many of them equal.
static void test_sort(int n, uint64_t mask) {
  csim_morton_entry *list = calloc((size_t)n + 1, sizeof *list);
  csim_morton_entry *scratch = calloc((size_t)n + 1, sizeof *scratch);
  unsigned char *seen = calloc((size_t)n + 1, 1);
  if (!list || !scratch || !seen) exit(1);
  for (int i = 0; i < n; i++)
    list[i] = (csim_morton_entry){((uint64_t)check_random() << 32 | check_random()) & mask, i};
  csim_morton_sort(n, list, scratch);
  int out_of_order = 0, twice = 0;
  for (int i = 0; i < n; i++) {
    twice += seen[list[i].item]++;
    if (i == 0) continue;
    out_of_order += list[i - 1].code > list[i].code ||
                    (list[i - 1].code == list[i].code && list[i - 1].item > list[i].item);
  }
  CHECK(out_of_order == 0);
  CHECK(twice == 0);
  free(list);
  free(scratch);
  free(seen);
}

int main(void) {
  test_codes();
  test_sort(0, 1);
  test_sort(1, 1);
  test_sort(1000, (1ull << 63) - 1);
  test_sort(1000, 0x7);
  test_sort(1000, 0x7ull << 40);
  test_sort(1000, 0);
  return check_report();
}
