// contact/collider.c: see collider.h.
#include "contact/collider.h"

#include "math/vec3.h"

#include <string.h>

// Distance from a sphere of radius r about the origin, at the offset d.
static double round_distance(const double *d, double r, double *gradient) {
  double l = csim_norm(d);
  if (l > 0)
    for (int c = 0; c < 3; c++) gradient[c] = d[c] / l;
  else
    memcpy(gradient, (double[3]){0, 1, 0}, 3 * sizeof *gradient);
  return l - r;
}

static double box_distance(const double *half, const double *x, double *gradient) {
  double q[3], outside[3], inside = -INFINITY;
  int axis = 0, any = 0;
  for (int c = 0; c < 3; c++) {
    q[c] = fabs(x[c]) - half[c];
    outside[c] = q[c] > 0 ? (x[c] < 0 ? -q[c] : q[c]) : 0;
    any |= q[c] > 0;
    if (q[c] > inside) {
      inside = q[c];
      axis = c;
    }
  }
  if (any) return round_distance(outside, 0, gradient);
  memset(gradient, 0, 3 * sizeof *gradient);
  gradient[axis] = x[axis] < 0 ? -1 : 1;
  return inside;
}

static double cylinder_distance(double radius, double half, const double *x, double *gradient) {
  double l = sqrt(x[0] * x[0] + x[2] * x[2]);
  double e[2] = {l > 0 ? x[0] / l : 1, l > 0 ? x[2] / l : 0}; // outward in the plane
  double side = l - radius, cap = fabs(x[1]) - half, up = x[1] < 0 ? -1 : 1;
  double s = side > 0 ? side : 0, t = cap > 0 ? cap : 0, d = sqrt(s * s + t * t);
  if (d > 0) { // outside: nearest point on the rim, the side or a cap
    gradient[0] = e[0] * s / d;
    gradient[1] = up * t / d;
    gradient[2] = e[1] * s / d;
    return d;
  }
  int on_side = side >= cap;
  gradient[0] = on_side ? e[0] : 0;
  gradient[1] = on_side ? 0 : up;
  gradient[2] = on_side ? e[1] : 0;
  return on_side ? side : cap;
}

double csim_collider_distance(const csim_collider *collider, const double *x, double *gradient) {
  switch (collider->shape) {
  case CSIM_COLLIDER_SPHERE:
    return round_distance(x, collider->radius, gradient);
  case CSIM_COLLIDER_BOX:
    return box_distance(collider->half_size, x, gradient);
  case CSIM_COLLIDER_CAPSULE: {
    double h = collider->half_height, y = x[1] > h ? h : x[1] < -h ? -h : x[1];
    return round_distance((double[3]){x[0], x[1] - y, x[2]}, collider->radius, gradient);
  }
  case CSIM_COLLIDER_CYLINDER:
    return cylinder_distance(collider->radius, collider->half_height, x, gradient);
  case CSIM_COLLIDER_MESH:
  case CSIM_COLLIDER_PLANE:
    break;
  }
  memcpy(gradient, (double[3]){0, 1, 0}, 3 * sizeof *gradient);
  return x[1];
}

int csim_collider_touch(const csim_collider *collider, const double *a, const double *b,
                        double distance, double *t, double *gradient) {
  enum { MAX_STEPS = 100 };
  double d[3], x[3];
  csim_sub(b, a, d);
  double near = 1e-9 * (csim_norm(d) + distance);
  *t = 0;
  if (csim_collider_distance(collider, a, gradient) <= distance) return 0;
  for (int k = 0; k < MAX_STEPS && *t <= 1; k++) {
    for (int c = 0; c < 3; c++) x[c] = a[c] + *t * d[c];
    double left = csim_collider_distance(collider, x, gradient) - distance;
    double slope = csim_dot(gradient, d);
    if (left <= near) return 1;
    if (!(slope < 0)) return 0;
    *t -= left / slope;
  }
  return *t <= 1;
}

void csim_collider_to_local(const csim_collider *collider, const csim_pose *pose, const double *x,
                            double *local) {
  double r[3];
  csim_pose_unapply(pose, x, r);
  csim_sub(r, collider->position, r);
  csim_mat3_mul_by_transpose(collider->R, r, local);
}

void csim_collider_to_world(const csim_collider *collider, const csim_pose *pose,
                            const double *local, double *x) {
  double r[3];
  csim_mat3_mul(collider->R, local, r);
  csim_add_scaled(1, collider->position, r);
  csim_pose_apply(pose, r, x);
}

void csim_collider_way(const csim_collider *collider, const csim_pose *from, const csim_pose *to,
                       const double *x, double way[3]) {
  double local[3], moved[3];
  memset(way, 0, 3 * sizeof *way);
  if (collider->motion.nkey < 2) return;
  csim_collider_to_local(collider, from, x, local);
  csim_collider_to_world(collider, to, local, moved);
  csim_sub(moved, x, way);
}

csim_course csim_collider_course(const csim_collider *collider) {
  csim_course course = {.nvert = collider->mesh->nvert,
                        .rest = collider->mesh->vert,
                        .nframe = collider->nframe,
                        .frame = collider->frame,
                        .frame_start = collider->frame_start,
                        .frame_step = collider->frame_step,
                        .frame_time = collider->frame_time,
                        .motion = collider->motion};
  memcpy(course.pivot, collider->pivot, sizeof course.pivot);
  return course;
}

void csim_collider_vertices(const csim_collider *collider, double time, double *out) {
  csim_course course = csim_collider_course(collider);
  csim_course_pose at = csim_course_at(&course, time);
  for (int i = 0; i < course.nvert; i++) csim_course_vertex(&at, i, out + csim_xyz(i));
}

void csim_collider_plane(const csim_collider *collider, double time, double point[3],
                         double normal[3]) {
  csim_pose pose = csim_motion_pose(&collider->motion, collider->pivot, time);
  double tip[3];
  csim_collider_to_world(collider, &pose, (double[]){0, 0, 0}, point);
  csim_collider_to_world(collider, &pose, (double[]){0, 1, 0}, tip);
  csim_sub(tip, point, normal);
}
