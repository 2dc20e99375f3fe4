// view/vec.h: vectors of three numbers. Needs math.h.
#ifndef VIEW_VEC_H
#define VIEW_VEC_H

#include <math.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

static inline vec3 vec_make(double x, double y, double z) {
  return (vec3){x, y, z};
}
static inline vec3 vec_load(const double *p) {
  return (vec3){p[0], p[1], p[2]};
}
static inline vec3 vec_add(vec3 a, vec3 b) {
  return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec3 vec_sub(vec3 a, vec3 b) {
  return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec3 vec_scale(vec3 a, double s) {
  return (vec3){a.x * s, a.y * s, a.z * s};
}
/// a + s b
static inline vec3 vec_along(vec3 a, vec3 b, double s) {
  return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
/// componentwise product
static inline vec3 vec_mul(vec3 a, vec3 b) {
  return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline vec3 vec_mix(vec3 a, vec3 b, double t) {
  return vec_along(a, vec_sub(b, a), t);
}
static inline double vec_dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec3 vec_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec_length(vec3 a) {
  return sqrt(vec_dot(a, a));
}
/// a / |a|; `otherwise` when a has no direction
static inline vec3 vec_unit(vec3 a, vec3 otherwise) {
  double l = vec_length(a);
  return l > 1e-300 ? vec_scale(a, 1 / l) : otherwise;
}
static inline double view_clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}
static inline double view_smoothstep(double lo, double hi, double x) {
  double t = view_clamp((x - lo) / (hi - lo), 0, 1);
  return t * t * (3 - 2 * t);
}

#endif
