// clothsim.h: the public header. Programs in cli/ and tools/ use nothing else of lib/. Frames in
// files (caches, exports, sequences) are in clothsim_cache.h, which it includes.
//
// Run a scene to files with csim_run, or step it yourself with csim_sim_step.
//
// Errors      The library never prints and never exits. Functions return a csim_status and write
//             the details to a csim_log.
// Units       SI throughout; the unit of every physical quantity is in brackets, [m].
// Arrays      Positions and velocities are row-major doubles; shapes are in parentheses, (n x 3).
// Ownership   Whoever creates an object frees it, with the function of the same prefix.
//             Arguments are only borrowed for the call, unless the comment says otherwise.
// Options     Initialise option structs with zero: 0 and NULL are the defaults, and members that
//             later versions append keep them.
// Threads     The library has no global state. Different objects may be used by different threads
//             at the same time; one object is used by one thread at a time, except that a
//             csim_scene is constant and may be shared.
// Versions    Until 1.0 a new minor version may change this header; the shared library's name
//             changes with it.
#ifndef CLOTHSIM_H
#define CLOTHSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define CSIM_VERSION_MAJOR 0
#define CSIM_VERSION_MINOR 1
#define CSIM_VERSION_PATCH 0
#define CSIM_VERSION "0.1.0"

/// Version of the library that is linked, e.g. "0.1.0"; CSIM_VERSION is the header's. Static
/// string.
const char *csim_version(void);

/// Result of a call. The numbers are also the exit codes of the programs.
typedef enum csim_status {
  CSIM_OK = 0,
  CSIM_FAILED = 1,   ///< the solver gave up (the last good frame is kept), surfaces intersect
                     ///< (verify) or a bound of "strict" is exceeded
  CSIM_INVALID = 2,  ///< error in usage, scene or mesh, also where a scene names a file that is
                     ///< not there; the log says where, and the remedy
  CSIM_IO = 3,       ///< a file could not be read or written; the log names it
  CSIM_MEMORY = 4,   ///< out of memory
  CSIM_STOPPED = 75, ///< stopped on request, can be resumed (EX_TEMPFAIL)
} csim_status;

// ------------------------------------------------------------------------------------- messages

typedef enum csim_level { CSIM_DEBUG, CSIM_INFO, CSIM_WARNING, CSIM_ERROR } csim_level;

/// One message with its location. Pointers are valid only during the call.
typedef struct csim_message {
  csim_level level;
  const char *file;    ///< file concerned, or NULL
  int line, column;    ///< 1-based location in the file; 0 if unknown
  const char *pointer; ///< JSON pointer into the scene, or NULL
  const char *text;    ///< one line, no newline
} csim_message;

/// Receives messages. A NULL log is allowed everywhere and discards them.
typedef struct csim_log {
  void (*write)(void *user, const csim_message *message); ///< NULL: messages are only counted
  void *user;
  int nerror;   ///< errors seen so far
  int nwarning; ///< warnings seen so far
} csim_log;

