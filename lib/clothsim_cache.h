// clothsim_cache.h: the part of clothsim.h about frames in files: caches, exports, sequences.
// Included by clothsim.h, whose conventions apply. Include that.
#ifndef CLOTHSIM_CACHE_H
#define CLOTHSIM_CACHE_H

#ifndef CLOTHSIM_H
#error "include clothsim.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// --------------------------------------------------------------------------------------- caches
//
// One file with the positions of several objects in every frame; docs/cache-format.md specifies it.
// To write: create (or append), add_object for each object, begin; for each frame begin_frame, put
// for each object, put_stats, end_frame; finally close. Each of these returns CSIM_OK; CSIM_INVALID
// (wrong order, counts or indices out of range); CSIM_IO; CSIM_MEMORY. The log says which; after a
// failure the writer can only be closed.

enum {
  CSIM_CACHE_MAX_OBJECT = 1 << 16,
  CSIM_CACHE_MAX_VERT = 1 << 27,
  CSIM_CACHE_MAX_FACE = 1 << 27,
  CSIM_CACHE_MAX_TAG = 65535,
  CSIM_CACHE_MAX_SAMPLE = 6,
  CSIM_CACHE_MAX_UV_SET = 64,
};

typedef enum csim_cache_type {
  CSIM_CACHE_CLOTH,
  CSIM_CACHE_SOLID,
  CSIM_CACHE_COLLIDER,
  CSIM_CACHE_RENDER, ///< a render mesh, which follows a cloth or solid and touches nothing
} csim_cache_type;

/// Texture coordinates beside the first ones.
typedef struct csim_uv_set {
  const char *name;   ///< 1 to 255 bytes of UTF-8, different from those of the object's others
  int n;              ///< at least 1
  const double *uv;   ///< (n x 2), kept as floats
  const int *face_uv; ///< (face_start[nface]) uv of each corner, -1 = none
} csim_uv_set;

/// The constant part of one object. The surface of a solid with tetrahedra uses its first vertices.
typedef struct csim_cache_object {
  const char *name; ///< 1 to 255 bytes of UTF-8
  csim_cache_type type;
  int has_velocity; ///< every frame has velocities too
  int has_pressure; ///< every frame has contact pressures too
  int has_strain;   ///< every frame has strain too
  int nsample;      ///< positions between frames: 0, or as many as the cache or export has shares
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
  const int *tet;         ///< (ntet x 4)
  int nnormal;            ///< normals the mesh was given; 0 = none
  const double *normal;   ///< (nnormal x 3) in the surface's frames, see docs/cache-format.md
  const int *face_normal; ///< (face_start[nface]) normal of each corner, -1 = none; a normal is of
                          ///< one vertex
  const double *colour;   ///< (nvert x 3) red, green, blue from 0 to 1; NULL = none
  int nuv_set;
  const csim_uv_set *uv_set; ///< (nuv_set) further sets of texture coordinates
} csim_cache_object;

typedef struct csim_cache_options {
  double fps;            ///< [1/s] frames per second, > 0
  int up;                ///< 1 = y, 2 = z
  double position_error; ///< [m] bound of the error of each coordinate; 0 = lossless floats
  double velocity_error; ///< [m/s] the same for velocities
} csim_cache_options;

typedef struct csim_cache_writer csim_cache_writer;

/// Creates a cache. The file grows by whole frames as `path`.part and gets its name on closing.
/// Equal calls give equal bytes: no date or path is stored.
///
/// @param meta_json  one JSON object for META (version, units, scene hash, ...); NULL = {}
/// @param log        must outlive the writer; NULL allowed
/// @param[out] writer  NULL on failure
/// @return CSIM_OK, CSIM_INVALID (options), CSIM_IO or CSIM_MEMORY
csim_status csim_cache_create(const char *path, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer);

