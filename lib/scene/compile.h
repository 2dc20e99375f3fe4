// scene/compile.h: builds a model from the parsed scene. Needs everything below.
#ifndef CSIM_SCENE_COMPILE_H
#define CSIM_SCENE_COMPILE_H

#include "contact/bind.h"
#include "contact/collider.h"
#include "math/vec3.h"
#include "model/network.h"
#include "model/model.h"
#include "scene/scene.h"

#include <math.h>

/// A mesh that follows a body and is written beside it.
typedef struct csim_bound_mesh {
  const char *name; ///< the scene's
  int body;         ///< in the model
  csim_mesh mesh;   ///< as it is placed at the start
  csim_bind bind;   ///< to the body
} csim_bound_mesh;

/// All render meshes of a run. They stay when a phase replaces the world.
typedef struct csim_renders {
  csim_arena arena;
  int n;
  csim_bound_mesh *mesh; ///< (n) in the order of their bodies
} csim_renders;

/// Where the panels of a sewing pattern start, which takes seconds to find.
typedef struct csim_placement {
  uint64_t key; ///< hash of all that decides it
  int nvert;
  double *x; ///< (nvert x 3) [m]
} csim_placement;

/// A model with the colliders around it; constant during a run.
typedef struct csim_world {
  csim_arena arena;
  csim_model *model;
  int ncollider, nghost;
  csim_collider *collider;     ///< (ncollider + nghost) those that touch nothing come last
  csim_contact_params contact; ///< the scene's, with a thickness
  csim_mesh *collider_mesh;    ///< (ncollider + nghost) their surfaces at the start
  csim_renders *renders;       ///< owned by the caller; NULL: none
  int nplacement;
  csim_placement *placement; ///< (nplacement)
} csim_world;

/// Reads meshes, fills solids with tetrahedra, makes springs, hinges, masses and pins.
///
/// @param tet_program  path of clothsim-tet
/// @param pool         may be NULL: one thread
/// @param last         of the phase before, whose placements are taken where they are the same;
///                     may be NULL. The result does not depend on it.
/// @param[out] world   overwritten; csim_world_free in any case
/// @return CSIM_OK; CSIM_INVALID with all errors in the log; CSIM_IO; CSIM_MEMORY, reported
///         for the scene, also where a reader has reported it for its file
csim_status csim_compile(const csim_scene *scene, const char *tet_program, csim_pool *pool,
                         csim_log *log, const csim_world *last, csim_world *world);
void csim_world_free(csim_world *world);

/// Index of the first collider in outputs: after bodies and render meshes.
static inline int csim_world_first_collider(const csim_world *world) {
  return world->model->nbody + (world->renders ? world->renders->n : 0);
}

/// Actual positions of a collider (mesh->nvert x 3), which may lag behind its target; NULL if the
/// state does not have them.
const double *csim_world_real_vertices(const csim_world *world, int collider,
                                       const csim_state *state);

/// Moves the vertices x of a plane's mesh from its prescribed pose onto the plane where contact has
/// left it. Other colliders stay.
void csim_world_hold_plane(const csim_world *world, int collider, const csim_state *state,
                           double *x);

/// Frees the data of the meshes of bodies and renders that a run does not need once it has begun,
/// see csim_mesh_release.
void csim_world_release(csim_world *world, int keep_faces);

// ----------------------------------------------- parts of the compiler (build_*.c), for it alone

/// Elements by name and energy: X(name, kind) in the order in which projections process them,
/// springs from coarse to fine; hinges are between the two lists.
#define CSIM_SHEET_ELEMENTS(X)                                                                     \
  X(levels, spring)                                                                                \
  X(springs, spring)                                                                               \
  X(limits, limit)                                                                                 \
  X(bounds, bound)                                                                                 \
  X(woven, woven)                                                                                  \
  X(orthotropic, orthotropic)                                                                      \
  X(ductile_springs, ductile_spring)                                                               \
  X(ductile_woven, ductile_woven)                                                                  \
  X(ductile_orthotropic, ductile_orthotropic)                                                      \
  X(measured, measured)
#define CSIM_OTHER_ELEMENTS(X)                                                                     \
  X(creases, crease)                                                                               \
  X(curvature, curvature)                                                                          \
  X(bent, measured_bending)                                                                        \
  X(volume, volume)                                                                                \
  X(neohooke, neohooke)                                                                            \
  X(patches, solid_patch)                                                                          \
  X(anchors, anchor)                                                                               \
  X(links, link)                                                                                   \
  X(face_links, link_face)

