// tools/clothdiff.c: finds, locates and measures the difference of two runs. tools/diff/ has the
// work: what both sides hold, their comparison, the reports.
#include "diff/diff.h"

#include <math.h>
#include <signal.h>

static diff_run run;

static void print_help(void) {
  fputs(
      "usage: clothdiff [options] A B\n"
      "\n"
      "Compares two runs vertex by vertex. Each side is the folder of a run, of which every "
      "output is\n"
      "compared, or a cache, an Alembic or USD file, a PC2 or MDD point cache, or an OBJ, PLY or\n"
      "STL file.\n"
      "\n"
      "  --atol D            a vertex may move by D + R times the diagonal of the object's box\n"
      "  --rtol R            (default: D = 0, R = 1e-6)\n"
      "  --ulp N             instead: every coordinate may be off by N float steps\n"
      "  --exact             instead: every bit must be equal\n"
      "  --fail-percent P    up to P % of the vertices may be over the tolerance\n"
      "  --hard-fail D       but none by more than D\n"
      "  --frames A:B[:STEP] only these frame numbers\n"
      "  --object NAME       only this object; may be repeated\n"
      "  --velocities        velocities too; a frame's time times these may be off as much\n"
      "  --tags              groups and materials of faces too\n"
      "  --uvs               texture coordinates too\n"
      "  --curve             a line for each frame\n"
      "  --heat FILE.ply     on a difference: the worst frame of A, with the distance at each "
      "vertex\n"
      "  --picture FILE.png  on a difference: the worst frame of both, side by side, drawn by "
      "clothview\n"
      "  --json              the report as one JSON object, whatever the exit status\n"
      "  --junit FILE.xml    the report as JUnit XML too\n"
      "  --annotate          errors as GitHub Actions shows them, on stderr\n"
      "  -h, --help, --version\n"
      "\n"
      "USD files are converted by clothusd. VTK and glTF files, and USD without it, are compared\n"
      "by their bytes: where these differ, the status is 2.\n"
      "\n"
      "Exit status: 0 same, 1 different, 2 cannot tell (usage, unreadable input).\n",
      stdout);
}

// ------------------------------------------------------------------------------------ command line

static void keep_error(diff_run *r, const char *file, const char *text) {
  size_t size = (file ? strlen(file) : 0) + strlen(text) + 3;
  char *copy = r->nerror < DIFF_MAX_ERROR ? malloc(size) : NULL;
  if (!copy) return;
  snprintf(copy, size, "%s%s%s", file ? file : "", file ? ": " : "", text);
  r->error[r->nerror++] = copy;
}

int diff_trouble(diff_run *r, const char *file, const char *text) {
  fprintf(stderr, "clothdiff: %s%s%s\n", file ? file : "", file ? ": " : "", text);
  keep_error(r, file, text);
  return DIFF_TROUBLE;
}

// Messages of the library go to stderr and are kept for the reports.
static void take_message(void *user, const csim_message *m) {
  diff_run *r = user;
  tool_message(&r->log, m);
  if (m->level == CSIM_ERROR) keep_error(r, m->file, m->text);
}

static int usage(const char *what, const char *word) {
  char text[400];
  snprintf(text, sizeof text, "%s%s%s; try clothdiff --help", what, word ? " " : "",
           word ? word : "");
  return diff_trouble(&run, NULL, text);
}

// A word without a value. @return whether it is one
static int read_switch(const char *word, diff_options *a) {
  struct {
    const char *name;
    int *value;
  } switches[] = {{"--exact", &a->exact}, {"--json", &a->json},
                  {"--curve", &a->curve}, {"--annotate", &a->annotate},
                  {"--tags", &a->tags},   {"--velocities", &a->velocities},
                  {"--uvs", &a->uvs}};
  for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
    if (!strcmp(word, switches[k].name)) return *switches[k].value = 1;
  return 0;
}

static int is_picture(const char *name) {
  size_t n = strlen(name);
  return n > 4 && !strcmp(name + n - 4, ".png");
}

static int read_option(int argc, char **argv, int *i, diff_options *a) {
  struct {
    const char *name;
    double *value;
  } numbers[] = {{"--atol", &a->atol},
                 {"--rtol", &a->rtol},
                 {"--ulp", &a->ulp},
                 {"--fail-percent", &a->fail_percent},
                 {"--hard-fail", &a->hard_fail}};
  const char *word = argv[*i], *v;
  int bad = 0, known = 0;
  if (read_switch(word, a)) return 0;
  for (int k = 0; k < 5 && !known; k++)
    if ((v = tool_option(argc, argv, i, numbers[k].name, NULL))) {
      known = 1;
      bad = tool_read_number(v, numbers[k].value) || *numbers[k].value < 0;
    }
  if (known)
    return bad ? usage(a->picture == v && v ? "wants the name of a PNG file:" : "bad value for",
                       word)
               : 0;
  if ((v = tool_option(argc, argv, i, "--frames", NULL)))
    bad = tool_read_range(v, &a->frames);
  else if ((v = tool_option(argc, argv, i, "--object", NULL)))
    bad = !*v || a->npick == DIFF_MAX_PICK || !(a->pick[a->npick++] = v);
  else if ((v = tool_option(argc, argv, i, "--heat", NULL)))
    bad = !*(a->heat = v);
  else if ((v = tool_option(argc, argv, i, "--picture", NULL)))
    bad = !is_picture(a->picture = v);
  else if ((v = tool_option(argc, argv, i, "--junit", NULL)))
    bad = !*(a->junit = v);
  else
    return usage("unknown option", word);
  return bad ? usage(a->picture == v && v ? "wants the name of a PNG file:" : "bad value for", word)
             : 0;
}

