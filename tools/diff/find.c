// tools/diff/find.c: finds the outputs of both paths and pairs them. See diff.h.
#include "diff/diff.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

static const char *const KINDS[DIFF_NKIND] = {"cache", "obj", "ply",  "stl",     "pc2",
                                              "mdd",   "abc", "rest", "rest-ply"};

static int is_rest(const char *kind) {
  return !strncmp(kind, "rest", 4);
}

// ------------------------------------------------------------------------------------- a side

int diff_open_source(diff_run *run, diff_side *side, const char *kind, const char *path) {
  diff_source *s = &side->source[side->nsource++];
  size_t most = 1;
  *s = (diff_source){.kind = kind};
  csim_status status = kind ? csim_sequence_open_kind(path, kind, &run->log.log, &s->s)
                            : csim_sequence_open(path, &run->log.log, &s->s);
  if (!status) status = csim_sequence_keep_whole(s->s);
  if (status) return DIFF_TROUBLE;
  s->info = csim_sequence_get_info(s->s);
  if (!kind) {
    const char *named = csim_sequence_kind_of("", path);
    s->kind = strcmp(s->info->kind, "files") || !named ? s->info->kind : named;
  }
  for (int i = 0; i < s->info->nobject; i++)
    if ((size_t)s->info->object[i].nvert > most) most = (size_t)s->info->object[i].nvert;
  s->x = malloc(3 * most * sizeof *s->x);
  s->v = malloc(3 * most * sizeof *s->v);
  s->compared = calloc((size_t)s->info->nobject + 1, 1);
  if (!s->x || !s->v || !s->compared) return DIFF_TROUBLE;
  if (!s->info->complete)
    fprintf(stderr, "clothdiff: %s: warning: not complete: %d whole frames\n", side->path,
            s->info->nframe);
  return 0;
}

static int add_unread(diff_side *side, const char *name) {
  diff_unread *grown = realloc(side->unread, ((size_t)side->nunread + 1) * sizeof *grown);
  if (!grown) return DIFF_TROUBLE;
  side->unread = grown;
  grown[side->nunread] = (diff_unread){.name = strdup(name)};
  return grown[side->nunread++].name ? 0 : DIFF_TROUBLE;
}

// Files of a run beside its frames: its record and checkpoints.
static int is_bookkeeping(const char *name) {
  return *name == '.' || !strncmp(name, "run.json", 8) || !strncmp(name, "run.checkpoint", 14) ||
         !strcmp(name, "run.files");
}

int diff_owns(const char *side, const char *path) {
  struct stat file;
  int found = tool_is_same_file(side, path);
  DIR *folder = !found && !stat(path, &file) ? opendir(side) : NULL;
  for (struct dirent *d; folder && !found && (d = readdir(folder));) {
    struct stat st;
    if (!csim_sequence_kind_of(side, d->d_name) && !is_bookkeeping(d->d_name)) continue;
    found = !fstatat(dirfd(folder), d->d_name, &st, 0) && st.st_dev == file.st_dev &&
            st.st_ino == file.st_ino;
  }
  if (folder) closedir(folder);
  return found;
}

// Sorts the files of a folder: how many there are of each kind.
static int list_side(diff_run *run, diff_side *side, int count[DIFF_NKIND]) {
  DIR *folder = opendir(side->path);
  int trouble = 0;
  if (!folder) return diff_trouble(run, side->path, strerror(errno));
  for (struct dirent *d; !trouble && (d = readdir(folder));) {
    const char *kind = csim_sequence_kind_of(side->path, d->d_name);
    int k = 0;
    if (!kind && is_bookkeeping(d->d_name)) continue;
    while (kind && k < DIFF_NKIND && strcmp(KINDS[k], kind)) k++;
    if (kind && k < DIFF_NKIND) {
      count[k]++;
    } else if (kind) {
      trouble = add_unread(side, d->d_name);
    } else if (!side->nother++) {
      char *copy = strdup(d->d_name);
      side->other = copy;
    }
  }
  closedir(folder);
  return trouble;
}

static int open_side(diff_run *run, int k) {
  diff_side *side = &run->side[k];
  struct stat st;
  int count[DIFF_NKIND] = {0}, trouble = 0;
  side->path = run->options->path[k];
  side->is_folder = !stat(side->path, &st) && S_ISDIR(st.st_mode);
  if (!side->is_folder) {
    const char *kind = csim_sequence_kind_of("", side->path);
    int known = !kind;
    for (int i = 0; i < DIFF_NKIND && kind; i++) known |= !strcmp(KINDS[i], kind);
    if (!known && !access(side->path, F_OK)) return add_unread(side, side->path);
    return diff_open_source(run, side, NULL, side->path);
  }
  if (list_side(run, side, count)) return DIFF_TROUBLE;
  for (int i = 0; i < DIFF_NKIND; i++)
    if (count[i] && diff_open_source(run, side, KINDS[i], side->path)) trouble = DIFF_TROUBLE;
  if (side->nsource || side->nunread) return trouble;
  return diff_trouble(run, side->path, "holds no output of a run");
}

