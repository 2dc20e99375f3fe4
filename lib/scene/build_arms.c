// scene/build_arms.c: keeps arms out of skirts and inside sleeves at the start. Needs contact/.
//
// Skirts. The panels of a skirt that is wider than the arms reach stand in front of the arms and
// behind them. Sewn together, they would enclose the hands. (GarmentCode's own simulator lets
// skirts pass through arms.) Here the arms start shortened, and grow to their length once the skirt
// hangs. Every point of an arm moves towards the shoulder S on a straight line:
//
//   |x - S| = r  ->  R + SHRUNK (r - R)   where r > R
//
// This map is one-to-one, so the arm never intersects itself. When it grows, it pushes cloth away
// like any moving collider. R is the shoulder's radius, or the distance at which the bodice ends:
// an arm that ends inside of a wide one grows into its side, not out of its armhole. Arms in
// sleeves are raised instead, until they are level, with their sleeves; if they are level, R is
// where these end.
//
// Sleeves. Panels that are drawn beside an arm are shifted so that the arm is between them.
//
// Hands. Cuffs are drawn at the hand, and a thumb that sticks out comes to lie between two panels
// that are then sewn around it. Hands that a sleeve reaches start slender.
//
// Side seams. Panels of wide bodices stand in front of an arm and behind it, and their side seam
// crosses it. The arm starts raised above them, with the panels of its sleeve, and is lowered when
// they are sewn.
#include "base/disjoint.h"
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "scene/compile.h"

#include <string.h>
#include <stdlib.h>

// In heights of the body: cross-sections of an arm are less than THICK high, and it is at least
// LONG. STRIDE is the distance between cross-sections.
static const double THICK = 0.125, LONG = 0.2, STRIDE = 0.005;
static const double SHRUNK = 0.03;  // factor of the arm's length beyond R
static const double CELL = 0.05;    // [m] grid on which coverage is measured
static const double COVERED = 0.25; // share of what is drawn in
// GarmentCode's labels of panels
static const char skirt[] = "leg", sleeve[] = "arm", bodice[] = "body";

typedef struct arm {
  unsigned char *in; // (nvert) 1: of the arm
  double shoulder[3];
  double radius; // [m] R
  double size;   // [m] height of the body
} arm;

typedef struct cut {
  double middle[3], height, radius; // radius: largest distance from the middle
} cut;

// An edge of a body.
typedef struct side_edge {
  double near; // [m] how far out its nearer end is
  int a, b;
} side_edge;

// Cross-sections of one side (1 or -1) of a body, from the tip inwards: the edges beyond the last
// one are joined.
typedef struct sections {
  const csim_mesh *mesh;
  int tip;         // vertex
  int n, joined;   // edges of the side, and how many of them are joined
  side_edge *edge; // (n) of (3 mesh->ntri), the farthest out first
  int *parent;     // (mesh->nvert), see base/disjoint.h
} sections;

static int compare_edges(const void *a, const void *b) {
  double x = ((const side_edge *)a)->near, y = ((const side_edge *)b)->near;
  return (x < y) - (x > y);
}

// Without memory arena->failed is set.
static sections new_sections(csim_arena *arena, const csim_mesh *mesh) {
  return (sections){.mesh = mesh,
                    .edge = CSIM_ARENA_NEW(arena, side_edge, csim_xyz(mesh->ntri)),
                    .parent = CSIM_ARENA_NEW(arena, int, mesh->nvert)};
}

static void return_to_tip(sections *s) {
  for (int i = 0; i < s->mesh->nvert; i++) s->parent[i] = i;
  s->joined = 0;
}

static void begin_sections(sections *s, int side, int tip) {
  const double *x = s->mesh->vert;
  s->tip = tip;
  s->n = 0;
  for (int t = 0; t < s->mesh->ntri; t++)
    for (int k = 0; k < 3; k++) {
      int a = s->mesh->tri[csim_xyz(t) + k], b = s->mesh->tri[csim_xyz(t) + (k + 1) % 3];
      double near = csim_min(side * x[csim_xyz(a)], side * x[csim_xyz(b)]);
      if (near > 0) s->edge[s->n++] = (side_edge){near, a, b};
    }
  qsort(s->edge, (size_t)s->n, sizeof *s->edge, compare_edges);
  return_to_tip(s);
}

// The part of the mesh beyond `at` that is connected to the tip; `at` is farther in than before.
// in: (mesh->nvert) 1 for its vertices
static void cut_off(sections *s, double at, unsigned char *in) {
  for (; s->joined < s->n && s->edge[s->joined].near > at; s->joined++) {
    int a = csim_disjoint_root(s->parent, s->edge[s->joined].a);
    int b = csim_disjoint_root(s->parent, s->edge[s->joined].b);
    s->parent[a > b ? a : b] = a > b ? b : a;
  }
  int root = csim_disjoint_root(s->parent, s->tip);
  for (int i = 0; i < s->mesh->nvert; i++) in[i] = csim_disjoint_root(s->parent, i) == root;
}

