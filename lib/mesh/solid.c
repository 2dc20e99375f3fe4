// mesh/solid.c: see solid.h. The cheapest checks come first. Each kind of defect is one message;
// checks that need a closed surface are skipped if there is none.
#include "mesh/solid.h"

#include "base/number.h"
#include "base/sort.h"
#include "math/predicates.h"
#include "mesh/intersect.h"
#include "mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One use of an edge by a triangle.
typedef struct half {
  int lo, hi;  // vertices
  int slot;    // 3 triangle + corner it starts from
  int forward; // the triangle runs from lo to hi
} half;

enum { POINT_TEXT = 104 };

typedef struct check {
  const csim_surface *s;
  csim_place place;
  csim_log *log;
  csim_arena scratch;
  csim_solid *solid;
  char *skip; // (ntri) 1: faces reported already, whose edges are then not reported
  int nskip;
  int seams; // 1: open edges touch others, and so do their triangles
  ptrdiff_t nhalf;
  half *halves;      // (nhalf) sorted by lo, hi, slot
  int *mate;         // (3 ntri) slot on the other side of each edge
  long long ndouble; // pairs of triangles with the same vertices, which intersect too
  int npart;
  int *part;        // (ntri) connected part of each triangle
  int *start;       // (npart + 1) of each part in `order`
  int *order;       // (ntri) triangles, part by part
  int *tri;         // (ntri x 3) vertices in that order
  double (*box)[6]; // (npart) min x y z, max x y z
  int *depth;       // (npart) parts around it
  int *root;        // (npart) outermost part around it, or itself
} check;

// "(x, y, z)" with 6 digits, for messages.
static const char *print_point(const double p[3], char text[POINT_TEXT]) {
  char number[3][32];
  for (int k = 0; k < 3; k++) csim_print_number(p[k] + 0.0, 6, number[k]); // no -0
  char *t = text;
  for (int k = 0; k < 3; k++) {
    t = stpcpy(t, k ? ", " : "(");
    t = stpcpy(t, number[k]);
  }
  stpcpy(t, ")");
  return text;
}

static const double *vertex(const check *c, int v) {
  return c->s->vert + csim_xyz(v);
}
static const int *corners(const check *c, int t) {
  return c->s->tri + csim_xyz(t);
}
static int face_of(const check *c, int t) {
  return c->s->tri_face ? c->s->tri_face[t] : t;
}

static const char *print_corner(const check *c, int v, char *text) {
  return print_point(vertex(c, v), text);
}

#define FAIL(c, ...) (csim_say((c)->log, CSIM_ERROR, (c)->place, __VA_ARGS__), CSIM_INVALID)
#define COUNTED "(counted from 0)"

// ------------------------------------------------------------------------------ numbers and faces

static csim_status check_numbers(const check *c) {
  const csim_surface *s = c->s;
  if (s->ntri < 4 || s->nvert < 4)
    return FAIL(
        c, "%s: %d triangles and %d vertices enclose nothing; a solid needs 4 of each at least",
        s->name, s->ntri, s->nvert);
  if (s->ntri > CSIM_MESH_MAX_FACE || s->nvert > CSIM_MESH_MAX_VERT)
    return FAIL(c, "%s: %d triangles and %d vertices are more than a solid may have (%d, %d)",
                s->name, s->ntri, s->nvert, CSIM_MESH_MAX_FACE, CSIM_MESH_MAX_VERT);
  for (ptrdiff_t i = 0; i < csim_xyz(s->ntri); i++)
    if (s->tri[i] < 0 || s->tri[i] >= s->nvert)
      return FAIL(c, "%s: face %d names vertex %d, but there are %d " COUNTED, s->name,
                  face_of(c, (int)(i / 3)), s->tri[i], s->nvert);
  for (ptrdiff_t i = 0; i < csim_xyz(s->nvert); i++) {
    double x = fabs(s->vert[i]);
    if (x == 0 || (x >= CSIM_EXACT_MIN && x <= CSIM_EXACT_MAX)) continue;
    char number[32] = "not a number";
    if (!isnan(x)) csim_print_number(s->vert[i], 6, number);
    return FAIL(c,
                "%s: coordinate %c of vertex %d " COUNTED " is %s; it must be 0 or of a magnitude "
                "between 5e-91 and 2e90",
                s->name, "xyz"[i % 3], (int)(i / 3), number);
  }
  return CSIM_OK;
}

