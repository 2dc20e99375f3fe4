// cache/sequence_choose.c: which object of a sequence is meant. See cache/sequence.h.
#include "cache/sequence.h"

#include <string.h>

csim_status csim_sequence_choose(csim_sequence *s, const char *name, int *object) {
  const csim_sequence_info *info = &s->info;
  csim_place place = {.file = s->path};
  *object = 0;
  if (info->nframe < 1 || info->nobject < 1) return csim_refuse(s->log, place, "has no frames");
  if (!name && info->nobject == 1) return CSIM_OK;
  for (int k = 0; name && k < info->nobject; k++)
    if (!strcmp(info->object[k].name, name)) {
      *object = k;
      return CSIM_OK;
    }
  if (name && s->kind->find) return s->kind->find(s, name, object);
  if (name)
    return csim_refuse(s->log, place, "has no object \"%s\"; its first is \"%s\"", name,
                       info->object[0].name);
  return csim_refuse(s->log, place,
                     "has %d objects: say which with \"object\", for example \"object\": \"%s\"",
                     info->nobject, info->object[0].name);
}
