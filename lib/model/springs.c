// model/springs.c: springs between two vertices, and the limit and bound of their strain. Needs
// model/energy.h.
//
//   E = k/2 (l - L)^2,  l = |x_a - x_b|,  d = (x_a - x_b)/l
//   dE/dx_a = k (l - L) d
//   d2E/dx_a2 = k d d^T + k (1 - L/l)(I - d d^T)
// A compressed spring (l < L) makes the second term negative: it is dropped (Choi & Ko 2002), which
// is the same as clamping the block's eigenvalues at 0. At l = 0 there is no direction: no force,
// and the isotropic Hessian k I.
//
// A damped spring (Kelvin & Voigt) also resists its rate of stretch, by k tau l'. Over a step h
// from the length l_n this force has a potential, so implicit Euler's step stays a minimum (Kane et
// al. 2000):
//
//   D = k tau/(2 h) (l - l_n)^2
//
// Rotations do not change l and are not damped.
//
// With at->earlier.stress the tension k (l - L) of the second term is the one predicted for the
// step that led here, see membrane.c.
//
// A ductile spring has the rest length L (1 + s), with s its plastic strain.
//
// Springs are processed four at a time; unused lanes of the last four repeat the last spring.
#include "model/energy.h"

#include "base/simd.h"
#include "math/vec3.h"
#include "model/bound.h"

// of a spring; the first two also of a limit and a bound
enum { K, LENGTH, COMPRESSION, SLACK, NPARAM };
enum { LIMIT_NPARAM = 2 };
enum { END = LIMIT_NPARAM, BOUND_NPARAM }; // LENGTH is where it begins
enum { YIELD_AT = NPARAM, HARDENING, RATE, NDUCTILE };

typedef enum spring_kind { SPRING, LIMIT, BOUND } spring_kind;

typedef struct four {
  const int *node[4];
  csim_v4 r[4];                           // x_a - x_b [m], spring by spring; a zero after it
  csim_v4 l;                              // |r| [m]
  csim_v4 energy, tension, along, across; // [J], dE/dl [N], stiffness [N/m]
} four;

// Positions and lengths of four springs.
CSIM_SIMD_BODY void place_four(const csim_energy *energy, const csim_point *at, const int e[4],
                               four *s) {
  csim_v4 t[4];
  for (int i = 0; i < 4; i++) {
    s->node[i] = energy->node + csim_row(2, e[i]);
    t[i] = s->r[i] =
        CSIM_LOAD3(at->x + csim_xyz(s->node[i][0])) - CSIM_LOAD3(at->x + csim_xyz(s->node[i][1]));
  }
  csim_transpose4(t);
  csim_v4 square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
  s->l = CSIM_SQRT4(square);
}

CSIM_SIMD_BODY void spring_law(const csim_energy *energy, const csim_point *at, const int e[4],
                               csim_psd psd, four *s) {
  csim_v4 p[4], zero = {0};
  for (int i = 0; i < 4; i++) p[i] = CSIM_LOAD4(csim_energy_param(energy, e[i]));
  csim_transpose4(p);
  for (int i = 0; i < 4 && at->plastic && energy->kind->nplastic; i++)
    p[LENGTH][i] *= 1 + csim_energy_plastic(energy, at, e[i])[0];
  csim_v4 slack = p[SLACK] * p[LENGTH], dl = s->l - p[LENGTH];
  csim_v4 k = CSIM_SELECT4(dl < zero, p[K] * p[COMPRESSION], p[K]);
  csim_v4 shorter = CSIM_SELECT4(dl < -slack, dl + slack, zero);
  dl = CSIM_SELECT4(dl > slack, dl - slack, shorter);
  s->energy = 0.5 * k * dl * dl;
  s->tension = k * dl;
  s->along = CSIM_SELECT4((dl != zero) | (p[SLACK] == zero), k, zero);
  s->across = CSIM_SELECT4(s->l > zero, s->tension / s->l, s->along);
  if (psd != CSIM_PSD_NONE) s->across = CSIM_SELECT4(s->across < zero, zero, s->across);
}

