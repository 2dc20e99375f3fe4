// view/reel.c: see reel.h.
#include "reel.h"
#include "decimate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 2000, MOST_NOTED = 300000 };

// ------------------------------------------------------------------------------------------ parts

static void free_part(view_part *p) {
  view_shape_free(&p->shape);
  view_coder_free(&p->coder);
  free(p->keep);
  *p = (view_part){0};
}

/// Shape and coder of a part from the mesh of its first frame.
static csim_status fill_part(const view_stage *s, const view_mesh *m, int most, view_part *p) {
  view_kind kind = s->sequence->object[p->object].kind;
  double crease = kind == VIEW_CLOTH ? 4 : kind == VIEW_UNKNOWN ? 1.31 : 0.87;
  csim_status status = CSIM_OK;
  p->original = m->nvert;
  p->nkeep = m->nvert;
  p->noted = s->track[p->object].colour >= 0 && m->ntri;
  memcpy(p->lo, s->track[p->object].lo, sizeof p->lo);
  memcpy(p->hi, s->track[p->object].hi, sizeof p->hi);
  p->moves = s->track[p->object].moves;
  if (most && m->nvert > most && m->ntri) {
    view_decimated few = {0};
    status = view_decimate(m->nvert, m->x, m->ntri, m->tri, most, &few);
    p->nkeep = few.nvert;
    p->keep = few.vert;
    double *x = status ? NULL : malloc(3 * (size_t)p->nkeep * sizeof *x + 1);
    for (int i = 0; x && i < p->nkeep; i++)
      memcpy(x + csim_xyz(i), m->x + csim_xyz(p->keep[i]), 3 * sizeof *x);
    if (!status && !x) status = CSIM_MEMORY;
    if (!status) status = view_shape_make(p->nkeep, x, few.ntri, few.tri, NULL, crease, &p->shape);
    free(x);
    free(few.tri);
  } else {
    status = view_shape_make(m->nvert, m->x, m->ntri, m->tri, m->edge, crease, &p->shape);
  }
  if (!status && !view_coder_init(&p->coder, p->nkeep, p->shape.ntri, p->shape.tri))
    status = CSIM_MEMORY;
  return status;
}

static csim_status add_part(view_reel *r, int object, int place, const view_mesh *m, int most,
                            csim_log *log) {
  if (r->npart == MOST_PARTS) {
    csim_log_print(log, CSIM_ERROR, r->stage->sequence->path,
                   "the topology changes more than %d times: choose fewer frames with --frames",
                   MOST_PARTS);
    return CSIM_INVALID;
  }
  view_part *p = r->part + r->npart++;
  *p = (view_part){.object = object, .first = place, .count = 1};
  return fill_part(r->stage, m, most, p);
}

static int same_triangles(const view_mesh *a, const view_mesh *b) {
  return a->nvert == b->nvert && a->ntri == b->ntri &&
         (!a->ntri || !memcmp(a->tri, b->tri, 3 * (size_t)a->ntri * sizeof *a->tri));
}

static csim_status find_parts(view_reel *r, int object, int most, csim_log *log) {
  const view_stage *s = r->stage;
  const view_track *t = s->track + object;
  csim_status status = CSIM_OK;
  if (!t->seen) return CSIM_OK;
  if (s->sequence->object[object].surface) { // its faces stay
    status = add_part(r, object, 0, &t->rest, most, log);
    r->part[r->npart - 1].count = s->nframe;
    return status;
  }
  view_mesh last = {0};
  view_part *open = NULL;
  for (int f = 0; !status && f < s->nframe; f++) {
    view_mesh m;
    status = view_sequence_read(s->sequence, s->frame[f], object, log, &m);
    if (status || !m.nvert) continue;
    if (open && same_triangles(&m, &last)) {
      open->count++;
      view_mesh_free(&m);
      continue;
    }
    status = add_part(r, object, f, &m, most, log);
    open = r->part + r->npart - 1;
    view_mesh_free(&last);
    last = m;
  }
  view_mesh_free(&last);
  return status;
}

