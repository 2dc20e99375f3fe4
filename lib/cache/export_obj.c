// cache/export_obj.c: OBJ, a file for each frame and object. Needs io/.
#include "cache/export.h"

#include "io/obj_write.h"

static csim_status write_object(csim_export *e, int object, const char *path) {
  csim_mesh mesh = csim_export_mesh(e, object, e->x[object]);
  return csim_obj_write(path, &mesh, NULL, e->options.digits, e->log);
}

const csim_exporter csim_export_obj = {.object = write_object, .suffix = ".obj"};
