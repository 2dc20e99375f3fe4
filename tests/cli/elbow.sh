# An arm whose elbow closes on its sleeve: it is on time, nothing passes through anything that is not
# released, and what is released comes back when the elbow opens.
. "$ROOT/tests/cli/kit"

last=66
[ "$CONFIG" = sanitize ] && last=26
expect 0 "$clothsim" "$ROOT/scenes/contact/sleeve.json" -o bend -e $last --verify-substeps --set 'sleeve.mesh.cells=[12, 12]'
check "no warning of a lag" sh -c '! grep "behind its motion" stderr'
equal "$("$LOOK" get bend/run.json crossing_substeps)" 0 "substeps with crossings"
bend=$("${PYTHON:-python3}" -c 'import json
r = json.load(open("bend/run.json"))
p = r["pinched"][0]
print(r["worst"]["lag"]["value"], p["first_frame"], p["first_frame"] + p["frames"], r["worst"]["strain"]["value"])')
check "lag, released from, until, strain: $bend" awk -v b="$bend" -v last=$last 'BEGIN { split(b, v); exit !(v[1] == 0 && v[2] > 20 && (v[3] <= last || last < 66) && v[4] < 0.3) }'

report