static int read_arguments(int argc, char **argv, diff_options *a) {
  int trouble = 0;
  *a = (diff_options){.ulp = -1, .rtol = -1, .hard_fail = INFINITY};
  tool_read_range(":", &a->frames);
  for (int i = 1; i < argc; i++) // to the end, so that --json is known whatever is wrong
    if (argv[i][0] == '-' && argv[i][1])
      trouble |= read_option(argc, argv, &i, a);
    else if (!a->path[0])
      a->path[0] = argv[i];
    else if (!a->path[1])
      a->path[1] = argv[i];
    else
      trouble |= usage("two sides, not also", argv[i]);
  // a tolerance that is asked for replaces the default one
  if (a->rtol < 0) a->rtol = a->atol > 0 ? 0 : 1e-6;
  return trouble || a->path[1] ? trouble : usage("which two runs?", NULL);
}

// ---------------------------------------------------------------------------------------- verdict

// What both sides hold and nobody has asked to compare; or was asked for and is nowhere.
static int check_contents(void) {
  int velocities = 0, tags = 0, uvs = 0, pressures = 0, strain = 0, samples = 0, looks = 0;
  int compared[3] = {0};
  for (int i = 0; i < run.ncomparison; i++)
    for (int k = 0; k < run.comparison[i].npair; k++) {
      const diff_comparison *c = &run.comparison[i];
      const diff_pair *p = &c->pair[k];
      const csim_cache_object *a = &c->source[0]->info->object[p->index[0]],
                              *b = &c->source[1]->info->object[p->index[1]];
      velocities |= a->has_velocity || b->has_velocity;
      pressures |= a->has_pressure || b->has_pressure;
      strain |= a->has_strain || b->has_strain;
      samples |= a->nsample || b->nsample;
      looks |= a->nnormal || b->nnormal || a->colour || b->colour;
      tags |= a->ntag || b->ntag;
      uvs |= a->nuv || b->nuv || a->nuv_set || b->nuv_set;
      compared[0] |= p->has_velocity || c->found.velocities;
      compared[1] |= p->tags >= 0;
      compared[2] |= p->uvs >= 0;
    }
  const diff_options *a = run.options;
  if (velocities && !a->velocities)
    run.not_compared[run.nnot_compared++] = "velocities (--velocities)";
  if (pressures) run.not_compared[run.nnot_compared++] = "contact pressures";
  if (strain) run.not_compared[run.nnot_compared++] = "strain";
  if (samples) run.not_compared[run.nnot_compared++] = "samples between frames";
  if (looks) run.not_compared[run.nnot_compared++] = "normals and colours";
  if (tags && !a->tags) run.not_compared[run.nnot_compared++] = "groups and materials (--tags)";
  if (uvs && !a->uvs) run.not_compared[run.nnot_compared++] = "texture coordinates (--uvs)";
  int trouble = 0;
  if (a->velocities && !compared[0])
    trouble = diff_trouble(&run, NULL, "--velocities: there are no velocities on both sides");
  if (a->tags && !compared[1])
    trouble = diff_trouble(&run, NULL, "--tags: no format with groups on both sides");
  if (a->uvs && !compared[2])
    trouble = diff_trouble(&run, NULL, "--uvs: no format with texture coordinates on both sides");
  return trouble;
}

static int is_somewhere(const char *name) {
  int found = 0;
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < run.side[k].nsource; s++) {
      const diff_source *source = &run.side[k].source[s];
      for (int o = 0; source->s && o < source->info->nobject; o++)
        found |= !strcmp(source->info->object[o].name, name);
    }
  return found;
}

static int check_picks(void) {
  int trouble = 0;
  for (int i = 0; i < run.options->npick; i++)
    if (!is_somewhere(run.options->pick[i]))
      trouble = diff_trouble(&run, run.options->pick[i], "no object of that name on either side");
  return trouble;
}

