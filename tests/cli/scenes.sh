# Every scene that comes with the program is sound, and says what to look at.
. "$ROOT/tests/cli/kit"
for scene in "$ROOT"/scenes/*.json "$ROOT"/scenes/contact/*.json; do
  case $scene in *.schema.json) continue ;; esac
  expect 0 "$clothsim" --check "$scene"
  # all values resolved, it is a scene that resolves to itself
  expect 0 "$clothsim" --print-config "$scene"
  cp stdout resolved.json
  expect 0 "$clothsim" --print-config resolved.json
  check "$scene resolves to itself" cmp -s stdout resolved.json
  check "$scene says what to look at" grep -q '"look_at"' "$scene"
done
# the one the README begins with, its first frames
expect 0 "$clothsim" "$ROOT/scenes/quickstart.json" -o out -e 3 -q
equal "$("$LOOK" cache out/quickstart.clothcache out)" 3 "frames of quickstart"
# and the one the README shows, which must stay true
sed -n '/^```jsonc/,/^```/p' "$ROOT/README.md" | sed '/^```/d' >towel.json
expect 0 "$clothsim" --check towel.json
expect 0 "$clothsim" towel.json -o towel -e 2 -q
report
