// mesh/check.c: see check.h.
#include "mesh/check.h"

#include "base/sort.h"
#include "math/vec3.h"
#include "mesh/weld.h"

#include <stdlib.h>
#include <string.h>

static const csim_fault NONE = {.vert = {-1, -1}, .face = {-1, -1}};

static void note(csim_fault *fault, int v0, int v1, int f0, int f1) {
  if (!fault->count++) *fault = (csim_fault){1, {v0, v1}, {f0, f1}};
}

static void note_edge(csim_fault *fault, const csim_mesh *mesh, const csim_topology *t, int e) {
  int t0 = t->edge_tri[2 * e], t1 = t->edge_tri[2 * e + 1];
  note(fault, t->edge[2 * e], t->edge[2 * e + 1], mesh->tri_face[t0],
       t1 < 0 ? -1 : mesh->tri_face[t1]);
}

static void check_edges(const csim_mesh *mesh, const csim_topology *t, csim_mesh_facts *facts) {
  for (int e = 0; e < t->nedge; e++) {
    if (t->edge_ntri[e] == 1) note_edge(&facts->boundary, mesh, t, e);
    if (t->edge_ntri[e] > 2) note_edge(&facts->nonmanifold, mesh, t, e);
  }
  if (t->nflipped) note_edge(&facts->flipped, mesh, t, t->first_flipped);
  facts->flipped.count = t->nflipped;
}

static int find_root(int *parent, int v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

// Loose vertices, and connected parts by union and find; the lower root wins, so no order matters.
static void check_parts(const csim_topology *t, int *parent, csim_mesh_facts *facts) {
  for (int v = 0; v < t->nvert; v++) parent[v] = v;
  for (int e = 0; e < t->nedge; e++) {
    int a = find_root(parent, t->edge[2 * e]), b = find_root(parent, t->edge[2 * e + 1]);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
  }
  for (int v = 0; v < t->nvert; v++) {
    if (t->adj_start[v] == t->adj_start[v + 1])
      note(&facts->loose, v, -1, -1, -1);
    else
      facts->ncomponent += parent[v] == v;
  }
}

static double longest_side(const double *x, const int v[3]) {
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    double side = csim_distance(x + csim_xyz(v[k]), x + csim_xyz(v[(k + 1) % 3]));
    longest = side > longest ? side : longest;
  }
  return longest;
}

int csim_triangle_is_flat(const double *x, const int v[3]) {
  double n[3], longest = longest_side(x, v);
  const double *a = x + csim_xyz(v[0]), *b = x + csim_xyz(v[1]);
  csim_triangle_normal(a, b, x + csim_xyz(v[2]), n);
  return !(csim_norm(n) > 1e-12 * longest * longest);
}

static void check_triangles(const csim_mesh *mesh, const double *x, csim_mesh_facts *facts) {
  // volume about the box's middle: no cancellation for small meshes far from the origin
  double middle[3];
  for (int k = 0; k < 3; k++) middle[k] = facts->box[0][k] / 2 + facts->box[1][k] / 2;
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + 3 * t;
    double arm[3], n[3];
    csim_face_normal(x, v, n);
    csim_sub(x + 3 * v[0], middle, arm);
    double twice_area = csim_norm(n);
    facts->area += twice_area / 2;
    facts->volume += csim_dot(arm, n) / 6;
    if (csim_triangle_is_flat(x, v)) note(&facts->degenerate, -1, -1, mesh->tri_face[t], -1);
  }
}

static void find_box(int nvert, const double *x, double box[2][3]) {
  for (int v = 0; v < nvert; v++)
    for (int k = 0; k < 3; k++) {
      double value = x[csim_xyz(v) + k];
      if (!v || value < box[0][k]) box[0][k] = value;
      if (!v || value > box[1][k]) box[1][k] = value;
    }
}

// ------------------------------------------------------------------------------ duplicate faces

typedef struct face_key {
  uint64_t hash; // the same for any order of the face's vertices
  int face;
} face_key;

static int compare_keys(const void *a, const void *b) {
  const face_key *p = a, *q = b;
  if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
  return (p->face > q->face) - (p->face < q->face);
}

