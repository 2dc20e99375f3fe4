// io/json_write.h: writes JSON with fixed bytes. Needs base/.
#ifndef CSIM_IO_JSON_WRITE_H
#define CSIM_IO_JSON_WRITE_H

#include <stddef.h>
#include <stdint.h>

/// A growing JSON text, indented by two spaces. Zero-initialised; `text` is released with free().
/// Every writer takes the key, NULL in a list. After an allocation failure calls do nothing.
typedef struct csim_json_out {
  char *text; ///< terminated by 0
  ptrdiff_t length, capacity;
  int depth;
  int flat;   ///< depth from which everything stays on one line; 0 = none
  int filled; ///< the open list or object has a member already
  int failed; ///< out of memory
} csim_json_out;

/// Opens '{' or '['; csim_json_open_flat keeps it and all inside on one line.
void csim_json_open(csim_json_out *out, const char *key, char bracket);
void csim_json_open_flat(csim_json_out *out, const char *key, char bracket);
/// Closes with '}' or ']'.
void csim_json_close(csim_json_out *out, char bracket);

/// The text; free(). NULL when out of memory.
char *csim_json_take(csim_json_out *out);

/// The same with a line break after the outermost value.
char *csim_json_end(csim_json_out *out);

/// The shortest decimal that reads back as the same double; null when it is not finite.
void csim_json_number(csim_json_out *out, const char *key, double value);
void csim_json_integer(csim_json_out *out, const char *key, long long value);
void csim_json_text(csim_json_out *out, const char *key, const char *text);
void csim_json_bool(csim_json_out *out, const char *key, int value);
/// 16 hexadecimal digits, as a text.
void csim_json_hash(csim_json_out *out, const char *key, uint64_t hash);
/// A text that is JSON already.
void csim_json_raw(csim_json_out *out, const char *key, const char *json);

/// Writes the shortest decimal that reads back as the same finite double; at least 15 digits where
/// |value| is below 2.3e-308.
/// @param[out] text  at least 32 bytes
/// @return number of characters, without the final 0
int csim_print_shortest(double value, char *text);

#endif
