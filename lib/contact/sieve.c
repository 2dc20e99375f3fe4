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
  sieve->rounding = (float)(32 * FLT_EPSILON * most);
}

// One number for each of four pairs.
typedef __m128 lanes;

// Vertices, one to a lane.
typedef struct points {
  lanes x[3], reach, way[3];
} points;

static inline points load_points(const csim_sieve *s, int a, int b, int c, int d) {
  points p;
  lanes rest = _mm_loadu_ps(s->way[d]);
  p.x[0] = _mm_loadu_ps(s->at[a]);
  p.x[1] = _mm_loadu_ps(s->at[b]);
  p.x[2] = _mm_loadu_ps(s->at[c]);
  p.reach = _mm_loadu_ps(s->at[d]);
  _MM_TRANSPOSE4_PS(p.x[0], p.x[1], p.x[2], p.reach);
  p.way[0] = _mm_loadu_ps(s->way[a]);
  p.way[1] = _mm_loadu_ps(s->way[b]);
  p.way[2] = _mm_loadu_ps(s->way[c]);
  _MM_TRANSPOSE4_PS(p.way[0], p.way[1], p.way[2], rest);
  return p;
}

// The same vertex in all lanes.
static inline points spread_point(const csim_sieve *s, int v) {
  points p;
  for (int c = 0; c < 3; c++) {
    p.x[c] = _mm_load1_ps(&s->at[v][c]);
    p.way[c] = _mm_load1_ps(&s->way[v][c]);
  }
  p.reach = _mm_load1_ps(&s->at[v][3]);
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

int csim_sieve_edges(const csim_sieve *s, const int e[2], const int *const f[4]) {
  points A[2] = {spread_point(s, e[0]), spread_point(s, e[1])};
  points B[2] = {load_points(s, f[0][0], f[1][0], f[2][0], f[3][0]),
                 load_points(s, f[0][1], f[1][1], f[2][1], f[3][1])};
  lanes n[3], origin[3], quarter = _mm_set1_ps(0.25f);
  for (int c = 0; c < 3; c++) {
    lanes a = _mm_add_ps(A[0].x[c], A[1].x[c]), b = _mm_add_ps(B[0].x[c], B[1].x[c]);
    n[c] = _mm_sub_ps(b, a);
    origin[c] = _mm_mul_ps(_mm_add_ps(a, b), quarter);
  }
  return not_apart(s, 2, A, 2, B, n, origin);
}

int csim_sieve_triangles(const csim_sieve *s, int v, const int *const t[4]) {
  points A = spread_point(s, v), B[3];
  for (int k = 0; k < 3; k++) B[k] = load_points(s, t[0][k], t[1][k], t[2][k], t[3][k]);
  lanes n[3], third = _mm_set1_ps(1.0f / 3);
  for (int c = 0; c < 3; c++) {
    lanes centre = _mm_add_ps(_mm_add_ps(B[0].x[c], B[1].x[c]), B[2].x[c]);
    n[c] = _mm_sub_ps(_mm_mul_ps(centre, third), A.x[c]);
  }
  return not_apart(s, 1, &A, 3, B, n, A.x);
}
