// view/say.c: see say.h.
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void view_say(csim_log *log, csim_level level, const char *file, const char *format, ...) {
  if (!log) return;
  if (level == CSIM_ERROR) log->nerror++;
  if (level == CSIM_WARNING) log->nwarning++;
  if (!log->write) return;
  char text[1001];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  csim_message message = {.level = level, .file = file, .text = text};
  log->write(log->user, &message);
}

void view_progress(int quiet, int done, int total) {
  if (quiet || total < 2) return;
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\rclothview: %d of %d%s", done, total, done == total ? "\n" : "");
  else if (done * 10 / total != (done - 1) * 10 / total)
    fprintf(stderr, "Progress: %d%%\n", done * 100 / total);
}
