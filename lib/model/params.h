// model/params.h: the parameters of a model, which scene/ reads and the layers below use. Needs
// clothsim.h for csim_object_type.
#ifndef CSIM_MODEL_PARAMS_H
#define CSIM_MODEL_PARAMS_H

#include "clothsim.h"
#include "model/bending_list.h"

// ---------------------------------------------------------------------------------------- motion

/// A rigid pose at a time.
typedef struct csim_key {
  double time;        ///< [s] from the start frame
  double position[3]; ///< [m] offset from the start placement
  double rotation[3]; ///< [rad] rotation vector about the pivot; turns may exceed 2 pi
} csim_key;

typedef struct csim_motion {
  int nkey;
  csim_key *key; ///< (nkey) times strictly increasing
  int smooth;    ///< 1: ease in and out of every key; 0: linear
  int has_pivot;
  double pivot[3]; ///< [m] of rotations; without: centroid of the pinned vertices / the position
} csim_motion;

// ---------------------------------------------------------------------------------------- curves

/// A value at a time.
typedef struct csim_curve_key {
  double time;     ///< [s] from the start frame
  double value[3]; ///< a scalar uses the first
} csim_curve_key;

/// A number or vector over time, see model/curve.h. Without keys another, constant, value holds.
typedef struct csim_curve {
  int nkey;
  csim_curve_key *key; ///< (nkey) times strictly increasing
} csim_curve;

// ---------------------------------------------------------------------------------------- models

typedef enum csim_network {
  CSIM_NETWORK_MESH,       ///< a spring on every edge of the triangles
  CSIM_NETWORK_STRUCTURED, ///< a grid's structural, shear (both diagonals) and bend (skip one)
                           ///< springs
} csim_network;

enum {
  CSIM_BENDING_NONE,
  CSIM_BENDING_SPRING, ///< springs between opposite vertices (skip one on a structured grid)
  CSIM_BENDING_HINGE,  ///< and on: an energy of hinges, in the order of model/bending_list.h
  CSIM_BENDING_DIHEDRAL =
      CSIM_BENDING_HINGE + CSIM_BENDING_NUMBER_dihedral, ///< the one of them with angles at rest
  CSIM_BENDING_CURVATURE = CSIM_BENDING_HINGE + CSIM_NBENDING, ///< in the curvature at vertices
  CSIM_BENDING_AUTO, ///< of scenes while they are read; no model has it
};

/// What a membrane on the triangles is made of, instead of a network of springs.
typedef enum csim_membrane_law {
  CSIM_MEMBRANE_NONE,
  CSIM_MEMBRANE_WOVEN,       ///< warp and weft keep their lengths, and their angle
  CSIM_MEMBRANE_ORTHOTROPIC, ///< St. Venant-Kirchhoff
  CSIM_MEMBRANE_MEASURED,    ///< the same with a table of stiffness by strain and angle
  CSIM_MEMBRANE_AUTO,        ///< of scenes while they are read; no model has it
} csim_membrane_law;

/// What a solid's tetrahedra are made of.
typedef enum csim_elasticity {
  CSIM_ELASTICITY_SPRINGS,    ///< springs on their edges, and volumes
  CSIM_ELASTICITY_NEOHOOKEAN, ///< stable neo-Hookean, by modulus and Poisson's ratio
} csim_elasticity;

/// Which edges of a mesh network carry springs: fewer edges lock less.
typedef enum csim_edges {
  CSIM_EDGES_ALL,
  CSIM_EDGES_NO_DIAGONALS, ///< not those that are the longest side of both their triangles
} csim_edges;

/// Air over the whole scene.
typedef struct csim_wind {
  double velocity[3]; ///< [m/s] mean; with keys the largest
  csim_curve velocity_key;
  double density;     ///< [kg/m^3] of the air; 0 = vacuum
  double turbulence;  ///< [-] amplitude of gusts as a share of the mean speed
  double gust_length; ///< [m] size of the gusts
} csim_wind;

// ---------------------------------------------------------------------------------------- solver

typedef enum csim_preconditioner {
  CSIM_PRECONDITIONER_JACOBI,     ///< block-Jacobi: inverses of the 3 x 3 diagonal blocks
  CSIM_PRECONDITIONER_ICHOL,      ///< incomplete Cholesky without fill, in 3 x 3 blocks
  CSIM_PRECONDITIONER_MULTILEVEL, ///< block-Jacobi on a hierarchy of aggregates, see
                                  ///< math/multigrid.h
} csim_preconditioner;

