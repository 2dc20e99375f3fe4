// tools/diff/data.c: the report as JSON and as JUnit XML. See diff.h.
#include "diff/diff.h"

// ------------------------------------------------------------------------------------------- JSON

static void json_number(const char *key, double value) {
  printf(", \"%s\": ", key);
  tool_json_number(stdout, value);
}

static void json_text(const char *key, const char *value) {
  printf("\"%s\": ", key);
  tool_json_string(stdout, value);
}

static void json_spot(const diff_comparison *c, const char *key, const diff_spot *s) {
  printf(", \"%s\": {\"frame\": %lld, \"object\": ", key, s->frame);
  tool_json_string(stdout, diff_pair_name(c, s->pair));
  printf(", \"vertex\": %d", s->vertex);
  json_number("distance", s->distance);
  for (int k = 0; k < 2; k++) {
    printf(", \"%s\": [", k ? "b" : "a");
    for (int i = 0; i < 3; i++) {
      if (i) fputs(", ", stdout);
      tool_json_number(stdout, s->x[k][i]);
    }
    putchar(']');
  }
  putchar('}');
}

static void json_sums(const diff_sums *s) {
  json_number("max", s->max);
  json_number("rms", diff_rms(s));
  json_number("over_percent", diff_over_percent(s));
}

static const char *same_word(int differs) {
  return differs < 0 ? "not compared" : differs ? "differs" : "same";
}

static void json_objects(const diff_run *run, const diff_comparison *c) {
  fputs(", \"objects\": [", stdout);
  for (int i = 0; i < c->npair; i++) {
    const diff_pair *p = &c->pair[i];
    fputs(i ? ", {" : "{", stdout);
    json_text("name", diff_pair_name(c, i));
    printf(", \"same\": %s, \"vertices\": %d, \"topology\": \"%s\"",
           diff_pair_fails(run, p) ? "false" : "true", p->nvert, same_word(p->faces_differ));
    json_sums(&p->s);
    printf(", \"not_finite\": [%lld, %lld], \"failing\": %lld", p->s.not_finite[0],
           p->s.not_finite[1], p->failing);
    if (p->failing) printf(", \"first_failing\": %lld", p->first_failing);
    printf(", \"missing\": [%lld, %lld], \"unreadable\": %lld", p->missing[0], p->missing[1],
           p->unreadable);
    printf(", \"tags\": \"%s\", \"uvs\": \"%s\"", same_word(p->tags), same_word(p->uvs));
    if (p->has_velocity) {
      json_number("velocity_max", p->velocity_max);
      printf(", \"velocity_over\": %lld", p->velocity_over);
    }
    putchar('}');
  }
  putchar(']');
}

static void json_frames(const diff_run *run, const diff_comparison *c) {
  int n = 0;
  fputs(", \"failing\": [", stdout);
  for (int f = 0; f < c->nframe; f++)
    if (diff_frame_fails(run, &c->frame[f])) printf(n++ ? ", %lld" : "%lld", c->frame[f].number);
  fputs("], \"curve\": [", stdout);
  for (int f = 0; f < c->nframe; f++) {
    const diff_frame *p = &c->frame[f];
    printf("%s{\"frame\": %lld", f ? ", " : "", p->number);
    json_sums(&p->s);
    if (c->found.topology) json_number("hausdorff", p->hausdorff);
    if (run->options->velocities) json_number("velocity_max", p->velocity_max);
    if (p->missing) printf(", \"missing\": %d", p->missing);
    if (p->unreadable) printf(", \"unreadable\": %d", p->unreadable);
    putchar('}');
  }
  putchar(']');
}

// Names of the objects that only one of two outputs has.
static void json_missing(const diff_run *run, const diff_comparison *c) {
  for (int k = 0; k < 2; k++) {
    const csim_sequence_info *info = c->source[k]->info;
    int n = 0;
    printf(", \"objects_only_%c\": [", "ab"[k]);
    for (int o = 0; o < info->nobject; o++) {
      int paired = !diff_is_picked(run->options, info->object[o].name);
      for (int i = 0; i < c->npair; i++) paired |= c->pair[i].index[k] == o;
      if (paired) continue;
      if (n++) fputs(", ", stdout);
      tool_json_string(stdout, info->object[o].name);
    }
    putchar(']');
  }
}

