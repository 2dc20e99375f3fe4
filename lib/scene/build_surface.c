// scene/build_surface.c: an object's surface: from a file, pattern or shape, and placed. Needs
// mesh/, io/.
#include "io/sewing.h"
#include "math/vec3.h"
#include "mesh/shapes.h"
#include "scene/compile.h"

#include <string.h>

static csim_status make_shape(const csim_object *object, csim_log *log, csim_mesh *mesh) {
  static const csim_shape_kind kinds[] = {
      [CSIM_SHAPE_GRID] = CSIM_SHAPE_KIND_GRID,
      [CSIM_SHAPE_BOX] = CSIM_SHAPE_KIND_BOX,
      [CSIM_SHAPE_SPHERE] = CSIM_SHAPE_KIND_SPHERE,
      [CSIM_SHAPE_TORUS] = CSIM_SHAPE_KIND_TORUS,
      [CSIM_SHAPE_CYLINDER] = CSIM_SHAPE_KIND_CYLINDER,
      [CSIM_SHAPE_CAPSULE] = CSIM_SHAPE_KIND_CAPSULE,
      [CSIM_SHAPE_CONE] = CSIM_SHAPE_KIND_CONE,
      [CSIM_SHAPE_DISK] = CSIM_SHAPE_KIND_DISK,
      [CSIM_SHAPE_TUBE] = CSIM_SHAPE_KIND_TUBE,
      [CSIM_SHAPE_PLANE] = CSIM_SHAPE_KIND_GRID, // shown as a square
  };
  const csim_mesh_source *source = &object->mesh;
  csim_shape_spec spec = {.kind = kinds[source->shape],
                          .radius = source->radius,
                          .tube_radius = source->tube_radius,
                          .height = source->height,
                          .same_diagonals =
                              source->diagonals && !strcmp(source->diagonals, "same")};
  memcpy(spec.size, source->size, sizeof spec.size);
  memcpy(spec.cells, source->cells, sizeof spec.cells);
  if (source->shape == CSIM_SHAPE_TORUS || source->shape == CSIM_SHAPE_DISK) {
    spec.cells[2] = source->cells[1]; // given as (around, across), without along
    spec.cells[1] = 0;
  }
  if (source->shape == CSIM_SHAPE_PLANE) {
    const double shown = 10; // [m] side of the square that stands for the plane
    spec.size[0] = spec.size[1] = shown;
    spec.cells[0] = spec.cells[1] = 1;
  }
  return csim_mesh_shape(&spec, object->mesh_place, log, mesh);
}

void csim_place_vertices(const csim_object *object, int n, double *x) {
  double R[9];
  csim_rotation_matrix(object->rotation, R);
  for (int i = 0; i < n; i++, x += 3) {
    for (int c = 0; c < 3; c++) x[c] *= object->scale[c];
    csim_mat3_mul(R, x, x);
    for (int c = 0; c < 3; c++) x[c] += object->position[c];
  }
}

csim_status csim_build_surface(const csim_scene *scene, const csim_object *object, csim_log *log,
                               csim_mesh *mesh) {
  const csim_mesh_source *source = &object->mesh;
  csim_status status = source->shape == CSIM_SHAPE_FILE ? csim_read_mesh(scene, source, log, mesh)
                       : source->shape == CSIM_SHAPE_PATTERN
                           ? csim_sewing_read(source->pattern, &source->detail, log, mesh)
                           : make_shape(object, log, mesh);
  if (status == CSIM_MEMORY) return status;
  if (status) {
    csim_say(log, CSIM_ERROR, object->mesh_place,
             "object \"%s\": its mesh cannot be used (see above)", object->name);
    return status;
  }
  if (source->shape == CSIM_SHAPE_PLANE && scene->up == 2) // lies flat, as its collider does
    for (double *x = mesh->vert; x < mesh->vert + csim_xyz(mesh->nvert); x += 3) {
      double y = x[1];
      x[1] = -x[2];
      x[2] = y;
    }
  csim_place_vertices(object, mesh->nvert, mesh->vert);
  for (ptrdiff_t k = 0; mesh->rest.vert && k < csim_xyz(mesh->nvert); k++)
    mesh->rest.vert[k] *= object->scale[0]; // of a pattern, whose scale is uniform
  for (ptrdiff_t k = 0; k < csim_xyz(mesh->nvert); k++)
    if (!(fabs(mesh->vert[k]) < 1e15))
      return csim_refuse(
          log, object->mesh_place,
          "object \"%s\": vertex %td lies farther than 1e15 m out; scale or move the mesh",
          object->name, k / 3);
  return CSIM_OK;
}
