// tests/unit/test_mesh.c: built-in shapes against closed forms, topology against a slow count,
// triangulation, the check of a mesh.
#include "check.h"
#include "mesh/check.h"
#include "mesh/circle.h"
#include "mesh/icosphere.h"
#include "mesh/shapes.h"
#include "mesh/tag.h"
#include "mesh/topology.h"
#include "mesh/triangulate.h"
#include "mesh/weld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979324;

// --------------------------------------------------------------------------------------- helpers

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

static double mesh_area(const csim_mesh *m) {
  double sum = 0;
  for (int t = 0; t < m->ntri; t++) {
    double area;
    csim_tri_areas(1, m->tri + 3 * t, m->vert, &area);
    sum += area;
  }
  return sum;
}

static csim_mesh make_shape(csim_shape_spec spec) {
  csim_mesh m;
  check_log log;
  check_log_init(&log);
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, &log.log, &m) == CSIM_OK);
  CHECK_TEXT(log.text, "");
  return m;
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

// --------------------------------------------------------------------------------------- shapes

// Relative error of area and volume at `around` cells.
static void shape_error(csim_shape_spec spec, int around, double area, double volume, double *out) {
  spec.cells[0] = around;
  csim_mesh m = make_shape(spec);
  out[0] = fabs(mesh_area(&m) / area - 1);
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
    double area;
    csim_tri_areas(1, m->tri + h / 3 * 3, m->vert, &area);
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
      csim_mesh m = make_shape(spec);
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
      make_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 2, .cells = {600}});
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
    csim_mesh m = make_shape(specs[i]);
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
  csim_mesh m = make_shape(
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
      make_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 6}});
  CHECK(m.nvert == 35 && m.ntri == 48 && m.grid[0] == 4 && m.grid[1] == 6 && m.nuv == 35);
  int v = 3 * 5 + 1; // j = 3, i = 1
  CHECK(m.vert[3 * v] == -0.5 && m.vert[3 * v + 1] == 0 && m.vert[3 * v + 2] == 0);
  CHECK(m.uv[2 * v] == 0.25 && m.uv[2 * v + 1] == 0.5);
  CHECK(m.vert[0] == -1 && m.vert[2] == -1.5 && m.uv[0] == 0 && m.uv[1] == 1);
  CHECK(m.face_uv[5] == m.face_vert[5]);
  CHECK_NEAR(mesh_area(&m), 6, 1e-14);
  CHECK(has_edge(&m, 0, 6) == 2 && has_edge(&m, 2, 6) == 2 && has_edge(&m, 1, 7) == 0);
  csim_mesh_free(&m);
  m = make_shape((csim_shape_spec){
      .kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {4, 6}, .same_diagonals = 1});
  CHECK(has_edge(&m, 0, 6) == 2 && has_edge(&m, 2, 6) == 0 && has_edge(&m, 1, 7) == 2);
  csim_mesh_free(&m);
}

static void test_box(void) {
  static const int cells[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 4}, {3, 4, 5}};
  for (int i = 0; i < 6; i++) {
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 2, 4}};
    memcpy(spec.cells, cells[i], sizeof spec.cells);
    csim_mesh m = make_shape(spec);
    check_sound(&m, 1, 2);
    CHECK_NEAR(mesh_volume(&m), 8, 1e-14);
    CHECK_NEAR(mesh_area(&m), 28, 1e-12);
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

static void test_circle(void) {
  for (int n = 1; n < 50; n++)
    for (int i = 0; i <= n; i++) {
      double c, s, mc, ms;
      csim_circle_point(i, n, &c, &s);
      csim_circle_point(n - i, n, &mc, &ms);
      check_that(c == mc && s == -ms, __FILE__, __LINE__, "point %d of %d is not symmetric", i, n);
      CHECK_NEAR(c, cos(2 * PI * i / n), 3e-15); // cos of a rounded angle
      CHECK_NEAR(s, sin(2 * PI * i / n), 3e-15); // cos of a rounded angle
    }
}

// ------------------------------------------------------------------------------------- topology

