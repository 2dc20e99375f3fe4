// scene/samples.c: see samples.h.
#include "scene/samples.h"

#include <stdlib.h>
#include <string.h>

csim_status csim_samples_create(int n, const double *share, csim_samples *s) {
  *s = (csim_samples){.n = n, .share = share};
  if (!n) return CSIM_OK;
  s->state = CSIM_NEW(csim_state, n);
  if (s->state) memset(s->state, 0, (size_t)n * sizeof *s->state);
  return s->state ? CSIM_OK : CSIM_MEMORY;
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

csim_status csim_samples_before(csim_samples *s, const csim_sim *sim) {
  if (s->taken == s->n) return CSIM_OK;
  return csim_state_copy(&sim->state, &s->before) ? CSIM_MEMORY : CSIM_OK;
}

// Interpolates: `share` of the way from one to the other.
static void blend(double share, const double *from, double *to, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] + share * (to[i] - from[i]);
}

csim_status csim_samples_after(csim_samples *s, const csim_sim *sim, int done, int span) {
  enum { FINE = 1 << 20 }; // shares this near to a substep's end are at its end
  for (; s->taken < s->n; s->taken++) {
    double at = (1 + s->share[s->taken]) * sim->scene->substeps; // of the frame
    if (at > done + 1.0 / FINE) return CSIM_OK;
    csim_state *to = &s->state[s->taken];
    if (csim_state_copy(&sim->state, to)) return CSIM_MEMORY;
    double share = 1 - (done - at) / span;
    if (share >= 1 - 1.0 / FINE) continue;
    blend(share, s->before.x, to->x, csim_xyz(to->nvert));
    blend(share, s->before.v, to->v, csim_xyz(to->nvert));
    // before the first step colliders have no state: they are at their prescribed positions
    if (to->nkinematic != s->before.nkinematic) to->nkinematic = 0;
    blend(share, s->before.kinematic, to->kinematic, csim_xyz(to->nkinematic));
  }
  return CSIM_OK;
}