// Objects that were compared with nothing are only on one side, and outputs that were not read may
// hold anything.
static int check_completeness(int *differs) {
  int trouble = 0, something = 0;
  for (int k = 0; k < 2; k++) {
    const diff_side *side = &run.side[k];
    for (int i = 0; i < side->nunread; i++)
      if (side->unread[i].equal)
        something = 1;
      else
        trouble = diff_trouble(&run, side->unread[i].name,
                               "not read, and its bytes differ or are only on one side: compare "
                               "the cache, or export to a format that is read");
    for (int s = 0; s < side->nsource; s++)
      for (int o = 0; side->source[s].s && o < side->source[s].info->nobject; o++)
        *differs |= diff_is_lonely(&run, k, s, o);
  }
  long long frames = 0;
  for (int i = 0; i < run.ncomparison; i++) {
    const diff_comparison *c = &run.comparison[i];
    frames += c->nframe + c->only_frames[0] + c->only_frames[1];
    *differs |= diff_differs(&run, c);
  }
  if (!frames && !something && !*differs && !trouble)
    return diff_trouble(&run, NULL, "no frames to compare");
  return trouble;
}

// Reports must not replace what is compared, nor each other. Those that would are not written.
static int check_outputs(diff_options *a) {
  static const char *const name[] = {"--heat", "--picture", "--junit"};
  const char **const out[] = {&a->heat, &a->picture, &a->junit};
  char text[100];
  int trouble = 0;
  for (int i = 0; i < 3; i++) {
    *text = 0;
    for (int k = 0; k < i && *out[i]; k++)
      if (*out[k] && (!strcmp(*out[k], *out[i]) || tool_is_same_file(*out[k], *out[i])))
        snprintf(text, sizeof text, "%s and %s have the same name", name[k], name[i]);
    if (*out[i] && (diff_owns(a->path[0], *out[i]) || diff_owns(a->path[1], *out[i])))
      snprintf(text, sizeof text, "%s would replace this file, which is compared", name[i]);
    if (!*text) continue;
    trouble = diff_trouble(&run, *out[i], text);
    *out[i] = NULL;
  }
  return trouble;
}

// Frames that read well do not show damage elsewhere in a cache: its statistics, its index, its
// end. One that is still written (.part) may lack its end; with --frames the rest may be anything.
static void check_caches(void) {
  static const char unfinished[] = ".part";
  if (!tool_is_everything(&run.options->frames)) return;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < run.side[k].nsource && !run.damaged; i++) {
      csim_sequence *s = run.side[k].source[i].s;
      csim_cache *cache = s ? csim_sequence_get_cache(s) : NULL;
      if (!cache) continue;
      const csim_cache_info *info = csim_cache_get_info(cache);
      size_t n = strlen(info->file), m = strlen(unfinished);
      int open = !info->complete && n > m && !strcmp(info->file + n - m, unfinished);
      if (!open && csim_cache_verify(cache, NULL, NULL)) run.damaged = 1;
    }
}

// A difference that was found is one, whatever could not be read.
static void judge(void) {
  int differs = 0, trouble = diff_find(&run);
  for (int i = 0; i < run.ncomparison && !trouble; i++)
    trouble = diff_compare(&run, &run.comparison[i]);
  if (!trouble) {
    check_caches();
    trouble = check_contents();
    int misnamed = check_picks();
    if (check_completeness(&differs)) trouble = DIFF_TROUBLE;
    run.verdict = run.damaged || misnamed ? DIFF_TROUBLE : differs ? DIFF_DIFFER : trouble;
  } else {
    run.verdict = DIFF_TROUBLE;
  }
}

// The comparison that --heat and --picture show: the one with the worst distance.
static double largest_distance(const diff_comparison *c) {
  return c->worst.distance > c->hausdorff ? c->worst.distance : c->hausdorff;
}

static int show_worst(void) {
  diff_comparison *worst = NULL;
  int trouble = 0;
  for (int i = 0; i < run.ncomparison; i++)
    if (largest_distance(&run.comparison[i]) > (worst ? largest_distance(worst) : 0))
      worst = &run.comparison[i];
  if (worst && worst->worst.distance > 0 && run.options->heat)
    trouble = diff_write_heat(&run, worst);
  if (worst && run.options->picture) trouble |= diff_write_picture(&run, worst);
  return trouble;
}

int main(int argc, char **argv) {
  static diff_options a;
  tool_log_init("clothdiff", &run.log);
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is reported like a full disk
  run.log.log = (csim_log){.write = take_message, .user = &run};
  run.options = &a;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) return print_help(), DIFF_SAME;
    if (!strcmp(argv[i], "--version")) return puts("clothdiff " CSIM_VERSION), DIFF_SAME;
  }
  int bad = read_arguments(argc, argv, &a);
  if (!bad) bad = check_outputs(&a);
  run.verdict = bad;
  if (!bad) judge();
  if (run.verdict == DIFF_DIFFER && show_worst()) run.verdict = DIFF_TROUBLE;
  if (a.junit && diff_write_junit(&run)) run.verdict = DIFF_TROUBLE;
  if (a.annotate && run.verdict) diff_print_annotations(&run);
  if (a.json)
    diff_print_json(&run);
  else if (run.ncomparison || run.side[0].nunread || run.side[1].nunread)
    diff_print_text(&run);
  int status = run.verdict;
  diff_release(&run);
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "clothdiff: standard output: cannot write\n");
    status = DIFF_TROUBLE;
  }
  return status;
}
