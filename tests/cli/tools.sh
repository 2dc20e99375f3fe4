# The programs beside clothsim, on a run of it.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json
expect 0 "$clothsim" tiny.json -o run -q

cache=$BIN/clothcache
check "clothcache is built" test -x "$cache"
expect 0 "$cache" verify run/tiny.clothcache
expect 0 "$cache" info --json run/tiny.clothcache
check "info --json" "$LOOK" json stdout
for format in obj ply pc2 mdd vtp; do
  expect 0 "$cache" export run/tiny.clothcache --to $format -o $format
  check "$format was written" test -n "$(ls $format)"
done
for format in abc usda; do
  expect 0 "$cache" export run/tiny.clothcache --to $format -o tiny.$format
  check "$format was written" test -s tiny.$format
done
head -c 9000 run/tiny.clothcache >cut.clothcache
expect 3 "$cache" verify cut.clothcache
expect 3 "$cache" info nowhere.clothcache
expect 2 "$cache" juggle run/tiny.clothcache

diff=$BIN/clothdiff
check "clothdiff is built" test -x "$diff"
expect 0 "$clothsim" tiny.json -o again -q
expect 0 "$diff" --exact run again
expect 0 "$diff" --object cloth run run/tiny.clothcache
expect 0 "$clothsim" tiny.json -o other -q --set gravity=[0,-9.7,0]
expect 1 "$diff" run other
expect 2 "$diff" run nowhere

view=$BIN/clothview
check "clothview is built" test -x "$view"
expect 0 "$view" run -o sheet.png --draft --size 160x120 -q
equal "$(head -c 8 sheet.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a "PNG signature"
expect 3 "$view" nowhere -o sheet.png
expect 2 "$view" run
report