/// Elements of each kind of energy, in that order. It must have no other members.
typedef struct csim_build_elements {
#define CSIM_ELEMENT_SET(name, kind) csim_elements name;
  CSIM_SHEET_ELEMENTS(CSIM_ELEMENT_SET)
  csim_elements hinges[CSIM_NBENDING]; ///< of each of csim_bending_kinds
  CSIM_OTHER_ELEMENTS(CSIM_ELEMENT_SET)
  csim_elements seam_hinges[CSIM_NBENDING]; ///< as hinges, across seams
#undef CSIM_ELEMENT_SET
} csim_build_elements;
enum { CSIM_NELEMENT_SET = sizeof(csim_build_elements) / sizeof(csim_elements) };

/// Data that grows while objects are added, before it becomes a csim_model.
typedef struct csim_build {
  const csim_scene *scene;
  const char *tet_program;
  csim_pool *pool; ///< may be NULL
  csim_log *log;
  const csim_world *last; ///< of the phase before; NULL: none
  csim_world *world;      ///< its colliders are complete; patterns draw in their arms
  csim_arena *arena;      ///< of the model
  csim_model *model;
  ptrdiff_t x_capacity, v_capacity, mass_capacity;
  double *x, *v, *mass; ///< (model->nvert x 3, x 3 and x 1), heap
  csim_build_elements elements;
  ptrdiff_t target_capacity;
  csim_target *target; ///< (model->ntarget), heap
  ptrdiff_t course_capacity, follow_capacity;
  csim_course *course; ///< (model->pins.ncourse), heap
  csim_follow *follow; ///< (model->pins.nfollow), heap
  ptrdiff_t link_capacity;
  csim_link *link;   ///< (model->links.nlink), heap
  csim_cache *start; ///< bodies start from it; NULL: as the scene says
  int start_frame;   ///< its index in the cache
} csim_build;

/// Time of a frame from the start of the run [s]; infinite where the scene gives no frame.
static inline double csim_frame_time(const csim_scene *scene, double frame) {
  if (fabs(frame) > CSIM_FRAME_LIMIT) return frame < 0 ? -INFINITY : INFINITY;
  return (frame - scene->frame_start) / scene->fps;
}

/// Reads or generates the object's surface and places it: scale, then rotation, then position.
csim_status csim_build_surface(const csim_scene *scene, const csim_object *object, csim_log *log,
                               csim_mesh *mesh);

/// Adds the vertices, masses, pins and elements of a body whose placed surface is body->mesh.
csim_status csim_build_cloth(csim_build *build, const csim_object *object, csim_body *body);
csim_status csim_build_solid(csim_build *build, const csim_object *object, csim_body *body);

/// Warns about sizes that suggest a wrong unit or a misplaced decimal point.
void csim_warn_about_size(const csim_object *object, const csim_mesh *mesh, csim_log *log);

/// The rest shape of a cloth whose placed mesh is `mesh`, triangle by triangle.
typedef struct csim_rest_shape {
  double *X;    ///< (nvert x 3) [m]; NULL: a rest shape from uv
  double *flat; ///< (ntri x 6) [m] see model/fabric.h; NULL: not needed
} csim_rest_shape;

/// @param[out] rest  overwritten; csim_rest_free in any case
csim_status csim_build_rest(csim_build *build, const csim_object *object, const csim_mesh *mesh,
                            csim_rest_shape *rest);
void csim_rest_free(csim_rest_shape *rest);

/// Adds all springs of a cloth, also of bending, but not those of coarser levels.
csim_status csim_build_springs(csim_build *build, const csim_object *object, const csim_body *body,
                               const csim_topology *topology, const csim_rest_shape *rest);

/// Logs the actual moduli of the springs of each cloth and solid on its mesh, see model/moduli.h.
/// @param model  as compiled, its meshes not yet released
csim_status csim_report_moduli(const csim_scene *scene, const csim_model *model, csim_log *log);

/// Chooses the contact of a world whose model is complete: the scene's thickness, or one for each
/// body from its mesh (thicker contact takes fewer substeps, and a fifth of an edge does not show),
/// times what maps say. Thickness is the largest there is, and every vertex has a share of it.
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_choose_thickness(const csim_scene *scene, csim_world *world);

/// With response "filter", logs the thickness of each body where the scene gives none, and objects
/// that prescribed motions or velocities at the start move by more than an edge of the finest mesh
/// in a substep.
/// @param world  as compiled, its meshes not yet released
csim_status csim_report_contact(const csim_scene *scene, const csim_world *world, csim_level level,
                                csim_log *log);

