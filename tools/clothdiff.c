// tools/clothdiff.c: finds, locates and measures the difference of two runs.
#include "tool.h"

#include <math.h>

enum { MAX_PICK = 256, SAME = 0, DIFFER = 1, TROUBLE = 2 };

/// The command line.
typedef struct arguments {
  const char *path[2], *heat;
  const char *pick[MAX_PICK]; ///< names of objects
  int npick;
  tool_range frames;
  double atol, rtol, ulp, fail_percent, hard_fail;
  int exact, json, curve;
} arguments;

/// One side: a sequence, with the objects and frames that take part.
typedef struct side {
  csim_sequence *s;
  const csim_sequence_info *info;
  double *x; ///< (largest nvert x 3) of the object and frame at hand
} side;

/// Two objects that belong together.
typedef struct pair {
  int index[2];
  int nvert; ///< compared; 0 when the topologies differ
  int faces_differ;
} pair;

/// A vertex in a frame.
typedef struct spot {
  long long frame;
  int pair, vertex;
  double distance;
  double x[2][3];
} spot;

/// What a set of vertices shows.
typedef struct sums {
  double max, square;
  long long vertices, over;
  long long not_finite[2]; ///< vertices with NaN or infinity
} sums;

/// A point of the curve.
typedef struct curve_point {
  long long frame;
  sums s;
  double hausdorff;
} curve_point;

enum { BUCKETS = 1 << 18 }; ///< of distances by the top 18 bits of a double: 1.6 % wide

typedef struct comparison {
  const arguments *a;
  side side[2];
  int npair;
  pair *pair;
  int floats;          ///< a side holds floats only: both are compared as floats
  int only_objects[2]; ///< objects without a counterpart
  const char *only_object[2];
  int topology_differs, fps_differs, up_differs;
  long long only_frames[2];
  long long only_frame[2]; ///< the first
  int ncurve;
  curve_point *curve;
  sums all;
  long long nan_frame[2]; ///< the first
  int differs;            ///< any frame over the tolerance
  spot first, worst;      ///< of the first differing frame; of all
  double hausdorff;
  spot farthest;
  int farthest_side;
  long long *bucket;
} comparison;

static tool_log log_;

static void print_help(void) {
  fputs("usage: clothdiff [options] A B\n"
        "\n"
        "Compares two runs vertex by vertex. Each side is a cache, a folder of NAME_0001.obj (or "
        ".ply)\n"
        "files, a PC2 or MDD point cache, or a single OBJ, PLY or STL file.\n"
        "\n"
        "  --atol D            a vertex may move by D + R times the diagonal of the object's box\n"
        "  --rtol R            (default: D = 0, R = 1e-6)\n"
        "  --ulp N             instead: every coordinate may be off by N float steps\n"
        "  --exact             instead: every bit must be equal\n"
        "  --fail-percent P    up to P % of the vertices may be over the tolerance\n"
        "  --hard-fail D       but none by more than D\n"
        "  --frames A:B[:STEP] only these frame numbers\n"
        "  --object NAME       only this object; may be repeated\n"
        "  --curve             a line for each frame\n"
        "  --heat FILE.ply     on a difference: the worst frame of A, with the distance at each "
        "vertex\n"
        "  --json              the report as one JSON object\n"
        "  -h, --help, --version\n"
        "\n"
        "Exit status: 0 same, 1 different, 2 trouble (usage, unreadable input).\n",
        stdout);
}

// ------------------------------------------------------------------------------------ command line

static const char *option(int argc, char **argv, int *i, const char *name) {
  size_t n = strlen(name);
  const char *word = argv[*i];
  if (!strncmp(word, name, n) && word[n] == '=') return word + n + 1;
  if (strcmp(word, name)) return NULL;
  return *i + 1 < argc ? argv[++*i] : "";
}

