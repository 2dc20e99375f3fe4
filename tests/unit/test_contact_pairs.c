// test_contact_pairs: the geometry under contact: closest points against sampling, CCD against
// queries whose truth is known, both broad phases against brute force, and the filter against
// everything that could make it let something through.
#include "check.h"
#include "kit.h"

#include "contact/bvh.h"
#include "contact/candidates.h"
#include "contact/ccd.h"
#include "contact/filter.h"
#include "contact/grid.h"
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

static unsigned seed = 12345;

static double uniform(double lo, double hi) {
  return lo + (hi - lo) * (kit_random(&seed) + 0.5);
}

static void random_points(int n, double size, double x[][3]) {
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[i][c] = uniform(-size, size);
}

// -------------------------------------------------------------------------------------- distances

// The nearest points are no farther apart than any others, and are where their weights say.
static void test_distance(void) {
  for (int trial = 0; trial < 20000; trial++) {
    double x[4][3], w[4], d[3] = {0};
    const double *p[4] = {x[0], x[1], x[2], x[3]};
    random_points(4, 1, x);
    csim_pair_kind kind = (csim_pair_kind)(trial & 1);
    switch (trial / 2 % 5) {
    case 1: // flat
      for (int i = 0; i < 4; i++) x[i][1] = 0;
      break;
    case 2: // parallel edges, triangle without area
      for (int c = 0; c < 3; c++) x[3][c] = x[2][c] + uniform(-1, 1) * (x[1][c] - x[0][c]);
      break;
    case 3:
      memcpy(x[3], x[2], sizeof x[3]);
      break;
    case 4:
      for (int c = 0; c < 3; c++) x[3][c] = x[2][c] + (x[1][c] - x[0][c]) + uniform(-1e-9, 1e-9);
      break;
    default:
      break;
    }
    double d2 = csim_pair_closest(kind, p, w);
    for (int k = 0; k < 4; k++) csim_add_scaled(w[k], x[k], d);
    CHECK_NEAR(sqrt(d2), csim_norm(d), 1e-12);
    int split = csim_pair_split(kind);
    double sums[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
      sums[k >= split] += w[k];
      CHECK((k < split ? -w[k] : w[k]) >= 0);
    }
    CHECK_NEAR(sums[0], -1, 1e-12);
    CHECK_NEAR(sums[1], 1, 1e-12);
    for (int sample = 0; sample < 30; sample++) {
      double a = uniform(0, 1), b = uniform(0, 1), e[3];
      if (split == 1 && a + b > 1) {
        a = 1 - a;
        b = 1 - b;
      }
      for (int c = 0; c < 3; c++)
        e[c] = split == 1 ? x[1][c] + a * (x[2][c] - x[1][c]) + b * (x[3][c] - x[1][c]) - x[0][c]
                          : x[2][c] + a * (x[3][c] - x[2][c]) - x[0][c] - b * (x[1][c] - x[0][c]);
      CHECK(csim_dot(e, e) >= d2 * (1 - 1e-9) - 1e-14);
    }
  }
}

// -------------------------------------------------------------------------------------------- CCD

static int query(csim_pair_kind kind, double x0[4][3], double x1[4][3], double *time) {
  double u[4][3];
  for (int k = 0; k < 4; k++) csim_sub(x1[k], x0[k], u[k]);
  return csim_ccd_pair(kind, (const double *[]){x0[0], x0[1], x0[2], x0[3]},
                       (const double *[]){u[0], u[1], u[2], u[3]}, 0, time);
}

