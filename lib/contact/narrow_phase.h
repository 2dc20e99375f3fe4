// contact/narrow_phase.h: which candidates are worth an exact test. Needs contact/reach.h,
// compaction.h, culling.h.
//
// A step looks at its candidates again and again, and most are out of the question for all of it:
// those that are not make up the short list. Of these, bounds from how far vertices have moved, and
// then slabs (culling.h), rule out all but a few.
#ifndef CSIM_CONTACT_NARROW_PHASE_H
#define CSIM_CONTACT_NARROW_PHASE_H

#include "contact/compaction.h"
#include "contact/reach.h"

typedef struct csim_narrow_phase {
  const csim_reach *reach;
  csim_scratch *scratch;
  csim_culling culling; ///< of the present tests
  float *item_moved;    ///< [m] reach->moved of points, then edges, then triangles
  int n;                ///< the short list
  int *shortlist;       ///< (n) places on the list of candidates
  float *start_scale;   ///< (n) of csim_candidate_scale
  ptrdiff_t capacity, scale_capacity;
  csim_compaction kept;   ///< of all candidates
  float *allowed;         ///< (mesh->nvert) [m] largest `moved` for which the short list holds
  double until;           ///< [s] of the clock
  int valid;              ///< it may hold
  int version;            ///< changes with the short list
  int candidates_version; ///< of the list it is of
} csim_narrow_phase;

/// reach and scratch are for the caller to set.
/// @return 0, or -1 when out of memory; csim_narrow_phase_free in any case
int csim_narrow_phase_create(csim_arena *arena, csim_narrow_phase *narrow);

/// Frees what the arena does not have.
void csim_narrow_phase_free(csim_narrow_phase *narrow);

/// Prepares the test of which candidates may come nearer than `distance` [m], at most the
/// thickness, on their way (mesh->nvert x 3, NULL: none) from x (mesh->nvert x 3), and use up more
/// than CSIM_FILTER_SHARE of the gap beyond it; `alone`: though each vertex may stop anywhere. Only
/// those on the short list can. reach->moved must cover the way. Takes memory of the scratch that
/// the caller has begun.
/// @return 0, or -1 when out of memory
int csim_narrow_phase_begin(csim_narrow_phase *narrow, const double *x, const double *way,
                            int alone, double distance);

/// Flags those of the short list, first .. last - 1, at most CSIM_COMPACTION_CHUNK, that may, while
/// the clock goes on by `time`.
/// @param[out] flag  (last - first)
void csim_narrow_phase_flag(const csim_narrow_phase *narrow, int first, int last, double time,
                            unsigned char *flag);

/// Candidate number i of the short list.
static inline const csim_candidate *csim_narrow_phase_pair(const csim_narrow_phase *narrow, int i) {
  return &narrow->reach->candidates->list[narrow->shortlist[i]];
}

#endif