static void test_topology(void) {
  // two triangles over the edge 1-2, a third on it makes it faulty; vertex 5 is loose
  static const int tri[] = {0, 1, 2, 2, 1, 3, 1, 2, 4};
  csim_topology t;
  CHECK(csim_topology_build(6, 2, tri, &t) == CSIM_OK);
  CHECK(t.nedge == 5 && t.nhinge == 1 && t.nboundary == 4 && t.nfaulty == 0 && t.nflipped == 0);
  static const int edges[] = {0, 1, 0, 2, 1, 2, 1, 3, 2, 3};
  CHECK(!memcmp(t.edge, edges, sizeof edges));
  CHECK(t.hinge[0] == 1 && t.hinge[1] == 2 && t.hinge[2] == 0 && t.hinge[3] == 3);
  CHECK(t.hinge_edge[0] == 2 && t.edge_tri[4] == 0 && t.edge_tri[5] == 1);
  CHECK(t.tri_edge[0] == 0 && t.tri_edge[1] == 2 && t.tri_edge[2] == 1);
  CHECK(t.adj_start[6] == 10 && t.adj_start[5] == 10);
  static const int near1[] = {0, 2, 3};
  CHECK(t.adj_start[2] - t.adj_start[1] == 3);
  CHECK(!memcmp(t.adj + t.adj_start[1], near1, sizeof near1));
  csim_topology_free(&t);
  CHECK(csim_topology_build(6, 3, tri, &t) == CSIM_OK);
  CHECK(t.nfaulty == 1 && t.first_faulty == 2 && t.nhinge == 0 && t.edge_ntri[2] == 3);
  csim_topology_free(&t);
  static const int flipped[] = {0, 2, 1, 2, 1, 3};
  CHECK(csim_topology_build(4, 2, flipped, &t) == CSIM_OK);
  CHECK(t.nflipped == 1 && t.first_flipped == 2);
  CHECK(t.hinge[0] == 2 && t.hinge[1] == 1); // as triangle 0 runs
  csim_topology_free(&t);
  CHECK(csim_topology_build(0, 0, NULL, &t) == CSIM_OK);
  CHECK(t.nedge == 0 && t.adj_start[0] == 0);
  csim_topology_free(&t);
}

// Random triangles against a count over all pairs.
static void test_topology_random(void) {
  enum { N = 12, T = 40 };
  unsigned seed = 1;
  for (int round = 0; round < 200; round++) {
    int tri[3 * T], count[N][N] = {{0}}, nedge = 0, nfaulty = 0;
    for (int i = 0; i < T; i++)
      for (int k = 0; k < 3; k++) {
        int fresh;
        do {
          seed = seed * 1664525u + 1013904223u;
          tri[3 * i + k] = (int)((seed >> 16) % N);
          fresh = 1;
          for (int j = 0; j < k; j++) fresh &= tri[3 * i + j] != tri[3 * i + k];
        } while (!fresh);
      }
    int ntri = round % T;
    for (int h = 0; h < 3 * ntri; h++) {
      int a = tri[h], b = tri[h % 3 == 2 ? h - 2 : h + 1];
      count[a < b ? a : b][a < b ? b : a]++;
    }
    csim_topology t;
    CHECK(csim_topology_build(N, ntri, tri, &t) == CSIM_OK);
    for (int a = 0, e = 0; a < N; a++)
      for (int b = a + 1; b < N; b++) {
        nfaulty += count[a][b] > 2;
        if (!count[a][b]) continue;
        nedge++;
        CHECK(e < t.nedge && t.edge[2 * e] == a && t.edge[2 * e + 1] == b &&
              t.edge_ntri[e] == count[a][b]);
        e++;
      }
    CHECK(t.nedge == nedge && t.nfaulty == nfaulty && t.adj_start[N] == 2 * nedge);
    for (int v = 0; v < N; v++)
      for (int i = t.adj_start[v]; i + 1 < t.adj_start[v + 1]; i++) CHECK(t.adj[i] < t.adj[i + 1]);
    csim_topology_free(&t);
  }
}

static void test_areas(void) {
  csim_mesh m =
      make_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 1, .cells = {60}});
  double *area = CSIM_NEW(double, m.nvert), sum = 0;
  csim_vert_areas(m.nvert, m.ntri, m.tri, m.vert, area);
  for (int v = 0; v < m.nvert; v++) sum += area[v];
  CHECK_NEAR(sum, mesh_area(&m), 1e-12);
  free(area);
  csim_mesh_free(&m);
}

// -------------------------------------------------------------------------------- triangulation

