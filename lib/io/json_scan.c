// io/json_scan.c: see json_scan.h. Grammar: RFC 8259.
#include "io/json_scan.h"

#include "base/number.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct scanner {
  csim_json *json;
  csim_log *log;
  int source;
  char *text;
  int length, at;
  int mark, line, column; // line and column of byte `mark`, which never runs ahead of `at`
  int depth;
  csim_status status;
} scanner;

// ---------------------------------------------------------------------------------------- places

static void advance_mark(scanner *s, int to) {
  for (; s->mark < to; s->mark++) {
    unsigned char c = (unsigned char)s->text[s->mark];
    if (c == '\n') {
      s->line++;
      s->column = 1;
    } else if ((c & 0xC0) != 0x80) { // continuation bytes are part of the character before
      s->column++;
    }
  }
}

// The first error ends the scan. Returns 0, for `return fail(...)`.
__attribute__((format(printf, 3, 4))) static int fail(scanner *s, int at, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  csim_json_source *source = &s->json->source[s->source];
  csim_place place = {.file = source->name};
  assert(at >= s->mark); // comments behind the mark are blanked: it cannot go back
  advance_mark(s, at);
  if (source->positions) place.line = s->line, place.column = s->column;
  s->status = CSIM_INVALID;
  csim_say(s->log, CSIM_ERROR, place, "%s", text);
  return 0;
}

static int out_of_memory(scanner *s) {
  s->status = CSIM_MEMORY;
  return 0;
}

// "expected WHAT, found ..."
static int fail_expected(scanner *s, const char *what) {
  if (s->at >= s->length) return fail(s, s->at, "expected %s, but the text ends here", what);
  unsigned char c = (unsigned char)s->text[s->at];
  if (c > 0x20 && c < 0x7f) return fail(s, s->at, "expected %s, found '%c'", what, c);
  return fail(s, s->at, "expected %s, found byte 0x%02X", what, c);
}

// ----------------------------------------------------------------------------- space and comments

static int skip_block_comment(scanner *s) {
  int start = s->at;
  for (s->at += 2; s->at + 1 < s->length; s->at++)
    if (s->text[s->at] == '*' && s->text[s->at + 1] == '/') {
      s->at += 2;
      advance_mark(s, s->at); // before the line ends in it are blanked
      memset(s->text + start, ' ', (size_t)(s->at - start));
      return 1;
    }
  return fail(s, start, "this comment is not closed: */ is missing");
}

static int skip_space(scanner *s) {
  while (s->at < s->length) {
    char c = s->text[s->at], next = s->at + 1 < s->length ? s->text[s->at + 1] : 0;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      s->at++;
    } else if (c == '/' && next == '/') {
      int start = s->at;
      while (s->at < s->length && s->text[s->at] != '\n') s->at++;
      advance_mark(s, s->at);
      memset(s->text + start, ' ', (size_t)(s->at - start));
    } else if (c == '/' && next == '*') {
      if (!skip_block_comment(s)) return 0;
    } else {
      break;
    }
  }
  return 1;
}

// --------------------------------------------------------------------------------------- strings

