// base/disjoint.h: disjoint sets of numbered items.
#ifndef CSIM_BASE_DISJOINT_H
#define CSIM_BASE_DISJOINT_H

/// The representative of the set that item i is in, with path halving (Tarjan & van Leeuwen,
/// Worst-case analysis of set union algorithms, JACM 31, 1984). Two sets are joined by making one
/// representative the parent of the other.
/// @param parent  an item on the way to each item's representative, which is its own; shortened
static inline int csim_disjoint_root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

#endif
