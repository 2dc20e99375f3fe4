// contact/pinched.h: cloth that colliders release because it cannot get out of their way. Needs
// contact/glide.h.
//
// Two colliders that close, or two parts of one, can leave no room for the cloth between them. With
// csim_contact_params.pinched "ignore" they still close. A collider that cannot advance releases
// the vertices that stop it, one by one; its pairs with their faces and edges then have no contact.
// Nothing else may intersect. At the start of a frame contact is restored for vertices that are
// outside of the collider again and whose faces do not cross it.
//
//       | A |       | A |  v: in the      | A |
//    ---+---+---  --:   :-- way of A    --:---:--   A has released v: its faces (:) may cross A,
//                   : v :                 : v :     and B still holds it
//       | B |       | B |                 | B |
//
// Springs draw released vertices back to where they were released, in front of that triangle of the
// collider. They draw them farther while their faces still cross the collider, or are too near to
// it round a corner. As long as a collider is there springs are weak. Once there is room they are
// as stiff as the cloth, so that nothing that hangs on a vertex holds it inside, but draw it out
// slowly. A vertex that comes no farther in a frame is held by neighbours that have contact on
// another side of the collider. Those are released too.
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
  int on;                 ///< csim_contact_params.pinched is "ignore"; if not, all of this is empty
  int n;                  ///< number of vertices released
  int *released;          ///< (mesh->nbody_vert) see csim_collision_mesh
  int *exit_tri;          ///< (mesh->nbody_vert) triangle of the mesh by which each is to go out
  int *blocked;           ///< (mesh->nbody_vert) what a search found, else 0
  unsigned char *farther; ///< (mesh->nbody_vert) it is to go farther than that in this frame
  unsigned char *has_room; ///< (mesh->nbody_vert) at the last review no collider was where it goes
  double *last_depth; ///< (mesh->nbody_vert) [m] its way out at the last review; -1: had no room
  int review_due;     ///< a frame begins: csim_pinched_review is to be done
  ptrdiff_t tri_capacity, pair_capacity;
  int *tri;  ///< (n x 3) triangles of bodies with a released vertex, of a search
  int *pair; ///< the triangles of colliders that they intersect, (npair x 2)
  ptrdiff_t npair;
} csim_pinched;

/// The caller sets kin, reach, narrow, glide and mesh.
/// @return 0, or -1 when out of memory (arena->failed); csim_pinched_free in any case
int csim_pinched_create(csim_arena *arena, const csim_contact_params *params,
                        csim_pinched *pinched);

/// Frees what is not in the arena.
void csim_pinched_free(csim_pinched *pinched);

/// Number of three-vectors that hold the released ones of nvert vertices: 0 unless it is on.
static inline int csim_pinched_size(int nvert, const csim_contact_params *params) {
  return params->pinched == CSIM_PINCHED_IGNORE ? nvert : 0;
}

/// The released vertices (nvert), as in csim_collision_mesh, in a state of `nkinematic`
/// three-vectors. NULL: it is not on, or there was no step.
static inline const double *csim_pinched_of(int nvert, const csim_contact_params *params,
                                            const double *kinematic, int nkinematic) {
  int size = csim_pinched_size(nvert, params);
  return size && kinematic ? kinematic + 3 * ((ptrdiff_t)nkinematic - size) : NULL;
}

/// Whether numbers read from outside, all finite, may be such a state. (csim_pinched_size x 3)
int csim_pinched_accepts(const csim_pinched *pinched, const double *state);

/// Writes or reads them. (csim_pinched_size x 3)
void csim_pinched_save(const csim_pinched *pinched, double *state);
void csim_pinched_load(csim_pinched *pinched, const double *state);

/// Restores contact of all vertices.
void csim_pinched_clear(csim_pinched *pinched);

/// Restores contact of vertices that are outside again. Once a frame, when its first step has
/// collected candidates.
/// @return 0, or -1 when out of memory
int csim_pinched_review(csim_pinched *pinched);

/// Releases what stops lagging colliders, if bodies moved by d (mesh->nbody_vert x 3) and colliders
/// all their way.
/// @return the number of vertices; -1 when out of memory
int csim_pinched_release(csim_pinched *pinched, const double *d);

/// The last resort: lagging colliders move all their way while bodies stand still, and release
/// everything in it.
/// @return 0, or -1 when out of memory
int csim_pinched_pass(csim_pinched *pinched);

/// Energy [J] of the springs with bodies at x (mesh->nbody_vert x 3).
double csim_pinched_value(const csim_pinched *pinched, const double *x);

/// Adds them to the active contacts, with bodies at x.
/// @return 0, or -1 when out of memory
int csim_pinched_add(const csim_pinched *pinched, const double *x, csim_active_set *active);

#endif
