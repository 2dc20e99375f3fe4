// tests/fuzz/fuzz_mesh.h: what the targets of mesh readers share: any bytes give a mesh whose
// indices are in range and whose numbers are finite, or an error.
#ifndef CSIM_TESTS_FUZZ_MESH_H
#define CSIM_TESTS_FUZZ_MESH_H

#include "io/mesh_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must(int ok) {
  if (!ok) abort();
}

static inline int fuzz_mesh(const char *path, const uint8_t *data, size_t size) {
  csim_mesh mesh;
  csim_log log = {0};
  // readers may rely on one zero byte behind the text, as csim_file_read has it
  char *text = malloc(size + 1);
  must(text != NULL);
  for (size_t i = 0; i < size; i++) text[i] = (char)data[i];
  text[size] = 0;
  csim_status status = csim_mesh_parse(path, text, size, &log, &mesh);
  free(text);
  must(status == CSIM_OK || log.nerror > 0);
  if (!status) {
    for (ptrdiff_t i = 0; i < csim_xyz(mesh.nvert); i++) must(isfinite(mesh.vert[i]));
    must(mesh.face_start[0] == 0);
    for (int f = 0; f < mesh.nface; f++) must(mesh.face_start[f + 1] >= mesh.face_start[f] + 3);
    for (int c = 0; c < mesh.face_start[mesh.nface]; c++) {
      must(mesh.face_vert[c] >= 0 && mesh.face_vert[c] < mesh.nvert);
      must(!mesh.nuv || (mesh.face_uv[c] >= -1 && mesh.face_uv[c] < mesh.nuv));
    }
  }
  csim_mesh_free(&mesh);
  return 0;
}

#endif
