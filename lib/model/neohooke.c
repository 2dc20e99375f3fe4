// model/neohooke.c: solids of a stable neo-Hookean material. Needs model/energy.h.
//
// F is the deformation gradient, s1, s2, s3 its singular values with the sign of det F on the
// smallest one, I = |F|^2, J = det F:
//   psi = m/2 (I - 3) + l/2 (J - a)^2 - m/2 ln(I + 1),   a = 1 + 3 m/(4 l),
//   m = 4/3 mu, l = lambda + 5/6 mu
// (Smith, de Goes, Kim, Stable Neo-Hookean Flesh Simulation, TOG 2018). It has Lame's lambda and mu
// at small strain and rests at F = I. It is defined for all F, so inverted elements recover.
//
// The same functions serve tetrahedra and patches; a patch has the mean F of its tetrahedra, see
// csim_network_solid.
//
// The Hessian is diagonal in the modes of F = U diag(s) V^T: six modes
// U (e_i e_j^T -+ e_j e_i^T) V^T / sqrt 2 with the eigenvalues m (1 - 1/(I + 1)) +- l (J - a) s_k,
// and a 3 x 3 matrix on U e_i e_i^T V^T. All are clamped exactly.
#include "model/energy.h"

#include "base/dmath.h"
#include "math/vec3.h"

#include <string.h>

enum { VOLUME, M, L, WEIGHT }; // WEIGHT (nnode x 3): F_ij = sum_n w[n][j] x_n,i

typedef struct solid {
  int nnode;
  const int *node;
  const double *p;
  double F[9]; // row-major
  double I, J, a;
  double l; // [Pa], without lambda in a patch that has lost it
} solid;

static const double *weight(const solid *s, int n) {
  return s->p + WEIGHT + csim_xyz(n);
}

// Lame's lambda [Pa], all of it.
static double lambda_of(const double *p) {
  return p[L] - 0.625 * p[M];
}

static solid solid_at(const csim_energy *energy, const csim_point *at, int e) {
  int nnode = energy->kind->nnode;
  solid s = {
      .nnode = nnode, .node = energy->node + csim_row(nnode, e), .p = csim_energy_param(energy, e)};
  const double *x0 = at->x + csim_xyz(s.node[0]);
  for (int n = 1; n < nnode; n++) { // weights sum to zero
    double d[3];
    csim_sub(at->x + csim_xyz(s.node[n]), x0, d);
    for (int i = 0; i < 3; i++) csim_add_scaled(d[i], weight(&s, n), s.F + csim_xyz(i));
  }
  for (int i = 0; i < 9; i++) s.I += s.F[i] * s.F[i];
  double row[3];
  csim_cross(s.F, s.F + 3, row);
  s.J = csim_dot(row, s.F + 6);
  const double *lost = csim_energy_plastic(energy, at, e);
  s.l = s.p[L] - (lost ? *lost * lambda_of(s.p) : 0);
  s.a = 1 + 0.75 * s.p[M] / s.l;
  return s;
}

// dJ/dF, row-major: the rows are cross products of the others.
static void cofactor(const double F[9], double C[9]) {
  csim_cross(F + 3, F + 6, C);
  csim_cross(F + 6, F, C + 3);
  csim_cross(F, F + 3, C + 6);
}

static double neohooke_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    solid s = solid_at(energy, at, e);
    double d = s.J - s.a, d0 = 1 - s.a; // 0 at rest
    sum += s.p[VOLUME] *
           (0.5 * s.p[M] * (s.I - 3 - csim_ln((s.I + 1) / 4)) + 0.5 * s.l * (d * d - d0 * d0));
  }
  return sum;
}

// dE/dF = V P.
static void stress(const solid *s, double P[9]) {
  double C[9], shear = s->p[M] * (1 - 1 / (s->I + 1)), bulk = s->l * (s->J - s->a);
  cofactor(s->F, C);
  for (int i = 0; i < 9; i++) P[i] = s->p[VOLUME] * (shear * s->F[i] + bulk * C[i]);
}

// dE/dx of a node.
static void force_on(const solid *s, const double P[9], int n, double g[3]) {
  for (int i = 0; i < 3; i++) g[i] = csim_dot(P + csim_xyz(i), weight(s, n));
}

