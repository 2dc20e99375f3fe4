// contact/share.h: a share of a motion, [0, 1], that several threads may lower. Needs nothing.
#ifndef CSIM_CONTACT_SHARE_H
#define CSIM_CONTACT_SHARE_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/// The bits of a double that is not negative: they are ordered as the numbers are, and a minimum
/// does not depend on the order of its arguments, so every number of threads gets the same.
typedef _Atomic uint64_t csim_share;

/// Sets, reads and lowers a share, without ordering other memory.
static inline void csim_share_set(csim_share *share, double t) {
  uint64_t bits;
  memcpy(&bits, &t, sizeof bits);
  atomic_store_explicit(share, bits, memory_order_relaxed);
}

static inline double csim_share_get(const csim_share *share) { ///< see csim_share_set
  uint64_t bits = atomic_load_explicit(share, memory_order_relaxed);
  double t;
  memcpy(&t, &bits, sizeof t);
  return t;
}

static inline void csim_share_lower(csim_share *share, double t) { ///< see csim_share_set
  uint64_t wanted, now = atomic_load_explicit(share, memory_order_relaxed);
  memcpy(&wanted, &t, sizeof wanted);
  while (wanted < now && !atomic_compare_exchange_weak_explicit(
                             share, &now, wanted, memory_order_relaxed, memory_order_relaxed)) {
  }
}

#endif
