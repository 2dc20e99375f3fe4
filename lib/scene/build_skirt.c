// scene/build_skirt.c: finds the tiers of a skirt, and bends its panels at the start. Needs mesh/.
//
// Panels are bent in two ways. Neither strains them, except where a bend is as small as a triangle.
//
// Circular skirts are cut from sectors of a ring. A sector of half a ring would start in front of
// the hands and enclose them when it is sewn. A larger one would reach above its own waist, in
// front of the chest, with the bodice on the wrong side. Such a panel starts as a wavy cone, as it
// will hang. A point at distance r from the middle M of the waist and at angle t goes to M + r
// c(t). This is without strain if the curve c lies on the unit sphere and t is its arc length:
//
//       .-.        .-.       the flat      _ - M - _      from before: the sides are sewn to
//     /     \    /     \     panel       /   |   |   \    those of the panel behind
//    |        `M'        |              side  |   |  side
//     \                 /                   waves
//       ` - ._____. - '
//
// Lower tiers are long bands in front of the body and behind it. If their ends are drawn together,
// they curl up and turn over before they are sewn to the rim above. They start as arcs of a circle
// instead, as far from the body as lets their ends meet: two bands are half a circle each.
//
//                                  .-----.
//    ------------------          /         \       from above
//         ( body )         ->   |  ( body ) |
//    ------------------          \         /
//                                  '-----'
#include "base/disjoint.h"
#include "base/dmath.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

static const double WIDE = 70 * CSIM_PI / 180; // half the angle of the smallest sector to bend
static const double FLAT = 0.98;               // cosine from which panels count as coplanar
static const char skirt[] = "leg";             // GarmentCode's labels of panels and edges
static const char waist[] = "lower_interface";

// Joins the vertices of each panel: parent (mesh->nvert), see base/disjoint.h.
static void join_panels(const csim_mesh *mesh, int *parent) {
  for (int i = 0; i < mesh->nvert; i++) parent[i] = i;
  for (int t = 0; t < mesh->ntri; t++)
    for (int k = 1; k < 3; k++)
      parent[csim_disjoint_root(parent, mesh->tri[csim_xyz(t) + k])] =
          csim_disjoint_root(parent, mesh->tri[csim_xyz(t)]);
}

csim_status csim_mark_label(const csim_mesh *mesh, const char *label, unsigned char **in) {
  *in = CSIM_NEW(unsigned char, mesh->nvert);
  if (!*in) return CSIM_MEMORY;
  for (int s = 0; s < mesh->nset; s++)
    for (int k = 0; k < mesh->set[s].n && !strcmp(mesh->set[s].name, label); k++)
      (*in)[mesh->set[s].vert[k]] = 1;
  return CSIM_OK;
}

csim_status csim_mark_panels(const csim_mesh *mesh, unsigned char *in) {
  int *parent = CSIM_NEW(int, mesh->nvert);
  if (!parent) return CSIM_MEMORY;
  join_panels(mesh, parent);
  for (int i = 0; i < mesh->nvert; i++)
    if (in[i]) in[csim_disjoint_root(parent, i)] = 1;
  for (int i = 0; i < mesh->nvert; i++) in[i] = in[csim_disjoint_root(parent, i)];
  free(parent);
  return CSIM_OK;
}

