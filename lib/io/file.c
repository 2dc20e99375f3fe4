// io/file.c: see file.h.
#include "io/file.h"

#include "base/arena.h"
#include "base/number.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  BUFFER = 4 * CSIM_FILE_RESERVE,
  PIPE_PATIENCE = 5000, // [ms] wait for the next bytes of a pipe
  PIPE_LIMIT = 1 << 28, // [bytes] limit of a pipe, whose length is unknown
};

// ------------------------------------------------------------------------------------------- in

// Waits for the next bytes of a pipe, with a limit: a pipe without a writer would block for ever.
static int wait_for_pipe(int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  int n;
  do n = poll(&p, 1, PIPE_PATIENCE);
  while (n < 0 && errno == EINTR);
  if (n == 0) errno = ETIMEDOUT;
  return n > 0 ? 0 : -1;
}

// Reads to the end. The size from stat is a first guess only: files grow, pipes have none.
static csim_status read_all(int fd, const char *path, const struct stat *st, size_t limit,
                            csim_log *log, char **data, size_t *size) {
  size_t guess = st->st_size > 0 ? (size_t)st->st_size : 0;
  ptrdiff_t capacity = 0;
  size_t n = 0, need = guess < limit ? guess + 2 : 1 << 16;
  for (;;) {
    if (CSIM_GROW(*data, capacity, (ptrdiff_t)need)) return csim_fail_memory(log, path);
    if (S_ISFIFO(st->st_mode) && wait_for_pipe(fd))
      return csim_fail_system(log, path, "read", errno);
    ssize_t got = read(fd, *data + n, (size_t)capacity - n - 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return csim_fail_system(log, path, "read", errno);
    if (got == 0) break;
    n += (size_t)got;
    if (n > limit)
      return csim_refuse(log, csim_in_file(path), "is larger than the limit of %zu bytes", limit);
    need = n + 2; // space for one more byte and the 0: csim_grow doubles
  }
  (*data)[n] = 0;
  *size = n;
  return CSIM_OK;
}

csim_status csim_file_open(const char *path, csim_log *log, int *fd, uint64_t *size) {
  struct stat st;
  csim_status status = CSIM_OK;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0 || fstat(*fd, &st))
    status = csim_fail_system(log, path, "open", errno);
  else if (!S_ISREG(st.st_mode))
    status = csim_fail(log, CSIM_IO, csim_in_file(path), "is not a regular file");
  else
    *size = (uint64_t)st.st_size;
  if (status && *fd >= 0) close(*fd);
  if (status) *fd = -1;
  return status;
}

csim_status csim_file_read(const char *path, size_t limit, csim_log *log, char **data,
                           size_t *size) {
  *data = NULL;
  *size = 0;
  // a named pipe without a writer would hang in open already
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return csim_fail_system(log, path, "open", errno);
  csim_status status = CSIM_IO;
  struct stat st;
  if (fstat(fd, &st)) {
    csim_fail_system(log, path, "open", errno);
  } else if (S_ISDIR(st.st_mode)) {
    csim_say(log, CSIM_ERROR, csim_in_file(path), "is a directory: name a file in it");
  } else if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size > limit) {
    status = csim_refuse(log, csim_in_file(path), "has %lld bytes; the limit is %zu",
                         (long long)st.st_size, limit);
  } else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) { // such as /dev/zero, which has no end
    status = csim_refuse(log, csim_in_file(path), "is a device: name a file or a pipe");
  } else {
    if (S_ISFIFO(st.st_mode) && limit > PIPE_LIMIT) limit = PIPE_LIMIT;
    status = read_all(fd, path, &st, limit, log, data, size);
  }
  close(fd);
  if (status) {
    free(*data);
    *data = NULL;
  }
  return status;
}

// ------------------------------------------------------------------------------------------ out

struct csim_file {
  csim_log *log;
  char *path;  // as the caller gave it, for messages
  char *final; // where it will be
  char *temp;  // where it is; NULL when written in place
  int fd;
  int error; // errno of the first failure, 0 = none
  size_t used;
  uint64_t written; // bytes before the buffer
  char buffer[BUFFER];
};

static void file_free(csim_file *file) {
  free(file->path);
  free(file->final);
  free(file->temp);
  free(file);
}

// Opens a fresh file beside the final one. O_EXCL makes the name ours even where two machines with
// equal process ids share the directory.
static int open_temporary(csim_file *file) {
  size_t size = strlen(file->final) + 48;
  file->temp = malloc(size);
  if (!file->temp) return ENOMEM;
  for (int k = 0; k < 1000; k++) {
    snprintf(file->temp, size, "%s.%ld-%d.tmp", file->final, (long)getpid(), k);
    file->fd = open(file->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0) return 0;
    if (errno != EEXIST) break;
  }
  int error = errno;
  free(file->temp);
  file->temp = NULL;
  return error;
}

