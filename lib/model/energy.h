// model/energy.h: the interface of all elastic energies, and their parallel evaluation. Needs
// math/.
//
// An energy is a sum over elements of a few vertices each. The kinds are declared below (those of
// springs are in springs.c, those of hinges in hinges.c, and so on). A kind supplies value,
// gradient and Hessian over a range of elements; energy.c runs them in parallel. Elements are
// sorted by colour: no two of one colour share a vertex, so a colour's elements add to vertices and
// blocks without a race, and every sum has one order whatever the thread count.
#ifndef CSIM_MODEL_ENERGY_H
#define CSIM_MODEL_ENERGY_H

#include "base/simd.h"
#include "math/bsr.h"
#include "mesh/patches.h"
#include "model/bending_list.h"
#include "model/params.h"

enum {
  CSIM_FIT_NODES = 11, ///< a vertex and up to ten neighbours, see measured_bending.c
  CSIM_CONSTRAINT_NODES = CSIM_PATCH_NODES, ///< most vertices of an element that is a constraint
  CSIM_MEASURED = 24,                       ///< numbers of a table of stretching
  CSIM_BEND_KNOTS = 5,                      ///< curvatures of a table of bending
  CSIM_MEASURED_BENDING = 3 * CSIM_BEND_KNOTS,
  CSIM_MAX_PARAM = 1 + 4 * CSIM_BEND_KNOTS + 3 * (CSIM_FIT_NODES - 1),
};

typedef struct csim_energy csim_energy;

/// Earlier points (nvert x 3) [m] that Hessians use, for steps that are not too short.
typedef struct csim_earlier {
  const double *stress; ///< from where springs and membranes predict the stress of geometric
                        ///< stiffness: the last iteration's; NULL: that at x
  const double *chord;  ///< from where bounds of strain take chords: the last iteration's, or the
                        ///< start of the step; NULL: tangents
} csim_earlier;

/// The point where energies are evaluated.
typedef struct csim_point {
  const double *x;       ///< (nvert x 3) [m]
  const double *anchor;  ///< (nanchor x 3) [m] present targets of soft pins; NULL if there are none
  const double *hold;    ///< (nanchor) share of soft pins' stiffness at present; NULL: all of it
  const double *link;    ///< (nlink x CSIM_LINK_NOW) present state of links, see links.h
  const double *damping; ///< (nbody) [s] of stretching, see springs.c; NULL: none
  const int *body_of;    ///< (nvert) with damping: the body that a vertex belongs to
  const double *from;    ///< (nvert x 3) [m] with damping: where the step began
  csim_earlier earlier;
  double h;                  ///< [s] with damping: the step's length
  const double *plastic;     ///< (model's nplastic) plastic strains; NULL: none
  const unsigned char *idle; ///< (nvert) 1: its elements, of which all vertices are marked, are
                             ///< left out of values, gradients, largest steps and edge-based
                             ///< matrices; NULL: none
} csim_point;

/// An element as a constraint, for projective methods: its energy is k/2 |C|^2.
typedef struct csim_constraint {
  int dim;  ///< 1: C[0] with gradients grad; 3: a vector C = sum weight_n x_n + constant
  double k; ///< stiffness [J / unit of C^2]
  double C[3];
  /// dim 1: dC/dx of each node; dim 3: grad[n][0] is the weight of node n
  double grad[CSIM_CONSTRAINT_NODES][3];
} csim_constraint;

/// The purpose of an energy; a model may have several of one role.
typedef enum csim_role {
  CSIM_ROLE_STRETCH,   ///< springs
  CSIM_ROLE_LIMIT,     ///< limits of strain
  CSIM_ROLE_MEMBRANE,  ///< triangles
  CSIM_ROLE_BEND,      ///< hinges
  CSIM_ROLE_CURVATURE, ///< bending by the curvature at vertices
  CSIM_ROLE_VOLUME,    ///< tetrahedra
  CSIM_ROLE_PIN,       ///< soft pins
  CSIM_ROLE_LINK,      ///< strings of attachments and seams
} csim_role;