// A vertex that goes through a known point of a moving triangle at a known time, or misses it by a
// known distance; likewise edges.
static void test_ccd(void) {
  int hits = 0, misses = 0, touching = 0, close = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double at[4][3], x0[4][3], x1[4][3], v[4][3], t = uniform(0.01, 0.99), n[3], w[2];
    csim_pair_kind kind = (csim_pair_kind)(trial & 1);
    random_points(4, 1, at);
    random_points(4, 3, v);
    w[0] = uniform(0.05, 0.45);
    w[1] = uniform(0.05, 0.45);
    double gap = trial % 4 < 2 ? 0 : uniform(1e-6, 1e-2); // from the pair at time t
    if (kind == CSIM_PAIR_VERTEX_TRIANGLE) {
      csim_triangle_normal(at[1], at[2], at[3], n);
      for (int c = 0; c < 3; c++)
        at[0][c] = at[1][c] + w[0] * (at[2][c] - at[1][c]) + w[1] * (at[3][c] - at[1][c]);
    } else {
      double shift[3], a[3], b[3];
      csim_sub(at[1], at[0], a);
      csim_sub(at[3], at[2], b);
      csim_cross(a, b, n);
      for (int c = 0; c < 3; c++) shift[c] = at[0][c] + w[0] * a[c] - (at[2][c] + w[1] * b[c]);
      for (int k = 2; k < 4; k++) csim_add_scaled(1, shift, at[k]);
    }
    double l = csim_norm(n);
    if (l < 1e-2) continue;
    if (gap > 0) { // the first side flies along the other at a distance, at the same velocity
      for (int k = 1; k < 4; k++) memcpy(v[k], v[0], sizeof v[k]);
      double along[3] = {n[1], -n[0], 0};
      for (int k = 0; k < csim_pair_split(kind); k++) {
        csim_add_scaled(gap / l, n, at[k]);
        csim_add_scaled(0.1, along, v[k]);
      }
    }
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++) {
        x0[k][c] = at[k][c] - t * v[k][c];
        x1[k][c] = at[k][c] + (1 - t) * v[k][c];
      }
    double time = -1;
    int hit = query(kind, x0, x1, &time);
    if (gap == 0) {
      CHECK(hit);
      CHECK(time >= 0 && time <= t + 1e-9);
      // not merely early: at that time they touch, but for those that end at MAX_ADVANCES, of which
      // 16 % of these are (measured: 90 % within 2e-6, 99 % within 5e-4)
      double then[4][3], weight[4];
      for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) then[k][c] = x0[k][c] + time * (x1[k][c] - x0[k][c]);
      const double *p[4] = {then[0], then[1], then[2], then[3]};
      double apart = sqrt(csim_pair_closest(kind, p, weight));
      touching += apart < 1e-8;
      close += apart < 1e-3;
      CHECK(apart < 0.1);
      hits++;
    } else {
      CHECK(!hit);
      misses++;
    }
  }
  CHECK(hits > 5000 && misses > 5000);
  CHECK(touching > 0.8 * hits && close > 0.98 * hits);
}

// ------------------------------------------------------------------------------------ broad phases

typedef struct odd {
  int modulus;
  const csim_box *A, *B;
} odd;

static int wants(const odd *context, int a, int b) {
  return csim_boxes_meet(&context->A[a], &context->B[b]) && (a + b) % context->modulus != 0;
}

static int keep_some(void *context, int n, csim_pair *pair) {
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (wants(context, pair[i].a, pair[i].b)) pair[kept++] = pair[i];
  return kept;
}

static void random_boxes(int n, int style, csim_box *box) {
  for (int i = 0; i < n; i++) {
    double size = style == 1 ? pow(10, uniform(-4, 0)) : 0.05;
    for (int c = 0; c < 3; c++) {
      double at = style == 2 ? 0.01 * floor(uniform(0, 40)) : uniform(-1, 1); // lattice: many ties
      box[i].lo[c] = (float)at;
      box[i].hi[c] = (float)(at + (style == 2 ? 0.01 : size * uniform(0, 1)));
      double drift = style == 3 ? uniform(0.2, 0.25) : 0;
      box[i].drift_lo[c] = (float)(drift - (style == 3 ? 0.01 : 0));
      box[i].drift_hi[c] = (float)drift;
    }
    if (style == 4) box[i] = box[0];
  }
}

typedef struct pair_list {
  ptrdiff_t n;
  int *pair; // (n x 3): a, b, and a number that is nobody's business
} pair_list;