// A mesh of one polygon in the plane z = 0.2 x + 0.1 y (so that no axis is special).
static csim_mesh make_polygon(int n, const double (*p)[2]) {
  csim_mesh m = {.nvert = n, .nface = 1};
  m.vert = CSIM_ARENA_NEW(&m.arena, double, 3 * n);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, 2);
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, n);
  m.face_start[1] = n;
  for (int i = 0; i < n; i++) {
    m.face_vert[i] = i;
    m.vert[3 * i] = p[i][0];
    m.vert[3 * i + 1] = p[i][1];
    m.vert[3 * i + 2] = 0.2 * p[i][0] + 0.1 * p[i][1];
  }
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  CHECK(m.ntri == n - 2);
  return m;
}

// Every triangle turned like the polygon, their areas adding up to `area` seen along z.
// Two triangles that meet at a right angle, one twice as large, and a vertex of no triangle.
static void test_vert_normals(void) {
  static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 9, 9, 9};
  static const int tri[6] = {0, 1, 2, 0, 3, 1}; // normals (0, 0, 2) and (0, 1, 0)
  double n[15];
  for (int i = 0; i < 15; i++) n[i] = 5;
  csim_vert_normals(5, 2, tri, x, n);
  double l = sqrt(5);
  for (int i = 0; i < 2; i++) {
    CHECK_NEAR(n[3 * i], 0, 0);
    CHECK_NEAR(n[3 * i + 1], 1 / l, 1e-15);
    CHECK_NEAR(n[3 * i + 2], 2 / l, 1e-15);
  }
  CHECK(n[6] == 0 && n[7] == 0 && n[8] == 1);
  CHECK(n[9] == 0 && n[10] == 1 && n[11] == 0);
  CHECK(n[12] == 0 && n[13] == 0 && n[14] == 0);
}

static void check_cut(int line, int n, const double (*p)[2], double area) {
  csim_mesh m = make_polygon(n, p);
  double sum = 0, least = 1e300;
  for (int t = 0; t < m.ntri; t++) {
    const double *a = p[m.tri[3 * t]], *b = p[m.tri[3 * t + 1]], *c = p[m.tri[3 * t + 2]];
    double A = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    least = fmin(least, A);
    sum += A;
  }
  check_that(least > 0, __FILE__, line, "a triangle of area %g", least);
  check_that(fabs(sum - area) < 1e-12 * area, __FILE__, line, "area %.17g", sum);
  csim_topology t;
  CHECK(csim_topology_build(m.nvert, m.ntri, m.tri, &t) == CSIM_OK);
  check_that(t.nfaulty == 0 && t.nflipped == 0 && t.nboundary == n, __FILE__, line, "not a disk");
  csim_topology_free(&t);
  csim_mesh_free(&m);
}

static void test_triangulate(void) {
  // convex quads are cut along v0-v2, arrows along their notch
  static const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  csim_mesh m = make_polygon(4, square);
  static const int fan[] = {0, 1, 2, 0, 2, 3};
  CHECK(!memcmp(m.tri, fan, sizeof fan));
  csim_mesh_free(&m);
  static const double kite[][2] = {{0, 0}, {0.4, 0.5}, {0, 1}, {-2, 0.5}};
  check_cut(__LINE__, 4, kite, 1.2);
  static const double arrow[][2] = {{0, 0}, {2, 0.5}, {0, 1}, {1, 0.5}}; // notch at 3
  check_cut(__LINE__, 4, arrow, 0.5);
  static const double turned[][2] = {{1, 0.5}, {0, 0}, {2, 0.5}, {0, 1}}; // notch at 0
  check_cut(__LINE__, 4, turned, 0.5);
  // straight corners: no triangle without area
  static const double tee[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}};
  check_cut(__LINE__, 5, tee, 4);
  static const double sides[][2] = {{0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 2}, {0, 1}};
  check_cut(__LINE__, 6, sides, 2);
  static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                   {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  check_cut(__LINE__, 16, comb, 7 + 8);
  double spiral[400][2], area = 0; // a strip wound up
  for (int i = 0; i < 200; i++) {
    double c, s, r = 1 + 0.02 * i;
    csim_circle_point(i % 40, 40, &c, &s);
    spiral[i][0] = (r + 0.3) * c;
    spiral[i][1] = (r + 0.3) * s;
    spiral[399 - i][0] = r * c;
    spiral[399 - i][1] = r * s;
  }
  for (int i = 0; i < 400; i++) {
    const double *a = spiral[i], *b = spiral[(i + 1) % 400];
    area += (a[0] * b[1] - a[1] * b[0]) / 2;
  }
  check_cut(__LINE__, 400, (const double(*)[2])spiral, area);
}

