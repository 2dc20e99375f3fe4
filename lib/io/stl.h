// io/stl.h: STL in, text and binary. Needs mesh/, base/.
#ifndef CSIM_IO_STL_H
#define CSIM_IO_STL_H

#include "mesh/mesh.h"

/// Whether the contents are a binary STL file: their size fits the number of facets in their
/// header. The word "solid" says nothing: binary files begin with it too.
int csim_stl_is_binary(const char *data, size_t size);

/// STL has no vertex numbers, so corners at exactly equal places become one vertex, numbered in
/// order of first occurrence (-0 equals 0). Facets that lose a corner by it have no area: they are
/// dropped with a warning. Normals are ignored: the winding counts. A text file's solids become
/// object tags.
///
/// @param path        for messages
/// @param data, size  contents of the file
/// @param[out] mesh   triangulated; free with csim_mesh_free; empty on failure
/// @return CSIM_INVALID with the line or byte offset, CSIM_MEMORY
csim_status csim_stl_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh);

#endif
