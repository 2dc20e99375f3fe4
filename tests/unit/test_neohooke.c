// test_neohooke: cubes of neo-Hookean tetrahedra and their patches: derivatives, moduli, and what
// was turned inside out comes back.
#include "check.h"
#include "kit.h"
#include "mesh/tetrahedra.h"
#include "model/layout.h"
#include "model/moduli.h"

#include "math/vec3.h"

#include <string.h>

enum { MOST = 4, NVERT = (MOST + 1) * (MOST + 1) * (MOST + 1), NTET = 6 * MOST * MOST * MOST };

static double X[3 * NVERT];
static int tet[4 * NTET], nvert, ntet;

// A cube of 1 m, its n x n x n cells cut into six tetrahedra around a diagonal.
static void make_cube(int n) {
  int side = n + 1, *t = tet;
  int path[6][2] = {{1, side},        {side, 1},           {1, side * side},
                    {side * side, 1}, {side, side * side}, {side * side, side}};
  nvert = side * side * side, ntet = 6 * n * n * n;
  for (int v = 0; v < nvert; v++) {
    X[3 * v] = (double)(v % side) / n;
    X[3 * v + 1] = (double)(v / side % side) / n;
    X[3 * v + 2] = (double)(v / side / side) / n;
  }
  for (int v = 0; v < nvert; v++) {
    if (v % side == n || v / side % side == n || v / side / side == n) continue;
    for (int k = 0; k < 6; k++, t += 4) {
      t[0] = v, t[1] = v + path[k][0], t[2] = t[1] + path[k][1];
      t[3] = v + 1 + side + side * side;
      if (csim_tet_volume(X, t) < 0) t[1] = t[3], t[3] = v + path[k][0];
    }
  }
}

static void begin(double nu, double h, kit *k) {
  kit_begin(nvert, X, 1.0, h, k);
  memset(k->model->gravity, 0, sizeof k->model->gravity);
  CHECK(csim_network_solid(ntet, tet, &(csim_part){.X = X}, 1e4, nu, &k->neohooke, &k->patches) ==
        0);
}

static int count_inverted(const double *x) {
  int count = 0;
  for (int t = 0; t < ntet; t++) count += csim_tet_volume(x, tet + 4 * t) <= 0;
  return count;
}

typedef enum start { MIRRORED, REFLECTED, COLLAPSED, RANDOM, NSTART } start;

static void put(start how, unsigned seed, double *x) {
  for (int i = 0; i < 3 * nvert; i++) {
    double sign = how == REFLECTED || (how == MIRRORED && i % 3 == 0) ? -1 : 1;
    if (how == COLLAPSED && i % 3 == 0) sign = 0;
    x[i] = how == RANDOM ? 0.5 + kit_random(&seed) : sign * X[i] + 0.02 * kit_random(&seed);
  }
}

static void test_inside_out(double nu, start how, unsigned seed) {
  kit k;
  begin(nu, 0.02, &k);
  k.params.tolerance = 1e-3;
  kit_ready(&k, 1);
  put(how, seed, k.state.x);
  csim_point at = {.x = k.state.x};
  double begun = csim_model_energy(NULL, k.model, &at);
  CHECK(count_inverted(k.state.x) > 0);
  for (int step = 0; step < 250 && csim_model_energy(NULL, k.model, &at) > 1e-5 * begun; step++) {
    kit_step(&k);
    for (int i = 0; i < 3 * nvert; i++) k.state.v[i] *= 0.9; // to rest
  }
  CHECK(count_inverted(k.state.x) == 0);
  CHECK(csim_model_energy(NULL, k.model, &at) < 1e-4 * begun);
  kit_end(&k);
}

// Cubes are found again; the smallest patches that TetGen's meshes have are of one tetrahedron.
static void test_patches(void) {
  int patch[NTET], size[NTET] = {0}, one[4] = {3, 1, 4, 0};
  for (int n = 1; n <= 3; n++) {
    make_cube(n);
    memset(size, 0, sizeof size);
    CHECK(csim_tet_patches(ntet, tet, patch) == n * n * n);
    for (int t = 0; t < ntet; t++) size[patch[t]]++;
    for (int p = 0; p < n * n * n; p++) CHECK(size[p] == 6);
  }
  CHECK(csim_tet_patches(1, one, patch) == 1 && patch[0] == 0);
  CHECK(csim_tet_patches(0, one, patch) == 0);
}