/// Continues the cache at `path`.part (or `path`) after its first keep_frames frames; later ones
/// are removed. Proceed as after csim_cache_create: csim_cache_begin compares options, meta and
/// objects with those of the file (CSIM_INVALID if they differ). The final bytes are those of a run
/// that was never interrupted.
/// @param[out] writer  NULL on failure
/// @return CSIM_OK, CSIM_INVALID (options, or the file has fewer frames), CSIM_IO or CSIM_MEMORY
csim_status csim_cache_append(const char *path, int keep_frames, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer);

// Functions of a writer that has failed do nothing and return the status of the failure.

/// Adds an object, which is copied. Objects are numbered from 0 in this order.
/// @return CSIM_OK, CSIM_INVALID (its name, counts or indices), CSIM_MEMORY
csim_status csim_cache_add_object(csim_cache_writer *writer, const csim_cache_object *object);

/// Ends the list of objects and writes the header of the file.
/// @return CSIM_OK; CSIM_INVALID (no object, or not those of the file that is continued); CSIM_IO;
///         CSIM_MEMORY
csim_status csim_cache_begin(csim_cache_writer *writer);

/// Starts a frame.
/// @param number  larger than that of the frame before
/// @param time    [s] from the start frame
/// @return CSIM_OK, CSIM_INVALID (the number, the last frame has not been ended, too many frames)
csim_status csim_cache_begin_frame(csim_cache_writer *writer, long long number, double time);

/// Sets the state of an object in the frame; once per object and frame, in any order.
/// @param x  (nvert x 3) positions [m]; stored as floats
/// @param v  (nvert x 3) velocities [m/s]; NULL when the object has none
/// @return CSIM_OK, CSIM_INVALID (out of order, or not the data that the object has), CSIM_MEMORY
csim_status csim_cache_put(csim_cache_writer *writer, int object, const double *x, const double *v);

/// Data of an object in a frame. NULL: the object does not have them.
typedef struct csim_cache_values {
  const double *x;        ///< (nvert x 3) [m]
  const double *v;        ///< (nvert x 3) [m/s]
  const double *pressure; ///< (nvert) [Pa]
  const double *strain;   ///< (nvert) [-]
  const double *sample_x; ///< (nsample x nvert x 3) [m] between the frame before and this one
  const double *sample_v; ///< (nsample x nvert x 3) [m/s] NULL when the object has no velocities
} csim_cache_values;

/// csim_cache_put with all data that a frame can have. Samples of the first frame equal the frame.
/// @return as csim_cache_put
csim_status csim_cache_put_values(csim_cache_writer *writer, int object,
                                  const csim_cache_values *values);

/// Sets the statistics of the frame that has been started. Optional.
/// @param json  one JSON object as UTF-8, at most 1 MiB; copied
/// @return CSIM_OK, CSIM_INVALID (no frame has been started, or the text is too long), CSIM_MEMORY
csim_status csim_cache_put_stats(csim_cache_writer *writer, const char *json);

/// Writes the frame. On failure (a full disk) the file keeps the whole frames before it.
/// @return CSIM_OK, CSIM_INVALID (an object has no data in the frame), CSIM_IO, CSIM_MEMORY
csim_status csim_cache_end_frame(csim_cache_writer *writer);

/// Waits until the frames so far are on the disk, so that they survive a power failure.
/// @return CSIM_OK; CSIM_IO: it is not known which of them are
csim_status csim_cache_sync(csim_cache_writer *writer);

/// Closes and frees the writer (NULL allowed).
/// @param commit  1: complete the file and give it its name; 0: leave `path`.part with the whole
///                frames so far, to be read or appended to
/// @return CSIM_OK; CSIM_INVALID (within a frame); CSIM_IO; CSIM_MEMORY; the first failure of the
///         writer, if it had one
csim_status csim_cache_close(csim_cache_writer *writer, int commit);

/// Frees the writer (NULL allowed) and deletes the file it created. A file it appended to stays, as
/// .part.
void csim_cache_abandon(csim_cache_writer *writer);

typedef struct csim_cache csim_cache;

