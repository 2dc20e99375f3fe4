// view/values.c: the values that colour a frame, and their range. See stage.h.
#include "map.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

int view_stage_match(const view_stage *s, int frame, const view_sequence *q) {
  long long number = s->sequence->number[frame];
  int best = 0;
  for (int f = 1; f < q->nframe; f++)
    if (llabs(q->number[f] - number) < llabs(q->number[best] - number)) best = f;
  return best;
}

int view_stage_partner(const view_stage *s, int object) {
  const view_sequence *q = s->other;
  for (int o = 0; o < q->nobject; o++)
    if (!strcmp(q->object[o].name, s->sequence->object[object].name)) return o;
  return object < q->nobject ? object : -1;
}

static csim_status measure_distance(const view_stage *s, int frame, int object, const view_mesh *m,
                                    csim_log *log, double *value) {
  view_mesh other = {0};
  int partner = view_stage_partner(s, object);
  csim_status status = CSIM_OK;
  if (partner >= 0)
    status =
        view_sequence_read(s->other, view_stage_match(s, frame, s->other), partner, log, &other);
  if (!status && other.nvert != m->nvert) {
    csim_log_print(log, CSIM_ERROR, s->other->path,
                   "\"%s\" has %d vertices here and %d in %s: no distance of equal vertices",
                   s->sequence->object[object].name, other.nvert, m->nvert, s->sequence->path);
    status = CSIM_INVALID;
  }
  if (!status) view_measure_difference(m->nvert, m->x, other.x, 1, value);
  view_mesh_free(&other);
  return status;
}

/// Velocities of the input, else the way since the frame before (after, for the first).
static csim_status measure_speed(const view_stage *s, int frame, int object, const view_mesh *m,
                                 csim_log *log, double *value) {
  view_sequence *q = s->sequence;
  int near = frame ? frame - 1 : 1;
  view_mesh before = {0};
  csim_status status = CSIM_OK;
  memset(value, 0, (size_t)m->nvert * sizeof *value);
  if (m->v) {
    view_measure_difference(m->nvert, m->v, NULL, 1, value);
  } else if (near < q->nframe) {
    status = view_sequence_read(q, near, object, log, &before);
    double fps = q->fps > 0 ? q->fps : 24;
    double steps = (double)llabs(q->number[frame] - q->number[near]);
    if (!status && before.nvert == m->nvert)
      view_measure_difference(m->nvert, m->x, before.x, fps / fmax(1, steps), value);
  }
  view_mesh_free(&before);
  return status;
}

static csim_status measure_gap(const view_stage *s, int object, const view_mesh *mesh,
                               double *value) {
  int n = s->sequence->nobject;
  view_body *body = calloc((size_t)n, sizeof *body);
  if (!body) return CSIM_MEMORY;
  for (int o = 0; o < n; o++)
    body[o] = (view_body){mesh[o].nvert, mesh[o].x, mesh[o].ntri, mesh[o].tri};
  csim_status status = view_measure_gap(n, body, object, s->gap, value);
  free(body);
  return status;
}

static csim_status measure(const view_stage *s, int frame, int object, const view_mesh *mesh,
                           csim_log *log, double *value) {
  const view_mesh *m = mesh + object;
  const view_mesh *rest = &s->track[object].rest;
  switch (s->options->mode) {
  case VIEW_STRAIN:
    if (m->nvert == rest->nvert)
      view_measure_strain(m->nvert, rest->x, m->x, m->ntri, m->tri, value);
    else
      memset(value, 0, (size_t)m->nvert * sizeof *value);
    return CSIM_OK;
  case VIEW_CURVATURE:
    return view_measure_curvature(m->nvert, m->x, m->ntri, m->tri, value);
  case VIEW_SPEED:
    return measure_speed(s, frame, object, m, log, value);
  case VIEW_CONTACT:
    return measure_gap(s, object, mesh, value);
  case VIEW_DISTANCE:
    return measure_distance(s, frame, object, m, log, value);
  case VIEW_PRESSURE:
    if (!m->pressure) break;
    memcpy(value, m->pressure, (size_t)m->nvert * sizeof *value);
    return CSIM_OK;
  default:
    break;
  }
  memset(value, 0, (size_t)m->nvert * sizeof *value);
  return CSIM_OK;
}

