// model/course.h: prescribed paths of vertices: frames of a mesh sequence, a rigid motion, or both.
// Needs model/motion.h.
#ifndef CSIM_MODEL_COURSE_H
#define CSIM_MODEL_COURSE_H

#include "model/motion.h"

/// Frames are interpolated linearly, constant before the first and after the last; then the motion
/// is applied. The creator of the course owns the arrays.
typedef struct csim_course {
  int nvert;
  const double *rest;       ///< (nvert x 3) [m] used when there are no frames
  int nframe;               ///< 0: none
  const double *frame;      ///< (nframe x nvert x 3) [m]
  double frame_start;       ///< [s] time of the first frame
  double frame_step;        ///< [s] from one frame to the next
  const double *frame_time; ///< (nframe) [s] of each, increasing; NULL: evenly, as the two above
  csim_motion motion;
  double pivot[3]; ///< [m] of the motion's rotations
} csim_course;

/// A course at one time, to evaluate vertex by vertex. Valid as long as the course.
typedef struct csim_course_pose {
  const double *from, *to; ///< (nvert x 3) the two frames around the time; to = NULL: no frames
  double share;            ///< [-] of the way between them
  int moves;               ///< whether the pose is applied
  csim_pose pose;
} csim_course_pose;

/// The frames and the pose at a time [s].
csim_course_pose csim_course_at(const csim_course *course, double time);

/// Position [m] of a vertex; out (3), overwritten.
void csim_course_vertex(const csim_course_pose *at, int vert, double *out);

#endif
