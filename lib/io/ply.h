// io/ply.h: PLY in: ascii, binary little-endian and big-endian. Needs mesh/, base/.
#ifndef CSIM_IO_PLY_H
#define CSIM_IO_PLY_H

#include "mesh/mesh.h"

/// Reads x, y, z of the vertices (and their texture coordinates s t, u v or texture_u texture_v)
/// and the vertex_indices (or vertex_index) of the faces or of tristrips, in any order and type of
/// the header. All other properties and elements are ignored. Polygons, vertex order and loose
/// vertices are kept.
///
/// @param path        for messages
/// @param data, size  contents of the file
/// @param[out] mesh   triangulated; free with csim_mesh_free; empty on failure
/// @return CSIM_INVALID with the line or byte offset, CSIM_MEMORY
csim_status csim_ply_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh);

#endif
