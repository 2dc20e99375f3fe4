// cache/ogawa.h: the container of Alembic files: groups and data, written in one pass. Needs io/.
//
// Data is u64 size and bytes; a group is u64 number of children and a word for each: its position
// in the file, with bit 63 set for data. An empty group is the word 0, empty data the bit alone.
// Header: "Ogawa", 0xFF (0 while being written), 00 01, u64 position of the root group.
#ifndef CSIM_CACHE_OGAWA_H
#define CSIM_CACHE_OGAWA_H

#include "cache/buffer.h"
#include "io/file.h"

#define CSIM_OGAWA_DATA ((uint64_t)1 << 63)

/// A child word.
typedef uint64_t csim_ogawa_word;

/// Writes the header of an Ogawa file.
void csim_ogawa_begin(csim_file *file);

/// Writes a block of data.
/// @return its word, for the group it belongs to
csim_ogawa_word csim_ogawa_data(csim_file *file, const csim_bytes *bytes);

/// A sample: data of the 16-byte key of the payload, and the payload.
csim_ogawa_word csim_ogawa_sample(csim_file *file, const csim_bytes *payload,
                                  const uint8_t key[16]);

/// Writes a group of children.
/// @param child  words in little-endian order, 8 bytes each
csim_ogawa_word csim_ogawa_group(csim_file *file, const csim_bytes *child);

/// Completes the header with the root group.
void csim_ogawa_end(csim_file *file, csim_ogawa_word root);

#endif
