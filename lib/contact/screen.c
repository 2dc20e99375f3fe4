// contact/screen.c: which candidates are worth an exact look, see contact.h.
#include "contact/contact.h"
#include "contact/filter.h"

#include <assert.h>
#include <string.h>

enum { ITEM_GRAIN = 4096 };

// Rounded up.
static float to_float(double x) {
  return (float)(x * (1 + 1e-6));
}

static void measure_edges(void *context, int first, int last) {
  csim_contact *c = context;
  const double *m = c->moved;
  for (int i = first; i < last; i++) {
    const int *v = c->skin.edge + 2 * (ptrdiff_t)i;
    c->edge_moved[i] = to_float(csim_max(m[v[0]], m[v[1]]));
  }
}

static void measure_tris(void *context, int first, int last) {
  csim_contact *c = context;
  const double *m = c->moved;
  for (int i = first; i < last; i++) {
    const int *v = c->skin.tri + 3 * (ptrdiff_t)i;
    c->tri_moved[i] = to_float(csim_max(m[v[0]], csim_max(m[v[1]], m[v[2]])));
  }
}

void csim_contact_begin_screen(csim_contact *contact, const double *x, const double *way, int alone,
                               double distance) {
  csim_sieve *sieve = &contact->near.sieve;
  sieve->distance = (float)(distance * (1 + 1e-6));
  sieve->share = (float)CSIM_FILTER_SHARE;
  sieve->alone = alone;
  csim_sieve_fill(contact->pool, sieve, x, way, 1, NULL);
  csim_pool_for(contact->pool, contact->skin.nedge, ITEM_GRAIN, measure_edges, contact);
  csim_pool_for(contact->pool, contact->skin.ntri, ITEM_GRAIN, measure_tris, contact);
}

// Pairs of one kind on their way through the sieve, and where they stand among the flags.
typedef struct batch {
  int n, at[CSIM_SCREEN_ROOM];
  csim_pair pair[CSIM_SCREEN_ROOM];
} batch;

static void sift(const csim_sieve *sieve, const batch *b,
                 int (*near)(const csim_sieve *, int, const csim_pair *), unsigned char *flag) {
  for (int i = 0; i < b->n; i += 4) {
    int count = b->n - i < 4 ? b->n - i : 4, mask = near(sieve, count, b->pair + i);
    for (int k = 0; k < count; k++) flag[b->at[i + k]] = mask >> k & 1;
  }
}

void csim_contact_screen(const csim_contact *contact, int first, int last, double time,
                         unsigned char *flag) {
  const csim_candidates *near = &contact->near;
  const float *edge = contact->edge_moved, *tri = contact->tri_moved;
  double limit = near->sieve.distance, later = near->clock + time;
  batch triangles, edges;
  triangles.n = edges.n = 0;
  assert(last - first <= CSIM_SCREEN_ROOM);
  memset(flag, 0, (size_t)(last - first));
  for (int i = first; i < last; i++) {
    const csim_candidate *c = &near->list[i];
    double gap = csim_min(csim_candidate_gap(c, near->clock), csim_candidate_gap(c, later));
    if (c->b < 0) {
      edges.at[edges.n] = i - first;
      edges.pair[edges.n] = (csim_pair){c->a, -1 - c->b};
      edges.n += gap - (double)edge[c->a] - (double)edge[-1 - c->b] < limit;
    } else {
      double point = contact->moved[contact->skin.point[c->a]];
      triangles.at[triangles.n] = i - first;
      triangles.pair[triangles.n] = (csim_pair){c->a, c->b};
      triangles.n += gap - point - (double)tri[c->b] < limit;
    }
  }
  sift(&near->sieve, &triangles, csim_sieve_triangles, flag);
  sift(&near->sieve, &edges, csim_sieve_edges, flag);
}
