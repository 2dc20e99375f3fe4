// io/json_scan.h: the scanner that checks JSON texts, for json.c only. Needs base/.
#ifndef CSIM_IO_JSON_SCAN_H
#define CSIM_IO_JSON_SCAN_H

#include "io/json.h"

/// Checks the text of source number `source` (length bytes and a terminating 0) and appends one
/// note per value, in document order, to `json`. Blanks comments and trailing commas in place.
/// Replaces every number by a single digit, because cJSON reads numbers by the locale and at most
/// 63 characters of them; the note has the value.
/// @return CSIM_OK; CSIM_INVALID after one message; CSIM_MEMORY
csim_status csim_json_scan(csim_json *json, int source, size_t length, csim_log *log);

#endif
