// tests/validate/locking.c: case K: a cloth whose mesh does not let it fold, and what each cure of
// locking does about it.
//
// A square is held along a diagonal; its halves fall down on both sides. Where the triangles' own
// diagonals run along the fold, every cell can fold on an edge: that is the unlocked shape, the
// same to 0.01 mm on 16 and 64 cells. Where they run across, or on both diagonals, no cell can bend
// without a spring's being shortened.
#include "validate.h"

#include "math/vec3.h"
#include "mesh/shapes.h"
#include "model/levels.h"

enum { CELLS = 16, ROW = CELLS + 1, NVERT = ROW * ROW };

// A network with a cure, or none.
typedef struct cure {
  const char *name;
  int across;     ///< diagonals run across the fold
  int structured; ///< springs on both
  int no_diagonals;
  double compression, slack, softer;
  int levels;
  double allowed; ///< [-] share of the locking that may be left; 0: only told
  double longer;  ///< [-] error of the stretch that is allowed; 0: only told
  int quick;
  const char *drawn; ///< in this colour; NULL: not
} cure;

// Along the fold, across it, on both diagonals; then cures of the second.
static const cure UNLOCKED = {.compression = 1, .softer = 1};
static const cure ACROSS = {.across = 1, .compression = 1, .softer = 1};
static const cure BOTH = {.structured = 1, .compression = 1, .softer = 1};
static const cure cures[] = {
    {"compression 0.1", 1, 0, 0, 0.1, 0, 1, 0, 0.8, 0.05, 1, "#b8860b"},
    {"compression 0.01", 1, 0, 0, 0.01, 0, 1, 0, 0.5, 0.05, 0, NULL},
    {"slack 0.01", 1, 0, 0, 1, 0.01, 1, 0, 0.8, 0, 0, NULL},
    {"edges no-diagonals", 1, 0, 1, 1, 0, 1, 0, 0.01, 0.05, 1, NULL},
    {"levels 1", 1, 0, 0, 1, 0, 1, 1, 0.65, 0.25, 1, "#1f77b4"},
    {"levels 2", 1, 0, 0, 1, 0, 1, 2, 0.65, 0.6, 0, NULL},
    {"levels 1, compression 0.1", 1, 0, 0, 0.1, 0, 1, 1, 0.45, 0, 0, "#7b3fa0"},
    {"none of these, but ten times softer", 1, 0, 0, 1, 0, 0.1, 0, 0, 0, 0, NULL},
};

static void add_network(const cure *c, const csim_mesh *mesh, const csim_topology *topology,
                        const unsigned char *held, double E2D, kit *k) {
  csim_part part = {.X = mesh->vert,
                    .compression = c->compression,
                    .slack = c->slack,
                    .no_diagonals = c->no_diagonals};
  if (c->structured)
    csim_network_grid(mesh->grid[0], mesh->grid[1], &part, c->softer * E2D, &k->springs);
  else
    csim_network_mesh(topology, &part, c->softer * E2D, &k->springs);
  CHECK(csim_network_levels(mesh, &part, held, c->levels, 0, &k->springs, &k->levels) == c->levels);
}

// A square cloth of cells x cells and 1 m in the kit, `held` pinned; 0.15 kg/m^2.
static void begin_square(const cure *c, int cells, double h, int (*is_held)(int i, int j), kit *k) {
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {cells, cells}, .same_diagonals = 1};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  for (int v = 0; v < mesh.nvert && c->across; v++) mesh.vert[3 * v] *= -1;
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 0, h, k);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, k->model->mass);
  unsigned char *held = calloc((size_t)mesh.nvert, 1);
  for (int v = 0; v < mesh.nvert; v++) {
    k->model->mass[v] *= 0.15;
    int i = v % (cells + 1), j = v / (cells + 1);
    if (!is_held(c->across ? cells - i : i, j)) continue;
    held[v] = 1;
    kit_pin(k, v);
  }
  add_network(c, &mesh, &topology, held, 1000, k);
  csim_network_grid_hinges(cells, cells, &(csim_part){.X = mesh.vert, .compression = 1}, 2e-5,
                           &k->quadratic);
  free(held);
  csim_topology_free(&topology);
  *k->model->body[0].mesh = mesh;
}

static int on_diagonal(int i, int j) {
  return i == j;
}

static int on_edge(int i, int j) {
  (void)i;
  return j == 0;
}

// Where the folded square comes to rest: x (NVERT x 3), vertex (i, j) at j ROW + i, the fold along
// i = j.
static void fold(const cure *c, double *x) {
  kit k;
  begin_square(c, CELLS, 0.02, on_diagonal, &k);
  k.model->body[0].damping = 4;
  for (int v = 0; v < NVERT; v++) { // a roof to start from
    double *p = k.model->x0 + 3 * v, across = (p[0] - p[2]) / 2, along = (p[0] + p[2]) / 2;
    p[0] = along + 0.6 * across;
    p[1] = -fabs(across);
    p[2] = along - 0.6 * across;
  }
  k.params.linear = "pcg";
  k.params.preconditioner = CSIM_PRECONDITIONER_MULTILEVEL;
  k.params.iterations = 6;
  k.params.tolerance = 1e-4;
  k.params.linear_tolerance = 1e-2;
  kit_ready(&k, 2);
  double moved = 1;
  for (int n = 0; n < 400 && (n < 50 || moved > 2e-6); n++) {
    memcpy(x, k.state.x, 3 * NVERT * sizeof *x);
    kit_step(&k);
    moved = 0;
    for (int i = 0; i < 3 * NVERT; i++) moved = fmax(moved, fabs(k.state.x[i] - x[i]));
  }
  for (int v = 0; v < NVERT; v++) {
    int i = c->across ? CELLS - v % ROW : v % ROW, j = v / ROW;
    memcpy(x + 3 * (j * ROW + i), k.state.x + 3 * v, 3 * sizeof *x);
  }
  kit_end(&k);
}

