// io/spawn.c: see spawn.h.
#define _GNU_SOURCE // pipe2, environ
#include "io/spawn.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IN, OUT, ERR, NPIPE };
enum { OURS, THEIRS };

// [ms] how long a look at the child's pulse may come late
enum { PULSE = 50, PULSE_NEAR_END = 2 };

typedef struct session {
  pid_t pid;
  int fd[NPIPE][2]; // ours, theirs; -1 = closed
  size_t sent;
  ptrdiff_t capacity;
  char line[256]; // of stderr, unfinished
  size_t nline;
  struct timespec deadline;
} session;

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void close_all(session *s, int end) {
  for (int p = 0; p < NPIPE; p++) close_end(&s->fd[p][end]);
}

// Sockets for stdin, because send() can avoid SIGPIPE; pipes for the rest.
static int open_pipes(session *s) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->fd[IN])) return errno;
  for (int p = OUT; p <= ERR; p++)
    if (pipe2(s->fd[p], O_CLOEXEC)) return errno;
  // dup2 onto itself would leave close-on-exec set, so the child's ends must lie above 2
  for (int p = 0; p < NPIPE; p++) {
    int *theirs = &s->fd[p][THEIRS];
    int high = *theirs > 2 ? *theirs : fcntl(*theirs, F_DUPFD_CLOEXEC, 3);
    if (high < 0) return errno;
    if (high != *theirs) close_end(theirs);
    *theirs = high;
    int flags = fcntl(s->fd[p][OURS], F_GETFL);
    if (flags < 0 || fcntl(s->fd[p][OURS], F_SETFL, flags | O_NONBLOCK)) return errno;
  }
  shutdown(s->fd[IN][OURS], SHUT_RD);
  return 0;
}

static int start(const csim_child *child, session *s) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t none, all;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attr);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  for (int p = 0; p < NPIPE && !error; p++)
    error = posix_spawn_file_actions_adddup2(&actions, s->fd[p][THEIRS], p);
  if (!error) error = posix_spawnattr_setsigmask(&attr, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attr, &all);
  if (!error)
    error = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  // posix_spawn takes argv without const but does not write to it
  char **argv = (char **)(uintptr_t)child->argv;
  if (!error) error = posix_spawnp(&s->pid, argv[0], &actions, &attr, argv, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static void send_input(const csim_child *child, session *s) {
  while (s->sent < child->ninput) {
    ssize_t n = send(s->fd[IN][OURS], (const char *)child->input + s->sent, child->ninput - s->sent,
                     MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) break; // the child does not want it
    s->sent += (size_t)n;
  }
  close_end(&s->fd[IN][OURS]);
}

static csim_status receive_output(const csim_child *child, session *s, csim_child_result *r) {
  for (;;) {
    unsigned char chunk[1 << 16];
    ssize_t n = read(s->fd[OUT][OURS], chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return CSIM_OK;
    if (n <= 0) break;
    if ((size_t)n > child->output_limit - r->noutput) {
      r->end = CSIM_CHILD_FLOODED;
      return CSIM_OK;
    }
    ptrdiff_t need = (ptrdiff_t)r->noutput + n;
    if (CSIM_GROW(r->output, s->capacity, need)) return CSIM_MEMORY;
    memcpy(r->output + r->noutput, chunk, (size_t)n);
    r->noutput += (size_t)n;
  }
  close_end(&s->fd[OUT][OURS]);
  return CSIM_OK;
}

static void end_line(session *s, csim_child_result *r) {
  if (s->nline == 0) return;
  memcpy(r->said, s->line, s->nline);
  r->said[s->nline] = 0;
  s->nline = 0;
}

// Receives a pipe's worth at most, so that a child that writes without end is still watched.
static void receive_errors(session *s, csim_child_result *r) {
  for (int round = 0; round < 16; round++) {
    char chunk[4096];
    ssize_t n = read(s->fd[ERR][OURS], chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      close_end(&s->fd[ERR][OURS]);
      return;
    }
    for (ssize_t i = 0; i < n; i++) {
      if (chunk[i] == '\n')
        end_line(s, r);
      else if (s->nline < sizeof s->line - 1)
        s->line[s->nline++] = chunk[i];
    }
  }
}

static double seconds_left(const session *s) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(s->deadline.tv_sec - now.tv_sec) +
         1e-9 * (double)(s->deadline.tv_nsec - now.tv_nsec);
}

// Sends and receives until the child has ended, broke a limit, or memory is short.
// *ended: whether it was reaped, with its wait status.
static csim_status converse(const csim_child *child, session *s, csim_child_result *r, int *ended,
                            int *wait_status) {
  *ended = 0;
  for (;;) {
    double left = seconds_left(s);
    if (left <= 0 && !*ended) {
      r->end = CSIM_CHILD_TIMEOUT;
      return CSIM_OK;
    }
    int open = s->fd[OUT][OURS] >= 0 || s->fd[ERR][OURS] >= 0;
    struct pollfd p[NPIPE] = {
        {.fd = s->fd[IN][OURS], .events = POLLOUT},
        {.fd = s->fd[OUT][OURS], .events = POLLIN},
        {.fd = s->fd[ERR][OURS], .events = POLLIN},
    };
    int nap = open ? PULSE : PULSE_NEAR_END;
    if (poll(p, NPIPE,
             *ended              ? 0
             : left * 1000 < nap ? (int)(left * 1000) + 1
                                 : nap) < 0 &&
        errno != EINTR) {
      r->code = errno;
      return CSIM_IO;
    }
    if (p[IN].fd >= 0 && p[IN].revents) send_input(child, s);
    if (p[ERR].fd >= 0) receive_errors(s, r);
    if (p[OUT].fd >= 0) {
      csim_status status = receive_output(child, s, r);
      if (status || r->end == CSIM_CHILD_FLOODED) return status;
    }
    // once it has ended, one more round fetches what was left in the pipes
    if (*ended) return CSIM_OK;
    pid_t pid = waitpid(s->pid, wait_status, WNOHANG);
    if (pid < 0 && errno != EINTR) {
      r->code = errno;
      s->pid = 0;
      return CSIM_IO;
    }
    *ended = pid > 0;
  }
}

csim_status csim_run_child(const csim_child *child, csim_child_result *result) {
  *result = (csim_child_result){.end = CSIM_CHILD_UNSTARTED};
  session s = {.fd = {{-1, -1}, {-1, -1}, {-1, -1}}};
  csim_status status = CSIM_IO;
  int ended = 0, wait_status = 0;
  result->code = open_pipes(&s);
  if (result->code == 0) result->code = start(child, &s);
  if (result->code) {
    if (result->code == ENOMEM) status = CSIM_MEMORY;
    goto done;
  }
  result->end = CSIM_CHILD_EXITED;
  close_all(&s, THEIRS);
  clock_gettime(CLOCK_MONOTONIC, &s.deadline);
  double whole = child->time_limit < 1e6 ? (double)(time_t)child->time_limit : 1e6;
  s.deadline.tv_sec += (time_t)whole;
  s.deadline.tv_nsec += child->time_limit < 1e6 ? (long)(1e9 * (child->time_limit - whole)) : 0;
  status = converse(child, &s, result, &ended, &wait_status);
  if (!ended && s.pid > 0) {
    kill(s.pid, SIGKILL);
    while (waitpid(s.pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
  } else if (ended && result->end == CSIM_CHILD_EXITED) {
    if (WIFSIGNALED(wait_status)) result->end = CSIM_CHILD_SIGNALED;
    result->code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  }
  end_line(&s, result);
done:
  close_all(&s, OURS);
  close_all(&s, THEIRS);
  return status;
}
