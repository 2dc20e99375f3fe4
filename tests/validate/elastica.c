// tests/validate/elastica.c: case 9: bending stiffness as a laboratory measures it.
#include "validate.h"

#include "math/cholesky.h"
#include "mesh/shapes.h"
#include "model/layout.h"

typedef enum strip_mesh { ALTERNATE, SAME, EQUILATERAL, JITTERED } strip_mesh;

/// A cantilever of N free rows beyond clamped ones; its length is 1 m = (N + 1/2) rows.
typedef struct strip {
  strip_mesh mesh;
  const csim_energy_kind *bending;
  int hinges; ///< on grids: of the triangles, not second differences
  int N;
  int clamped;  ///< rows
  int width;    ///< cells across
  double gamma; ///< rho g L^3 / B
  int on_edge;  ///< its width is upright: a membrane that keeps its length and buckles sideways
} strip;

// Rows of an equilateral lattice across the strip, half a cell to and fro; a row is d wide.
static void equilateral_mesh(int nrow, int width, double d, csim_mesh *mesh) {
  int across = width + 1, n = 0;
  double a = 2 * d / sqrt(3.0);
  *mesh = (csim_mesh){.nvert = nrow * across, .ntri = 2 * (nrow - 1) * width};
  mesh->vert = calloc(3 * (size_t)mesh->nvert, sizeof *mesh->vert);
  mesh->tri = calloc(3 * (size_t)mesh->ntri, sizeof *mesh->tri);
  for (int i = 0; i < nrow; i++)
    for (int j = 0; j < across; j++) {
      mesh->vert[3 * (i * across + j)] = i * d;
      mesh->vert[3 * (i * across + j) + 2] = (j + 0.5 * (i % 2)) * a;
    }
  for (int i = 0; i + 1 < nrow; i++)
    for (int j = 0; j < width; j++) {
      int v = i * across + j, w = v + across;
      int even[6] = {v, v + 1, w, v + 1, w + 1, w}, odd[6] = {v, w + 1, w, v, v + 1, w + 1};
      memcpy(mesh->tri + n, i % 2 ? odd : even, sizeof even);
      n += 6;
    }
}

// The vertices are in rows across the strip (equilateral) or along it (grids): which row is i in?
static int row_of(const strip *s, int i) {
  return s->mesh == EQUILATERAL ? i / (s->width + 1) : i % (s->N + s->clamped);
}

static void make_mesh(const strip *s, double d, csim_mesh *mesh) {
  unsigned char *mark = calloc((size_t)(s->N + s->clamped) * (size_t)(s->width + 1), 1);
  if (s->mesh == EQUILATERAL) {
    equilateral_mesh(s->N + s->clamped, s->width, d, mesh);
  } else {
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID,
                            .size = {(s->N + s->clamped - 1) * d, s->width * d},
                            .cells = {s->N + s->clamped - 1, s->width},
                            .same_diagonals = s->mesh == SAME};
    CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, mesh) == CSIM_OK);
  }
  double x0 = mesh->vert[0];
  for (int i = 0; i < mesh->nvert && s->mesh == JITTERED; i++) {
    double z = fabs(mesh->vert[3 * i + 2]);
    int row = row_of(s, i);
    mark[i] = row >= s->clamped && row < s->N + s->clamped - 1 && z < (s->width / 2.0 - 0.5) * d;
  }
  if (s->mesh == JITTERED) kit_jitter(mesh, mark, 0.8 * d, 7);
  free(mark);
  for (int i = 0; i < mesh->nvert; i++) // the last clamped row at 0
    mesh->vert[3 * i] -= x0 + (s->clamped - 1) * d;
}

