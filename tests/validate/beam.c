// tests/validate/beam.c: case 15: a beam of tetrahedra.
#include "validate.h"

#include "io/tetrahedralize.h"
#include "mesh/shapes.h"

static const double LENGTH = 1, SIDE = 0.1;        // [m]
static const double DENSITY = 1000, MODULUS = 1e6; // [kg/m^3], [Pa]

// Tetrahedra of a box along x whose faces have `cells` cells across, and 10 times as many along it:
// at the fixed end `root` times as long as wide, at the free one 2 - root times. The curvature
// there moves the tip most: half of its deflection comes from the first 16 % of the length, since a
// section at x gives it (L - x)^3 of the bending.
static csim_status fill_beam(int cells, double root, csim_mesh *mesh, csim_tets *tets) {
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_BOX,
                          .size = {LENGTH, SIDE, SIDE},
                          .cells = {(int)(LENGTH / SIDE) * cells, cells, cells}};
  const char *program = getenv("CLOTHSIM_TET");
  double cell = SIDE / cells;
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, mesh) == CSIM_OK);
  for (int i = 0; i < mesh->nvert; i++) {
    double s = mesh->vert[3 * i] / LENGTH + 0.5; // 0 and 1 stay where they are
    mesh->vert[3 * i] += LENGTH * (root - 1) * s * (1 - s);
  }
  csim_tet_options options = {.program = program ? program : "bin/clothsim-tet",
                              .radius_edge_ratio = 1.2,
                              .max_volume = 0.2 * cell * cell * cell};
  csim_surface surface = {"beam", mesh->nvert, mesh->vert, mesh->ntri, mesh->tri, NULL};
  check_log log;
  check_log_init(&log);
  csim_status status = csim_tetrahedralize(&options, &surface, (csim_place){0}, &log.log, tets);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "tetrahedra of the beam: %s", log.text);
  return status;
}

// Mean displacement of the free end along `axis` at rest under gravity, clamped at the other end;
// NAN when there are no tetrahedra. Springs where poisson < 0, else a neo-Hookean solid.
// narrowed: of the side faces around the middle, over half their distance; NULL: not asked for
static double beam_moves(int cells, double root, double poisson, const double gravity[3], int axis,
                         int *nodes, double *narrowed) {
  csim_mesh mesh;
  csim_tets tets;
  if (fill_beam(cells, root, &mesh, &tets)) {
    csim_mesh_free(&mesh);
    return NAN;
  }
  kit k;
  kit_begin(tets.nvert, tets.vert, 0, 1e4, &k); // one step of 1e4 s is the equilibrium
  memcpy(k.model->gravity, gravity, sizeof k.model->gravity);
  for (int t = 0; t < tets.ntet; t++)
    for (int n = 0; n < 4; n++)
      k.model->mass[tets.tet[4 * t + n]] +=
          DENSITY * csim_tet_volume(tets.vert, tets.tet + 4 * t) / 4;
  csim_part part = {.X = tets.vert, .compression = 1};
  if (poisson < 0)
    CHECK(csim_network_tets(tets.ntet, tets.tet, &part, MODULUS, &k.springs) == 0);
  else
    CHECK(csim_network_solid(tets.ntet, tets.tet, &part, MODULUS, poisson, &k.neohooke,
                             &k.patches) == 0);
  *k.model->body[0].mesh = mesh;
  for (int i = 0; i < tets.nvert; i++)
    if (tets.vert[3 * i] < -LENGTH / 2 + 1e-9) kit_pin(&k, i);
  k.params.tolerance = 1e-9;
  k.params.start = CSIM_START_REST; // inertia alone would carry the beam 10 km away
  kit_ready(&k, 2);
  kit_step(&k);
  double moved = 0, count = 0, sides = 0;
  if (narrowed) *narrowed = 0;
  for (int i = 0; i < tets.nvert && narrowed; i++) {
    const double *X = tets.vert + 3 * i, *x = k.state.x + 3 * i;
    if (fabs(X[0]) > 0.1 * LENGTH) continue;
    for (int c = 1; c < 3; c++)
      if (fabs(X[c]) > SIDE / 2 - 1e-9)
        *narrowed += (fabs(X[c]) - fabs(x[c])) / (SIDE / 2), sides++;
  }
  if (narrowed) *narrowed /= sides;
  for (int i = 0; i < tets.nvert; i++)
    if (tets.vert[3 * i] > LENGTH / 2 - 1e-9) {
      moved += k.state.x[3 * i + axis] - tets.vert[3 * i + axis];
      count++;
    }
  *nodes = tets.nvert;
  kit_end(&k);
  csim_tets_free(&tets);
  return moved / count;
}

