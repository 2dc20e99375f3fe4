// base/strict.h: included before every file (see the Makefile). Refuses compiler options that would
// change results, and indexes arrays without overflow. Needs nothing.
//
// Results are the same bits on every machine only if the compiler rounds every operation as
// written. Options in CFLAGS would otherwise override that silently.
#ifndef CSIM_BASE_STRICT_H
#define CSIM_BASE_STRICT_H

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||           \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "clothsim cannot be built with -ffast-math or its parts: results would change"
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "clothsim needs arithmetic in double, not in extended precision (on x86: -mfpmath=sse)"
#endif

#include <stddef.h>

/// First number of element i in an array of n numbers an element. An int would overflow from 2^31
/// numbers on.
static inline ptrdiff_t csim_row(int n, ptrdiff_t i) {
  return n * i;
}

/// First number of vertex i in an array of positions (x y z x y z ...).
static inline ptrdiff_t csim_xyz(ptrdiff_t i) {
  return 3 * i;
}

#endif