static csim_status check_faces(check *c) {
  int ntwice = 0, twice = -1, nflat = 0, flat = -1;
  char text[POINT_TEXT];
  for (int t = 0; t < c->s->ntri; t++) {
    const int *v = corners(c, t);
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
      if (!ntwice++) twice = t;
      c->skip[t] = 1;
    } else if (csim_collinear(vertex(c, v[0]), vertex(c, v[1]), vertex(c, v[2]))) {
      if (!nflat++) flat = t;
    }
  }
  csim_status status = CSIM_OK;
  if (ntwice) {
    const int *v = corners(c, twice);
    int which = v[0] == v[1] ? v[1] : v[2];
    c->nskip += ntwice;
    status = FAIL(
        c, "%s: face %d uses vertex %d %s twice (%d such faces; numbers count from 0); remove it",
        c->s->name, face_of(c, twice), which, print_corner(c, which, text), ntwice);
  }
  if (nflat) {
    const int *v = corners(c, flat);
    status =
        FAIL(c,
             "%s: face %d has no area: its vertices %d, %d, %d lie on a line near %s (%d such "
             "faces; numbers count from 0); merge or move them",
             c->s->name, face_of(c, flat), v[0], v[1], v[2], print_corner(c, v[0], text), nflat);
  }
  return status;
}

typedef struct sorted_face {
  int v[3], tri;
} sorted_face;

static csim_status check_doubles(check *c) {
  int n = c->s->ntri;
  sorted_face *f = CSIM_NEW(sorted_face, n);
  if (!f) return CSIM_MEMORY;
  for (int t = 0; t < n; t++) {
    memcpy(f[t].v, corners(c, t), sizeof f[t].v);
    csim_sort_three(f[t].v);
    f[t].tri = t;
  }
  csim_sort_rows(f, n, sizeof *f, 4);
  int ndouble = 0, first = -1, alike = 0;
  for (int i = 1; i < n; i++) {
    alike = memcmp(f[i].v, f[i - 1].v, sizeof f[i].v) ? 0 : alike + 1;
    if (!alike) continue;
    if (first < 0 || f[i].tri < f[first].tri) first = i;
    ndouble++;
    c->nskip += !c->skip[f[i].tri];
    c->skip[f[i].tri] = 1;
    c->ndouble += alike; // with each of those before it
  }
  csim_status status = CSIM_OK;
  if (ndouble) {
    char text[POINT_TEXT];
    status = FAIL(c,
                  "%s: faces %d and %d have the same vertices %d, %d, %d, near %s (%d such pairs; "
                  "numbers count from 0); remove one of them, or both if they hang on nothing",
                  c->s->name, face_of(c, f[first - 1].tri), face_of(c, f[first].tri), f[first].v[0],
                  f[first].v[1], f[first].v[2], print_corner(c, f[first].v[0], text), ndouble);
  }
  free(f);
  return status;
}

// ------------------------------------------------------------------------------------------ edges

static csim_status sort_edges(check *c) {
  c->nhalf = csim_xyz(c->s->ntri - c->nskip);
  c->halves = CSIM_ARENA_NEW(&c->scratch, half, c->nhalf);
  c->mate = CSIM_ARENA_NEW(&c->scratch, int, csim_xyz(c->s->ntri));
  if (c->scratch.failed) return CSIM_MEMORY;
  half *to = c->halves;
  for (int t = 0; t < c->s->ntri; t++)
    for (int k = 0; k < 3 && !c->skip[t]; k++) {
      int a = corners(c, t)[k], b = corners(c, t)[(k + 1) % 3];
      *to++ = (half){a < b ? a : b, a < b ? b : a, 3 * t + k, a < b};
    }
  csim_sort_rows(c->halves, c->nhalf, sizeof *c->halves, 3);
  return CSIM_OK;
}

// One past the last use of the edge at i.
static ptrdiff_t edge_end(const check *c, ptrdiff_t i) {
  ptrdiff_t n = c->nhalf, end = i + 1;
  while (end < n && c->halves[end].lo == c->halves[i].lo && c->halves[end].hi == c->halves[i].hi)
    end++;
  return end;
}