csim_status view_stage_values(const view_stage *s, int frame, int object, const view_mesh *mesh,
                              csim_log *log, double *value) {
  int power = view_mode_length[s->options->mode];
  double si = power > 0 ? s->sequence->unit : power < 0 ? 1 / s->sequence->unit : 1;
  csim_status status = measure(s, frame, object, mesh, log, value);
  for (int i = 0; !status && i < mesh[object].nvert; i++) value[i] *= si;
  return status;
}

// ------------------------------------------------------------------------------------------ range

typedef struct sample {
  double *value;
  ptrdiff_t n, capacity;
} sample;

static csim_status add_sizes(sample *all, int pressed, int n, const double *value) {
  if (all->n + n > all->capacity) {
    ptrdiff_t capacity = 2 * (all->n + n);
    double *grown = realloc(all->value, (size_t)capacity * sizeof *grown);
    if (!grown) return CSIM_MEMORY;
    all->value = grown;
    all->capacity = capacity;
  }
  // where nothing presses is no sample of how hard
  for (int i = 0; i < n; i++)
    if (value[i] != 0 || !pressed) all->value[all->n++] = fabs(value[i]);
  return CSIM_OK;
}

static csim_status sample_frame(const view_stage *s, int frame, csim_log *log, sample *all) {
  view_mesh *mesh;
  csim_status status = view_stage_read(s, frame, log, &mesh);
  for (int o = 0; !status && o < s->sequence->nobject; o++) {
    if (s->track[o].colour < 0 || !mesh[o].ntri) continue;
    double *value = malloc((size_t)mesh[o].nvert * sizeof *value);
    status = value ? view_stage_values(s, frame, o, mesh, log, value) : CSIM_MEMORY;
    if (!status) status = add_sizes(all, s->options->mode == VIEW_PRESSURE, mesh[o].nvert, value);
    free(value);
  }
  view_stage_release(s, mesh);
  return status;
}

static int compare_doubles(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}

/// Contact is looked for up to about half the finest moving object's mean edge.
static double choose_gap(const view_stage *s) {
  double edge = 0;
  for (int o = 0; o < s->sequence->nobject; o++) {
    const view_mesh *m = &s->track[o].rest;
    if (s->track[o].colour < 0 || !m->ntri) continue;
    double mean = csim_mean_edge(m->x, m->ntri, 3, m->tri);
    if (!(edge > 0) || mean < edge) edge = mean;
  }
  return view_nice_number(edge > 0 ? 0.5 * edge : 0.01 * s->scene.radius);
}

// Place in s->frame of the i-th of n frames spread over all.
static int spread(const view_stage *s, int i, int n) {
  return n > 1 ? (int)((double)i * (s->nframe - 1) / (n - 1) + 0.5) : 0;
}

static csim_status choose_press(const view_stage *s, csim_log *log, double *press) {
  csim_status status = CSIM_OK;
  int n = s->nframe < 12 ? s->nframe : 12;
  for (int i = 0; !status && s->sequence->pressed && i < n; i++) {
    view_mesh *mesh;
    status = view_stage_read(s, s->frame[spread(s, i, n)], log, &mesh);
    for (int o = 0; !status && o < s->sequence->nobject; o++)
      for (int k = 0; mesh[o].pressure && k < mesh[o].nvert; k++)
        *press = fmax(*press, mesh[o].pressure[k]);
    view_stage_release(s, mesh);
  }
  *press = view_nice_number(*press);
  return status;
}

