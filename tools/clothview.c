// tools/clothview.c: pictures, movies and pages of simulations. Needs clothsim.h and tools/view/.
#include "tool.h"
#include "view/film.h"
#include "view/page.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct teller {
  int json;        ///< errors go into the JSON object, too
  char text[1100]; ///< the last error
} teller;

static void write_message(void *user, const csim_message *m) {
  static const char *const level[] = {"debug: ", "", "warning: ", "error: "};
  teller *t = user;
  char place[40] = "";
  int n = m->line ? snprintf(place, sizeof place, ":%d", m->line) : 0;
  if (n && m->column) snprintf(place + n, sizeof place - (size_t)n, ":%d", m->column);
  fprintf(stderr, "clothview: %s%s%s%s%s\n", level[m->level], m->file ? m->file : "", place,
          m->file ? ": " : "", m->text);
  if (m->level == CSIM_ERROR)
    snprintf(t->text, sizeof t->text, "%s%s%s", m->file ? m->file : "", m->file ? ": " : "",
             m->text);
}

static void print_json(csim_status status, const view_options *o, const view_stage *s,
                       const view_written *w, const teller *t, double seconds) {
  printf("{\"status\": %d, \"output\": ", (int)status);
  if (o->out)
    tool_json_string(stdout, o->out);
  else
    printf("null");
  if (status) {
    printf(", \"error\": ");
    tool_json_string(stdout, t->text);
  } else {
    printf(", \"pictures\": %d, \"width\": %d, \"height\": %d, \"bytes\": %lld", w->npicture,
           w->width, w->height, w->bytes);
    printf(", \"frames\": [%lld, %lld], \"objects\": [", s->sequence->number[s->frame[0]],
           s->sequence->number[s->frame[s->nframe - 1]]);
    for (int i = 0; i < s->sequence->nobject; i++) {
      printf("%s{\"name\": ", i ? ", " : "");
      tool_json_string(stdout, s->sequence->object[i].name);
      printf(", \"vertices\": %d, \"triangles\": %d, \"moves\": %s}", s->track[i].rest.nvert,
             s->track[i].rest.ntri, s->track[i].moves ? "true" : "false");
    }
    printf("], \"colour\": \"%s\", \"range\": [%.9g, %.9g]", view_mode_name[o->mode], s->range[0],
           s->range[1]);
  }
  printf(", \"seconds\": %.3f}\n", seconds);
}

/// The runs that are shown, the first and those of --compare.
typedef struct runs {
  int n;
  view_sequence *sequence; ///< (n)
  view_stage *stage;       ///< (n)
  view_options plain;      ///< of further runs: a page shows these in plain colours
} runs;

/// Distances are of two runs from each other, of more from the first.
static csim_status set_stages(const view_options *o, csim_log *log, runs *r) {
  view_sequence *first = r->sequence, *other = r->n == 2 ? first + 1 : r->n > 2 ? first : NULL;
  csim_status status = view_stage_set(o, first, other, log, r->stage);
  r->plain = *o;
  if (o->output == VIEW_PAGE) r->plain.mode = VIEW_PLAIN;
  r->plain.up = o->output == VIEW_PAGE ? o->up : r->stage->scene.up;
  for (int k = 1; !status && k < r->n; k++)
    status = view_stage_set(&r->plain, r->sequence + k, o->output == VIEW_PAGE ? NULL : first, log,
                            r->stage + k);
  if (!status && r->n > 1 && o->output != VIEW_PAGE) view_stage_share(r->stage, r->n);
  return status;
}

static csim_status make_output(const view_options *o, const runs *r, csim_log *log,
                               view_written *written) {
  switch (o->output) {
  case VIEW_FRAMES:
    return view_film_frames(r->stage, r->n, log, written);
  case VIEW_MOVIE:
    return view_film_movie(r->stage, r->n, log, written);
  case VIEW_PAGE:
    return view_page_write(r->stage, r->n > 1 ? r->stage + 1 : NULL, log, written);
  case VIEW_SHEET:
    break;
  }
  return view_film_sheet(r->stage, r->n, log, written);
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
  int same = 0;
  for (int i = 0; i < o->compare.n; i++) same |= tool_is_same_file(o->compare.word[i], o->out);
  for (int i = 0; i < o->npath; i++) same |= tool_is_same_file(o->path[i], o->out);
  if (!same) return CSIM_OK;
  csim_log_print(log, CSIM_ERROR, o->out, "the output would replace this input");
  return CSIM_INVALID;
}

static csim_status run(view_options *o, csim_log *log, teller *t) {
  runs r = {.n = 1 + o->compare.n};
  view_written written = {0};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  r.sequence = calloc((size_t)r.n, sizeof *r.sequence);
  r.stage = calloc((size_t)r.n, sizeof *r.stage);
  csim_status status = r.sequence && r.stage ? spare_inputs(o, log) : CSIM_MEMORY;
  if (!status) status = view_sequence_open(o->npath, o->path, log, r.sequence);
  if (!status) status = choose_mode(r.sequence, log, o);
  for (int k = 1; !status && k < r.n; k++)
    status = view_sequence_open(1, &o->compare.word[k - 1], log, r.sequence + k);
  if (!status) status = set_stages(o, log, &r);
  if (!status) status = make_output(o, &r, log, &written);
  if (status == CSIM_MEMORY && !*t->text)
    write_message(t, &(csim_message){.level = CSIM_ERROR, .text = "out of memory"});
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds =
      (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  if (o->json) print_json(status, o, r.stage, &written, t, seconds);
  for (int k = 0; k < r.n; k++) {
    if (r.stage) view_stage_free(r.stage + k);
    if (r.sequence) view_sequence_close(r.sequence + k);
  }
  free(r.stage);
  free(r.sequence);
  return status;
}

int main(int argc, char **argv) {
  teller t = {0};
  csim_log log = {.write = write_message, .user = &t};
  view_options o;
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is reported like a full disk
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