static double rms_distance(const double *a, const double *b) {
  double sum = 0;
  for (int v = 0; v < NVERT; v++) {
    double d = csim_distance(a + 3 * v, b + 3 * v);
    sum += d * d;
  }
  return sqrt(sum / NVERT);
}

// How far the lower edge comes down when the square hangs from an edge [m].
static double hang(const cure *c, int cells, const setting *s, double h, int steps) {
  kit k;
  begin_square(c, cells, h, on_edge, &k);
  k.model->body[0].damping = 3;
  for (int v = 0; v < k.model->nvert; v++) {
    double *p = k.model->x0 + 3 * v;
    p[1] = -(p[2] + 0.5);
    p[2] = 0;
  }
  apply(s, 1e-6, &k);
  kit_ready(&k, 2);
  for (int n = 0; n < steps; n++) kit_step(&k);
  double way = 0;
  const double *lowest = k.state.x + csim_xyz(cells) * (cells + 1);
  for (int i = 0; i <= cells; i++) way -= (lowest[3 * i + 1] + 1) / (cells + 1);
  kit_end(&k);
  return way;
}

// --------------------------------------------------------------------------------------- picture

// The folded squares seen along the fold, cut through the middle: 1 m is 800 units.
static FILE *begin_drawing(void) {
  FILE *file = asked.fold_file ? fopen(asked.fold_file, "w") : NULL;
  if (file)
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 640\" "
                  "font-family=\"sans-serif\" font-size=\"15\">\n"
                  "<rect width=\"620\" height=\"640\" fill=\"white\"/>\n");
  return file;
}

static void draw_fold(FILE *file, int line, const char *name, const char *colour, const double *x) {
  if (!file) return;
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
  for (int i = 0; i <= CELLS; i++) {
    const double *p = x + 3 * ((CELLS - i) * ROW + i);
    fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', 200 + 800 * (p[0] - p[2]) * sqrt(0.5),
            40 - 800 * p[1]);
  }
  fprintf(file, "\"/>\n<text x=\"350\" y=\"%d\" fill=\"%s\">%s</text>\n", 40 + 22 * line, colour,
          name);
}

static void end_drawing(FILE *file) {
  if (!file) return;
  fputs("</svg>\n", file);
  fclose(file);
}

// ------------------------------------------------------------------------------------------ cases

// What locking is left, as a share of the distance without a cure; and what the cure costs: a
// square of modulus E that hangs from an edge gets longer by rho g L^2 / (2 E).
static void compare_cures(void) {
  double unlocked[3 * NVERT], x[3 * NVERT];
  heading(
      "K  cloth folded along a diagonal that its springs do not let fold, 16 x 16 cells: distance "
      "to the unlocked shape, as a share of that without a cure");
  FILE *file = begin_drawing();
  int line = 0;
  fold(&UNLOCKED, unlocked);
  draw_fold(file, line++, "unlocked: diagonals along the fold", "black", unlocked);
  fold(&ACROSS, x);
  draw_fold(file, line++, "diagonals across, no cure", "#c0392b", x);
  double locked = rms_distance(x, unlocked);
  check_that(locked > 0.1, __FILE__, __LINE__, "nothing to cure: %g m", locked);
  if (asked.all) {
    fold(&BOTH, x);
    printf("   without a cure: %.4f m; with springs on both diagonals: %.4f m\n", locked,
           rms_distance(x, unlocked));
  }
  for (size_t c = 0; c < sizeof cures / sizeof *cures; c++) {
    if (!asked.all && !cures[c].quick) continue;
    fold(&cures[c], x);
    if (cures[c].drawn) draw_fold(file, line++, cures[c].name, cures[c].drawn, x);
    double left = rms_distance(x, unlocked) / locked,
           way = hang(&cures[c], CELLS, &NEWTON, 0.05, 60);
    const char *what = "- stretch by its own weight [m]";
    double closed = 0.15 * 9.81 / 2000;
    if (cures[c].allowed > 0)
      expect(cures[c].name, 0, left, cures[c].allowed);
    else
      printf("   %s: %.3f\n", cures[c].name, left);
    if (cures[c].longer > 0)
      expect(what, closed, way, cures[c].longer * closed);
    else
      printf("   %s: %.3g, closed form %.3g\n", what, way, closed);
  }
  end_drawing(file);
}

// Few passes leave a cloth longer than it is; those that go from coarse to fine, less so.
static void compare_passes(void) {
  static const struct {
    const setting *s;
    double allowed;
  } runs[] = {{&PBD, 0.35}, {&XPBD, 0.45}, {&DESCENT, 0.35}};
  int cells = asked.all ? 40 : 24;
  cure levels = BOTH;
  levels.levels = asked.all ? 3 : 2;
  heading(
      "K  cloth hung from an edge, 10 passes a step of 1/240 s, springs on both diagonals: stretch "
      "with levels over that without");
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
    if (!asked.all && r) break;
    setting s = *runs[r].s;
    s.iterations = 10;
    double without = hang(&BOTH, cells, &s, 1.0 / 240, 480);
    double with = hang(&levels, cells, &s, 1.0 / 240, 480);
    if (asked.all)
      printf("   %s: %.4f m without, %.4f m with %d\n", s.name, without, with, levels.levels);
    expect(s.name, 0, with / without, runs[r].allowed);
  }
}

void case_locking(void) {
  compare_cures();
  compare_passes();
}
