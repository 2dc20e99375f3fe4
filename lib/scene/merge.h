// scene/merge.h: trees before they are read: merging of scene files, --set. Needs io/.
#ifndef CSIM_SCENE_MERGE_H
#define CSIM_SCENE_MERGE_H

#include "scene/reader.h"

/// Reads a scene file and the ones it extends, each merged over the one it extends. Faults that the
/// tables cannot see (csim_check_faults) become errors of the reader.
/// @param[out] tree  cJSON_Delete; NULL on failure
/// @return CSIM_OK, CSIM_INVALID, CSIM_IO, CSIM_MEMORY (reported)
csim_status csim_load_tree(csim_reader *r, const char *path, csim_log *log, cJSON **tree);

/// The same for a text in memory, as if it were the file `path`.
csim_status csim_load_tree_text(csim_reader *r, const char *path, const char *text, size_t length,
                                csim_log *log, cJSON **tree);

/// Moves every member of `over` into `under`: objects are merged key by key, entries of "objects"
/// by name, constants { } are laid over those of a material that is named, null removes a key, and
/// everything else is replaced.
/// @return 0, or -1 when out of memory
int csim_merge_objects(cJSON *under, cJSON *over);

/// The constants of the material that a string names: of the scene's "materials", else of a preset.
/// @param root  the scene
/// @return newly allocated, cJSON_Delete; NULL when out of memory
cJSON *csim_copy_material(const cJSON *root, const cJSON *reference);

/// Puts them in the place of the reference. @return them, of the tree; NULL when out of memory
cJSON *csim_replace_material(const cJSON *root, cJSON *parent, cJSON *reference);

/// Adds the defaults of scenes with sewing patterns that this one does not set: a material for each
/// pattern and, without "frames" and "phases", phases that sew and drape.
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_add_dressing(csim_reader *r, cJSON **tree);

/// Reports what RFC 8259 allows but a scene must not have: double keys, \u0000, numbers beyond
/// double.
void csim_check_faults(csim_reader *r, const cJSON *item);

/// Changes the tree by one "path=value" of the command line; faults become errors of the reader.
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_apply_set(csim_reader *r, cJSON *tree, const char *set);

#endif
