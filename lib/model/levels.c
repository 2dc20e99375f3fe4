// model/levels.c: see levels.h.
#include "model/levels.h"

#include "math/multigrid.h"
#include "math/vec3.h"
#include "mesh/topology.h"

// Share of stiffness of the finest level; coarser levels divide the rest evenly. A smaller share
// locks even less, but lets the cloth stretch between seeds: docs/methods.md, Locking.
static const double FINE_SHARE = 0.1;

// A level: rows are vertices (finest) or aggregates of the rows below.
typedef struct level {
  csim_pattern pattern;
  int *vert;            // (nrow) the vertex of a row: its seed's
  unsigned char *early; // (nrow) of csim_multigrid_aggregate
  double *weight;       // (nrow) [N m] W
} level;

typedef struct ladder {
  csim_arena arena;
  const csim_part *part;
  double *normal; // (nvert x 3) of unit length, or zero
  int nvert, nlevel;
  int *row;   // (nvert) of each vertex in the last level; -1: none
  int *alone; // (nvert) levels on which its row has no neighbours
  level level[CSIM_MAX_LEVEL + 1];
} ladder;

static int allocate_level(csim_arena *arena, int nrow, level *to) {
  to->vert = CSIM_ARENA_NEW(arena, int, nrow);
  to->early = CSIM_ARENA_NEW(arena, unsigned char, nrow);
  to->weight = CSIM_ARENA_NEW(arena, double, nrow);
  return arena->failed ? -1 : 0;
}

// The network itself as the finest level.
static int begin_ladder(const csim_mesh *mesh, const unsigned char *pinned, int first,
                        const csim_elements *springs, ladder *s) {
  csim_arena *arena = &s->arena;
  int n = mesh->nvert, vert0 = s->part->vert0, count = springs->nelem - first;
  s->nvert = n;
  s->normal = CSIM_ARENA_NEW(arena, double, csim_xyz(n));
  s->row = CSIM_ARENA_NEW(arena, int, n);
  s->alone = CSIM_ARENA_NEW(arena, int, n);
  int *pair = CSIM_ARENA_NEW(arena, int, csim_row(2, count));
  level *finest = &s->level[0];
  if (allocate_level(arena, n, finest)) return -1;
  csim_vert_normals(mesh->nvert, mesh->ntri, mesh->tri, s->part->X, s->normal);
  for (int i = 0; i < n; i++) {
    s->row[i] = finest->vert[i] = i;
    finest->early[i] = pinned && pinned[i];
  }
  for (int e = 0; e < count; e++) {
    const double *param = springs->param + springs->kind->nparam * (ptrdiff_t)(first + e);
    for (int k = 0; k < 2; k++) {
      int v = springs->node[csim_row(2, first + e) + k] - vert0;
      pair[csim_row(2, e) + k] = v;
      finest->weight[v] += 0.5 * param[0] * param[1] * param[1];
    }
  }
  csim_element_set set = {count, 2, pair};
  return csim_pattern_build(arena, n, 1, &set, &finest->pattern);
}

// Adds a level above the last. Returns 1, 0 when nothing can be joined, -1 when out of memory.
static int add_level(ladder *s) {
  csim_arena *arena = &s->arena;
  const level *below = &s->level[s->nlevel];
  level *to = &s->level[s->nlevel + 1];
  int n = below->pattern.nrow, joined = 0;
  int *scratch = CSIM_ARENA_NEW(arena, int, n), *aggregate = CSIM_ARENA_NEW(arena, int, n);
  int *seed = CSIM_ARENA_NEW(arena, int, n);
  if (arena->failed) return -1;
  int nrow = csim_multigrid_aggregate(&below->pattern, below->early, scratch, aggregate, seed);
  if (allocate_level(arena, nrow, to) ||
      csim_multigrid_coarsen(arena, &below->pattern, aggregate, nrow, &to->pattern))
    return -1;
  for (int r = 0; r < nrow; r++) {
    to->vert[r] = below->vert[seed[r]];
    to->early[r] = below->early[seed[r]];
    joined |= to->pattern.start[r + 1] - to->pattern.start[r] > 1;
  }
  if (!joined) return 0;
  for (int i = 0; i < n; i++)
    if (aggregate[i] >= 0) to->weight[aggregate[i]] += below->weight[i];
  for (int v = 0; v < s->nvert; v++) {
    int r = s->row[v] = s->row[v] < 0 ? -1 : aggregate[s->row[v]];
    s->alone[v] += r < 0 || to->pattern.start[r + 1] - to->pattern.start[r] == 1;
  }
  s->nlevel++;
  return 1;
}

// Distance from seed to seed along the surface: the arc of a circle with their normals at its ends,
// as far as these turn in the direction of the chord.
static double arc(const ladder *s, int a, int b) {
  double chord[3], turn[3];
  csim_sub(s->part->X + csim_xyz(b), s->part->X + csim_xyz(a), chord);
  csim_sub(s->normal + csim_xyz(b), s->normal + csim_xyz(a), turn);
  double length = csim_norm(chord);
  if (!(length > 0)) return 0;
  double t = csim_dot(turn, chord) / (2 * length);
  return length * (1 + t * t / 6 + 3 * t * t * t * t / 40);
}

static void add_springs(const ladder *s, const level *from, double share, csim_elements *levels) {
  const csim_pattern *p = &from->pattern;
  for (int r = 0; r < p->nrow; r++)
    for (int b = p->start[r]; b < p->start[r + 1]; b++) {
      int q = p->col[b];
      double L = arc(s, from->vert[r], from->vert[q]);
      if (q <= r || !(L > 0)) continue;
      double W = from->weight[r] / (p->start[r + 1] - p->start[r] - 1) +
                 from->weight[q] / (p->start[q + 1] - p->start[q] - 1);
      int node[2] = {s->part->vert0 + from->vert[r], s->part->vert0 + from->vert[q]};
      csim_elements_add(levels, node, (double[]){share * W / (L * L), L, 0, s->part->slack});
    }
}

int csim_network_levels(const csim_mesh *mesh, const csim_part *part, const unsigned char *pinned,
                        int nlevel, int first, csim_elements *springs, csim_elements *levels) {
  ladder s = {.part = part};
  int status = springs->failed ? -1 : begin_ladder(mesh, pinned, first, springs, &s);
  for (int more = 1; !status && more && s.nlevel < nlevel && s.nlevel < CSIM_MAX_LEVEL;) {
    more = add_level(&s);
    if (more < 0) status = -1;
  }
  double share = s.nlevel ? (1 - FINE_SHARE) / s.nlevel : 0;
  for (int l = s.nlevel; l > 0 && !status; l--) add_springs(&s, &s.level[l], share, levels);
  for (int e = first; e < springs->nelem && s.nlevel > 0 && !status; e++) {
    const int *node = springs->node + csim_row(2, e);
    int alone = s.alone[node[0] - part->vert0] + s.alone[node[1] - part->vert0];
    springs->param[springs->kind->nparam * (ptrdiff_t)e] *= FINE_SHARE + share * alone / 2;
  }
  csim_arena_free(&s.arena);
  return status || levels->failed ? -1 : s.nlevel;
}
