// tests/unit/test_candidates.c: the list of candidates holds every pair within contact distance,
// whatever moves within its reach; and the contact distance of a pair.
#include "check.h"
#include "kit.h"

#include "contact/candidates.h"
#include "math/vec3.h"
#include "mesh/divide.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

static unsigned seed = 12345;

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
    for (int c = 0; c < 3; c++) x0[3 * i + c] = at[c] + kit_uniform(&seed, -0.05, 0.05);
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
  mesh->beside = topology->edge_opp + csim_row(2, mesh->nbody_edge);
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

static int is_listed(int n, const int *list, int number) {
  for (int i = 0; i < n; i++)
    if (list[i] == number) return 1;
  return 0;
}

// What of colliders is on the list is listed, and nothing of bodies.
static void check_listed(const csim_candidates *set) {
  const csim_collision_mesh *mesh = set->mesh;
  const csim_listed *listed = &set->listed;
  int edges = mesh->npoint, tris = edges + mesh->nedge, missing = 0;
  for (int i = 0; i < set->n; i++) {
    const csim_candidate *c = &set->list[i];
    int v[4], item[2] = {c->a + (c->b < 0 ? edges : 0), c->b < 0 ? edges - 1 - c->b : tris + c->b};
    csim_candidate_vertices(mesh, c, v);
    for (int k = 0; k < 4; k++)
      missing += v[k] >= mesh->nbody_vert && !is_listed(listed->nvert, listed->vert, v[k]);
    for (int k = 0; k < 2; k++)
      missing += v[3 * k] >= mesh->nbody_vert && !is_listed(listed->nitem, listed->item, item[k]);
  }
  CHECK(missing == 0);
  for (int i = 0; i < listed->nvert; i++) CHECK(listed->vert[i] >= mesh->nbody_vert);
}

// Somewhere within all reaches.
static void wander(const csim_candidates *set, double *x) {
  for (int i = 0; i < VERTS; i++) {
    double d[3] = {kit_uniform(&seed, -1, 1), kit_uniform(&seed, -1, 1), kit_uniform(&seed, -1, 1)},
           l = csim_norm(d);
    for (int c = 0; c < 3; c++)
      x[3 * i + c] =
          set->ref.x[3 * i + c] + d[c] / l * set->ref.reach[i] * kit_uniform(&seed, 0, 1);
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
      set.ref.drift[k] =
          (k / 3 >= mesh.nbody_vert && round & 1 ? 0 : 0.02) * kit_uniform(&seed, -1, 1) + 0.1;
    for (int i = 0; i < VERTS; i++) set.ref.reach[i] = kit_uniform(&seed, 0, 0.01);
    set.ref.horizon = 3;
    CHECK(csim_candidates_collect(pool, &set) == 0);
    check_listed(&set);
    pairs += set.n;
    for (int leg = 0; leg < 6; leg++) {
      wander(&set, x);
      check_list(&set, x);
      csim_candidates_drift(pool, &set, 0.5);
      wander(&set, x);
      check_list(&set, x);
      // some get other references, and know nothing of the old ones
      for (int i = 0; i < VERTS; i++) {
        set.ref.stale[i] = kit_uniform(&seed, 0, 1) < 0.02 * (1 << leg);
        if (!set.ref.stale[i]) continue;
        set.ref.reach[i] = kit_uniform(&seed, 0, 0.01);
        for (int c = 0; c < 3; c++) {
          set.ref.x[3 * i + c] = x[3 * i + c] + kit_uniform(&seed, -0.03, 0.03);
          set.ref.drift[3 * i + c] = kit_uniform(&seed, -0.05, 0.05);
        }
      }
      CHECK(csim_candidates_update(pool, &set) == 0);
      check_listed(&set);
    }
    csim_candidates_free(&set);
    csim_pool_free(pool);
  }
  CHECK(pairs > 1000);
  csim_scratch_free(&scratch);
  csim_topology_free(&topology);
}

