// tools/diff/compare.c: two sources, frame by frame. See diff.h.
#include "diff/diff.h"

#include <math.h>

// ---------------------------------------------------------------------------------------- pairing

int diff_is_picked(const diff_options *a, const char *name) {
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

static const csim_cache_object *object_of(const diff_comparison *c, const diff_pair *p, int side) {
  return &c->source[side]->info->object[p->index[side]];
}

// Same vertices and faces; a solid with its inner vertices goes with its surface alone, points
// without faces with any mesh of as many.
static void compare_topology(const diff_comparison *c, diff_pair *p) {
  const csim_cache_object *o[2] = {object_of(c, p, 0), object_of(c, p, 1)};
  int n[2] = {o[0]->nvert, o[1]->nvert};
  if (n[0] != n[1])
    for (int k = 0; k < 2; k++) n[k] = surface_vertices(o[k]);
  p->nvert = n[0] == n[1] ? n[0] : 0;
  if (!c->source[0]->info->has_faces || !c->source[1]->info->has_faces) {
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

// Alembic and USD files: where a corner has no texture coordinates, these have (0, 0).
static int is_archive(const diff_source *s) {
  return !strcmp(s->kind, "abc") || !strcmp(s->kind, "usd");
}

// PLY, STL and point caches have no names of groups, and rest meshes are written without; archives
// have sets of faces, which may overlap, in place of one name for each.
static int can_hold(const diff_source *s, int tags) {
  return !strcmp(s->kind, "cache") || !strcmp(s->kind, "obj") ||
         (!tags && (!strcmp(s->kind, "rest") || is_archive(s)));
}

static int can_hold_sets(const diff_source *s) {
  return !strcmp(s->kind, "cache") || is_archive(s);
}

static const char *tag_of(const csim_cache_object *o, int face) {
  return o->ntag && o->face_tag[face] >= 0 ? o->tag[o->face_tag[face]] : "";
}

// Names of groups, face by face. OBJ writes "o NAME" before an object without any.
static int tags_differ(const csim_cache_object *a, const csim_cache_object *b) {
  for (int f = 0; f < a->nface; f++)
    if (strcmp(tag_of(a, f), tag_of(b, f)) != 0) return 1;
  return 0;
}

// Texture coordinates, corner by corner, as floats. With `fill` none are the same as (0, 0).
static int uvs_differ(const csim_uv_set *a, const csim_uv_set *b, int ncorner, int fill) {
  for (int c = 0; c < ncorner; c++) {
    int i = a->n ? a->face_uv[c] : -1, j = b->n ? b->face_uv[c] : -1;
    if ((i < 0) != (j < 0) && !fill) return 1;
    for (int k = 0; k < 2; k++) {
      double u = i < 0 ? 0 : a->uv[csim_row(2, i) + k];
      double v = j < 0 ? 0 : b->uv[csim_row(2, j) + k];
      if ((float)u != (float)v) return 1;
    }
  }
  return 0;
}

// Names of sets of texture coordinates. USD has _ for what is no letter or digit.
static int same_name(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (*a != *b && *a != '_' && *b != '_') return 0;
  return *a == *b;
}

// The further sets by name; OBJ has none.
static int sets_differ(const csim_cache_object *a, const csim_cache_object *b, int fill) {
  int ncorner = a->nface ? a->face_start[a->nface] : 0;
  if (a->nuv_set != b->nuv_set) return 1;
  for (int k = 0; k < a->nuv_set; k++) {
    int i = 0;
    while (i < b->nuv_set && !same_name(a->uv_set[k].name, b->uv_set[i].name)) i++;
    if (i == b->nuv_set || uvs_differ(&a->uv_set[k], &b->uv_set[i], ncorner, fill)) return 1;
  }
  return 0;
}

static csim_uv_set first_set(const csim_cache_object *o) {
  return (csim_uv_set){.n = o->nuv, .uv = o->uv, .face_uv = o->face_uv};
}

static void compare_contents(const diff_run *run, diff_comparison *c, diff_pair *p) {
  const csim_cache_object *a = object_of(c, p, 0), *b = object_of(c, p, 1);
  p->tags = p->uvs = -1;
  if (p->faces_differ || !a->nface || !b->nface) return;
  if (run->options->tags && can_hold(c->source[0], 1) && can_hold(c->source[1], 1))
    c->found.tags |= p->tags = tags_differ(a, b);
  if (!run->options->uvs || !can_hold(c->source[0], 0) || !can_hold(c->source[1], 0)) return;
  int fill = is_archive(c->source[0]) || is_archive(c->source[1]);
  csim_uv_set first[2] = {first_set(a), first_set(b)};
  p->uvs = uvs_differ(&first[0], &first[1], a->face_start[a->nface], fill);
  if (can_hold_sets(c->source[0]) && can_hold_sets(c->source[1])) p->uvs |= sets_differ(a, b, fill);
  c->found.uvs |= p->uvs;
}

static void add_pair(diff_run *run, diff_comparison *c, int a, int b) {
  diff_pair *p = &c->pair[c->npair++];
  *p = (diff_pair){.index = {a, b}};
  c->source[0]->compared[a] = c->source[1]->compared[b] = 1;
  compare_topology(c, p);
  if (p->faces_differ) c->found.topology = 1;
  compare_contents(run, c, p);
  const csim_cache_object *o[2] = {object_of(c, p, 0), object_of(c, p, 1)};
  p->has_velocity = run->options->velocities && o[0]->has_velocity && o[1]->has_velocity;
  // of caches, where both could have them
  if (run->options->velocities && !o[0]->has_velocity != !o[1]->has_velocity &&
      !strcmp(c->source[0]->kind, c->source[1]->kind))
    c->found.velocities = 1;
}

static char plain(char c) {
  int is = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is ? c : '_';
}

// Whether two names are equal once each is written as USD has to: letters, digits, '_', no digit
// first.
static int same_in_usd(const char *a, const char *b) {
  if (*a == '_' && b[0] >= '0' && b[0] <= '9') a++;
  if (*b == '_' && a[0] >= '0' && a[0] <= '9') b++;
  while (*a && plain(*a) == plain(*b)) a++, b++;
  return !*a && !*b;
}

// The object of this name; in USD, or of USD, also one that is written so there. -1: none
static int find_object(const diff_comparison *c, int side, const char *name) {
  const csim_sequence_info *info = c->source[side]->info;
  int usd = !strcmp(c->source[0]->kind, "usd") != !strcmp(c->source[1]->kind, "usd");
  for (int i = 0; i < info->nobject; i++)
    if (!strcmp(info->object[i].name, name)) return i;
  for (int i = 0; i < info->nobject && usd; i++)
    if (same_in_usd(info->object[i].name, name)) return i;
  return -1;
}

// Objects by name; when each side has but one of those asked for, these two whatever their names.
// One that is missing in another kind of output differs only if nothing else was compared with it.
static int pair_objects(diff_run *run, diff_comparison *c) {
  const csim_sequence_info *info[2] = {c->source[0]->info, c->source[1]->info};
  int count[2] = {0, 0}, only[2] = {-1, -1};
  int same_kind = !strcmp(c->source[0]->kind, c->source[1]->kind);
  c->pair = calloc((size_t)info[0]->nobject + 1, sizeof *c->pair);
  if (!c->pair) return DIFF_TROUBLE;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < info[k]->nobject; i++)
      if (diff_is_picked(run->options, info[k]->object[i].name) || info[k]->nobject == 1) {
        count[k]++;
        only[k] = i;
      }
  if (count[0] == 1 && count[1] == 1) {
    add_pair(run, c, only[0], only[1]);
    return 0;
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < info[k]->nobject; i++) {
      const char *name = info[k]->object[i].name;
      if (!diff_is_picked(run->options, name)) continue;
      int other = find_object(c, !k, name);
      if (other >= 0 && k == 0) add_pair(run, c, i, other);
      if (other >= 0) continue;
      if (!c->only_objects[k]++) c->only_object[k] = name;
      if (same_kind) c->found.topology = c->source[k]->compared[i] = 1;
    }
  return 0;
}

// --------------------------------------------------------------------------------------- vertices

static double diagonal(const double *x, int n) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (ptrdiff_t i = 0; i < csim_xyz(n); i++)
    if (isfinite(x[i])) {
      low[i % 3] = fmin(low[i % 3], x[i]);
      high[i % 3] = fmax(high[i % 3], x[i]);
    }
  double sum = 0;
  for (int k = 0; k < 3; k++)
    if (high[k] > low[k]) sum += (high[k] - low[k]) * (high[k] - low[k]);
  return sqrt(sum);
}

// Steps between two floats; a large number when their signs differ or one is NaN.
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

static int is_over(const diff_options *a, const double *p, const double *q, double distance,
                   double tolerance) {
  if (a->exact) return memcmp(p, q, 3 * sizeof *p) != 0;
  if (a->ulp >= 0) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, float_steps(p[k], q[k]));
    return most > a->ulp;
  }
  return !(distance <= tolerance);
}

