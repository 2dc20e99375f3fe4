// tests/unit/test_json.c: JSON texts with positions. The lists of good and bad texts are ours,
// along the productions of RFC 8259.
#include "check.h"

#include "io/json.h"
#include "io/json_write.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static csim_status read_text(const char *text, size_t length, check_log *log) {
  csim_json json = {0};
  cJSON *tree = NULL;
  check_log_init(log);
  csim_status status = csim_json_read_text(&json, "t.json", text, length, &log->log, &tree);
  CHECK((status == CSIM_OK) == (tree != NULL));
  CHECK(log->log.nerror == (status != CSIM_OK));
  cJSON_Delete(tree);
  csim_json_free(&json);
  return status;
}

// ------------------------------------------------------------------------------- good and bad
// texts

static void test_accepted(void) {
  static const char *const good[] = {
      "0",
      "-0",
      " \t\r\n1",
      "1.5e-3",
      "1E+2",
      "true",
      "null",
      "\"\"",
      "[]",
      "{}",
      "[[],{}]",
      "{\"\":0}",
      "{\"a\":1,\"a\":2}", // the JSON layer does not mind; scenes do
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
      "\"\\u0041\\uD834\\uDD1E\"",
      "\"\\u0000\"",
      "\"\xC2\x80\xE2\x82\xAC\xF0\x9D\x84\x9E\xF4\x8F\xBF\xBF\"",
      "1e999",
      "-0.0000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "\xEF\xBB\xBF[1]",
      // the extensions
      "[1,]",
      "{\"a\":1,}",
      "[1 , // one\n 2 /* two */ , /**/ ]",
      "// all\n[/*\n*/]//",
      "\"// no comment /* either\"",
  };
  check_log log;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    check_that(read_text(good[i], strlen(good[i]), &log) == CSIM_OK, __FILE__, __LINE__,
               "good text %zu is refused: %s", i, log.text);
}

static void test_refused(void) {
  static const struct {
    const char *text;
    int line, column;
    const char *part; // of the message
  } bad[] = {
      {"", 1, 1, "expected a value, but the text ends here"},
      {"[1", 1, 3, "expected ',' or ']'"},
      {"[1,\n", 2, 1, "expected a value, but the text ends"},
      {"[,]", 1, 2, "expected a value or ']'"},
      {"[1,,]", 1, 4, "expected a value"},
      {"{,}", 1, 2, "expected a key in quotes or '}'"},
      {"{\"a\":1,,}", 1, 8, "expected a key in quotes"},
      {"{\"a\" 1}", 1, 6, "expected ':'"},
      {"{\"a\":}", 1, 6, "expected a value"},
      {"{a:1}", 1, 2, "expected a key in quotes"},
      {"{1:1}", 1, 2, "expected a key in quotes"},
      {"[1]]", 1, 4, "expected nothing more"},
      {"1 2", 1, 3, "expected nothing more"},
      {"[1}", 1, 3, "found '}'"},
      {"01", 1, 1, "cannot start with 0"},
      {"-", 1, 2, "a digit after '-'"},
      {"+1", 1, 1, "expected a value"},
      {".5", 1, 1, "expected a value"},
      {"1.", 1, 3, "a digit after the point"},
      {"1.e3", 1, 3, "a digit after the point"},
      {"1e", 1, 3, "a digit in the exponent"},
      {"0x10", 1, 2, "expected nothing more"},
      {"NaN", 1, 1, "unknown word \"NaN\""},
      {"-Infinity", 1, 2, "a digit after '-'"},
      {"True", 1, 1, "unknown word"},
      {"nul", 1, 1, "unknown word"},
      {"'a'", 1, 1, "expected a value"},
      {"\"a", 1, 1, "is not closed"},
      {"\"a\n\"", 1, 1, "is not closed"},
      {"\"\t\"", 1, 2, "control character 0x09"},
      {"\"\\a\"", 1, 2, "unknown escape"},
      {"\"\\u12G4\"", 1, 2, "four hexadecimal digits"},
      {"\"\\uD834\"", 1, 2, "half of a surrogate pair"},
      {"\"\\uDD1E\\uD834\"", 1, 2, "half of a surrogate pair"},
      {"\"\\uD834\\u0041\"", 1, 2, "half of a surrogate pair"},
      {"\"\xC0\x80\"", 1, 2, "not UTF-8"},         // overlong
      {"\"\xE0\x80\x80\"", 1, 2, "not UTF-8"},     // overlong
      {"\"\xED\xA0\x80\"", 1, 2, "not UTF-8"},     // surrogate
      {"\"\xF4\x90\x80\x80\"", 1, 2, "not UTF-8"}, // beyond U+10FFFF
      {"\"\xE2\x82", 1, 2, "not UTF-8"},           // cut
      {"\xFF\xFE[\x01", 1, 1, "UTF-16"},
      {"[1] /* open", 1, 5, "comment is not closed"},
      {"[1] / 2", 1, 5, "expected nothing more"},
      {"[\"\xC3\xA4\xC3\xB6\", x]", 1, 8, "unknown word"}, // columns count characters
      {"/* \xC3\xA4\n\xC3\xB6 */ x", 2, 6, "unknown word"},
      {"\xEF\xBB\xBF x", 1, 2, "unknown word"},
  };
  check_log log;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    check_that(read_text(bad[i].text, strlen(bad[i].text), &log) == CSIM_INVALID, __FILE__,
               __LINE__, "bad text %zu is accepted", i);
    check_that(log.line == bad[i].line && log.column == bad[i].column, __FILE__, __LINE__,
               "bad text %zu: error at %d:%d, expected %d:%d", i, log.line, log.column, bad[i].line,
               bad[i].column);
    check_that(strstr(log.text, bad[i].part) != NULL, __FILE__, __LINE__,
               "bad text %zu: \"%s\" does not hold \"%s\"", i, log.text, bad[i].part);
  }
  CHECK(read_text("[1\0]", 4, &log) == CSIM_INVALID && log.column == 3);
}