static void strip_begin(const strip *s, kit *k) {
  double d = 1.0 / (s->N + 0.5), B = 1e-4, weight = s->gamma * B; // [N/m^2]
  csim_mesh mesh;
  csim_topology topology;
  make_mesh(s, d, &mesh);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 0, 0.4, k); // large steps: only the rest is of interest
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, k->model->mass);
  for (int i = 0; i < mesh.nvert; i++) k->model->mass[i] *= weight / 9.81;
  for (int i = 0; i < mesh.nvert; i++)
    if (row_of(s, i) < s->clamped) kit_pin(k, i);
  csim_part part = {.X = mesh.vert, .compression = 1};
  // a plate that bends instead of stretching: it keeps flat across, which on equilateral hinges
  // (Poisson's ratio -1/3) costs the difference between a beam and a plate
  if (s->bending == &csim_curvature_kind || s->on_edge) {
    *k->model->body[0].mesh = mesh;
    double E = (s->on_edge ? 1e6 : 1e4) * weight;
    kit_membrane(k, &(csim_moduli){E, E, E / 2, 0, 0, 0, 0}, &k->orthotropic);
    if (s->bending == &csim_curvature_kind)
      kit_curvature(k, B, B);
    else
      csim_network_grid_hinges(s->N + s->clamped - 1, s->width, &part, B, &k->quadratic);
    csim_topology_free(&topology);
    return;
  }
  csim_network_mesh(&topology, &part, s->mesh == EQUILATERAL ? 1e5 * weight : 1e4 * weight,
                    &k->springs);
  csim_elements *hinges = s->bending == &csim_quadratic_kind   ? &k->quadratic
                          : s->bending == &csim_cotangent_kind ? &k->cotangent
                                                               : &k->dihedral;
  if (s->hinges || s->mesh == EQUILATERAL)
    csim_network_hinges(&topology, &part, B, hinges);
  else
    csim_network_grid_hinges(s->N + s->clamped - 1, s->width, &part, B, hinges);
  csim_topology_free(&topology);
  *k->model->body[0].mesh = mesh;
}

// Drop over reach at rest.
static double cantilever(const strip *s) {
  double d = 1.0 / (s->N + 0.5), last = 0, drop = 0, reach = 1;
  kit k;
  strip_begin(s, &k);
  int tip = 0;
  for (int i = 0; i < k.model->nvert && !tip; i++)
    if (row_of(s, i) == s->N + s->clamped - 1) tip = i;
  // the middle of the last row
  tip += (s->mesh == EQUILATERAL ? 1 : s->N + s->clamped) * (s->width / 2);
  k.params.tolerance = 1e-5;
  kit_ready(&k, 2);
  for (int n = 0; n < 300; n++) {
    kit_step(&k);
    drop = -k.state.x[3 * tip + 1], reach = k.state.x[3 * tip] + d / 2;
    if (n > 10 && fabs(drop - last) < 1e-7) break;
    last = drop;
  }
  kit_end(&k);
  return drop / reach;
}

// Hinges of an equilateral mesh are an isotropic plate of stiffness B and Poisson's ratio -1/3: a
// narrow strip that bends little has a beam's 8/9 B, one that is kept flat across has the plate's
// B. The strip must lie between the two; the beam's drop is the closed form's at 9/8 Gamma.
static void equilateral_strips(void) {
  static const struct {
    double gamma, plate, beam;
  } bounds[2] = {{1, 0.124562, 0.139996}, {8, 0.884330, 0.9772}};
  static const csim_energy_kind *const kinds[2] = {&csim_quadratic_kind, &csim_dihedral_kind};
  for (int kind = 0; kind < 2 && asked.all; kind++)
    for (int fine = 0; fine < 2; fine++)
      for (int g = 0; g < 2; g++) {
        strip s = {.mesh = EQUILATERAL,
                   .bending = kinds[kind],
                   .N = fine ? 80 : 40,
                   .clamped = 2,
                   .width = fine ? 12 : 6,
                   .gamma = bounds[g].gamma};
        double middle = (bounds[g].plate + bounds[g].beam) / 2;
        char what[100];
        snprintf(what, sizeof what, "%s, N = %d, equilateral, Gamma = %g: plate to beam",
                 kinds[kind]->name, s.N, s.gamma);
        expect(what, middle, cantilever(&s),
               (bounds[g].beam - bounds[g].plate) / 2 + bounds[g].plate * (fine ? 0.01 : 0.02));
      }
}

