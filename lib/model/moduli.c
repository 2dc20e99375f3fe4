// model/moduli.c: see moduli.h.
#include "model/moduli.h"

#include "base/dmath.h"
#include "base/scratch.h"
#include "math/pcg.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "mesh/topology.h"
#include "model/layout.h"

#include <math.h>
#include <string.h>

static const csim_solve_goal GOAL = {.tolerance = 1e-3, .max_iterations = 5000};

// Springs as a linear map of displacements along a surface.
typedef struct network {
  int nvert, nspring;
  const int *node; // (nspring x 2)
  int vert0;
  double *k;         // (nspring) [N/m]
  double *direction; // (nspring x 3)
  double *normal;    // (nvert x 3)
  double *diagonal;  // (nvert) [N/m]
} network;

static void make_tangent(const network *net, double *x) {
  for (int i = 0; i < net->nvert; i++) {
    const double *n = net->normal + csim_xyz(i);
    csim_add_scaled(-csim_dot(n, x + csim_xyz(i)), n, x + csim_xyz(i));
  }
}

// q = K p, plus a share of the diagonal for vertices that no spring holds. p is tangent.
static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  const network *net = context;
  for (int i = 0; i < 3 * net->nvert; i++) q[i] = 1e-9 * net->diagonal[i / 3] * p[i];
  for (int e = 0; e < net->nspring; e++) {
    ptrdiff_t a = csim_xyz(net->node[csim_row(2, e)] - net->vert0);
    ptrdiff_t b = csim_xyz(net->node[csim_row(2, e) + 1] - net->vert0);
    const double *n = net->direction + csim_xyz(e);
    double d[3];
    csim_sub(p + a, p + b, d);
    double pull = net->k[e] * csim_dot(n, d);
    csim_add_scaled(pull, n, q + a);
    csim_add_scaled(-pull, n, q + b);
  }
  make_tangent(net, q);
  return csim_vector_dot(pool, 3 * net->nvert, p, q);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  const network *net = context;
  int n = 3 * net->nvert;
  for (int i = 0; i < n; i++) z[i] = net->diagonal[i / 3] > 0 ? r[i] / net->diagonal[i / 3] : 0;
  return csim_vector_dot(pool, n, r, z);
}

static int make_network(csim_arena *arena, const csim_mesh *mesh, const double *X,
                        const csim_elements *springs, int first, network *net) {
  net->nvert = mesh->nvert;
  net->nspring = springs->nelem - first;
  net->node = springs->node + csim_row(2, first);
  net->k = CSIM_ARENA_NEW(arena, double, net->nspring);
  net->direction = CSIM_ARENA_NEW(arena, double, csim_xyz(net->nspring));
  net->normal = CSIM_ARENA_NEW(arena, double, csim_xyz(mesh->nvert));
  net->diagonal = CSIM_ARENA_NEW(arena, double, mesh->nvert);
  if (arena->failed) return -1;
  csim_vert_normals(mesh->nvert, mesh->ntri, mesh->tri, X, net->normal);
  for (int e = 0; e < net->nspring; e++) {
    ptrdiff_t a = net->node[csim_row(2, e)] - net->vert0;
    ptrdiff_t b = net->node[csim_row(2, e) + 1] - net->vert0;
    double *n = net->direction + csim_xyz(e);
    csim_sub(X + 3 * b, X + 3 * a, n);
    double l = csim_normalise(n);
    net->k[e] = l > 0 ? springs->param[springs->kind->nparam * (ptrdiff_t)(first + e)] : 0;
    net->diagonal[a] += net->k[e];
    net->diagonal[b] += net->k[e];
  }
  return 0;
}

// Gradients of the triangle's three linear functions along (warp, weft), g (3 x 2), and its area; 0
// without one.
static double gradients(const double x[6], double g[6]) {
  double a[2] = {x[2] - x[0], x[3] - x[1]}, b[2] = {x[4] - x[0], x[5] - x[1]};
  double det = a[0] * b[1] - a[1] * b[0];
  if (det == 0) return 0;
  memcpy(g,
         (double[6]){(a[1] - b[1]) / det, (b[0] - a[0]) / det, b[1] / det, -b[0] / det, -a[1] / det,
                     a[0] / det},
         6 * sizeof *g);
  return 0.5 * fabs(det);
}

// Directions of warp and weft of a triangle in space: F = dx/d(warp, weft), (3 x 2).
static void frame_of(const csim_mesh *mesh, const double *X, int t, const double g[6],
                     double F[6]) {
  memset(F, 0, 6 * sizeof *F);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 6; c++)
      F[c] += X[csim_xyz(mesh->tri[csim_xyz(t) + k]) + c / 2] * g[2 * k + c % 2];
}

