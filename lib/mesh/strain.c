// mesh/strain.c: see strain.h.
#include "mesh/strain.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// The two sides of a triangle at rest from its first corner.
static void rest_sides(const int *tri, const double *x, const double *flat, ptrdiff_t t,
                       double d[2][3]) {
  const double *corner = flat ? flat + 6 * t : NULL;
  for (int k = 0; k < 2; k++)
    if (corner)
      memcpy(d[k], (double[]){corner[2 * k + 2] - corner[0], corner[2 * k + 3] - corner[1], 0},
             sizeof d[k]);
    else
      csim_sub(x + csim_xyz(tri[3 * t + k + 1]), x + csim_xyz(tri[3 * t]), d[k]);
}

int csim_rest_metric_create(csim_arena *arena, int nvert, int ntri, const int *tri, const double *x,
                            const double *flat, csim_rest_metric *shape) {
  double *around = CSIM_ARENA_NEW(arena, double, nvert);
  double *area = CSIM_ARENA_NEW(arena, double, ntri);
  *shape = (csim_rest_metric){.nvert = nvert,
                              .ntri = ntri,
                              .tri = tri,
                              .rest = CSIM_ARENA_NEW(arena, double, csim_xyz(ntri)),
                              .share = CSIM_ARENA_NEW(arena, double, csim_xyz(ntri))};
  if (!around || !area || !shape->rest || !shape->share) return -1;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    double d[2][3], n[3];
    rest_sides(tri, x, flat, t, d);
    csim_cross(d[0], d[1], n);
    area[t] = 0.5 * csim_norm(n);
    for (int c = 0; c < 3; c++) around[tri[3 * t + c]] += area[t];
  }
  for (ptrdiff_t t = 0; t < ntri; t++) {
    double d[2][3], *rest = shape->rest + 3 * t;
    if (!(area[t] > 0)) continue;
    rest_sides(tri, x, flat, t, d);
    double l = csim_norm(d[0]), a = csim_dot(d[0], d[1]) / l, b = 2 * area[t] / l;
    rest[0] = 1 / l;
    rest[1] = a / (l * b);
    rest[2] = 1 / b;
    for (int c = 0; c < 3; c++) shape->share[3 * t + c] = area[t] / around[tri[3 * t + c]];
  }
  return 0;
}

void csim_rest_metric_strain(const csim_rest_metric *shape, const double *x, double *strain) {
  memset(strain, 0, (size_t)shape->nvert * sizeof *strain);
  for (ptrdiff_t t = 0; t < shape->ntri; t++) {
    const int *tri = shape->tri + 3 * t;
    const double *rest = shape->rest + 3 * t;
    double d[2][3], F[2][3];
    for (int k = 0; k < 2; k++) csim_sub(x + csim_xyz(tri[k + 1]), x + csim_xyz(tri[0]), d[k]);
    for (int c = 0; c < 3; c++) {
      F[0][c] = rest[0] * d[0][c];
      F[1][c] = rest[2] * d[1][c] - rest[1] * d[0][c];
    }
    if (rest[0] == 0) continue;
    // the larger eigenvalue of F^T F
    double p = csim_dot(F[0], F[0]), q = csim_dot(F[1], F[1]), r = csim_dot(F[0], F[1]);
    double largest = (p + q) / 2 + sqrt((p - q) * (p - q) / 4 + r * r);
    for (int c = 0; c < 3; c++) strain[tri[c]] += shape->share[3 * t + c] * (sqrt(largest) - 1);
  }
}