/// Functions of one kind of energy over the elements [first, last). Pure but for the named output.
typedef struct csim_energy_kind {
  const char *name;
  csim_role role;
  int nnode;  ///< vertices of an element; at most CSIM_CONSTRAINT_NODES with a constraint or excess
  int nparam; ///< constants of an element
  /// Sum of the elements' energies [J].
  double (*value)(const csim_energy *energy, const csim_point *at, int first, int last);
  /// Adds dE/dx [N] to g (nvert x 3).
  void (*gradient)(const csim_energy *energy, const csim_point *at, int first, int last, double *g);
  /// Adds d2E/dx2 [N/m] to the blocks val (nblock x 9); positive semidefinite per element unless
  /// psd is CSIM_PSD_NONE.
  void (*hessian)(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                  int last, double *val);
  /// For two nodes: the Hessian is [[H, -H], [-H, H]] with H = a I + c r r^T, r = x_0 - x_1. Adds a
  /// [N/m] and c [N/m^3] of n given elements to out (n x 2); c >= 0. Element -1 adds nothing. NULL:
  /// the energy is not of this form.
  void (*stretch)(const csim_energy *energy, const csim_point *at, csim_psd psd, int n,
                  const int *element, double *out);
  /// For three nodes: subtracts the blocks (m, n) of the Hessian, column by column, from near + 9
  /// k, with k = entry[6 e ..] of (m, n) = (0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2); k = -1:
  /// not wanted. Rows of the Hessian sum to zero. NULL: the energy is not of this form.
  void (*couple)(const csim_energy *energy, const csim_point *at, csim_psd psd, int first, int last,
                 const int *entry, float *near);
  int constant; ///< 1: the Hessian is W (x) I3, W what `laplacian` adds
  /// Adds a constant scalar matrix W to val (nblock), the matrix of projective dynamics: W (x) I3
  /// approximates the Hessian from above. Rows sum to zero, except those of anchors.
  void (*laplacian)(const csim_energy *energy, const csim_point *at, int first, int last,
                    double *val);
  /// For csim_membrane_laplacian: stiffness k [N/m] along warp and weft that is never exceeded.
  void (*stiffest)(const double *param, double k[2]);
  int laplacian_bounds; ///< 1: W (x) I3 - Hessian is positive semidefinite everywhere, so that a
                        ///< step by W never overshoots
  /// Adds half of every element's stiffness [N/m] at its vertices to elastic (nvert), from which
  /// contact estimates how hard a vertex is held. NULL: adds nothing.
  void (*elastic)(const csim_energy *energy, double *elastic);
  /// One element as a constraint. Returns 0 when it has nothing to project (no direction, slack).
  /// NULL: none has, as elements are parts of a sum, and some may be negative.
  int (*constraint)(const csim_energy *energy, const csim_point *at, int e, csim_constraint *c);
  /// For role BEND: parameters (nparam) of a hinge on the rest positions X, for bending stiffness B
  /// [N m]. Energies are B |e|^2 / (A0 + A1) / 2 theta^2 near the rest shape. The factor is 1, not
  /// the textbook's 3: that makes B the plate's stiffness on regular meshes (docs/methods.md).
  void (*hinge)(const double *X, const int node[4], double B, double *param);
  /// For energies with a bound: largest share [0, 1] of the step d (nvert x 3) [m] from at->x that
  /// takes none of the elements [first, last) beyond it. d NULL: 0 if one of them is beyond it at
  /// at->x, else 1. NULL: there is no bound.
  double (*max_step)(const csim_energy *energy, const csim_point *at, const double *d, int first,
                     int last);
  /// For energies with a bound: one element as a constraint, dim 1, for the displacement d (nvert x
  /// 3) [m] from at->x: C is csim_bound_excess, its gradients are those at at->x + d. Returns 0 if
  /// C is 0. NULL: there is no bound.
  int (*excess)(const csim_energy *energy, const csim_point *at, const double *d, int e,
                csim_constraint *c);
  int nplastic; ///< plastic numbers per element, in csim_point.plastic; 0: elastic
  /// For plastic energies: lets the elements [first, last) flow for the time h [s] at a point, and
  /// changes their numbers in plastic (the model's, as in csim_point). NULL: elastic.
  void (*yield)(const csim_energy *energy, const csim_point *at, int first, int last, double h,
                double *plastic);
  /// Largest strain [-] of an element: of a spring (l - L)/L; of a triangle along any line, its
  /// larger principal stretch less 1; of the edges of a neo-Hookean tetrahedron. NULL: none.
  double (*strain)(const csim_energy *energy, const csim_point *at, int e);
  int rest_angle; ///< for role BEND: the parameter that is 0 for a hinge flat at rest; 0: all are
  int by_angle;   ///< 1: hinges on grids use angles; 0: second differences, parameters q (4), 0
} csim_energy_kind;

struct csim_energy {
  const csim_energy_kind *kind;
  csim_isa isa; ///< kernels to use
  int nelem;
  int *node;     ///< (nelem x nnode) vertices
  int *row;      ///< (nelem) row of an element's constants; NULL: element e has row e
  double *param; ///< (rows x nparam) constants, see each kind; ask csim_energy_param
  int block;     ///< elements that follow each other and have one colour
  int ncolor;
  int *color;  ///< (ncolor + 1) first element of each colour; its blocks share no vertex
  int *slot;   ///< (nelem x nnode x nnode) block of (node a, node b), once bound to a pattern
  int plastic; ///< first of its numbers in csim_point.plastic
};

