// mesh/tag.c: see tag.h.
#include "mesh/tag.h"

#include <stddef.h>
#include <string.h>

static const char *const KEYWORD[CSIM_TAG_KINDS] = {"mtllib", "o", "g", "usemtl"};

const char *csim_tag_keyword(int kind) {
  return KEYWORD[kind];
}

const char *csim_tag_name(const char *tag, int kind, int *length) {
  size_t n = strlen(KEYWORD[kind]);
  for (const char *line = tag ? tag : ""; *line;) {
    const char *end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    if (!strncmp(line, KEYWORD[kind], n) && line[n] == ' ') {
      *length = (int)(end - line - (ptrdiff_t)n - 1);
      return line + n + 1;
    }
    line = *end ? end + 1 : end;
  }
  *length = 0;
  return "";
}

int csim_tag_has(const char *tag, const char *name) {
  size_t n = strlen(name);
  if (!n) return 0;
  for (int kind = CSIM_TAG_OBJECT; kind < CSIM_TAG_KINDS; kind++) {
    int length;
    const char *p = csim_tag_name(tag, kind, &length), *end = p + length;
    if ((size_t)length == n && !memcmp(p, name, n)) return 1;
    if (kind != CSIM_TAG_GROUP) continue;
    while (p < end) {
      const char *word = p;
      while (p < end && *p != ' ' && *p != '\t') p++;
      if ((size_t)(p - word) == n && !memcmp(word, name, n)) return 1;
      if (p < end) p++;
    }
  }
  return 0;
}
