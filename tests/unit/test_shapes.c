// test_shapes: built-in shapes against closed forms.
#include "check.h"
#include "kit.h"

#include "mesh/shapes.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979324;

static double mesh_volume(const csim_mesh *m) {
  double v = 0;
  for (int t = 0; t < m->ntri; t++) {
    const double *a = m->vert + 3 * m->tri[3 * t], *b = m->vert + 3 * m->tri[3 * t + 1],
                 *c = m->vert + 3 * m->tri[3 * t + 2];
    v += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return v / 6;
}

static void check_sound(const csim_mesh *m, int closed, int euler) {
  csim_topology t;
  CHECK(csim_topology_build(m->nvert, m->ntri, m->tri, &t) == CSIM_OK);
  CHECK(t.nfaulty == 0 && t.nflipped == 0);
  CHECK((t.nboundary == 0) == closed);
  check_that(m->nvert - t.nedge + m->ntri == euler, __FILE__, __LINE__,
             "Euler number %d, expected %d", m->nvert - t.nedge + m->ntri, euler);
  for (int v = 0; v < m->nvert; v++)
    if (t.adj_start[v] == t.adj_start[v + 1]) check_that(0, __FILE__, __LINE__, "loose vertex");
  csim_topology_free(&t);
  CHECK(m->nface == m->ntri && m->face_start[m->nface] == 3 * m->ntri);
  CHECK(!memcmp(m->face_vert, m->tri, 3 * (size_t)m->ntri * sizeof(int)));
}

// Relative error of area and volume at `around` cells.
static void shape_error(csim_shape_spec spec, int around, double area, double volume, double *out) {
  spec.cells[0] = around;
  csim_mesh m = kit_shape(spec);
  out[0] = fabs(kit_area(&m) / area - 1);
  out[1] = volume > 0 ? fabs(mesh_volume(&m) / volume - 1) : 0;
  csim_mesh_free(&m);
}

// Ratio of the longest to the shortest edge and of the largest to the smallest triangle.
static void shape_evenness(const csim_mesh *m, double *edges, double *areas) {
  double lo = 1e300, hi = 0, alo = 1e300, ahi = 0;
  for (int h = 0; h < 3 * m->ntri; h++) {
    const double *a = m->vert + 3 * m->tri[h],
                 *b = m->vert + 3 * m->tri[h % 3 == 2 ? h - 2 : h + 1];
    double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                    (a[2] - b[2]) * (a[2] - b[2]));
    lo = fmin(lo, d);
    hi = fmax(hi, d);
    double area = csim_tri_area(m->vert, m->tri + h / 3 * 3);
    alo = fmin(alo, area);
    ahi = fmax(ahi, area);
  }
  *edges = hi / lo;
  *areas = ahi / alo;
}

static void test_round_shapes(void) {
  double r = 0.7, q = 0.25, h = 1.3, slant = sqrt(r * r + h * h);
  const struct {
    csim_shape_kind kind;
    int euler, closed;
    double area, volume, even;
  } shapes[] = {
      {CSIM_SHAPE_KIND_SPHERE, 2, 1, 4 * PI * r * r, 4 * PI * r * r * r / 3, 1.5},
      {CSIM_SHAPE_KIND_TORUS, 0, 1, 4 * PI * PI * r * q, 2 * PI * PI * r * q * q, 4},
      {CSIM_SHAPE_KIND_CYLINDER, 2, 1, 2 * PI * r * (r + h), PI * r * r * h, 2.5},
      {CSIM_SHAPE_KIND_CAPSULE, 2, 1, 2 * PI * r * (2 * r + h), PI * r * r * (4 * r / 3 + h), 2.5},
      {CSIM_SHAPE_KIND_CONE, 2, 1, PI * r * (r + slant), PI * r * r * h / 3, 3.5},
      {CSIM_SHAPE_KIND_DISK, 1, 0, PI * r * r, 0, 2.5},
      {CSIM_SHAPE_KIND_TUBE, 0, 0, 2 * PI * r * h, 0, 1.5},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    csim_shape_spec spec = {.kind = shapes[i].kind, .radius = r, .tube_radius = q, .height = h};
    double coarse[2], fine[2];
    shape_error(spec, 24, shapes[i].area, shapes[i].volume, coarse);
    shape_error(spec, 96, shapes[i].area, shapes[i].volume, fine);
    for (int k = 0; k < 2; k++) {
      // second order: a quarter of the cell leaves a sixteenth of the error
      check_that(fine[k] < 5e-3 && fine[k] <= coarse[k] / 11, __FILE__, __LINE__,
                 "shape %d %s: error %g, then %g", (int)shapes[i].kind, k ? "volume" : "area",
                 coarse[k], fine[k]);
    }
    // every number of cells gives a sound surface, also unlikely ones
    static const int cells[][3] = {{0, 0, 0}, {3, 1, 1},  {4, 1, 3},  {5, 7, 2},  {6, 2, 4},
                                   {7, 1, 9}, {31, 3, 5}, {32, 2, 0}, {3, 0, 20}, {48, 0, 0}};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
      if (spec.kind == CSIM_SHAPE_KIND_TORUS && cells[c][2] && cells[c][2] < 3) continue;
      memcpy(spec.cells, cells[c], sizeof spec.cells);
      csim_mesh m = kit_shape(spec);
      check_sound(&m, shapes[i].closed, shapes[i].euler);
      if (shapes[i].closed) CHECK(mesh_volume(&m) > 0.2 * shapes[i].volume);
      if (!cells[c][1] && !cells[c][2] && cells[c][0] % 16 == 0) {
        double edges, areas;
        shape_evenness(&m, &edges, &areas);
        check_that(edges < shapes[i].even, __FILE__, __LINE__,
                   "shape %d, %d around: longest/shortest edge %.2f, largest/smallest area %.2f",
                   (int)spec.kind, cells[c][0], edges, areas);
        if (getenv("VERBOSE"))
          printf("shape %d around %d: %d vertices, edges %.2f, areas %.2f\n", (int)spec.kind,
                 cells[c][0], m.nvert, edges, areas);
      }
      csim_mesh_free(&m);
    }
  }
}