// Measures the vertices of the arm from the cut to `end`. Returns their number.
static int measure_cut(const csim_mesh *mesh, const arm *a, int side, double end, cut *c) {
  double low = INFINITY, high = -INFINITY;
  int n = 0;
  *c = (cut){0};
  for (int i = 0; i < mesh->nvert; i++) {
    const double *x = mesh->vert + csim_xyz(i);
    if (!a->in[i] || side * x[0] > end) continue;
    csim_add_scaled(1, x, c->middle);
    low = csim_min(low, x[1]);
    high = csim_max(high, x[1]);
    n++;
  }
  c->height = high - low;
  if (n == 0) return 0;
  for (int k = 0; k < 3; k++) c->middle[k] /= n;
  for (int i = 0; i < mesh->nvert; i++) {
    const double *x = mesh->vert + csim_xyz(i);
    if (a->in[i] && !(side * x[0] > end))
      c->radius = csim_max(c->radius, csim_distance(x, c->middle));
  }
  return n;
}

// Takes cross-sections from the hand to where they become thick. Returns 0 if there is no arm.
static int find_arm(sections *cuts, int side, arm *a) {
  const csim_mesh *mesh = cuts->mesh;
  double low = INFINITY, high = -INFINITY, found = 0, last = 0;
  int tip = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    low = csim_min(low, mesh->vert[csim_xyz(i) + 1]);
    high = csim_max(high, mesh->vert[csim_xyz(i) + 1]);
    if (side * mesh->vert[csim_xyz(i)] > side * mesh->vert[csim_xyz(tip)]) tip = i;
  }
  double size = a->size = high - low, end = side * mesh->vert[csim_xyz(tip)];
  cut c;
  begin_sections(cuts, side, tip);
  for (double at = end - STRIDE * size; at > 0; at -= STRIDE * size) {
    cut_off(cuts, at, a->in);
    if (!measure_cut(mesh, a, side, at + 2 * STRIDE * size, &c)) continue;
    if (c.height > THICK * size) break;
    memcpy(a->shoulder, c.middle, sizeof c.middle);
    a->radius = c.radius;
    found = end - at;
    last = at;
  }
  if (!(found > LONG * size)) return 0;
  return_to_tip(cuts);
  cut_off(cuts, last, a->in);
  return 1;
}

csim_status csim_find_trunk(const csim_build *build, csim_arena *arena, csim_trunk *trunk) {
  const csim_world *world = build->world;
  csim_arena scratch = {0};
  ptrdiff_t n = 0;
  *trunk = (csim_trunk){0};
  for (int k = 0; k < world->ncollider; k++)
    if (world->collider[k].shape == CSIM_COLLIDER_MESH) n += world->collider_mesh[k].nvert;
  trunk->x = CSIM_ARENA_NEW(arena, double, 3 * n);
  for (int k = 0; k < world->ncollider && !arena->failed && !scratch.failed; k++) {
    const csim_mesh *body = &world->collider_mesh[k];
    if (world->collider[k].shape != CSIM_COLLIDER_MESH) continue;
    sections cuts = new_sections(&scratch, body);
    int found[2] = {0};
    arm a[2] = {{.in = CSIM_ARENA_NEW(&scratch, unsigned char, body->nvert)},
                {.in = CSIM_ARENA_NEW(&scratch, unsigned char, body->nvert)}};
    if (scratch.failed) break;
    for (int i = 0; i < 2; i++) found[i] = find_arm(&cuts, 2 * i - 1, &a[i]);
    for (int i = 0; i < body->nvert; i++)
      if (!(found[0] && a[0].in[i]) && !(found[1] && a[1].in[i]))
        memcpy(trunk->x + csim_xyz(trunk->n++), body->vert + csim_xyz(i), 3 * sizeof *body->vert);
  }
  csim_status status = arena->failed || scratch.failed ? CSIM_MEMORY : CSIM_OK;
  csim_arena_free(&scratch);
  return status;
}

