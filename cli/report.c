// cli/report.c: see report.h.
#include "report.h"

#include <stdlib.h>
#include <unistd.h>

static double seconds_since(const struct timespec *then) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void reporter_init(const cli_options *options, cli_reporter *r) {
  *r = (cli_reporter){
      .options = options, .style = options->progress, .last_percent = -1, .last_frame = -1};
  int terminal = isatty(STDERR_FILENO);
  if (r->style == PROGRESS_AUTO)
    r->style = options->json ? PROGRESS_JSON : terminal ? PROGRESS_BAR : PROGRESS_PLAIN;
  if (options->quiet && (options->progress == PROGRESS_AUTO || r->style == PROGRESS_BAR ||
                         r->style == PROGRESS_PLAIN))
    r->style = PROGRESS_NONE;
  const char *no_color = getenv("NO_COLOR");
  r->color = terminal && !(no_color && *no_color);
  clock_gettime(CLOCK_MONOTONIC, &r->start);
}

void print_json_string(FILE *out, const char *text) {
  char escape[8];
  fputc('"', out);
  for (; *text; text++) fwrite(escape, 1, (size_t)csim_escape_json(*text, escape), out);
  fputc('"', out);
}

static const char *const level_names[] = {"debug", "info", "warning", "error"};

static void message_as_json(const csim_message *m) {
  fprintf(stderr, "{\"level\": \"%s\"", level_names[m->level]);
  if (m->file) {
    fputs(", \"file\": ", stderr);
    print_json_string(stderr, m->file);
  }
  if (m->line) fprintf(stderr, ", \"line\": %d", m->line);
  if (m->column) fprintf(stderr, ", \"column\": %d", m->column);
  if (m->pointer) {
    fputs(", \"pointer\": ", stderr);
    print_json_string(stderr, m->pointer);
  }
  fputs(", \"text\": ", stderr);
  print_json_string(stderr, m->text);
  fputs("}\n", stderr);
}

void reporter_message(void *user, const csim_message *m) {
  static const char *const colors[] = {"\033[2m", "", "\033[33m", "\033[31m"};
  cli_reporter *r = user;
  csim_level least = r->options->quiet ? CSIM_ERROR : r->options->verbose ? CSIM_DEBUG : CSIM_INFO;
  if (m->level < least) return;
  reporter_finish(r);
  if (r->options->json) {
    message_as_json(m);
    return;
  }
  fputs(m->file ? m->file : "clothsim", stderr);
  if (m->file && m->line) fprintf(stderr, ":%d", m->line);
  if (m->file && m->line && m->column) fprintf(stderr, ":%d", m->column); // mesh files have none
  fputs(": ", stderr);
  if (m->level != CSIM_INFO)
    fprintf(stderr, "%s%s:%s ", r->color ? colors[m->level] : "", level_names[m->level],
            r->color ? "\033[0m" : "");
  if (m->pointer && m->pointer[0]) fprintf(stderr, "%s: ", m->pointer);
  fprintf(stderr, "%s\n", m->text);
}

static void show_bar(cli_reporter *r, const csim_progress *p) {
  if (p->share < 1 && r->bar_shown && seconds_since(&r->last) < 0.1) return;
  clock_gettime(CLOCK_MONOTONIC, &r->last);
  double spent = seconds_since(&r->start), done = p->share - r->first_share;
  double frames = done * (p->frame_end - p->frame_start);
  int width = 24, full = (int)(p->share * width);
  fputs("\r[", stderr);
  for (int i = 0; i < width; i++) fputc(i < full ? '#' : '.', stderr);
  fprintf(stderr, "] frame %d/%d", p->frame, p->frame_end);
  if (frames > 0)
    fprintf(stderr, "  %.3g s/frame  ETA %.0f s", spent / frames, spent / done * (1 - p->share));
  fprintf(stderr, "  %lld contacts  %lld iterations\033[K", p->contacts, p->iterations);
  fflush(stderr);
  r->bar_shown = 1;
}

// One line a percent at most, and at most one a second but for the last.
static void show_percent(cli_reporter *r, const csim_progress *p, const char *format) {
  int percent = (int)(100 * p->share);
  if (percent == r->last_percent ||
      (percent < 100 && r->last_percent >= 0 && seconds_since(&r->last) < 1))
    return;
  clock_gettime(CLOCK_MONOTONIC, &r->last);
  r->last_percent = percent;
  fprintf(stderr, format, percent);
  fflush(stderr);
}

// The same with the time spent and the time left, for readers of a log.
static void show_plain(cli_reporter *r, const csim_progress *p) {
  char format[80] = "Progress: %d%%\n";
  double spent = seconds_since(&r->start), done = p->share - r->first_share;
  if (done > 0)
    snprintf(format, sizeof format, "Progress: %%d%%%%, %.0f s, %.0f s left\n", spent,
             spent / done * (1 - p->share));
  show_percent(r, p, format);
}

static void show_json(cli_reporter *r, const csim_progress *p) {
  if (p->substep < p->substeps || p->frame == r->last_frame) return;
  r->last_frame = p->frame;
  fprintf(stderr,
          "{\"progress\": %.6f, \"frame\": %d, \"frame_end\": %d, \"seconds\": %.3f, \"contacts\": "
          "%lld, \"iterations\": %lld, \"linear_iterations\": %lld, \"residual\": %.6g}\n",
          p->share, p->frame, p->frame_end, seconds_since(&r->start), p->contacts, p->iterations,
          p->linear_iterations, p->residual);
  fflush(stderr);
}

void reporter_progress(void *user, const csim_progress *p) {
  cli_reporter *r = user;
  int span = p->frame_end - p->frame_start;
  if (!r->begun && span > 0) // a resumed run does not begin at nothing
    r->first_share = (double)(p->frame - 1 - p->frame_start) / span;
  r->begun = 1;
  switch (r->style) {
  case PROGRESS_BAR:
    show_bar(r, p);
    break;
  case PROGRESS_PLAIN:
    show_plain(r, p);
    break;
  case PROGRESS_ALF:
    show_percent(r, p, "ALF_PROGRESS %d%%\n");
    break;
  case PROGRESS_OPENJD:
    show_percent(r, p, "openjd_progress: %d.0\n");
    break;
  case PROGRESS_JSON:
    show_json(r, p);
    break;
  case PROGRESS_AUTO:
  case PROGRESS_NONE:
    break;
  }
}

void reporter_finish(cli_reporter *r) {
  if (r->bar_shown) fputc('\n', stderr);
  r->bar_shown = 0;
}
