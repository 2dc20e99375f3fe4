// test_scratch: shared scratch memory.
#include "check.h"

#include "base/scratch.h"

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
  test_scratch();
  return check_report();
}