// Adds the forces of a uniform stress s (s11, s22, s12).
static void load(const csim_mesh *mesh, const double *X, const double *flat, const double s[3],
                 double *f) {
  for (int t = 0; t < mesh->ntri; t++) {
    double g[6], F[6], A = gradients(flat + csim_row(6, t), g);
    if (!(A > 0)) continue;
    frame_of(mesh, X, t, g, F);
    for (int k = 0; k < 3; k++) {
      double *at = f + csim_xyz(mesh->tri[csim_xyz(t) + k]);
      double p = A * (s[0] * g[2 * k] + s[2] * g[2 * k + 1]);
      double q = A * (s[2] * g[2 * k] + s[1] * g[2 * k + 1]);
      for (int c = 0; c < 3; c++) at[c] += p * F[2 * c] + q * F[2 * c + 1];
    }
  }
}

// Mean strain e (e11, e22, 2 e12) of displacements u.
static void mean_strain(const csim_mesh *mesh, const double *X, const double *flat, const double *u,
                        double e[3]) {
  double sum[3] = {0}, area = 0;
  for (int t = 0; t < mesh->ntri; t++) {
    double g[6], F[6], D[4] = {0}, A = gradients(flat + csim_row(6, t), g);
    if (!(A > 0)) continue;
    frame_of(mesh, X, t, g, F);
    for (int k = 0; k < 3; k++) {
      const double *at = u + csim_xyz(mesh->tri[csim_xyz(t) + k]);
      for (int i = 0; i < 2; i++) {
        double along = F[i] * at[0] + F[2 + i] * at[1] + F[4 + i] * at[2];
        for (int j = 0; j < 2; j++) D[2 * i + j] += along * g[2 * k + j];
      }
    }
    sum[0] += A * D[0], sum[1] += A * D[3], sum[2] += A * (D[1] + D[2]);
    area += A;
  }
  for (int c = 0; c < 3; c++) e[c] = area > 0 ? sum[c] / area : 0;
}

double csim_modulus_at(const csim_sheet_moduli *m, double angle) {
  double c = csim_cos(angle), s = csim_sin(angle), d[3] = {c * c, s * s, c * s}, sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += d[i] * m->S[3 * i + j] * d[j];
  return sum > 0 ? 1 / sum : 0;
}

static void read_off(csim_sheet_moduli *m) {
  for (int k = 0; k < 3; k++) m->at[k] = csim_modulus_at(m, k * CSIM_PI / 4);
  m->least = m->most = m->at[0];
  for (int k = 1; k < 36; k++) {
    double E = csim_modulus_at(m, k * CSIM_PI / 36);
    m->least = E < m->least ? E : m->least;
    m->most = E > m->most ? E : m->most;
  }
  m->shear = m->S[8] > 0 ? 1 / m->S[8] : 0;
  m->poisson = m->S[0] > 0 ? -m->S[3] / m->S[0] : 0;
}

int csim_measure_moduli(const csim_mesh *mesh, const double *X, const double *flat,
                        const csim_elements *springs, int first, int vert0,
                        csim_sheet_moduli *moduli) {
  csim_arena arena = {0};
  csim_scratch scratch = {0};
  network net = {.vert0 = vert0};
  ptrdiff_t n = csim_xyz(mesh->nvert);
  *moduli = (csim_sheet_moduli){.converged = 1};
  int status = make_network(&arena, mesh, X, springs, first, &net);
  double *f = CSIM_ARENA_NEW(&arena, double, n + 1), *u = CSIM_ARENA_NEW(&arena, double, n + 1);
  if (arena.failed || csim_pcg_reserve(&scratch, (int)n)) status = -1;
  csim_linear_system system = {&net, (int)n, multiply, precondition};
  for (int k = 0; k < 3 && !status; k++) {
    double s[3] = {k == 0, k == 1, k == 2}, e[3];
    memset(f, 0, (size_t)n * sizeof *f);
    load(mesh, X, flat, s, f);
    make_tangent(&net, f);
    csim_solve_report report = csim_pcg_solve(NULL, &system, f, &GOAL, &scratch, u);
    if (report.outcome != CSIM_SOLVE_CONVERGED) moduli->converged = 0;
    mean_strain(mesh, X, flat, u, e);
    for (int i = 0; i < 3; i++) moduli->S[3 * i + k] = e[i];
  }
  if (!status) read_off(moduli);
  csim_scratch_free(&scratch);
  csim_arena_free(&arena);
  return status;
}

