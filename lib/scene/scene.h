// scene/scene.h: the parsed scene with all defaults resolved, in SI. Needs base/.
//
// scene/read.c fills it from JSON; scene/compile.c turns it into a model. Nothing here changes
// after reading. All pointers live in `arena`.
#ifndef CSIM_SCENE_SCENE_H
#define CSIM_SCENE_SCENE_H

#include "base/arena.h"
#include "base/log.h"
#include "clothsim.h"
#include "io/sewing.h"
#include "model/params.h"

// ---------------------------------------------------------------------------------------- meshes

typedef enum csim_shape {
  CSIM_SHAPE_FILE,     ///< not a shape: read `file`
  CSIM_SHAPE_SEQUENCE, ///< a mesh that deforms: read `sequence`; collider only
  CSIM_SHAPE_PATTERN,  ///< panels of a sewing pattern: read `pattern`; cloth only
  CSIM_SHAPE_GRID,
  CSIM_SHAPE_BOX,
  CSIM_SHAPE_SPHERE,
  CSIM_SHAPE_TORUS,
  CSIM_SHAPE_CYLINDER,
  CSIM_SHAPE_CAPSULE,
  CSIM_SHAPE_CONE,
  CSIM_SHAPE_DISK,
  CSIM_SHAPE_TUBE,  ///< open cylinder side
  CSIM_SHAPE_PLANE, ///< infinite; collider only
} csim_shape;

/// Source of an object's surface. Shapes are centred at the origin, axis along y.
typedef struct csim_mesh_source {
  csim_shape shape;
  char *file;       ///< path, already relative to the working directory; shape FILE only
  char *sequence;   ///< as csim_sequence_open takes it; shape SEQUENCE, as the next four
  char *object;     ///< name in it, or in `file`; NULL = its only object
  double frame;     ///< of `file`, by its own numbers; below -CSIM_FRAME_LIMIT: its first
  const char *unit; ///< of lengths in the file, "cm"; NULL = what it says, else the scene's
  const char *up;   ///< "y" or "z" of the file; NULL = what it says, else the scene's
  char *faces;      ///< mesh file with the faces; NULL = the sequence's own
  double fps;       ///< [1/s] 0 = the sequence's own, or else the scene's
  double offset;    ///< [frames of the scene] before its first frame is over
  char *pattern;    ///< path as of `file`; shape PATTERN only, as the next eight
  csim_sewing_detail detail;
  double seam_from;      ///< frame in which the seams begin to close; as the next
  double seam_closed;    ///< frame in which the seams are closed; below -CSIM_FRAME_LIMIT: default
  double seam_stiffness; ///< [N/m] of each stitch
  double seam_damping;   ///< [N s/m]
  double seam_pull;      ///< [N] largest of each stitch; 0 = any
  double hold;           ///< [N/m] of springs that hold the waist at its height; 0 = none
  int gather;            ///< whether edges sewn to shorter ones are as short at rest
  double size[3];        ///< [m] grid: (x, z); box: (x, y, z)
  double radius;         ///< [m] sphere, torus (centre line), cylinder, capsule, cone, disk, tube
  double tube_radius;    ///< [m] torus
  double height;         ///< [m] cylinder, cone, tube; capsule: of the straight part
  int cells[3];          ///< grid: (x, z); box: (x, y, z); sphere, tube: (around, along); torus,
                         ///< disk: (around, across); cylinder, capsule, cone: all three
  const char *diagonals; ///< grid: "alternate" or "same"
} csim_mesh_source;

// --------------------------------------------------------------------------------------- objects

/// Kinds of objects that a material can be used for.
typedef enum csim_stuff {
  CSIM_STUFF_ANY,
  CSIM_STUFF_SHEET, ///< density is [kg/m^2]
  CSIM_STUFF_SOLID, ///< density is [kg/m^3]
} csim_stuff;

/// Direction of warp.
typedef enum csim_warp {
  CSIM_WARP_AUTO, ///< along u where there are texture coordinates, else along x
  CSIM_WARP_UV,
  CSIM_WARP_X, ///< of the mesh
  CSIM_WARP_Y,
  CSIM_WARP_Z,
} csim_warp;