static void json_comparison(const diff_run *run, const diff_comparison *c) {
  putchar('{');
  json_text("kind_a", c->source[0]->kind);
  fputs(", ", stdout);
  json_text("kind_b", c->source[1]->kind);
  printf(", \"same\": %s, \"topology\": \"%s\"", diff_differs(run, c) ? "false" : "true",
         same_word(c->found.topology));
  printf(", \"frames\": {\"both\": %d, \"only_a\": %lld, \"only_b\": %lld}", c->nframe,
         c->only_frames[0], c->only_frames[1]);
  for (int k = 0; k < 2; k++) {
    printf(", \"only_%c\": [", "ab"[k]);
    for (long long i = 0; i < c->only_frames[k]; i++)
      printf(i ? ", %lld" : "%lld", c->only_frame[k][i]);
    putchar(']');
  }
  json_missing(run, c);
  printf(", \"fps\": \"%s\", \"up\": \"%s\"", same_word(c->found.fps), same_word(c->found.up));
  printf(", \"not_finite\": {\"a\": %lld, \"b\": %lld}", c->all.not_finite[0],
         c->all.not_finite[1]);
  json_sums(&c->all);
  json_number("p99", diff_percentile99(c));
  if (c->differs) json_spot(c, "first", &c->first);
  if (c->worst.distance >= 0) json_spot(c, "worst", &c->worst);
  if (c->found.topology && c->hausdorff >= 0) json_number("hausdorff", c->hausdorff);
  json_objects(run, c);
  json_frames(run, c);
  putchar('}');
}

static void json_unread(const diff_run *run) {
  int n = 0;
  fputs(", \"not_read\": [", stdout);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < run->side[k].nunread; i++) {
      const diff_unread *u = &run->side[k].unread[i];
      fputs(n++ ? ", {" : "{", stdout);
      printf("\"side\": \"%c\", ", "ab"[k]);
      json_text("file", u->name);
      printf(", \"equal_bytes\": %s}", u->equal ? "true" : "false");
    }
  fputs("], \"only\": [", stdout);
  n = 0;
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < run->side[k].nsource; s++) {
      const diff_source *source = &run->side[k].source[s];
      for (int o = 0; source->s && o < source->info->nobject; o++) {
        if (!diff_is_lonely(run, k, s, o)) continue;
        printf("%s{\"side\": \"%c\", ", n++ ? ", " : "", "ab"[k]);
        json_text("object", source->info->object[o].name);
        fputs(", ", stdout);
        json_text("kind", source->kind);
        putchar('}');
      }
    }
  putchar(']');
}

void diff_print_json(const diff_run *run) {
  printf("{\"status\": %d, \"same\": %s", run->verdict,
         run->verdict == DIFF_SAME     ? "true"
         : run->verdict == DIFF_DIFFER ? "false"
                                       : "null");
  fputs(", \"errors\": [", stdout);
  for (int i = 0; i < run->nerror; i++) {
    if (i) fputs(", ", stdout);
    tool_json_string(stdout, run->error[i]);
  }
  putchar(']');
  json_unread(run);
  fputs(", \"not_compared\": [", stdout);
  for (int i = 0; i < run->nnot_compared; i++) {
    if (i) fputs(", ", stdout);
    tool_json_string(stdout, run->not_compared[i]);
  }
  fputs("], \"comparisons\": [", stdout);
  for (int i = 0; i < run->ncomparison; i++) {
    if (i) fputs(", ", stdout);
    json_comparison(run, &run->comparison[i]);
  }
  puts("]}");
}

// ------------------------------------------------------------------------------------------ JUnit

// XML knows no control characters, not even escaped, and no other bytes than UTF-8.
static void xml_text(const char *text, FILE *out) {
  for (int n; *text; text += n) {
    unsigned char c = (unsigned char)*text;
    n = tool_character(text);
    if (c == '&')
      fputs("&amp;", out);
    else if (c == '<')
      fputs("&lt;", out);
    else if (c == '>')
      fputs("&gt;", out);
    else if (c == '"')
      fputs("&quot;", out);
    else if (n == 0 || c < 0x20 || c == 0x7f || !strncmp(text, "\xef\xbf\xbe", 3) ||
             !strncmp(text, "\xef\xbf\xbf", 3)) // U+FFFE and U+FFFF
      fputc('?', out);
    else
      fwrite(text, 1, (size_t)n, out);
    n += !n;
  }
}

static void begin_case(FILE *out, const char *kinds, const char *name) {
  fprintf(out, "  <testcase classname=\"clothdiff.%s\" name=\"", kinds);
  xml_text(name, out);
  fputs("\">\n", out);
}

static void object_case(const diff_run *run, const diff_comparison *c, int pair, FILE *out) {
  const diff_pair *p = &c->pair[pair];
  char kinds[64];
  diff_kinds(c, kinds);
  begin_case(out, kinds, diff_pair_name(c, pair));
  if (diff_pair_fails(run, p)) {
    fprintf(
        out,
        "    <failure type=\"difference\" message=\"%lld frames fail, first %lld; largest distance "
        "%.9g\">"
        "topology %s, max %.9g, rms %.9g, over tolerance %.6g %%, not finite %lld and %lld, "
        "missing %lld and %lld, unreadable %lld</failure>\n",
        p->failing, p->first_failing, p->s.max, same_word(p->faces_differ), p->s.max,
        diff_rms(&p->s), diff_over_percent(&p->s), p->s.not_finite[0], p->s.not_finite[1],
        p->missing[0], p->missing[1], p->unreadable);
  }
  fputs("  </testcase>\n", out);
}

