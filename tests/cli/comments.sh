# Functions of headers have comments, and the tool sees one that has none.
. "$ROOT/tests/cli/kit"
comments=$ROOT/tools/check-comments
check "the tree as it is" "$comments" "$ROOT"

header() { # LINES...: a tree whose lib/clothsim.h and lib/base/a.h have these lines
  rm -rf tree && mkdir -p tree/lib/base tree/tools
  printf '%s\n' "$@" | tee tree/lib/clothsim.h >tree/lib/base/a.h
}
header '/// One.' 'int csim_one(void);' '' '/// Two,' '/// over two lines.' 'const char *csim_two(int a,' '                    int b);'
expect 0 "$comments" tree
header '/// A type.' 'typedef struct csim_t {' '  int (*csim_member)(void);' '} csim_t;' '' 'csim_t *csim_one(void);'
expect 1 "$comments" tree
check "its place" grep -q '^lib/base/a.h:6: csim_one has no comment' stdout
header '/// Both.' 'int csim_one(void);' 'int csim_two(void);'
expect 1 "$comments" tree # in the public header each has its own
check "only there" [ "$(grep -c 'has no comment' stdout)" = 1 ]
check "it is the second" grep -q '^lib/clothsim.h:3: csim_two' stdout
header '/// One.' 'csim_status csim_one(void);' '' '/// Two.' '/// @return CSIM_OK' 'csim_status csim_two(void);'
expect 1 "$comments" tree # in the public header those with a status say which
check "once, in the public header" [ "$(cat stdout)" = "lib/clothsim.h:2: csim_one does not say what it returns (@return)" ]
header '/// One.' '' 'static inline int csim_one(void) {' '  return csim_other(1);' '}'
expect 1 "$comments" tree
echo csim_one >tree/tools/uncommented
expect 0 "$comments" tree
echo csim_gone >>tree/tools/uncommented
expect 1 "$comments" tree
check "what to remove" grep -q 'csim_gone has a comment, or is gone' stdout
rm -r tree/lib/base tree/lib/clothsim.h
expect 2 "$comments" tree
report
