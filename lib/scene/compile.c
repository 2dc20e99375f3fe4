// scene/compile.c: see compile.h.
#include "scene/compile.h"

#include "math/vec3.h"
#include "model/curve.h"

#include "model/assemble.h"

#include <stdlib.h>
#include <string.h>

static void build_free(csim_build *build) {
  csim_cache_free(build->start);
  free(build->x);
  free(build->v);
  free(build->mass);
  free(build->target);
  free(build->course);
  free(build->follow);
  free(build->link);
  csim_elements *sets = (csim_elements *)&build->elements;
  for (int k = 0; k < CSIM_NELEMENT_SET; k++) csim_elements_free(&sets[k]);
}

static csim_status add_body(csim_build *build, const csim_object *object) {
  csim_model *model = build->model;
  csim_mesh *mesh = CSIM_ARENA_NEW(build->arena, csim_mesh, 1);
  if (!mesh) return CSIM_MEMORY;
  const csim_material *material = &build->scene->material[object->material];
  csim_body *body = &model->body[model->nbody++];
  *body = (csim_body){
      .name = csim_arena_copy(build->arena, object->name),
      .type = object->type,
      .mesh = mesh,
      .damping = material->damping,
      .stretch_damping = material->stretch_damping,
      .numerical_damping = material->numerical_damping >= 0 ? material->numerical_damping
                                                            : object->type == CSIM_OBJECT_CLOTH,
      .drag = material->drag,
      .layer = object->layer,
      .friction = object->friction >= 0 ? object->friction : build->scene->contact.friction};
  csim_status status = object->mesh.shape == CSIM_SHAPE_PATTERN
                           ? csim_build_garment(build, object, body)
                           : csim_build_surface(build->scene, object, build->log, mesh);
  if (!status) status = csim_check_import(object, mesh, build->log);
  if (status) return status;
  status = object->type == CSIM_OBJECT_SOLID ? csim_build_solid(build, object, body)
                                             : csim_build_cloth(build, object, body);
  if (!body->ncommon) body->ncommon = body->nvert;
  return status;
}

// Holds vertices without mass in place: they belong to no face, or only to faces without area.
static csim_status hold_loose(csim_build *build) {
  csim_model *model = build->model;
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    for (int v = body->vert0; v < body->vert0 + body->nvert; v++) {
      if (build->mass[v] > 0) continue;
      if (CSIM_GROW(build->target, build->target_capacity, (ptrdiff_t)model->ntarget + 1))
        return CSIM_MEMORY;
      build->target[model->ntarget++] =
          (csim_target){.vert = v, .group = -1, .follow = -1, .exact = 1, .hard = 1};
    }
  }
  return CSIM_OK;
}

static int moves(const csim_build *build) {
  for (ptrdiff_t i = 0; i < csim_xyz(build->model->nvert); i++)
    if (build->v[i] != 0) return 1;
  return 0;
}

// Collects the damping of bodies whose springs are damped.
static void collect_damping(csim_model *model) {
  int damped = 0;
  for (int b = 0; b < model->nbody; b++) damped |= model->body[b].stretch_damping > 0;
  if (!damped) return;
  model->stretch_damping = CSIM_ARENA_NEW(&model->arena, double, model->nbody);
  for (int b = 0; b < model->nbody && model->stretch_damping; b++)
    model->stretch_damping[b] = model->body[b].stretch_damping;
}

// Completes the model: arrays and energies of all bodies.
static csim_status finish_model(csim_build *build) {
  csim_model *model = build->model;
  csim_arena *arena = build->arena;
  ptrdiff_t nvert = model->nvert;
  model->x0 = CSIM_ARENA_COPY(arena, build->x, csim_xyz(nvert));
  if (moves(build)) model->v0 = CSIM_ARENA_COPY(arena, build->v, csim_xyz(nvert));
  model->mass = CSIM_ARENA_COPY(arena, build->mass, nvert);
  model->target = CSIM_ARENA_COPY(arena, build->target, model->ntarget);
  model->pins.course = CSIM_ARENA_COPY(arena, build->course, model->pins.ncourse);
  model->pins.follow = CSIM_ARENA_COPY(arena, build->follow, model->pins.nfollow);
  model->links.link = CSIM_ARENA_COPY(arena, build->link, model->links.nlink);
  collect_damping(model);
  if (arena->failed) return CSIM_MEMORY;
  const csim_elements *sets[CSIM_NELEMENT_SET];
  for (int k = 0; k < CSIM_NELEMENT_SET; k++) sets[k] = (csim_elements *)&build->elements + k;
  for (int b = 0; b < CSIM_NBENDING; b++)
    model->late.nenergy += build->elements.seam_hinges[b].nelem > 0;
  if (csim_model_assemble(model, CSIM_NELEMENT_SET, sets)) return CSIM_MEMORY;
  model->nenergy -= model->late.nenergy;
  return CSIM_OK;
}

