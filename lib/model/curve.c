// model/curve.c: see curve.h.
#include "model/curve.h"

#include "math/vec3.h"

void csim_curve_at(const csim_curve *curve, int count, const double *constant, double time,
                   double *value) {
  int n = curve->nkey, next = 0;
  while (next < n && curve->key[next].time <= time) next++;
  const double *a = next > 0 ? curve->key[next - 1].value : n ? curve->key[0].value : constant;
  const double *b = next > 0 && next < n ? curve->key[next].value : a;
  double share = 0;
  if (a != b)
    share =
        (time - curve->key[next - 1].time) / (curve->key[next].time - curve->key[next - 1].time);
  for (int c = 0; c < count; c++) value[c] = a[c] + share * (b[c] - a[c]);
}

void csim_curve_mean(const csim_curve *curve, int count, const double *constant, double from,
                     double to, double *mean) {
  double begin = from, value[3];
  int next = 0;
  while (next < curve->nkey && curve->key[next].time <= from) next++;
  if (next == curve->nkey || curve->key[next].time >= to) {
    csim_curve_at(curve, count, constant, from + 0.5 * (to - from), mean);
    return;
  }
  for (int c = 0; c < count; c++) mean[c] = 0;
  while (begin < to) { // linear pieces
    double end = next < curve->nkey ? csim_min(to, curve->key[next].time) : to;
    csim_curve_at(curve, count, constant, 0.5 * (begin + end), value);
    for (int c = 0; c < count; c++) mean[c] += (end - begin) / (to - from) * value[c];
    begin = end;
    next++;
  }
}

int csim_curve_copy(csim_arena *arena, const csim_curve *from, csim_curve *to) {
  *to = (csim_curve){from->nkey, CSIM_ARENA_COPY(arena, from->key, from->nkey)};
  return to->key ? 0 : -1;
}