// How far a skirt hangs above where it is drawn [m]: the mean height of its stitches to other
// panels, and of theirs, such as a waistband's, up to panels that reach the height of `top`.
static double rise_of(const csim_mesh *mesh, const unsigned char *leg, double top,
                      csim_arena *arena) {
  unsigned char *below = CSIM_ARENA_COPY(arena, leg, mesh->nvert);
  unsigned char *above = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert);
  double rise = 0;
  int n = 1, reached = 0;
  while (n > 0 && !reached && !arena->failed) {
    double sum = 0;
    n = 0;
    for (int i = 0; i < 2 * mesh->nstitch; i++) {
      int own = mesh->stitch[i], other = mesh->stitch[i ^ 1];
      if (!below[own] || below[other]) continue;
      sum += mesh->vert[csim_xyz(other) + 1] - mesh->vert[csim_xyz(own) + 1];
      above[other] = 1;
      n++;
    }
    if (n) rise += sum / n;
    if (csim_mark_panels(mesh, above)) arena->failed = 1;
    for (int i = 0; i < mesh->nvert; i++) {
      reached |= above[i] && mesh->vert[csim_xyz(i) + 1] > top;
      below[i] |= above[i];
    }
  }
  return rise;
}

// Share of the vertices to draw in that the skirt covers, seen along z, in front or behind: on a
// grid in the plane of x and y, cells that a vertex of it is in.
static double cover(const csim_mesh *body, const arm *a, const csim_mesh *mesh,
                    const unsigned char *leg, csim_arena *arena) {
  double rise = rise_of(mesh, leg, a->shoulder[1] - THICK * a->size, arena);
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  int n[2], in = 0, under = 0;
  for (int i = 0; i < body->nvert; i++)
    for (int c = 0; c < 2 && a->in[i]; c++) {
      low[c] = csim_min(low[c], body->vert[csim_xyz(i) + c]);
      high[c] = csim_max(high[c], body->vert[csim_xyz(i) + c]);
    }
  for (int c = 0; c < 2; c++) n[c] = (int)csim_min(1e3, (high[c] - low[c]) / CELL) + 1;
  unsigned char *cell = CSIM_ARENA_NEW(arena, unsigned char, (ptrdiff_t)n[0] * n[1]);
  if (!cell) return 0;
  for (int v = 0; v < mesh->nvert; v++) {
    const double *x = mesh->vert + csim_xyz(v);
    double i = floor((x[0] - low[0]) / CELL), j = floor((x[1] + rise - low[1]) / CELL);
    if (leg[v] && i >= 0 && i < n[0] && j >= 0 && j < n[1]) cell[(int)j * n[0] + (int)i] = 1;
  }
  for (int v = 0; v < body->nvert; v++) {
    const double *x = body->vert + csim_xyz(v);
    if (!a->in[v] || !(csim_distance(x, a->shoulder) > a->radius)) continue;
    int i = (int)csim_min((x[0] - low[0]) / CELL, n[0] - 1);
    int j = (int)csim_min((x[1] - low[1]) / CELL, n[1] - 1);
    in++;
    under += cell[j * n[0] + i];
  }
  return (double)under / (in ? in : 1);
}

// ----------------------------------------------------------------------------------------- sleeves

// Wide sleeves, and those longer than the arm, are drawn with the arm along their edge. Sewn from
// there, the tube would close beside the arm. Their panels are therefore shifted across it.
//
// [m] Largest distance of a panel's middle from the arm that needs no shift: about an arm's radius.
// Of 38 panels measured, those that closed as drawn had less than 0.04; two had 0.05, and also
// close when shifted. Panels that did not close had 0.055 to 0.1.
static const double BESIDE = 0.045;
// The same as a share of the panel's width: cuffs are hardly wider than the arm.
static const double ASIDE = 0.2;

// Mean coordinate along w of the vertices that are marked in `in` and whose coordinate along u is
// between `low` and `high`; NAN if there are none.
static double middle_of(const csim_mesh *mesh, const unsigned char *in, const double u[3],
                        const double w[3], double low, double high) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    const double *x = mesh->vert + csim_xyz(i);
    double along = csim_dot(x, u);
    if (!in[i] || along < low || along > high) continue;
    sum += csim_dot(x, w);
    n++;
  }
  return n ? sum / n : NAN;
}

// Sign of the mean x of a panel's vertices: its side of the body.
static int side_of(const csim_mesh *garment, const int *panel, int number) {
  double sum = 0;
  for (int i = 0; i < garment->nvert; i++)
    if (panel[i] == number) sum += garment->vert[csim_xyz(i)];
  return sum < 0 ? -1 : 1;
}

// Direction in which an arm points, in the plane of x and y. Returns 0 if there is none.
static int direction_of(const csim_mesh *body, const arm *a, double u[3]) {
  double middle[3] = {0};
  int n = 0;
  for (int i = 0; i < body->nvert; i++) {
    if (!a->in[i]) continue;
    csim_add_scaled(1, body->vert + csim_xyz(i), middle);
    n++;
  }
  for (int c = 0; c < 3; c++) u[c] = middle[c] / n - a->shoulder[c];
  u[2] = 0;
  return csim_normalise(u) > 0;
}

