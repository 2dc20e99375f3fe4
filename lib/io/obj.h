// io/obj.h: Wavefront OBJ in. Needs mesh/, base/.
#ifndef CSIM_IO_OBJ_H
#define CSIM_IO_OBJ_H

#include "mesh/mesh.h"

/// Reads v (with colours), vt, vn, f and the tags o, g, usemtl; lines, points and unknown
/// statements are skipped. Indices may be negative (back from the last vertex so far) and positive
/// ones may point forward. Polygons, vertex order and loose vertices are kept; texture coordinates
/// belong to corners and never split a vertex.
///
/// @param path        for messages
/// @param data, size  contents of the file
/// @param[out] mesh   triangulated; free with csim_mesh_free; empty on failure
/// @return CSIM_INVALID with the line, CSIM_MEMORY
csim_status csim_obj_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh);

#endif