// Frames, objects, rate, axis and whatever else makes a difference that no single object shows.
static int run_case_fails(const diff_run *run, const diff_comparison *c) {
  int pairs = 0;
  for (int k = 0; k < c->npair; k++) pairs |= diff_pair_fails(run, &c->pair[k]);
  return c->only_frames[0] || c->only_frames[1] || c->found.topology || c->found.fps ||
         c->found.up || c->found.tags || c->found.uvs || c->found.velocities ||
         (diff_differs(run, c) && !pairs);
}

static void comparison_cases(const diff_run *run, const diff_comparison *c, FILE *out) {
  char kinds[64];
  diff_kinds(c, kinds);
  begin_case(out, kinds, "frames and objects");
  if (run_case_fails(run, c)) {
    fprintf(out,
            "    <failure type=\"difference\" message=\"frames only in one side: %lld and %lld; "
            "objects: %d and %d\">topology %s, frame rate %s, up axis %s%s%s%s</failure>\n",
            c->only_frames[0], c->only_frames[1], c->only_objects[0], c->only_objects[1],
            same_word(c->found.topology), same_word(c->found.fps), same_word(c->found.up),
            c->found.tags ? ", groups or materials differ" : "",
            c->found.uvs ? ", texture coordinates differ" : "",
            c->found.velocities ? ", velocities are on one side only" : "");
  }
  fputs("  </testcase>\n", out);
  for (int i = 0; i < c->npair; i++) object_case(run, c, i, out);
}

// Objects that were compared with nothing. @return their number
static int lonely_case(const diff_run *run, FILE *out) {
  int n = 0;
  if (out) begin_case(out, "run", "every object was compared");
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < run->side[k].nsource; s++) {
      const diff_source *source = &run->side[k].source[s];
      for (int o = 0; source->s && o < source->info->nobject; o++) {
        if (!diff_is_lonely(run, k, s, o)) continue;
        if (!n++ && out)
          fputs("    <failure type=\"difference\" message=\"objects on one side only\">", out);
        if (!out) continue;
        fprintf(out, "%s: ", source->kind);
        xml_text(source->info->object[o].name, out);
        fputs(" is only in ", out);
        xml_text(run->side[k].path, out);
        fputc('\n', out);
      }
    }
  if (out) fputs(n ? "</failure>\n  </testcase>\n" : "  </testcase>\n", out);
  return n;
}

static void whole_case(const diff_run *run, FILE *out) {
  begin_case(out, "run", "everything was read");
  if (run->verdict == DIFF_TROUBLE) {
    fputs("    <error type=\"incomplete\" message=\"the comparison is not complete\">", out);
    for (int i = 0; i < run->nerror; i++) {
      xml_text(run->error[i], out);
      fputc('\n', out);
    }
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < run->side[k].nunread; i++)
        if (!run->side[k].unread[i].equal) {
          fputs("not read: ", out);
          xml_text(run->side[k].unread[i].name, out);
          fputc('\n', out);
        }
    fputs("</error>\n", out);
  }
  fputs("  </testcase>\n", out);
}

int diff_write_junit(diff_run *run) {
  const char *path = run->options->junit;
  int tests = 2, failures = lonely_case(run, NULL) > 0;
  for (int i = 0; i < run->ncomparison; i++) {
    const diff_comparison *c = &run->comparison[i];
    tests += 1 + c->npair;
    failures += run_case_fails(run, c);
    for (int k = 0; k < c->npair; k++) failures += diff_pair_fails(run, &c->pair[k]);
  }
  FILE *out = fopen(path, "w");
  if (out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"clothdiff ",
          out);
    xml_text(run->options->path[0] ? run->options->path[0] : "", out);
    fputc(' ', out);
    xml_text(run->options->path[1] ? run->options->path[1] : "", out);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", tests, failures,
            run->verdict == DIFF_TROUBLE);
    whole_case(run, out);
    lonely_case(run, out);
    for (int i = 0; i < run->ncomparison; i++) comparison_cases(run, &run->comparison[i], out);
    fputs("</testsuite>\n</testsuites>\n", out);
  }
  int failed = !out || ferror(out);
  if (out && fclose(out)) failed = 1;
  return failed ? diff_trouble(run, path, "cannot write") : 0;
}