static uint64_t hash_face(const int *v, int n) {
  uint64_t sum = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    uint64_t h = ((uint64_t)v[i] + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    sum += (h ^ h >> 32) * 0x94d049bb133111ebu;
  }
  return sum;
}

// Whether two faces have the same vertices; both are sorted in scratch of twice their corners.
static int same_vertices(const csim_mesh *mesh, int f, int g, int *scratch) {
  int nf = mesh->face_start[f + 1] - mesh->face_start[f];
  int ng = mesh->face_start[g + 1] - mesh->face_start[g];
  if (nf != ng) return 0;
  size_t bytes = (size_t)nf * sizeof(int);
  memcpy(scratch, mesh->face_vert + mesh->face_start[f], bytes);
  memcpy(scratch + nf, mesh->face_vert + mesh->face_start[g], bytes);
  csim_sort_rows(scratch, nf, sizeof *scratch, 1);
  csim_sort_rows(scratch + nf, nf, sizeof *scratch, 1);
  return !memcmp(scratch, scratch + nf, bytes);
}

static int lowest_vertex(const csim_mesh *mesh, int f) {
  int lowest = mesh->face_vert[mesh->face_start[f]];
  for (int k = mesh->face_start[f] + 1; k < mesh->face_start[f + 1]; k++)
    lowest = mesh->face_vert[k] < lowest ? mesh->face_vert[k] : lowest;
  return lowest;
}

// Sorts faces by their lowest vertex, and those of one vertex by their hash: equal faces become
// neighbours. start (nvert + 1) is scratch.
static void group_faces(const csim_mesh *mesh, int *start, face_key *key) {
  memset(start, 0, ((size_t)mesh->nvert + 1) * sizeof *start);
  for (int f = 0; f < mesh->nface; f++) start[lowest_vertex(mesh, f)]++;
  for (int v = 0, at = 0; v <= mesh->nvert; v++) {
    int count = start[v];
    start[v] = at;
    at += count;
  }
  for (int f = 0; f < mesh->nface; f++) {
    int n = mesh->face_start[f + 1] - mesh->face_start[f];
    key[start[lowest_vertex(mesh, f)]++] =
        (face_key){hash_face(mesh->face_vert + mesh->face_start[f], n), f};
  }
  for (int v = 0, first = 0; v < mesh->nvert; first = start[v++])
    if (start[v] - first > 1)
      qsort(key + first, (size_t)(start[v] - first), sizeof *key, compare_keys);
}

static csim_status check_duplicates(const csim_mesh *mesh, csim_mesh_facts *facts) {
  csim_status status = CSIM_MEMORY;
  int longest = 0, *scratch = NULL;
  int *start = CSIM_NEW(int, (ptrdiff_t)mesh->nvert + 1);
  face_key *key = CSIM_NEW(face_key, mesh->nface);
  if (!start || !key) goto done;
  for (int f = 0; f < mesh->nface; f++) {
    int n = mesh->face_start[f + 1] - mesh->face_start[f];
    longest = n > longest ? n : longest;
  }
  scratch = CSIM_NEW(int, csim_row(2, longest));
  if (!scratch) goto done;
  group_faces(mesh, start, key);
  csim_fault *found = &facts->duplicate;
  for (int i = 1, group = 0; i < mesh->nface; i++) {
    if (key[i].hash != key[group].hash) group = i;
    int earlier = key[group].face, f = key[i].face;
    if (i == group || !same_vertices(mesh, earlier, f, scratch)) continue;
    // the groups come in order of their vertices, the report in order of the faces
    if (!found->count || f < found->face[1]) {
      found->face[0] = earlier;
      found->face[1] = f;
    }
    found->count++;
  }
  status = CSIM_OK;
done:
  free(start);
  free(key);
  free(scratch);
  return status;
}

