# Golden hashes: the bits of every scene, whatever compiler, optimisation and number of threads. After
# a change that is meant to change results: `make bless`.
. "$ROOT/tests/cli/kit"
if [ "$CONFIG" = sanitize ] || [ "$CONFIG" = thread ]; then # the same bits, but too slow for all of them
  threads=3
else
  threads="1 2 3 8"
fi
ALL=${ALL:-} "$ROOT/tests/golden/hashes" $threads >now 2>errors
while read -r name hash scene sets; do
  [ "$name" = "#" ] && continue
  equal "$(grep "^$name " now | cut -d' ' -f2)" "$hash" "$name: $scene $sets"
done <"$ROOT/tests/golden/list"
cat errors
report
