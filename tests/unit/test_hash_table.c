// test_hash_table: a table against a plain search, also where all hashes are equal.
#include "check.h"

#include "base/hash_table.h"

typedef struct wanted_value {
  const int *item;
  int value;
} wanted_value;

static int is_value(const void *context, int number) {
  const wanted_value *w = context;
  return w->item[number] == w->value;
}

static int *find(const csim_hash_table *table, const int *item, int value, uint64_t hash) {
  return csim_hash_table_find(table, hash, is_value, &(wanted_value){item, value});
}

enum { N = 1000, EQUAL = 0, HIGH, LOW, KINDS };

static uint64_t hash_of(int kind, int value) {
  if (kind == EQUAL) return 7;
  return kind == HIGH ? (uint64_t)value << 54 : (uint64_t)value;
}

static void finds_what_a_search_finds(int kind) {
  csim_hash_table table = {0};
  int item[N], n = 0, wrong = 0;
  CHECK(csim_hash_table_begin(&table, N) == 0);
  CHECK(table.size >= 2 * N);
  for (int i = 0; i < 3 * N; i++) {
    int value = (int)((unsigned)i * 2654435761u % N), before = 0;
    int *slot = find(&table, item, value, hash_of(kind, value));
    while (before < n && item[before] != value) before++;
    wrong += *slot != (before < n ? before + 1 : 0);
    if (*slot) continue;
    item[n] = value;
    *slot = ++n;
  }
  CHECK(wrong == 0);
  CHECK(n > N / 2);
  CHECK(csim_hash_table_begin(&table, 10) == 0);
  CHECK(*find(&table, item, item[0], hash_of(kind, item[0])) == 0);
  csim_hash_table_free(&table);
  CHECK(table.slot == NULL && table.size == 0);
}

int main(void) {
  for (int kind = 0; kind < KINDS; kind++) finds_what_a_search_finds(kind);
  return check_report();
}
