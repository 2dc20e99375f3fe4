// view/film.c: see film.h.
#define _GNU_SOURCE // pipe2
#include "film.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t PAPER[3] = {233, 234, 236}, INK[3] = {60, 62, 66};

static long long file_size(const char *path) {
  struct stat about;
  return stat(path, &about) ? 0 : (long long)about.st_size;
}

/// The end of a path, without the ending of a cache: its last part, or its last two.
static const char *name_of(const char *path, int parts, int *length) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/') n--;
  size_t end = n;
  if (n > 11 && !strncmp(path + n - 11, ".clothcache", 11)) end -= 11;
  const char *start = path + n - 1;
  for (; start > path && (start[-1] != '/' || --parts > 0); start--)
    ;
  *length = (int)fmin(50, (double)(path + end - start));
  return start;
}

/// Whether the last parts of two paths among them are equal.
static int are_alike(const view_stage *s, int n) {
  int alike = 0, length[2];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      const char *a = name_of(s[i].sequence->path, 1, &length[0]);
      const char *b = name_of(s[k].sequence->path, 1, &length[1]);
      alike |= length[0] == length[1] && !strncmp(a, b, (size_t)length[0]);
    }
  return alike;
}

/// @param parts  of the path before the frame's number; 0: none
static void write_label(const view_stage *s, int frame, int parts, view_picture *picture) {
  char label[80];
  int length;
  double size = fmax(8, picture->height / 60.0);
  const char *name = name_of(s->sequence->path, parts, &length);
  if (parts)
    snprintf(label, sizeof label, "%.*s  frame %lld", length, name, s->sequence->number[frame]);
  else
    snprintf(label, sizeof label, "frame %lld", s->sequence->number[frame]);
  view_picture_text(picture, 1.6 * size, picture->height - 1.6 * size, size, INK, label);
}

/// Pictures of a run, or of several, in rows and columns.
typedef struct layout {
  int columns, rows, width, height; // [pixel] of one
} layout;

/// Columns that make the sheet about as wide as a screen.
static int choose_columns(int n) {
  for (int columns = 1;; columns++)
    if (columns * columns >= n) return columns;
}

static layout choose_layout(const view_stage *s, int n, int width, int height) {
  int columns = n == 2 ? 2 : choose_columns(n);
  return (layout){.columns = columns,
                  .rows = (n + columns - 1) / columns,
                  .width = s->options->width ? s->options->width : width,
                  .height = s->options->height ? s->options->height : height};
}

/// Refuses what is larger than a picture can be.
static csim_status check_size(const view_stage *s, long long width, long long height,
                              csim_log *log) {
  if (width <= VIEW_MAX_SIDE && height <= VIEW_MAX_SIDE) return CSIM_OK;
  csim_log_print(log, CSIM_ERROR, s->options->out,
                 "%lld x %lld pixels are too large; use --size, --tiles or fewer runs", width,
                 height);
  return CSIM_INVALID;
}

/// A picture for all runs.
static csim_status make_picture(const view_stage *s, const layout *l, csim_log *log,
                                view_picture *picture) {
  long long width = (long long)l->columns * l->width, height = (long long)l->rows * l->height;
  csim_status status = check_size(s, width, height, log);
  *picture = (view_picture){0};
  if (!status) *picture = view_picture_make((int)width, (int)height, PAPER);
  return !status && !picture->rgb ? CSIM_MEMORY : status;
}

/// Draws a frame of every stage; of several each with its name.
static csim_status draw(const view_stage *s, int n, const layout *l, int frame, int legend,
                        csim_log *log, view_picture *picture) {
  if (n == 1) return view_stage_draw(s, frame, legend, log, picture);
  view_picture one = view_picture_make(l->width, l->height, PAPER);
  csim_status status = one.rgb ? CSIM_OK : CSIM_MEMORY;
  int parts = 1 + are_alike(s, n);
  for (int k = 0; !status && k < n; k++) {
    int place = k ? view_stage_match(s, frame, s[k].sequence) : frame;
    status = view_stage_draw(s + k, place, legend && k == n - 1, log, &one);
    write_label(s + k, place, parts, &one);
    view_picture_paste(picture, &one, k % l->columns * l->width, k / l->columns * l->height);
  }
  view_picture_free(&one);
  return status;
}

// ------------------------------------------------------------------------------------------- sheet

csim_status view_film_sheet(const view_stage *s, int nstage, csim_log *log, view_written *written) {
  const view_options *o = s->options;
  int n = s->nframe < o->tiles ? s->nframe : o->tiles;
  layout l = choose_layout(s, nstage, n > 1 ? 640 : 1280, n > 1 ? 480 : 960);
  int columns = choose_columns(n), rows = (n + columns - 1) / columns;
  if (n > 1 && nstage > 2) { // a row for each run
    l.columns = rows = 1;
    l.rows = nstage;
    columns = n;
  }
  long long width = (long long)l.columns * l.width, height = (long long)l.rows * l.height;
  csim_status status = check_size(s, columns * width, rows * height, log);
  view_picture tile = {0}, sheet = {0};
  if (!status) {
    tile = view_picture_make((int)width, (int)height, PAPER);
    sheet = view_picture_make(columns * (int)width, rows * (int)height, PAPER);
    if (!tile.rgb || !sheet.rgb) status = CSIM_MEMORY;
  }
  for (int i = 0; !status && i < n; i++) {
    int f = s->frame[n > 1 ? (int)((double)i * (s->nframe - 1) / (n - 1) + 0.5) : 0];
    status = draw(s, nstage, &l, f, i == n - 1, log, &tile);
    if (nstage == 1 && (n > 1 || s->sequence->nframe > 1)) write_label(s, f, 0, &tile);
    view_picture_paste(&sheet, &tile, i % columns * tile.width, i / columns * tile.height);
    if (n > 1) view_progress(o->quiet, i + 1, n);
  }
  if (!status) status = view_picture_write(&sheet, o->out, log);
  if (!status) *written = (view_written){n, sheet.width, sheet.height, file_size(o->out)};
  view_picture_free(&tile);
  view_picture_free(&sheet);
  return status;
}

