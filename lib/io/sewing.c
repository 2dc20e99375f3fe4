// io/sewing.c: see sewing.h.
#include "io/sewing.h"

#include "base/dmath.h"
#include "io/json.h"
#include "io/mesh_build.h"
#include "io/sewing_curve.h"
#include "io/sewing_keys.h"
#include "math/vec3.h"
#include "mesh/divide.h"
#include "mesh/planar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CURVE_POINTS = CSIM_SEWING_CURVE_POINTS,
  MOST_SEGMENTS = 1 << 16,
  MOST_PANELS = 1 << 12,
  MOST_EDGES = 1 << 12
};
enum { MOST_POINTS = 1 << 22 }; // of a panel

/// An edge of a panel: a curve of many points, of which some become vertices.
typedef struct edge {
  const cJSON *item;
  const char *label; // NULL: none
  int ends[2];       // vertices of the panel
  double *curve;     // (CURVE_POINTS + 1 x 2) [m]
  double length;     // [m]
  int segments;      // its vertices are one more
  int stitched;      // by how many stitches
  int first;         // vertex of the outline where it begins
} edge;

typedef struct panel {
  const cJSON *item;
  const char *name;
  int nvert, nedge;
  double *vert; // (nvert x 2) [m]
  edge *edge;   // (nedge) a closed loop
  double R[9], t[3];
  int nrim; // vertices of the outline before it is divided
  int ntri;
  int *tri;     // (ntri x 3) of the panel's own vertices, wound as its outline is
  double *flat; // (vertices x 2) [m]
  int *parent;  // (vertices x 2) see csim_mesh
  int *rim;     // the outline's vertices, in order
  int count[CSIM_MOST_DIVISIONS + 1]; // vertices after each division
  int first[CSIM_MOST_DIVISIONS + 1]; // in the mesh: of those that it adds
} panel;

typedef struct stitch {
  int panel[2], edge[2];
  int same; // begins meet begins, instead of ends
} stitch;

typedef struct sewing {
  csim_arena arena;
  csim_json json;
  csim_log *log;
  csim_status status;
  double unit;       // [m] of one of the file's
  double resolution; // before panels are divided
  double finest;     // after all divisions
  int divisions;     // of panels
  int may_be_finer;  // before they are divided
  int too_coarse;    // for an outline, and may be finer
  int npanel, nstitch;
  panel *panel;
  stitch *stitch;
  csim_mesh_build build;
  int nvert;    // of the mesh
  double *rest; // (nvert x 3) heap
} sewing;

__attribute__((format(printf, 3, 4))) static void fail(sewing *s, const cJSON *item,
                                                       const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  s->status = csim_refuse(s->log, csim_json_place(&s->json, item), "%s", text);
}

// --------------------------------------------------------------------------------------- reading

// Reads numbers of a list. Returns 0 after reporting an error.
static int read_numbers(sewing *s, const cJSON *list, int n, const char *what, double *out) {
  int k = 0;
  if (cJSON_IsArray(list))
    for (const cJSON *c = list->child; c && k >= 0; c = c->next, k++) {
      if (k >= n || !cJSON_IsNumber(c) || !(fabs(c->valuedouble) < 1e9)) {
        k = -2;
        break;
      }
      out[k] = c->valuedouble;
    }
  if (k == n) return 1;
  fail(s, list, "%s must be a list of %d numbers", what, n);
  return 0;
}

// R = Rz Ry Rx of angles in degrees.
static void rotation_of(const double *degrees, double R[9]) {
  double c[3], n[3];
  for (int k = 0; k < 3; k++) {
    c[k] = csim_cos(degrees[k] * CSIM_PI / 180);
    n[k] = csim_sin(degrees[k] * CSIM_PI / 180);
  }
  double rows[9] = {c[2] * c[1],
                    c[2] * n[1] * n[0] - n[2] * c[0],
                    c[2] * n[1] * c[0] + n[2] * n[0],
                    n[2] * c[1],
                    n[2] * n[1] * n[0] + c[2] * c[0],
                    n[2] * n[1] * c[0] - c[2] * n[0],
                    -n[1],
                    c[1] * n[0],
                    c[1] * c[0]};
  memcpy(R, rows, sizeof rows);
}

static const cJSON *either(const cJSON *item, const cJSON *around) {
  return item ? item : around; // where an error is, if there is no item
}