// Value of the four hexadecimal digits at `at`, or -1.
static int read_hex(const scanner *s, int at) {
  int value = 0;
  for (int i = at; i < at + 4; i++) {
    char c = i < s->length ? s->text[i] : 0;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// A \u escape, or the two of a surrogate pair. A lone surrogate is no character: refused.
static int scan_unicode_escape(scanner *s, int *nul) {
  int start = s->at, code = read_hex(s, start + 2);
  if (code < 0) return fail(s, start, "expected four hexadecimal digits after \\u");
  *nul |= code == 0;
  s->at += 6;
  if (code < 0xD800 || code > 0xDFFF) return 1;
  int pair =
      code < 0xDC00 && s->at + 1 < s->length && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u';
  int low = pair ? read_hex(s, s->at + 2) : -1;
  if (low < 0xDC00 || low > 0xDFFF)
    return fail(s, start, "\\u%04X is half of a surrogate pair without its other half", code);
  s->at += 6;
  return 1;
}

static int scan_string(scanner *s, int *nul) {
  int start = s->at++;
  while (s->at < s->length) {
    unsigned char c = (unsigned char)s->text[s->at];
    if (c == '"') {
      s->at++;
      return 1;
    }
    if (c < 0x20) {
      if (c == '\n' || c == '\r')
        return fail(s, start, "this text is not closed: '\"' is missing before the line ends");
      return fail(s, s->at, "a string cannot hold control character 0x%02X; write \\u%04X", c, c);
    }
    if (c == '\\') {
      char e = s->at + 1 < s->length ? s->text[s->at + 1] : 0;
      if (e == 'u') {
        if (!scan_unicode_escape(s, nul)) return 0;
      } else if (e && strchr("\"\\/bfnrt", e)) {
        s->at += 2;
      } else {
        return fail(s, s->at, "unknown escape in a string; a backslash is written \\\\");
      }
      continue;
    }
    int n = csim_utf8_measure((const unsigned char *)s->text + s->at, s->length - s->at);
    if (!n) return fail(s, s->at, "byte 0x%02X is not UTF-8", c);
    s->at += n;
  }
  return fail(s, start, "this text is not closed: '\"' is missing");
}

// --------------------------------------------------------------------------------------- numbers

static int is_digit(const scanner *s, int at) {
  return at < s->length && s->text[at] >= '0' && s->text[at] <= '9';
}

static int scan_number(scanner *s, double *value) {
  int start = s->at, p = s->at;
  if (s->text[p] == '-') p++;
  if (!is_digit(s, p)) {
    s->at = p;
    return fail_expected(s, "a digit after '-'");
  }
  if (s->text[p] == '0' && is_digit(s, p + 1))
    return fail(s, p, "a number cannot start with 0 before another digit");
  while (is_digit(s, p)) p++;
  if (p < s->length && s->text[p] == '.') {
    s->at = ++p;
    if (!is_digit(s, p)) return fail_expected(s, "a digit after the point");
    while (is_digit(s, p)) p++;
  }
  if (p < s->length && (s->text[p] == 'e' || s->text[p] == 'E')) {
    p++;
    if (p < s->length && (s->text[p] == '+' || s->text[p] == '-')) p++;
    s->at = p;
    if (!is_digit(s, p)) return fail_expected(s, "a digit in the exponent");
    while (is_digit(s, p)) p++;
  }
  s->at = p;
  if (!csim_read_number(s->text + start, s->text + p, value)) return out_of_memory(s);
  memset(s->text + start, ' ', (size_t)(p - start));
  s->text[start] = '0';
  return 1;
}

// ---------------------------------------------------------------------------------------- values

static int scan_value(scanner *s, csim_json_note note, const char *what);

// After an element: 1 = another follows, 0 = the end was reached (and passed), -1 = failed.
static int scan_separator(scanner *s, char close, const char *expected) {
  if (!skip_space(s)) return -1;
  char c = s->at < s->length ? s->text[s->at] : 0;
  if (c == ',') {
    int comma = s->at++;
    if (!skip_space(s)) return -1;
    if (s->at >= s->length || s->text[s->at] != close) return 1;
    s->text[comma] = ' ';
    c = close;
  }
  if (c != close || s->at >= s->length) {
    fail_expected(s, expected);
    return -1;
  }
  s->at++;
  return 0;
}

static int scan_list(scanner *s, int self) {
  s->at++;
  if (!skip_space(s)) return 0;
  if (s->at < s->length && s->text[s->at] == ']') {
    s->at++;
    return 1;
  }
  for (int i = 0, more = 1; more; i++) {
    csim_json_note note = {.parent = self, .index = i, .key_at = -1};
    if (!scan_value(s, note, i ? "a value" : "a value or ']'")) return 0;
    more = scan_separator(s, ']', "',' or ']'");
    if (more < 0) return 0;
  }
  return 1;
}

static int scan_object(scanner *s, int self) {
  s->at++;
  if (!skip_space(s)) return 0;
  if (s->at < s->length && s->text[s->at] == '}') {
    s->at++;
    return 1;
  }
  for (int i = 0, more = 1; more; i++) {
    csim_json_note note = {.parent = self, .index = -1, .key_at = s->at};
    if (s->at >= s->length || s->text[s->at] != '"')
      return fail_expected(s, i ? "a key in quotes" : "a key in quotes or '}'");
    advance_mark(s, s->at);
    note.key_line = s->line;
    note.key_column = s->column;
    if (!scan_string(s, &note.nul) || !skip_space(s)) return 0;
    if (s->at >= s->length || s->text[s->at] != ':') return fail_expected(s, "':' after the key");
    s->at++;
    if (!skip_space(s) || !scan_value(s, note, "a value")) return 0;
    more = scan_separator(s, '}', "',' or '}'");
    if (more < 0) return 0;
  }
  return 1;
}

static int scan_word(scanner *s) {
  static const char *const words[] = {"true", "false", "null"};
  int end = s->at;
  while (end < s->length && ((s->text[end] >= 'a' && s->text[end] <= 'z') ||
                             (s->text[end] >= 'A' && s->text[end] <= 'Z')))
    end++;
  for (int i = 0; i < 3; i++)
    if ((size_t)(end - s->at) == strlen(words[i]) &&
        !memcmp(s->text + s->at, words[i], (size_t)(end - s->at))) {
      s->at = end;
      return 1;
    }
  int shown = end - s->at < 40 ? end - s->at : 40;
  return fail(s, s->at, "unknown word \"%.*s\"; texts stand in quotes, words are true, false, null",
              shown, s->text + s->at);
}

// Scans the value at s->at and notes it; `note` brings its parent and key.
static int scan_value(scanner *s, csim_json_note note, const char *what) {
  csim_json *json = s->json;
  if (CSIM_GROW(json->note, json->note_capacity, json->nnote + 1)) return out_of_memory(s);
  advance_mark(s, s->at);
  note.source = s->source;
  note.line = s->line;
  note.column = s->column;
  if (note.key_at < 0) note.key_line = s->line, note.key_column = s->column;
  int self = (int)json->nnote++, ok = 0;
  char c = s->at < s->length ? s->text[s->at] : 0;
  if (c == '{' || c == '[') {
    if (s->depth >= CSIM_JSON_MAX_DEPTH)
      return fail(s, s->at, "more than %d lists and objects inside each other",
                  CSIM_JSON_MAX_DEPTH);
    s->depth++;
    ok = c == '{' ? scan_object(s, self) : scan_list(s, self);
    s->depth--;
  } else if (c == '"') {
    ok = scan_string(s, &note.nul);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    ok = scan_number(s, &note.number);
  } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
    ok = scan_word(s);
  } else {
    ok = fail_expected(s, what);
  }
  json->note[self] = note;
  return ok;
}

csim_status csim_json_scan(csim_json *json, int source, size_t length, csim_log *log) {
  scanner s = {.json = json,
               .log = log,
               .source = source,
               .text = json->source[source].text,
               .length = (int)length,
               .line = 1,
               .column = 1};
  const unsigned char *b = (const unsigned char *)s.text;
  if (length >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF) {
    memset(s.text, ' ', 3); // a byte order mark, which is no character of the first line
    s.at = s.mark = 3;
  } else if (length >= 2 && (b[0] == 0 || b[1] == 0 || (b[0] == 0xFE && b[1] == 0xFF) ||
                             (b[0] == 0xFF && b[1] == 0xFE))) {
    fail(&s, 0, "this is not UTF-8 (UTF-16 or binary?); save it as UTF-8");
    return s.status;
  }
  csim_json_note top = {.parent = 0, .index = -1, .key_at = -1};
  if (skip_space(&s) && scan_value(&s, top, "a value") && skip_space(&s) && s.at < s.length)
    fail_expected(&s, "nothing more after the value");
  return s.status;
}
