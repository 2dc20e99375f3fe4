// contact/narrow_phase.c: see narrow_phase.h.
#include "contact/narrow_phase.h"

#include "base/atomic_number.h"
#include "contact/filter.h"
#include "contact/margins.h"
#include "math/vec3.h"

#include <assert.h>
#include <stdlib.h>

enum { ITEM_GRAIN = 2048 };

// Share of the thickness that vertices may move before the short list is rebuilt.
#define BRIEF_MARGIN 0.25

static ptrdiff_t count_items(const csim_collision_mesh *mesh) {
  return (ptrdiff_t)mesh->npoint + mesh->nedge + mesh->ntri;
}

int csim_narrow_phase_create(csim_arena *arena, csim_narrow_phase *narrow) {
  const csim_collision_mesh *mesh = narrow->reach->kin->mesh;
  narrow->culling.mesh = mesh;
  narrow->culling.listed = &narrow->reach->candidates->listed;
  narrow->allowed = CSIM_ARENA_NEW(arena, float, mesh->nvert);
  if (arena->failed) return -1;
  // the step filter needs room for two shares and a mark of each vertex besides
  return csim_scratch_reserve(narrow->scratch,
                              csim_culling_bytes(mesh) +
                                  csim_scratch_bytes(count_items(mesh), sizeof(float)) +
                                  2 * csim_scratch_bytes(mesh->nvert, sizeof(csim_atomic_number)) +
                                  csim_scratch_bytes(mesh->nvert, 1));
}

void csim_narrow_phase_free(csim_narrow_phase *narrow) {
  csim_compaction_free(&narrow->kept);
  free(narrow->shortlist);
}

// ------------------------------------------------------------------- how far primitives have moved

typedef struct measure_job {
  csim_narrow_phase *narrow;
  const csim_collision_mesh *mesh;
  const float *moved; // of vertices
} measure_job;

static inline float larger(float a, float b) {
  return a > b ? a : b;
}

// Items are numbered over all points, then edges, then triangles.
static void measure_points(void *context, int first, int last) {
  const measure_job *job = context;
  float *moved = job->narrow->item_moved;
  for (int i = first; i < last; i++) moved[i] = job->moved[job->mesh->point[i]];
}

static void measure_edges(void *context, int first, int last) {
  const measure_job *job = context;
  const float *m = job->moved;
  float *moved = job->narrow->item_moved + job->mesh->npoint;
  for (int i = first; i < last; i++) {
    const int *v = job->mesh->edge + csim_row(2, i);
    moved[i] = larger(m[v[0]], m[v[1]]);
  }
}

static void measure_tris(void *context, int first, int last) {
  const measure_job *job = context;
  const float *m = job->moved;
  float *moved = job->narrow->item_moved + job->mesh->npoint + job->mesh->nedge;
  for (int i = first; i < last; i++) {
    const int *v = job->mesh->tri + csim_xyz(i);
    moved[i] = larger(m[v[0]], larger(m[v[1]], m[v[2]]));
  }
}

static void measure_listed(void *context, int first, int last) {
  const measure_job *job = context;
  const int *item = job->narrow->culling.listed->item;
  int edges = job->mesh->npoint, tris = edges + job->mesh->nedge;
  for (int k = first; k < last; k++)
    if (item[k] < edges)
      measure_points(context, item[k], item[k] + 1);
    else if (item[k] < tris)
      measure_edges(context, item[k] - edges, item[k] - edges + 1);
    else
      measure_tris(context, item[k] - tris, item[k] - tris + 1);
}

static void measure_items(csim_narrow_phase *narrow, const float *moved) {
  const csim_collision_mesh *mesh = narrow->reach->kin->mesh;
  measure_job job = {narrow, mesh, moved};
  const csim_loop loop[] = {{mesh->nbody_point, ITEM_GRAIN, measure_points, &job},
                            {mesh->nbody_edge, ITEM_GRAIN, measure_edges, &job},
                            {mesh->nbody_tri, ITEM_GRAIN, measure_tris, &job},
                            {narrow->culling.listed->nitem, ITEM_GRAIN, measure_listed, &job}};
  csim_pool_for_all(narrow->reach->kin->pool, 4, loop);
}

