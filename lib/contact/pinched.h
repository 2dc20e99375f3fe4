// contact/pinched.h: cloth that colliders let go because it cannot get out of their way. Needs
// contact/glide.h.
//
// Two colliders that come together, or two parts of one, leave the cloth between them no room. With
// csim_contact_params.pinched "ignore" they go on all the same: a collider that cannot get on lets
// go of those vertices that stop it, one by one, and pairs of it with their faces and edges have no
// contact any more. Nothing else may pass through anything. At the start of a frame the vertices
// are taken back that are out of it again and whose faces do not cross it.
//
//       | A |       | A |  v: in the      | A |
//    ---+---+---  --:   :-- way of A    --:---:--   A has let go of v: its faces (:) may cross A,
//                   : v :                 : v :     and B still holds it
//       | B |       | B |                 | B |
//
// A weak spring draws each of them out to where it was let go: before the plane of that triangle of
// the collider, farther while its faces still cross it. Where two have parted again and faces still
// hang on one, that lets go of all their vertices: those outside of it too, which would carry the
// others along.
#ifndef CSIM_CONTACT_PINCHED_H
#define CSIM_CONTACT_PINCHED_H

#include "contact/active.h"
#include "contact/glide.h"

typedef struct csim_pinched {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  csim_glide *glide;
  csim_collision_mesh *mesh;
  int on;                 ///< csim_contact_params.pinched is "ignore"; without it all here is empty
  int n;                  ///< vertices let go
  int *let_go;            ///< (mesh->nbody_vert) see csim_collision_mesh
  int *out;               ///< (mesh->nbody_vert) triangle of the mesh where each was let go first
  int *blocked;           ///< (mesh->nbody_vert) what a search found, else 0
  unsigned char *crosses; ///< (mesh->nbody_vert) whether a face did when the frame began
  int *pressed;           ///< (mesh->nbody_vert) collider, by its part, that each lies on and that
                          ///< does not let it go, 0: none, -1: several; of a review
  int due;                ///< a frame begins: those let go are to be looked at
  ptrdiff_t tri_capacity, pair_capacity;
  int ntri;
  int *tri;  ///< (ntri) triangles of bodies with a vertex that is let go, of a search
  int *pair; ///< with which triangles of colliders they meet
} csim_pinched;

/// kin, reach, narrow, glide and mesh are for the caller to set.
/// @return 0, or -1 when out of memory (arena->failed); csim_pinched_free in any case
int csim_pinched_create(csim_arena *arena, const csim_contact_params *params,
                        csim_pinched *pinched);

/// Frees what the arena does not have.
void csim_pinched_free(csim_pinched *pinched);

/// Number of three-vectors that hold who is let go of a model's nvert vertices: 0 unless it is on.
static inline int csim_pinched_size(int nvert, const csim_contact_params *params) {
  return params->pinched == CSIM_PINCHED_IGNORE ? (2 * nvert + 2) / 3 : 0;
}

/// Who is let go (nvert), see csim_collision_mesh, of a state's `nkinematic` three-vectors; NULL:
/// it is not on, or there was no step.
static inline const double *csim_pinched_of(int nvert, const csim_contact_params *params,
                                            const double *kinematic, int nkinematic) {
  int size = csim_pinched_size(nvert, params);
  return size && kinematic ? kinematic + 3 * ((ptrdiff_t)nkinematic - size) : NULL;
}

/// Writes or takes them. (csim_pinched_size x 3)
void csim_pinched_save(const csim_pinched *pinched, double *state);
void csim_pinched_load(csim_pinched *pinched, const double *state);

/// Nothing is let go any more.
void csim_pinched_clear(csim_pinched *pinched);

/// Once a frame, when its first step has collected candidates: takes back what is out again.
/// @return 0, or -1 when out of memory
int csim_pinched_review(csim_pinched *pinched);

/// Lets go of what stops colliders that are behind, were bodies to move by d (mesh->nbody_vert x 3)
/// and colliders all their way.
/// @return how many vertices; -1 when out of memory
int csim_pinched_let_go(csim_pinched *pinched, const double *d);

/// The last resort: colliders that are behind go all their way while bodies stand still, and let go
/// of all that is in it.
/// @return 0, or -1 when out of memory
int csim_pinched_pass(csim_pinched *pinched);

/// Energy [J] of the springs with bodies at x (mesh->nbody_vert x 3).
double csim_pinched_value(const csim_pinched *pinched, const double *x);

/// Adds them to the active contacts, with bodies at x.
/// @return 0, or -1 when out of memory
int csim_pinched_add(const csim_pinched *pinched, const double *x, csim_active_set *active);

#endif
