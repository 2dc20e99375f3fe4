// tests/check.c: see check.h.
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int npassed, nfailed;

void check_that(int ok, const char *file, int line, const char *format, ...) {
  if (ok) {
    npassed++;
    return;
  }
  if (nfailed++ > 50) return;
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: failed: ", file, line);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

int check_report(void) {
  printf("%d passed, %d failed\n", npassed, nfailed);
  return nfailed || !npassed;
}

static void remember(void *user, const csim_message *m) {
  check_log *log = user;
  if (m->level != CSIM_ERROR) return;
  snprintf(log->text, sizeof log->text, "%s", m->text);
  snprintf(log->pointer, sizeof log->pointer, "%s", m->pointer ? m->pointer : "");
  log->line = m->line;
  log->column = m->column;
}

void check_log_init(check_log *log) {
  *log = (check_log){.log = {.write = remember, .user = log}};
}

uint32_t check_random(void) {
  static uint64_t state = 0x9e3779b97f4a7c15u; // xorshift, Marsaglia 2003
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 16);
}
