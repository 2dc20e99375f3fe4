// test_course: prescribed paths by hand: frames, a motion, both.
#include "check.h"

#include "model/course.h"

static const double rest[6] = {1, 0, 0, 0, 2, 0};
static const double frames[18] = {0, 0, 0, 5, 5, 5, 1, 0, 0, 5, 6, 5, 3, 0, 0, 5, 6, 7};

static void expect(const csim_course *course, double time, int vert, double x, double y, double z) {
  csim_course_pose at = csim_course_at(course, time);
  double out[3];
  csim_course_vertex(&at, vert, out);
  CHECK_NEAR(out[0], x, 1e-14);
  CHECK_NEAR(out[1], y, 1e-14);
  CHECK_NEAR(out[2], z, 1e-14);
}

int main(void) {
  csim_course still = {.nvert = 2, .rest = rest};
  expect(&still, -1, 0, 1, 0, 0);
  expect(&still, 7, 1, 0, 2, 0);

  csim_course even = {
      .nvert = 2, .rest = rest, .nframe = 3, .frame = frames, .frame_start = 1, .frame_step = 2};
  expect(&even, 0, 0, 0, 0, 0); // the first frame before it
  expect(&even, 2, 0, 0.5, 0, 0);
  expect(&even, 4.5, 1, 5, 6, 6.5);
  expect(&even, 9, 1, 5, 6, 7); // the last frame after it

  static const double time[3] = {0, 1, 5};
  csim_course uneven = even;
  uneven.frame_time = time;
  expect(&uneven, 0.25, 0, 0.25, 0, 0);
  expect(&uneven, 3, 0, 2, 0, 0);
  expect(&uneven, 6, 0, 3, 0, 0);

  // a quarter turn about z through the pivot, then a shift
  csim_key key = {.time = 0, .position = {0, 0, 4}, .rotation = {0, 0, 1.5707963267948966}};
  csim_course turned = {.nvert = 2, .rest = rest, .pivot = {1, 1, 0}};
  turned.motion = (csim_motion){.nkey = 1, .key = &key};
  expect(&turned, 0, 0, 2, 1, 4);
  turned.nframe = 3, turned.frame = frames, turned.frame_start = 1, turned.frame_step = 2;
  expect(&turned, 3, 0, 2, 1, 4); // (1, 0, 0) in the frame
  return check_report();
}