// Gradient [N] and Hessian times d [N/m] of the whole model at x, (3 nvert) each.
static void derivatives(const kit *k, const csim_layout *layout, const double *x, csim_psd psd,
                        const double *d, double *g, double *Hd) {
  static double val[9 * NVERT * 70];
  const csim_pattern *pattern = &layout->pattern;
  csim_point at = {.x = x};
  CHECK(pattern->nblock <= NVERT * 70);
  memset(g, 0, 3 * (size_t)nvert * sizeof *g);
  memset(Hd, 0, 3 * (size_t)nvert * sizeof *Hd);
  memset(val, 0, sizeof val);
  for (int e = 0; e < layout->nenergy; e++) {
    csim_energy_gradient(NULL, &k->model->energy[e], &at, g);
    csim_energy_hessian(NULL, &layout->energy[e], &at, psd, val);
  }
  for (int i = 0; i < nvert; i++)
    for (int b = pattern->start[i]; b < pattern->start[i + 1]; b++)
      for (int c = 0; c < 9; c++)
        Hd[3 * i + c / 3] += val[9 * b + c] * d[3 * pattern->col[b] + c % 3];
}

// Where it is shaken, by finite differences along a direction; turned as a whole, the energy is the
// same and forces turn with it; the clamped Hessian is not less than nothing, nor than the exact.
static void test_derivatives(double nu, double shaken) {
  static double x[3 * NVERT], y[3 * NVERT], d[3 * NVERT], g[3 * NVERT], Hd[3 * NVERT],
      up[3 * NVERT], down[3 * NVERT], P[3 * NVERT], unused[3 * NVERT];
  static const double R[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  kit k;
  csim_arena arena = {0};
  csim_layout layout;
  unsigned seed = 5;
  make_cube(2);
  begin(nu, 0.02, &k);
  kit_ready(&k, 1);
  CHECK(csim_layout_build(&arena, k.model, &layout) == 0);
  for (int trial = 0; trial < 10; trial++) {
    double eps = 1e-6, slope = 0, rise[2], norm = 0, curved = 0, clamped = 0, far = 0, sum = 0;
    for (int i = 0; i < 3 * nvert; i++) {
      x[i] = X[i] + shaken * kit_random(&seed);
      d[i] = kit_random(&seed);
    }
    derivatives(&k, &layout, x, CSIM_PSD_CLAMP, d, g, P);
    derivatives(&k, &layout, x, CSIM_PSD_NONE, d, g, Hd);
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 3 * nvert; i++) y[i] = x[i] + (side ? -eps : eps) * d[i];
      rise[side] = csim_model_energy(NULL, k.model, &(csim_point){.x = y});
      derivatives(&k, &layout, y, CSIM_PSD_NONE, d, side ? down : up, unused);
    }
    for (int i = 0; i < 3 * nvert; i++) {
      slope += g[i] * d[i], norm += g[i] * g[i], curved += d[i] * Hd[i], clamped += d[i] * P[i];
      sum += g[i];
      far = fmax(far, fabs((up[i] - down[i]) / (2 * eps) - Hd[i]));
    }
    CHECK_NEAR((rise[0] - rise[1]) / (2 * eps), slope, 1e-5 * sqrt(norm) + 1e-4);
    CHECK(far < 1e-4 * 1e4 / (1 - 2 * nu));
    CHECK(clamped >= -1e-9 * 1e4 && clamped >= curved - 1e-9 * fabs(curved));
    CHECK_NEAR(sum, 0, 1e-9 * sqrt(norm) + 1e-9);
    double still = csim_model_energy(NULL, k.model, &(csim_point){.x = x});
    for (int i = 0; i < nvert; i++) csim_mat3_mul(R, x + 3 * i, y + 3 * i);
    for (int i = 0; i < 3 * nvert; i++) y[i] += 7 + i % 3;
    CHECK_NEAR(csim_model_energy(NULL, k.model, &(csim_point){.x = y}), still,
               1e-9 * (1 + fabs(still)));
    derivatives(&k, &layout, y, CSIM_PSD_NONE, d, up, unused);
    for (int i = 0; i < nvert; i++) {
      csim_mat3_mul(R, g + 3 * i, down);
      for (int c = 0; c < 3; c++) CHECK_NEAR(up[3 * i + c], down[c], 1e-8 * (1 + sqrt(norm)));
    }
  }
  csim_arena_free(&arena);
  kit_end(&k);
}