// ---------------------------------------------------------------------------------------- pictures

/// "dir/name_####.png" and 12 to "dir/name_0012.png"; NULL when out of memory.
static char *number_name(const char *pattern, long long number) {
  const char *first = strchr(pattern, '#');
  int digits = (int)strspn(first, "#");
  size_t n = strlen(pattern) + 24;
  char *name = malloc(n);
  if (name)
    snprintf(name, n, "%.*s%0*lld%s", (int)(first - pattern), pattern, digits, number,
             first + digits);
  return name;
}

csim_status view_film_frames(const view_stage *s, int n, csim_log *log, view_written *written) {
  const view_options *o = s->options;
  layout l = choose_layout(s, n, 1280, 960);
  view_picture picture;
  csim_status status = make_picture(s, &l, log, &picture);
  for (int i = 0; !status && i < s->nframe; i++) {
    char *name = number_name(o->out, s->sequence->number[s->frame[i]]);
    status = name ? draw(s, n, &l, s->frame[i], 1, log, &picture) : CSIM_MEMORY;
    if (!status) status = view_picture_write(&picture, name, log);
    if (!status) *written = (view_written){i + 1, picture.width, picture.height, file_size(name)};
    free(name);
    view_progress(o->quiet, i + 1, s->nframe);
  }
  view_picture_free(&picture);
  return status;
}

// ------------------------------------------------------------------------------------------- movie

/// A running ffmpeg that eats raw pictures.
typedef struct encoder {
  pid_t pid;
  int pipe;
} encoder;

static void run_ffmpeg(int in, int width, int height, double fps, const char *out) {
  char size[32], rate[32];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.6g", fps);
  dup2(in, STDIN_FILENO);
  execlp("ffmpeg", "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-f",
         "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", "-c:v", "libx264",
         "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart", "-f", "mp4", out,
         (char *)NULL);
  _exit(errno == ENOENT ? 127 : 126);
}

static csim_status start_encoder(int width, int height, double fps, const char *out, csim_log *log,
                                 encoder *e) {
  int ends[2];
  *e = (encoder){-1, -1};
  if (pipe2(ends, O_CLOEXEC)) goto failed;
  e->pid = fork();
  if (e->pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    run_ffmpeg(ends[0], width, height, fps, out);
  }
  close(ends[0]);
  e->pipe = ends[1];
  if (e->pid > 0) return CSIM_OK;
  close(e->pipe);
failed:
  csim_log_print(log, CSIM_ERROR, out, "cannot start ffmpeg: %s", strerror(errno));
  return CSIM_IO;
}

/// 0 when ffmpeg has stopped reading.
static int feed(const encoder *e, const view_picture *picture) {
  const uint8_t *p = picture->rgb;
  size_t left = 3 * (size_t)picture->width * (size_t)picture->height;
  while (left) {
    ssize_t n = write(e->pipe, p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    p += n;
    left -= (size_t)n;
  }
  return 1;
}

static csim_status finish_encoder(encoder *e, const char *out, csim_log *log) {
  int how = 0;
  close(e->pipe);
  while (waitpid(e->pid, &how, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return CSIM_OK;
  if (WIFEXITED(how) && WEXITSTATUS(how) == 127)
    csim_log_print(log, CSIM_ERROR, out,
                   "ffmpeg is not installed (apt-get install ffmpeg); "
                   "X_####.png writes pictures without it");
  else
    csim_log_print(log, CSIM_ERROR, out, "ffmpeg failed, see its message above");
  return CSIM_IO;
}

csim_status view_film_movie(const view_stage *s, int n, csim_log *log, view_written *written) {
  const view_options *o = s->options;
  layout l = choose_layout(s, n, 1280, 720);
  double fps = o->fps > 0 ? o->fps : s->sequence->fps > 0 ? s->sequence->fps : 24;
  encoder e;
  view_picture picture;
  csim_status status = make_picture(s, &l, log, &picture);
  size_t length = strlen(o->out) + 8;
  char *temporary = malloc(length);
  if (!status && !temporary) status = CSIM_MEMORY;
  if (status) goto done;
  snprintf(temporary, length, "%s.tmp", o->out);
  signal(SIGPIPE, SIG_IGN); // a dead ffmpeg is an error of write, not our end
  status = start_encoder(picture.width, picture.height, fps / o->frames.step, temporary, log, &e);
  if (status) goto done;
  for (int i = 0; !status && i < s->nframe; i++) {
    status = draw(s, n, &l, s->frame[i], 1, log, &picture);
    if (n == 1) write_label(s, s->frame[i], 0, &picture);
    if (!status && !feed(&e, &picture)) break; // finish_encoder says why
    view_progress(o->quiet, i + 1, s->nframe);
  }
  csim_status end = finish_encoder(&e, o->out, log);
  if (!status) status = end;
  if (!status && rename(temporary, o->out)) {
    csim_log_print(log, CSIM_ERROR, o->out, "cannot write: %s", strerror(errno));
    status = CSIM_IO;
  }
  if (status)
    unlink(temporary);
  else
    *written = (view_written){s->nframe, picture.width, picture.height, file_size(o->out)};
done:
  view_picture_free(&picture);
  free(temporary);
  return status;
}
