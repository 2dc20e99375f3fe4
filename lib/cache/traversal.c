// cache/traversal.c: see traversal.h. docs/cache-format.md states the same order in words.
#include "cache/traversal.h"

#include "base/sort.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

// Data during the construction only.
typedef struct building {
  csim_traversal *out;
  csim_arena arena;
  int nvert, ntri, ntet;
  const int *tri; // (ntri x 3)
  const int *tet; // (ntet x 4)
  int *place;     // (nvert) place in the order, -1 = not reached
  int count;      // vertices reached
} building;

static void reach(building *b, int vertex, csim_predictor p) {
  if (b->place[vertex] >= 0) return;
  b->place[vertex] = b->count;
  b->out->order[b->count] = vertex;
  b->out->predict[b->count++] = p;
}

// Faces as fans of triangles (corners 0, k, k + 1).
static int make_fans(building *b, int nface, const int *face_start, const int *face_vert) {
  int64_t ntri = 0;
  int others = 0;
  for (int f = 0; f < nface; f++) {
    int corners = face_start[f + 1] - face_start[f];
    if (corners > 2) ntri += corners - 2;
    others += corners != 3;
  }
  if (ntri > INT_MAX / 3) return -1;
  b->ntri = (int)ntri;
  b->tri = face_vert + face_start[0];
  if (!others) return 0;
  int *tri = CSIM_ARENA_NEW(&b->arena, int, 3 * ntri);
  if (!tri) return -1;
  b->tri = tri;
  for (int f = 0; f < nface; f++) {
    const int *corner = face_vert + face_start[f];
    for (int k = 1; k + 1 < face_start[f + 1] - face_start[f]; k++, tri += 3) {
      tri[0] = corner[0];
      tri[1] = corner[k];
      tri[2] = corner[k + 1];
    }
  }
  return 0;
}

static int edge_end(const building *b, int halfedge, int upper) {
  int t = halfedge / 3, k = halfedge % 3;
  int v = b->tri[3 * t + k], w = b->tri[3 * t + (k + 1) % 3];
  return (v < w) == upper ? w : v;
}

// Stable counting sort of half-edges by their lower or upper vertex.
static void sort_by_end(const building *b, int upper, const int *in, int *out, int *first) {
  int n = 3 * b->ntri;
  memset(first, 0, ((size_t)b->nvert + 1) * sizeof *first);
  for (int i = 0; i < n; i++) first[edge_end(b, in[i], upper) + 1]++;
  for (int v = 0; v < b->nvert; v++) first[v + 1] += first[v];
  for (int i = 0; i < n; i++) out[first[edge_end(b, in[i], upper)]++] = in[i];
}

// Whether half-edges i - 1 and i of a sorted list are of different edges.
static int begins_edge(const building *b, const int *list, int i) {
  return i == 0 || edge_end(b, list[i], 0) != edge_end(b, list[i - 1], 0) ||
         edge_end(b, list[i], 1) != edge_end(b, list[i - 1], 1);
}

// The half-edges grouped by edge, ascending within it: edge e has group[start[e] .. start[e + 1]).
static int make_edges(building *b, int **group, int **start, int **edge_of) {
  int n = 3 * b->ntri, nedge = 0;
  int *one = CSIM_ARENA_NEW(&b->arena, int, n), *two = CSIM_ARENA_NEW(&b->arena, int, n);
  int *first = CSIM_ARENA_NEW(&b->arena, int, (ptrdiff_t)b->nvert + 1);
  if (b->arena.failed) return -1;
  for (int i = 0; i < n; i++) one[i] = i;
  sort_by_end(b, 1, one, two, first);
  sort_by_end(b, 0, two, one, first);
  for (int i = 0; i < n; i++) nedge += begins_edge(b, one, i);
  *group = one;
  *edge_of = two; // which has served
  *start = CSIM_ARENA_NEW(&b->arena, int, (ptrdiff_t)nedge + 1);
  if (b->arena.failed) return -1;
  nedge = 0;
  for (int i = 0; i < n; i++) {
    if (begins_edge(b, one, i)) (*start)[nedge++] = i;
    (*edge_of)[one[i]] = nedge - 1;
  }
  (*start)[nedge] = n;
  return 0;
}