static double distance_of(const double *p, const double *q) {
  double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void add_sums(const diff_sums *from, diff_sums *to) {
  to->max = fmax(to->max, from->max);
  to->square += from->square;
  to->vertices += from->vertices;
  to->over += from->over;
  for (int k = 0; k < 2; k++) to->not_finite[k] += from->not_finite[k];
}

// Positions of one object in one frame.
static void compare_vertices(const diff_run *run, diff_comparison *c, int pair, long long frame,
                             double tolerance, diff_sums *sums, diff_spot *worst) {
  int n = c->pair[pair].nvert;
  for (int v = 0; v < n; v++) {
    const double *p = c->source[0]->x + csim_xyz(v), *q = c->source[1]->x + csim_xyz(v);
    double distance = distance_of(p, q);
    sums->vertices++;
    sums->over += is_over(run->options, p, q, distance, tolerance);
    if (!isfinite(distance)) {
      for (int k = 0; k < 2; k++) {
        const double *x = k ? q : p;
        if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) continue;
        if (!c->all.not_finite[k]) c->nan_frame[k] = frame;
        c->all.not_finite[k]++;
        sums->not_finite[k]++;
      }
      continue;
    }
    sums->square += distance * distance;
    if (distance > sums->max) sums->max = distance;
    uint64_t bits;
    memcpy(&bits, &distance, sizeof bits);
    c->bucket[bits >> 46]++;
    if (distance > worst->distance) {
      *worst = (diff_spot){.frame = frame, .pair = pair, .vertex = v, .distance = distance};
      memcpy(worst->x[0], p, sizeof worst->x[0]);
      memcpy(worst->x[1], q, sizeof worst->x[1]);
    }
  }
}

