// view/embed.c: see embed.h. The Makefile defines VIEW_BUNDLE when there is one.
#include "embed.h"

#ifdef VIEW_BUNDLE

__asm__(".section .rodata\n"
        ".global view_bundle_first\n"
        "view_bundle_first:\n"
        ".incbin \"" VIEW_BUNDLE "\"\n"
        ".global view_bundle_last\n"
        "view_bundle_last:\n"
        ".byte 0\n"
        ".text\n");

extern const char view_bundle_first[], view_bundle_last[];

const char *view_bundle(size_t *size) {
  *size = (size_t)(view_bundle_last - view_bundle_first);
  return view_bundle_first;
}

#else

const char *view_bundle(size_t *size) {
  *size = 0;
  return NULL;
}

#endif