static void neohooke_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                              double *g) {
  for (int e = first; e < last; e++) {
    solid s = solid_at(energy, at, e);
    double P[9], of_node[3];
    stress(&s, P);
    for (int n = 0; n < s.nnode; n++) {
      force_on(&s, P, n, of_node);
      csim_add_scaled(1, of_node, g + csim_xyz(s.node[n]));
    }
  }
}

// ----------------------------------------------------------------------------------------- Hessian

// F = U diag(s) V^T. U and V are rotations unless degenerate; the smallest s has the sign of J.
static void singular_values(const double F[9], double U[9], double sigma[3], double V[9]) {
  double C[9] = {0}, square[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) C[3 * i + j] += F[3 * k + i] * F[3 * k + j];
  csim_mat3_eigen(C, square, V); // ascending: column 0 is the smallest
  double u[3][3];
  for (int k = 2; k >= 0; k--) {
    double v[3] = {V[k], V[3 + k], V[6 + k]};
    csim_mat3_mul(F, v, u[k]);
    sigma[k] = csim_norm(u[k]);
  }
  double big = sigma[2] > 0 ? sigma[2] : 1;
  for (int k = 2; k >= 1; k--) {
    for (int j = 2; j > k; j--) csim_add_scaled(-csim_dot(u[k], u[j]), u[j], u[k]);
    double l = csim_norm(u[k]);
    if (!(l > 1e-12 * big)) { // any direction across the others
      int axis = fabs(k == 1 ? u[2][0] : 0) < 0.9 ? 0 : 1;
      memset(u[k], 0, sizeof u[k]);
      u[k][axis] = 1;
      for (int j = 2; j > k; j--) csim_add_scaled(-csim_dot(u[k], u[j]), u[j], u[k]);
      l = csim_norm(u[k]);
    }
    for (int c = 0; c < 3; c++) u[k][c] /= l;
  }
  double v[3][3], Fv[3], right[3];
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) v[k][c] = V[3 * c + k];
  csim_cross(u[1], u[2], u[0]);
  csim_cross(v[1], v[2], right);
  if (csim_dot(right, v[0]) < 0)
    for (int c = 0; c < 3; c++) V[3 * c] = v[0][c] = -v[0][c];
  csim_mat3_mul(F, v[0], Fv);
  sigma[0] = csim_dot(Fv, u[0]);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) U[3 * c + k] = u[k][c];
}

// H += s q q^T with q = sum_c mode[c] (column i_c of U)(column j_c of V)^T, (9), row-major.
static void add_mode(double s, const double q[9], double H[81]) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++) H[9 * i + j] += s * q[i] * q[j];
}

static void outer_column(const double U[9], int i, const double V[9], int j, double s,
                         double q[9]) {
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) q[3 * a + b] += s * U[3 * a + i] * V[3 * b + j];
}

