// model/links.c: see links.h.
#include "model/links.h"

#include "math/vec3.h"

#include <string.h>

/// A link at the present positions.
typedef struct link_state {
  const int *node;
  double weight[4]; // of d = sum weight_i x_i
  double d[3], l;   // [m]
  double slack[3];  // [m] d - d_n; 0 without damping
  double tension;   // [N] along d; negative when a closing stitch is too short
  double pull;      // [N/m] tension over l, 0 when it is not pulled
  double along;     // [N/m^3] of the Hessian pull I + along d d^T
  double energy;    // [J]
  double k, c;      // [N/m] stiffness, and damping over h
} link_state;

static void gap_of(const csim_energy *energy, int e, const double *x, double weight[4],
                   double d[3]) {
  int nnode = energy->kind->nnode;
  const double *param = csim_energy_param(energy, e);
  const int *node = energy->node + (ptrdiff_t)e * nnode;
  weight[0] = 1;
  weight[1] = -1;
  for (int i = 1; nnode == 4 && i < 4; i++) weight[i] = -param[CSIM_LINK_WEIGHT + i - 1];
  memset(d, 0, 3 * sizeof *d);
  for (int i = 0; i < nnode; i++) csim_add_scaled(weight[i], x + csim_xyz(node[i]), d);
}

static int has_direction(const double *now) {
  return csim_dot(now + 2, now + 2) > 0;
}

static double stiffness_of(const double *param, const double *now) {
  double k = param[CSIM_LINK_K];
  return now[0] * (now[5] > 0 ? csim_min(k, now[5]) : k);
}

// Sets what follows from k and l. most: [N] largest tension, 0: any.
static void pull_to(double length, double most, int both, link_state *s) {
  double excess = s->l - length, sign = excess < 0 ? -1 : 1;
  if (!both && !(excess > 0)) {
    s->pull = length == 0 ? s->k : 0; // at length 0: the isotropic Hessian of a string without one
    return;
  }
  s->tension = s->k * excess;
  s->energy = 0.5 * s->k * excess * excess;
  int capped = most > 0 && fabs(s->tension) > most;
  if (capped) {
    s->tension = sign * most;
    s->energy = most * (fabs(excess) - 0.5 * most / s->k);
  }
  if (!(s->l > 0)) return;
  s->pull = csim_max(s->tension, 0) / s->l; // pushes would be indefinite across
  // pulled its hardest: -most / l^3, but for semidefiniteness
  if (!capped) s->along = s->k * (excess > 0 ? length / s->l : 1) / (s->l * s->l);
}

static link_state link_at(const csim_energy *energy, const csim_point *at, int e) {
  const double *param = csim_energy_param(energy, e);
  static const double tight[CSIM_LINK_NOW] = {1}; // default: as stiff as it may be
  ptrdiff_t number = (ptrdiff_t)param[CSIM_LINK_NUMBER];
  const double *now = at->link ? at->link + csim_row(CSIM_LINK_NOW, number) : tight;
  double length = now[1];
  link_state s = {.node = energy->node + (ptrdiff_t)e * energy->kind->nnode};
  s.k = stiffness_of(param, now);
  if (!(s.k > 0)) return s;
  gap_of(energy, e, at->x, s.weight, s.d);
  if (param[CSIM_LINK_DAMPING] > 0 && at->from && at->h > 0) {
    double before[3], weight[4];
    gap_of(energy, e, at->from, weight, before);
    csim_sub(s.d, before, s.slack);
    s.c = now[0] * param[CSIM_LINK_DAMPING] / at->h;
  }
  if (has_direction(now)) { // as a string of length 0 to where d should be
    csim_add_scaled(-length, now + 2, s.d);
    length = 0;
  }
  s.l = csim_norm(s.d);
  pull_to(length, now[0] * param[CSIM_LINK_PULL], now[5] > 0, &s);
  return s;
}

static double link_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    link_state s = link_at(energy, at, e);
    sum += s.energy + 0.5 * s.c * csim_dot(s.slack, s.slack);
  }
  return sum;
}

static void link_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                          double *g) {
  for (int e = first; e < last; e++) {
    link_state s = link_at(energy, at, e);
    double force[3], pull = s.l > 0 ? s.tension / s.l : 0;
    for (int c = 0; c < 3; c++) force[c] = pull * s.d[c] + s.c * s.slack[c];
    for (int i = 0; s.k > 0 && i < energy->kind->nnode; i++)
      csim_add_scaled(s.weight[i], force, g + csim_xyz(s.node[i]));
  }
}

