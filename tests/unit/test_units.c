// test_units: units in texts against their factors and exponents by hand.
#include "check.h"

#include "scene/units.h"

#include <string.h>

static void check_unit(const char *text, double si, int m, int kg, int s) {
  csim_unit u;
  char unknown[32];
  int ok = csim_parse_unit(text, &u, unknown);
  check_that(ok, __FILE__, __LINE__, "%s is refused", text);
  if (!ok) return;
  check_that(fabs(u.times / u.over - si) <= 1e-15 * si, __FILE__, __LINE__, "%s is %.17g", text,
             u.times / u.over);
  check_that(u.m == m && u.kg == kg && u.s == s, __FILE__, __LINE__, "%s: m^%d kg^%d s^%d", text,
             u.m, u.kg, u.s);
}

int main(void) {
  check_unit("", 1, 0, 0, 0);
  check_unit("m", 1, 1, 0, 0);
  check_unit("mm", 1e-3, 1, 0, 0);
  check_unit("cm^2", 1e-4, 2, 0, 0);
  check_unit("N", 1, 1, 1, -2);
  check_unit("N/m", 1, 0, 1, -2);
  check_unit("kg m^2", 1, 2, 1, 0);
  check_unit("1/s", 1, 0, 0, -1);
  check_unit("m/s^2", 1, 1, 0, -2);
  check_unit("g/m^2", 1e-3, -2, 1, 0);
  check_unit("Pa", 1, -1, 1, -2);
  check_unit("MPa", 1e6, -1, 1, -2);
  check_unit("%", 1e-2, 0, 0, 0);
  csim_unit a, b;
  char unknown[32];
  static const char *const bad[] = {"parsec", "m/", "/m", "m^", "m^x", "m//s"};
  for (int i = 0; i < 6; i++) CHECK(!csim_parse_unit(bad[i], &a, unknown));
  CHECK(!csim_parse_unit("N/parsec", &a, unknown));
  CHECK_TEXT(unknown, "parsec");
  CHECK(csim_parse_unit("0.1 m", &a, unknown) == 0); // a number belongs in front of the unit
  // 0.3 mm is the double that 0.0003 reads as
  CHECK(csim_parse_unit("mm", &a, unknown) && 0.3 * a.times / a.over == 0.0003);
  CHECK(csim_parse_unit("N/m", &a, unknown) && csim_parse_unit("kg/s^2", &b, unknown));
  CHECK(csim_same_dimension(&a, &b));
  CHECK(csim_parse_unit("N m", &b, unknown) && !csim_same_dimension(&a, &b));
  return check_report();
}
