// contact/active.c: active pairs: energy, gradient, Hessian, see contact.h.
//
// The Hessian of a pair is Gauss-Newton's, stiff (w w^T) (x) (n n^T): what it leaves out, force/d
// times the projection across n, is negative, and would only make the matrix indefinite.
#include "contact/barrier.h"
#include "contact/contact.h"
#include "contact/filter.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_GRAIN = 256, ROW_GRAIN = 256 };

// Reaches and keeps of a pair whose contact distances are `scale` of the general ones.
typedef struct gap_range {
  double floor, reach;
} gap_range;

static gap_range range_of(const csim_contact *contact, double scale) {
  double r = contact->params.thickness * scale;
  return (gap_range){CSIM_CONTACT_FLOOR * r, (1 - CSIM_CONTACT_FLOOR) * r};
}

// Stiffness of contact [N/m] between a part and something of the given mean mass and elasticity. A
// collider that moves, or is behind its motion, presses as hard as the elasticity it works against,
// or it would be held up by cloth that can well give way: inertia alone is a few hundred times
// softer. At rest that would only be slow: a drop on a ball took twice the time and stretched ten
// times as far.
static double stiffness_at(const csim_contact *contact, int part, double mass, double elastic) {
  double inertia = contact->stiffness * mass;
  return inertia + contact->press[part] * csim_max(0, elastic - inertia);
}

static double stiffness_of(const csim_contact *contact, const int v[4]) {
  double mass = 0, elastic = 0;
  int bodies = 0, last = csim_collision_mesh_part(&contact->mesh, v[0]);
  for (int k = 0; k < 4; k++) {
    int part = csim_collision_mesh_part(&contact->mesh, v[k]);
    if (part > last) last = part; // colliders come last
    if (v[k] >= contact->mesh.nbody_vert) continue;
    mass += contact->mesh.mass[v[k]];
    elastic += contact->mesh.elastic[v[k]];
    bodies++;
  }
  return bodies ? stiffness_at(contact, last, mass / bodies, elastic / bodies) : 0;
}

// Derivatives of a pair at distance d. Below the floor (rounding, ignored pairs) the gap is taken
// as a small share of the reach: pushing, finite.
static void evaluate(const csim_contact *contact, double scale, double k, double d, double b[3]) {
  gap_range range = range_of(contact, scale);
  double gap = csim_max(d - range.floor, 1e-4 * range.reach);
  csim_barrier(contact->params.energy, k, gap, range.reach, b);
}

// ------------------------------------------------------------------------------------ the search

// A candidate that is active at contact->look.
typedef struct active_pair {
  int v[4];
  double d, w[4]; // distance [m] and weights of csim_pair_closest
  double scale;
} active_pair;

// Whether a candidate is active.
static int is_active(const csim_contact *c, const csim_candidate *pair, active_pair *active) {
  csim_pair_kind kind = csim_candidate_kind(pair);
  int *v = active->v;
  csim_candidate_vertices(&c->mesh, pair, v);
  if (!(pair->weight > 0)) return 0;
  active->scale = csim_candidate_scale(&c->near, kind, v);
  double limit = c->params.thickness * active->scale;
  const double *p[4];
  for (int k = 0; k < 4; k++) p[k] = c->look + 3 * (ptrdiff_t)v[k];
  double d2 = csim_pair_closest(kind, p, active->w);
  active->d = sqrt(d2);
  return d2 < limit * limit && d2 > 0;
}

// Distance of point number i from a plane when it is near, else -1.
static double active_plane(const csim_contact *c, int i, const csim_contact_plane *plane,
                           double *scale) {
  int v = c->mesh.point[i];
  double d = csim_dot(plane->n, c->look + 3 * (ptrdiff_t)v) - plane->offset;
  if (d >= c->params.thickness) return -1;
  *scale = csim_contact_plane_scale(c, plane, v);
  return d > 0 && d < c->params.thickness * *scale ? d : -1;
}

// Body points come first in mesh.point.
static int count_points(const csim_contact *c) {
  int n = c->nplane ? c->mesh.npoint : 0;
  while (n > 0 && c->mesh.point[n - 1] >= c->mesh.nbody_vert) n--;
  return n;
}

typedef struct term_job {
  csim_contact *contact;
  int npair, nplane; // chunks
} term_job;

