// cache/export_list.h: every format that frames can be exported to. Needs nothing.
//
// To add a format NAME: a file cache/export_NAME.c that defines csim_export_NAME, and a line here.
// Help texts, scene keys and the schema follow from this list.
#ifndef CSIM_CACHE_EXPORT_LIST_H
#define CSIM_CACHE_EXPORT_LIST_H

/// X(name, description) for each format, in the order of help texts. "obj" comes first: scenes have
/// a key of its own for it.
#define CSIM_EXPORT_LIST(X)                                                                        \
  X(obj, "Wavefront OBJ, a file for each frame and object")                                        \
  X(ply, "PLY, binary, a file for each frame and object")                                          \
  X(pc2, "PC2 point caches with a rest mesh, a pair for each object")                              \
  X(mdd, "MDD point caches with a rest mesh, a pair for each object")                              \
  X(vtp, "VTK XML, a file for each frame and object, and a PVD collection")                        \
  X(abc, "Alembic, one file")                                                                      \
  X(usda, "USD as text, one file")                                                                 \
  X(glb, "glTF, binary, one file")

/// Their names, NULL-terminated.
extern const char *const csim_export_names[];

#endif