// Folded, flat and crossing polygons still give n - 2 triangles of their own corners.
static void test_triangulate_bad(void) {
  static const double flat[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {1, 0}};
  csim_mesh m = make_polygon(5, flat);
  csim_mesh_free(&m);
  static const double bow[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
  m = make_polygon(4, bow);
  csim_mesh_free(&m);
  static const double same[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
  m = make_polygon(4, same);
  csim_mesh_free(&m);
  unsigned seed = 7;
  for (int round = 0; round < 2000; round++) {
    double p[24][2];
    int n = 3 + round % 22;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 2; k++) {
        seed = seed * 1664525u + 1013904223u;
        p[i][k] = round % 2 ? (double)(seed >> 29) : (double)seed;
      }
    m = make_polygon(n, (const double(*)[2])p);
    for (int c = 0; c < 3 * m.ntri; c++) CHECK(m.tri[c] >= 0 && m.tri[c] < n);
    csim_mesh_free(&m);
  }
  // beyond the limit only convex faces pass
  int n = CSIM_MESH_MAX_CONCAVE + 1;
  double(*big)[2] = csim_alloc(n, sizeof *big);
  for (int i = 0; i < n; i++) csim_circle_point(i, n, &big[i][0], &big[i][1]);
  m = make_polygon(n, (const double(*)[2])big);
  m.vert[0] = m.vert[1] = m.vert[2] = 0;
  check_log log;
  check_log_init(&log);
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, &log.log) == CSIM_INVALID);
  CHECK(strstr(log.text, "not convex") != NULL);
  free(big);
  csim_mesh_free(&m);
}

// ------------------------------------------------------------------------------- weld and check

static void test_weld(void) {
  static const double x[] = {0, 0, 0, 1, 2, 3, -0.0, 0, -0.0, 1, 2, 3.0000001, 1, 2, 3};
  int first[5];
  CHECK(csim_weld(5, x, first) == CSIM_OK);
  static const int expected[] = {0, 1, 0, 3, 1};
  CHECK(!memcmp(first, expected, sizeof expected));
}

typedef struct lines {
  csim_log log;
  int n;
  char text[16][300];
} lines;

static void collect(void *user, const csim_message *message) {
  lines *l = user;
  if (l->n < 16) snprintf(l->text[l->n++], sizeof l->text[0], "%s", message->text);
}

static int says(const lines *l, const char *text) {
  for (int i = 0; i < l->n; i++)
    if (strstr(l->text[i], text)) return 1;
  return 0;
}

static csim_mesh make_triangles(int nvert, const double *x, int ntri, const int *tri) {
  csim_mesh m = {.nvert = nvert, .nface = ntri};
  m.vert = CSIM_ARENA_NEW(&m.arena, double, 3 * nvert);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, ntri + 1);
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, 3 * ntri);
  memcpy(m.vert, x, 3 * (size_t)nvert * sizeof *x);
  memcpy(m.face_vert, tri, 3 * (size_t)ntri * sizeof *tri);
  for (int i = 0; i <= ntri; i++) m.face_start[i] = 3 * i;
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  return m;
}

static void test_check_sound(void) {
  csim_mesh m = make_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 2, 3}});
  for (int v = 0; v < m.nvert; v++) m.vert[3 * v] += 1e6; // far away, the volume stays right
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(f.closed && f.ncomponent == 1 && f.nvert == 8 && f.ntri == 12);
  CHECK_NEAR(f.volume, 6, 1e-9);
  CHECK_NEAR(f.area, 22, 1e-9);
  CHECK(f.box[0][0] == 1e6 - 0.5 && f.box[1][2] == 1.5);
  lines l = {.log = {.write = collect, .user = &l}};
  CHECK(csim_mesh_report(&f, 1, (csim_place){0}, &l.log) == 0 && l.n == 0);
  for (int t = 0; t < m.ntri; t++) {
    int swap = m.tri[3 * t];
    m.tri[3 * t] = m.tri[3 * t + 1];
    m.tri[3 * t + 1] = swap;
  }
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK_NEAR(f.volume, -6, 1e-9);
  CHECK(csim_mesh_report(&f, 0, (csim_place){0}, &l.log) == 0);
  CHECK(csim_mesh_report(&f, 1, (csim_place){0}, &l.log) == 1 && says(&l, "inside out"));
  csim_mesh_free(&m);
}

