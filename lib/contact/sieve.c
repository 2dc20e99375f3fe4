// contact/sieve.c: see sieve.h.
#include "contact/sieve.h"

#include "math/vec3.h"

#include <float.h>
#include <xmmintrin.h>

int csim_sieve_create(csim_arena *arena, const csim_skin *skin, double distance,
                      csim_sieve *sieve) {
  *sieve = (csim_sieve){.skin = skin, .distance = (float)distance};
  sieve->at = CSIM_ARENA_NEW(arena, csim_sieve_row, skin->nvert);
  sieve->way = CSIM_ARENA_NEW(arena, csim_sieve_row, skin->nvert);
  return arena->failed ? -1 : 0;
}

void csim_sieve_fill(csim_sieve *sieve, const double *ref, const double *drift, const double *reach,
                     double time) {
  double most = 0;
  for (int i = 0; i < sieve->skin->nvert; i++) {
    float *at = sieve->at[i], *way = sieve->way[i];
    for (int c = 0; c < 3; c++) {
      double x = ref[3 * (ptrdiff_t)i + c], d = time * drift[3 * (ptrdiff_t)i + c];
      most = csim_max(most, csim_max(fabs(x), fabs(d)));
      at[c] = (float)x;
      way[c] = (float)d;
    }
    at[3] = (float)reach[i];
    way[3] = 0;
  }
  // a coordinate errs by half a unit, a few of them make a width
  sieve->rounding = (float)(64 * FLT_EPSILON * most);
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

static inline lanes dot(const lanes a[3], const lanes b[3]) {
  return _mm_add_ps(_mm_add_ps(_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1])),
                    _mm_mul_ps(a[2], b[2]));
}

// Sides with na and nb points and the centres they stand around: what is left of the slab along n
// must be wider than the contact distance and all reaches. Bit k tells that pair k may be near.
static inline int not_apart(const csim_sieve *s, int na, const points *A, int nb, const points *B,
                            const lanes n[3], const lanes origin[3]) {
  lanes high = {0}, low = {0}, fast = {0}, slow = {0}, far_a = A[0].reach, far_b = B[0].reach;
  for (int k = 0; k < na; k++) {
    lanes r[3];
    for (int c = 0; c < 3; c++) r[c] = _mm_sub_ps(A[k].x[c], origin[c]);
    lanes along = dot(n, r), way = dot(n, A[k].way);
    high = k ? _mm_max_ps(high, along) : along;
    fast = k ? _mm_max_ps(fast, way) : way;
    far_a = _mm_max_ps(far_a, A[k].reach);
  }
  for (int k = 0; k < nb; k++) {
    lanes r[3];
    for (int c = 0; c < 3; c++) r[c] = _mm_sub_ps(B[k].x[c], origin[c]);
    lanes along = dot(n, r), way = dot(n, B[k].way);
    low = k ? _mm_min_ps(low, along) : along;
    slow = k ? _mm_min_ps(slow, way) : way;
    far_b = _mm_max_ps(far_b, B[k].reach);
  }
  lanes zero = _mm_setzero_ps();
  lanes width = _mm_sub_ps(_mm_sub_ps(low, high), _mm_max_ps(_mm_sub_ps(fast, slow), zero));
  lanes far = _mm_add_ps(_mm_add_ps(far_a, far_b), _mm_set1_ps(s->distance + s->rounding));
  lanes least = _mm_mul_ps(_mm_mul_ps(far, far), dot(n, n));
  lanes apart =
      _mm_and_ps(_mm_cmpgt_ps(width, zero),
                 _mm_cmpgt_ps(_mm_mul_ps(width, width), _mm_mul_ps(least, _mm_set1_ps(1 + 1e-5f))));
  return ~_mm_movemask_ps(apart) & 15;
}

// x within [0, 1]; of what is no number, 0.
static inline lanes clamp(lanes x) {
  return _mm_min_ps(_mm_max_ps(x, _mm_setzero_ps()), _mm_set1_ps(1));
}