/// The shape without strain.
typedef enum csim_rest {
  CSIM_REST_START, ///< the mesh as it is
  CSIM_REST_UV,    ///< the flat pattern of texture coordinates
  CSIM_REST_FILE,  ///< another mesh with the same faces
} csim_rest;

/// What a strain beyond the limit meets: a stiffer material, or a bound that it never reaches.
typedef enum csim_limit_law { CSIM_LIMIT_STIFFEN, CSIM_LIMIT_BOUND } csim_limit_law;

/// A named set of constants. Values that a material does not set come from its preset, else are 0.
typedef struct csim_material {
  char *name;
  const char *preset; ///< NULL if none
  csim_stuff stuff;   ///< given by the preset or by the unit of the density
  double density;     ///< cloth [kg/m^2], solid [kg/m^3]
  double stretch;     ///< cloth: Young's modulus times thickness, E2D [N/m]
  double weft;    ///< cloth, membranes: stretch along weft [N/m]; 0 = as stretch, which is warp's
  double shear;   ///< cloth, membranes: shear modulus times thickness [N/m]; 0 = isotropic
  double poisson; ///< cloth, membranes: [-]
  int nstretch_table;
  double *stretch_table; ///< (nstretch_table, 0 or CSIM_MEASURED) cloth, law measured [N/m]
  int nbend_table;
  double *bend_table; ///< (nbend_table, 0 or CSIM_MEASURED_BENDING) cloth, bending curvature [N m]
  double bend;        ///< cloth: bending stiffness B [N m]
  double bend_weft;   ///< cloth, bending curvature: along weft [N m]; 0 = as bend, which is warp's
  double bend_spring; ///< cloth: stiffness of bending springs [N/m]
  double modulus;     ///< solid: Young's modulus [Pa]
  double volume;      ///< solid: stiffness against change of volume [Pa]
  double damping;     ///< [1/s] v decays as exp(-damping t)
  double stretch_damping;   ///< [s] springs resist rates of stretch by this times their stiffness
  double numerical_damping; ///< [-] share of the solver's damping; < 0: by the type of object
  double drag;              ///< normal drag coefficient of the surface in the air, [-]
  double spring;            ///< if > 0, every spring of the object has this stiffness [N/m]
  double compression;       ///< [-] share of the springs' stiffness that resists compression
  double slack;             ///< [-] strain without energy
  double limit;             ///< [-] strain at which a stiffening limit begins; 0 = none
  csim_limit_law limit_law;
  double limit_stiffness; ///< [N/m] of the limit; 0 = 100 times the spring's
  double yield_curvature; ///< [1/m] beyond it dihedral bending is plastic; 0 = never
  double yield_strain;    ///< [-] beyond it stretch of membranes and solids is plastic; 0: never
  double hardening;       ///< [-] of both, see csim_yield
  double yield_rate;      ///< [1/s] the same
  double extension, extension_weft, extension_bias; ///< cloth: FAST's readings, [-], until read
  double bending_length, bending_length_weft;       ///< cloth: [m], until read
  double vertex_mass; ///< if > 0, every vertex of the object has this mass [kg]
} csim_material;

/// Vertices chosen in any of these ways (their union). Ranges are kept as indices.
typedef struct csim_selection {
  int all; ///< every vertex
  int nindex;
  int *index; ///< (nindex) vertices by number
  int nbox;
  double (*box)[6]; ///< (nbox) min x y z, max x y z [m], against the placed start positions
  int nnearest;
  double (*nearest)[3]; ///< (nnearest) the vertex nearest to each point [m], placed
  int ngroup;
  char **group; ///< (ngroup) vertices of the faces carrying these tags
} csim_selection;

/// Which point of a collider a pinned vertex follows.
typedef enum csim_follow_by {
  CSIM_FOLLOW_FACE,   ///< the nearest at the start
  CSIM_FOLLOW_VERTEX, ///< the nearest vertex at the start
  CSIM_FOLLOW_NUMBER, ///< the vertex of the same number
} csim_follow_by;