static void read_curve(sewing *s, const panel *p, edge *e) {
  const cJSON *curvature = csim_json_get(e->item, "curvature");
  const cJSON *params = cJSON_IsArray(curvature) ? curvature : csim_json_get(curvature, "params");
  const cJSON *type = csim_json_get(curvature, "type");
  const char *name = cJSON_IsArray(curvature) ? "quadratic"
                     : cJSON_IsString(type)   ? type->valuestring
                                              : "";
  const double *a = p->vert + 2 * e->ends[0], *b = p->vert + 2 * e->ends[1];
  double at[3], control[8];
  memcpy(control, a, 2 * sizeof *a);
  int degree = !strcmp(name, "quadratic") ? 2 : !strcmp(name, "cubic") ? 3 : 1;
  if (curvature && !cJSON_IsNull(curvature) && !strcmp(name, "circle")) {
    if (!read_numbers(s, either(params, curvature), 3,
                      "a circle's \"params\" [radius, large, right]", at))
      return;
    if (!(at[0] > 0)) {
      fail(s, params, "panel \"%s\": the radius of a circle must be above 0", p->name);
      return;
    }
    csim_sewing_arc(a, b, at[0] * s->unit, at[1] != 0, at[2] != 0, e->curve);
    return;
  }
  if (curvature && !cJSON_IsNull(curvature) && degree == 1) {
    fail(s, curvature, "panel \"%s\": unknown curvature; known are quadratic, cubic, circle",
         p->name);
    return;
  }
  // the old form of a quadratic curve is its control point alone
  const cJSON *c = cJSON_IsArray(params) ? params->child : NULL;
  int bare = degree == 2 && cJSON_IsNumber(c);
  for (int k = 1; k < degree; k++, c = c ? c->next : NULL) {
    const cJSON *point = bare ? params : either(c, either(params, curvature));
    if (!read_numbers(s, point, 2, "a control point of \"params\"", at)) return;
    csim_sewing_control_point(a, b, at, control + 2 * k);
  }
  memcpy(control + 2 * degree, b, 2 * sizeof *b);
  csim_sewing_bezier(control, degree, e->curve);
}

// Length [m] of one of the curve's many parts.
static double chord(const edge *e, int i) {
  const double *x = e->curve + csim_row(2, i);
  return sqrt((x[2] - x[0]) * (x[2] - x[0]) + (x[3] - x[1]) * (x[3] - x[1]));
}

static void read_edge(sewing *s, panel *p, const cJSON *item, edge *e) {
  const cJSON *label = csim_json_get(item, "label");
  double ends[2];
  int number = (int)(e - p->edge);
  *e = (edge){.item = item, .label = cJSON_IsString(label) ? label->valuestring : NULL};
  e->curve = CSIM_ARENA_NEW(&s->arena, double, 2 * (CURVE_POINTS + 1));
  if (!e->curve) {
    s->status = CSIM_MEMORY;
    return;
  }
  const cJSON *endpoints = csim_json_get(item, "endpoints");
  if (!read_numbers(s, endpoints ? endpoints : item, 2, "\"endpoints\"", ends)) return;
  for (int k = 0; k < 2; k++) {
    if (!(ends[k] >= 0 && ends[k] < p->nvert && ends[k] == floor(ends[k]))) {
      fail(s, endpoints, "panel \"%s\", edge %d: there is no vertex %g, only 0 to %d", p->name,
           number, ends[k], p->nvert - 1);
      return;
    }
    e->ends[k] = (int)ends[k];
  }
  const double *a = p->vert + 2 * e->ends[0], *b = p->vert + 2 * e->ends[1];
  if (a[0] == b[0] && a[1] == b[1]) {
    fail(s, item, "panel \"%s\", edge %d has no length: it begins and ends in one point", p->name,
         number);
    return;
  }
  read_curve(s, p, e);
  for (int i = 0; i < CURVE_POINTS; i++) e->length += chord(e, i);
  double segments = ceil(e->length / s->resolution * (1 - 1e-9));
  if (!(segments * s->resolution <= MOST_SEGMENTS * s->finest))
    fail(s, item, "panel \"%s\", edge %d is %.3g m long: more than %d times the resolution",
         p->name, number, e->length, MOST_SEGMENTS);
  else
    e->segments = segments > 1 ? (int)segments : 1;
}

