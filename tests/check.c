// tests/check.c: see check.h.
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A check in the source, however often it is made.
typedef struct site {
  const char *file;
  int line, failed;
} site;

static site sites[4096]; // open addressing
static int nmessage;

static site *find_site(const char *file, int line) {
  enum { N = sizeof sites / sizeof *sites };
  for (unsigned i = (unsigned)line * 2654435761u, tries = 0; tries < N; i++, tries++) {
    site *s = &sites[i % N];
    if (!s->file) *s = (site){.file = file, .line = line};
    if (s->line == line && (s->file == file || !strcmp(s->file, file))) return s;
  }
  abort();
}

void check_that(int ok, const char *file, int line, const char *format, ...) {
  site *s = find_site(file, line);
  if (ok) return;
  s->failed = 1;
  if (nmessage++ > 50) return;
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: failed: ", file, line);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

int check_report(void) {
  int npassed = 0, nfailed = 0;
  for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
    npassed += sites[i].file && !sites[i].failed;
    nfailed += sites[i].failed;
  }
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