/// Contents of a cache. Pointers are valid until csim_cache_free.
typedef struct csim_cache_info {
  csim_cache_options options;
  int nframe;              ///< whole frames
  const long long *number; ///< (nframe) increasing
  const double *time;      ///< [s] (nframe)
  int nobject;
  const csim_cache_object *object;     ///< (nobject)
  const char *meta;                    ///< JSON
  double unit;                         ///< [m] of one unit of length, from META; 1 if not given
  int nsample;                         ///< between frames, from META
  double share[CSIM_CACHE_MAX_SAMPLE]; ///< [frames] of each from its frame, in (-1, 0), increasing
  const char *file;                    ///< the file opened: path or path.part
  int complete;         ///< closed properly; otherwise read frame by frame up to the first damage
  long long size;       ///< [bytes] of the file
  long long bytes_read; ///< [bytes] read from it so far
} csim_cache_info;

/// Opens `path`, or `path`.part when there is no `path`. Any bytes are safe. A file without its end
/// (a crash, a full disk, a run still going) opens with the whole frames it has.
/// @param log         must outlive the cache; NULL allowed
/// @param[out] cache  NULL on failure; release with csim_cache_free
/// @return CSIM_OK, CSIM_IO (the log says what and where) or CSIM_MEMORY
csim_status csim_cache_open(const char *path, csim_log *log, csim_cache **cache);

/// Contents of the cache, owned by it: valid until csim_cache_free. bytes_read grows as it is read.
const csim_cache_info *csim_cache_get_info(const csim_cache *cache);

/// Reads one object in one frame; any order of frames, forward is fastest. Lengths are in the
/// cache's unit: times info.unit they are metres.
/// @param object  in [0, nobject)
/// @param frame   index in [0, nframe), not the frame number
/// @param[out] x  (nvert x 3) overwritten; NULL allowed
/// @param[out] v  (nvert x 3) per second, overwritten: zeros when the object has none; NULL allowed
/// @return CSIM_OK, CSIM_IO when the file is damaged there, CSIM_MEMORY
csim_status csim_cache_read(csim_cache *cache, int object, int frame, float *x, float *v);

/// Reads the contact pressures of one object in one frame.
/// @param[out] pressure  (nvert) [Pa]; zeros when the object has none
/// @return as csim_cache_read
csim_status csim_cache_read_pressure(csim_cache *cache, int object, int frame, float *pressure);

/// Reads the strain of one object in one frame.
/// @param[out] strain  (nvert) [-]; zeros when the object has none
/// @return as csim_cache_read
csim_status csim_cache_read_strain(csim_cache *cache, int object, int frame, float *strain);

/// Reads positions and velocities `info.share[sample]` frames from a frame.
/// @param sample  index in [0, object.nsample)
/// @param[out] x  (nvert x 3) as in csim_cache_read
/// @param[out] v  (nvert x 3) as in csim_cache_read
/// @return as csim_cache_read
csim_status csim_cache_read_sample(csim_cache *cache, int object, int frame, int sample, float *x,
                                   float *v);

/// Statistics of a frame.
/// @param frame  index in [0, nframe)
/// @return JSON, "" when there are none; NULL when the file is damaged there or memory ran out (the
///         log says which). Owned by the cache, valid until the next call
const char *csim_cache_read_stats(csim_cache *cache, int frame);

/// Checks every byte of the file: crc and order of the chunks, padding, agreement with the index.
/// Logs all damage it finds (at most 20 places). Does not decode frames; csim_cache_read does.
/// @param progress  called with the share done, in [0, 1]; NULL allowed
/// @return CSIM_OK if the file is intact and complete, CSIM_IO if not, CSIM_MEMORY
csim_status csim_cache_verify(csim_cache *cache, void (*progress)(void *user, double share),
                              void *user);

/// Closes a cache that was opened for reading. NULL allowed.
void csim_cache_free(csim_cache *cache);

// -------------------------------------------------------------------------------------- exports
//
// File formats of other programs, written frame by frame: open, frame for each, close.
// docs/export.md lists which program reads what. Output does not depend on the locale.

