// test_ledger: files of a run: what is noted, and what is found missing or changed afterwards.
#include "check.h"
#include "kit.h"

#include "scene/ledger.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const NAMES[] = {"a_0001.obj", "a_0002.obj", "a_0003.obj"};

static void write_all(const char *out) {
  csim_ledger *ledger;
  for (int f = 0; f < 3; f++) kit_write_text(kit_path(NAMES[f]), NAMES[f]);
  kit_write_text(kit_path("all.abc"), "whole");
  CHECK(csim_ledger_open(out, 0, 0, NULL, &ledger) == CSIM_OK);
  for (int f = 0; f < 3; f++) CHECK(csim_ledger_add(ledger, 0, f + 1, NAMES[f]) == CSIM_OK);
  CHECK(csim_ledger_add(ledger, 1, 0, "all.abc") == CSIM_OK);
  CHECK(csim_ledger_write(ledger, 1) == CSIM_OK);
  csim_ledger_free(ledger);
}

static csim_ledger_report verify(const char *out) {
  csim_ledger_report r;
  CHECK(csim_ledger_verify(out, 1, 3, 1, NULL, &r) == CSIM_OK);
  return r;
}

static void lists_what_can_be_read(const char *out) {
  csim_ledger_list list;
  kit_write_text(kit_path(CSIM_LEDGER_NAME),
                 "1 5 00 a_0001.obj\n2 5 00 ../b.obj\n- 5 00 ..\n- 5 00 .\n- 5 00 /b\nnonsense\n"
                 "+ 0 00 all.abc\n-3 5 00 a_-003.obj\n4 5 00 a_0004.obj");
  CHECK(csim_ledger_list_read(out, NULL, &list) == CSIM_OK);
  CHECK(list.n == 3);
  CHECK(!strcmp(list.file[0].name, "a_0001.obj") && list.file[0].frame == 1);
  CHECK(!strcmp(list.file[1].name, "all.abc") && list.file[1].whole);
  CHECK(!strcmp(list.file[2].name, "a_-003.obj") && list.file[2].frame == -3);
  csim_ledger_list_free(&list);
  unlink(kit_path(CSIM_LEDGER_NAME));
  CHECK(csim_ledger_list_read(out, NULL, &list) == CSIM_OK && list.n == 0 && !list.text);
  csim_ledger_list_free(&list);
}

int main(void) {
  char out[256];
  snprintf(out, sizeof out, "%s", kit_path("."));
  CHECK(!verify(out).exists);
  write_all(out);
  csim_ledger_report r = verify(out);
  CHECK(r.exists && r.files == 4 && r.whole == 1 && r.damaged == 0 && r.first_frame == INT_MAX);
  kit_write_text(kit_path(NAMES[1]), "a_0002.obJ"); // the same size, other contents
  r = verify(out);
  CHECK(r.damaged == 1 && r.first_frame == 2);
  unlink(kit_path(NAMES[2]));
  kit_write_text(kit_path(NAMES[0]), "");
  r = verify(out);
  CHECK(r.damaged == 3 && r.first_frame == 1);
  // a resumed run keeps the lines up to its frame, and adds its own
  write_all(out);
  csim_ledger *ledger;
  CHECK(csim_ledger_open(out, 1, 1, NULL, &ledger) == CSIM_OK);
  CHECK(csim_ledger_add(ledger, 0, 2, NAMES[1]) == CSIM_OK);
  CHECK(csim_ledger_write(ledger, 0) == CSIM_OK);
  CHECK(csim_ledger_add(ledger, 0, 3, "none.obj") == CSIM_IO);
  CHECK(csim_ledger_add_partial(ledger, "none.abc") == CSIM_OK); // is not verified
  CHECK(csim_ledger_write(ledger, 0) == CSIM_OK);
  csim_ledger_free(ledger);
  r = verify(out);
  CHECK(r.files == 2 && r.damaged == 0 && r.first_frame == 3);
  lists_what_can_be_read(out);
  kit_folder_end();
  return check_report();
}