static void read_panel(sewing *s, const cJSON *item, panel *p) {
  double degrees[3] = {0}, t[3] = {0};
  *p = (panel){.item = item, .name = item->string};
  const cJSON *vertices = csim_json_get(item, "vertices"), *edges = csim_json_get(item, "edges");
  p->nvert = cJSON_IsArray(vertices) ? cJSON_GetArraySize(vertices) : 0;
  p->nedge = cJSON_IsArray(edges) ? cJSON_GetArraySize(edges) : 0;
  if (p->nvert < 2 || p->nedge < 2 || p->nedge > MOST_EDGES) {
    fail(s, item, "panel \"%s\" needs \"vertices\" and 2 to %d \"edges\"", p->name, MOST_EDGES);
    return;
  }
  p->vert = CSIM_ARENA_NEW(&s->arena, double, csim_row(2, p->nvert));
  p->edge = CSIM_ARENA_NEW(&s->arena, edge, p->nedge);
  if (s->arena.failed) {
    s->status = CSIM_MEMORY;
    return;
  }
  const cJSON *c = csim_json_get(item, "translation");
  if (c && !read_numbers(s, c, 3, "\"translation\"", t)) return;
  c = csim_json_get(item, "rotation");
  if (c && !read_numbers(s, c, 3, "\"rotation\"", degrees)) return;
  rotation_of(degrees, p->R);
  for (int k = 0; k < 3; k++) p->t[k] = t[k] * s->unit;
  int n = 0;
  for (c = vertices->child; c; c = c->next, n++) {
    double *x = p->vert + 2 * n;
    if (!read_numbers(s, c, 2, "a vertex", x)) return;
    for (int k = 0; k < 2; k++) x[k] *= s->unit;
  }
  n = 0;
  for (c = edges->child; c && !s->status; c = c->next) read_edge(s, p, c, &p->edge[n++]);
  for (int i = 0; i < p->nedge && !s->status; i++) {
    const edge *e = &p->edge[i], *next = &p->edge[(i + 1) % p->nedge];
    if (e->ends[1] != next->ends[0])
      fail(s, next->item,
           "panel \"%s\": edge %d begins at vertex %d, but edge %d ends at vertex %d", p->name,
           (i + 1) % p->nedge, next->ends[0], i, e->ends[1]);
  }
}

static int find_panel(const sewing *s, const cJSON *name) {
  for (int i = 0; i < s->npanel && cJSON_IsString(name); i++)
    if (!strcmp(s->panel[i].name, name->valuestring)) return i;
  return -1;
}

static void read_stitch(sewing *s, const cJSON *item, stitch *st) {
  int sides = 0;
  for (const cJSON *c = cJSON_IsArray(item) ? item->child : NULL; c && !s->status; c = c->next) {
    if (cJSON_IsString(c) && sides == 2) {
      st->same = !strcmp(c->valuestring, "right_wrong");
      continue;
    }
    const cJSON *name = csim_json_get(c, "panel"), *number = csim_json_get(c, "edge");
    int p = find_panel(s, name);
    double e = cJSON_IsNumber(number) ? number->valuedouble : -1;
    if (sides == 2) {
      fail(s, c, "a stitch joins two edges");
    } else if (p < 0) {
      fail(s, c, "this stitch needs the \"panel\" of an edge; there is none called \"%s\"",
           cJSON_IsString(name) ? name->valuestring : "");
    } else if (!(e >= 0 && e < s->panel[p].nedge && e == floor(e))) {
      fail(s, c, "panel \"%s\" has no edge %g, only 0 to %d", s->panel[p].name, e,
           s->panel[p].nedge - 1);
    } else if (s->panel[p].edge[(int)e].stitched++) {
      fail(s, c, "edge %g of panel \"%s\" is in two stitches", e, s->panel[p].name);
    } else {
      st->panel[sides] = p;
      st->edge[sides++] = (int)e;
    }
  }
  if (sides != 2 && !s->status) fail(s, item, "a stitch joins two edges, found %d", sides);
}

static void read_tree(sewing *s, const cJSON *tree) {
  csim_sewing_check_keys(&s->json, tree, s->log);
  const cJSON *pattern = csim_json_get(tree, "pattern");
  const cJSON *panels = csim_json_get(pattern, "panels");
  const cJSON *list = csim_json_get(pattern, "stitches");
  const cJSON *properties = csim_json_get(tree, "properties"), *c;
  const cJSON *units = csim_json_get(properties, "units_in_meter");
  const cJSON *coords = csim_json_get(properties, "curvature_coords");
  s->unit = 0.01;
  if (units && !(cJSON_IsNumber(units) && units->valuedouble > 1e-6 && units->valuedouble < 1e6))
    fail(s, units, "\"units_in_meter\" must be a positive number");
  else if (units)
    s->unit = 1 / units->valuedouble;
  if (cJSON_IsString(coords) && strcmp(coords->valuestring, "relative") != 0)
    fail(s, coords, "only \"relative\" coordinates of control points are known");
  s->npanel = cJSON_IsObject(panels) ? cJSON_GetArraySize(panels) : 0;
  s->nstitch = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
  if (s->npanel < 1 || s->npanel > MOST_PANELS)
    fail(s, tree, "not a sewing pattern: \"pattern\" needs 1 to %d \"panels\"", MOST_PANELS);
  if (s->status) return;
  s->panel = CSIM_ARENA_NEW(&s->arena, panel, s->npanel);
  s->stitch = CSIM_ARENA_NEW(&s->arena, stitch, s->nstitch);
  if (s->arena.failed) {
    s->status = CSIM_MEMORY;
    return;
  }
  int n = 0;
  for (c = panels->child; c && !s->status; c = c->next) read_panel(s, c, &s->panel[n++]);
  n = 0;
  for (c = s->nstitch ? list->child : NULL; c && !s->status; c = c->next)
    read_stitch(s, c, &s->stitch[n++]);
}

