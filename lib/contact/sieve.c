// contact/sieve.c: see sieve.h.
#include "contact/sieve.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>
#include <xmmintrin.h>

enum { VERT_GRAIN = 4096 };

int csim_sieve_create(csim_arena *arena, const csim_skin *skin, csim_sieve *sieve) {
  *sieve = (csim_sieve){.skin = skin, .share = 1};
  sieve->at = CSIM_ARENA_NEW(arena, csim_sieve_row, skin->nvert);
  sieve->way = CSIM_ARENA_NEW(arena, csim_sieve_row, skin->nvert);
  return arena->failed ? -1 : 0;
}

typedef struct fill_job {
  csim_sieve *sieve;
  const double *x, *way, *reach;
  double time;
} fill_job;

static inline float larger(float a, float b) {
  return a > b ? a : b;
}

// Bits of positive floats are ordered as they are.
static void raise(atomic_uint *most, float value) {
  unsigned wanted, now = atomic_load_explicit(most, memory_order_relaxed);
  memcpy(&wanted, &value, sizeof wanted);
  while (wanted > now && !atomic_compare_exchange_weak_explicit(
                             most, &now, wanted, memory_order_relaxed, memory_order_relaxed)) {
  }
}

static void fill_range(void *context, int first, int last) {
  const fill_job *job = context;
  float most = 0;
  for (int i = first; i < last; i++) {
    float *at = job->sieve->at[i], *way = job->sieve->way[i];
    for (int c = 0; c < 3; c++) {
      at[c] = (float)job->x[3 * (ptrdiff_t)i + c];
      way[c] = job->way ? (float)(job->time * job->way[3 * (ptrdiff_t)i + c]) : 0;
      most = larger(most, larger(fabsf(at[c]), fabsf(way[c])));
    }
    at[3] = job->reach ? (float)job->reach[i] : 0;
    way[3] = 0;
  }
  raise(&job->sieve->most, most);
}

void csim_sieve_fill(csim_pool *pool, csim_sieve *sieve, const double *x, const double *way,
                     double time, const double *reach) {
  atomic_store_explicit(&sieve->most, 0, memory_order_relaxed);
  csim_pool_for(pool, sieve->skin->nvert, VERT_GRAIN, fill_range,
                &(fill_job){sieve, x, way, reach, time});
  unsigned bits = atomic_load_explicit(&sieve->most, memory_order_relaxed);
  float most;
  memcpy(&most, &bits, sizeof most);
  // a coordinate errs by half a unit, a few of them make a width
  sieve->rounding = 64 * FLT_EPSILON * most;
}

// One number for each of four pairs.
typedef __m128 lanes;

// Vertices, one to a lane.
typedef struct points {
  lanes x[3], reach, way[3];
} points;

static inline points load_points(const csim_sieve *s, const int v[4]) {
  points p;
  lanes rest = _mm_loadu_ps(s->way[v[3]]);
  p.x[0] = _mm_loadu_ps(s->at[v[0]]);
  p.x[1] = _mm_loadu_ps(s->at[v[1]]);
  p.x[2] = _mm_loadu_ps(s->at[v[2]]);
  p.reach = _mm_loadu_ps(s->at[v[3]]);
  _MM_TRANSPOSE4_PS(p.x[0], p.x[1], p.x[2], p.reach);
  p.way[0] = _mm_loadu_ps(s->way[v[0]]);
  p.way[1] = _mm_loadu_ps(s->way[v[1]]);
  p.way[2] = _mm_loadu_ps(s->way[v[2]]);
  _MM_TRANSPOSE4_PS(p.way[0], p.way[1], p.way[2], rest);
  return p;
}

// The vertices of one corner of the pairs' first (side 0) or second primitives.
static inline points load_corner(const csim_sieve *s, int n, const csim_pair *pair, int side,
                                 const int *item, int corners, int corner) {
  int v[4];
  for (int k = 0; k < 4; k++) {
    const csim_pair *p = &pair[k < n ? k : n - 1];
    v[k] = item[corners * (ptrdiff_t)(side ? p->b : p->a) + corner];
  }
  return load_points(s, v);
}

static inline lanes dot(const lanes a[3], const lanes b[3]) {
  return _mm_add_ps(_mm_add_ps(_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1])),
                    _mm_mul_ps(a[2], b[2]));
}

static inline void cross(const lanes a[3], const lanes b[3], lanes out[3]) {
  for (int c = 0; c < 3; c++) {
    int i = (c + 1) % 3, j = (c + 2) % 3;
    out[c] = _mm_sub_ps(_mm_mul_ps(a[i], b[j]), _mm_mul_ps(a[j], b[i]));
  }
}

static inline void subtract(const lanes a[3], const lanes b[3], lanes out[3]) {
  for (int c = 0; c < 3; c++) out[c] = _mm_sub_ps(a[c], b[c]);
}

// x within [0, 1]; of what is no number, 0.
static inline lanes clamp(lanes x) {
  return _mm_min_ps(_mm_max_ps(x, _mm_setzero_ps()), _mm_set1_ps(1));
}

static inline lanes positive(lanes x) {
  return _mm_max_ps(x, _mm_set1_ps(FLT_MIN));
}

static inline lanes select_lanes(lanes mask, lanes a, lanes b) {
  return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}

