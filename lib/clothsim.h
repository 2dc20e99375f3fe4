// clothsim.h: the only public header. Programs in cli/ and tools/ use nothing else of lib/.
//
// Data flows one way: scene (what the user wrote) -> model (constant) + state -> step -> cache.
// The library never prints and never exits: it returns a status and tells the details to a
// csim_log. All quantities are SI; the unit stands in brackets. Positions are (n x 3) row-major
// doubles.
#ifndef CLOTHSIM_H
#define CLOTHSIM_H

#include <stddef.h>
#include <stdint.h>

#define CSIM_VERSION_MAJOR 0
#define CSIM_VERSION_MINOR 1
#define CSIM_VERSION_PATCH 0
#define CSIM_VERSION "0.1.0"

/// What became of a call. The numbers are the exit codes of the programs.
typedef enum csim_status {
  CSIM_OK = 0,
  CSIM_FAILED = 1,   ///< numerical: the solver gave up; the last good frame is kept
  CSIM_INVALID = 2,  ///< the user's: usage, scene or mesh; the log says where and what to do
  CSIM_IO = 3,       ///< a file could not be read or written; the log names it
  CSIM_MEMORY = 4,   ///< out of memory
  CSIM_STOPPED = 75, ///< stopped on request; can be resumed (EX_TEMPFAIL)
} csim_status;

// ------------------------------------------------------------------------------------- messages

typedef enum csim_level { CSIM_DEBUG, CSIM_INFO, CSIM_WARNING, CSIM_ERROR } csim_level;

/// One message with its place. Pointers are valid during the call only.
typedef struct csim_message {
  csim_level level;
  const char *file;    ///< file it is about, or NULL
  int line, column;    ///< 1-based place in the file; 0 if unknown
  const char *pointer; ///< JSON pointer into the scene, or NULL
  const char *text;    ///< one line, no newline
} csim_message;

/// Where messages go. A NULL log is allowed everywhere and swallows them.
typedef struct csim_log {
  void (*write)(void *user, const csim_message *message); ///< may be NULL: only count
  void *user;
  int nerror;   ///< errors seen so far
  int nwarning; ///< warnings seen so far
} csim_log;

/// A byte of UTF-8 as it stands inside a JSON string: itself, or escaped.
/// @param[out] escape  (8) ended by 0
/// @return length of the escape
int csim_escape_json(char byte, char *escape);

// --------------------------------------------------------------------------------------- meshes

/// A polygon mesh and its triangles. Order of vertices and polygons as given.
typedef struct csim_polygons {
  int nvert;
  const double *vert; ///< (nvert x 3) [m]
  int nface;
  const int *face_start; ///< (nface + 1) first corner of each face
  const int *face_vert;  ///< (face_start[nface]) vertex of each corner
  int ntri;
  const int *tri;      ///< (ntri x 3) the faces triangulated, in face order
  const int *tri_face; ///< (ntri) face each triangle came from
} csim_polygons;

/// Reads OBJ, OFF, STL or PLY. Refuses what can be no surface: numbers that are not finite, indices out
/// of range, no faces at all.
/// @param[out] surface  NULL on failure; release with csim_polygons_free
/// @return CSIM_OK; CSIM_IO or CSIM_INVALID with file and line; CSIM_MEMORY
csim_status csim_polygons_read(const char *path, csim_log *log, csim_polygons **surface);

/// A surface of polygons in memory, which are copied: at least 3 corners a face, indices in
/// [0, nvert), as csim_cache_object has them. nface = 0 is allowed.
/// @return CSIM_OK; CSIM_INVALID for polygons too large to cut; CSIM_MEMORY
csim_status csim_polygons_make(int nvert, const double *vert, int nface, const int *face_start,
                               const int *face_vert, csim_log *log, csim_polygons **surface);

/// NULL allowed.
void csim_polygons_free(csim_polygons *surface);

/// Pairs of triangles that pass through or touch each other where they should not, decided exactly.
/// Several objects may be one mesh.
/// @param vert        (nvert x 3) [m], finite
/// @param tri         (ntri x 3), indices in [0, nvert)
/// @param limit       room in `pair`
/// @param[out] pair   (min(*total, limit) x 2) rising
/// @param[out] total  how many there are; NULL allowed
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_find_crossings(int nvert, const double *vert, int ntri, const int *tri, int limit,
                                int *pair, long long *total);