/// Writes one formatted message (printf) to a log and counts it, as the library does. Lines over
/// 1,000 characters are cut, control characters become '?'.
/// @param log   NULL allowed
/// @param file  the file concerned, or NULL
void csim_log_print(csim_log *log, csim_level level, const char *file, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/// Writes one byte of UTF-8 as it appears inside a JSON string: itself, or escaped.
/// @param[out] escape  (8) ends with 0
/// @return length
int csim_escape_json(char byte, char *escape);

// --------------------------------------------------------------------------------------- meshes

/// A polygon mesh and its triangles. Vertices and polygons keep the order of the input.
typedef struct csim_polygons {
  int nvert;
  const double *vert; ///< (nvert x 3) [m]
  int nface;
  const int *face_start; ///< (nface + 1) first corner of each face
  const int *face_vert;  ///< (face_start[nface]) vertex of each corner
  int ntri;
  const int *tri;      ///< (ntri x 3) the faces triangulated, in face order
  const int *tri_face; ///< (ntri) face of each triangle
} csim_polygons;

/// Reads an OBJ, OFF, STL or PLY file. Rejects numbers that are not finite, indices out of range,
/// and files without faces.
/// @param[out] surface  NULL on failure; release with csim_polygons_free
/// @return CSIM_OK; CSIM_IO or CSIM_INVALID with file and line; CSIM_MEMORY
csim_status csim_polygons_read(const char *path, csim_log *log, csim_polygons **surface);

/// Makes a surface of polygons in memory; they are copied.
/// @param vert          (nvert x 3) [m]
/// @param face_start    (nface + 1) first corner of each face; faces have at least 3 corners
/// @param face_vert     (face_start[nface]) vertex of each corner, in [0, nvert); as face_start it
///                      may be NULL when nface = 0
/// @param[out] surface  NULL on failure; release with csim_polygons_free
/// @return CSIM_OK; CSIM_INVALID for polygons too large to triangulate; CSIM_MEMORY
csim_status csim_polygons_make(int nvert, const double *vert, int nface, const int *face_start,
                               const int *face_vert, csim_log *log, csim_polygons **surface);

/// Frees a surface. NULL allowed.
void csim_polygons_free(csim_polygons *surface);

/// Mean length of the sides of polygons with the same number of corners: 2 for edges, 3 for
/// triangles, whose common sides count twice.
/// @param x     (n x 3) [m], for the largest index
/// @param vert  (nface x ncorner) indices in [0, n)
/// @return [m]; 0 when nface is 0
double csim_mean_edge(const double *x, int nface, int ncorner, const int *vert);

/// Finds pairs of triangles that intersect or touch, other than neighbours at their common edge or
/// vertex, with exact predicates (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
/// The mesh may consist of several objects.
/// @param vert        (nvert x 3) [m], finite
/// @param tri         (ntri x 3), indices in [0, nvert)
/// @param limit       capacity of `pair`, in pairs
/// @param[out] pair   (min(*total, limit) x 2) sorted
/// @param[out] total  number of pairs; NULL allowed
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_find_crossings(int nvert, const double *vert, int ntri, const int *tri, int limit,
                                int *pair, long long *total);

// ---------------------------------------------------------------------------------------- scenes

typedef enum csim_object_type {
  CSIM_OBJECT_CLOTH,
  CSIM_OBJECT_SOLID,
  CSIM_OBJECT_COLLIDER,
} csim_object_type;

/// A parsed scene with all defaults resolved, in SI; constant.
typedef struct csim_scene csim_scene;

/// Reads a scene file and the scenes it extends, then applies settings as of --set. Reports all
/// errors of the scene in the order of the file; only a syntax error ends the reading of its file.
///
/// @param      path   the scene file; paths in it are relative to its directory
/// @param      sets   (nset) "path=value" as of --set; paths in values are relative to the working
///                    directory; NULL allowed when nset = 0
/// @param      log    NULL allowed
/// @param[out] scene  NULL on failure; release with csim_scene_free
/// @return CSIM_OK; CSIM_INVALID; CSIM_IO (a scene file cannot be read); CSIM_MEMORY
csim_status csim_scene_read(const char *path, const char *const *sets, int nset, csim_log *log,
                            csim_scene **scene);

/// Reads a scene from memory. Everything else is as in csim_scene_read.
///
/// @param text    (length) JSON as in a scene file; need not end with 0
/// @param name    path the text would have as a file: messages name it, paths in the scene are
///                relative to its folder, and outputs are named after it; need not exist
/// @return as csim_scene_read
csim_status csim_scene_parse(const char *text, size_t length, const char *name,
                             const char *const *sets, int nset, csim_log *log, csim_scene **scene);

/// Frees a scene. NULL allowed. Simulations made from it must be freed before.
void csim_scene_free(csim_scene *scene);

/// The scene as JSON with all defaults resolved, in SI units (angles in degrees), keys in a fixed
/// order, and absolute paths. It is a valid scene with the same hash. Freed with the scene.
const char *csim_scene_resolved(const csim_scene *scene);

/// Hash of everything that can change the content of a frame: the resolved scene without "output",
/// "name", "description", "look_at", "frames.end" and the directories of files. The contents of
/// mesh files are not included.
uint64_t csim_scene_hash(const csim_scene *scene);

/// The JSON Schema (draft 7) of scene files, made from the tables that the reader works by. Release
/// with free(); NULL when out of memory.
char *csim_scene_schema(void);

/// The manual of every key of scene files in Markdown, made from the same tables. Release with
/// free(); NULL when out of memory.
char *csim_scene_manual(void);

// ------------------------------------------------------------------------------------------ runs

/// Progress of a run.
typedef struct csim_progress {
  int frame_start, frame_end;
  int frame;             ///< being computed; the previous one may still be being written
  int substep, substeps; ///< done in the frame, and their number
  double share;          ///< fraction of the whole run, [0, 1]
  long long iterations;  ///< outer iterations in this frame so far
  long long linear_iterations;
  long long contacts; ///< in this frame so far: active contact pairs, or with the
                      ///< impulse response vertices pushed by colliders
  double residual;    ///< of the last substep, [-]
} csim_progress;

typedef struct csim_run_options {
  const char *out;         ///< output directory; created if missing
  const char *tet_program; ///< path of clothsim-tet
  int nthread;             ///< at most, >= 1
  int overwrite;           ///< 1: replace the files of an earlier run in `out`
  int resume;              ///< 1: continue from the checkpoint in `out`, or start if there is none
  int from_frame;          ///< 1: continue from the checkpoint of frame `resume_from` only
  int resume_from;
  int from_cache;            ///< 1, with from_frame: if that has no checkpoint, from the cache
  int allow_changes;         ///< 1, with from_frame: even if the scene has changed
  int checkpoint_frames;     ///< frames between checkpoints; 0 = not by frames
  double checkpoint_seconds; ///< [s] time between checkpoints; 0 = not by time
  int strict;                ///< 1: a run beyond the bounds of the scene's "strict" has failed
  int checkpoint_last;       ///< 1: a complete run keeps one too, so that it can be extended
  int keep_checkpoints;      ///< 1: earlier checkpoints stay, so that a run can continue from any
  double max_seconds;        ///< [s] stop after this time; 0 = never
  int verify_substeps;       ///< 1: test for intersections after every substep
  const volatile int *stop;  ///< non-zero: stop, newton within the substep; or NULL
  void (*progress)(void *user, const csim_progress *progress); ///< after every substep; or NULL
  void *user;
} csim_run_options;

/// The worst value of some quantity in a run, and its place.
typedef struct csim_worst {
  double value;
  int frame;
  int object;  ///< number of the object in the scene; -1: none
  int vert[2]; ///< of the object, for what lies between two vertices
} csim_worst;

/// Where colliders have released an object that was in their way: "contact.pinched" is "ignore".
typedef struct csim_released {
  int object;    ///< number of the object in the scene
  int triangles; ///< that may pass through colliders, the most in a frame
  int frame;     ///< the one with the most
  int first;     ///< the first frame with any
  int frames;    ///< frames written with any
} csim_released;

/// Objects that a run reports csim_released of; those beyond are counted with the last.
enum { CSIM_MOST_RELEASED = 16 };

/// Energy and momentum that a run has gained although nothing adds any.
typedef struct csim_conserved {
  int closed;       ///< nothing adds energy: no wind, no animated collider or pin, no keys
  int frame;        ///< the one with the most energy gained
  double start;     ///< [J] energy at the start
  double exchanged; ///< [J] largest kinetic and elastic energy
  double gained;    ///< [J] largest energy of a frame above the start's; 0 unless closed
  double mass;      ///< [kg] of free vertices
  double left[3];   ///< [N s] forces that substeps left unbalanced, in all (newton)
  double judged[3]; ///< [N s] of those, what substeps left that were to balance them
} csim_conserved;

/// Counts of substeps, over all parts of a resumed run.
typedef struct csim_run_totals {
  long long taken;
  long long unconverged; ///< ended at the iteration limit, or where nothing decreased further
  long long halved;      ///< were taken in shorter parts, see docs/run-report.md
  long long retaken; ///< were too long for frames.accuracy, and were repeated with a shorter step
  long long lagged;  ///< in which a collider or pin stayed behind by more than the contact distance
  long long verified;   ///< tested for intersections, if requested
  long long crossing;   ///< of those, with more intersections than at the start
  csim_worst lag;       ///< [m] of a collider or pin behind its motion, in the frames written
  csim_worst strain;    ///< [-] of a spring or triangle in any direction, in the frames written
  csim_worst imbalance; ///< [-] force left over on an object in a substep, solver/balance.h
  csim_conserved conserved;
  int nreleased;
  csim_released released[CSIM_MOST_RELEASED]; ///< (nreleased) in order of their first frames
} csim_run_totals;

/// [s] Time of this call by phase; the sum is its wall time.
typedef struct csim_run_seconds {
  double start;      ///< building the model, initial intersection check
  double elasticity; ///< energies, gradients and assembly; projections
  double linear;     ///< linear solves
  double search;     ///< broad phase
  double contact;    ///< the rest of contact: step filter, energies, assembly
  double output;     ///< frames and checkpoints, as far as the run waited for them
  double other;
} csim_run_seconds;

typedef struct csim_run_report {
  int frames_written; ///< by this call
  int resumed;        ///< 1: it continued from a checkpoint, that of frame
  int resumed_after;
  int last_frame; ///< last good frame on disk; frame_start - 1 when there is none
  int at_rest;    ///< 1: it ended before "frames.end", as everything was at rest
  int nvert, ntri, ntet, nspring;
  long long crossings_at_start; ///< intersecting pairs of triangles, which contact ignores
  csim_run_totals total;
  int iterations; ///< limit per substep; with 1 it is not meant to converge
  long long iterations_taken, linear_iterations; ///< by this call
  csim_run_seconds seconds;
  int threads;      ///< in use in the last step: as many of `nthread` as were worth it
  char reason[256]; ///< why it ended, one line
} csim_run_report;

/// Simulates a scene and writes frames, cache and run.json into `out`.
///
/// A run that is stopped leaves a checkpoint, and so does one that fails, if possible. A resumed
/// run leaves the same files, byte for byte, as one that was never interrupted. Resuming a complete
/// run does nothing and succeeds.
/// @param options      `out` and `nthread` must be given
/// @param log          NULL allowed
/// @param[out] report  overwritten, also on failure; not NULL
/// @return CSIM_OK; CSIM_FAILED when the solver gave up, or when verify_substeps found
///         intersections; CSIM_STOPPED; CSIM_INVALID, CSIM_IO, CSIM_MEMORY. The last good frame
///         stays on disk in any case.
csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report);

