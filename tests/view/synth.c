// tests/view/synth.c: small caches to look at, without the simulator. Position-based cloth, quick
// and rough: what matters is that it looks like cloth.
//
// usage: synth drape|flag|jelly|points|still OUT.clothcache [cells [frames [push]]]
//        synth print CACHE OBJECT FRAME VERTEX    numbers of object and vertex, index of the frame
#include "clothsim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct link {
  int a, b;
  double length, give;
} link;

typedef struct cloth {
  int n, nvert, nlink, ncorner, nface;
  double *x, *v, *last, *weight;
  link *links;
  int *start, *corner;
} cloth;

static void add_link(cloth *c, int a, int b, double give) {
  const double *p = c->x + 3 * a, *q = c->x + 3 * b;
  double d = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                  (p[2] - q[2]) * (p[2] - q[2]));
  c->links[c->nlink++] = (link){a, b, d, give};
}

/// A square sheet of n x n cells; upright for the flag, level for the drape.
static void make_cloth(cloth *c, int n, int stands) {
  int m = n + 1;
  *c = (cloth){.n = n, .nvert = m * m, .nface = n * n};
  size_t count = (size_t)c->nvert;
  c->x = calloc(3 * count, sizeof(double));
  c->v = calloc(3 * count, sizeof(double));
  c->last = calloc(3 * count, sizeof(double));
  c->weight = calloc(count, sizeof(double));
  c->links = calloc(6 * count, sizeof(link));
  c->start = calloc((size_t)c->nface + 1, sizeof(int));
  c->corner = calloc(4 * (size_t)c->nface, sizeof(int));
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      double *p = c->x + 3 * (j * m + i), u = (double)i / n, w = (double)j / n;
      p[0] = stands ? 1.5 * u : 1.6 * u - 0.8;
      p[1] = stands ? 1.9 - w : 1.15 + 0.004 * sin(7 * u) * cos(5 * w);
      p[2] = stands ? 0.002 * sin(9 * u + 4 * w) : 1.6 * w - 0.8;
      c->weight[j * m + i] = stands && !i ? 0 : 1;
    }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      int a = j * m + i;
      if (i < n) add_link(c, a, a + 1, 1);
      if (j < n) add_link(c, a, a + m, 1);
      if (i < n && j < n) add_link(c, a, a + m + 1, 0.5), add_link(c, a + 1, a + m, 0.5);
      if (i + 1 < n) add_link(c, a, a + 2, 0.04);
      if (j + 1 < n) add_link(c, a, a + 2 * m, 0.04);
      if (i == n || j == n) continue;
      const int quad[4] = {a, a + m, a + m + 1, a + 1};
      memcpy(c->corner + c->ncorner, quad, sizeof quad);
      c->ncorner += 4;
      c->start[j * n + i + 1] = c->ncorner;
    }
}

static void solve_links(cloth *c) {
  for (int k = 0; k < c->nlink; k++) {
    const link *l = c->links + k;
    double *p = c->x + 3 * l->a, *q = c->x + 3 * l->b, d[3], dd = 0;
    for (int i = 0; i < 3; i++) d[i] = q[i] - p[i], dd += d[i] * d[i];
    double w = c->weight[l->a] + c->weight[l->b], length = sqrt(dd);
    if (w <= 0 || length <= 0) continue;
    double s = l->give * (length - l->length) / (length * w);
    for (int i = 0; i < 3; i++) {
      p[i] += s * c->weight[l->a] * d[i];
      q[i] -= s * c->weight[l->b] * d[i];
    }
  }
}

static void collide(cloth *c) {
  const double centre[3] = {0, 0.5, 0}, radius = 0.41, floor = 0.012;
  for (int i = 0; i < c->nvert; i++) {
    double *p = c->x + 3 * i, d[3], dd = 0;
    for (int k = 0; k < 3; k++) d[k] = p[k] - centre[k], dd += d[k] * d[k];
    int touched = 0;
    if (dd < radius * radius) {
      for (int k = 0; k < 3; k++) p[k] = centre[k] + d[k] * radius / sqrt(dd);
      touched = 1;
    }
    if (p[1] < floor) p[1] = floor, touched = 1;
    for (int k = 0; touched && k < 3; k += 2) p[k] += 0.3 * (c->last[3 * i + k] - p[k]);
  }
}

