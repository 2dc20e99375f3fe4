// contact/hessian.h: the Hessian of active contacts and friction, by blocks. Needs
// contact/friction.h, contact/tilt.h.
//
// A block is (w w^T) (x) B over the free vertices of a contact, with B = stiff n n^T for a pair of
// the barrier. Of the second derivative of its distance only what is positive is taken (tilt.h):
// the rest, force/d times the projection perpendicular to n, would make the matrix indefinite.
// Blocks of contacts come first, then those of friction, then tilts. Friction of the same points as
// a contact is in its block.
#ifndef CSIM_CONTACT_HESSIAN_H
#define CSIM_CONTACT_HESSIAN_H

#include "contact/friction.h"
#include "contact/tilt.h"
#include "math/multigrid.h"

/// A block as products read it: one cache line instead of up to four. Diagonals are those of the
/// same rounded numbers, so the matrix stays symmetric and positive semidefinite.
typedef struct csim_packed_block {
  int v[4]; ///< corners that are not free have weight 0, and a vertex that is
  float w[4];
  float B[6];  ///< [N/m] xx, xy, xz, yy, yz, zz
  int coupled; ///< 0: skipped by products
} csim_packed_block;

/// A vertex in a block.
typedef struct csim_block_entry {
  int block;
  float weight; ///< of the vertex
} csim_block_entry;

/// Of the rows of a bucket: how many, and how many entries; then the first of each.
typedef struct csim_hessian_part {
  int row;
  ptrdiff_t entry;
} csim_hessian_part;

typedef struct csim_contact_hessian {
  const csim_active_set *active;
  csim_friction_set *friction;
  csim_tilt_set tilts;
  int friction_apart;   ///< friction has blocks of its own
  int *friction_of;     ///< (active->n) number of a contact's friction, -1: none; or it is apart
  csim_buckets buckets; ///< of blocks, by their free vertices
  csim_hessian_part part[CSIM_MOST_BUCKETS]; ///< (buckets.n)
  unsigned char *corners;    ///< (blocks) a bit for each free corner; 0 once built, if it is one
  csim_packed_block *packed; ///< (blocks)
  double *product;           ///< (blocks x 3) B w x of each
  const double *factor;      ///< that x
  int nrow;
  int *row_vert;           ///< (nrow) free vertices in blocks
  int *row_start;          ///< (nrow + 1) into entry
  int *row_of;             ///< (mesh->nbody_vert) place in row_vert
  double *diag;            ///< (nrow x 9) what the blocks add to the diagonal
  csim_block_entry *entry; ///< (row_start[nrow]) of each row
  struct {
    ptrdiff_t friction_of, corners, packed, product, row_vert, row_start, diag, entry;
  } capacity;
} csim_contact_hessian;

/// The caller sets active, also that of tilts, and friction.
/// @return 0, or -1 when out of memory (arena->failed); csim_contact_hessian_free in any case
int csim_contact_hessian_create(csim_arena *arena, csim_contact_hessian *hessian);

/// Frees what is not in the arena.
void csim_contact_hessian_free(csim_contact_hessian *hessian);

/// Begins the Hessian at the evaluation point: finds the vertices of its blocks.
/// @param[out] place  (mesh->nbody_vert) 0 for the free vertices that blocks lie on, the others are
///                    left alone; NULL: not wanted
/// @return 0, or -1 when out of memory: there are no blocks then, and all places are -1
int csim_contact_hessian_begin(csim_contact_hessian *hessian, int *place);

/// Builds the blocks found, adds their diagonals to val, and keeps the rest for
/// csim_contact_hessian_multiply.
/// @param place  (mesh->nbody_vert) of a vertex's diagonal block among val, where blocks lie on it
/// @param val    (blocks x 9); NULL: added to nothing
void csim_contact_hessian_build(csim_contact_hessian *hessian, const int *place, double *val);

/// The products of all blocks with x, which csim_contact_hessian_multiply needs: a loop that is yet
/// to be run, so that it can go beside another.
csim_loop csim_contact_hessian_begin_multiply(csim_contact_hessian *hessian, const double *x);

/// y += (the blocks without their diagonal) x, for the products begun with x.
/// @return x . (what was added)
double csim_contact_hessian_multiply(csim_pool *pool, const csim_contact_hessian *hessian,
                                     const double *x, double *y);

/// Lists the blocks built that couple free vertices; others have no rows.
/// @return 0, or -1 when out of memory: none are listed
int csim_contact_hessian_couplings(const csim_contact_hessian *hessian, csim_couplings *couplings);

/// Drops all blocks.
static inline void csim_contact_hessian_clear(csim_contact_hessian *hessian) {
  hessian->nrow = 0;
}

#endif
