# An arm whose elbow closes on its sleeve: it is on time, nothing passes through anything that is not
# released, and what is released comes back when the elbow opens.
. "$ROOT/tests/cli/kit"

last=66
[ "$CONFIG" = sanitize ] && last=26
expect 0 "$clothsim" "$ROOT/scenes/contact/sleeve.json" -o bend -e $last --verify-substeps --set 'sleeve.mesh.cells=[12, 12]'
check "no warning of a lag" sh -c '! grep "behind its motion" stderr'
equal "$("$LOOK" get bend/run.json crossing_substeps)" 0 "substeps with crossings"
# Which vertices the elbow releases depends on the last digits, and how far the sleeve is stretched
# depends on them: strains of 0.14 to 0.33 at steps of 1/120 s, 0.19 to 0.23 at half of that. So the middle of five starts counts. So does when all is whole
# again: from frame 62 to 67.
strains() {
  "${PYTHON:-python3}" - $last bend $(ls -d start_* 2>/dev/null) <<'END'
import json, statistics, sys
last, runs = int(sys.argv[1]), [json.load(open(f"{d}/run.json")) for d in sys.argv[2:]]
for r in runs:
    p = r["pinched"][0]
    assert r["worst"]["lag"]["value"] == 0, "lag"
    assert p["first_frame"] > 20, p
strains = [r["worst"]["strain"]["value"] for r in runs]
whole = [r["pinched"][0]["first_frame"] + r["pinched"][0]["frames"] for r in runs]
print(*(round(s, 3) for s in strains), "; whole from frame", *whole)
sys.exit(not (statistics.median(strains) < 0.3 and (statistics.median(whole) <= last or last < 66)))
END
}
for moved in 1e-7 -1e-7 2e-7 -3e-7; do
  [ "$CONFIG" = sanitize ] && continue
  x=$(awk "BEGIN { printf \"%.9f\", -0.02 + $moved }")
  expect 0 "$clothsim" "$ROOT/scenes/contact/sleeve.json" -q -o start_$moved -e $last --set 'sleeve.mesh.cells=[12, 12]' --set "sleeve.position=[$x, 0, 0]"
done
check "on time, back when the elbow opens, strain below 0.3: $(strains)" strains

report
