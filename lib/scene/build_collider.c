// scene/build_collider.c: colliders: shapes and meshes. Needs contact/.
#include "math/vec3.h"
#include "scene/compile.h"

#include <string.h>

csim_status csim_build_collider(const csim_scene *scene, const csim_object *object, csim_log *log,
                                csim_collider *collider, csim_mesh *mesh) {
  const csim_mesh_source *source = &object->mesh;
  const double *scale = object->scale;
  *collider = (csim_collider){.name = object->name,
                              .radius = source->radius * scale[0],
                              .half_height = 0.5 * source->height * scale[1],
                              .motion = object->motion,
                              .friction = object->friction >= 0 ? object->friction
                                                                : scene->contact.friction};
  int round = 1; // a scale that differs between axes would not keep it round
  switch (source->shape) {
  case CSIM_SHAPE_PLANE: collider->shape = CSIM_COLLIDER_PLANE; break;
  case CSIM_SHAPE_SPHERE: collider->shape = CSIM_COLLIDER_SPHERE; break;
  case CSIM_SHAPE_CAPSULE: collider->shape = CSIM_COLLIDER_CAPSULE; break;
  case CSIM_SHAPE_CYLINDER: collider->shape = CSIM_COLLIDER_CYLINDER; break;
  case CSIM_SHAPE_BOX:
    collider->shape = CSIM_COLLIDER_BOX;
    for (int c = 0; c < 3; c++) collider->half_size[c] = 0.5 * source->size[c] * fabs(scale[c]);
    round = 0;
    break;
  default:
    collider->shape = CSIM_COLLIDER_MESH;
    round = 0;
    if (scene->contact.response == CSIM_RESPONSE_IMPULSE) {
      csim_say(log, CSIM_ERROR, object->mesh_place,
               "collider \"%s\": the response \"impulse\" knows only sphere, plane, box, capsule and "
               "cylinder; use \"response\": \"filter\"",
               object->name);
      return CSIM_INVALID;
    }
  }
  if (round && !(scale[0] == scale[1] && scale[1] == scale[2] && scale[0] > 0)) {
    csim_say(log, CSIM_ERROR, object->place,
             "collider \"%s\": a round shape needs one positive scale for all axes", object->name);
    return CSIM_INVALID;
  }
  csim_rotation_matrix(object->rotation, collider->R);
  memcpy(collider->position, object->position, sizeof collider->position);
  memcpy(collider->pivot, object->motion.has_pivot ? object->motion.pivot : object->position,
         sizeof collider->pivot);
  collider->mesh = mesh;
  return csim_build_surface(scene, object, log, mesh);
}