csim_status view_reel_thin(view_reel *r, int most, csim_log *log) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < r->npart; i++) free_part(r->part + i);
  r->npart = 0;
  for (int o = 0; !status && o < r->stage->sequence->nobject; o++)
    status = find_parts(r, o, most, log);
  return status;
}

csim_status view_reel_make(const view_stage *stage, int most, csim_log *log, view_reel *r) {
  long long ntri = 0;
  *r = (view_reel){.stage = stage};
  for (int o = 0; o < stage->sequence->nobject; o++) ntri += stage->track[o].rest.ntri;
  r->noting = ntri <= MOST_NOTED;
  r->part = calloc(MOST_PARTS, sizeof *r->part);
  r->note = calloc((size_t)stage->nframe, sizeof *r->note);
  csim_status status = r->part && r->note ? view_reel_thin(r, most, log) : CSIM_MEMORY;
  if (status) view_reel_free(r);
  return status;
}

void view_reel_free(view_reel *r) {
  for (int i = 0; i < r->npart; i++) free_part(r->part + i);
  for (int f = 0; r->note && f < r->stage->nframe; f++) {
    for (int o = 0; r->note[f].gap && o < r->stage->sequence->nobject; o++) free(r->note[f].gap[o]);
    free(r->note[f].gap);
    free(r->note[f].crossing);
  }
  free(r->part);
  free(r->note);
  *r = (view_reel){0};
}

// ------------------------------------------------------------------------------------------ notes

static csim_status note_gaps(const view_stage *s, const view_mesh *mesh, view_note *note) {
  int n = s->sequence->nobject;
  csim_status status = CSIM_OK;
  view_body *body = calloc((size_t)n + 1, sizeof *body);
  note->gap = calloc((size_t)n + 1, sizeof *note->gap);
  if (!body || !note->gap) status = CSIM_MEMORY;
  for (int o = 0; !status && o < n; o++)
    body[o] = (view_body){mesh[o].nvert, mesh[o].x, mesh[o].ntri, mesh[o].tri};
  for (int o = 0; !status && o < n; o++) {
    if (s->track[o].colour < 0 || !mesh[o].ntri) continue;
    double *value = malloc((size_t)mesh[o].nvert * sizeof *value);
    note->gap[o] = malloc((size_t)mesh[o].nvert + 1);
    const double *pressure = mesh[o].pressure;
    status = !value || !note->gap[o] ? CSIM_MEMORY
             : s->sequence->pressed  ? CSIM_OK
                                     : view_measure_gap(n, body, o, s->gap, value);
    for (int i = 0; !status && i < mesh[o].nvert; i++) {
      // the root, as most pressures are small
      double share = !s->sequence->pressed ? value[i] / s->gap
                     : pressure            ? sqrt(fmax(pressure[i], 0) / s->press)
                                           : 0;
      note->gap[o][i] = (uint8_t)(255 * view_clamp(share, 0, 1) + 0.5);
    }
    free(value);
  }
  free(body);
  return status;
}

static csim_status note_crossings(const view_stage *s, const view_mesh *mesh, view_note *note) {
  uint8_t **mark;
  csim_status status = view_stage_mark(s, mesh, &mark);
  int n = 0;
  for (int o = 0; !status && o < s->sequence->nobject; o++)
    for (int t = 0; t < mesh[o].ntri; t++) n += mark[o][t];
  if (!status) note->crossing = malloc(2 * (size_t)n * sizeof *note->crossing + 1);
  if (!note->crossing) status = CSIM_MEMORY;
  for (int o = 0; !status && o < s->sequence->nobject; o++)
    for (int t = 0; t < mesh[o].ntri; t++)
      if (mark[o][t]) {
        note->crossing[2 * note->ncrossing] = (uint32_t)o;
        note->crossing[2 * note->ncrossing++ + 1] = (uint32_t)t;
      }
  view_stage_release_marks(s, mark);
  return status;
}