// A triangle with no predecessor: each corner from the first corner known, if any.
static void reach_seed(building *b, const int *tri) {
  for (int k = 0; k < 3; k++) {
    int from = b->nvert;
    for (int j = 2; j >= 0; j--)
      if (b->place[tri[j]] >= 0) from = b->place[tri[j]];
    reach(b, tri[k], (csim_predictor){from, from, from, 1});
  }
}

static int traverse_faces(building *b) {
  int *group, *start, *edge_of;
  if (make_edges(b, &group, &start, &edge_of)) return -1;
  int *queue = CSIM_ARENA_NEW(&b->arena, int, b->ntri);
  char *seen = CSIM_ARENA_NEW(&b->arena, char, b->ntri);
  char *crossed = CSIM_ARENA_NEW(&b->arena, char, csim_xyz(b->ntri));
  if (b->arena.failed) return -1;
  int head = 0, tail = 0;
  for (int seed = 0; seed < b->ntri; seed++) {
    if (seen[seed]) continue;
    seen[seed] = 1;
    queue[tail++] = seed;
    reach_seed(b, b->tri + csim_xyz(seed));
    for (; head < tail; head++) {
      const int *tri = b->tri + csim_xyz(queue[head]);
      for (int k = 0; k < 3; k++) {
        int edge = edge_of[3 * queue[head] + k];
        if (crossed[edge]) continue; // every triangle on it is seen already
        crossed[edge] = 1;
        csim_predictor p = {b->place[tri[k]], b->place[tri[(k + 1) % 3]],
                            b->place[tri[(k + 2) % 3]], 1};
        for (int i = start[edge]; i < start[edge + 1]; i++) {
          int next = group[i] / 3;
          if (seen[next]) continue;
          seen[next] = 1;
          queue[tail++] = next;
          reach(b, b->tri[3 * next + (group[i] % 3 + 2) % 3], p);
        }
      }
    }
  }
  return 0;
}

// Vertices inside a solid, breadth-first from those known: the mean of two known corners.
static int traverse_tets(building *b) {
  int *start = CSIM_ARENA_NEW(&b->arena, int, (ptrdiff_t)b->nvert + 1);
  int *list = CSIM_ARENA_NEW(&b->arena, int, csim_row(4, b->ntet));
  if (b->arena.failed) return -1;
  int n = 4 * b->ntet;
  csim_list_by_key(n, b->tet, b->nvert, start, list);
  for (int i = 0; i < n; i++) list[i] /= 4; // corners

  int head = 0;
  for (int seed = 0; seed <= b->ntet; seed++) {
    for (; head < b->count; head++) {
      int v = b->out->order[head];
      for (int i = start[v]; i < start[v + 1]; i++) {
        const int *tet = b->tet + csim_row(4, list[i]);
        for (int k = 0; k < 4; k++) {
          int other = head;
          for (int j = 3; j >= 0; j--)
            if (tet[j] != v && b->place[tet[j]] >= 0) other = b->place[tet[j]];
          reach(b, tet[k], (csim_predictor){head, other, b->nvert, 0.5f});
        }
      }
    }
    if (seed < b->ntet)
      reach(b, b->tet[csim_row(4, seed)], (csim_predictor){b->nvert, b->nvert, b->nvert, 1});
  }
  return 0;
}

int csim_traversal_init(csim_traversal *t, int nvert, int nface, const int *face_start,
                        const int *face_vert, int ntet, const int *tet) {
  *t = (csim_traversal){.nvert = nvert};
  building b = {.out = t, .nvert = nvert, .ntet = ntet, .tet = tet};
  int status = -1;
  t->order = CSIM_ARENA_NEW(&t->arena, int, nvert);
  t->predict = CSIM_ARENA_NEW(&t->arena, csim_predictor, nvert);
  b.place = CSIM_ARENA_NEW(&b.arena, int, nvert);
  if (t->arena.failed || b.arena.failed || ntet > INT_MAX / 4) goto done;
  for (int v = 0; v < nvert; v++) b.place[v] = -1;
  if (nface > 0 && (make_fans(&b, nface, face_start, face_vert) || traverse_faces(&b))) goto done;
  if (ntet > 0 && traverse_tets(&b)) goto done;
  for (int v = 0; v < nvert; v++) reach(&b, v, (csim_predictor){nvert, nvert, nvert, 1});
  status = 0;
done:
  csim_arena_free(&b.arena);
  if (status) csim_traversal_free(t);
  return status;
}

void csim_traversal_free(csim_traversal *t) {
  csim_arena_free(&t->arena);
  *t = (csim_traversal){0};
}
