// io/obj_write.h: Wavefront OBJ out. Needs mesh/, base/.
#ifndef CSIM_IO_OBJ_WRITE_H
#define CSIM_IO_OBJ_WRITE_H

#include "mesh/mesh.h"

/// Writes a mesh with given positions: vertices in their order (loose ones too), texture
/// coordinates, tags and polygons as they were read. The file appears whole or not at all, without
/// dates: equal positions give equal bytes.
///
/// @param x       (nvert x 3) positions; NULL = those of the mesh
/// @param digits  9: every float comes back exactly; 17: every double
/// @return CSIM_IO or CSIM_MEMORY, reported to `log` with the file's name
csim_status csim_obj_write(const char *path, const csim_mesh *mesh, const double *x, int digits,
                           csim_log *log);

#endif
