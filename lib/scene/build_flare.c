// scene/build_flare.c: bends flared bands around what they are sewn to, at the start. Needs mesh/.
//
// A flounce is a band whose lower edge is longer than its upper one: a sector of a ring, or a
// trapezoid. Two such make a ring that is sewn to a hem. Flat, they are drawn in one plane with
// their neighbours and overlap them, or reach around behind the hem; sewn from there they turn over
// and catch each other. They start as they will hang, half a ring each, in waves that grow
// downwards:
//
//            M                   from above:      __     __
//          /   \                                 /  \___/  \     lower edge
//       .-'.---.'-.   r                         | .--------. |
//      /  /     \  \                             \|  hem    |/
//     (__/       \__)
//
// M is where the lines of both ends meet. A point at distance r from it and at angle t, at most
// t_most, goes to the angle p = most t/t_most around the axis of the ring, r below M, and to the
// distance
//
//   q(p) = R + A (1 - cos(N pi (t/t_most + 1))),   where |(q, q')| is R r/r_0 on average
//
// R is the radius of a ring as long as the upper edges, r_0 the distance of these from M. Length
// around the ring is thus kept on average, and at both ends, where halves meet, q = R. A flounce
// on a flounce has the axis, R and N of that.
#include "base/dmath.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

static const double FLARED = 1.2; // least ratio of lower to upper edge
static const double APART = 0.01; // [m] between ends that will be sewn
static const double LEAN = 0.7;   // waves are at most so high, in lengths of the band
static const double FINE = 4;     // least length of a wave, in edges
enum { SAMPLES = 64, HALVINGS = 40, MOST_WAVES = 12 };

typedef struct flare {
  int bent;
  double middle[2];  // [m] M, along and up
  double most, top;  // t_most, r_0 [m]
  double base, R;    // [m] half of the length of the ring's panel at the top, radius
  double angle;      // p at the ends
  int waves;         // N
  double axis[3];    // a point of it
  double along[3];   // unit, horizontal
  const double *out; // unit, outwards
} flare;

typedef struct flares {
  csim_mesh *mesh;
  const int *of, *tier;
  flare *flare; // (panels)
} flares;

// A line through points of the panel's plane: their middle, and the direction of largest spread.
typedef struct line {
  int n;
  double sum[2], square[3]; // of u, v; of u u, u v, v v
  double middle[2], way[2];
} line;

static void add_point(line *l, double u, double v) {
  l->n++;
  l->sum[0] += u;
  l->sum[1] += v;
  l->square[0] += u * u;
  l->square[1] += u * v;
  l->square[2] += v * v;
}

static void fit_line(line *l) {
  for (int c = 0; c < 2; c++) l->middle[c] = l->sum[c] / l->n;
  double uu = l->square[0] / l->n - l->middle[0] * l->middle[0];
  double uv = l->square[1] / l->n - l->middle[0] * l->middle[1];
  double vv = l->square[2] / l->n - l->middle[1] * l->middle[1];
  double turn = 0.5 * csim_atan2(2 * uv, uu - vv);
  l->way[0] = csim_cos(turn);
  l->way[1] = csim_sin(turn);
}

// Finds where two lines meet. Returns 0 if they are nearly parallel.
static int meet(const line *a, const line *b, double at[2]) {
  double cross = a->way[0] * b->way[1] - a->way[1] * b->way[0];
  double d[2] = {b->middle[0] - a->middle[0], b->middle[1] - a->middle[1]};
  if (!(fabs(cross) > 0.05)) return 0;
  double s = (d[0] * b->way[1] - d[1] * b->way[0]) / cross;
  for (int c = 0; c < 2; c++) at[c] = a->middle[c] + s * a->way[c];
  return 1;
}

static double along_of(const flares *s, const flare *f, int vert) {
  return csim_dot(s->mesh->vert + csim_xyz(vert), f->along);
}

static void locate(const flares *s, const flare *f, int vert, double *angle, double *r) {
  double u = along_of(s, f, vert) - f->middle[0];
  double v = s->mesh->vert[csim_xyz(vert) + 1] - f->middle[1];
  *angle = csim_atan2(u, -v);
  *r = sqrt(u * u + v * v);
}

// Finds M from the ends of the band, which are sewn to panels of its tier, and `out`, where the
// middle between the panels is. Returns 0 if there is none.
static int find_middle(const flares *s, flare *f, int panel, double *out) {
  const csim_mesh *mesh = s->mesh;
  line end[2] = {0};
  double low = INFINITY, high = -INFINITY, sum = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->of[i] != panel) continue;
    low = csim_min(low, along_of(s, f, i));
    high = csim_max(high, along_of(s, f, i));
  }
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
    double u = along_of(s, f, own);
    if (s->of[own] != panel || s->of[other] == panel || s->tier[other] != s->tier[own]) continue;
    add_point(&end[u > 0.5 * (low + high)], u, mesh->vert[csim_xyz(own) + 1]);
    sum += 0.5 * csim_dot(mesh->vert + csim_xyz(own), f->out);
    sum += 0.5 * csim_dot(mesh->vert + csim_xyz(other), f->out);
  }
  if (end[0].n < 2 || end[1].n < 2) return 0;
  *out = sum / (end[0].n + end[1].n);
  for (int k = 0; k < 2; k++) fit_line(&end[k]);
  return meet(&end[0], &end[1], f->middle);
}