// Four pairs from `pair` on, or as many as there are: the vertices of one corner of their first
// (side 0) or second primitives.
static inline points load_corner(const csim_sieve *s, int n, const csim_pair *pair, int side,
                                 const int *item, int corners, int corner) {
  int v[4];
  for (int k = 0; k < 4; k++) {
    const csim_pair *p = &pair[k < n ? k : n - 1];
    v[k] = item[corners * (ptrdiff_t)(side ? p->b : p->a) + corner];
  }
  return load_points(s, v);
}

// Nearest points of the segments as in Ericson, Real-Time Collision Detection, 5.1.9. Where they are
// nearly parallel or no segments, any points: the slab is narrower then, not wrong.
static int edges_near(const csim_sieve *s, int count, const csim_pair *pair) {
  points A[2], B[2];
  for (int k = 0; k < 2; k++) {
    A[k] = load_corner(s, count, pair, 0, s->skin->edge, 2, k);
    B[k] = load_corner(s, count, pair, 1, s->skin->edge, 2, k);
  }
  lanes u[3], v[3], r[3], n[3], origin[3], tiny = _mm_set1_ps(FLT_MIN);
  for (int c = 0; c < 3; c++) {
    u[c] = _mm_sub_ps(A[1].x[c], A[0].x[c]);
    v[c] = _mm_sub_ps(B[1].x[c], B[0].x[c]);
    r[c] = _mm_sub_ps(A[0].x[c], B[0].x[c]);
  }
  lanes uu = _mm_max_ps(dot(u, u), tiny), vv = _mm_max_ps(dot(v, v), tiny), uv = dot(u, v);
  lanes ur = dot(u, r), vr = dot(v, r);
  lanes det = _mm_max_ps(_mm_sub_ps(_mm_mul_ps(uu, vv), _mm_mul_ps(uv, uv)), tiny);
  lanes a = clamp(_mm_div_ps(_mm_sub_ps(_mm_mul_ps(uv, vr), _mm_mul_ps(ur, vv)), det));
  lanes b = clamp(_mm_div_ps(_mm_add_ps(_mm_mul_ps(uv, a), vr), vv));
  a = clamp(_mm_div_ps(_mm_sub_ps(_mm_mul_ps(uv, b), ur), uu));
  for (int c = 0; c < 3; c++) {
    lanes p = _mm_add_ps(A[0].x[c], _mm_mul_ps(a, u[c])),
          q = _mm_add_ps(B[0].x[c], _mm_mul_ps(b, v[c]));
    n[c] = _mm_sub_ps(q, p);
    origin[c] = p;
  }
  return not_apart(s, 2, A, 2, B, n, origin);
}

static int triangles_near(const csim_sieve *s, int count, const csim_pair *pair) {
  points A = load_corner(s, count, pair, 0, s->skin->point, 1, 0), B[3];
  for (int k = 0; k < 3; k++) B[k] = load_corner(s, count, pair, 1, s->skin->tri, 3, k);
  lanes n[3], third = _mm_set1_ps(1.0f / 3);
  for (int c = 0; c < 3; c++) {
    lanes centre = _mm_add_ps(_mm_add_ps(B[0].x[c], B[1].x[c]), B[2].x[c]);
    n[c] = _mm_sub_ps(_mm_mul_ps(centre, third), A.x[c]);
  }
  return not_apart(s, 1, &A, 3, B, n, A.x);
}

// Those of `count` pairs that are in the mask go to `to`, which may be where they are or before.
static inline int keep_masked(int mask, int count, const csim_pair *from, csim_pair *to) {
  int kept = 0;
  for (int k = 0; k < count; k++) {
    to[kept] = from[k];
    kept += mask >> k & 1;
  }
  return kept;
}

int csim_sieve_edges(const csim_sieve *s, int n, csim_pair *pair) {
  int kept = 0;
  for (int i = 0; i < n; i += 4) {
    int count = n - i < 4 ? n - i : 4;
    kept += keep_masked(edges_near(s, count, pair + i), count, pair + i, pair + kept);
  }
  return kept;
}

int csim_sieve_triangles(const csim_sieve *s, int n, csim_pair *pair) {
  int kept = 0;
  for (int i = 0; i < n; i += 4) {
    int count = n - i < 4 ? n - i : 4;
    kept += keep_masked(triangles_near(s, count, pair + i), count, pair + i, pair + kept);
  }
  return kept;
}
