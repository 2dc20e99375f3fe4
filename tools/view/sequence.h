// view/sequence.h: frames of objects, whatever files they are in. Needs clothsim.h.
#ifndef VIEW_SEQUENCE_H
#define VIEW_SEQUENCE_H

#include "clothsim.h"

typedef enum view_kind { VIEW_UNKNOWN, VIEW_CLOTH, VIEW_SOLID, VIEW_COLLIDER } view_kind;

typedef struct view_object {
  char *name;
  view_kind kind;
} view_object;

/// One object at one frame. All arrays are the mesh's own.
typedef struct view_mesh {
  int nvert;
  double *x; ///< (nvert x 3) [m]
  int ntri;
  int *tri;      ///< (ntri x 3)
  uint8_t *edge; ///< (ntri) bit k: side k is an edge of the given polygons
} view_mesh;

typedef struct view_sequence {
  int nframe;
  int *number; ///< (nframe) increasing
  double fps;  ///< [1/s]; 0 = unknown
  int up;      ///< 1 = y, 2 = z; 0 = unknown
  int nobject;
  view_object *object; ///< (nobject)
  struct view_source *source;
} view_sequence;

/// Opens mesh files (one frame of several objects), or one directory of name_0001.obj files.
csim_status view_sequence_open(int npath, char *const *path, view_sequence *sequence,
                               csim_log *log);
void view_sequence_close(view_sequence *sequence);

/// Reads an object at the frame of a given index (not number). Where it has none, the last one
/// before it, and an empty mesh when there is none either.
csim_status view_sequence_read(view_sequence *sequence, int frame, int object, view_mesh *mesh,
                               csim_log *log);
void view_mesh_free(view_mesh *mesh);

#endif