// Velocities of the same. What a position may be off, a velocity may be off in a frame's time.
static void compare_velocities(const diff_run *run, diff_comparison *c, diff_pair *p,
                               double tolerance, diff_frame *f) {
  double fps = c->source[0]->info->fps > 0 ? c->source[0]->info->fps : 1;
  double most = 0;
  long long over = 0;
  for (ptrdiff_t v = 0; v < p->nvert; v++) {
    const double *a = c->source[0]->v + 3 * v, *b = c->source[1]->v + 3 * v;
    double distance = distance_of(a, b);
    over += is_over(run->options, a, b, distance, tolerance * fps);
    if (distance > most) most = distance;
  }
  p->velocity_max = fmax(p->velocity_max, most);
  p->velocity_over += over;
  f->velocity_max = fmax(f->velocity_max, most);
  f->velocity_over += over;
  c->velocity_max = fmax(c->velocity_max, most);
  c->velocity_over += over;
}

static int compare_shapes(diff_comparison *c, int pair, long long frame, diff_frame *f) {
  double distance;
  int which, vertex;
  if (csim_hausdorff(object_of(c, &c->pair[pair], 0), c->source[0]->x,
                     object_of(c, &c->pair[pair], 1), c->source[1]->x, &distance, &which, &vertex))
    return DIFF_TROUBLE;
  if (distance > f->hausdorff) f->hausdorff = distance;
  if (distance >= c->hausdorff) {
    c->hausdorff = distance;
    c->farthest = (diff_spot){frame, pair, vertex, distance, {{0}}};
    c->farthest_side = which;
    memcpy(c->farthest.x[0], c->source[which]->x + csim_xyz(vertex), sizeof(double[3]));
  }
  return 0;
}

// ----------------------------------------------------------------------------------------- frames

// Both sides of a pair into source.x and source.v. @return a status of the library
static csim_status read_pair(const diff_comparison *c, const diff_pair *p, const int index[2]) {
  for (int k = 0; k < 2; k++) {
    diff_source *s = c->source[k];
    csim_status status =
        csim_sequence_read(s->s, p->index[k], index[k], s->x, p->has_velocity ? s->v : NULL);
    if (status) return status;
    ptrdiff_t n = c->floats ? csim_xyz(s->info->object[p->index[k]].nvert) : 0;
    for (ptrdiff_t i = 0; i < n; i++) s->x[i] = (double)(float)s->x[i];
  }
  return CSIM_OK;
}

