// contact/narrow_phase.h: selects the candidates that are worth an exact test. Needs
// contact/reach.h, compaction.h, culling.h.
//
// A step tests its candidates many times, and most cannot matter at any time of it. The others make
// up the short list. Of these, bounds from how far vertices have moved, and then slabs (culling.h),
// exclude all but a few.
#ifndef CSIM_CONTACT_NARROW_PHASE_H
#define CSIM_CONTACT_NARROW_PHASE_H

#include "contact/compaction.h"
#include "contact/reach.h"

typedef struct csim_narrow_phase {
  const csim_reach *reach;
  csim_scratch *scratch;
  csim_culling culling; ///< of the current tests
  float *item_moved;    ///< [m] reach->moved of points, then edges, then triangles
  int n;                ///< the short list
  int *shortlist;       ///< (n) places on the list of candidates
  ptrdiff_t capacity;
  csim_compaction kept;   ///< of all candidates; guides (guide.h) use it, too
  float *allowed;         ///< (mesh->nvert) [m] largest `moved` for which the short list holds
  double until;           ///< [s] last time of the clock for which it holds
  int valid;              ///< it may hold
  int version;            ///< changes with the short list
  int candidates_version; ///< version of the list that it was made from
} csim_narrow_phase;

/// The caller sets reach and scratch.
/// @return 0, or -1 when out of memory; csim_narrow_phase_free in any case
int csim_narrow_phase_create(csim_arena *arena, csim_narrow_phase *narrow);

/// Frees what is not in the arena.
void csim_narrow_phase_free(csim_narrow_phase *narrow);

/// Prepares a test: which candidates on the short list may come nearer than `distance` [m], at most
/// the thickness, or their own share of it, on their way (mesh->nvert x 3, NULL: none) from x
/// (mesh->nvert x 3), and use up more than CSIM_FILTER_SHARE of the gap beyond it. `alone`: each
/// vertex may also stop anywhere. reach->moved must cover the way. Takes memory of the scratch that
/// the caller has begun.
/// @return 0, or -1 when out of memory
int csim_narrow_phase_begin(csim_narrow_phase *narrow, const double *x, const double *way,
                            int alone, double distance);

/// Flags those of first .. last - 1 of the short list, at most CSIM_COMPACTION_CHUNK, that may,
/// while the clock advances by `time`.
/// @param[out] flag  (last - first)
void csim_narrow_phase_flag(const csim_narrow_phase *narrow, int first, int last, double time,
                            unsigned char *flag);

/// Whether csim_narrow_phase_visit visits a pair. Several threads call it.
typedef int csim_pair_test(void *context, const csim_candidate *pair);

/// What csim_narrow_phase_visit calls.
typedef void csim_pair_visit(void *context, const csim_candidate *pair);

/// Calls `visit` for the pairs that may come near on the way kin->d and pass the test (NULL: all),
/// in the order of the list.
/// @return 0, or -1 when out of memory
int csim_narrow_phase_visit(csim_narrow_phase *narrow, csim_pair_test *test, csim_pair_visit *visit,
                            void *context);

/// Candidate number i of the short list.
static inline const csim_candidate *csim_narrow_phase_pair(const csim_narrow_phase *narrow, int i) {
  return &narrow->reach->candidates->list[narrow->shortlist[i]];
}

/// Kind and vertices of number i of the short list. Returns csim_candidate_scale.
double csim_narrow_phase_get(const csim_narrow_phase *narrow, int i, csim_pair_kind *kind,
                             int v[4]);

#endif