static void test_icosphere_even(void) {
  csim_mesh m =
      kit_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 2, .cells = {600}});
  double edges, areas;
  shape_evenness(&m, &edges, &areas);
  check_that(edges < 1.2 && areas < 1.25, __FILE__, __LINE__, "edges %g, areas %g", edges, areas);
  csim_mesh_free(&m);
}

static void test_flat_normals(void) {
  csim_shape_spec specs[] = {
      {.kind = CSIM_SHAPE_KIND_DISK, .radius = 1},
      {.kind = CSIM_SHAPE_KIND_DISK, .radius = 1, .cells = {32, 0, 32}}, // as of a scene
      {.kind = CSIM_SHAPE_KIND_DISK, .radius = 1, .cells = {11, 0, 16}},
      {.kind = CSIM_SHAPE_KIND_DISK, .radius = 1, .cells = {26, 0, 100}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 5}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 5}, .same_diagonals = 1}};
  for (int i = 0; i < 6; i++) {
    csim_mesh m = kit_shape(specs[i]);
    int down = 0;
    for (int t = 0; t < m.ntri; t++) {
      const double *a = m.vert + 3 * m.tri[3 * t], *b = m.vert + 3 * m.tri[3 * t + 1],
                   *c = m.vert + 3 * m.tri[3 * t + 2];
      down += !((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0);
    }
    CHECK(down == 0);
    check_sound(&m, 0, 1);
    csim_mesh_free(&m);
  }
}

static int has_edge(const csim_mesh *m, int a, int b) {
  int n = 0;
  for (int t = 0; t < m->ntri; t++) {
    int found = 0;
    for (int k = 0; k < 3; k++) found += m->tri[3 * t + k] == a || m->tri[3 * t + k] == b;
    n += found == 2;
  }
  return n;
}

// A disk is laid out as it is: its texture has the lengths of its diameter.
static void test_disk_uv(void) {
  csim_mesh m = kit_shape(
      (csim_shape_spec){.kind = CSIM_SHAPE_KIND_DISK, .radius = 0.25, .cells = {12, 0, 3}});
  int bad = 0;
  CHECK(m.nuv == m.nvert && m.face_uv);
  for (int v = 0; v < m.nuv; v++)
    bad += fabs(m.uv[2 * v] - (m.vert[3 * v] + 0.25) / 0.5) > 1e-15 ||
           fabs(m.uv[2 * v + 1] - (0.25 - m.vert[3 * v + 2]) / 0.5) > 1e-15;
  CHECK(bad == 0);
  csim_mesh_free(&m);
}

static void test_grid(void) {
  csim_mesh m =
      kit_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 6}});
  CHECK(m.nvert == 35 && m.ntri == 48 && m.grid[0] == 4 && m.grid[1] == 6 && m.nuv == 35);
  int v = 3 * 5 + 1; // j = 3, i = 1
  CHECK(m.vert[3 * v] == -0.5 && m.vert[3 * v + 1] == 0 && m.vert[3 * v + 2] == 0);
  CHECK(m.uv[2 * v] == 0.25 && m.uv[2 * v + 1] == 0.5);
  CHECK(m.vert[0] == -1 && m.vert[2] == -1.5 && m.uv[0] == 0 && m.uv[1] == 1);
  CHECK(m.face_uv[5] == m.face_vert[5]);
  CHECK_NEAR(kit_area(&m), 6, 1e-14);
  CHECK(has_edge(&m, 0, 6) == 2 && has_edge(&m, 2, 6) == 2 && has_edge(&m, 1, 7) == 0);
  csim_mesh_free(&m);
  m = kit_shape((csim_shape_spec){
      .kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 6}, .same_diagonals = 1});
  CHECK(has_edge(&m, 0, 6) == 2 && has_edge(&m, 2, 6) == 0 && has_edge(&m, 1, 7) == 2);
  csim_mesh_free(&m);
}

