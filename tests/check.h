// tests/check.h: the whole test framework. A test program calls CHECK as it goes and ends with
// `return check_report();`. Failures tell file, line and values; the program runs on.
#ifndef CSIM_TESTS_CHECK_H
#define CSIM_TESTS_CHECK_H

#include "clothsim.h"

#include <math.h>
#include <stdint.h>

void check_that(int ok, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Prints "N passed, N failed" and returns the exit code. A check in the source counts once,
/// however often it is made, and has failed if it did once.
int check_report(void);

/// A log that remembers its last error's text, for tests that expect one.
typedef struct check_log {
  csim_log log;
  char text[1001];   ///< of the last error
  char pointer[256]; ///< of the last error
  int line, column;
} check_log;
void check_log_init(check_log *log);

#define CHECK(condition) check_that((condition) != 0, __FILE__, __LINE__, "%s", #condition)
#define CHECK_NEAR(a, b, tolerance)                                                                \
  do {                                                                                             \
    double check_a = (a), check_b = (b), check_t = (tolerance);                                    \
    check_that(fabs(check_a - check_b) <= check_t, __FILE__, __LINE__,                             \
               "%s = %.17g, expected %.17g +- %.3g (off by %.3g)", #a, check_a, check_b, check_t,  \
               fabs(check_a - check_b));                                                           \
  } while (0)
#define CHECK_TEXT(a, b)                                                                           \
  check_that(!strcmp((a), (b)), __FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", #a, (a), (b))

/// The next number of a fixed sequence.
uint32_t check_random(void);

#endif