static int read_option(int argc, char **argv, int *i, arguments *a) {
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
  for (int k = 0; k < 5 && !known; k++)
    if ((v = option(argc, argv, i, numbers[k].name))) {
      known = 1;
      bad = tool_read_number(v, numbers[k].value) || *numbers[k].value < 0;
    }
  if (known) return bad ? tool_usage(&log_, "bad value for", word), TROUBLE : 0;
  if ((v = option(argc, argv, i, "--frames")))
    bad = tool_read_range(v, &a->frames);
  else if ((v = option(argc, argv, i, "--object")))
    bad = !*v || a->npick == MAX_PICK || !(a->pick[a->npick++] = v);
  else if ((v = option(argc, argv, i, "--heat")))
    bad = !*(a->heat = v);
  else if (!strcmp(word, "--exact"))
    a->exact = 1;
  else if (!strcmp(word, "--json"))
    a->json = 1;
  else if (!strcmp(word, "--curve"))
    a->curve = 1;
  else
    return tool_usage(&log_, "unknown option", word), TROUBLE;
  return bad ? tool_usage(&log_, "bad value for", word), TROUBLE : 0;
}

static int read_arguments(int argc, char **argv, arguments *a) {
  *a = (arguments){.ulp = -1, .rtol = -1, .hard_fail = INFINITY};
  tool_read_range(":", &a->frames);
  for (int i = 1; i < argc; i++) {
    int trouble = 0;
    if (argv[i][0] == '-' && argv[i][1])
      trouble = read_option(argc, argv, &i, a);
    else if (!a->path[0])
      a->path[0] = argv[i];
    else if (!a->path[1])
      a->path[1] = argv[i];
    else
      trouble = (tool_usage(&log_, "two sides, not also", argv[i]), TROUBLE);
    if (trouble) return trouble;
  }
  // a tolerance that is asked for replaces the default one
  if (a->rtol < 0) a->rtol = a->atol > 0 ? 0 : 1e-6;
  return a->path[1] ? 0 : (tool_usage(&log_, "which two runs?", NULL), TROUBLE);
}

// ------------------------------------------------------------------------------------------
// pairing

static int is_picked(const arguments *a, const char *name) {
  for (int k = 0; k < a->npick; k++)
    if (!strcmp(a->pick[k], name)) return 1;
  return !a->npick;
}

static int surface_vertices(const csim_cache_object *o) {
  int last = -1, ncorner = o->nface ? o->face_start[o->nface] : 0;
  for (int c = 0; c < ncorner; c++)
    if (o->face_vert[c] > last) last = o->face_vert[c];
  return o->ntet ? last + 1 : o->nvert;
}

// Same vertices and faces; a solid with its inner vertices goes with its surface alone, points
// without faces with any mesh of as many.
static void compare_topology(comparison *c, pair *p) {
  const csim_cache_object *o[2];
  int n[2];
  for (int k = 0; k < 2; k++) {
    o[k] = &c->side[k].info->object[p->index[k]];
    n[k] = o[k]->nvert;
  }
  if (n[0] != n[1])
    for (int k = 0; k < 2; k++) n[k] = surface_vertices(o[k]);
  p->nvert = n[0] == n[1] ? n[0] : 0;
  if (!c->side[0].info->has_faces || !c->side[1].info->has_faces) {
    p->faces_differ = !p->nvert;
    return;
  }
  p->faces_differ = 1;
  if (!p->nvert || o[0]->nface != o[1]->nface) return;
  if (o[0]->nface) {
    size_t corners = (size_t)o[0]->face_start[o[0]->nface];
    size_t nstart = (size_t)o[0]->nface + 1;
    if (memcmp(o[0]->face_start, o[1]->face_start, nstart * sizeof(int)) ||
        memcmp(o[0]->face_vert, o[1]->face_vert, corners * sizeof(int)))
      return;
  }
  p->faces_differ = 0;
}

static int find_object(const csim_sequence_info *info, const char *name) {
  for (int i = 0; i < info->nobject; i++)
    if (!strcmp(info->object[i].name, name)) return i;
  return -1;
}

