// test_strain: the largest strain of triangles against stretches and shears chosen by hand.
#include "check.h"

#include "mesh/strain.h"

#include <math.h>

// Two triangles of a unit square and a vertex of none.
static const double REST[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 9, 9, 9};
static const int TRI[] = {0, 1, 2, 0, 2, 3};

// Strain after x -> F x, the same everywhere.
static double strain_of(const csim_rest_metric *shape, const double F[9]) {
  double x[15], strain[5];
  for (int v = 0; v < 5; v++)
    for (int i = 0; i < 3; i++) {
      x[3 * v + i] = 0;
      for (int j = 0; j < 3; j++) x[3 * v + i] += F[3 * i + j] * REST[3 * v + j];
    }
  csim_rest_metric_strain(shape, x, strain);
  for (int v = 1; v < 4; v++) CHECK_NEAR(strain[v], strain[0], 1e-14);
  CHECK(strain[4] == 0);
  return strain[0];
}

int main(void) {
  csim_arena arena = {0};
  csim_rest_metric shape;
  CHECK(csim_rest_metric_create(&arena, 5, 2, TRI, REST, NULL, &shape) == 0);
  CHECK_NEAR(strain_of(&shape, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 0, 1e-14);
  CHECK_NEAR(strain_of(&shape, (double[9]){1.25, 0, 0, 0, 1, 0, 0, 0, 1}), 0.25, 1e-14);
  CHECK_NEAR(strain_of(&shape, (double[9]){0.5, 0, 0, 0, 0.8, 0, 0, 0, 1}), -0.2, 1e-14);
  double c = cos(0.7), s = sin(0.7); // rotations do not strain
  CHECK_NEAR(strain_of(&shape, (double[9]){c, 0, s, 0, 1, 0, -s, 0, c}), 0, 1e-14);
  // simple shear by g: the larger singular value is (g + sqrt(g^2 + 4)) / 2
  double g = 0.4;
  CHECK_NEAR(strain_of(&shape, (double[9]){1, g, 0, 0, 1, 0, 0, 0, 1}),
             (g + sqrt(g * g + 4)) / 2 - 1, 1e-14);
  // a corner is the mean of its triangles by area: one stretched by 1.5, the other not
  double x[15], strain[5];
  for (int i = 0; i < 15; i++) x[i] = REST[i];
  x[9] = -0.5, x[10] = 1; // vertex 3
  csim_rest_metric_strain(&shape, x, strain);
  CHECK_NEAR(strain[1], 0, 1e-14);
  CHECK_NEAR(strain[0], strain[3] / 2, 1e-14);
  CHECK(strain[3] > 0.2);
  csim_arena_free(&arena);
  return check_report();
}
