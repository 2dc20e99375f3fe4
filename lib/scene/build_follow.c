// scene/build_follow.c: pins that follow a collider: finds the point that each vertex follows.
// Needs contact/, model/.
#include "contact/distance.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

/// A collider at the start, for nearest-point queries.
typedef struct finder {
  const csim_mesh *mesh;
  double *x;      // (mesh->nvert x 3) [m]
  double *center; // (mesh->ntri x 3) [m] of spheres around the triangles
  double *radius; // (mesh->ntri) [m]
  int *tri_of;    // (mesh->nvert) one triangle of each vertex, -1 = none
} finder;

static void finder_free(finder *f) {
  free(f->x);
  free(f->center);
  free(f->radius);
  free(f->tri_of);
}

static int finder_create(const csim_mesh *mesh, const csim_course_pose *start, finder *f) {
  *f = (finder){.mesh = mesh,
                .x = CSIM_NEW(double, csim_xyz(mesh->nvert)),
                .center = CSIM_NEW(double, csim_xyz(mesh->ntri)),
                .radius = CSIM_NEW(double, mesh->ntri),
                .tri_of = CSIM_NEW(int, mesh->nvert)};
  if (!f->x || !f->center || !f->radius || !f->tri_of) return -1;
  for (int i = 0; i < mesh->nvert; i++) {
    csim_course_vertex(start, i, f->x + csim_xyz(i));
    f->tri_of[i] = -1;
  }
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    double *center = f->center + csim_xyz(t);
    for (int k = 0; k < 3; k++) {
      csim_add_scaled(1.0 / 3, f->x + csim_xyz(v[k]), center);
      if (f->tri_of[v[k]] < 0) f->tri_of[v[k]] = t;
    }
    for (int k = 0; k < 3; k++)
      f->radius[t] = fmax(f->radius[t], csim_distance(center, f->x + csim_xyz(v[k])));
  }
  return 0;
}

static void follow_vertex(const finder *f, int vert, csim_follow *follow) {
  int t = f->tri_of[vert];
  for (int k = 0; k < 3; k++) {
    follow->node[k] = t < 0 ? vert : f->mesh->tri[csim_xyz(t) + k];
    follow->weight[k] = follow->node[k] == vert;
  }
  if (t < 0) follow->weight[1] = follow->weight[2] = 0;
}

static void follow_nearest_vertex(const finder *f, const double *x, csim_follow *follow) {
  int nearest = 0;
  double best = INFINITY;
  for (int i = 0; i < f->mesh->nvert; i++) {
    double d = csim_distance(f->x + csim_xyz(i), x);
    if (!(d < best)) continue;
    best = d;
    nearest = i;
  }
  follow_vertex(f, nearest, follow);
}

static void follow_nearest_face(const finder *f, const double *x, csim_follow *follow) {
  double best = INFINITY; // [m]
  for (int t = 0; t < f->mesh->ntri; t++) {
    if (csim_distance(f->center + csim_xyz(t), x) - f->radius[t] >= best) continue;
    const int *v = f->mesh->tri + csim_xyz(t);
    double w[3];
    double d = sqrt(csim_point_triangle(x, f->x + csim_xyz(v[0]), f->x + csim_xyz(v[1]),
                                        f->x + csim_xyz(v[2]), w));
    if (!(d < best)) continue;
    best = d;
    memcpy(follow->node, v, sizeof follow->node);
    memcpy(follow->weight, w, sizeof follow->weight);
  }
}

// Index of the collider's course in the model; adds it if missing. -1 when out of memory.
static int course_of(csim_build *build, const csim_collider *collider) {
  csim_model *model = build->model;
  csim_course course = csim_collider_course(collider);
  for (int k = 0; k < model->pins.ncourse; k++)
    if (build->course[k].rest == course.rest) return k;
  if (CSIM_GROW(build->course, build->course_capacity, (ptrdiff_t)model->pins.ncourse + 1))
    return -1;
  build->course[model->pins.ncourse] = course;
  return model->pins.ncourse++;
}

// The collider with this name; NULL if its mesh could not be used.
static const csim_collider *find_leader(const csim_build *build, const char *name) {
  const csim_world *world = build->world;
  for (int k = 0; k < world->ncollider + world->nghost; k++) {
    const csim_collider *collider = &world->collider[k];
    if (strcmp(collider->name, name) != 0) continue;
    return collider->mesh && collider->mesh->nvert ? collider : NULL;
  }
  return NULL;
}

static csim_status add_follow(csim_build *build, const csim_pin *pin, int index, int vert,
                              const finder *f, const csim_course_pose *start) {
  csim_model *model = build->model;
  if (CSIM_GROW(build->follow, build->follow_capacity, (ptrdiff_t)model->pins.nfollow + 1))
    return CSIM_MEMORY;
  csim_follow *follow = &build->follow[model->pins.nfollow++];
  const double *x = build->x + csim_xyz(vert);
  *follow = (csim_follow){.weight = {1}};
  if (pin->by == CSIM_FOLLOW_NUMBER)
    follow_vertex(f, index, follow);
  else if (pin->by == CSIM_FOLLOW_VERTEX || f->mesh->ntri == 0)
    follow_nearest_vertex(f, x, follow);
  else
    follow_nearest_face(f, x, follow);
  if (!pin->snap) csim_follow_attach(start, x, follow);
  return CSIM_OK;
}

csim_status csim_build_follow(csim_build *build, const csim_pin *pin, const csim_body *body,
                              csim_pin_group *group) {
  csim_model *model = build->model;
  const csim_collider *leader = find_leader(build, pin->follow);
  finder f = {0};
  csim_status status = CSIM_OK;
  if (!leader) return CSIM_INVALID; // its own errors have been reported
  group->course = course_of(build, leader);
  if (group->course < 0) return CSIM_MEMORY;
  csim_course_pose start = csim_course_at(&build->course[group->course], 0);
  if (finder_create(leader->mesh, &start, &f)) status = CSIM_MEMORY;
  for (int i = 0; !status && i < model->ntarget; i++) {
    csim_target *t = &build->target[i];
    if (t->group != model->pins.ngroup) continue;
    int index = t->vert - body->vert0;
    if (pin->by == CSIM_FOLLOW_NUMBER && index >= leader->mesh->nvert) {
      status = csim_refuse(build->log, pin->place,
                           "vertex %d has no vertex of its number to follow: \"%s\" has vertices 0 "
                           "to %d; use \"by\": \"face\" or \"vertex\"",
                           index, pin->follow, leader->mesh->nvert - 1);
      break;
    }
    t->follow = model->pins.nfollow;
    status = add_follow(build, pin, index, t->vert, &f, &start);
  }
  finder_free(&f);
  return status;
}