static void add_pair(comparison *c, int a, int b) {
  pair *p = &c->pair[c->npair++];
  *p = (pair){.index = {a, b}};
  compare_topology(c, p);
  if (p->faces_differ) c->topology_differs = 1;
}

// Objects by name; when each side has but one of those asked for, these two whatever their names.
static int pair_objects(comparison *c) {
  const csim_sequence_info *info[2] = {c->side[0].info, c->side[1].info};
  int count[2] = {0, 0}, only[2] = {-1, -1};
  c->pair = calloc((size_t)info[0]->nobject + 1, sizeof *c->pair);
  if (!c->pair) return TROUBLE;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < info[k]->nobject; i++)
      if (is_picked(c->a, info[k]->object[i].name) || info[k]->nobject == 1) {
        count[k]++;
        only[k] = i;
      }
  if (count[0] == 1 && count[1] == 1) {
    add_pair(c, only[0], only[1]);
    return 0;
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < info[k]->nobject; i++) {
      const char *name = info[k]->object[i].name;
      if (!is_picked(c->a, name)) continue;
      int other = find_object(info[!k], name);
      if (other < 0) {
        if (!c->only_objects[k]++) c->only_object[k] = name;
        c->topology_differs = 1;
      } else if (k == 0) {
        add_pair(c, i, other);
      }
    }
  if (c->npair || c->topology_differs) return 0;
  fprintf(stderr, "clothdiff: no object of that name on either side\n");
  return TROUBLE;
}

// --------------------------------------------------------------------------------------- comparing

static double diagonal(const double *x, int n) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)n; i++)
    if (isfinite(x[i])) {
      low[i % 3] = fmin(low[i % 3], x[i]);
      high[i % 3] = fmax(high[i % 3], x[i]);
    }
  double sum = 0;
  for (int k = 0; k < 3; k++)
    if (high[k] > low[k]) sum += (high[k] - low[k]) * (high[k] - low[k]);
  return sqrt(sum);
}

// Steps between two floats; a large number when a sign or NaN stands between.
static double float_steps(double a, double b) {
  float f = (float)a, g = (float)b;
  int32_t i, j;
  if (f == g) return 0;
  memcpy(&i, &f, sizeof i);
  memcpy(&j, &g, sizeof j);
  long long p = i < 0 ? -(long long)(i & 0x7fffffff) : i;
  long long q = j < 0 ? -(long long)(j & 0x7fffffff) : j;
  return isnan(f) || isnan(g) ? 1e18 : fabs((double)(p - q));
}

static int is_over(const arguments *a, const double *p, const double *q, double distance,
                   double tolerance) {
  if (a->exact) return memcmp(p, q, 3 * sizeof *p) != 0;
  if (a->ulp >= 0) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, float_steps(p[k], q[k]));
    return most > a->ulp;
  }
  return !(distance <= tolerance);
}

static void count_distance(comparison *c, double distance) {
  uint64_t bits;
  memcpy(&bits, &distance, sizeof bits);
  c->bucket[bits >> 46]++;
}

// Adds one object in one frame.
static void compare_vertices(comparison *c, int pair_index, long long frame, curve_point *point,
                             spot *worst) {
  const arguments *a = c->a;
  int n = c->pair[pair_index].nvert;
  double tolerance = a->atol + a->rtol * diagonal(c->side[0].x, n);
  for (int v = 0; v < n; v++) {
    const double *p = c->side[0].x + 3 * (ptrdiff_t)v, *q = c->side[1].x + 3 * (ptrdiff_t)v;
    double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 2; k++) {
      const double *x = k ? q : p;
      if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) continue;
      if (!c->all.not_finite[k] && !point->s.not_finite[k]) c->nan_frame[k] = frame;
      point->s.not_finite[k]++;
    }
    point->s.vertices++;
    point->s.over += is_over(a, p, q, distance, tolerance);
    if (!isfinite(distance)) continue; // counted above
    point->s.square += distance * distance;
    if (distance > point->s.max) point->s.max = distance;
    count_distance(c, distance);
    if (distance > worst->distance) {
      *worst = (spot){.frame = frame, .pair = pair_index, .vertex = v, .distance = distance};
      memcpy(worst->x[0], p, sizeof worst->x[0]);
      memcpy(worst->x[1], q, sizeof worst->x[1]);
    }
  }
}

