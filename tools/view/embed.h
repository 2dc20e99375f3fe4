// view/embed.h: the viewer's script inside the program. Needs clothsim.h.
#ifndef VIEW_EMBED_H
#define VIEW_EMBED_H

#include <stddef.h>

/// The bundle that `make view` built, and its size; NULL when the program was built without it.
const char *view_bundle(size_t *size);

#endif
