// contact/sieve.h: pairs that are surely too far apart, four at a time. Needs contact/skin.h, boxes.h.
//
// Most pairs whose boxes meet are neighbours within a sheet. A slab between the two primitives,
// across what is about their shortest connection, settles nearly all of them: single precision is
// enough, with a margin for what it rounds, and so four pairs cost little more than one.
#ifndef CSIM_CONTACT_SIEVE_H
#define CSIM_CONTACT_SIEVE_H

#include "contact/boxes.h"
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

/// Moves those of n pairs of edges to the front that may come nearer than the contact distance
/// before the horizon. @return how many
int csim_sieve_edges(const csim_sieve *sieve, int n, csim_pair *pair);

/// The same of points and triangles.
int csim_sieve_triangles(const csim_sieve *sieve, int n, csim_pair *pair);

#endif
