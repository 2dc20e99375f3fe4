// io/mesh_file.c: see mesh_file.h.
#include "io/mesh_file.h"

#include "io/file.h"
#include "io/obj.h"
#include "io/off.h"
#include "io/ply.h"
#include "io/stl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int has_extension(const char *path, const char *extension) {
  size_t n = strlen(path), m = strlen(extension);
  return n >= m && !strcasecmp(path + n - m, extension);
}

static int begins(const char *data, size_t size, const char *text) {
  size_t n = strlen(text);
  return size >= n && !memcmp(data, text, n);
}

// Whether a name has the extension of a proprietary format of a 3D program.
static int is_foreign(const char *path) {
  static const char *const extensions[] = {".fbx", ".gltf", ".glb", ".blend", ".dae", ".ma",
                                           ".mb",  ".hip",  ".3ds", ".c4d",   ".max", ".bgeo"};
  for (size_t k = 0; k < sizeof extensions / sizeof *extensions; k++)
    if (has_extension(path, extensions[k])) return 1;
  return 0;
}

// The reason why a file cannot be a mesh; NULL if it may be one.
static const char *find_obstacle(const char *path, const char *data, size_t size) {
  if (!size) return "is empty";
  if (begins(data, size, "PXR-USDC") || begins(data, size, "#usda") || has_extension(path, ".usdz"))
    return "is USD: make an Alembic file of it with 'clothusd import IN OUT.abc'";
  if (is_foreign(path))
    return "is in a format that is not read: export it as Alembic (.abc), OBJ or PLY";
  if (begins(data, size, "\x1f\x8b")) return "is gzip-compressed: unpack it first";
  if (begins(data, size, "PK\x03\x04")) return "is a zip archive: unpack it first";
  if (begins(data, size, "\xff\xfe") || begins(data, size, "\xfe\xff"))
    return "is text in UTF-16: save it as UTF-8";
  if (begins(data, size, "version https://git-lfs"))
    return "is a Git LFS pointer instead of the mesh: run 'git lfs pull'";
  return NULL;
}

csim_status csim_mesh_parse(const char *path, const char *data, size_t size, csim_log *log,
                            csim_mesh *mesh) {
  *mesh = (csim_mesh){0};
  const char *obstacle = find_obstacle(path, data, size);
  // a binary STL may begin with any bytes
  int stl = has_extension(path, ".stl"), binary_stl = csim_stl_is_binary(data, size);
  if (obstacle && !(stl && binary_stl)) return csim_refuse(log, csim_in_file(path), "%s", obstacle);
  if (begins(data, size, "ply\n") || begins(data, size, "ply\r") || has_extension(path, ".ply"))
    return csim_ply_read(path, data, size, log, mesh);
  if (has_extension(path, ".off") || (csim_off_begins(data, size) && !has_extension(path, ".obj")))
    return csim_off_read(path, data, size, log, mesh);
  if (stl || (binary_stl && !has_extension(path, ".obj")) ||
      (begins(data, size, "solid") && !has_extension(path, ".obj")))
    return csim_stl_read(path, data, size, log, mesh);
  return csim_obj_read(path, data, size, log, mesh);
}

csim_status csim_mesh_read(const char *path, csim_log *log, csim_mesh *mesh) {
  *mesh = (csim_mesh){0};
  char *data;
  size_t size;
  csim_status status = csim_file_read(path, CSIM_MESH_FILE_LIMIT, log, &data, &size);
  if (status) return status;
  status = csim_mesh_parse(path, data, size, log, mesh);
  free(data);
  return status;
}