// How far from the shoulder a sleeve on this side ends, as drawn [m]; 0: there is none.
static double sleeve_end(const csim_mesh *body, const arm *a, int side, const csim_mesh *garment) {
  double u[3], d[3], end = 0;
  if (!direction_of(body, a, u)) return 0;
  for (int s = 0; s < garment->nset; s++)
    for (int k = 0; k < garment->set[s].n && !strcmp(garment->set[s].name, sleeve); k++) {
      const double *x = garment->vert + csim_xyz(garment->set[s].vert[k]);
      csim_sub(x, a->shoulder, d);
      if (side * x[0] > 0) end = csim_max(end, csim_dot(d, u));
    }
  return end;
}

// How far from the shoulder a bodice covers the arm, as drawn [m]. in: (garment->nvert) its
// vertices.
static double bodice_end(const csim_mesh *body, const arm *a, int side, const csim_mesh *garment,
                         const unsigned char *in) {
  double u[3], d[3], end = 0;
  if (!direction_of(body, a, u)) return 0;
  double w[3] = {-u[1], u[0], 0};
  for (int i = 0; i < garment->nvert; i++) {
    const double *x = garment->vert + csim_xyz(i);
    csim_sub(x, a->shoulder, d);
    if (in[i] && side * x[0] > 0 && fabs(csim_dot(d, w)) < 0.5 * THICK * a->size)
      end = csim_max(end, csim_dot(d, u));
  }
  return end;
}

// Of a panel of a sleeve: how far to shift it across the arm so that its middle is on the arm, and
// ranges of shifts with which the arm runs inside of every cross-section of it.
typedef struct shifts {
  double middle, width;
  double inside[2]; // from, to
  double room[2];   // of those that leave ROOM on either side
} shifts;

enum { SLICES = 8 };
static const double ROOM = 0.25; // of a cross-section's width

static shifts measure_shifts(const csim_mesh *body, const arm *a, const csim_mesh *garment,
                             const int *panel, int number, const double u[3], const double w[3]) {
  shifts s = {.inside = {-INFINITY, INFINITY}, .room = {-INFINITY, INFINITY}};
  double low = INFINITY, high = -INFINITY, range[2] = {INFINITY, -INFINITY};
  double slice[SLICES][2];
  for (int k = 0; k < SLICES; k++) slice[k][0] = INFINITY, slice[k][1] = -INFINITY;
  for (int i = 0; i < garment->nvert; i++) {
    const double *x = garment->vert + csim_xyz(i);
    if (panel[i] != number) continue;
    low = csim_min(low, csim_dot(x, u));
    high = csim_max(high, csim_dot(x, u));
  }
  if (!(high > low)) return s; // it stands across the arm
  for (int i = 0; i < garment->nvert; i++) {
    const double *x = garment->vert + csim_xyz(i);
    if (panel[i] != number) continue;
    double across = csim_dot(x, w), part = (csim_dot(x, u) - low) / (high - low);
    int k = (int)csim_min(SLICES - 1, SLICES * part);
    range[0] = csim_min(range[0], across);
    range[1] = csim_max(range[1], across);
    slice[k][0] = csim_min(slice[k][0], across);
    slice[k][1] = csim_max(slice[k][1], across);
  }
  s.width = range[1] - range[0];
  s.middle = middle_of(body, a->in, u, w, low, high) - 0.5 * (range[0] + range[1]);
  for (int k = SLICES / 2; k < SLICES; k++) { // the cap need not be around the arm
    double step = (high - low) / SLICES, begin = low + k * step, width = slice[k][1] - slice[k][0];
    double at = middle_of(body, a->in, u, w, begin, begin + step);
    if (!(width > 0) || isnan(at)) continue;
    s.inside[0] = csim_max(s.inside[0], at - slice[k][1]);
    s.inside[1] = csim_min(s.inside[1], at - slice[k][0]);
    s.room[0] = csim_max(s.room[0], at - slice[k][1] + ROOM * width);
    s.room[1] = csim_min(s.room[1], at - slice[k][0] - ROOM * width);
  }
  return s;
}

// Shifts a panel across the arm if the arm is too far from its middle, or would be outside of one
// of its cross-sections: the hem of a wide sleeve may be at one side of it. Returns whether it did.
static int center_panel(const csim_mesh *body, const arm *a, csim_mesh *garment, const int *panel,
                        int number) {
  double u[3];
  if (!direction_of(body, a, u)) return 0;
  double w[3] = {-u[1], u[0], 0};
  shifts s = measure_shifts(body, a, garment, panel, number, u, w);
  if (!(fabs(s.middle) < s.width)) return 0; // the arm does not reach it: it is not of this arm
  double shift = fabs(s.middle) > csim_min(BESIDE, ASIDE * s.width) ? s.middle : 0;
  if (!(shift > s.inside[0] && shift < s.inside[1]))
    shift = s.room[0] > s.room[1] ? 0.5 * (s.room[0] + s.room[1])
                                  : csim_max(s.room[0], csim_min(s.room[1], shift));
  for (int i = 0; i < garment->nvert; i++)
    if (panel[i] == number) csim_add_scaled(shift, w, garment->vert + csim_xyz(i));
  return shift != 0;
}