csim_status view_stage_range(view_stage *s, csim_log *log) {
  static const double unit[VIEW_NMODE] = {1, 100, 1, 1, 1000, 1000, 1};
  view_mode mode = s->options->mode;
  sample all = {0};
  s->gap = choose_gap(s);
  csim_status status = choose_press(s, log, &s->press);
  if (s->options->range.given) {
    s->range[0] = s->options->range.end[0] / unit[mode];
    s->range[1] = s->options->range.end[1] / unit[mode];
    return status;
  }
  if (mode == VIEW_PLAIN) return status;
  if (mode == VIEW_CONTACT) {
    s->range[1] = s->gap * s->sequence->unit;
    return status;
  }
  int n = mode == VIEW_DISTANCE || s->nframe < 12 ? s->nframe : 12;
  for (int i = 0; !status && i < n; i++)
    status = sample_frame(s, s->frame[spread(s, i, n)], log, &all);
  double top = 0;
  if (!status && all.n) {
    qsort(all.value, (size_t)all.n, sizeof *all.value, compare_doubles);
    double share = mode == VIEW_DISTANCE ? 1 : mode == VIEW_PRESSURE ? 0.9 : 0.98;
    top = all.value[(ptrdiff_t)(share * (double)(all.n - 1))];
  }
  // where nothing happens the colours must not show rounding errors
  static const double least[VIEW_NMODE] = {0, 1e-4, 1e-3, 1e-4, 0, 0, 0};
  s->range[1] =
      view_nice_number(fmax(fmax(top, least[mode]), 1e-7 * s->scene.radius * s->sequence->unit));
  s->range[0] = view_mode_is_signed(mode) ? -s->range[1] : 0;
  free(all.value);
  return status;
}

// -------------------------------------------------------------------------------------- crossings

static int is_still(const view_stage *s, int object) {
  return s->track[object].colour < 0;
}

csim_status view_stage_mark(const view_stage *s, const view_mesh *mesh, uint8_t ***mark) {
  enum { MOST_PAIRS = 1 << 18 };
  csim_status status = CSIM_MEMORY;
  int nobject = s->sequence->nobject, nvert = 0, ntri = 0;
  long long npair = 0;
  for (int o = 0; o < nobject; o++) nvert += mesh[o].nvert, ntri += mesh[o].ntri;
  double *x = malloc(3 * (size_t)nvert * sizeof *x + 1);
  int *tri = malloc(3 * (size_t)ntri * sizeof *tri + 1),
      *owner = malloc(2 * (size_t)ntri * sizeof *owner + 1);
  int *pair = malloc(2 * (size_t)MOST_PAIRS * sizeof *pair);
  uint8_t **rows = calloc((size_t)nobject + 1, sizeof *rows);
  *mark = rows;
  if (!x || !tri || !owner || !pair || !rows) goto done;
  nvert = ntri = 0;
  for (int o = 0; o < nobject; o++) {
    const view_mesh *m = mesh + o;
    rows[o] = calloc((size_t)m->ntri + 1, 1);
    if (!rows[o]) goto done;
    if (m->nvert) memcpy(x + csim_xyz(nvert), m->x, 3 * (size_t)m->nvert * sizeof *x);
    for (int t = 0; t < m->ntri; t++, ntri++) {
      owner[2 * ntri] = o;
      owner[2 * ntri + 1] = t;
      for (int k = 0; k < 3; k++) tri[3 * ntri + k] = nvert + m->tri[3 * t + k];
    }
    nvert += m->nvert;
  }
  status = csim_find_crossings(nvert, x, ntri, tri, MOST_PAIRS, pair, &npair);
  for (long long i = 0; !status && i < npair && i < MOST_PAIRS; i++) {
    const int *a = owner + 2 * pair[2 * i], *b = owner + 2 * pair[2 * i + 1];
    if (is_still(s, a[0]) && is_still(s, b[0])) continue;
    rows[a[0]][a[1]] = rows[b[0]][b[1]] = 1;
  }
done:
  if (status) {
    view_stage_release_marks(s, *mark);
    *mark = NULL;
  }
  free(x);
  free(tri);
  free(owner);
  free(pair);
  return status;
}

void view_stage_release_marks(const view_stage *s, uint8_t **mark) {
  for (int o = 0; mark && o < s->sequence->nobject; o++) free(mark[o]);
  free(mark);
}