static int compare_shapes(comparison *c, int pair_index, long long frame, curve_point *point) {
  const csim_cache_object *o[2];
  double distance;
  int which, vertex;
  for (int k = 0; k < 2; k++) o[k] = &c->side[k].info->object[c->pair[pair_index].index[k]];
  if (csim_hausdorff(o[0], c->side[0].x, o[1], c->side[1].x, &distance, &which, &vertex)) {
    fprintf(stderr, "clothdiff: out of memory\n");
    return TROUBLE;
  }
  if (distance > point->hausdorff) point->hausdorff = distance;
  if (distance >= c->hausdorff) {
    c->hausdorff = distance;
    c->farthest = (spot){frame, pair_index, vertex, distance, {{0}}};
    c->farthest_side = which;
    memcpy(c->farthest.x[0], c->side[which].x + 3 * (ptrdiff_t)vertex, sizeof c->farthest.x[0]);
  }
  return 0;
}

// Both sides of a pair into side.x.
static int read_pair(comparison *c, const pair *p, const int index[2]) {
  for (int k = 0; k < 2; k++) {
    double *x = c->side[k].x;
    if (csim_sequence_read(c->side[k].s, p->index[k], index[k], x, NULL)) return TROUBLE;
    ptrdiff_t n = c->floats ? 3 * (ptrdiff_t)c->side[k].info->object[p->index[k]].nvert : 0;
    for (ptrdiff_t i = 0; i < n; i++) x[i] = (double)(float)x[i];
  }
  return 0;
}

static int compare_frame(comparison *c, long long frame, const int index[2]) {
  curve_point *point = &c->curve[c->ncurve++];
  spot worst = {.frame = frame, .distance = -1};
  *point = (curve_point){.frame = frame};
  for (int i = 0; i < c->npair; i++) {
    if (read_pair(c, &c->pair[i], index)) return TROUBLE;
    if (c->pair[i].nvert) compare_vertices(c, i, frame, point, &worst);
    if (c->pair[i].faces_differ && compare_shapes(c, i, frame, point)) return TROUBLE;
  }
  if (point->s.over && !c->differs) {
    c->differs = 1;
    c->first = worst;
  }
  if (worst.distance > c->worst.distance) c->worst = worst;
  c->all.max = fmax(c->all.max, point->s.max);
  c->all.square += point->s.square;
  c->all.vertices += point->s.vertices;
  c->all.over += point->s.over;
  for (int k = 0; k < 2; k++) c->all.not_finite[k] += point->s.not_finite[k];
  return 0;
}

// Walks both lists of frame numbers together.
static int compare_frames(comparison *c) {
  const csim_sequence_info *info[2] = {c->side[0].info, c->side[1].info};
  if (info[0]->nframe == 1 && info[1]->nframe == 1) // two meshes, whatever their numbers
    return compare_frame(c, info[0]->number[0], (const int[2]){0, 0});
  int at[2] = {0, 0}, total = info[0]->nframe + info[1]->nframe;
  long long first = total ? (info[0]->nframe ? info[0]->number[0] : info[1]->number[0]) : 0;
  while (at[0] < info[0]->nframe || at[1] < info[1]->nframe) {
    long long number[2];
    for (int k = 0; k < 2; k++)
      number[k] = at[k] < info[k]->nframe ? info[k]->number[at[k]] : 1000000000000;
    long long frame = number[0] < number[1] ? number[0] : number[1];
    if (tool_in_range(&c->a->frames, frame, first)) {
      int trouble = 0;
      if (number[0] == number[1])
        trouble = compare_frame(c, frame, at);
      else if (!c->only_frames[number[1] < number[0]]++)
        c->only_frame[number[1] < number[0]] = frame;
      if (trouble) return trouble;
    }
    for (int k = 0; k < 2; k++) at[k] += number[k] == frame;
    tool_progress(&log_, (double)(at[0] + at[1]) / total);
  }
  tool_progress(&log_, 1);
  return 0;
}

