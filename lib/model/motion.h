// model/motion.h: keyframed rigid motion. Needs math/.
#ifndef CSIM_MODEL_MOTION_H
#define CSIM_MODEL_MOTION_H

#include "model/params.h"

/// A rigid pose: x -> R (x - pivot) + pivot + offset.
typedef struct csim_pose {
  double R[9];
  double pivot[3];  ///< [m]
  double offset[3]; ///< [m]
} csim_pose;

/// Pose at a time [s]; before the first and after the last key it does not move. Between keys
/// position and rotation vector are interpolated component by component: linearly, or with 3s^2 -
/// 2s^3 when the motion is smooth. A motion without keys is the identity.
csim_pose csim_motion_pose(const csim_motion *motion, const double *pivot, double time);

/// Offset and rotation vector of that pose, with the time; zero for a motion without keys.
void csim_motion_key(const csim_motion *motion, double time, csim_key *key);

/// out = pose applied to x; out may be x.
void csim_pose_apply(const csim_pose *pose, const double *x, double *out);

/// out = the point that the pose takes to x; out may be x.
void csim_pose_unapply(const csim_pose *pose, const double *x, double *out);

#endif
