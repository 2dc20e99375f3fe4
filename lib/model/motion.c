// model/motion.c: see motion.h.
#include "model/motion.h"

#include "math/vec3.h"

#include <string.h>

void csim_motion_key(const csim_motion *motion, double time, csim_key *key) {
  *key = (csim_key){.time = time};
  if (motion->nkey == 0) return;
  int k = 0;
  while (k < motion->nkey && motion->key[k].time <= time) k++;
  const csim_key *a = &motion->key[k > 0 ? k - 1 : 0];
  const csim_key *b = &motion->key[k < motion->nkey ? k : motion->nkey - 1];
  double s = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0;
  if (motion->smooth) s = s * s * (3 - 2 * s);
  for (int c = 0; c < 3; c++) {
    key->position[c] = a->position[c] + s * (b->position[c] - a->position[c]);
    key->rotation[c] = a->rotation[c] + s * (b->rotation[c] - a->rotation[c]);
  }
}

csim_pose csim_motion_pose(const csim_motion *motion, const double *pivot, double time) {
  csim_pose pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .pivot = {pivot[0], pivot[1], pivot[2]}};
  if (motion->nkey == 0) return pose;
  csim_key key;
  csim_motion_key(motion, time, &key);
  memcpy(pose.offset, key.position, sizeof pose.offset);
  csim_rotation_matrix(key.rotation, pose.R);
  return pose;
}

void csim_pose_apply(const csim_pose *pose, const double *x, double *out) {
  double r[3];
  csim_sub(x, pose->pivot, r);
  csim_mat3_mul(pose->R, r, r);
  for (int c = 0; c < 3; c++) out[c] = r[c] + pose->pivot[c] + pose->offset[c];
}

void csim_pose_unapply(const csim_pose *pose, const double *x, double *out) {
  double r[3];
  for (int c = 0; c < 3; c++) r[c] = x[c] - pose->pivot[c] - pose->offset[c];
  csim_mat3_mul_by_transpose(pose->R, r, r);
  for (int c = 0; c < 3; c++) out[c] = r[c] + pose->pivot[c];
}
