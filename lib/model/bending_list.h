// model/bending_list.h: the list of bending energies of hinges. Needs nothing.
//
// To add an energy NAME: a file model/bending_NAME.c that defines csim_NAME_kind, of role
// CSIM_ROLE_BEND, and a line here. The key "bending" of scenes, the schema and the manual follow.
#ifndef CSIM_MODEL_BENDING_LIST_H
#define CSIM_MODEL_BENDING_LIST_H

/// X(name) for each energy. The order is that of energies in a model, so it decides the order of
/// sums: append.
#define CSIM_BENDING_LIST(X)                                                                       \
  X(quadratic)                                                                                     \
  X(cotangent)                                                                                     \
  X(dihedral)

#define CSIM_NUMBER_BENDING(name) CSIM_BENDING_NUMBER_##name,
enum { CSIM_BENDING_LIST(CSIM_NUMBER_BENDING) CSIM_NBENDING };

#endif
