// model/course.c: see course.h.
#include "model/course.h"

#include <stddef.h>

// Finds a time among frames with their own times: the frame before it plus the share of the
// interval.
static double find_frame(const csim_course *course, double time) {
  const double *t = course->frame_time;
  int low = 0, high = course->nframe - 1;
  if (!(time > t[0])) return 0;
  if (time >= t[high]) return high;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (t[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low + (time - t[low]) / (t[high] - t[low]);
}

csim_course_pose csim_course_at(const csim_course *course, double time) {
  csim_course_pose at = {.from = course->rest, .moves = course->motion.nkey > 0};
  if (at.moves) at.pose = csim_motion_pose(&course->motion, course->pivot, time);
  if (course->nframe == 0) return at;

  ptrdiff_t n = csim_xyz(course->nvert);
  double last = course->nframe - 1;
  double t = course->frame_time       ? find_frame(course, time)
             : course->frame_step > 0 ? (time - course->frame_start) / course->frame_step
                                      : 0;
  t = t > 0 ? (t < last ? t : last) : 0;
  int f = t < last ? (int)t : course->nframe - 1;
  at.share = t - f;
  at.from = course->frame + f * n;
  at.to = at.share > 0 ? at.from + n : at.from;
  return at;
}

void csim_course_vertex(const csim_course_pose *at, int vert, double *out) {
  const double *a = at->from + csim_xyz(vert);
  for (int c = 0; c < 3; c++) out[c] = a[c];
  if (at->to) {
    const double *b = at->to + csim_xyz(vert);
    for (int c = 0; c < 3; c++) out[c] = a[c] + at->share * (b[c] - a[c]);
  }
  if (at->moves) csim_pose_apply(&at->pose, out, out);
}
