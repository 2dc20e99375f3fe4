// view/film.c: see film.h.
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

static void write_label(const view_stage *s, int frame, int named, view_picture *picture) {
  char label[80];
  double size = fmax(8, picture->height / 60.0);
  const char *name = s->sequence->path, *slash;
  size_t n = strlen(name);
  while (n > 1 && name[n - 1] == '/') n--;
  if (n > 11 && !strncmp(name + n - 11, ".clothcache", 11)) n -= 11;
  for (slash = name + n - 1; slash > name && slash[-1] != '/'; slash--)
    ;
  if (named)
    snprintf(label, sizeof label, "%.*s  frame %lld", (int)fmin(50, (double)(name + n - slash)),
             slash, s->sequence->number[frame]);
  else
    snprintf(label, sizeof label, "frame %lld", s->sequence->number[frame]);
  view_picture_text(picture, 1.6 * size, picture->height - 1.6 * size, size, INK, label);
}

/// Draws a frame, or two beside each other, each with its name.
static csim_status draw(const view_stage *s, const view_stage *other, int frame, int legend,
                        csim_log *log, view_picture *picture) {
  if (!other) return view_stage_draw(s, frame, legend, log, picture);
  const view_stage *side[2] = {s, other};
  int place[2] = {frame, view_stage_match(s, frame)};
  view_picture half = view_picture_make(picture->width / 2, picture->height, PAPER);
  csim_status status = half.rgb ? CSIM_OK : CSIM_MEMORY;
  for (int k = 0; !status && k < 2; k++) {
    status = view_stage_draw(side[k], place[k], legend && k, log, &half);
    write_label(side[k], place[k], 1, &half);
    view_picture_paste(picture, &half, k * half.width, 0);
  }
  view_picture_free(&half);
  return status;
}

// ------------------------------------------------------------------------------------------- sheet

/// Columns that make the sheet about as wide as a screen.
static int choose_columns(int n) {
  for (int columns = 1;; columns++)
    if (columns * columns >= n) return columns;
}

csim_status view_film_sheet(const view_stage *s, const view_stage *other, csim_log *log,
                            view_written *written) {
  const view_options *o = s->options;
  int n = s->nframe < o->tiles ? s->nframe : o->tiles;
  int columns = choose_columns(n), rows = (n + columns - 1) / columns;
  int width = (o->width ? o->width : n > 1 ? 640 : 1280) * (other ? 2 : 1);
  int height = o->height ? o->height : n > 1 ? 480 : 960;
  csim_status status = CSIM_MEMORY;
  view_picture tile = view_picture_make(width, height, PAPER), sheet = {0};
  if ((long long)columns * width > VIEW_MAX_SIDE || (long long)rows * height > VIEW_MAX_SIDE) {
    csim_log_print(log, CSIM_ERROR, o->out,
                   "a sheet of %d x %d pictures of %dx%d is too large; use --tiles or --size",
                   columns, rows, width, height);
    status = CSIM_INVALID;
    goto done;
  }
  sheet = view_picture_make(columns * width, rows * height, PAPER);
  if (tile.rgb && sheet.rgb) status = CSIM_OK;
  for (int i = 0; !status && i < n; i++) {
    int f = s->frame[n > 1 ? (int)((double)i * (s->nframe - 1) / (n - 1) + 0.5) : 0];
    status = draw(s, other, f, i == n - 1, log, &tile);
    if (!other && (n > 1 || s->sequence->nframe > 1)) write_label(s, f, 0, &tile);
    view_picture_paste(&sheet, &tile, i % columns * width, i / columns * height);
    if (n > 1) view_progress(o->quiet, i + 1, n);
  }
  if (!status) status = view_picture_write(&sheet, o->out, log);
  if (!status) *written = (view_written){n, sheet.width, sheet.height, file_size(o->out)};
done:
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

csim_status view_film_frames(const view_stage *s, const view_stage *other, csim_log *log,
                             view_written *written) {
  const view_options *o = s->options;
  int width = (o->width ? o->width : 1280) * (other ? 2 : 1);
  view_picture picture = view_picture_make(width, o->height ? o->height : 960, PAPER);
  csim_status status = picture.rgb ? CSIM_OK : CSIM_MEMORY;
  for (int i = 0; !status && i < s->nframe; i++) {
    char *name = number_name(o->out, s->sequence->number[s->frame[i]]);
    status = name ? draw(s, other, s->frame[i], 1, log, &picture) : CSIM_MEMORY;
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

csim_status view_film_movie(const view_stage *s, const view_stage *other, csim_log *log,
                            view_written *written) {
  const view_options *o = s->options;
  int width = (o->width ? o->width : 1280) * (other ? 2 : 1);
  int height = o->height ? o->height : 720;
  double fps = o->fps > 0 ? o->fps : s->sequence->fps > 0 ? s->sequence->fps : 24;
  csim_status status = CSIM_MEMORY;
  encoder e;
  view_picture picture = view_picture_make(width, height, PAPER);
  size_t length = strlen(o->out) + 8;
  char *temporary = malloc(length);
  if (!picture.rgb || !temporary) goto done;
  snprintf(temporary, length, "%s.tmp", o->out);
  signal(SIGPIPE, SIG_IGN); // a dead ffmpeg is an error of write, not our end
  status = start_encoder(width, height, fps / o->frames.step, temporary, log, &e);
  if (status) goto done;
  for (int i = 0; !status && i < s->nframe; i++) {
    status = draw(s, other, s->frame[i], 1, log, &picture);
    if (!other) write_label(s, s->frame[i], 0, &picture);
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
    *written = (view_written){s->nframe, width, height, file_size(o->out)};
done:
  view_picture_free(&picture);
  free(temporary);
  return status;
}