// A cube under a homogeneous strain has the energy density of its material, patches or not.
static void test_homogeneous(double nu) {
  static const double F[9] = {1.3, 0.2, -0.1, 0, 0.7, 0.3, 0.1, -0.2, 1.1};
  static double x[3 * NVERT];
  double param[CSIM_MAX_PARAM], want;
  csim_lame lame = csim_lame_of(1e4, nu);
  kit k;
  make_cube(2);
  begin(nu, 0.02, &k);
  kit_ready(&k, 1);
  for (int i = 0; i < nvert; i++) csim_mat3_mul(F, X + 3 * i, x + 3 * i);
  CHECK(csim_neohooke_param(X, tet, &lame, param) == 0); // one tetrahedron with all of it
  csim_energy one = {.kind = &csim_neohooke_kind, .nelem = 1, .node = tet, .param = param};
  want = csim_neohooke_kind.value(&one, &(csim_point){.x = x}, 0, 1) * ntet;
  CHECK_NEAR(csim_model_energy(NULL, k.model, &(csim_point){.x = x}), want, 1e-9 * want);
  kit_end(&k);
}

// The strain of a tetrahedron is that of the edge which is stretched most.
static void test_strain(void) {
  static const double F[9] = {1.4, 0.1, 0, 0, 0.8, 0, 0, 0, 0.9},
                      A[9] = {2, 0.3, 0, 0, 1, 0.4, 0, 0, 3};
  int node[4] = {0, 1, 2, 3};
  double at_rest[12] = {5, 6, 7}, x[12], param[CSIM_MAX_PARAM], most = -1;
  csim_lame lame = csim_lame_of(1e4, 0.3);
  for (int k = 0; k < 9; k++) at_rest[3 + k] = at_rest[k % 3] + A[k];
  for (int n = 0; n < 4; n++) csim_mat3_mul(F, at_rest + 3 * n, x + 3 * n);
  CHECK(csim_neohooke_param(at_rest, node, &lame, param) == 0);
  csim_energy one = {.kind = &csim_neohooke_kind, .nelem = 1, .node = node, .param = param};
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < a; b++)
      most = fmax(most, csim_distance(x + 3 * a, x + 3 * b) /
                                csim_distance(at_rest + 3 * a, at_rest + 3 * b) -
                            1);
  CHECK(most > 0.3);
  CHECK_NEAR(csim_neohooke_kind.strain(&one, &(csim_point){.x = x}, 0), most, 1e-12);
}

// What --check would measure of it: the moduli that were asked for, whatever the mesh. Springs and
// volumes on the same tetrahedra give something else, alike along the axes of a cube.
static void test_measured(void) {
  for (int k = 0; k < 3; k++) {
    kit s;
    csim_solid_moduli m;
    double nu = 0.15 * k;
    begin(nu, 0.02, &s);
    s.model->body[0].ntet = ntet;
    s.model->body[0].tet = tet;
    kit_ready(&s, 1);
    CHECK(csim_measure_solid(s.model, &s.model->body[0], &m) == 0 && m.converged);
    for (int c = 0; c < 3; c++) CHECK_NEAR(m.along[c], 1e4, 20);
    CHECK_NEAR(m.poisson, nu, 2e-3);
    kit_end(&s);
  }
  kit s;
  csim_solid_moduli m;
  kit_begin(nvert, X, 1.0, 0.02, &s);
  csim_part part = {.X = X, .compression = 1};
  CHECK(csim_network_tets(ntet, tet, &part, 1e4, &s.springs) == 0);
  csim_network_volumes(ntet, tet, &part, 1e5, &s.volume);
  s.model->body[0].ntet = ntet;
  s.model->body[0].tet = tet;
  kit_ready(&s, 1);
  CHECK(csim_measure_solid(s.model, &s.model->body[0], &m) == 0 && m.converged);
  for (int c = 0; c < 3; c++) CHECK(m.along[c] > 1e4 && m.along[c] < 2e4);
  CHECK(m.poisson > 0.35 && m.poisson < 0.5); // volume is ten times the modulus
  kit_end(&s);
}

int main(void) {
  test_strain();
  test_patches();
  for (int k = 0; k < 3; k++) {
    double nu = (double[]){0, 0.3, 0.49}[k];
    test_derivatives(nu, 0.1);
    test_derivatives(nu, 2);
    test_homogeneous(nu);
  }
  make_cube(2);
  test_measured();
  for (int how = 0; how < NSTART; how++) {
    test_inside_out(0, (start)how, 3);
    test_inside_out(0.2, (start)how, 3);
    for (unsigned seed = 3; seed < 6; seed++) test_inside_out(0.45, (start)how, seed);
  }
  return check_report();
}
