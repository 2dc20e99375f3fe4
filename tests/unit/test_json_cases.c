// What is JSON and what is not: texts that must be read, and texts that must be refused at a
// certain line and column.
//
// With JSON_SUITE=DIR the files of a public suite are read as well (y_*.json, n_*.json as in
// github.com/nst/JSONTestSuite): all y_ are read, all n_ refused with a place, but for our two
// stated extensions: comments and trailing commas.
#include "check.h"

#include "io/json.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static csim_status read_text(const char *text, size_t length, check_log *log) {
  csim_json json = {0};
  cJSON *tree = NULL;
  check_log_init(log);
  csim_status status = csim_json_read_text(&json, "case", text, length, &log->log, &tree);
  CHECK(!tree == (status != CSIM_OK));
  cJSON_Delete(tree);
  csim_json_free(&json);
  return status;
}

static void test_accepted(void) {
  static const char *const texts[] = {
      "{}", "[]", "0", "-0", "true", "false", "null", "\"\"", " \t\r\n[ ] \n",
      "[1,2.5,-3e2,4E+1,5e-1,0.0e0,-0.1]", "[[[[[[[[]]]]]]]]", "{\"a\":{\"b\":[{}]}}",
      "\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t\"", "\"\\u0041\\u00e9\\u20ac\"", "\"\\ud83d\\ude00\"",
      "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"", "\"\x7f\"", "{\"\":1}", "\xef\xbb\xbf{}",
      "123456789012345678901234567890", "1e-400", "0.1234567890123456789",
      // our extensions
      "{\"a\": 1,}", "[1,]", "// a\n[1 /* b */, // c\n2]", "/**/{}/* end */", "[1] // no newline"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_log log;
    csim_status status = read_text(texts[i], strlen(texts[i]), &log);
    check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: refused: %s", texts[i], log.text);
  }
}

static void test_refused(void) {
  static const struct {
    const char *text;
    int line, column;
  } cases[] = {
      {"", 1, 1},
      {"  \n ", 2, 2},
      {"{", 1, 2},
      {"[", 1, 2},
      {"[1", 1, 3},
      {"[1 2]", 1, 4},
      {"[1,,2]", 1, 4},
      {"[,]", 1, 2},
      {"{,}", 1, 2},
      {"{\"a\"}", 1, 5},
      {"{\"a\":}", 1, 6},
      {"{\"a\" 1}", 1, 6},
      {"{\"a\":1 \"b\":2}", 1, 8},
      {"{a:1}", 1, 2},
      {"{'a':1}", 1, 2},
      {"{1:1}", 1, 2},
      {"{\"a\":1}}", 1, 8},
      {"[1]]", 1, 4},
      {"[1}", 1, 3},
      {"{\"a\":1]", 1, 7},
      {"{} {}", 1, 4},
      {"1 2", 1, 3},
      {"tru", 1, 1},
      {"True", 1, 1},
      {"nulll", 1, 1},
      {"NaN", 1, 1},
      {"Infinity", 1, 1},
      {"-Infinity", 1, 2},
      {"01", 1, 1},
      {"-01", 1, 2},
      {"+1", 1, 1},
      {".5", 1, 1},
      {"1.", 1, 3},
      {"1.e5", 1, 3},
      {"1e", 1, 3},
      {"1e+", 1, 4},
      {"-", 1, 2},
      {"0x10", 1, 2},
      {"1_000", 1, 2},
      {"1,5", 1, 2},
      {"\"a", 1, 1},
      {"\"a\nb\"", 1, 1},
      {"\"a\tb\"", 1, 3},
      {"\"\x01\"", 1, 2},
      {"\"\\x41\"", 1, 2},
      {"\"\\'\"", 1, 2},
      {"\"\\u12\"", 1, 2},
      {"\"\\u12G4\"", 1, 2},
      {"\"\\ud800\"", 1, 2},
      {"\"\\udc00\"", 1, 2},
      {"\"\\ud800\\u0041\"", 1, 2},
      {"\"\xff\"", 1, 2},
      {"\"\xc0\xaf\"", 1, 2},
      {"\"\xed\xa0\x80\"", 1, 2},
      {"\"\xe2\x82\"", 1, 2},
      {"\xff", 1, 1},
      {"'a'", 1, 1},
      {"[1\n,\n\n2\n3]", 5, 1},
      {"{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7},
      {"[\"\xc3\xa9\", x]", 1, 7},
      {"/* never closed", 1, 1},
      {"[1, /* never closed", 1, 5},
      {"/", 1, 1},
      {"# comment\n1", 1, 1},
      {"[1;2]", 1, 3},
      {"[<null>]", 1, 2},
      {"undefined", 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_log log;
    csim_status status = read_text(cases[i].text, strlen(cases[i].text), &log);
    check_that(status == CSIM_INVALID, __FILE__, __LINE__, "%s: status %d", cases[i].text,
               (int)status);
    check_that(log.line == cases[i].line && log.column == cases[i].column, __FILE__, __LINE__,
               "%s: refused at %d:%d, not %d:%d: %s", cases[i].text, log.line, log.column,
               cases[i].line, cases[i].column, log.text);
  }
  check_log log;
  CHECK(read_text("[1]\0[2]", 7, &log) == CSIM_INVALID && log.column == 4);
}

// Nesting beyond the limit is refused, not followed.
static void test_depth(void) {
  enum { DEEP = 100000 };
  static char text[2 * DEEP];
  memset(text, '[', DEEP);
  memset(text + DEEP, ']', DEEP);
  check_log log;
  CHECK(read_text(text, sizeof text, &log) == CSIM_INVALID &&
        log.column == CSIM_JSON_MAX_DEPTH + 1);
  CHECK(read_text(text, DEEP, &log) == CSIM_INVALID);
  CHECK(read_text(text + DEEP - 400, 800, &log) == CSIM_OK);
}

static void test_suite(const char *folder) {
  static const char *const extensions[] = {"comma", "comment", NULL};
  int count[2] = {0, 0}, extended = 0;
  DIR *dir = opendir(folder);
  CHECK(dir != NULL);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if ((name[0] != 'y' && name[0] != 'n') || name[1] != '_') continue;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    csim_json json = {0};
    cJSON *tree = NULL;
    check_log log;
    check_log_init(&log);
    csim_status status = csim_json_read_file(&json, path, &log.log, &tree);
    int may = 0;
    for (int k = 0; extensions[k]; k++) may |= strstr(name, extensions[k]) != NULL;
    if (name[0] == 'n' && !status && may)
      extended++;
    else
      check_that(name[0] == 'y' ? !status
                                : status == CSIM_INVALID && log.line > 0 && log.column > 0,
                 __FILE__, __LINE__, "%s: status %d at %d:%d %s", name, (int)status, log.line,
                 log.column, log.text);
    count[name[0] == 'n']++;
    cJSON_Delete(tree);
    csim_json_free(&json);
  }
  if (dir) closedir(dir);
  printf("%s: %d to be read, %d to be refused, of which %d are our extensions\n", folder, count[0],
         count[1], extended);
  CHECK(count[0] > 0 && count[1] > 0);
}

int main(void) {
  test_accepted();
  test_refused();
  test_depth();
  if (getenv("JSON_SUITE")) test_suite(getenv("JSON_SUITE"));
  return check_report();
}