// The distance between bodies may be less than that from colliders; a vertex's own share counts if
// it is smaller, not besides.
static void test_shares(void) {
  csim_collision_mesh mesh;
  csim_scratch scratch = {0};
  csim_topology topology;
  csim_candidates set;
  double share[VERTS];
  build_mesh(&mesh, &topology);
  for (int i = 0; i < VERTS; i++) share[i] = i == 1 ? 0.125 : 0.5;
  // so thin that nothing starts within it
  CHECK(csim_candidates_create(&mesh, &scratch, CSIM_BROAD_BVH, 1, 1e-9, share, &set) == 0);
  int own[4] = {0, 2, 3, 4}, thin[4] = {0, 1, 3, 4}, other[4] = {0, 2, 3, mesh.nbody_vert};
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.5);
  set.self_share = 0.25;
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.25);
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, thin, NULL) == 0.125);
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, other, NULL) == 0.5);
  // a seam closes to a fifth of the contact distance, or to that between bodies if it is less
  int seam[CSIM_MOST_SEAMS * VERTS];
  for (int i = 0; i < CSIM_MOST_SEAMS * VERTS; i++) seam[i] = -1;
  seam[CSIM_MOST_SEAMS * 2] = seam[CSIM_MOST_SEAMS * 4 + 1] = 7;
  seam[CSIM_MOST_SEAMS * 4] = 8;
  set.self_share = 0.5;
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.5);
  mesh.seam = seam;
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.2);
  set.self_share = 0.25;
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.2);
  set.self_share = 0.15;
  CHECK(csim_candidate_scale(&set, CSIM_PAIR_EDGE_EDGE, own, NULL) == 0.15);
  csim_candidates_free(&set);
  csim_scratch_free(&scratch);
  csim_topology_free(&topology);
}

// Two panels of 2 x 2 cells, side by side, sewn together where they meet.
enum { COLUMNS = 3, PANEL = COLUMNS * COLUMNS, SEWN_VERTS = 2 * PANEL, SEWN_TRIS = 16 };

static void build_panels(int tri[3 * SEWN_TRIS], int seam[SEWN_VERTS]) {
  int n = 0;
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < PANEL; k++) {
      int r = k / COLUMNS, c = k % COLUMNS, a = p * PANEL + k;
      seam[a] = c == (p ? 0 : COLUMNS - 1) ? r : -1;
      if (r == COLUMNS - 1 || c == COLUMNS - 1) continue;
      int two[6] = {a, a + 1, a + COLUMNS, a + 1, a + COLUMNS + 1, a + COLUMNS};
      memcpy(tri + n, two, sizeof two);
      n += 6;
    }
}

static void build_sewn(csim_mesh *own, const int *seam, csim_arena *arena,
                       csim_collision_mesh *mesh) {
  csim_body body = {.mesh = own, .nvert = own->nvert};
  csim_model model = {.nvert = own->nvert, .ntri = own->ntri, .nbody = 1, .body = &body};
  model.tri = own->tri;
  model.body_of = CSIM_ARENA_NEW(arena, int, own->nvert);
  model.x0 = model.mass = CSIM_ARENA_NEW(arena, double, 3 * own->nvert);
  model.links.seam = CSIM_ARENA_COPY(arena, seam, own->nvert);
  CHECK(csim_collision_mesh_build(arena, &model, 0, NULL, mesh) == 0);
}

static int are_sewn(const csim_collision_mesh *mesh, int s, int t) {
  static const double side[4] = {1, 1, -1, -1};
  int sewn = 0;
  for (int i = 0; i < 9; i++) {
    int a = mesh->tri[3 * s + i / 3], b = mesh->tri[3 * t + i % 3];
    sewn |= csim_collision_mesh_is_sewn(mesh, (int[]){a, a, b, b}, side);
  }
  return sewn;
}

