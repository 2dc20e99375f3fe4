// tests/view/test_view.c: the parts of clothview on their own.
#include "check.h"
#include "view/decimate.h"
#include "view/map.h"
#include "view/measure.h"
#include "view/pack.h"
#include "view/raster.h"
#include "view/render.h"
#include "view/shade.h"
#include "view/surface.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 41, NVERT = SIDE * SIDE, NTRI = 2 * (SIDE - 1) * (SIDE - 1) };

/// A unit sheet, z = height * waves; every `odd`-th triangle is wound the other way (0 = none).
static void make_sheet(double height, int odd, double *x, int *tri) {
  for (int v = 0; v < NVERT; v++) {
    double u = (v % SIDE) / (double)(SIDE - 1), w = (v / SIDE) / (double)(SIDE - 1);
    x[3 * v] = u;
    x[3 * v + 1] = w;
    x[3 * v + 2] = height * sin(12 * u) * cos(7 * w);
  }
  int n = 0;
  for (int j = 0; j + 1 < SIDE; j++)
    for (int i = 0; i + 1 < SIDE; i++) {
      int a = j * SIDE + i;
      const int two[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
      memcpy(tri + 3 * n, two, sizeof two);
      n += 2;
    }
  for (int t = 0; odd && t < NTRI; t += odd) {
    int k = tri[3 * t + 1];
    tri[3 * t + 1] = tri[3 * t + 2];
    tri[3 * t + 2] = k;
  }
}

static void test_raster(void) {
  // a fan of triangles around a point covers a disc without holes, each sample once nearest
  enum { N = 64, SPOKES = 37 };
  float z[N * N];
  int id[N * N];
  view_band band = {N, 0, N, z, id};
  view_band_clear(&band);
  for (int k = 0; k < SPOKES; k++) {
    double a = 2 * 3.14159265358979 * k / SPOKES, b = 2 * 3.14159265358979 * (k + 1) / SPOKES;
    view_tri t = {{31.7f, (float)(31.7 + 28 * cos(a)), (float)(31.7 + 28 * cos(b))},
                  {32.2f, (float)(32.2 + 28 * sin(a)), (float)(32.2 + 28 * sin(b))},
                  {1, 1, 1},
                  k};
    if (k % 2) { // either winding
      float s = t.x[1];
      t.x[1] = t.x[2], t.x[2] = s;
      s = t.y[1];
      t.y[1] = t.y[2], t.y[2] = s;
    }
    view_band_draw(&band, &t);
  }
  int holes = 0, outside = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double r = hypot(i + 0.5 - 31.7, j + 0.5 - 32.2);
      if (r < 27.7 && id[j * N + i] < 0) holes++;
      if (r > 28.01 && id[j * N + i] >= 0) outside++;
    }
  CHECK(holes == 0);
  CHECK(outside == 0);
  // the nearer one wins in any order; outside and empty ones do no harm
  view_tri far = {{0, 64, 0}, {0, 0, 64}, {0.5f, 0.5f, 0.5f}, 100};
  view_band_draw(&band, &far);
  CHECK(id[32 * N + 25] != 100 && id[2 * N + 2] == 100);
  const view_tri odd[] = {{{-9, -8, -7}, {1, 2, 3}, {9, 9, 9}, 777},
                          {{5, 5, 5}, {5, 5, 5}, {9, 9, 9}, 777},
                          {{1e30f, 2e30f, 3e30f}, {1, 2, 3}, {9, 9, 9}, 777}};
  for (int i = 0; i < 3; i++) view_band_draw(&band, odd + i);
  for (int i = 0; i < N * N; i++)
    if (id[i] == 777) outside++;
  CHECK(outside == 0);
}