// Lengths of four springs at positions x.
CSIM_SIMD_BODY void lengths_at(const double *x, const int *const node[4], csim_v4 *l) {
  csim_v4 t[4];
  for (int i = 0; i < 4; i++)
    t[i] = CSIM_LOAD3(x + csim_xyz(node[i][0])) - CSIM_LOAD3(x + csim_xyz(node[i][1]));
  csim_transpose4(t);
  csim_v4 square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
  *l = CSIM_SQRT4(square);
}

// Adds D, see above, to what the springs have already.
CSIM_SIMD_BODY void damping_law(const csim_energy *energy, const csim_point *at, const int e[4],
                                csim_psd psd, four *s) {
  csim_v4 l, k, zero = {0};
  for (int i = 0; i < 4; i++)
    k[i] = csim_energy_param(energy, e[i])[K] * at->damping[at->body_of[s->node[i][0]]];
  lengths_at(at->from, s->node, &l);
  csim_v4 dl = s->l - l;
  k /= at->h;
  s->energy += 0.5 * k * dl * dl;
  s->tension += k * dl;
  s->along += k;
  s->across = CSIM_SELECT4(s->l > zero, s->tension / s->l, s->along);
  if (psd != CSIM_PSD_NONE) s->across = CSIM_SELECT4(s->across < zero, zero, s->across);
}

CSIM_SIMD_BODY void limit_law(const csim_energy *energy, const int e[4], four *s) {
  const double *p[4];
  for (int i = 0; i < 4; i++) p[i] = csim_energy_param(energy, e[i]);
  csim_v4 k = {p[0][K], p[1][K], p[2][K], p[3][K]}, zero = {0};
  csim_v4 length = {p[0][LENGTH], p[1][LENGTH], p[2][LENGTH], p[3][LENGTH]};
  csim_v4 over = s->l - length;
  over = CSIM_SELECT4(over > zero, over, zero);
  csim_v4 f = k / length * over;
  s->energy = f * over * over / 3;
  s->tension = f * over;
  s->along = 2 * f;
  s->across = CSIM_SELECT4(over > zero, s->tension / s->l, zero);
}

CSIM_SIMD_BODY void bound_law(const csim_energy *energy, const csim_point *at, const int e[4],
                              csim_psd psd, four *s) {
  const double *p[4];
  for (int i = 0; i < 4; i++) p[i] = csim_energy_param(energy, e[i]);
  csim_v4 k = {p[0][K], p[1][K], p[2][K], p[3][K]}, zero = {0}, B[3];
  csim_v4 begin = {p[0][LENGTH], p[1][LENGTH], p[2][LENGTH], p[3][LENGTH]};
  csim_v4 end = {p[0][END], p[1][END], p[2][END], p[3][END]};
  csim_v4 way = end - begin, u = (s->l - begin) / way;
  csim_bound_law(&u, B);
  s->energy = k * way * way * B[0];
  s->tension = k * way * B[1];
  s->along = k * B[2];
  s->across = CSIM_SELECT4(s->tension > zero, s->tension / s->l, zero);
  if (!at->earlier.chord || psd == CSIM_PSD_NONE) return;
  csim_v4 l, before, slope;
  lengths_at(at->earlier.chord, s->node, &l);
  before = (l - begin) / way;
  csim_bound_slope(&u, &before, &slope);
  s->along = k * slope;
  s->across = CSIM_SELECT4(s->across > s->along, s->along, s->across);
}

// Replaces the stiffness across by that of the tension predicted from at->earlier.stress. Never
// more than that along, which is 0 for a spring that is slack now: the matrix on edges takes the
// root of the difference.
CSIM_SIMD_BODY void predict_across(const csim_energy *energy, const csim_point *at, const int e[4],
                                   csim_psd psd, four *s) {
  four next = *s;
  csim_v4 t[4], along, zero = {0};
  for (int i = 0; i < 4; i++) {
    t[i] = CSIM_LOAD3(at->earlier.stress + csim_xyz(s->node[i][0])) -
           CSIM_LOAD3(at->earlier.stress + csim_xyz(s->node[i][1]));
    csim_v4 product = t[i] * s->r[i];
    along[i] = product[0] + product[1] + product[2];
  }
  csim_transpose4(t);
  csim_v4 square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2], l = CSIM_SQRT4(square);
  next.l = CSIM_SELECT4(l > zero, along / l, s->l);
  spring_law(energy, at, e, psd, &next);
  if (at->damping) damping_law(energy, at, e, psd, &next);
  s->across = CSIM_SELECT4(s->l > zero, next.tension / s->l, s->along);
  s->across = CSIM_SELECT4(s->across < zero, zero, s->across);
  s->across = CSIM_SELECT4(s->across > s->along, s->along, s->across);
}

