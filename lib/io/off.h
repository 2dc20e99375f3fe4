// io/off.h: OFF in, the text form. Needs mesh/, base/.
#ifndef CSIM_IO_OFF_H
#define CSIM_IO_OFF_H

#include "mesh/mesh.h"

/// Whether the contents begin like OFF: the word OFF, perhaps with ST, C or N before it.
int csim_off_begins(const char *data, size_t size);

/// Reads vertices and faces: counts, then a line for each vertex and for each face. Further values
/// in a line (normals, colours) and comments are ignored. Polygons, vertex order and loose vertices
/// are kept. Binary files and other dimensions than three are refused.
///
/// @param path        for messages
/// @param data, size  contents of the file
/// @param[out] mesh   triangulated; free with csim_mesh_free; empty on failure
/// @return CSIM_INVALID with the line, CSIM_MEMORY
/// Source: The OFF file format, Geomview manual, section 4.2.5.
csim_status csim_off_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh);

#endif