static void test_camera(void) {
  // every point is inside, and at least one touches the margin of each tight pair of sides
  for (int up = 1; up <= 2; up++) {
    view_camera c = view_camera_aim(0.6, 0.4, up, 0.3, 1.5);
    vec3 cross = vec_cross(c.right, c.up);
    CHECK_NEAR(vec_dot(cross, c.forward), -1, 1e-12);
    CHECK((up == 2 ? c.up.z : c.up.y) > 0.8);
    double x[300];
    for (int i = 0; i < 300; i++) x[i] = 5 + sin(i * 12.9898) * (1 + i % 3);
    view_fit fit = {0};
    view_fit_add(&fit, &c, 0.1, 40, x);
    view_fit_add(&fit, &c, 0.1, 60, x + 120);
    view_fit_apply(&fit, 0.1, &c);
    double most = 0;
    for (int i = 0; i < 100; i++) {
      vec3 d = vec_sub(vec_load(x + 3 * i), c.eye);
      double f = vec_dot(d, c.forward);
      CHECK(f > 0);
      most = fmax(most, fabs(vec_dot(d, c.right)) / (f * c.slope_x));
      most = fmax(most, fabs(vec_dot(d, c.up)) / (f * c.slope_y));
    }
    CHECK_NEAR(most, 0.8, 1e-9);
  }
}

