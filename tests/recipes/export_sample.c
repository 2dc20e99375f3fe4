// cache/export_sample.c: the sample of tests/recipes: points as text, a file for each frame and
// object. Needs io/.
#include "cache/export.h"

static csim_status open_sample(csim_export *e) {
  (void)e;
  return CSIM_OK;
}

static csim_status write_frame(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) {
    csim_file *file;
    if (csim_export_frame_path(e, e->file_name[i], ".xyz", path)) return CSIM_INVALID;
    status = csim_file_create(path, e->log, &file);
    if (status) break;
    for (ptrdiff_t k = 0; k < csim_xyz(e->object[i].nvert); k++) {
      csim_file_print_number(file, (float)e->x[i][k], 9);
      csim_file_text(file, k % 3 == 2 ? "\n" : " ");
    }
    status = csim_file_commit(file, 0);
  }
  return status;
}

static csim_status close_sample(csim_export *e, int commit) {
  (void)e, (void)commit;
  return CSIM_OK;
}

const csim_exporter csim_export_sample = {
    .open = open_sample, .frame = write_frame, .close = close_sample};