/// Size of a run.
typedef struct csim_check_report {
  int nvert, nfixed, ntri, ntet, nspring, nhinge;
  int frames, substeps;
  int adaptive;  ///< 1: frames have as many substeps as frames.accuracy needs, up to `substeps`
  size_t memory; ///< [bytes] of model, state and solver
} csim_check_report;

/// Reads and builds everything as csim_run does, without simulating.
/// @param options      only `nthread`, `tet_program` and `out` are used, the last one for
///                     OUT-intersections.obj; NULL: it is not written
/// @param[out] report  overwritten; not NULL
/// @return CSIM_OK; CSIM_INVALID, CSIM_IO, CSIM_MEMORY
csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report);

/// Writes masses, pins, springs, gravity and time step as JSON, for independent checks: {"mass":
/// [..], "pins": [..], "gravity": [x, y, z], "springs": [[i, j, k, L], ..], "h": h, "damping": 0},
/// with "stretch_damping": [..] of vertices where there is any. SI units; vertices are rows as in
/// csim_sim_positions.
/// @param options  as for csim_check
/// @param path     overwritten if it exists
/// @return CSIM_OK; CSIM_INVALID, CSIM_IO, CSIM_MEMORY
csim_status csim_dump_model(const csim_scene *scene, const csim_run_options *options,
                            const char *path, csim_log *log);

