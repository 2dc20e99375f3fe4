// tools/diff/usd.c: USD files as Alembic, by clothusd. See diff.h.
#include "diff/diff.h"

#include <errno.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_program(const char *variable, const char *name, char path[PATH_MAX]) {
  static const char *const places[] = {"", "../tools/"};
  const char *named = getenv(variable);
  if (named && *named) return named;
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 32);
  while (n > 0 && path[n - 1] != '/') n--;
  for (int k = 0; k < 2 && n > 0; k++) {
    snprintf(path + n, 32, "%s%s", places[k], name);
    if (!access(path, X_OK)) return path;
  }
  return name;
}

int diff_run_program(const char *variable, const char *name, char *const argument[]) {
  char path_found[PATH_MAX];
  const char *program = find_program(variable, name, path_found);
  int status = 1;
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) return 0;
  if (!child) {
    dup2(STDERR_FILENO, STDOUT_FILENO); // standard output is the report's
    execvp(program, argument);
    fprintf(stderr, "clothdiff: cannot run %s: %s\n", program, strerror(errno));
    _exit(127);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int convert(const char *in, const char *out) {
  char *const argument[] = {"clothusd", "import", (char *)in, (char *)out, NULL};
  return diff_run_program("CLOTHUSD", "clothusd", argument);
}

// A name for a new file, which exists and is empty; free(). NULL on failure.
static char *new_file(void) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  char *path = malloc(strlen(folder) + 32);
  if (!path) return NULL;
  sprintf(path, "%s/clothdiff-XXXXXX.abc", folder);
  int fd = mkstemps(path, 4);
  if (fd >= 0) {
    close(fd);
    return path;
  }
  free(path);
  return NULL;
}

// @return 1 when the file is a source now
static int add_usd(diff_run *run, diff_side *side, const char *name) {
  size_t size = strlen(side->path) + strlen(name) + 2;
  char *path = malloc(size), *made = new_file();
  int done = 0, fits = side->nsource < DIFF_NKIND + DIFF_NUSD;
  if (path && made && fits) {
    snprintf(path, size, "%s%s%s", side->is_folder ? side->path : "", side->is_folder ? "/" : "",
             name);
    done = convert(path, made) && !diff_open_source(run, side, NULL, made);
    if (done) side->source[side->nsource - 1].kind = "usd";
  }
  if (made) unlink(made); // what was opened stays readable, and is gone however this program ends
  free(made);
  free(path);
  return done;
}

void diff_convert_usd(diff_run *run, diff_side *side) {
  int kept = 0;
  for (int i = 0; i < side->nunread; i++) {
    diff_unread u = side->unread[i];
    const char *kind = csim_sequence_kind_of("", u.name);
    if (!u.equal && kind && !strcmp(kind, "usd") && add_usd(run, side, u.name))
      free(u.name);
    else
      side->unread[kept++] = u;
  }
  side->nunread = kept;
}