/// For the file of a kind: compiles its bodies `values` and `gradients` for each instruction set,
/// and defines the members NAME_value and NAME_gradient that call the energy's.
#define CSIM_ENERGY_KERNELS(name)                                                                  \
  CSIM_SIMD_KERNEL(double, values,                                                                 \
                   (const csim_energy *energy, const csim_point *at, int first, int last),         \
                   (energy, at, first, last))                                                      \
  CSIM_SIMD_KERNEL(                                                                                \
      int, gradients,                                                                              \
      (const csim_energy *energy, const csim_point *at, int first, int last, double *g),           \
      (energy, at, first, last, g))                                                                \
  static double name##_value(const csim_energy *energy, const csim_point *at, int first,           \
                             int last) {                                                           \
    return values_kernel[energy->isa](energy, at, first, last);                                    \
  }                                                                                                \
  static void name##_gradient(const csim_energy *energy, const csim_point *at, int first,          \
                              int last, double *g) {                                               \
    gradients_kernel[energy->isa](energy, at, first, last, g);                                     \
  }

/// Constants of element e (nparam).
static inline const double *csim_energy_param(const csim_energy *energy, int e) {
  return energy->param + energy->kind->nparam * (ptrdiff_t)(energy->row ? energy->row[e] : e);
}

/// Element e as a constraint, see csim_energy_kind. Returns 0 when it has nothing to project.
static inline int csim_energy_constraint(const csim_energy *energy, const csim_point *at, int e,
                                         csim_constraint *c) {
  return energy->kind->constraint && energy->kind->constraint(energy, at, e, c);
}

/// Copies the elements, sorted by colour: blocks of elements are coloured (greedy first fit in the
/// given order). Constants that many elements share, as on grids, are kept once.
/// @param node   (nelem x kind->nnode)
/// @param param  (nelem x kind->nparam)
/// @return 0, or -1 when out of memory (arena->failed)
int csim_energy_create(csim_arena *arena, const csim_energy_kind *kind, int nvert, int nelem,
                       const int *node, const double *param, csim_energy *energy);

/// Plastic numbers of an element (nplastic); NULL: none, as at the start.
static inline const double *csim_energy_plastic(const csim_energy *energy, const csim_point *at,
                                                int e) {
  int n = energy->kind->nplastic;
  return n && at->plastic ? at->plastic + energy->plastic + (ptrdiff_t)n * e : NULL;
}

/// Finds the block of every pair of nodes. All pairs must be in the pattern.
int csim_energy_bind(csim_arena *arena, const csim_pattern *pattern, csim_energy *energy);

/// Calls fn for ranges of elements, on all threads: one colour after another, in chunks of about
/// `grain`. Elements of a range may share vertices; ranges that run at the same time do not.
void csim_energy_for(csim_pool *pool, const csim_energy *energy, int grain, csim_range_fn *fn,
                     void *context);

/// Moves *first to the next element before `last` that is not idle.
/// @return the end of the run of such elements from there; *first if there is none
int csim_energy_next_run(const csim_energy *energy, const unsigned char *idle, int *first,
                         int last);

/// Value [J], gradient [N] (nvert x 3), Hessian [N/m] (nblock x 9) and laplacian (nblock) of an
/// energy over all its elements, on all threads, with the same bits for any number of them. The
/// value is returned; the others are added to.
double csim_energy_value(csim_pool *pool, const csim_energy *energy, const csim_point *at);
/// Lets a plastic energy flow, see csim_energy_kind; does nothing for others.
void csim_energy_yield(csim_pool *pool, const csim_energy *energy, const csim_point *at, double h,
                       double *plastic);
void csim_energy_gradient(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                          double *g);
void csim_energy_hessian(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                         csim_psd psd, double *val);
void csim_energy_laplacian(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                           double *val);

/// Largest share of a step d that keeps the energy's bounds, see csim_energy_kind; 1 without
/// bounds.
double csim_energy_max_step(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                            const double *d);

// ------------------------------------------------------------------------------------------- kinds

/// Spring between two vertices: E = k/2 (l - L)^2, l = |x_a - x_b|. Parameters k [N/m] and L [m],
/// and two remedies for locking: compression, the share of k that resists l < L [-]; slack, the
/// strain on either side of L without energy [-] (the energy then starts at the slack's edge, C1).
extern const csim_energy_kind csim_spring_kind;