// Evaluates the springs e completely; results that a caller does not use are optimised away.
CSIM_SIMD_BODY void evaluate_four(const csim_energy *energy, const csim_point *at, const int e[4],
                                  spring_kind kind, csim_psd psd, four *s) {
  place_four(energy, at, e, s);
  if (kind == LIMIT)
    limit_law(energy, e, s);
  else if (kind == BOUND)
    bound_law(energy, at, e, psd, s);
  else
    spring_law(energy, at, e, psd, s);
  if (kind == SPRING && at->damping) damping_law(energy, at, e, psd, s);
  if (kind == SPRING && at->earlier.stress && psd != CSIM_PSD_NONE)
    predict_across(energy, at, e, psd, s);
}

// Chooses at most four springs from `first` on; returns their number.
CSIM_SIMD_BODY int choose_four(int first, int last, int e[4]) {
  for (int i = 0; i < 4; i++) e[i] = first + i < last ? first + i : last - 1;
  return last - first < 4 ? last - first : 4;
}

static inline spring_kind kind_of(const csim_energy *energy) {
  return energy->kind->role == CSIM_ROLE_STRETCH ? SPRING
         : energy->kind == &csim_limit_kind      ? LIMIT
                                                 : BOUND;
}

CSIM_SIMD_BODY double values(const csim_energy *energy, const csim_point *at, int first, int last) {
  spring_kind kind = kind_of(energy);
  csim_v4 sum = {0}, zero = {0};
  for (int at4 = first; at4 < last; at4 += 4) {
    four s;
    int e[4], n = choose_four(at4, last, e);
    evaluate_four(energy, at, e, kind, CSIM_PSD_DROP, &s);
    csim_v4i used = {-1, n > 1 ? -1 : 0, n > 2 ? -1 : 0, n > 3 ? -1 : 0};
    sum += CSIM_SELECT4(used, s.energy, zero);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

CSIM_SIMD_BODY int gradients(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *g) {
  spring_kind kind = kind_of(energy);
  for (int at4 = first; at4 < last; at4 += 4) {
    four s;
    int e[4], n = choose_four(at4, last, e);
    csim_v4 zero = {0};
    evaluate_four(energy, at, e, kind, CSIM_PSD_DROP, &s);
    csim_v4 pull = CSIM_SELECT4(s.l > zero, s.tension / s.l, zero);
    for (int i = 0; i < n; i++) {
      double *a = g + csim_xyz(s.node[i][0]), *b = g + csim_xyz(s.node[i][1]);
      csim_v4 force = pull[i] * s.r[i], ga = CSIM_LOAD3(a) + force, gb = CSIM_LOAD3(b) - force;
      CSIM_STORE3(a, ga);
      CSIM_STORE3(b, gb);
    }
  }
  return 0;
}

CSIM_SIMD_BODY int stretches(const csim_energy *energy, const csim_point *at, csim_psd psd, int n,
                             const int *element, double *out, spring_kind kind) {
  for (int first = 0; first < n; first += 4) {
    four s;
    int e[4], m = choose_four(first, n, e);
    for (int i = 0; i < 4; i++) e[i] = element[e[i]] < 0 ? 0 : element[e[i]];
    csim_v4 zero = {0};
    evaluate_four(energy, at, e, kind, psd, &s);
    csim_v4 c = CSIM_SELECT4(s.l > zero, (s.along - s.across) / (s.l * s.l), zero);
    for (int i = 0; i < m; i++) {
      if (element[first + i] < 0) continue;
      out[2 * (first + i)] += s.across[i];
      out[2 * (first + i) + 1] += c[i];
    }
  }
  return 0;
}

CSIM_ENERGY_KERNELS(spring)
CSIM_SIMD_KERNEL(int, stretches,
                 (const csim_energy *energy, const csim_point *at, csim_psd psd, int n,
                  const int *element, double *out, spring_kind kind),
                 (energy, at, psd, n, element, out, kind))

// tau/h of a spring.
static inline double damping_of(const csim_energy *energy, const csim_point *at, int e) {
  if (!at || !at->damping) return 0;
  return at->damping[at->body_of[energy->node[csim_row(2, e)]]] / at->h;
}

// Liu et al. 2013: each spring gives k (x_a - x_b)^2.
static void spring_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *val) {
  for (int e = first; e < last; e++) {
    double k = csim_energy_param(energy, e)[K];
    if (energy->kind->role == CSIM_ROLE_STRETCH) k *= 1 + damping_of(energy, at, e);
    const int *slot = energy->slot + csim_row(4, e);
    val[slot[0]] += k;
    val[slot[1]] -= k;
    val[slot[2]] -= k;
    val[slot[3]] += k;
  }
}

static void spring_elastic(const csim_energy *energy, double *elastic) {
  for (int e = 0; e < energy->nelem; e++)
    for (int n = 0; n < 2; n++)
      elastic[energy->node[csim_row(2, e) + n]] += 0.5 * csim_energy_param(energy, e)[K];
}

// r = x_a - x_b; returns its length.
static inline double spring_between(const csim_energy *energy, const double *x, int e,
                                    double r[3]) {
  const int *node = energy->node + csim_row(2, e);
  csim_sub(x + csim_xyz(node[0]), x + csim_xyz(node[1]), r);
  return csim_norm(r);
}

static int along_spring(const double r[3], double l, double k, double C, csim_constraint *c) {
  if (!(l > 0) || !(k > 0)) return 0;
  *c = (csim_constraint){.dim = 1, .k = k, .C = {C}};
  csim_add_scaled(1 / l, r, c->grad[0]);
  csim_add_scaled(-1 / l, r, c->grad[1]);
  return 1;
}

// [[H, -H], [-H, H]] with H = along d d^T + across (I - d d^T).
static void spring_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                           int last, double *val) {
  spring_kind kind = kind_of(energy);
  for (int at4 = first; at4 < last; at4 += 4) {
    four s;
    int e[4], n = choose_four(at4, last, e);
    evaluate_four(energy, at, e, kind, psd, &s);
    for (int i = 0; i < n; i++) {
      double l = s.l[i], across = s.across[i], r[3] = {s.r[i][0], s.r[i][1], s.r[i][2]};
      double H[9] = {across, 0, 0, 0, across, 0, 0, 0, across};
      if (l > 0) csim_mat3_add_outer((s.along[i] - across) / (l * l), r, r, H);
      const int *slot = energy->slot + csim_row(4, e[i]);
      for (int k = 0; k < 9; k++) {
        val[csim_row(9, slot[0]) + k] += H[k];
        val[csim_row(9, slot[1]) + k] -= H[k];
        val[csim_row(9, slot[2]) + k] -= H[k];
        val[csim_row(9, slot[3]) + k] += H[k];
      }
    }
  }
}

