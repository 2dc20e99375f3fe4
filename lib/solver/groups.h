// solver/groups.h: groups of bodies that energies tie to each other, as by stitches. Elastic forces
// on a group do not depend on other groups. Needs model/.
#ifndef CSIM_SOLVER_GROUPS_H
#define CSIM_SOLVER_GROUPS_H

#include "base/pool.h"
#include "model/model.h"

typedef struct csim_groups {
  const csim_model *model;
  int *first; ///< (nbody) the lowest body of each body's group
} csim_groups;

/// Bodies are tied if an element, or a chamber, has vertices of both.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_groups_create(csim_arena *arena, const csim_model *model, csim_groups *groups);

/// Keeps the marks (nbody) of sets of which all bodies are marked.
/// @param set  (nbody) disjoint sets, base/disjoint.h, of which the lowest body is representative:
///             groups, or larger ones
/// @return number of bodies marked now
int csim_groups_agree(int nbody, int *set, unsigned char *body);

/// Marks the vertices (nvert) of marked bodies, and clears the others' marks.
void csim_groups_mark(csim_pool *pool, const csim_groups *groups, const unsigned char *body,
                      unsigned char *vert);

#endif