// Sides with na and nb points: the slab between them along n, a vector from the one to the other,
// must be wide enough. Coordinates are taken from `origin`, a point near by. Bit k tells that pair
// k may be too near.
static inline int not_apart(const csim_sieve *s, int na, const points *A, int nb, const points *B,
                            const lanes n[3], const lanes origin[3]) {
  lanes high = {0}, low = {0}, fast = {0}, slow = {0}, far_a = A[0].reach, far_b = B[0].reach;
  lanes zero = _mm_setzero_ps();
  for (int k = 0; k < na; k++) {
    lanes r[3];
    subtract(A[k].x, origin, r);
    lanes along = dot(n, r), way = dot(n, A[k].way);
    high = k ? _mm_max_ps(high, along) : along;
    fast = k ? _mm_max_ps(fast, way) : way;
    far_a = _mm_max_ps(far_a, A[k].reach);
  }
  for (int k = 0; k < nb; k++) {
    lanes r[3];
    subtract(B[k].x, origin, r);
    lanes along = dot(n, r), way = dot(n, B[k].way);
    low = k ? _mm_min_ps(low, along) : along;
    slow = k ? _mm_min_ps(slow, way) : way;
    far_b = _mm_max_ps(far_b, B[k].reach);
  }
  if (s->alone) {
    fast = _mm_max_ps(fast, zero);
    slow = _mm_min_ps(slow, zero);
  }
  lanes closing = _mm_mul_ps(_mm_max_ps(_mm_sub_ps(fast, slow), zero), _mm_set1_ps(1 / s->share));
  lanes width = _mm_sub_ps(_mm_sub_ps(low, high), closing);
  lanes far = _mm_add_ps(_mm_add_ps(far_a, far_b), _mm_set1_ps(s->distance + s->rounding));
  lanes least = positive(_mm_mul_ps(_mm_mul_ps(far, far), dot(n, n)));
  lanes apart =
      _mm_and_ps(_mm_cmpgt_ps(width, zero),
                 _mm_cmpgt_ps(_mm_mul_ps(width, width), _mm_mul_ps(least, _mm_set1_ps(1 + 1e-5f))));
  return ~_mm_movemask_ps(apart) & 15;
}

// Nearest points of the segments as in Ericson, Real-Time Collision Detection, 5.1.9. Where they
// are nearly parallel or no segments, any points: the slab is narrower then, not wrong.
int csim_sieve_edges(const csim_sieve *s, int count, const csim_pair *pair) {
  points A[2], B[2];
  for (int k = 0; k < 2; k++) {
    A[k] = load_corner(s, count, pair, 0, s->skin->edge, 2, k);
    B[k] = load_corner(s, count, pair, 1, s->skin->edge, 2, k);
  }
  lanes u[3], v[3], r[3], n[3], origin[3];
  subtract(A[1].x, A[0].x, u);
  subtract(B[1].x, B[0].x, v);
  subtract(A[0].x, B[0].x, r);
  lanes uu = positive(dot(u, u)), vv = positive(dot(v, v)), uv = dot(u, v);
  lanes ur = dot(u, r), vr = dot(v, r);
  lanes det = positive(_mm_sub_ps(_mm_mul_ps(uu, vv), _mm_mul_ps(uv, uv)));
  lanes a = clamp(_mm_div_ps(_mm_sub_ps(_mm_mul_ps(uv, vr), _mm_mul_ps(ur, vv)), det));
  lanes b = clamp(_mm_div_ps(_mm_add_ps(_mm_mul_ps(uv, a), vr), vv));
  a = clamp(_mm_div_ps(_mm_sub_ps(_mm_mul_ps(uv, b), ur), uu));
  for (int c = 0; c < 3; c++) {
    lanes q = _mm_add_ps(B[0].x[c], _mm_mul_ps(b, v[c]));
    origin[c] = _mm_add_ps(A[0].x[c], _mm_mul_ps(a, u[c]));
    n[c] = _mm_sub_ps(q, origin[c]);
  }
  return not_apart(s, 2, A, 2, B, n, origin);
}

// The point nearest to the origin of the segment from p along u, if it is nearer than `nearest`.
static inline void approach(const lanes p[3], const lanes u[3], lanes nearest[3], lanes *best) {
  lanes t = clamp(_mm_div_ps(_mm_sub_ps(_mm_setzero_ps(), dot(p, u)), positive(dot(u, u)))), q[3];
  for (int c = 0; c < 3; c++) q[c] = _mm_add_ps(p[c], _mm_mul_ps(t, u[c]));
  lanes d = dot(q, q), nearer = _mm_cmplt_ps(d, *best);
  for (int c = 0; c < 3; c++) nearest[c] = select_lanes(nearer, q[c], nearest[c]);
  *best = _mm_min_ps(d, *best);
}

// Nearest is a point of one of the sides, or, where the point projects inside of all three, that
// projection.
int csim_sieve_triangles(const csim_sieve *s, int count, const csim_pair *pair) {
  points A = load_corner(s, count, pair, 0, s->skin->point, 1, 0), B[3];
  lanes p[3][3], u[3][3], n[3], normal[3], best = _mm_set1_ps(FLT_MAX), zero = _mm_setzero_ps();
  for (int k = 0; k < 3; k++) {
    B[k] = load_corner(s, count, pair, 1, s->skin->tri, 3, k);
    subtract(B[k].x, A.x, p[k]);
  }
  for (int k = 0; k < 3; k++) {
    subtract(p[(k + 1) % 3], p[k], u[k]);
    approach(p[k], u[k], n, &best);
  }
  cross(u[0], u[1], normal);
  lanes inside = _mm_cmpeq_ps(zero, zero);
  for (int k = 0; k < 3; k++) {
    lanes out[3];
    cross(u[k], normal, out); // away from the triangle, in its plane
    inside = _mm_and_ps(inside, _mm_cmpge_ps(dot(out, p[k]), zero));
  }
  lanes height = _mm_div_ps(dot(normal, p[0]), positive(dot(normal, normal)));
  for (int c = 0; c < 3; c++) n[c] = select_lanes(inside, _mm_mul_ps(height, normal[c]), n[c]);
  return not_apart(s, 1, &A, 3, B, n, A.x);
}
