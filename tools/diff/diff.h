// tools/diff/diff.h: two runs, each with the outputs found there, and what their comparison found.
// Needs clothsim.h.
//
// A side is a file or a folder. A folder holds several outputs of one run (OBJ, cache, PC2, ...);
// each is a source. Sources of the same kind are compared with each other; one without a
// counterpart is compared with the first source of the other side. Whatever was found and not
// compared is listed, and then nothing is called the same.
#ifndef CSIM_TOOLS_DIFF_H
#define CSIM_TOOLS_DIFF_H

#include "tool.h"

#include <limits.h>

enum { DIFF_SAME = 0, DIFF_DIFFER = 1, DIFF_TROUBLE = 2 }; ///< exit codes

enum { DIFF_MAX_PICK = 256, DIFF_NKIND = 9, DIFF_NUSD = 4 };

/// The command line.
typedef struct diff_options {
  const char *path[2], *heat, *picture, *junit;
  const char *pick[DIFF_MAX_PICK]; ///< names of objects
  int npick;
  tool_range frames;
  double atol, rtol, ulp, fail_percent, hard_fail;
  int exact, json, curve, annotate;
  int velocities, tags, uvs; ///< compared too
} diff_options;

/// One output of a side. Its objects and frames are those of `info`.
typedef struct diff_source {
  const char *kind; ///< as csim_sequence_kind_of has it, or what a single file is
  csim_sequence *s; ///< NULL: it could not be opened
  const csim_sequence_info *info;
  double *x, *v;  ///< (largest nvert x 3) of the object and frame at hand
  char *compared; ///< (nobject) 1: with some object of the other side
} diff_source;

/// A file that is an output and cannot be read.
typedef struct diff_unread {
  char *name; ///< within the folder, or the path
  int equal;  ///< the other side has the same bytes under this name
} diff_unread;

typedef struct diff_side {
  const char *path;
  int is_folder;
  int nsource;
  diff_source source[DIFF_NKIND + DIFF_NUSD];
  int nunread;
  diff_unread *unread; ///< (nunread)
  int nother;          ///< files that are no output
  const char *other;   ///< one of them
} diff_side;

/// Differences of a set of vertices.
typedef struct diff_sums {
  double max, square;
  long long vertices, over;
  long long not_finite[2]; ///< vertices with NaN or infinity
} diff_sums;

/// A vertex in a frame.
typedef struct diff_spot {
  long long frame;
  int pair, vertex;
  double distance;
  double x[2][3];
} diff_spot;

/// A pair of objects, and its differences over all frames.
typedef struct diff_pair {
  int index[2];
  int nvert;        ///< compared; 0 when the topologies differ
  int faces_differ; ///< or cannot be compared, as the numbers of vertices differ
  int tags, uvs;    ///< -1 not compared, 0 same, 1 differ
  int has_velocity; ///< on both sides, and asked for
  diff_sums s;
  double velocity_max;
  long long velocity_over;
  long long missing[2]; ///< frames in which one side lacks it
  long long unreadable; ///< frames that could not be read
  long long failing;    ///< frames that fail
  long long first_failing;
} diff_pair;

/// A frame that both sides have.
typedef struct diff_frame {
  long long number;
  diff_sums s;
  double hausdorff;
  double velocity_max;
  long long velocity_over;
  int missing, unreadable; ///< objects
} diff_frame;

/// Differences between two sources, besides positions.
typedef struct diff_kinds_found {
  int topology, tags, uvs, velocities, fps, up;
} diff_kinds_found;

/// Two sources.
typedef struct diff_comparison {
  diff_source *source[2];
  int npair;
  diff_pair *pair;
  int floats;          ///< a side holds floats only: both are compared as floats
  int is_rest;         ///< of one side only the first frame counts: the other holds rest meshes
  int only_objects[2]; ///< objects without a counterpart
  const char *only_object[2];
  diff_kinds_found found;
  long long only_frames[2];
  long long *only_frame[2]; ///< (only_frames)
  int nframe;
  diff_frame *frame;
  diff_sums all;
  long long nan_frame[2]; ///< the first
  long long missing, unreadable;
  int differs;            ///< any frame over the tolerance
  diff_spot first, worst; ///< of the first differing frame; of all
  double hausdorff;       ///< -1: not measured
  diff_spot farthest;
  int farthest_side;
  double velocity_max;
  long long velocity_over;
  long long *bucket; ///< of distances by the top 18 bits of a double: 1.6 % wide
} diff_comparison;

