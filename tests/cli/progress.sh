# Progress in every style, messages as text and JSON, colours.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json
n=0
style() { # CODE ARGUMENT...
  n=$((n + 1))
  expect 0 "$clothsim" tiny.json -o out$n "$@"
}

style --progress plain
check "plain" grep -q '^Progress: 100%, [0-9]* s, 0 s left$' stderr
style
check "plain when not on a terminal" grep -q '^Progress: 100%, [0-9]* s, 0 s left$' stderr
check "and the summary" grep -q "6 frames in out$n" stderr
style --progress=alf
check "alf" grep -q '^ALF_PROGRESS 100%$' stderr
style --progress=openjd
check "openjd" grep -q '^openjd_progress: 100.0$' stderr
style --progress=none
check "none" sh -c '! grep -qi progress stderr'
style --progress=bar
check "bar" grep -q 'frame 6/6' stderr
style --progress=json -q
check "json" "$LOOK" lines stderr
equal "$(wc -l <stderr)" 5 "a line a frame"
style -q
equal "$(cat stdout stderr)" "" "-q says nothing"

# --json: the summary on stdout, everything on stderr as JSON lines
style --json
check "--json: stdout" "$LOOK" lines stdout
check "--json: stderr" "$LOOK" lines stderr
equal "$("$LOOK" get stdout frames_written)" 6 "frames of the summary"
equal "$("$LOOK" get stdout status)" 0 "status of the summary"
sed 's/"material": "cotton"/"materail": "cotton"/' tiny.json >bad.json
expect 2 "$clothsim" bad.json -o bad --json
check "messages as JSON lines" "$LOOK" lines stderr
equal "$(head -1 stderr >one; "$LOOK" get one level)" error "level"
equal "$("$LOOK" get one line)" 7 "line"
equal "$("$LOOK" get one pointer)" /objects/0/materail "pointer"
expect 2 "$clothsim" bad.json -o bad
says 'bad.json:7:'
says 'did you mean "material"'
check "no colour in a file" sh -c '! grep -q "$(printf "\033")" stderr'

# what docs/ says about these is what they are: every key, and no other
same_keys() { # SCHEMA FILE: keys at the start of lines, not those deeper, or in one line
  local top='^  "[a-z_]*": '
  grep -q "$top" "$2" || top='"[a-z_]*": '
  equal "$(grep -o "$top" "$2" | tr -d '": ' | sort -u | tr '\n' ' ')" \
    "$(sed -n '/"properties"/,$p' "$ROOT/docs/$1" | grep -o '^    "[a-z_]*"' | tr -d '" ' | sort -u | tr '\n' ' ')" "keys of $1"
}
check "run.schema.json" "$LOOK" json "$ROOT/docs/run.schema.json"
check "progress.schema.json" "$LOOK" json "$ROOT/docs/progress.schema.json"
expect 0 "$clothsim" tiny.json -o verified -q --verify-substeps --set contact.pinched=ignore
same_keys run.schema.json verified/run.json
expect 0 "$clothsim" tiny.json -o lines --progress json -q
head -1 stderr >line
same_keys progress.schema.json line
for key in $(grep -o '"[a-z_]*": ' verified/run.json line | cut -d'"' -f2); do
  check "run-report.md tells $key" grep -q "\`$key\`" "$ROOT/docs/run-report.md"
done
# a reason with quotes in it
expect 1 "$clothsim" tiny.json -o quotes -q --set solver.linear=cholesky --set solver.psd=none --set gravity=[0,-9000,0] \
  --set contact.response=none --set solver.iterations=50 --set solver.tolerance=1e-12 --set 'cloth.velocity=[9,-90,5]' \
  --set cloth.pins='[{"vertices": [0]}]' --set frames.end=30
check "run.json of a failed run" "$LOOK" json quotes/run.json
equal "$("$LOOK" get quotes/run.json state)" failed "its state"
check "a checkpoint of its last good frame" test -s quotes/run.checkpoint

# on a terminal, where one can be made
terminal() { script -qec "$*" /dev/null; }
if terminal true >/dev/null 2>&1; then
  expect 2 terminal "$clothsim bad.json -o bad"
  check "colour on a terminal" grep -q "$(printf '\033\[31m')error" stdout
  expect 2 terminal "NO_COLOR=1 $clothsim bad.json -o bad"
  check "NO_COLOR" sh -c '! grep -q "$(printf "\033")" stdout'
  expect 0 terminal "$clothsim tiny.json -o seen"
  check "a bar on a terminal" grep -q 'frame 6/6' stdout
fi
report
