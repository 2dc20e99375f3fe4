// view/options.c: see options.h.
#include "options.h"
#include "png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char view_help[] =
    "clothview: pictures, movies and pages of a simulation.\n"
    "\n"
    "usage: clothview INPUT -o OUTPUT [options]\n"
    "\n"
    "INPUT   a cache (X.clothcache), a directory that clothsim wrote, or mesh files (OBJ, PLY, "
    "STL),\n"
    "        which are the objects of one frame\n"
    "OUTPUT  X.png        contact sheet of first to last frame; one picture with --frame\n"
    "        X_####.png   one picture a frame, numbered\n"
    "        X.mp4        movie (needs ffmpeg)\n"
    "        X.html       page to play, turn and measure in, in one file\n"
    "\n"
    "what to show\n"
    "      --frame N        this frame only\n"
    "      --frames A:B[:S] frames A to B, every S-th\n"
    "      --tiles N        pictures on a contact sheet (9)\n"
    "      --hide NAME      leave this object out; may be repeated\n"
    "      --colour MODE    object, strain, curvature, speed, contact (pressure if the cache has "
    "it,\n"
    "                       else the gap to other surfaces), or\n"
    "                       distance (to --compare)\n"
    "      --range LO:HI    ends of the colours, in the legend's unit\n"
    "      --compare INPUT  a further run, beside the first; may be repeated; in pictures under\n"
    "                       one camera, where --colour distance has the way to the first\n"
    "      --crossings      triangles that pass through others in red\n"
    "  -w, --wire           edges of the polygons\n"
    "camera and film\n"
    "      --camera AZ,EL   degrees about the up axis and above the floor (35,22)\n"
    "      --zoom F         1 fits everything that moves, in all frames\n"
    "      --up y|z         the up axis (default: the cache's, else y)\n"
    "      --floor H|none   height of the floor [m] (the lowest point of all frames)\n"
    "      --size WxH       pixels of one picture\n"
    "      --draft          fewer lights, as in movies and small pictures\n"
    "      --fps F          frames per second of a movie (default: the cache's, else 24)\n"
    "pages\n"
    "      --max-size MB    a page is at most this large (20)\n"
    "      --error E        positions may be off by E metres (none while the page fits)\n"
    "      --decimate N     at most N vertices of each object\n"
    "messages\n"
    "      --json           one JSON object about what was done on stdout\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this; --version\n"
    "\n"
    "exit: 0 done, 2 usage or input, 3 a file could not be read or written, 4 out of memory\n";

static int read_double(const char **text, double *value) {
  char *end;
  *value = strtod(*text, &end);
  int ok = end != *text && isfinite(*value);
  *text = end;
  return ok;
}

static int read_pair(const char *text, char between, double *a, double *b) {
  if (!read_double(&text, a) || *text++ != between) return 0;
  return read_double(&text, b) && !*text;
}

static int read_alone(const char *text, double lo, double hi, double *value) {
  return read_double(&text, value) && !*text && *value >= lo && *value <= hi;
}

static int read_int(const char *text, int lo, int hi, int *value) {
  double d;
  if (!read_alone(text, lo, hi, &d) || d != floor(d)) return 0;
  *value = (int)d;
  return 1;
}

static int read_frames(const char *text, view_options *o) {
  double a, b, s = 1;
  if (!read_double(&text, &a) || *text++ != ':' || !read_double(&text, &b)) return 0;
  if (*text == ':' && (text++, !read_double(&text, &s))) return 0;
  if (*text || fabs(a) > 1e15 || fabs(b) > 1e15 || b < a || !(s >= 1 && s < 1e9)) return 0;
  o->frames.first = (long long)a;
  o->frames.last = (long long)b;
  o->frames.step = (int)s;
  return 1;
}

static int read_size(const char *text, view_options *o) {
  double w, h;
  if (!read_pair(text, 'x', &w, &h)) return 0;
  if (!(w >= 16 && w <= VIEW_MAX_SIDE && h >= 16 && h <= VIEW_MAX_SIDE)) return 0;
  o->width = (int)w;
  o->height = (int)h;
  return 1;
}

static int read_mode(const char *text, view_options *o) {
  for (int m = 0; m < VIEW_NMODE; m++)
    if (!strcmp(text, view_mode_name[m])) return o->mode = (view_mode)m, 1;
  return 0;
}

static int read_floor(const char *text, view_options *o) {
  o->floor.none = !strcmp(text, "none");
  o->floor.given = !o->floor.none;
  return o->floor.none || read_alone(text, -1e15, 1e15, &o->floor.height);
}

static int read_range(const char *text, view_options *o) {
  o->range.given = 1;
  return read_pair(text, ':', &o->range.end[0], &o->range.end[1]) &&
         o->range.end[0] < o->range.end[1];
}

static int read_camera(const char *text, view_options *o) {
  return read_pair(text, ',', &o->aim.azimuth, &o->aim.elevation) && fabs(o->aim.elevation) <= 89;
}

static int read_frame(const char *text, view_options *o) {
  double d;
  if (!read_alone(text, -1e15, 1e15, &d)) return 0;
  o->frames.one = (long long)d;
  return o->frames.has_one = 1;
}

static int read_up(const char *text, view_options *o) {
  o->up = !strcmp(text, "y") ? 1 : !strcmp(text, "z") ? 2 : 0;
  return o->up;
}

