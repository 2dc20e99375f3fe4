// view/camera.c: see camera.h.
#include "camera.h"

view_camera view_camera_aim(double azimuth, double elevation, int up, double slope_y,
                            double aspect) {
  double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
  view_camera c = {.slope_x = slope_y * aspect, .slope_y = slope_y};
  c.forward = vec_make(-sa * ce, -se, -ca * ce);
  c.right = vec_make(ca, 0, -sa);
  c.up = vec_make(-sa * se, ce, -ca * se);
  if (up == 2) { // (x, y, z) of y-up is (x, z, -y) of z-up
    c.forward = vec_make(c.forward.x, -c.forward.z, c.forward.y);
    c.right = vec_make(c.right.x, -c.right.z, c.right.y);
    c.up = vec_make(c.up.x, -c.up.z, c.up.y);
  }
  return c;
}

// A point at (r, u, f) in the camera's axes is inside when |r - eye.r| <= slope (f - eye.f), which
// is r - slope f <= eye.r - slope eye.f and -r - slope f <= -eye.r - slope eye.f: only the largest
// left sides of all points matter. They add up to -2 slope eye.f, so they give the farthest eye
// needed.
void view_fit_add(view_fit *fit, const view_camera *camera, double margin, int n, const double *x) {
  double sx = camera->slope_x * (1 - 2 * margin), sy = camera->slope_y * (1 - 2 * margin);
  for (int i = 0; i < n; i++) {
    vec3 p = vec_load(x + 3 * i);
    double r = vec_dot(p, camera->right), u = vec_dot(p, camera->up);
    double f = vec_dot(p, camera->forward);
    if (!fit->any || r - sx * f > fit->right) fit->right = r - sx * f;
    if (!fit->any || -r - sx * f > fit->left) fit->left = -r - sx * f;
    if (!fit->any || u - sy * f > fit->top) fit->top = u - sy * f;
    if (!fit->any || -u - sy * f > fit->bottom) fit->bottom = -u - sy * f;
    fit->any = 1;
  }
}

void view_fit_apply(const view_fit *fit, double margin, view_camera *camera) {
  double sx = camera->slope_x * (1 - 2 * margin), sy = camera->slope_y * (1 - 2 * margin);
  double f = fmin(-(fit->right + fit->left) / (2 * sx), -(fit->top + fit->bottom) / (2 * sy));
  double r = (fit->right - fit->left) / 2, u = (fit->top - fit->bottom) / 2;
  vec3 eye = vec_scale(camera->right, r);
  eye = vec_along(eye, camera->up, u);
  camera->eye = vec_along(eye, camera->forward, f);
}
