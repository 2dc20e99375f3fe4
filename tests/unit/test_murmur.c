// test_murmur: MurmurHash3_x64_128 with seed 0 against digests that other programs give.
#include "check.h"

#include "cache/murmur.h"

#include <string.h>

// The digest as the two 64-bit numbers in which it is usually printed.
static void check_digest(const char *text, uint64_t low, uint64_t high) {
  uint8_t digest[16];
  csim_murmur(text, strlen(text), digest);
  uint64_t word[2] = {0};
  for (int i = 0; i < 16; i++) word[i / 8] |= (uint64_t)digest[i] << 8 * (i % 8);
  check_that(word[0] == low && word[1] == high, __FILE__, __LINE__, "\"%s\": %016llx%016llx", text,
             (unsigned long long)word[0], (unsigned long long)word[1]);
}

int main(void) {
  check_digest("", 0, 0);
  check_digest("hello", 0xcbd8a7b341bd9b02u, 0x5b1e906a48ae1d19u);
  check_digest("hello, world", 0x342fac623a5ebc8eu, 0x4cdcbc079642414du);
  check_digest("The quick brown fox jumps over the lazy dog.", 0xcd99481f9ee902c9u,
               0x695da1a38987b6e7u);
  return check_report();
}
