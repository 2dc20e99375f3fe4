// test_text: a cursor over text: lines whatever ends them, blanks, continuations, words, numbers.
#include "check.h"

#include "io/text.h"

#include <string.h>

static csim_text begin(const char *text) {
  return (csim_text){text, text + strlen(text), 1};
}

static void test_lines(void) {
  csim_text t = begin("a\nb\r\nc\rd\\\ne\nf");
  static const char first[] = "abcdf";
  static const int line[] = {1, 2, 3, 4, 6}; // the backslash joins lines 4 and 5
  for (int k = 0; k < 5; k++) {
    CHECK(*t.p == first[k] && t.line == line[k]);
    csim_text_next_line(&t, 1);
  }
  CHECK(t.p == t.end && csim_text_ended(&t));
  t = begin("d\\\ne");
  csim_text_next_line(&t, 0); // unless continuations do not count
  CHECK(*t.p == 'e' && t.line == 2);
}

static void test_words(void) {
  csim_text t = begin(" \t one \\\r\n two\n\n  3.5 4x inf 1e999 -7");
  size_t n;
  csim_text_skip_blank(&t);
  const char *word = csim_text_word(&t, &n);
  CHECK(n == 3 && !strncmp(word, "one", n));
  csim_text_skip_blank(&t);
  word = csim_text_word(&t, &n);
  CHECK(n == 3 && !strncmp(word, "two", n) && t.line == 2);
  csim_text_skip_blank(&t);
  CHECK(csim_text_ended(&t) && csim_text_word(&t, &n) == t.p && n == 0);
  csim_text_skip_space(&t);
  double v = -1;
  CHECK(t.line == 4 && csim_text_number(&t, &v) && v == 3.5);
  for (int k = 0; k < 3; k++) { // no numbers: the cursor stays
    csim_text_skip_blank(&t);
    const char *here = t.p;
    CHECK(!csim_text_number(&t, &v) && t.p == here && v == 3.5);
    csim_text_word(&t, &n);
  }
  csim_text_skip_blank(&t);
  CHECK(csim_text_number(&t, &v) && v == -7 && t.p == t.end);
}

int main(void) {
  test_lines();
  test_words();
  return check_report();
}
