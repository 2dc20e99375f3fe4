// solver/problem.h: the minimisation of one implicit step. Needs contact/, model/ and math/.
//
//   x = argmin F(x),  F(x) = 1/2 sum_i w_i |x_i - y_i|^2 + A(x) + E(x),  over the free vertices
//
// A is the drag of the air, of vertices that go d = x - x_start in the step of h:
//   A(x) = sum_i 1/(2h) d_i . D_i d_i - d_i . D_i u_i
//
// With contact, E includes its energies, and x may only be written through csim_problem_apply.
#ifndef CSIM_SOLVER_PROBLEM_H
#define CSIM_SOLVER_PROBLEM_H

#include "contact/contact.h"
#include "model/chamber.h"
#include "model/stiffness.h"
#include "solver/groups.h"
#include "solver/integrate.h"

/// The elastic energy at the last point evaluated in a part of a step. Line searches and initial
/// guesses evaluate points more than once.
typedef struct csim_energy_memo {
  int known;
  double value; ///< [J]
  double *x;    ///< (nvert x 3) [m]
} csim_energy_memo;

/// The gradient without contact and chambers at the last point evaluated in a solve. Bodies that
/// stayed there keep theirs.
typedef struct csim_gradient_memo {
  const csim_groups *groups;
  int known;
  double *x, *g;       ///< (nvert x 3) [m], [N]
  unsigned char *body; ///< (nbody) scratch
  unsigned char *vert; ///< (nvert) 1: of a body that stayed
} csim_gradient_memo;

/// What newton knows of its iterations. All zero: nothing.
typedef struct csim_iteration {
  csim_earlier earlier;              ///< csim_point's
  csim_gradient_memo *gradient_memo; ///< NULL: none
  const unsigned char *idle;         ///< (nvert) 1: left out of systems, steps and F; NULL: none
} csim_iteration;

/// Asks whether a run is to stop, between iterations of newton; `wanted` NULL: never.
typedef struct csim_stop {
  int (*wanted)(const void *user);
  const void *user;
} csim_stop;

/// Most times that a step may be halved. The last ones are for what is too fast: at 200 m/s a
/// collider goes 1.7 m in a substep, many edges in a sixteenth of it.
enum { CSIM_MAX_HALVINGS = 6, CSIM_FAST_HALVINGS = 2 };

typedef struct csim_problem {
  const csim_model *model;
  const csim_solver_params *params;
  csim_pool *pool;
  double h; ///< [s] over which velocities are (x - problem->x)/h (two thirds of a step for BDF2)
  const double *inertia;    ///< (nvert) [N/m] w_i, the integrator's: m_i/h^2 for backward Euler
  const double *resistance; ///< (nvert x CSIM_RESISTANCE) D and D u; NULL: drag is in y
  const double *damping;    ///< (nbody) [s] stretch damping; NULL: none
  const double *x;          ///< (nvert x 3) [m] at the start of the step
  const double *v;          ///< (nvert x 3) [m/s] at the start of the step
  const double *y;          ///< (nvert x 3) [m] inertial target x + h v*, v* after external forces
  const double *target;     ///< (ntarget x 3) [m] of pins at the end of the step
  const double *plastic;    ///< (model's nplastic) plastic strains; NULL: none
  const double *hold;       ///< (ntarget) share of soft pins' stiffness; NULL: 1
  const double *link; ///< (nlink x CSIM_LINK_NOW) of links, csim_links_at; NULL: there are none
  csim_chamber_now *chamber;     ///< (nchamber)
  csim_energy_memo *energy_memo; ///< NULL: none
  csim_scratch *scratch;         ///< of linear solvers, csim_pcg_reserve
  double *step; ///< (nvert x 3) [m] step that a method proposes; csim_contact_displacements, if
                ///< there is contact
  csim_integration *integration; ///< newton sets its leftover; NULL: not wanted
  const csim_stop *stop;         ///< NULL: none
  double *v_next;                ///< (nvert x 3) [m/s] for methods that set the velocity themselves
  csim_contact *contact;         ///< NULL: none, or the method does not treat it
  int halvings_left;             ///< times the step may still be halved
  csim_iteration iteration;
  double force_scale; ///< [N] mean over free vertices of external plus internal force at x
} csim_problem;