// --------------------------------------------------------------------------------------- meshing

// Says how much longer one edge of a stitch is than the other, of the stitch where that is most.
static void tell_gathers(sewing *s) {
  static const double EVEN = 1.05; // patterns are not exact
  const stitch *most = NULL;
  double ratio = EVEN;
  int count = 0;
  for (int i = 0; i < s->nstitch; i++) {
    const stitch *st = &s->stitch[i];
    double a = s->panel[st->panel[0]].edge[st->edge[0]].length;
    double b = s->panel[st->panel[1]].edge[st->edge[1]].length, r = fmax(a, b) / fmin(a, b);
    count += r > EVEN;
    if (r > ratio) most = st;
    ratio = fmax(ratio, r);
  }
  if (!most) return;
  const panel *p = &s->panel[most->panel[0]], *q = &s->panel[most->panel[1]];
  csim_say(s->log, CSIM_INFO, csim_json_place(&s->json, p->edge[most->edge[0]].item),
           "%d of %d stitches join edges that differ by more than %.0f %%: the longer one is "
           "gathered. Most differ edge %d of \"%s\" (%.3g m) and edge %d of \"%s\" (%.3g m)",
           count, s->nstitch, 100 * (EVEN - 1), most->edge[0], p->name,
           p->edge[most->edge[0]].length, most->edge[1], q->name, q->edge[most->edge[1]].length);
}

// Middle of a panel, placed [m], and the side that its outline turns left around.
static void find_side(const panel *p, double center[3], double normal[3]) {
  double mean[2] = {0}, area = 0;
  for (int i = 0; i < p->nvert; i++)
    for (int c = 0; c < 2; c++) mean[c] += p->vert[2 * i + c] / p->nvert;
  for (int i = 0; i < p->nedge; i++)
    for (const double *x = p->edge[i].curve; x < p->edge[i].curve + 2 * CURVE_POINTS; x += 2)
      area += x[0] * x[3] - x[1] * x[2];
  for (int r = 0; r < 3; r++) {
    center[r] = p->R[3 * r] * mean[0] + p->R[3 * r + 1] * mean[1] + p->t[r];
    normal[r] = area < 0 ? -p->R[3 * r + 2] : p->R[3 * r + 2];
  }
}

// Whether another stitch joins the same panels.
static int has_twin(const sewing *s, const stitch *st) {
  int n = 0;
  for (int i = 0; i < s->nstitch; i++) {
    const int *p = s->stitch[i].panel;
    n += (p[0] == st->panel[0] && p[1] == st->panel[1]) ||
         (p[0] == st->panel[1] && p[1] == st->panel[0]);
  }
  return n > 1;
}

// Warns of panels in front of each other, sewn together at two edges or more, of which only one
// faces the other: a panel that is mirrored, or not turned round, is sewn inside out.
static void check_sides(sewing *s) {
  const stitch *first = NULL;
  int faces = 0, count = 0;
  for (int i = 0; i < s->nstitch; i++) {
    const stitch *st = &s->stitch[i];
    double center[2][3], normal[2][3], d[3];
    for (int k = 0; k < 2; k++) find_side(&s->panel[st->panel[k]], center[k], normal[k]);
    csim_sub(center[1], center[0], d);
    double a = csim_dot(normal[0], d), b = -csim_dot(normal[1], d);
    if (st->same || !(a * b < -0.5 * csim_dot(d, d)) || !has_twin(s, st) || count++) continue;
    first = st;
    faces = a > 0 ? 0 : 1; // and the other one looks away
  }
  if (!first) return;
  const panel *p = &s->panel[first->panel[faces]], *q = &s->panel[first->panel[!faces]];
  csim_say(s->log, CSIM_WARNING, csim_json_place(&s->json, p->item),
           "panel \"%s\" faces \"%s\", which it is sewn to and which faces away from it: one of "
           "them is inside out. Turn it round (\"rotation\"), or mirror its outline (%d of %d "
           "stitches)",
           p->name, q->name, count, s->nstitch);
}

// Gives both edges of a stitch the number of vertices of the longer one.
static void match_edges(sewing *s) {
  for (int i = 0; i < s->nstitch; i++) {
    const stitch *st = &s->stitch[i];
    edge *a = &s->panel[st->panel[0]].edge[st->edge[0]];
    edge *b = &s->panel[st->panel[1]].edge[st->edge[1]];
    a->segments = b->segments = a->segments > b->segments ? a->segments : b->segments;
  }
}

