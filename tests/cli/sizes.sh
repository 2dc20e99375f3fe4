# Functions and structs within limits, and the tool sees those that are not.
. "$ROOT/tests/cli/kit"
sizes=$ROOT/tools/check-sizes
check "the tree as it is" "$sizes" "$ROOT"

body() { # a function NAME of N lines
  echo "int $1(void) {"
  for _ in $(seq $(($2 - 3))); do echo '  // "{" and /* in a comment'; done
  printf "  return '{' + sizeof \"}\";\n}\n"
}

rm -rf tree && mkdir -p tree/lib/base tree/tools
{
  body csim_long 80
  echo 'static int csim_many(int a, int (*b)(int, int), int c, int d, int e, int f, int g) {'
  echo '  return b(a, c) + d + e + f + g;'
  echo '}'
  echo 'int csim_declared(int a, int b, int c, int d, int e, int f, int g, int h);'
  echo 'typedef struct csim_wide {'
  for k in $(seq 11); do echo "  int a$k, *b$k; // one, two, three;"; done
  echo '  struct {'
  echo '    double x[3], (*f)(int, int, int);'
  echo '  } nested;'
  echo '  unsigned flag : 1;'
  echo '} csim_wide;'
} >tree/lib/base/a.c
yes '// a line' | head -n 800 >tree/tools/view.js
expect 0 "$sizes" tree

echo '// one more' >>tree/tools/view.js
{
  body csim_longer 81
  echo 'void csim_more(int a, int b, int c, int d,'
  echo '               int e, int f, int g, int h) {'
  echo '}'
} >tree/lib/base/b.c
sed '/nested/a\  int another;' tree/lib/base/a.c | sed -n '/^typedef/,$p' | sed 's/csim_wide/csim_wider/' >tree/lib/base/b.h
expect 1 "$sizes" tree
check "a long function" grep -q 'lib/base/b.c:1: csim_longer has 81 lines' stdout
check "a function of many parameters" grep -q 'lib/base/b.c:82: csim_more has 8 parameters' stdout
check "a wide struct" grep -q 'lib/base/b.h:1: struct csim_wider has 26 members' stdout
check "a long file" grep -q 'tools/view.js:800: the file has 801 lines' stdout
check "nothing else" test "$(wc -l <stdout)" = 4

printf '%s\n' tools/view.js 'csim_longer: why' csim_more csim_wider >tree/tools/oversized
expect 0 "$sizes" tree
echo csim_gone >>tree/tools/oversized
expect 1 "$sizes" tree # the list may only become shorter
check "what to remove" grep -q 'csim_gone is not too large' stdout
rm -rf tree/lib
mkdir tree/lib
expect 2 "$sizes" tree
report