typedef struct csim_export_options {
  const char *format;    ///< a name of csim_export_formats, "obj"
  const char *directory; ///< made if needed; "" or "." for the working directory
  const char *name;      ///< of files that hold all objects: abc, usda, glb
  double fps;            ///< [1/s]
  long long last_number; ///< largest frame number: the width of numbers in file names
  int up;                ///< of the input: 1 = y, 2 = z
  int target_up;         ///< of the output, turned if needed; 0 = as the input
  double scale;          ///< lengths are multiplied by this; 0 = 1
  double unit;    ///< [m] of one unit of length of the output, written if the format can; 0 = 1
  int velocities; ///< write velocities where object and format have them
  int digits;     ///< of numbers in OBJ: 9 (0) or 17
  int nsample;    ///< between frames
  double share[CSIM_CACHE_MAX_SAMPLE]; ///< [frames] of each from its frame, in (-1, 0), increasing
  const int *rigid; ///< (nobject) 1: moves as a whole, and formats with transforms write one over
                    ///< points that stay; NULL: none does
} csim_export_options;

typedef struct csim_export csim_export;

/// Name and description of an export format.
typedef struct csim_export_format {
  const char *name, *description;
} csim_export_format;

/// All export formats; the last entry has a NULL name. Static.
const csim_export_format *csim_export_formats(void);

/// Whether an object moves as a whole through all frames and samples of a cache, within the
/// rounding of its numbers.
/// @param[out] rigid  0 or 1
/// @return CSIM_OK; CSIM_INVALID, CSIM_IO (reported); CSIM_MEMORY
csim_status csim_cache_find_rigid(csim_cache *cache, int object, int *rigid);

/// Starts an export. Of a solid with tetrahedra only the surface is exported: the vertices up to
/// the last one that a face uses. Vertex order and polygons are kept.
///
/// @param object  (nobject) must outlive the export, as must `log`
/// @param[out] e  NULL on failure
/// @return CSIM_OK; CSIM_INVALID (unknown format, no objects); CSIM_IO; CSIM_MEMORY. The functions
///         below return the same; after a failure the export can only be closed.
csim_status csim_export_open(const csim_export_options *options, int nobject,
                             const csim_cache_object *object, csim_log *log, csim_export **e);

/// Writes a frame.
/// @param number  larger than that of the frame before
/// @param x  (nobject) of (nvert x 3) positions [m]
/// @param v  (nobject) of (nvert x 3) velocities [m/s], NULL where an object has none; NULL allowed
/// @return as csim_export_open
csim_status csim_export_frame(csim_export *e, long long number, const double *const *x,
                              const double *const *v);

/// csim_export_frame with all data that a frame can have.
/// @param values  (nobject); sample_x NULL: no samples before this frame
/// @return as csim_export_open
csim_status csim_export_values(csim_export *e, long long number, const csim_cache_values *values);

/// Completes the files and frees the export. Files of single frames are complete already; files of
/// the whole run appear here.
/// @param commit  0: discard files of the whole run
/// @return as csim_export_open; the first failure of the export, if it had one
csim_status csim_export_close(csim_export *e, int commit);

// ------------------------------------------------------------------------------------- sequences
//
// Frames from any supported source: a cache, a folder of NAME_0001.obj (or .ply) files, a single
// OBJ, PLY or STL, a PC2 or MDD point cache, an Alembic file (Ogawa). The type is detected from the
// first bytes where possible. A folder may hold several kinds: the first there is of obj, ply, stl,
// cache, pc2, mdd, abc is read.

typedef struct csim_sequence csim_sequence;

/// Contents of a sequence. Pointers are valid until csim_sequence_free.
typedef struct csim_sequence_info {
  const char *kind; ///< "cache", "files", "pc2", "mdd" or "abc"
  double fps;       ///< [1/s] 0 = unknown
  int up;           ///< 1 = y, 2 = z, 0 = unknown
  double unit;      ///< [m] of one unit of length, 0 = unknown
  int nframe;
  const long long *number; ///< (nframe) increasing
  const double *time;      ///< (nframe) [s] increasing; NULL: frames are at number / fps
  int nobject;
  const csim_cache_object *object; ///< (nobject); point caches have no faces
  int has_faces;                   ///< 0: the format holds points only
  int complete;                    ///< 0: a cache whose writing was not finished
} csim_sequence_info;

