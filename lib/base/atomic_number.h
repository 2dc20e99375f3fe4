// base/atomic_number.h: a number >= 0 that several threads lower or raise. Needs nothing.
#ifndef CSIM_BASE_ATOMIC_NUMBER_H
#define CSIM_BASE_ATOMIC_NUMBER_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/// The bits of a double that is not negative: they are ordered as the numbers are. A minimum or
/// maximum does not depend on the order of its arguments, so every number of threads gets the same.
typedef _Atomic uint64_t csim_atomic_number;

static inline uint64_t csim_atomic_bits(double value) { ///< of a value >= 0
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Sets the number to a value >= 0. None of these functions orders other memory.
static inline void csim_atomic_set(csim_atomic_number *number, double value) {
  atomic_store_explicit(number, csim_atomic_bits(value), memory_order_relaxed);
}

/// Reads the number.
static inline double csim_atomic_get(const csim_atomic_number *number) {
  uint64_t bits = atomic_load_explicit(number, memory_order_relaxed);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Makes the number at most a value >= 0.
static inline void csim_atomic_lower(csim_atomic_number *number, double value) {
  uint64_t bits = csim_atomic_bits(value), now = atomic_load_explicit(number, memory_order_relaxed);
  while (bits < now && !atomic_compare_exchange_weak_explicit(
                           number, &now, bits, memory_order_relaxed, memory_order_relaxed)) {
  }
}

/// Makes the number at least a value >= 0.
static inline void csim_atomic_raise(csim_atomic_number *number, double value) {
  uint64_t bits = csim_atomic_bits(value), now = atomic_load_explicit(number, memory_order_relaxed);
  while (bits > now && !atomic_compare_exchange_weak_explicit(
                           number, &now, bits, memory_order_relaxed, memory_order_relaxed)) {
  }
}

#endif
