// test_sort: rows in order against a slow sort; equal rows keep their order; lists by key.
#include "check.h"

#include "base/sort.h"

#include <string.h>

enum { N = 200 };

typedef struct row {
  int key[4];
  int number; // where it was
} row;

// The row that a selection sort by nkey numbers would put next: the first of the least left.
static int least(const row *rows, const char *taken, int nkey) {
  int best = -1;
  for (int i = 0; i < N; i++) {
    int k = 0;
    if (taken[i]) continue;
    if (best < 0) best = i;
    while (k < nkey && rows[i].key[k] == rows[best].key[k]) k++;
    if (k < nkey && rows[i].key[k] < rows[best].key[k]) best = i;
  }
  return best;
}

static void test_rows(int nkey) {
  row rows[N], sorted[N];
  char taken[N] = {0};
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 4; k++) rows[i].key[k] = (int)(check_random() % 3) - 1;
    rows[i].number = i;
  }
  memcpy(sorted, rows, sizeof rows);
  csim_sort_rows(sorted, N, sizeof *sorted, nkey);
  for (int i = 0; i < N; i++) {
    int next = least(rows, taken, nkey);
    taken[next] = 1;
    CHECK(sorted[i].number == next);
  }
}

static void test_lists(void) {
  enum { KEYS = 7 };
  int key[N], start[KEYS + 1], item[N];
  for (int i = 0; i < N; i++) key[i] = (int)(check_random() % KEYS) - 1; // key 6 has no item
  csim_list_by_key(N, key, KEYS, start, item);
  CHECK(start[0] == 0);
  for (int k = 0; k < KEYS; k++) {
    int at = start[k];
    for (int i = 0; i < N; i++)
      if (key[i] == k) CHECK(at < start[k + 1] && item[at++] == i);
    CHECK(at == start[k + 1]);
  }
  csim_list_by_key(0, NULL, 0, start, NULL);
  CHECK(start[0] == 0);
}

int main(void) {
  for (int nkey = 1; nkey <= 4; nkey++) test_rows(nkey);
  test_lists();
  csim_sort_rows(NULL, 0, sizeof(int), 1);
  int big[3] = {2147483647, -2147483647 - 1, 0}; // a difference of these does not fit an int
  csim_sort_rows(big, 3, sizeof *big, 1);
  CHECK(big[0] == -2147483647 - 1 && big[1] == 0 && big[2] == 2147483647);
  for (int k = 0; k < 27; k++) {
    int v[3] = {k % 3, k / 3 % 3, k / 9}, sum = v[0] + v[1] + v[2];
    int turns = (v[0] > v[1]) + (v[0] > v[2]) + (v[1] > v[2]), side = csim_sort_three(v);
    CHECK(v[0] <= v[1] && v[1] <= v[2] && v[0] + v[1] + v[2] == sum);
    if (v[0] < v[1] && v[1] < v[2]) CHECK(side == (turns % 2 ? -1 : 1));
  }
  CHECK(csim_compare_rows((int[]){1, 2}, (int[]){1, 3}, 1) == 0);
  CHECK(csim_compare_rows((int[]){1, 2}, (int[]){1, 3}, 2) == -1);
  CHECK(csim_compare_rows((int[]){2, 2}, (int[]){1, 3}, 2) == 1);
  return check_report();
}
