// test_scan: items are numbered as a loop numbers them, for any number of threads.
#include "check.h"

#include "base/scan.h"

enum { MOST = 200000 };

typedef struct fixture {
  unsigned char takes[MOST]; // numbers that an item takes
  int first[MOST];           // the first of them
} fixture;

static int count(void *context, int first, int last) {
  const fixture *f = context;
  int n = 0;
  for (int i = first; i < last; i++) n += f->takes[i];
  return n;
}

static int place(void *context, int first, int last, int next) {
  fixture *f = context;
  for (int i = first; i < last; i++) {
    f->first[i] = next;
    next += f->takes[i];
  }
  return next;
}

int main(void) {
  static fixture f;
  static const int length[] = {0, 1, 5, 1023, 1024, 1025, 4096, 65536, 65537, MOST};
  for (int i = 0; i < MOST; i++) f.takes[i] = (unsigned char)((unsigned)i * 2654435761u >> 30);
  for (int nthread = 0; nthread <= 5; nthread++) {
    csim_pool *pool = nthread ? csim_pool_create(nthread) : NULL;
    for (int l = 0; l < (int)(sizeof length / sizeof *length); l++) {
      int wanted = 0, wrong = 0;
      for (int i = 0; i < MOST; i++) f.first[i] = -1;
      int total = csim_scan(pool, length[l], count, place, &f);
      for (int i = 0; i < MOST; i++) {
        wrong += f.first[i] != (i < length[l] ? wanted : -1);
        if (i < length[l]) wanted += f.takes[i];
      }
      CHECK(wrong == 0 && total == wanted);
    }
    csim_pool_free(pool);
  }
  return check_report();
}