typedef struct place_of {
  double p[3];
  int vert;
} place_of;

static int compare_places(const void *a, const void *b) {
  const place_of *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p->p[k] != q->p[k]) return p->p[k] < q->p[k] ? -1 : 1;
  return p->vert < q->vert ? -1 : 1;
}

// How many vertices of open edges lie exactly where another one does; -1 when out of memory.
static int count_coincident(const check *c) {
  ptrdiff_t n = c->nhalf;
  place_of *at = CSIM_NEW(place_of, 2 * n);
  if (!at) return -1;
  int count = 0;
  ptrdiff_t nat = 0;
  for (ptrdiff_t i = 0, end; i < n; i = end) {
    end = edge_end(c, i);
    if (end - i != 1) continue;
    for (int k = 0; k < 2; k++) {
      place_of *a = &at[nat++];
      a->vert = k ? c->halves[i].hi : c->halves[i].lo;
      for (int d = 0; d < 3; d++) a->p[d] = vertex(c, a->vert)[d] + 0.0; // -0 is 0
    }
  }
  qsort(at, (size_t)nat, sizeof *at, compare_places);
  for (ptrdiff_t i = 1; i < nat; i++)
    count += at[i].vert != at[i - 1].vert && !memcmp(at[i].p, at[i - 1].p, sizeof at[i].p);
  free(at);
  return count;
}

// A vertex of another open edge that lies within edge `e`, or -1: the mark of a T-junction.
static int vertex_within(const check *c, const half *e) {
  const double *a = vertex(c, e->lo), *b = vertex(c, e->hi);
  ptrdiff_t n = c->nhalf;
  for (ptrdiff_t i = 0, end; i < n; i = end) {
    end = edge_end(c, i);
    if (end - i != 1) continue;
    int v = c->halves[i].hi;
    const double *p = vertex(c, v);
    int between = v != e->lo && v != e->hi && csim_collinear(a, b, p);
    for (int k = 0; k < 3 && between; k++)
      between = fmin(a[k], b[k]) <= p[k] && p[k] <= fmax(a[k], b[k]);
    if (between) return v;
  }
  return -1;
}

static csim_status fail_open(check *c, const half *e, int nopen) {
  char a[POINT_TEXT], b[POINT_TEXT], remedy[160] = "close the hole";
  int ncoincident = count_coincident(c), within = vertex_within(c, e);
  if (ncoincident < 0) return CSIM_MEMORY;
  c->seams = ncoincident > 0 || within >= 0;
  if (ncoincident > 0)
    snprintf(remedy, sizeof remedy,
             "%d vertices on open edges lie exactly on others: merge them, then close what is left",
             ncoincident);
  else if (within >= 0)
    snprintf(remedy, sizeof remedy,
             "vertex %d lies on this edge (a T-junction): split the face there", within);
  return FAIL(c,
              "%s: the surface is not closed: edge %d-%d of face %d, from %s to %s, has no face on "
              "its other side (%d such edges; numbers count from 0); %s",
              c->s->name, e->lo, e->hi, face_of(c, e->slot / 3), print_corner(c, e->lo, a),
              print_corner(c, e->hi, b), nopen, remedy);
}

static csim_status check_edges(check *c) {
  ptrdiff_t n = c->nhalf;
  int nopen = 0, nwall = 0;
  ptrdiff_t open = 0, wall = 0;
  for (ptrdiff_t i = 0, end; i < n; i = end) {
    end = edge_end(c, i);
    if (end - i == 1 && nopen++ == 0) open = i;
    if (end - i > 2 && nwall++ == 0) wall = i;
    if (end - i == 2) {
      c->mate[c->halves[i].slot] = c->halves[i + 1].slot;
      c->mate[c->halves[i + 1].slot] = c->halves[i].slot;
    }
  }
  csim_status status = CSIM_OK;
  if (nwall) {
    const half *e = &c->halves[wall];
    char a[POINT_TEXT], b[POINT_TEXT];
    status = FAIL(
        c,
        "%s: edge %d-%d, from %s to %s, belongs to %d faces, among them %d, %d and %d (%d "
        "such edges; numbers count from 0); a solid's edges belong to two: remove inner walls, or "
        "give touching bodies vertices of their own",
        c->s->name, e->lo, e->hi, print_corner(c, e->lo, a), print_corner(c, e->hi, b),
        (int)(edge_end(c, wall) - wall), face_of(c, e[0].slot / 3), face_of(c, e[1].slot / 3),
        face_of(c, e[2].slot / 3), nwall);
  }
  return nopen ? fail_open(c, &c->halves[open], nopen) : status;
}