/// Options with a value. An error says what the value must be.
static int read_value(const char *name, char *value, view_options *o, const char **wanted) {
#define OPTION(text, hint, read)                                                                   \
  if (!strcmp(name, text)) return *wanted = (hint), (read)
  OPTION("-o", "a file", (o->out = value, *value != 0));
  OPTION("--output", "a file", (o->out = value, *value != 0));
  OPTION("--compare", "a cache or directory",
         (o->compare.word[o->compare.n++] = value, *value != 0));
  OPTION("--hide", "a name", (o->hide.word[o->hide.n++] = value, 1));
  OPTION("--frame", "a number", read_frame(value, o));
  OPTION("--frames", "FIRST:LAST or FIRST:LAST:STEP", read_frames(value, o));
  OPTION("--tiles", "a whole number in 1..400", read_int(value, 1, 400, &o->tiles));
  OPTION("--colour", "object, strain, curvature, speed, contact or distance", read_mode(value, o));
  OPTION("--color", "object, strain, curvature, speed, contact or distance", read_mode(value, o));
  OPTION("--range", "LOW:HIGH, rising", read_range(value, o));
  OPTION("--camera", "AZIMUTH,ELEVATION in degrees, elevation in -89..89", read_camera(value, o));
  OPTION("--zoom", "a number in 0.01..100", read_alone(value, 0.01, 100, &o->aim.zoom));
  OPTION("--up", "y or z", read_up(value, o));
  OPTION("--floor", "a height in metres, or none", read_floor(value, o));
  OPTION("--size", "WIDTHxHEIGHT, 16 to 16384 pixels each", read_size(value, o));
  OPTION("--fps", "a number in 0.1..1000", read_alone(value, 0.1, 1000, &o->fps));
  OPTION("--max-size", "megabytes in 0.1..2000", read_alone(value, 0.1, 2000, &o->page.megabytes));
  OPTION("--error", "metres, >= 0", read_alone(value, 0, 1e6, &o->page.error));
  OPTION("--decimate", "a whole number >= 4", read_int(value, 4, 1 << 27, &o->page.decimate));
#undef OPTION
  *wanted = NULL;
  return 0;
}

static int read_switch(const char *name, view_options *o) {
  const struct {
    const char *name;
    int *flag;
  } known[] = {
      {"-w", &o->wire},     {"--wire", &o->wire},   {"--crossings", &o->crossings},
      {"-h", &o->help},     {"--help", &o->help},   {"--draft", &o->draft},
      {"-q", &o->quiet},    {"--quiet", &o->quiet}, {"--version", &o->version},
      {"--json", &o->json},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name)) return *known[i].flag = 1;
  return 0;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

/// Decides the kind of output and checks for options that exclude each other.
static csim_status check(view_options *o, csim_log *log) {
  const char *wrong = NULL;
  if (!o->npath)
    wrong = "no input; give a cache, a directory or mesh files (clothview --help)";
  else if (!o->out)
    wrong = "no output; add -o X.png, X_####.png, X.mp4 or X.html";
  else if (ends_with(o->out, ".html"))
    o->output = VIEW_PAGE;
  else if (ends_with(o->out, ".mp4"))
    o->output = VIEW_MOVIE;
  else if (!ends_with(o->out, ".png"))
    wrong = "the output must end in .png, .mp4 or .html";
  else
    o->output = strchr(o->out, '#') ? VIEW_FRAMES : VIEW_SHEET;
  if (!wrong && o->mode == VIEW_DISTANCE && !o->compare.n)
    wrong = "--colour distance needs --compare with a second cache or directory";
  if (!wrong && o->output == VIEW_PAGE && o->compare.n > 1)
    wrong = "a page shows two runs: give --compare once, or make pictures or a movie of all";
  if (!wrong && o->output == VIEW_MOVIE && (o->width % 2 || o->height % 2))
    wrong = "a movie's sides must be even";
  if (wrong) csim_log_print(log, CSIM_ERROR, NULL, "%s", wrong);
  return wrong ? CSIM_INVALID : CSIM_OK;
}

csim_status view_options_read(int argc, char **argv, csim_log *log, view_options *o) {
  *o = (view_options){.frames = {.first = -(1LL << 62), .last = 1LL << 62, .step = 1},
                      .tiles = 9,
                      .aim = {.azimuth = 35, .elevation = 22, .zoom = 1},
                      .page = {.megabytes = 20, .error = -1}};
  o->path = calloc((size_t)argc + 1, sizeof *o->path);
  o->hide.word = calloc((size_t)argc + 1, sizeof *o->hide.word);
  o->compare.word = calloc((size_t)argc + 1, sizeof *o->compare.word);
  if (!o->path || !o->hide.word || !o->compare.word) return CSIM_MEMORY;
  int only_paths = 0;
  for (int i = 1; i < argc; i++) {
    if (only_paths || argv[i][0] != '-' || !argv[i][1]) {
      o->path[o->npath++] = argv[i];
      continue;
    }
    if (!strcmp(argv[i], "--")) {
      only_paths = 1;
      continue;
    }
    if (read_switch(argv[i], o)) continue;
    // --name=value, --name value and -o value
    char *name = argv[i], *value = strncmp(name, "--", 2) ? NULL : strchr(name, '=');
    if (value)
      *value++ = 0;
    else
      value = i + 1 < argc ? argv[i + 1] : NULL;
    int next = value && i + 1 < argc && value == argv[i + 1];
    static char nothing[1];
    const char *wanted;
    if (read_value(name, value ? value : nothing, o, &wanted) && value) {
      i += next;
      continue;
    }
    if (!wanted)
      csim_log_print(log, CSIM_ERROR, NULL, "unknown option %s (clothview --help)", name);
    else if (!value)
      csim_log_print(log, CSIM_ERROR, NULL, "%s needs %s", name, wanted);
    else
      csim_log_print(log, CSIM_ERROR, NULL, "%s %s: expected %s", name, value, wanted);
    return CSIM_INVALID;
  }
  return o->help || o->version ? CSIM_OK : check(o, log);
}

void view_options_free(view_options *o) {
  free(o->path);
  free(o->hide.word);
  free(o->compare.word);
}
