// view/decimate.c: see decimate.h.
#include "decimate.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
  int nvert;
  const double *x;
  int *start, *near; ///< neighbours over triangle sides, with repeats
} graph;

typedef struct heap {
  int n, *vert;
  double *key;
} heap;

static void push(heap *h, int vert, double key) {
  int i = h->n++;
  for (; i && h->key[(i - 1) / 2] > key; i = (i - 1) / 2) {
    h->vert[i] = h->vert[(i - 1) / 2];
    h->key[i] = h->key[(i - 1) / 2];
  }
  h->vert[i] = vert;
  h->key[i] = key;
}

static int pop(heap *h, double *key) {
  int top = h->vert[0], i = 0;
  *key = h->key[0];
  int vert = h->vert[--h->n];
  double last = h->key[h->n];
  for (int c; (c = 2 * i + 1) < h->n; i = c) {
    if (c + 1 < h->n && h->key[c + 1] < h->key[c]) c++;
    if (h->key[c] >= last) break;
    h->vert[i] = h->vert[c];
    h->key[i] = h->key[c];
  }
  h->vert[i] = vert;
  h->key[i] = last;
  return top;
}

static int build_graph(int nvert, const double *x, int ntri, const int *tri, graph *g) {
  *g = (graph){nvert, x, calloc((size_t)nvert + 2, sizeof(int)),
               malloc(6 * (size_t)ntri * sizeof(int) + 1)};
  if (!g->start || !g->near) return 0;
  for (ptrdiff_t i = 0; i < csim_xyz(ntri); i++) g->start[tri[i] + 1] += 2;
  for (int v = 0; v < nvert; v++) g->start[v + 1] += g->start[v];
  // start[v + 1] is now the end of v: fill downwards, and the ends become the starts of v
  for (ptrdiff_t t = 0; t < ntri; t++)
    for (int k = 0; k < 3; k++) {
      int v = tri[3 * t + k];
      g->near[--g->start[v + 1]] = tri[3 * t + (k + 1) % 3];
      g->near[--g->start[v + 1]] = tri[3 * t + (k + 2) % 3];
    }
  for (int v = 0; v < nvert; v++) g->start[v] = g->start[v + 1];
  g->start[nvert] = 6 * ntri;
  return 1;
}

/// Grows the realms in h outwards to at most `reach`: owner[v] and distance[v] of all they get to.
static void grow(const graph *g, heap *h, double reach, double *distance, int *owner) {
  while (h->n) {
    double d;
    int v = pop(h, &d);
    if (d > distance[v]) continue;
    for (int i = g->start[v]; i < g->start[v + 1]; i++) {
      int w = g->near[i];
      vec3 e = vec_sub(vec_load(g->x + csim_xyz(w)), vec_load(g->x + csim_xyz(v)));
      double further = d + vec_length(e);
      if (further >= distance[w] || further > reach) continue;
      distance[w] = further;
      owner[w] = owner[v];
      push(h, w, further);
    }
  }
}

/// Every vertex not within `reach` of a chosen one is chosen, in order. Returns their number.
static int choose(const graph *g, heap *h, double reach, double *distance, int *owner) {
  int n = 0;
  for (int v = 0; v < g->nvert; v++) distance[v] = 1e300;
  for (int v = 0; v < g->nvert; v++) {
    if (distance[v] <= reach) continue;
    distance[v] = 0;
    owner[v] = v;
    h->n = 0;
    push(h, v, 0);
    grow(g, h, reach, distance, owner);
    n++;
  }
  return n;
}

static int compare_triples(const void *p, const void *q) {
  return memcmp(p, q, 3 * sizeof(int));
}

/// Triangles between three realms, once each, wound as the first that made them.
static int join(int ntri, const int *tri, const int *owner, const int *number, int *out) {
  int n = 0;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    int v[3], first = 0;
    for (int k = 0; k < 3; k++) v[k] = number[owner[tri[3 * t + k]]];
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
    for (int k = 1; k < 3; k++)
      if (v[k] < v[first]) first = k;
    for (int k = 0; k < 3; k++) out[3 * n + k] = v[(first + k) % 3];
    n++;
  }
  qsort(out, (size_t)n, 3 * sizeof *out, compare_triples);
  int kept = 0;
  for (int t = 0; t < n; t++)
    if (!kept || memcmp(out + 3 * t, out + 3 * (kept - 1), 3 * sizeof *out))
      memmove(out + 3 * kept++, out + 3 * t, 3 * sizeof *out);
  return kept;
}

csim_status view_decimate(int nvert, const double *x, int ntri, const int *tri, int most,
                          view_decimated *out) {
  csim_status status = CSIM_MEMORY;
  size_t n = (size_t)nvert;
  graph g;
  heap h = {0, malloc((6 * (size_t)ntri + n + 1) * sizeof(int)),
            malloc((6 * (size_t)ntri + n + 1) * sizeof(double))};
  double *distance = malloc(n * sizeof *distance + 1), area = 0;
  int *owner = malloc(n * sizeof *owner + 1), *number = malloc(n * sizeof *number + 1);
  out->vert = malloc(n * sizeof *out->vert + 1);
  out->tri = malloc(3 * (size_t)ntri * sizeof *out->tri + 1);
  int ok = build_graph(nvert, x, ntri, tri, &g);
  if (!ok || !h.vert || !h.key || !distance || !owner || !number || !out->vert || !out->tri)
    goto done;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    vec3 a = vec_load(x + csim_xyz(tri[3 * t]));
    vec3 b = vec_sub(vec_load(x + csim_xyz(tri[3 * t + 1])), a);
    area += 0.5 * vec_length(vec_cross(b, vec_sub(vec_load(x + csim_xyz(tri[3 * t + 2])), a)));
  }
  // discs of this radius would cover the area once; widen until few enough are needed
  double reach = 0.8 * sqrt(area / most);
  for (int i = 0; i < 60 && choose(&g, &h, reach, distance, owner) > most; i++) reach *= 1.12;
  h.n = 0;
  out->nvert = 0;
  for (int v = 0; v < nvert; v++) distance[v] = owner[v] == v && distance[v] == 0 ? 0 : 1e300;
  for (int v = 0; v < nvert; v++) {
    if (distance[v] > 0) continue;
    number[v] = out->nvert;
    out->vert[out->nvert++] = v;
    push(&h, v, 0);
  }
  grow(&g, &h, 1e300, distance, owner);
  out->ntri = join(ntri, tri, owner, number, out->tri);
  status = CSIM_OK;
done:
  if (status) {
    free(out->vert);
    free(out->tri);
    out->vert = out->tri = NULL;
  }
  free(g.start);
  free(g.near);
  free(h.vert);
  free(h.key);
  free(distance);
  free(owner);
  free(number);
  return status;
}
