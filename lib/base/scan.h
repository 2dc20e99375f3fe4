// base/scan.h: numbers items one after another, in parallel. Needs base/pool.h.
#ifndef CSIM_BASE_SCAN_H
#define CSIM_BASE_SCAN_H

#include "base/pool.h"

/// How many numbers the items [first, last) take.
typedef int csim_scan_count_fn(void *context, int first, int last);

/// Gives the items [first, last) numbers from `next` on. Returns the number after them.
typedef int csim_scan_place_fn(void *context, int first, int last, int next);

/// Numbers n items in their order, from 0 on: ranges are counted, and then placed after those
/// before them. `count` is not called on one thread. @return how many numbers they take
int csim_scan(csim_pool *pool, int n, csim_scan_count_fn *count, csim_scan_place_fn *place,
              void *context);

#endif