csim_status csim_find_tiers(const csim_mesh *mesh, int *tier) {
  unsigned char *leg = NULL, *on_waist = NULL;
  int *parent = CSIM_NEW(int, mesh->nvert), more = 1, skirts = 1;
  csim_status status = parent ? csim_mark_label(mesh, skirt, &leg) : CSIM_MEMORY;
  if (!status) status = csim_mark_label(mesh, waist, &on_waist);
  if (status) goto done;
  join_panels(mesh, parent);
  for (int i = 0; i < mesh->nvert; i++) {
    tier[csim_disjoint_root(parent, i)] = leg[i] ? -1 : 0;
    skirts &= leg[i];
  }
  for (int i = 0; i < mesh->nvert; i++)
    if (skirts && on_waist[i]) tier[csim_disjoint_root(parent, i)] = 1;
  for (int at = skirts; more; at++) {
    more = 0;
    for (int i = 0; i < 2 * mesh->nstitch; i++) {
      int own = csim_disjoint_root(parent, mesh->stitch[i]),
          other = csim_disjoint_root(parent, mesh->stitch[i ^ 1]);
      if (tier[own] != at || tier[other] >= 0) continue;
      tier[other] = at + 1;
      more = 1;
    }
  }
  for (int i = 0; i < mesh->nvert; i++) tier[i] = tier[csim_disjoint_root(parent, i)];
done:
  free(parent);
  free(leg);
  free(on_waist);
  return status;
}

csim_status csim_find_cuffs(const csim_mesh *mesh, const unsigned char *arm, unsigned char *cuff) {
  int *parent = CSIM_NEW(int, mesh->nvert);
  unsigned char *hangs = CSIM_NEW(unsigned char, mesh->nvert); // at the root of each panel
  csim_status status = parent && hangs ? CSIM_OK : CSIM_MEMORY;
  if (!status) join_panels(mesh, parent);
  for (int i = 0; i < 2 * mesh->nstitch && !status; i++)
    if (arm[mesh->stitch[i]] && !arm[mesh->stitch[i ^ 1]])
      hangs[csim_disjoint_root(parent, mesh->stitch[i])] = 1;
  for (int i = 0; i < mesh->nvert && !status; i++)
    cuff[i] = (unsigned char)(arm[i] && !hangs[csim_disjoint_root(parent, i)]);
  free(parent);
  free(hangs);
  return status;
}

// ---------------------------------------------------------------------------------------- in waves

// The curve on the sphere: its latitude at longitude p, from the middle (0) to a side (pi/2), is
// -SLOPE + height cos(5 p).
enum { SAMPLES = 400 };
static const double SLOPE = CSIM_PI / 4;

static double latitude(double height, double p) {
  return height * csim_cos(5 * p) - SLOPE;
}

// Arc length of the curve from the middle to each sample. Returns the length to the side.
static double measure_wave(double height, double length[SAMPLES + 1]) {
  double step = 0.5 * CSIM_PI / SAMPLES;
  length[0] = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double p = (k + 0.5) * step, slope = 5 * height * csim_sin(5 * p);
    double across = csim_cos(latitude(height, p));
    length[k + 1] = length[k] + step * sqrt(slope * slope + across * across);
  }
  return length[SAMPLES];
}

// Finds the height of waves at which the curve is as long as half a panel, and returns it.
static double fit_wave(double angle, double length[SAMPLES + 1]) {
  double low = 0, high = SLOPE;
  for (int k = 0; k < 50; k++) {
    double height = 0.5 * (low + high);
    if (measure_wave(height, length) < angle)
      low = height;
    else
      high = height;
  }
  return high;
}

// A panel in its own plane.
typedef struct plane {
  const double *out; // unit, outwards
  double along[3], up[3];
  double middle[3]; // of the waist's circle
} plane;

// Marks the vertices that a panel hangs from: on the waist, or sewn to something above the skirt.
static void mark_waist(const csim_mesh *mesh, const int *tier, unsigned char *on_waist) {
  for (int i = 0; i < 2 * mesh->nstitch; i++)
    on_waist[mesh->stitch[i]] |= tier[mesh->stitch[i ^ 1]] == 0;
}