// ------------------------------------------------------------------------------------------ solids

// Gradients of a tetrahedron's four linear functions, g (4 x 3) [1/m], and its volume.
static double solid_gradients(const csim_model *model, const csim_body *body, int t, double g[12]) {
  const int *v = body->tet + csim_row(4, t);
  const double *x0 = model->x0 + csim_xyz(body->vert0 + v[0]);
  double e[3][3];
  for (int k = 0; k < 3; k++) csim_sub(model->x0 + csim_xyz(body->vert0 + v[k + 1]), x0, e[k]);
  memset(g, 0, 12 * sizeof *g);
  for (int k = 0; k < 3; k++) csim_cross(e[(k + 1) % 3], e[(k + 2) % 3], g + 3 * (k + 1));
  double six = csim_dot(e[0], g + 3);
  if (!(six > 0)) return 0;
  for (int k = 3; k < 12; k++) {
    g[k] /= six;
    g[k % 3] -= g[k];
  }
  return six / 6;
}

// Adds the forces of a unit stress along an axis.
static void load_solid(const csim_model *model, const csim_body *body, int axis, double *f) {
  for (int t = 0; t < body->ntet; t++) {
    double g[12], V = solid_gradients(model, body, t, g);
    for (int k = 0; k < 4 && V > 0; k++)
      f[csim_xyz(body->vert0 + body->tet[csim_row(4, t) + k]) + axis] += V * g[3 * k + axis];
  }
}

// Mean normal strains of displacements u (nvert x 3).
static void solid_strain(const csim_model *model, const csim_body *body, const double *u,
                         double mean[3]) {
  double sum[3] = {0}, volume = 0;
  for (int t = 0; t < body->ntet; t++) {
    double g[12], V = solid_gradients(model, body, t, g);
    for (int k = 0; k < 4 && V > 0; k++)
      for (int c = 0; c < 3; c++)
        sum[c] += V * g[3 * k + c] * u[csim_xyz(body->vert0 + body->tet[csim_row(4, t) + k]) + c];
    volume += V;
  }
  for (int c = 0; c < 3; c++) mean[c] = volume > 0 ? sum[c] / volume : 0;
}

int csim_measure_solid(const csim_model *model, const csim_body *body, csim_solid_moduli *moduli) {
  csim_arena arena = {0};
  csim_scratch scratch = {0};
  csim_layout layout;
  csim_block_jacobi P;
  csim_point at = {.x = model->x0};
  int n = 3 * model->nvert, status = -1;
  *moduli = (csim_solid_moduli){.converged = 1};
  if (csim_layout_build(&arena, model, &layout)) goto done;
  csim_bsr K = {&layout.pattern, NULL};
  K.val = CSIM_ARENA_NEW(&arena, double, csim_row(9, layout.pattern.nblock));
  double *f = CSIM_ARENA_NEW(&arena, double, (ptrdiff_t)n + 1);
  double *u = CSIM_ARENA_NEW(&arena, double, (ptrdiff_t)n + 1);
  if (arena.failed || csim_block_jacobi_create(&arena, layout.pattern.nrow, &P) ||
      csim_pcg_reserve(&scratch, n))
    goto done;
  for (int e = 0; e < layout.nenergy; e++) {
    csim_role role = layout.energy[e].kind->role;
    if (role == CSIM_ROLE_STRETCH || role == CSIM_ROLE_VOLUME)
      csim_energy_hessian(NULL, &layout.energy[e], &at, CSIM_PSD_CLAMP, K.val);
  }
  csim_block_jacobi_update(NULL, &K, &P, NULL);
  csim_matrix_pair pair = {&K, &P};
  csim_linear_system system = csim_matrix_system(&pair);
  for (int axis = 0; axis < 3; axis++) {
    double e[3];
    memset(f, 0, (size_t)n * sizeof *f);
    load_solid(model, body, axis, f);
    csim_solve_report report = csim_pcg_solve(NULL, &system, f, &GOAL, &scratch, u);
    if (report.outcome != CSIM_SOLVE_CONVERGED) moduli->converged = 0;
    solid_strain(model, body, u, e);
    if (!(e[axis] > 0)) continue;
    moduli->along[axis] = 1 / e[axis];
    moduli->poisson -= (e[(axis + 1) % 3] + e[(axis + 2) % 3]) / (6 * e[axis]);
  }
  status = 0;
done:
  csim_scratch_free(&scratch);
  csim_arena_free(&arena);
  return status;
}
