// contact/guide.c: see guide.h.
#include "contact/guide.h"

#include "contact/ccd.h"
#include "math/vec3.h"

// Stiffness relative to the body's own. A displacement of 20 mm is then missed by less than the
// contact distances in use.
static const double GUIDE_STIFFNESS = 30;

// Where guides hold what they guide, as a share of the contact distance. Nearer to the cushion fast
// bodies are stopped where the linear problem misses; at the whole distance, where nothing presses
// yet, cloth is pushed away for nothing.
static const double GUIDE_SHARE = 0.9;

// A pair that is nearer now is opened by so many times what its collider approaches. Opened by all
// that is missing, a tight garment was stretched by half a millimetre in joint steps, and 20
// iterations undid that. Not opened at all, some joint steps gained hardly anything. Opened by a
// fifth of what is missing, a plate that closed on a sheet to 2 mm was late by up to 0.5 mm; now it
// is by 0.1.
static const double GUIDE_OPENING = 2;

// How far the motion d opens the pair along its direction [m]; colliders alone: that of its
// vertices which are not free.
static double opening(const csim_kinematics *kin, const csim_active_contact *c, int colliders) {
  double along = 0;
  for (int k = 0; k < 4; k++)
    if (!colliders || !csim_kinematics_is_free(kin, c->v[k]))
      along += c->w[k] * csim_dot(c->n, kin->d + csim_xyz(c->v[k]));
  return along;
}

// Whether the boxes that both sides pass through are farther apart than a distance along some axis.
// Then the motion does not bring the sides that near. Most candidates end here.
static int passes_by(const csim_kinematics *kin, csim_pair_kind kind, const int v[4],
                     double distance) {
  int split = csim_pair_split(kind);
  for (int a = 0; a < 3; a++) {
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
      double from = kin->x[csim_xyz(v[k]) + a], to = from + kin->d[csim_xyz(v[k]) + a];
      lo[k >= split] = csim_min(lo[k >= split], csim_min(from, to));
      hi[k >= split] = csim_max(hi[k >= split], csim_max(from, to));
    }
    if (lo[1] - hi[0] > distance || lo[0] - hi[1] > distance) return 1;
  }
  return 0;
}

// The same by how far vertices come from their references, which reads less memory. Only for
// motions within their reach, which `moved` then covers.
static int stays_apart(const csim_reach *reach, const csim_candidate *pair, const int v[4],
                       double distance) {
  int split = csim_pair_split(csim_candidate_kind(pair));
  float far[2] = {0, 0};
  for (int k = 0; k < 4; k++)
    if (reach->moved[v[k]] > far[k >= split]) far[k >= split] = reach->moved[v[k]];
  double gap = csim_candidate_gap(pair, reach->candidates->ref.clock);
  return gap - (double)far[0] - (double)far[1] > distance;
}

typedef struct guide_job {
  const csim_active_set *active;
  int within; // the motion is within the reach of all vertices
} guide_job;

// Makes the guide of a pair, and sets its approach [m]. Returns 0 when it needs none.
static int make_guide(const guide_job *job, const csim_candidate *pair, csim_active_contact *c,
                      double *approach) {
  const csim_active_set *active = job->active;
  const csim_kinematics *kin = active->kin;
  const csim_candidates *set = active->reach->candidates;
  csim_pair_kind kind = csim_candidate_kind(pair);
  csim_candidate_vertices(kin->mesh, pair, c->v);
  double most = GUIDE_SHARE * set->distance, distance = most * (double)pair->start, stiff = 0;
  if (job->within && stays_apart(active->reach, pair, c->v, distance)) return 0;
  if (passes_by(kin, kind, c->v, distance)) return 0;
  const double *x[4], *d[4];
  for (int k = 0; k < 4; k++) {
    x[k] = kin->x + csim_xyz(c->v[k]);
    d[k] = kin->d + csim_xyz(c->v[k]);
  }
  double gap = csim_pair_direction(kind, x, c->w, c->n), end = gap + opening(kin, c, 0);
  if (!(gap > 0 && end < distance)) return 0;
  distance = most * csim_candidate_scale(set, kind, c->v, pair);
  if (!(end < distance)) return 0;
  // a belt of 3 m/s under a cloth took twelve times the iterations along the present direction
  gap = csim_ccd_direction(kind, x, d, csim_min(distance, 0.5 * gap), c->w, c->n);
  double collider = opening(kin, c, 1);
  if (gap < distance) distance = csim_min(distance, gap + GUIDE_OPENING * csim_max(-collider, 0));
  // its direction and distance have changed: the motion may keep that by itself
  end = gap + opening(kin, c, 0);
  if (!(gap > 0 && end < distance)) return 0;

  for (int k = 0; k < 4; k++) stiff += fabs(c->w[k]) * csim_kinematics_resistance(kin, c->v[k]);
  *approach = gap - end;
  c->stiff = GUIDE_STIFFNESS * stiff;
  c->force = -c->stiff * (distance - gap - collider);
  return 1;
}

// Over chunks of the candidates: keeps those that need a guide. Most do not.
static void keep_guided(void *context, int chunk, uint64_t *word) {
  const guide_job *job = context;
  const csim_candidates *set = job->active->reach->candidates;
  int first = chunk * CSIM_COMPACTION_CHUNK, n = set->n - first;
  for (int i = 0; i < n && i < CSIM_COMPACTION_CHUNK; i++) {
    csim_active_contact guide;
    double approach;
    if (make_guide(job, &set->list[first + i], &guide, &approach)) csim_compaction_keep(word, i);
  }
}

// Adds a guide to the active contacts and to the gradient.
static int add_guide(csim_active_set *active, const csim_active_contact *guide, double *g) {
  if (csim_active_set_add(active, guide)) return -1;
  for (int k = 0; k < 4; k++)
    if (guide->w[k] != 0 && csim_kinematics_is_free(active->kin, guide->v[k]))
      csim_add_scaled(guide->w[k] * guide->force, guide->n, g + csim_xyz(guide->v[k]));
  return 0;
}

double csim_guides_add(csim_active_set *active, double *g) {
  const csim_candidates *set = active->reach->candidates;
  csim_compaction *guided = &active->narrow->kept;
  guide_job job = {active, csim_reach_share(active->reach) >= 1};
  int nchunk = csim_compaction_chunks(set->n);
  double fastest = 0;
  if (csim_compact(active->kin->pool, guided, nchunk, keep_guided, &job) < 0) return -1;
  for (int chunk = 0; chunk < nchunk; chunk++) {
    csim_kept at = csim_compaction_walk(guided, chunk);
    for (int i; (i = csim_next_kept(&at)) >= 0;) {
      csim_active_contact guide;
      double approach;
      make_guide(&job, &set->list[chunk * CSIM_COMPACTION_CHUNK + i], &guide, &approach);
      if (add_guide(active, &guide, g)) return -1;
      fastest = csim_max(fastest, approach);
    }
  }
  return fastest;
}
