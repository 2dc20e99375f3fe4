# A limit that is a bound: cloth that a ball is thrown into never reaches it, nothing passes through, alike for any number of threads.
. "$ROOT/tests/cli/kit"
cat >net.json <<'END'
{
  "name": "net",
  "frames": {"end": 12, "fps": 24},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": {"preset": "cotton", "limit": 0.02, "limit_law": "bound"},
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [12, 12]}, "pins": [{"nearest": [[-0.5, 0, -0.5], [0.5, 0, -0.5], [-0.5, 0, 0.5], [0.5, 0, 0.5]]}]},
    {"name": "ball", "type": "solid", "material": "rubber-solid", "position": [0.05, 0.13, 0], "velocity": [0, -5, 0],
     "mesh": {"shape": "sphere", "radius": 0.1, "cells": [12, 8]}}
  ]
}
END
# strain OUT: of the sheet's edges, springs or not, the largest in any frame, in 1/10000
strain() {
  "${PYTHON:-python3}" - "$1" <<'END'
import glob, math, sys
most, rest = 0, None
for path in sorted(glob.glob(sys.argv[1] + "/sheet_*.obj")):
    words = [l.split() for l in open(path)]
    v = [tuple(map(float, w[1:4])) for w in words if w and w[0] == "v"]
    rest = rest or v
    for j in range(13):
        for i in range(13):
            for k in [13 * j + i + 1] * (i < 12) + [13 * j + i + 13] * (j < 12):
                most = max(most, math.dist(v[k], v[13 * j + i]) / math.dist(rest[k], rest[13 * j + i]) - 1)
print(round(1e4 * most))
END
}
for membrane in "" '--set sheet.membrane={"law":"woven"}' '--set sheet.membrane={"law":"orthotropic"}'; do
  expect 0 "$clothsim" net.json -q -o net -j 1 --overwrite --verify-substeps $membrane
  check "tested" grep -q '"crossing_substeps": 0' net/run.json
  worst=$(strain net)e-4 # that of run.json may be the ball's
  check "bound$membrane: $worst" awk "BEGIN { exit !($worst > 0.01 && $worst < 0.02) }"
  expect 0 "$clothsim" net.json -q -o net3 -j 3 --overwrite --verify-substeps $membrane
  check "threads$membrane" diff -r net net3
done
# a body that pushes the sheet further every frame: cloth and body move in one step, within the bound, and the body (3.9 m/s)
# is on time in every substep
cat >push.json <<'END'
{
  "name": "push",
  "frames": {"end": 12, "fps": 24},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": {"preset": "cotton", "limit": 0.02, "limit_law": "bound"}, "rotation": [90, 0, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [12, 12]}, "pins": [{"nearest": [[-0.5, 0.5, 0], [0.5, 0.5, 0]]}]},
    {"name": "ball", "type": "collider", "position": [0.1, -0.1, -0.13], "mesh": {"shape": "sphere", "radius": 0.1, "cells": [12, 8]},
     "motion": [{"frame": 1}, {"frame": 12, "position": [0, 0, 1.8]}]}
  ]
}
END
for law in '' woven orthotropic; do
  expect 0 "$clothsim" push.json -q -o push -j 1 --overwrite --verify-substeps ${law:+--set "sheet.membrane={\"law\":\"$law\"}"}
  worst=$("${PYTHON:-python3}" -c 'import json; w = json.load(open("push/run.json")); print(w["worst"]["strain"]["value"], w["crossing_substeps"], w["lagged_substeps"], w["worst"]["lag"]["value"])')
  check "pushed $law: $worst" awk -v w="$worst" 'BEGIN { split(w, v); exit !(v[1] < 0.02 && v[2] == 0 && v[3] == 0 && v[4] < 0.002) }'
done
# without it the ball goes twice as deep
expect 0 "$clothsim" net.json -q -o soft -j 1 --set sheet.material.limit_law=stiffen --set sheet.material.limit=0
check "unbound: $(strain soft)" [ "$(strain soft)" -gt 400 ]
expect 0 "$clothsim" net.json -q -o net-r -e 5 --checkpoint-every 2
expect 0 "$clothsim" net.json -q -o net-r --resume
expect 0 "$clothsim" net.json -q -o net -j 1 --overwrite
check "resumed" diff -r net net-r
expect 0 "$clothsim" net.json --check --set solver.method=pd
says 'needs the method "newton"'
report
