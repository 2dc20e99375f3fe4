// contact/culling.c: see culling.h.
#include "contact/culling.h"

#include "base/simd.h"

#include <float.h>
#include <string.h>

enum { VERT_GRAIN = 1024 };

ptrdiff_t csim_culling_bytes(const csim_collision_mesh *mesh) {
  return 2 * csim_scratch_bytes(mesh->nvert, sizeof(csim_culling_row));
}

typedef struct fill_job {
  csim_culling *culling;
  const double *x, *way, *reach;
  double time;
} fill_job;

static inline float larger(float a, float b) {
  return a > b ? a : b;
}

static void fill_range(void *context, int first, int last) {
  const fill_job *job = context;
  float most = 0;
  for (int i = first; i < last; i++) {
    float *at = job->culling->at[i], *way = job->culling->way[i];
    for (int c = 0; c < 3; c++) {
      at[c] = (float)job->x[csim_xyz(i) + c];
      way[c] = job->way ? (float)(job->time * job->way[csim_xyz(i) + c]) : 0;
      most = larger(most, larger(fabsf(at[c]), fabsf(way[c])));
    }
    at[3] = job->reach ? (float)job->reach[i] : 0;
    way[3] = 0;
  }
  csim_atomic_raise(&job->culling->most, (double)most);
}

void csim_culling_begin(csim_pool *pool, csim_scratch *scratch, csim_culling *culling,
                        const double *x, const double *way, double time, const double *reach) {
  culling->at = CSIM_SCRATCH_TAKE(scratch, csim_culling_row, culling->mesh->nvert);
  culling->way = CSIM_SCRATCH_TAKE(scratch, csim_culling_row, culling->mesh->nvert);
  csim_atomic_set(&culling->most, 0);
  fill_job job = {culling, x, way, reach, time};
  if (culling->listed)
    csim_listed_for(pool, culling->listed, VERT_GRAIN, fill_range, &job);
  else
    csim_pool_for(pool, culling->mesh->nvert, VERT_GRAIN, fill_range, &job);
  // a coordinate errs by half a unit, a few of them make a width
  culling->rounding = 64 * FLT_EPSILON * (float)csim_atomic_get(&culling->most);
}

// ------------------------------------------------------------------------------------------ lanes

// One number for each of eight pairs.
typedef float lanes __attribute__((vector_size(32)));
typedef int lane_bits __attribute__((vector_size(32)));
typedef float half_lanes __attribute__((vector_size(16)));
enum { LANES = 8 };

// Macros, because functions that return such vectors have no fixed ABI. MIN and MAX return the
// second number if the first is NaN.
#define SELECT(mask, a, b) ((lanes)(((mask) & (lane_bits)(a)) | (~(mask) & (lane_bits)(b))))
#define MAX(a, b) SELECT((a) > (b), a, b)
#define MIN(a, b) SELECT((a) < (b), a, b)
#define SPLAT(x) ((lanes){0} + (x))
#define POSITIVE(x) MAX(x, SPLAT(FLT_MIN))
// clamped to [0, 1]; NaN becomes 0
#define CLAMP(x) MIN(MAX(x, SPLAT(0)), SPLAT(1))
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

// Vertices, one to a lane.
typedef struct points {
  lanes x[3], reach, way[3];
} points;

