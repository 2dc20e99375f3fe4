// contact/collider.h: analytic solids that cloth falls on: signed distance and motion. Needs
// model/.
#ifndef CSIM_CONTACT_COLLIDER_H
#define CSIM_CONTACT_COLLIDER_H

#include "mesh/mesh.h"
#include "model/course.h"

typedef enum csim_collider_shape {
  CSIM_COLLIDER_PLANE,    ///< y <= 0 is inside
  CSIM_COLLIDER_SPHERE,   ///< radius
  CSIM_COLLIDER_BOX,      ///< half sizes
  CSIM_COLLIDER_CAPSULE,  ///< radius, half height of the straight part along y
  CSIM_COLLIDER_CYLINDER, ///< radius, half height along y
  CSIM_COLLIDER_MESH,     ///< only triangles, no analytic distance
} csim_collider_shape;

/// Placed by x_world = motion(R x_local + position).
typedef struct csim_collider {
  const char *name;
  csim_collider_shape shape;
  double radius, half_height; ///< [m]
  double half_size[3];        ///< [m] box
  double R[9], position[3];   ///< start placement
  csim_motion motion;
  double pivot[3];          ///< [m] of the motion's rotations
  double friction;          ///< [-]
  const csim_mesh *mesh;    ///< surface at its start placement; NULL: none
  int nframe;               ///< > 0: a deforming mesh, one set of vertices a frame
  const double *frame;      ///< (nframe x mesh->nvert x 3) [m] placed
  double frame_start;       ///< [s] time of the first frame
  double frame_step;        ///< [s] from one frame to the next
  const double *frame_time; ///< (nframe) [s] of each; NULL: evenly, as the two above
  double busy;              ///< [s] time before which the scene is not at rest
  int solid;                ///< has an inside, in which nothing may start
  int layer;                ///< everything in a higher layer lies over it; 0: no layer
} csim_collider;

/// Whether the collider has triangles and its position depends on time.
static inline int csim_collider_moves(const csim_collider *collider) {
  return collider->mesh && collider->shape != CSIM_COLLIDER_PLANE &&
         (collider->motion.nkey > 0 || collider->nframe > 1);
}

/// The paths of the collider's vertices; refers to its arrays. Needs collider->mesh.
csim_course csim_collider_course(const csim_collider *collider);

/// Prescribed positions of the surface's vertices at a time [s]: frames interpolated linearly,
/// constant before the first and after the last; then the motion. out (mesh->nvert x 3),
/// overwritten.
void csim_collider_vertices(const csim_collider *collider, double time, double *out);

/// Signed distance [m] of a point in the collider's own frame (negative inside) and its unit
/// gradient. Exact for all shapes; at points without a single nearest point a fixed direction is
/// taken.
double csim_collider_distance(const csim_collider *collider, const double *x, double *gradient);

/// First touch of a point that goes straight from a to b in the collider's frame: a root of
/// phi(x(t)) = distance on [0, 1]. All shapes are convex, and so is phi along a line: Newton's
/// steps from the outside never overshoot the first root.
/// @param[out] t         time of the touch
/// @param[out] gradient  (3) there
/// @return 1 touch, 0 none, or inside at the start
int csim_collider_touch(const csim_collider *collider, const double *a, const double *b,
                        double distance, double *t, double *gradient);

/// From the world at a time to the collider's frame and back.
void csim_collider_to_local(const csim_collider *collider, const csim_pose *pose, const double *x,
                            double *local);
void csim_collider_to_world(const csim_collider *collider, const csim_pose *pose,
                            const double *local, double *x);

/// How the collider's point that is at x [m] at one pose has moved [m] at another; 0, without
/// rounding, if the collider does not move.
void csim_collider_way(const csim_collider *collider, const csim_pose *from, const csim_pose *to,
                       const double *x, double way[3]);

/// The surface of a plane collider at a time [s]: a point on it [m], and its normal, a unit vector
/// up to rounding.
void csim_collider_plane(const csim_collider *collider, double time, double point[3],
                         double normal[3]);

#endif
