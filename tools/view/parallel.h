// view/parallel.h: the same work for many indices, on all processors. Needs pthreads.
#ifndef VIEW_PARALLEL_H
#define VIEW_PARALLEL_H

/// Calls work(context, i) for every i in [0, n), several at once, in any order. Where threads
/// cannot be had the caller's own does it all.
void view_parallel(int n, void (*work)(void *context, int i), void *context);

#endif