static int center_sleeves(const csim_mesh *body, const arm *a, int side, csim_mesh *garment,
                          const int *panel) {
  int moved = 0;
  for (int s = 0; s < garment->nset; s++) {
    const csim_mesh_set *set = &garment->set[s];
    int last = -1;
    if (strcmp(set->name, sleeve) != 0) continue;
    for (int k = 0; k < set->n; k++) { // a panel's vertices follow each other
      if (panel[set->vert[k]] == last) continue;
      last = panel[set->vert[k]];
      if (side_of(garment, panel, last) == side)
        moved += center_panel(body, a, garment, panel, last);
    }
  }
  return moved;
}

csim_status csim_center_sleeves(const csim_build *build, const csim_object *object,
                                csim_mesh *garment, const int *panel) {
  const csim_world *world = build->world;
  csim_arena arena = {0};
  int moved = 0;
  for (int k = 0; k < world->ncollider && !arena.failed; k++) {
    const csim_mesh *body = &world->collider_mesh[k];
    if (world->collider[k].shape != CSIM_COLLIDER_MESH) continue;
    sections cuts = new_sections(&arena, body);
    arm a = {.in = CSIM_ARENA_NEW(&arena, unsigned char, body->nvert)};
    for (int side = -1; side <= 1 && !arena.failed; side += 2)
      if (find_arm(&cuts, side, &a)) moved += center_sleeves(body, &a, side, garment, panel);
  }
  csim_status status = arena.failed ? CSIM_MEMORY : CSIM_OK;
  csim_arena_free(&arena);
  if (moved)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d panels of sleeves start around the arms beside which they are drawn",
             object->name, moved);
  return status;
}

// ------------------------------------------------------------------------------------ drawing in

static void draw_in(const csim_mesh *mesh, const arm *a, double *x) {
  for (int i = 0; i < mesh->nvert; i++) {
    double d[3], r;
    csim_sub(x + csim_xyz(i), a->shoulder, d);
    r = csim_norm(d);
    if (!a->in[i] || !(r > a->radius)) continue;
    double scale = (a->radius + SHRUNK * (r - a->radius)) / r;
    for (int c = 0; c < 3; c++) x[csim_xyz(i) + c] = a->shoulder[c] + scale * d[c];
  }
}

// ------------------------------------------------------------------------------------------ hands

// In heights of the body: length of a hand, and distance from the wrist over which it becomes
// slender.
static const double HAND = 0.11, WRIST = 0.03;
static const double SLENDER = 0.1; // share of its width

// Makes the hand slender if a sleeve ends beyond the wrist: each of its points moves towards the
// line through the middles of wrist and hand, square to it, so the hand never intersects itself.
// Returns whether it did.
static int make_slender(const csim_mesh *mesh, const arm *a, double sleeve_end, double *x) {
  double u[3], d[3], tip = 0, middle[2][3] = {{0}};
  int n[2] = {0};
  if (!direction_of(mesh, a, u)) return 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < mesh->nvert; i++) {
      if (!a->in[i]) continue;
      csim_sub(x + csim_xyz(i), a->shoulder, d);
      double along = csim_dot(d, u);
      if (pass == 0) tip = csim_max(tip, along);
      double beyond = along - (tip - HAND * a->size);
      if (pass == 0 || beyond < 0) continue;
      int hand = beyond > WRIST * a->size;
      csim_add_scaled(1, x + csim_xyz(i), middle[hand]);
      n[hand]++;
    }
  if (!n[0] || !n[1] || !(sleeve_end > tip - HAND * a->size)) return 0;
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 3; c++) middle[k][c] /= n[k];
  csim_sub(middle[1], middle[0], u);
  if (!(csim_normalise(u) > 0)) return 0;
  for (int i = 0; i < mesh->nvert; i++) {
    csim_sub(x + csim_xyz(i), middle[0], d);
    double along = csim_dot(d, u), part = csim_min(1, along / (WRIST * a->size));
    if (!a->in[i] || !(along > 0)) continue;
    csim_add_scaled(-along, u, d); // square to the line
    csim_add_scaled(-(1 - SLENDER) * part, d, x + csim_xyz(i));
  }
  return 1;
}

// ---------------------------------------------------------------------------------------- raising

