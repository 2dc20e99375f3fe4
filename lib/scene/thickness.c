// scene/thickness.c: the contact thickness of each object, and motions that are fast for a scene's
// meshes. Needs scene/compile.h, scene/sim.h.
#include "scene/compile.h"
#include "scene/sim.h"

#include <stdlib.h>
#include <string.h>

static const double MOST = 0.005, LEAST = 1e-6; // [m]

static double body_edge(const csim_model *model, const csim_body *body) {
  return csim_mean_edge(model->x0 + csim_xyz(body->vert0), body->mesh->ntri, 3, body->mesh->tri);
}

static double mesh_thickness(const csim_model *model, const csim_body *body) {
  double edge = body_edge(model, body);
  return edge > 0 ? csim_max(LEAST, csim_min(MOST, 0.2 * edge)) : MOST;
}

// Thickness of the thinnest cloth; infinite if there is none. Nothing else is thicker: where a
// block keeps 5 mm from a table, a cloth between them that keeps 2 mm from both is not touched
// firmly, and a block on a tablecloth was held up by the table.
static double thinnest_cloth(const csim_model *model) {
  double least = INFINITY;
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].type == CSIM_OBJECT_CLOTH)
      least = csim_min(least, mesh_thickness(model, &model->body[b]));
  return least;
}

csim_status csim_choose_thickness(const csim_scene *scene, csim_world *world) {
  const csim_model *model = world->model;
  double given = scene->contact.thickness, limit = thinnest_cloth(model), most = 0;
  int filter = scene->contact.response == CSIM_RESPONSE_FILTER, differs = !(given > 0);
  world->contact = scene->contact;
  if (!(given > 0)) world->contact.thickness = 0.001; // what they keep from colliders of no mesh
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].factor[CSIM_FACTOR_THICKNESS]) differs = 1;
  if (!filter || !differs || !model->nvert) return CSIM_OK;
  double *share = CSIM_ARENA_NEW(&world->arena, double, model->nvert);
  if (!share) return CSIM_MEMORY;
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    double usual = given > 0 ? given : csim_min(limit, mesh_thickness(model, body));
    for (int i = 0; i < body->nvert; i++) {
      share[body->vert0 + i] = usual * csim_body_factor(body, CSIM_FACTOR_THICKNESS, i);
      most = csim_max(most, share[body->vert0 + i]);
    }
  }
  for (int i = 0; i < model->nvert; i++) share[i] /= most;
  world->contact.thickness = most;
  world->contact.share = share;
  return CSIM_OK;
}

// ---------------------------------------------------------------------------------------- reports

static csim_place place_of(const csim_scene *scene, const csim_model *model, int part) {
  int object = csim_scene_object_of(scene, model->nbody, part);
  return object >= 0 ? scene->object[object].mesh_place : csim_in_file(scene->file);
}

static void report_thickness(const csim_scene *scene, const csim_world *world, csim_level level,
                             csim_log *log) {
  const csim_model *model = world->model;
  double limit = thinnest_cloth(model);
  for (int b = 0; b < model->nbody; b++) {
    const csim_body *body = &model->body[b];
    double own = mesh_thickness(model, body), usual = csim_min(own, limit), most = 0;
    for (int i = 0; i < body->nvert; i++)
      most = csim_max(most, usual * csim_body_factor(body, CSIM_FACTOR_THICKNESS, i));
    csim_say(log, level, place_of(scene, model, b),
             "object \"%s\": contact thickness %s%.3g mm, %s", body->name,
             body->factor[CSIM_FACTOR_THICKNESS] ? "up to " : "", 1e3 * most,
             usual < own   ? "that of the thinnest cloth"
             : own == MOST ? "the largest that is chosen"
                           : "a fifth of its mean edge");
  }
}

// The farthest that something goes in a substep.
typedef struct fastest {
  double way; // [m]
  int frame;
} fastest;

// Body of the finest mesh, and its mean edge [m]; -1: there is none.
static int find_finest(const csim_model *model, double *edge) {
  int body = -1;
  *edge = INFINITY;
  for (int b = 0; b < model->nbody; b++) {
    double own = body_edge(model, &model->body[b]);
    if (!(own > 0 && own < *edge)) continue;
    *edge = own;
    body = b;
  }
  return body;
}

static void keep_farthest(const double *from, const double *to, int frame, fastest *f) {
  double way = csim_distance(from, to);
  if (way > f->way) *f = (fastest){.way = way, .frame = frame};
}

