// cache/export.h: shared by the exporters. Needs io/, base/.
#ifndef CSIM_CACHE_EXPORT_H
#define CSIM_CACHE_EXPORT_H

#include "base/arena.h"
#include "base/log.h"
#include "cache/export_list.h"
#include "clothsim.h"
#include "io/file.h"
#include "mesh/mesh.h"
#include "mesh/normals.h"

typedef struct csim_exporter csim_exporter;

/// An export in progress. Exporters keep their own data in `state`.
struct csim_export {
  csim_arena arena;
  const csim_exporter *kind;
  csim_export_options options; ///< copied, with the defaults of scale, unit, target_up and digits
  csim_log *log;
  csim_status status; ///< of the first failure; sticky
  int nobject;
  csim_cache_object *object; ///< (nobject) those of the caller, with nvert of the surface
  char **file_name;          ///< (nobject) names that are safe and different as file names
  double **x, **v;        ///< (nobject) turned and scaled, of the current frame; v[i] may be NULL
  csim_cache_values *now; ///< (nobject) what the current frame has, turned and scaled, of the
                          ///< object's vertices
  double **between;       ///< (nobject) memory of samples: now[i].sample_x, then now[i].sample_v
  int *whole;             ///< (nobject) vertices of the caller's objects
  csim_normals *normals;  ///< (nobject) those that meshes were given
  double *normal[2];      ///< (largest of their numbers x 3) a frame's, and scratch
  int digits;             ///< of frame numbers in file names
  int nframe;
  long long *number; ///< (nframe) of the frames so far
  ptrdiff_t number_capacity;
  char *posed;    ///< (nobject) `local` is known
  double **local; ///< (nobject) points below a transform; NULL: the points move
  void *state;
};

/// A format; export_list.h has them all. Functions return a status and log what failed. A format
/// has either `frame` or `object`; number[nframe - 1] is the frame's.
struct csim_exporter {
  csim_status (*open)(csim_export *e);  ///< makes the state; NULL: there is none
  csim_status (*frame)(csim_export *e); ///< writes all objects
  /// Writes the file of one object in a frame; its name ends in `suffix`.
  csim_status (*object)(csim_export *e, int object, const char *path);
  const char *suffix;
  /// Called once if `open` succeeded; releases the state. NULL: nothing to do.
  csim_status (*close)(csim_export *e, int commit);
  int transforms; ///< has some for what moves as a whole
};

#define CSIM_DECLARE_EXPORTER(name, description) extern const csim_exporter csim_export_##name;
CSIM_EXPORT_LIST(CSIM_DECLARE_EXPORTER)

/// Logs "out of memory" and returns CSIM_MEMORY.
csim_status csim_export_memory(const csim_export *e);

/// The path directory/stem suffix.
/// @param[out] path  CSIM_EXPORT_PATH bytes
/// @return 0, or -1 (reported) when too long: a truncated path would name another file
enum { CSIM_EXPORT_PATH = 4096 };
int csim_export_path(csim_export *e, const char *stem, const char *suffix, char *path);

/// Texture coordinates by vertex, when every corner of a vertex has the same: (nvert x 2) in the
/// export's arena, zeros for loose vertices; NULL when corners differ, or there are none.
double *csim_export_vertex_uv(csim_export *e, int object);

/// Texture coordinates by corner for formats where every corner must have one.
/// @param set        of the object
/// @param[out] nuv   with one (0, 0) added when a corner has none
/// @param[out] uv    (nuv x 2)
/// @param[out] index (corners)
/// @return 0, or -1 when out of memory
int csim_export_corner_uv(csim_export *e, int object, const csim_uv_set *set, int *nuv, double **uv,
                          int **index);

/// Names for the further sets of texture coordinates, different from each other and from reserved
/// ones: numbered where they are not.
/// @param reserved  ends with NULL
/// @param make      makes any text a name of the format
/// @return (nuv_set) in the export's arena, NULL when out of memory (then the arena has failed)
char **csim_export_uv_names(csim_export *e, int object, const char *const *reserved,
                            char *(*make)(csim_export *e, const char *name));

/// The normals of an object (normals[object].n x 3) at positions x, until the next call.
const double *csim_export_normals(csim_export *e, int object, const double *x);

/// Whether every corner of an object has a normal.
int csim_export_all_normal(const csim_export *e, int object);

/// The normal of each vertex, for formats that have no others. Newly allocated; free().
/// @return (nvert) indices into its normals; NULL when a vertex has none or several, or out of
/// memory
int *csim_export_vertex_normals(csim_export *e, int object);

/// Transform of an object with `local` points when its vertices are at x. The first call chooses
/// the local points, around the middle of the object.
/// @param[out] m  (4 x 4) for row vectors, as Alembic and USD have it
void csim_export_pose(csim_export *e, int object, const double *x, double m[16]);

/// Number of corners of an object's faces.
static inline int csim_corners(const csim_cache_object *o) {
  return o->nface ? o->face_start[o->nface] : 0;
}

/// The object as a mesh with positions x, that shares its arrays; not to be freed.
csim_mesh csim_export_mesh(const csim_export *e, int object, const double *x);

/// Step between frame numbers: 1 = every frame, 0 when they are uneven.
long long csim_export_stride(const csim_export *e);

/// Appends n doubles as little-endian floats, n <= CSIM_FILE_RESERVE / 4 at a time or more.
void csim_write_floats(csim_file *file, const double *value, ptrdiff_t n);

// ------------------------------------------------------------------------------------------ spool

/// Data stored on disk during the export, for formats whose order is not that of time. An unnamed
/// file in the directory of the export.
typedef struct csim_spool csim_spool;

/// @return NULL when it cannot be made (reported)
csim_spool *csim_spool_new(csim_export *e);
void csim_spool_add(csim_spool *spool, const void *data, size_t size);

/// Appends all of it to a file. @return 0, or -1 when spool or reading failed (reported)
int csim_spool_copy(csim_spool *spool, csim_export *e, csim_file *file);
void csim_spool_free(csim_spool *spool);

#endif
