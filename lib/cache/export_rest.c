// cache/export_rest.c: see export_rest.h.
#include "cache/export_rest.h"

#include "cache/export_ply.h"
#include "io/obj_write.h"

#include <stdlib.h>

static int count_loose(const csim_cache_object *o) {
  char *used = CSIM_NEW(char, o->nvert);
  int loose = o->nvert;
  if (!used) return -1;
  for (int c = 0; c < csim_corners(o); c++)
    if (!used[o->face_vert[c]]) {
      used[o->face_vert[c]] = 1;
      loose--;
    }
  free(used);
  return loose;
}

csim_status csim_rest_write(csim_export *e, int object) {
  const csim_cache_object *o = &e->object[object];
  char path[CSIM_EXPORT_PATH];
  int loose = count_loose(o);
  if (loose < 0) return csim_export_memory(e);
  if (csim_export_path(e, e->file_name[object], "_rest.obj", path)) return CSIM_INVALID;
  csim_mesh mesh = csim_export_mesh(e, object, e->x[object]);
  mesh.ntag = 0;
  mesh.face_tag = NULL;
  csim_status status = csim_obj_write(path, &mesh, NULL, e->options.digits, e->log);
  if (status || !loose) return status;
  csim_say(e->log, CSIM_WARNING, csim_in_file(path),
           "%d vertices belong to no face: Blender drops them from an OBJ, use the PLY with the "
           "point cache",
           loose);
  if (csim_export_path(e, e->file_name[object], "_rest.ply", path)) return CSIM_INVALID;
  return csim_ply_write(e, object, NULL, path);
}
