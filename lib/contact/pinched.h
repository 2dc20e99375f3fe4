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
// A vertex is in one of three states. Colliders that lag release it, at any time; a review at the
// start of a frame does the rest:
//
//                      release, pass                  review
//        has contact ------------------> no room ------------------> has room
//             ^                             |  <------------------       |
//             |            review           |         review             |
//             '-----------------------------+----------------------------'
//
// no room   A collider is where it is to go: a weak spring draws it out.
// has room  None is: a spring as stiff as the cloth does, so that nothing that hangs on the vertex
//           holds it inside, but slowly. If it comes no farther in a frame it is held by neighbours
//           that have contact on another side of the collider. The review releases those too.
//
// It is to go back to where it was released: in front of that triangle of the collider, its exit.
// It goes farther while its faces still cross the collider, or are too near to it round a corner.
#ifndef CSIM_CONTACT_PINCHED_H
#define CSIM_CONTACT_PINCHED_H

#include "contact/active.h"
#include "contact/glide.h"

/// What is known of a vertex of a body. All but the last two is of released ones.
typedef struct csim_pinched_vertex {
  double last_depth;            ///< [m] its way out at the last review; -1: it had no room then
  int exit_tri;                 ///< triangle of the mesh by which it is to go out
  unsigned char has_room;       ///< no collider was where it is to go, at the last review
  unsigned char goes_farther;   ///< than to its exit, until the next review
  unsigned char stays_released; ///< found by a review so far; 0 outside of it
  int releaser; ///< collider (part) that csim_pinched_release found for it, which stops the motion;
                ///< -1: none so far; 0: it stops nothing. 0 outside of that function
} csim_pinched_vertex;

/// Triangles of bodies that cross a collider which has released a vertex of theirs, as found by a
/// review.
typedef struct csim_pinched_crossings {
  ptrdiff_t n;
  int *pair; ///< (n x 2) triangle of `tri`, triangle of colliders (from mesh->nbody_tri on)
  int *tri;  ///< vertices of the bodies' triangles with a released vertex, 3 each
  ptrdiff_t pair_capacity, tri_capacity;
} csim_pinched_crossings;

typedef struct csim_pinched {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  csim_glide *glide;
  csim_collision_mesh *mesh;
  int on;        ///< csim_contact_params.pinched is "ignore"; if not, all of this is empty
  double began;  ///< [s] when the frame began; INFINITY: its first step is still to come
  int nreleased; ///< number of vertices released
  int *released; ///< (mesh->nbody_vert) by which collider: mesh->released, which others read
  csim_pinched_vertex *vert; ///< (mesh->nbody_vert)
  csim_pinched_crossings crossings;
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

/// The state of one model as one of another whose meshes are finer: a vertex on an edge of which an
/// end is released is so too, so that the same faces are. `state` has zeros.
void csim_pinched_refine(const csim_model *from, const csim_model *to, const double *old,
                         double *state);

/// Restores contact of all vertices.
void csim_pinched_clear(csim_pinched *pinched);

/// A frame begins with the next step.
static inline void csim_pinched_begin_frame(csim_pinched *pinched) {
  pinched->began = INFINITY;
}

/// Reviews the released vertices, where a frame begins and the step has collected candidates:
/// restores contact of those that are outside again, and finds which of the others have room. A
/// step that is tried again reviews again, since it begins with the state from before the review.
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