// ------------------------------------------------------------------------- files of other formats

static FILE *open_within(const diff_side *side, const char *name) {
  size_t size = strlen(side->path) + strlen(name) + 2;
  char *path = malloc(size);
  FILE *in = NULL;
  if (path && side->is_folder) snprintf(path, size, "%s/%s", side->path, name);
  if (path) in = fopen(side->is_folder ? path : side->path, "rb");
  free(path);
  return in;
}

// Equal bytes are equal, whatever they mean. Two files need not have the same name.
static int same_bytes(const diff_run *run, const char *name) {
  FILE *in[2];
  int same = 0;
  for (int k = 0; k < 2; k++) in[k] = open_within(&run->side[k], name);
  if (in[0] && in[1]) {
    static char a[1 << 16], b[1 << 16];
    size_t n;
    do {
      n = fread(a, 1, sizeof a, in[0]);
      same = fread(b, 1, sizeof b, in[1]) == n && !memcmp(a, b, n);
    } while (same && n == sizeof a);
    same = same && !ferror(in[0]) && !ferror(in[1]);
  }
  for (int k = 0; k < 2; k++)
    if (in[k]) fclose(in[k]);
  return same;
}

static void compare_unread(diff_run *run) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < run->side[k].nunread; i++) {
      diff_unread *u = &run->side[k].unread[i];
      int alike = run->side[0].is_folder == run->side[1].is_folder &&
                  (run->side[!k].nunread || run->side[k].is_folder);
      u->equal = alike && same_bytes(run, u->name);
    }
}

// --------------------------------------------------------------------------------------- matching

static diff_source *find_kind(diff_side *side, const char *kind) {
  for (int i = 0; i < side->nsource; i++)
    if (side->source[i].kind && !strcmp(side->source[i].kind, kind)) return &side->source[i];
  return NULL;
}

static void add_comparison(diff_run *run, diff_source *a, diff_source *b) {
  if (!a->s || !b->s || run->ncomparison == DIFF_MAX_COMPARISON) return;
  diff_comparison *c = &run->comparison[run->ncomparison++];
  *c = (diff_comparison){
      .source = {a, b}, .worst = {.distance = -1}, .hausdorff = -1, .first = {.distance = -1}};
  c->is_rest = is_rest(a->kind) != is_rest(b->kind);
  // only files of frames hold doubles
  c->floats = strcmp(a->info->kind, "files") || strcmp(b->info->kind, "files");
  // an MDD file has its rate by 32-bit times
  c->found.fps = a->info->fps > 0 && b->info->fps > 0 &&
                 fabs(a->info->fps - b->info->fps) > 1e-4 * a->info->fps;
  c->found.up = a->info->up && b->info->up && a->info->up != b->info->up;
}

// Same kinds with each other, and what is left with the other side's first.
static void match_sources(diff_run *run) {
  diff_side *a = &run->side[0], *b = &run->side[1];
  for (int i = 0; i < a->nsource; i++) {
    diff_source *other = find_kind(b, a->source[i].kind);
    if (!other && b->nsource) other = &b->source[0];
    if (other) add_comparison(run, &a->source[i], other);
  }
  for (int i = 0; i < b->nsource; i++)
    if (!find_kind(a, b->source[i].kind) && a->nsource) {
      int done = 0;
      for (int k = 0; k < run->ncomparison; k++)
        done |= run->comparison[k].source[1] == &b->source[i];
      if (!done) add_comparison(run, &a->source[0], &b->source[i]);
    }
}

int diff_find(diff_run *run) {
  int trouble = 0;
  for (int k = 0; k < 2; k++)
    if (open_side(run, k)) trouble = DIFF_TROUBLE;
  if (trouble) return trouble;
  compare_unread(run);
  for (int k = 0; k < 2; k++) diff_convert_usd(run, &run->side[k]);
  match_sources(run);
  return 0;
}

void diff_release(diff_run *run) {
  for (int k = 0; k < 2; k++) {
    diff_side *side = &run->side[k];
    for (int i = 0; i < side->nsource; i++) {
      csim_sequence_free(side->source[i].s);
      free(side->source[i].x);
      free(side->source[i].v);
      free(side->source[i].compared);
    }
    for (int i = 0; i < side->nunread; i++) free(side->unread[i].name);
    free(side->unread);
    free((void *)(uintptr_t)side->other); // ours, from strdup
  }
  for (int i = 0; i < run->ncomparison; i++) {
    diff_comparison *c = &run->comparison[i];
    free(c->pair);
    free(c->frame);
    free(c->bucket);
    for (int k = 0; k < 2; k++) free(c->only_frame[k]);
  }
  for (int i = 0; i < run->nerror; i++) free(run->error[i]);
}
