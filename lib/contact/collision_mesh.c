// contact/collision_mesh.c: see collision_mesh.h.
#include "contact/collision_mesh.h"

#include "math/vec3.h"
#include "mesh/topology.h"

#include <limits.h>
#include <string.h>

static void add_collider(const csim_collider *collider, int part, csim_collision_mesh *mesh) {
  const csim_mesh *own = collider->mesh;
  int base = mesh->nvert;
  mesh->first[part] = base;
  if (!own || collider->shape == CSIM_COLLIDER_PLANE) return;
  csim_collider_vertices(collider, 0, mesh->collider_x0 + 3 * ((ptrdiff_t)base - mesh->nbody_vert));
  for (int i = 0; i < own->nvert; i++) mesh->collider_part[base - mesh->nbody_vert + i] = part;
  for (int k = 0; k < 3 * own->ntri; k++) mesh->tri[csim_xyz(mesh->ntri) + k] = base + own->tri[k];
  mesh->nvert += own->nvert;
  mesh->ntri += own->ntri;
}

static signed char to_char(int count) {
  return (signed char)(count > SCHAR_MAX ? SCHAR_MAX : count < -SCHAR_MAX ? -SCHAR_MAX : count);
}

// Counts for every corner its triangles, less one and what its sides have too much; sides and
// corners are then counted by the first triangle that has them, and by no other.
static void find_surplus(csim_topology *topology, csim_collision_mesh *mesh) {
  int *of_corner = CSIM_ARENA_NEW(&topology->arena, int, mesh->nvert); // 0 once it is counted
  if (!of_corner) return;
  for (int i = 0; i < mesh->nvert; i++) of_corner[i] = -1;
  for (int k = 0; k < 3 * mesh->ntri; k++) of_corner[mesh->tri[k]]++;
  for (int e = 0; e < topology->nedge; e++)
    for (int k = 0; k < 2; k++)
      of_corner[topology->edge[csim_row(2, e) + k]] -= topology->edge_ntri[e] - 1;
  for (int k = 0; k < 3 * mesh->ntri; k++) {
    int edge = topology->tri_edge[k], v = mesh->tri[k];
    signed char *surplus = mesh->surplus + csim_row(6, k / 3) + k % 3;
    surplus[0] =
        topology->edge_tri[csim_row(2, edge)] == k / 3 ? to_char(topology->edge_ntri[edge] - 1) : 0;
    surplus[3] = to_char(of_corner[v]);
    of_corner[v] = 0;
  }
}

// Finds what lies beside the edges of colliders.
static void find_beside(csim_arena *arena, const csim_topology *topology,
                        csim_collision_mesh *mesh) {
  int n = mesh->nedge - mesh->nbody_edge;
  mesh->beside = CSIM_ARENA_NEW(arena, int, csim_row(2, n));
  for (int k = 0; k < 2 * n && mesh->beside; k++) {
    int edge = mesh->nbody_edge + k / 2;
    mesh->beside[k] =
        topology->edge_ntri[edge] == 2 ? topology->edge_opp[csim_row(2, edge) + k % 2] : -1;
  }
}

// Adds the numbers that `from` has and `to` has not.
static void join_seams(const int *from, int *to) {
  for (int k = 0; k < CSIM_MOST_SEAMS && from[k] >= 0; k++) {
    int i = 0;
    while (i < CSIM_MOST_SEAMS && to[i] >= 0 && to[i] != from[k]) i++;
    if (i < CSIM_MOST_SEAMS) to[i] = from[k];
  }
}

// Seams of the model; those of coarse vertices reach as far as their coarse triangles. As far as
// those of the divided mesh only, a phase that began with it found layers beside seams at a fifth
// of the contact distance, and its steps could not move.
static void find_seams(csim_arena *arena, const csim_model *model, csim_collision_mesh *mesh) {
  if (!model->links.seam) return;
  mesh->seam = CSIM_ARENA_NEW(arena, int, csim_row(CSIM_MOST_SEAMS, model->nvert));
  if (!mesh->seam) return;
  for (int i = 0; i < CSIM_MOST_SEAMS * model->nvert; i++) mesh->seam[i] = -1;
  for (int i = 0; i < model->nvert; i++) {
    int *seam = mesh->seam + csim_row(CSIM_MOST_SEAMS, i);
    const csim_body *body = &model->body[model->body_of[i]];
    seam[0] = model->links.seam[i];
    for (int k = 0; k < 2 && body->mesh->parent; k++) {
      int parent = body->vert0 + body->mesh->parent[csim_row(2, i - body->vert0) + k];
      join_seams(mesh->seam + csim_row(CSIM_MOST_SEAMS, parent), seam);
    }
  }
}