static void test_surface(void) {
  static double x[3 * NVERT], normal[9 * NTRI];
  static int tri[3 * NTRI];
  view_shape s;
  make_sheet(0.05, 5, x, tri);
  CHECK(view_shape_make(NVERT, x, NTRI, tri, NULL, 1, &s) == CSIM_OK);
  CHECK(s.ngroup == NVERT); // no creases, though a fifth is wound wrongly
  view_shape_normals(&s, x, normal);
  int up = 0;
  for (int g = 0; g < s.ngroup; g++) up += normal[3 * g + 2] > 0;
  CHECK(up == s.ngroup); // the majority's side
  view_shape_free(&s);
  // a cube keeps its 12 creases: three normals a corner; without the limit it has one
  const double cube[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  const int faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                       1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
  CHECK(view_shape_make(8, cube, 12, faces, NULL, 0.9, &s) == CSIM_OK);
  CHECK(s.ngroup == 24);
  view_shape_free(&s);
  CHECK(view_shape_make(8, cube, 12, faces, NULL, 4, &s) == CSIM_OK);
  CHECK(s.ngroup == 8);
  view_shape_free(&s);
  CHECK(view_shape_make(0, NULL, 0, NULL, NULL, 4, &s) == CSIM_OK);
  view_shape_free(&s);
}

static void test_measures(void) {
  static double rest[3 * NVERT], x[3 * NVERT], value[NVERT];
  static int tri[3 * NTRI];
  make_sheet(0, 0, rest, tri);
  // stretched by 1.2 along x, pressed to 0.95 along y, turned: strain 0.2 everywhere
  for (int v = 0; v < NVERT; v++) {
    double p = 1.2 * rest[3 * v], q = 0.95 * rest[3 * v + 1];
    x[3 * v] = 3 + 0.6 * p - 0.8 * q;
    x[3 * v + 1] = 1;
    x[3 * v + 2] = 0.8 * p + 0.6 * q;
  }
  view_measure_strain(NVERT, rest, x, NTRI, tri, value);
  for (int v = 0; v < NVERT; v += 97) CHECK_NEAR(value[v], 0.2, 1e-12);
  for (int v = 0; v < NVERT; v++)
    x[3 * v] = 0.7 * rest[3 * v], x[3 * v + 1] = 1.1 * rest[3 * v + 1];
  for (int v = 0; v < NVERT; v++) x[3 * v + 2] = 0;
  view_measure_strain(NVERT, rest, x, NTRI, tri, value);
  CHECK_NEAR(value[500], -0.3, 1e-12);
  // a cylinder of radius 2 has mean curvature 1/4 in between (one direction of two)
  for (int v = 0; v < NVERT; v++) {
    double a = rest[3 * v] / 2;
    x[3 * v] = 2 * sin(a);
    x[3 * v + 1] = rest[3 * v + 1];
    x[3 * v + 2] = 2 * cos(a);
  }
  CHECK(view_measure_curvature(NVERT, x, NTRI, tri, value) == CSIM_OK);
  double middle = value[20 * SIDE + 20];
  CHECK(middle > 0.2 && middle < 0.3);
  view_measure_difference(NVERT, x, rest, 10, value);
  CHECK_NEAR(value[0], 20, 1e-9);
  CHECK_NEAR(view_nice_number(0.23), 0.3, 1e-12);
  CHECK_NEAR(view_nice_number(7.5), 7.5, 1e-12);
}

static void test_gap(void) {
  static double x[3 * NVERT], y[3 * NVERT], value[NVERT];
  static int tri[3 * NTRI];
  make_sheet(0, 0, x, tri);
  make_sheet(0, 0, y, tri);
  for (int v = 0; v < NVERT; v++) y[3 * v + 2] = 0.004 + 0.02 * y[3 * v];
  const view_body body[2] = {{NVERT, x, NTRI, tri}, {NVERT, y, NTRI, tri}};
  CHECK(view_measure_gap(2, body, 0, 0.012, value) == CSIM_OK);
  double cosine = 1 / sqrt(1 + 0.02 * 0.02);
  for (int v = 0; v < NVERT; v += 131) {
    double height = (0.004 + 0.02 * x[3 * v]) * cosine;
    int inside = x[3 * v] > 0.01 && x[3 * v] < 0.99;
    if (inside) CHECK_NEAR(value[v], fmin(height, 0.012), 1e-9);
  }
  // alone, a flat sheet touches nothing: its own neighbours do not count
  CHECK(view_measure_gap(1, body, 0, 0.012, value) == CSIM_OK);
  for (int v = 0; v < NVERT; v += 131) CHECK_NEAR(value[v], 0.012, 1e-15);
}

static void test_decimate(void) {
  static double x[3 * NVERT];
  static int tri[3 * NTRI];
  view_decimated few = {0};
  make_sheet(0.02, 0, x, tri);
  CHECK(view_decimate(NVERT, x, NTRI, tri, 200, &few) == CSIM_OK);
  int nkeep = few.nvert, *keep = few.vert, nout = few.ntri, *out = few.tri;
  CHECK(nkeep <= 200 && nkeep > 80);
  double area = 0;
  for (int t = 0; t < nout; t++) {
    const double *a = x + 3 * keep[out[3 * t]], *b = x + 3 * keep[out[3 * t + 1]];
    const double *c = x + 3 * keep[out[3 * t + 2]];
    double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    area += twice / 2;
  }
  CHECK(area > 0.8 && area < 1.001); // wound alike, no overlap, the borders a little eaten
  for (int i = 1; i < nkeep; i++) CHECK(keep[i] > keep[i - 1]);
  free(keep);
  free(out);
}

/// The reader's arithmetic of web/unpack.js, once more.
static void decode_steps(const view_coder *c, const uint8_t *planes, int32_t *last,
                         int32_t *shift) {
  int n = c->nvert;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      uint32_t z = 0;
      for (int b = 0; b < 4; b++) z |= (uint32_t)planes[b * 3 * n + k * n + i] << 8 * b;
      int32_t d = (int32_t)(z >> 1 ^ (0u - (z & 1)));
      const view_predictor *p = c->predict + i;
      int32_t value = last[3 * p->vertex + k] + shift[3 * p->a + k] + shift[3 * p->b + k] -
                      shift[3 * p->d + k] + d;
      shift[3 * p->vertex + k] = value - last[3 * p->vertex + k];
      last[3 * p->vertex + k] = value;
    }
}

