// test_levels: springs of coarser levels: what they carry, what they leave alone, and that every
// method steps them to the same place.
#include "check.h"
#include "kit.h"
#include "math/vec3.h"
#include "mesh/shapes.h"
#include "model/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct net {
  csim_mesh mesh;
  csim_elements plain, springs, levels;
  int made;
} net;

static csim_elements copy_of(const csim_elements *from) {
  csim_elements to = {.kind = from->kind};
  for (int e = 0; e < from->nelem; e++)
    csim_elements_add(&to, from->node + csim_row(2, e), from->param + csim_row(4, e));
  return to;
}

// The network of a mesh (taken over), with and without levels. grid: structured.
static net make_net(csim_mesh mesh, int grid, const unsigned char *held, int nlevel) {
  net s = {.mesh = mesh, .plain.kind = &csim_spring_kind, .levels.kind = &csim_spring_kind};
  csim_topology topology;
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  csim_part part = {.X = mesh.vert, .compression = 1};
  if (grid)
    csim_network_grid(mesh.grid[0], mesh.grid[1], &part, 1000, &s.plain);
  else
    csim_network_mesh(&topology, &part, 1000, &s.plain);
  csim_topology_free(&topology);
  s.springs = copy_of(&s.plain);
  s.made = csim_network_levels(&mesh, &part, held, nlevel, 0, &s.springs, &s.levels);
  return s;
}

static void free_net(net *s) {
  csim_elements_free(&s->plain);
  csim_elements_free(&s->springs);
  csim_elements_free(&s->levels);
  csim_mesh_free(&s->mesh);
}

static csim_mesh grid_mesh(int cells, double side) {
  csim_mesh mesh;
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {side, side}, .cells = {cells, cells}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  return mesh;
}

static csim_mesh disk_mesh(void) {
  csim_mesh mesh;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_DISK, .radius = 0.5, .cells = {90, 0, 0}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  return mesh;
}

// Energy at x, spring by spring in plain arithmetic.
static double energy_of(const csim_elements *springs, const double *x) {
  double sum = 0;
  for (int e = 0; e < springs->nelem; e++) {
    const int *node = springs->node + csim_row(2, e);
    const double *p = springs->param + csim_row(4, e);
    double dl = csim_distance(x + csim_xyz(node[0]), x + csim_xyz(node[1])) - p[1];
    sum += 0.5 * p[0] * (dl < 0 ? p[2] : 1) * dl * dl;
  }
  return sum;
}

static double sum_kLL(const csim_elements *springs) {
  double sum = 0;
  for (int e = 0; e < springs->nelem; e++) {
    const double *p = springs->param + csim_row(4, e);
    sum += p[0] * p[1] * p[1];
  }
  return sum;
}

// Energy with levels over energy without, stretched by `strain` along a direction in the plane.
static double stretched(const net *s, double angle, double strain) {
  double *x = calloc(3 * (size_t)s->mesh.nvert, sizeof *x);
  double c = cos(angle), d = sin(angle);
  for (int i = 0; i < s->mesh.nvert; i++) {
    const double *X = s->mesh.vert + csim_xyz(i);
    double along = strain * (c * X[0] + d * X[2]);
    x[3 * i] = X[0] + c * along;
    x[3 * i + 1] = X[1];
    x[3 * i + 2] = X[2] + d * along;
  }
  double ratio = (energy_of(&s->springs, x) + energy_of(&s->levels, x)) / energy_of(&s->plain, x);
  free(x);
  return ratio;
}

// What resists a stretch of the whole is what it was; what resists a squeeze is the tenth that the
// mesh's springs keep.
static void test_shares(void) {
  for (int kind = 0; kind < 3; kind++)
    for (int nlevel = 1; nlevel <= 3; nlevel++) {
      net s = make_net(kind < 2 ? grid_mesh(40, 1) : disk_mesh(), kind == 0, NULL, nlevel);
      CHECK(s.made == nlevel);
      CHECK_NEAR(sum_kLL(&s.levels), 0.9 * sum_kLL(&s.plain), 1e-12 * sum_kLL(&s.plain));
      CHECK_NEAR(sum_kLL(&s.springs), 0.1 * sum_kLL(&s.plain), 1e-12 * sum_kLL(&s.plain));
      CHECK(s.levels.nelem < s.plain.nelem / 5);
      for (int a = 0; a < 6; a++) {
        double ratio = stretched(&s, a * 0.5235987755982988, 1e-3);
        check_that(fabs(ratio - 1) < 0.12, __FILE__, __LINE__, "kind %d, levels %d, angle %d: %g",
                   kind, nlevel, 30 * a, ratio);
      }
      double *small = malloc(3 * (size_t)s.mesh.nvert * sizeof *small);
      for (int i = 0; i < 3 * s.mesh.nvert; i++) small[i] = 0.99 * s.mesh.vert[i];
      CHECK(energy_of(&s.levels, small) == 0);
      CHECK_NEAR(energy_of(&s.springs, small), 0.1 * energy_of(&s.plain, small),
                 1e-12 * energy_of(&s.plain, small));
      CHECK(energy_of(&s.levels, s.mesh.vert) < 1e-25);
      free(small);
      free_net(&s);
    }
}