/// A plastic spring: its rest length is L (1 + s). Three more parameters, a csim_yield [-]. Two
/// numbers: the plastic strain s, and the total strain of flow.
extern const csim_energy_kind csim_ductile_spring_kind;

/// Limit of a spring's strain: E = k/3 (l - M)^3 / M for l > M, else 0: C2. Parameters k [N/m], M
/// [m].
extern const csim_energy_kind csim_limit_kind;

/// Bound of a spring's strain, see bound.h: E = k w^2 B((l - M)/w), w = N - M. Parameters k [N/m],
/// the length M [m] where it begins, and N [m], which is never reached.
extern const csim_energy_kind csim_bound_kind;

// Bending of a hinge (a, b, c, d): edge ab, opposite vertices c and d.
//
// csim_quadratic_kind: isometric quadratic bending, E = 1/2 |sum_i q_i x_i|^2. Parameters q (4)
// [N^1/2 m^-1/2]. Flat rest shape. Bergou et al. 2006.
//
// csim_cotangent_kind: E = 1/2 (|sum_i q_i x_i| - c0)^2, the quadratic energy about a curved rest
// shape, as projective dynamics has it (Bouaziz et al. 2014). Parameters q (4), c0 [N^1/2 m^1/2].
// A hinge and its mirror image have the same energy.
//
// csim_dihedral_kind: E = k/2 (theta - theta0)^2. Parameters k [J], theta0 [rad], and the q (4) of
// the quadratic energy of the same stiffness (for its laplacian). The Hessian is Gauss-Newton's,
// k grad grad^T, whatever psd says: exact at theta0, always semidefinite.
#define CSIM_DECLARE_BENDING(name) extern const csim_energy_kind csim_##name##_kind;
CSIM_BENDING_LIST(CSIM_DECLARE_BENDING)

/// A plastic dihedral hinge: E = k/2 (theta - theta0 - s)^2, where s [rad] is the permanent bend.
/// Parameters are those of dihedral, its width w [m], by which theta/w is a curvature, and a
/// csim_yield [1/m]. Two numbers: s, and the total curvature of flow [1/m].
extern const csim_energy_kind csim_crease_kind;

/// All energies of bending, in the order of the list.
extern const csim_energy_kind *const csim_bending_kinds[CSIM_NBENDING];

/// Membrane of a triangle, see membrane.c. Woven: warp and weft keep their lengths and their right
/// angle (Baraff & Witkin 1998). Orthotropic: St. Venant-Kirchhoff. Parameters by
/// csim_membrane_param.
extern const csim_energy_kind csim_woven_kind, csim_orthotropic_kind;

/// The same with plastic threads: the strains along warp and weft are those beyond their plastic
/// strains. Four more parameters: a csim_yield [-], and 0. Four numbers: plastic strains of warp
/// and weft, and the total strain of flow of each.
extern const csim_energy_kind csim_ductile_woven_kind, csim_ductile_orthotropic_kind;

/// Woven or orthotropic, of these four.
static inline csim_membrane_law csim_membrane_law_of(const csim_energy_kind *kind) {
  return kind == &csim_woven_kind || kind == &csim_ductile_woven_kind ? CSIM_MEMBRANE_WOVEN
                                                                      : CSIM_MEMBRANE_ORTHOTROPIC;
}

/// Membrane of a triangle whose stiffness grows with strain and turns with its angle, see
/// measured.c. Parameters by csim_measured_param.
extern const csim_energy_kind csim_measured_kind;

/// `laplacian` and `elastic` of all membranes, whose parameters begin with those of
/// csim_membrane_param.
void csim_membrane_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *val);
void csim_membrane_elastic(const csim_energy *energy, double *elastic);

/// Two vertices: E = w/2 |x_a - x_b|^2. Parameter w [N/m], of either sign: see pairs.c.
extern const csim_energy_kind csim_curvature_kind;

/// A vertex and its neighbours: bending whose stiffness depends on curvature and angle, see
/// measured_bending.c. Parameters by csim_measured_bending_param. A vertex with fewer neighbours
/// than ten repeats its own number.
extern const csim_energy_kind csim_measured_bending_kind;

/// Volume of a tetrahedron: E = k/2 (V - V0)^2. Parameters k [J/m^6], V0 [m^3].
extern const csim_energy_kind csim_volume_kind;

/// Tetrahedron of a stable neo-Hookean solid, see neohooke.c. Parameters by csim_neohooke_param.
extern const csim_energy_kind csim_neohooke_kind;

