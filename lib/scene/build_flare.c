// scene/build_flare.c: bends gathered and flared bands around what they hang from, at the start.
// Needs mesh/.
//
// Tiers of a skirt and flounces are bands whose lower edge is longer than the edge above that they
// are sewn to: they are gathered, or sectors of a ring, or trapezoids. Two or more make a ring.
// Flat, they overlap their neighbours or reach around behind the hem, and a ring as large as they
// are long is half a metre away from it. Sewn from there they turn over and catch each other, and
// folds of gathers are caught in the seams. They start as they will hang, each its part of the ring
// (of two, half of it), in waves that grow downwards:
//
//            M                   from above:      __     __
//          /   \                                 /  \___/  \     lower edge
//       .-'.---.'-.   r                         | .--------. |
//      /  /     \  \                             \|  hem    |/
//     (__/       \__)
//
// A point in t, from -1 at one end of the band to 1 at the other, goes to the angle p = p_1 t
// around the axis of the ring, and to the distance
//
//   q(p) = R + A (1 - cos(N pi (t + 1))),   where |(q, q')| is R l/l_0 on average.
//
// Where the body reaches out of that below the ring, as feet do below a hem, rows are wider and
// lean outwards: most in the middle, and not at the ends. Moved out of the feet, front and back
// would no longer meet: a skirt at the ankles closed beside one of both (90 mm).
//
// R is the radius of a ring as long as the edge above, whose part at this band is 2 l_0, and 2 l is
// the length of the band at the height of the point. So length around the ring is kept on average,
// and where halves meet q = R. If that is too short for what is inside, R and l_0 are larger, and
// the upper edge starts stretched: sewn from in front of a leg, a cuff narrower than the leg closes
// beside it. That is also how a skirt starts whose waist is below the crotch: it would close
// between the legs. Where a circle is long enough, but not as wide as both legs, the ring is an
// ellipse of that length, if two halves make it: q(p) - R is then the distance from the ellipse,
// and t a share of its length. A band that hangs from such a band has the axis, R, l_0 and N of
// that. If the upper edge is curved, M is where the lines of both ends meet, and t the angle there.
// If it is straight, rows of the band are.
#include "base/dmath.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

static const double ROOM = 0.015;    // [m] between the ring and what is inside of it
static const double LONGER = 1.2;    // least ratio of lower edge to that above
static const double WIDE = 1.6;      // [rad] least half angle of a sector that is always a ring
static const double APART = 0.01;    // [m] between ends that will be sewn
static const double WAVE = 0.08;     // [m] least length of a wave, along the upper edge
static const double FINE = 4;        // and in edges
static const double STRAIGHT = 0.05; // least sagitta of a curved edge, in half its length
static const double LEVEL = 0.1;     // sine of an angle below which an end is level
static const double STRETCH = 0.25;  // most of an ellipse, as a share of its length
static const double HALF = 0.49;     // of a turn: least angle of half a ring, in pi
static const double AHEAD = 0.03;    // [m] above what it leans over
static const double NEAR = 0.004;    // [m] to the ring, of what is inside of it
static const double INSIDE = 0.8;    // most of a row's half width, of what is inside of it
static const double BESIDE = 0.3;    // least share of the lean, at what is near an end of the row
enum { SAMPLES = 32, HALVINGS = 40, STEPS = 64, LENGTHS = 8, ROWS = 16 };

// A line through points of the panel's plane: their middle, and the direction of largest spread.
typedef struct line {
  int n;
  double sum[2], square[3]; // of u, v; of u u, u v, v v
  double middle[2], direction[2];
} line;

// A row of a band that is widened for what is inside of it.
typedef struct flare_row {
  double wider; // share of the ring's width
  double lean;  // [m] outwards in its middle
} flare_row;

typedef struct flare {
  int bent;
  line end[2];         // at lower and higher u
  int straight;        // its upper edge
  double middle[2];    // [m] M, along and up
  double most, turn;   // angle from the middle to the ends; of the middle from straight down
  double top;          // [m] mean height of the upper edge
  double own;          // [m] half of its length
  double edge;         // [m] mean length of its edges
  double base, R;      // [m] l_0
  int narrow;          // a ring of such edges is shorter than what is inside is around
  double angle;        // p_1
  double waves;        // N, a whole number
  double axis[3];      // a point of it
  double half[2];      // [m] of the ring's axes, along and outwards; equal: R
  int both;            // it is around both legs
  double along[3];     // unit, horizontal
  const double *out;   // unit, outwards
  double low;          // [m] height of its lowest point
  flare_row row[ROWS]; // from top to low
} flare;