// ---------------------------------------------------------------------------------------- scenes

/// What the user wrote, resolved to SI; made by csim_scene_read, constant afterwards.
typedef struct csim_scene csim_scene;

/// Reads a scene file with everything it extends, then applies the settings of the command line.
/// Reports every error of the scene, not only the first, in the order of the file (syntax errors
/// alone end the reading of their file).
///
/// @param      path   the scene file; paths in it are relative to the file they stand in
/// @param      sets   (nset) "path=value" as of --set; paths in values are relative to the working
///                    directory; NULL allowed when nset = 0
/// @param      log    NULL allowed
/// @param[out] scene  NULL on failure; release with csim_scene_free
/// @return CSIM_OK; CSIM_INVALID; CSIM_IO (a scene file cannot be read); CSIM_MEMORY
csim_status csim_scene_read(const char *path, const char *const *sets, int nset, csim_log *log,
                            csim_scene **scene);

/// NULL allowed.
void csim_scene_free(csim_scene *scene);

/// The scene as JSON with every value resolved, in SI (angles in degrees) and a fixed order of
/// keys; files by absolute path. Valid as a scene again, with the same hash. Lives as long as the
/// scene.
const char *csim_scene_resolved(const csim_scene *scene);

/// Hash of all that can change a frame's content: the resolved scene without "output",
/// "name", "description", "look_at", "frames.end" and the folders of files. The contents of mesh
/// files are not in it.
uint64_t csim_scene_hash(const csim_scene *scene);

/// The JSON Schema (draft 7) of scene files / the manual of every key in Markdown, both made from
/// the tables the reader works by. Release with free(); NULL when out of memory.
char *csim_scene_schema(void);
char *csim_scene_manual(void);

// ------------------------------------------------------------------------------------------ runs

/// Where a run is. Pointers are valid during the call only.
typedef struct csim_progress {
  int frame_start, frame_end;
  int frame;             ///< being computed; the one before it may still be on its way to the disk
  int substep, substeps; ///< done within the frame
  double share;          ///< of the whole run, [0, 1]
  long long iterations;  ///< outer iterations in this frame so far
  long long linear_iterations;
  long long contacts; ///< in this frame so far: active contact pairs, or with the
                      ///< impulse response vertices pushed by colliders
  double residual;    ///< of the last substep, [-]
} csim_progress;

typedef struct csim_run_options {
  const char *out;         ///< directory; made if missing
  const char *tet_program; ///< path of clothsim-tet
  int nthread;             ///< >= 1
  int overwrite;           ///< 1: replace an earlier run's files in `out`
  int resume;              ///< 1: go on from the checkpoint in `out`; start where there is none
  int from_frame;          ///< 1: go on from the checkpoint of frame `resume_from`, no other
  int resume_from;
  int from_cache;    ///< 1, with from_frame: where that has no checkpoint, from the cache's floats
  int allow_changes;         ///< 1, with from_frame: though the scene has changed since
  int checkpoint_frames;     ///< a checkpoint every so many frames; 0 = not by frames
  double checkpoint_seconds; ///< [s] a checkpoint at the first frame after so long; 0 = not by time
  int checkpoint_last;       ///< 1: a complete run leaves one too, so that it can be made longer
  int keep_checkpoints;      ///< 1: earlier checkpoints stay, so that any of them can be gone on from
  double max_seconds;        ///< [s] stop after so long; 0 = never
  int verify_substeps;       ///< 1: test after every substep that nothing passes through anything
  const volatile int *stop;  ///< becomes non-zero (a signal) = finish the substep and stop; or NULL
  void (*progress)(void *user, const csim_progress *progress); ///< after every substep; or NULL
  void *user;
} csim_run_options;