static void spring_stretch(const csim_energy *energy, const csim_point *at, csim_psd psd, int n,
                           const int *element, double *out) {
  stretches_kernel[energy->isa](energy, at, psd, n, element, out, kind_of(energy));
}

static int spring_constraint(const csim_energy *energy, const csim_point *at, int e,
                             csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  const double *plastic = csim_energy_plastic(energy, at, e);
  double r[3], l = spring_between(energy, at->x, e, r);
  double rest = param[LENGTH] * (1 + (plastic ? plastic[0] : 0));
  double slack = param[SLACK] * rest, dl = l - rest;
  // a spring that does not resist compression is slack when shortened: its multiplier is dropped
  int idle = dl < 0 && !(param[COMPRESSION] > 0);
  double k = dl < 0 && !idle ? param[K] * param[COMPRESSION] : param[K];
  double C = dl > slack ? dl - slack : dl < -slack && !idle ? dl + slack : 0;
  double f = damping_of(energy, at, e);
  if (f > 0) { // two parallel springs act as one
    double damper = param[K] * f, r_from[3];
    double tension = k * C + damper * (l - spring_between(energy, at->from, e, r_from));
    k += damper;
    C = tension / k;
  }
  return along_spring(r, l, k, C, c);
}

static double spring_strain(const csim_energy *energy, const csim_point *at, int e) {
  double r[3], rest = csim_energy_param(energy, e)[LENGTH];
  return rest > 0 ? spring_between(energy, at->x, e, r) / rest - 1 : 0;
}

