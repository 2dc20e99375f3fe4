// model/chamber.c: see chamber.h.
#include "model/chamber.h"

#include "base/dmath.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "model/curve.h"

#include <string.h>

// Sign of a part: -1 where its faces point inward.
static double sign_of(const csim_chamber_part *part) {
  return part->inward ? -1 : 1;
}

// Where a corner of the surface is: in the middle of what it is sewn to. Returns how many vertices
// that are.
static int place_corner(const csim_model *model, const double *x, int vert, double *place) {
  const int *sewn = model->chambers.sewn;
  int n = 0, i = vert;
  memset(place, 0, 3 * sizeof *place);
  do {
    csim_add_scaled(1, x + csim_xyz(i), place);
    n++;
    if (sewn) i = sewn[i];
  } while (i != vert);
  for (int c = 0; n > 1 && c < 3; c++) place[c] /= n;
  return n;
}

double csim_chamber_volume(const csim_model *model, const csim_chamber *chamber,
                           const double *about, const double *x) {
  double volume = 0;
  for (int k = 0; k < chamber->npart; k++) {
    const csim_chamber_part *part = &chamber->part[k];
    double sum = 0;
    for (int t = part->tri0; t < part->tri0 + part->ntri; t++) {
      const int *v = model->tri + csim_xyz(t);
      double r[3][3], n[3];
      for (int i = 0; i < 3; i++) {
        place_corner(model, x, v[i], r[i]);
        csim_sub(r[i], about, r[i]);
      }
      csim_cross(r[1], r[2], n);
      sum += csim_dot(r[0], n) / 6;
    }
    volume += sign_of(part) * sum;
  }
  return volume;
}

// Volume, relative to one of the vertices: the others are near it, so that little is lost in
// rounding.
static double volume_at(const csim_model *model, const csim_chamber *chamber, const double *x) {
  return csim_chamber_volume(model, chamber, x + csim_xyz(chamber->vert), x);
}

double csim_chamber_pressure(const csim_chamber *chamber, const csim_chamber_now *now,
                             double volume) {
  double p = now->pressure;
  // a gas has infinite energy at volume 0: line searches undo volumes of the wrong sign
  if (chamber->gas)
    p = (chamber->atmosphere + now->pressure) * chamber->volume0 /
            csim_max(volume, 1e-6 * chamber->volume0) -
        chamber->atmosphere;
  if (chamber->stiffness > 0) p += chamber->stiffness * (now->volume - volume / chamber->volume0);
  return p;
}

void csim_chambers_at(const csim_model *model, double time, csim_chamber_now *now) {
  for (int k = 0; k < model->chambers.nchamber; k++) {
    const csim_chamber *c = &model->chambers.chamber[k];
    csim_curve_at(&c->pressure_key, 1, &c->pressure, time, &now[k].pressure);
    csim_curve_at(&c->volume_key, 1, &c->volume, time, &now[k].volume);
  }
}

double csim_chambers_value(const csim_model *model, const csim_chamber_now *now, const double *x) {
  double sum = 0;
  for (int k = 0; k < model->chambers.nchamber; k++) {
    const csim_chamber *c = &model->chambers.chamber[k];
    double V = volume_at(model, c, x);
    if (c->gas && !(V > 1e-6 * c->volume0)) return INFINITY;
    if (c->gas)
      sum += c->atmosphere * V -
             (c->atmosphere + now[k].pressure) * c->volume0 * csim_ln(V / c->volume0);
    else
      sum -= now[k].pressure * V;
    double off = c->stiffness > 0 ? V - now[k].volume * c->volume0 : 0;
    if (off != 0) sum += 0.5 * c->stiffness * off * off / c->volume0;
  }
  return sum;
}

// Adds w n (3) to g, in equal shares at all `count` vertices that a corner is the middle of.
static void add_at_corner(const csim_model *model, int vert, int count, double w, const double *n,
                          double *g) {
  const int *sewn = model->chambers.sewn;
  for (int k = 0, i = vert; k < count; k++, i = sewn ? sewn[i] : i)
    csim_add_scaled(w / count, n, g + csim_xyz(i));
}

// Adds a share of dV/dx to g.
static void add_gradient(const csim_model *model, const csim_chamber *chamber, double share,
                         const double *x, double *g) {
  for (int k = 0; k < chamber->npart; k++) {
    const csim_chamber_part *part = &chamber->part[k];
    double w = share * sign_of(part) / 6;
    for (int t = part->tri0; t < part->tri0 + part->ntri; t++) {
      const int *v = model->tri + csim_xyz(t);
      int count[3];
      double corner[3][3], n[3];
      for (int i = 0; i < 3; i++) count[i] = place_corner(model, x, v[i], corner[i]);
      csim_triangle_normal(corner[0], corner[1], corner[2], n);
      for (int i = 0; i < 3; i++) add_at_corner(model, v[i], count[i], w, n, g);
    }
  }
}

void csim_chambers_gradient(const csim_model *model, const csim_chamber_now *now, const double *x,
                            double *g) {
  for (int k = 0; k < model->chambers.nchamber; k++) {
    const csim_chamber *c = &model->chambers.chamber[k];
    add_gradient(model, c, -csim_chamber_pressure(c, &now[k], volume_at(model, c, x)), x, g);
  }
}

void csim_chambers_hessian(const csim_model *model, csim_chamber_now *now, const double *x) {
  for (int k = 0; k < model->chambers.nchamber; k++) {
    const csim_chamber *c = &model->chambers.chamber[k];
    if (!now[k].grad) continue;
    double V = csim_max(volume_at(model, c, x), 1e-6 * c->volume0);
    now[k].stiff = c->stiffness / c->volume0;
    if (c->gas) now[k].stiff += (c->atmosphere + now[k].pressure) * c->volume0 / (V * V);
    memset(now[k].grad, 0, 3 * (size_t)model->nvert * sizeof(double));
    add_gradient(model, c, 1, x, now[k].grad);
    for (int i = 0; i < model->nvert; i++)
      if (model->fixed[i]) memset(now[k].grad + csim_xyz(i), 0, 3 * sizeof(double));
  }
}

double csim_chambers_multiply(csim_pool *pool, const csim_model *model, const csim_chamber_now *now,
                              const double *p, double *q) {
  double sum = 0;
  for (int k = 0; k < model->chambers.nchamber; k++) {
    if (!now[k].grad) continue;
    double along = csim_vector_dot(pool, 3 * model->nvert, now[k].grad, p);
    csim_vector_add(pool, 3 * model->nvert, now[k].stiff * along, now[k].grad, q);
    sum += now[k].stiff * along * along;
  }
  return sum;
}