// One object in one frame. What is missing or cannot be read is a difference of this frame, and
// the comparison goes on.
static int compare_object(diff_run *run, diff_comparison *c, int pair, long long number,
                          const int index[2], diff_frame *f, diff_spot *worst) {
  diff_pair *p = &c->pair[pair];
  diff_sums sums = {0};
  int has[2];
  for (int k = 0; k < 2; k++) has[k] = csim_sequence_has(c->source[k]->s, p->index[k], index[k]);
  if (!has[0] && !has[1]) return 0;
  long long velocity_over = p->velocity_over;
  int failed = !has[0] || !has[1];
  if (failed) {
    p->missing[has[0] ? 1 : 0]++;
    f->missing++;
    c->missing++;
  } else {
    csim_status status = read_pair(c, p, index);
    if (status == CSIM_MEMORY) return DIFF_TROUBLE;
    if (status == CSIM_IO) run->damaged = 1;
    if (status) {
      p->unreadable++;
      f->unreadable++;
      c->unreadable++;
      failed = 1;
    }
  }
  if (!failed) {
    const diff_options *a = run->options;
    double tolerance = a->atol + a->rtol * diagonal(c->source[0]->x, p->nvert);
    if (p->nvert) compare_vertices(run, c, pair, number, tolerance, &sums, worst);
    if (p->has_velocity) compare_velocities(run, c, p, tolerance, f);
    if (p->faces_differ && compare_shapes(c, pair, number, f)) return DIFF_TROUBLE;
    add_sums(&sums, &p->s);
    add_sums(&sums, &f->s);
  }
  diff_frame alone = {.s = sums, .velocity_over = p->velocity_over - velocity_over};
  if ((failed || diff_frame_fails(run, &alone)) && !p->failing++) p->first_failing = number;
  return 0;
}

static int compare_frame(diff_run *run, diff_comparison *c, long long number, const int index[2]) {
  diff_frame *f = &c->frame[c->nframe++];
  diff_spot worst = {.frame = number, .distance = -1};
  *f = (diff_frame){.number = number};
  for (int i = 0; i < c->npair; i++)
    if (compare_object(run, c, i, number, index, f, &worst)) return DIFF_TROUBLE;
  if (f->s.over && !c->differs && worst.distance >= 0) {
    c->differs = 1;
    c->first = worst;
  }
  if (worst.distance > c->worst.distance) c->worst = worst;
  long long not_finite[2] = {c->all.not_finite[0], c->all.not_finite[1]};
  add_sums(&f->s, &c->all); // those were counted where they were found
  for (int k = 0; k < 2; k++) c->all.not_finite[k] = not_finite[k];
  return 0;
}

// Room for as many frames as can be; of rest meshes the first frame counts, whatever its number.
static int begin_frames(diff_comparison *c) {
  const csim_sequence_info *info[2] = {c->source[0]->info, c->source[1]->info};
  int most = info[0]->nframe < info[1]->nframe ? info[0]->nframe : info[1]->nframe;
  c->frame = calloc((size_t)most + 1, sizeof *c->frame);
  c->bucket = calloc(DIFF_BUCKETS, sizeof *c->bucket);
  int ok = c->frame && c->bucket;
  for (int k = 0; k < 2; k++)
    ok &= (c->only_frame[k] = calloc((size_t)info[k]->nframe + 1, sizeof(long long))) != NULL;
  return ok ? 0 : DIFF_TROUBLE;
}

// Walks both lists of frame numbers together.
static int compare_frames(diff_run *run, diff_comparison *c) {
  const csim_sequence_info *info[2] = {c->source[0]->info, c->source[1]->info};
  int both = info[0]->nframe && info[1]->nframe;
  if (both && (c->is_rest || (info[0]->nframe == 1 && info[1]->nframe == 1)))
    return compare_frame(run, c, info[0]->number[0], (const int[2]){0, 0});
  int at[2] = {0, 0}, total = info[0]->nframe + info[1]->nframe;
  long long first = total ? (info[0]->nframe ? info[0]->number[0] : info[1]->number[0]) : 0;
  while (at[0] < info[0]->nframe || at[1] < info[1]->nframe) {
    long long number[2];
    for (int k = 0; k < 2; k++)
      number[k] = at[k] < info[k]->nframe ? info[k]->number[at[k]] : INT64_MAX;
    long long frame = number[0] < number[1] ? number[0] : number[1];
    if (tool_in_range(&run->options->frames, frame, first)) {
      int k = number[1] < number[0];
      if (number[0] != number[1])
        c->only_frame[k][c->only_frames[k]++] = frame;
      else if (compare_frame(run, c, frame, at))
        return DIFF_TROUBLE;
    }
    for (int k = 0; k < 2; k++) at[k] += number[k] == frame;
    tool_progress(&run->log, (double)(at[0] + at[1]) / total);
  }
  tool_progress(&run->log, 1);
  return 0;
}