int csim_collision_mesh_build(csim_arena *arena, const csim_model *model, int ncollider,
                              const csim_collider *collider, csim_collision_mesh *mesh) {
  ptrdiff_t nvert = model->nvert, ntri = model->ntri;
  for (int k = 0; k < ncollider; k++) {
    if (!collider[k].mesh || collider[k].shape == CSIM_COLLIDER_PLANE) continue;
    nvert += collider[k].mesh->nvert;
    ntri += collider[k].mesh->ntri;
  }
  *mesh = (csim_collision_mesh){.nbody_vert = model->nvert,
                                .nvert = model->nvert,
                                .nbody = model->nbody,
                                .npart = model->nbody + ncollider,
                                .ntri = model->ntri,
                                .nbody_tri = model->ntri};
  if (nvert > CSIM_MESH_MAX_VERT || ntri > CSIM_MESH_MAX_FACE) {
    arena->failed = 1;
    return -1;
  }
  mesh->body_part = model->body_of;
  find_seams(arena, model, mesh);
  mesh->collider_part = CSIM_ARENA_NEW(arena, int, nvert - model->nvert);
  mesh->first = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)mesh->npart + 1);
  mesh->body_x0 = model->x0;
  mesh->collider_x0 = CSIM_ARENA_NEW(arena, double, 3 * (nvert - model->nvert));
  mesh->mass = model->mass;
  mesh->elastic = CSIM_ARENA_NEW(arena, double, model->nvert);
  mesh->point = CSIM_ARENA_NEW(arena, int, nvert);
  mesh->tri = CSIM_ARENA_NEW(arena, int, 3 * ntri);
  mesh->surplus = CSIM_ARENA_NEW(arena, signed char, 6 * ntri);
  if (arena->failed) return -1;
  for (int k = 0; k < model->nenergy; k++)
    if (model->energy[k].kind->elastic)
      model->energy[k].kind->elastic(&model->energy[k], mesh->elastic);
  memcpy(mesh->tri, model->tri, 3 * (size_t)model->ntri * sizeof *mesh->tri);
  for (int b = 0; b < model->nbody; b++) mesh->first[b] = model->body[b].vert0;
  for (int k = 0; k < ncollider; k++) add_collider(&collider[k], model->nbody + k, mesh);
  mesh->first[mesh->npart] = mesh->nvert;

  csim_topology topology;
  if (csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &topology)) {
    arena->failed = 1;
    return -1;
  }
  find_surplus(&topology, mesh);
  arena->failed |= topology.arena.failed;
  mesh->nedge = topology.nedge;
  mesh->edge = CSIM_ARENA_COPY(arena, topology.edge, csim_row(2, topology.nedge));
  for (int i = 0; i < mesh->nvert; i++)
    if (topology.adj_start[i + 1] > topology.adj_start[i]) mesh->point[mesh->npoint++] = i;
  // edges and points ascend by vertex, and no triangle joins a body with a collider
  while (mesh->edge && mesh->nbody_edge < mesh->nedge &&
         mesh->edge[csim_row(2, mesh->nbody_edge)] < mesh->nbody_vert)
    mesh->nbody_edge++;
  while (mesh->nbody_point < mesh->npoint && mesh->point[mesh->nbody_point] < mesh->nbody_vert)
    mesh->nbody_point++;
  find_beside(arena, &topology, mesh);
  csim_topology_free(&topology);
  return arena->failed ? -1 : 0;
}

static int have_common_seam(const csim_collision_mesh *mesh, int v, int w) {
  const int *a = mesh->seam + csim_row(CSIM_MOST_SEAMS, v);
  const int *b = mesh->seam + csim_row(CSIM_MOST_SEAMS, w);
  for (int i = 0; i < CSIM_MOST_SEAMS && a[i] >= 0; i++)
    for (int j = 0; j < CSIM_MOST_SEAMS && b[j] >= 0; j++)
      if (a[i] == b[j]) return 1;
  return 0;
}

int csim_collision_mesh_is_sewn(const csim_collision_mesh *mesh, const int v[4],
                                const double w[4]) {
  for (int i = 0; mesh->seam && i < 4; i++)
    for (int j = 0; j < i; j++) {
      if (!(w[i] * w[j] < 0)) continue; // of one side, or of no weight
      int in_bodies = v[i] >= 0 && v[j] >= 0 && csim_collision_mesh_of_bodies(mesh, v[i], v[j]);
      if (in_bodies && have_common_seam(mesh, v[i], v[j])) return 1;
    }
  return 0;
}

void csim_collision_mesh_starts(const csim_collision_mesh *mesh, double *x) {
  size_t nbody = 3 * (size_t)mesh->nbody_vert, n = 3 * (size_t)mesh->nvert;
  memcpy(x, mesh->body_x0, nbody * sizeof *x);
  memcpy(x + nbody, mesh->collider_x0, (n - nbody) * sizeof *x);
}
