// tests/unit/test_base.c: the thread pool, logs that are told later, and memory.
#include "check.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/phases.h"
#include "base/pool.h"
#include "base/scratch.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sum_range(void *context, int first, int last) {
  double s = 0;
  for (int i = first; i < last; i++) s += 1.0 / (1 + i) * *(double *)context;
  return s;
}

static void test_pool(void) {
  double one = 1, reference = csim_pool_sum(NULL, 1000003, sum_range, &one);
  int threads[] = {1, 2, 3, 8};
  for (int t = 0; t < 4; t++) {
    csim_pool *pool = csim_pool_create(threads[t]);
    for (int i = 0; i < 50; i++) CHECK(csim_pool_sum(pool, 1000003, sum_range, &one) == reference);
    csim_pool_free(pool);
  }
}

typedef struct errand {
  atomic_int go, done;
  int wait; // for `go`, 20 s at most
} errand;

static void run_errand(void *context) {
  errand *e = context;
  double began = csim_seconds();
  while (e->wait && !atomic_load(&e->go) && csim_seconds() - began < 20) sched_yield();
  atomic_fetch_add(&e->done, 1 + (e->wait && !atomic_load(&e->go) ? 1000 : 0));
}

// A task goes on beside jobs, with any number of threads, and is done when it is said to be.
static void test_tasks(void) {
  double one = 1, reference = csim_pool_sum(NULL, 100003, sum_range, &one);
  errand alone = {.wait = 0};
  csim_pool_begin_task(NULL, run_errand, &alone);
  csim_pool_end_task(NULL);
  CHECK(alone.done == 1);
  for (int nthread = 1; nthread <= 8; nthread++) {
    csim_pool *pool = csim_pool_create(nthread);
    csim_pool_end_task(pool); // there is none
    errand e = {.wait = csim_pool_threads(pool) > 1};
    for (int i = 0; i < 200; i++) {
      atomic_store(&e.go, 0);
      csim_pool_begin_task(pool, run_errand, &e);
      CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      // some end at once, perhaps before anybody has taken them
      if (i % 2) CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      atomic_store(&e.go, 1);
      csim_pool_end_task(pool);
      CHECK(e.done == i + 1);
    }
    csim_pool_free(pool);
  }
}

typedef struct heard {
  int n;
  char text[8][64];
} heard;

static void hear(void *user, const csim_message *m) {
  heard *h = user;
  if (h->n < 8)
    snprintf(h->text[h->n], sizeof h->text[0], "%d %s:%d:%d %s %s", (int)m->level, m->file, m->line,
             m->column, m->pointer ? m->pointer : "-", m->text);
  h->n++;
}

// Kept messages come in their order, once, with everything that belongs to them.
static void test_kept_log(void) {
  heard h = {0};
  csim_log log = {.write = hear, .user = &h};
  csim_kept_log kept;
  csim_kept_log_begin(&kept);
  for (int i = 0; i < 2; i++) { // what they point to need not last
    char file[8], pointer[8];
    snprintf(file, sizeof file, "f%d", i);
    snprintf(pointer, sizeof pointer, "/p%d", i);
    csim_say(&kept.log, i ? CSIM_WARNING : CSIM_ERROR, (csim_place){file, 3, 4 + i, pointer},
             "100 %% of %d", i);
  }
  CHECK(h.n == 0 && log.nerror == 0);
  csim_kept_log_flush(&kept, &log);
  csim_kept_log_flush(&kept, &log);
  CHECK(h.n == 2 && log.nerror == 1 && log.nwarning == 1);
  CHECK_TEXT(h.text[0], "3 f0:3:4 /p0 100 % of 0");
  CHECK_TEXT(h.text[1], "2 f1:3:5 /p1 100 % of 1");
  csim_say(&kept.log, CSIM_INFO, (csim_place){.file = "f"}, "again");
  csim_kept_log_flush(&kept, &log);
  CHECK(h.n == 3);
  CHECK_TEXT(h.text[2], "1 f:0:0 - again");
  csim_say(&kept.log, CSIM_INFO, (csim_place){0}, "to nobody");
  csim_kept_log_flush(&kept, NULL);
}

// What callers log: counted, one line whatever it holds, NULL logs allowed.
static void test_log_print(void) {
  heard h = {0};
  csim_log log = {.write = hear, .user = &h};
  csim_log_print(&log, CSIM_WARNING, "f", "two\nlines of %s", "text");
  CHECK(h.n == 1 && log.nwarning == 1 && log.nerror == 0);
  CHECK_TEXT(h.text[0], "2 f:0:0 - two?lines of text");
  // UTF-8 stays; what is none, and controls of terminals in one byte or two, do not
  csim_log_print(&log, CSIM_WARNING, "f", "%s", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK_TEXT(h.text[1], "2 f:0:0 - \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  csim_log_print(&log, CSIM_WARNING, "f", "%s", "\x1b[2J \xef\xbf \xc0\xaf \xc2\x9b\x31 \xff\xc3");
  CHECK_TEXT(h.text[2], "2 f:0:0 - ?[2J ?? ?? ??1 ??");
  log.write = NULL;
  csim_log_print(&log, CSIM_ERROR, NULL, "only counted");
  csim_log_print(NULL, CSIM_ERROR, NULL, "to nobody");
  CHECK(h.n == 3 && log.nerror == 1);
}

// Functions that log an error and return its status.
static void test_failures(void) {
  check_log messages;
  check_log_init(&messages);
  csim_place place = {.file = "a.json", .line = 3, .pointer = "/b"};
  CHECK(csim_fail(&messages.log, CSIM_IO, place, "cannot read %d", 7) == CSIM_IO);
  CHECK_TEXT(messages.text, "cannot read 7");
  CHECK_TEXT(messages.pointer, "/b");
  CHECK(messages.line == 3);
  CHECK(csim_refuse(&messages.log, place, "no %s", "vertex") == CSIM_INVALID);
  CHECK_TEXT(messages.text, "no vertex");
  CHECK(csim_fail_memory(&messages.log, "c.obj") == CSIM_MEMORY);
  CHECK_TEXT(messages.text, "out of memory");
  CHECK(messages.log.nerror == 3 && messages.log.nwarning == 0);
  CHECK(csim_refuse(NULL, place, "nobody listens") == CSIM_INVALID);
}

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

static void test_scratch(void) {
  csim_scratch scratch = {0};
  ptrdiff_t need = csim_scratch_bytes(3, 1) + csim_scratch_bytes(10, sizeof(double));
  CHECK(need == 64 + 128);
  CHECK(csim_scratch_reserve(&scratch, need) == 0 && csim_scratch_reserve(&scratch, 10) == 0);
  CHECK(scratch.size == need); // as much as who needs most has asked for
  for (int turn = 0; turn < 2; turn++) {
    csim_scratch_begin(&scratch);
    char *a = CSIM_SCRATCH_TAKE(&scratch, char, 3);
    double *b = CSIM_SCRATCH_TAKE(&scratch, double, 10);
    CHECK(a == scratch.memory && (char *)b == a + 64 && (uintptr_t)a % 64 == 0);
    a[2] = 1;
    b[9] = 1;
  }
  csim_scratch_free(&scratch);
  CHECK(!scratch.memory && csim_scratch_reserve(&scratch, 0) == 0);
}

int main(void) {
  test_arena();
  test_grow();
  test_grow_pointer();
  test_scratch();
  test_pool();
  test_tasks();
  test_kept_log();
  test_log_print();
  test_failures();
  return check_report();
}
