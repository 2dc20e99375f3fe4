// cache/export_sample.c: the sample of tests/recipes: points as text, a file for each frame and
// object. Needs io/.
#include "cache/export.h"

static csim_status write_object(csim_export *e, int object, const char *path) {
  csim_file *file;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  for (ptrdiff_t k = 0; k < csim_xyz(e->object[object].nvert); k++) {
    csim_file_print_number(file, (float)e->x[object][k], 9);
    csim_file_text(file, k % 3 == 2 ? "\n" : " ");
  }
  return csim_file_commit(file, 0);
}

const csim_exporter csim_export_sample = {.object = write_object, .suffix = ".xyz"};