typedef struct flares {
  const csim_panels *set;
  const csim_trunk *trunk;
  flare *flare;                         // (set->n)
  double wave[SAMPLES], slope[SAMPLES]; // 1 - cos, sin in half a wave
} flares;

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
  l->direction[0] = csim_cos(turn);
  l->direction[1] = csim_sin(turn);
}

// Finds where two lines meet. Returns 0 if they are nearly parallel. The ends of half a ring are on
// one line, and M between them.
static int meet(const line *a, const line *b, double at[2]) {
  double cross = a->direction[0] * b->direction[1] - a->direction[1] * b->direction[0];
  double d[2] = {b->middle[0] - a->middle[0], b->middle[1] - a->middle[1]};
  double beside = fabs(a->direction[0] * d[1] - a->direction[1] * d[0]),
         far = sqrt(d[0] * d[0] + d[1] * d[1]);
  int in_line = fabs(cross) < 0.05 && beside < 0.1 * far;
  if (in_line)
    for (int c = 0; c < 2; c++) at[c] = 0.5 * (a->middle[c] + b->middle[c]);
  if (in_line || !(fabs(cross) > 0.05)) return in_line;
  double s = (d[0] * b->direction[1] - d[1] * b->direction[0]) / cross;
  for (int c = 0; c < 2; c++) at[c] = a->middle[c] + s * a->direction[c];
  return 1;
}

static double along_of(const flares *s, const flare *f, int vert) {
  return csim_dot(s->set->mesh->vert + csim_xyz(vert), f->along);
}

static double at_height(const line *l, double v) {
  return l->middle[0] + (v - l->middle[1]) * l->direction[0] / l->direction[1];
}

// Where a vertex is in the band: t, the distance r from M, and half of the band's length there.
static void locate(const flares *s, const flare *f, int vert, double *t, double *r, double *l) {
  double u = along_of(s, f, vert), v = s->set->mesh->vert[csim_xyz(vert) + 1];
  if (f->straight) {
    double low = at_height(&f->end[0], v), high = at_height(&f->end[1], v);
    *l = 0.5 * (high - low);
    *t = (u - 0.5 * (low + high)) / *l;
    *r = 0;
    return;
  }
  u -= f->middle[0];
  v -= f->middle[1];
  *t = (csim_atan2(u, -v) - f->turn) / f->most;
  *r = sqrt(u * u + v * v);
  *l = f->most * *r;
}

// Whether the upper edge is straight.
static int is_straight(const flares *s, const flare *f, int panel) {
  const csim_mesh *mesh = s->set->mesh;
  line l = {0};
  double beside = 0, most = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 2 * mesh->nstitch; i++) {
      int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
      if (s->set->of[own] != panel || s->set->tier[other] != s->set->tier[own] - 1) continue;
      double u = along_of(s, f, own), v = mesh->vert[csim_xyz(own) + 1];
      if (pass == 0) add_point(&l, u, v);
      if (pass == 0) continue;
      u -= l.middle[0];
      v -= l.middle[1];
      beside = csim_max(beside, fabs(u * l.direction[1] - v * l.direction[0]));
      most = csim_max(most, fabs(u * l.direction[0] + v * l.direction[1]));
    }
    if (l.n < 2) return 1;
    fit_line(&l);
  }
  return beside < STRAIGHT * most;
}

