// scene/samples.c: see samples.h.
#include "scene/samples.h"

#include <stdlib.h>
#include <string.h>

int csim_samples_create(int n, const double *share, csim_samples *s) {
  *s = (csim_samples){.n = n, .share = share};
  if (!n) return 0;
  s->state = CSIM_NEW(csim_state, n);
  if (s->state) memset(s->state, 0, (size_t)n * sizeof *s->state);
  return s->state ? 0 : -1;
}

void csim_samples_free(csim_samples *s) {
  for (int k = 0; s->state && k < s->n; k++) csim_state_free(&s->state[k]);
  free(s->state);
  csim_state_free(&s->before);
  *s = (csim_samples){0};
}

void csim_samples_begin(csim_samples *s) {
  s->taken = 0;
}

int csim_samples_before(csim_samples *s, const csim_sim *sim) {
  if (s->taken == s->n) return 0;
  return csim_state_copy(&sim->state, &s->before);
}

// Interpolates: `share` of the way from one to the other.
static void blend(double share, const double *from, double *to, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] + share * (to[i] - from[i]);
}

int csim_samples_after(csim_samples *s, const csim_sim *sim, int done, int span) {
  enum { FINE = 1 << 20 }; // shares this near to a substep's end are at its end
  for (; s->taken < s->n; s->taken++) {
    double at = (1 + s->share[s->taken]) * sim->scene->substeps; // of the frame
    if (at > done + 1.0 / FINE) return 0;
    csim_state *to = &s->state[s->taken];
    if (csim_state_copy(&sim->state, to)) return -1;
    double share = 1 - (done - at) / span;
    if (share >= 1 - 1.0 / FINE) continue;
    blend(share, s->before.x, to->x, csim_xyz(to->nvert));
    blend(share, s->before.v, to->v, csim_xyz(to->nvert));
    // before the first step colliders have no state: they are at their prescribed positions
    if (to->nkinematic != s->before.nkinematic) to->nkinematic = 0;
    blend(share, s->before.kinematic, to->kinematic, csim_xyz(to->nkinematic));
  }
  return 0;
}
