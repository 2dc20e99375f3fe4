// tools/clothview.c: pictures, movies and pages of simulations. Needs clothsim.h and tools/view/.
#include "tool.h"
#include "view/film.h"
#include "view/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct teller {
  int json;        ///< errors go into the JSON object, too
  char text[1100]; ///< the last error
} teller;

static void write_message(void *user, const csim_message *m) {
  static const char *const level[] = {"debug: ", "", "warning: ", "error: "};
  teller *t = user;
  char place[40] = "";
  if (m->line) snprintf(place, sizeof place, ":%d:%d", m->line, m->column);
  fprintf(stderr, "clothview: %s%s%s%s%s\n", level[m->level], m->file ? m->file : "", place,
          m->file ? ": " : "", m->text);
  if (m->level == CSIM_ERROR)
    snprintf(t->text, sizeof t->text, "%s%s%s", m->file ? m->file : "", m->file ? ": " : "",
             m->text);
}

static void print_string(const char *text) {
  char escape[8];
  putchar('"');
  for (; *text; text++) fwrite(escape, 1, (size_t)csim_escape_json(*text, escape), stdout);
  putchar('"');
}

static void print_json(csim_status status, const view_options *o, const view_stage *s,
                       const view_written *w, const teller *t, double seconds) {
  printf("{\"status\": %d, \"output\": ", (int)status);
  if (o->out)
    print_string(o->out);
  else
    printf("null");
  if (status) {
    printf(", \"error\": ");
    print_string(t->text);
  } else {
    printf(", \"pictures\": %d, \"width\": %d, \"height\": %d, \"bytes\": %lld", w->npicture,
           w->width, w->height, w->bytes);
    printf(", \"frames\": [%lld, %lld], \"objects\": [", s->sequence->number[s->frame[0]],
           s->sequence->number[s->frame[s->nframe - 1]]);
    for (int i = 0; i < s->sequence->nobject; i++) {
      printf("%s{\"name\": ", i ? ", " : "");
      print_string(s->sequence->object[i].name);
      printf(", \"vertices\": %d, \"triangles\": %d, \"moves\": %s}", s->track[i].rest.nvert,
             s->track[i].rest.ntri, s->track[i].moves ? "true" : "false");
    }
    printf("], \"colour\": \"%s\", \"range\": [%.9g, %.9g]", view_mode_name[o->mode], s->range[0],
           s->range[1]);
  }
  printf(", \"seconds\": %.3f}\n", seconds);
}

/// The second run has a stage of its own: in a page with plain colours, in pictures under the
/// same camera and in the same colours.
static csim_status set_other(const view_stage *s, csim_log *log, view_options *options,
                             view_stage *other) {
  *options = *s->options;
  if (options->output == VIEW_PAGE) options->mode = VIEW_PLAIN;
  // distances are of each from the other
  view_sequence *first = options->output == VIEW_PAGE ? NULL : s->sequence;
  if (first) options->up = s->scene.up;
  return view_stage_set(options, s->other, first, log, other);
}

static csim_status make_output(view_stage *s, csim_log *log, view_written *written) {
  view_options options;
  view_stage other = {0}, *beside = s->other ? &other : NULL;
  csim_status status = beside ? set_other(s, log, &options, beside) : CSIM_OK;
  if (status) return status;
  if (beside && s->options->output != VIEW_PAGE) view_stage_share(s, beside);
  switch (s->options->output) {
  case VIEW_FRAMES:
    status = view_film_frames(s, beside, log, written);
    break;
  case VIEW_MOVIE:
    status = view_film_movie(s, beside, log, written);
    break;
  case VIEW_PAGE:
    status = view_page_write(s, beside, log, written);
    break;
  case VIEW_SHEET:
    status = view_film_sheet(s, beside, log, written);
    break;
  }
  if (beside) view_stage_free(beside);
  return status;
}

/// Contact is shown as pressure where the input has it.
static csim_status choose_mode(const view_sequence *q, csim_log *log, view_options *o) {
  if (o->mode == VIEW_CONTACT && q->pressed) o->mode = VIEW_PRESSURE;
  if (o->mode != VIEW_PRESSURE || q->pressed) return CSIM_OK;
  csim_log_print(log, CSIM_ERROR, q->path,
                 "no contact pressures here: simulate with \"output\": {\"pressures\": true}");
  return CSIM_INVALID;
}

/// A picture must not replace what it shows.
static csim_status spare_inputs(const view_options *o, csim_log *log) {
  int same = tool_is_same_file(o->compare, o->out);
  for (int i = 0; i < o->npath; i++) same |= tool_is_same_file(o->path[i], o->out);
  if (!same) return CSIM_OK;
  csim_log_print(log, CSIM_ERROR, o->out, "the output would replace this input");
  return CSIM_INVALID;
}

static csim_status run(view_options *o, csim_log *log, teller *t) {
  view_sequence sequence = {0}, other = {0};
  view_stage stage = {0};
  view_written written = {0};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  csim_status status = spare_inputs(o, log);
  if (!status) status = view_sequence_open(o->npath, o->path, log, &sequence);
  if (!status) status = choose_mode(&sequence, log, o);
  if (!status && o->compare) status = view_sequence_open(1, &o->compare, log, &other);
  if (!status) status = view_stage_set(o, &sequence, o->compare ? &other : NULL, log, &stage);
  if (!status) status = make_output(&stage, log, &written);
  if (status == CSIM_MEMORY && !*t->text)
    write_message(t, &(csim_message){.level = CSIM_ERROR, .text = "out of memory"});
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds =
      (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  if (o->json) print_json(status, o, &stage, &written, t, seconds);
  view_stage_free(&stage);
  view_sequence_close(&other);
  view_sequence_close(&sequence);
  return status;
}

int main(int argc, char **argv) {
  teller t = {0};
  csim_log log = {.write = write_message, .user = &t};
  view_options o;
  csim_status status = view_options_read(argc, argv, &log, &o);
  if (status && o.json) print_json(status, &o, NULL, NULL, &t, 0);
  if (!status && o.help)
    fputs(view_help, stdout);
  else if (!status && o.version)
    puts("clothview " CSIM_VERSION);
  else if (!status)
    status = run(&o, &log, &t);
  view_options_free(&o);
  return (int)status;
}