// ------------------------------------------------------------------------- parts and orientation

static int runs_same_way(const check *c, int slot) {
  int a = c->s->tri[slot], b = c->s->tri[c->mate[slot]];
  return a == b; // both uses of the edge start at one vertex
}

// Walks from triangle `seed` over edges; turned[t]: whether t must be turned to agree with it.
// Returns the slot of an edge where that is impossible, or -1.
static int walk_part(check *c, int seed, int *turned, int *queue, int *nqueue) {
  int bad = -1, head = 0;
  *nqueue = 0;
  queue[(*nqueue)++] = seed;
  c->part[seed] = c->npart;
  while (head < *nqueue) {
    int t = queue[head++];
    for (int k = 0; k < 3; k++) {
      int slot = 3 * t + k, u = c->mate[slot] / 3;
      int turn = turned[t] ^ runs_same_way(c, slot);
      if (c->part[u] < 0) {
        c->part[u] = c->npart;
        turned[u] = turn;
        queue[(*nqueue)++] = u;
      } else if (turned[u] != turn && bad < 0) {
        bad = slot;
      }
    }
  }
  return bad;
}

static csim_status fail_one_sided(const check *c, int slot) {
  const int *v = corners(c, slot / 3);
  char text[POINT_TEXT];
  return FAIL(
      c,
      "%s: the surface has one side only (as a Moebius strip or a Klein bottle): faces %d and "
      "%d at %s cannot agree on one " COUNTED "; a solid's surface has an inside",
      c->s->name, face_of(c, slot / 3), face_of(c, c->mate[slot] / 3),
      print_corner(c, v[slot % 3], text));
}

// Splits the surface into connected parts, each wound the same way all over.
static csim_status find_parts(check *c) {
  int n = c->s->ntri, nodd = 0, odd = -1, nqueue;
  int *turned = CSIM_ARENA_NEW(&c->scratch, int, n);
  int *queue = CSIM_ARENA_NEW(&c->scratch, int, n);
  c->part = CSIM_ARENA_NEW(&c->scratch, int, n);
  if (c->scratch.failed) return CSIM_MEMORY;
  for (int t = 0; t < n; t++) c->part[t] = -1;
  for (int t = 0; t < n; t++) {
    if (c->part[t] >= 0) continue;
    int bad = walk_part(c, t, turned, queue, &nqueue), nturned = 0;
    if (bad >= 0) return fail_one_sided(c, bad);
    for (int i = 0; i < nqueue; i++) nturned += turned[queue[i]];
    // whichever way fewer triangles face is taken for the mistake
    int mistake = nturned <= nqueue - nturned;
    if (nturned)
      for (int i = 0; i < nqueue; i++) {
        if (turned[queue[i]] != mistake) continue;
        nodd++;
        if (odd < 0 || queue[i] < odd) odd = queue[i];
      }
    c->npart++;
  }
  if (nodd) {
    char text[POINT_TEXT];
    return FAIL(c,
                "%s: face %d at %s is wound against its neighbours (%d such triangles; numbers "
                "count from 0); reverse the order of its vertices",
                c->s->name, face_of(c, odd), print_corner(c, corners(c, odd)[0], text), nodd);
  }
  return CSIM_OK;
}

