// scene/names.c: the methods a scene can choose, until solver/method.c has the table.
#include "model/params.h"

#include <stddef.h>

const char *const csim_method_names[] = {"newton", "descent", NULL};
