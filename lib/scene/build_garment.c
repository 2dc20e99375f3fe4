// scene/build_garment.c: the mesh of a garment from its pattern, as coarse or fine as a phase wants
// it. Needs mesh/divide.h.
//
// Panels are placed before their triangles are divided, so all phases have one placement, and the
// vertices that divisions add are halfway between those they divide.
#include "mesh/divide.h"
#include "scene/compile.h"

#include <string.h>

// Reads the pattern with all its divisions but the last `coarse`.
static csim_status read_surface(const csim_build *build, const csim_object *object, int coarse,
                                csim_log *log, csim_mesh *mesh) {
  csim_object wanted = *object;
  wanted.mesh.detail.coarse = coarse;
  return csim_build_surface(build->scene, &wanted, log, mesh);
}

// Sets positions of a finer mesh to those of a coarser one.
static void carry_vertices(const csim_mesh *from, csim_mesh *to) {
  memcpy(to->vert, from->vert, 3 * (size_t)from->nvert * sizeof *to->vert);
  csim_carry_over(from->nvert, to->nvert, to->parent, 3, to->vert);
}

// Extends what is known of the vertices of the placed mesh to those of a finer one.
static csim_status carry_rings(csim_arena *arena, int before, const csim_mesh *mesh,
                               csim_body *body) {
  if (!body->ringed) return CSIM_OK;
  unsigned char *ringed = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert);
  if (!ringed) return CSIM_MEMORY;
  memcpy(ringed, body->ringed, (size_t)before);
  for (int i = before; i < mesh->nvert; i++)
    ringed[i] = ringed[mesh->parent[csim_row(2, i)]] & ringed[mesh->parent[csim_row(2, i) + 1]];
  body->ringed = ringed;
  return CSIM_OK;
}

// Adds what is written of a body whose mesh is coarse.
static csim_status add_shown(csim_build *build, const csim_object *object, csim_body *body) {
  csim_mesh *shown = CSIM_ARENA_NEW(build->arena, csim_mesh, 1);
  if (!shown) return CSIM_MEMORY;
  csim_status status = read_surface(build, object, 0, NULL, shown);
  if (status || shown->nvert == body->mesh->nvert) { // no divisions were possible
    csim_mesh_free(shown);
    return status;
  }
  body->shown = shown;
  carry_vertices(body->mesh, shown);
  body->parent = CSIM_ARENA_COPY(build->arena, shown->parent, csim_row(2, shown->nvert));
  return build->arena->failed ? CSIM_MEMORY : CSIM_OK;
}

csim_status csim_build_garment(csim_build *build, const csim_object *object, csim_body *body) {
  const csim_sewing_detail *detail = &object->mesh.detail;
  csim_mesh *mesh = body->mesh, placed;
  int left_out = csim_sewing_left_out(detail);
  csim_status status = read_surface(build, object, detail->divisions, build->log, mesh);
  body->ncommon = mesh->nvert;
  if (!status) status = csim_build_pattern(build, object, mesh);
  if (!status && left_out < detail->divisions) {
    placed = *mesh;
    status = read_surface(build, object, left_out, NULL, mesh);
    if (!status && mesh->nvert > placed.nvert) {
      carry_vertices(&placed, mesh);
      status = carry_rings(build->arena, placed.nvert, mesh, body);
    } else if (!status) {
      memcpy(mesh->vert, placed.vert, 3 * (size_t)mesh->nvert * sizeof *mesh->vert);
    }
    csim_mesh_free(&placed);
  }
  return status || !left_out ? status : add_shown(build, object, body);
}