/// Intersections that csim_verify_contact found in a cache.
typedef struct csim_verify_report {
  int frames;
  long long crossing; ///< pairs of triangles that intersect, over all frames
  int worst_frame;    ///< number of the frame with the most pairs
  long long worst;    ///< pairs in that frame
} csim_verify_report;

/// Tests every frame of a cache for triangles of cloths and solids that intersect each other or a
/// collider, with exact predicates. Colliders may intersect colliders. Logs every frame with
/// intersections.
/// @param nthread      1 to 256
/// @param[out] report  overwritten; not NULL
/// @return CSIM_OK if there are none, CSIM_FAILED if there are some; CSIM_IO, CSIM_MEMORY
csim_status csim_verify_contact(const char *cache_path, int nthread, csim_log *log,
                                csim_verify_report *report);

// ------------------------------------------------------------------------------------ simulations
//
// A scene that the caller steps, in memory:
//
//   csim_scene *scene = NULL;
//   csim_sim *sim = NULL;
//   if (csim_scene_read("flag.json", NULL, 0, NULL, &scene) == CSIM_OK &&
//       csim_sim_create(scene, NULL, NULL, &sim) == CSIM_OK) {
//     const double *x = csim_sim_positions(sim); // updated in place by every step
//     while (csim_sim_time(sim) < 2 && csim_sim_step_frame(sim, NULL) == CSIM_OK) draw(x);
//   }
//   csim_sim_free(sim);
//   csim_scene_free(scene);
//
// Positions have the same bits as those that csim_run writes for the scene, for any number of
// threads. The scene's "frames.end" and "output" are ignored.