/// Factors of the material of each triangle.
typedef struct csim_factors {
  double *of[CSIM_NMAP]; ///< (ntri) each; NULL: 1 everywhere
} csim_factors;

/// Evaluates the object's maps.
/// @param[out] factors  overwritten; csim_factors_free in any case
csim_status csim_build_factors(csim_build *build, const csim_object *object, const csim_mesh *mesh,
                               csim_factors *factors);
void csim_factors_free(csim_factors *factors);

/// Factor of triangle `tri`.
static inline double csim_factor(const csim_factors *factors, csim_map_of of, int tri) {
  return factors->of[of] ? factors->of[of][tri] : 1;
}

/// The numbers (nvert) of a mesh file's vertices by this name.
/// @return NULL after an error: there are none
const double *csim_find_channel(csim_build *build, const csim_object *object, csim_place place,
                                const csim_mesh *mesh, const char *name);

/// Gives the hinges of a cloth, from number `first` on, the angles of its folds.
/// @return CSIM_INVALID where a fold chooses no edge
csim_status csim_fold_hinges(csim_build *build, const csim_object *object, const csim_body *body,
                             const csim_rest_shape *rest, int first, csim_elements *hinges);

/// Adds the pins of a body whose vertices are in build->x.
csim_status csim_build_pins(csim_build *build, const csim_object *object, const csim_body *body);

/// Marks the vertices of a surface that an object's pins hold at some time (mesh->nvert, set from
/// 0), before it is a body.
/// @return CSIM_INVALID if a pin names something that does not exist, which is reported
csim_status csim_choose_pinned(csim_build *build, const csim_object *object, csim_mesh *mesh,
                               unsigned char *chosen);

/// Marks the vertices of a body that a selection chooses (body->nvert, set from 0). Returns 1 if it
/// names something that does not exist, and reports that.
int csim_select_vertices(csim_build *build, const csim_selection *select, csim_place place,
                         const csim_body *body, unsigned char *chosen);

/// Opens the cache that bodies start from, if the scene names one.
/// @return CSIM_INVALID (it does not fit), CSIM_IO, CSIM_MEMORY
csim_status csim_build_open_start(csim_build *build);

/// Whether this cloth or solid is in that cache.
int csim_starts_from_cache(const csim_build *build, const csim_object *object);

/// Positions and velocities of a body, whose rest shape is known, from that cache.
/// @return as above
csim_status csim_build_start(csim_build *build, const csim_object *object, const csim_body *body);

/// Warns of a collider that is not where that cache has it: sequences begin at the scene's start
/// frame, whichever that is.
/// @return CSIM_IO, CSIM_MEMORY
csim_status csim_build_check_start(const csim_build *build, const csim_object *object,
                                   const csim_collider *collider);

/// Adds attachments and seams. All bodies must have been added.
csim_status csim_build_links(csim_build *build);

/// Shortens the springs of a pattern's edges that are sewn to shorter ones, from spring `first` on.
csim_status csim_gather_springs(const csim_body *body, int first, csim_elements *springs);

/// Adds bending across seams. Call after csim_build_links.
csim_status csim_build_seams(csim_build *build);

/// Distance of vertices in a closed seam [m], where contact between them begins.
/// @param share  smallest of theirs, see csim_contact_params
static inline double csim_seam_distance(const csim_contact_params *contact, double share) {
  return csim_min(CSIM_SEAM_SCALE * share, csim_contact_self_share(contact)) * contact->thickness;
}

/// Sets the lengths of stitches in closed seams to that distance, so that contact and stitches do
/// not work against each other, or to where they start if that is less, and the triangles they turn
/// with. Call it once the thickness is known.
csim_status csim_close_seams(csim_world *world);

/// Reads a sewing pattern and places its panels. A body whose mesh is coarse also gets what is
/// written instead. Its `mesh` is empty before.
csim_status csim_build_garment(csim_build *build, const csim_object *object, csim_body *body);

/// Moves panels of a sewing pattern apart that intersect each other or colliders.
csim_status csim_build_pattern(const csim_build *build, const csim_object *object, csim_mesh *mesh);

/// Marks the vertices that a label of a sewing pattern is on.
/// @param[out] in  (mesh->nvert) 1: it is; heap
csim_status csim_mark_label(const csim_mesh *mesh, const char *label, unsigned char **in);