// Whether a candidate can come nearer than its share of `limit`, given how far its items may have
// moved from their references, while the clock advances to `later`. A garment that lies on a body
// from the start has a hundred thousand pairs within the general distance, and few within their
// own.
static inline int can_matter(const csim_narrow_phase *narrow, const csim_candidate *c, double later,
                             double limit) {
  const csim_collision_mesh *mesh = narrow->reach->kin->mesh;
  int edges = mesh->npoint, tris = edges + mesh->nedge, is_edge = c->b < 0;
  const float *moved = narrow->item_moved;
  double a = moved[c->a + (is_edge ? edges : 0)];
  double b = moved[is_edge ? edges - 1 - c->b : tris + c->b];
  double now = narrow->reach->candidates->ref.clock;
  return csim_min(csim_candidate_gap(c, now), csim_candidate_gap(c, later)) - a - b <
         limit * (double)c->start;
}

// --------------------------------------------------------------------------------- the short list

static void keep_chunk(void *context, int chunk, uint64_t *word) {
  const csim_narrow_phase *narrow = context;
  const csim_candidates *set = narrow->reach->candidates;
  const csim_candidate *list = set->list + (ptrdiff_t)chunk * CSIM_COMPACTION_CHUNK;
  int n = set->n - chunk * CSIM_COMPACTION_CHUNK;
  double limit = set->distance * (1 + 1e-6);
  for (int i = 0; i < n && i < CSIM_COMPACTION_CHUNK; i++)
    if (can_matter(narrow, &list[i], narrow->until, limit)) csim_compaction_keep(word, i);
}

static void list_kept(void *context, int chunk) {
  csim_narrow_phase *narrow = context;
  int place = narrow->kept.start[chunk];
  csim_kept at = csim_compaction_walk(&narrow->kept, chunk);
  for (int i; (i = csim_next_kept(&at)) >= 0; place++) {
    narrow->shortlist[place] = chunk * CSIM_COMPACTION_CHUNK + i;
  }
}

static void allow_range(void *context, int first, int last) {
  csim_narrow_phase *narrow = context;
  const float *moved = narrow->reach->moved;
  const csim_candidates *set = narrow->reach->candidates;
  double more = BRIEF_MARGIN * set->distance;
  for (int i = first; i < last; i++)
    narrow->allowed[i] =
        larger(moved[i], csim_round_up(csim_min(set->ref.reach[i], (double)moved[i] + more)));
}

static double count_beyond(void *context, int first, int last) {
  const csim_narrow_phase *narrow = context;
  double count = 0;
  for (int i = first; i < last; i++) count += !(narrow->reach->moved[i] <= narrow->allowed[i]);
  return count;
}

// Builds the short list, unless the present one still holds. -1 when out of memory.
static int update_shortlist(csim_narrow_phase *narrow) {
  const csim_kinematics *kin = narrow->reach->kin;
  const csim_candidates *set = narrow->reach->candidates;
  double until = set->ref.clock + kin->time_left;
  if (narrow->valid && narrow->candidates_version == set->version && until <= narrow->until &&
      csim_listed_count(kin->pool, &set->listed, count_beyond, narrow) == 0)
    return 0;
  narrow->valid = narrow->n = 0;
  narrow->version++;
  narrow->candidates_version = set->version;
  narrow->until = until + 1e-6 * kin->h; // a sum of parts of a step is rounded
  csim_listed_for(kin->pool, &set->listed, ITEM_GRAIN, allow_range, narrow);
  measure_items(narrow, narrow->allowed);
  int total =
      csim_compact(kin->pool, &narrow->kept, csim_compaction_chunks(set->n), keep_chunk, narrow);
  int *shortlist =
      total < 0 ? NULL : csim_grow(narrow->shortlist, &narrow->capacity, total, sizeof *shortlist);
  if (!shortlist) return -1;
  narrow->shortlist = shortlist;
  narrow->n = total;
  csim_pool_run(kin->pool, narrow->kept.nchunk, list_kept, narrow);
  narrow->valid = 1;
  return 0;
}

// ------------------------------------------------------------------------------------------ tests

