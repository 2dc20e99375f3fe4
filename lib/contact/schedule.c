// contact/schedule.c: colliders and planes that follow a motion, see contact.h.
#include "contact/contact.h"
#include "math/vec3.h"

#include <string.h>

// Colliders at rest have to hold what is pulled over them: without this a strip around a capstan
// sinks to where the filter stops it, and slides at less than half its acceleration.
static const double LEAST_PRESS = 0.03;

static void aim_plane(double time, csim_contact_plane *plane) {
  const csim_collider *collider = plane->collider;
  csim_pose pose = csim_motion_pose(&collider->motion, collider->pivot, time);
  double origin[3], tip[3];
  csim_collider_to_world(collider, &pose, (double[]){0, 0, 0}, origin);
  csim_collider_to_world(collider, &pose, (double[]){0, 1, 0}, tip);
  csim_sub(tip, origin, plane->goal_n);
  double l = csim_norm(plane->goal_n);
  for (int c = 0; c < 3; c++) plane->goal_n[c] /= l;
  plane->goal_offset = csim_dot(plane->goal_n, origin);
}

// A collider that was held up goes on at most this many times as fast as it was meant to.
static const double CATCH_UP = 4;

static double *goal_of(csim_contact *contact, int k) {
  return contact->goal +
         3 * ((ptrdiff_t)contact->mesh.first[contact->mesh.nbody + k] - contact->mesh.nbody_vert);
}

void csim_contact_schedule(csim_contact *contact, double time) {
  for (int k = 0; k < contact->nplane; k++) aim_plane(time, &contact->plane[k]);
  for (int k = 0; k < contact->ncollider; k++) {
    const csim_collider *collider = &contact->collider[k];
    double soonest = contact->reached[k] + CATCH_UP * contact->h;
    contact->goal_time[k] = csim_max(contact->reached[k], csim_min(time, soonest));
    if (csim_contact_moves(collider))
      csim_collider_vertices(collider, contact->goal_time[k], goal_of(contact, k));
    else
      contact->reached[k] = contact->goal_time[k] = time;
  }
}

void csim_contact_place(csim_contact *contact, double time) {
  for (int k = 0; k < contact->nplane; k++) {
    csim_contact_plane *plane = &contact->plane[k];
    aim_plane(time, plane);
    memcpy(plane->n, plane->goal_n, sizeof plane->n);
    plane->offset = plane->goal_offset;
  }
  for (int k = 0; k < contact->ncollider; k++) {
    const csim_collider *collider = &contact->collider[k];
    contact->reached[k] = contact->goal_time[k] = time;
    contact->stuck[k] = 0;
    if (csim_contact_moves(collider))
      csim_collider_vertices(collider, time,
                             contact->x + 3 * (ptrdiff_t)contact->mesh.first[contact->mesh.nbody + k]);
  }
  contact->near.valid = 0;
}

static int is_behind(const csim_contact *contact, int k) {
  return contact->reached[k] < contact->goal_time[k];
}

int csim_contact_waits(const csim_contact *contact, int k) {
  enum { STEPS = 8 };
  return contact->stuck[k] % STEPS != 0;
}

int csim_contact_is_behind(const csim_contact *contact) {
  for (int k = 0; k < contact->ncollider; k++)
    if (is_behind(contact, k) && !csim_contact_waits(contact, k)) return 1;
  return 0;
}

void csim_contact_give_up(csim_contact *contact) {
  for (int k = 0; k < contact->ncollider; k++)
    contact->stuck[k] = is_behind(contact, k) ? contact->stuck[k] + 1 : 0;
}

void csim_contact_aim_colliders(csim_contact *contact, double share) {
  const csim_collision_mesh *mesh = &contact->mesh;
  for (int k = 0; k < contact->ncollider; k++) {
    const csim_collider *collider = &contact->collider[k];
    if (!csim_contact_moves(collider)) continue;
    ptrdiff_t first = mesh->first[mesh->nbody + k], n = collider->mesh->nvert;
    double *d = contact->d + 3 * first, *x = contact->x + 3 * first;
    if (!is_behind(contact, k) || csim_contact_waits(contact, k)) {
      memset(d, 0, 3 * (size_t)n * sizeof *d);
      continue;
    }
    double way = contact->goal_time[k] - contact->reached[k];
    if (share >= 1)
      memcpy(d, goal_of(contact, k), 3 * (size_t)n * sizeof *d);
    else
      csim_collider_vertices(collider, contact->reached[k] + share * way, d);
    for (ptrdiff_t i = 0; i < 3 * n; i++) d[i] -= x[i];
  }
}

// Of a collider's vertex [m].
static double distance_to_goal(const csim_contact *contact, int v) {
  return csim_distance(contact->x + 3 * (ptrdiff_t)v,
                       contact->goal + 3 * ((ptrdiff_t)v - contact->mesh.nbody_vert));
}