/// Pinned vertices of an object.
typedef struct csim_pin {
  csim_place place; ///< for messages at compile time (index out of range, empty box)
  csim_selection select;
  char *property;     ///< name of the mesh file's weights: above 0 chosen; NULL: none
  double stiffness;   ///< [N/m] a soft spring to the target; 0 = exact; with keys the largest
  csim_curve keyed;   ///< [N/m] stiffness over time
  csim_motion motion; ///< of the targets; no keys = fixed
  double axis[3];     ///< unit: the only direction in which it holds; 0 0 0 = all
  char *follow;       ///< name of the collider that the targets follow; NULL = none
  csim_follow_by by;
  int snap; ///< targets are on the collider, instead of at their distance from it at the start
  double from, to; ///< frames; beyond CSIM_FRAME_LIMIT: no such bound
} csim_pin;

/// Edges of cloth that are bent at rest: those with both ends selected.
typedef struct csim_fold {
  csim_place place;
  csim_selection select;
  double angle; ///< [rad] > 0: a ridge on the side that the faces point to; < 0: a valley
} csim_fold;

/// Where a solid has finer tetrahedra.
typedef struct csim_finer {
  int nbox;
  double (*box)[6];  ///< (nbox) min x y z, max x y z [m], against the placed start
  int pins;          ///< 1: also around what the object's pins hold
  double distance;   ///< [m] from them that counts as inside
  double max_volume; ///< [m^3] there
} csim_finer;

/// Property of a cloth's material that a map changes.
typedef enum csim_map_of {
  CSIM_MAP_DENSITY,
  CSIM_MAP_STRETCH, ///< warp and weft
  CSIM_MAP_WEFT,
  CSIM_MAP_SHEAR,
  CSIM_MAP_BEND,    ///< warp and weft
  CSIM_MAP_DAMPING, ///< from here on in the order of csim_factor_of
  CSIM_MAP_DRAG,
  CSIM_MAP_FRICTION,
  CSIM_MAP_THICKNESS,
  CSIM_NMAP,
} csim_map_of;

/// A factor that varies over the cloth: low + w (high - low), w from one of the lists.
typedef struct csim_map {
  csim_place place;
  csim_map_of of;
  double low, high; ///< [-]
  int nvertex;
  double *vertex; ///< (nvertex) [-] w of each vertex of the mesh
  int nface;
  double *face; ///< (nface) [-] w of each face
  int ngroup;
  char **group;   ///< (ngroup) w = 1 on the faces that carry one of these tags
  char *property; ///< name of the mesh file's values, which are w of each vertex; NULL: none
} csim_map;

#define CSIM_FRAME_LIMIT 1e7 ///< larger than any frame number
enum { CSIM_LAST_FRAME = -10000000 };

/// One end of an attachment or seam.
typedef struct csim_link_end {
  csim_place place;
  char *object; ///< its name
  csim_selection select;
} csim_link_end;

/// How vertices of two ends are paired.
typedef enum csim_pairing {
  CSIM_PAIRING_AUTO,
  CSIM_PAIRING_ORDER,
  CSIM_PAIRING_NEAREST,
  CSIM_PAIRING_FACE,
} csim_pairing;

/// An attachment or a seam.
typedef struct csim_joint {
  csim_place place;
  csim_link_end a, b;
  csim_pairing pair;
  double stiffness, damping; ///< [N/m], [N s/m] of each string
  double length;             ///< [m] < 0: that of the start
  double pull;               ///< [N] it pulls no harder; 0 = any
  double force;              ///< [N] it tears above; 0 = never
  double from, to;           ///< frames; beyond CSIM_FRAME_LIMIT: no such bound
  int seam;
  double closed; ///< seam: frame in which it is closed
} csim_joint;

