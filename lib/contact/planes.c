// contact/planes.c: see planes.h.
#include "contact/planes.h"

#include "contact/margins.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

static void aim_plane(double time, double h, csim_contact_plane *plane) {
  const csim_collider *collider = plane->collider;
  double point[3];
  plane->before = csim_motion_pose(&collider->motion, collider->pivot, time - h);
  plane->after = csim_motion_pose(&collider->motion, collider->pivot, time);
  csim_collider_plane(collider, time, point, plane->goal_n);
  csim_normalise(plane->goal_n);
  plane->goal_offset = csim_dot(plane->goal_n, point);
}

int csim_planes_create(csim_arena *arena, int ncollider, const csim_collider *collider,
                       csim_planes *planes) {
  planes->n = 0;
  planes->plane = CSIM_ARENA_NEW(arena, csim_contact_plane, ncollider);
  if (arena->failed) return -1;

  for (int k = 0; k < ncollider; k++) {
    if (collider[k].shape != CSIM_COLLIDER_PLANE) continue;
    planes->plane[planes->n++] =
        (csim_contact_plane){.collider = &collider[k], .part = planes->mesh->nbody + k};
  }
  csim_planes_place(planes, 0);
  for (int k = 0; k < planes->n; k++) {
    csim_contact_plane *p = &planes->plane[k];
    memcpy(p->n0, p->n, sizeof p->n0);
    p->offset0 = p->offset;
  }
  return 0;
}

void csim_planes_aim(csim_planes *planes, double time, double h) {
  for (int k = 0; k < planes->n; k++) aim_plane(time, h, &planes->plane[k]);
}

void csim_planes_place(csim_planes *planes, double time) {
  csim_planes_aim(planes, time, 0);
  for (int k = 0; k < planes->n; k++) {
    csim_contact_plane *plane = &planes->plane[k];
    memcpy(plane->n, plane->goal_n, sizeof plane->n);
    plane->offset = plane->goal_offset;
  }
}

void csim_planes_way(const csim_planes *planes, int part, const double *x, double way[3]) {
  int k = 0;
  while (k < planes->n && planes->plane[k].part != part) k++;
  assert(k < planes->n);
  const csim_contact_plane *p = &planes->plane[k];
  csim_collider_way(p->collider, &p->before, &p->after, x, way);
}

double csim_planes_scale(const csim_planes *planes, const csim_contact_plane *plane, int vert) {
  double d = csim_dot(plane->n0, csim_collision_mesh_start(planes->mesh, vert)) - plane->offset0;
  double most = planes->share ? planes->share[vert] : 1;
  double far = planes->thickness / CSIM_CONTACT_START;
  double grown = planes->grown ? (double)planes->grown[vert] / planes->thickness : 0;
  if (d > 0 && grown > 0) return csim_min(most, grown);
  return d >= most * far ? most : csim_max(0, d / far);
}

// Whether all bodies stay above the plane (n, offset), keep a tenth of their gap, and are not
// pressed to the floor.
static int stays_above(const csim_planes *planes, const csim_contact_plane *plane, const double *x,
                       const double *n, double offset) {
  const csim_collision_mesh *mesh = planes->mesh;
  for (int k = 0; k < mesh->npoint; k++) {
    int i = mesh->point[k];
    if (i >= mesh->nbody_vert) break;
    const double *p = x + csim_xyz(i);
    double thickness = planes->thickness * csim_planes_scale(planes, plane, i);
    double floor = CSIM_CONTACT_FLOOR * thickness;
    double width = csim_dot(plane->n, p) - plane->offset, gap = width - floor;
    double least = gap > 0 ? csim_max(0.1 * gap, csim_pressed_gap(width, thickness) - floor) : gap;
    if (csim_dot(n, p) - offset - floor < least) return 0;
  }
  return 1;
}

// Halves the motion until it is free.
static int advance_plane(const csim_planes *planes, const double *x, csim_contact_plane *p) {
  for (double s = 1; s > 1e-3; s *= 0.5) {
    double n[3], offset = p->offset + s * (p->goal_offset - p->offset);
    for (int c = 0; c < 3; c++) n[c] = p->n[c] + s * (p->goal_n[c] - p->n[c]);
    if (!(csim_normalise(n) > 0)) return 0;
    if (s == 1) {
      memcpy(n, p->goal_n, sizeof n);
      offset = p->goal_offset;
    }
    if (!stays_above(planes, p, x, n, offset)) continue;
    memcpy(p->n, n, sizeof n);
    p->offset = offset;
    return 1;
  }
  return 0;
}

int csim_planes_advance(csim_planes *planes, const double *x) {
  int moved = 0;
  for (int k = 0; k < planes->n; k++) {
    csim_contact_plane *p = &planes->plane[k];
    if (!memcmp(p->n, p->goal_n, sizeof p->n) && p->offset == p->goal_offset) continue;
    moved |= advance_plane(planes, x, p);
  }
  return moved;
}
