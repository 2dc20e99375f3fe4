// view/say.c: see say.h.
#include "say.h"

#include <stdio.h>
#include <unistd.h>

void view_progress(int quiet, int done, int total) {
  if (quiet || total < 2) return;
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\rclothview: %d of %d%s", done, total, done == total ? "\n" : "");
  else if (done * 10 / total != (done - 1) * 10 / total)
    fprintf(stderr, "Progress: %d%%\n", done * 100 / total);
}
