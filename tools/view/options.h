// view/options.h: the command line of clothview. Needs measure.h, clothsim.h.
#ifndef VIEW_OPTIONS_H
#define VIEW_OPTIONS_H

#include "clothsim.h"
#include "measure.h"

/// Kind of output, by its name.
typedef enum view_output {
  VIEW_SHEET,  ///< X.png: a contact sheet, or one picture when there is one frame
  VIEW_FRAMES, ///< X_####.png: one picture a frame
  VIEW_MOVIE,  ///< X.mp4
  VIEW_PAGE,   ///< X.html
} view_output;

/// Values of an option that may be repeated.
typedef struct view_words {
  int n;
  char **word; ///< (n)
} view_words;

/// Which frames of the input.
typedef struct view_frames {
  int has_one;
  long long one;         ///< --frame: this one only
  long long first, last; ///< --frames, numbers; all unless given
  int step;
} view_frames;

/// Where the floor is: under the objects unless given.
typedef struct view_floor {
  int none, given;
  double height; ///< [m] --floor
} view_floor;

/// From where objects are seen.
typedef struct view_aim {
  double azimuth, elevation; ///< [degree]
  double zoom;
} view_aim;

/// Limits of an HTML page.
typedef struct view_page_limits {
  double megabytes; ///< a page is at most this large
  double error;     ///< [m] of positions; < 0: none while it fits, then the least
  int decimate;     ///< most vertices of an object; 0 = all that fit
} view_page_limits;

/// Values that the ends of the colour scale stand for.
typedef struct view_range {
  int given;
  double end[2]; ///< in the unit of the legend
} view_range;

typedef struct view_options {
  int npath;
  char **path; ///< (npath) inputs
  const char *out;
  view_words compare; ///< further inputs
  view_output output;
  view_frames frames;
  int width, height; ///< [pixel] of one picture; 0 = the output's own
  int tiles;         ///< of a contact sheet
  int wire, crossings, draft;
  int up; ///< 1 = y, 2 = z; 0 = what the input says, else y
  view_floor floor;
  view_aim aim;
  double fps; ///< [1/s] of a movie; 0 = the input's, else 24
  view_mode mode;
  view_range range;
  view_words hide; ///< names of objects left out
  view_page_limits page;
  int json, quiet, help, version;
} view_options;

/// Reads the command line. Arrays point into argv or are freed by view_options_free. Mistakes are
/// said: CSIM_INVALID.
csim_status view_options_read(int argc, char **argv, csim_log *log, view_options *options);
void view_options_free(view_options *options);

extern const char view_help[];

#endif