static void take_pairs(csim_pair_chunks *chunks, csim_pool *pool, int na, pair_list *list) {
  free(list->pair);
  list->n = csim_pair_chunks_count(chunks);
  list->pair = CSIM_NEW(int, 3 * list->n);
  CHECK(list->n >= 0 && csim_pair_chunks_join(chunks, pool, na, 3, list->pair) == 0);
}

static int same_pairs(const pair_list *a, const pair_list *b) {
  return a->n == b->n && !memcmp(a->pair, b->pair, 3 * (size_t)a->n * sizeof(int));
}

static csim_box box_at(const void *boxes, int i) {
  return ((const csim_box *)boxes)[i];
}

static void test_broad_phases(void) {
  enum { N = 700, M = 500 };
  csim_box *A = CSIM_NEW(csim_box, N), *B = CSIM_NEW(csim_box, M);
  csim_pair_chunks chunks = {0}, brute = {0};
  pair_list want = {0}, got = {0}, want_between = {0};
  csim_grid grid = {0};
  csim_arena arena = {0};
  csim_bvh tree, flat, other;
  odd within = {3, A, A}, across = {3, A, B};
  CHECK(csim_bvh_create(&arena, 0, N, 0, box_at, A, &tree) == 0);
  CHECK(csim_bvh_create(&arena, 0, N, 1, box_at, A, &flat) == 0);
  CHECK(csim_bvh_create(&arena, 0, M, 0, box_at, B, &other) == 0);
  for (int style = 0; style < 5; style++) {
    random_boxes(N, style, A);
    random_boxes(M, style, B);
    csim_pair_chunks_begin(&brute, 2);
    for (int i = N - 1; i >= 0; i--)
      for (int j = i + 1; j < N; j++)
        if (wants(&within, i, j)) csim_pair_chunks_push(&brute, j & 1, (csim_pair){i, j});
    take_pairs(&brute, NULL, N, &want);
    csim_pair_chunks_begin(&brute, 1);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        if (wants(&across, i, j)) csim_pair_chunks_push(&brute, 0, (csim_pair){i, j});
    take_pairs(&brute, NULL, N, &want_between);
    for (int threads = 1; threads <= 3; threads++) {
      csim_pool *pool = csim_pool_create(threads);
      CHECK(csim_bvh_update(pool, &tree) == 0); // sorted for the first style, refitted afterwards
      CHECK(csim_bvh_update(pool, &flat) == 0);
      CHECK(csim_bvh_update(pool, &other) == 0);
      csim_bvh_search self = {.A = &tree, .B = &tree, .alike = 1},
                      between = {.A = threads == 2 ? &flat : &tree, .B = &other};
      csim_bvh_pairs(pool, 1, &self, keep_some, &within, &chunks);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want));
      csim_bvh_pairs(pool, 1, &between, keep_some, &across, &chunks);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want_between));
      CHECK(csim_grid_pairs(pool, &grid, N, A, keep_some, &within, &chunks) == 0);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want));
      CHECK(csim_grid_pairs_between(pool, &grid, (csim_boxes){N, A}, (csim_boxes){M, B}, keep_some,
                                    &across, &chunks) == 0);
      take_pairs(&chunks, pool, N, &got);
      CHECK(same_pairs(&got, &want_between));
      csim_pool_free(pool);
    }
    CHECK(want.n > 0);
  }
  // trees of few items, which have but one level or two
  for (int n = 1; n <= 17; n += n == 5 ? 11 : 1) {
    csim_bvh few, small;
    CHECK(csim_bvh_create(&arena, 0, n, 1, box_at, A, &few) == 0);
    CHECK(csim_bvh_create(&arena, 0, n, 0, box_at, B, &small) == 0);
    for (int i = 0; i < n; i++) A[i] = B[i] = A[0];
    CHECK(csim_bvh_update(NULL, &few) == 0 && csim_bvh_update(NULL, &small) == 0);
    csim_bvh_search search = {.A = &few, .B = &small};
    int count = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) count += wants(&across, i, j);
    csim_bvh_pairs(NULL, 1, &search, keep_some, &across, &chunks);
    CHECK(csim_pair_chunks_count(&chunks) == count);
  }
  CHECK(csim_grid_pairs(NULL, &grid, 0, A, keep_some, &within, &chunks) == 0);
  CHECK(csim_pair_chunks_count(&chunks) == 0);
  csim_arena_free(&arena);
  csim_grid_free(&grid);
  csim_pair_chunks_free(&chunks);
  csim_pair_chunks_free(&brute);
  free(want.pair);
  free(want_between.pair);
  free(got.pair);
  free(A);
  free(B);
}