static csim_model *create_model(const csim_scene *scene) {
  csim_arena arena = {0};
  csim_model *model = CSIM_ARENA_NEW(&arena, csim_model, 1);
  int npin = 0;
  for (int o = 0; o < scene->nobject; o++)
    npin += scene->object[o].npin + (scene->object[o].mesh.hold > 0);
  csim_body *body = CSIM_ARENA_NEW(&arena, csim_body, scene->nobject);
  csim_pin_group *group = CSIM_ARENA_NEW(&arena, csim_pin_group, npin);
  if (arena.failed) {
    csim_arena_free(&arena);
    return NULL;
  }
  *model = (csim_model){.arena = arena, .body = body, .pins.group = group, .air.wind = scene->wind};
  memcpy(model->gravity, scene->gravity, sizeof model->gravity);
  if (csim_curve_copy(&model->arena, &scene->gravity_key, &model->gravity_key) ||
      csim_curve_copy(&model->arena, &scene->wind.velocity_key, &model->air.wind.velocity_key)) {
    csim_model_free(model);
    return NULL;
  }
  return model;
}

// Warns about bodies so far out that numbers there are too coarse: doubles for contact and strain,
// or floats, of which most files are, for the mesh.
static void warn_of_distance(const csim_scene *scene, const csim_world *world, csim_log *log) {
  const double SAME = 1e-6, SEEN = 0.02; // shares of an edge that do no harm, that do not show
  const csim_model *model = world->model;
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    const double *x = model->x0 + csim_xyz(body->vert0);
    double edge = csim_mean_edge(x, body->mesh->ntri, 3, body->mesh->tri), far = 0;
    for (ptrdiff_t k = 0; k < csim_xyz(body->nvert); k++) far = csim_max(far, fabs(x[k]));
    double fine = ldexp(far, -52), coarse = ldexp(far, -23);
    if (!(edge > 0) ||
        (fine <= SAME * csim_min(edge, world->contact.thickness) && coarse <= SEEN * edge))
      continue;
    csim_say(log, CSIM_WARNING, csim_in_file(scene->file),
             "\"%s\" is %.3g m from the origin, where positions can only be %.2g m apart in the "
             "simulation and %.2g m in files (floats); its edges are %.2g m: move the scene to the "
             "origin",
             body->name, far, fine, coarse, edge);
  }
}

enum { COLLIDERS, GHOSTS, BODIES };

static int pass_of(const csim_object *object) {
  return object->type != CSIM_OBJECT_COLLIDER ? BODIES : object->ghost ? GHOSTS : COLLIDERS;
}

static csim_status add_collider(const csim_build *build, const csim_object *object) {
  csim_world *world = build->world;
  int k = world->ncollider + world->nghost;
  *(object->ghost ? &world->nghost : &world->ncollider) += 1;
  csim_status status = csim_build_collider(build->scene, object, build->log, &world->arena,
                                           &world->collider[k], &world->collider_mesh[k]);
  return status ? status : csim_build_check_start(build, object, &world->collider[k]);
}