// An arm is raised by a shear: its points rise in proportion to their distance from the shoulder
// along x, so it never intersects itself. In a sleeve it is also stretched along x, so that it is
// as long as it was: the hand would slip out of its cuff.
static const double SLEEVED = 1.25; // of the shoulder's radius, from where on stitches count
static const double LEVEL = 0.2;    // slope of an arm that is level enough
enum { ANGLES = 10 };               // tried, from the arm as it is to level
enum { MOST_PAIRS = 1 << 16 };

typedef struct shear {
  double slope, stretch;
} shear;

// The slope by which an arm becomes level; 0: it points up, or not to its side.
static double level_slope(const csim_mesh *mesh, const arm *a, int side) {
  double u[3];
  if (!direction_of(mesh, a, u) || !(side * u[0] > 0)) return 0;
  return csim_max(0, -u[1] / (side * u[0]));
}

// Of an arm that points along u.
static shear shear_of(const double u[3], double slope, int sleeved) {
  double up = u[1] + slope * fabs(u[0]);
  return (shear){slope, sleeved ? sqrt(csim_max(0, 1 - up * up)) / fabs(u[0]) : 1};
}

// Moves a point if it is beyond the shoulder.
static void raise_point(const arm *a, int side, shear s, const double *from, double *x) {
  double beyond = side * (from[0] - a->shoulder[0]), up = from[1];
  if (!(beyond > 0)) return;
  x[0] = a->shoulder[0] + side * s.stretch * beyond;
  x[1] = up + s.slope * beyond;
}

static void raise(const csim_mesh *mesh, const arm *a, int side, shear s, const double *from,
                  double *x) {
  for (int i = 0; i < mesh->nvert; i++)
    if (a->in[i]) raise_point(a, side, s, from + csim_xyz(i), x + csim_xyz(i));
}

// Lists the triangles of the arm. Returns their number.
static int list_arm(const csim_mesh *mesh, const arm *a, int *tri) {
  int n = 0;
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    if (!a->in[v[0]] || !a->in[v[1]] || !a->in[v[2]]) continue;
    memcpy(tri + csim_xyz(n++), v, 3 * sizeof *v);
  }
  return n;
}

// Number of stitches in pairs sorted by stitch.
static int count_stitches(int (*pair)[2], long long n) {
  int count = 0;
  for (int i = 0; i < n; i++) count += i == 0 || pair[i][0] != pair[i - 1][0];
  return count;
}

// How far beyond the shoulder a stitch crosses the arm, at most [m].
static double farthest(const arm *a, int side, const double *stitch, int (*pair)[2], long long n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = csim_max(most, side * (stitch[csim_row(9, pair[i][0])] - a->shoulder[0]));
  return most;
}

// Finds the slope by which to raise an arm so that the fewest stitches of a bodice cross it; 0: as
// it is. Returns how far out they cross an arm that is not raised.
static double find_slope(const csim_mesh *mesh, const arm *a, int side, const csim_mesh *garment,
                         const unsigned char *in, csim_arena *arena, double *slope) {
  double u[3], *x = CSIM_ARENA_COPY(arena, mesh->vert, csim_xyz(mesh->nvert));
  int *tri = CSIM_ARENA_NEW(arena, int, csim_xyz(mesh->ntri));
  int *corner = CSIM_ARENA_NEW(arena, int, csim_xyz(garment->nstitch));
  double *stitch = CSIM_ARENA_NEW(arena, double, csim_row(9, garment->nstitch)), out = 0;
  int(*pair)[2] = csim_arena_alloc(arena, MOST_PAIRS, sizeof *pair);
  *slope = 0;
  if (arena->failed || !direction_of(mesh, a, u) || !(side * u[0] > 0) || !(u[1] < 0)) return 0;
  int n = csim_span_stitches(garment, in, 0, stitch);
  for (int i = 0; i < 3 * n; i++) corner[i] = i;
  csim_triangles spans = {3 * n, stitch, n, corner};
  csim_triangles obstacle = {mesh->nvert, x, list_arm(mesh, a, tri), tri};
  int least = MOST_PAIRS;
  for (int k = 0; k <= ANGLES && least > 0; k++) {
    long long found = 0;
    double tried = -u[1] / (side * u[0]) * k / ANGLES;
    raise(mesh, a, side, shear_of(u, tried, sleeve_end(mesh, a, side, garment) > 0), mesh->vert, x);
    if (csim_find_intersections(NULL, &spans, &obstacle, MOST_PAIRS, pair[0], &found))
      arena->failed = 1;
    found = found < MOST_PAIRS ? found : MOST_PAIRS;
    if (k == 0) out = farthest(a, side, stitch, pair, found);
    int crossed = count_stitches(pair, found);
    if (!(crossed < least)) continue;
    least = crossed;
    *slope = tried;
  }
  return out;
}

