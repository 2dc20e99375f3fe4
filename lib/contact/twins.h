// contact/twins.h: merges contacts of the same points. Needs contact/active.h.
//
// Twins are active contacts of different pairs between the same two points. Where the nearest point
// of an edge or triangle is a vertex or on a side, every edge and triangle around it makes the same
// contact: up to 76 for a vertex on a vertex of a grid. Their energies are functions of the same
// distance. One contact with the sum of their forces and stiffnesses therefore replaces them, in
// the gradient, friction and the Hessian.
#ifndef CSIM_CONTACT_TWINS_H
#define CSIM_CONTACT_TWINS_H

#include "base/buckets.h"

typedef struct csim_active_contact csim_active_contact;

enum { CSIM_TWIN_KEY = 3 };

/// What twins have in common: n vertices and their sides. n = 0: there are no twins.
typedef struct csim_twin_key {
  int n, vert[CSIM_TWIN_KEY];
} csim_twin_key;

/// Zero-initialise; csim_twins_free in the end.
typedef struct csim_twins {
  csim_buckets buckets; ///< of contacts, by their lowest vertices
  double *gross;        ///< [N] of each contact, the sum of its twins' |force|
  csim_twin_key *key;   ///< of each contact
  int *left;            ///< contacts that are left of each chunk
  ptrdiff_t gross_capacity, key_capacity, left_capacity;
} csim_twins;

/// Frees the capacity; zero is allowed.
void csim_twins_free(csim_twins *twins);

/// Merges contacts (n), of nvert vertices, whose vertices with weight are the same, into the first
/// of each kind. Drops those without force, or whose forces cancel (terms.h), and closes the gaps;
/// the order stays. What is left of terms that count less than zero times has a force, but no
/// stiffness.
/// @return how many are left, or -1 when out of memory: all are unchanged then
int csim_twins_merge(csim_pool *pool, csim_twins *twins, int nvert, csim_active_contact *contact,
                     int n);

#endif