static void step(cloth *c, double h, int flag, double time) {
  int m = c->n + 1;
  memcpy(c->last, c->x, 3 * (size_t)c->nvert * sizeof(double));
  for (int i = 0; i < c->nvert; i++) {
    double *v = c->v + 3 * i, *p = c->x + 3 * i;
    if (c->weight[i] <= 0) continue;
    v[1] -= 9.81 * h;
    if (flag) {
      v[0] += h * (26 + 4 * sin(3 * time));
      v[1] += h * 7;
      v[2] += h * 22 * sin(9 * time - 7 * p[0] + 1.5 * p[1]) * (0.4 + 0.6 * (i % m) / c->n);
    }
    for (int k = 0; k < 3; k++) p[k] += h * (v[k] *= 1 - 0.6 * h);
  }
  for (int k = 0; k < 12; k++) {
    solve_links(c);
    if (!flag) collide(c);
  }
  for (int i = 0; i < 3 * c->nvert; i++) c->v[i] = (c->x[i] - c->last[i]) / h;
}

/// A ball of quads over latitude and longitude with triangles at the poles.
static void make_ball(int n, double radius, double height, double **x, int **start, int **corner,
                      csim_cache_object *o) {
  int across = 2 * n, nvert = across * (n - 1) + 2, nface = across * n, k = 0;
  *x = calloc(3 * (size_t)nvert, sizeof(double));
  *start = calloc((size_t)nface + 1, sizeof(int));
  *corner = calloc(4 * (size_t)nface, sizeof(int));
  for (int j = 1; j < n; j++)
    for (int i = 0; i < across; i++) {
      double a = acos(-1) * j / n, b = acos(-1) * i / n, *p = *x + 3 * ((j - 1) * across + i);
      p[0] = radius * sin(a) * cos(b);
      p[1] = height + radius * cos(a);
      p[2] = -radius * sin(a) * sin(b);
    }
  (*x)[3 * (nvert - 2) + 1] = height + radius;
  (*x)[3 * (nvert - 1) + 1] = height - radius;
  for (int j = 0, f = 0; j < n; j++)
    for (int i = 0; i < across; i++) {
      int next = (i + 1) % across, up = (j - 1) * across, down = j * across;
      if (j) (*corner)[k++] = up + next;
      (*corner)[k++] = j ? up + i : nvert - 2;
      if (j < n - 1) (*corner)[k++] = down + i;
      (*corner)[k++] = j < n - 1 ? down + next : nvert - 1;
      (*start)[++f] = k;
    }
  o->nvert = nvert;
  o->nface = nface;
  o->face_start = *start;
  o->face_vert = *corner;
}

/// A ball that falls and wobbles.
static void move_jelly(int nvert, const double *rest, double time, double *x) {
  double fall = fmax(0, 0.9 - 0.5 * 9.81 * time * time), after = fmax(0, time - sqrt(1.8 / 9.81));
  double squash = after > 0 ? 0.32 * exp(-2.2 * after) * sin(17 * after) : 0;
  double sy = 1 - squash, sx = 1 / sqrt(sy);
  for (int i = 0; i < nvert; i++) {
    const double *r = rest + 3 * i;
    double bump =
        1 + 0.06 * sin(6 * r[0] / 0.3) * sin(5 * r[2] / 0.3) * cos(4 * (r[1] - 0.3) / 0.3);
    x[3 * i] = r[0] * sx * bump;
    x[3 * i + 1] = r[1] * sy + fall;
    x[3 * i + 2] = r[2] * sx * bump;
  }
}