// Groups triangles by part.
static csim_status sort_parts(check *c) {
  int n = c->s->ntri;
  if (c->npart > CSIM_SOLID_MAX_PARTS)
    return FAIL(c, "%s: the surface has %d separate parts; at most %d are allowed", c->s->name,
                c->npart, CSIM_SOLID_MAX_PARTS);
  c->start = CSIM_ARENA_NEW(&c->scratch, int, c->npart + 1);
  c->order = CSIM_ARENA_NEW(&c->scratch, int, n);
  c->tri = CSIM_ARENA_NEW(&c->scratch, int, csim_xyz(n));
  c->box = csim_arena_alloc(&c->scratch, c->npart, sizeof *c->box);
  c->depth = CSIM_ARENA_NEW(&c->scratch, int, c->npart);
  c->root = CSIM_ARENA_NEW(&c->scratch, int, c->npart);
  if (c->scratch.failed) return CSIM_MEMORY;
  csim_list_by_key(n, c->part, c->npart, c->start, c->order);
  for (int p = 0; p < c->npart; p++) {
    c->root[p] = p;
    for (int k = 0; k < 3; k++) {
      c->box[p][k] = INFINITY;
      c->box[p][k + 3] = -INFINITY;
    }
  }
  for (int at = 0; at < n; at++) {
    int t = c->order[at], p = c->part[t];
    memcpy(c->tri + csim_xyz(at), corners(c, t), 3 * sizeof(int));
    for (int k = 0; k < 9; k++) {
      double x = vertex(c, corners(c, t)[k / 3])[k % 3];
      c->box[p][k % 3] = fmin(c->box[p][k % 3], x);
      c->box[p][k % 3 + 3] = fmax(c->box[p][k % 3 + 3], x);
    }
  }
  return CSIM_OK;
}

// ------------------------------------------------------------------------------ self-intersection

static csim_status fail_intersection(const check *c, const int pair[2], long long npair) {
  // they meet where their boxes overlap
  double middle[3];
  for (int k = 0; k < 3; k++) {
    double lo = -INFINITY, hi = INFINITY;
    for (int i = 0; i < 2; i++) {
      const int *v = corners(c, pair[i]);
      double x = vertex(c, v[0])[k], y = vertex(c, v[1])[k], z = vertex(c, v[2])[k];
      lo = fmax(lo, fmin(x, fmin(y, z)));
      hi = fmin(hi, fmax(x, fmax(y, z)));
    }
    middle[k] = 0.5 * (lo + hi);
  }
  char text[POINT_TEXT];
  return FAIL(
      c,
      "%s: the surface intersects itself: faces %d and %d pass through or touch each other "
      "near %s (%lld such pairs; numbers count from 0); separate them, or unite overlapping bodies",
      c->s->name, face_of(c, pair[0]), face_of(c, pair[1]), print_point(middle, text), npair);
}

static int same_corners(const check *c, int t, int u) {
  int a[3], b[3];
  memcpy(a, corners(c, t), sizeof a);
  memcpy(b, corners(c, u), sizeof b);
  csim_sort_three(a);
  csim_sort_three(b);
  return !memcmp(a, b, sizeof a);
}

// Without pairs of the same vertices, which check_doubles has reported.
static csim_status check_intersections(const check *c) {
  enum { MOST = 1 << 20 };
  const csim_surface *s = c->s;
  csim_triangles mesh = {s->nvert, s->vert, s->ntri, s->tri};
  int limit = c->ndouble < MOST ? (int)c->ndouble + 1 : MOST;
  int *pair = CSIM_NEW(int, csim_row(2, limit));
  long long npair = 0, at = 0;
  if (!pair) return CSIM_MEMORY;
  csim_status status = csim_find_self_intersections(NULL, &mesh, limit, pair, &npair);
  int found = !status && npair > c->ndouble;
  while (found && at < limit - 1 && same_corners(c, pair[2 * at], pair[2 * at + 1])) at++;
  if (found) status = fail_intersection(c, pair + 2 * at, npair - c->ndouble);
  free(pair);
  return status;
}

// ---------------------------------------------------------------------------------- what is inside

enum { ON_SURFACE = INT_MIN, UNDECIDED = INT_MAX };