// Turns a panel about the shoulder as the arm turns from u.
static void turn_panel(const arm *a, shear s, const double u[3], csim_mesh *garment,
                       const int *panel, int number) {
  double raised[3] = {s.stretch * u[0], u[1] + s.slope * fabs(u[0]), 0};
  csim_normalise(raised);
  double cosine = csim_dot(u, raised), sine = u[0] * raised[1] - u[1] * raised[0];
  for (int i = 0; i < garment->nvert; i++) {
    double d[3], *x = garment->vert + csim_xyz(i);
    if (panel[i] != number) continue;
    csim_sub(x, a->shoulder, d);
    x[0] = a->shoulder[0] + cosine * d[0] - sine * d[1];
    x[1] = a->shoulder[1] + sine * d[0] + cosine * d[1];
  }
}

static void turn_sleeves(const arm *a, int side, shear by, const double u[3], csim_mesh *garment,
                         const int *panel) {
  for (int s = 0; s < garment->nset; s++) {
    const csim_mesh_set *set = &garment->set[s];
    for (int k = 0, last = -1; k < set->n && !strcmp(set->name, sleeve); k++) {
      if (panel[set->vert[k]] == last) continue; // a panel's vertices follow each other
      last = panel[set->vert[k]];
      if (side_of(garment, panel, last) == side) turn_panel(a, by, u, garment, panel, last);
    }
  }
}

// Slopes by which to raise the arms if stitches cross one of them beyond the shoulder; 0: not.
// Those that cross it nearer slide off to the armpit; in a sleeve, which keeps the bodice at the
// shoulder, also those that are a little farther.
static void find_slopes(const csim_mesh *mesh, const csim_mesh *garment, const unsigned char *in,
                        sections *cuts, csim_arena *arena, double slope[2]) {
  arm a = {.in = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert)};
  int crossed = 0;
  for (int k = 0; k < 2 && !arena->failed; k++) {
    int side = 2 * k - 1;
    if (!find_arm(cuts, side, &a)) continue;
    double least = (sleeve_end(mesh, &a, side, garment) > 0 ? SLEEVED : 1) * a.radius;
    crossed |= find_slope(mesh, &a, side, garment, in, arena, &slope[k]) > least;
  }
  for (int k = 0; k < 2 && !crossed; k++) slope[k] = 0;
}

// Raises the arms by slopes, or until they are level (INFINITY). Returns how many were.
static int raise_arms(const csim_mesh *mesh, csim_mesh *garment, const int *panel,
                      const double slope[2], sections *cuts, csim_arena *arena, double *x) {
  arm a = {.in = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert)};
  int raised = 0;
  for (int k = 0; k < 2 && !arena->failed; k++) {
    int side = 2 * k - 1;
    double u[3];
    if (!(slope[k] > 0) || !find_arm(cuts, side, &a) || !direction_of(mesh, &a, u)) continue;
    double level = level_slope(mesh, &a, side);
    if (!(level > 0)) continue;
    shear by = shear_of(u, csim_min(slope[k], level), sleeve_end(mesh, &a, side, garment) > 0);
    raise(mesh, &a, side, by, x, x);
    turn_sleeves(&a, side, by, u, garment, panel);
    raised++;
  }
  return raised;
}

// Gives the collider two shapes: `in` until the first frame, and as it is from the second.
static csim_status move_arms(const csim_build *build, const double frames[2], const double *in,
                             csim_collider *collider, csim_mesh *mesh) {
  const csim_scene *scene = build->scene;
  csim_arena *arena = &build->world->arena;
  ptrdiff_t n = csim_xyz(mesh->nvert);
  double *frame = CSIM_ARENA_NEW(arena, double, 2 * n), *time = CSIM_ARENA_NEW(arena, double, 2);
  if (!frame || !time) return CSIM_MEMORY;
  memcpy(frame, in, (size_t)n * sizeof *frame);
  memcpy(frame + n, mesh->vert, (size_t)n * sizeof *frame);
  memcpy(mesh->vert, in, (size_t)n * sizeof *frame);
  for (int k = 0; k < 2; k++) time[k] = (frames[k] - scene->frame_start) / scene->fps;
  collider->nframe = 2;
  collider->frame = frame;
  collider->frame_time = time;
  collider->busy = time[1];
  return CSIM_OK;
}

// What was done to the arms of a body.
typedef struct changed {
  int slender, drawn, raised;
  int level; // why they are raised: 1: the skirt would be sewn around them
} changed;

