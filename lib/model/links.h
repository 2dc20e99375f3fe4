// model/links.h: strings between points of bodies: attachments and seams. Needs model/model.h.
//
// A link pulls its first vertex and a point of others (a vertex, or weights on a triangle) together
// when they are farther apart than its length, and never pushes:
//
//   E = k/2 max(0, l - L)^2 + c/(2 h) |d - d_n|^2,  d = x_0 - sum_i w_i x_i,  l = |d|
//
// With a largest pull F the first term continues linearly from where its force is F. A stitch that
// is blocked then pulls no harder than F, and does not jam what is between its ends.
//
// A stitch that closes is a weak spring in both senses,
//
//   E = k/2 (l - L)^2
//
// and k is at most 200 N/m: more than cloth resists, little enough for a solver. As a stiff string
// it was slack at the beginning of nearly every Newton step and taut after it, so that
// the line search cut the step: garments took three to six times the iterations to be sewn.
//
// A stitch that has closed holds its length in both senses, and its direction n too:
//
//   E = k/2 |d - L n|^2 + c/(2 h) |d - d_n|^2
//
// L is a fraction of a millimetre, so the string's energy is far from quadratic where the ends move
// beside each other by as little: Newton's method took 1.3 times the iterations in a cushion, and
// 20 times the time of a garment on a moving body.
//
// d_n is d at the start of the step of length h: the second term damps (Kane et al. 2000). Both
// terms of the Hessian are positive semidefinite as they are.
#ifndef CSIM_MODEL_LINKS_H
#define CSIM_MODEL_LINKS_H

#include "model/model.h"

/// Parameters of the kinds csim_link_kind (2 vertices) and csim_link_face_kind (4): stiffness
/// [N/m], damping [N s/m], number of the link, largest pull [N] (0 = any), then the 3 weights of
/// the face.
enum { CSIM_LINK_K, CSIM_LINK_DAMPING, CSIM_LINK_NUMBER, CSIM_LINK_PULL, CSIM_LINK_WEIGHT };

/// What a link has at present: share of its stiffness, length [m], n (3), 0 0 0 for a string, and
/// its largest stiffness [N/m] while it closes, else 0.
enum { CSIM_LINK_NOW = 6 };

/// What every link has in a step that ends at `time` [s], see CSIM_LINK_NOW. n is the link's
/// `direction` until it begins to close, then 0 0 0: csim_links_direct sets it for stitches that
/// are closed.
/// @param      torn  (nlink) from the state; NULL: none is
/// @param[out] now   (nlink x CSIM_LINK_NOW) overwritten
void csim_links_at(const csim_model *model, double time, const unsigned char *torn, double *now);

/// Gives stitches that are closed the direction that d should have at the end of a step of length h
/// [s] from x with velocities v (nvert x 3): its own at x, turned as the cloth beside it turns.
/// @param[in,out] now  (nlink x CSIM_LINK_NOW)
void csim_links_direct(const csim_model *model, const double *x, const double *v, double h,
                       double *now);

/// Tears links whose tension at x (nvert x 3) exceeds their largest force.
/// @param         now   (nlink x CSIM_LINK_NOW) as csim_links_at gave it
/// @param[in,out] torn  (nlink) 1 = torn
/// @return number of links that have torn
int csim_links_tear(const csim_model *model, const double *now, const double *x,
                    unsigned char *torn);

/// Largest distance [m] between the ends of a link of a group at x (nvert x 3), without torn ones
/// (NULL: none).
/// @param[out] at  (2) vertices of that link, -1 where there is none; NULL: not wanted
double csim_links_gap(const csim_model *model, int group, const double *x,
                      const unsigned char *torn, int *at);

#endif