// Crossing of the segment from p to q with one triangle: +1 leaving, -1 entering, 0 none.
static int crossing(const double *p, const double *q, const double *a, const double *b,
                    const double *d) {
  int sp = csim_orient3d(a, b, d, p), sq = csim_orient3d(a, b, d, q);
  if (sq == 0) return UNDECIDED;
  if (sp == sq) return 0;
  int turn = csim_orient3d(p, q, a, b);
  int next = csim_orient3d(p, q, b, d);
  if (turn * next < 0) return 0;
  int last = csim_orient3d(p, q, d, a);
  if (turn * last < 0 || next * last < 0) return 0;
  if (sp == 0) return ON_SURFACE;
  if (turn == 0 || next == 0 || last == 0) return UNDECIDED;
  return sq;
}

// How often part i winds around p, exactly; 0 outside. ON_SURFACE if p lies on it.
// Counts the crossings on the way to a point outside; where that grazes an edge, takes another way.
static int winding(const check *c, int i, const double p[3]) {
  const double *box = c->box[i];
  double size = fmax(box[3] - box[0], fmax(box[4] - box[1], box[5] - box[2]));
  for (int k = 0; k < 3; k++)
    if (p[k] < box[k] || p[k] > box[k + 3]) return 0;
  for (int way = 0; way < 32; way++) {
    // any direction but the axes and diagonals that meshes are made of
    const double step[3] = {1.37 + 0.113 * way, 0.61 + 0.0797 * way, 0.29 + 0.0531 * way};
    double q[3];
    for (int k = 0; k < 3; k++) q[k] = box[k + 3] + size * step[(k + way) % 3];
    int sum = 0, cross = 0;
    for (ptrdiff_t t = c->start[i]; t < c->start[i + 1]; t++) {
      const int *v = c->tri + 3 * t;
      cross = crossing(p, q, vertex(c, v[0]), vertex(c, v[1]), vertex(c, v[2]));
      if (cross == ON_SURFACE) return ON_SURFACE;
      if (cross == UNDECIDED) break;
      sum += cross;
    }
    if (cross != UNDECIDED) return sum;
  }
  return UNDECIDED;
}

// How often part `outer` winds around part i. Parts that touch share vertices only, so some corner
// or some centroid of i is off `outer`.
static int winding_of_part(const check *c, int outer, int i) {
  for (ptrdiff_t t = c->start[i]; t < c->start[i + 1]; t++) {
    const double *p[3];
    for (int k = 0; k < 3; k++) p[k] = vertex(c, c->tri[3 * t + k]);
    for (int k = 0; k < 4; k++) {
      double middle[3];
      for (int d = 0; d < 3; d++) middle[d] = (p[0][d] + p[1][d] + p[2][d]) / 3;
      int w = winding(c, outer, k < 3 ? p[k] : middle);
      if (w != ON_SURFACE) return w;
    }
  }
  return UNDECIDED;
}

static int boxes_nest(const double *outer, const double *inner) {
  for (int k = 0; k < 3; k++)
    if (inner[k] < outer[k] || inner[k + 3] > outer[k + 3]) return 0;
  return 1;
}

static csim_status find_depths(check *c) {
  for (int i = 0; i < c->npart; i++)
    for (int j = 0; j < c->npart; j++) {
      // a part within another has its box within the other's
      if (i == j || !boxes_nest(c->box[j], c->box[i])) continue;
      int w = winding_of_part(c, j, i);
      if (w == UNDECIDED)
        return FAIL(
            c, "%s: cannot decide whether the part with face %d lies inside that with face %d",
            c->s->name, face_of(c, c->order[c->start[i]]), face_of(c, c->order[c->start[j]]));
      if (w == 0) continue;
      c->depth[i]++;
      c->root[i] = -1;
    }
  for (int i = 0; i < c->npart; i++)
    for (int j = 0; j < c->npart && c->root[i] < 0; j++)
      if (c->depth[j] == 0 && boxes_nest(c->box[j], c->box[i]) && winding_of_part(c, j, i) != 0)
        c->root[i] = j;
  return CSIM_OK;
}