// Finds the ends of the band, which are sewn to panels of its tier, M, and `out`: how far outwards
// the band is at its ends, and those panels. Returns 0 if they are too short, or not where they
// should be.
static int find_ends(const flares *s, flare *f, int panel, double out[2]) {
  const csim_mesh *mesh = s->set->mesh;
  double low = INFINITY, high = -INFINITY, sum[2] = {0}, least = INFINITY, t, r, l;
  double from = INFINITY, to = -INFINITY;
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->set->of[i] != panel) continue;
    low = csim_min(low, along_of(s, f, i));
    high = csim_max(high, along_of(s, f, i));
  }
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
    double u = along_of(s, f, own);
    if (s->set->of[own] != panel || s->set->of[other] == panel ||
        s->set->tier[other] != s->set->tier[own])
      continue;
    add_point(&f->end[u > 0.5 * (low + high)], u, mesh->vert[csim_xyz(own) + 1]);
    sum[0] += csim_dot(mesh->vert + csim_xyz(own), f->out);
    sum[1] += csim_dot(mesh->vert + csim_xyz(other), f->out);
  }
  if (f->end[0].n < 2 || f->end[1].n < 2) return 0;
  for (int k = 0; k < 2; k++) out[k] = sum[k] / (f->end[0].n + f->end[1].n);
  for (int k = 0; k < 2; k++) fit_line(&f->end[k]);
  f->straight = is_straight(s, f, panel);
  f->most = 1;
  if (!f->straight && !meet(&f->end[0], &f->end[1], f->middle)) return 0;
  if (f->straight &&
      !(fabs(f->end[0].direction[1]) > LEVEL && fabs(f->end[1].direction[1]) > LEVEL))
    return 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->set->of[i] != panel) continue;
    locate(s, f, i, &t, &r, &l);
    if (!(l > 0)) return 0;
    from = csim_min(from, t);
    to = csim_max(to, t);
  }
  if (f->straight) {
    f->middle[0] = 0.5 * (low + high);
    return csim_max(-from, to) < 1.1;
  }
  f->turn = 0.5 * (from + to); // not 0 under a slanted hem
  f->most = 0.5 * (to - from);
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->set->of[i] != panel) continue;
    locate(s, f, i, &t, &r, &l);
    least = csim_min(least, fabs(t));
  }
  return least < 0.1; // M is above it
}

// Makes half a ring an ellipse if a circle does not leave room for what is inside of it, and longer
// than the edge above if that needs it. Beyond the length of its own edge it starts stretched.
static void shape_ring(const flares *s, flare *f, const double x[3]) {
  csim_oval oval = {.room = 0.5 * ROOM, .both = f->both};
  double own = csim_max(f->base, f->own), base = f->base;
  memcpy(oval.along, f->along, sizeof oval.along);
  for (int k = 1; k <= 2 * LENGTHS + 1; k++) {
    memcpy(oval.middle, x, sizeof oval.middle);
    oval.length = 2 * CSIM_PI * base / f->angle;
    if (csim_fit_oval(s->trunk, &oval)) {
      f->narrow = base > own;
      f->base = base;
      memcpy(f->half, oval.half, sizeof f->half);
      if (oval.half[1] < oval.half[0]) memcpy(f->axis, oval.middle, sizeof f->axis);
      return;
    }
    base = k <= LENGTHS ? f->base + (own - f->base) * k / LENGTHS
                        : own * (1 + STRETCH * (k - LENGTHS) / LENGTHS);
  }
}

// Makes a ring that is too narrow for what is inside of it as wide as that needs, and moves it
// there. flared: whether it would start as a ring if it were wide enough
static void widen(const flares *s, flare *f, int flared) {
  double x[3] = {f->axis[0], f->top, f->axis[2]};
  csim_girth girth = csim_trunk_girth(s->trunk, x, f->both);
  f->narrow = 2 * CSIM_PI * f->own < girth.length * f->angle;
  if (f->narrow) {
    f->base = csim_max(f->base, (girth.radius + ROOM) * f->angle);
    memcpy(f->axis, girth.middle, sizeof f->axis);
  } else if (flared && f->angle > HALF * CSIM_PI) {
    shape_ring(s, f, x);
  }
}