typedef enum csim_psd {
  CSIM_PSD_DROP,  ///< drop the term that compression makes negative
  CSIM_PSD_CLAMP, ///< clamp negative eigenvalues of each element at 0
  CSIM_PSD_NONE,  ///< leave the Hessian as it is (for study)
} csim_psd;

typedef enum csim_start {
  CSIM_START_INERTIA,  ///< iterate from y = x + h v + h^2 M^-1 f
  CSIM_START_REST,     ///< iterate from x of the last step
  CSIM_START_VELOCITY, ///< iterate from x + h v, without external forces
} csim_start;

typedef enum csim_integrator {
  CSIM_INTEGRATOR_EULER, ///< backward Euler
  CSIM_INTEGRATOR_BDF2,  ///< second-order backward differences; the first step is backward Euler
  CSIM_INTEGRATOR_ALPHA, ///< generalized-alpha, see solver/step.c
} csim_integrator;

/// How a fixed-point iteration x <- G(x) is speeded up.
typedef enum csim_acceleration {
  CSIM_ACCELERATION_NONE,
  CSIM_ACCELERATION_CHEBYSHEV, ///< Wang 2015, with chebyshev_rho
  CSIM_ACCELERATION_NESTEROV,  ///< momentum, restarted when the energy rises
  CSIM_ACCELERATION_ANDERSON,  ///< Peng et al. 2018: window, falls back when the energy rises
  CSIM_ACCELERATION_LBFGS,     ///< Liu et al. 2017: quasi-Newton on the constant matrix (pd only)
} csim_acceleration;

/// How pbd and xpbd satisfy their constraints.
typedef enum csim_projection {
  CSIM_PROJECTION_GAUSS_SEIDEL, ///< one after another, by colours
  CSIM_PROJECTION_JACOBI,       ///< all at once, averaged at each vertex
  CSIM_PROJECTION_LINEAR,       ///< the assembled linear system in the multipliers (xpbd only)
} csim_projection;

/// What becomes of the velocity after a projection.
typedef enum csim_velocity_update {
  CSIM_VELOCITY_DIFFERENCE, ///< v = (x - x_n) / h
  CSIM_VELOCITY_INCREMENT,  ///< v = v* + (x - y) / h: external forces keep their full effect
} csim_velocity_update;

/// How exact pins are held.
typedef enum csim_pin_mode {
  CSIM_PINS_REDUCED,       ///< pinned coordinates leave the system (x = K^T x_f + b)
  CSIM_PINS_COUNTER_FORCE, ///< a force cancels all others and its derivative enters the matrix
                           ///< (newton)
} csim_pin_mode;

/// Trade-off of speed and accuracy.
typedef enum csim_quality {
  CSIM_QUALITY_DRAFT,
  CSIM_QUALITY_NORMAL,
  CSIM_QUALITY_FINAL
} csim_quality;

enum { CSIM_MAX_WINDOW = 16 };

typedef struct csim_pbd_params {
  csim_velocity_update velocity_update;
  double stiffness; ///< of constraints, (0, 1]: the share of an error left after all iterations is
                    ///< 1 - this
} csim_pbd_params;

typedef struct csim_solver_params {
  const char *method; ///< one of csim_method_names, solver/method.h
  const char *linear; ///< of newton: one of csim_linear_names, solver/linear.h
  csim_preconditioner preconditioner;
  csim_psd psd;
  csim_start start;
  int iterations;        ///< outer iterations a substep, at most
  double tolerance;      ///< stop when |gradient| <= tolerance * |gravity and start forces|, [-]
  double step_tolerance; ///< of newton: stop when what is left would move vertices by less than
                         ///< this share of an edge (RMS; one step of the preconditioner); 0: no
  double gain_tolerance; ///< of newton with balance 0: stop where an iteration lowers F by less
                         ///< than this share of what the step has gained; 0: never
  double balance; ///< of newton with step_tolerance: the net force left over on an object is at
                  ///< most this share of the forces on it, see solver/balance.h; 0: any
  double damping; ///< [substeps] times numerical_damping of a body, beside its stretch_damping
  int linear_iterations;   ///< inner iterations, at most
  double linear_tolerance; ///< relative residual of the linear solve, [-]
  double later_tolerance;  ///< of later ones in a substep, at most, [-]; 0: from linear_tolerance
  int line_search;         ///< 0: takes full steps (Baraff & Witkin)
  double jacobi_alpha;     ///< damping of jacobi, (0, 1]
  double chebyshev_rho;    ///< estimated spectral radius, [0, 1)
  csim_integrator integrator;
  csim_acceleration acceleration; ///< of descent and pd
  int window;                     ///< of anderson and lbfgs, 1..CSIM_MAX_WINDOW
  csim_projection projection;     ///< of pbd and xpbd
  csim_pbd_params pbd;
  csim_pin_mode pins;
  int strain_limit_iterations; ///< passes that shorten springs beyond strain_limit after the solve
  double strain_limit;         ///< [-] largest strain of those passes; 0 = none
} csim_solver_params;

