// view/measure.c: see measure.h; the gap is in gap.c.
#include "measure.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

const char *const view_mode_name[VIEW_NMODE] = {
    "object", "strain", "curvature", "speed", "contact", "distance", "pressure",
};
const char *const view_mode_unit[VIEW_NMODE] = {"", "%", "1/m", "m/s", "mm", "mm", "Pa"};
const int view_mode_length[VIEW_NMODE] = {0, 0, -1, 1, 1, 1, 0};

static vec3 corner(const double *x, int v) {
  return vec_load(x + csim_xyz(v));
}

/// Strain of larger size of one triangle; *area is its rest area.
static double triangle_strain(const double *rest, const double *x, const int *v, double *area) {
  vec3 a = vec_sub(corner(rest, v[1]), corner(rest, v[0]));
  vec3 b = vec_sub(corner(rest, v[2]), corner(rest, v[0]));
  vec3 p = vec_sub(corner(x, v[1]), corner(x, v[0])), q = vec_sub(corner(x, v[2]), corner(x, v[0]));
  double la = vec_length(a), twice = vec_length(vec_cross(a, b));
  *area = 0.5 * twice;
  if (!(twice > 1e-12 * la * la)) return *area = 0;
  // rest sides in their plane: (la, 0) and (bx, by); F maps those to p and q
  double bx = vec_dot(a, b) / la, by = twice / la;
  vec3 f0 = vec_scale(p, 1 / la), f1 = vec_scale(vec_along(q, p, -bx / la), 1 / by);
  double c00 = vec_dot(f0, f0), c01 = vec_dot(f0, f1), c11 = vec_dot(f1, f1);
  double mean = 0.5 * (c00 + c11), root = hypot(0.5 * (c00 - c11), c01);
  double high = sqrt(mean + root) - 1, low = sqrt(fmax(0, mean - root)) - 1;
  return high > -low ? high : low;
}

void view_measure_strain(int nvert, const double *rest, const double *x, int ntri, const int *tri,
                         double *value) {
  double *weight = calloc((size_t)nvert + 1, sizeof *weight);
  memset(value, 0, (size_t)nvert * sizeof *value);
  for (int t = 0; weight && t < ntri; t++) {
    const int *v = tri + csim_xyz(t);
    double area, strain = triangle_strain(rest, x, v, &area);
    for (int k = 0; k < 3; k++) {
      value[v[k]] += area * strain;
      weight[v[k]] += area;
    }
  }
  for (int i = 0; weight && i < nvert; i++) value[i] = weight[i] > 0 ? value[i] / weight[i] : 0;
  free(weight);
}

csim_status view_measure_curvature(int nvert, const double *x, int ntri, const int *tri,
                                   double *value) {
  vec3 *normal = calloc((size_t)nvert + 1, sizeof *normal);
  double *weight = calloc((size_t)nvert + 1, sizeof *weight);
  csim_status status = normal && weight ? CSIM_OK : CSIM_MEMORY;
  const vec3 none = {0};
  if (status) goto done;
  memset(value, 0, (size_t)nvert * sizeof *value);
  for (int t = 0; t < ntri; t++) {
    const int *v = tri + csim_xyz(t);
    vec3 a = corner(x, v[0]);
    vec3 n = vec_cross(vec_sub(corner(x, v[1]), a), vec_sub(corner(x, v[2]), a));
    for (int k = 0; k < 3; k++) normal[v[k]] = vec_add(normal[v[k]], n);
  }
  for (int i = 0; i < nvert; i++) normal[i] = vec_unit(normal[i], none);
  for (int t = 0; t < ntri; t++)
    for (int k = 0; k < 3; k++) {
      int i = tri[csim_xyz(t) + k], j = tri[csim_xyz(t) + (k + 1) % 3];
      vec3 e = vec_sub(corner(x, j), corner(x, i));
      double ee = vec_dot(e, e);
      if (!(ee > 0)) continue;
      double turn = vec_dot(vec_sub(normal[j], normal[i]), e) / ee;
      value[i] += turn;
      value[j] += turn;
      weight[i] += 1;
      weight[j] += 1;
    }
  for (int i = 0; i < nvert; i++) value[i] = weight[i] > 0 ? value[i] / weight[i] : 0;
done:
  free(normal);
  free(weight);
  return status;
}

void view_measure_difference(int nvert, const double *a, const double *b, double scale,
                             double *value) {
  for (int i = 0; i < nvert; i++) {
    vec3 d = corner(a, i);
    if (b) d = vec_sub(d, corner(b, i));
    value[i] = scale * vec_length(d);
  }
}