// The whole curve at N = 60, two rows clamped: on shapes grid by second differences, on meshes by
// curvature, a plate's stiffness on every mesh. At Gamma = 1000 all that bends is six cells long,
// and an irregular mesh has to be wide for its cells there to stand for others: strips of a
// Delaunay mesh 6 cells wide are off by -3.5 to +3.3 % (six meshes), 12 wide by -1.4 to +2.6 %.
// Without --all only what tells most: the fits at a border look to one side, and if those at the
// clamped end saw what bends beyond, the same grid as a file would be 7 % too stiff.
static void master_curve(void) {
  static const char *const meshes[5] = {"alternate", "same", "equilateral", "Delaunay", "grid"};
  static const double gamma[6] = {0.01, 0.1, 1, 10, 100, 1000};
  static const double ratio[6] = {0.00125, 0.0125, 0.124562, 1.066802, 5.8835, 21.270};
  for (int mesh = 0; mesh < 5; mesh++)
    for (int g = 0; g < 6; g++) {
      if (!asked.all && (mesh != SAME || g != 5)) continue;
      strip s = {.mesh = mesh < 4 ? (strip_mesh)mesh : ALTERNATE,
                 .bending = mesh < 4 ? &csim_curvature_kind : &csim_quadratic_kind,
                 .N = 60,
                 .clamped = 2,
                 .width = asked.all ? 12 : 4,
                 .gamma = gamma[g]};
      char what[100];
      snprintf(what, sizeof what, "%s, N = %d, %s, Gamma = %g", s.bending->name, s.N, meshes[mesh],
               gamma[g]);
      expect(what, ratio[g], cantilever(&s), ratio[g] * 0.03);
    }
  if (asked.all) return;
  strip s = {JITTERED, &csim_curvature_kind, .N = 40, .clamped = 2, .width = 4, .gamma = 8};
  expect("curvature, N = 40, Delaunay, Gamma = 8", 0.884330, cantilever(&s), 0.884330 * 0.03);
}

// Whether a strip on its edge is stable in its own plane under its weight.
static int is_stable(const strip *s) {
  kit k;
  csim_arena arena = {0};
  csim_layout layout;
  csim_cholesky F;
  strip_begin(s, &k);
  kit_ready(&k, 1);
  int n = k.model->nvert;
  CHECK(csim_layout_build(&arena, k.model, &layout) == 0);
  csim_bsr H = {&layout.pattern, CSIM_ARENA_NEW(&arena, double, 9 * layout.pattern.nblock)};
  double *x = CSIM_ARENA_NEW(&arena, double, 3 * n), *g = CSIM_ARENA_NEW(&arena, double, 3 * n);
  CHECK(csim_cholesky_analyze(&arena, &layout.pattern, 3, &F) == 0);
  memcpy(x, k.model->x0, 3 * (size_t)n * sizeof *x);
  csim_point at = {.x = x};
  int stable = 0;
  for (int step = 0; step <= 8; step++) { // the last round is for the Hessian as it is
    memset(g, 0, 3 * (size_t)n * sizeof *g);
    memset(H.val, 0, 9 * (size_t)layout.pattern.nblock * sizeof *H.val);
    for (int i = 0; i < n; i++) g[3 * i + 2] = 9.81 * k.model->mass[i];
    for (int e = 0; e < k.model->nenergy; e++) {
      csim_energy_gradient(NULL, &k.model->energy[e], &at, g);
      csim_energy_hessian(NULL, &layout.energy[e], &at, step < 8 ? CSIM_PSD_DROP : CSIM_PSD_NONE,
                          H.val);
    }
    csim_bsr_fix(NULL, k.model->fixed, &H);
    for (int i = 0; i < n; i++)
      if (k.model->fixed[i]) memset(g + 3 * i, 0, 3 * sizeof *g);
    stable = csim_cholesky_factor(&F, H.val) == CSIM_SOLVE_CONVERGED;
    if (step == 8) break;
    CHECK(stable);
    csim_cholesky_solve(&F, g, g);
    for (int i = 0; i < 3 * n; i++) x[i] -= g[i];
  }
  csim_arena_free(&arena);
  kit_end(&k);
  return stable;
}

