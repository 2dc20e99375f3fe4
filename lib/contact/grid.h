// contact/grid.h: uniform grid over boxes, its cells in Morton order. Needs base/morton.h,
// contact/boxes.h.
//
// Only cells with contents are stored, as a list of (cell, item) sorted by the cell's Morton code.
// Cells are about twice the mean box. Where boxes differ much in size, bvh.h is the better choice.
#ifndef CSIM_CONTACT_GRID_H
#define CSIM_CONTACT_GRID_H

#include "base/morton.h"
#include "contact/boxes.h"

typedef struct csim_grid {
  ptrdiff_t capacity, scratch_capacity;
  csim_morton_entry *entry, *scratch; ///< items in the cells that they touch
} csim_grid;

/// Finds all pairs a < b of overlapping boxes that `keep` accepts.
/// @param box  (n) finite
/// @return 0, or -1 when out of memory
int csim_grid_pairs(csim_pool *pool, csim_grid *grid, int n, const csim_box *box,
                    csim_keep_fn *keep, void *context, csim_pair_chunks *chunks);

/// The same for all pairs of a box a of A and a box b of B.
int csim_grid_pairs_between(csim_pool *pool, csim_grid *grid, csim_boxes A, csim_boxes B,
                            csim_keep_fn *keep, void *context, csim_pair_chunks *chunks);

/// Frees the cells.
void csim_grid_free(csim_grid *grid);

#endif
