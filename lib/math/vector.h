// math/vector.h: operations on long (n x 3) vectors, parallel with fixed bits. Needs base/.
#ifndef CSIM_MATH_VECTOR_H
#define CSIM_MATH_VECTOR_H

#include "base/pool.h"

/// sum a_k b_k over n numbers
double csim_vector_dot(csim_pool *pool, int n, const double *a, const double *b);

/// y = 0
void csim_vector_clear(csim_pool *pool, int n, double *y);

/// y = x
void csim_vector_copy(csim_pool *pool, int n, const double *x, double *y);

/// Whether a and b have the same bits.
int csim_vector_equal(csim_pool *pool, int n, const double *a, const double *b);

/// y = -y
void csim_vector_negate(csim_pool *pool, int n, double *y);

/// y = x + s d
void csim_vector_go(csim_pool *pool, int n, const double *x, double s, const double *d, double *y);

/// y += s x
void csim_vector_add(csim_pool *pool, int n, double s, const double *x, double *y);

/// r -= alpha q; returns r.r
double csim_vector_reduce(csim_pool *pool, int n, double alpha, const double *q, double *r);

/// x += alpha p, then p = z + beta p
void csim_vector_advance(csim_pool *pool, int n, double alpha, double beta, const double *z,
                         double *p, double *x);

/// largest |a_i| of nvert three-vectors (Euclidean length); NaN if any is not a number
double csim_vector_max3(csim_pool *pool, int nvert, const double *a);

#endif
