// test_fabric: springs give the moduli that --check says they give, membranes have those that were
// asked for in every direction on every mesh, and bending by curvature the stiffness of a plate.
#include "check.h"
#include "kit.h"

#include "math/cholesky.h"
#include "math/vec3.h"
#include "mesh/shapes.h"
#include "model/curvature.h"
#include "model/fabric.h"
#include "model/moduli.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 16 };
static const double X_FIRST[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

typedef enum mesh_kind { ALTERNATE, SAME, STRETCHED, DELAUNAY, NMESH } mesh_kind;

// A sheet in the x-z plane, 1 m along x; cells of 1:4, or moved about and Delaunay's again, but for
// the column `straight` [0, CELLS].
static void make_sheet(mesh_kind kind, int straight, csim_mesh *mesh) {
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID,
                          .size = {1, kind == STRETCHED ? 0.25 : 1},
                          .cells = {CELLS, CELLS},
                          .same_diagonals = kind == SAME};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, mesh) == CSIM_OK);
  unsigned char mark[(CELLS + 1) * (CELLS + 1)];
  for (int i = 0; i < mesh->nvert; i++) {
    int u = i % (CELLS + 1), v = i / (CELLS + 1);
    mark[i] = u > 0 && v > 0 && u < CELLS && v < CELLS && u != straight;
  }
  if (kind == DELAUNAY) kit_jitter(mesh, mark, 0.8 / CELLS, 5);
}

static void begin(mesh_kind kind, kit *k) {
  csim_mesh mesh;
  make_sheet(kind, 0, &mesh);
  kit_begin(mesh.nvert, mesh.vert, 1, 1, k);
  *k->model->body[0].mesh = mesh;
}

// Within `rings` vertices of the border.
static int near_border(const double *x, const csim_mesh *mesh, double rings) {
  double a = 0.5 - fabs(x[0]), last = mesh->vert[3 * mesh->nvert - 1], b = last - fabs(x[2]);
  return a < (rings + 0.5) / CELLS || b < 2 * last * (rings + 0.5) / CELLS;
}

// ---------------------------------------------------------------------------------------- membrane

// Uniaxial modulus of an orthotropic sheet at an angle to warp (Jones, Mechanics of Composite
// Materials, 1975): 1/E = c^4/E1 + s^4/E2 + (1/G - 2 nu12/E1) s^2 c^2.
static double modulus_at(const csim_moduli *m, double angle) {
  double c = cos(angle), s = sin(angle), nu12 = m->poisson * sqrt(m->warp / m->weft);
  return 1 / (c * c * c * c / m->warp + s * s * s * s / m->weft +
              (1 / m->shear - 2 * nu12 / m->warp) * s * s * c * c);
}