// The deflection under the beam's own weight over Euler-Bernoulli's w L^4 / (8 E I), with
// w = rho g A, I = A^2 / 12, and E from the elongation rho g L^2 / (2 E) under the same weight
// along the beam.
// nu: from the narrowing of the middle, where half the weight pulls. NULL: not asked for
static double beam_ratio(int cells, double root, double poisson, int *nodes, double *E,
                         double *nu) {
  double g = 1e-4, A = SIDE * SIDE, I = A * A / 12; // [m/s^2] small: the theory is linear
  double along = beam_moves(cells, root, poisson, (double[]){g, 0, 0}, 0, nodes, nu);
  double across = -beam_moves(cells, root, poisson, (double[]){0, -g, 0}, 1, nodes, NULL);
  *E = DENSITY * g * LENGTH * LENGTH / (2 * along);
  if (nu) *nu /= DENSITY * g * LENGTH / 2 / *E;
  return across / (DENSITY * g * A * LENGTH * LENGTH * LENGTH * LENGTH / (8 * *E * I));
}

// The ratio of a beam with equal cells is printed without a verdict: linear tetrahedra are too
// stiff in bending where a few of them share the height.
void case_beam(void) {
  static const int cells[2] = {5, 8};
  static const double root = 0.5;
  double ratio[2], E;
  int nodes;
  heading("15  beam of tetrahedra 10:1 under a small weight: tip over Euler-Bernoulli's");
  for (int fine = 0; fine < 2; fine++) {
    char what[80];
    ratio[fine] = beam_ratio(cells[fine], root, -1, &nodes, &E, NULL);
    snprintf(what, sizeof what, "tip / Euler-Bernoulli, %d nodes, half cells at the clamp", nodes);
    expect(what, 0.975, ratio[fine], 0.075);
    if (asked.verbose) printf("   E in tension / E asked for: %.3f\n", E / MODULUS);
    if (!fine) expect("at least 1,800 nodes (1 = yes)", 1, nodes >= 1800, 0);
  }
  expect("refined: nearer to 1 (1 = yes)", 1, fabs(ratio[1] - 1) < fabs(ratio[0] - 1), 0);
  for (int fine = 0; fine < 2 && asked.verbose; fine++) {
    double equal = beam_ratio(cells[fine], 1, -1, &nodes, &E, NULL);
    printf("   equal cells, %d nodes: %.3f\n", nodes, equal);
  }
  // the clamped end cannot narrow: that is 1 to 2 % of a bar ten times as long as wide
  static const double poisson[4] = {0.49, 0, 0.3, 0.45};
  for (int p = 0; p < (asked.all ? 4 : 1); p++) {
    char what[80];
    double nu, tip = beam_ratio(cells[0], root, poisson[p], &nodes, &E, &nu);
    snprintf(what, sizeof what, "neo-Hookean, nu = %g: E in tension / E asked for", poisson[p]);
    expect(what, 1, E / MODULUS, 0.03);
    snprintf(what, sizeof what, "neo-Hookean, nu = %g: from the narrowing of the middle",
             poisson[p]);
    expect(what, poisson[p], nu, 0.02);
    snprintf(what, sizeof what, "neo-Hookean, nu = %g: tip / Euler-Bernoulli", poisson[p]);
    expect(what, 1, tip, 0.05);
    tip = beam_ratio(4, root, poisson[p], &nodes, &E, NULL);
    snprintf(what, sizeof what, "neo-Hookean, nu = %g: the same, 4 cells across, %d nodes",
             poisson[p], nodes);
    expect(what, 1, tip, 0.1);
  }
}