static void ductile_yield(const csim_energy *energy, const csim_point *at, int first, int last,
                          double h, double *plastic) {
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    double *own = plastic + energy->plastic + csim_row(2, e);
    csim_yield yield = {param[YIELD_AT], param[HARDENING], param[RATE]};
    if (!(param[LENGTH] > 0)) continue;
    own[0] += csim_yield_flow(&yield, spring_strain(energy, at, e) - own[0], h, &own[1]);
  }
}

#define SPRINGS(of_name, of_role, numbers)                                                         \
  .name = of_name, .role = of_role, .nnode = 2, .nparam = numbers, .value = spring_value,          \
  .gradient = spring_gradient, .hessian = spring_hessian, .stretch = spring_stretch,               \
  .laplacian = spring_laplacian
#define ELASTIC                                                                                    \
  .laplacian_bounds = 1, .elastic = spring_elastic, .constraint = spring_constraint,               \
  .strain = spring_strain

const csim_energy_kind csim_spring_kind = {SPRINGS("spring", CSIM_ROLE_STRETCH, NPARAM), ELASTIC};
const csim_energy_kind csim_ductile_spring_kind = {
    SPRINGS("ductile spring", CSIM_ROLE_STRETCH, NDUCTILE), ELASTIC, .nplastic = 2,
    .yield = ductile_yield};

// ------------------------------------------------------------------------------------------ limits

static int limit_constraint(const csim_energy *energy, const csim_point *at, int e,
                            csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  double r[3], l = spring_between(energy, at->x, e, r), over = l - param[LENGTH];
  if (!(over > 0)) over = 0;
  // the stiffness at which k/2 C^2 has the limit's force
  return along_spring(r, l, param[K] * over / param[LENGTH], over, c);
}

const csim_energy_kind csim_limit_kind = {SPRINGS("limit", CSIM_ROLE_LIMIT, LIMIT_NPARAM),
                                          .constraint = limit_constraint};

// ------------------------------------------------------------------------------------------ bounds

static int bound_constraint(const csim_energy *energy, const csim_point *at, int e,
                            csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  double r[3], l = spring_between(energy, at->x, e, r), over = l - param[LENGTH];
  if (!(over > 0)) over = 0;
  double way = param[END] - param[LENGTH];
  csim_v4 u = CSIM_SPLAT4(over / way), B[3];
  csim_bound_law(&u, B);
  // the stiffness at which k/2 C^2 has the bound's force
  return along_spring(r, l, over > 0 ? param[K] * way * B[1][0] / over : 0, over, c);
}

static double bound_max_step(const csim_energy *energy, const csim_point *at, const double *d,
                             int first, int last) {
  double share = 1;
  for (int e = first; e < last; e++) {
    double r[3], by[3], end = csim_energy_param(energy, e)[END];
    double l = spring_between(energy, at->x, e, r);
    if (d)
      spring_between(energy, d, e, by);
    else if (l > end)
      return 0;
    if (d) share = csim_min(share, csim_bound_max_step(l, r, by, end));
  }
  return share;
}

static int bound_excess(const csim_energy *energy, const csim_point *at, const double *d, int e,
                        csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  double r[3], by[3], from = spring_between(energy, at->x, e, r);
  spring_between(energy, d, e, by);
  csim_add_scaled(1, by, r);
  double l = csim_norm(r), over = csim_bound_excess(from, l, param[LENGTH], param[END]);
  return over > 0 && along_spring(r, l, 1, over, c);
}

const csim_energy_kind csim_bound_kind = {SPRINGS("bound", CSIM_ROLE_LIMIT, BOUND_NPARAM),
                                          .constraint = bound_constraint,
                                          .max_step = bound_max_step, .excess = bound_excess};
