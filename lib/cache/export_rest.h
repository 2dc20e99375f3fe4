// cache/export_rest.h: the mesh that a point cache needs beside it. Needs io/, base/.
#ifndef CSIM_CACHE_EXPORT_REST_H
#define CSIM_CACHE_EXPORT_REST_H

#include "cache/export.h"

/// Writes NAME_rest.obj of an object with the positions of the current frame, without tags: readers
/// split a file by them, and the cache would no longer fit. When vertices belong to no face, which
/// Blender's OBJ reader drops, warns and adds NAME_rest.ply.
csim_status csim_rest_write(csim_export *e, int object);

#endif
