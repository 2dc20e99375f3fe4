// test_buffer: bytes that grow, and floats as integers of the same order.
#include "check.h"

#include "cache/buffer.h"

#include <stdlib.h>
#include <string.h>

static void test_growth(void) {
  csim_bytes bytes = {0};
  for (int i = 0; i < 5000; i++) {
    uint8_t one = (uint8_t)(i % 251);
    csim_bytes_add(&bytes, &one, 1);
  }
  int wrong = bytes.n != 5000 || bytes.failed;
  for (int i = 0; i < 5000 && !wrong; i++) wrong = bytes.data[i] != i % 251;
  CHECK(!wrong);
  bytes.n = 0;
  csim_bytes_add32(&bytes, 0x04030201u);
  csim_bytes_add64(&bytes, 0x0c0b0a0908070605u);
  for (int i = 0; i < 12; i++) CHECK(bytes.data[i] == i + 1);
  csim_bytes_add_double(&bytes, -2.0); // c0 00 ... in little-endian order
  CHECK(bytes.n == 20 && bytes.data[19] == 0xc0 && bytes.data[18] == 0 && bytes.data[12] == 0);
  csim_bytes_add(&bytes, NULL, 3);
  CHECK(bytes.n == 23 && !bytes.data[20] && !bytes.data[21] && !bytes.data[22]);
  free(bytes.data);
}

static void test_order(void) {
  static const float up[] = {-INFINITY, -1e30f, -2, -1, -1e-40f, 0, 1e-40f, 1, 2, 1e30f, INFINITY};
  for (int i = 1; i < 11; i++)
    CHECK(csim_order_bits(csim_float_bits(up[i - 1])) < csim_order_bits(csim_float_bits(up[i])));
  for (int k = 0; k < 1000; k++) {
    uint32_t bits = check_random();
    CHECK(csim_unorder_bits(csim_order_bits(bits)) == bits);
    CHECK(csim_unzigzag(csim_zigzag(bits)) == bits);
  }
  CHECK(csim_bits_float(0x3f800000u) == 1 && csim_float_bits(-0.0f) == 0x80000000u);
  static const uint32_t small[] = {0, 0xffffffffu, 1, 0xfffffffeu, 2};
  for (uint32_t z = 0; z < 5; z++) CHECK(csim_zigzag(small[z]) == z);
}

int main(void) {
  test_growth();
  test_order();
  return check_report();
}
