// contact/tilt.h: the stiffness of contacts against tilting, the positive part of their geometric
// stiffness. Needs contact/active.h.
//
//        p            The distance d of a point p from a triangle is d cos(a) once the triangle has
//        |            turned by a about the point below p. A contact that presses with a force f
//     ---+---         resists that, by |f| d a^2/2 in energy. The second derivative of E(d) is
//        |            d2E/dd2 grad d grad d^T + f d2(d)/dx2. The last term is the geometric
//        q            stiffness. For motions along the normal n alone, as of a triangle pinched
//                     by p and q, it is positive:
//
//   |f| d |grad (n . u)|^2 = |f| d sum_r (sum_k w_kr n . u_k)^2
//
// where grad is along the surface, u a displacement of the vertices, and w_kr are the derivatives
// of the weights of the nearest points along perpendicular directions r: two of a triangle, one of
// each edge of a pair. Without it a sheet between plates pressed together to 2 mm had a fifth of
// its true stiffness along Newton's steps, so that each went too far.
#ifndef CSIM_CONTACT_TILT_H
#define CSIM_CONTACT_TILT_H

#include "contact/active.h"

/// (w w^T) (x) B over four vertices, with B = |f| d n n^T.
typedef struct csim_tilt {
  int v[4];
  double w[4]; ///< [1/m]
  double B[9]; ///< [N m]
} csim_tilt;

typedef struct csim_tilt_set {
  const csim_active_set *active;
  int n;
  csim_tilt *tilt; ///< (n)
  int *start;      ///< (active->nfound + 1) first tilt of each contact
  ptrdiff_t capacity, start_capacity;
} csim_tilt_set;

/// Frees what the set has.
void csim_tilts_free(csim_tilt_set *set);

/// Finds the tilts of the contacts at the evaluation point. Only those that are far stiffer than
/// the inertia of some free vertex matter.
/// @return 0, or -1 when out of memory: there are none then
int csim_tilts_find(csim_tilt_set *set);

#endif