/// Patch of tetrahedra (mesh/patches.h) of the same material, on its mean deformation gradient. A
/// patch of fewer vertices repeats one of them. Parameters by csim_solid_patch_param. One number:
/// the share of lambda that it has lost since it was inverted.
extern const csim_energy_kind csim_solid_patch_kind;

/// Soft pin: E = k/2 |x - anchor|^2. Parameters k [N/m], number of the anchor, and a unit vector
/// along which alone it holds; 0 0 0: it holds in all directions.
extern const csim_energy_kind csim_anchor_kind;

/// Strings between two vertices, and between a vertex and a point of a triangle, see links.h.
extern const csim_energy_kind csim_link_kind, csim_link_face_kind;

/// Plastic flow of a material. Strain beyond `at` flows and stays: at once, or the share 1 -
/// exp(-rate h) of it in a step of length h. After a total flow f the yield point is at + hardening
/// f. (Narain, Pfaff and O'Brien, Folding and Crumpling Adaptive Sheets, 2013, without hardening.)
typedef struct csim_yield {
  double at;        ///< elastic strain [-] or curvature [1/m]
  double hardening; ///< [-]
  double rate;      ///< [1/s] 0: at once
} csim_yield;

/// One step of length h of the flow. elastic is the strain beyond the plastic strain; *flowed is
/// the total flow so far, which grows. @return the increase of the plastic strain
double csim_yield_flow(const csim_yield *yield, double elastic, double h, double *flowed);

/// Moduli of a sheet.
typedef struct csim_moduli {
  double warp, weft; ///< [N/m] Young's moduli times thickness, uniaxial
  double shear;      ///< [N/m] shear modulus times thickness
  double poisson;    ///< [-] 0 <= nu < 1: pulled along warp it narrows by nu sqrt(warp / weft)
  double limit;      ///< [-] strain beyond which warp and weft stiffen; 0 = none
  double stiffening; ///< [N/m] tension grows by this times (strain - limit)^2 beyond the limit
  int bound;         ///< 1: a strain that no direction reaches, principal.h, its q is stiffening
} csim_moduli;

/// Parameters of a triangle whose rest shape is (warp, weft) of its three corners, rest (3 x 2)
/// [m].
/// @return 0, or -1 when the rest shape has no area
int csim_membrane_param(csim_membrane_law law, const double rest[6], const csim_moduli *moduli,
                        double param[12]);

/// Parameters of a triangle with plastic threads: the twelve above, and four more.
int csim_ductile_membrane_param(csim_membrane_law law, const double rest[6],
                                const csim_moduli *moduli, const csim_yield *yield,
                                double param[16]);

/// Parameters (5 + CSIM_MEASURED) of a triangle whose stiffness is a table (6 x 4) [N/m]: c11, c12,
/// c22, c33 at low strain, and at a stretch of 7/6 at 0, 22.5, 45, 67.5, 90 degrees to warp; each
/// is semidefinite, c12^2 <= c11 c22.
/// @return 0, or -1 when the rest shape has no area
int csim_measured_param(const double rest[6], const double *table, double *param);

/// Parameters of csim_measured_bending_kind.
/// @param area   [m^2] of the vertex
/// @param table  (3 x CSIM_BEND_KNOTS) [N m] stiffness of cloth bent along warp, at 45 degrees and
///               along weft, at curvatures of 0, 10, 20, 30 and 40 1/m; none below 0
/// @param n      neighbours, at most CSIM_FIT_NODES - 1
/// @param row    (n x 3) [1/m^2] their coefficients in the second derivatives k11, k22, k12
void csim_measured_bending_param(double area, const double *table, int n, double row[][3],
                                 double *param);

/// Sets the csim_yield of a hinge's parameters.
void csim_crease_yield(const csim_yield *yield, double *param);

/// Lame's moduli of a solid.
typedef struct csim_lame {
  double mu, lambda; ///< [Pa]
} csim_lame;

/// Of Young's modulus E [Pa] and Poisson's ratio nu, 0 <= nu < 1/2.
csim_lame csim_lame_of(double E, double nu);

/// Parameters of a tetrahedron on the rest positions X.
/// @return 0, or -1 when its volume is not positive
int csim_neohooke_param(const double *X, const int node[4], const csim_lame *lame,
                        double param[15]);

/// Parameters (27) of a patch without tetrahedra; csim_solid_patch_add adds one, given its
/// parameters, whose vertices are numbers local (4) of the patch.
void csim_solid_patch_param(const csim_lame *lame, double *param);
void csim_solid_patch_add(const double *tet, const int local[4], double *param);

/// The parameters q (4) of csim_quadratic_kind for a hinge; other kinds use them too.
void csim_quadratic_param(const double *X, const int node[4], double B, double q[4]);

#endif