// Bodies must face out and cavities in: or, taken with all that is inside, the other way round.
static csim_status orient_parts(check *c) {
  int *wrong = CSIM_ARENA_NEW(&c->scratch, int, c->npart);
  int *right = CSIM_ARENA_NEW(&c->scratch, int, c->npart);
  int *example = CSIM_ARENA_NEW(&c->scratch, int, c->npart);
  if (c->scratch.failed) return CSIM_MEMORY;
  for (int i = 0; i < c->npart; i++) example[i] = i;
  for (int i = 0; i < c->npart; i++) {
    int n = c->start[i + 1] - c->start[i], r = c->root[i];
    int sign = csim_volume_sign(c->s->vert, n, c->tri + csim_xyz(c->start[i]));
    if (sign == 0)
      return FAIL(c, "%s: the part with face %d " COUNTED " encloses no volume", c->s->name,
                  face_of(c, c->order[c->start[i]]));
    if (sign == (c->depth[i] % 2 ? -1 : 1))
      right[r]++;
    else
      wrong[r]++;
    if (i != r) example[r] = i;
  }
  int nturned = 0, turned = -1;
  for (int r = 0; r < c->npart; r++) {
    if (c->root[r] != r || wrong[r] == 0) continue;
    int t = c->order[c->start[example[r]]];
    char text[POINT_TEXT];
    if (right[r] > 0)
      return FAIL(c,
                  "%s: the part with face %d, at %s, lies inside another part and faces the same "
                  "way " COUNTED
                  "; reverse it to make it a cavity (or the material in one), or remove it",
                  c->s->name, face_of(c, t), print_corner(c, corners(c, t)[0], text));
    nturned++;
    if (turned < 0) turned = r;
  }
  if (nturned) {
    csim_say(c->log, CSIM_WARNING, c->place,
             "%s: the surface faces inwards (%d of %d parts, from face %d, counted from 0); taken "
             "as if its faces were reversed",
             c->s->name, nturned, c->npart, face_of(c, c->order[c->start[turned]]));
    for (int t = 0; t < c->s->ntri; t++) {
      int *v = c->solid->tri + csim_xyz(t);
      if (!wrong[c->root[c->part[t]]]) continue;
      int swap = v[1];
      v[1] = v[2];
      v[2] = swap;
    }
    for (ptrdiff_t at = 0; at < c->s->ntri; at++)
      memcpy(c->tri + 3 * at, c->solid->tri + csim_xyz(c->order[at]), 3 * sizeof(int));
  }
  return CSIM_OK;
}

// 1 when p lies in cavity i and in nothing that floats there.
static int is_in_cavity(const check *c, int i, const double p[3]) {
  for (int j = 0; j < c->npart; j++) {
    if (j != i && c->depth[j] <= c->depth[i]) continue;
    if (winding(c, j, p) != (j == i ? -1 : 0)) return 0;
  }
  return 1;
}

// A point off one of its faces, as far as there is room.
static int find_hole(const check *c, int i, double hole[3]) {
  int n = c->start[i + 1] - c->start[i], ntry = n < 8 ? n : 8;
  for (int k = 1; k < 40; k++)
    for (int a = 0; a < ntry; a++) {
      const int *v = c->tri + csim_xyz(c->start[i] + (int)((long long)a * n / ntry));
      const double *p[3] = {vertex(c, v[0]), vertex(c, v[1]), vertex(c, v[2])};
      double u[3], w[3], middle[3];
      for (int d = 0; d < 3; d++) {
        u[d] = p[1][d] - p[0][d];
        w[d] = p[2][d] - p[0][d];
        middle[d] = (p[0][d] + p[1][d] + p[2][d]) / 3;
      }
      double normal[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                          u[0] * w[1] - u[1] * w[0]};
      // the normal's length is an area: dividing by its root leaves a length
      double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      double step = ldexp(1 / sqrt(area), 1 - k);
      for (int d = 0; d < 3; d++) hole[d] = middle[d] + step * normal[d];
      if (is_in_cavity(c, i, hole)) return 1;
    }
  return 0;
}

