// scene/solver_keys.c: keys of "solver". Needs scene/reader.h.
#include "scene/reader.h"

#include "solver/linear.h"
#include "solver/method.h"

#include <stddef.h>

#define IN_SOLVER(member) offsetof(csim_solver_params, member)

static const char *const preconditioner_names[] = {"jacobi", "ichol", "multilevel", NULL};
static const char *const spd_names[] = {"drop", "clamp", "none", NULL};
static const char *const start_names[] = {"inertia", "rest", "velocity", NULL};

const char *const csim_integrator_names[] = {"implicit-euler", "bdf2", "generalized-alpha", NULL};
static const char *const acceleration_names[] = {"none",     "chebyshev", "nesterov",
                                                 "anderson", "lbfgs",     NULL};
static const char *const projection_names[] = {"gauss-seidel", "jacobi", "linear", NULL};
static const char *const velocity_names[] = {"difference", "increment", NULL};
static const char *const pin_mode_names[] = {"reduced", "counter-force", NULL};

static const csim_field solver_fields[] = {
    {.key = "method",
     .kind = &csim_kind_word,
     .detail = csim_method_names,
     .offset = IN_SOLVER(method),
     .fallback = "auto",
     .doc = "How an implicit step is solved. \"auto\" is newton with what the scene's \"quality\" "
            "sets: "
            "each substep is solved until the forces on every object balance."},
    {.key = "linear",
     .kind = &csim_kind_word,
     .detail = csim_linear_names,
     .offset = IN_SOLVER(linear),
     .fallback = "pcg",
     .doc = "Linear solver inside newton."},
    {.key = "preconditioner",
     .kind = &csim_kind_choice,
     .detail = preconditioner_names,
     .offset = IN_SOLVER(preconditioner),
     .fallback = "multilevel",
     .doc = "Of pcg: inverses of the 3 x 3 diagonal blocks, an incomplete Cholesky factor, or the "
            "first on a hierarchy of coarser and coarser aggregates of vertices."},
    {.key = "psd",
     .kind = &csim_kind_choice,
     .detail = spd_names,
     .offset = IN_SOLVER(psd),
     .fallback = "drop",
     .doc = "What becomes of negative eigenvalues of the Hessian: the term that compression makes "
            "negative is dropped, each element is clamped, or nothing is done (for study)."},
    {.key = "start",
     .kind = &csim_kind_choice,
     .detail = start_names,
     .offset = IN_SOLVER(start),
     .fallback = "inertia",
     .doc = "Where the iteration starts: free flight under the external forces (inertia), the last "
            "step's "
            "positions (rest), or free flight without forces (velocity)."},
    {.key = "iterations",
     .kind = &csim_kind_integer,
     .offset = IN_SOLVER(iterations),
     .least = 1,
     .most = 1000000,
     .fallback = "4",
     .doc = "Outer iterations of a substep, at most."},
    {.key = "tolerance",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(tolerance),
     .least = 0,
     .most = 1,
     .fallback = "1e-3",
     .doc = "Stop when the gradient is this small against gravity and the forces at the start."},
    {.key = "step_tolerance",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(step_tolerance),
     .least = 0,
     .most = 1,
     .fallback = "0",
     .doc = "Of newton: stop too when what is left would move the vertices by less than this share "
            "of an edge's length (root mean square, by the preconditioner); 0 = do not."},
    {.key = "balance",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(balance),
     .least = 0,
     .most = 1,
     .fallback = "0",
     .doc = "Of newton, with \"step_tolerance\": a substep ends only when the net force left over "
            "on every "
            "object is at most this share of the forces on it, and on patches of it (about 64 an "
            "object, root mean square) ten times that; 0 = do not look at forces."},
    {.key = "damping",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(damping),
     .least = 0,
     .most = 100,
     .fallback = "0",
     .doc =
         "Of implicit methods: springs resist their rate of stretch by this many substeps times "
         "their stiffness, on top of the material's \"stretch_damping\". It calms what a substep "
         "is too long for, and vanishes as substeps get shorter; rotations are not damped."},
    {.key = "linear_iterations",
     .kind = &csim_kind_integer,
     .offset = IN_SOLVER(linear_iterations),
     .least = 1,
     .most = 1000000,
     .fallback = "500",
     .doc = "Iterations of the linear solver, at most."},
    {.key = "linear_tolerance",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(linear_tolerance),
     .least = 0,
     .most = 1,
     .fallback = "1e-3",
     .doc = "Relative residual at which the linear solver stops. With newton the first solve of a "
            "substep goes to 0.4 of it, and later ones may stop at up to 6 times it: "
            "docs/methods.md."},
    {.key = "line_search",
     .kind = &csim_kind_bool,
     .offset = IN_SOLVER(line_search),
     .fallback = "true",
     .doc = "Shorten steps that do not lower the energy; false takes every step whole."},
    {.key = "jacobi_alpha",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(jacobi_alpha),
     .least = 0,
     .most = 1,
     .flags = CSIM_ABOVE,
     .fallback = "0.5",
     .doc = "Damping of the jacobi linear solver."},
    {.key = "chebyshev_rho",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(chebyshev_rho),
     .least = 0,
     .most = 1,
     .flags = CSIM_BELOW,
     .fallback = "0.99",
     .doc = "Estimated spectral radius for chebyshev-jacobi and chebyshev acceleration."},
    {.key = "integrator",
     .kind = &csim_kind_choice,
     .detail = csim_integrator_names,
     .offset = IN_SOLVER(integrator),
     .doc = "Of implicit methods: backward Euler, second-order backward differences, or "
            "generalized-alpha (second order too, backward Euler where contact stops something; "
            "newton only). Default: generalized-alpha with newton unless \"frames.accuracy\" is "
            "given, implicit-euler with other methods."},
    {.key = "acceleration",
     .kind = &csim_kind_choice,
     .detail = acceleration_names,
     .offset = IN_SOLVER(acceleration),
     .fallback = "none",
     .doc = "Of descent (chebyshev, nesterov, anderson) and pd (those and lbfgs)."},
    {.key = "window",
     .kind = &csim_kind_integer,
     .offset = IN_SOLVER(window),
     .least = 1,
     .most = CSIM_MAX_WINDOW,
     .fallback = "5",
     .doc = "Earlier iterations that anderson and lbfgs look back on."},
    {.key = "projection",
     .kind = &csim_kind_choice,
     .detail = projection_names,
     .offset = IN_SOLVER(projection),
     .fallback = "gauss-seidel",
     .doc = "Of pbd and xpbd: constraints one after another, all at once and averaged, or (xpbd) "
            "in one linear system."},
    {.key = "velocity_update",
     .kind = &csim_kind_choice,
     .detail = velocity_names,
     .offset = IN_SOLVER(velocity_update),
     .fallback = "difference",
     .doc = "Of pbd: (x - x_n)/h, or v* plus the projection's part; equal but for rounding."},
    {.key = "pbd_stiffness",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(pbd_stiffness),
     .least = 0,
     .most = 1,
     .flags = CSIM_ABOVE,
     .fallback = "1",
     .doc = "Of pbd: share of every constraint's error that all iterations together remove."},
    {.key = "pins",
     .kind = &csim_kind_choice,
     .detail = pin_mode_names,
     .offset = IN_SOLVER(pins),
     .fallback = "reduced",
     .doc = "Of newton: pinned vertices leave the system, or are held by a counter-force and its "
            "derivative."},
    {.key = "strain_limit",
     .kind = &csim_kind_real,
     .offset = IN_SOLVER(strain_limit),
     .least = 0,
     .most = 1e6,
     .doc = "Largest strain of springs, enforced by projections after the solve; 0 = none."},
    {.key = "strain_limit_iterations",
     .kind = &csim_kind_integer,
     .offset = IN_SOLVER(strain_limit_iterations),
     .least = 1,
     .most = 10000,
     .fallback = "10",
     .doc = "Passes of those projections."},
};
const csim_table csim_solver_table = {.name = "solver",
                                      .doc = "How a time step is solved.",
                                      .size = sizeof(csim_solver_params),
                                      CSIM_FIELDS_OF(solver_fields)};