// -------------------------------------------------------------------------------------- reporting

static double over_percent(const sums *s) {
  return s->vertices ? 100.0 * (double)s->over / (double)s->vertices : 0;
}

static double rms(const sums *s) {
  return s->vertices ? sqrt(s->square / (double)s->vertices) : 0;
}

// The distance that 99 % of the vertices stay under, to 1.6 %.
static double percentile99(const comparison *c) {
  long long count = 0, seen = 0;
  for (int b = 0; b < BUCKETS; b++) count += c->bucket[b];
  for (int b = 0; b < BUCKETS; b++) {
    seen += c->bucket[b];
    if (!count || (double)seen < 0.99 * (double)count) continue;
    uint64_t bits = (uint64_t)b << 46;
    double value;
    memcpy(&value, &bits, sizeof value);
    return fmin(value, c->all.max);
  }
  return 0;
}

static int verdict(const comparison *c) {
  int nan = c->all.not_finite[0] || c->all.not_finite[1];
  int values = over_percent(&c->all) > c->a->fail_percent || c->all.max > c->a->hard_fail;
  return values || nan || c->topology_differs || c->fps_differs || c->up_differs ||
                 c->only_frames[0] || c->only_frames[1]
             ? DIFFER
             : SAME;
}

static const char *name_of(const comparison *c, int pair_index) {
  return c->side[0].info->object[c->pair[pair_index].index[0]].name;
}

static void print_spot(const comparison *c, const char *what, const spot *s) {
  printf("%-22s frame %lld, object \"%s\", vertex %d, distance %.9g\n", what, s->frame,
         name_of(c, s->pair), s->vertex, s->distance);
  printf("%-22s (%.9g, %.9g, %.9g) and (%.9g, %.9g, %.9g)\n", "", s->x[0][0], s->x[0][1],
         s->x[0][2], s->x[1][0], s->x[1][1], s->x[1][2]);
}

static void print_topology(const comparison *c) {
  printf("%-22s %s\n", "topology", c->topology_differs ? "DIFFERS" : "same");
  for (int k = 0; k < 2; k++)
    if (c->only_objects[k])
      printf("%-22s only in %s: \"%s\"%s\n", "", c->a->path[k], c->only_object[k],
             c->only_objects[k] > 1 ? " and others" : "");
  for (int i = 0; i < c->npair; i++)
    if (c->pair[i].faces_differ) {
      const csim_cache_object *o = &c->side[0].info->object[c->pair[i].index[0]];
      const csim_cache_object *q = &c->side[1].info->object[c->pair[i].index[1]];
      printf("%-22s \"%s\": %d vertices, %d faces; %d vertices, %d faces\n", "", o->name, o->nvert,
             o->nface, q->nvert, q->nface);
    }
}