// ---------------------------------------------------------------------------------------- writing

static void add_deltas(view_bytes *out, int n, const int *value) {
  uint32_t *word = malloc((size_t)n * sizeof *word + 1);
  for (int i = 0; word && i < n; i++)
    word[i] = view_zigzag((uint32_t)value[i] - (i ? (uint32_t)value[i - 1] : 0));
  if (word)
    view_bytes_planes(out, (size_t)n, word);
  else
    out->failed = 1;
  free(word);
}

/// Vertex that each smoothing group belongs to.
static int *group_vertices(const view_shape *shape) {
  int *vertex = calloc((size_t)shape->ngroup + 1, sizeof *vertex);
  for (ptrdiff_t i = 0; vertex && i < csim_xyz(shape->ntri); i++)
    vertex[shape->group[i]] = shape->tri[i];
  return vertex;
}

void view_reel_topology(const view_part *p, view_bytes *out) {
  int nvert = p->coder.nvert;
  int *order = malloc(4 * (size_t)nvert * sizeof *order + 1);
  int *vertex = group_vertices(&p->shape);
  if (!order || !vertex) {
    out->failed = 1;
  } else {
    // in columns; neighbours relative to the vertex
    for (int i = 0; i < nvert; i++) {
      const view_predictor *q = p->coder.predict + i;
      order[i] = q->vertex;
      order[nvert + i] = q->vertex - q->a;
      order[2 * nvert + i] = q->vertex - q->b;
      order[3 * nvert + i] = q->vertex - q->d;
    }
    add_deltas(out, 4 * nvert, order);
    add_deltas(out, 3 * p->shape.ntri, p->shape.group);
    add_deltas(out, p->shape.ngroup, vertex);
    view_bytes_add(out, p->shape.edge, (size_t)p->shape.ntri);
    if (p->keep) add_deltas(out, p->nkeep, p->keep);
  }
  free(order);
  free(vertex);
}

static csim_status add_positions(view_part *p, const view_mesh *m, view_bytes *out) {
  if (!p->keep) {
    view_coder_add(&p->coder, m->x, out);
    return CSIM_OK;
  }
  double *x = malloc(3 * (size_t)p->nkeep * sizeof *x + 1);
  if (!x) return CSIM_MEMORY;
  for (int i = 0; i < p->nkeep; i++)
    memcpy(x + csim_xyz(i), m->x + csim_xyz(p->keep[i]), 3 * sizeof *x);
  view_coder_add(&p->coder, x, out);
  free(x);
  return CSIM_OK;
}

csim_status view_reel_frame(view_reel *r, int place, csim_log *log, view_bytes *out) {
  const view_stage *s = r->stage;
  view_note *note = r->note + place;
  view_mesh *mesh;
  csim_status status = view_stage_read(s, s->frame[place], log, &mesh);
  if (!status && r->noting && !note->done) {
    status = note_gaps(s, mesh, note);
    if (!status) status = note_crossings(s, mesh, note);
    note->done = 1;
  }
  for (int i = 0; !status && i < r->npart; i++) {
    view_part *p = r->part + i;
    if (place < p->first || place >= p->first + p->count) continue;
    if (!p->moves && p->stored) continue;
    p->stored = 1;
    status = add_positions(p, mesh + p->object, out);
    for (int k = 0; !status && r->noting && p->noted && k < p->nkeep; k++)
      view_bytes_add(out, note->gap[p->object] + (p->keep ? p->keep[k] : k), 1);
  }
  for (int i = -1; !status && r->noting && i < 2 * note->ncrossing; i++) {
    uint32_t w = i < 0 ? (uint32_t)note->ncrossing : note->crossing[i];
    const uint8_t little[4] = {(uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16),
                               (uint8_t)(w >> 24)};
    view_bytes_add(out, little, 4);
  }
  if (!status && out->failed) status = CSIM_MEMORY;
  view_stage_release(s, mesh);
  return status;
}
