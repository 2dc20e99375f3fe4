// tests/validate/moduli.c: case 10: moduli of spring networks.
#include "validate.h"

#include "mesh/shapes.h"

// -------------------------------------------------------------------------------- 10 grid moduli

// Energy of a plane homogeneous strain (ex along x, ez along z) per area and strain squared.
static double strain_energy(kit *k, double area, double ex, double ez) {
  double *x = malloc(3 * (size_t)k->model->nvert * sizeof *x);
  for (int i = 0; i < k->model->nvert; i++) {
    x[3 * i] = (1 + ex) * k->model->x0[3 * i];
    x[3 * i + 1] = 0;
    x[3 * i + 2] = (1 + ez) * k->model->x0[3 * i + 2];
  }
  double E = csim_model_energy(NULL, k->model, &(csim_point){.x = x});
  free(x);
  return 2 * E / area;
}

// E2D and nu from C11 and C12 of a network at strain 1e-6.
static void moduli(kit *k, double area, double *E2D, double *nu) {
  double e = 1e-6, C11 = strain_energy(k, area, e, 0) / (e * e),
         C33 = strain_energy(k, area, 0, e) / (e * e);
  double C13 = (strain_energy(k, area, e, e) / (e * e) - C11 - C33) / 2;
  *E2D = C11 - C13 * C13 / C33;
  *nu = C13 / C33;
}

void case_moduli(void) {
  heading("10  moduli of networks: asked for and measured");
  kit k;
  double E2D, nu;
  csim_mesh mesh;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {20, 20}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 1, 0.01, &k);
  csim_network_grid(20, 20, &(csim_part){.X = mesh.vert, .compression = 1}, 1000, &k.springs);
  *k.model->body[0].mesh = mesh;
  kit_ready(&k, 1);
  moduli(&k, 1, &E2D, &nu);
  expect("structured network from E2D = 1000: E2D", 1000, E2D, 1e-2);
  expect("structured network: nu", 1.0 / 3, nu, 1e-5);
  kit_end(&k);

  // an equilateral lattice of 20 x 20 rhombi
  enum { M = 20 };
  static double x[3 * (M + 1) * (M + 1)];
  static int tri[6 * M * M];
  for (int j = 0; j <= M; j++)
    for (int i = 0; i <= M; i++) {
      x[3 * (j * (M + 1) + i)] = i + 0.5 * j;
      x[3 * (j * (M + 1) + i) + 2] = j * sqrt(0.75);
    }
  for (int c = 0; c < M * M; c++) {
    int v = c / M * (M + 1) + c % M;
    int corners[6] = {v, v + 1, v + M + 1, v + 1, v + M + 2, v + M + 1};
    memcpy(tri + 6 * c, corners, sizeof corners);
  }
  csim_topology topology;
  CHECK(csim_topology_build((M + 1) * (M + 1), 2 * M * M, tri, &topology) == CSIM_OK);
  kit_begin((M + 1) * (M + 1), x, 1, 0.01, &k);
  csim_network_mesh(&topology, &(csim_part){.X = x, .compression = 1}, 1000, &k.springs);
  csim_topology_free(&topology);
  kit_ready(&k, 1);
  moduli(&k, M * M * sqrt(0.75), &E2D, &nu);
  expect("equilateral mesh from E2D = 1000: E2D", 1000, E2D, 1e-2);
  expect("equilateral mesh: nu", 1.0 / 3, nu, 1e-5);
  double stiffest = 0;
  for (int e = 0; e < k.springs.nelem; e++) stiffest = fmax(stiffest, k.springs.param[4 * e]);
  expect("equilateral mesh: k = sqrt(3)/2 E2D", sqrt(0.75) * 1000, stiffest, 1e-9 * 1000);
  kit_end(&k);
}
