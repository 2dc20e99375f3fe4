// base/disjoint.h: disjoint sets of numbered items.
#ifndef CSIM_BASE_DISJOINT_H
#define CSIM_BASE_DISJOINT_H

/// The representative of the set that item i is in, with path halving (Tarjan & van Leeuwen,
/// Worst-case analysis of set union algorithms, JACM 31, 1984).
/// @param parent  an item on the way to each item's representative, which is its own; shortened
static inline int csim_disjoint_root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Joins the sets of two items. The lower representative becomes that of both.
static inline void csim_disjoint_join(int *parent, int i, int j) {
  int a = csim_disjoint_root(parent, i), b = csim_disjoint_root(parent, j);
  parent[a > b ? a : b] = a > b ? b : a;
}

#endif
