// scene/difference.h: lists the differences between two scenes, key by key. Needs io/json.h.
#ifndef CSIM_SCENE_DIFFERENCE_H
#define CSIM_SCENE_DIFFERENCE_H

#include "io/json.h"

typedef struct csim_difference {
  csim_json *json;  ///< both trees are of it
  const char *file; ///< for messages
  csim_level level; ///< of messages
  csim_log *log;
  int memory; ///< out of memory
} csim_difference;

/// Logs every key whose value differs, as `/contact/friction: 0.3 -> 0.5`. Members of lists with
/// names are matched by name. Keys that cannot change a run's files are left out: description,
/// look_at, the last frame, added formats, folders of files.
/// @param was, is  trees of resolved scenes, NULL allowed
/// @return number of differences
int csim_report_differences(csim_difference *d, const cJSON *was, const cJSON *is);

#endif