// Of a collider from one time to another [s]. x: twice (its vertices x 3)
static void collider_way(const csim_collider *collider, const double time[2], int frame, double *x,
                         fastest *f) {
  if (csim_collider_moves(collider)) {
    int n = collider->mesh->nvert;
    for (int k = 0; k < 2; k++) csim_collider_vertices(collider, time[k], x + k * csim_xyz(n));
    for (int i = 0; i < n; i++) keep_farthest(x + csim_xyz(i), x + csim_xyz(n + i), frame, f);
  } else if (collider->motion.nkey > 0) { // a plane, at its origin
    double at[2][3];
    for (int k = 0; k < 2; k++) {
      csim_pose pose = csim_motion_pose(&collider->motion, collider->pivot, time[k]);
      csim_collider_to_world(collider, &pose, (double[]){0, 0, 0}, at[k]);
    }
    keep_farthest(at[0], at[1], frame, f);
  }
}

// The fastest substep of each part, of one in the middle of each frame: keys are whole frames.
static void find_fastest(const csim_scene *scene, const csim_world *world, double *x, fastest *f) {
  const csim_model *model = world->model;
  double h = csim_sim_substep(scene);
  for (int i = 0; model->v0 && i < model->nvert; i++) {
    double way = h * csim_norm(model->v0 + csim_xyz(i));
    fastest *of = &f[model->body_of[i]];
    if (way > of->way) *of = (fastest){.way = way, .frame = scene->frame_start + 1};
  }
  for (int frame = scene->frame_start + 1; frame <= scene->frame_end; frame++) {
    double middle = (frame - scene->frame_start - 0.5) / scene->fps;
    double time[2] = {middle - 0.5 * h, middle + 0.5 * h};
    for (int k = 0; k < 2 && model->ntarget; k++)
      csim_model_targets(model, time[k], x + k * csim_xyz(model->ntarget));
    for (int t = 0; t < model->ntarget; t++)
      keep_farthest(x + csim_xyz(t), x + csim_xyz(model->ntarget + t), frame,
                    &f[model->body_of[model->target[t].vert]]);
    for (int k = 0; k < world->ncollider; k++)
      collider_way(&world->collider[k], time, frame, x, &f[model->nbody + k]);
  }
}

static void report_fastest(const csim_scene *scene, const csim_world *world, const fastest *f,
                           csim_level level, csim_log *log) {
  const csim_model *model = world->model;
  double edge;
  int body = find_finest(model, &edge);
  for (int p = 0; p < model->nbody + world->ncollider; p++) {
    if (!(f[p].way > edge)) continue;
    const char *name =
        p < model->nbody ? model->body[p].name : world->collider[p - model->nbody].name;
    csim_say(log, level, place_of(scene, model, p),
             "object \"%s\" is fast for the mesh of \"%s\": in frame %d it moves by up to %.3g mm "
             "in a substep, and an edge is %.3g mm; where they meet, such substeps are taken in "
             "parts, unless frames.substeps is %.0f or more",
             name, model->body[body].name, f[p].frame, 1e3 * f[p].way, 1e3 * edge,
             ceil(scene->substeps * f[p].way / edge));
  }
}

csim_status csim_report_contact(const csim_scene *scene, const csim_world *world, csim_level level,
                                csim_log *log) {
  const csim_model *model = world->model;
  if (scene->contact.response != CSIM_RESPONSE_FILTER || !model->nbody) return CSIM_OK;
  if (!(scene->contact.thickness > 0)) report_thickness(scene, world, level, log);
  ptrdiff_t most = model->ntarget;
  for (int k = 0; k < world->ncollider; k++)
    if (world->collider[k].mesh && world->collider[k].mesh->nvert > most)
      most = world->collider[k].mesh->nvert;
  double *x = csim_alloc(2 * csim_xyz(most) + 1, sizeof *x);
  fastest *f = csim_alloc(model->nbody + world->ncollider, sizeof *f);
  csim_status status = x && f ? CSIM_OK : csim_fail_memory(log, scene->file);
  if (!status) {
    memset(f, 0, (size_t)(model->nbody + world->ncollider) * sizeof *f);
    find_fastest(scene, world, x, f);
    report_fastest(scene, world, f, level, log);
  }
  free(x);
  free(f);
  return status;
}