typedef struct csim_sim csim_sim;

typedef struct csim_sim_options {
  const char *tet_program; ///< path of clothsim-tet, for solids; NULL = found on PATH
  int nthread;             ///< at most, 1 to 256; 0 = 1
} csim_sim_options;

/// Builds the model of a scene at its start: reads meshes, makes springs and pins, and checks that
/// no surfaces intersect.
///
/// @param      scene    must outlive the simulation
/// @param      options  NULL = defaults
/// @param      log      receives messages of this and later calls, so it must outlive the
///                      simulation; NULL allowed
/// @param[out] sim      NULL on failure; release with csim_sim_free
/// @return CSIM_OK; CSIM_INVALID (options, a mesh, or surfaces that intersect at the start);
///         CSIM_IO (a mesh file cannot be read); CSIM_MEMORY
csim_status csim_sim_create(const csim_scene *scene, const csim_sim_options *options, csim_log *log,
                            csim_sim **sim);

/// Frees a simulation and all arrays it returned. NULL allowed.
void csim_sim_free(csim_sim *sim);

/// Returns to the start of the scene and to the scene's own motions of colliders and pins.
/// @return CSIM_OK; CSIM_MEMORY, after which the simulation can only be reset or freed
csim_status csim_sim_reset(csim_sim *sim);

/// Result of one or more substeps.
typedef struct csim_sim_report {
  double time;           ///< [s] after the call, from the start of the scene
  long long substeps;    ///< taken by the call
  long long unconverged; ///< substeps that ended above the solver's tolerance
  long long halved;      ///< substeps that were taken in shorter parts, see docs/run-report.md
  long long iterations, linear_iterations; ///< outer iterations, and those of linear solves
  long long contacts;                      ///< active contact pairs, or vertices pushed with
                                           ///< response "impulse", summed over the substeps
  double residual;                         ///< largest relative residual of a substep, [-]
  double lag;                              ///< [m] largest distance of a collider's or pin's vertex
                                           ///< from its target; 0 unless contact stops it
} csim_sim_report;

/// Takes one substep: 1 / (fps * substeps) seconds, or with "frames.accuracy" the length that meets
/// the accuracy.
/// @param[out] report  overwritten; NULL allowed
/// @return CSIM_OK; CSIM_FAILED when the solver gave up (the log says why; the state stays as it
///         was); CSIM_MEMORY
csim_status csim_sim_step(csim_sim *sim, csim_sim_report *report);

/// Takes the substeps to the end of the present frame, at least one.
/// @param[out] report  totals over the substeps, overwritten; NULL allowed
/// @return as csim_sim_step; after a failure the state is that before the failed substep
csim_status csim_sim_step_frame(csim_sim *sim, csim_sim_report *report);

/// Simulated time [s] from the start of the scene.
double csim_sim_time(const csim_sim *sim);

/// Number of the last frame reached: "frames.start" at the start.
int csim_sim_frame(const csim_sim *sim);

/// Number of vertices of all cloths and solids. It changes with a phase whose meshes are coarser or
/// finer, and with it what csim_sim_get_object says; the first vertices of an object stay.
int csim_sim_nvert(const csim_sim *sim);

/// Positions of cloths and solids. The pointer stays valid, and its contents current, until
/// csim_sim_free or a change of csim_sim_nvert.
/// @return (nvert x 3) [m], y up; owned by the simulation
const double *csim_sim_positions(const csim_sim *sim);

/// Velocities of cloths and solids, which the caller may change between steps. Same lifetime as
/// positions.
/// @return (nvert x 3) [m/s]; owned by the simulation
double *csim_sim_velocities(csim_sim *sim);

/// A cloth, solid or collider. Pointers are owned by the simulation.
typedef struct csim_sim_object {
  const char *name;
  csim_object_type type;
  int first;             ///< cloth, solid: its first row in positions and velocities; collider: -1
  int nvert;             ///< solids: vertices inside follow those of the surface
  int nface;             ///< polygons of the mesh as the user gave it
  const int *face_start; ///< (nface + 1) first corner of each face
  const int *face_vert;  ///< (face_start[nface]) vertex of each corner, counted from `first`
  int ntri;
  const int *tri; ///< (ntri x 3) the faces triangulated, counted from `first`
} csim_sim_object;

