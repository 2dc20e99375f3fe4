// scene/reader.h: tables of keys, and reading a scene by them. Needs base/, io/.
//
// Every key of a scene is a csim_field in a csim_table. The reader, the printer of the resolved
// scene, the JSON Schema and the manual all walk the same tables, so they cannot disagree.
#ifndef CSIM_SCENE_READER_H
#define CSIM_SCENE_READER_H

#include "io/json.h"
#include "io/json_write.h"
#include "scene/scene.h"

typedef struct csim_field csim_field;
typedef struct csim_table csim_table;

// ---------------------------------------------------------------------------------------- reader

/// One error, kept until all are known; errors are reported in the order of the file.
typedef struct csim_complaint {
  csim_place place;
  int source, order;
  char *text;
} csim_complaint;

typedef struct csim_reader {
  csim_json json;     ///< every text read
  csim_scene *scene;  ///< the result
  csim_arena scratch; ///< complaints and the reader's own lists
  ptrdiff_t ncomplaint, complaint_capacity;
  csim_complaint *complaint;
  double length_times, length_over; ///< plain lengths times this, divided by that, are metres
  ptrdiff_t nmaterial, material_capacity;
  csim_material *material; ///< (nmaterial) those of the map, then those that objects bring
  int memory;              ///< out of memory
  /// Where else a key has a meaning: csim_find_home, or NULL.
  const char *(*find_home)(struct csim_reader *r, const char *key);
} csim_reader;

enum { CSIM_MAX_PROBLEMS = 100 }; ///< reported per scene; more have one cause, not hundreds