// Measures the band, and the edge above it. Returns the panel above it, -1 if there is none or the
// band is hardly longer than that edge, and wide enough for what is inside of it.
static int measure(const flares *s, flare *f, int panel) {
  const csim_mesh *mesh = s->set->mesh;
  const double *X = csim_mesh_rest(mesh);
  double length[2] = {0}, longest = 0, t, r, l; // of the upper edge, and of that above
  int above = -1, edges = 0, points = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (s->set->of[i] != panel) continue;
    locate(s, f, i, &t, &r, &l);
    longest = csim_max(longest, l);
  }
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
    if (s->set->of[own] != panel || s->set->tier[other] != s->set->tier[own] - 1) continue;
    above = s->set->of[other];
    f->top += mesh->vert[csim_xyz(own) + 1];
    points++;
    if (i + 2 >= 2 * mesh->nstitch) continue;
    int next[2] = {mesh->stitch[i + 2], mesh->stitch[(i + 2) ^ 1]};
    if (abs(next[0] - own) != 1 || s->set->of[next[1]] != s->set->of[other])
      continue; // another seam
    length[0] += csim_distance(X + csim_xyz(own), X + csim_xyz(next[0]));
    length[1] += csim_distance(X + csim_xyz(other), X + csim_xyz(next[1]));
    edges++;
  }
  if (!edges) return -1;
  f->top /= points;
  f->own = 0.5 * length[0];
  f->edge = length[0] / edges;
  f->base = 0.5 * csim_min(length[0], length[1]);
  const flare *a = &s->flare[above];
  if (a->bent) {
    f->base = a->base;
    f->narrow = a->narrow;
  }
  int flared = longest > LONGER * f->base || (!f->straight && f->most > WIDE);
  if (!a->bent) widen(s, f, flared);
  return f->narrow || flared ? above : -1;
}

// Mean of |(q, q')|, as a share of R, for waves of `height` R.
static double stretch(const flares *s, const flare *f, double height) {
  double sum = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double q = 1 + height * s->wave[k];
    double slope = height * s->slope[k] * CSIM_PI * f->waves / f->angle;
    sum += sqrt(q * q + slope * slope) / SAMPLES;
  }
  return sum;
}

// Height of waves, as a share of R, where half of the band's length is l.
static double height_at(const flares *s, const flare *f, double l) {
  double wanted = l / f->base, low = 0, high = csim_max(0, wanted - 1);
  for (int k = 0; k < HALVINGS; k++) {
    double height = 0.5 * (low + high);
    if (stretch(s, f, height) < wanted)
      low = height;
    else
      high = height;
  }
  return high;
}

// Speed of a point of the ellipse at angle p.
static double speed(const flare *f, double p) {
  double u = f->half[0] * csim_cos(p), v = f->half[1] * csim_sin(p);
  return sqrt(u * u + v * v);
}

// The angle on the ellipse at which its length from the middle of the band is a share t of that to
// the end.
static double angle_at(const flare *f, double t) {
  double step = 0.5 * CSIM_PI / STEPS, total = 0, sum = 0;
  for (int k = 0; k < STEPS; k++) total += speed(f, (k + 0.5) * step);
  for (int k = 0; k < 2 * STEPS; k++) { // t may be a little over 1
    double next = speed(f, (k + 0.5) * step);
    if (sum + next >= fabs(t) * total)
      return (t < 0 ? -step : step) * (k + (fabs(t) * total - sum) / next);
    sum += next;
  }
  return t < 0 ? -CSIM_PI : CSIM_PI;
}

static int is_round(const flare *f) {
  return !(f->half[1] < f->half[0]);
}

// The point of the ring at t, and as far out as `height`, along and outwards.
static void on_ring(const flare *f, double t, double height, double at[2]) {
  int round = is_round(f);
  double p = round ? f->angle * t : angle_at(f, t), u = csim_sin(p), v = csim_cos(p);
  double l = round ? 1 : sqrt(u * u * f->half[1] * f->half[1] + v * v * f->half[0] * f->half[0]);
  at[0] = round ? (f->R + height) * u : (f->half[0] + height * f->half[1] / l) * u;
  at[1] = round ? (f->R + height) * v : (f->half[1] + height * f->half[0] / l) * v;
}

// Height at which a vertex starts, which is at r.
static double height_of(const flares *s, const flare *f, int vert, double r) {
  return f->straight ? s->set->mesh->vert[csim_xyz(vert) + 1] : f->middle[1] - r;
}

// Half axes of the ring.
static void axes_of(const flare *f, double half[2]) {
  for (int k = 0; k < 2; k++) half[k] = is_round(f) ? f->R : f->half[k];
}

static int is_outside(const flare *f, double along, double out) {
  double half[2];
  axes_of(f, half);
  double u = along / (half[0] - NEAR), v = out / (half[1] - NEAR);
  return u * u + v * v > 1;
}