// Vertices of the edge but its last, evenly by length along the curve: out (segments x 2).
static void sample_edge(const edge *e, int segments, double *out) {
  double passed = 0;
  int i = 0;
  for (int k = 0; k < segments; k++) {
    double wanted = e->length * k / segments, step = 0;
    for (; i < CURVE_POINTS; i++) {
      step = chord(e, i);
      if (passed + step >= wanted) break;
      passed += step;
    }
    if (i == CURVE_POINTS) i--; // rounding
    double share = step > 0 ? fmin(1, fmax(0, (wanted - passed) / step)) : 0;
    const double *x = e->curve + csim_row(2, i);
    for (int c = 0; c < 2; c++) out[2 * k + c] = x[c] + share * (x[2 + c] - x[c]);
  }
  memcpy(out, e->curve, 2 * sizeof *out);
}

static double signed_area(int n, const double *x) {
  double sum = 0;
  for (int i = 0, j = n - 1; i < n; j = i++)
    sum += 0.5 * (x[2 * j] * x[2 * i + 1] - x[2 * j + 1] * x[2 * i]);
  return sum;
}

// Which edge a vertex of the outline belongs to.
static int edge_at(const panel *p, int vert) {
  int e = p->nedge - 1;
  while (e > 0 && p->edge[e].first > vert) e--;
  return e;
}

// Keeps the panel's triangles, wound as its outline is.
static void keep_triangles(sewing *s, panel *p, const csim_planar *mesh, int clockwise) {
  p->count[0] = mesh->nvert;
  p->ntri = mesh->ntri;
  p->flat = CSIM_ARENA_NEW(&s->arena, double, csim_row(2, mesh->nvert));
  p->parent = CSIM_ARENA_NEW(&s->arena, int, csim_row(2, mesh->nvert));
  p->tri = CSIM_ARENA_NEW(&s->arena, int, csim_xyz(mesh->ntri));
  p->rim = CSIM_ARENA_NEW(&s->arena, int, p->nrim);
  if (s->arena.failed) {
    s->status = CSIM_MEMORY;
    return;
  }
  for (int i = 0; i < p->nrim; i++) p->rim[i] = i;
  for (int i = 0; i < mesh->nvert; i++) {
    // the outline of a clockwise panel was meshed backwards
    int from = clockwise && i < p->nrim ? p->nrim - 1 - i : i;
    memcpy(p->flat + csim_row(2, i), mesh->vert + csim_row(2, from), 2 * sizeof *p->flat);
    p->parent[2 * i] = p->parent[2 * i + 1] = i;
  }
  for (int t = 0; t < mesh->ntri; t++)
    for (int k = 0; k < 3; k++) {
      int v = mesh->tri[csim_xyz(t) + (clockwise ? 2 - k : k)];
      p->tri[csim_xyz(t) + k] = clockwise && v < p->nrim ? p->nrim - 1 - v : v;
    }
}

// Divides the panel's triangles in four.
static void divide_panel(sewing *s, panel *p, int division) {
  csim_topology topology;
  int before = p->count[division - 1], nrim = p->nrim << (division - 1);
  s->status = csim_topology_build(before, p->ntri, p->tri, &topology);
  if (s->status) return;
  int n = p->count[division] = before + topology.nedge;
  double *flat = CSIM_ARENA_NEW(&s->arena, double, csim_row(2, n));
  int *parent = CSIM_ARENA_NEW(&s->arena, int, csim_row(2, n));
  int *tri = CSIM_ARENA_NEW(&s->arena, int, csim_row(12, p->ntri));
  int *rim = CSIM_ARENA_NEW(&s->arena, int, csim_row(2, nrim));
  if (s->arena.failed) {
    s->status = CSIM_MEMORY;
  } else {
    memcpy(flat, p->flat, 2 * (size_t)before * sizeof *flat);
    memcpy(parent, p->parent, 2 * (size_t)before * sizeof *parent);
    memcpy(parent + csim_row(2, before), topology.edge,
           2 * (size_t)topology.nedge * sizeof *parent);
    csim_carry_over(before, n, parent, 2, flat);
    csim_divide_triangles(&topology, p->tri, tri);
    for (int k = 0; k < nrim; k++) {
      rim[2 * k] = p->rim[k];
      rim[2 * k + 1] = before + csim_edge_between(&topology, p->rim[k], p->rim[(k + 1) % nrim]);
    }
    p->flat = flat;
    p->parent = parent;
    p->tri = tri;
    p->rim = rim;
    p->ntri *= 4;
  }
  csim_topology_free(&topology);
}

static double area_of(const panel *p, int t) {
  const int *v = p->tri + csim_xyz(t);
  double x[6];
  for (int k = 0; k < 3; k++) memcpy(x + 2 * k, p->flat + csim_row(2, v[k]), 2 * sizeof *x);
  return signed_area(3, x);
}

