# The scenes of docs/recipes.md run, within the bounds of --strict.
. "$ROOT/tests/cli/kit"
awk '/^```jsonc$/ {n++; on = 1; next} /^```$/ {on = 0} on {print > ("recipe" n ".json")}' "$ROOT/docs/recipes.md"
count=$(ls recipe*.json | wc -l)
check "$count recipes" test "$count" -ge 5
for scene in recipe*.json; do
  expect 0 "$clothsim" $scene -q -o ${scene%.json} --strict -j 1
done
report