static void test_pack(void) {
  static double x[3 * NVERT];
  static int tri[3 * NTRI];
  static int32_t last[3 * NVERT], shift[3 * NVERT + 3];
  const double origin[3] = {-1, -1, -1}, step = 1e-5;
  view_coder c;
  make_sheet(0, 3, x, tri);
  CHECK(view_coder_init(&c, NVERT, NTRI, tri));
  uint8_t known[NVERT + 1] = {0};
  known[NVERT] = 1;
  int ordered = 1;
  for (int i = 0; i < NVERT; i++) {
    const view_predictor *p = c.predict + i;
    ordered &= known[p->a] && known[p->b] && known[p->d] && !known[p->vertex];
    known[p->vertex] = 1;
  }
  CHECK(ordered);
  view_coder_start(&c, step, origin);
  for (int f = 0; f < 4; f++) {
    view_bytes out = {0};
    make_sheet(0.03 * f, 3, x, tri);
    view_coder_add(&c, x, &out);
    CHECK(out.n == 12 * NVERT && !out.failed);
    decode_steps(&c, out.data, last, shift);
    double worst = 0;
    for (int i = 0; i < 3 * NVERT; i++)
      worst = fmax(worst, fabs(origin[i % 3] + last[i] * step - x[i]));
    CHECK(worst <= step / 2 * (1 + 1e-6));
    free(out.data);
  }
  view_coder_free(&c);
}

/// Luminance of the darkest pixel of a picture, 0..255.
static double darkest(const view_picture *p) {
  double least = 255;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)p->width * p->height; i++)
    least = fmin(least, 0.21 * p->rgb[3 * i] + 0.72 * p->rgb[3 * i + 1] + 0.07 * p->rgb[3 * i + 2]);
  return least;
}

static void test_render(void) {
  static double x[3 * NVERT], normal[9 * NTRI];
  static int tri[3 * NTRI];
  view_shape s;
  make_sheet(0.12, 4, x, tri);
  CHECK(view_shape_make(NVERT, x, NTRI, tri, NULL, 4, &s) == CSIM_OK);
  view_shape_normals(&s, x, normal);
  view_item item = {&s, x, normal, NULL, NULL, view_linear(0x2f7f93), view_linear(0x93b9c0)};
  for (int side = 0; side < 4; side++) { // front, from below, back, grazing
    static const double azimuth[] = {0.5, 1.2, 3.6, 1.5}, elevation[] = {0.4, -0.7, 0.3, 0.02};
    view_scene scene = {.nitem = 1,
                        .item = &item,
                        .up = 1,
                        .has_floor = 1,
                        .floor_height = -0.2,
                        .centre = {0.5, 0.5, 0},
                        .radius = 0.75,
                        .samples = 2};
    scene.camera = view_camera_aim(azimuth[side], elevation[side], 1, 0.25, 4.0 / 3);
    view_fit fit = {0};
    view_fit_add(&fit, &scene.camera, 0.05, NVERT, x);
    view_fit_apply(&fit, 0.05, &scene.camera);
    view_picture p = view_picture_make(200, 150, (const uint8_t[3]){0, 0, 0});
    view_picture q = view_picture_make(200, 150, (const uint8_t[3]){9, 9, 9});
    CHECK(view_render(&scene, &p) == CSIM_OK);
    CHECK(view_render(&scene, &q) == CSIM_OK);
    CHECK(!memcmp(p.rgb, q.rgb, 3 * 200 * 150)); // the same every time, whatever the threads do
    CHECK(darkest(&p) > 20);                     // no black faces from any side
    view_picture_free(&p);
    view_picture_free(&q);
  }
  view_shape_free(&s);
  CHECK(view_picture_make(0, 5, (const uint8_t[3]){0, 0, 0}).rgb == NULL);
  CHECK(view_picture_make(5, VIEW_MAX_SIDE + 1, (const uint8_t[3]){0, 0, 0}).rgb == NULL);
}

int main(void) {
  test_raster();
  test_camera();
  test_surface();
  test_measures();
  test_gap();
  test_decimate();
  test_pack();
  test_render();
  return check_report();
}