// Moves midpoints of the outline from chords to the curves, but for those of a triangle that would
// lose three quarters of its area.
static void round_outline(sewing *s, panel *p) {
  int divisions = s->divisions, nrim = p->nrim << divisions;
  double *curve = CSIM_NEW(double, csim_row(2, nrim));
  double *chords = CSIM_NEW(double, csim_row(2, p->count[divisions]));
  double *area = CSIM_NEW(double, p->ntri);
  if (curve && chords && area) {
    size_t point = 2 * sizeof *curve;
    for (int t = 0; t < p->ntri; t++) area[t] = area_of(p, t);
    memcpy(chords, p->flat, (size_t)p->count[divisions] * point);
    for (int e = 0; e < p->nedge; e++)
      sample_edge(&p->edge[e], p->edge[e].segments << divisions,
                  curve + csim_row(2, p->edge[e].first << divisions));
    for (int k = 0; k < nrim; k++)
      if (k % (1 << divisions)) memcpy(p->flat + csim_row(2, p->rim[k]), curve + 2 * k, point);
    for (int t = 0; t < p->ntri; t++) {
      const int *v = p->tri + csim_xyz(t);
      if (area_of(p, t) / area[t] > 0.25) continue;
      for (int k = 0; k < 3; k++)
        memcpy(p->flat + csim_row(2, v[k]), chords + csim_row(2, v[k]), point);
    }
  } else {
    s->status = CSIM_MEMORY;
  }
  free(curve);
  free(chords);
  free(area);
}

static void mesh_panel(sewing *s, panel *p) {
  csim_planar mesh = {0};
  int fault[2];
  for (int e = 0; e < p->nedge; e++) {
    p->edge[e].first = p->nrim;
    p->nrim += p->edge[e].segments;
  }
  double *x = p->nrim >= 3 ? csim_alloc(csim_row(2, p->nrim), sizeof *x) : NULL;
  if (!x) {
    if (p->nrim < 3 && s->may_be_finer)
      s->too_coarse = 1;
    else if (p->nrim < 3)
      fail(s, p->item, "panel \"%s\" has %d vertices at this resolution: choose a finer one",
           p->name, p->nrim);
    else
      s->status = CSIM_MEMORY;
    return;
  }
  for (int e = 0; e < p->nedge; e++)
    sample_edge(&p->edge[e], p->edge[e].segments, x + 2 * p->edge[e].first);
  double area = signed_area(p->nrim, x), points = fabs(area) / (s->finest * s->finest);
  int clockwise = area < 0;
  for (int i = 0; clockwise && i < p->nrim / 2; i++)
    for (int c = 0; c < 2; c++) {
      double swap = x[2 * i + c];
      x[2 * i + c] = x[2 * (p->nrim - 1 - i) + c];
      x[2 * (p->nrim - 1 - i) + c] = swap;
    }
  csim_planar_fault result = points < MOST_POINTS
                                 ? csim_planar_mesh(p->nrim, x, s->resolution, fault, &mesh)
                                 : CSIM_PLANAR_MANY;
  if (result == CSIM_PLANAR_CROSSING && s->may_be_finer) {
    s->too_coarse = 1;
  } else if (result == CSIM_PLANAR_CROSSING) {
    // a side begins at its second vertex where the order is reversed
    int a = clockwise ? (2 * p->nrim - 2 - fault[0]) % p->nrim : fault[0];
    int b = clockwise ? (2 * p->nrim - 2 - fault[1]) % p->nrim : fault[1];
    int ea = edge_at(p, a), eb = edge_at(p, b);
    fail(s, p->item,
         "panel \"%s\": its outline meets itself, at edges %d and %d near (%.4g, %.4g) m", p->name,
         ea < eb ? ea : eb, ea < eb ? eb : ea, x[2 * fault[0]], x[2 * fault[0] + 1]);
  } else if (result == CSIM_PLANAR_MANY) {
    fail(s, p->item, "panel \"%s\" would have too many vertices: choose a coarser resolution",
         p->name);
  } else if (result == CSIM_PLANAR_MEMORY) {
    s->status = CSIM_MEMORY;
  } else {
    keep_triangles(s, p, &mesh, clockwise);
  }
  csim_planar_free(&mesh);
  free(x);
  for (int k = 1; k <= s->divisions && !s->status && !s->too_coarse; k++) divide_panel(s, p, k);
  if (s->divisions && !s->status && !s->too_coarse) round_outline(s, p);
}

// Numbers the vertices in the mesh: those of all panels before they are divided, then those that
// each division adds.
static void number_vertices(sewing *s) {
  long long n = 0;
  for (int k = 0; k <= s->divisions; k++)
    for (int i = 0; i < s->npanel; i++) {
      panel *p = &s->panel[i];
      p->first[k] = (int)n;
      n += p->count[k] - (k ? p->count[k - 1] : 0);
      if (n > CSIM_MESH_MAX_VERT) {
        fail(s, p->item, "the panels have too many vertices: choose a coarser resolution");
        return;
      }
    }
  s->nvert = (int)n;
}

