// scene/inputs.h: the files that a scene is read from, so that no output replaces one. Needs base/.
#ifndef CSIM_SCENE_INPUTS_H
#define CSIM_SCENE_INPUTS_H

#include "scene/scene.h"

/// Adds a path to the scene's inputs: a file, a folder of frames, or frames numbered ####.
/// @return 0, or -1 when out of memory
int csim_inputs_add(csim_scene *scene, const char *path);

/// The input of a scene, or of one of its phases, that is the file at a path. NULL: none is.
const char *csim_inputs_same(const csim_scene *scene, const char *path);

/// An input that lies in an open folder under a name that `takes` is true of, or a folder that is
/// this one. A symbolic link counts where it is and where it leads. NULL: there is none.
/// @param takes  `name` may hold # for any digit
const char *csim_inputs_within(const csim_scene *scene, int folder,
                               int (*takes)(const void *context, const char *name),
                               const void *context);

#endif
