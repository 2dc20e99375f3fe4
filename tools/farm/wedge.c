// tools/farm/wedge.c: the parameters of a sweep and their product. See farm.h.
#include "farm/farm.h"

int farm_value(const farm *f, int wedge, int a) {
  for (int k = f->naxis - 1; k > a; k--) wedge /= f->axis[k].nvalue;
  return wedge % f->axis[a].nvalue;
}

static int is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '+';
}

void farm_wedge_name(const farm *f, int wedge, char name[FARM_NAME]) {
  size_t n = (size_t)snprintf(name, FARM_NAME, "w%04d", wedge);
  for (int a = 0; a < f->naxis; a++) {
    const farm_axis *axis = &f->axis[a];
    const char *part[4] = {"_", axis->label, "-", axis->value[farm_value(f, wedge, a)]};
    for (int k = 0; k < 4; k++)
      for (const char *c = part[k]; *c && n + 1 < FARM_NAME; c++)
        if (!strchr("[]{}\" ", *c)) name[n++] = k == 0 || is_plain(*c) ? *c : '_';
  }
  name[n] = 0;
}

static char *copy(const char *text, size_t n) {
  char *to = malloc(n + 1);
  if (!to) return NULL;
  memcpy(to, text, n);
  to[n] = 0;
  return to;
}

// Length of the first value of a list: up to a comma outside brackets and quotes.
static size_t value_length(const char *text) {
  int depth = 0, quoted = 0;
  size_t n = 0;
  for (; text[n]; n++) {
    char c = text[n];
    if (quoted && c == '\\' && text[n + 1])
      n++;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      depth++;
    else if (!quoted && (c == ']' || c == '}'))
      depth--;
    else if (c == ',' && !quoted && depth <= 0)
      break;
  }
  return n;
}

int farm_add_axis(farm *f, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    tool_usage(&f->log, "--wedge wants PATH=VALUE,VALUE,..., not", text);
    return -1;
  }
  if (f->naxis == FARM_MAX_AXIS) {
    tool_usage(&f->log, "more than 16 --wedge, at", text);
    return -1;
  }
  farm_axis *axis = &f->axis[f->naxis++];
  axis->path = copy(text, (size_t)(equals - text));
  axis->value = calloc(FARM_MAX_VALUE, sizeof *axis->value);
  int ok = axis->path && axis->value;
  for (const char *at = equals + 1; ok;) {
    size_t n = value_length(at);
    if (n == 0 || axis->nvalue == FARM_MAX_VALUE) {
      tool_usage(&f->log, n ? "too many values in" : "an empty value in", text);
      return -1;
    }
    char *value = axis->value[axis->nvalue] = copy(at, n);
    ok = value != NULL;
    if (ok) axis->nvalue++;
    if (!at[n]) break;
    at += n + 1;
  }
  if (!ok) fprintf(stderr, "%s: out of memory\n", f->log.program);
  return ok ? 0 : -1;
}

// Whether some other path ends in the same components.
static int is_shared(const farm *f, int a, const char *label) {
  size_t n = strlen(label);
  for (int k = 0; k < f->naxis; k++) {
    size_t m = strlen(f->axis[k].path);
    const char *end = f->axis[k].path + m - n;
    if (k != a && m >= n && !strcmp(end, label) && (m == n || end[-1] == '.')) return 1;
  }
  return 0;
}

int farm_finish_axes(farm *f) {
  long long count = 1;
  for (int a = 0; a < f->naxis; a++) {
    farm_axis *axis = &f->axis[a];
    const char *point = strrchr(axis->path, '.');
    axis->label = point ? point + 1 : axis->path;
    while (is_shared(f, a, axis->label) && axis->label > axis->path) {
      const char *start = axis->label - 1;
      while (start > axis->path && start[-1] != '.') start--;
      axis->label = start;
    }
    if (is_shared(f, a, axis->label) && !strcmp(axis->label, axis->path)) {
      tool_usage(&f->log, "given twice: --wedge", axis->path);
      return -1;
    }
    count *= axis->nvalue;
    if (count > FARM_MAX_WEDGE) {
      tool_usage(&f->log, "that makes more than 100000 wedges", NULL);
      return -1;
    }
  }
  f->nwedge = (int)count;
  return 0;
}
