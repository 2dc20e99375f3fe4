// io/mesh_build.h: shared by the mesh readers: growing arrays, limits, errors with their position,
// and the checks that every mesh must pass. Needs mesh/, base/.
#ifndef CSIM_IO_MESH_BUILD_H
#define CSIM_IO_MESH_BUILD_H

#include "base/hash_table.h"
#include "mesh/mesh.h"

#include <stdint.h>

/// Coordinates beyond this are refused: their products must stay finite.
#define CSIM_MESH_MAX_COORDINATE 1e18

/// Files may have more; readers ignore the rest.
enum { CSIM_MESH_MAX_CHANNEL = 32 };

/// Different tags in the order of their first occurrence, and a hash table of them.
typedef struct csim_mesh_tags {
  int n;
  char **tag; ///< (n) in the mesh's arena
  ptrdiff_t capacity;
  csim_hash_table table;
  size_t bytes; ///< of all texts
} csim_mesh_tags;

/// Numbers that the arrays of csim_mesh_build have space for.
typedef struct csim_mesh_capacity {
  ptrdiff_t value, vert, uv, corner, corner_uv, face_end, face_tag, face_place;
  ptrdiff_t normal, corner_normal;
} csim_mesh_capacity;

/// Normals that a mesh's corners refer to.
typedef struct csim_mesh_normals {
  int n;
  double *normal; ///< (n x 3)
  int *corner;    ///< (ncorner) once a corner has one, -1 = none; may be out of range
  ptrdiff_t ncorner;
} csim_mesh_normals;

/// A mesh being read. The first failure is kept in `status`; later calls do nothing.
typedef struct csim_mesh_build {
  const char *path; ///< for messages
  csim_log *log;
  int binary;      ///< places are byte offsets instead of lines
  int first_index; ///< number of vertex 0 in the file (OBJ 1, PLY 0), for messages
  csim_status status;
  csim_arena arena; ///< of the mesh to be
  int nvert, nuv, nface;
  ptrdiff_t ncorner;
  double *vert;        ///< (nvert x 3)
  double *uv;          ///< (nuv x 2)
  int *corner;         ///< (ncorner) vertex; may be out of range until finished
  int *corner_uv;      ///< (ncorner) uv, -1 = none
  int *face_end;       ///< (nface) corner behind the face's last
  int *face_tag;       ///< (nface) -1 = none
  int64_t *face_place; ///< (nface) line or byte offset
  csim_mesh_tags tags;
  int nchannel;
  char *channel[CSIM_MESH_MAX_CHANNEL]; ///< in `arena`
  int nvalue;                           ///< vertices that have numbers
  double *value;                        ///< (nvalue x nchannel)
  csim_mesh_normals normals;
  csim_mesh_capacity capacity;
} csim_mesh_build;

/// Reports an error at a line (or byte) of the file, 0 = the file as a whole, unless one was
/// reported before.
/// @return CSIM_INVALID, or the earlier failure
csim_status csim_mesh_build_fail(csim_mesh_build *b, int64_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Adds a vertex; refuses numbers that are not finite or beyond CSIM_MESH_MAX_COORDINATE.
void csim_mesh_build_vertex(csim_mesh_build *b, int64_t place, const double x[3]);
void csim_mesh_build_uv(csim_mesh_build *b, int64_t place, const double uv[2]);

/// Adds a channel, a number of every vertex. Call it before the first csim_mesh_build_values.
/// @return its index, or -1 when there are too many (or out of memory)
int csim_mesh_build_channel(csim_mesh_build *b, const char *name, size_t length);

/// Sets the numbers (nchannel) of the last vertex. If not all vertices have them, the mesh has
/// none.
void csim_mesh_build_values(csim_mesh_build *b, const double *value);

/// Adds a normal, of any length.
void csim_mesh_build_normal(csim_mesh_build *b, int64_t place, const double normal[3]);

/// Sets the normal of the last corner. A number without a normal counts as none.
void csim_mesh_build_corner_normal(csim_mesh_build *b, int64_t normal);

/// Adds a corner to the current face, which csim_mesh_build_face closes.
/// @param vert  any number: checked at the end, when all vertices are known
/// @param uv    -1 = none
void csim_mesh_build_corner(csim_mesh_build *b, int64_t place, int64_t vert, int64_t uv);

/// Closes the face; refuses fewer than three corners.
/// @param tag  from csim_mesh_build_tag, -1 = none
void csim_mesh_build_face(csim_mesh_build *b, int64_t place, int tag);

/// Number of the tag with this text (see mesh/tag.h), the same for the same text.
int csim_mesh_build_tag(csim_mesh_build *b, int64_t place, const char *text, size_t length);

/// Merges vertices at equal positions, in order of first occurrence, and drops triangles that
/// lose a corner by it. Larger faces with a repeated corner are refused later. For formats without
/// vertex numbers.
/// @return number of dropped faces
int csim_mesh_build_weld(csim_mesh_build *b);

/// Adds the normals and colours that were read to an otherwise complete mesh.
/// @return 0, or -1 when out of memory
int csim_mesh_build_look(csim_mesh_build *b, csim_mesh *mesh);

/// Checks ranges and repeated corners, makes and triangulates the mesh. Releases the builder in any
/// case: call it once, also after a failure.
/// @param[out] mesh  empty on failure
csim_status csim_mesh_build_finish(csim_mesh_build *b, csim_mesh *mesh);

#endif
