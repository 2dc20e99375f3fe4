// cache/abc_sample.c: the samples of Alembic properties as numbers and text. See abc_read.h.
#include "cache/abc_read.h"

#include <math.h>

enum { KEY = 16 }; // [bytes] before the contents of a sample

/// Types of elements.
enum { BOOLEAN, U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64, STRING, WSTRING };
static const uint8_t SIZE[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0, 0};

// Where sample i is among those stored.
static uint32_t stored_index(const csim_abc_property *p, uint32_t i) {
  if (i < p->first || p->last == 0) return 0;
  return i >= p->last ? p->last - p->first + 1 : i - p->first + 1;
}

int csim_abc_same(const csim_abc_property *p, uint32_t i, uint32_t j) {
  return stored_index(p, i) == stored_index(p, j);
}

// The word of sample i. Arrays have their dimensions behind each.
static csim_status find_sample(csim_abc *abc, const csim_abc_property *p, uint32_t i,
                               csim_ogawa_word *word) {
  csim_ogawa_node group;
  uint64_t k = stored_index(p, i);
  csim_status status = csim_ogawa_enter(&abc->file, p->word, &group);
  if (!status)
    status = csim_ogawa_child(&abc->file, &group, p->kind == CSIM_ABC_ARRAY ? 2 * k : k, word);
  return status;
}

csim_status csim_abc_length(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t *n) {
  csim_ogawa_word word;
  uint64_t size;
  *n = 0;
  if (!SIZE[p->pod]) return csim_ogawa_damaged(&abc->file, "text where numbers should be");
  csim_status status = find_sample(abc, p, i, &word);
  if (!status) status = csim_ogawa_measure(&abc->file, word, &size);
  if (status || size <= KEY) return status;
  *n = (size - KEY) / SIZE[p->pod];
  if ((size - KEY) % ((uint64_t)SIZE[p->pod] * (uint64_t)p->extent))
    return csim_ogawa_damaged(&abc->file, "a sample that does not have whole elements");
  return CSIM_OK;
}

// IEEE 754 binary16.
static double load_half(const uint8_t *p) {
  uint16_t h = csim_load_u16(p);
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double value = exponent ? 1 + mantissa / 1024.0 : mantissa / 1024.0;
  if (exponent == 31) value = mantissa ? (double)NAN : (double)INFINITY;
  for (int e = exponent ? exponent : 1; e > 15 && exponent != 31; e--) value *= 2;
  for (int e = exponent ? exponent : 1; e < 15; e++) value /= 2;
  return h >> 15 ? -value : value;
}

// A number of an Alembic type (POD) as a double.
static double load(int pod, const uint8_t *p) {
  switch (pod) {
  case BOOLEAN:
  case U8:
    return *p;
  case I8:
    return (int8_t)*p;
  case U16:
    return csim_load_u16(p);
  case I16:
    return (int16_t)csim_load_u16(p);
  case U32:
    return csim_load_u32(p);
  case I32:
    return csim_load_i32(p);
  case U64:
    return (double)csim_load_u64(p);
  case I64:
    return (double)csim_load_i64(p);
  case F16:
    return load_half(p);
  case F32:
    return (double)csim_load_f32(p);
  default:
    return csim_load_f64(p);
  }
}

// To doubles or, when that is NULL, to integers.
static csim_status read_numbers(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t n,
                                double *to_double, int *to_int) {
  enum { PIECE = 4096 };
  uint8_t bytes[8 * PIECE];
  csim_ogawa_word word;
  uint64_t size = SIZE[p->pod], there;
  csim_status status = csim_abc_length(abc, p, i, &there);
  if (!status && there != n) status = csim_ogawa_damaged(&abc->file, "a sample of another length");
  if (!status) status = find_sample(abc, p, i, &word);
  for (uint64_t done = 0; done < n && !status; done += PIECE) {
    size_t m = n - done < PIECE ? (size_t)(n - done) : PIECE;
    status = csim_ogawa_bytes(&abc->file, word, KEY + size * done, (size_t)size * m, bytes);
    for (size_t k = 0; k < m && !status; k++) {
      double value = load(p->pod, bytes + (size_t)size * k);
      if (to_double)
        to_double[done + k] = value;
      else
        to_int[done + k] = value >= -2147483648.0 && value <= 2147483647.0 ? (int)value : -1;
    }
  }
  return status;
}

csim_status csim_abc_doubles(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t n,
                             double *value) {
  return read_numbers(abc, p, i, n, value, NULL);
}

csim_status csim_abc_integers(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t n,
                              int *value) {
  return read_numbers(abc, p, i, n, NULL, value);
}

csim_status csim_abc_key(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint8_t key[16]) {
  csim_ogawa_word word;
  uint64_t size;
  memset(key, 0, KEY);
  csim_status status = find_sample(abc, p, i, &word);
  if (!status) status = csim_ogawa_measure(&abc->file, word, &size);
  if (status || size < KEY) return status;
  return csim_ogawa_bytes(&abc->file, word, 0, KEY, key);
}