// Fits a circle to the waist by least squares (Kasa). Returns 0 if there is none.
static int find_middle(const csim_mesh *mesh, const int *of, int panel,
                       const unsigned char *on_waist, plane *p) {
  double mean[3] = {0}, m[3] = {0}, rhs[2] = {0}, d[3];
  int n = 0;
  for (int i = 0; i < mesh->nvert; i++)
    if (of[i] == panel && on_waist[i]) csim_add_scaled(1, mesh->vert + csim_xyz(i), mean), n++;
  for (int c = 0; c < 3 && n; c++) mean[c] /= n;
  for (int i = 0; i < mesh->nvert; i++) {
    if (of[i] != panel || !on_waist[i]) continue;
    csim_sub(mesh->vert + csim_xyz(i), mean, d);
    double u = csim_dot(d, p->along), v = csim_dot(d, p->up);
    m[0] += u * u;
    m[1] += u * v;
    m[2] += v * v;
    rhs[0] += 0.5 * u * (u * u + v * v);
    rhs[1] += 0.5 * v * (u * u + v * v);
  }
  double det = m[0] * m[2] - m[1] * m[1], scale = m[0] + m[2];
  if (!(det > 1e-4 * scale * scale)) return 0; // straight
  double u = (m[2] * rhs[0] - m[1] * rhs[1]) / det, v = (m[0] * rhs[1] - m[1] * rhs[0]) / det;
  for (int c = 0; c < 3; c++) p->middle[c] = mean[c] + u * p->along[c] + v * p->up[c];
  return 1;
}

// Distance of a point from the middle, and its angle from straight down.
static void locate(const plane *p, const double *x, double *angle, double *r) {
  double d[3];
  csim_sub(x, p->middle, d);
  double u = csim_dot(d, p->along), v = csim_dot(d, p->up);
  *angle = csim_atan2(u, -v);
  *r = sqrt(u * u + v * v);
}

static void bend(csim_mesh *mesh, const int *of, int panel, const plane *p, double most) {
  double length[SAMPLES + 1], height = fit_wave(most, length), angle, r;
  for (int i = 0; i < mesh->nvert; i++) {
    if (of[i] != panel) continue;
    double *x = mesh->vert + csim_xyz(i);
    locate(p, x, &angle, &r);
    int low = 0, high = SAMPLES;
    while (high - low > 1) {
      int k = (low + high) / 2;
      if (length[k] <= fabs(angle))
        low = k;
      else
        high = k;
    }
    double part = (fabs(angle) - length[low]) / (length[high] - length[low]);
    double longitude = 0.5 * CSIM_PI * (low + csim_min(1, part)) / SAMPLES;
    double up = latitude(height, longitude), across = csim_cos(up);
    memcpy(x, p->middle, 3 * sizeof *x);
    csim_add_scaled(r * csim_sin(up), p->up, x);
    csim_add_scaled(r * across * csim_cos(longitude), p->out, x);
    csim_add_scaled(r * across * (angle < 0 ? -1 : 1) * csim_sin(longitude), p->along, x);
  }
}

// Returns whether the panel was bent.
static int bend_circular(csim_mesh *mesh, const int *of, int panel, const unsigned char *on_waist,
                         const double *out) {
  plane p = {.out = out};
  double most = 0, angle, r;
  csim_cross((double[]){0, 1, 0}, out, p.along);
  if (!(csim_normalise(p.along) > 0.9)) return 0; // it lies
  csim_cross(out, p.along, p.up);
  if (!find_middle(mesh, of, panel, on_waist, &p)) return 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (of[i] != panel) continue;
    locate(&p, mesh->vert + csim_xyz(i), &angle, &r);
    most = csim_max(most, fabs(angle));
  }
  if (!(most > WIDE)) return 0;
  bend(mesh, of, panel, &p, most);
  return 1;
}

csim_status csim_bend_circular(const csim_panels *panels, const unsigned char *bent, int *count) {
  csim_mesh *mesh = panels->mesh;
  unsigned char *on_waist = NULL;
  csim_status status = csim_mark_label(mesh, waist, &on_waist);
  if (!status) mark_waist(mesh, panels->tier, on_waist);
  *count = 0;
  for (int k = 0; k < panels->n && !status; k++) {
    const double *out = panels->normal + csim_xyz(k);
    int first = 0;
    while (panels->of[first] != k) first++;
    if (panels->tier[first] == 0 || bent[k]) continue;
    *count += bend_circular(mesh, panels->of, k, on_waist, out);
  }
  free(on_waist);
  return status;
}

