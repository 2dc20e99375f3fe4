// test_bytes: numbers in byte strings of a fixed order.
#include "check.h"

#include "base/bytes.h"

int main(void) {
  unsigned char b[8];
  csim_store_u64(0x0123456789abcdefu, b);
  CHECK(b[0] == 0xef && b[7] == 0x01 && csim_load_u64(b) == 0x0123456789abcdefu);
  CHECK(csim_load_u32_be(b) == 0xefcdab89u && csim_load_u32(b) == 0x89abcdefu);
  CHECK(csim_load_u16(b) == 0xcdef);
  csim_store_u16(0x4567, b);
  CHECK(b[0] == 0x67 && csim_load_u16(b) == 0x4567);
  csim_store_f64(-1.5, b);
  CHECK(csim_load_f64(b) == -1.5 && b[7] == 0xbf);
  csim_store_f32_be(1.5f, b);
  CHECK(b[0] == 0x3f && csim_load_u32_be(b) == 0x3fc00000u);
  csim_store_i32(-2, b);
  CHECK(csim_load_i32(b) == -2 && b[3] == 0xff);
  csim_store_i64(-3, b);
  CHECK(csim_load_i64(b) == -3);
  return check_report();
}