static void test_box(void) {
  static const int cells[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 4}, {3, 4, 5}};
  for (int i = 0; i < 6; i++) {
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 2, 4}};
    memcpy(spec.cells, cells[i], sizeof spec.cells);
    csim_mesh m = kit_shape(spec);
    check_sound(&m, 1, 2);
    CHECK_NEAR(mesh_volume(&m), 8, 1e-14);
    CHECK_NEAR(kit_area(&m), 28, 1e-12);
    if (i < 2) CHECK(m.nvert == 8 && m.ntri == 12);
    csim_mesh_free(&m);
  }
}

static void test_refused_shapes(void) {
  static const csim_shape_spec specs[] = {
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {-1, 4}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 0}, .cells = {4, 4}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, NAN}, .cells = {4, 4}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {1 << 27, 1 << 27}},
      {.kind = CSIM_SHAPE_KIND_GRID, .size = {1, 1}, .cells = {2147483647, 2147483647}},
      {.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 1, -1}},
      {.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 1, 1}, .cells = {1 << 27, 1 << 27, 1 << 27}},
      {.kind = CSIM_SHAPE_KIND_SPHERE},
      {.kind = CSIM_SHAPE_KIND_SPHERE, .radius = INFINITY},
      {.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 1, .cells = {1 << 27}},
      {.kind = CSIM_SHAPE_KIND_TORUS, .radius = 1, .tube_radius = 1},
      {.kind = CSIM_SHAPE_KIND_TORUS, .radius = 1, .tube_radius = 0.5, .cells = {8, 0, 2}},
      {.kind = CSIM_SHAPE_KIND_CYLINDER, .radius = 1, .height = 1, .cells = {2}},
      {.kind = CSIM_SHAPE_KIND_CYLINDER, .radius = 1},
      {.kind = CSIM_SHAPE_KIND_TUBE, .radius = 1e-9, .height = 1e9},
      {.kind = CSIM_SHAPE_KIND_TUBE, .radius = 1, .height = 1, .cells = {1 << 20, 1 << 20}},
      {.kind = CSIM_SHAPE_KIND_CAPSULE, .radius = 1, .height = -1},
  };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    csim_mesh m;
    check_log log;
    check_log_init(&log);
    csim_status status = csim_mesh_shape(&specs[i], (csim_place){.pointer = "/x"}, &log.log, &m);
    check_that(status == CSIM_INVALID && log.text[0], __FILE__, __LINE__, "spec %d: status %d",
               (int)i, (int)status);
    CHECK_TEXT(log.pointer, "/x");
    CHECK(m.nvert == 0 && m.vert == NULL);
  }
}

// What is left of a mesh tells what was there.
static void test_release(void) {
  for (int keep = 0; keep < 2; keep++) {
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {90, 60}};
    csim_mesh m = kit_shape(spec), same = kit_shape(spec);
    int nvert = m.nvert, nface = m.nface, ntri = m.ntri;
    uint64_t hash = csim_mesh_hash(&m);
    size_t used = m.arena.used;
    csim_mesh_release(&m, keep);
    CHECK(csim_mesh_hash(&m) == hash && hash == csim_mesh_hash(&same));
    CHECK(m.nvert == nvert && m.nface == nface && m.ntri == ntri && m.grid[0] == 90);
    CHECK(!m.vert && (m.face_vert != NULL) == keep && (m.uv != NULL) == keep);
    CHECK(keep ? m.arena.used < used && !memcmp(m.face_vert, same.face_vert,
                                                (size_t)same.face_start[nface] * sizeof(int))
               : m.arena.used == 0);
    same.uv[5] += 1e-9;
    CHECK(csim_mesh_hash(&same) != hash);
    same.vert[5] += 1e-9;
    CHECK(csim_mesh_hash(&same) != hash);
    csim_mesh_free(&m);
    csim_mesh_free(&same);
  }
}

int main(void) {
  test_round_shapes();
  test_icosphere_even();
  test_flat_normals();
  test_disk_uv();
  test_grid();
  test_box();
  test_refused_shapes();
  test_release();
  return check_report();
}