csim_status csim_mesh_check(const csim_mesh *mesh, const csim_topology *topology,
                            csim_mesh_facts *facts) {
  const double *x = mesh->vert;
  *facts = (csim_mesh_facts){.nonmanifold = NONE,
                             .flipped = NONE,
                             .boundary = NONE,
                             .duplicate = NONE,
                             .degenerate = NONE,
                             .loose = NONE,
                             .coincident = NONE,
                             .nvert = mesh->nvert,
                             .nface = mesh->nface,
                             .ntri = mesh->ntri};
  csim_topology own = {0};
  if (!topology) {
    csim_status built = csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &own);
    if (built) return built;
    topology = &own;
  }
  int *scratch = CSIM_NEW(int, mesh->nvert);
  csim_status status = scratch ? csim_weld(mesh->nvert, x, scratch) : CSIM_MEMORY;
  if (status) goto done;
  for (int v = 0; v < mesh->nvert; v++)
    if (scratch[v] != v) note(&facts->coincident, scratch[v], v, -1, -1);
  find_box(mesh->nvert, x, facts->box);
  check_parts(topology, scratch, facts);
  check_edges(mesh, topology, facts);
  check_triangles(mesh, x, facts);
  facts->closed =
      mesh->ntri && !facts->boundary.count && !facts->nonmanifold.count && !facts->flipped.count;
  status = check_duplicates(mesh, facts);
done:
  free(scratch);
  csim_topology_free(&own);
  return status;
}

// --------------------------------------------------------------------------------------- report

static const char *plural(int n) {
  return n == 1 ? "" : "s";
}

static int report_surface(const csim_mesh_facts *f, csim_place place, csim_log *log) {
  int n = 0;
  if (f->nonmanifold.count) {
    const csim_fault *e = &f->nonmanifold;
    csim_say(log, CSIM_WARNING, place,
             "%d edge%s with more than two triangles, the first between vertices %d and %d (faces "
             "%d, %d, ...): they do not bend; split the surface there",
             e->count, plural(e->count), e->vert[0], e->vert[1], e->face[0], e->face[1]);
    n++;
  }
  if (f->flipped.count) {
    const csim_fault *e = &f->flipped;
    csim_say(log, CSIM_WARNING, place,
             "%d edge%s between faces wound against each other, the first between vertices %d and "
             "%d (faces %d and %d): make the normals consistent",
             e->count, plural(e->count), e->vert[0], e->vert[1], e->face[0], e->face[1]);
    n++;
  }
  if (f->duplicate.count) {
    csim_say(log, CSIM_WARNING, place,
             "%d duplicate face%s, the first %d (same vertices as face %d): remove it",
             f->duplicate.count, plural(f->duplicate.count), f->duplicate.face[1],
             f->duplicate.face[0]);
    n++;
  }
  if (f->degenerate.count) {
    csim_say(log, CSIM_WARNING, place,
             "%d triangle%s without area, the first in face %d: its corners lie on a line",
             f->degenerate.count, plural(f->degenerate.count), f->degenerate.face[0]);
    n++;
  }
  return n;
}

int csim_mesh_report(const csim_mesh_facts *f, int solid, csim_place place, csim_log *log) {
  int n = report_surface(f, place, log);
  if (f->loose.count) {
    csim_say(log, CSIM_WARNING, place,
             "%d vert%s that no face uses, the first is %d: kept in every output, but no part of "
             "the simulation",
             f->loose.count, f->loose.count == 1 ? "ex" : "ices", f->loose.vert[0]);
    n++;
  }
  if (f->coincident.count) {
    csim_say(log, CSIM_WARNING, place,
             "%d vert%s at exactly the place of another, the first is %d (at vertex %d): the "
             "surface is not connected there; merge them unless that is meant",
             f->coincident.count, f->coincident.count == 1 ? "ex" : "ices", f->coincident.vert[1],
             f->coincident.vert[0]);
    n++;
  }
  if (solid && f->boundary.count) {
    csim_say(log, CSIM_WARNING, place,
             "the surface is open: %d edge%s with one triangle, the first between vertices %d and "
             "%d (face %d): close the hole",
             f->boundary.count, plural(f->boundary.count), f->boundary.vert[0], f->boundary.vert[1],
             f->boundary.face[0]);
    n++;
  }
  if (solid && f->closed && !(f->volume > 0)) {
    csim_say(log, CSIM_WARNING, place,
             "the surface encloses a volume of %.6g m^3: it is inside out; flip its normals",
             f->volume);
    n++;
  }
  return n;
}
