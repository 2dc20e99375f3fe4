// tools/tool.h: what the small programs share: messages, progress, JSON text. Needs clothsim.h.
//
// Each program is one file, so these are inline.
#ifndef CSIM_TOOLS_TOOL_H
#define CSIM_TOOLS_TOOL_H

#include "clothsim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// A log that writes `PROGRAM: file:line: message` lines to stderr.
typedef struct tool_log {
  csim_log log;
  const char *program;
  int bar;        ///< the terminal's last line is a progress bar
  char last[400]; ///< text of the last message, which is not written twice in a row
} tool_log;

static inline void tool_message(void *user, const csim_message *m) {
  tool_log *t = user;
  if (m->level == CSIM_DEBUG || !strcmp(t->last, m->text)) return;
  snprintf(t->last, sizeof t->last, "%s", m->text);
  if (t->bar) fputs("\r\033[K", stderr);
  t->bar = 0;
  fprintf(stderr, "%s: ", t->program);
  if (m->file && *m->file) fprintf(stderr, "%s: ", m->file);
  if (m->line) fprintf(stderr, "line %d: ", m->line);
  if (m->level == CSIM_WARNING) fputs("warning: ", stderr);
  fprintf(stderr, "%s\n", m->text);
}

static inline void tool_log_init(const char *program, tool_log *t) {
  *t = (tool_log){.log = {.write = tool_message, .user = t}, .program = program};
}

/// Whether both paths (NULL: none) name one file that is there.
static inline int tool_is_same_file(const char *p, const char *q) {
  struct stat a, b;
  return p && q && !stat(p, &a) && !stat(q, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// An error of the command line. @return CSIM_INVALID
static inline csim_status tool_usage(const tool_log *t, const char *what, const char *word) {
  fprintf(stderr, "%s: %s%s%s; try %s --help\n", t->program, what, word ? " " : "",
          word ? word : "", t->program);
  return CSIM_INVALID;
}

/// The value of an option, `--name value` or `--name=value`; "" when it is missing, NULL when
/// argv[*i] is not that option. Moves *i to the value.
/// @param letter  "-o", or NULL
static inline const char *tool_option(int argc, char **argv, int *i, const char *name,
                                      const char *letter) {
  size_t n = strlen(name);
  const char *word = argv[*i];
  if (!strncmp(word, name, n) && word[n] == '=') return word + n + 1;
  if (strcmp(word, name) && !(letter && !strcmp(word, letter))) return NULL;
  return *i + 1 < argc ? argv[++*i] : "";
}

/// A bar on stderr when that is a terminal; at most ten times a second.
static inline void tool_progress(void *user, double share) {
  static struct timespec last;
  struct timespec now;
  tool_log *t = user;
  if (!isatty(STDERR_FILENO)) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double since = (double)(now.tv_sec - last.tv_sec) + 1e-9 * (double)(now.tv_nsec - last.tv_nsec);
  if (share >= 1) {
    if (t->bar) fputs("\r\033[K", stderr);
    t->bar = 0;
  } else if (since > 0.1) {
    int full = (int)(share * 30);
    fprintf(stderr, "\r%s [%.*s%*s] %3d%%", t->program, full, "##############################",
            30 - full, "", (int)(share * 100));
    fflush(stderr);
    t->bar = 1;
    last = now;
  }
}

/// Bytes of the UTF-8 character at p; 0 when there is none: names of files may hold any bytes.
static inline int tool_character(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  int n = p[0] < 0x80   ? 1
          : p[0] < 0xC2 ? 0
          : p[0] < 0xE0 ? 2
          : p[0] < 0xF0 ? 3
          : p[0] < 0xF5 ? 4
                        : 0;
  for (int k = 1; k < n; k++)
    if ((p[k] & 0xC0) != 0x80) return 0;
  int overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
  int beyond = (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F); // surrogates too
  return overlong || beyond ? 0 : n;
}

/// A JSON string with quotes.
static inline void tool_json_string(FILE *out, const char *text) {
  char escape[8];
  fputc('"', out);
  for (int n; *text; text += n) {
    n = tool_character(text);
    if (n > 1)
      fwrite(text, 1, (size_t)n, out);
    else if (n == 0)
      fputs("\\ufffd", out);
    else
      fwrite(escape, 1, (size_t)csim_escape_json(*text, escape), out);
    n += !n;
  }
  fputc('"', out);
}

/// A JSON number; NaN and infinities become null.
static inline void tool_json_number(FILE *out, double value) {
  if (value - value == 0)
    fprintf(out, "%.9g", value);
  else
    fputs("null", out);
}

/// Frames a:b:step (inclusive numbers; parts may be missing), or a alone.
typedef struct tool_range {
  long long first, last, step;
} tool_range;

/// @return 0, or -1 when malformed
static inline int tool_read_range(const char *text, tool_range *r) {
  *r = (tool_range){-1000000000000, 1000000000000, 1};
  char *end;
  if (*text != ':') {
    r->first = strtoll(text, &end, 10);
    if (end == text) return -1;
    if (!*end) r->last = r->first;
    text = end;
  }
  if (!*text) return 0;
  if (*text++ != ':') return -1;
  if (*text && *text != ':') {
    r->last = strtoll(text, &end, 10);
    if (end == text) return -1;
    text = end;
  }
  if (!*text) return 0;
  if (*text++ != ':') return -1;
  r->step = strtoll(text, &end, 10);
  return end == text || *end || r->step < 1 ? -1 : 0;
}

/// Whether a frame number is in the range; `first` is that of the first frame there is.
static inline int tool_in_range(const tool_range *r, long long number, long long first) {
  long long from = r->first > -1000000000000 ? r->first : first;
  return number >= from && number <= r->last && (number - from) % r->step == 0;
}

/// Whether a range leaves nothing out.
static inline int tool_is_everything(const tool_range *r) {
  return r->first == -1000000000000 && r->last == 1000000000000 && r->step == 1;
}

/// A number that takes the whole word. @return 0, or -1
static inline int tool_read_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return *text && !*end && *value - *value == 0 ? 0 : -1;
}

#endif
