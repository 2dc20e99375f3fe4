// contact/active.c: see active.h.
#include "contact/active.h"

#include "contact/barrier.h"
#include "contact/margins.h"
#include "contact/terms.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

int csim_active_set_create(csim_arena *arena, csim_active_set *set) {
  set->x = CSIM_ARENA_NEW(arena, double, csim_xyz(set->kin->mesh->nvert));
  set->colliders_at = -1;
  return csim_barrier_stiffness_create(arena, &set->stiffness);
}

void csim_active_set_free(csim_active_set *set) {
  csim_compaction_free(&set->kept);
  free(set->chunk);
  free(set->share);
  csim_twins_free(&set->twins);
  free(set->contact);
}

// Drops all that is known of the evaluation point.
static void drop_all(csim_active_set *set) {
  set->kept_valid = set->valid = 0;
}

// The same if colliders have moved.
static void drop_old(csim_active_set *set) {
  if (set->version != set->kin->version) drop_all(set);
  set->version = set->kin->version;
}

// -------------------------------------------------------------------------------------- stiffness

void csim_active_set_stiffen(csim_active_set *set) {
  csim_barrier_stiffness_choose(&set->stiffness);
  drop_all(set);
}

void csim_active_set_begin(csim_active_set *set) {
  if (!csim_barrier_stiffness_is_chosen(&set->stiffness)) csim_active_set_stiffen(set);
}

void csim_active_set_load(csim_active_set *set, const double *stiffness) {
  csim_barrier_stiffness_load(&set->stiffness, stiffness);
  drop_all(set);
}

// Where the hard barrier begins, as a share of the soft one's reach.
static const double HARD_REACH = 0.35;

// Energy at distance d and its derivatives, counted `times`. The pair's contact distances are
// `scale` times the general ones. Below the floor (by rounding, or for ignored pairs) the gap
// counts as a small share of the reach: the force is then finite, and repulsive but for times < 0.
static void evaluate(const csim_active_set *set, double scale, csim_stiffness_pair k, double times,
                     double d, double b[3]) {
  double thickness = set->params->thickness * scale;
  double floor = CSIM_CONTACT_FLOOR * thickness, reach = (1 - CSIM_CONTACT_FLOOR) * thickness;
  double hard_reach = HARD_REACH * reach, hard[3];
  double gap = csim_max(d - floor, 1e-4 * reach);
  csim_barrier(set->params->energy, times * k.soft, gap, reach, b);
  if (gap >= hard_reach) return;
  csim_barrier(set->params->energy, times * k.hard, gap, hard_reach, hard);
  for (int i = 0; i < 3; i++) b[i] += hard[i];
}

// ------------------------------------------------------------------------------- evaluation point

typedef struct move_job {
  const double *from;
  double *to;
} move_job;

// Returns how many chunks have changed.
static double move_range(void *context, int first, int last) {
  const move_job *job = context;
  size_t bytes = (size_t)(last - first) * sizeof *job->from;
  if (!memcmp(job->to + first, job->from + first, bytes)) return 0;
  memcpy(job->to + first, job->from + first, bytes);
  return 1;
}

void csim_active_set_move(csim_active_set *set, const double *x) {
  const csim_kinematics *kin = set->kin;
  int nbody = 3 * kin->mesh->nbody_vert, n = 3 * kin->mesh->nvert;
  move_job bodies = {x, set->x}, rest = {kin->x + nbody, set->x + nbody};
  int changed = csim_pool_count(kin->pool, nbody, move_range, &bodies);
  if (set->colliders_at != kin->version)
    changed += csim_pool_count(kin->pool, n - nbody, move_range, &rest);
  set->colliders_at = kin->version;
  if (changed > 0) drop_all(set);
}

// ------------------------------------------------------------------------------------- the search

// A candidate that is active at the evaluation point.
typedef struct active_pair {
  int v[4], n;
  csim_term term[CSIM_MOST_TERMS]; // (n)
  double scale;
} active_pair;

// Share of number i of the short list; it is kept until shares are dropped.
static double share_of(csim_active_set *set, int i, const double w[4]) {
  if (set->share[i] < 0) set->share[i] = (float)csim_edges_share(w);
  return (double)set->share[i];
}

// Whether number i of the short list is active.
static int is_active(csim_active_set *set, int i, active_pair *at) {
  const csim_candidate *pair = csim_narrow_phase_pair(set->narrow, i);
  const csim_collision_mesh *mesh = set->kin->mesh;
  csim_pair_kind kind = csim_candidate_kind(pair);
  csim_candidate_vertices(mesh, pair, at->v);
  if (!(pair->weight > 0)) return 0;
  at->scale = csim_candidate_scale(set->reach->candidates, kind, at->v, pair);
  at->n = csim_terms_find(mesh, pair, at->v, set->x, set->params->thickness * at->scale, at->term);
  if (at->n > 0 && kind == CSIM_PAIR_EDGE_EDGE) {
    at->term->times = pair->weight;
    if (!csim_collision_mesh_of_bodies(mesh, at->v[0], at->v[2]))
      at->term->times *= share_of(set, i, at->term->w);
  }
  return at->n > 0;
}

