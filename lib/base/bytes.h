// base/bytes.h: numbers in byte strings of a fixed byte order, on any machine. Needs nothing.
//
// Compilers turn each of these into one load or store (and a byte swap where needed).
#ifndef CSIM_BASE_BYTES_H
#define CSIM_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

// ---------------------------------------------------------------------------- little-endian load

/// Numbers from bytes in little-endian order, at any address.
static inline uint16_t csim_load_u16(const void *from) {
  const unsigned char *p = from;
  return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t csim_load_u32(const void *from) {
  const unsigned char *p = from;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t csim_load_u64(const void *from) {
  const unsigned char *p = from;
  return csim_load_u32(p) | (uint64_t)csim_load_u32(p + 4) << 32;
}
static inline int32_t csim_load_i32(const void *from) {
  return (int32_t)csim_load_u32(from);
}
static inline int64_t csim_load_i64(const void *from) {
  return (int64_t)csim_load_u64(from);
}
static inline float csim_load_f32(const void *from) {
  uint32_t bits = csim_load_u32(from);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double csim_load_f64(const void *from) {
  uint64_t bits = csim_load_u64(from);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// --------------------------------------------------------------------------- little-endian store

/// Numbers to bytes in little-endian order.
static inline void csim_store_u16(uint16_t value, void *to) {
  unsigned char *p = to;
  for (int i = 0; i < 2; i++) p[i] = (unsigned char)(value >> 8 * i);
}
static inline void csim_store_u32(uint32_t value, void *to) {
  unsigned char *p = to;
  for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> 8 * i);
}
static inline void csim_store_u64(uint64_t value, void *to) {
  unsigned char *p = to;
  for (int i = 0; i < 8; i++) p[i] = (unsigned char)(value >> 8 * i);
}
static inline void csim_store_i32(int32_t value, void *to) {
  csim_store_u32((uint32_t)value, to);
}
static inline void csim_store_i64(int64_t value, void *to) {
  csim_store_u64((uint64_t)value, to);
}
static inline void csim_store_f32(float value, void *to) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  csim_store_u32(bits, to);
}
static inline void csim_store_f64(double value, void *to) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  csim_store_u64(bits, to);
}

// --------------------------------------------------------------------- big-endian load and store

/// The same in big-endian order.
static inline uint32_t csim_load_u32_be(const void *from) {
  const unsigned char *p = from;
  return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}
static inline void csim_store_u32_be(uint32_t value, void *to) {
  unsigned char *p = to;
  for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (24 - 8 * i));
}
static inline void csim_store_f32_be(float value, void *to) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  csim_store_u32_be(bits, to);
}

#endif