// Chunks of the brief list, then chunks of points against all planes: chooses what is active, and
// sums up its energy.
static void choose_active(void *context, int chunk, uint64_t *word) {
  const term_job *job = context;
  csim_contact *c = job->contact;
  unsigned char flag[CSIM_COMPACTION_CHUNK];
  int pairs = chunk < job->npair, first = (pairs ? chunk : chunk - job->npair) * CSIM_COMPACTION_CHUNK;
  int last = pairs ? c->nbrief : count_points(c) * c->nplane;
  double energy = 0;
  if (last > first + CSIM_COMPACTION_CHUNK) last = first + CSIM_COMPACTION_CHUNK;
  if (pairs) csim_contact_screen(c, first, last, 0, flag);
  for (int i = first; i < last; i++) {
    double b[3];
    if (pairs) {
      active_pair at;
      if (!flag[i - first] || !is_active(c, csim_contact_brief(c, i), &at)) continue;
      evaluate(c, at.scale, stiffness_of(c, at.v) * csim_contact_brief(c, i)->weight, at.d, b);
    } else {
      const csim_contact_plane *plane = &c->plane[i % c->nplane];
      int v = c->mesh.point[i / c->nplane];
      double scale = 1, d = active_plane(c, i / c->nplane, plane, &scale);
      if (!(d > 0)) continue;
      evaluate(c, scale, stiffness_at(c, plane->part, c->mesh.mass[v], c->mesh.elastic[v]), d, b);
    }
    csim_compaction_keep(word, i - first);
    energy += b[0];
  }
  c->chunk_energy[chunk] = energy;
}

static void make_pair_term(const csim_contact *c, const csim_candidate *pair,
                           csim_contact_term *t) {
  double b[3];
  active_pair at;
  is_active(c, pair, &at);
  double k = stiffness_of(c, at.v) * pair->weight;
  memcpy(t->v, at.v, sizeof t->v);
  memcpy(t->w, at.w, sizeof t->w);
  memset(t->n, 0, sizeof t->n);
  // differences to one of the points: far from the origin the sum itself would lose digits
  const double *o = c->look + 3 * (ptrdiff_t)at.v[0];
  for (int j = 1; j < 4; j++)
    for (int a = 0; a < 3; a++)
      t->n[a] += t->w[j] * (c->look[3 * (ptrdiff_t)at.v[j] + a] - o[a]) / at.d;
  evaluate(c, at.scale, k, at.d, b);
  t->force = b[1];
  t->stiff = b[2];
}

static void make_plane_term(const csim_contact *c, int item, csim_contact_term *t) {
  const csim_contact_plane *plane = &c->plane[item % c->nplane];
  double b[3], scale = 1, d = active_plane(c, item / c->nplane, plane, &scale);
  int v = c->mesh.point[item / c->nplane];
  *t = (csim_contact_term){.v = {v, v, v, -1 - plane->part}, .w = {1, 0, 0, 0}};
  memcpy(t->n, plane->n, sizeof t->n);
  evaluate(c, scale, stiffness_at(c, plane->part, c->mesh.mass[v], c->mesh.elastic[v]), d, b);
  t->force = b[1];
  t->stiff = b[2];
}

static void make_chunk(void *context, int chunk) {
  const term_job *job = context;
  csim_contact *c = job->contact;
  csim_contact_term *term = c->term + c->active.start[chunk];
  int pairs = chunk < job->npair, first = (pairs ? chunk : chunk - job->npair) * CSIM_COMPACTION_CHUNK;
  csim_kept at = csim_compaction_walk(&c->active, chunk);
  for (int i; (i = csim_next_kept(&at)) >= 0;)
    if (pairs)
      make_pair_term(c, csim_contact_brief(c, first + i), term++);
    else
      make_plane_term(c, first + i, term++);
}

// Chooses the active pairs at contact->look, unless that is done: a line search asks for the energy
// where the next iteration then asks for the gradient. -1 when out of memory.
static int mark_active(csim_contact *c, term_job *job) {
  if (!c->marked) {
    csim_contact_measure(c, c->look);
    csim_scratch_begin(c->scratch);
    if (csim_contact_begin_screen(c, c->look, NULL, 1, c->params.thickness)) return -1;
  }
  *job = (term_job){c, csim_compaction_chunks(c->nbrief), csim_compaction_chunks(count_points(c) * c->nplane)};
  if (c->marked) return 0;
  int nchunk = job->npair + job->nplane;
  double *energy = csim_grow(c->chunk_energy, &c->energy_room, nchunk, sizeof *energy);
  if (energy) c->chunk_energy = energy;
  c->marked = energy && csim_compact(c->pool, &c->active, nchunk, choose_active, job) >= 0;
  c->failed |= !c->marked;
  return c->marked ? 0 : -1;
}

void csim_contact_find_terms(csim_contact *contact) {
  term_job job;
  if (contact->seen) return;
  contact->nterm = 0;
  if (mark_active(contact, &job)) return;
  int nchunk = contact->active.nchunk, total = contact->active.start[nchunk];
  csim_contact_term *term =
      csim_grow(contact->term, &contact->term_room, total, sizeof *contact->term);
  if (!term) {
    contact->failed = 1;
    return;
  }
  contact->term = term;
  contact->nterm = total;
  csim_pool_run(contact->pool, nchunk, make_chunk, &job);
  contact->seen = 1;
  contact->report.terms = total;
  contact->report.candidates = contact->near.n;
}