// Distance of point number i from a plane when it is near, else -1.
static double active_plane(const csim_active_set *set, int i, const csim_contact_plane *plane,
                           double *scale) {
  int v = set->kin->mesh->point[i];
  double d = csim_dot(plane->n, set->x + csim_xyz(v)) - plane->offset;
  if (d >= set->params->thickness) return -1;
  *scale = csim_planes_scale(&set->kin->planes, plane, v);
  return d > 0 && d < set->params->thickness * *scale ? d : -1;
}

// Points that planes are tested against: those of bodies come first.
static int count_points(const csim_active_set *set) {
  return set->kin->planes.n ? set->kin->mesh->nbody_point : 0;
}

typedef struct active_job {
  csim_active_set *set;
  int npair, nplane; // chunks
} active_job;

// Energy of a term of a pair, and its derivatives.
static void evaluate_term(const csim_active_set *set, const active_pair *at, int k,
                          csim_stiffness_pair stiffness, double b[3]) {
  const csim_term *term = &at->term[k];
  double scale = at->scale;
  if (term->side[0])
    scale = csim_candidate_side_scale(set->reach->candidates, at->v, term->side, scale);
  evaluate(set, scale, stiffness, term->times, term->d, b);
}

// Returns the energy of a pair.
static double sum_terms(const csim_active_set *set, const active_pair *at) {
  csim_stiffness_pair stiffness = csim_barrier_stiffness_of(&set->stiffness, at->v);
  double sum = 0, b[3];
  for (int k = 0; k < at->n; k++) {
    evaluate_term(set, at, k, stiffness, b);
    sum += b[0];
  }
  return sum;
}

// Over chunks of the short list, then chunks of points against all planes: keeps what is active and
// sums up its energy.
static void keep_active(void *context, int chunk, uint64_t *word) {
  const active_job *job = context;
  csim_active_set *set = job->set;
  const csim_planes *planes = &set->kin->planes;
  const csim_collision_mesh *mesh = set->kin->mesh;
  unsigned char flag[CSIM_COMPACTION_CHUNK];
  int pairs = chunk < job->npair;
  int first = (pairs ? chunk : chunk - job->npair) * CSIM_COMPACTION_CHUNK;
  int last = pairs ? set->narrow->n : count_points(set) * planes->n;
  csim_active_chunk sum = {0};
  if (last > first + CSIM_COMPACTION_CHUNK) last = first + CSIM_COMPACTION_CHUNK;
  if (pairs) csim_narrow_phase_flag(set->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++) {
    if (pairs) {
      active_pair at;
      if (!flag[i - first] || !is_active(set, i, &at)) continue;
      sum.energy += sum_terms(set, &at);
      sum.terms += at.n;
    } else {
      const csim_contact_plane *plane = &planes->plane[i % planes->n];
      int v = mesh->point[i / planes->n];
      double b[3], scale = 1, d = active_plane(set, i / planes->n, plane, &scale);
      if (!(d > 0)) continue;
      evaluate(set, scale, csim_barrier_stiffness_of_plane(&set->stiffness, plane, v), 1, d, b);
      sum.energy += b[0];
      sum.terms++;
    }
    csim_compaction_keep(word, i - first);
  }
  set->chunk[chunk] = sum;
}

// Makes the contacts of a pair, one for each term, and adds their energy. Returns how many.
static int make_pair(csim_active_set *set, int i, csim_active_contact *contact, double *energy) {
  active_pair at;
  double b[3];
  is_active(set, i, &at);
  csim_stiffness_pair stiffness = csim_barrier_stiffness_of(&set->stiffness, at.v);
  // relative to one of the points: far from the origin the sum itself would lose digits
  const double *o = set->x + csim_xyz(at.v[0]);
  for (int k = 0; k < at.n; k++) {
    const csim_term *term = &at.term[k];
    csim_active_contact *c = &contact[k];
    memcpy(c->v, at.v, sizeof c->v);
    memcpy(c->w, term->w, sizeof c->w);
    memset(c->n, 0, sizeof c->n);
    for (int j = 1; j < 4; j++)
      for (int a = 0; a < 3; a++)
        c->n[a] += c->w[j] * (set->x[csim_xyz(at.v[j]) + a] - o[a]) / term->d;
    evaluate_term(set, &at, k, stiffness, b);
    *energy += b[0];
    c->force = b[1];
    c->stiff = b[2];
  }
  return at.n;
}

// The same for a point and a plane.
static int make_plane(const csim_active_set *set, int item, csim_active_contact *c,
                      double *energy) {
  const csim_planes *planes = &set->kin->planes;
  const csim_collision_mesh *mesh = set->kin->mesh;
  const csim_contact_plane *plane = &planes->plane[item % planes->n];
  double b[3], scale = 1, d = active_plane(set, item / planes->n, plane, &scale);
  int v = mesh->point[item / planes->n];
  *c = (csim_active_contact){.v = {v, v, v, -1 - plane->part}, .w = {1, 0, 0, 0}};
  memcpy(c->n, plane->n, sizeof c->n);
  evaluate(set, scale, csim_barrier_stiffness_of_plane(&set->stiffness, plane, v), 1, d, b);
  *energy += b[0];
  c->force = b[1];
  c->stiff = b[2];
  return 1;
}

