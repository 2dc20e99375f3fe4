// test_threads: the number of threads follows what a loop costs on a machine that is made up here.
#include "check.h"

#include "base/threads.h"

#include <stdio.h>

// A loop of n threads takes work / n + talk * (n - 1) [s]: best is the root of work / talk.
typedef struct machine {
  double work, talk;
  double noise; // of each step's time, as a share
  unsigned seed;
} machine;

static double cost_of(const machine *m, int n) {
  return m->work / n + m->talk * (n - 1);
}

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

// Takes steps, and returns their time over what the best number of threads takes.
static double run(csim_threads *t, machine *m, int steps) {
  double taken = 0, best = cost_of(m, 1), loops = 1000;
  for (int n = 2; n <= t->most; n++)
    if (cost_of(m, n) < best) best = cost_of(m, n);
  for (int i = 0; i < steps; i++) {
    double each = cost_of(m, t->tried);
    double seconds = loops * each * (1 + m->noise * (2 * uniform(&m->seed) - 1));
    CHECK(t->tried >= 1 && t->tried <= t->most);
    taken += loops * each;
    csim_threads_note(t, seconds, loops);
  }
  return taken / (loops * steps * best);
}

// Starts with few threads for few vertices, and never has more than there are.
static void test_start(void) {
  static const int VERTS[] = {0, 1, 1000, 5000, 100000, 1 << 30};
  for (int most = 1; most <= 256; most++) {
    int last = 0;
    for (int k = 0; k < 6; k++) {
      csim_threads t;
      csim_threads_begin(&t, most, VERTS[k]);
      CHECK(t.tried >= last && t.tried >= 1 && t.tried <= most);
      last = t.tried;
    }
    CHECK(last == most);
  }
}

// On all machines it soon takes little longer than the best number does, trials included: numbers
// are halved and doubled, so the best may not be among them.
static void test_settles(void) {
  static const double WORK[] = {1e-6, 1e-5, 1e-4, 1e-3}, TALK[] = {0, 3e-7, 1e-6, 1e-5};
  static const int MOST[] = {1, 2, 3, 8, 64};
  for (int w = 0; w < 4; w++)
    for (int k = 0; k < 4; k++)
      for (int m = 0; m < 5; m++) {
        machine made = {WORK[w], TALK[k], 0.1, 7};
        csim_threads t;
        csim_threads_begin(&t, MOST[m], 5000);
        run(&t, &made, 300);
        double longer = run(&t, &made, 2000);
        if (!(longer < 1.1))
          printf("work %g talk %g most %d: %g, %d\n", WORK[w], TALK[k], MOST[m], longer, t.now);
        CHECK(longer < 1.1);
      }
}

// When talking becomes slow it goes down to one thread, and comes back.
static void test_follows(void) {
  machine fast = {10e-6, 0.5e-6, 0.1, 7}, slow = {10e-6, 12e-6, 0.1, 7};
  csim_threads t;
  csim_threads_begin(&t, 2, 1000);
  run(&t, &fast, 1000);
  CHECK(t.now == 2);
  run(&t, &slow, 3000);
  CHECK(t.now == 1);
  run(&t, &fast, 3000);
  CHECK(t.now == 2);
}

// Where loops are long two threads stay, however much steps differ: each has loops up to six times
// as long as another's, in waves.
static void test_keeps(void) {
  csim_threads t;
  unsigned seed = 7;
  int fewer = 0;
  csim_threads_begin(&t, 2, 5000);
  for (int i = 0; i < 3000; i++) {
    double wave = i / 7 % 2 ? 3 : 1;
    machine made = {80e-6 * wave * (1 + uniform(&seed)), 1e-6, 0.1, seed};
    run(&t, &made, 1);
    fewer += t.now < 2;
  }
  CHECK(fewer == 0);
}

// Where loops become long after short ones, more threads are taken soon.
static void test_grows(void) {
  machine small = {2e-6, 3e-6, 0.1, 7}, large = {200e-6, 3e-6, 0.1, 7};
  csim_threads t;
  csim_threads_begin(&t, 8, 5000);
  run(&t, &small, 3000);
  CHECK(t.now == 1);
  run(&t, &large, 30); // six blocks: a trial and its judgement, then two doublings
  CHECK(t.now >= 4);
}

// A step without loops, and one that takes no time, are no reason for anything.
static void test_nothing(void) {
  csim_threads t;
  csim_threads_begin(&t, 4, 1000);
  int before = t.tried;
  for (int i = 0; i < 100; i++) csim_threads_note(&t, 1e-3, 0);
  CHECK(t.tried == before);
  for (int i = 0; i < 1000; i++) csim_threads_note(&t, 0, 5);
  CHECK(t.tried >= 1 && t.tried <= 4);
}

int main(void) {
  test_start();
  test_settles();
  test_follows();
  test_keeps();
  test_grows();
  test_nothing();
  return check_report();
}