static void print_text(const comparison *c) {
  if (c->a->curve)
    for (int f = 0; f < c->ncurve; f++) {
      const curve_point *p = &c->curve[f];
      printf("frame %lld: max %.9g, rms %.9g, over %.4g %%", p->frame, p->s.max, rms(&p->s),
             over_percent(&p->s));
      if (c->topology_differs) printf(", hausdorff %.9g", p->hausdorff);
      putchar('\n');
    }
  puts(verdict(c) ? "different" : "same");
  print_topology(c);
  printf("%-22s %d in both", "frames", c->ncurve);
  for (int k = 0; k < 2; k++)
    if (c->only_frames[k])
      printf("; %lld ONLY IN %s, first %lld", c->only_frames[k], c->a->path[k], c->only_frame[k]);
  putchar('\n');
  if (c->fps_differs)
    printf("%-22s DIFFERS: %g and %g\n", "frames per second", c->side[0].info->fps,
           c->side[1].info->fps);
  if (c->up_differs) printf("%-22s DIFFERS\n", "up axis");
  for (int k = 0; k < 2; k++)
    if (c->all.not_finite[k])
      printf("%-22s %lld vertices in %s, first in frame %lld\n", "NaN OR INFINITE",
             c->all.not_finite[k], c->a->path[k], c->nan_frame[k]);
  if (c->differs) print_spot(c, "first differing frame", &c->first);
  if (c->worst.distance > 0) print_spot(c, "worst", &c->worst);
  if (c->all.vertices)
    printf("%-22s max %.9g, rms %.9g, p99 %.3g, over tolerance %.4g %%\n", "distance", c->all.max,
           rms(&c->all), percentile99(c), over_percent(&c->all));
  if (c->topology_differs && c->hausdorff >= 0)
    printf("%-22s %.9g: frame %lld, object \"%s\", vertex %d of %s\n", "Hausdorff distance",
           c->hausdorff, c->farthest.frame, name_of(c, c->farthest.pair), c->farthest.vertex,
           c->a->path[c->farthest_side]);
}

static void json_number(const char *key, double value) {
  printf(", \"%s\": ", key);
  tool_json_number(stdout, value);
}

static void json_spot(const comparison *c, const char *key, const spot *s) {
  printf(", \"%s\": {\"frame\": %lld, \"object\": ", key, s->frame);
  tool_json_string(stdout, name_of(c, s->pair));
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

static void print_json(const comparison *c) {
  printf("{\"same\": %s, \"topology\": \"%s\", \"frames\": {\"both\": %d, \"only_a\": %lld, "
         "\"only_b\": %lld}",
         verdict(c) ? "false" : "true", c->topology_differs ? "differs" : "same", c->ncurve,
         c->only_frames[0], c->only_frames[1]);
  printf(", \"fps\": \"%s\", \"up\": \"%s\"", c->fps_differs ? "differs" : "same",
         c->up_differs ? "differs" : "same");
  printf(", \"not_finite\": {\"a\": %lld, \"b\": %lld}", c->all.not_finite[0],
         c->all.not_finite[1]);
  json_number("max", c->all.max);
  json_number("rms", rms(&c->all));
  json_number("p99", percentile99(c));
  json_number("over_percent", over_percent(&c->all));
  if (c->differs) json_spot(c, "first", &c->first);
  if (c->worst.distance >= 0) json_spot(c, "worst", &c->worst);
  if (c->topology_differs && c->hausdorff >= 0) json_number("hausdorff", c->hausdorff);
  fputs(", \"curve\": [", stdout);
  for (int f = 0; f < c->ncurve; f++) {
    const curve_point *p = &c->curve[f];
    printf("%s{\"frame\": %lld", f ? ", " : "", p->frame);
    json_number("max", p->s.max);
    json_number("rms", rms(&p->s));
    json_number("over_percent", over_percent(&p->s));
    if (c->topology_differs) json_number("hausdorff", p->hausdorff);
    putchar('}');
  }
  puts("]}");
}

// The worst frame of A's worst object as ASCII PLY, with the distance at each vertex as `quality`,
// which MeshLab, ParaView and Blender show as colour.
static int write_heat(comparison *c) {
  const pair *p = &c->pair[c->worst.pair];
  const csim_cache_object *o = &c->side[0].info->object[p->index[0]];
  int index[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const csim_sequence_info *info = c->side[k].info;
    while (index[k] + 1 < info->nframe && info->number[index[k]] != c->worst.frame) index[k]++;
  }
  if (read_pair(c, p, index)) return TROUBLE;
  FILE *out = fopen(c->a->heat, "w");
  if (out) {
    int nface = p->faces_differ ? 0 : o->nface;
    fprintf(out,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
            "property float z\nproperty float quality\nelement face %d\n"
            "property list int int vertex_indices\nend_header\n",
            p->nvert, nface);
    for (ptrdiff_t v = 0; v < p->nvert; v++) {
      const double *x = c->side[0].x + 3 * v, *y = c->side[1].x + 3 * v;
      double d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                      (x[2] - y[2]) * (x[2] - y[2]));
      fprintf(out, "%.9g %.9g %.9g %.9g\n", x[0], x[1], x[2], d);
    }
    for (int f = 0; f < nface; f++) {
      fprintf(out, "%d", o->face_start[f + 1] - o->face_start[f]);
      for (int k = o->face_start[f]; k < o->face_start[f + 1]; k++)
        fprintf(out, " %d", o->face_vert[k]);
      fputc('\n', out);
    }
  }
  int failed = !out || ferror(out);
  if (out && fclose(out)) failed = 1;
  if (failed) fprintf(stderr, "clothdiff: %s: cannot write\n", c->a->heat);
  return failed ? TROUBLE : 0;
}