static void link_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                         int last, double *val) {
  int nnode = energy->kind->nnode;
  (void)psd;
  for (int e = first; e < last; e++) {
    link_state s = link_at(energy, at, e);
    if (!(s.k > 0)) continue;
    double A[9] = {0};
    A[0] = A[4] = A[8] = s.pull + s.c;
    csim_mat3_add_outer(s.along, s.d, s.d, A);
    const int *slot = energy->slot + (ptrdiff_t)e * nnode * nnode;
    for (int i = 0; i < nnode; i++)
      for (int j = 0; j < nnode; j++)
        for (int c = 0; c < 9; c++)
          val[csim_row(9, slot[nnode * i + j]) + c] += s.weight[i] * s.weight[j] * A[c];
  }
}

static void link_stretch(const csim_energy *energy, const csim_point *at, csim_psd psd, int n,
                         const int *element, double *out) {
  (void)psd;
  for (int i = 0; i < n; i++) {
    if (element[i] < 0) continue;
    link_state s = link_at(energy, at, element[i]);
    out[2 * i] += s.pull + s.c;
    out[2 * i + 1] += s.along;
  }
}

// From the stiffness alone: constant, and a bound at any length of the link.
static void link_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                           double *val) {
  int nnode = energy->kind->nnode;
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    const int *slot = energy->slot + (ptrdiff_t)e * nnode * nnode;
    double w[4] = {1, -1, 0, 0}, k = param[CSIM_LINK_K];
    for (int i = 1; nnode == 4 && i < 4; i++) w[i] = -param[CSIM_LINK_WEIGHT + i - 1];
    if (at && at->h > 0) k += param[CSIM_LINK_DAMPING] / at->h;
    for (int i = 0; i < nnode; i++)
      for (int j = 0; j < nnode; j++) val[slot[nnode * i + j]] += k * w[i] * w[j];
  }
}

static int link_constraint(const csim_energy *energy, const csim_point *at, int e,
                           csim_constraint *c) {
  link_state s = link_at(energy, at, e);
  if (!(fabs(s.tension) > 0 && s.l > 0)) return 0;
  // beyond the largest pull: the whole excess that this force would stretch it by
  double C = s.tension / s.k;
  *c = (csim_constraint){.dim = 1, .k = s.k, .C = {C}};
  for (int i = 0; i < energy->kind->nnode; i++)
    for (int k = 0; k < 3; k++) c->grad[i][k] = s.weight[i] * s.d[k] / s.l;
  return 1;
}

#define LINKS(of_name, nodes, numbers)                                                             \
  .name = of_name, .role = CSIM_ROLE_LINK, .nnode = nodes, .nparam = numbers, .value = link_value, \
  .gradient = link_gradient, .hessian = link_hessian, .laplacian = link_laplacian,                 \
  .laplacian_bounds = 1, .constraint = link_constraint

const csim_energy_kind csim_link_kind = {LINKS("link", 2, CSIM_LINK_WEIGHT),
                                         .stretch = link_stretch};
const csim_energy_kind csim_link_face_kind = {LINKS("link to a face", 4, CSIM_LINK_WEIGHT + 3)};

// ------------------------------------------------------------------------------------ over time

// Largest stiffness of a stitch that closes [N/m]. From 30 to 1000 shirts are sewn alike.
static const double CLOSING = 200;

// Of one that waits for its turn [N/m]: it carries no more than what floats beside it.
static const double TACKED = 10;

void csim_links_at(const csim_model *model, double time, const unsigned char *torn, double *now) {
  for (int i = 0; i < model->links.nlink; i++) {
    const csim_link *link = &model->links.link[i];
    const csim_link_group *g = &model->links.group[link->group];
    int on = csim_is_active(g->begin, g->end, time) && !(torn && torn[i]);
    double share = g->closed > g->begin ? (time - g->begin) / (g->closed - g->begin) : 1;
    share = (share - link->begin) / (link->end - link->begin);
    share = share > 0 ? (share < 1 ? share : 1) : 0;
    double *row = now + csim_row(CSIM_LINK_NOW, i);
    memset(row, 0, CSIM_LINK_NOW * sizeof *row);
    row[0] = on;
    if (share <= 0) memcpy(row + 2, link->direction, sizeof link->direction);
    row[5] = share <= 0 ? TACKED : share < 1 ? CLOSING : 0;
    share *=
        share *
        (3 - 2 * share); // smoothstep: with equal starts at both ends the middle would lag behind
    row[1] = share < 1 ? link->length + share * (link->closed_length - link->length)
                       : link->closed_length;
  }
}