/// Pressure, gas or a volume to keep inside of cloths.
typedef struct csim_chamber_source {
  csim_place place;
  int nobject;
  char **object;   ///< (nobject) names of cloths
  double pressure; ///< [Pa] with keys the largest
  csim_curve pressure_key;
  int gas;
  double atmosphere; ///< [Pa]
  double volume;     ///< [-] with keys the largest
  csim_curve volume_key;
  double stiffness; ///< [Pa]
} csim_chamber_source;

/// A mesh that follows an object and is written beside it.
typedef struct csim_render {
  csim_place place;
  char *name;            ///< as of csim_object
  csim_mesh_source mesh; ///< placed as the object is
} csim_render;

typedef struct csim_object {
  csim_place place;      ///< of the object in the file
  csim_place mesh_place; ///< of its mesh
  char *name;            ///< unique; [A-Za-z0-9_.-]+, it becomes a file name
  csim_object_type type;
  csim_mesh_source mesh;
  double scale[3];            ///< [-] applied first, then rotation, then position
  double rotation[3];         ///< [rad] rotation vector (axis times angle)
  double position[3];         ///< [m]
  double velocity[3];         ///< [m/s] at the start
  double spin[3];             ///< [rad/s] angular velocity about the centre of mass at the start
  int material;               ///< index into csim_scene.material; -1 for colliders
  csim_network network;       ///< cloth: structured or mesh
  int bending;                ///< cloth: CSIM_BENDING_NONE, SPRING, CURVATURE, or HINGE + number
  csim_edges edges;           ///< cloth: which edges of a mesh network carry springs
  int levels;                 ///< cloth: coarser levels of springs, see model/levels.h
  csim_membrane_law membrane; ///< cloth: a membrane instead of springs
  csim_warp warp;             ///< cloth: direction of warp
  double warp_angle;          ///< cloth: [rad] warp is turned by this
  int nmap;
  csim_map *map;     ///< (nmap) cloth
  csim_rest rest;    ///< cloth: source of the rest shape
  double rest_scale; ///< cloth: [m] of 1 in texture coordinates
  char *rest_file;   ///< cloth: mesh with the rest shape
  char *rest_object; ///< cloth: as csim_mesh_source.object, and the next as its frame
  double rest_frame;
  int flat_angles; ///< cloth: hinges are flat at rest, whatever the rest shape
  int nfold;
  csim_fold *fold; ///< (nfold) cloth: angles at rest that are given
  int npin;
  csim_pin *pin;
  int nrender;
  csim_render *render;        ///< (nrender) cloth and solids
  csim_elasticity elasticity; ///< solid
  double radius_edge_ratio;   ///< solid: TetGen quality bound, [-]
  double max_volume;          ///< solid: [m^3], 0 = no bound
  int nfiner;
  csim_finer *finer;  ///< (nfiner) solid: where its tetrahedra are smaller
  double tet_seconds; ///< solid: [s] of processor time for filling it
  csim_motion motion; ///< collider: rigid motion
  int solid;          ///< collider: closed, outward, and nothing starts inside
  double arms[2];     ///< collider: frames during which its arms stretch out; 0, 0: never
  int ghost;          ///< collider: touches nothing, only pins follow it
  double friction;    ///< [-] coefficient of Coulomb friction; the scene's unless given
  int layer;          ///< it starts over everything in a lower layer; 0: no layer
} csim_object;

// ----------------------------------------------------------------------------------------- scene

typedef struct csim_output {
  int obj;        ///< write name_0001.obj
  int cache;      ///< write <scene name>.clothcache
  int obj_digits; ///< 9 (%.9g, exact floats) or 17 (%.17g, exact doubles)
  int velocities; ///< store velocities in the cache
  int pressures;  ///< store contact pressures in the cache
  int strain;     ///< store strain in the cache
  int colliders;  ///< write OBJ files of colliders too
  int transforms; ///< rigid colliders as transforms in formats that have some
  int nformat;
  const char **format; ///< (nformat) formats of other programs to write too, see csim_export_open
  double cache_error;  ///< [m] bound of a lossy cache; 0 = lossless
  int nsample;
  double *sample; ///< (nsample) [frames] from each frame, as given
  int nshare;
  double share[CSIM_CACHE_MAX_SAMPLE]; ///< (nshare) the same between the frame before and a frame:
                                       ///< in (-1, 0), increasing
} csim_output;

