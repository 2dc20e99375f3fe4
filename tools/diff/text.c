// tools/diff/text.c: the report for people, and the annotations of a CI. See diff.h.
#include "diff/diff.h"

static void print_spot(const diff_comparison *c, const char *what, const diff_spot *s) {
  printf("%-22s frame %lld, object \"%s\", vertex %d, distance %.9g\n", what, s->frame,
         diff_pair_name(c, s->pair), s->vertex, s->distance);
  printf("%-22s (%.9g, %.9g, %.9g) and (%.9g, %.9g, %.9g)\n", "", s->x[0][0], s->x[0][1],
         s->x[0][2], s->x[1][0], s->x[1][1], s->x[1][2]);
}

// Runs of frames that follow each other, as "3-5"; steps that are even are no run.
typedef struct ranges {
  FILE *out;
  int open, count;
  long long first, last;
} ranges;

static void end_range(ranges *r) {
  if (!r->open) return;
  fprintf(r->out, r->count++ ? ", %lld" : "%lld", r->first);
  if (r->last > r->first) fprintf(r->out, "%s%lld", r->last == r->first + 1 ? ", " : "-", r->last);
  r->open = 0;
}

static void add_number(ranges *r, long long number) {
  if (r->open && number != r->last + 1) end_range(r);
  if (!r->open) r->first = number;
  r->open = 1;
  r->last = number;
}

void diff_print_frames(const diff_run *run, const diff_comparison *c, FILE *out) {
  ranges r = {.out = out};
  for (int f = 0; f < c->nframe; f++)
    if (diff_frame_fails(run, &c->frame[f])) add_number(&r, c->frame[f].number);
  end_range(&r);
}

static void print_topology(const diff_run *run, const diff_comparison *c) {
  printf("%-22s %s\n", "topology", c->found.topology ? "DIFFERS" : "same");
  for (int k = 0; k < 2; k++)
    if (c->only_objects[k] && c->found.topology)
      printf("%-22s only in %s: \"%s\"%s\n", "", run->side[k].path, c->only_object[k],
             c->only_objects[k] > 1 ? " and others" : "");
  for (int i = 0; i < c->npair; i++)
    if (c->pair[i].faces_differ) {
      const csim_cache_object *o = &c->source[0]->info->object[c->pair[i].index[0]];
      const csim_cache_object *q = &c->source[1]->info->object[c->pair[i].index[1]];
      printf("%-22s \"%s\": %d vertices, %d faces; %d vertices, %d faces\n", "", o->name, o->nvert,
             o->nface, q->nvert, q->nface);
    }
}

static void print_curve(const diff_comparison *c) {
  for (int f = 0; f < c->nframe; f++) {
    const diff_frame *p = &c->frame[f];
    printf("frame %lld: max %.9g, rms %.9g, over %.4g %%", p->number, p->s.max, diff_rms(&p->s),
           diff_over_percent(&p->s));
    if (c->found.topology) printf(", hausdorff %.9g", p->hausdorff);
    if (p->missing) printf(", %d objects missing", p->missing);
    if (p->unreadable) printf(", %d objects unreadable", p->unreadable);
    putchar('\n');
  }
}

static void print_frames(const diff_run *run, const diff_comparison *c) {
  printf("%-22s %d in both", "frames", c->nframe);
  for (int k = 0; k < 2; k++)
    if (c->only_frames[k]) {
      ranges r = {.out = stdout};
      printf("; %lld ONLY IN %s, first %lld (", c->only_frames[k], run->side[k].path,
             c->only_frame[k][0]);
      for (long long i = 0; i < c->only_frames[k]; i++) add_number(&r, c->only_frame[k][i]);
      end_range(&r);
      putchar(')');
    }
  putchar('\n');
  if (c->missing) printf("%-22s %lld times an object lacks a frame\n", "MISSING", c->missing);
  if (c->unreadable)
    printf("%-22s %lld times a frame of an object cannot be read\n", "UNREADABLE", c->unreadable);
}

// Every object on a line, when there are several or one that fails.
static void print_objects(const diff_run *run, const diff_comparison *c) {
  if (c->npair < 2) return;
  printf("%-22s %-20s %9s %10s %10s %8s %7s %6s\n", "objects", "name", "vertices", "max", "rms",
         "over", "failing", "first");
  for (int i = 0; i < c->npair; i++) {
    const diff_pair *p = &c->pair[i];
    printf("%-22s %-20s %9d %10.4g %10.4g %6.3g %% %7lld", diff_pair_fails(run, p) ? "  FAILS" : "",
           diff_pair_name(c, i), p->nvert, p->s.max, diff_rms(&p->s), diff_over_percent(&p->s),
           p->failing);
    if (p->failing)
      printf(" %6lld\n", p->first_failing);
    else
      puts("      -");
  }
}

