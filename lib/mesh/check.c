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

static void check_loose(const csim_topology *t, csim_mesh_facts *facts) {
  for (int v = 0; v < t->nvert; v++)
    if (t->adj_start[v] == t->adj_start[v + 1]) note(&facts->loose, v, -1, -1, -1);
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

static void check_triangles(const csim_mesh *mesh, csim_mesh_facts *facts) {
  for (int t = 0; t < mesh->ntri; t++)
    if (csim_triangle_is_flat(mesh->vert, mesh->tri + csim_xyz(t)))
      note(&facts->degenerate, -1, -1, mesh->tri_face[t], -1);
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
  *facts = (csim_mesh_facts){.nonmanifold = NONE,
                             .flipped = NONE,
                             .boundary = NONE,
                             .duplicate = NONE,
                             .degenerate = NONE,
                             .loose = NONE,
                             .coincident = NONE};
  csim_topology own = {0};
  if (!topology) {
    csim_status built = csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &own);
    if (built) return built;
    topology = &own;
  }
  int *first = CSIM_NEW(int, mesh->nvert);
  csim_status status = first ? csim_weld(mesh->nvert, mesh->vert, first) : CSIM_MEMORY;
  if (status) goto done;
  for (int v = 0; v < mesh->nvert; v++)
    if (first[v] != v) note(&facts->coincident, first[v], v, -1, -1);
  check_loose(topology, facts);
  check_edges(mesh, topology, facts);
  check_triangles(mesh, facts);
  facts->closed =
      mesh->ntri && !facts->boundary.count && !facts->nonmanifold.count && !facts->flipped.count;
  status = check_duplicates(mesh, facts);
done:
  free(first);
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

int csim_mesh_report(const csim_mesh_facts *f, csim_place place, csim_log *log) {
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
  return n;
}
