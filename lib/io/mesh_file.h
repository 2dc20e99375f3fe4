// io/mesh_file.h: a mesh from a file of any known format. Needs mesh/, base/.
#ifndef CSIM_IO_MESH_FILE_H
#define CSIM_IO_MESH_FILE_H

#include "mesh/mesh.h"

/// Largest mesh file accepted [bytes]: a text mesh at the limits of csim_mesh.
#define CSIM_MESH_FILE_LIMIT ((size_t)1 << 34)

/// Reads OBJ, OFF, STL or PLY. The contents decide if possible ("ply" comes first; the size of
/// binary STL fits its facets), then the name's extension, then the contents again.
///
/// The readers keep the order of vertices and the polygons of the file, and triangulate. They
/// refuse invalid surfaces: numbers that are not finite, indices out of range, faces with fewer
/// than three corners or one corner twice, no faces at all.
///
/// @param[out] mesh  free with csim_mesh_free; empty on failure
/// @return CSIM_IO, or CSIM_INVALID with file and line (byte offset in binary files), or
/// CSIM_MEMORY
csim_status csim_mesh_read(const char *path, csim_log *log, csim_mesh *mesh);

/// The same for contents in memory; `path` names them in messages and by its extension.
csim_status csim_mesh_parse(const char *path, const char *data, size_t size, csim_log *log,
                            csim_mesh *mesh);

#endif
