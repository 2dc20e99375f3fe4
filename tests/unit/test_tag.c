// test_tag: names of groups and materials.
#include "check.h"

#include "mesh/tag.h"

#include <string.h>

static void test_tag(void) {
  const char *tag = "o shirt left\ng collar cuff\nusemtl red\n";
  CHECK(csim_tag_has(tag, "collar") && csim_tag_has(tag, "cuff") && csim_tag_has(tag, "red"));
  CHECK(csim_tag_has(tag, "shirt left") && csim_tag_has(tag, "collar cuff"));
  CHECK(!csim_tag_has(tag, "shirt") && !csim_tag_has(tag, "coll") && !csim_tag_has(tag, ""));
  CHECK(!csim_tag_has(NULL, "red") && !csim_tag_has("", "red"));
  int n;
  CHECK(!memcmp(csim_tag_name(tag, CSIM_TAG_MATERIAL, &n), "red", 3) && n == 3);
  csim_tag_name("g only\n", CSIM_TAG_OBJECT, &n);
  CHECK(n == 0);
}

int main(void) {
  test_tag();
  return check_report();
}