// Pulls the sheet with forces at its border alone, sigma [N/m] at an angle to warp, and lets Newton
// find its shape; returns the strain in that direction. Every inner vertex is free: this is a
// tensile test, not a strain prescribed.
static double pull(mesh_kind kind, csim_membrane_law law, const csim_moduli *moduli, double angle,
                   double sigma) {
  kit k;
  begin(kind, &k);
  const csim_mesh *mesh = k.model->body[0].mesh;
  kit_membrane(&k, moduli, law == CSIM_MEMBRANE_WOVEN ? &k.woven : &k.orthotropic);
  memset(k.model->gravity, 0, sizeof k.model->gravity);
  // warp is x, weft is n x warp = -z
  double d[3] = {cos(angle), 0, -sin(angle)};
  int n = mesh->nvert;
  double *force = calloc(3 * (size_t)n, sizeof *force);
  csim_topology t;
  CHECK(csim_topology_build(n, mesh->ntri, mesh->tri, &t) == CSIM_OK);
  for (int b = 0; b < t.nboundary; b++) {
    int p = t.edge[2 * t.boundary[b]], q = t.edge[2 * t.boundary[b] + 1];
    double e[3], out[3];
    csim_sub(mesh->vert + 3 * q, mesh->vert + 3 * p, e);
    double normal[3] = {e[2], 0, -e[0]}, mid = mesh->vert[3 * p] + mesh->vert[3 * q];
    double outward = normal[0] * mid + normal[2] * (mesh->vert[3 * p + 2] + mesh->vert[3 * q + 2]);
    double pulled = csim_dot(normal, d) * (outward > 0 ? 1 : -1) * sigma / 2;
    for (int c = 0; c < 3; c++) out[c] = pulled * d[c];
    csim_add_scaled(1, out, force + 3 * p);
    csim_add_scaled(1, out, force + 3 * q);
  }
  csim_topology_free(&t);
  // soft pins with far-away anchors are dead loads: k (anchor - x) with k tiny. All vertices have
  // one, which also takes rigid motions away.
  for (int i = 0; i < n; i++)
    csim_elements_add(&k.anchors, (int[]){i}, (double[]){1e-6 * sigma, i, 0, 0, 0});
  k.params.tolerance = 1e-9;
  k.params.start = CSIM_START_REST;
  kit_ready(&k, 1);
  double *anchor = calloc(3 * (size_t)n, sizeof *anchor), *x = k.state.x, strain = 0;
  csim_layout layout;
  csim_arena arena = {0};
  CHECK(csim_layout_build(&arena, k.model, &layout) == 0);
  csim_bsr H = {&layout.pattern, CSIM_ARENA_NEW(&arena, double, 9 * layout.pattern.nblock)};
  csim_cholesky F;
  CHECK(csim_cholesky_analyze(&arena, &layout.pattern, 3, &F) == 0);
  double *g = CSIM_ARENA_NEW(&arena, double, 3 * n);
  for (int i = 0; i < 3 * n; i++) anchor[i] = mesh->vert[i] + force[i] / (1e-6 * sigma);
  csim_point at = {.x = x, .anchor = anchor};
  for (int step = 0; step < 20; step++) { // Newton, no mass at all
    memset(g, 0, 3 * (size_t)n * sizeof *g);
    memset(H.val, 0, 9 * (size_t)layout.pattern.nblock * sizeof *H.val);
    for (int e = 0; e < k.model->nenergy; e++) {
      csim_energy_gradient(NULL, &k.model->energy[e], &at, g);
      csim_energy_hessian(NULL, &layout.energy[e], &at, CSIM_PSD_DROP, H.val);
    }
    CHECK(csim_cholesky_factor(&F, H.val) == CSIM_SOLVE_CONVERGED);
    csim_cholesky_solve(&F, g, g);
    for (int i = 0; i < 3 * n; i++) x[i] -= g[i];
  }
  // how the displacement along d grows along d, by least squares, shear apart
  double ss = 0, sr = 0, rr = 0, su = 0, ru = 0, across[3] = {-d[2], 0, d[0]};
  for (int i = 0; i < n; i++) {
    double s = csim_dot(mesh->vert + 3 * i, d), r = csim_dot(mesh->vert + 3 * i, across);
    double u = csim_dot(x + 3 * i, d) - s;
    ss += s * s, sr += s * r, rr += r * r, su += s * u, ru += r * u;
  }
  strain = (su * rr - ru * sr) / (ss * rr - sr * sr);
  csim_arena_free(&arena);
  free(anchor);
  free(force);
  kit_end(&k);
  return strain;
}

static void test_moduli(void) {
  static const csim_moduli sheets[] = {{1000, 1000, 500, 0, 0, 0, 0},
                                       {1000, 1000, 10, 0, 0, 0, 0},
                                       {1000, 400, 60, 0.3, 0, 0, 0},
                                       {1000, 1000, 1000 / 2.9, 0.45, 0, 0, 0}};
  static const double degrees[] = {0, 15, 30, 45, 90};
  for (int kind = 0; kind < NMESH; kind++)
    for (int law = CSIM_MEMBRANE_WOVEN; law <= CSIM_MEMBRANE_ORTHOTROPIC; law++)
      for (int s = 0; s < 4; s++)
        for (int a = 0; a < 5; a++) {
          double angle = degrees[a] * acos(-1) / 180, want = modulus_at(&sheets[s], angle);
          double sigma = 1e-4 * want;
          double got =
              sigma / pull((mesh_kind)kind, (csim_membrane_law)law, &sheets[s], angle, sigma);
          CHECK_NEAR(got / want, 1, 0.005);
        }
}