// ------------------------------------------------------------------------------------------- main

static int open_sides(comparison *c) {
  for (int k = 0; k < 2; k++) {
    side *s = &c->side[k];
    size_t most = 1;
    if (csim_sequence_open(c->a->path[k], &log_.log, &s->s)) return TROUBLE;
    s->info = csim_sequence_get_info(s->s);
    for (int i = 0; i < s->info->nobject; i++)
      if ((size_t)s->info->object[i].nvert > most) most = (size_t)s->info->object[i].nvert;
    s->x = malloc(3 * most * sizeof *s->x);
    if (!s->x) return TROUBLE;
    if (!s->info->complete)
      fprintf(stderr, "clothdiff: %s: warning: not complete: %d whole frames\n", c->a->path[k],
              s->info->nframe);
  }
  const csim_sequence_info *a = c->side[0].info, *b = c->side[1].info;
  int most = a->nframe < b->nframe ? a->nframe : b->nframe;
  c->curve = calloc((size_t)most + 1, sizeof *c->curve);
  c->bucket = calloc(BUCKETS, sizeof *c->bucket);
  if (!c->curve || !c->bucket) return TROUBLE;
  c->floats = strcmp(a->kind, "files") || strcmp(b->kind, "files");
  // an MDD file tells its rate by 32-bit times
  c->fps_differs = a->fps > 0 && b->fps > 0 && fabs(a->fps - b->fps) > 1e-4 * a->fps;
  c->up_differs = a->up && b->up && a->up != b->up;
  return pair_objects(c);
}

int main(int argc, char **argv) {
  arguments a;
  tool_log_init("clothdiff", &log_);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) return print_help(), SAME;
    if (!strcmp(argv[i], "--version")) return puts("clothdiff " CSIM_VERSION), SAME;
  }
  int status = read_arguments(argc, argv, &a);
  if (status) return status;
  comparison c = {.a = &a, .worst = {.distance = -1}, .hausdorff = -1};
  status = open_sides(&c);
  if (!status) status = compare_frames(&c);
  if (!status && !c.ncurve && !c.only_frames[0] && !c.only_frames[1]) {
    fprintf(stderr, "clothdiff: no frames to compare\n");
    status = TROUBLE;
  }
  if (!status) {
    (a.json ? print_json : print_text)(&c);
    status = verdict(&c);
    if (status == DIFFER && a.heat && c.worst.distance > 0 && write_heat(&c)) status = TROUBLE;
  }
  for (int k = 0; k < 2; k++) {
    csim_sequence_free(c.side[k].s);
    free(c.side[k].x);
  }
  free(c.pair);
  free(c.curve);
  free(c.bucket);
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "clothdiff: standard output: cannot write\n");
    status = TROUBLE;
  }
  return status;
}