// ---------------------------------------------------------------------------------- wrapped around

// A band: its direction and extent, and how it meets the bands that its ends are sewn to.
typedef struct band {
  double along[3], low, high; // [m] unit, horizontal
  double depth;               // [m] of the others behind it
  double turn;                // cosine between the outward normals
  int n[2];                   // stitches at either end
} band;

static void measure_band(const csim_panels *p, int panel, band *b) {
  const csim_mesh *mesh = p->mesh;
  const int *of = p->of, *tier = p->tier;
  const double *normal = p->normal, *out = normal + csim_xyz(panel);
  *b = (band){.low = INFINITY, .high = -INFINITY};
  csim_cross((double[]){0, 1, 0}, out, b->along);
  for (int i = 0; i < mesh->nvert; i++) {
    if (of[i] != panel) continue;
    double s = csim_dot(mesh->vert + csim_xyz(i), b->along);
    b->low = csim_min(b->low, s);
    b->high = csim_max(b->high, s);
  }
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
    double d[3];
    if (of[own] != panel || of[other] == panel || tier[other] != tier[own]) continue;
    csim_sub(mesh->vert + csim_xyz(own), mesh->vert + csim_xyz(other), d);
    b->depth += csim_dot(d, out);
    b->turn += csim_dot(out, normal + csim_xyz(of[other]));
    b->n[csim_dot(mesh->vert + csim_xyz(own), b->along) > 0.5 * (b->low + b->high)]++;
  }
  if (b->n[0] + b->n[1]) {
    b->depth /= b->n[0] + b->n[1];
    b->turn /= b->n[0] + b->n[1];
  }
}

int csim_is_band(const csim_panels *p, int panel) {
  band b;
  measure_band(p, panel, &b);
  return b.n[0] && b.n[1] && b.turn < FLAT && fabs(p->normal[csim_xyz(panel) + 1]) < 0.1;
}

int csim_is_of_a_leg(const csim_panels *p, int panel) {
  int tier = 0, n[2] = {0};
  double middle[2] = {0};                  // x of this ring, and of others in its tier
  double low = INFINITY, high = -INFINITY; // of this ring
  for (int i = 0; i < p->mesh->nvert; i++)
    if (p->of[i] == panel) tier = p->tier[i];
  for (int i = 0; i < p->mesh->nvert; i++) {
    int other = p->ring[p->of[i]] != p->ring[panel];
    double x = p->mesh->vert[csim_xyz(i)];
    if (p->tier[i] != tier) continue;
    middle[other] += x;
    n[other]++;
    low = other ? low : csim_min(low, x);
    high = other ? high : csim_max(high, x);
  }
  return low * high > 0 || (n[1] && middle[0] * middle[1] < 0);
}

int csim_wrap_band(const csim_panels *p, int panel) {
  csim_mesh *mesh = p->mesh;
  const double *out = p->normal + csim_xyz(panel);
  band b;
  if (!csim_is_band(p, panel)) return 0;
  measure_band(p, panel, &b);
  double cosine = csim_max(-1, b.turn), a = 0.5 * (b.high - b.low), middle = 0.5 * (b.high + b.low);
  double angle = 0.5 * csim_atan2(sqrt(1 - cosine * cosine), cosine), radius = a / angle;
  double farther = csim_max(0, radius * (1 - csim_cos(angle)) - 0.5 * b.depth);
  for (int i = 0; i < mesh->nvert; i++) {
    if (p->of[i] != panel) continue;
    double *x = mesh->vert + csim_xyz(i), s = csim_dot(x, b.along) - middle;
    csim_add_scaled(radius * csim_sin(s / radius) - s, b.along, x);
    csim_add_scaled(farther - radius * (1 - csim_cos(s / radius)), out, x);
  }
  return 1;
}
