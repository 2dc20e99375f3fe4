// tools/farm/check.c: what may be written into scripts and templates. See farm.h.
//
// A newline in an argument would be a line of its own in a job script, where it is a command or a
// further #SBATCH. Everything else is quoted where it is written; no quotes help against control
// characters in every reader, so they are refused. JSON is UTF-8: other bytes would spoil a
// template.
#include "farm/farm.h"

// Bytes of the UTF-8 character at c (RFC 3629: shortest forms, no surrogates), 0 for none.
static int character(const unsigned char *c) {
  if (c[0] < 0x80) return 1;
  int n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
  for (int k = 1; k < n; k++)
    if ((c[k] & 0xc0) != 0x80) return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
  return (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) ? 0 : n;
}

int farm_check_text(const farm *f, const char *what, const char *text) {
  for (const char *c = text; c && *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) {
      fprintf(stderr, "%s: %s: control character %d at byte %d: scripts cannot hold it\n",
              f->log.program, what, *c, (int)(c - text));
      return -1;
    }
  const unsigned char *at = (const unsigned char *)text;
  while (at && *at) {
    int n = character(at);
    if (!n) {
      fprintf(stderr, "%s: %s: byte %d is no UTF-8: templates cannot hold it\n", f->log.program,
              what, (int)((const char *)at - text));
      return -1;
    }
    at += n;
  }
  return 0;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

long long farm_memory(const char *text) {
  static const char letters[] = "KMGT";
  long long size = 0;
  if (!is_digit(*text)) return -1;
  for (; is_digit(*text); text++)
    if ((size = 10 * size + (*text - '0')) > 1000000000) return -1;
  if (!*text) return size;
  const char *letter = strchr(letters, *text);
  if (!letter || text[1]) return -1;
  if (*letter == 'K') return (size + 1023) / 1024;
  for (const char *l = letters + 1; l < letter; l++) size *= 1024;
  return size;
}

// As Slurm has it: minutes, m:s, h:m:s, d-h, d-h:m, d-h:m:s.
static int is_time(const char *text) {
  int dashes = 0, colons = 0;
  for (const char *c = text; *c; c++) {
    if (is_digit(*c)) continue;
    int dash = *c == '-' && !dashes && !colons;
    if ((!dash && *c != ':') || c == text || !is_digit(c[1])) return 0;
    dashes += dash;
    colons += !dash;
  }
  return *text && colons <= 2;
}

static int is_count(const char *text) {
  size_t n = strspn(text, "0123456789");
  return n > 0 && n < 7 && !text[n] && *text != '0';
}

static int refuse(const farm *f, const char *option, const char *wants, const char *text) {
  fprintf(stderr, "%s: %s wants %s, not \"%s\"; try %s --help\n", f->log.program, option, wants,
          text, f->log.program);
  return -1;
}

int farm_check(const farm *f) {
  int bad = farm_check_text(f, "--out", f->out) || farm_check_text(f, "--cpus", f->cpus) ||
            farm_check_text(f, "--memory", f->memory) || farm_check_text(f, "--time", f->time) ||
            farm_check_text(f, "--clothsim", f->program) ||
            farm_check_text(f, "the path of clothcache", f->cache);
  for (int a = 0; a < f->naxis && !bad; a++) {
    bad = farm_check_text(f, "--wedge", f->axis[a].path);
    for (int k = 0; k < f->axis[a].nvalue && !bad; k++)
      bad = farm_check_text(f, "--wedge", f->axis[a].value[k]);
  }
  for (int k = 0; k < f->nword && !bad; k++)
    bad = farm_check_text(f, "an option of clothsim", f->word[k]);
  for (int k = 0; k < f->nsbatch && !bad; k++) {
    bad = farm_check_text(f, "--sbatch", f->sbatch[k]);
    if (!bad && f->sbatch[k][0] != '-')
      bad = refuse(f, "--sbatch", "an option of sbatch, as --nice=100", f->sbatch[k]);
  }
  if (bad) return -1;
  if (f->cpus && !is_count(f->cpus)) return refuse(f, "--cpus", "a number of processors", f->cpus);
  if (f->memory && farm_memory(f->memory) < 1)
    return refuse(f, "--memory", "a size (512M, 2G)", f->memory);
  if (f->time && !is_time(f->time))
    return refuse(f, "--time", "a time (90, 4:00:00, 1-12:00:00)", f->time);
  return 0;
}
