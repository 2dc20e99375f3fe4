// scene/solver_keys.c: keys of "solver". Needs scene/reader.h.
#include "scene/reader.h"

#include "solver/linear.h"
#include "solver/method.h"

#include <stddef.h>

#define IN_SOLVER(member) offsetof(csim_solver_params, member)

static const char *const preconditioner_names[] = {"jacobi", "ichol", "multilevel", NULL};
static const char *const psd_names[] = {"drop", "clamp", "none", NULL};
static const char *const start_names[] = {"inertia", "rest", "velocity", NULL};

const char *const csim_integrator_names[] = {"implicit-euler", "bdf2", "generalized-alpha", NULL};
static const char *const acceleration_names[] = {"none",     "chebyshev", "nesterov",
                                                 "anderson", "lbfgs",     NULL};
static const char *const projection_names[] = {"gauss-seidel", "jacobi", "linear", NULL};
static const char *const velocity_names[] = {"difference", "increment", NULL};
static const char *const pin_mode_names[] = {"reduced", "counter-force", NULL};

static const csim_field solver_fields[] = {
    CSIM_KEY("method", word, IN_SOLVER(method), "auto", .detail = csim_method_names,
             .doc =
                 "How an implicit step is solved. \"auto\" is newton with the settings of "
                 "\"quality\": each substep is solved until the forces on every object balance."),
    CSIM_KEY("linear", word, IN_SOLVER(linear), "pcg", .detail = csim_linear_names,
             .doc = "Linear solver inside newton."),
    CSIM_KEY("preconditioner", choice, IN_SOLVER(preconditioner), "multilevel",
             .detail = preconditioner_names,
             .doc = "Of pcg: block-Jacobi (inverses of the 3 x 3 diagonal blocks), an incomplete "
                    "Cholesky factor, or block-Jacobi on a hierarchy of aggregates of vertices."),
    CSIM_KEY("psd", choice, IN_SOLVER(psd), "drop", .detail = psd_names,
             .doc = "PSD projection of the Hessian: drop the term that compression makes negative, "
                    "clamp the eigenvalues of each element, or do nothing (for study)."),
    CSIM_KEY("start", choice, IN_SOLVER(start), "inertia", .detail = start_names,
             .doc = "Initial guess: free flight under the external forces (inertia), the last "
                    "step's positions (rest), or free flight without forces (velocity). Of pbd and "
                    "xpbd only the first, unless \"projection\" is \"linear\"."),
    CSIM_KEY("iterations", integer, IN_SOLVER(iterations), "4", .least = 1, .most = 1000000,
             .doc = "Outer iterations of a substep, at most."),
    CSIM_KEY("tolerance", real, IN_SOLVER(tolerance), "1e-3", .least = 0, .most = 1,
             .doc = "Stop when the gradient is this small relative to gravity and the forces at "
                    "the start."),
    CSIM_KEY(
        "step_tolerance", real, IN_SOLVER(step_tolerance), "0", .least = 0, .most = 1,
        .doc = "Of newton: also stop when one more step would move the vertices by less than this "
               "share of an edge (root mean square, estimated by the preconditioner); 0 = never."),
    CSIM_KEY(
        "balance", real, IN_SOLVER(balance), "0", .least = 0, .most = 1,
        .doc =
            "Of newton, with \"step_tolerance\": a substep ends only when the net force on every "
            "object is at most this share of the forces on it, and on patches of it (about 64 per "
            "object, root mean square) at most 20 times that; 0 = forces are not tested."),
    CSIM_KEY("damping", real, IN_SOLVER(damping), "0", .least = 0, .most = 100,
             .doc = "Of implicit methods: springs resist their rate of stretch by this many "
                    "substeps times their stiffness, on top of the material's \"stretch_damping\". "
                    "It removes oscillations that a substep cannot resolve, and vanishes as "
                    "substeps get shorter. Rotations are not damped, nor is what has no "
                    "\"numerical_damping\": solids, the preset \"rubber\"."),
    CSIM_KEY("linear_iterations", integer, IN_SOLVER(linear_iterations), "500", .least = 1,
             .most = 1000000, .doc = "Iterations of the linear solver, at most."),
    CSIM_KEY("linear_tolerance", real, IN_SOLVER(linear_tolerance), "1e-3", .least = 0, .most = 1,
             .doc =
                 "Relative residual at which the linear solver stops. Newton with a `balance` uses "
                 "0.6 to 10 times that, and also requires the forces to balance: docs/methods.md."),
    CSIM_KEY("gain_tolerance", real, IN_SOLVER(gain_tolerance), "0", .least = 0, .most = 1,
             .doc =
                 "Of newton with \"balance\" 0: a substep also ends where an iteration lowers the "
                 "energy by less than this share of what the substep has gained, and the residual "
                 "is half of that at its start. What is left follows in the next substep if that "
                 "starts from rest (`start`); 0 = never."),
    CSIM_KEY("later_tolerance", real, IN_SOLVER(later_tolerance), "0", .least = 0, .most = 1,
             .doc = "Of newton with \"balance\" 0: largest relative residual at which later linear "
                    "systems of a substep stop. They are solved to half of what the best step so "
                    "far has left, but at least to this; 0 = 6 times `linear_tolerance`, at most "
                    "0.3. More is less work where only the rest position counts."),
    CSIM_KEY("line_search", bool, IN_SOLVER(line_search), "true",
             .doc = "Shorten steps that do not lower the energy; false takes full steps."),
    CSIM_KEY("jacobi_alpha", real, IN_SOLVER(jacobi_alpha), "0.5", .least = 0, .most = 1,
             .flags = CSIM_ABOVE, .doc = "Damping of the jacobi linear solver."),
    CSIM_KEY("chebyshev_rho", real, IN_SOLVER(chebyshev_rho), "0.99", .least = 0, .most = 1,
             .flags = CSIM_BELOW,
             .doc = "Estimated spectral radius for chebyshev-jacobi and chebyshev acceleration."),
    CSIM_KEY("integrator", choice, IN_SOLVER(integrator), NULL, .detail = csim_integrator_names,
             .doc = "Of implicit methods: backward Euler, second-order backward differences, or "
                    "generalized-alpha (second order, but backward Euler for vertices in contact; "
                    "newton only). Default: generalized-alpha with newton unless "
                    "\"frames.accuracy\" is given, implicit-euler with other methods."),
    CSIM_KEY("acceleration", choice, IN_SOLVER(acceleration), "none", .detail = acceleration_names,
             .doc = "Of descent (chebyshev, nesterov, anderson) and pd (those and lbfgs)."),
    CSIM_KEY("window", integer, IN_SOLVER(window), "5", .least = 1, .most = CSIM_MAX_WINDOW,
             .doc = "Number of earlier iterations that anderson and lbfgs use."),
    CSIM_KEY("projection", choice, IN_SOLVER(projection), "gauss-seidel",
             .detail = projection_names,
             .doc = "Of pbd and xpbd: constraints one after another, all at once and averaged, or "
                    "(xpbd) in one linear system."),
    CSIM_KEY("velocity_update", choice, IN_SOLVER(pbd.velocity_update), "difference",
             .detail = velocity_names,
             .doc =
                 "Of pbd: (x - x_n)/h, or v* plus the projection's part; equal but for rounding."),
    CSIM_KEY("pbd_stiffness", real, IN_SOLVER(pbd.stiffness), "1", .least = 0, .most = 1,
             .flags = CSIM_ABOVE,
             .doc =
                 "Of pbd: share of every constraint's error that all iterations together remove."),
    CSIM_KEY("pins", choice, IN_SOLVER(pins), "reduced", .detail = pin_mode_names,
             .doc = "Of newton: pinned vertices leave the system, or are held by a counter-force "
                    "and its derivative."),
    CSIM_KEY("strain_limit", real, IN_SOLVER(strain_limit), NULL, .least = 0, .most = 1e6,
             .doc =
                 "Largest strain of springs, enforced by projections after the solve; 0 = none."),
    CSIM_KEY("strain_limit_iterations", integer, IN_SOLVER(strain_limit_iterations), "10",
             .least = 1, .most = 10000, .doc = "Passes of those projections."),
};
const csim_table csim_solver_table =
    CSIM_TABLE("solver", csim_solver_params, solver_fields, NULL, "How a time step is solved.");