void csim_contact_measure_ways(csim_contact *contact) {
  const csim_collision_mesh *mesh = &contact->mesh;
  memset(contact->press, 0, (size_t)mesh->npart * sizeof *contact->press);
  for (int k = 0; k < contact->ncollider; k++) {
    int part = mesh->nbody + k;
    for (int i = mesh->first[part]; i < mesh->first[part + 1] && is_behind(contact, k); i++)
      contact->press[part] = csim_max(contact->press[part], distance_to_goal(contact, i));
  }
  for (int k = 0; k < contact->nplane; k++)
    contact->press[contact->plane[k].part] =
        fabs(contact->plane[k].offset - contact->plane[k].goal_offset);
  for (int p = 0; p < mesh->npart; p++)
    contact->press[p] =
        csim_max(LEAST_PRESS, csim_min(1, contact->press[p] / contact->params.thickness));
}

double csim_contact_plane_scale(const csim_contact *contact, const csim_contact_plane *plane,
                                int vert) {
  double d = csim_dot(plane->n0, csim_collision_mesh_start(&contact->mesh, vert)) - plane->offset0;
  const double *share = contact->params.share;
  double most = share ? share[csim_collision_mesh_part(&contact->mesh, vert)] : 1;
  double far = contact->params.thickness / 0.9;
  return d >= most * far ? most : d > 0 ? d / far : 0;
}

// Whether all bodies stay above the plane (n, offset), keeping a tenth of the room they have.
static int has_room(const csim_contact *c, const csim_contact_plane *plane, const double *n,
                    double offset) {
  for (int k = 0; k < c->mesh.npoint; k++) {
    int i = c->mesh.point[k];
    if (i >= c->mesh.nbody_vert) break;
    const double *x = c->x + 3 * (ptrdiff_t)i;
    double keep = CSIM_CONTACT_FLOOR * c->params.thickness * csim_contact_plane_scale(c, plane, i);
    double room = csim_dot(plane->n, x) - plane->offset - keep;
    double left = csim_dot(n, x) - offset - keep;
    if (left < (room > 0 ? 0.1 * room : room)) return 0;
  }
  return 1;
}

void csim_contact_advance_planes(csim_contact *contact) {
  for (int k = 0; k < contact->nplane; k++) {
    csim_contact_plane *p = &contact->plane[k];
    if (!memcmp(p->n, p->goal_n, sizeof p->n) && p->offset == p->goal_offset) continue;
    for (double s = 1; s > 1e-3; s *= 0.5) {
      double n[3], offset = p->offset + s * (p->goal_offset - p->offset);
      for (int c = 0; c < 3; c++) n[c] = p->n[c] + s * (p->goal_n[c] - p->n[c]);
      double l = csim_norm(n);
      if (!(l > 0)) break;
      for (int c = 0; c < 3; c++) n[c] /= l;
      if (s == 1) {
        memcpy(n, p->goal_n, sizeof n);
        offset = p->goal_offset;
      }
      if (!has_room(contact, p, n, offset)) continue;
      memcpy(p->n, n, sizeof n);
      p->offset = offset;
      contact->marked = contact->seen = 0;
      break;
    }
  }
}

// [m] of a collider from where it should be at the end of the step.
static double collider_lag(csim_contact *contact, int k) {
  const csim_collider *collider = &contact->collider[k];
  double end = contact->now + contact->h, lag = 0;
  if (!csim_contact_moves(collider) || contact->reached[k] >= end) return 0;
  if (contact->goal_time[k] < end) {
    contact->goal_time[k] = end;
    csim_collider_vertices(collider, end, goal_of(contact, k));
  }
  int first = contact->mesh.first[contact->mesh.nbody + k];
  for (int i = first; i < first + collider->mesh->nvert; i++)
    lag = csim_max(lag, distance_to_goal(contact, i));
  return lag;
}

static void note_lag(csim_contact *contact, double lag, int part) {
  if (!(lag > contact->report.lag)) return;
  contact->report.lag = lag;
  contact->report.lag_part = part;
}

int csim_contact_lags(csim_contact *contact) {
  const csim_collision_mesh *mesh = &contact->mesh;
  contact->report.lag = 0;
  for (int i = 0; i < contact->model->ntarget; i++) {
    const csim_target *t = &contact->model->target[i];
    if (t->hard)
      note_lag(contact,
               csim_distance(contact->target + 3 * (ptrdiff_t)i,
                             contact->x + 3 * (ptrdiff_t)t->vert),
               csim_collision_mesh_part(mesh, t->vert));
  }
  for (int k = 0; k < contact->nplane; k++) {
    const csim_contact_plane *p = &contact->plane[k];
    note_lag(contact, fabs(p->offset - p->goal_offset) + csim_distance(p->n, p->goal_n), p->part);
  }
  int behind = contact->report.lag > 0;
  for (int k = 0; k < contact->ncollider; k++)
    note_lag(contact, collider_lag(contact, k), mesh->nbody + k);
  return behind;
}
