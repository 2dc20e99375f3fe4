// contact/screen.c: which candidates are worth an exact look, see contact.h.
#include "contact/contact.h"
#include "contact/filter.h"

#include <assert.h>
#include <string.h>

enum { ITEM_GRAIN = 4096 };

// Of the thickness: what vertices may move before the brief list is made anew.
#define BRIEF_MARGIN 0.25

// What every item may have moved, from contact->moved or contact->allowed.
typedef struct measure_job {
  csim_contact *contact;
  const float *moved;
} measure_job;

static inline float larger(float a, float b) {
  return a > b ? a : b;
}

static void measure_points(void *context, int first, int last) {
  const measure_job *job = context;
  csim_contact *c = job->contact;
  for (int i = first; i < last; i++) c->item_moved[i] = job->moved[c->mesh.point[i]];
}

static void measure_edges(void *context, int first, int last) {
  const measure_job *job = context;
  csim_contact *c = job->contact;
  const float *m = job->moved;
  float *moved = c->item_moved + c->mesh.npoint;
  for (int i = first; i < last; i++) {
    const int *v = c->mesh.edge + 2 * (ptrdiff_t)i;
    moved[i] = larger(m[v[0]], m[v[1]]);
  }
}

static void measure_tris(void *context, int first, int last) {
  const measure_job *job = context;
  csim_contact *c = job->contact;
  const float *m = job->moved;
  float *moved = c->item_moved + c->mesh.npoint + c->mesh.nedge;
  for (int i = first; i < last; i++) {
    const int *v = c->mesh.tri + 3 * (ptrdiff_t)i;
    moved[i] = larger(m[v[0]], larger(m[v[1]], m[v[2]]));
  }
}

static void measure_items(csim_contact *contact, const float *moved) {
  measure_job job = {contact, moved};
  csim_pool_for(contact->pool, contact->mesh.npoint, ITEM_GRAIN, measure_points, &job);
  csim_pool_for(contact->pool, contact->mesh.nedge, ITEM_GRAIN, measure_edges, &job);
  csim_pool_for(contact->pool, contact->mesh.ntri, ITEM_GRAIN, measure_tris, &job);
}

// Whether a candidate can come nearer than `limit` by what its items may have moved from their
// references, while the clock goes on until `later`.
static inline int can_matter(const csim_contact *contact, const csim_candidate *c, double later,
                             double limit) {
  int edges = contact->mesh.npoint, tris = edges + contact->mesh.nedge, is_edge = c->b < 0;
  const float *moved = contact->item_moved;
  double a = moved[c->a + (is_edge ? edges : 0)];
  double b = moved[is_edge ? edges - 1 - c->b : tris + c->b];
  double now = contact->near.clock;
  return csim_min(csim_candidate_gap(c, now), csim_candidate_gap(c, later)) - a - b < limit;
}

// --------------------------------------------------------------------------------- the brief list

// A step looks at its candidates again and again, and most are out of the question for all of it.
static void choose_chunk(void *context, int chunk, uint64_t *word) {
  const csim_contact *c = context;
  const csim_candidate *list = c->near.list + (ptrdiff_t)chunk * CSIM_COMPACTION_CHUNK;
  int n = c->near.n - chunk * CSIM_COMPACTION_CHUNK;
  double limit = c->params.thickness * (1 + 1e-6);
  for (int i = 0; i < n && i < CSIM_COMPACTION_CHUNK; i++)
    if (can_matter(c, &list[i], c->brief_until, limit)) csim_compaction_keep(word, i);
}

static void list_chosen(void *context, int chunk) {
  csim_contact *c = context;
  int *to = c->brief + c->chosen.start[chunk];
  csim_kept at = csim_compaction_walk(&c->chosen, chunk);
  for (int i; (i = csim_next_kept(&at)) >= 0;) *to++ = chunk * CSIM_COMPACTION_CHUNK + i;
}

static void allow_range(void *context, int first, int last) {
  csim_contact *c = context;
  double more = BRIEF_MARGIN * c->params.thickness;
  for (int i = first; i < last; i++)
    c->allowed[i] = larger(
        c->moved[i], csim_contact_round_up(csim_min(c->near.reach[i], (double)c->moved[i] + more)));
}

