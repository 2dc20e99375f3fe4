// scene/build_render.c: render meshes: read, placed with their object, and bound to it. Needs
// contact/bind.h.
#include "math/vec3.h"
#include "scene/compile.h"

// Diagonal [m] of the bounding box of n points.
static double size_of(int n, const double *x) {
  double lo[3], hi[3];
  if (!n) return 0;
  csim_bounds(n, x, lo, hi);
  return csim_distance(lo, hi);
}

// Reports the largest distance of a render mesh from its object; warns above a tenth of its size.
static void report_bind(const csim_bound_mesh *render, const csim_body *body,
                        const csim_bind_mesh *to, csim_place place, csim_log *log) {
  const csim_bind *bind = &render->bind;
  int far = bind->farthest > 0.1 * size_of(to->nvert, to->x);
  csim_say(
      log, far ? CSIM_WARNING : CSIM_INFO, place,
      "render mesh \"%s\": %d vertices go with \"%s\"; vertex %d is farthest from it, %.3g m%s",
      render->name, bind->nbond, body->name, bind->far, bind->farthest,
      far ? ": is it in the same place, with the same units and up axis?" : "");
}

static csim_status build(const csim_scene *scene, const csim_object *object,
                         const csim_render *source, const csim_body *body, csim_log *log,
                         csim_arena *arena, csim_bound_mesh *render) {
  csim_object shown = *object; // same placement, other mesh
  shown.mesh = source->mesh;
  shown.mesh_place = source->place;
  shown.name = source->name;
  csim_status status = csim_build_surface(scene, &shown, log, &render->mesh);
  if (status) return status;
  const csim_mesh *surface = csim_body_shown(body);
  csim_bind_mesh to = {.nvert = surface->nvert,
                       .width = 3,
                       .nelem = surface->ntri,
                       .elem = surface->tri,
                       .x = surface->vert};
  if (body->ntet)
    to = (csim_bind_mesh){.nvert = body->nvert,
                          .width = 4,
                          .nelem = body->ntet,
                          .elem = body->tet,
                          .x = body->placed};
  if (csim_bind_create(arena, &to, render->mesh.nvert, render->mesh.vert, &render->bind))
    return CSIM_MEMORY;
  report_bind(render, body, &to, source->place, log);
  return CSIM_OK;
}

csim_status csim_build_renders(const csim_scene *scene, const csim_world *world, csim_log *log,
                               csim_renders *renders) {
  int n = 0, body = 0;
  csim_status status = CSIM_OK;
  *renders = (csim_renders){0};
  for (int o = 0; o < scene->nobject; o++) n += scene->object[o].nrender;
  renders->mesh = CSIM_ARENA_NEW(&renders->arena, csim_bound_mesh, n);
  if (!renders->mesh) status = CSIM_MEMORY;
  for (int o = 0; o < scene->nobject && status != CSIM_MEMORY; o++) {
    const csim_object *object = &scene->object[o];
    if (object->type == CSIM_OBJECT_COLLIDER) continue;
    for (int k = 0; k < object->nrender && status != CSIM_MEMORY; k++) {
      csim_bound_mesh *render = &renders->mesh[renders->n++];
      *render = (csim_bound_mesh){.name = object->render[k].name, .body = body};
      csim_status built = build(scene, object, &object->render[k], &world->model->body[body], log,
                                &renders->arena, render);
      if (built) status = built;
    }
    body++;
  }
  if (status == CSIM_MEMORY)
    csim_say(log, CSIM_ERROR, csim_in_file(scene->file), "out of memory for render meshes");
  return status;
}

void csim_renders_free(csim_renders *renders) {
  for (int k = 0; k < renders->n; k++) csim_mesh_free(&renders->mesh[k].mesh);
  csim_arena_free(&renders->arena);
  *renders = (csim_renders){0};
}