// d2psi/dF2 (9 x 9), semidefinite.
static void projected(const solid *s, double H[81]) {
  double U[9], sigma[3], V[9], A[9];
  double m = s->p[M], l = s->l, shear = m * (1 - 1 / (s->I + 1)), bulk = l * (s->J - s->a);
  double pull = 2 * m / ((s->I + 1) * (s->I + 1)), root = sqrt(0.5);
  singular_values(s->F, U, sigma, V);
  memset(H, 0, 81 * sizeof *H);
  for (int k = 0; k < 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      double q[9] = {0}, value = shear - sign * bulk * sigma[k];
      outer_column(U, i, V, j, root, q);
      outer_column(U, j, V, i, sign * root, q);
      if (value > 0) add_mode(value, q, H);
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double Ji = sigma[(i + 1) % 3] * sigma[(i + 2) % 3];
      double Jj = sigma[(j + 1) % 3] * sigma[(j + 2) % 3];
      A[3 * i + j] =
          pull * sigma[i] * sigma[j] + l * Ji * Jj + (i == j ? shear : bulk * sigma[3 - i - j]);
    }
  csim_mat3_clamp(A);
  double q[3][9] = {{0}};
  for (int i = 0; i < 3; i++) outer_column(U, i, V, i, 1, q[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) H[9 * a + b] += A[3 * i + j] * q[i][a] * q[j][b];
}

static void exact(const solid *s, double H[81]) {
  double C[9], shear = s->p[M] * (1 - 1 / (s->I + 1)), bulk = s->l * (s->J - s->a);
  memset(H, 0, 81 * sizeof *H);
  cofactor(s->F, C);
  add_mode(2 * s->p[M] / ((s->I + 1) * (s->I + 1)), s->F, H);
  add_mode(s->l, C, H);
  for (int i = 0; i < 9; i++) H[10 * i] += shear;
  for (int i = 0; i < 3; i++) // d(row i of C)/d(row i + 1) = -[row i + 2]_x, and so around
    for (int next = 1; next <= 2; next++) {
      int j = (i + next) % 3, k = 3 - i - j;
      double t = (next == 1 ? -bulk : bulk);
      const double *r = s->F + 3 * k;
      double X[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) H[9 * (3 * i + a) + 3 * j + b] += t * X[3 * a + b];
    }
}

// Adds V w_m H w_n to the blocks of an element.
static void add_blocks(const solid *s, const double H[81], const int *slot, double *val) {
  for (int n = 0; n < s->nnode; n++) {
    double T[27]; // (9 x 3): H w_n
    for (int i = 0; i < 9; i++)
      for (int b = 0; b < 3; b++)
        T[3 * i + b] = s->p[VOLUME] * csim_dot(H + csim_row(9, i) + csim_xyz(b), weight(s, n));
    for (int m = 0; m < s->nnode; m++) {
      double *block = val + csim_row(9, slot[csim_row(s->nnode, m) + n]);
      for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
          csim_add_scaled(weight(s, m)[i], T + csim_xyz(3 * a + i), block + csim_xyz(a));
    }
  }
}

static void neohooke_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                             int first, int last, double *val) {
  int nnode = energy->kind->nnode;
  for (int e = first; e < last; e++) {
    solid s = solid_at(energy, at, e);
    double H[81];
    if (psd == CSIM_PSD_NONE)
      exact(&s, H);
    else
      projected(&s, H);
    add_blocks(&s, H, energy->slot + csim_row(nnode * nnode, e), val);
  }
}

// Weights V k w_m w_n of V k |F|^2/2, with k above the material's stiffness near rest: 2 mu +
// lambda.
static double weigh(const double *p, int m, int n) {
  return p[VOLUME] * (2 * p[M] + p[L]) *
         csim_dot(p + WEIGHT + csim_xyz(m), p + WEIGHT + csim_xyz(n));
}

static void neohooke_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                               double *val) {
  (void)at;
  int nnode = energy->kind->nnode;
  for (int e = first; e < last; e++) {
    const int *slot = energy->slot + csim_row(nnode * nnode, e);
    for (int m = 0; m < nnode; m++)
      for (int n = 0; n < nnode; n++)
        val[slot[csim_row(nnode, m) + n]] += weigh(csim_energy_param(energy, e), m, n);
  }
}

static void neohooke_elastic(const csim_energy *energy, double *elastic) {
  int nnode = energy->kind->nnode;
  for (int e = 0; e < energy->nelem; e++)
    for (int n = 0; n < nnode; n++)
      elastic[energy->node[csim_row(nnode, e) + n]] +=
          0.5 * weigh(csim_energy_param(energy, e), n, n);
}

// The whole energy as one constraint, as in membrane.c.
static int neohooke_constraint(const csim_energy *energy, const csim_point *at, int e,
                               csim_constraint *c) {
  solid s = solid_at(energy, at, e);
  double E = neohooke_value(energy, at, e, e + 1), C = sqrt(csim_max(0, 2 * E / s.p[VOLUME]));
  double modulus = s.p[M] + s.p[L], P[9];
  if (!(C > 1e-9 * sqrt(modulus))) return 0; // the root of what rounding leaves
  *c = (csim_constraint){.dim = 1, .k = s.p[VOLUME], .C = {C}};
  stress(&s, P);
  for (int n = 0; n < s.nnode; n++) {
    force_on(&s, P, n, c->grad[n]);
    for (int i = 0; i < 3; i++) c->grad[n][i] /= s.p[VOLUME] * C;
  }
  return 1;
}