csim_status csim_compile(const csim_scene *scene, const char *tet_program, csim_pool *pool,
                         csim_log *log, const csim_world *last, csim_world *world) {
  *world = (csim_world){.model = create_model(scene)};
  world->collider = CSIM_ARENA_NEW(&world->arena, csim_collider, scene->nobject);
  world->collider_mesh = CSIM_ARENA_NEW(&world->arena, csim_mesh, scene->nobject);
  world->placement = CSIM_ARENA_NEW(&world->arena, csim_placement, scene->nobject);
  if (!world->model || world->arena.failed) return csim_fail_memory(log, scene->file);
  csim_build build = {.scene = scene,
                      .tet_program = tet_program,
                      .pool = pool,
                      .log = log,
                      .last = last,
                      .world = world,
                      .arena = &world->model->arena,
                      .model = world->model,
#define OF_KIND(name, of) .elements.name.kind = &csim_##of##_kind,
                      CSIM_SHEET_ELEMENTS(OF_KIND) CSIM_OTHER_ELEMENTS(OF_KIND)};
  for (int b = 0; b < CSIM_NBENDING; b++)
    build.elements.hinges[b].kind = build.elements.seam_hinges[b].kind = csim_bending_kinds[b];
  csim_status status = csim_build_open_start(&build);
  if (status) goto done;
  // go on after a user's error, so that all objects' errors are reported at once
  for (int pass = 0; pass < 3; pass++) // pins look at colliders, also at those behind their object
    for (int o = 0; o < scene->nobject && status != CSIM_MEMORY; o++) {
      const csim_object *object = &scene->object[o];
      if (pass_of(object) != pass) continue;
      csim_status added = pass == BODIES ? add_body(&build, object) : add_collider(&build, object);
      if (added) status = added;
    }
  if (!status) status = csim_build_links(&build);
  if (!status) status = csim_build_seams(&build);
  if (!status) status = hold_loose(&build);
  if (!status) status = finish_model(&build);
  if (!status) status = csim_build_chambers(&build);
  if (!status) status = csim_choose_thickness(scene, world);
  if (!status && !last) warn_of_distance(scene, world, log);
  if (!status) status = csim_close_seams(world);
done:
  build_free(&build);
  if (status == CSIM_MEMORY)
    csim_say(log, CSIM_ERROR, csim_in_file(scene->file), "out of memory for this scene's model");
  return status;
}

const double *csim_world_real_vertices(const csim_world *world, int collider,
                                       const csim_state *state) {
  ptrdiff_t at = 0;
  if (!state->nkinematic || world->collider[collider].shape == CSIM_COLLIDER_PLANE) return NULL;
  for (int j = 0; j < collider; j++)
    if (world->collider[j].shape != CSIM_COLLIDER_PLANE) at += world->collider_mesh[j].nvert;
  return state->kinematic + 3 * at;
}

void csim_world_hold_plane(const csim_world *world, int collider, const csim_state *state,
                           double *x) {
  static const double ROUNDING = 1e-9; // [m] where it is on time its vertices stay as they are
  const csim_collider *c = &world->collider[collider];
  ptrdiff_t at = 0;
  if (!state->nkinematic || c->shape != CSIM_COLLIDER_PLANE) return;
  for (int j = 0; j < world->ncollider; j++)
    if (world->collider[j].shape != CSIM_COLLIDER_PLANE)
      at += csim_xyz(world->collider_mesh[j].nvert);
    else if (j < collider)
      at += 6;
  const double *plane = state->kinematic + at;
  for (ptrdiff_t i = 0; i < csim_xyz(c->mesh->nvert); i += 3) {
    double above = csim_dot(plane, x + i) - plane[3];
    if (fabs(above) > ROUNDING) csim_add_scaled(-above, plane, x + i);
  }
}

void csim_world_release(csim_world *world, int keep_faces) {
  for (int b = 0; b < world->model->nbody; b++) {
    csim_mesh_release(world->model->body[b].mesh, keep_faces);
    if (world->model->body[b].shown) csim_mesh_release(world->model->body[b].shown, keep_faces);
  }
  for (int k = 0; world->renders && k < world->renders->n; k++)
    csim_mesh_release(&world->renders->mesh[k].mesh, keep_faces);
}

void csim_world_free(csim_world *world) {
  csim_model_free(world->model);
  for (int k = 0; k < world->ncollider + world->nghost; k++)
    csim_mesh_free(&world->collider_mesh[k]);
  csim_arena_free(&world->arena);
  *world = (csim_world){0};
}
