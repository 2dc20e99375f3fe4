// scene/build_collider.c: colliders: shapes and meshes. Needs contact/.
#include "math/vec3.h"
#include "mesh/check.h"
#include "mesh/solid.h"
#include "scene/compile.h"

#include <stdio.h>
#include <string.h>

// Checks that a solid collider is closed and its faces point outward in all frames.
static csim_status check_solid(const csim_object *object, const csim_collider *collider,
                               csim_log *log) {
  const csim_mesh *mesh = collider->mesh;
  csim_mesh_facts facts;
  if (csim_mesh_check(mesh, NULL, &facts)) return CSIM_MEMORY;
  if (!facts.closed) {
    const char *why = facts.boundary.count      ? "open"
                      : facts.nonmanifold.count ? "not a single surface (edges of three faces)"
                                                : "wound in both directions";
    const csim_fault *fault = facts.boundary.count      ? &facts.boundary
                              : facts.nonmanifold.count ? &facts.nonmanifold
                                                        : &facts.flipped;
    return csim_refuse(log, object->mesh_place,
                       "collider \"%s\" is declared solid, but its mesh is %s: %d edges, the first "
                       "from vertex %d to %d at face %d; mend the mesh, or leave out \"solid\"",
                       object->name, why, fault->count, fault->vert[0], fault->vert[1],
                       fault->face[0]);
  }
  for (int f = 0; f < (collider->nframe ? collider->nframe : 1); f++) {
    const double *x = collider->nframe ? collider->frame + csim_xyz(f) * mesh->nvert : mesh->vert;
    double error, volume = csim_signed_volume(x, x, mesh->ntri, mesh->tri, &error);
    if (volume > 0) continue;
    char when[40] = "";
    if (f) snprintf(when, sizeof when, " in frame %d of the sequence", f + 1);
    return csim_refuse(log, object->mesh_place,
                       "collider \"%s\" is declared solid, but is inside out%s: its faces point "
                       "inward and its volume is negative; turn its faces around (\"flip normals\" "
                       "in modelling programs), or leave out \"solid\"",
                       object->name, when);
  }
  return CSIM_OK;
}

// Whether a scene with a pattern dresses this mesh, see csim_add_dressing.
static int is_dressed(const csim_object *object) {
  csim_shape shape = object->mesh.shape;
  return object->arms[1] > 0 && (shape == CSIM_SHAPE_FILE || shape == CSIM_SHAPE_SEQUENCE);
}

csim_status csim_build_collider(const csim_scene *scene, const csim_object *object, csim_log *log,
                                csim_arena *arena, csim_collider *collider, csim_mesh *mesh) {
  const csim_mesh_source *source = &object->mesh;
  const double *scale = object->scale;
  *collider = (csim_collider){.name = object->name,
                              .radius = source->radius * scale[0],
                              .half_height = 0.5 * source->height * scale[1],
                              .motion = object->motion,
                              .friction = object->friction >= 0 ? object->friction
                                                                : scene->contact.friction};
  int round = 1; // needs the same scale along all axes
  switch (source->shape) {
  case CSIM_SHAPE_PLANE:
    collider->shape = CSIM_COLLIDER_PLANE;
    break;
  case CSIM_SHAPE_SPHERE:
    collider->shape = CSIM_COLLIDER_SPHERE;
    break;
  case CSIM_SHAPE_CAPSULE:
    collider->shape = CSIM_COLLIDER_CAPSULE;
    break;
  case CSIM_SHAPE_CYLINDER:
    collider->shape = CSIM_COLLIDER_CYLINDER;
    break;
  case CSIM_SHAPE_BOX:
    collider->shape = CSIM_COLLIDER_BOX;
    for (int c = 0; c < 3; c++) collider->half_size[c] = 0.5 * source->size[c] * fabs(scale[c]);
    round = 0;
    break;
  default:
    collider->shape = CSIM_COLLIDER_MESH;
    round = 0;
    if (scene->contact.response == CSIM_RESPONSE_IMPULSE ||
        scene->contact.response == CSIM_RESPONSE_PENALTY)
      return csim_refuse(log, object->mesh_place,
                         "collider \"%s\": impulses and penalty springs know only sphere, plane, "
                         "box, capsule and cylinder; use \"response\": \"filter\"",
                         object->name);
  }
  if (round && !(scale[0] == scale[1] && scale[1] == scale[2] && scale[0] > 0))
    return csim_refuse(log, object->place,
                       "collider \"%s\": a round shape needs one positive scale for all axes",
                       object->name);
  csim_rotation_matrix(object->rotation, collider->R);
  if (source->shape == CSIM_SHAPE_PLANE && scene->up == 2) { // its normal, local y, points up
    static const double stand[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    double R[9] = {0};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) R[3 * i + j] += collider->R[3 * i + k] * stand[3 * k + j];
    memcpy(collider->R, R, sizeof R);
  }
  memcpy(collider->position, object->position, sizeof collider->position);
  memcpy(collider->pivot, object->motion.has_pivot ? object->motion.pivot : object->position,
         sizeof collider->pivot);
  collider->mesh = mesh;
  collider->solid = object->solid;
  collider->layer = object->layer;
  csim_status status = source->shape == CSIM_SHAPE_SEQUENCE
                           ? csim_build_sequence(scene, object, log, arena, collider, mesh)
                           : csim_build_surface(scene, object, log, mesh);
  if (!status && is_dressed(object)) csim_warn_about_size(object, mesh, log);
  if (!status) status = csim_check_import(object, mesh, log);
  if (!status && object->solid && collider->shape == CSIM_COLLIDER_MESH)
    status = check_solid(object, collider, log);
  return status;
}
