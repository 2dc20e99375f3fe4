// scene/ledger.c: see ledger.h.
#include "scene/ledger.h"

#include "base/arena.h"
#include "base/hash.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LEDGER = 1 << 30, MOST_TOLD = 20, PIECE = 1 << 16 };

struct csim_ledger {
  char *out;
  csim_log *log;
  int fd;
  char *text; // lines not written yet
  ptrdiff_t length, capacity;
};

// One line of a ledger.
typedef struct entry {
  int whole;   // 1: of the whole run
  int partial; // 1: left by a run that was stopped: nothing is known of it but its name
  int frame;
  long long size;
  uint64_t hash;
  const char *name; // ended by 0; NULL: the line cannot be read
} entry;

// Size and hash of a regular file. @return 0, or -1 with errno
static int hash_file(const char *path, long long *size, uint64_t *hash) {
  unsigned char bytes[PIECE];
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return -1;
  int error = fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
  *size = 0;
  *hash = CSIM_HASH_START;
  while (!error) {
    size_t n = 0; // whole pieces, as the hash depends on where they end
    while (n < PIECE) {
      ssize_t got = read(fd, bytes + n, PIECE - n);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      n += (size_t)got;
    }
    if (error || !n) break;
    *size += (long long)n;
    *hash = csim_hash_bytes(*hash, bytes, n);
  }
  close(fd);
  errno = error;
  return error ? -1 : 0;
}

// Whether a ledger may name a file so: one in the directory itself.
static int is_name(const char *name) {
  return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

// Splits the line at `text`; @return the text after it, or NULL if it is incomplete.
static char *read_line(char *text, entry *e) {
  char *end = strchr(text, '\n'), *p = text;
  if (!end) return NULL;
  *end = 0;
  e->partial = *p == '+' && p[1] == ' ';
  e->whole = e->partial || (*p == '-' && p[1] == ' ');
  e->frame = e->whole ? INT_MAX : (int)strtol(text, &p, 10);
  if (e->whole) p++;
  e->size = strtoll(p, &p, 10);
  e->hash = strtoull(p, &p, 16);
  e->name = *p == ' ' && is_name(p + 1) ? p + 1 : NULL;
  return end + 1;
}

// The text of a ledger; NULL when there is none: a run of an earlier version.
static csim_status read_text(const char *out, csim_log *log, char **text) {
  char *path = csim_print("%s/%s", out, CSIM_LEDGER_NAME);
  size_t size;
  *text = NULL;
  csim_status status = path ? csim_file_read(path, MAX_LEDGER, NULL, text, &size) : CSIM_MEMORY;
  free(path);
  return status == CSIM_MEMORY ? csim_fail_memory(log, out) : CSIM_OK;
}

// ----------------------------------------------------------------------------------------- writing

static csim_status append(csim_ledger *l, const entry *e) {
  size_t need = strlen(e->name) + 80;
  if (CSIM_GROW(l->text, l->capacity, l->length + (ptrdiff_t)need))
    return csim_fail_memory(l->log, l->out);
  char *to = l->text + l->length;
  int n =
      e->whole ? snprintf(to, need, e->partial ? "+ " : "- ") : snprintf(to, need, "%d ", e->frame);
  n += snprintf(to + n, need - (size_t)n, "%lld %016llx %s\n", e->size, (unsigned long long)e->hash,
                e->name);
  l->length += n;
  return CSIM_OK;
}

// Keeps the lines of an earlier part of the run that can be read: csim_ledger_verify reports frames
// without lines.
static csim_status keep_lines(csim_ledger *l, const char *out, int after_frame) {
  char *text;
  csim_status status = read_text(out, l->log, &text);
  entry e;
  for (char *at = text; at && !status && (at = read_line(at, &e));)
    if (e.name && !e.whole && e.frame <= after_frame) status = append(l, &e);
  free(text);
  return status;
}

csim_status csim_ledger_open(const char *out, int keep, int after_frame, csim_log *log,
                             csim_ledger **ledger) {
  csim_ledger *l = *ledger = CSIM_NEW(csim_ledger, 1);
  char *path = csim_print("%s/%s", out, CSIM_LEDGER_NAME);
  csim_file *file;
  csim_status status = l && path ? CSIM_OK : csim_fail_memory(log, out);
  if (status) goto done;
  *l = (csim_ledger){.log = log, .fd = -1, .out = csim_print("%s/%s", out, "")};
  if (!l->out) status = csim_fail_memory(log, out);
  if (!status && keep) status = keep_lines(l, out, after_frame);
  if (!status) status = csim_file_replace(path, log, &file);
  if (status) goto done;
  csim_file_write(file, l->text, (size_t)l->length);
  l->length = 0;
  status = csim_file_commit(file, 0);
  if (!status && (l->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)) < 0)
    status = csim_fail_system(log, path, "open", errno);
done:
  free(path);
  if (!status) return CSIM_OK;
  csim_ledger_free(l);
  *ledger = NULL;
  return status;
}

