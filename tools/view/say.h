// view/say.h: messages of the tool, through the same csim_log as the library's. Needs clothsim.h.
#ifndef VIEW_SAY_H
#define VIEW_SAY_H

#include "clothsim.h"

/// Sends one formatted line about a file (or NULL). `log` may be NULL.
void view_say(csim_log *log, csim_level level, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Tells on stderr how far a longer work is: a line that renews itself on a terminal, else a line
/// for each tenth.
void view_progress(int quiet, int done, int total);

#endif
