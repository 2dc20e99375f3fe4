// test_utf8: every character of Unicode is valid, and nothing else of up to four bytes.
#include "check.h"

#include "base/utf8.h"

#include <string.h>

// The UTF-8 of a code point by the definition (RFC 3629). Returns its length.
static int encode(unsigned code, unsigned char out[4]) {
  static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = n - 1; i > 0; i--, code >>= 6) out[i] = (unsigned char)(0x80 | (code & 0x3F));
  out[0] = (unsigned char)(lead[n] | code);
  return n;
}

static void test_code_points(void) {
  int wrong = 0, cut = 0;
  unsigned char text[4];
  for (unsigned code = 0; code <= 0x10FFFF; code++) {
    int n = encode(code, text), surrogate = code >= 0xD800 && code <= 0xDFFF;
    wrong += csim_utf8_measure(text, 4) != (surrogate ? 0 : n);
    if (n > 1) cut += csim_utf8_measure(text, n - 1) != 0;
  }
  CHECK(wrong == 0);
  CHECK(cut == 0);
}

// Of all pairs of bytes, and of some fours, those are valid that encode the code point they hold.
static void test_bytes(void) {
  int wrong = 0;
  for (unsigned first = 0; first < 256; first++)
    for (unsigned second = 0; second < 256; second++) {
      unsigned char text[4] = {(unsigned char)first, (unsigned char)second, 0x80, 0xBF}, again[4];
      unsigned code = first < 0x80   ? first
                      : first < 0xE0 ? (first & 0x1F) << 6 | (second & 0x3F)
                      : first < 0xF0 ? (first & 0x0F) << 12 | (second & 0x3F) << 6
                                     : (first & 0x07) << 18 | (second & 0x3F) << 12 | 0x3F;
      int n = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) ? encode(code, again) : 0;
      int valid = n && !memcmp(text, again, (size_t)n) && first < 0xF8;
      wrong += csim_utf8_measure(text, 4) != (valid ? n : 0);
    }
  CHECK(wrong == 0);
  static const unsigned char broken[2][4] = {{0xE2, 0x82, 0x41, 0}, {0xF0, 0x9F, 0x98, 0x41}};
  CHECK(csim_utf8_measure(broken[0], 4) == 0);
  CHECK(csim_utf8_measure(broken[1], 4) == 0);
}

int main(void) {
  test_code_points();
  test_bytes();
  return check_report();
}
