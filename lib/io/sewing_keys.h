// io/sewing_keys.h: misspelt keys of sewing patterns. Needs io/json.h.
#ifndef CSIM_IO_SEWING_KEYS_H
#define CSIM_IO_SEWING_KEYS_H

#include "io/json.h"

/// Warns of keys in a pattern that are not known and look like one that is: what they say would be
/// left out. Other unknown keys are notes of the program that drew the pattern.
void csim_sewing_check_keys(csim_json *json, const cJSON *tree, csim_log *log);

#endif
