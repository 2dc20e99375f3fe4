// view/sequence.h: frames of objects, whatever files they are in. Needs clothsim.h.
#ifndef VIEW_SEQUENCE_H
#define VIEW_SEQUENCE_H

#include "clothsim.h"

typedef enum view_kind { VIEW_UNKNOWN, VIEW_CLOTH, VIEW_SOLID, VIEW_COLLIDER } view_kind;

typedef struct view_object {
  char *name;
  view_kind kind;         ///< known of caches
  csim_sequence *source;  ///< one of the view_sequence's
  int index;              ///< in the source
  csim_polygons *surface; ///< in the first frame, cut into triangles; NULL: faces may change
  int has_velocity, has_pressure;
} view_object;

/// One object at one frame. All arrays are the mesh's own.
typedef struct view_mesh {
  int nvert;
  double *x;        ///< (nvert x 3) [m], finite
  double *v;        ///< (nvert x 3) [m/s]; NULL when the files have none
  double *pressure; ///< (nvert) [Pa] of contact; NULL when the files have none
  int ntri;
  int *tri;      ///< (ntri x 3)
  uint8_t *edge; ///< (ntri) bit k: side k is an edge of the given polygons
} view_mesh;

typedef struct view_sequence {
  const char *path;  ///< of the first input
  int nframe;        ///< at least 1
  long long *number; ///< (nframe) increasing
  double fps;        ///< [1/s]; 0 = unknown
  double unit;       ///< [m] of one unit of length; 1 = unknown. Meshes are in these units
  int pressed;       ///< some object has contact pressures
  int up;            ///< 1 = y, 2 = z; 0 = unknown
  int nobject;
  view_object *object; ///< (nobject)
  int nsource;
  csim_sequence **source; ///< (nsource) one, or one of each mesh file
  csim_cache *cache;      ///< of the source; NULL: it is no cache
} view_sequence;

/// Opens what the paths name: anything csim_sequence_open reads, of a directory its cache if there
/// is one; or several mesh files, which are one frame of several objects.
csim_status view_sequence_open(int npath, char *const *path, csim_log *log,
                               view_sequence *sequence);
void view_sequence_close(view_sequence *sequence);

/// Reads an object at the frame of a given index (not number). Where it has none, the last one
/// before it, and an empty mesh when there is none either. CSIM_INVALID for numbers that are not
/// finite.
csim_status view_sequence_read(view_sequence *sequence, int frame, int object, csim_log *log,
                               view_mesh *mesh);
void view_mesh_free(view_mesh *mesh);

#endif