/// Substeps, over all parts of a run that was resumed.
typedef struct csim_run_totals {
  long long taken;
  long long
      unconverged;   ///< ended at the iteration limit, or where no further decrease was possible
  long long halved;  ///< taken in parts, as they blew up in one
  long long retaken; ///< given up and taken again shorter, with frames.accuracy
  long long lagged;  ///< in which a collider or pin was held back by more than the contact distance
  long long verified; ///< tested for surfaces that pass through each other, when asked to
  long long crossing; ///< of them those with more than at the start
} csim_run_totals;

/// [s] What the time of this call went to; all of them together are its wall time.
typedef struct csim_run_seconds {
  double start;      ///< building everything and testing how it starts
  double elasticity; ///< energies of the model, their gradients and matrices; projections
  double linear;     ///< linear systems
  double search;     ///< pairs that may come to touch
  double contact;    ///< the rest of contact: filter, energies, their share of the matrix
  double output;     ///< frames and checkpoints, as far as the run waited for them
  double other;
} csim_run_seconds;

typedef struct csim_run_report {
  int frames_written; ///< by this call
  int resumed;        ///< 1: it went on from a checkpoint, that of frame
  int resumed_after;
  int last_frame; ///< last good frame on disk; frame_start - 1 when there is none
  int nvert, ntri, ntet, nspring;
  csim_run_totals total;
  int iterations; ///< that a substep may take: with 1 it is not meant to converge
  long long iterations_taken, linear_iterations; ///< by this call
  csim_run_seconds seconds;
  char reason[256]; ///< why it ended, one line
} csim_run_report;

/// The main job: compiles the scene, steps it, writes frames, cache and run.json into `out`.
///
/// A run that is stopped leaves a checkpoint, and so does one that fails where it can; a resumed
/// run leaves the same files, byte for byte, as one that was never interrupted. Resuming a complete
/// run does nothing and succeeds.
/// @return CSIM_OK; CSIM_FAILED when the solver gave up, or when it was to verify substeps and
///         surfaces have passed through each other; CSIM_STOPPED; CSIM_INVALID, CSIM_IO,
///         CSIM_MEMORY. The last good frame stays on disk in any case.
csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report);

/// What a run would be, without simulating.
typedef struct csim_check_report {
  int nvert, nfixed, ntri, ntet, nspring, nhinge;
  int frames, substeps;
  int adaptive;  ///< 1: frames have as many substeps as their accuracy takes, up to `substeps`
  size_t memory; ///< [bytes] of model, state and solver
} csim_check_report;
csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report);

/// Writes masses, pins, springs, gravity and step as JSON, for independent judges: {"mass": [..],
/// "pins": [..], "gravity": [x, y, z], "springs": [[i, j, k, L], ..], "h": h, "damping": 0}, with
/// "stretch_damping": [..] of vertices where there is any.
csim_status csim_dump_model(const csim_scene *scene, const csim_run_options *options,
                            const char *path, csim_log *log);

/// What csim_verify_contact found in a cache.
typedef struct csim_verify_report {
  int frames;
  long long crossing; ///< pairs of triangles that meet, over all frames
  int worst_frame;    ///< number of the frame with most of them
  long long worst;    ///< pairs in it
} csim_verify_report;

/// Tests every frame of a cache with exact predicates: do triangles of cloth or solids meet one
/// another, themselves or a collider? (Colliders may meet colliders.) Tells the log about every
/// frame in which some do.
/// @param nthread  1 to 256
/// @return CSIM_OK when none do, CSIM_FAILED when some do; CSIM_IO, CSIM_MEMORY
csim_status csim_verify_contact(const char *cache_path, int nthread, csim_log *log,
                                csim_verify_report *report);

// --------------------------------------------------------------------------------------- caches
//
// One file with the positions of several objects in every frame; docs/cache-format.md has every
// byte. Writing goes create (or append), add_object for each, begin, then for each frame
// begin_frame, put for each object, put_stats, end_frame; close in the end.

enum {
  CSIM_CACHE_MAX_OBJECT = 1 << 16,
  CSIM_CACHE_MAX_VERT = 1 << 27,
  CSIM_CACHE_MAX_FACE = 1 << 27,
  CSIM_CACHE_MAX_TAG = 65535,
};

