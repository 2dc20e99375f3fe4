// view/camera.h: where we look from, and finding a good place. Needs vec.h.
#ifndef VIEW_CAMERA_H
#define VIEW_CAMERA_H

#include "vec.h"

/// A perspective camera. right, up and forward are orthonormal, right x up = -forward.
typedef struct view_camera {
  vec3 eye; ///< [m]
  vec3 right, up, forward;
  double slope_x, slope_y; ///< tangent of half the angle of view
} view_camera;

/// Directions of a camera that looks at things from (azimuth, elevation) [rad]; the azimuth turns
/// about the up axis (1 = y, 2 = z) and is 0 on +z (up y) or -y (up z). Eye at the origin.
view_camera view_camera_aim(double azimuth, double elevation, int up, double slope_y,
                            double aspect);

/// The tightest place that still sees every point of a set, built up point by point.
typedef struct view_fit {
  double left, right, bottom, top; ///< extreme offsets of the four planes of the view pyramid
  int any;
} view_fit;

/// Adds n points (n x 3). margin: share of the picture kept free at each side, in [0, 0.4].
void view_fit_add(view_fit *fit, const view_camera *camera, double margin, int n, const double *x);

/// Moves the camera along and across its axes until the set fills the picture.
void view_fit_apply(const view_fit *fit, double margin, view_camera *camera);

#endif