// A panel's vertex, in the mesh.
static int vertex_of(const panel *p, int v) {
  int k = 0;
  while (v >= p->count[k]) k++;
  return p->first[k] + v - (k ? p->count[k - 1] : 0);
}

// Vertex k along an edge, in the mesh.
static int edge_vertex(const sewing *s, const panel *p, const edge *e, int k) {
  return vertex_of(p, p->rim[((e->first << s->divisions) + k) % (p->nrim << s->divisions)]);
}

// Adds the vertices that a division adds to a panel: (x, y) at (x, y, 0), placed.
static void add_vertices(sewing *s, const panel *p, int division) {
  csim_mesh_build *b = &s->build;
  for (int i = division ? p->count[division - 1] : 0; i < p->count[division]; i++) {
    const double *x = p->flat + csim_row(2, i);
    double out[3];
    for (int r = 0; r < 3; r++) out[r] = p->R[3 * r] * x[0] + p->R[3 * r + 1] * x[1] + p->t[r];
    memcpy(s->rest + csim_xyz(b->nvert), (double[]){x[0], x[1], 0}, 3 * sizeof *s->rest);
    csim_mesh_build_vertex(b, 0, out);
    csim_mesh_build_uv(b, 0, x);
  }
}

static void add_triangles(sewing *s, const panel *p) {
  csim_mesh_build *b = &s->build;
  char *tag = csim_arena_print(&s->arena, "g %s\n", p->name);
  int group = tag ? csim_mesh_build_tag(b, 0, tag, strlen(tag)) : -1;
  if (!tag) s->status = CSIM_MEMORY;
  for (int t = 0; t < p->ntri; t++) {
    for (int k = 0; k < 3; k++) {
      int v = vertex_of(p, p->tri[csim_xyz(t) + k]);
      csim_mesh_build_corner(b, 0, v, v);
    }
    csim_mesh_build_face(b, 0, group);
  }
}

static void add_panels(sewing *s) {
  s->rest = CSIM_NEW(double, csim_xyz(s->nvert));
  if (!s->rest) s->status = CSIM_MEMORY;
  for (int k = 0; k <= s->divisions && !s->status; k++)
    for (int i = 0; i < s->npanel && !s->build.status; i++) add_vertices(s, &s->panel[i], k);
  for (int i = 0; i < s->npanel && !s->status; i++) add_triangles(s, &s->panel[i]);
}

static void list_stitches(sewing *s, csim_mesh *mesh) {
  int n = 0;
  for (int i = 0; i < s->nstitch; i++)
    n += (s->panel[s->stitch[i].panel[0]].edge[s->stitch[i].edge[0]].segments << s->divisions) + 1;
  mesh->stitch = CSIM_ARENA_NEW(&mesh->arena, int, csim_row(2, n));
  for (int i = 0; i < s->nstitch && mesh->stitch; i++) {
    const stitch *st = &s->stitch[i];
    const panel *a = &s->panel[st->panel[0]], *b = &s->panel[st->panel[1]];
    const edge *e = &a->edge[st->edge[0]], *f = &b->edge[st->edge[1]];
    int segments = e->segments << s->divisions;
    for (int k = 0; k <= segments; k++) {
      int u = edge_vertex(s, a, e, k), v = edge_vertex(s, b, f, st->same ? k : segments - k);
      if (u == v) continue; // the tip of a dart
      mesh->stitch[2 * mesh->nstitch] = u;
      mesh->stitch[2 * mesh->nstitch++ + 1] = v;
    }
  }
}

// Begins a set of the mesh. Returns its vertices, to be filled in; NULL: out of memory.
static int *add_set(csim_mesh *mesh, const char *name, int n) {
  csim_mesh_set *set = &mesh->set[mesh->nset++];
  set->name = csim_arena_copy(&mesh->arena, name);
  set->n = n;
  return set->vert = CSIM_ARENA_NEW(&mesh->arena, int, n);
}

// The vertices of a panel with a label.
static void list_panel(const sewing *s, const panel *p, csim_mesh *mesh) {
  const cJSON *label = csim_json_get(p->item, "label");
  if (!cJSON_IsString(label) || !*label->valuestring) return;
  int n = p->count[s->divisions], *vert = add_set(mesh, label->valuestring, n);
  for (int k = 0; k < n && vert; k++) vert[k] = vertex_of(p, k);
}