/// Opens a sequence.
/// @param log  must outlive the sequence; NULL allowed
/// @param[out] sequence  NULL on failure; release with csim_sequence_free
/// @return CSIM_OK, CSIM_IO, CSIM_INVALID (a mesh that cannot be read, a folder without any),
///         CSIM_MEMORY
csim_status csim_sequence_open(const char *path, csim_log *log, csim_sequence **sequence);

/// csim_sequence_open for one kind of a folder's files.
/// @param kind  "cache" or "abc" (the only one of the folder), "obj", "ply", "stl", "pc2", "mdd",
///              or "rest" and "rest-ply": the rest meshes that belong to point caches, each named
///              as its object
/// @return as csim_sequence_open
csim_status csim_sequence_open_kind(const char *path, const char *kind, csim_log *log,
                                    csim_sequence **sequence);

/// Leaves out what lies between whole frames, such as samples for motion blur in an Alembic file,
/// and numbers frames by their times. Does nothing where the rate is unknown or no frame is whole.
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_sequence_keep_whole(csim_sequence *sequence);

/// What a file in a folder is: a kind of csim_sequence_open_kind; "usd", "vtp" or "gltf" for
/// what is known and cannot be read; NULL for anything else.
/// @param folder  its path, in which files that belong together are looked for
/// @param name    of the file in it; the file is not opened
/// @return static string
const char *csim_sequence_kind_of(const char *folder, const char *name);

/// Whether an object is in a frame: files of frames may be missing.
/// @param object, frame  in [0, nobject) and [0, nframe)
/// @return 1 or 0
int csim_sequence_has(const csim_sequence *sequence, int object, int frame);

/// Contents of the sequence, owned by it: valid until csim_sequence_free.
const csim_sequence_info *csim_sequence_get_info(const csim_sequence *sequence);

/// Reads one object in one frame.
/// @param frame   index in [0, nframe)
/// @param[out] x  (nvert x 3) positions, in the sequence's unit and axes (csim_sequence_info)
/// @param[out] v  (nvert x 3) velocities per second, in the same; zeros where there are none; NULL
///                allowed
/// @return CSIM_OK, CSIM_IO, CSIM_INVALID (an object lacks this frame, or changes its faces in it),
///         CSIM_MEMORY
csim_status csim_sequence_read(csim_sequence *sequence, int object, int frame, double *x,
                               double *v);

/// Reads one object in one frame as a surface of its own. Mesh files may change their faces from
/// frame to frame; other formats have the faces of the first.
/// @param[out] surface  NULL on failure; release with csim_polygons_free
/// @return as csim_sequence_read
csim_status csim_sequence_read_polygons(csim_sequence *sequence, int object, int frame,
                                        csim_polygons **surface);

/// The cache that a sequence reads, for what only caches have (pressures, statistics); NULL: it
/// reads another format. Freed with the sequence.
csim_cache *csim_sequence_get_cache(const csim_sequence *sequence);

/// Closes a sequence. NULL allowed.
void csim_sequence_free(csim_sequence *sequence);

/// Hausdorff distance of two meshes: the largest distance of a vertex of one to the surface of the
/// other (to its points, if it has no faces). Vertices that are not finite are ignored.
/// @param xa, xb         (a->nvert x 3) and (b->nvert x 3) positions, in any one unit
/// @param[out] distance  in that unit; 0 when no vertex is finite
/// @param[out] side      0: from a vertex of a, 1: of b
/// @param[out] vertex    that vertex, from 0; none of the three may be NULL
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_hausdorff(const csim_cache_object *a, const double *xa, const csim_cache_object *b,
                           const double *xb, double *distance, int *side, int *vertex);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
