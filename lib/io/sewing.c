// io/sewing.c: see sewing.h.
#include "io/sewing.h"

#include "base/dmath.h"
#include "io/json.h"
#include "io/mesh_build.h"
#include "mesh/planar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 1024, MOST_SEGMENTS = 1 << 16, MOST_PANELS = 1 << 12, MOST_EDGES = 1 << 12 };

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
  int vert0, nrim; // in the mesh: the outline is vert0 .. vert0 + nrim - 1
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
  double unit; // [m] of one of the file's
  double resolution;
  int npanel, nstitch;
  panel *panel;
  stitch *stitch;
  csim_mesh_build build;
  double *rest; // (rest_capacity) heap
  ptrdiff_t rest_capacity;
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

// A control point is relative: along the line from begin to end, and perpendicular to it, to the
// left.
static void control_point(const double *a, const double *b, const double *at, double *out) {
  double d[2] = {b[0] - a[0], b[1] - a[1]};
  out[0] = a[0] + at[0] * d[0] - at[1] * d[1];
  out[1] = a[1] + at[0] * d[1] + at[1] * d[0];
}

static void bezier(const double *p, int degree, double *curve) {
  for (int i = 0; i <= CURVE_POINTS; i++) {
    double t = (double)i / CURVE_POINTS, q[8];
    memcpy(q, p, 2 * ((size_t)degree + 1) * sizeof *q);
    for (int n = degree; n > 0; n--) // de Casteljau
      for (int k = 0; k < 2 * n; k++) q[k] += t * (q[k + 2] - q[k]);
    memcpy(curve + 2 * i, q, 2 * sizeof *q);
  }
  memcpy(curve + 2 * CURVE_POINTS, p + 2 * degree, 2 * sizeof *p); // exact, without rounding
}

// An arc as SVG has it: of the radius, the longer one or not, turning left or not.
static void arc(const double *a, const double *b, double radius, int large, int left,
                double *curve) {
  double half[2] = {(a[0] - b[0]) / 2, (a[1] - b[1]) / 2};
  double d2 = half[0] * half[0] + half[1] * half[1];
  double h = sqrt(fmax(0, radius * radius / d2 - 1)) * (large != left ? 1 : -1);
  if (radius * radius < d2) radius = sqrt(d2); // as small as it can be
  double center[2] = {(a[0] + b[0]) / 2 + h * half[1], (a[1] + b[1]) / 2 - h * half[0]};
  double from = csim_atan2(a[1] - center[1], a[0] - center[0]);
  double turn = csim_atan2(b[1] - center[1], b[0] - center[0]) - from;
  if (left && turn < 0) turn += 2 * CSIM_PI;
  if (!left && turn > 0) turn -= 2 * CSIM_PI;
  for (int i = 0; i <= CURVE_POINTS; i++) {
    double angle = from + turn * i / CURVE_POINTS;
    curve[2 * i] = center[0] + radius * csim_cos(angle);
    curve[2 * i + 1] = center[1] + radius * csim_sin(angle);
  }
  memcpy(curve, a, 2 * sizeof *a);
  memcpy(curve + 2 * CURVE_POINTS, b, 2 * sizeof *b);
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
    if (!read_numbers(s, params, 3, "a circle's \"params\" [radius, large, right]", at)) return;
    if (!(at[0] > 0)) {
      fail(s, params, "panel \"%s\": the radius of a circle must be above 0", p->name);
      return;
    }
    arc(a, b, at[0] * s->unit, at[1] != 0, at[2] != 0, e->curve);
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
    if (!read_numbers(s, bare ? params : c ? c : params, 2, "a control point", at)) return;
    control_point(a, b, at, control + 2 * k);
  }
  memcpy(control + 2 * degree, b, 2 * sizeof *b);
  bezier(control, degree, e->curve);
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
  if (!(segments <= MOST_SEGMENTS))
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