// Beyond its limit a pulled sheet stiffens: sigma = E e + q (e - M)^2.
static void test_stiffening(void) {
  csim_moduli moduli = {1000, 1000, 100, 0, 0.02, 50000, 0};
  double e = pull(ALTERNATE, CSIM_MEMBRANE_WOVEN, &moduli, 0, 60), M = 0.02;
  // a dead load is per metre of rest width, and pulls along f: P = t
  CHECK_NEAR(1000 * e + 50000 * (e - M) * (e - M), 60, 0.1);
  CHECK(e > M && e < 0.06);
}

// ----------------------------------------------------------------------------------------- springs

// What springs of 1000 N/m give on a sheet; both diagonals instead of the triangles' edges with
// `grid`, rolled up to a tube of that radius [m].
static csim_sheet_moduli measure(mesh_kind kind, int grid, int no_diagonals, double radius) {
  csim_mesh mesh;
  csim_topology t;
  csim_elements springs = {.kind = &csim_spring_kind};
  csim_sheet_moduli moduli;
  make_sheet(kind, 0, &mesh);
  for (int i = 0; i < mesh.nvert && radius > 0; i++) {
    double phi = mesh.vert[3 * i] / radius;
    mesh.vert[3 * i] = radius * sin(phi);
    mesh.vert[3 * i + 1] = radius * cos(phi);
  }
  double *flat = CSIM_NEW(double, 6 * mesh.ntri);
  csim_part part = {.X = mesh.vert, .vert0 = 7, .compression = 1, .no_diagonals = no_diagonals};
  csim_fabric_lay(mesh.ntri, mesh.tri, mesh.vert, X_FIRST, flat);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &t) == CSIM_OK);
  csim_elements_add(&springs, (int[]){0, 1}, (double[]){1e9, 1, 1, 0}); // not of this sheet
  if (grid)
    csim_network_grid(CELLS, CELLS, &part, 1000, &springs);
  else
    csim_network_mesh(&t, &part, 1000, &springs);
  CHECK(csim_measure_moduli(&mesh, mesh.vert, flat, &springs, 1, 7, &moduli) == 0);
  csim_topology_free(&t);
  csim_elements_free(&springs);
  csim_mesh_free(&mesh);
  free(flat);
  return moduli;
}

// Closed forms. Far from the border all vertices are centres of symmetry, so the strain is uniform,
// and each cell has the stiffness of its springs: C11 = C22 = 1250, C12 = C33 = 250 with alternate
// diagonals, of which 1200 along the axes and 750 at 45 degrees follow; with equal ones C13 = C23 =
// 250 besides: 1000 and no Poisson's ratio along the axes, 1/3 and 4/3 of that along the diagonals.
// Both diagonals at 3/8 each are isotropic, with Poisson's ratio 1/3.
static void test_springs(void) {
  csim_sheet_moduli m = measure(ALTERNATE, 1, 0, 0);
  CHECK_NEAR(m.least, 1000, 2);
  CHECK_NEAR(m.most, 1000, 2);
  CHECK_NEAR(m.poisson, 1.0 / 3, 1e-3);
  CHECK_NEAR(m.shear, 375, 1);
  m = measure(SAME, 0, 0, 0);
  CHECK_NEAR(m.at[0], 1000, 2);
  CHECK_NEAR(m.least, 1000.0 / 3, 2);
  CHECK_NEAR(m.most, 4000.0 / 3, 3);
  CHECK_NEAR(m.poisson, 0, 2e-3);
  m = measure(ALTERNATE, 0, 0, 0);
  CHECK_NEAR(m.at[0], 1200, 24);
  CHECK_NEAR(m.at[1], 750, 24);
  CHECK(m.converged);
  csim_sheet_moduli tube = measure(ALTERNATE, 0, 0, 0.5); // warp still runs around it
  for (int k = 0; k < 3; k++) CHECK_NEAR(tube.at[k] / m.at[k], 1, 0.02);
  CHECK_NEAR(csim_modulus_at(&m, 0.3), csim_modulus_at(&m, 0.3 - acos(-1)), 1e-6);
  m = measure(ALTERNATE, 0, 1, 0); // a net shears freely
  CHECK_NEAR(m.at[0], 1000, 2);
  CHECK(m.at[1] < 1e-2 && m.shear < 1e-2);
}

// ------------------------------------------------------------------------------------------ frames