// In a divided mesh the parts of two triangles are sewn if the triangles are. Otherwise layers
// beside a seam would be too near each other where a phase with the divided mesh begins.
static void test_divided_seams(void) {
  int tri[3 * SEWN_TRIS], four[12 * SEWN_TRIS], seam[SEWN_VERTS], sewn = 0, apart = 0, wrong = 0;
  csim_topology topology;
  csim_arena arena = {0};
  csim_collision_mesh coarse, fine;
  build_panels(tri, seam);
  CHECK(csim_topology_build(SEWN_VERTS, SEWN_TRIS, tri, &topology) == 0);
  csim_divide_triangles(&topology, tri, four);
  int nvert = SEWN_VERTS + topology.nedge;
  int *parent = CSIM_ARENA_NEW(&arena, int, csim_row(2, nvert));
  int *divided = CSIM_ARENA_NEW(&arena, int, nvert);
  for (int i = 0; i < SEWN_VERTS; i++) {
    parent[2 * i] = parent[2 * i + 1] = i;
    divided[i] = seam[i];
  }
  memcpy(parent + 2 * SEWN_VERTS, topology.edge, 2 * (size_t)topology.nedge * sizeof *parent);
  for (int e = 0; e < topology.nedge; e++) { // edges along the seam are sewn in their middle
    int a = seam[topology.edge[2 * e]], b = seam[topology.edge[2 * e + 1]];
    divided[SEWN_VERTS + e] = a >= 0 && b >= 0 && a != b ? SEWN_VERTS + a + b : -1;
  }
  csim_mesh own = {.nvert = SEWN_VERTS, .ntri = SEWN_TRIS, .tri = tri};
  build_sewn(&own, seam, &arena, &coarse);
  own = (csim_mesh){.nvert = nvert, .ntri = 4 * SEWN_TRIS, .tri = four, .parent = parent};
  build_sewn(&own, divided, &arena, &fine);
  for (int s = 0; s < 4 * SEWN_TRIS; s++)
    for (int t = 0; t < 4 * SEWN_TRIS; t++) {
      if (s / (2 * SEWN_TRIS) == t / (2 * SEWN_TRIS)) continue; // of one panel
      int is = are_sewn(&coarse, s / 4, t / 4);
      sewn += is;
      apart += !is;
      wrong += are_sewn(&fine, s, t) != is;
    }
  CHECK(sewn > 0 && apart > 0 && wrong == 0);
  csim_topology_free(&topology);
  csim_arena_free(&arena);
}

static int corner_of(const csim_collision_mesh *mesh, int t, int vert) {
  for (int k = 0; k < 3; k++)
    if (mesh->tri[csim_xyz(t) + k] == vert) return 1 + k;
  return 0;
}

// Of a vertex and a side or corner of a triangle, one of them a collider's, no more is subtracted
// than any triangle around may have. Whatever starts nearer than the contact distance.
static void test_side_scales(void) {
  csim_collision_mesh mesh;
  csim_scratch scratch = {0};
  csim_topology topology;
  int wrong = 0, lowered = 0, tested = 0;
  for (int round = 0; round < 8; round++) {
    csim_candidates set;
    double share[VERTS];
    build_mesh(&mesh, &topology);
    for (int i = 0; i < VERTS; i++) share[i] = kit_uniform(&seed, 0.7, 1);
    CHECK(csim_candidates_create(&mesh, &scratch, CSIM_BROAD_BVH, 1, 0.03, round % 2 ? share : NULL,
                                 &set) == 0);
    CHECK(csim_candidates_find_starts(NULL, &set) == 0);
    for (int i = 0; i < VERTS; i++)
      for (int t = 0; t < mesh.ntri; t++) {
        const int *v = mesh.tri + csim_xyz(t);
        int pair[4] = {i, v[0], v[1], v[2]};
        if ((i < mesh.nbody_vert) == (v[0] < mesh.nbody_vert)) continue;
        double own = csim_candidate_own_scale(&set, CSIM_PAIR_VERTEX_TRIANGLE, pair, NULL);
        for (int k = 0; k < 6; k++) { // three sides, three corners
          int side[2] = {1 + k % 3, 1 + (k < 3 ? (k + 1) % 3 : k % 3)};
          double scale = csim_candidate_side_scale(&set, pair, side, own);
          lowered += scale < own;
          for (int u = 0; u < mesh.ntri; u++) {
            const int *w = mesh.tri + csim_xyz(u);
            int other[4] = {i, w[0], w[1], w[2]};
            if (!corner_of(&mesh, u, pair[side[0]]) || !corner_of(&mesh, u, pair[side[1]]))
              continue;
            wrong += scale > csim_candidate_own_scale(&set, CSIM_PAIR_VERTEX_TRIANGLE, other, NULL);
            tested++;
          }
        }
      }
    csim_candidates_free(&set);
    csim_topology_free(&topology);
  }
  CHECK(wrong == 0);
  CHECK(lowered > 1000 && lowered < tested / 2);
  csim_scratch_free(&scratch);
}

int main(void) {
  test_candidates();
  test_shares();
  test_side_scales();
  test_divided_seams();
  return check_report();
}