static csim_status create(const char *path, int follow, csim_log *log, csim_file **out) {
  *out = NULL;
  csim_file *file = malloc(sizeof *file);
  if (!file) return csim_fail_memory(log, path);
  file->log = log;
  file->fd = -1;
  file->error = 0;
  file->used = 0;
  file->written = 0;
  file->temp = NULL;
  file->path = strdup(path);
  struct stat st;
  int exists = !(follow ? stat(path, &st) : lstat(path, &st)), error = 0;
  file->final = exists && follow ? realpath(path, NULL) : strdup(path);
  if (!file->path || !file->final)
    error = file->path && exists ? errno : ENOMEM;
  else if (!*path)
    error = ENOENT;
  else if (exists && S_ISDIR(st.st_mode))
    error = EISDIR;
  else if (exists && follow && !S_ISREG(st.st_mode))
    error = (file->fd = open(path, O_WRONLY | O_CLOEXEC)) < 0 ? errno : 0;
  else
    error = open_temporary(file);
  if (error) {
    file_free(file);
    return error == ENOMEM ? csim_fail_memory(log, path)
                           : csim_fail_system(log, path, "create", error);
  }
  *out = file;
  return CSIM_OK;
}

csim_status csim_file_create(const char *path, csim_log *log, csim_file **file) {
  return create(path, 1, log, file);
}

csim_status csim_file_replace(const char *path, csim_log *log, csim_file **file) {
  return create(path, 0, log, file);
}

static void write_out(csim_file *file, const char *data, size_t size) {
  file->written += size;
  while (size && !file->error) {
    ssize_t n = write(file->fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      file->error = errno;
    } else {
      data += n;
      size -= (size_t)n;
    }
  }
}

static void flush(csim_file *file) {
  write_out(file, file->buffer, file->used);
  file->used = 0;
}

void csim_file_write(csim_file *file, const void *data, size_t size) {
  if (size > BUFFER - file->used) flush(file);
  if (size >= BUFFER) {
    write_out(file, data, size);
  } else if (size) {
    memcpy(file->buffer + file->used, data, size);
    file->used += size;
  }
}

void csim_file_patch(csim_file *file, uint64_t offset, const void *data, size_t size) {
  assert(offset + size <= csim_file_position(file));
  flush(file);
  for (const char *p = data; size && !file->error;) {
    ssize_t n = pwrite(file->fd, p, size, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      file->error = errno;
    } else {
      p += n;
      offset += (uint64_t)n;
      size -= (size_t)n;
    }
  }
}

void csim_file_text(csim_file *file, const char *text) {
  csim_file_write(file, text, strlen(text));
}

void csim_file_print(csim_file *file, const char *format, ...) {
  char small[512], *text = small;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(small, sizeof small, format, args);
  if (n >= (int)sizeof small) {
    text = malloc((size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
  }
  va_end(again);
  va_end(args);
  if (n < 0 || !text) {
    if (!file->error) file->error = n < 0 ? EINVAL : ENOMEM;
  } else {
    csim_file_write(file, text, (size_t)n);
  }
  if (text != small) free(text);
}

void csim_file_print_number(csim_file *file, double value, int digits) {
  char *space = csim_file_reserve(file, 32);
  csim_file_advance(file, (size_t)csim_print_number(value, digits, space));
}

char *csim_file_reserve(csim_file *file, size_t n) {
  assert(n <= CSIM_FILE_RESERVE);
  if (n > BUFFER - file->used) flush(file);
  return file->buffer + file->used;
}

void csim_file_advance(csim_file *file, size_t used) {
  assert(used <= BUFFER - file->used);
  file->used += used;
}

uint64_t csim_file_position(const csim_file *file) {
  return file->written + file->used;
}

int csim_file_failed(const csim_file *file) {
  return file->error != 0;
}

void csim_sync_directory(const char *path) {
  char *copy = strdup(path);
  if (!copy) return;
  char *slash = strrchr(copy, '/');
  if (slash) slash[slash == copy] = 0;
  int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  free(copy);
}

csim_status csim_file_commit(csim_file *file, int sync) {
  flush(file);
  if (!file->error && sync && file->temp && fsync(file->fd)) file->error = errno;
  // network file systems report a full disk only here; the descriptor is gone even after EINTR
  if (close(file->fd) && errno != EINTR && !file->error) file->error = errno;
  file->fd = -1;
  if (!file->error && file->temp && rename(file->temp, file->final)) file->error = errno;
  csim_status status = CSIM_OK;
  if (file->error) {
    if (file->temp) unlink(file->temp);
    status = csim_fail_system(file->log, file->path, "write", file->error);
  } else if (sync && file->temp) {
    csim_sync_directory(file->final);
  }
  file_free(file);
  return status;
}

void csim_file_abandon(csim_file *file) {
  if (!file) return;
  close(file->fd);
  if (file->temp) unlink(file->temp);
  file_free(file);
}

int csim_lock(int fd, const char *path, csim_log *log) {
  for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB); tries++) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return 0;
    if (tries == 0)
      csim_say(log, CSIM_WARNING, csim_in_file(path),
               "another clothsim is writing here: waiting up to 10 seconds for its end");
    if (tries >= 200) return -1;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return 0;
}

csim_status csim_make_directories(const char *path, csim_log *log) {
  char *copy = strdup(path);
  if (!copy) return csim_fail_memory(log, path);
  int error = 0;
  for (char *p = copy + (*copy == '/');; p++) {
    if (*p && *p != '/') continue;
    char was = *p;
    *p = 0;
    struct stat st;
    error = !*copy || !mkdir(copy, 0777) ? 0 : errno;
    // a read-only or automounted parent may answer EROFS or EACCES although it is there
    if (error && !stat(copy, &st)) error = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    *p = was;
    if (error || !was) break;
  }
  free(copy);
  return error ? csim_fail_system(log, path, "make the directory", error) : CSIM_OK;
}
