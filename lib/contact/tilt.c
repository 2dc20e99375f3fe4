// contact/tilt.c: see tilt.h.
#include "contact/tilt.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { TILT_GRAIN = 512 };

// A tilt counts if it resists the motion of some vertex by more than so many times its inertia. The
// negative part of the second derivative, which is left out, makes weak tilts too stiff: with 0.1
// instead of 20 a sheet between plates took 1,951 iterations instead of 1,341 (2,048 without
// tilts), and silk in a ring 1,999 instead of 1,863 (1,800).
static const double LEAST_TILT = 20;

// Least square of the sine between two directions of weights: of edges that are nearly parallel the
// nearest points are anywhere.
static const double LEAST_SINE2 = 0.05;

// How the nearest points of a contact can move: a change of weights, and the motion of the gap
// vector by it.
typedef struct direction {
  double w[4], along[3];
} direction;

static direction make_direction(const csim_active_set *set, const csim_active_contact *c, int from,
                                int to) {
  direction d = {0};
  double sign = c->w[from] < 0 ? -1 : 1;
  d.w[from] = -sign;
  d.w[to] = sign;
  const double *a = set->x + csim_xyz(c->v[from]), *b = set->x + csim_xyz(c->v[to]);
  for (int k = 0; k < 3; k++) d.along[k] = sign * (b[k] - a[k]);
  return d;
}

// Lists the directions of a contact: one less on each side than it has vertices there.
static int list_directions(const csim_active_set *set, const csim_active_contact *c,
                           direction d[2]) {
  int n = 0;
  for (int side = -1; side <= 1; side += 2) {
    int first = -1;
    for (int k = 0; k < 4; k++) {
      if (!(side * c->w[k] > 0)) continue;
      if (first < 0)
        first = k;
      else if (n < 2)
        d[n++] = make_direction(set, c, first, k);
    }
  }
  return n;
}

// Makes two directions perpendicular, and of unit length in space. Leaves out those shorter than
// `least`, squared. Returns how many are left.
static int make_orthonormal(int n, double least, direction d[2]) {
  int left = 0;
  for (int r = 0; r < n; r++) {
    double before = csim_dot(d[r].along, d[r].along);
    if (left == 1) {
      double share = csim_dot(d[0].along, d[r].along);
      csim_add_scaled(-share, d[0].along, d[r].along);
      for (int k = 0; k < 4; k++) d[r].w[k] -= share * d[0].w[k];
    }
    double length2 = csim_dot(d[r].along, d[r].along);
    if (!(length2 > csim_max(LEAST_SINE2 * before, least))) continue;
    double scale = 1 / sqrt(length2);
    for (int k = 0; k < 4; k++) d[left].w[k] = scale * d[r].w[k];
    for (int k = 0; k < 3; k++) d[left].along[k] = scale * d[r].along[k];
    left++;
  }
  return left;
}

static double distance(const csim_active_set *set, const csim_active_contact *c) {
  double gap[3] = {0};
  const double *o = set->x + csim_xyz(c->v[0]);
  for (int k = 1; k < 4; k++)
    for (int a = 0; a < 3; a++) gap[a] += c->w[k] * (set->x[csim_xyz(c->v[k]) + a] - o[a]);
  return csim_norm(gap);
}

// Whether a tilt of `stiff` [N m] is felt by a free vertex.
static int is_felt(const csim_kinematics *kin, const csim_active_contact *c, const direction *d,
                   double stiff) {
  for (int k = 0; k < 4; k++)
    if (d->w[k] != 0 && csim_kinematics_is_free(kin, c->v[k]) &&
        stiff * d->w[k] * d->w[k] * kin->h * kin->h > LEAST_TILT * kin->mesh->mass[c->v[k]])
      return 1;
  return 0;
}

// Makes the tilts of a contact. Returns how many it has. What is shorter than the distance does not
// tilt, as a sliver would be as stiff as a wall.
static int make_tilts(const csim_active_set *set, const csim_active_contact *c, csim_tilt tilt[2]) {
  direction d[2];
  if (!(c->force < 0) || c->v[3] < 0) return 0; // it does not press, or is with a plane
  double gap = distance(set, c), stiff = -c->force * gap;
  int n = make_orthonormal(list_directions(set, c, d), gap * gap, d), count = 0;
  for (int r = 0; r < n; r++) {
    if (!is_felt(set->kin, c, &d[r], stiff)) continue;
    csim_tilt *t = &tilt[count++];
    memcpy(t->v, c->v, sizeof t->v);
    memcpy(t->w, d[r].w, sizeof t->w);
    memset(t->B, 0, sizeof t->B);
    csim_mat3_add_outer(stiff, c->n, c->n, t->B);
  }
  return count;
}

static void count_range(void *context, int first, int last) {
  csim_tilt_set *set = context;
  csim_tilt tilt[2];
  for (int i = first; i < last; i++)
    set->start[i] = make_tilts(set->active, &set->active->contact[i], tilt);
}

static void fill_range(void *context, int first, int last) {
  const csim_tilt_set *set = context;
  for (int i = first; i < last; i++)
    if (set->start[i] < set->start[i + 1])
      make_tilts(set->active, &set->active->contact[i], &set->tilt[set->start[i]]);
}

int csim_tilts_find(csim_tilt_set *set) {
  csim_pool *pool = set->active->kin->pool;
  int n = set->active->nfound, total = 0;
  set->n = 0;
  if (CSIM_GROW(set->start, set->start_capacity, (ptrdiff_t)n + 1)) return -1;
  csim_pool_for(pool, n, TILT_GRAIN, count_range, set);
  for (int i = 0; i < n; i++) {
    int count = set->start[i];
    set->start[i] = total;
    total += count;
  }
  set->start[n] = total;
  if (CSIM_GROW(set->tilt, set->capacity, total)) return -1;
  csim_pool_for(pool, n, TILT_GRAIN, fill_range, set);
  set->n = total;
  return 0;
}

void csim_tilts_free(csim_tilt_set *set) {
  free(set->tilt);
  free(set->start);
}