int diff_compare(diff_run *run, diff_comparison *c) {
  int trouble = begin_frames(c);
  if (!trouble) trouble = pair_objects(run, c);
  if (!trouble) trouble = compare_frames(run, c);
  return trouble ? diff_trouble(run, NULL, "out of memory") : 0;
}

// --------------------------------------------------------------------------------------- verdicts

double diff_over_percent(const diff_sums *s) {
  return s->vertices ? 100.0 * (double)s->over / (double)s->vertices : 0;
}

double diff_rms(const diff_sums *s) {
  return s->vertices ? sqrt(s->square / (double)s->vertices) : 0;
}

double diff_percentile99(const diff_comparison *c) {
  long long count = 0, seen = 0;
  for (int b = 0; b < DIFF_BUCKETS && c->bucket; b++) count += c->bucket[b];
  for (int b = 0; b < DIFF_BUCKETS && count; b++) {
    seen += c->bucket[b];
    if ((double)seen < 0.99 * (double)count) continue;
    uint64_t bits = (uint64_t)b << 46;
    double value;
    memcpy(&value, &bits, sizeof value);
    return fmin(value, c->all.max);
  }
  return 0;
}

static int sums_fail(const diff_run *run, const diff_sums *s) {
  return diff_over_percent(s) > run->options->fail_percent || s->max > run->options->hard_fail ||
         s->not_finite[0] || s->not_finite[1];
}

int diff_frame_fails(const diff_run *run, const diff_frame *f) {
  return sums_fail(run, &f->s) || f->velocity_over || f->missing || f->unreadable;
}

int diff_pair_fails(const diff_run *run, const diff_pair *p) {
  return sums_fail(run, &p->s) || p->velocity_over || p->missing[0] || p->missing[1] ||
         p->unreadable || p->faces_differ || p->tags > 0 || p->uvs > 0;
}

int diff_differs(const diff_run *run, const diff_comparison *c) {
  return sums_fail(run, &c->all) || c->velocity_over || c->missing || c->unreadable ||
         c->found.topology || c->found.tags || c->found.uvs || c->found.velocities ||
         c->found.fps || c->found.up || c->only_frames[0] || c->only_frames[1];
}

int diff_is_lonely(const diff_run *run, int side, int source, int object) {
  return !run->options->npick && run->side[!side].nsource &&
         !run->side[side].source[source].compared[object];
}

const char *diff_pair_name(const diff_comparison *c, int pair) {
  return c->source[0]->info->object[c->pair[pair].index[0]].name;
}

void diff_kinds(const diff_comparison *c, char text[64]) {
  const char *a = c->source[0]->kind, *b = c->source[1]->kind;
  if (!strcmp(a, b))
    snprintf(text, 64, "%s", a);
  else
    snprintf(text, 64, "%s and %s", a, b);
}

// ------------------------------------------------------------------------------------------- heat

static void print_heat(const diff_comparison *c, const diff_pair *p, FILE *out) {
  const csim_cache_object *o = object_of(c, p, 0);
  int nface = p->faces_differ ? 0 : o->nface;
  fprintf(out,
          "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
          "property float z\nproperty float quality\nelement face %d\n"
          "property list int int vertex_indices\nend_header\n",
          p->nvert, nface);
  for (ptrdiff_t v = 0; v < p->nvert; v++) {
    const double *x = c->source[0]->x + 3 * v;
    fprintf(out, "%.9g %.9g %.9g %.9g\n", x[0], x[1], x[2],
            distance_of(x, c->source[1]->x + 3 * v));
  }
  for (int f = 0; f < nface; f++) {
    fprintf(out, "%d", o->face_start[f + 1] - o->face_start[f]);
    for (int k = o->face_start[f]; k < o->face_start[f + 1]; k++)
      fprintf(out, " %d", o->face_vert[k]);
    fputc('\n', out);
  }
}

// `quality` is what MeshLab, ParaView and Blender show as colour.
int diff_write_heat(diff_run *run, diff_comparison *c) {
  const diff_pair *p = &c->pair[c->worst.pair];
  int index[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const csim_sequence_info *info = c->source[k]->info;
    while (index[k] + 1 < info->nframe && info->number[index[k]] != c->worst.frame && !c->is_rest)
      index[k]++;
  }
  if (read_pair(c, p, index)) return DIFF_TROUBLE;
  FILE *out = fopen(run->options->heat, "w");
  if (out) print_heat(c, p, out);
  int failed = !out || ferror(out);
  if (out && fclose(out)) failed = 1;
  return failed ? diff_trouble(run, run->options->heat, "cannot write") : 0;
}
