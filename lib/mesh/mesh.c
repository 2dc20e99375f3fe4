// mesh/mesh.c: see mesh.h.
#include "mesh/mesh.h"

void csim_mesh_free(csim_mesh *mesh) {
  csim_arena_free(&mesh->arena);
  *mesh = (csim_mesh){0};
}