// A patch that is nearly or fully inverted loses lambda, and regains it gradually once it is near
// rest. With lambda a body gets caught on its way back, in a fold through itself that it could only
// leave by changing its volume: in two of three starts with cubes at nu = 0.45, and in none at nu =
// 0.
static void patch_yield(const csim_energy *energy, const csim_point *at, int first, int last,
                        double h, double *plastic) {
  static const double TURNED = 0.2, NEAR = 0.02, RATE = 20; // J, strains squared and J - 1, [1/s]
  for (int e = first; e < last; e++) {
    double *lost = plastic + energy->plastic + e;
    solid s = solid_at(energy, at, e);
    if (s.J < TURNED)
      *lost = 1;
    else if (*lost > 0 && s.I < 3 + NEAR && fabs(s.J - 1) < NEAR)
      *lost = *lost > 1e-3 ? *lost * csim_exp(-RATE * h) : 0;
  }
}

// Largest stretch of an edge of a tetrahedron. The edges at rest are the columns of the inverse of
// its weights.
static double neohooke_strain(const csim_energy *energy, const csim_point *at, int e) {
  const int *node = energy->node + csim_row(4, e);
  double columns[9], rest[12] = {0}, most = -1;
  csim_mat3_inverse(csim_energy_param(energy, e) + WEIGHT + 3, columns);
  for (int k = 0; k < 9; k++) rest[csim_xyz(1 + k % 3) + k / 3] = columns[k];
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      double length = csim_distance(at->x + csim_xyz(node[a]), at->x + csim_xyz(node[b]));
      most = csim_max(most, length / csim_distance(rest + csim_xyz(a), rest + csim_xyz(b)) - 1);
    }
  return most;
}

#define CSIM_NEOHOOKE_FUNCTIONS                                                                    \
  .role = CSIM_ROLE_VOLUME, .value = neohooke_value, .gradient = neohooke_gradient,                \
  .hessian = neohooke_hessian, .laplacian = neohooke_laplacian, .elastic = neohooke_elastic,       \
  .constraint = neohooke_constraint

const csim_energy_kind csim_neohooke_kind = {.name = "neo-hookean",
                                             .nnode = 4,
                                             .nparam = WEIGHT + 12,
                                             .strain = neohooke_strain,
                                             CSIM_NEOHOOKE_FUNCTIONS};

const csim_energy_kind csim_solid_patch_kind = {.name = "patches",
                                                .nnode = CSIM_PATCH_NODES,
                                                .nparam = WEIGHT + 3 * CSIM_PATCH_NODES,
                                                .nplastic = 1,
                                                .yield = patch_yield,
                                                CSIM_NEOHOOKE_FUNCTIONS};

csim_lame csim_lame_of(double E, double nu) {
  return (csim_lame){E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
}

static void set_lame(const csim_lame *lame, double *param) {
  param[M] = 4 * lame->mu / 3;
  param[L] = lame->lambda + 5 * lame->mu / 6;
}

int csim_neohooke_param(const double *X, const int node[4], const csim_lame *lame,
                        double param[15]) {
  double D[9];
  for (int n = 0; n < 3; n++)
    for (int c = 0; c < 3; c++)
      D[3 * c + n] = X[csim_xyz(node[n + 1]) + c] - X[csim_xyz(node[0]) + c];
  double *w = param + WEIGHT, det = csim_mat3_inverse(D, w + 3);
  if (!(det > 0)) return -1;
  for (int j = 0; j < 3; j++) w[j] = -(w[3 + j] + w[6 + j] + w[9 + j]);
  param[VOLUME] = det / 6;
  set_lame(lame, param);
  return 0;
}

void csim_solid_patch_param(const csim_lame *lame, double *param) {
  param[VOLUME] = 0;
  set_lame(lame, param);
  memset(param + WEIGHT, 0, 3 * CSIM_PATCH_NODES * sizeof *param);
}

void csim_solid_patch_add(const double *tet, const int local[4], double *param) {
  double V = param[VOLUME] + tet[VOLUME];
  for (int k = 0; k < 3 * CSIM_PATCH_NODES; k++) param[WEIGHT + k] *= param[VOLUME] / V;
  for (int n = 0; n < 4; n++)
    csim_add_scaled(tet[VOLUME] / V, tet + WEIGHT + csim_xyz(n),
                    param + WEIGHT + csim_xyz(local[n]));
  param[VOLUME] = V;
}
