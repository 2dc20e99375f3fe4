// test_log: messages that are kept, printed, and returned with a status.
#include "check.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
  CHECK(csim_fail_system(&messages.log, "d", "write", ENOSPC) == CSIM_IO);
  CHECK(!strncmp(messages.text, "cannot write: ", 14) && strstr(messages.text, strerror(ENOSPC)));
  CHECK(strstr(messages.text, "make room on the disk") != NULL);
  CHECK(csim_fail_system(&messages.log, "d", "open", EACCES) == CSIM_IO);
  CHECK(strstr(messages.text, strerror(EACCES)) && !strstr(messages.text, "room"));
  CHECK(messages.log.nerror == 5 && messages.log.nwarning == 0);
  CHECK(csim_refuse(NULL, place, "nobody listens") == CSIM_INVALID);
}

// What was said in the same place is not said again, unless it is an error.
static void test_once_log(void) {
  heard h = {0};
  csim_log log = {.write = hear, .user = &h};
  csim_once_log once;
  csim_once_log_begin(&once, &log);
  for (int i = 0; i < 3; i++) {
    csim_say(&once.log, CSIM_INFO, (csim_place){"f", 3, 4, "/p"}, "same");
    csim_say(&once.log, CSIM_WARNING, (csim_place){"f", 3, 4, "/p"}, "of %d", i / 2);
    csim_say(&once.log, CSIM_WARNING, (csim_place){"f", 3, 5, "/p"}, "of 0");
    csim_say(&once.log, CSIM_ERROR, (csim_place){NULL, 0, 0, NULL}, "wrong");
  }
  csim_once_log_end(&once);
  CHECK(h.n == 7 && log.nerror == 3 && log.nwarning == 3);
  CHECK_TEXT(h.text[0], "1 f:3:4 /p same");
  CHECK_TEXT(h.text[1], "2 f:3:4 /p of 0");
  CHECK_TEXT(h.text[2], "2 f:3:5 /p of 0");
  CHECK_TEXT(h.text[5], "2 f:3:4 /p of 1");
  csim_once_log_begin(&once, NULL);
  csim_say(&once.log, CSIM_INFO, csim_in_file("f"), "nobody listens");
  csim_once_log_end(&once);
}

int main(void) {
  test_kept_log();
  test_once_log();
  test_log_print();
  test_failures();
  return check_report();
}
