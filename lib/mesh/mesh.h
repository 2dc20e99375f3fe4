// mesh/mesh.h: the user's polygon mesh, and its triangles. Needs base/.
//
// Vertex order and polygons are always those of the input, and of every output.
#ifndef CSIM_MESH_MESH_H
#define CSIM_MESH_MESH_H

#include "base/arena.h"
#include "base/log.h"
#include "clothsim.h"
#include "mesh/normals.h"

#include <stdint.h>

/// Vertices with a name.
typedef struct csim_mesh_set {
  char *name;
  int n;
  int *vert; ///< (n)
} csim_mesh_set;

/// A number that a mesh file has for every vertex: a property of PLY, a colour of OBJ or PLY.
typedef struct csim_mesh_channel {
  char *name;
  double *value; ///< (nvert) anything, also NAN
} csim_mesh_channel;

typedef struct csim_mesh_channels {
  int n;
  csim_mesh_channel *item; ///< (n)
} csim_mesh_channels;

/// Normals, colours and further texture coordinates of a mesh file, for outputs that support them.
typedef struct csim_mesh_look {
  csim_normals normals;
  double *colour; ///< (nvert x 3) red, green, blue, 1 = full; NULL: none
  int nuv_set;
  csim_uv_set *uv_set; ///< (nuv_set) texture coordinates beside the first ones
} csim_mesh_look;

/// The rest shape, if it is not the start; else NULL.
typedef struct csim_mesh_at_rest {
  double *vert; ///< (nvert x 3) [m]
  double *flat; ///< (ntri x 6) [m] corners of triangles, from texture coordinates
} csim_mesh_at_rest;

typedef struct csim_mesh {
  csim_arena arena; ///< owns all arrays below
  int nvert;
  double *vert; ///< (nvert x 3) [m]
  int nface;
  int *face_start; ///< (nface + 1) first corner of each face
  int *face_vert;  ///< (face_start[nface]) vertex of each corner
  int nuv;         ///< 0 when there are no texture coordinates
  double *uv;      ///< (nuv x 2)
  int *face_uv; ///< (face_start[nface]) uv of each corner, -1 where it has none; NULL when nuv = 0
  int ntag;
  char **tag;    ///< (ntag) o / g / usemtl statements in force, see mesh/tag.h
  int *face_tag; ///< (nface) tag of each face, -1 = none; NULL when ntag = 0
  int ntri;
  int *tri; ///< (ntri x 3) the faces triangulated, in face order; face_vert where they are that
  int *tri_face; ///< (ntri) face each triangle came from
  csim_mesh_at_rest rest;
  int nstitch;
  int *stitch; ///< (nstitch x 2) vertices that a pattern sews together
  int *parent; ///< (nvert x 2) of a pattern whose triangles were divided: each vertex is halfway
               ///< between these, and its own parent twice if it is of the coarsest mesh; or NULL
  int nset;
  csim_mesh_set *set; ///< (nset) labels of a pattern's edges; several may have one name
  csim_mesh_channels channels;
  csim_mesh_look look;
  int grid[2];   ///< cells of a built-in grid along its two sides, else 0
  uint64_t hash; ///< set when arrays are released
} csim_mesh;

/// Limits checked before anything is allocated.
enum { CSIM_MESH_MAX_VERT = 1 << 27, CSIM_MESH_MAX_FACE = 1 << 27, CSIM_MOST_DIVISIONS = 4 };

/// Frees the arrays of a mesh (all zero allowed).
void csim_mesh_free(csim_mesh *mesh);

/// Frees positions and, unless they are to be kept, faces with their data: a run does not need them
/// once it has begun. Counts stay.
void csim_mesh_release(csim_mesh *mesh, int keep_faces);

/// Rest positions of springs and hinges: (nvert x 3) [m].
static inline const double *csim_mesh_rest(const csim_mesh *mesh) {
  return mesh->rest.vert ? mesh->rest.vert : mesh->vert;
}

/// The numbers (nvert) that a mesh has by this name; NULL: none.
const double *csim_mesh_channel_named(const csim_mesh *mesh, const char *name);

/// Hash of all that a run reads of it, also of what has been released.
uint64_t csim_mesh_hash(const csim_mesh *mesh);

#endif