/// Prints the three coordinates that a cache holds.
static int print_vertex(const char *path, int object, int frame, int vertex) {
  csim_cache *cache;
  if (csim_cache_open(path, NULL, &cache)) return 1;
  int nvert = csim_cache_get_info(cache)->object[object].nvert;
  float *x = calloc(3 * (size_t)nvert, sizeof *x);
  int bad = csim_cache_read(cache, object, frame, x, NULL) != CSIM_OK;
  if (!bad)
    printf("%.9g %.9g %.9g\n", (double)x[3 * vertex], (double)x[3 * vertex + 1],
           (double)x[3 * vertex + 2]);
  free(x);
  csim_cache_free(cache);
  return bad;
}

int main(int argc, char **argv) {
  if (argc == 6 && !strcmp(argv[1], "print"))
    return print_vertex(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
  if (argc < 3) return 2;
  int flag = !strcmp(argv[1], "flag"), jelly = !strcmp(argv[1], "jelly");
  int points = !strcmp(argv[1], "points"), still = !strcmp(argv[1], "still");
  int n = argc > 3 ? atoi(argv[3]) : 64, nframe = argc > 4 ? atoi(argv[4]) : 100;
  double push = argc > 5 ? atof(argv[5]) : 0, *ball, *moved;
  int *start, *corner;
  cloth c;
  csim_cache_options options = {.fps = 30, .up = 1};
  csim_cache_object sheet = {.name = "cloth", .type = CSIM_CACHE_CLOTH, .has_velocity = 1};
  csim_cache_object body = {.name = jelly ? "jelly" : "ball"};
  csim_cache_writer *w;
  make_cloth(&c, n, flag);
  make_ball(jelly ? 40 : 24, jelly ? 0.3 : 0.4, jelly ? 0.3 : 0.5, &ball, &start, &corner, &body);
  moved = calloc(3 * (size_t)body.nvert, sizeof(double));
  body.type = jelly ? CSIM_CACHE_SOLID : CSIM_CACHE_COLLIDER;
  sheet.nvert = points ? 1 : c.nvert;
  sheet.nface = points ? 0 : c.nface;
  sheet.face_start = c.start;
  sheet.face_vert = c.corner;
  char meta[128];
  snprintf(meta, sizeof meta, "{\"pins\": [{\"object\": \"cloth\", \"index\": [0, %d]}]}",
           n * (n + 1));
  int with_ball = !flag && !points, ball_object = jelly ? 0 : 1;
  int bad = csim_cache_create(argv[2], &options, flag ? meta : NULL, NULL, &w) != CSIM_OK;
  if (!bad && !jelly) bad |= csim_cache_add_object(w, &sheet) != CSIM_OK;
  if (!bad && with_ball) bad |= csim_cache_add_object(w, &body) != CSIM_OK;
  if (!bad) bad |= csim_cache_begin(w) != CSIM_OK;
  for (int f = 0; !bad && f < nframe; f++) {
    enum { SUBSTEPS = 6 };
    for (int s = 0; f && !still && !jelly && !points && s < SUBSTEPS; s++)
      step(&c, 1 / 30.0 / SUBSTEPS, flag, f / 30.0);
    if (f == nframe / 2 && !points) c.x[3 * 40] += push;
    bad |= csim_cache_begin_frame(w, f + 1, f / 30.0) != CSIM_OK;
    if (!jelly) bad |= csim_cache_put(w, 0, c.x, c.v) != CSIM_OK;
    if (jelly) move_jelly(body.nvert, ball, f / 30.0, moved);
    if (with_ball) bad |= csim_cache_put(w, ball_object, jelly ? moved : ball, NULL) != CSIM_OK;
    char stats[96];
    snprintf(stats, sizeof stats, "{\"iterations\": %d, \"energy\": %.6g}", 3 + f % 5,
             2.0 + exp(-f / 20.0));
    bad |= csim_cache_put_stats(w, stats) != CSIM_OK;
    bad |= csim_cache_end_frame(w) != CSIM_OK;
  }
  bad |= csim_cache_close(w, !bad) != CSIM_OK;
  free(c.x);
  free(c.v);
  free(c.last);
  free(c.weight);
  free(c.links);
  free(c.start);
  free(c.corner);
  free(ball);
  free(moved);
  free(start);
  free(corner);
  return bad;
}
