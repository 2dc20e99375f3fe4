// base/log.c: see log.h.
#include "base/log.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes a message one line of printable UTF-8, whatever names it contains: terminals obey control
// characters, U+0080 to U+009F too, and other programs stop reading at invalid UTF-8.
static void make_printable(char *text) {
  int left = (int)strlen(text);
  for (unsigned char *c = (unsigned char *)text; left > 0;) {
    int n = csim_utf8_measure(c, left);
    int control = *c < 0x20 || *c == 0x7f || (n == 2 && c[0] == 0xC2 && c[1] < 0xA0);
    int bytes = n ? n : 1;
    if (!n || control) memset(c, '?', (size_t)bytes);
    c += bytes;
    left -= bytes;
  }
}

static void say(csim_log *log, csim_level level, csim_place place, const char *format,
                va_list args) {
  if (!log) return;
  log->nerror += level == CSIM_ERROR;
  log->nwarning += level == CSIM_WARNING;
  if (!log->write) return;
  char text[1001];
  vsnprintf(text, sizeof text, format, args);
  make_printable(text);
  log->write(log->user, &(csim_message){.level = level,
                                        .file = place.file,
                                        .line = place.line,
                                        .column = place.column,
                                        .pointer = place.pointer,
                                        .text = text});
}

void csim_say(csim_log *log, csim_level level, csim_place place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(log, level, place, format, args);
  va_end(args);
}

csim_status csim_fail(csim_log *log, csim_status status, csim_place place, const char *format,
                      ...) {
  va_list args;
  va_start(args, format);
  say(log, CSIM_ERROR, place, format, args);
  va_end(args);
  return status;
}

csim_status csim_refuse(csim_log *log, csim_place place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(log, CSIM_ERROR, place, format, args);
  va_end(args);
  return CSIM_INVALID;
}

csim_status csim_fail_system(csim_log *log, const char *file, const char *what, int error) {
  char text[128]; // strerror_r of POSIX: GNU's, with _GNU_SOURCE, returns a text
  if (strerror_r(error, text, sizeof text)) snprintf(text, sizeof text, "error %d", error);
  const char *hint = error == ENOSPC      ? ": make room on the disk, then run again"
                     : error == EDQUOT    ? ": make room in your quota, then run again"
                     : error == ETIMEDOUT ? ": nothing has been written into this pipe for seconds"
                                          : "";
  return csim_fail(log, CSIM_IO, csim_in_file(file), "cannot %s: %s%s", what, text, hint);
}

csim_status csim_fail_memory(csim_log *log, const char *file) {
  return csim_fail(log, CSIM_MEMORY, csim_in_file(file), "out of memory");
}

void csim_log_print(csim_log *log, csim_level level, const char *file, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(log, level, csim_in_file(file), format, args);
  va_end(args);
}

// ------------------------------------------------------------------------------------- kept ones

struct csim_kept_message {
  struct csim_kept_message *next;
  csim_message message; // its strings are in `arena`
  csim_arena arena;
};

static void keep_message(void *user, const csim_message *message) {
  csim_kept_log *kept = user;
  struct csim_kept_message *k = CSIM_NEW(struct csim_kept_message, 1);
  if (!k)
    return; // the caller still sees the failure: functions that log an error return a status too
  k->message = *message;
  k->message.file = csim_arena_copy(&k->arena, message->file);
  k->message.pointer = csim_arena_copy(&k->arena, message->pointer);
  k->message.text = csim_arena_copy(&k->arena, message->text);
  if (kept->last)
    kept->last->next = k;
  else
    kept->first = k;
  kept->last = k;
}

void csim_kept_log_begin(csim_kept_log *kept) {
  *kept = (csim_kept_log){.log = {.write = keep_message, .user = kept}};
}

void csim_kept_log_flush(csim_kept_log *kept, csim_log *log) {
  while (kept->first) {
    struct csim_kept_message *k = kept->first;
    const csim_message *m = &k->message;
    csim_place place = {m->file, m->line, m->column, m->pointer};
    csim_say(log, m->level, place, "%s", m->text ? m->text : "out of memory");
    kept->first = k->next;
    csim_arena_free(&k->arena);
    free(k);
  }
  kept->last = NULL;
}

// --------------------------------------------------------------------------------------- only once

static uint64_t hash_text(uint64_t hash, const char *text) {
  return text ? csim_hash_bytes(hash, text, strlen(text) + 1) : hash;
}

static void say_once(void *user, const csim_message *m) {
  csim_once_log *once = user;
  csim_place place = {m->file, m->line, m->column, m->pointer};
  uint64_t hash = hash_text(hash_text(hash_text(CSIM_HASH_START, m->file), m->pointer), m->text);
  hash = csim_hash_bytes(hash, (int[]){m->line, m->column}, 2 * sizeof(int));
  for (ptrdiff_t k = 0; k < once->nsaid && m->level != CSIM_ERROR; k++)
    if (once->said[k] == hash) return;
  if (!CSIM_GROW(once->said, once->capacity, once->nsaid + 1)) // else it is said again
    once->said[once->nsaid++] = hash;
  csim_say(once->to, m->level, place, "%s", m->text);
}

void csim_once_log_begin(csim_once_log *once, csim_log *to) {
  *once = (csim_once_log){.log = {.write = say_once, .user = once}, .to = to};
}

void csim_once_log_end(csim_once_log *once) {
  free(once->said);
}

// -------------------------------------------------------------------------------------- near names

// Edit distance with transpositions (Damerau, optimal string alignment), words under 64 characters.
static int edit_distance(const char *a, const char *b) {
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > 63 || nb > 63) return 64;
  int d[64][64];
  for (int i = 0; i <= na; i++) d[i][0] = i;
  for (int j = 0; j <= nb; j++) d[0][j] = j;
  for (int i = 1; i <= na; i++)
    for (int j = 1; j <= nb; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[na][nb];
}

const char *csim_nearest_name(const char *word, const char *const *names) {
  const char *nearest = NULL;
  int limit = (int)strlen(word) / 3;
  int best = limit < 1 ? 2 : limit + 1;
  for (; *names; names++) {
    int d = edit_distance(word, *names);
    if (d < best) {
      best = d;
      nearest = *names;
    }
  }
  return nearest;
}