// ------------------------------------------------------------------------------------- candidates

enum { SIDE = 6, PARTS = 3, VERTS = PARTS * SIDE * SIDE };

// Three crumpled sheets through each other; the last one is a collider.
static void build_mesh(csim_collision_mesh *mesh, csim_topology *topology) {
  static int part[VERTS], point[VERTS], tri[3 * 2 * PARTS * SIDE * SIDE];
  static double x0[3 * VERTS];
  *mesh = (csim_collision_mesh){.nbody_vert = 2 * SIDE * SIDE,
                                .nvert = VERTS,
                                .nbody = 2,
                                .npart = PARTS,
                                .body_part = part,
                                .collider_part = part + 2 * SIDE * SIDE,
                                .body_x0 = x0,
                                .collider_x0 = x0 + 3 * 2 * SIDE * SIDE,
                                .npoint = VERTS,
                                .nbody_point = 2 * SIDE * SIDE,
                                .point = point,
                                .tri = tri};
  for (int i = 0; i < VERTS; i++) {
    point[i] = i;
    part[i] = i / (SIDE * SIDE);
    double at[3] = {0.1 * (i % SIDE), 0.1 * (i / SIDE % SIDE), 0.06 * part[i]};
    for (int c = 0; c < 3; c++) x0[3 * i + c] = at[c] + uniform(-0.05, 0.05);
  }
  for (int p = 0; p < PARTS; p++)
    for (int r = 0; r + 1 < SIDE; r++)
      for (int c = 0; c + 1 < SIDE; c++) {
        int a = (p * SIDE + r) * SIDE + c;
        int two[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
        memcpy(tri + 3 * mesh->ntri, two, sizeof two);
        mesh->ntri += 2;
        if (p < 2) mesh->nbody_tri += 2;
      }
  CHECK(csim_topology_build(VERTS, mesh->ntri, tri, topology) == 0);
  mesh->nedge = topology->nedge;
  mesh->edge = topology->edge;
  while (mesh->nbody_edge < mesh->nedge && mesh->edge[2 * mesh->nbody_edge] < mesh->nbody_vert)
    mesh->nbody_edge++;
}

static int compare_pairs(const void *a, const void *b) {
  return memcmp(a, b, 2 * sizeof(int));
}

// All pairs at x that are nearer than the contact distance are on the list, within its bound of
// their gap; and none is there twice.
static void check_list(const csim_candidates *set, const double *x) {
  const csim_collision_mesh *mesh = set->mesh;
  csim_candidate *sorted = CSIM_NEW(csim_candidate, set->n);
  double moved[VERTS], w[4];
  memcpy(sorted, set->list, (size_t)set->n * sizeof *sorted);
  qsort(sorted, (size_t)set->n, sizeof *sorted, compare_pairs);
  for (int i = 1; i < set->n; i++) CHECK(compare_pairs(&sorted[i - 1], &sorted[i]) != 0);
  for (int i = 0; i < VERTS; i++) moved[i] = csim_distance(x + 3 * i, set->ref.x + 3 * i);
  for (int kind = 0; kind < 2; kind++) {
    int triangle = kind == CSIM_PAIR_VERTEX_TRIANGLE, na = triangle ? mesh->npoint : mesh->nedge;
    for (int a = 0; a < na; a++)
      for (int b = triangle ? 0 : a + 1; b < (triangle ? mesh->ntri : mesh->nedge); b++) {
        csim_candidate pair = {.a = a, .b = triangle ? b : -1 - b};
        int v[4];
        csim_candidate_vertices(mesh, &pair, v);
        int shared = 0, split = csim_pair_split((csim_pair_kind)kind);
        for (int k = 0; k < split; k++)
          for (int l = split; l < 4; l++) shared |= v[k] == v[l];
        int part[2] = {csim_collision_mesh_part(mesh, v[0]), csim_collision_mesh_part(mesh, v[3])};
        if (shared || (part[0] == 2 && part[1] == 2)) continue;
        if (!set->self && part[0] < 2 && part[1] < 2) continue;
        const double *p[4];
        for (int k = 0; k < 4; k++) p[k] = x + 3 * v[k];
        double d = sqrt(csim_pair_closest((csim_pair_kind)kind, p, w));
        const csim_candidate *found =
            bsearch(&pair, sorted, (size_t)set->n, sizeof *sorted, compare_pairs);
        if (d < set->distance) CHECK(found);
        if (!found) continue;
        double most[2] = {0, 0};
        for (int k = 0; k < 4; k++) most[k >= split] = fmax(most[k >= split], moved[v[k]]);
        CHECK(d >= csim_candidate_gap(found, set->ref.clock) - most[0] - most[1] - 1e-12);
      }
  }
  free(sorted);
}

// Somewhere within all reaches.
static void wander(const csim_candidates *set, double *x) {
  for (int i = 0; i < VERTS; i++) {
    double d[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, l = csim_norm(d);
    for (int c = 0; c < 3; c++)
      x[3 * i + c] = set->ref.x[3 * i + c] + d[c] / l * set->ref.reach[i] * uniform(0, 1);
  }
}

static void test_candidates(void) {
  csim_collision_mesh mesh;
  csim_scratch scratch = {0};
  csim_topology topology;
  double x[3 * VERTS];
  int pairs = 0;
  build_mesh(&mesh, &topology);
  for (int round = 0; round < 24; round++) {
    csim_candidates set;
    csim_pool *pool = csim_pool_create(1 + round % 3);
    csim_broad_phase phase = round % 4 == 3 ? CSIM_BROAD_GRID : CSIM_BROAD_BVH;
    CHECK(csim_candidates_create(&mesh, &scratch, phase, round % 5 != 4, 0.01, NULL, &set) == 0);
    csim_collision_mesh_starts(&mesh, set.ref.x);
    for (int k = 0; k < 3 * VERTS; k++)
      set.ref.drift[k] = (k / 3 >= mesh.nbody_vert && round & 1 ? 0 : 0.02) * uniform(-1, 1) + 0.1;
    for (int i = 0; i < VERTS; i++) set.ref.reach[i] = uniform(0, 0.01);
    set.ref.horizon = 3;
    CHECK(csim_candidates_collect(pool, &set) == 0);
    pairs += set.n;
    for (int leg = 0; leg < 6; leg++) {
      wander(&set, x);
      check_list(&set, x);
      csim_candidates_drift(pool, &set, 0.5);
      wander(&set, x);
      check_list(&set, x);
      // some get other references, and know nothing of the old ones
      for (int i = 0; i < VERTS; i++) {
        set.ref.stale[i] = uniform(0, 1) < 0.02 * (1 << leg);
        if (!set.ref.stale[i]) continue;
        set.ref.reach[i] = uniform(0, 0.01);
        for (int c = 0; c < 3; c++) {
          set.ref.x[3 * i + c] = x[3 * i + c] + uniform(-0.03, 0.03);
          set.ref.drift[3 * i + c] = uniform(-0.05, 0.05);
        }
      }
      CHECK(csim_candidates_update(pool, &set) == 0);
    }
    csim_candidates_free(&set);
    csim_pool_free(pool);
  }
  CHECK(pairs > 1000);
  csim_scratch_free(&scratch);
  csim_topology_free(&topology);
}

// ----------------------------------------------------------------------------------------- filter

// Six times the volume of the tetrahedron that a pair is part of, after the share s of a motion;
// and the four points then.
static long double volume(double x[4][3], double y[4][3], long double s, long double at[4][3]) {
  long double e[3][3];
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) at[k][c] = x[k][c] + s * ((long double)y[k][c] - x[k][c]);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) e[k][c] = at[k + 1][c] - at[0][c];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Whether four points in a plane meet within their primitives: sum_k w_k x_k = 0 has weights of the
// right signs (of the triangle, or of both edges). By the least squares of two unknowns.
static int meets_inside(csim_pair_kind kind, long double at[4][3]) {
  long double a[3], b[3], r[3], aa = 0, ab = 0, bb = 0, ar = 0, br = 0;
  for (int c = 0; c < 3; c++) {
    int triangle = kind == CSIM_PAIR_VERTEX_TRIANGLE;
    a[c] = triangle ? at[2][c] - at[1][c] : at[1][c] - at[0][c];
    b[c] = triangle ? at[3][c] - at[1][c] : at[2][c] - at[3][c];
    r[c] = triangle ? at[0][c] - at[1][c] : at[2][c] - at[0][c];
    aa += a[c] * a[c];
    ab += a[c] * b[c];
    bb += b[c] * b[c];
    ar += a[c] * r[c];
    br += b[c] * r[c];
  }
  long double det = aa * bb - ab * ab, edge = 1e-6L;
  if (!(det > 1e-12L * aa * bb)) return 0; // parallel: the distance tells
  long double p = (bb * ar - ab * br) / det, q = (aa * br - ab * ar) / det;
  return kind == CSIM_PAIR_VERTEX_TRIANGLE ? p > edge && q > edge && p + q < 1 - edge
                                           : p > edge && p < 1 - edge && q > edge && q < 1 - edge;
}

// Whether a straight motion takes the two sides through each other: some time at which the four
// points are in a plane and meet within their primitives. By bisection of the volume's sign over
// 48 intervals, in long double, and independent of the filter.
static int passes(csim_pair_kind kind, double x[4][3], double y[4][3]) {
  enum { N = 48 };
  long double at[4][3], before = volume(x, y, 0, at);
  for (int i = 1; i <= N; i++) {
    long double lo = (long double)(i - 1) / N, hi = (long double)i / N;
    long double after = volume(x, y, hi, at), sign = before;
    before = after;
    if ((sign < 0) == (after < 0)) continue;
    for (int k = 0; k < 70; k++) {
      long double mid = (lo + hi) / 2;
      if ((volume(x, y, mid, at) < 0) == (sign < 0))
        lo = mid;
      else
        hi = mid;
    }
    volume(x, y, hi, at);
    if (meets_inside(kind, at)) return 1;
  }
  return 0;
}

// Random pairs, near-parallel ones, tiny gaps, far from the origin, degenerate ones: after any
// number of filtered motions they are still apart and have not passed; so it is for every part of a
// motion.
static void test_filter(void) {
  int cut = 0, would_pass = 0;
  for (int trial = 0; trial < 30000; trial++) {
    csim_pair_kind kind = (csim_pair_kind)(trial & 1);
    int style = trial / 2 % 6;
    double x[4][3], d[4][3], y[4][3], t[4], n[3], offset = style == 3 ? 1e4 : 0;
    random_points(4, 1, x);
    if (style == 1 || style == 4) { // almost parallel, almost touching
      double gap = pow(10, uniform(-10, -3)), e[3];
      csim_sub(x[1], x[0], e);
      for (int c = 0; c < 3; c++) {
        x[2][c] = x[0][c] + uniform(-0.5, 0.5) * e[c] + gap * (c == 1);
        x[3][c] = x[2][c] + e[c] + uniform(-1, 1) * gap * 0.1;
      }
    }
    if (style == 2)
      for (int i = 1; i < 4; i++) x[i][1] = -pow(10, uniform(-9, -1)); // flat, vertex above
    if (style == 5) memcpy(x[3], x[2], sizeof x[3]);
    for (int i = 0; i < 4; i++) x[i][0] += offset;
    const double *p[4] = {x[0], x[1], x[2], x[3]}, *q[4] = {d[0], d[1], d[2], d[3]};
    if (!(csim_separate_pair(kind, p, n) > 0)) continue; // touching already
    for (int move = 0; move < 12; move++) {
      random_points(4, move % 3 ? 1 : 1e-3, d);
      for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) y[k][c] = x[k][c] + d[k][c];
      would_pass += passes(kind, x, y);
      cut += csim_filter_pair(kind, p, q, 0, t);
      for (int part = 1; part <= 2; part++) {
        for (int k = 0; k < 4; k++) {
          CHECK(t[k] >= 0 && t[k] <= 1);
          // half the way for some, all of it for others: any shorter motion is safe as well
          double s = part == 1 ? t[k] * uniform(0, 1) : t[k];
          for (int c = 0; c < 3; c++) y[k][c] = x[k][c] + s * d[k][c];
        }
        double w[4];
        CHECK(!passes(kind, x, y));
        CHECK(csim_pair_closest(kind, (const double *[]){y[0], y[1], y[2], y[3]}, w) > 0);
      }
      double u[4][3], time;
      for (int k = 0; k < 4; k++) csim_sub(y[k], x[k], u[k]);
      if (csim_separate_pair(kind, p, n) > 1e-7)
        CHECK(!csim_ccd_pair(kind, p, (const double *[]){u[0], u[1], u[2], u[3]}, 0, &time) ||
              time > 0.999);
      memcpy(x, y, sizeof x);
    }
  }
  CHECK(cut > 10000);
  check_that(would_pass > 2000, __FILE__, __LINE__, "%d motions had to be stopped", would_pass);
}