static void report_arms(csim_log *log, const csim_object *object, const changed *c,
                        const double frames[2]) {
  if (c->slender)
    csim_say(log, CSIM_INFO, object->place,
             "\"%s\": %d hands, at which sleeves end, are slender to frame %g and full in frame %g",
             object->name, c->slender, frames[0], frames[1]);
  if (c->drawn)
    csim_say(log, CSIM_INFO, object->place,
             "\"%s\": %d arms, which the skirt would be sewn around, are drawn in to frame %g and "
             "out in frame %g",
             object->name, c->drawn, frames[0], frames[1]);
  if (c->raised)
    csim_say(log, CSIM_INFO, object->place,
             "\"%s\": %d arms, which %s, are raised to frame %g and down in frame %g", object->name,
             c->raised, c->level ? "the skirt would be sewn around" : "side seams would cross",
             frames[0], frames[1]);
}

// Whether a skirt covers one of the arms beyond its sleeve. Panels are not drawn evenly around the
// body, so what covers one is then sewn around either.
static int is_covered(const csim_mesh *mesh, const csim_mesh *garment, const unsigned char *leg,
                      sections *cuts, csim_arena *arena) {
  arm a = {.in = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert)};
  int covered = 0;
  for (int side = -1; side <= 1 && !arena->failed; side += 2) {
    if (!find_arm(cuts, side, &a)) continue;
    a.radius = csim_max(a.radius, sleeve_end(mesh, &a, side, garment));
    covered |= cover(mesh, &a, garment, leg, arena) > COVERED;
  }
  return covered;
}

static csim_status build_arms(const csim_build *build, const csim_object *object,
                              csim_mesh *garment, const int *panel, csim_collider *collider,
                              csim_mesh *mesh) {
  csim_arena arena = {0};
  ptrdiff_t n = csim_xyz(mesh->nvert);
  sections cuts = new_sections(&arena, mesh);
  double *in = CSIM_ARENA_COPY(&arena, mesh->vert, n);
  arm a = {.in = CSIM_ARENA_NEW(&arena, unsigned char, mesh->nvert)};
  changed c = {0};
  double slope[2] = {0};
  unsigned char *leg = NULL, *body = NULL;
  csim_status status = arena.failed ? CSIM_MEMORY : csim_mark_label(garment, skirt, &leg);
  if (!status) status = csim_mark_label(garment, bodice, &body);
  if (status) goto done;
  int covered = is_covered(mesh, garment, leg, &cuts, &arena);
  for (int k = 0; k < 2 && !arena.failed; k++) {
    int side = 2 * k - 1;
    if (!find_arm(&cuts, side, &a)) continue;
    double end = sleeve_end(mesh, &a, side, garment);
    c.slender += make_slender(mesh, &a, end, in);
    int sleeved = end > a.radius;
    a.radius = csim_max(a.radius, end);
    if (!covered) continue;
    if (sleeved && level_slope(mesh, &a, side) > LEVEL) {
      slope[0] = slope[1] = INFINITY;
      c.level = 1;
      continue;
    }
    a.radius = csim_max(a.radius, bodice_end(mesh, &a, side, garment, body));
    draw_in(mesh, &a, in);
    c.drawn++;
  }
  if (!c.drawn && !(slope[0] > 0)) find_slopes(mesh, garment, body, &cuts, &arena, slope);
  c.raised = raise_arms(mesh, garment, panel, slope, &cuts, &arena, in);
  // full hands need no more than closed seams; arms wait for skirts that hang
  double frames[2] = {object->arms[0], object->arms[1]};
  for (int k = 0; k < 2 && !(c.drawn + c.raised); k++)
    frames[k] -= object->arms[1] - object->arms[0];
  status = arena.failed ? CSIM_MEMORY : CSIM_OK;
  if (c.slender + c.drawn + c.raised && !status)
    status = move_arms(build, frames, in, collider, mesh);
  if (!status) report_arms(build->log, object, &c, frames);
done:
  csim_arena_free(&arena);
  free(leg);
  free(body);
  return status;
}

csim_status csim_build_arms(const csim_build *build, csim_mesh *garment, const int *panel) {
  const csim_scene *scene = build->scene;
  csim_world *world = build->world;
  int patterns = 0;
  csim_status status = CSIM_OK;
  for (int o = 0; o < scene->nobject; o++)
    patterns += scene->object[o].mesh.shape == CSIM_SHAPE_PATTERN;
  for (int o = 0; o < scene->nobject && patterns == 1 && !status; o++) {
    const csim_object *object = &scene->object[o];
    if (!(object->arms[1] > object->arms[0])) continue;
    for (int k = 0; k < world->ncollider && !status; k++) {
      csim_collider *collider = &world->collider[k];
      int fits = !strcmp(collider->name, object->name) && collider->nframe == 0;
      if (fits && collider->shape == CSIM_COLLIDER_MESH)
        status = build_arms(build, object, garment, panel, collider, &world->collider_mesh[k]);
    }
  }
  return status;
}
