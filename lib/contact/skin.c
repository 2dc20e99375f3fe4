// contact/skin.c: see skin.h.
#include "contact/skin.h"

#include "math/vec3.h"
#include "mesh/topology.h"

#include <string.h>

static void add_collider(const csim_collider *collider, int part, csim_skin *skin) {
  const csim_mesh *mesh = collider->mesh;
  int base = skin->nvert;
  skin->first[part] = base;
  if (!mesh || collider->shape == CSIM_COLLIDER_PLANE) return;
  csim_collider_vertices(collider, 0, skin->collider_x0 + 3 * ((ptrdiff_t)base - skin->nbody_vert));
  for (int i = 0; i < mesh->nvert; i++) skin->collider_part[base - skin->nbody_vert + i] = part;
  for (int k = 0; k < 3 * mesh->ntri; k++)
    skin->tri[3 * (ptrdiff_t)skin->ntri + k] = base + mesh->tri[k];
  skin->nvert += mesh->nvert;
  skin->ntri += mesh->ntri;
}

int csim_skin_build(csim_arena *arena, const csim_model *model, int ncollider,
                    const csim_collider *collider, csim_skin *skin) {
  ptrdiff_t nvert = model->nvert, ntri = model->ntri;
  for (int k = 0; k < ncollider; k++) {
    if (!collider[k].mesh || collider[k].shape == CSIM_COLLIDER_PLANE) continue;
    nvert += collider[k].mesh->nvert;
    ntri += collider[k].mesh->ntri;
  }
  *skin = (csim_skin){.nbody_vert = model->nvert,
                      .nvert = model->nvert,
                      .nbody = model->nbody,
                      .npart = model->nbody + ncollider,
                      .ntri = model->ntri,
                      .nbody_tri = model->ntri};
  if (nvert > CSIM_MESH_MAX_VERT || ntri > CSIM_MESH_MAX_FACE) {
    arena->failed = 1;
    return -1;
  }
  skin->body_part = model->body_of;
  skin->seam = model->seam;
  skin->collider_part = CSIM_ARENA_NEW(arena, int, nvert - model->nvert);
  skin->first = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)skin->npart + 1);
  skin->body_x0 = model->x0;
  skin->collider_x0 = CSIM_ARENA_NEW(arena, double, 3 * (nvert - model->nvert));
  skin->mass = model->mass;
  skin->elastic = CSIM_ARENA_NEW(arena, double, model->nvert);
  skin->point = CSIM_ARENA_NEW(arena, int, nvert);
  skin->tri = CSIM_ARENA_NEW(arena, int, 3 * ntri);
  if (arena->failed) return -1;
  for (int k = 0; k < model->nenergy; k++)
    if (model->energy[k].kind->elastic)
      model->energy[k].kind->elastic(&model->energy[k], skin->elastic);
  memcpy(skin->tri, model->tri, 3 * (size_t)model->ntri * sizeof *skin->tri);
  for (int b = 0; b < model->nbody; b++) skin->first[b] = model->body[b].vert0;
  for (int k = 0; k < ncollider; k++) add_collider(&collider[k], model->nbody + k, skin);
  skin->first[skin->npart] = skin->nvert;

  csim_topology topology;
  if (csim_topology_build(skin->nvert, skin->ntri, skin->tri, &topology)) {
    arena->failed = 1;
    return -1;
  }
  skin->nedge = topology.nedge;
  skin->edge = CSIM_ARENA_NEW(arena, int, 2 * (ptrdiff_t)topology.nedge);
  if (skin->edge)
    memcpy(skin->edge, topology.edge, 2 * (size_t)topology.nedge * sizeof *skin->edge);
  for (int i = 0; i < skin->nvert; i++)
    if (topology.adj_start[i + 1] > topology.adj_start[i]) skin->point[skin->npoint++] = i;
  csim_topology_free(&topology);
  if (arena->failed) return -1;
  // edges and points ascend by vertex, and no triangle joins a body with a collider
  while (skin->nbody_edge < skin->nedge &&
         skin->edge[2 * (ptrdiff_t)skin->nbody_edge] < skin->nbody_vert)
    skin->nbody_edge++;
  while (skin->nbody_point < skin->npoint && skin->point[skin->nbody_point] < skin->nbody_vert)
    skin->nbody_point++;
  return 0;
}

void csim_skin_starts(const csim_skin *skin, double *x) {
  size_t nbody = 3 * (size_t)skin->nbody_vert, n = 3 * (size_t)skin->nvert;
  memcpy(x, skin->body_x0, nbody * sizeof *x);
  memcpy(x + nbody, skin->collider_x0, (n - nbody) * sizeof *x);
}

double csim_skin_mean_edge(const csim_skin *skin) {
  double sum = 0;
  for (int e = 0; e < skin->nbody_edge; e++) {
    const int *v = skin->edge + 2 * (ptrdiff_t)e;
    sum += csim_distance(csim_skin_start(skin, v[0]), csim_skin_start(skin, v[1]));
  }
  return skin->nbody_edge ? sum / skin->nbody_edge : 0;
}