csim_status csim_ledger_add(csim_ledger *l, int whole, int frame, const char *name) {
  entry e = {.whole = whole, .frame = frame, .name = name};
  char *path = csim_print("%s/%s", l->out, name);
  csim_status status = path ? CSIM_OK : csim_fail_memory(l->log, l->out);
  if (!status && hash_file(path, &e.size, &e.hash))
    status = csim_fail_system(l->log, path, "read", errno);
  if (!status) status = append(l, &e);
  free(path);
  return status;
}

csim_status csim_ledger_add_partial(csim_ledger *l, const char *name) {
  return append(l, &(entry){.whole = 1, .partial = 1, .name = name});
}

csim_status csim_ledger_write(csim_ledger *l, int sync) {
  const char *at = l->text;
  while (l->length > 0) {
    ssize_t n = write(l->fd, at, (size_t)l->length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return csim_fail_system(l->log, l->out, "write " CSIM_LEDGER_NAME, errno);
    at += n;
    l->length -= n;
  }
  return sync && fsync(l->fd) ? csim_fail_system(l->log, l->out, "write " CSIM_LEDGER_NAME, errno)
                              : CSIM_OK;
}

void csim_ledger_free(csim_ledger *l) {
  if (!l) return;
  if (l->fd >= 0) close(l->fd);
  free(l->out);
  free(l->text);
  free(l);
}

// --------------------------------------------------------------------------------------- verifying

// Damage of a file as text; NULL: none.
static const char *damage_of(const char *path, const entry *e) {
  long long size;
  uint64_t hash;
  struct stat st;
  if (lstat(path, &st)) return "is missing";
  if (!S_ISREG(st.st_mode)) return "is no file any more";
  if (st.st_size == 0 && e->size > 0) return "is empty";
  if (st.st_size != e->size) return "has another size";
  if (hash_file(path, &size, &hash)) return "cannot be read";
  return hash == e->hash ? NULL : "has other contents";
}

static int is_obj(const char *name) {
  size_t n = strlen(name);
  return n > 4 && !strcmp(name + n - 4, ".obj");
}

static csim_status verify_lines(const char *out, char *text, int first, int last, int each,
                                csim_log *log, csim_ledger_report *r) {
  ptrdiff_t nframe = (ptrdiff_t)last - first + 1;
  int *count = CSIM_NEW(int, nframe > 0 ? nframe : 1);
  if (!count) return csim_fail_memory(log, out);
  entry e;
  csim_status status = CSIM_OK;
  for (char *at = text; !status && (at = read_line(at, &e));) {
    if (!e.name || e.partial) continue;
    char *path = csim_print("%s/%s", out, e.name);
    if (!path) status = csim_fail_memory(log, out);
    const char *what = path ? damage_of(path, &e) : NULL;
    r->files++;
    r->whole += e.whole;
    int counts = !e.whole && is_obj(e.name) && e.frame >= first && e.frame <= last;
    if (counts) count[e.frame - first]++;
    if (what && r->damaged++ < MOST_TOLD)
      csim_say(log, CSIM_WARNING, csim_in_file(path), "%s since it was written", what);
    if (what && counts && e.frame < r->first_frame) r->first_frame = e.frame;
    free(path);
  }
  // report frames whose lines were lost
  for (ptrdiff_t f = 0; f < nframe && !status; f++)
    if (count[f] < each && first + (int)f < r->first_frame) r->first_frame = first + (int)f;
  free(count);
  if (r->damaged > MOST_TOLD)
    csim_say(log, CSIM_WARNING, csim_in_file(out), "and so have %d more files",
             r->damaged - MOST_TOLD);
  return status;
}

csim_status csim_ledger_verify(const char *out, int first, int last, int each, csim_log *log,
                               csim_ledger_report *r) {
  char *text;
  *r = (csim_ledger_report){.first_frame = INT_MAX};
  csim_status status = read_text(out, log, &text);
  if (!text) return status;
  r->exists = 1;
  status = verify_lines(out, text, first, last, each, log, r);
  free(text);
  return status;
}

// ----------------------------------------------------------------------------------------- listing

csim_status csim_ledger_list_read(const char *out, csim_log *log, csim_ledger_list *list) {
  *list = (csim_ledger_list){0};
  csim_status status = read_text(out, log, &list->text);
  ptrdiff_t capacity = 0;
  entry e;
  for (char *at = list->text; at && !status && (at = read_line(at, &e));) {
    if (!e.name) continue;
    if (CSIM_GROW(list->file, capacity, list->n + 1))
      status = csim_fail_memory(log, out);
    else
      list->file[list->n++] = (csim_ledger_file){e.name, e.whole, e.frame};
  }
  if (status) csim_ledger_list_free(list);
  return status;
}

void csim_ledger_list_free(csim_ledger_list *list) {
  free(list->text);
  free(list->file);
  *list = (csim_ledger_list){0};
}