/// Number of objects: cloths and solids in scene order, then colliders in scene order.
int csim_sim_nobject(const csim_sim *sim);

/// Object number k in [0, nobject).
csim_sim_object csim_sim_get_object(const csim_sim *sim, int k);

/// Number of the object of this name, or -1.
int csim_sim_find_object(const csim_sim *sim, const char *name);

/// Copies the present positions of any object, colliders included.
/// @param      k  in [0, nobject)
/// @param[out] x  (nvert x 3) [m]
void csim_sim_get_vertices(const csim_sim *sim, int k, double *x);

/// A group of pinned vertices: one entry of an object's "pins".
typedef struct csim_sim_pin {
  int object; ///< number of the object
  int nvert;
} csim_sim_pin;

/// Number of pins, over all objects in scene order.
int csim_sim_npin(const csim_sim *sim);

/// Pin number p in [0, npin).
csim_sim_pin csim_sim_get_pin(const csim_sim *sim, int p);

/// Vertices of a pin.
/// @param      p     in [0, npin)
/// @param[out] vert  (pin.nvert) rows in positions, increasing
void csim_sim_get_pin_vertices(const csim_sim *sim, int p, int *vert);

// Targets of colliders and pins. A target is reached at the end of the next csim_sim_step or
// csim_sim_step_frame, whichever is called, on a straight way; after that it stays until it is
// moved again. The first call replaces the scene's motion of that collider or pin.

/// Moves a collider rigidly: x = R (x0 - pivot) + pivot + position, x0 its start.
/// @param k         number of a collider
/// @param position  (3) [m] offset from the start
/// @param rotation  (3) [rad] rotation vector (axis times angle) about the pivot of the scene's
///                  motion, by default the collider's position
/// @return CSIM_OK; CSIM_INVALID (not a collider, or a number that is not finite)
csim_status csim_sim_move_collider(csim_sim *sim, int k, const double *position,
                                   const double *rotation);

/// Moves the targets of a pin rigidly, like csim_sim_move_collider. The default pivot is the centre
/// of the pinned vertices at the start.
/// @param p  in [0, npin)
/// @return CSIM_OK; CSIM_INVALID (no such pin, or a number that is not finite)
csim_status csim_sim_move_pin(csim_sim *sim, int p, const double *position, const double *rotation);

/// Moves every vertex of a collider whose mesh is a file or a sequence.
/// @param k  number of a collider
/// @param x  (nvert x 3) [m], before the rigid motion of csim_sim_move_collider or of the scene;
///           copied
/// @return CSIM_OK; CSIM_INVALID (not such a collider, or a number that is not finite); CSIM_MEMORY
csim_status csim_sim_set_collider_vertices(csim_sim *sim, int k, const double *x);

/// Sets the target of every vertex of a pin, in place of a rigid motion. csim_sim_move_pin returns
/// to rigid targets, starting from the last one of those.
/// @param x  (pin.nvert x 3) [m], in the order of csim_sim_get_pin_vertices; copied
/// @return CSIM_OK; CSIM_INVALID (no such pin, or a number that is not finite); CSIM_MEMORY
csim_status csim_sim_set_pin_vertices(csim_sim *sim, int p, const double *x);

/// Copies the state: positions, velocities, time, and the targets set by the caller. Stepping on
/// from a state saved at the end of a frame gives the same bits as having gone on; from one within
/// a frame the difference is that of the solver's tolerance.
/// @param[out] data  heap memory, release with free(); NULL on failure
/// @param[out] size  [bytes]
/// @return CSIM_OK; CSIM_MEMORY; CSIM_INVALID when targets of single vertices are set for more than
///         about 100,000 vertices
csim_status csim_sim_save(const csim_sim *sim, void **data, size_t *size);

/// Restores a state from csim_sim_save, or from the file run.checkpoint that csim_run left for the
/// same scene. Any bytes are safe.
/// @return CSIM_OK; CSIM_INVALID (not a state of this scene with this version; the log says why,
///         and the simulation is unchanged); CSIM_MEMORY, after which the simulation can only be
///         reset, loaded or freed
csim_status csim_sim_load(csim_sim *sim, const void *data, size_t size);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include "clothsim_cache.h" // caches, exports, sequences

#endif