typedef enum csim_cache_type {
  CSIM_CACHE_CLOTH,
  CSIM_CACHE_SOLID,
  CSIM_CACHE_COLLIDER,
} csim_cache_type;

/// What does not change over a run about one object. The surface of a solid with tetrahedra uses
/// its first vertices.
typedef struct csim_cache_object {
  const char *name; ///< 1 to 255 bytes of UTF-8
  csim_cache_type type;
  int has_velocity; ///< every frame has velocities too
  int has_pressure; ///< every frame has contact pressures too
  int nvert;
  int nface;             ///< polygons as the user gave them; 0 for points only
  const int *face_start; ///< (nface + 1) first corner of each face
  const int *face_vert;  ///< (face_start[nface]) vertex of each corner
  int nuv;               ///< 0 = no texture coordinates
  const double *uv;      ///< (nuv x 2), kept as floats
  const int *face_uv;    ///< (face_start[nface]) uv of each corner, -1 = none; unused if nuv = 0
  int ntag;
  char *const *tag;    ///< (ntag) names of groups of faces, at most 4095 bytes each
  const int *face_tag; ///< (nface) tag of each face, -1 = none; unused if ntag = 0
  int ntet;
  const int *tet; ///< (ntet x 4)
} csim_cache_object;

typedef struct csim_cache_options {
  double fps;            ///< [1/s] frames per second, > 0
  int up;                ///< 1 = y, 2 = z
  double position_error; ///< [m] bound of the error of each coordinate; 0 = lossless floats
  double velocity_error; ///< [m/s] the same for velocities
} csim_cache_options;

typedef struct csim_cache_writer csim_cache_writer;

/// Starts a cache. The file grows as `path`.part, by whole frames, and gets its name on closing.
/// Equal calls give equal bytes: nothing else is stored, no date and no path.
///
/// @param meta_json  one JSON object for META (version, units, scene hash, ...); NULL = {}
/// @param log        must outlive the writer; NULL allowed
/// @param[out] writer  NULL on failure
/// @return CSIM_OK, CSIM_INVALID (options), CSIM_IO or CSIM_MEMORY
csim_status csim_cache_create(const char *path, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer);

/// Goes on with the cache at `path`.part (or `path`) after its first keep_frames frames; later ones
/// are cut off. Then as after csim_cache_create: csim_cache_begin compares options, meta and
/// objects with the file's (CSIM_INVALID when they differ). The final bytes are those of a run that
/// was never interrupted.
csim_status csim_cache_append(const char *path, int keep_frames, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer);

/// Adds an object; nothing of it is kept. Objects are numbered from 0 in this order.
csim_status csim_cache_add_object(csim_cache_writer *writer, const csim_cache_object *object);

/// Ends the objects (at least one) and writes the beginning of the file.
csim_status csim_cache_begin(csim_cache_writer *writer);

/// Starts a frame. Numbers must increase.
/// @param time  [s] from the start frame
csim_status csim_cache_begin_frame(csim_cache_writer *writer, long long number, double time);

/// The state of an object, once for each object in every frame, in any order.
/// @param x  (nvert x 3) positions [m]; stored as floats
/// @param v  (nvert x 3) velocities [m/s]; NULL when the object has none
csim_status csim_cache_put(csim_cache_writer *writer, int object, const double *x, const double *v);

/// The same with contact pressures.
/// @param pressure  (nvert) [Pa]; NULL when the object has none
csim_status csim_cache_put_pressed(csim_cache_writer *writer, int object, const double *x,
                                   const double *v, const double *pressure);

/// Statistics of the frame, one JSON object of at most 1 MiB. Optional.
csim_status csim_cache_put_stats(csim_cache_writer *writer, const char *json);

/// Writes the frame. On failure (a full disk) the file keeps the whole frames before it.
csim_status csim_cache_end_frame(csim_cache_writer *writer);

/// Waits until the frames so far are on the disk, whatever happens to the machine.
csim_status csim_cache_sync(csim_cache_writer *writer);

/// Closes and frees the writer (NULL allowed).
/// @param commit  1: complete the file and give it its name; 0: leave `path`.part with the whole
///                frames so far, to be read or appended to
csim_status csim_cache_close(csim_cache_writer *writer, int commit);

