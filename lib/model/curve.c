// model/curve.c: see curve.h.
#include "model/curve.h"

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

int csim_curve_copy(csim_arena *arena, const csim_curve *from, csim_curve *to) {
  *to = (csim_curve){from->nkey, CSIM_ARENA_COPY(arena, from->key, from->nkey)};
  return to->key ? 0 : -1;
}
