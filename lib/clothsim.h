// clothsim.h: the only public header. Programs in cli/ and tools/ use nothing else of lib/.
//
// Data flows one way: scene (what the user wrote) -> model (constant) + state -> step -> cache.
// The library never prints and never exits: it returns a status and tells the details to a csim_log.
// All quantities are SI; the unit stands in brackets. Positions are (n x 3) row-major doubles.
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

#endif
