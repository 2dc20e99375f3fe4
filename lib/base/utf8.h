// base/utf8.h: characters of UTF-8.
#ifndef CSIM_BASE_UTF8_H
#define CSIM_BASE_UTF8_H

/// Number of bytes of the UTF-8 character at p (Unicode 15, table 3-7), with `left` > 0 bytes to
/// read; 0 if it is invalid.
static inline int csim_utf8_measure(const unsigned char *p, int left) {
  if (p[0] < 0x80) return 1;
  if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
  int n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  if (n > left) return 0;
  unsigned least = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80; // no overlong forms
  unsigned most = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;  // no surrogates, <= U+10FFFF
  if (p[1] < least || p[1] > most) return 0;
  for (int i = 2; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return n;
}

#endif
