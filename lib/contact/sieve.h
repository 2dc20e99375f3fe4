// contact/sieve.h: pairs that are surely too far apart, four at a time. Needs contact/skin.h.
//
// Most pairs whose boxes meet are neighbours within a sheet. A slab between the two primitives,
// across the line of their centres, settles nearly all of them: single precision is enough, with a
// margin for what it rounds, and so four pairs cost little more than one.
#ifndef CSIM_CONTACT_SIEVE_H
#define CSIM_CONTACT_SIEVE_H

#include "base/arena.h"
#include "contact/skin.h"

typedef float csim_sieve_row[4];

typedef struct csim_sieve {
  const csim_skin *skin;
  float distance;      ///< [m] contact distance
  float rounding;      ///< [m] more than what floats can err by
  csim_sieve_row *at;  ///< (skin->nvert) reference [m], reach [m]
  csim_sieve_row *way; ///< (skin->nvert) [m] drift until the horizon, 0
} csim_sieve;

/// -1 when out of memory.
int csim_sieve_create(csim_arena *arena, const csim_skin *skin, double distance, csim_sieve *sieve);

/// Takes all vertices as they are.
/// @param ref    (nvert x 3) [m]
/// @param drift  (nvert x 3) [m] a unit of time
/// @param reach  (nvert) [m]
/// @param time   left until the horizon
void csim_sieve_fill(csim_sieve *sieve, const double *ref, const double *drift, const double *reach,
                     double time);

/// Which of four edges may come nearer to edge e than the contact distance before the horizon.
/// The answer does not depend on which edge of a pair is e.
int csim_sieve_edges(const csim_sieve *sieve, const int e[2], const int *const f[4]);

/// Which of four triangles may come nearer to vertex v than the contact distance before the
/// horizon.
int csim_sieve_triangles(const csim_sieve *sieve, int v, const int *const t[4]);

#endif