// Measures the band around M. Returns the panel above it, -1 if it is not flared. edge: [m] of the
// upper one; length: from the upper to the lower one.
static int measure(const flares *s, flare *f, int panel, double *edge, double *length) {
  const csim_mesh *mesh = s->mesh;
  double angle, r, lowest = 0;
  int n = 0, above = -1;
  f->most = f->top = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->of[i] != panel) continue;
    locate(s, f, i, &angle, &r);
    f->most = csim_max(f->most, fabs(angle));
    lowest = csim_max(lowest, r);
  }
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
    if (s->of[own] != panel || s->tier[other] != s->tier[own] - 1) continue;
    locate(s, f, own, &angle, &r);
    f->top += r;
    above = s->of[other];
    n++;
  }
  if (n < 2 || !(f->top > 0)) return -1;
  f->top /= n;
  *edge = 2 * f->most * f->top / (n - 1);
  *length = lowest - f->top;
  return lowest > FLARED * f->top ? above : -1;
}

// Mean of |(q, q')|, as a share of R, for waves of `height` R.
static double stretch(const flare *f, double height) {
  double sum = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double turn = 2 * CSIM_PI * (k + 0.5) / SAMPLES, q = 1 + height * (1 - csim_cos(turn));
    double slope = height * csim_sin(turn) * CSIM_PI * f->waves / f->angle;
    sum += sqrt(q * q + slope * slope) / SAMPLES;
  }
  return sum;
}

// Height of waves, as a share of R, at a distance from M.
static double height_at(const flare *f, double r) {
  double wanted = f->most * r / f->base, low = 0, high = csim_max(0, wanted - 1);
  for (int k = 0; k < HALVINGS; k++) {
    double height = 0.5 * (low + high);
    if (stretch(f, height) < wanted)
      low = height;
    else
      high = height;
  }
  return high;
}

static void bend(const flares *s, const flare *f, int panel) {
  for (int i = 0; i < s->mesh->nvert; i++) {
    double angle, r, *x = s->mesh->vert + csim_xyz(i);
    if (s->of[i] != panel) continue;
    locate(s, f, i, &angle, &r);
    double t = angle / f->most, p = f->angle * t;
    double q = f->R * (1 + height_at(f, r) * (1 - csim_cos(CSIM_PI * f->waves * (t + 1))));
    memcpy(x, f->axis, 3 * sizeof *x);
    x[1] = f->middle[1] - r;
    csim_add_scaled(q * csim_sin(p), f->along, x);
    csim_add_scaled(q * csim_cos(p) + 0.5 * APART, f->out, x);
  }
}

// Chooses the ring that a band becomes a part of. `cosine`: between its outward normal and those of
// the panels at its ends; out: of its axis; edge and length as measured.
static void choose_ring(flare *f, double cosine, double out, double edge, double length) {
  f->base = f->most * f->top;
  f->angle = 0.5 * csim_atan2(sqrt(csim_max(0, 1 - cosine * cosine)), cosine);
  f->R = f->base / f->angle;
  csim_add_scaled(f->middle[0], f->along, f->axis);
  csim_add_scaled(out, f->out, f->axis);
  for (f->waves = 1; f->waves < MOST_WAVES; f->waves++) {
    int fits = 2 * height_at(f, f->top + length) * f->R < LEAN * length;
    if (fits || 2 * f->base / (f->waves + 1) < FINE * edge) break;
  }
}

static int bend_panel(flares *s, int panel, const double *normal) {
  flare *f = &s->flare[panel];
  double out, edge, length, cosine = 0;
  int n = 0;
  f->out = normal + csim_xyz(panel);
  csim_cross((double[]){0, 1, 0}, f->out, f->along);
  if (!csim_is_band(s->mesh, s->of, panel, s->tier, normal)) return 0;
  if (!find_middle(s, f, panel, &out)) return 0;
  int above = measure(s, f, panel, &edge, &length);
  if (above < 0) return 0;
  for (int i = 0; i < 2 * s->mesh->nstitch; i++) {
    int own = s->mesh->stitch[i], other = s->mesh->stitch[i ^ 1];
    if (s->of[own] != panel || s->of[other] == panel || s->tier[other] != s->tier[own]) continue;
    cosine += csim_dot(f->out, normal + csim_xyz(s->of[other]));
    n++;
  }
  choose_ring(f, csim_max(-1, cosine / n), out, edge, length);
  const flare *a = &s->flare[above];
  if (a->bent) {
    f->base = a->base;
    f->R = a->R;
    f->angle = a->angle;
    f->waves = a->waves;
    memcpy(f->axis, a->axis, sizeof f->axis);
  }
  f->bent = 1;
  return 1;
}

csim_status csim_bend_flared(csim_mesh *mesh, int n, const int *of, const int *tier,
                             const double *normal, unsigned char *bent, int *count) {
  flares s = {.mesh = mesh, .of = of, .tier = tier, .flare = CSIM_NEW(flare, n)};
  int *first = CSIM_NEW(int, n), last = 0;
  csim_status status = s.flare && first ? CSIM_OK : CSIM_MEMORY;
  *count = 0;
  for (int i = mesh->nvert - 1; i >= 0 && !status; i--) {
    first[of[i]] = i;
    last = tier[i] > last ? tier[i] : last;
  }
  for (int t = 2; t <= last && !status; t++)
    for (int k = 0; k < n; k++)
      if (tier[first[k]] == t) *count += bend_panel(&s, k, normal);
  for (int k = 0; k < n && !status; k++) // afterwards, as panels are measured by each other
    if ((bent[k] = (unsigned char)s.flare[k].bent)) bend(&s, &s.flare[k], k);
  free(first);
  free(s.flare);
  return status;
}
