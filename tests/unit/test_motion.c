// test_motion: keyframed rigid motions and courses against rotations and means by hand.
#include "check.h"

#include "model/course.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

static void check_point(const double *x, double a, double b, double c) {
  CHECK_NEAR(x[0], a, 1e-14);
  CHECK_NEAR(x[1], b, 1e-14);
  CHECK_NEAR(x[2], c, 1e-14);
}

static const double QUARTER = 1.5707963267948966; // [rad]

static void test_pose(void) {
  csim_key keys[2] = {{.time = 1}, {.time = 3}};
  keys[1].position[0] = 4;
  keys[1].rotation[2] = QUARTER;
  csim_motion motion = {.nkey = 2, .key = keys};
  double pivot[3] = {1, 0, 0}, x[3] = {2, 0, 5}, y[3];
  csim_pose pose = csim_motion_pose(&motion, pivot, 0.5); // before the first key
  csim_pose_apply(&pose, x, y);
  check_point(y, 2, 0, 5);
  pose = csim_motion_pose(&motion, pivot, 9); // after the last: a quarter turn about z, 4 along x
  csim_pose_apply(&pose, x, y);
  check_point(y, 5, 1, 5);
  csim_pose_unapply(&pose, y, y);
  check_point(y, 2, 0, 5);
  pose = csim_motion_pose(&motion, pivot, 2); // half way: 45 degrees, 2 along x
  csim_pose_apply(&pose, x, y);
  check_point(y, 3 + sqrt(0.5), sqrt(0.5), 5);
  motion.smooth = 1; // 3 s^2 - 2 s^3 at s = 1/4 is 10/64
  pose = csim_motion_pose(&motion, pivot, 1.5);
  double angle = QUARTER * 10 / 64;
  csim_pose_apply(&pose, x, y);
  check_point(y, 1 + 4.0 * 10 / 64 + cos(angle), sin(angle), 5);
  csim_key now;
  csim_motion_key(&motion, 1.5, &now);
  CHECK_NEAR(now.position[0], 0.625, 1e-15);
  CHECK_NEAR(now.rotation[2], angle, 1e-15);
  csim_motion none = {0};
  pose = csim_motion_pose(&none, pivot, 3);
  csim_pose_apply(&pose, x, y);
  check_point(y, 2, 0, 5);
}

// Frames at uneven times, then a motion over them.
static void test_course(void) {
  static const double frame[] = {0, 0, 0, 2, 4, 6, 2, 4, 8}, time[] = {1, 3, 4};
  static const double rest[] = {7, 8, 9};
  csim_key key = {.time = 0};
  key.position[1] = 10;
  csim_course course = {.nvert = 1, .rest = rest, .nframe = 3, .frame = frame, .frame_time = time};
  double x[3];
  csim_course_pose at = csim_course_at(&course, 0);
  csim_course_vertex(&at, 0, x);
  check_point(x, 0, 0, 0);
  at = csim_course_at(&course, 2.5); // three quarters of the way from the first to the second
  csim_course_vertex(&at, 0, x);
  check_point(x, 1.5, 3, 4.5);
  course.motion = (csim_motion){.nkey = 1, .key = &key};
  at = csim_course_at(&course, 3.5);
  csim_course_vertex(&at, 0, x);
  check_point(x, 2, 14, 7);
  course.nframe = 0;
  at = csim_course_at(&course, 3.5);
  csim_course_vertex(&at, 0, x);
  check_point(x, 7, 18, 9);
}

int main(void) {
  test_pose();
  test_course();
  return check_report();
}
