// view/say.h: progress on standard error. Needs nothing.
#ifndef VIEW_SAY_H
#define VIEW_SAY_H

/// Prints progress to stderr: one line that is overwritten on a terminal, else a line for each
/// tenth.
void view_progress(int quiet, int done, int total);

#endif
