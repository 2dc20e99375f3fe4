// contact/guide.c: bodies and colliders that move in one step, see contact.h.
//
// A collider has no room to move while the cloth before it stands, and cloth feels nothing of a
// collider that does not move: by turns each gets half a contact distance an iteration. Here both
// are solved for at once. With colliders moved by u, bodies take the Newton step d of
//
//   F(x + d) + sum_pairs K/2 (D - gap - n . sum_k w_k (d, u)_k)^2
//
// over the pairs that would come nearer than their contact distance D: moving boundary conditions
// as one round of an augmented Lagrangian (Li et al. 2021, Codimensional IPC, sec. 5). Then all go
// together, as in glide.c.
#include "contact/contact.h"
#include "math/vec3.h"

#include <string.h>

// Of the stiffness a body has against being moved there. A way of 20 mm is then missed by less
// than the contact distances in use.
#define GUIDE_STIFFNESS 30

// What a vertex resists with [N/m].
static double resistance(const csim_contact *c, int v) {
  if (v >= c->mesh.nbody_vert) return 0;
  return c->mesh.mass[v] / (c->h * c->h) + c->mesh.elastic[v];
}

// The guide of a pair; 0 when it needs none.
static int make_guide(const csim_contact *c, const csim_candidate *pair, int first,
                      csim_contact_term *t, double *approach) {
  csim_pair_kind kind = csim_candidate_kind(pair);
  const double *p[4];
  csim_candidate_vertices(&c->mesh, pair, t->v);
  double distance = c->params.thickness * csim_candidate_scale(&c->near, kind, t->v);
  for (int k = 0; k < 4; k++) p[k] = c->x + 3 * (ptrdiff_t)t->v[k];
  double gap = sqrt(csim_pair_closest(kind, p, t->w)), led = 0, stiff = 0;
  if (!(gap > 0 && distance > 0)) return 0;
  memset(t->n, 0, sizeof t->n);
  for (int k = 1; k < 4; k++)
    for (int a = 0; a < 3; a++) t->n[a] += t->w[k] * (p[k][a] - p[0][a]) / gap;
  double end = gap;
  for (int k = 0; k < 4; k++) {
    double along = t->w[k] * csim_dot(t->n, c->d + 3 * (ptrdiff_t)t->v[k]);
    end += along;
    if (t->v[k] >= c->mesh.nbody_vert) led += along;
    stiff += fabs(t->w[k]) * resistance(c, t->v[k]);
  }
  // in the second round guides that did their work are at their distance
  if (!(end < (first ? 1 : 1.2) * distance)) return 0;
  *approach = csim_max(*approach, gap - end);
  t->stiff = GUIDE_STIFFNESS * stiff;
  t->force = -t->stiff * (distance - gap - led);
  return 1;
}

double csim_contact_make_way(csim_contact *contact, const double *d, int first, double *g) {
  csim_contact *c = contact;
  double approach = 0;
  memcpy(c->d, d, 3 * (size_t)c->mesh.nbody_vert * sizeof *d);
  csim_contact_aim_colliders(c, 1);
  if (csim_contact_cover(c, 0)) return -1;
  csim_contact_find_terms(c);
  for (int i = 0; i < c->near.n; i++) {
    csim_contact_term guide;
    if (!make_guide(c, &c->near.list[i], first, &guide, &approach)) continue;
    csim_contact_term *term =
        csim_grow(c->term, &c->term_room, (ptrdiff_t)c->nterm + 1, sizeof *c->term);
    if (!term) return -1;
    c->term = term;
    c->term[c->nterm++] = guide;
    for (int k = 0; k < 4; k++)
      if (guide.w[k] != 0 && csim_contact_is_free(c, guide.v[k]))
        csim_add_scaled(guide.w[k] * guide.force, guide.n, g + 3 * (ptrdiff_t)guide.v[k]);
  }
  c->seen = 0; // the terms are not those of `look` alone
  return approach;
}

double csim_contact_go_together(csim_contact *contact, const double *d, double *x) {
  ptrdiff_t n = 3 * (ptrdiff_t)contact->mesh.nbody_vert;
  contact->seen = 0;
  if (d != contact->d) memcpy(contact->d, d, (size_t)n * sizeof *d);
  for (int i = 0; i < contact->mesh.nbody_vert; i++)
    if (!csim_contact_is_free(contact, i)) memset(contact->d + 3 * (ptrdiff_t)i, 0, 3 * sizeof *d);
  double share = csim_contact_glide_all(contact);
  memcpy(x, contact->x, (size_t)n * sizeof *x);
  return share;
}