// Three triangles thrown about at random, all their pairs filtered: never do they meet, exactly.
static void test_triangles(void) {
  static const int tri[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const int edge[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                 {5, 3}, {6, 7}, {7, 8}, {8, 6}};
  for (int trial = 0; trial < 300; trial++) {
    double x[9][3], d[9][3], t[9], s[4];
    do {
      random_points(9, trial % 2 ? 1 : 0.5, x);
      for (int i = 0; i < 9; i++) x[i][1] = trial % 3 == 0 ? i / 3 * 1e-6 : x[i][1];
      long long total = 1;
      csim_triangles mesh = {9, x[0], 3, tri};
      CHECK(csim_find_self_intersections(NULL, &mesh, 0, NULL, &total) == CSIM_OK);
      if (total == 0) break;
    } while (1);
    for (int step = 0; step < 30; step++) {
      random_points(9, 0.5, d);
      for (int i = 0; i < 9; i++) t[i] = 1;
      for (int v = 0; v < 9; v++)
        for (int f = 0; f < 3; f++) {
          if (v / 3 == f) continue;
          int id[4] = {v, 3 * f, 3 * f + 1, 3 * f + 2};
          csim_filter_pair(CSIM_PAIR_VERTEX_TRIANGLE,
                           (const double *[]){x[id[0]], x[id[1]], x[id[2]], x[id[3]]},
                           (const double *[]){d[id[0]], d[id[1]], d[id[2]], d[id[3]]}, 1e-7, s);
          for (int k = 0; k < 4; k++) t[id[k]] = csim_min(t[id[k]], s[k]);
        }
      for (int a = 0; a < 9; a++)
        for (int b = a + 1; b < 9; b++) {
          if (a / 3 == b / 3) continue;
          int id[4] = {edge[a][0], edge[a][1], edge[b][0], edge[b][1]};
          csim_filter_pair(CSIM_PAIR_EDGE_EDGE,
                           (const double *[]){x[id[0]], x[id[1]], x[id[2]], x[id[3]]},
                           (const double *[]){d[id[0]], d[id[1]], d[id[2]], d[id[3]]}, 1e-7, s);
          for (int k = 0; k < 4; k++) t[id[k]] = csim_min(t[id[k]], s[k]);
        }
      for (int i = 0; i < 9; i++) csim_add_scaled(t[i], d[i], x[i]);
      long long total = 1;
      csim_triangles mesh = {9, x[0], 3, tri};
      CHECK(csim_find_self_intersections(NULL, &mesh, 0, NULL, &total) == CSIM_OK);
      CHECK(total == 0);
    }
  }
}

int main(void) {
  test_distance();
  test_ccd();
  test_broad_phases();
  test_candidates();
  test_filter();
  test_triangles();
  return check_report();
}