CSIM_SIMD_BODY void load_rows(csim_culling_row *row, const int v[LANES], lanes to[4]) {
  lanes r[4], a[4];
  for (int k = 0; k < 4; k++) { // vertices k and k + 4 side by side
    half_lanes low, high;
    memcpy(&low, row[v[k]], sizeof low);
    memcpy(&high, row[v[k + 4]], sizeof high);
    r[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  a[0] = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
  a[1] = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
  a[2] = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
  a[3] = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  to[0] = __builtin_shufflevector(a[0], a[2], 0, 1, 8, 9, 4, 5, 12, 13);
  to[1] = __builtin_shufflevector(a[0], a[2], 2, 3, 10, 11, 6, 7, 14, 15);
  to[2] = __builtin_shufflevector(a[1], a[3], 0, 1, 8, 9, 4, 5, 12, 13);
  to[3] = __builtin_shufflevector(a[1], a[3], 2, 3, 10, 11, 6, 7, 14, 15);
}

// At most eight pairs, and the results.
typedef struct batch {
  const csim_pair *pair;
  int n;
  unsigned char *flag;
} batch;

// One side of each pair.
typedef struct pair_side {
  int n;
  const points *p; // (n)
} pair_side;

// The vertices of one corner of the pairs' first (side 0) or second primitives.
CSIM_SIMD_BODY void load_corner(const csim_culling *s, const batch *b, int side, const int *item,
                                int corners, int corner, points *to) {
  int v[LANES];
  lanes row[4];
  for (int k = 0; k < LANES; k++) {
    const csim_pair *p = &b->pair[k < b->n ? k : b->n - 1];
    v[k] = item[corners * (ptrdiff_t)(side ? p->b : p->a) + corner];
  }
  load_rows(s->at, v, row);
  for (int c = 0; c < 3; c++) to->x[c] = row[c];
  to->reach = row[3];
  load_rows(s->way, v, row);
  for (int c = 0; c < 3; c++) to->way[c] = row[c];
}

CSIM_SIMD_BODY void cross(const lanes a[3], const lanes b[3], lanes out[3]) {
  for (int c = 0; c < 3; c++) {
    int i = (c + 1) % 3, j = (c + 2) % 3;
    out[c] = a[i] * b[j] - a[j] * b[i];
  }
}

CSIM_SIMD_BODY void subtract(const lanes a[3], const lanes b[3], lanes out[3]) {
  for (int c = 0; c < 3; c++) out[c] = a[c] - b[c];
}

// ------------------------------------------------------------------------------------------- slabs

// The slab between two sides along n, a vector from A to B, must be wide enough. Coordinates are
// taken from `origin`, a point near by. Flags the pairs that may be too near, and returns how many.
//
//        A    high |<--- width --->| low    B
//      .---.       |               |      .---.
//      |   o-------|-----> n       |------o   |     less what both may close in, and reach
//      `---'       |               |      `---'
CSIM_SIMD_BODY int flag_near(const csim_culling *s, const batch *b, pair_side A, pair_side B,
                             const lanes n[3], const lanes origin[3]) {
  lanes high = {0}, low = {0}, fast = {0}, slow = {0}, far_a = A.p[0].reach, far_b = B.p[0].reach;
  for (int k = 0; k < A.n; k++) {
    lanes r[3];
    subtract(A.p[k].x, origin, r);
    lanes along = DOT(n, r), way = DOT(n, A.p[k].way);
    high = k ? MAX(high, along) : along;
    fast = k ? MAX(fast, way) : way;
    far_a = MAX(far_a, A.p[k].reach);
  }
  for (int k = 0; k < B.n; k++) {
    lanes r[3];
    subtract(B.p[k].x, origin, r);
    lanes along = DOT(n, r), way = DOT(n, B.p[k].way);
    low = k ? MIN(low, along) : along;
    slow = k ? MIN(slow, way) : way;
    far_b = MAX(far_b, B.p[k].reach);
  }
  if (s->alone) {
    fast = MAX(fast, SPLAT(0));
    slow = MIN(slow, SPLAT(0));
  }
  lanes closing = MAX(fast - slow, SPLAT(0)) * (1 / s->share), width = low - high - closing;
  lanes far = far_a + far_b + (s->distance + s->rounding);
  lanes least = POSITIVE(far * far * DOT(n, n));
  lane_bits apart = (width > 0) & (width * width > least * (1 + 1e-5f));
  int near = 0;
  for (int k = 0; k < b->n; k++) near += b->flag[k] = !apart[k];
  return near;
}

// Nearest points of the segments as in Ericson, Real-Time Collision Detection, 5.1.9. For nearly
// parallel or degenerate segments any points will do: the slab is narrower then, not wrong.
CSIM_SIMD_BODY int edges(const csim_culling *s, int count, const csim_pair *pair,
                         unsigned char *flag) {
  int near = 0;
  for (int i = 0; i < count; i += LANES) {
    batch eight = {pair + i, count - i < LANES ? count - i : LANES, flag + i};
    points A[2], B[2];
    for (int k = 0; k < 2; k++) {
      load_corner(s, &eight, 0, s->mesh->edge, 2, k, &A[k]);
      load_corner(s, &eight, 1, s->mesh->edge, 2, k, &B[k]);
    }
    lanes u[3], v[3], r[3], n[3], origin[3];
    subtract(A[1].x, A[0].x, u);
    subtract(B[1].x, B[0].x, v);
    subtract(A[0].x, B[0].x, r);
    lanes uu = POSITIVE(DOT(u, u)), vv = POSITIVE(DOT(v, v)), uv = DOT(u, v);
    lanes ur = DOT(u, r), vr = DOT(v, r), det = POSITIVE(uu * vv - uv * uv);
    lanes a = CLAMP((uv * vr - ur * vv) / det), b = CLAMP((uv * a + vr) / vv);
    a = CLAMP((uv * b - ur) / uu);
    for (int c = 0; c < 3; c++) {
      origin[c] = A[0].x[c] + a * u[c];
      n[c] = B[0].x[c] + b * v[c] - origin[c];
    }
    near += flag_near(s, &eight, (pair_side){2, A}, (pair_side){2, B}, n, origin);
  }
  return near;
}

// The point nearest to the origin of the segment from p along u, if it is nearer than `nearest`.
CSIM_SIMD_BODY void approach(const lanes p[3], const lanes u[3], lanes nearest[3], lanes *best) {
  lanes t = CLAMP(-DOT(p, u) / POSITIVE(DOT(u, u))), q[3];
  for (int c = 0; c < 3; c++) q[c] = p[c] + t * u[c];
  lanes d = DOT(q, q);
  for (int c = 0; c < 3; c++) nearest[c] = SELECT(d < *best, q[c], nearest[c]);
  *best = MIN(d, *best);
}

// The nearest point is on one of the sides. If the point projects inside all three, it is that
// projection.
CSIM_SIMD_BODY int triangles(const csim_culling *s, int count, const csim_pair *pair,
                             unsigned char *flag) {
  int near = 0;
  for (int i = 0; i < count; i += LANES) {
    batch eight = {pair + i, count - i < LANES ? count - i : LANES, flag + i};
    points A, B[3];
    lanes p[3][3], u[3][3], n[3] = {0}, normal[3], best = SPLAT(FLT_MAX);
    load_corner(s, &eight, 0, s->mesh->point, 1, 0, &A);
    for (int k = 0; k < 3; k++) {
      load_corner(s, &eight, 1, s->mesh->tri, 3, k, &B[k]);
      subtract(B[k].x, A.x, p[k]);
    }
    for (int k = 0; k < 3; k++) {
      subtract(p[(k + 1) % 3], p[k], u[k]);
      approach(p[k], u[k], n, &best);
    }
    cross(u[0], u[1], normal);
    lane_bits inside = ~(lane_bits){0};
    for (int k = 0; k < 3; k++) {
      lanes out[3];
      cross(u[k], normal, out); // away from the triangle, in its plane
      inside &= DOT(out, p[k]) >= 0;
    }
    lanes height = DOT(normal, p[0]) / POSITIVE(DOT(normal, normal));
    for (int c = 0; c < 3; c++) n[c] = SELECT(inside, height * normal[c], n[c]);
    near += flag_near(s, &eight, (pair_side){1, &A}, (pair_side){3, B}, n, A.x);
  }
  return near;
}

CSIM_SIMD_KERNEL(int, edges,
                 (const csim_culling *s, int count, const csim_pair *pair, unsigned char *flag),
                 (s, count, pair, flag))
CSIM_SIMD_KERNEL(int, triangles,
                 (const csim_culling *s, int count, const csim_pair *pair, unsigned char *flag),
                 (s, count, pair, flag))

int csim_cull_edges(const csim_culling *culling, int n, const csim_pair *pair,
                    unsigned char *flag) {
  return edges_kernel[csim_simd_best()](culling, n, pair, flag);
}

int csim_cull_triangles(const csim_culling *culling, int n, const csim_pair *pair,
                        unsigned char *flag) {
  return triangles_kernel[csim_simd_best()](culling, n, pair, flag);
}
