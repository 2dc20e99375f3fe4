// view/raster.c: see raster.h.
#include "raster.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

void view_band_clear(view_band *band) {
  ptrdiff_t n = (ptrdiff_t)band->nrow * band->width;
  for (ptrdiff_t i = 0; i < n; i++) band->z[i] = -FLT_MAX;
  if (!band->id) return;
  for (ptrdiff_t i = 0; i < n; i++) band->id[i] = -1;
}

static float least(const float v[3]) {
  return fminf(v[0], fminf(v[1], v[2]));
}
static float most(const float v[3]) {
  return fmaxf(v[0], fmaxf(v[1], v[2]));
}

void view_band_draw(view_band *band, const view_tri *t) {
  double lo_x = fmax(0, floor(least(t->x) - 0.5f)), hi_x = fmin(band->width - 1, most(t->x));
  double lo_y = fmax(band->row, floor(least(t->y) - 0.5f));
  double hi_y = fmin(band->row + band->nrow - 1, most(t->y));
  if (!(lo_x <= hi_x) || !(lo_y <= hi_y)) return;

  double x0 = t->x[0], y0 = t->y[0];
  double ux = t->x[1] - x0, uy = t->y[1] - y0, vx = t->x[2] - x0, vy = t->y[2] - y0;
  double area = ux * vy - uy * vx;
  if (area == 0) return;
  // barycentric b1 and b2, and z, are affine on the grid
  double b1x = vy / area, b1y = -vx / area, b2x = -uy / area, b2y = ux / area;
  double dz1 = t->z[1] - t->z[0], dz2 = t->z[2] - t->z[0];
  // rounding of the three edge functions must not open a hole between neighbours
  const double slack = -1e-9;
  for (int j = (int)lo_y; j <= (int)hi_y; j++) {
    double py = j + 0.5 - y0;
    float *zrow = band->z + (ptrdiff_t)(j - band->row) * band->width;
    int *idrow = band->id ? band->id + (ptrdiff_t)(j - band->row) * band->width : NULL;
    for (int i = (int)lo_x; i <= (int)hi_x; i++) {
      double px = i + 0.5 - x0;
      double b1 = px * b1x + py * b1y, b2 = px * b2x + py * b2y;
      if (b1 < slack || b2 < slack || b1 + b2 > 1 - slack) continue;
      float z = (float)(t->z[0] + b1 * dz1 + b2 * dz2);
      if (z <= zrow[i]) continue;
      zrow[i] = z;
      if (idrow) idrow[i] = t->id;
    }
  }
}