// Seeds are apart: on a grid of both diagonals every third vertex, and springs of a level do not
// repeat those of another. Pinned vertices are seeds.
static void test_seeds(void) {
  csim_mesh mesh = grid_mesh(17, 1);
  unsigned char *held = calloc((size_t)mesh.nvert, 1);
  int corner = 17, *touched = calloc((size_t)mesh.nvert, sizeof *touched);
  held[corner] = 1;
  net s = make_net(mesh, 1, held, 2);
  double shortest = INFINITY;
  for (int e = 0; e < s.levels.nelem; e++) {
    const int *node = s.levels.node + csim_row(2, e);
    CHECK(node[0] != node[1] && node[0] >= 0 && node[1] < s.mesh.nvert);
    touched[node[0]]++, touched[node[1]]++;
    shortest = fmin(shortest, s.levels.param[4 * e + 1]);
    for (int f = 0; f < e; f++) {
      const int *other = s.levels.node + csim_row(2, f);
      CHECK(!(other[0] == node[0] && other[1] == node[1]) &&
            !(other[0] == node[1] && other[1] == node[0]));
    }
  }
  CHECK(touched[corner] > 0);
  CHECK(shortest > 2.99 / 17);
  free(touched);
  free_net(&s);
  s = make_net(grid_mesh(17, 1), 1, NULL, 2);
  for (int e = 0; e < s.levels.nelem; e++)
    CHECK(s.levels.node[2 * e] != corner && s.levels.node[2 * e + 1] != corner);
  free_net(&s);
  free(held);
}

// A curved rest shape may be flattened: lengths are those along the surface, not of its chords.
static void test_curved(void) {
  const double R = 0.05;
  csim_mesh mesh = grid_mesh(20, 0.1);
  double *flat = malloc(3 * (size_t)mesh.nvert * sizeof *flat), chord = 0, along = 0;
  memcpy(flat, mesh.vert, 3 * (size_t)mesh.nvert * sizeof *flat);
  for (int i = 0; i < mesh.nvert; i++) {
    double *X = mesh.vert + csim_xyz(i), turn = X[0] / R;
    X[0] = R * sin(turn);
    X[1] = R * cos(turn);
  }
  net s = make_net(mesh, 1, NULL, 1);
  CHECK(energy_of(&s.levels, s.mesh.vert) == 0); // shorter than the arc: slack
  for (int e = 0; e < s.levels.nelem; e++) {
    const int *node = s.levels.node + csim_row(2, e);
    double l = csim_distance(flat + csim_xyz(node[0]), flat + csim_xyz(node[1]));
    double straight =
        csim_distance(s.mesh.vert + csim_xyz(node[0]), s.mesh.vert + csim_xyz(node[1]));
    chord = fmax(chord, l / straight - 1);
    along = fmax(along, fabs(l / s.levels.param[4 * e + 1] - 1));
  }
  CHECK(chord > 3e-3); // it matters here
  // normals at the border stand half a cell inside: a third of the difference is left there
  check_that(along < 0.35 * chord, __FILE__, __LINE__, "%g of %g", along, chord);
  free(flat);
  free_net(&s);
}

