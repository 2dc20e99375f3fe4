// contact/guide.c: see guide.h.
#include "contact/guide.h"

#include "math/vec3.h"

#include <string.h>

// Stiffness relative to the body's own. A displacement of 20 mm is then missed by less than the
// contact distances in use.
static const double GUIDE_STIFFNESS = 30;

// Where guides hold what they guide, as a share of the contact distance. Nearer to the cushion fast
// bodies are stopped where the linear problem misses; at the whole distance, where nothing presses
// yet, cloth is pushed away for nothing.
static const double GUIDE_SHARE = 0.9;

// Makes the guide of a pair; returns 0 when it needs none.
static int make_guide(const csim_active_set *active, const csim_candidate *pair,
                      csim_active_contact *c, double *approach) {
  const csim_kinematics *kin = active->kin;
  const csim_candidates *set = active->reach->candidates;
  csim_pair_kind kind = csim_candidate_kind(pair);
  const double *p[4];
  csim_candidate_vertices(kin->mesh, pair, c->v);
  double distance = GUIDE_SHARE * set->distance * csim_candidate_scale(set, kind, c->v, NULL);
  for (int k = 0; k < 4; k++) p[k] = kin->x + csim_xyz(c->v[k]);
  double gap = sqrt(csim_pair_closest(kind, p, c->w)), kinematic = 0, stiff = 0;
  if (!(gap > 0 && distance > 0)) return 0;
  memset(c->n, 0, sizeof c->n);
  for (int k = 1; k < 4; k++)
    for (int a = 0; a < 3; a++) c->n[a] += c->w[k] * (p[k][a] - p[0][a]) / gap;

  double end = gap;
  for (int k = 0; k < 4; k++) {
    double along = c->w[k] * csim_dot(c->n, kin->d + csim_xyz(c->v[k]));
    end += along;
    if (!csim_kinematics_is_free(kin, c->v[k])) kinematic += along;
    stiff += fabs(c->w[k]) * csim_kinematics_resistance(kin, c->v[k]);
  }
  // in the second round guides that have to push are a little nearer; what they pulled is let go
  if (!(end < distance)) return 0;
  *approach = csim_max(*approach, gap - end);
  c->stiff = GUIDE_STIFFNESS * stiff;
  c->force = -c->stiff * (distance - gap - kinematic);
  return 1;
}

double csim_guides_add(csim_active_set *active, double *g) {
  const csim_candidates *set = active->reach->candidates;
  double approach = 0;
  for (int i = 0; i < set->n; i++) {
    csim_active_contact guide;
    if (!make_guide(active, &set->list[i], &guide, &approach)) continue;
    if (csim_active_set_add(active, &guide)) return -1;
    for (int k = 0; k < 4; k++)
      if (guide.w[k] != 0 && csim_kinematics_is_free(active->kin, guide.v[k]))
        csim_add_scaled(guide.w[k] * guide.force, guide.n, g + csim_xyz(guide.v[k]));
  }
  return approach;
}
