// test_curve: values between, before and after keys.
#include "check.h"

#include "model/curve.h"

int main(void) {
  static const double constant[3] = {7, 8, 9};
  csim_curve_key key[3] = {{1, {10, 0, -1}}, {2, {20, 0, 1}}, {4, {0, 5, 1}}};
  csim_curve none = {0}, one = {.nkey = 1, .key = key}, three = {.nkey = 3, .key = key};
  static const struct {
    double time, value[3];
  } expected[] = {
      {-5, {10, 0, -1}}, {1, {10, 0, -1}},    {1.25, {12.5, 0, -0.5}}, {2, {20, 0, 1}},
      {3, {10, 2.5, 1}}, {3.5, {5, 3.75, 1}}, {4, {0, 5, 1}},          {100, {0, 5, 1}},
  };
  double value[3];
  for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
    csim_curve_at(&three, 3, constant, expected[i].time, value);
    for (int c = 0; c < 3; c++) CHECK_NEAR(value[c], expected[i].value[c], 1e-15);
  }
  csim_curve_at(&none, 3, constant, 2, value);
  for (int c = 0; c < 3; c++) CHECK(value[c] == constant[c]);
  for (int t = 0; t < 3; t++) {
    csim_curve_at(&one, 3, constant, t, value);
    for (int c = 0; c < 3; c++) CHECK(value[c] == key[0].value[c]);
  }
  // means: by the antiderivative of x, within a piece, over keys, and beyond them
  static const double spans[][3] = {{1.25, 1.5, 13.75},
                                    {0, 1.5, (10 + 0.5 * 12.5) / 1.5},
                                    {0, 10, (10 + 15 + 20) / 10.0},
                                    {1.5, 3, (0.5 * 17.5 + 15) / 1.5},
                                    {2, 4, 10},
                                    {5, 6, 0},
                                    {-2, 1, 10},
                                    {3.5, 4.5, 1.25}};
  for (int i = 0; i < (int)(sizeof spans / sizeof *spans); i++) {
    csim_curve_mean(&three, 1, constant, spans[i][0], spans[i][1], value);
    CHECK_NEAR(value[0], spans[i][2], 1e-14);
  }
  csim_curve_mean(&none, 3, constant, 2, 3, value);
  for (int c = 0; c < 3; c++) CHECK(value[c] == constant[c]);
  value[1] = 55; // only `count` numbers are written
  csim_curve_at(&three, 1, constant, 3, value);
  CHECK(value[0] == 10 && value[1] == 55);

  csim_arena arena = {0};
  csim_curve copy;
  CHECK(csim_curve_copy(&arena, &three, &copy) == 0);
  CHECK(copy.nkey == 3 && copy.key != key && copy.key[2].value[1] == 5 && copy.key[1].time == 2);
  CHECK(csim_curve_copy(&arena, &none, &copy) == 0);
  CHECK(copy.nkey == 0);
  csim_arena_free(&arena);
  return check_report();
}