static void test_limits(void) {
  check_log log;
  enum { DEEP = 100000 };
  char *text = malloc(2 * DEEP);
  if (!text) exit(1);
  memset(text, '[', DEEP);
  memset(text + DEEP, ']', DEEP);
  CHECK(read_text(text, DEEP, &log) == CSIM_INVALID);
  CHECK(log.column == CSIM_JSON_MAX_DEPTH + 1);
  CHECK(read_text(text + DEEP - CSIM_JSON_MAX_DEPTH, 2 * CSIM_JSON_MAX_DEPTH, &log) == CSIM_OK);
  CHECK(read_text(text + DEEP - CSIM_JSON_MAX_DEPTH - 1, 2 * CSIM_JSON_MAX_DEPTH + 2, &log) ==
        CSIM_INVALID);
  free(text);
  // the length is looked at before the text
  CHECK(read_text("", (size_t)CSIM_JSON_MAX_BYTES + 1, &log) == CSIM_INVALID);
  csim_json json = {0};
  cJSON *tree;
  CHECK(csim_json_read_file(&json, "/nonexistent", NULL, &tree) == CSIM_IO && !tree);
  CHECK(csim_json_read_file(&json, "/", NULL, &tree) == CSIM_IO && !tree);
  CHECK(csim_json_read_file(&json, "/dev/zero", NULL, &tree) == CSIM_INVALID && !tree);
  CHECK(csim_json_read_file(&json, "/dev/null", NULL, &tree) == CSIM_INVALID && !tree);
  csim_json_free(&json);
}

// -------------------------------------------------------------------------------- places and
// values

static void test_places(void) {
  static const char text[] = "{ // first\n"
                             "  \"a\": [1, {\"b/c~\": 2.5}],\n"
                             "  \"d\": \"\xC3\xA4\", \"e\": [1e400, -7],\n"
                             "}";
  csim_json json = {0};
  cJSON *tree = NULL, *other = NULL;
  CHECK(csim_json_read_text(&json, "one", "[0]", 3, NULL, &other) == CSIM_OK);
  CHECK(csim_json_read_text(&json, "two", text, strlen(text), NULL, &tree) == CSIM_OK);
  if (!tree || !other) return;
  csim_place p = csim_json_place(&json, tree);
  CHECK(p.line == 1 && p.column == 1);
  CHECK_TEXT(p.pointer, "");
  const cJSON *deep = csim_json_get(csim_json_get(tree, "a")->child->next, "b/c~");
  p = csim_json_place(&json, deep);
  CHECK_TEXT(p.file, "two");
  CHECK_TEXT(p.pointer, "/a/1/b~1c~0");
  CHECK(p.line == 2 && p.column == 21);
  p = csim_json_key_place(&json, deep);
  CHECK(p.line == 2 && p.column == 13);
  CHECK(deep->valuedouble == 2.5);
  p = csim_json_place(&json, csim_json_get(tree, "e")->child->next);
  CHECK_TEXT(p.pointer, "/e/1");
  CHECK(p.line == 3 && p.column == 26);
  CHECK(csim_json_get(tree, "e")->child->next->valuedouble == -7);
  CHECK(isinf(csim_json_get(tree, "e")->child->valuedouble));
  CHECK(csim_json_get(tree, "x") == NULL && csim_json_get(NULL, "x") == NULL);
  p = csim_json_place(&json, other->child);
  CHECK_TEXT(p.file, "one");
  cJSON made = {0};
  CHECK(csim_json_place(&json, &made).file == NULL);
  cJSON_Delete(tree);
  cJSON_Delete(other);
  csim_json_free(&json);
}

