// model/assemble.c: see assemble.h.
#include "model/assemble.h"

#include "base/sort.h"

#include <limits.h>
#include <string.h>

// The triangles of all surfaces.
static void collect_triangles(csim_model *model) {
  int n = 0;
  for (int b = 0; b < model->nbody; b++) model->ntri += model->body[b].mesh->ntri;
  model->tri = CSIM_ARENA_NEW(&model->arena, int, csim_xyz(model->ntri));
  if (model->arena.failed) return;
  for (int b = 0; b < model->nbody; b++) {
    const csim_mesh *mesh = model->body[b].mesh;
    for (int k = 0; k < 3 * mesh->ntri; k++) {
      model->tri[n++] = model->body[b].vert0 + mesh->tri[k];
    }
  }
}

// The triangles around each vertex.
static void index_triangles(csim_model *model) {
  int n = 3 * model->ntri;
  model->air.tri_start = CSIM_ARENA_NEW(&model->arena, int, (ptrdiff_t)model->nvert + 1);
  model->air.tri_around = CSIM_ARENA_NEW(&model->arena, int, n);
  if (model->arena.failed) return;
  csim_list_by_key(n, model->tri, model->nvert, model->air.tri_start, model->air.tri_around);
  for (int k = 0; k < n; k++) model->air.tri_around[k] /= 3; // corners
}

// Marks prescribed vertices, and the body of each vertex.
static void mark_vertices(csim_model *model) {
  for (int i = 0; i < model->ntarget; i++)
    if (model->target[i].hard) {
      model->fixed[model->target[i].vert] = 1;
      if (model->v0) memset(model->v0 + csim_xyz(model->target[i].vert), 0, 3 * sizeof(double));
    }
  for (int b = 0; b < model->nbody; b++)
    for (int i = 0; i < model->body[b].nvert; i++) model->body_of[model->body[b].vert0 + i] = b;
}

int csim_model_assemble(csim_model *model, int nset, const csim_elements *const *set) {
  csim_arena *arena = &model->arena;
  model->fixed = CSIM_ARENA_NEW(arena, unsigned char, model->nvert);
  model->body_of = CSIM_ARENA_NEW(arena, int, model->nvert);
  model->energy = CSIM_ARENA_NEW(arena, csim_energy, nset);
  collect_triangles(model);
  if (!arena->failed && csim_model_drags(model)) index_triangles(model);
  if (arena->failed) return -1;
  mark_vertices(model);
  for (int k = 0; k < nset; k++) {
    if (set[k]->failed) return -1;
    if (set[k]->nelem == 0) continue;
    csim_energy *energy = &model->energy[model->nenergy++];
    if (csim_energy_create(arena, set[k]->kind, model->nvert, set[k]->nelem, set[k]->node,
                           set[k]->param, energy))
      return -1;
    long long last = model->nplastic + (long long)energy->kind->nplastic * energy->nelem;
    if (last > INT_MAX) return -1;
    energy->plastic = model->nplastic;
    model->nplastic = (int)last;
  }
  return 0;
}