// A strip on its edge, clamped at one end, tips over sideways from Gamma = 12.85376 sqrt(GJ / EI)
// on (self-weight, Prandtl 1899; 12.85376 from the first zero of J_-1/6). A plate without Poisson's
// ratio has GJ = 2 EI: 18.178, for a strip that is narrow against its length. A clamp that stops it
// from warping takes 0.2 of its width off the length that twists (Vlasov's sqrt(EI_w / GJ), I_w =
// w^3 t^3 / 144), so a wider one is only printed.
static void lateral_buckling(void) {
  static const char *const meshes[3] = {"grid", "the grid as a file", "Delaunay"};
  for (int wide = 0; wide < 2; wide++)
    for (int mesh = 0; mesh < 3; mesh++) {
      strip s = {.mesh = mesh == 2 ? JITTERED : ALTERNATE,
                 .bending = mesh ? &csim_curvature_kind : &csim_quadratic_kind,
                 .N = 60,
                 .clamped = 2,
                 .width = wide ? 6 : 3,
                 .on_edge = 1};
      double low = 10, high = 30;
      while (high - low > 0.01) {
        s.gamma = (low + high) / 2;
        if (is_stable(&s))
          low = s.gamma;
        else
          high = s.gamma;
      }
      char what[100];
      snprintf(what, sizeof what, "lateral buckling, N = 60, %d cells high, %s: Gamma", s.width,
               meshes[mesh]);
      if (wide)
        printf("   %s: %.6g\n", what, low);
      else
        expect(what, 18.178, low, 18.178 * 0.05);
    }
}

void case_elastica(void) {
  static const double gamma[6] = {1, 2, 5, 8, 10, 20};
  static const double ratio[6] = {0.124562, 0.246673, 0.585721, 0.884330, 1.066802, 1.863930};
  static const csim_energy_kind *const kinds[3] = {&csim_quadratic_kind, &csim_dihedral_kind,
                                                   &csim_cotangent_kind};
  static const char *const meshes[2] = {"alternate diagonals", "same diagonals"};
  char what[100];
  heading("9  heavy elastica: drop over reach of a cantilever strip");
  for (int kind = 0; kind < 3; kind++)
    for (int fine = 0; fine < (asked.all ? 2 : 1); fine++)
      for (int mesh = 0; mesh < 2; mesh++)
        for (int g = 0; g < 6; g++) {
          if (!asked.all && (g != 3 || kind == 2 || mesh == 0)) continue;
          strip s = {.mesh = (strip_mesh)mesh,
                     .bending = kinds[kind],
                     .N = fine ? 80 : 40,
                     .clamped = 2,
                     .width = 4,
                     .gamma = gamma[g]};
          snprintf(what, sizeof what, "%s, N = %d, %s, Gamma = %g", kinds[kind]->name, s.N,
                   meshes[mesh], gamma[g]);
          expect(what, ratio[g], cantilever(&s), ratio[g] * (fine ? 0.01 : 0.02));
        }
  equilateral_strips();
  master_curve();
  if (!asked.all) return;
  lateral_buckling();
  // not checked: what hinges of right triangles give instead (docs/methods.md)
  for (int mesh = 0; mesh < 2; mesh++) {
    strip s = {.mesh = (strip_mesh)mesh,
               .bending = &csim_dihedral_kind,
               .hinges = 1,
               .N = 40,
               .clamped = 2,
               .width = 4,
               .gamma = 1};
    printf("   hinges of right triangles, %s, N = 40, Gamma = 1: %.6g\n", meshes[mesh],
           cantilever(&s));
  }
}