// cJSON itself reads numbers by the locale, and no more than 63 characters of them.
static void test_numbers(void) {
  static const char text[] =
      "[1234.5678, 0.1, 100000000000000000000000000000000000000000000000000000"
      "000000000000000000000000000000.25]";
  const char *locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
  for (int i = 0; i < 3; i++) {
    if (!setlocale(LC_ALL, locales[i])) continue;
    csim_json json = {0};
    cJSON *tree = NULL;
    CHECK(csim_json_read_text(&json, "t", text, strlen(text), NULL, &tree) == CSIM_OK);
    if (!tree) continue;
    CHECK(tree->child->valuedouble == 1234.5678);
    CHECK(tree->child->next->valuedouble == 0.1);
    CHECK(tree->child->next->next->valuedouble == 1e83);
    cJSON_Delete(tree);
    csim_json_free(&json);
  }
  setlocale(LC_ALL, "C");
}

static void test_write(void) {
  csim_json_out out = {0};
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "te\"xt", "a\\b\n\xC3\xA4");
  csim_json_open_flat(&out, "flat", '[');
  csim_json_number(&out, NULL, 0.1);
  csim_json_open(&out, NULL, '[');
  csim_json_close(&out, ']');
  csim_json_close(&out, ']');
  csim_json_open(&out, "empty", '{');
  csim_json_close(&out, '}');
  csim_json_bool(&out, "yes", 1);
  csim_json_number(&out, "none", NAN);
  csim_json_integer(&out, "n", -5);
  csim_json_close(&out, '}');
  CHECK_TEXT(out.text, "{\n  \"te\\\"xt\": \"a\\\\b\\u000a\xC3\xA4\",\n  \"flat\": [0.1, []],\n"
                       "  \"empty\": {},\n  \"yes\": true,\n  \"none\": null,\n  \"n\": -5\n}");
  free(out.text);
  static const double values[] = {0, 0.1, 1 / 3.0, 5e-324, 1.7976931348623157e308, -123456789.125};
  char text[32];
  for (int i = 0; i < 6; i++) {
    csim_print_shortest(values[i], text);
    CHECK(strtod(text, NULL) == values[i]);
  }
  csim_print_shortest(0.1, text);
  CHECK_TEXT(text, "0.1");
}

// Random bytes and random changes of a good text: whatever comes, a status and no harm.
static void test_noise(void) {
  static const char good[] =
      "{\"a\": [1, -2.5e3, true, null], // c\n \"\\u0041\\uD834\\uDD1E\": {\"b\": \"\xC3\xA4\",},}";
  static const char alphabet[] = "[]{},:\"\\/*u0Dd8tfn-+.eE1 \n\t\xC3\xA4\xED\xFF";
  uint32_t seed = 1;
  check_log log;
  for (int round = 0; round < 20000; round++) {
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    size_t length = sizeof good - 1;
    for (int change = 0; change < 1 + round % 5; change++) {
      seed = seed * 1664525 + 1013904223;
      text[seed / 65536 % length] = alphabet[(seed >> 8) % (sizeof alphabet - 1)];
    }
    if (round % 3 == 0) length = seed / 65536 % length;
    if (round % 7 == 0)
      for (size_t i = 0; i < length; i++)
        text[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    read_text(text, length, &log);
  }
}

int main(void) {
  test_accepted();
  test_refused();
  test_limits();
  test_places();
  test_numbers();
  test_write();
  test_noise();
  return check_report();
}