/// Evaluation point of E: x (nvert x 3), after a step from problem->x.
csim_point csim_problem_point(const csim_problem *problem, const double *x);

/// The parts of F(x) from inertia, drag, and elasticity [J]; chambers and contact are the others.
double csim_problem_inertia(const csim_problem *problem, const double *x);
double csim_problem_drag(const csim_problem *problem, const double *x); ///< may be < 0
double csim_problem_elasticity(const csim_problem *problem, const double *x);

/// F(x) [J], but for the inertia, drag and elasticity of idle vertices, which are constant.
double csim_problem_value(const csim_problem *problem, const double *x);

/// Allocates a memo. Nothing is known.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_gradient_memo_create(csim_arena *arena, const csim_groups *groups,
                              csim_gradient_memo *memo);

/// Takes `share` of the normal forces of friction at x, and the rest of those before. F is another
/// function from here on: its values cannot be compared with earlier ones.
void csim_problem_update_friction(const csim_problem *problem, const double *x, double share);

/// csim_contact_friction with bodies at x, zero at fixed vertices; g (nvert x 3), overwritten.
/// Needs problem->contact.
void csim_problem_friction(const csim_problem *problem, const double *x, double of_limit,
                           double of_change, double *g);

/// Gradient of F [N], zero at fixed vertices; g (nvert x 3), overwritten.
void csim_problem_gradient(const csim_problem *problem, const double *x, double *g);

/// Hessian of F [N/m], identity at fixed vertices; H, on the layout's pattern, overwritten.
void csim_problem_hessian(const csim_problem *problem, const csim_layout *layout, const double *x,
                          csim_psd psd, csim_bsr *H);

/// The same as an edge-based matrix.
void csim_problem_stiffness(const csim_problem *problem, const double *x, csim_psd psd,
                            csim_stiffness *K);

/// The Hessian, for pins held by a counter-force. At a fixed vertex an equal and opposite force
/// cancels all forces, and its derivative cancels the row. The equation that is left says that the
/// vertex goes to its target, dx_p = fixed_step. In the rows of free vertices the known columns
/// move to the right-hand side: rhs_f -= H_fp dx_p.
/// @param      fixed_step  (nvert x 3) [m] read at fixed vertices
/// @param[out] rhs         (nvert x 3) changed; at fixed vertices set to fixed_step
void csim_problem_hessian_counter(const csim_problem *problem, const csim_layout *layout,
                                  const double *x, csim_psd psd, const double *fixed_step,
                                  double *rhs, csim_bsr *H);

/// Scale of residuals: mean over free vertices of |m (y - x - h v)/h^2| + |dE/dx(x)| [N], and at
/// least what moves them by 1e-10 m. g (nvert x 3) is scratch.
double csim_problem_force_scale(const csim_problem *problem, double *g);

/// Shortens a proposed step d (nvert x 3) so that no multiple alpha d, alpha in [0, 1], causes an
/// intersection. Without contact it stays as it is.
/// @return the smallest share of a vertex's step that is left, [0, 1]; < 0 when out of memory
double csim_problem_filter(const csim_problem *problem, double *d);

/// The same, but shortens the step as a whole. resolves: corrects it first where single pairs would
/// stop it (contact/resolve.h); otherwise it keeps its direction.
/// @return the share that is left, [0, 1]; < 0 when out of memory
double csim_problem_filter_together(const csim_problem *problem, int resolves, double *d);

/// Largest share of the step d from x that takes no strain beyond its bound, [0, 1]. With d NULL: 0
/// if some strain at x is beyond its bound. 1 in models without bounds.
double csim_problem_max_step(const csim_problem *problem, const double *x, const double *d);

/// Sets d (nvert x 3) to zero at idle vertices.
void csim_problem_hold_idle(const csim_problem *problem, double *d);

/// x += alpha d, d as csim_problem_filter returned it.
void csim_problem_apply(const csim_problem *problem, double alpha, const double *d, double *x);

#endif