enum {
  DIFF_BUCKETS = 1 << 18,
  DIFF_MAX_COMPARISON = 2 * (DIFF_NKIND + DIFF_NUSD),
  DIFF_MAX_ERROR = 64
};

typedef struct diff_run {
  const diff_options *options;
  tool_log log;
  diff_side side[2];
  int ncomparison;
  diff_comparison comparison[DIFF_MAX_COMPARISON];
  int nerror; ///< messages kept, for reports; all go to stderr
  char *error[DIFF_MAX_ERROR];
  int damaged; ///< 1: a file could not be read at some place
  int verdict; ///< DIFF_SAME, DIFF_DIFFER or DIFF_TROUBLE
  const char *not_compared[7];
  int nnot_compared; ///< contents that both sides hold and nobody asked for
} diff_run;

/// Says an error and keeps it for the reports. @param file NULL allowed. @return DIFF_TROUBLE
int diff_trouble(diff_run *run, const char *file, const char *text);

/// Finds and opens what both paths hold, and decides which source is compared with which.
/// @return 0, or DIFF_TROUBLE (reported)
int diff_find(diff_run *run);
void diff_release(diff_run *run);

/// Whether a path is a side's file, or one of the files that a run has left in its folder.
int diff_owns(const char *side, const char *path);

/// Makes Alembic files of those USD files among a side's unread ones that differ from the other
/// side's, and sources of these: with clothusd, which CLOTHUSD may name, or which is beside this
/// program, in ../tools or in PATH. Where that fails they stay unread.
void diff_convert_usd(diff_run *run, diff_side *side);

/// Opens one kind of a folder, or (kind NULL) the file at `path`, as a further source.
/// @return 0, or DIFF_TROUBLE (reported)
int diff_open_source(diff_run *run, diff_side *side, const char *kind, const char *path);

/// Compares all frames of two sources. @return 0, or DIFF_TROUBLE when there is no memory
int diff_compare(diff_run *run, diff_comparison *c);

/// Runs a program of ours with these arguments, its own name first and NULL last: as an environment
/// variable says, else beside this one or in the source tree, else its name, for PATH. What it
/// prints goes to standard error.
/// @param name  under 20 characters
/// @return whether it ended well; it says itself why not
int diff_run_program(const char *variable, const char *name, char *const argument[]);

/// The worst frame of both sides, side by side, as clothview draws it: where the meshes are the
/// same, coloured by distance. @return as above
int diff_write_picture(diff_run *run, diff_comparison *c);

/// The worst frame of A's worst object as PLY, with the distance of each vertex. @return as above
int diff_write_heat(diff_run *run, diff_comparison *c);

/// Whether a comparison, one of its frames, or one of its objects shows a difference.
int diff_differs(const diff_run *run, const diff_comparison *c);
int diff_frame_fails(const diff_run *run, const diff_frame *f);
int diff_pair_fails(const diff_run *run, const diff_pair *p);

/// Whether an object is among those asked for.
int diff_is_picked(const diff_options *a, const char *name);

/// Whether an object of a source was compared with nothing, though the other side could be read.
int diff_is_lonely(const diff_run *run, int side, int source, int object);

// Of any sums: in percent, the root of the mean square; the distance that 99 % stay under.
double diff_over_percent(const diff_sums *s);
double diff_rms(const diff_sums *s);
double diff_percentile99(const diff_comparison *c);

/// Of objects in side A.
const char *diff_pair_name(const diff_comparison *c, int pair);

/// "obj", or "obj and cache" when the kinds differ; (64) characters.
void diff_kinds(const diff_comparison *c, char text[64]);

/// The reports. The JSON is one object whatever happened.
void diff_print_text(const diff_run *run);
void diff_print_json(const diff_run *run);
void diff_print_annotations(const diff_run *run);
int diff_write_junit(diff_run *run); ///< @return 0, or DIFF_TROUBLE (reported)

/// The failing frames of a comparison as "3-5, 9": those in both, then those on one side only.
void diff_print_frames(const diff_run *run, const diff_comparison *c, FILE *out);

#endif