static void make_chunk(void *context, int chunk) {
  const active_job *job = context;
  csim_active_set *set = job->set;
  csim_active_chunk *own = &set->chunk[chunk];
  csim_active_contact *contact = set->contact + own->first;
  int pairs = chunk < job->npair;
  int first = (pairs ? chunk : chunk - job->npair) * CSIM_COMPACTION_CHUNK;
  csim_kept at = csim_compaction_walk(&set->kept, chunk);
  own->energy = 0;
  for (int i; (i = csim_next_kept(&at)) >= 0;)
    contact += pairs ? make_pair(set, first + i, contact, &own->energy)
                     : make_plane(set, first + i, contact, &own->energy);
}

// Versions of the lists that `kept` refers to.
static void take_versions(const csim_active_set *set, int version[2]) {
  version[0] = set->reach->candidates->version;
  version[1] = set->narrow->version;
}

// Marks all shares as unknown. -1 when out of memory.
static int drop_shares(csim_active_set *set) {
  if (CSIM_GROW(set->share, set->share_capacity, set->narrow->n)) return -1;
  for (int i = 0; i < set->narrow->n; i++) set->share[i] = -1;
  return 0;
}

// Selects the active pairs at the evaluation point, unless that is done already: a line search asks
// for the energy at a point, and the next iteration for the gradient there. `anew`: evaluates their
// shares again at this point. -1 when out of memory.
static int keep_pairs(csim_active_set *set, int anew, active_job *job) {
  int version[2];
  take_versions(set, version);
  int known = set->kept_valid && !memcmp(set->kept_of, version, sizeof version);
  if (!known) {
    csim_reach_measure(set->reach, set->x);
    csim_scratch_begin(set->narrow->scratch);
    if (csim_narrow_phase_begin(set->narrow, set->x, NULL, 1, set->params->thickness)) return -1;
  }
  take_versions(set, version);
  int other = memcmp(set->kept_of, version, sizeof version);
  if ((anew || other || !set->share) && drop_shares(set)) return -1;
  *job = (active_job){set, csim_compaction_chunks(set->narrow->n),
                      csim_compaction_chunks(count_points(set) * set->kin->planes.n)};
  if (known) return 0;
  int nchunk = job->npair + job->nplane;
  if (CSIM_GROW(set->chunk, set->chunk_capacity, nchunk)) return -1;
  set->kept_valid = csim_compact(set->kin->pool, &set->kept, nchunk, keep_active, job) >= 0;
  take_versions(set, set->kept_of);
  return set->kept_valid ? 0 : -1;
}

static int reserve(csim_active_set *set, ptrdiff_t n) {
  csim_active_contact *contact = csim_grow(set->contact, &set->capacity, n, sizeof *contact);
  if (contact) set->contact = contact;
  return contact ? 0 : -1;
}

int csim_active_set_find(csim_active_set *set) {
  active_job job;
  drop_old(set);
  if (set->valid) return 0;
  set->n = set->nfound = 0;
  if (keep_pairs(set, 1, &job)) return -1;
  int nchunk = set->kept.nchunk, total = 0;
  for (int k = 0; k < nchunk; k++) {
    set->chunk[k].first = total;
    total += set->chunk[k].terms;
  }
  if (reserve(set, total)) return -1;
  csim_pool_run(set->kin->pool, nchunk, make_chunk, &job);
  set->n =
      csim_twins_merge(set->kin->pool, &set->twins, set->kin->mesh->nvert, set->contact, total);
  if (set->n < 0) set->n = total; // forces are as right; steps may be slower
  set->nfound = set->n;
  set->valid = 1;
  set->found = set->kept.start[nchunk];
  return 0;
}

int csim_active_set_add(csim_active_set *set, const csim_active_contact *contact) {
  if (reserve(set, (ptrdiff_t)set->n + 1)) return -1;
  set->contact[set->n++] = *contact;
  set->valid = 0;
  return 0;
}

int csim_active_set_value(csim_active_set *set, double *sum) {
  active_job job;
  *sum = 0;
  drop_old(set);
  if (keep_pairs(set, 0, &job)) return -1;
  for (int k = 0; k < set->kept.nchunk; k++) *sum += set->chunk[k].energy;
  return 0;
}

void csim_contact_add_force(const csim_kinematics *kin, const int v[4], const double w[4],
                            const double force[3], double *g) {
  for (int k = 0; k < 4; k++)
    if (w[k] != 0 && csim_kinematics_is_free(kin, v[k]))
      csim_add_scaled(w[k], force, g + csim_xyz(v[k]));
}

void csim_active_set_gradient(const csim_active_set *set, double *g) {
  for (int i = 0; i < set->n; i++) {
    const csim_active_contact *c = &set->contact[i];
    double force[3] = {c->force * c->n[0], c->force * c->n[1], c->force * c->n[2]};
    csim_contact_add_force(set->kin, c->v, c->w, force, g);
  }
}