// Pieces too small for a level keep their stiffness; nothing is made of nothing.
static void test_pieces(void) {
  csim_mesh mesh = grid_mesh(20, 1);
  int n = mesh.nvert, t = mesh.ntri;
  double *vert = calloc(3 * (size_t)(n + 3), sizeof *vert);
  int *tri = calloc(3 * (size_t)(t + 1), sizeof *tri);
  memcpy(vert, mesh.vert, 3 * (size_t)n * sizeof *vert);
  memcpy(tri, mesh.tri, 3 * (size_t)t * sizeof *tri);
  for (int k = 0; k < 3; k++) tri[3 * t + k] = n + k;
  vert[3 * n] = 5, vert[3 * n + 3] = 5.05, vert[3 * n + 8] = 0.05, vert[3 * n + 6] = 5;
  csim_mesh both = {.nvert = n + 3, .ntri = t + 1, .vert = vert, .tri = tri};
  net s = make_net(both, 0, NULL, 2);
  CHECK(s.made == 2);
  int alone = 0;
  for (int e = 0; e < s.springs.nelem; e++) {
    int piece = s.springs.node[2 * e] >= n;
    alone += piece;
    CHECK_NEAR(s.springs.param[4 * e] / s.plain.param[4 * e], piece ? 1 : 0.1, 1e-12);
  }
  CHECK(alone == 3);
  s.mesh = (csim_mesh){0}; // its arrays are ours
  free_net(&s);

  csim_mesh one = {.nvert = 3, .ntri = 1, .vert = vert + 3 * n, .tri = (int[]){0, 1, 2}};
  s = make_net(one, 0, NULL, 8);
  CHECK(s.made == 0 && s.levels.nelem == 0);
  CHECK(memcmp(s.springs.param, s.plain.param, 12 * sizeof(double)) == 0);
  s.mesh = (csim_mesh){0};
  free_net(&s);
  s = make_net(mesh, 0, NULL, 0);
  CHECK(s.made == 0 && s.levels.nelem == 0);
  CHECK(memcmp(s.springs.param, s.plain.param, 4 * (size_t)s.plain.nelem * sizeof(double)) == 0);
  csim_part part = {.X = s.mesh.vert, .compression = 1};
  CHECK(csim_network_levels(&s.mesh, &part, NULL, 3, s.springs.nelem, &s.springs, &s.levels) == 0);
  // everything at one point
  memset(s.mesh.vert, 0, 3 * (size_t)n * sizeof *vert);
  CHECK(csim_network_levels(&s.mesh, &part, NULL, 3, 0, &s.springs, &s.levels) > 0);
  CHECK(s.levels.nelem == 0);
  free_net(&s);
  free(vert);
  free(tri);
}

// A cloth that falls into its level springs and rebounds, one step; coarse springs both tighten and
// go slack on the way.
static void step_cloth(const char *method, csim_projection projection, int iterations, int threads,
                       double *x) {
  kit k;
  kit_cloth(12, 1, 0.2, 300, 0, 1.0 / 240, &k);
  csim_mesh *mesh = k.model->body[0].mesh;
  csim_part part = {.X = mesh->vert, .compression = 1};
  kit_pin(&k, 0);
  kit_pin(&k, 12);
  CHECK(csim_network_levels(mesh, &part, NULL, 1, 0, &k.springs, &k.levels) == 1);
  unsigned seed = 7;
  for (int i = 0; i < 3 * k.model->nvert; i++)
    if (i / 3 != 0 && i / 3 != 12) k.model->v0[i] = kit_random(&seed);
  k.params.method = method;
  k.params.projection = projection;
  k.params.iterations = iterations;
  kit_ready(&k, threads);
  for (int n = 0; n < 3; n++) kit_step(&k);
  memcpy(x, k.state.x, 3 * (size_t)k.model->nvert * sizeof *x);
  kit_end(&k);
}

static void test_methods(void) {
  enum { N = 3 * 13 * 13 };
  static const struct {
    const char *method;
    csim_projection projection;
    int iterations;
    double allowed; // [m]
  } runs[] = {{"newton", 0, 100, 0},
              {"pd", 0, 2000, 1e-7},
              {"descent", 0, 2000, 1e-6},
              {"xpbd", CSIM_PROJECTION_GAUSS_SEIDEL, 3000, 1e-5},
              {"xpbd", CSIM_PROJECTION_LINEAR, 300, 1e-6}};
  double reference[N], x[N], again[N];
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
    double worst = 0;
    step_cloth(runs[r].method, runs[r].projection, runs[r].iterations, 1, r ? x : reference);
    if (!r) continue;
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(x[i] - reference[i]));
    check_that(worst <= runs[r].allowed, __FILE__, __LINE__, "%s %d: %g m from newton's",
               runs[r].method, runs[r].projection, worst);
    step_cloth(runs[r].method, runs[r].projection, 10, 1, x);
    step_cloth(runs[r].method, runs[r].projection, 10, 3, again);
    CHECK(memcmp(x, again, sizeof x) == 0);
  }
}

int main(void) {
  test_shares();
  test_seeds();
  test_curved();
  test_pieces();
  test_methods();
  return check_report();
}
