// test_file: files read and written whole, or not at all.
#include "check.h"

#include "io/file.h"
#include "io/mesh_file.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/csim_mesh_io_XXXXXX";

static const char *in_dir(const char *name) {
  static char path[16][600];
  static int turn;
  turn = (turn + 1) % 16;
  snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
  return path[turn];
}

static void put_file(const char *path, const void *data, size_t size) {
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(data, 1, size, f) == size);
  if (f) fclose(f);
}

static int count_files(void) {
  int n = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

static void *feed_pipe(void *path) {
  FILE *f = fopen(path, "wb");
  for (int i = 0; f && i < 100000; i++) fputs("0123456789", f);
  if (f) fclose(f);
  return NULL;
}

static void test_file_read(void) {
  check_log log;
  check_log_init(&log);
  char *data;
  size_t size;
  CHECK(csim_file_read(in_dir("none"), 100, &log.log, &data, &size) == CSIM_IO && !data);
  CHECK(strstr(log.text, strerror(ENOENT)) != NULL);
  CHECK(csim_file_read(dir, 100, &log.log, &data, &size) == CSIM_IO && !data);
  CHECK(strstr(log.text, "directory") != NULL);
  put_file(in_dir("ten"), "012345678\0", 10);
  CHECK(csim_file_read(in_dir("ten"), 10, &log.log, &data, &size) == CSIM_OK && size == 10);
  CHECK(data && data[8] == '8' && data[10] == 0);
  free(data);
  CHECK(csim_file_read(in_dir("ten"), 9, &log.log, &data, &size) == CSIM_INVALID && !data);
  CHECK(strstr(log.text, "limit") != NULL);
  put_file(in_dir("ten"), "", 0);
  CHECK(csim_file_read(in_dir("ten"), 9, &log.log, &data, &size) == CSIM_OK && size == 0);
  CHECK(data && data[0] == 0);
  free(data);
  int fd = -1;
  uint64_t bytes = 0;
  put_file(in_dir("ten"), "0123456789", 10);
  CHECK(csim_file_open(in_dir("ten"), &log.log, &fd, &bytes) == CSIM_OK && fd >= 0 && bytes == 10);
  close(fd);
  CHECK(csim_file_open(in_dir("none"), &log.log, &fd, &bytes) == CSIM_IO && fd == -1);
  CHECK(strstr(log.text, strerror(ENOENT)) != NULL);
  CHECK(csim_file_open("/dev/zero", &log.log, &fd, &bytes) == CSIM_IO && fd == -1);
  CHECK(csim_file_open(dir, &log.log, &fd, &bytes) == CSIM_IO && fd == -1);
  CHECK(csim_file_read("/dev/zero", 1000000, &log.log, &data, &size) == CSIM_INVALID && !data);
  char path[600];
  snprintf(path, sizeof path, "%s/pipe", dir);
  CHECK(!mkfifo(path, 0600));
  pthread_t thread;
  pthread_create(&thread, NULL, feed_pipe, path);
  CHECK(csim_file_read(path, 1 << 30, &log.log, &data, &size) == CSIM_OK && size == 1000000);
  CHECK(data && data[999999] == '9');
  free(data);
  pthread_join(thread, NULL);
  unlink(path);
  unlink(in_dir("ten"));
}

static void test_file_write(void) {
  check_log log;
  check_log_init(&log);
  csim_file *file;
  const char *path = in_dir("out");
  CHECK(csim_file_create(path, &log.log, &file) == CSIM_OK);
  char *big = malloc(1000000);
  memset(big, 'x', 1000000);
  csim_file_print(file, "%d %s\n", 7, "seven");
  csim_file_print_number(file, 0.1, 9);
  csim_file_print(file, "%.*s", 1000, big);
  csim_file_write(file, big, 1000000);
  csim_file_write(file, NULL, 0);
  CHECK(csim_file_position(file) == 8 + 3 + 1000 + 1000000);
  CHECK(access(path, F_OK) != 0); // not there before it is whole
  CHECK(csim_file_commit(file, 1) == CSIM_OK);
  free(big);
  char *data;
  size_t size;
  CHECK(csim_file_read(path, 1 << 30, NULL, &data, &size) == CSIM_OK && size == 1001011);
  CHECK(data && !memcmp(data, "7 seven\n0.1xxx", 14));
  free(data);
  CHECK(count_files() == 1);
  struct stat st;
  CHECK(!stat(path, &st) && (st.st_mode & 0600) == 0600);
  // abandoned: the old contents stay, nothing else does
  CHECK(csim_file_create(path, &log.log, &file) == CSIM_OK);
  csim_file_text(file, "new");
  csim_file_abandon(file);
  csim_file_abandon(NULL);
  CHECK(!stat(path, &st) && st.st_size == 1001011 && count_files() == 1);
  // a link stays a link
  CHECK(!symlink(path, in_dir("link")));
  CHECK(csim_file_create(in_dir("link"), &log.log, &file) == CSIM_OK);
  csim_file_text(file, "new");
  CHECK(csim_file_commit(file, 0) == CSIM_OK);
  CHECK(!stat(path, &st) && st.st_size == 3 && !lstat(in_dir("link"), &st) && S_ISLNK(st.st_mode));
  unlink(in_dir("link"));
  unlink(path);
}

static void test_file_failures(void) {
  check_log log;
  check_log_init(&log);
  csim_file *file;
  CHECK(csim_file_create(in_dir("none/x"), &log.log, &file) == CSIM_IO && !file);
  CHECK(strstr(log.text, strerror(ENOENT)) != NULL);
  CHECK(csim_file_create(dir, &log.log, &file) == CSIM_IO && !file);
  CHECK(csim_file_create("", &log.log, &file) == CSIM_IO && !file);
  if (!access("/dev/full", W_OK)) { // a device that is always full
    CHECK(csim_file_create("/dev/full", &log.log, &file) == CSIM_OK);
    for (int i = 0; i < 200000; i++) csim_file_text(file, "0123456789");
    CHECK(csim_file_failed(file));
    CHECK(csim_file_commit(file, 1) == CSIM_IO && strstr(log.text, "make room") != NULL);
    CHECK(csim_file_create("/dev/full", &log.log, &file) == CSIM_OK);
    csim_file_text(file, "short"); // told at commit, though it fits the buffer
    CHECK(csim_file_commit(file, 0) == CSIM_IO);
  }
  CHECK(csim_file_create("/dev/null", &log.log, &file) == CSIM_OK);
  csim_file_text(file, "gone");
  CHECK(csim_file_commit(file, 1) == CSIM_OK && !access("/dev/null", F_OK));
  // the directory vanishes while writing
  CHECK(csim_make_directories(in_dir("a/b/c"), &log.log) == CSIM_OK);
  CHECK(csim_make_directories(in_dir("a/b//c/"), &log.log) == CSIM_OK);
  CHECK(csim_make_directories(in_dir("a"), &log.log) == CSIM_OK);
  CHECK(csim_file_create(in_dir("a/b/c/x"), &log.log, &file) == CSIM_OK);
  csim_file *second; // the same name twice at once: the later commit wins
  CHECK(csim_file_create(in_dir("a/b/c/x"), &log.log, &second) == CSIM_OK);
  csim_file_text(file, "first");
  csim_file_text(second, "second");
  CHECK(csim_file_commit(second, 0) == CSIM_OK && csim_file_commit(file, 0) == CSIM_OK);
  char *data;
  size_t size;
  CHECK(csim_file_read(in_dir("a/b/c/x"), 100, NULL, &data, &size) == CSIM_OK && size == 5);
  free(data);
  CHECK(csim_make_directories(in_dir("a/b/c/x/y"), &log.log) == CSIM_IO);
  CHECK(csim_make_directories(in_dir("a/b/c/x"), &log.log) == CSIM_IO);
  CHECK(csim_make_directories("/", &log.log) == CSIM_OK);
  CHECK(csim_make_directories(".", &log.log) == CSIM_OK);
  CHECK(csim_file_create(in_dir("a/b/c/z"), &log.log, &file) == CSIM_OK);
  unlink(in_dir("a/b/c/x"));
  char command[700];
  snprintf(command, sizeof command, "rm -r '%s/a'", dir);
  CHECK(system(command) == 0);
  csim_file_text(file, "x");
  CHECK(csim_file_commit(file, 0) == CSIM_IO);
  CHECK(count_files() == 0);
}

int main(void) {
  if (!mkdtemp(dir)) return 1;
  test_file_read();
  test_file_write();
  test_file_failures();
  CHECK(count_files() == 0);
  rmdir(dir);
  return check_report();
}