double csim_contact_terms_value(csim_contact *contact) {
  term_job job;
  double sum = 0;
  if (mark_active(contact, &job)) return 0;
  for (int k = 0; k < contact->active.nchunk; k++) sum += contact->chunk_energy[k];
  return sum;
}

// ---------------------------------------------------------------------------------------- Hessian

// Blocks are terms and then friction's terms: (w w^T) (x) B over the free vertices of each. Block i
// of a term is made where it is needed, of friction it is kept with the term.
static const double *block_weights(const csim_contact *c, int i, const int **v) {
  if (i < c->nterm) {
    *v = c->term[i].v;
    return c->term[i].w;
  }
  *v = c->friction[i - c->nterm].v;
  return c->friction[i - c->nterm].w;
}

static const double *block_matrix(const csim_contact *c, int i, double room[9]) {
  if (i >= c->nterm) return c->friction[i - c->nterm].B;
  memset(room, 0, 9 * sizeof *room);
  csim_mat3_add_outer(c->term[i].stiff, c->term[i].n, c->term[i].n, room);
  return room;
}

// A bit for each corner of a block that is free and has weight: most pairs of a body and a collider
// have but one or two.
static void find_corners(void *context, int first, int last) {
  csim_contact *c = context;
  for (int i = first; i < last; i++) {
    const int *v;
    const double *w = block_weights(c, i, &v);
    c->corners[i] = 0;
    for (int k = 0; k < 4; k++)
      if (w[k] != 0 && csim_contact_is_free(c, v[k])) c->corners[i] |= (unsigned char)(1 << k);
    if (i >= c->nterm) {
      csim_friction_term *f = &c->friction[i - c->nterm];
      double force[3];
      csim_contact_friction_force(c, f, force, f->B);
    }
  }
}

static int has_many(unsigned corners) {
  return (corners & (corners - 1)) != 0;
}

// What lies between one free vertex and something that is led is on the diagonal as a whole: about
// half of all blocks where cloth lies on a collider.
static void settle_single_blocks(csim_contact *c, const int *place, double *val) {
  for (int i = 0; i < c->nterm + c->nfriction; i++) {
    if (!c->corners[i] || has_many(c->corners[i])) continue;
    int k = __builtin_ctz(c->corners[i]);
    double room[9];
    const int *v;
    const double *w = block_weights(c, i, &v), *B = block_matrix(c, i, room);
    double *at = val ? val + 9 * (ptrdiff_t)place[v[k]] : NULL;
    for (int j = 0; val && j < 9; j++) at[j] += w[k] * w[k] * B[j];
    c->corners[i] = 0;
  }
}

// Counts the blocks of more than one free vertex, and those that each is in; marks all places.
static void count_blocks(csim_contact *c, int *place) {
  int *row = c->touched_row;
  c->ncoupled = c->ntouched = 0;
  c->naround = 0;
  memset(row, 0, (size_t)c->mesh.nbody_vert * sizeof *row);
  for (int i = 0; i < c->nterm + c->nfriction; i++) {
    int many = has_many(c->corners[i]);
    const int *v;
    block_weights(c, i, &v);
    c->ncoupled += many;
    for (unsigned left = c->corners[i]; left; left &= left - 1) {
      int vert = v[__builtin_ctz(left)];
      if (place) place[vert] = 0;
      c->ntouched += many && row[vert] == 0;
      c->naround += many;
      row[vert] += many;
    }
  }
}

// Room for what was counted. -1 when out of memory.
static int make_room(csim_contact *c) {
  ptrdiff_t n = c->ntouched;
  int *around = csim_grow(c->around, &c->around_room, c->naround, sizeof *around);
  if (around) c->around = around;
  int *touched = csim_grow(c->touched, &c->touched_room, n, sizeof *touched);
  if (touched) c->touched = touched;
  int *start = csim_grow(c->touched_start, &c->touched_start_room, n + 1, sizeof *start);
  if (start) c->touched_start = start;
  double *diag = csim_grow(c->diag, &c->diag_room, n, 9 * sizeof *diag);
  if (diag) c->diag = diag;
  return around && touched && start && diag ? 0 : -1;
}