// Warp along u, along an axis, and turned: a sheet weak in weft pulled along x.
static void test_directions(void) {
  csim_mesh mesh;
  make_sheet(DELAUNAY, 0, &mesh);
  int n = mesh.ntri;
  double *flat = CSIM_NEW(double, 6 * n), *uv = CSIM_NEW(double, 6 * n);
  double *angle = CSIM_NEW(double, n);
  // a grid's own u runs along x, so laying along x and aligning by u are the same
  csim_mesh grid;
  make_sheet(ALTERNATE, 0, &grid);
  double *by_axis = CSIM_NEW(double, 6 * grid.ntri), *by_uv = CSIM_NEW(double, 6 * grid.ntri);
  csim_fabric_lay(grid.ntri, grid.tri, grid.vert, X_FIRST, by_axis);
  csim_fabric_lay(grid.ntri, grid.tri, grid.vert, (double[]){0.3, 0, 1, 0, 1, 0, 0, 0, 1}, by_uv);
  CHECK(csim_fabric_uv(&grid, uv) == 0);
  csim_fabric_align(grid.ntri, uv, by_uv);
  for (int k = 0; k < 6 * grid.ntri; k++) CHECK_NEAR(by_axis[k], by_uv[k], 1e-14);
  // lengths and areas stay, whatever the axis; an axis across the sheet is replaced
  for (int trial = 0; trial < 3; trial++) {
    csim_fabric_lay(n, mesh.tri, mesh.vert,
                    (double[3][9]){{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   {0, 1, 0, 0, 0, 1, 1, 0, 0},
                                   {1, 5, -2, 1, 0, 0, 0, 1, 0}}[trial],
                    flat);
    for (int t = 0; t < n; t++) angle[t] = 0.1 * t;
    csim_fabric_turn(n, angle, flat);
    for (int t = 0; t < n; t++)
      for (int k = 0; k < 3; k++) {
        const double *a = flat + 6 * t + 2 * k, *b = flat + 6 * t + 2 * ((k + 1) % 3);
        double l = csim_distance(mesh.vert + 3 * mesh.tri[3 * t + k],
                                 mesh.vert + 3 * mesh.tri[3 * t + (k + 1) % 3]);
        CHECK_NEAR(hypot(a[0] - b[0], a[1] - b[1]), l, 1e-14);
      }
  }
  CHECK(mesh.nuv == 0 || csim_fabric_uv(&mesh, uv) >= 0);
  csim_fabric_lay(1, (int[]){0, 1, 2}, (double[9]){0}, X_FIRST, flat);
  for (int k = 0; k < 6; k++) CHECK(flat[k] == 0);
  free(flat), free(uv), free(angle), free(by_axis), free(by_uv);
  csim_mesh_free(&mesh);
  csim_mesh_free(&grid);
}

// --------------------------------------------------------------------------------------- curvature

// Height of a surface bent by 1/m about a direction, or twisted.
static double height(const double *x, double phi, int twist, double eps) {
  double d = cos(phi) * x[0] - sin(phi) * x[2];
  return eps * (twist ? -x[0] * x[2] : 0.5 * d * d);
}

// Bends a sheet to a cylinder along phi at its border and lets the inside go: the energy that is
// left over that of a plate. `give` is how much may be lost.
static void check_plate(mesh_kind kind, double warp, double weft, double phi, int twist,
                        double give) {
  const double eps = 1e-3;
  kit k;
  begin(kind, &k);
  const csim_mesh *mesh = k.model->body[0].mesh;
  kit_curvature(&k, warp, weft);
  int n = mesh->nvert;
  for (int i = 0; i < n; i++)
    if (near_border(mesh->vert + 3 * i, mesh, 2)) kit_pin(&k, i);
  kit_ready(&k, 1);
  csim_arena arena = {0};
  csim_layout layout;
  csim_cholesky F;
  CHECK(csim_layout_build(&arena, k.model, &layout) == 0);
  csim_bsr H = {&layout.pattern, CSIM_ARENA_NEW(&arena, double, 9 * layout.pattern.nblock)};
  double *x = CSIM_ARENA_NEW(&arena, double, 3 * n), *g = CSIM_ARENA_NEW(&arena, double, 3 * n);
  for (int i = 0; i < 3 * n; i++)
    x[i] = mesh->vert[i] + (i % 3 == 1 ? height(mesh->vert + i - 1, phi, twist, eps) : 0);
  csim_point at = {.x = x};
  double area = (kind == STRETCHED ? 0.25 : 1), c = cos(phi), s = sin(phi);
  double k11 = twist ? 0 : c * c, k22 = twist ? 0 : s * s, k12 = twist ? 1 : c * s;
  double plate = 0.5 * eps * eps * area *
                 (warp * k11 * k11 + weft * k22 * k22 + 2 * sqrt(warp * weft) * k12 * k12);
  // a quadratic surface has its energy, but for vertices of the border that know one row only and
  // do not see curvature across it
  double whole = csim_model_energy(NULL, k.model, &at);
  CHECK(whole < plate * (1 + 1e-4) && whole > 0.96 * plate);
  CHECK(csim_cholesky_analyze(&arena, &layout.pattern, 3, &F) == 0);
  for (int e = 0; e < k.model->nenergy; e++) {
    csim_energy_gradient(NULL, &k.model->energy[e], &at, g);
    csim_energy_hessian(NULL, &layout.energy[e], &at, CSIM_PSD_DROP, H.val);
  }
  csim_bsr_fix(NULL, k.model->fixed, &H);
  for (int i = 0; i < n; i++)
    if (k.model->fixed[i]) memset(g + 3 * i, 0, 3 * sizeof *g);
  CHECK(csim_cholesky_factor(&F, H.val) == CSIM_SOLVE_CONVERGED);
  csim_cholesky_solve(&F, g, g);
  for (int i = 0; i < 3 * n; i++) x[i] -= g[i];
  CHECK_NEAR(csim_model_energy(NULL, k.model, &at) / whole, 1 - give / 2, give / 2 + 1e-5);
  csim_arena_free(&arena);
  kit_end(&k);
}

static void test_plate(void) {
  for (int kind = 0; kind < NMESH; kind++)
    for (int a = 0; a < 4; a++) {
      double phi = a * acos(-1) / 6, give = kind == DELAUNAY ? 0.03 : 0;
      check_plate((mesh_kind)kind, 1e-4, 1e-4, phi, 0, give);
      check_plate((mesh_kind)kind, 1e-4, 2e-5, phi, 0, kind == DELAUNAY ? 0.05 : 0);
      if (a == 0) check_plate((mesh_kind)kind, 1e-4, 1e-4, 0, 1, give);
    }
}

// One step of Newton's from the sheet at rest, towards an energy of curvature less `load` [N] along
// -y at each vertex: x (n x 3).
static void sag(kit *k, const double *load, double *x) {
  csim_arena arena = {0};
  csim_layout layout;
  csim_cholesky F;
  int n = k->model->nvert;
  CHECK(csim_layout_build(&arena, k->model, &layout) == 0);
  csim_bsr H = {&layout.pattern, CSIM_ARENA_NEW(&arena, double, 9 * layout.pattern.nblock)};
  double *g = CSIM_ARENA_NEW(&arena, double, 3 * n);
  csim_point at = {.x = x};
  for (int e = 0; e < k->model->nenergy; e++)
    csim_energy_hessian(NULL, &layout.energy[e], &at, CSIM_PSD_DROP, H.val);
  csim_bsr_fix(NULL, k->model->fixed, &H);
  for (int i = 0; i < n; i++) g[3 * i + 1] = k->model->fixed[i] ? 0 : load[i];
  CHECK(csim_cholesky_analyze(&arena, &layout.pattern, 3, &F) == 0);
  CHECK(csim_cholesky_factor(&F, H.val) == CSIM_SOLVE_CONVERGED);
  csim_cholesky_solve(&F, g, g);
  for (int i = 0; i < 3 * n; i++) x[i] -= g[i];
  csim_arena_free(&arena);
}

// A sheet clamped over a quarter of its length sags under its weight as a beam does, w = q L^4 / (8
// B) at its end. The clamp is half a row before the last held one, on every mesh: that row sees
// half of the bend beyond it.
static void test_clamp(void) {
  enum { CLAMP = CELLS / 4 };
  const double B = 1e-4, q = 1e-6, L = 0.75 + 0.5 / CELLS, beam = q * L * L * L * L / (8 * B);
  for (int kind = 0; kind < NMESH; kind++) {
    csim_mesh made;
    kit k;
    make_sheet((mesh_kind)kind, CLAMP, &made);
    kit_begin(made.nvert, made.vert, 1, 1, &k);
    csim_mesh *mesh = k.model->body[0].mesh;
    *mesh = made;
    int n = mesh->nvert, ends = 0;
    for (int i = 0; i < n; i++)
      if (mesh->vert[3 * i] < -0.25 + 1e-9) kit_pin(&k, i);
    kit_curvature(&k, B, B);
    kit_ready(&k, 1);
    double *load = CSIM_NEW(double, n), *x = CSIM_NEW(double, 3 * n), end = 0;
    memcpy(x, mesh->vert, 3 * (size_t)n * sizeof *x);
    for (int t = 0; t < mesh->ntri; t++) {
      const int *v = mesh->tri + 3 * t;
      double a[3], b[3], c[3];
      csim_sub(mesh->vert + 3 * v[1], mesh->vert + 3 * v[0], a);
      csim_sub(mesh->vert + 3 * v[2], mesh->vert + 3 * v[0], b);
      csim_cross(a, b, c);
      for (int i = 0; i < 3; i++) load[v[i]] += q / 6 * csim_norm(c);
    }
    sag(&k, load, x);
    for (int i = 0; i < n; i++)
      if (mesh->vert[3 * i] > 0.5 - 1e-9) {
        end -= x[3 * i + 1];
        ends++;
      }
    CHECK_NEAR(end / ends / beam, 1, kind == DELAUNAY ? 0.05 : 0.02);
    free(load), free(x);
    kit_end(&k);
  }
}

// Rigid motions cost nothing, and nothing is negative; on hubs, needles, single triangles and
// surfaces whose parts meet in an edge too.
static void test_odd_meshes(void) {
  enum { SPOKES = 200 };
  static double hub[3 * (SPOKES + 1)];
  static int hub_tri[3 * SPOKES];
  for (int i = 0; i < SPOKES; i++) {
    double phi = 2 * acos(-1) * i / SPOKES;
    hub[3 * i + 3] = cos(phi);
    hub[3 * i + 5] = sin(phi);
    hub_tri[3 * i + 1] = 1 + (i + 1) % SPOKES;
    hub_tri[3 * i + 2] = 1 + i;
  }
  double fins[18] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, -1, 0.3, 2, 1e-7, 0};
  int fin_tri[12] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5};
  struct {
    int nvert, ntri;
    double *x;
    int *tri;
  } odd[] = {{SPOKES + 1, SPOKES, hub, hub_tri}, {3, 1, fins, fin_tri}, {6, 4, fins, fin_tri}};
  for (int m = 0; m < 3; m++) {
    int n = odd[m].nvert, ntri = odd[m].ntri;
    csim_topology t;
    csim_elements pairs = {.kind = &csim_curvature_kind};
    double *factor = CSIM_NEW(double, n);
    double *flat = CSIM_NEW(double, 6 * ntri), *x = CSIM_NEW(double, 3 * n);
    for (int i = 0; i < n; i++) factor[i] = 1;
    CHECK(csim_topology_build(n, ntri, odd[m].tri, &t) == CSIM_OK);
    csim_fabric_lay(ntri, odd[m].tri, odd[m].x, X_FIRST, flat);
    CHECK(csim_curvature_pairs(&t, odd[m].tri, flat, &(csim_part){.vert0 = 0}, &(csim_bend){1, 1},
                               factor, &pairs) >= 0);
    csim_arena arena = {0};
    csim_energy energy;
    CHECK(csim_energy_create(&arena, &csim_curvature_kind, n, pairs.nelem, pairs.node, pairs.param,
                             &energy) == 0);
    unsigned seed = 1;
    double most = 0;
    for (int e = 0; e < pairs.nelem; e++) most = fmax(most, fabs(pairs.param[e]));
    CHECK(isfinite(most));
    for (int trial = 0; trial < 50; trial++) {
      for (int i = 0; i < 3 * n; i++) x[i] = kit_random(&seed);
      csim_point at = {.x = x};
      CHECK(csim_energy_value(NULL, &energy, &at) >= -1e-12 * most);
    }
    csim_arena_free(&arena);
    csim_topology_free(&t);
    csim_elements_free(&pairs);
    free(factor), free(flat), free(x);
  }
}

int main(void) {
  test_moduli();
  test_stiffening();
  test_springs();
  test_directions();
  test_plate();
  test_clamp();
  test_odd_meshes();
  return check_report();
}
