# Circles between files: none but those that tools/circles lists, and the tool sees new ones.
. "$ROOT/tests/cli/kit"
circles=$ROOT/tools/check-circles
check "the tree as it is" "$circles" "$ROOT"

rm -rf tree && mkdir -p tree/lib/base tree/tools
cat >tree/lib/base/a.c <<'END'
// csim_c() in a comment and "csim_c()" in a text are no use of it
#include "base/b.h"
static int csim_hidden(void);
int csim_a(int x) {
  const char *text = "csim_c()";
  return csim_b(x) + text[0];
}
END
echo 'int csim_b(int x) { return x; }' >tree/lib/base/b.c
printf 'const int csim_table[] = {1, 2};\nint csim_c(void) {\n  return csim_a(1);\n}\n' >tree/lib/base/c.c
expect 0 "$circles" tree

echo 'int csim_d(void) { return csim_table[0]; }' >>tree/lib/base/b.c
expect 1 "$circles" tree # a -> b -> c -> a, one edge of it by a constant
check "the circle has three files" grep -q 'a circle of 3 files' stdout
check "its edges are told" grep -q 'lib/base/b.c -> lib/base/c.c by csim_table' stdout

echo 'base/a.c base/b.c base/c.c' >tree/tools/circles
expect 0 "$circles" tree
echo 'base/a.c base/b.c base/c.c base/gone.c' >tree/tools/circles
expect 1 "$circles" tree # the list may only become shorter
check "what to remove" grep -q 'base/gone.c is in no circle' stdout
echo 'base/a.c base/b.c' >tree/tools/circles
expect 1 "$circles" tree
rm -rf tree/lib
mkdir tree/lib
expect 2 "$circles" tree
report