/// Reports an error in an item's value (NULL: in the file as a whole).
void csim_complain(csim_reader *r, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports an error in an item's key.
void csim_complain_key(csim_reader *r, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports "expected <what the field wants>, found <what the item is>".
void csim_complain_type(csim_reader *r, const csim_field *f, const cJSON *item);

/// `did you mean "near"?` with a comma before, or "" when no name in the list is near.
const char *csim_suggest(csim_reader *r, const char *word, const char *const *names);

/// The place of an item's value; its strings live in the scene's arena.
csim_place csim_keep_place(csim_reader *r, const cJSON *item);

/// Sends every complaint to the log, in order of sources, lines and columns.
void csim_report_complaints(csim_reader *r, csim_log *log);

// ---------------------------------------------------------------------------------------- tables

/// Writes the resolved scene. When `hashing`, keys that cannot change a frame are left out.
typedef struct csim_printer {
  csim_json_out out;
  const csim_scene *scene;
  const csim_table *table; ///< of the whole scene
  int hashing;
} csim_printer;

enum { CSIM_DESCRIPTION = 240 };

/// How values of one kind are read, printed and described. The field's offset is relative to the
/// struct `base`.
typedef struct csim_kind {
  /// Stores the item's value; on an error reports it and keeps the old value.
  void (*read)(csim_reader *r, const csim_field *f, const cJSON *item, void *base);
  /// Stores the default; NULL: zero bytes are the default.
  void (*fall_back)(csim_reader *r, const csim_field *f, void *base);
  /// Prints `"key": value`, or nothing where the value is absent.
  void (*print)(csim_printer *p, const csim_field *f, const void *base);
  /// What csim_describe_field gives; NULL: `noun`.
  void (*describe)(const csim_field *f, char text[CSIM_DESCRIPTION]);
  /// What csim_write_field_schema writes; NULL: "type", or "anyOf" with the JSON text `any_of`.
  void (*schema)(csim_json_out *out, const csim_field *f);
  const char *noun, *type, *any_of;
} csim_kind;

enum {
  CSIM_REQUIRED = 1,    ///< an error when missing
  CSIM_ABOVE = 2,       ///< values lie strictly above `least`
  CSIM_BELOW = 4,       ///< values lie strictly below `most`
  CSIM_BROADCAST = 8,   ///< one number is for all components
  CSIM_RELATIVE = 16,   ///< "2x" multiplies the value that is there (a preset's)
  CSIM_ZERO = 32,       ///< a missing object leaves its struct zero instead of its defaults
  CSIM_INPUT_ONLY = 64, ///< not part of the resolved scene
  CSIM_COSMETIC = 128,  ///< cannot change a frame: not part of the hash
};

/// One key. Zero is a valid value for everything a kind does not use.
struct csim_field {
  const char *key;
  const csim_kind *kind;
  const char *doc;      ///< one or two sentences for schema and manual
  const char *unit;     ///< of plain numbers, "" or NULL = none; "deg" is stored as radians
  const char *fallback; ///< default as text; NULL = none (zero)
  size_t offset;        ///< of the value in its struct
  int count;            ///< numbers: components, 0 = 1
  double least, most;   ///< inclusive range in SI; both 0 = any number up to CSIM_MOST
  int flags;
  const void *detail; ///< names (NULL-terminated), csim_table, csim_list or csim_variants
};

/// A member of a struct by its offset: csim_member(base, f->offset) is a field's value.
static inline void *csim_member(void *base, size_t offset) {
  return (char *)base + offset;
}
static inline const void *csim_member_const(const void *base, size_t offset) {
  return (const char *)base + offset;
}

/// An entry of a table: key, kind (NAME of csim_kind_NAME), offset, default as text (NULL: none)
/// and other members, `.least = 0`.
#define CSIM_KEY(name, of_kind, at, otherwise, ...)                                                \
  CSIM_FIELD(name, csim_kind_##of_kind, at, otherwise, __VA_ARGS__)

/// CSIM_KEY with any csim_kind.
#define CSIM_FIELD(name, of_kind, at, otherwise, ...)                                              \
  { .key = name, .kind = &of_kind, .offset = at, .fallback = otherwise, __VA_ARGS__ }

#define CSIM_MOST 1e15 ///< magnitude that nothing physical here exceeds, and whose square is finite

/// The keys of one JSON object.
struct csim_table {
  const char *name; ///< of the definition in the schema, heading in the manual
  const char *doc;
  int nfield;
  const csim_field *field;
  size_t size; ///< of the struct
  /// Checks across keys after all were read; NULL = none.
  void (*finish)(csim_reader *r, const cJSON *item, void *base);
};

/// A csim_table: its name, the struct it fills, its array of fields, `finish` or NULL, and its doc.
#define CSIM_TABLE(of_name, type, fields, at_end, text)                                            \
  {                                                                                                \
    .name = of_name, .doc = text, .nfield = (int)(sizeof(fields) / sizeof *(fields)),              \
    .field = fields, .size = sizeof(type), .finish = at_end                                        \
  }

/// A list of equal elements, stored as a count and a pointer.
typedef struct csim_list {
  const csim_field *element; ///< offset 0, no key
  size_t size;               ///< of an element
  size_t count_offset;       ///< of the int count, from the same base as the field
  int rank;        ///< nested lists in one element (a vector: 1): a single one needs no list
  int least, most; ///< elements; most = 0: as many as the file can hold
} csim_list;

/// The element of a csim_list: its kind and what that needs, `table, .detail = &pin_table`.
#define CSIM_ELEMENT(of_kind, ...)                                                                 \
  .element = &(const csim_field) {                                                                 \
    .kind = &csim_kind_##of_kind, __VA_ARGS__                                                      \
  }

/// A csim_list of objects: their table, their struct, and the offset of their count.
#define CSIM_LIST_OF(of_table, type, at_count)                                                     \
  { CSIM_ELEMENT(table, .detail = &of_table), .size = sizeof(type), .count_offset = at_count }

/// An object of one of several kinds; a key says which.
typedef struct csim_variants {
  const char *name;
  const char *key;                ///< "type"
  const char *doc;                ///< of the key
  const char *const *names;       ///< NULL-terminated; the stored value is the position
  const csim_table *const *table; ///< of each name
  size_t offset;                  ///< of the stored value
  const char *const *implied;     ///< keys that imply the first variants without `key`, one each,
                                  ///< NULL-terminated; NULL = none
} csim_variants;

// built-in kinds; count > 1 makes vectors of the numbers
extern const csim_kind csim_kind_bool;
extern const csim_kind csim_kind_integer; ///< detail: names = the only values allowed
extern const csim_kind csim_kind_real;
extern const csim_kind csim_kind_text;
extern const csim_kind csim_kind_name;     ///< text that can be part of a file name
extern const csim_kind csim_kind_choice;   ///< detail: names; stores position + least as int
extern const csim_kind csim_kind_word;     ///< detail: names; stores the name as const char *
extern const csim_kind csim_kind_file;     ///< path, stored relative to the working directory
extern const csim_kind csim_kind_sequence; ///< the same of files whose frame number is written ####
extern const csim_kind csim_kind_table;    ///< detail: csim_table
extern const csim_kind csim_kind_list;     ///< detail: csim_list
extern const csim_kind csim_kind_variants; ///< detail: csim_variants

extern const csim_kind csim_kind_frame;  ///< a frame number, stored as time [s] from the start
extern const csim_kind csim_kind_phases; ///< of the scene, see csim_read_phases
/// Checks that a key over time has either "frame" or "time".
void csim_finish_key(csim_reader *r, const cJSON *item, void *base);

extern const csim_kind csim_kind_keyed; ///< numbers, or keys of them; detail: csim_keyed

/// A value that may have keys over time; its field's offset is that of the constant, or of the
/// largest key.
typedef struct csim_keyed {
  size_t curve_offset; ///< of a csim_curve, from the same base as the field
} csim_keyed;

/// What a value of the field is, to follow the word "expected": "a number > 0 [m]".
void csim_describe_field(const csim_field *f, char text[CSIM_DESCRIPTION]);

/// Writes the members of the field's schema except description and default: "type", "minimum", ...
void csim_write_field_schema(csim_json_out *out, const csim_field *f);

/// Parts of these kinds, for similar ones.
void csim_print_real(csim_printer *p, const csim_field *f, const void *base);
void csim_describe_real(const csim_field *f, char text[CSIM_DESCRIPTION]);
void csim_schema_real(csim_json_out *out, const csim_field *f);
void csim_describe_choice(const csim_field *f, char text[CSIM_DESCRIPTION]);
void csim_schema_choice(csim_json_out *out, const csim_field *f);

/// Reads an object by its table. item = NULL: defaults only. `family` is NULL or the variants the
/// table is one of (their key is then known, and a key of a sibling gets a better message).
void csim_read_table(csim_reader *r, const csim_table *table, const csim_variants *family,
                     const cJSON *item, void *base);
void csim_print_table(csim_printer *p, const csim_table *table, const void *base);

/// Reads one number, plain or with its unit, and checks the field's range.
/// @return 0 after reporting an error
int csim_read_real(csim_reader *r, const csim_field *f, const cJSON *item, double *value);

/// One integer in the field's range.
int csim_read_int(csim_reader *r, const csim_field *f, const cJSON *item, int *value);

/// Describes an item for messages: `text "abc"`, `a list of 2`, `-3`.
void csim_describe_item(const cJSON *item, char text[CSIM_DESCRIPTION]);

/// Number of members of a list or object.
int csim_count_items(const cJSON *item);

// kinds and tables of the scene's larger parts, each in a file of its own
extern const csim_table csim_contact_table;

/// Keys of "solver"; base is csim_solver_params.
extern const csim_table csim_solver_table;
extern const char *const csim_integrator_names[]; ///< in the order of csim_integrator; then NULL
extern const csim_kind csim_kind_materials; ///< the map of materials; detail: csim_material_table
extern const csim_kind csim_kind_material;  ///< an object's: name, preset or { }; detail as above
extern const csim_kind csim_kind_arcsim;    ///< a material file of ARCSim
extern const csim_kind csim_kind_shear;     ///< N/m, or by an angle
extern const csim_kind csim_kind_motion;    ///< detail: csim_motion_table
extern const csim_kind csim_kind_box;       ///< two corners, as an element of a list
extern const csim_table csim_material_table;
extern const csim_table csim_motion_table;
extern const csim_table csim_pin_table;
extern const csim_table csim_map_table;
extern const csim_variants csim_mesh_variants;
extern const csim_variants csim_object_variants;
extern const char *const csim_preset_names[];
const csim_material *csim_find_preset(const char *name); ///< NULL when there is none
extern const char *const csim_shape_names[];

/// Converts readings of laboratories to stiffnesses.
void csim_finish_material(csim_reader *r, const cJSON *item, void *base);

/// Checks that a material has the properties that an object needs.
void csim_check_material(csim_reader *r, const cJSON *item, const csim_object *object);

extern const csim_table csim_link_end_table;
extern const csim_list csim_fold_list;                       ///< of an object
extern const csim_list csim_attachment_list, csim_seam_list; ///< of the scene

extern const csim_list csim_chamber_list; ///< of the scene

/// Checks the objects of chambers, and that the solver supports them.
void csim_check_chambers(csim_reader *r, const cJSON *item, const csim_scene *scene);

/// Checks that the objects of attachments and seams exist.
void csim_check_joints(csim_reader *r, const cJSON *item, const csim_scene *scene);

/// Checks that the objects that pins follow exist, when all objects have been read.
void csim_check_pins(csim_reader *r, const cJSON *item, const csim_scene *scene);

/// The scene's table, from which all others are reached.
extern const csim_table csim_scene_table;

/// Reads the phases of r->scene, which `read` has read from the tree: each is that tree with the
/// keys of the phase merged over it.
void csim_read_phases(csim_reader *r, const cJSON *tree,
                      void (*read)(csim_reader *, const cJSON *));

// --------------------------------------------------------------------------- walking the tables

/// A table, or a family of them, that some key of the scene refers to.
typedef struct csim_definition {
  const csim_table *table;       ///< NULL for variants
  const csim_variants *variants; ///< NULL for a table
} csim_definition;

enum { CSIM_MAX_DEFINITIONS = 64 };

/// All definitions reached from csim_scene_table, without itself, each once, in order of keys.
/// @return their number
int csim_list_definitions(csim_definition list[CSIM_MAX_DEFINITIONS]);

/// The definition that a field's key refers to: {NULL, NULL} for single values.
csim_definition csim_definition_of(const csim_field *f);

/// Where in a scene a key has a meaning, at the top or one level below: ": it is a key of
/// "frames"".
/// @return text of the reader's scratch memory; "" if nowhere
const char *csim_find_home(csim_reader *r, const char *key);

/// The default of a field as JSON on one line.
/// @param[out] text  free(); NULL when there is no default
/// @return 0, or -1 when out of memory
int csim_print_default(const csim_table *table, const csim_field *f, char **text);

#endif
