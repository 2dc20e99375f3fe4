// cache/murmur.h: the hash of Alembic files. Needs base/.
#ifndef CSIM_CACHE_MURMUR_H
#define CSIM_CACHE_MURMUR_H

#include <stddef.h>
#include <stdint.h>

/// MurmurHash3_x64_128 with seed 0 (Austin Appleby's algorithm, public domain).
/// @param[out] digest  (16) little-endian
void csim_murmur(const void *data, size_t size, uint8_t digest[16]);

#endif
