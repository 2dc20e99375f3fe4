// io/json.h: JSON with the position of every value. Needs base/ and cJSON.
//
// Our own strict scanner checks the text (RFC 8259 with two extensions: comments and trailing
// commas) and records positions; cJSON then builds the tree. Each cJSON node has the number of its
// note in `valueint`, which clothsim does not use otherwise.
#ifndef CSIM_IO_JSON_H
#define CSIM_IO_JSON_H

#include "base/arena.h"
#include "base/log.h"

#include <cjson/cJSON.h>

enum {
  CSIM_JSON_MAX_BYTES = 1 << 24, ///< of one text; longer ones are refused before they are read
  CSIM_JSON_MAX_DEPTH = 500,     ///< of nested lists and objects
};

/// What the scanner noted about one value.
typedef struct csim_json_note {
  int source;               ///< index into csim_json.source
  int parent;               ///< note of the list or object around it; 0 for the outermost value
  int index;                ///< position in the list, or -1 when it has a key
  int line, column;         ///< of the value, 1-based, columns in characters
  int key_line, key_column; ///< of its key; the value's own when it has none
  int key_at;               ///< byte offset of the key's opening quote; -1 when it has none
  int nul;                  ///< the text or its key holds \u0000, which a C string cannot
  double number;            ///< of a number; +-infinity when beyond the range of double
} csim_json_note;

/// One text. `prefix` is put before every pointer into it (for values given outside a file).
typedef struct csim_json_source {
  char *name;
  char *text;         ///< comments and trailing commas are blanked, offsets are the file's
  const char *prefix; ///< "" for files
  int positions;      ///< 0: lines and columns are meaningless to the user and are left out
} csim_json_source;

/// Texts read together, so that trees made of parts of several keep the position of each part.
/// Zero-initialised. Trees belong to the caller (cJSON_Delete).
typedef struct csim_json {
  csim_arena arena;
  ptrdiff_t nsource, source_capacity;
  csim_json_source *source;
  ptrdiff_t nnote, note_capacity;
  csim_json_note *note; ///< (nnote); number 0 means "nowhere"
} csim_json;

/// Reads and parses a file. A byte order mark is skipped.
///
/// @param[out] tree  the outermost value; NULL on failure
/// @return CSIM_OK; CSIM_INVALID (syntax: one message with line, column and what was expected);
///         CSIM_IO; CSIM_MEMORY
csim_status csim_json_read_file(csim_json *json, const char *path, csim_log *log, cJSON **tree);

/// The same for a text in memory (length bytes, no terminator needed); `name` is used as that of
/// the file.
csim_status csim_json_read_text(csim_json *json, const char *name, const char *text, size_t length,
                                csim_log *log, cJSON **tree);

/// Position of a node (or its key): file, line, column and JSON pointer, with keys as they are
/// written. The strings live as long as `json`. A node without a note is nowhere, {0}.
csim_place csim_json_place(csim_json *json, const cJSON *item);
csim_place csim_json_key_place(csim_json *json, const cJSON *item);

/// Adds a note for nodes that are in no text: their position is `pointer` in `name`.
/// @return its number, for `valueint`; 0 when out of memory
int csim_json_add_place(csim_json *json, const char *name, const char *pointer);

/// The note of a node; note 0 when it has none.
const csim_json_note *csim_json_note_of(const csim_json *json, const cJSON *item);

/// The member of an object with exactly this key, or NULL.
cJSON *csim_json_get(const cJSON *object, const char *key);

/// Value of a number, 0 if the item is none (NULL allowed).
double csim_json_number_of(const csim_json *json, const cJSON *item);

/// The same as an integer from -1e9 to 1e9.
int csim_json_integer_of(const csim_json *json, const cJSON *item);

/// Frees all texts and notes; trees stay the caller's.
void csim_json_free(csim_json *json);

#endif