// How far a ring that is `wider` must lean outwards for a point (along, outwards) to be inside.
static double lean_over(const flare *f, double wider, double along, double out) {
  double half[2], end = csim_cos(f->angle);
  axes_of(f, half);
  double across = csim_min(1, fabs(along) / (wider * half[0]));
  double cosine = sqrt(1 - across * across);
  double share = csim_max(BESIDE, (cosine - end) / (1 - end));
  return csim_max(0, (out + ROOM - wider * half[1] * cosine) / share);
}

// Measures how much wider a row of a band must be for what is outside of its ring between two
// heights, and how far it leans outwards.
static void measure_row(const flares *s, flare *f, const double height[2], flare_row *row) {
  double d[3], half[2];
  axes_of(f, half);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < s->trunk->n; i++) {
      const double *p = s->trunk->x + csim_xyz(i);
      if (p[1] < height[0] || p[1] > height[1] || !(f->both || p[0] * f->axis[0] > 0)) continue;
      csim_sub(p, f->axis, d);
      double along = csim_dot(d, f->along), out = csim_dot(d, f->out);
      if (!is_outside(f, along, out)) continue;
      if (pass == 0)
        row->wider = csim_max(row->wider, fabs(along) / (INSIDE * half[0]));
      else if (out > 0)
        row->lean = csim_max(row->lean, lean_over(f, row->wider, along, out));
    }
}

// Measures the rows of a band below its top.
static void measure_rows(const flares *s, flare *f, int panel) {
  double t, r, l;
  f->low = f->top;
  for (int i = 0; i < s->set->mesh->nvert; i++) {
    if (s->set->of[i] != panel) continue;
    locate(s, f, i, &t, &r, &l);
    f->low = csim_min(f->low, height_of(s, f, i, r));
  }
  double step = (f->top - f->low) / (ROWS - 1);
  f->row[0].wider = 1;
  for (int k = 1; k < ROWS; k++) {
    double height[2] = {f->top - k * step - AHEAD, f->top - (k - 1) * step};
    f->row[k] = f->row[k - 1];
    measure_row(s, f, height, &f->row[k]);
  }
}

static flare_row row_at(const flare *f, double height) {
  double at = (ROWS - 1) * (f->top - height) / csim_max(f->top - f->low, 1e-9);
  int k = (int)csim_max(0, csim_min(ROWS - 2, floor(at)));
  double part = csim_max(0, csim_min(1, at - k));
  const flare_row *a = &f->row[k], *b = &f->row[k + 1];
  return (flare_row){.wider = a->wider + part * (b->wider - a->wider),
                     .lean = a->lean + part * (b->lean - a->lean)};
}

static void bend(const flares *s, const flare *f, int panel) {
  double end = csim_cos(f->angle);
  for (int i = 0; i < s->set->mesh->nvert; i++) {
    double t, r, l, at[2], *x = s->set->mesh->vert + csim_xyz(i);
    if (s->set->of[i] != panel) continue;
    locate(s, f, i, &t, &r, &l);
    double wave = 1 - csim_cos(CSIM_PI * f->waves * (t + 1)), up = height_of(s, f, i, r);
    flare_row row = row_at(f, up);
    double share = csim_max(0, csim_cos(f->angle * t) - end) / (1 - end);
    on_ring(f, t, f->R * height_at(s, f, l / row.wider) * wave, at);
    memcpy(x, f->axis, 3 * sizeof *x);
    x[1] = up;
    csim_add_scaled(row.wider * at[0], f->along, x);
    csim_add_scaled(row.wider * at[1] + row.lean * share + 0.5 * APART, f->out, x);
  }
}

// Mean cosine between the outward normals of a band and of the panels at its ends.
static double turn_of(const flares *s, int panel) {
  const double *normal = s->set->normal;
  double cosine = 0;
  int n = 0;
  for (int i = 0; i < 2 * s->set->mesh->nstitch; i++) {
    int own = s->set->mesh->stitch[i], other = s->set->mesh->stitch[i ^ 1];
    if (s->set->of[own] != panel || s->set->of[other] == panel ||
        s->set->tier[other] != s->set->tier[own])
      continue;
    cosine += csim_dot(normal + csim_xyz(panel), normal + csim_xyz(s->set->of[other]));
    n++;
  }
  return csim_max(-1, cosine / n);
}

