// test_hash: every byte counts, and a hash can be continued at multiples of eight bytes.
#include "check.h"

#include "base/hash.h"

int main(void) {
  unsigned char text[29];
  for (int i = 0; i < 29; i++) text[i] = (unsigned char)(7 * i + 1);
  uint64_t whole = csim_hash_bytes(CSIM_HASH_START, text, sizeof text);
  // caches and checkpoints hold hashes: another function would refuse them
  CHECK(whole == 0x25bffbe3fe8b1721u);
  CHECK(csim_hash_bytes(CSIM_HASH_START, text, 0) == CSIM_HASH_START);
  uint64_t half = csim_hash_bytes(CSIM_HASH_START, text, 16);
  CHECK(csim_hash_bytes(half, text + 16, sizeof text - 16) == whole);
  for (int i = 0; i < 29; i++)
    for (int bit = 0; bit < 8; bit++) {
      text[i] ^= (unsigned char)(1 << bit);
      CHECK(csim_hash_bytes(CSIM_HASH_START, text, sizeof text) != whole);
      text[i] ^= (unsigned char)(1 << bit);
    }
  return check_report();
}