/// Bounds that a run should keep; with --strict it fails beyond them.
typedef struct csim_strict {
  double lag;         ///< [m] of a collider or pin behind its motion, in a frame
  double strain;      ///< [-] of a spring or triangle, in a frame
  double imbalance;   ///< [-] force left over on an object after a substep, as a share
  double energy;      ///< [-] gained over the start's, as a share of what was exchanged
  double momentum;    ///< [m/s] speed that unbalanced forces have given the whole scene
  double unconverged; ///< [-] share of the substeps
} csim_strict;

/// A range of frames with its own keys, see scene/phase_keys.c.
typedef struct csim_phase_keys {
  char *name;
  csim_scene *scene; ///< the whole scene with the phase's keys; its frame_end is the phase's
} csim_phase_keys;

typedef struct csim_input csim_input; // see inputs.h

struct csim_scene {
  csim_arena arena;
  char *file;         ///< as given
  csim_input *input;  ///< every file that it is read from
  int version;        ///< of the scene format: 1
  char *name;         ///< file name part of outputs
  char *description;  ///< NULL if none
  char *look_at;      ///< a line that says what to look at; NULL if none
  int up;             ///< 1 = y, 2 = z: what "up" was in the scene; outputs keep the scene's axes
  double length_unit; ///< [m] of one unit of length in mesh files, read and written
  int frame_start, frame_end;
  double fps;        ///< [1/s]
  char *start_cache; ///< bodies start from it; NULL = as the scene says
  int start_frame;   ///< in that cache; CSIM_LAST_FRAME: the last one
  int until_rest;    ///< ends before frame_end when everything is at rest
  double rest_speed; ///< [m/s] largest speed at rest
  double if_open;    ///< [m] a phase is left out if no seam is open by more; 0: never
  csim_quality quality;
  int substeps;      ///< per frame; with an accuracy the most of them
  double accuracy;   ///< [m/s] of adaptive steps; 0 = fixed steps
  double gravity[3]; ///< [m/s^2] with keys the largest
  csim_curve gravity_key;
  csim_wind wind;
  csim_solver_params solver;
  csim_contact_params contact;
  csim_output output;
  csim_strict strict;
  int nmaterial;
  csim_material *material; ///< (nmaterial)
  int nobject;
  csim_object *object; ///< (nobject) in scene order
  int nphase;
  csim_phase_keys *phase; ///< (nphase) in order of time; frame_end is the last one's
  int nattachment;
  csim_joint *attachment; ///< (nattachment)
  int nseam;
  csim_joint *seam; ///< (nseam)
  int nchamber;
  csim_chamber_source *chamber; ///< (nchamber)
  char *resolved; ///< the whole scene as JSON with all defaults resolved (--print-config)
  uint64_t hash;  ///< of all in the scene that can change a frame, see clothsim.h
};

/// Frames in which seams close that do not say: a second, and none in a scene that goes on from
/// another run, where they are closed.
static inline double csim_closing_frames(const csim_scene *scene) {
  return scene->start_cache ? 0 : scene->fps;
}

/// Number in the scene of a part (bodies first, then colliders, in the scene's order); -1: none.
static inline int csim_scene_object_of(const csim_scene *scene, int nbody, int part) {
  int collider = part >= nbody, left = collider ? part - nbody : part;
  for (int o = 0; o < scene->nobject; o++)
    if ((scene->object[o].type == CSIM_OBJECT_COLLIDER) == collider && left-- == 0) return o;
  return -1;
}

/// Whether "pinched": "ignore" would keep an object on time. Exact pins and planes release nothing.
static inline int csim_scene_may_release(const csim_scene *scene, int object) {
  const csim_object *o = object >= 0 ? &scene->object[object] : NULL;
  return o && o->type == CSIM_OBJECT_COLLIDER && o->mesh.shape != CSIM_SHAPE_PLANE &&
         scene->contact.pinched == CSIM_PINCHED_LAG;
}

#endif