static void print_comparison(const diff_run *run, const diff_comparison *c) {
  int differs = diff_differs(run, c);
  print_topology(run, c);
  print_frames(run, c);
  if (c->found.fps)
    printf("%-22s DIFFERS: %g and %g\n", "frames per second", c->source[0]->info->fps,
           c->source[1]->info->fps);
  if (c->found.up) printf("%-22s DIFFERS\n", "up axis");
  if (c->found.tags) printf("%-22s DIFFER\n", "groups and materials");
  if (c->found.uvs) printf("%-22s DIFFER\n", "texture coordinates");
  if (c->found.velocities) printf("%-22s only one side has them\n", "VELOCITIES");
  for (int k = 0; k < 2; k++)
    if (c->all.not_finite[k])
      printf("%-22s %lld vertices in %s, first in frame %lld\n", "NaN OR INFINITE",
             c->all.not_finite[k], run->side[k].path, c->nan_frame[k]);
  if (differs) {
    long long failing = 0;
    for (int f = 0; f < c->nframe; f++) failing += diff_frame_fails(run, &c->frame[f]);
    if (failing) {
      printf("%-22s %lld of %d: ", "failing frames", failing, c->nframe);
      diff_print_frames(run, c, stdout);
      putchar('\n');
    }
  }
  if (c->differs) print_spot(c, "first differing frame", &c->first);
  if (c->worst.distance > 0) print_spot(c, "worst", &c->worst);
  if (c->all.vertices)
    printf("%-22s max %.9g, rms %.9g, p99 %.3g, over tolerance %.4g %%\n", "distance", c->all.max,
           diff_rms(&c->all), diff_percentile99(c), diff_over_percent(&c->all));
  if (run->options->velocities && (c->velocity_max > 0 || c->velocity_over))
    printf("%-22s max %.9g, over tolerance %lld times\n", "velocity", c->velocity_max,
           c->velocity_over);
  if (c->found.topology && c->hausdorff >= 0)
    printf("%-22s %.9g: frame %lld, object \"%s\", vertex %d of %s\n", "Hausdorff distance",
           c->hausdorff, c->farthest.frame, diff_pair_name(c, c->farthest.pair), c->farthest.vertex,
           run->side[c->farthest_side].path);
  print_objects(run, c);
}

static void print_unread(const diff_run *run) {
  for (int k = 0; k < 2; k++) {
    const diff_side *side = &run->side[k];
    for (int i = 0; i < side->nunread; i++)
      if (!side->unread[i].equal)
        printf("%-22s %s%s%s: this format is not read, and its bytes differ\n", "NOT READ",
               side->is_folder ? side->path : "", side->is_folder ? "/" : "", side->unread[i].name);
      else if (k == 0)
        printf("%-22s %s: equal bytes\n", "not read", side->unread[i].name);
    for (int s = 0; s < side->nsource; s++) {
      const diff_source *source = &side->source[s];
      for (int o = 0; source->s && o < source->info->nobject; o++)
        if (diff_is_lonely(run, k, s, o))
          printf("%-22s only in %s (%s): \"%s\"\n", "OBJECT", side->path, source->kind,
                 source->info->object[o].name);
    }
    if (side->nother)
      printf("%-22s %d other files in %s, %s%s\n", "not looked at", side->nother, side->path,
             side->other ? side->other : "", side->nother > 1 ? " among them" : "");
  }
}

void diff_print_text(const diff_run *run) {
  static const char *const verdicts[] = {"same", "different", "cannot tell"};
  char kinds[64];
  for (int i = 0; i < run->ncomparison && run->options->curve; i++) {
    diff_kinds(&run->comparison[i], kinds);
    if (run->ncomparison > 1) printf("%s:\n", kinds);
    print_curve(&run->comparison[i]);
  }
  puts(verdicts[run->verdict]);
  for (int i = 0; i < run->ncomparison; i++) {
    const diff_comparison *c = &run->comparison[i];
    diff_kinds(c, kinds);
    if (run->ncomparison > 1)
      printf("%s: %s\n", kinds, diff_differs(run, c) ? "different" : "same");
    print_comparison(run, c);
  }
  print_unread(run);
  for (int i = 0; i < run->nnot_compared; i++)
    printf("%-22s %s\n", "not compared", run->not_compared[i]);
}

// ------------------------------------------------------------------------------------ annotations

// GitHub ends a command at a line break, and reads these three as %XX.
static void print_escaped(const char *text, FILE *out) {
  for (; *text; text++)
    if (*text == '%' || *text == '\r' || *text == '\n' || *text == ':' || *text == ',')
      fprintf(out, "%%%02X", (unsigned char)*text);
    else
      fputc(*text, out);
}

static void annotate_lonely(const diff_run *run, int side, const char *object) {
  fputs("::error title=clothdiff ", stderr);
  print_escaped(object, stderr);
  fputs("::only in ", stderr);
  print_escaped(run->side[side].path, stderr);
  fputc('\n', stderr);
}

// One error for each object that differs, as GitHub Actions shows them beside the job.
void diff_print_annotations(const diff_run *run) {
  char kinds[64];
  for (int i = 0; i < run->ncomparison; i++) {
    const diff_comparison *c = &run->comparison[i];
    int printed = 0;
    diff_kinds(c, kinds);
    for (int k = 0; k < c->npair; k++) {
      const diff_pair *p = &c->pair[k];
      if (!diff_pair_fails(run, p)) continue;
      fputs("::error title=clothdiff ", stderr);
      print_escaped(diff_pair_name(c, k), stderr);
      fprintf(stderr, " (%s)::%lld frames fail, first %lld; largest distance %.6g; ", kinds,
              p->failing, p->first_failing, p->s.max);
      print_escaped(run->side[0].path, stderr);
      fputs(" and ", stderr);
      print_escaped(run->side[1].path, stderr);
      fputc('\n', stderr);
      printed = 1;
    }
    if (!printed && diff_differs(run, c)) {
      fprintf(stderr, "::error title=clothdiff (%s)::objects, frames, rate or up axis differ; ",
              kinds);
      print_escaped(run->side[0].path, stderr);
      fputs(" and ", stderr);
      print_escaped(run->side[1].path, stderr);
      fputc('\n', stderr);
    }
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < run->side[k].nsource; i++) {
      const diff_source *source = &run->side[k].source[i];
      for (int o = 0; source->s && o < source->info->nobject; o++)
        if (diff_is_lonely(run, k, i, o)) annotate_lonely(run, k, source->info->object[o].name);
    }
  if (run->verdict == DIFF_TROUBLE)
    fputs("::error title=clothdiff::the comparison is not complete\n", stderr);
}