// A set each for edges and panels with a label; vertices may be in it twice.
static void list_labels(const sewing *s, csim_mesh *mesh) {
  int most = 0;
  for (int i = 0; i < s->npanel; i++) most += s->panel[i].nedge + 1;
  mesh->set = CSIM_ARENA_NEW(&mesh->arena, csim_mesh_set, most);
  for (int i = 0; i < s->npanel && mesh->set; i++) {
    const panel *p = &s->panel[i];
    list_panel(s, p, mesh);
    for (int j = 0; j < p->nedge; j++) {
      const edge *e = &p->edge[j];
      if (!e->label || !*e->label) continue;
      int n = (e->segments << s->divisions) + 1, *vert = add_set(mesh, e->label, n);
      for (int k = 0; k < n && vert; k++) vert[k] = edge_vertex(s, p, e, k);
    }
  }
}

static void list_parents(const sewing *s, csim_mesh *mesh) {
  if (!s->divisions) return;
  mesh->parent = CSIM_ARENA_NEW(&mesh->arena, int, csim_row(2, mesh->nvert));
  for (int i = 0; i < s->npanel && mesh->parent; i++) {
    const panel *p = &s->panel[i];
    for (int v = 0; v < p->count[s->divisions]; v++)
      for (int k = 0; k < 2; k++)
        mesh->parent[csim_row(2, vertex_of(p, v)) + k] = vertex_of(p, p->parent[2 * v + k]);
  }
}

static void finish_mesh(sewing *s, csim_mesh *mesh) {
  s->status = csim_mesh_build_finish(&s->build, mesh);
  if (s->status) return;
  mesh->rest.vert = CSIM_ARENA_COPY(&mesh->arena, s->rest, csim_xyz(s->nvert));
  list_stitches(s, mesh);
  list_labels(s, mesh);
  list_parents(s, mesh);
  if (mesh->arena.failed) s->status = CSIM_MEMORY;
}

// Warns of the largest panel if its size suggests a wrong unit: garments of 10 or 100 times their
// size take minutes to mesh.
static void check_size(sewing *s) {
  static const double LARGE = 5; // [m]
  const panel *most = NULL;
  double size = LARGE;
  for (int k = 0; k < s->npanel; k++) {
    const panel *p = &s->panel[k];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * p->nvert; i++) {
      low[i % 2] = fmin(low[i % 2], p->vert[i]);
      high[i % 2] = fmax(high[i % 2], p->vert[i]);
    }
    double length = fmax(high[0] - low[0], high[1] - low[1]);
    if (length > size) most = p;
    size = fmax(size, length);
  }
  if (most)
    csim_say(s->log, CSIM_WARNING, csim_json_place(&s->json, most->item),
             "panel \"%s\" is %.3g m large, with %.3g units in a metre: is \"units_in_meter\" of "
             "\"properties\" right?",
             most->name, size, 1 / s->unit);
}

// Reads the pattern with so many divisions, of which some are left out. Returns whether there
// should be one less, as the mesh before them is too coarse.
static int read_divided(const char *path, const csim_sewing_detail *detail, int divisions,
                        csim_log *log, csim_status *status, csim_mesh *mesh) {
  sewing s = {.log = log,
              .resolution = detail->resolution * (1 << divisions),
              .finest = detail->resolution,
              .divisions = divisions > detail->coarse ? divisions - detail->coarse : 0,
              .may_be_finer = divisions > 0};
  cJSON *tree = NULL;
  *mesh = (csim_mesh){0};
  s.build = (csim_mesh_build){.path = path, .log = log};
  s.status = csim_json_read_file(&s.json, path, log, &tree);
  int reported = s.status != CSIM_OK; // memory
  if (!s.status) read_tree(&s, tree);
  if (!s.status) check_size(&s);
  if (!s.status) check_sides(&s);
  if (!s.status) tell_gathers(&s);
  if (!s.status) match_edges(&s);
  for (int i = 0; i < s.npanel && !s.status && !s.too_coarse; i++) mesh_panel(&s, &s.panel[i]);
  int again = s.too_coarse;
  if (!s.status && !again) number_vertices(&s);
  if (!s.status && !again) add_panels(&s);
  reported |= s.build.status == CSIM_MEMORY;
  if (!s.status && !again) {
    finish_mesh(&s, mesh);
    reported |= s.build.status == CSIM_MEMORY;
  } else {
    if (!s.build.status) s.build.status = again ? CSIM_INVALID : s.status;
    csim_mesh_build_finish(&s.build, mesh); // frees it
  }
  if (s.status || again) csim_mesh_free(mesh);
  if (s.status == CSIM_MEMORY && !reported)
    csim_say(log, CSIM_ERROR, csim_in_file(path), "out of memory for this pattern");
  csim_json_free(&s.json);
  cJSON_Delete(tree);
  csim_arena_free(&s.arena);
  free(s.rest);
  *status = s.status;
  return again;
}

csim_status csim_sewing_read(const char *path, const csim_sewing_detail *detail, csim_log *log,
                             csim_mesh *mesh) {
  csim_status status;
  int divisions = detail->divisions;
  while (read_divided(path, detail, divisions, log, &status, mesh)) divisions--;
  return status;
}
