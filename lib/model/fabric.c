// model/fabric.c: see fabric.h.
#include "model/fabric.h"

#include "base/dmath.h"
#include "math/vec3.h"

#include <string.h>

// Unit vector along the projection of an axis on the plane with unit normal n; 0 if the projection
// is too short.
static int project_axis(const double axis[3], const double n[3], double out[3]) {
  const double least = 0.0175; // sin 1 degree
  double length = csim_norm(axis), along = csim_dot(axis, n);
  for (int c = 0; c < 3; c++) out[c] = axis[c] - along * n[c];
  return csim_normalise(out) > least * length;
}

void csim_fabric_lay(int ntri, const int *tri, const double *X, const double axes[9],
                     double *flat) {
  memset(flat, 0, 6 * (size_t)ntri * sizeof *flat);
  for (int t = 0; t < ntri; t++) {
    const double *x[3];
    double n[3], warp[3], weft[3];
    for (int k = 0; k < 3; k++) x[k] = X + csim_xyz(tri[csim_xyz(t) + k]);
    csim_triangle_normal(x[0], x[1], x[2], n);
    if (!(csim_normalise(n) > 0)) continue;
    for (int k = 0; k < 3 && !project_axis(axes + 3 * k, n, warp); k++) {
    }
    csim_cross(n, warp, weft);
    for (int k = 1; k < 3; k++) {
      double d[3], *at = flat + csim_row(6, t) + 2 * k;
      csim_sub(x[k], x[0], d);
      at[0] = csim_dot(d, warp);
      at[1] = csim_dot(d, weft);
    }
  }
}

// Texture coordinate at the corner of a face that is vertex v; -1: none.
static int uv_of(const csim_mesh *mesh, int face, int v) {
  for (int k = mesh->face_start[face]; k < mesh->face_start[face + 1]; k++)
    if (mesh->face_vert[k] == v) return mesh->face_uv[k];
  return -1;
}

int csim_fabric_uv(const csim_mesh *mesh, double *uv) {
  int missing = 0;
  memset(uv, 0, 6 * (size_t)mesh->ntri * sizeof *uv);
  for (int t = 0; t < mesh->ntri; t++) {
    double *at = uv + csim_row(6, t), size = 0;
    int found = mesh->nuv > 0;
    for (int k = 0; k < 3 && found; k++) {
      int face = mesh->tri_face ? mesh->tri_face[t] : t;
      int i = uv_of(mesh, face, mesh->tri[csim_xyz(t) + k]);
      found = i >= 0;
      if (found) memcpy(at + 2 * k, mesh->uv + csim_row(2, i), 2 * sizeof *at);
    }
    for (int k = 0; k < 6; k++) size += (at[k] - at[k % 2]) * (at[k] - at[k % 2]);
    if (found && csim_flat_area(at) > 1e-9 * size) continue;
    memset(at, 0, 6 * sizeof *at);
    missing++;
  }
  return missing;
}

// Turns a triangle so that the direction (c, s) becomes its first axis.
static void turn(double c, double s, double flat[6]) {
  for (int k = 0; k < 3; k++) {
    double u = flat[2 * k], v = flat[2 * k + 1];
    flat[2 * k] = c * u + s * v;
    flat[2 * k + 1] = c * v - s * u;
  }
}

void csim_fabric_align(int ntri, const double *uv, double *flat) {
  for (int t = 0; t < ntri; t++) {
    const double *at = uv + csim_row(6, t);
    double *to = flat + csim_row(6, t), d[2];
    double a[2] = {at[2] - at[0], at[3] - at[1]}, b[2] = {at[4] - at[0], at[5] - at[1]};
    double det = a[0] * b[1] - a[1] * b[0];
    if (det == 0) continue;
    // (1, 0) = (b1 a - a1 b)/det in (u, v)
    for (int c = 0; c < 2; c++)
      d[c] = (b[1] * (to[2 + c] - to[c]) - a[1] * (to[4 + c] - to[c])) / det;
    double l = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (l > 0) turn(d[0] / l, d[1] / l, to);
  }
}

void csim_fabric_turn(int ntri, const double *angle, double *flat) {
  for (int t = 0; t < ntri; t++)
    turn(csim_cos(angle[t]), csim_sin(angle[t]), flat + csim_row(6, t));
}

int csim_fabric_membrane(int ntri, const int *tri, const csim_part *part, const double *flat,
                         const csim_moduli *moduli, const csim_yield *yield,
                         csim_elements *membrane) {
  const csim_energy_kind *kind = membrane->kind;
  csim_membrane_law law = csim_membrane_law_of(kind);
  int left_out = 0;
  for (int t = 0; t < ntri; t++) {
    double param[CSIM_MAX_PARAM];
    int node[3];
    for (int k = 0; k < 3; k++) node[k] = part->vert0 + tri[csim_xyz(t) + k];
    const double *rest = flat + csim_row(6, t);
    int status = kind->yield ? csim_ductile_membrane_param(law, rest, &moduli[t], yield, param)
                             : csim_membrane_param(law, rest, &moduli[t], param);
    if (status == 0)
      csim_elements_add(membrane, node, param);
    else
      left_out++;
  }
  return left_out;
}

int csim_fabric_measured(int ntri, const int *tri, const csim_part *part, const double *flat,
                         const double *table, csim_elements *membrane) {
  int left_out = 0;
  for (int t = 0; t < ntri; t++) {
    double param[CSIM_MAX_PARAM];
    int node[3];
    for (int k = 0; k < 3; k++) node[k] = part->vert0 + tri[csim_xyz(t) + k];
    if (csim_measured_param(flat + csim_row(6, t), table + csim_row(CSIM_MEASURED, t), param))
      left_out++;
    else
      csim_elements_add(membrane, node, param);
  }
  return left_out;
}