/// Marks all vertices of the panels that have a marked one.
/// @param in  (mesh->nvert)
csim_status csim_mark_panels(const csim_mesh *mesh, unsigned char *in);

/// Finds the tier of every panel of a skirt: how many stitches it is away from panels of other
/// kinds, 1, 2, ... If there are none, the first tier are the panels on the waist.
/// @param[out] tier  (mesh->nvert) of the vertex's panel; 0: no skirt, -1: sewn to nothing else
csim_status csim_find_tiers(const csim_mesh *mesh, int *tier);

/// Marks panels of sleeves that are sewn to other panels of sleeves only.
/// @param      arm   (mesh->nvert) 1: of a panel of a sleeve
/// @param[out] cuff  (mesh->nvert)
csim_status csim_find_cuffs(const csim_mesh *mesh, const unsigned char *arm, unsigned char *cuff);

/// Panels of a garment: the connected parts of its mesh.
typedef struct csim_panels {
  csim_mesh *mesh;
  int n;
  const int *of;        ///< (mesh->nvert) panel of each vertex
  const int *tier;      ///< (mesh->nvert) by csim_find_tiers
  const int *ring;      ///< (n) a number for each set of panels that are sewn within their tier
  const double *normal; ///< (n x 3) unit, outwards
} csim_panels;

/// Vertices of the scene's mesh colliders, but for those of arms.
typedef struct csim_trunk {
  int n;
  double *x; ///< (n x 3) [m]
} csim_trunk;
csim_status csim_find_trunk(const csim_build *build, csim_arena *arena, csim_trunk *trunk);

/// Middle along x of the leg that is between two heights, at most `far` from x and on its side of
/// the body [m]; NAN if there is none.
double csim_leg_at(const csim_trunk *trunk, double x, double far, const double height[2]);

/// Whether a height is below the crotch: legs are on both sides, and nothing is between them.
/// @param[out] range  along x of both legs [m]
int csim_below_crotch(const csim_trunk *trunk, double height, double range[2]);

/// What a ring around the trunk at some height needs; 0: nothing is there.
typedef struct csim_girth {
  double length;    ///< [m] of the shortest closed line around it
  double middle[3]; ///< a point of the axis of a vertical cylinder around it
  double radius;    ///< [m] of that cylinder
} csim_girth;

/// Girth of the trunk at the height of x, or of the leg on its side of the body.
/// @param both  1: of both legs
csim_girth csim_trunk_girth(const csim_trunk *trunk, const double x[3], int both);

/// A level ellipse around the trunk, or around the leg on its side of the body.
typedef struct csim_oval {
  double middle[3];
  double along[3]; ///< unit, horizontal: of the long axis
  double length;   ///< [m] around it
  double room;     ///< [m] to what is inside
  int both;        ///< 1: around both legs
  double half[2];  ///< [m] axes
} csim_oval;

/// Finds the roundest one of its length that leaves room for what is inside of it at this height: a
/// circle where it is, or an ellipse around the middle of that.
/// @return 1; 0: there is none, and it is a circle where it was
int csim_fit_oval(const csim_trunk *trunk, csim_oval *oval);

/// Bends panels of skirts that reach above their own waist.
/// @param      bent   (panels->n) not 0: it is already
/// @param[out] count  how many were
csim_status csim_bend_circular(const csim_panels *panels, const unsigned char *bent, int *count);

/// Whether a panel is sewn at both ends to panels of the same tier, with which it makes a ring.
int csim_is_band(const csim_panels *panels, int panel);

/// Whether the ring that a panel is in is around one leg: it is on one side of the body, or its
/// tier has another on the other side.
int csim_is_of_a_leg(const csim_panels *panels, int panel);

/// Bends flared bands of lower tiers to parts of a ring, in waves, around what is inside of it; and
/// of the first tier those that are below the crotch.
/// @param[out] bent   (panels->n) 1: it was; 2: and stretched, around something wider than it is
/// @param[out] count  how many were
csim_status csim_bend_flared(const csim_panels *panels, const csim_trunk *trunk,
                             unsigned char *bent, int *count);

/// Bends a panel around towards the panels of the same tier to which both of its ends are sewn.
/// @return 1: it is bent, 0: its ends are not sewn
int csim_wrap_band(const csim_panels *panels, int panel);

/// Lifts panels labelled "body" until the stitches between them that run through the shoulders of a
/// collider run above them.
csim_status csim_lift_shoulders(const csim_build *build, const csim_object *object,
                                csim_mesh *mesh);

