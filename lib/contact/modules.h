// contact/modules.h: the modules of contact, for contact.c and tests. Each owns its state, and uses
// those above it in this list only:
//
//   collision_mesh  everything that can touch, in one numbering
//   planes          colliders that are infinite planes
//   kinematics      where everything is, and where colliders and pins are to go
//   candidates      the pairs that may come to touch (boxes, bvh, grid, culling, listed)
//   reach           keeps vertices where the list of candidates holds
//   clearance       contact distances of what starts nearer, which grow
//   narrow_phase    which candidates are worth an exact test
//   barrier_stiffness   how stiff the barriers of contacts are
//   active          active contacts: the barrier's energy and gradient (terms, twins)
//   friction        friction's energy and gradient
//   tilt            how contacts resist tilting
//   hessian         the Hessian of all three
//   glide           moves or shortens everything by one common share
//   resolve         corrects a common motion where pairs would stop it
//   step_filter     shortens each vertex's motion until nothing can intersect
//   guide           springs that make way for colliders
//   carry           carries bodies along with colliders
//   blocked         which colliders stop the others, and are held
//   pinched         cloth that colliders release because it cannot get out of their way
#ifndef CSIM_CONTACT_MODULES_H
#define CSIM_CONTACT_MODULES_H

#include "contact/blocked.h"
#include "contact/carry.h"
#include "contact/contact.h"
#include "contact/glide.h"
#include "contact/guide.h"
#include "contact/hessian.h"
#include "contact/pinched.h"
#include "contact/resolve.h"
#include "contact/clearance.h"
#include "contact/step_filter.h"

struct csim_contact {
  csim_arena arena; ///< of the arrays per vertex
  csim_contact_params params;
  csim_collision_mesh mesh;
  csim_kinematics kin;
  csim_candidates candidates;
  csim_reach reach;
  csim_narrow_phase narrow;
  csim_active_set active;
  csim_friction_set friction;
  csim_contact_hessian hessian;
  csim_glide glide;
  csim_resolve resolve;
  csim_step_filter filter;
  csim_carry carry;
  csim_blocked blocked;
  csim_pinched pinched;
  csim_clearance clearance;
  unsigned char *touching; ///< (mesh.nbody_vert) was in contact when the step began
  int failed;              ///< out of memory
};

#endif