// --------------------------------------------------------------------------------------- contact

typedef enum csim_response {
  CSIM_RESPONSE_NONE,
  CSIM_RESPONSE_IMPULSE,      ///< push out of analytic colliders, v += dx / h; no guarantee
  CSIM_RESPONSE_FILTER,       ///< contact energies, and a filter that prevents intersections
  CSIM_RESPONSE_PENALTY,      ///< springs against analytic colliders; no guarantee
  CSIM_RESPONSE_IMPACT_ZONES, ///< impulses by continuous detection, impact zones; no guarantee
} csim_response;

/// How impulses and penalty springs detect contact with a collider.
typedef enum csim_contact_test {
  CSIM_TEST_DISCRETE,   ///< where a vertex is at the end of the step
  CSIM_TEST_CONTINUOUS, ///< along its way relative to the collider
} csim_contact_test;

/// Energy of the gap of a contact pair, see contact/barrier.h.
typedef enum csim_barrier_kind {
  CSIM_BARRIER_QUADRATIC_LOG,
  CSIM_BARRIER_LOG,
  CSIM_BARRIER_CUBIC,
} csim_barrier_kind;

typedef enum csim_broad_phase {
  CSIM_BROAD_BVH,  ///< bounding volume hierarchy
  CSIM_BROAD_GRID, ///< uniform grid in Morton order
} csim_broad_phase;

/// What to do when surfaces intersect at the start.
typedef enum csim_on_intersection {
  CSIM_INTERSECTION_REFUSE,
  CSIM_INTERSECTION_IGNORE_PAIRS, ///< go on; those pairs stay crossed, no others will
  CSIM_INTERSECTION_UNTANGLE,     ///< separate them first; then as with ignored pairs
} csim_on_intersection;

/// What to do when colliders leave cloth between them no room.
typedef enum csim_pinched_mode {
  CSIM_PINCHED_LAG,    ///< the colliders wait
  CSIM_PINCHED_IGNORE, ///< they release the cloth that is in their way, until it is outside again
} csim_pinched_mode;

/// Friction between two parts that differs from the general rule.
typedef struct csim_pair_friction {
  char *object[2]; ///< names of the two; equal: an object against itself
  int part[2];     ///< their numbers: bodies, then colliders, in the order of the scene
  double friction; ///< [-]
} csim_pair_friction;

typedef struct csim_contact_params {
  int self; ///< cloth against itself and other cloth
  csim_response response;
  double thickness; ///< [m] distance at which surfaces begin to push each other apart; in a scene
                    ///< 0: from the meshes
  double self_thickness; ///< [m] the same between bodies, if it is less; 0: that
  const double *share; ///< (vertices of bodies) (0, 1] of that distance: of a pair the smallest of
                       ///< its vertices' counts; NULL: 1 for all
  double friction;     ///< [-] default coefficient
  double slip;         ///< [m/s] below this speed friction grows linearly from 0 (filter)
  csim_barrier_kind energy;
  csim_broad_phase broad_phase;
  csim_contact_test test; ///< of impulse and penalty
  double penalty;         ///< [-] penalty: share of the depth that a spring undoes in a substep
  csim_on_intersection on_intersection;
  csim_pinched_mode pinched; ///< of response filter
  int nfriction;
  csim_pair_friction *pair_friction; ///< (nfriction)
} csim_contact_params;

/// Most of the contact distance that there is between bodies, as a share of `thickness`.
static inline double csim_contact_self_share(const csim_contact_params *params) {
  double self = params->self_thickness;
  return self > 0 && self < params->thickness ? self / params->thickness : 1;
}

#endif
