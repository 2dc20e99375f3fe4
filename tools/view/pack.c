// view/pack.c: see pack.h.
#include "pack.h"
#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- order

typedef struct walk {
  view_coder *coder;
  const int *tri, *across;
  uint8_t *known; ///< (nvert)
  uint8_t *seen;  ///< (ntri)
  int *queue;     ///< (ntri)
  int n;          ///< vertices placed
} walk;

static void place(walk *w, int vertex, int a, int b, int d) {
  if (w->known[vertex]) return;
  w->known[vertex] = 1;
  w->coder->predict[w->n++] = (view_predictor){vertex, a, b, d};
}

/// Places a whole piece, triangle after triangle over common edges.
static void walk_piece(walk *w, int seed) {
  int none = w->coder->nvert, done = 0, queued = 1;
  const int *v = w->tri + csim_xyz(seed);
  place(w, v[0], none, none, none);
  place(w, v[1], v[0], none, none);
  place(w, v[2], v[1], none, none);
  w->queue[0] = seed;
  w->seen[seed] = 1;
  for (; done < queued; done++) {
    int t = w->queue[done];
    for (int k = 0; k < 3; k++) {
      int side = w->across[3 * t + k];
      if (side < 0 || w->seen[side / 3]) continue;
      const int *here = w->tri + csim_xyz(t), *there = w->tri + csim_xyz(side / 3);
      place(w, there[(side % 3 + 2) % 3], here[k], here[(k + 1) % 3], here[(k + 2) % 3]);
      w->seen[side / 3] = 1;
      w->queue[queued++] = side / 3;
    }
  }
}

int view_coder_init(view_coder *c, int nvert, int ntri, const int *tri) {
  size_t n = (size_t)nvert;
  *c = (view_coder){.nvert = nvert};
  c->predict = malloc(n * sizeof *c->predict + 1);
  c->last = malloc(3 * n * sizeof *c->last + 1);
  c->shift = malloc(3 * (n + 1) * sizeof *c->shift);
  c->klast = malloc(3 * n * sizeof *c->klast + 1);
  c->kshift = malloc(3 * (n + 1) * sizeof *c->kshift);
  c->word = malloc(3 * n * sizeof *c->word + 1);
  int *across = view_find_across(ntri, tri);
  walk w = {c,
            tri,
            across,
            calloc(n + 1, 1),
            calloc((size_t)ntri + 1, 1),
            malloc((size_t)ntri * sizeof(int) + 1),
            0};
  int ok = c->predict && c->last && c->shift && c->klast && c->kshift && c->word && across &&
           w.known && w.seen && w.queue;
  for (int t = 0; ok && t < ntri; t++)
    if (!w.seen[t]) walk_piece(&w, t);
  for (int v = 0; ok && v < nvert; v++) place(&w, v, nvert, nvert, nvert);
  free(across);
  free(w.known);
  free(w.seen);
  free(w.queue);
  if (!ok) view_coder_free(c);
  return ok;
}

void view_coder_free(view_coder *c) {
  free(c->predict);
  free(c->last);
  free(c->shift);
  free(c->klast);
  free(c->kshift);
  free(c->word);
  *c = (view_coder){0};
}

void view_coder_start(view_coder *c, double step, const double origin[3]) {
  size_t n = (size_t)c->nvert;
  c->step = step;
  memcpy(c->origin, origin, sizeof c->origin);
  memset(c->last, 0, 3 * n * sizeof *c->last);
  memset(c->klast, 0, 3 * n * sizeof *c->klast);
  memset(c->shift, 0, 3 * (n + 1) * sizeof *c->shift);
  memset(c->kshift, 0, 3 * (n + 1) * sizeof *c->kshift);
}

// ---------------------------------------------------------------------------------------- frames

/// Bits of a float as an unsigned integer of the same order.
static uint32_t order_of(float value) {
  union {
    float f;
    uint32_t u;
  } both = {.f = value};
  return both.u >> 31 ? ~both.u : both.u | 0x80000000u;
}

static void add_exact(view_coder *c, const double *x) {
  for (int i = 0; i < c->nvert; i++) {
    const view_predictor *p = c->predict + i;
    for (int k = 0; k < 3; k++) {
      float value = (float)x[csim_xyz(p->vertex) + k];
      if (value == 0) value = 0; // -0 would be another key
      float *last = c->last + csim_xyz(p->vertex) + k;
      const float *u = c->shift + k;
      float turn = u[csim_xyz(p->a)] + u[csim_xyz(p->b)];
      turn = turn - u[csim_xyz(p->d)];
      float guess = *last + turn;
      c->word[(ptrdiff_t)k * c->nvert + i] = view_zigzag(order_of(value) - order_of(guess));
      c->shift[csim_xyz(p->vertex) + k] = value - *last;
      *last = value;
    }
  }
}

static void add_steps(view_coder *c, const double *x) {
  for (int i = 0; i < c->nvert; i++) {
    const view_predictor *p = c->predict + i;
    for (int k = 0; k < 3; k++) {
      int32_t value = (int32_t)llround((x[csim_xyz(p->vertex) + k] - c->origin[k]) / c->step);
      int32_t *last = c->klast + csim_xyz(p->vertex) + k;
      const int32_t *u = c->kshift + k;
      // wraps like the reader's 32-bit integers
      uint32_t guess = (uint32_t)*last + (uint32_t)u[csim_xyz(p->a)] + (uint32_t)u[csim_xyz(p->b)] -
                       (uint32_t)u[csim_xyz(p->d)];
      c->word[(ptrdiff_t)k * c->nvert + i] = view_zigzag((uint32_t)value - guess);
      c->kshift[csim_xyz(p->vertex) + k] = value - *last;
      *last = value;
    }
  }
}

void view_coder_add(view_coder *c, const double *x, view_bytes *out) {
  if (c->step > 0)
    add_steps(c, x);
  else
    add_exact(c, x);
  view_bytes_planes(out, 3 * (size_t)c->nvert, c->word);
}