int csim_narrow_phase_begin(csim_narrow_phase *narrow, const double *x, const double *way,
                            int alone, double distance) {
  const csim_kinematics *kin = narrow->reach->kin;
  csim_culling *culling = &narrow->culling;
  culling->distance = (float)(distance * (1 + 1e-6));
  culling->share = (float)CSIM_FILTER_SHARE;
  culling->alone = alone;
  csim_culling_begin(kin->pool, narrow->scratch, culling, x, way, 1, NULL);
  narrow->item_moved = CSIM_SCRATCH_TAKE(narrow->scratch, float, count_items(kin->mesh));
  if (update_shortlist(narrow)) return -1;
  measure_items(narrow, narrow->reach->moved);
  return 0;
}

// Pairs of one kind to be culled, and their places among the flags.
typedef struct batch {
  int n, at[CSIM_COMPACTION_CHUNK];
  csim_pair pair[CSIM_COMPACTION_CHUNK];
} batch;

static void place_flags(const batch *b, const unsigned char *near, unsigned char *flag) {
  for (int i = 0; i < b->n; i++) flag[b->at[i]] = near[i];
}

void csim_narrow_phase_flag(const csim_narrow_phase *narrow, int first, int last, double time,
                            unsigned char *flag) {
  const csim_culling *culling = &narrow->culling;
  double limit = culling->distance, later = narrow->reach->candidates->ref.clock + time;
  unsigned char near[CSIM_COMPACTION_CHUNK];
  batch triangles, edges;
  triangles.n = edges.n = 0;
  assert(last - first <= CSIM_COMPACTION_CHUNK);
  memset(flag, 0, (size_t)(last - first));
  for (int i = first; i < last; i++) {
    const csim_candidate *c = csim_narrow_phase_pair(narrow, i);
    batch *to = c->b < 0 ? &edges : &triangles;
    to->at[to->n] = i - first;
    to->pair[to->n] = (csim_pair){c->a, c->b < 0 ? -1 - c->b : c->b};
    to->n += can_matter(narrow, c, later, limit);
  }
  csim_cull_triangles(culling, triangles.n, triangles.pair, near);
  place_flags(&triangles, near, flag);
  csim_cull_edges(culling, edges.n, edges.pair, near);
  place_flags(&edges, near, flag);
}

double csim_narrow_phase_get(const csim_narrow_phase *narrow, int i, csim_pair_kind *kind,
                             int v[4]) {
  const csim_candidate *pair = csim_narrow_phase_pair(narrow, i);
  *kind = csim_candidate_kind(pair);
  csim_candidate_vertices(narrow->reach->kin->mesh, pair, v);
  return csim_candidate_scale(narrow->reach->candidates, *kind, v, pair);
}

typedef struct visit_job {
  const csim_narrow_phase *narrow;
  csim_pair_test *test;
  void *context;
} visit_job;

// Over chunks of the short list.
static void keep_tested(void *context, int chunk, uint64_t *word) {
  const visit_job *job = context;
  unsigned char flag[CSIM_COMPACTION_CHUNK];
  int first = chunk * CSIM_COMPACTION_CHUNK, last = first + CSIM_COMPACTION_CHUNK;
  if (last > job->narrow->n) last = job->narrow->n;
  csim_narrow_phase_flag(job->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++)
    if (flag[i - first] &&
        (!job->test || job->test(job->context, csim_narrow_phase_pair(job->narrow, i))))
      csim_compaction_keep(word, i - first);
}

int csim_narrow_phase_visit(csim_narrow_phase *narrow, csim_pair_test *test, csim_pair_visit *visit,
                            void *context) {
  const csim_kinematics *kin = narrow->reach->kin;
  double far = 1.01 * CSIM_CONTACT_CUSHION * narrow->reach->candidates->distance;
  visit_job job = {narrow, test, context};
  csim_scratch_begin(narrow->scratch);
  if (csim_narrow_phase_begin(narrow, kin->x, kin->d, 0, far)) return -1;
  int nchunk = csim_compaction_chunks(narrow->n);
  if (csim_compact(kin->pool, &narrow->kept, nchunk, keep_tested, &job) < 0) return -1;
  for (int chunk = 0; chunk < nchunk; chunk++) {
    csim_kept at = csim_compaction_walk(&narrow->kept, chunk);
    for (int i; (i = csim_next_kept(&at)) >= 0;)
      visit(context, csim_narrow_phase_pair(narrow, chunk * CSIM_COMPACTION_CHUNK + i));
  }
  return 0;
}
