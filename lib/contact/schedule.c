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

void csim_contact_schedule(csim_contact *contact, double time) {
  for (int k = 0; k < contact->nplane; k++) aim_plane(time, &contact->plane[k]);
  for (int k = 0; k < contact->ncollider; k++) {
    int first = contact->skin.first[contact->skin.nbody + k];
    const csim_collider *collider = &contact->collider[k];
    if (collider->mesh && collider->shape != CSIM_COLLIDER_PLANE)
      csim_collider_vertices(collider, time,
                             contact->goal + 3 * ((ptrdiff_t)first - contact->skin.nbody_vert));
  }
}

// Of a collider's vertex [m].
static double distance_to_goal(const csim_contact *contact, int v) {
  return csim_distance(contact->x + 3 * (ptrdiff_t)v,
                       contact->goal + 3 * ((ptrdiff_t)v - contact->skin.nbody_vert));
}

void csim_contact_measure_ways(csim_contact *contact) {
  const csim_skin *skin = &contact->skin;
  memset(contact->press, 0, (size_t)skin->npart * sizeof *contact->press);
  for (int i = skin->nbody_vert; i < skin->nvert; i++) {
    double *most = &contact->press[csim_skin_part(skin, i)];
    *most = csim_max(*most, distance_to_goal(contact, i));
  }
  for (int k = 0; k < contact->nplane; k++)
    contact->press[contact->plane[k].part] =
        fabs(contact->plane[k].offset - contact->plane[k].goal_offset);
  for (int p = 0; p < skin->npart; p++)
    contact->press[p] =
        csim_max(LEAST_PRESS, csim_min(1, contact->press[p] / contact->params.thickness));
}

double csim_contact_plane_scale(const csim_contact *contact, const csim_contact_plane *plane,
                                int vert) {
  double d = csim_dot(plane->n0, csim_skin_start(&contact->skin, vert)) - plane->offset0;
  double far = contact->params.thickness / 0.9;
  return d >= far ? 1 : d > 0 ? d / far : 0;
}

// Whether all bodies stay above the plane (n, offset), keeping a tenth of the room they have.
static int has_room(const csim_contact *c, const csim_contact_plane *plane, const double *n,
                    double offset) {
  for (int k = 0; k < c->skin.npoint; k++) {
    int i = c->skin.point[k];
    if (i >= c->skin.nbody_vert) break;
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

int csim_contact_lags(csim_contact *contact) {
  double lag = 0;
  for (int i = contact->skin.nbody_vert; i < contact->skin.nvert; i++)
    lag = csim_max(lag, distance_to_goal(contact, i));
  for (int i = 0; i < contact->model->ntarget; i++) {
    const csim_target *t = &contact->model->target[i];
    if (t->hard)
      lag = csim_max(lag, csim_distance(contact->target + 3 * (ptrdiff_t)i,
                                        contact->x + 3 * (ptrdiff_t)t->vert));
  }
  for (int k = 0; k < contact->nplane; k++) {
    const csim_contact_plane *p = &contact->plane[k];
    lag = csim_max(lag, fabs(p->offset - p->goal_offset) + csim_distance(p->n, p->goal_n));
  }
  contact->report.lag = lag;
  return lag > 0;
}
