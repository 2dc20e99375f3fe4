// cache/export_obj.c: OBJ, a file for each frame and object. Needs io/.
#include "cache/export.h"

#include "io/obj_write.h"

static csim_status open_obj(csim_export *e) {
  (void)e;
  return CSIM_OK;
}

static csim_status write_frame(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) {
    if (csim_export_frame_path(e, e->file_name[i], ".obj", path)) return CSIM_INVALID;
    csim_mesh mesh = csim_export_mesh(e, i, e->x[i]);
    status = csim_obj_write(path, &mesh, NULL, e->options.digits, e->log);
  }
  return status;
}

static csim_status close_obj(csim_export *e, int commit) {
  (void)e;
  (void)commit;
  return CSIM_OK;
}

const csim_exporter csim_export_obj = {.open = open_obj, .frame = write_frame, .close = close_obj};