// Which blocks each free vertex is in, by rising number.
static void index_blocks(csim_contact *c) {
  int *row = c->touched_row, *start = c->touched_start, n = 0, at = 0;
  for (int i = 0; i < c->mesh.nbody_vert; i++) {
    if (row[i] == 0) continue;
    c->touched[n] = i;
    start[n] = at;
    at += row[i];
    row[i] = n++;
  }
  start[n] = at;
  // filling moves each start to its end, the next one's start: shift back afterwards
  for (int i = 0; i < c->nterm + c->nfriction; i++) {
    const int *v;
    block_weights(c, i, &v);
    for (unsigned left = c->corners[i]; left; left &= left - 1) {
      int k = __builtin_ctz(left);
      c->around[start[row[v[k]]]++] = 4 * i + k;
    }
  }
  for (int k = n; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

typedef struct diag_job {
  csim_contact *contact;
  const int *place;
  double *val;
} diag_job;

static void add_diagonals(void *context, int first, int last) {
  const diag_job *job = context;
  csim_contact *c = job->contact;
  for (int r = first; r < last; r++) {
    double *D = c->diag + 9 * (ptrdiff_t)r, room[9];
    memset(D, 0, 9 * sizeof *D);
    for (int k = c->touched_start[r]; k < c->touched_start[r + 1]; k++) {
      const int *v;
      const double *B = block_matrix(c, c->around[k] / 4, room);
      double w = block_weights(c, c->around[k] / 4, &v)[c->around[k] % 4];
      for (int j = 0; j < 9; j++) D[j] += w * w * B[j];
    }
    if (!job->val) continue;
    double *at = job->val + 9 * (ptrdiff_t)job->place[c->touched[r]];
    for (int j = 0; j < 9; j++) at[j] += D[j];
  }
}

int csim_contact_grow_product(csim_contact *contact, int n) {
  double *product = csim_grow(contact->product, &contact->product_room, n, 3 * sizeof *product);
  if (product) contact->product = product;
  contact->failed |= !product;
  return product ? 0 : -1;
}

int csim_contact_find_blocks(csim_contact *contact, int *place) {
  int n = contact->nterm + contact->nfriction;
  contact->ncoupled = contact->ntouched = 0;
  unsigned char *corners = csim_grow(contact->corners, &contact->corner_room, n, sizeof *corners);
  if (corners) contact->corners = corners;
  contact->failed |= !corners;
  if (csim_contact_grow_product(contact, n) || !corners) return -1;
  csim_pool_for(contact->pool, n, BLOCK_GRAIN, find_corners, contact);
  count_blocks(contact, place);
  if (make_room(contact) == 0) return 0;
  if (place) memset(place, -1, (size_t)contact->mesh.nbody_vert * sizeof *place);
  contact->ncoupled = contact->ntouched = 0;
  contact->failed = 1;
  return -1;
}

void csim_contact_hessian(csim_contact *contact, const int *place, double *val) {
  settle_single_blocks(contact, place, val);
  index_blocks(contact);
  csim_pool_for(contact->pool, contact->ntouched, ROW_GRAIN, add_diagonals,
                &(diag_job){contact, place, val});
}

typedef struct multiply_job {
  const csim_contact *contact;
  const double *x;
  double *y;
} multiply_job;

static void multiply_blocks(void *context, int first, int last) {
  const multiply_job *job = context;
  const csim_contact *c = job->contact;
  for (int i = first; i < last; i++) {
    if (!c->corners[i]) continue;
    double s[3] = {0}, room[9];
    const int *v;
    const double *w = block_weights(c, i, &v);
    for (unsigned left = c->corners[i]; left; left &= left - 1) {
      int k = __builtin_ctz(left);
      csim_add_scaled(w[k], job->x + 3 * (ptrdiff_t)v[k], s);
    }
    csim_mat3_mul(block_matrix(c, i, room), s, c->product + 3 * (ptrdiff_t)i);
  }
}

static void gather_rows(void *context, int first, int last) {
  const multiply_job *job = context;
  const csim_contact *c = job->contact;
  for (int r = first; r < last; r++) {
    double sum[3] = {0}, own[3];
    for (int k = c->touched_start[r]; k < c->touched_start[r + 1]; k++) {
      int i = c->around[k] / 4;
      const int *v;
      csim_add_scaled(block_weights(c, i, &v)[c->around[k] % 4], c->product + 3 * (ptrdiff_t)i,
                      sum);
    }
    ptrdiff_t v = 3 * (ptrdiff_t)c->touched[r];
    csim_mat3_mul(c->diag + 9 * (ptrdiff_t)r, job->x + v, own);
    for (int a = 0; a < 3; a++) job->y[v + a] += sum[a] - own[a];
  }
}

void csim_contact_multiply_rest(csim_pool *pool, const csim_contact *contact, const double *x,
                                double *y) {
  if (!contact->ncoupled) return;
  multiply_job job = {contact, x, y};
  csim_pool_for(pool, contact->nterm + contact->nfriction, BLOCK_GRAIN, multiply_blocks, &job);
  csim_pool_for(pool, contact->ntouched, ROW_GRAIN, gather_rows, &job);
}
