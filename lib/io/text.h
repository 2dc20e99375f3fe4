// io/text.h: a cursor over text that counts lines. Needs base/number.h.
//
// Lines end with \n, \r\n or \r. All reading stays below `end`.
#ifndef CSIM_IO_TEXT_H
#define CSIM_IO_TEXT_H

#include "base/number.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct csim_text {
  const char *p, *end;
  int64_t line; ///< of p, from 1
} csim_text;

/// White space within a line, and line ends.
static inline int csim_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
static inline int csim_is_newline(char c) {
  return c == '\n' || c == '\r';
}

/// Whether a word of n characters is this keyword.
static inline int csim_is_word(const char *word, size_t n, const char *keyword) {
  return strlen(keyword) == n && !memcmp(word, keyword, n);
}

/// At a line's end or the text's.
static inline int csim_text_ended(const csim_text *t) {
  return t->p == t->end || csim_is_newline(*t->p);
}

/// Steps over one line end, if there is one here.
static inline void csim_text_newline(csim_text *t) {
  if (t->p == t->end || !csim_is_newline(*t->p)) return;
  char first = *t->p++;
  if (first == '\r' && t->p < t->end && *t->p == '\n') t->p++;
  t->line++;
}

/// Whether a backslash here continues the line below.
static inline int csim_text_continues(const csim_text *t) {
  return t->end - t->p >= 2 && *t->p == '\\' && csim_is_newline(t->p[1]);
}

/// Skips blanks within the line and, like them, backslash continuations.
static inline void csim_text_skip_blank(csim_text *t) {
  while (t->p < t->end) {
    if (csim_is_blank(*t->p)) {
      t->p++;
    } else if (csim_text_continues(t)) {
      t->p++;
      csim_text_newline(t);
    } else {
      return;
    }
  }
}

/// Skips blanks and line ends.
static inline void csim_text_skip_space(csim_text *t) {
  while (t->p < t->end) {
    if (csim_is_newline(*t->p))
      csim_text_newline(t);
    else if (csim_is_blank(*t->p))
      t->p++;
    else
      return;
  }
}

/// The rest of the line without blanks around it.
/// @param[out] n  its length; not terminated
static inline const char *csim_text_rest(csim_text *t, size_t *n) {
  csim_text_skip_blank(t);
  const char *rest = t->p;
  while (!csim_text_ended(t)) t->p++;
  *n = (size_t)(t->p - rest);
  while (*n && csim_is_blank(rest[*n - 1])) --*n;
  return rest;
}

/// Skips the rest of the line and its end.
/// @param continued  1: over backslash continuations too
static inline void csim_text_next_line(csim_text *t, int continued) {
  while (!csim_text_ended(t)) {
    if (continued && *t->p == '\\' && csim_text_continues(t)) {
      t->p++;
      csim_text_newline(t);
    } else {
      t->p++;
    }
  }
  csim_text_newline(t);
}

/// The word here: up to the next blank or line end. Empty at a line's end.
/// @param[out] length  its characters
static inline const char *csim_text_word(csim_text *t, size_t *length) {
  const char *word = t->p;
  while (!csim_text_ended(t) && !csim_is_blank(*t->p)) t->p++;
  *length = (size_t)(t->p - word);
  return word;
}

/// Reads a finite number that a blank, a line end or a continuation follows.
/// @return 1, or 0 with the cursor and *value untouched
static inline int csim_text_number(csim_text *t, double *value) {
  double x;
  const char *after = csim_read_number(t->p, t->end, &x);
  if (!after || !(x - x == 0)) return 0;
  if (after < t->end && !csim_is_blank(*after) && !csim_is_newline(*after) && *after != '\\')
    return 0;
  t->p = after;
  *value = x;
  return 1;
}

#endif