static csim_status find_holes(check *c) {
  csim_solid *solid = c->solid;
  for (int i = 0; i < c->npart; i++) solid->nhole += c->depth[i] % 2;
  solid->hole = CSIM_ARENA_NEW(&solid->arena, double, csim_xyz(solid->nhole));
  if (solid->arena.failed) return CSIM_MEMORY;
  double *hole = solid->hole;
  for (int i = 0; i < c->npart; i++) {
    if (c->depth[i] % 2 == 0) continue;
    char text[POINT_TEXT];
    if (!find_hole(c, i, hole))
      return FAIL(c,
                  "%s: cannot find a point inside the cavity with face %d, at %s " COUNTED
                  "; it is too thin, remove it",
                  c->s->name, face_of(c, c->order[c->start[i]]),
                  print_corner(c, c->tri[csim_xyz(c->start[i])], text));
    hole += 3;
  }
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------- the whole

double csim_signed_volume(const double o[3], const double *vert, int ntri, const int *tri,
                          double *error) {
  double sum = 0, lost = 0, magnitude = 0;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    double x[3][3];
    for (int k = 0; k < 9; k++)
      x[k / 3][k % 3] = vert[csim_xyz(tri[3 * t + k / 3]) + k % 3] - o[k % 3];
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      double l = x[0][i] * x[1][j], r = x[0][j] * x[1][i], term = (l - r) * x[2][k];
      magnitude += (fabs(l) + fabs(r)) * fabs(x[2][k]);
      // Neumaier's compensated sum
      double next = sum + term;
      lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
      sum = next;
    }
  }
  // 6 roundings a term, one of the result, and room for those of the compensation
  *error = 10 * 0x1p-53 * magnitude / 6;
  return (sum + lost) / 6;
}

static csim_status find_loose(check *c) {
  csim_solid *solid = c->solid;
  char *used = CSIM_ARENA_NEW(&c->scratch, char, c->s->nvert);
  if (c->scratch.failed) return CSIM_MEMORY;
  for (ptrdiff_t i = 0; i < csim_xyz(c->s->ntri); i++) used[c->s->tri[i]] = 1;
  for (int v = 0; v < c->s->nvert; v++) solid->nloose += !used[v];
  solid->loose = CSIM_ARENA_NEW(&solid->arena, int, solid->nloose);
  if (solid->arena.failed) return CSIM_MEMORY;
  int n = 0;
  for (int v = 0; v < c->s->nvert; v++)
    if (!used[v]) solid->loose[n++] = v;
  if (solid->nloose)
    csim_say(c->log, CSIM_WARNING, c->place,
             "%s: no face uses vertex %d, counted from 0 (%d such vertices); they stay where they "
             "are, outside the solid",
             c->s->name, solid->loose[0], solid->nloose);
  return CSIM_OK;
}

static csim_status worse(csim_status a, csim_status b) {
  return a == CSIM_MEMORY || !b ? a : b;
}

static csim_status check_all(check *c) {
  csim_solid *solid = c->solid;
  csim_status status = check_numbers(c);
  if (status) return status;
  c->skip = CSIM_ARENA_NEW(&c->scratch, char, c->s->ntri);
  if (!c->skip) return CSIM_MEMORY;
  status = check_faces(c);
  status = worse(status, check_doubles(c));
  csim_status edges = sort_edges(c);
  if (!edges) edges = check_edges(c);
  if (!edges && !c->nskip) edges = find_parts(c);
  status = worse(status, edges);
  if (status != CSIM_MEMORY && !c->seams) status = worse(status, check_intersections(c));
  if (!status) status = sort_parts(c);
  if (!status) status = find_depths(c);
  if (status) return status;
  solid->ntri = c->s->ntri;
  solid->tri = CSIM_ARENA_COPY(&solid->arena, c->s->tri, csim_xyz(solid->ntri));
  if (solid->arena.failed) return CSIM_MEMORY;
  status = orient_parts(c);
  if (!status) status = find_holes(c);
  if (!status) status = find_loose(c);
  if (status) return status;
  const double *o = vertex(c, solid->tri[0]);
  solid->volume = csim_signed_volume(o, c->s->vert, solid->ntri, solid->tri, &solid->volume_error);
  return CSIM_OK;
}

csim_status csim_check_solid(const csim_surface *surface, csim_place place, csim_log *log,
                             csim_solid *solid) {
  *solid = (csim_solid){0};
  check c = {.s = surface, .place = place, .log = log, .solid = solid};
  csim_status status = check_all(&c);
  csim_arena_free(&c.scratch);
  if (status) csim_solid_free(solid);
  return status;
}

void csim_solid_free(csim_solid *solid) {
  csim_arena_free(&solid->arena);
  *solid = (csim_solid){0};
}