static double count_beyond(void *context, int first, int last) {
  const csim_contact *c = context;
  double count = 0;
  for (int i = first; i < last; i++) count += !(c->moved[i] <= c->allowed[i]);
  return count;
}

// Makes the brief list, unless the one there is still holds. -1 when out of memory.
static int keep_brief(csim_contact *c) {
  double until = c->near.clock + c->time_left;
  int n = c->mesh.nvert;
  if (c->brief_holds && until <= c->brief_until && csim_pool_sum(c->pool, n, count_beyond, c) == 0)
    return 0;
  c->marked = c->brief_holds = c->nbrief = 0;
  c->brief_until = until + 1e-6 * c->h; // sums of parts of a step round
  csim_pool_for(c->pool, n, ITEM_GRAIN, allow_range, c);
  measure_items(c, c->allowed);
  int total = csim_compact(c->pool, &c->chosen, csim_compaction_chunks(c->near.n), choose_chunk, c);
  int *brief = total < 0 ? NULL : csim_grow(c->brief, &c->brief_room, total, sizeof *brief);
  if (!brief) {
    c->failed = 1;
    return -1;
  }
  c->brief = brief;
  c->nbrief = total;
  csim_pool_run(c->pool, c->chosen.nchunk, list_chosen, c);
  c->brief_holds = 1;
  return 0;
}

// ----------------------------------------------------------------------------------------- a look

static ptrdiff_t count_items(const csim_collision_mesh *mesh) {
  return (ptrdiff_t)mesh->npoint + mesh->nedge + mesh->ntri;
}

int csim_contact_reserve_screen(csim_contact *contact) {
  const csim_collision_mesh *mesh = &contact->mesh;
  return csim_scratch_reserve(contact->scratch,
                              csim_culling_bytes(mesh) +
                                  csim_scratch_bytes(count_items(mesh), sizeof(float)) +
                                  csim_scratch_bytes(mesh->nvert, sizeof *contact->share));
}

int csim_contact_begin_screen(csim_contact *contact, const double *x, const double *way, int alone,
                              double distance) {
  csim_culling *culling = &contact->near.culling;
  culling->distance = (float)(distance * (1 + 1e-6));
  culling->share = (float)CSIM_FILTER_SHARE;
  culling->alone = alone;
  csim_culling_begin(contact->pool, contact->scratch, culling, x, way, 1, NULL);
  contact->item_moved = CSIM_SCRATCH_TAKE(contact->scratch, float, count_items(&contact->mesh));
  if (keep_brief(contact)) return -1;
  measure_items(contact, contact->moved);
  return 0;
}

// Pairs of one kind on their way through the culling, and where they stand among the flags.
typedef struct batch {
  int n, at[CSIM_COMPACTION_CHUNK];
  csim_pair pair[CSIM_COMPACTION_CHUNK];
} batch;

// What the culling says of a batch, to its places among the flags.
static void place_flags(const batch *b, const unsigned char *near, unsigned char *flag) {
  for (int i = 0; i < b->n; i++) flag[b->at[i]] = near[i];
}

void csim_contact_screen(const csim_contact *contact, int first, int last, double time,
                         unsigned char *flag) {
  const csim_culling *culling = &contact->near.culling;
  double limit = culling->distance, later = contact->near.clock + time;
  unsigned char near[CSIM_COMPACTION_CHUNK];
  batch triangles, edges;
  triangles.n = edges.n = 0;
  assert(last - first <= CSIM_COMPACTION_CHUNK);
  memset(flag, 0, (size_t)(last - first));
  for (int i = first; i < last; i++) {
    const csim_candidate *c = csim_contact_brief(contact, i);
    batch *to = c->b < 0 ? &edges : &triangles;
    to->at[to->n] = i - first;
    to->pair[to->n] = (csim_pair){c->a, c->b < 0 ? -1 - c->b : c->b};
    to->n += can_matter(contact, c, later, limit);
  }
  csim_cull_triangles(culling, triangles.n, triangles.pair, near);
  place_flags(&triangles, near, flag);
  csim_cull_edges(culling, edges.n, edges.pair, near);
  place_flags(&edges, near, flag);
}