/// Moves panels of sleeves that stand beside the arm of a collider across it, so that the arm runs
/// along their middle.
/// @param panel  (garment->nvert) number of each vertex's panel
csim_status csim_center_sleeves(const csim_build *build, const csim_object *object,
                                csim_mesh *garment, const int *panel);

/// Moves panels of cuffs that stand beside a leg of a collider sideways to the leg's middle, skirts
/// that are drawn beside both legs to the middle between them, and godets in front of their slits.
void csim_place_cuffs(const csim_build *build, const csim_object *object, const csim_panels *panels,
                      const csim_trunk *trunk);

/// Sets a narrow triangle for each stitch between vertices that `in` marks, higher by `lift` [m].
/// @param      in  (nvert)
/// @param[out] x   (n x 9), at most one for each stitch: their corners
/// @return n. Stitches without a horizontal extent have none.
int csim_span_stitches(const csim_mesh *mesh, const unsigned char *in, double lift, double *x);

/// Draws in arms of colliders with the key "arms" that a garment's skirt would be sewn around, or
/// raises those that its side seams cross, if it is the scene's only pattern.
/// @param garment  its panels as they are placed, with their labels; those of sleeves turn with an
///                 arm that is raised
/// @param panel    (garment->nvert) of each vertex
csim_status csim_build_arms(const csim_build *build, csim_mesh *garment, const int *panel);

/// Adds chambers. Call when seams have been added and the model is assembled.
csim_status csim_build_chambers(csim_build *build);

/// Lets the targets of group number model->pins.ngroup follow the pin's collider.
csim_status csim_build_follow(csim_build *build, const csim_pin *pin, const csim_body *body,
                              csim_pin_group *group);

/// Reads the render meshes of a compiled world's bodies and binds them. Only outputs use them.
/// @param[out] renders  overwritten; csim_renders_free in any case
csim_status csim_build_renders(const csim_scene *scene, const csim_world *world, csim_log *log,
                               csim_renders *renders);
void csim_renders_free(csim_renders *renders);

/// Places vertices (n x 3) of the object: scale, then rotation, then position.
void csim_place_vertices(const csim_object *object, int n, double *x);

/// A collider, by its shape, mesh file or sequence, and the mesh to show it. Frames of sequences go
/// to the arena.
csim_status csim_build_collider(const csim_scene *scene, const csim_object *object, csim_log *log,
                                csim_arena *arena, csim_collider *collider, csim_mesh *mesh);

/// Reads the frames of a deforming collider that the run needs, and its mesh, placed as at the
/// start of the run.
csim_status csim_build_sequence(const csim_scene *scene, const csim_object *object, csim_log *log,
                                csim_arena *arena, csim_collider *collider, csim_mesh *mesh);

/// Warns where a mesh from a cache or an Alembic file looks like a mistake: a size that only
/// centimetres explain, a collider that stands still though the file moves it.
/// @param mesh  as it was placed
/// @return CSIM_OK; CSIM_IO, CSIM_INVALID (reported) or CSIM_MEMORY
csim_status csim_check_import(const csim_object *object, const csim_mesh *mesh, csim_log *log);

/// Lists groups, objects and materials of a mesh, as many as fit: `; it has "a", "b"`, or "".
void csim_list_groups(const csim_mesh *mesh, char text[200]);

/// The mesh of a file: a mesh file, or a frame of an object in a cache or Alembic file. In metres
/// and the axes of the scene; not placed.
/// @param source     file, object, frame, unit, up
/// @param[out] mesh  csim_mesh_free; empty on failure
/// @return CSIM_OK; CSIM_INVALID, CSIM_IO (reported); CSIM_MEMORY
csim_status csim_read_mesh(const csim_scene *scene, const csim_mesh_source *source, csim_log *log,
                           csim_mesh *mesh);

/// Turns n vertices (n x 3) of a file to the scene's up axis and scales them to metres, as given by
/// the source's keys, else by the file, else by the scene.
/// @param info  data of the file; NULL: none
void csim_mesh_to_scene(const csim_scene *scene, const csim_mesh_source *source,
                        const csim_sequence_info *info, ptrdiff_t n, double *x);

/// The mesh of an object in a cache, its vertices at x (nvert x 3), with its faces, texture
/// coordinates and tags.
csim_status csim_mesh_of_cached(const csim_cache_object *object, const double *x, csim_place place,
                                csim_log *log, csim_mesh *mesh);

#endif
