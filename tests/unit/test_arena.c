// test_arena: memory that is freed together, and arrays that grow.
#include "check.h"

#include "base/arena.h"

#include <stdlib.h>

// An array grows in place, and stays as it is when it cannot.
static void test_grow_pointer(void) {
  int *list = NULL;
  ptrdiff_t capacity = 0;
  for (int i = 0; i < 100; i++) {
    CHECK(CSIM_GROW(list, capacity, i + 1) == 0);
    list[i] = i;
  }
  CHECK(capacity >= 100 && list[0] == 0 && list[99] == 99);
  int *before = list;
  ptrdiff_t held = capacity;
  CHECK(CSIM_GROW(list, capacity, PTRDIFF_MAX) == -1);
  CHECK(list == before && capacity == held);
  free(list);
}

static void test_arena(void) {
  csim_arena arena = {0};
  int *small = CSIM_ARENA_NEW(&arena, int, 10);
  char *large = CSIM_ARENA_NEW(&arena, char, 1 << 20),
       *other = CSIM_ARENA_NEW(&arena, char, 1 << 20);
  size_t used = arena.used;
  small[9] = 7;
  other[0] = 5;
  csim_arena_drop(&arena, large);
  CHECK(arena.used == used - (1 << 20));
  csim_arena_drop(&arena, small); // shares its memory with others: stays
  csim_arena_drop(&arena, NULL);
  CHECK(arena.used == used - (1 << 20) && small[9] == 7 && other[0] == 5);
  CHECK(CSIM_ARENA_NEW(&arena, int, 100) != NULL && !arena.failed);
  csim_arena_free(&arena);
  CHECK(csim_arena_alloc(&arena, PTRDIFF_MAX, 2) == NULL && arena.failed);
  csim_arena_free(&arena);
}

static void test_grow(void) {
  ptrdiff_t capacity = 0;
  double *list = NULL;
  for (ptrdiff_t n = 1; n <= 1 << 20; n += n / 3 + 1) {
    double *moved = csim_grow(list, &capacity, n, sizeof *list);
    CHECK(moved && capacity >= n && capacity <= (n * 8 < 1 << 20 ? 2 * n + 16 : n + n / 4 + 1));
    list = moved;
    list[n - 1] = (double)n;
    CHECK(list[0] == 1);
  }
  CHECK(csim_grow(list, &capacity, PTRDIFF_MAX / 4, sizeof *list) ==
        NULL); // the old one is still there
  free(list);
}

int main(void) {
  test_arena();
  test_grow();
  test_grow_pointer();
  return check_report();
}
