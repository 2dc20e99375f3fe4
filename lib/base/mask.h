// base/mask.h: masks, one byte of 0 or 1 for each item.
#ifndef CSIM_BASE_MASK_H
#define CSIM_BASE_MASK_H

#include <string.h>

/// Whether all items in [first, last) are marked. Of no mask, NULL, none is.
static inline int csim_mask_covers(const unsigned char *mask, int first, int last) {
  return mask && !memchr(mask + first, 0, (size_t)(last - first));
}

#endif
