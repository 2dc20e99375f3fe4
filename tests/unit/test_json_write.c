// test_json_write: the text that is written, character by character.
#include "check.h"

#include "io/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  csim_json_out out = {0};
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "a\"b", "x\n\\\x01\xc3\xa9");
  csim_json_integer(&out, "n", -9007199254740993);
  csim_json_bool(&out, "yes", 2);
  csim_json_open_flat(&out, "list", '[');
  csim_json_number(&out, NULL, 0.1);
  csim_json_number(&out, NULL, NAN);
  csim_json_open(&out, NULL, '{');
  csim_json_close(&out, '}');
  csim_json_close(&out, ']');
  csim_json_raw(&out, "raw", "[1]");
  csim_json_hash(&out, "hash", 0xabc);
  csim_json_close(&out, '}');
  CHECK(csim_json_end(&out) != NULL);
  CHECK(!out.failed && out.length == (ptrdiff_t)strlen(out.text));
  CHECK_TEXT(out.text,
             "{\n  \"a\\\"b\": \"x\\u000a\\\\\\u0001\xc3\xa9\",\n  \"n\": -9007199254740993,\n"
             "  \"yes\": true,\n  \"list\": [0.1, null, {}],\n  \"raw\": [1],\n  \"hash\": "
             "\"0000000000000abc\"\n}\n");
  free(out.text);
  // the shortest text that gives the same bits back
  static const double value[] = {
      0, 1, -2.5, 0.1, 1e21, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0 / 3};
  for (int i = 0; i < 8; i++) {
    char text[32], shorter[40];
    int n = csim_print_shortest(value[i], text), digits = 0;
    CHECK(n == (int)strlen(text) && strtod(text, NULL) == value[i]);
    while (digits < 17 && (snprintf(shorter, sizeof shorter, "%.*g", digits + 1, value[i]),
                           strtod(shorter, NULL) != value[i]))
      digits++;
    check_that(n <= (int)strlen(shorter), __FILE__, __LINE__, "%s, not %s", text, shorter);
  }
  return check_report();
}