static int is_link(const csim_energy *energy) {
  return energy->kind->role == CSIM_ROLE_LINK;
}

// A stitch that is shorter than this share of its length has no clear direction.
static const double SHORTEST = 0.1;

// Turns n as a triangle turns from x0 to x1 (3 x 3). Returns -1 if it has no area.
static int turn_with(const double x0[9], const double x1[9], double n[3]) {
  double from[9], to[9], local[3];
  if (csim_triangle_frame(x0, x0 + 3, x0 + 6, from)) return -1;
  if (csim_triangle_frame(x1, x1 + 3, x1 + 6, to)) return -1;
  csim_mat3_mul(from, n, local);
  csim_mat3_mul_by_transpose(to, local, n);
  return 0;
}

void csim_links_direct(const csim_model *model, const double *x, const double *v, double h,
                       double *now) {
  for (int k = 0; k < model->nenergy; k++) {
    const csim_energy *energy = &model->energy[k];
    for (int e = 0; is_link(energy) && e < energy->nelem; e++) {
      int number = (int)csim_energy_param(energy, e)[CSIM_LINK_NUMBER];
      const csim_link *link = &model->links.link[number];
      double *row = now + csim_row(CSIM_LINK_NOW, number), *n = row + 2, weight[4];
      if (link->frame[0] == link->frame[1] || !(row[0] > 0) || row[1] != link->closed_length)
        continue;
      gap_of(energy, e, x, weight, n);
      double x0[9], x1[9], l = csim_norm(n);
      for (int i = 0; i < 3; i++) {
        const double *from = x + csim_xyz(link->frame[i]);
        memcpy(x0 + csim_xyz(i), from, 3 * sizeof *x0);
        memcpy(x1 + csim_xyz(i), from, 3 * sizeof *x1);
        csim_add_scaled(h, v + csim_xyz(link->frame[i]), x1 + csim_xyz(i));
      }
      int clear = l > SHORTEST * row[1] && !turn_with(x0, x1, n);
      for (int c = 0; c < 3; c++) n[c] = clear ? n[c] / l : 0;
    }
  }
}

int csim_links_tear(const csim_model *model, const double *now, const double *x,
                    unsigned char *torn) {
  int count = 0;
  for (int k = 0; k < model->nenergy; k++) {
    const csim_energy *energy = &model->energy[k];
    for (int e = 0; is_link(energy) && e < energy->nelem; e++) {
      int number = (int)csim_energy_param(energy, e)[CSIM_LINK_NUMBER];
      double force = model->links.group[model->links.link[number].group].force;
      if (!(force > 0) || torn[number]) continue;
      double weight[4], d[3];
      const double *row = now + csim_row(CSIM_LINK_NOW, number);
      gap_of(energy, e, x, weight, d);
      double stiffness = stiffness_of(csim_energy_param(energy, e), row);
      if (!(stiffness * (csim_norm(d) - row[1]) > force)) continue;
      torn[number] = 1;
      count++;
    }
  }
  return count;
}

double csim_links_gap(const csim_model *model, int group, const double *x,
                      const unsigned char *torn, int *at) {
  double gap = -1;
  int widest[2] = {-1, -1};
  for (int k = 0; k < model->nenergy; k++) {
    const csim_energy *energy = &model->energy[k];
    for (int e = 0; is_link(energy) && e < energy->nelem; e++) {
      int number = (int)csim_energy_param(energy, e)[CSIM_LINK_NUMBER];
      double weight[4], d[3];
      if (model->links.link[number].group != group || (torn && torn[number])) continue;
      gap_of(energy, e, x, weight, d);
      if (!(csim_norm(d) > gap)) continue;
      gap = csim_norm(d);
      for (int i = 0; i < 2; i++) widest[i] = energy->node[csim_row(energy->kind->nnode, e) + i];
    }
  }
  if (at) memcpy(at, widest, sizeof widest);
  return csim_max(gap, 0);
}