// Gives both edges of a stitch the number of vertices of the longer one.
static void match_edges(sewing *s) {
  for (int i = 0; i < s->nstitch; i++) {
    const stitch *st = &s->stitch[i];
    edge *a = &s->panel[st->panel[0]].edge[st->edge[0]];
    edge *b = &s->panel[st->panel[1]].edge[st->edge[1]];
    a->segments = b->segments = a->segments > b->segments ? a->segments : b->segments;
  }
}

// The edge's vertices but its last, evenly by length along the curve.
static void sample_edge(const edge *e, double *out) {
  double passed = 0;
  int i = 0;
  for (int k = 0; k < e->segments; k++) {
    double wanted = e->length * k / e->segments, step = 0;
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

// Adds the panel's triangles, wound as its outline is: (x, y) at (x, y, 0), placed.
static void add_triangles(sewing *s, panel *p, const csim_planar *mesh, int clockwise) {
  csim_mesh_build *b = &s->build;
  char *tag = csim_arena_print(&s->arena, "g %s\n", p->name);
  int group = tag ? csim_mesh_build_tag(b, 0, tag, strlen(tag)) : -1;
  if (!tag || CSIM_GROW(s->rest, s->rest_capacity, 3 * ((ptrdiff_t)b->nvert + mesh->nvert))) {
    s->status = CSIM_MEMORY;
    return;
  }
  p->vert0 = b->nvert;
  for (int i = 0; i < mesh->nvert; i++) {
    // the outline of a clockwise panel was meshed backwards
    int from = clockwise && i < p->nrim ? p->nrim - 1 - i : i;
    const double *x = mesh->vert + csim_row(2, from);
    double out[3];
    for (int r = 0; r < 3; r++) out[r] = p->R[3 * r] * x[0] + p->R[3 * r + 1] * x[1] + p->t[r];
    memcpy(s->rest + csim_xyz(b->nvert), (double[]){x[0], x[1], 0}, 3 * sizeof *s->rest);
    csim_mesh_build_vertex(b, 0, out);
    csim_mesh_build_uv(b, 0, x);
  }
  for (int t = 0; t < mesh->ntri; t++) {
    for (int k = 0; k < 3; k++) {
      int v = mesh->tri[csim_xyz(t) + (clockwise ? 2 - k : k)];
      if (clockwise && v < p->nrim) v = p->nrim - 1 - v;
      csim_mesh_build_corner(b, 0, p->vert0 + v, p->vert0 + v);
    }
    csim_mesh_build_face(b, 0, group);
  }
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
    if (p->nrim < 3)
      fail(s, p->item, "panel \"%s\" has %d vertices at this resolution: choose a finer one",
           p->name, p->nrim);
    else
      s->status = CSIM_MEMORY;
    return;
  }
  for (int e = 0; e < p->nedge; e++) sample_edge(&p->edge[e], x + 2 * p->edge[e].first);
  int clockwise = signed_area(p->nrim, x) < 0;
  for (int i = 0; clockwise && i < p->nrim / 2; i++)
    for (int c = 0; c < 2; c++) {
      double swap = x[2 * i + c];
      x[2 * i + c] = x[2 * (p->nrim - 1 - i) + c];
      x[2 * (p->nrim - 1 - i) + c] = swap;
    }
  csim_planar_fault result = csim_planar_mesh(p->nrim, x, s->resolution, fault, &mesh);
  if (result == CSIM_PLANAR_CROSSING) {
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
    add_triangles(s, p, &mesh, clockwise);
  }
  csim_planar_free(&mesh);
  free(x);
}

// Vertex k along an edge, in the mesh.
static int edge_vertex(const panel *p, const edge *e, int k) {
  return p->vert0 + (e->first + k) % p->nrim;
}

static void list_stitches(sewing *s, csim_mesh *mesh) {
  int n = 0;
  for (int i = 0; i < s->nstitch; i++)
    n += s->panel[s->stitch[i].panel[0]].edge[s->stitch[i].edge[0]].segments + 1;
  mesh->stitch = CSIM_ARENA_NEW(&mesh->arena, int, csim_row(2, n));
  for (int i = 0; i < s->nstitch && mesh->stitch; i++) {
    const stitch *st = &s->stitch[i];
    const panel *a = &s->panel[st->panel[0]], *b = &s->panel[st->panel[1]];
    const edge *e = &a->edge[st->edge[0]], *f = &b->edge[st->edge[1]];
    for (int k = 0; k <= e->segments; k++) {
      int u = edge_vertex(a, e, k), v = edge_vertex(b, f, st->same ? k : f->segments - k);
      if (u == v) continue; // the tip of a dart
      mesh->stitch[2 * mesh->nstitch] = u;
      mesh->stitch[2 * mesh->nstitch++ + 1] = v;
    }
  }
}

// The vertices of a panel with a label.
static void list_panel(const panel *p, int end, csim_mesh *mesh) {
  const cJSON *label = csim_json_get(p->item, "label");
  if (!cJSON_IsString(label) || !*label->valuestring) return;
  csim_mesh_set *set = &mesh->set[mesh->nset++];
  set->name = csim_arena_copy(&mesh->arena, label->valuestring);
  set->n = end - p->vert0;
  set->vert = CSIM_ARENA_NEW(&mesh->arena, int, set->n);
  for (int k = 0; k < set->n && set->vert; k++) set->vert[k] = p->vert0 + k;
}

// A set each for edges and panels with a label; vertices may be in it twice.
static void list_labels(const sewing *s, csim_mesh *mesh) {
  int most = 0;
  for (int i = 0; i < s->npanel; i++) most += s->panel[i].nedge + 1;
  mesh->set = CSIM_ARENA_NEW(&mesh->arena, csim_mesh_set, most);
  for (int i = 0; i < s->npanel && mesh->set; i++) {
    list_panel(&s->panel[i], i + 1 < s->npanel ? s->panel[i + 1].vert0 : mesh->nvert, mesh);
    for (int j = 0; j < s->panel[i].nedge; j++) {
      const panel *p = &s->panel[i];
      const edge *e = &p->edge[j];
      if (!e->label || !*e->label) continue;
      csim_mesh_set *set = &mesh->set[mesh->nset++];
      set->name = csim_arena_copy(&mesh->arena, e->label);
      set->n = e->segments + 1;
      set->vert = CSIM_ARENA_NEW(&mesh->arena, int, set->n);
      for (int k = 0; k <= e->segments && set->vert; k++) set->vert[k] = edge_vertex(p, e, k);
    }
  }
}

static void finish_mesh(sewing *s, csim_mesh *mesh) {
  ptrdiff_t n = csim_xyz(s->build.nvert);
  s->status = csim_mesh_build_finish(&s->build, mesh);
  if (s->status) return;
  mesh->rest = CSIM_ARENA_COPY(&mesh->arena, s->rest, n);
  list_stitches(s, mesh);
  list_labels(s, mesh);
  if (mesh->arena.failed) s->status = CSIM_MEMORY;
}

csim_status csim_sewing_read(const char *path, double resolution, csim_log *log, csim_mesh *mesh) {
  sewing s = {.log = log, .resolution = resolution};
  cJSON *tree = NULL;
  *mesh = (csim_mesh){0};
  s.build = (csim_mesh_build){.path = path, .log = log};
  s.status = csim_json_read_file(&s.json, path, log, &tree);
  if (!s.status) read_tree(&s, tree);
  if (!s.status) match_edges(&s);
  for (int i = 0; i < s.npanel && !s.status; i++) mesh_panel(&s, &s.panel[i]);
  int told = s.build.status == CSIM_MEMORY;
  if (!s.status) {
    finish_mesh(&s, mesh);
    told = s.build.status == CSIM_MEMORY;
  } else {
    if (!s.build.status) s.build.status = s.status;
    csim_mesh_build_finish(&s.build, mesh); // frees it
  }
  if (s.status) csim_mesh_free(mesh);
  if (s.status == CSIM_MEMORY && !told)
    csim_say(log, CSIM_ERROR, csim_in_file(path), "out of memory for this pattern");
  csim_json_free(&s.json);
  cJSON_Delete(tree);
  csim_arena_free(&s.arena);
  free(s.rest);
  return s.status;
}