/// Frees the writer and deletes the file it created. One that it appended to stays, as .part.
void csim_cache_abandon(csim_cache_writer *writer);

typedef struct csim_cache csim_cache;

/// What a cache holds. Pointers live as long as the csim_cache.
typedef struct csim_cache_info {
  csim_cache_options options;
  int nframe;              ///< whole frames
  const long long *number; ///< (nframe) increasing
  const double *time;      ///< [s] (nframe)
  int nobject;
  const csim_cache_object *object; ///< (nobject)
  const char *meta;                ///< JSON
  double unit;                     ///< [m] of one unit of length, as META tells; 1 when it does not
  const char *file;                ///< the file opened: path or path.part
  int complete;         ///< closed properly; else found frame by frame up to the first damage
  long long size;       ///< [bytes] of the file
  long long bytes_read; ///< [bytes] read from it so far
} csim_cache_info;

/// Opens `path`, or `path`.part when there is no `path`. Any bytes are safe. A file without its end
/// (a crash, a full disk, a run still going) opens with the whole frames it has.
/// @param log  must outlive the cache; NULL allowed
/// @return CSIM_OK, CSIM_IO (the log says what and where) or CSIM_MEMORY
csim_status csim_cache_open(const char *path, csim_log *log, csim_cache **cache);

const csim_cache_info *csim_cache_get_info(const csim_cache *cache);

/// Reads one object in one frame; any order of frames, forward is fastest.
/// @param frame   index in [0, nframe), not the frame number
/// @param[out] x  (nvert x 3) [m], NULL allowed
/// @param[out] v  (nvert x 3) [m/s], NULL allowed; zeros when the object has no velocities
/// @return CSIM_OK, CSIM_IO when the file is damaged there, CSIM_MEMORY
csim_status csim_cache_read(csim_cache *cache, int object, int frame, float *x, float *v);

/// Reads the contact pressures of one object in one frame.
/// @param[out] pressure  (nvert) [Pa]; zeros when the object has none
csim_status csim_cache_read_pressure(csim_cache *cache, int object, int frame, float *pressure);

/// Statistics of a frame: JSON, "" when there are none, NULL on failure. Valid until the next call.
const char *csim_cache_read_stats(csim_cache *cache, int frame);

/// Reads every byte of the file: crc of every chunk, padding, order of the chunks, agreement with
/// the index. Says every damage it finds (at most 20) and goes on. Does not decode: csim_cache_read
/// does.
/// @param progress  called with the share done, in [0, 1]; NULL allowed
/// @return CSIM_OK when the file is whole and complete, CSIM_IO when not, CSIM_MEMORY
csim_status csim_cache_verify(csim_cache *cache, void (*progress)(void *user, double share),
                              void *user);

void csim_cache_free(csim_cache *cache);

// -------------------------------------------------------------------------------------- exports
//
// The formats of other programs, written frame by frame: open, frame for each, close.
// docs/export.md tells who reads what. Numbers are written the same in every locale.

typedef struct csim_export_options {
  const char *format;    ///< "obj", "ply", "pc2", "mdd", "vtp", "abc" or "usda"
  const char *directory; ///< made if needed; "" or "." for the working directory
  const char *name;      ///< of files that hold all objects: abc, usda
  double fps;            ///< [1/s]
  long long
      last_number; ///< largest frame number that will come: the width of numbers in file names
  int up;          ///< of the input: 1 = y, 2 = z
  int target_up;   ///< of the output, turned if needed; 0 = as the input
  double scale;    ///< lengths are multiplied by this; 0 = 1
  double unit;     ///< [m] of one unit of length of the output, told where the format can; 0 = 1
  int velocities;  ///< write velocities where object and format have them
  int digits;      ///< of numbers in OBJ: 9 (0) or 17
} csim_export_options;

typedef struct csim_export csim_export;

/// The formats' names and what they are, ended by NULL names.
typedef struct csim_export_format {
  const char *name, *description;
} csim_export_format;
const csim_export_format *csim_export_formats(void);

