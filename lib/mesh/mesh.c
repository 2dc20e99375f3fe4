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

// Hash of an array that may be missing.
static uint64_t hash_array(uint64_t h, const void *array, ptrdiff_t n, size_t size) {
  return array && n > 0 ? csim_hash_bytes(h, array, (size_t)n * size) : h;
}

static uint64_t hash_name(uint64_t h, const char *name) {
  return csim_hash_bytes(h, name, strlen(name) + 1);
}

// Goes on with what else a run reads of a mesh: texture coordinates, groups, numbers of vertices,
// the rest shape, and seams.
static uint64_t hash_rest(uint64_t h, const csim_mesh *mesh, ptrdiff_t ncorner) {
  h = hash_array(h, mesh->uv, 2 * (ptrdiff_t)mesh->nuv, sizeof *mesh->uv);
  h = hash_array(h, mesh->face_uv, ncorner, sizeof *mesh->face_uv);
  for (int k = 0; k < mesh->ntag; k++) h = hash_name(h, mesh->tag[k]);
  h = hash_array(h, mesh->face_tag, mesh->nface, sizeof *mesh->face_tag);
  for (int k = 0; k < mesh->channels.n; k++) {
    const csim_mesh_channel *channel = &mesh->channels.item[k];
    h = hash_array(hash_name(h, channel->name), channel->value, mesh->nvert, sizeof(double));
  }
  h = hash_array(h, mesh->rest.vert, csim_xyz(mesh->nvert), sizeof(double));
  h = hash_array(h, mesh->rest.flat, csim_row(6, mesh->ntri), sizeof(double));
  for (int k = 0; k < mesh->nset; k++)
    h = hash_array(hash_name(h, mesh->set[k].name), mesh->set[k].vert, mesh->set[k].n, sizeof(int));
  return hash_array(h, mesh->stitch, csim_row(2, mesh->nstitch), sizeof *mesh->stitch);
}

uint64_t csim_mesh_hash(const csim_mesh *mesh) {
  if (mesh->hash) return mesh->hash; // kept when the arrays were released
  uint64_t h = CSIM_HASH_START;
  h = hash_array(h, mesh->vert, csim_xyz(mesh->nvert), sizeof *mesh->vert);
  h = hash_array(h, mesh->face_start, (ptrdiff_t)mesh->nface + 1, sizeof *mesh->face_start);
  ptrdiff_t ncorner = mesh->nface ? mesh->face_start[mesh->nface] : 0;
  h = hash_array(h, mesh->face_vert, ncorner, sizeof *mesh->face_vert);
  return hash_rest(h, mesh, ncorner);
}
