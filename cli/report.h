// cli/report.h: output of clothsim: messages, progress, JSON lines.
#ifndef CSIM_CLI_REPORT_H
#define CSIM_CLI_REPORT_H

#include "clothsim.h"
#include "options.h"

#include <stdio.h>
#include <time.h>

typedef struct cli_reporter {
  const cli_options *options;
  progress_style style;
  int color;          // messages in colour
  int bar_shown;      // the terminal's last line is a progress bar
  int last_percent;   // last plain line's
  int last_frame;     // last json line's
  int begun;          // a progress was seen,
  double first_share; // and this was done before it
  struct timespec start, last;
} cli_reporter;

void reporter_init(const cli_options *options, cli_reporter *r);

/// For csim_log.write: `file:line:column: level: pointer: text` on stderr, or a JSON line.
void reporter_message(void *user, const csim_message *message);

/// For csim_run_options.progress.
void reporter_progress(void *user, const csim_progress *progress);

/// Ends the bar's line.
void reporter_finish(cli_reporter *r);

/// Writes a JSON string with quotes to a stream.
void print_json_string(FILE *out, const char *text);

#endif