// How far outwards the axis of the ring is. Of half a ring it is between the band and the panels at
// its ends. Of a smaller part, whose planes are at a distance D from the axis, its ends at u along
// it, and those of its neighbours D cos 2a + u sin 2a outwards, it is behind both.
static double axis_of(const flare *f, const double out[2]) {
  double between = 0.5 * (out[0] + out[1]), sine = csim_sin(f->angle);
  if (f->angle > HALF * CSIM_PI) return between;
  double u = 0.5 * (f->end[1].middle[0] - f->end[0].middle[0]);
  return out[0] - (out[0] - between) / (sine * sine) - u * csim_cos(f->angle) / sine;
}

static int choose_bend(flares *s, int panel, int tier) {
  flare *f = &s->flare[panel];
  double out[2], legs[2];
  f->out = s->set->normal + csim_xyz(panel);
  csim_cross((double[]){0, 1, 0}, f->out, f->along);
  if (!csim_is_band(s->set, panel) || !find_ends(s, f, panel, out)) return 0;
  double cosine = turn_of(s, panel);
  f->angle = 0.5 * csim_atan2(sqrt(csim_max(0, 1 - cosine * cosine)), cosine);
  csim_add_scaled(f->middle[0], f->along, f->axis);
  csim_add_scaled(axis_of(f, out), f->out, f->axis);
  f->both = !csim_is_of_a_leg(s->set, panel);
  int above = measure(s, f, panel);
  if (above < 0) return 0;
  if (tier == 1 && !(f->both && csim_below_crotch(s->trunk, f->top, legs))) return 0;
  const flare *a = &s->flare[above];
  f->bent = 1;
  if (a->bent) {
    f->R = a->R;
    f->angle = a->angle;
    f->waves = a->waves;
    memcpy(f->axis, a->axis, sizeof f->axis);
    memcpy(f->half, a->half, sizeof f->half);
    return 1;
  }
  f->R = f->base / f->angle;
  f->waves = csim_max(1, floor(2 * f->own / csim_max(WAVE, FINE * f->edge)));
  return 1;
}

// Gives all panels of a ring the widest of their rings, so that their ends meet.
static void join_rings(flares *s) {
  for (int k = 0; k < s->set->n; k++)
    for (int m = 0; m < s->set->n; m++) {
      flare *f = &s->flare[k];
      const flare *wide = &s->flare[m];
      if (!f->bent || !wide->bent || s->set->ring[k] != s->set->ring[m] || !(wide->R > f->R))
        continue;
      f->R = wide->R;
      f->base = wide->R * f->angle;
      memcpy(f->half, wide->half, sizeof f->half);
      memcpy(f->axis, wide->axis, sizeof f->axis);
    }
}

csim_status csim_bend_flared(const csim_panels *panels, const csim_trunk *trunk,
                             unsigned char *bent, int *count) {
  int n = panels->n, *first = CSIM_NEW(int, n), last = 0;
  flares s = {.set = panels, .trunk = trunk, .flare = CSIM_NEW(flare, n)};
  csim_status status = s.flare && first ? CSIM_OK : CSIM_MEMORY;
  *count = 0;
  for (int k = 0; k < SAMPLES; k++) {
    s.wave[k] = 1 - csim_cos(CSIM_PI * (k + 0.5) / SAMPLES);
    s.slope[k] = csim_sin(CSIM_PI * (k + 0.5) / SAMPLES);
  }
  for (int i = panels->mesh->nvert - 1; i >= 0 && !status; i--) {
    first[panels->of[i]] = i;
    last = panels->tier[i] > last ? panels->tier[i] : last;
  }
  for (int t = 1; t <= last && !status; t++) {
    for (int k = 0; k < n; k++)
      if (panels->tier[first[k]] == t) *count += choose_bend(&s, k, t);
    join_rings(&s);
  }
  for (int k = 0; k < n && !status; k++)
    if (s.flare[k].bent) measure_rows(&s, &s.flare[k], k);
  for (int k = 0; k < n && !status; k++) // afterwards, as panels are measured by each other
    if (s.flare[k].bent) bend(&s, &s.flare[k], k);
  for (int k = 0; k < n && !status; k++)
    bent[k] = (unsigned char)(s.flare[k].bent ? 1 + s.flare[k].narrow : 0);
  free(first);
  free(s.flare);
  return status;
}
