// mesh/mesh.c: see mesh.h.
#include "mesh/mesh.h"

#include "base/hash.h"
#include "math/vec3.h"

#include <string.h>

void csim_mesh_free(csim_mesh *mesh) {
  csim_arena_free(&mesh->arena);
  *mesh = (csim_mesh){0};
}

const double *csim_mesh_channel_named(const csim_mesh *mesh, const char *name) {
  for (int k = 0; k < mesh->channels.n; k++)
    if (!strcmp(mesh->channels.item[k].name, name)) return mesh->channels.item[k].value;
  return NULL;
}

double csim_mean_edge(const double *x, int nface, int ncorner, const int *vert) {
  double sum = 0;
  int nside = ncorner > 2 ? ncorner : 1;
  for (ptrdiff_t f = 0; f < nface; f++)
    for (int k = 0; k < nside; k++)
      sum += csim_distance(x + csim_xyz(vert[f * ncorner + k]),
                           x + csim_xyz(vert[f * ncorner + (k + 1) % ncorner]));
  return nface ? sum / ((double)nside * nface) : 0;
}

void csim_mesh_release(csim_mesh *mesh, int keep_faces) {
  mesh->hash = csim_mesh_hash(mesh);
  csim_arena_drop(&mesh->arena, mesh->vert);
  mesh->vert = NULL;
  if (mesh->rest.vert) csim_arena_drop(&mesh->arena, mesh->rest.vert);
  if (mesh->rest.flat) csim_arena_drop(&mesh->arena, mesh->rest.flat);
  mesh->rest = (csim_mesh_at_rest){NULL, NULL};
  for (int k = 0; k < mesh->channels.n; k++)
    csim_arena_drop(&mesh->arena, mesh->channels.item[k].value);
  mesh->channels.n = 0;
  if (keep_faces) return;
  csim_arena_free(&mesh->arena);
  *mesh = (csim_mesh){.nvert = mesh->nvert,
                      .nface = mesh->nface,
                      .nuv = mesh->nuv,
                      .ntri = mesh->ntri,
                      .grid = {mesh->grid[0], mesh->grid[1]},
                      .hash = mesh->hash};
}

uint64_t csim_mesh_hash(const csim_mesh *mesh) {
  if (mesh->hash) return mesh->hash; // kept when the arrays were released
  uint64_t h = CSIM_HASH_START;
  h = csim_hash_bytes(h, mesh->vert, 3 * (size_t)mesh->nvert * sizeof *mesh->vert);
  h = csim_hash_bytes(h, mesh->face_start, ((size_t)mesh->nface + 1) * sizeof *mesh->face_start);
  if (!mesh->nface) return h;
  size_t ncorner = (size_t)mesh->face_start[mesh->nface];
  return csim_hash_bytes(h, mesh->face_vert, ncorner * sizeof *mesh->face_vert);
}