/// Starts an export. Of solids with tetrahedra the surface is exported: the vertices up to the last
/// one that a face uses. Everything else keeps vertex order and polygons.
///
/// @param object  (nobject) must outlive the export, as must `log`
/// @param[out] e  NULL on failure
/// @return CSIM_INVALID (unknown format, no objects), CSIM_IO, CSIM_MEMORY
csim_status csim_export_open(const csim_export_options *options, int nobject,
                             const csim_cache_object *object, csim_log *log, csim_export **e);

/// Writes a frame. Numbers must increase.
/// @param x  (nobject) of (nvert x 3) positions
/// @param v  (nobject) of (nvert x 3) velocities per second, NULL where an object has none; may be
/// NULL
csim_status csim_export_frame(csim_export *e, long long number, const double *const *x,
                              const double *const *v);

/// Completes the files and frees the export. Files of single frames are complete at once; those of
/// the whole run appear here.
/// @param commit  0: those of the whole run are dropped
csim_status csim_export_close(csim_export *e, int commit);

// ------------------------------------------------------------------------------------- sequences
//
// Frames from whatever holds them: a cache, a folder of NAME_0001.obj (or .ply), a single OBJ, PLY
// or STL, a PC2 or MDD point cache. What a file is, its first bytes decide where they can. A folder
// may hold several kinds: the first there is of obj, ply, stl, cache, pc2, mdd is read.

typedef struct csim_sequence csim_sequence;

/// What a sequence holds. Pointers live as long as it.
typedef struct csim_sequence_info {
  const char *kind; ///< "cache", "files", "pc2" or "mdd"
  double fps;       ///< [1/s] 0 = unknown
  int up;           ///< 1 = y, 2 = z, 0 = unknown
  int nframe;
  const long long *number; ///< (nframe) increasing
  int nobject;
  const csim_cache_object *object; ///< (nobject); point caches have no faces
  int has_faces;                   ///< 0: the format holds points only
  int complete;                    ///< 0: a cache whose writing was not finished
} csim_sequence_info;

/// @param log  must outlive the sequence; NULL allowed
/// @return CSIM_OK, CSIM_IO, CSIM_INVALID (a mesh that cannot be read, a folder without any),
///         CSIM_MEMORY
csim_status csim_sequence_open(const char *path, csim_log *log, csim_sequence **sequence);

/// The same for one kind of a folder's files.
/// @param kind  "cache" (the folder's only one), "obj", "ply", "stl", "pc2", "mdd", or "rest" and
///              "rest-ply": the rest meshes that belong to point caches, each named as its object
csim_status csim_sequence_open_kind(const char *path, const char *kind, csim_log *log,
                                    csim_sequence **sequence);

/// What a file in a folder is: a kind of csim_sequence_open_kind; "abc", "usd", "vtp" or "gltf" for
/// what is known and cannot be read; NULL for anything else.
const char *csim_sequence_kind_of(const char *folder, const char *name);

/// Whether an object is in a frame: files of frames may be missing.
int csim_sequence_has(const csim_sequence *sequence, int object, int frame);
const csim_sequence_info *csim_sequence_get_info(const csim_sequence *sequence);

/// Reads one object in one frame.
/// @param frame   index in [0, nframe)
/// @param[out] x  (nvert x 3) positions
/// @param[out] v  (nvert x 3) velocities, zeros where there are none; NULL allowed
/// @return CSIM_OK, CSIM_IO, CSIM_INVALID (an object lacks this frame, or changes its faces in it),
///         CSIM_MEMORY
csim_status csim_sequence_read(csim_sequence *sequence, int object, int frame, double *x,
                               double *v);
void csim_sequence_free(csim_sequence *sequence);

/// Hausdorff distance of two meshes: the farthest that any vertex of one is from the other's
/// surface (from its points, when it has no faces). Vertices that are not finite are left out.
/// @param xa (a->nvert x 3), xb (b->nvert x 3) positions
/// @param[out] distance  [m]
/// @param[out] side      0: from a vertex of a, 1: of b
/// @param[out] vertex    that vertex
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_hausdorff(const csim_cache_object *a, const double *xa, const csim_cache_object *b,
                           const double *xb, double *distance, int *side, int *vertex);

#endif