static void test_check_faults(void) {
  //  vertices: a unit square, a second one beside it, one loose, one at the place of 2
  static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0,
                             3, 0, 0, 5, 5, 5, 1, 1, 0, 9, 0, 0, 9, 0, 1};
  static const int tri[] = {0, 1, 2, // face 0
                            0, 2, 3, // face 1
                            1, 4, 2, // face 2, right
                            2, 0, 1, // face 3: face 0 again, so 0-2, 0-1, 1-2 get a third or second
                            1, 4, 5, // face 4: on a line, and wound against face 2
                            7, 8, 9}; // face 5: a part of its own
  csim_mesh m = make_triangles(10, x, 6, tri);
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(!f.closed && f.ncomponent == 2);
  CHECK(f.loose.count == 1 && f.loose.vert[0] == 6);
  CHECK(f.coincident.count == 1 && f.coincident.vert[0] == 2 && f.coincident.vert[1] == 7);
  CHECK(f.duplicate.count == 1 && f.duplicate.face[0] == 0 && f.duplicate.face[1] == 3);
  CHECK(f.degenerate.count == 1 && f.degenerate.face[0] == 4);
  CHECK(f.nonmanifold.count == 2 && f.nonmanifold.vert[0] == 0 && f.nonmanifold.vert[1] == 2);
  CHECK(f.flipped.count == 2 && f.flipped.vert[0] == 0 && f.flipped.vert[1] == 1);
  CHECK(f.boundary.vert[0] == 0 && f.boundary.vert[1] == 3 && f.boundary.face[0] == 1);
  lines l = {.log = {.write = collect, .user = &l}};
  CHECK(csim_mesh_report(&f, 1, (csim_place){0}, &l.log) == 7 && l.log.nwarning == 7);
  CHECK(says(&l, "1 duplicate face, the first 3 (same vertices as face 0)"));
  CHECK(says(&l, "between vertices 0 and 2 (faces 0, 1, ...)"));
  CHECK(says(&l, "1 vertex that no face uses, the first is 6"));
  CHECK(csim_mesh_report(&f, 0, (csim_place){0}, &l.log) == 6);
  CHECK(csim_mesh_report(&f, 0, (csim_place){0}, NULL) == 6);
  csim_mesh_free(&m);
}

static void test_check_duplicate_quads(void) {
  // the same quad from another corner has other triangles, and one turned over, too
  static const double p[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  csim_mesh m = make_polygon(4, p);
  static const int face[] = {0, 1, 2, 3, 1, 2, 3, 0, 3, 2, 1, 0};
  m.nface = 3;
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, 12);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, 4);
  memcpy(m.face_vert, face, sizeof face);
  for (int i = 0; i < 4; i++) m.face_start[i] = 4 * i;
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(f.duplicate.count == 2 && f.duplicate.face[0] == 0 && f.duplicate.face[1] == 1);
  csim_mesh_free(&m);
}

static void test_tag(void) {
  const char *tag = "o shirt left\ng collar cuff\nusemtl red\n";
  CHECK(csim_tag_has(tag, "collar") && csim_tag_has(tag, "cuff") && csim_tag_has(tag, "red"));
  CHECK(csim_tag_has(tag, "shirt left") && csim_tag_has(tag, "collar cuff"));
  CHECK(!csim_tag_has(tag, "shirt") && !csim_tag_has(tag, "coll") && !csim_tag_has(tag, ""));
  CHECK(!csim_tag_has(NULL, "red") && !csim_tag_has("", "red"));
  int n;
  CHECK(!memcmp(csim_tag_name(tag, CSIM_TAG_MATERIAL, &n), "red", 3) && n == 3);
  csim_tag_name("g only\n", CSIM_TAG_OBJECT, &n);
  CHECK(n == 0);
}

// What is left of a mesh tells what was there.
static void test_release(void) {
  for (int keep = 0; keep < 2; keep++) {
    csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_GRID, .size = {2, 3}, .cells = {90, 60}};
    csim_mesh m = make_shape(spec), same = make_shape(spec);
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
    same.vert[5] += 1e-9;
    CHECK(csim_mesh_hash(&same) != hash);
    csim_mesh_free(&m);
    csim_mesh_free(&same);
  }
}

int main(void) {
  test_circle();
  test_round_shapes();
  test_icosphere_even();
  test_flat_normals();
  test_disk_uv();
  test_grid();
  test_box();
  test_refused_shapes();
  test_topology();
  test_topology_random();
  test_areas();
  test_vert_normals();
  test_triangulate();
  test_triangulate_bad();
  test_weld();
  test_check_sound();
  test_check_faults();
  test_check_duplicate_quads();
  test_tag();
  test_release();
  return check_report();
}
