# Runs that start where another one has left off: positions, velocities, and the rest shape of the mesh.
. "$ROOT/tests/cli/kit"
cat >fall.json <<'END'
{
  "name": "fall", "frames": {"end": 20, "substeps": 4}, "solver": {"integrator": "implicit-euler", "step_tolerance": 0, "balance": 0, "tolerance": 1e-9, "linear_tolerance": 1e-9, "iterations": 50},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 0.5, 0],
     "mesh": {"shape": "grid", "size": [0.4, 0.4], "cells": [10, 10]}, "pins": [{"vertices": [0]}]},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.1}}
  ]
}
END
# apart A B: largest difference of coordinates of two OBJ files
apart() { paste "$1" "$2" | awk '$1 == "v" {for (k = 2; k < 5; k++) {d = $k - $(k + 4); if (d < 0) d = -d; if (d > m) m = d}} END {print m + 0}'; }
# near A B: but for the rounding of the cache's floats
near() { local d; d=$(apart $1 $2); awk "BEGIN { exit !($d < 3e-8) }"; }
expect 0 "$clothsim" fall.json -q -o a
expect 0 "$clothsim" fall.json -v -o b -e 11 --set frames.from=a/fall.clothcache --set frames.from_frame=10
check "starts there, apart by $(apart a/sheet_0010.obj b/sheet_0001.obj)" near a/sheet_0010.obj b/sheet_0001.obj
d=$(apart a/sheet_0020.obj b/sheet_0011.obj)
check "goes on the same way, apart by $d" awk "BEGIN { exit !($d < 1e-4) }"
expect 0 "$clothsim" fall.json -q -o c -e 2 --set frames.from=a/fall.clothcache --set frames.start=1
check "from its last frame" near a/sheet_0020.obj c/sheet_0001.obj
# pins hold what they chose at the new start
expect 0 "$clothsim" fall.json -q -o d -e 3 --set frames.from=a/fall.clothcache --set 'sheet.pins=[{"vertices":"all"}]'
check "held there" near a/sheet_0020.obj d/sheet_0003.obj
# resumed, and refused when the cache has changed meanwhile
expect 0 "$clothsim" fall.json -q -o e -e 3 --set frames.from=a/fall.clothcache --checkpoint-every 1
expect 0 "$clothsim" fall.json -q -o e -e 5 --set frames.from=a/fall.clothcache --resume
expect 0 "$clothsim" fall.json -q -o f -e 5 --set frames.from=a/fall.clothcache
check "resumed" cmp e/fall.clothcache f/fall.clothcache
expect 0 "$clothsim" fall.json -q -o g -e 12
mv g/fall.clothcache a/fall.clothcache
expect 2 "$clothsim" fall.json -q -o e -e 6 --set frames.from=a/fall.clothcache --resume
# an object that is not in there starts as it is
expect 0 "$clothsim" fall.json -v -o h -e 1 --set frames.from=a/fall.clothcache --set sheet.name=other
says '"other" is not in'
wrong() { # CODE TEXT SETTING...
  local code=$1 text=$2
  shift 2
  expect $code "$clothsim" fall.json -q --check "$@"
  says "$text"
}
wrong 2 'it has no frame 77' --set frames.from=a/fall.clothcache --set frames.from_frame=77
wrong 2 'none.clothcache' --set frames.from=none.clothcache
wrong 2 'the meshes have to be the same' --set frames.from=a/fall.clothcache --set sheet.mesh.cells=[9,9]
wrong 2 'another axis points up' --set frames.from=a/fall.clothcache --set units.up=z
wrong 3 'fall.json' --set frames.from=fall.json

# change at a frame, go on from there (docs/recipes.md): a ball from a file goes on in time in a copy of the run, and in a scene of
# its own begins at the start, which is warned of
cat >ball.json <<'END'
{"name": "ball", "frames": {"end": 12}, "output": {"formats": ["abc"]},
 "objects": [{"name": "far", "type": "cloth", "material": "cotton", "position": [5, 5, 0], "mesh": {"shape": "grid", "size": [0.1, 0.1], "cells": [2, 2]}},
             {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.2},
              "motion": {"keys": [{"frame": 1}, {"frame": 12, "position": [0.4, 0, 0]}]}}]}
END
cat >led.json <<'END'
{"name": "led", "frames": {"end": 12}, "output": {"colliders": true},
 "objects": [{"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 0.6, 0], "mesh": {"shape": "grid", "size": [0.4, 0.4], "cells": [8, 8]}},
             {"name": "ball", "type": "collider", "mesh": {"sequence": "ball.abc"}}]}
END
expect 0 "$clothsim" ball.json -q -o balls
expect 0 "$BIN/clothcache" export balls/ball.clothcache --to abc --object ball -o ball.abc
expect 0 "$clothsim" led.json -q -o led
cp -r led soft
change=(--set sheet.material.bend=0.2x --set wind.velocity='[1, 0, 0]')
expect 0 "$clothsim" led.json -q -o soft --resume-from 6 --from-cache --allow-changes "${change[@]}"
for file in sheet_0006 ball_0012; do check "$file stays" cmp led/$file.obj soft/$file.obj; done
check "the sheet does not" sh -c '! cmp -s led/sheet_0008.obj soft/sheet_0008.obj'
echo '{"extends": "led.json", "frames": {"from": "led/led.clothcache", "from_frame": 6, "start": 6}}' >own.json
expect 0 "$clothsim" own.json -o own "${change[@]}"
says '"ball" is 0.182 m from where it is in frame 6 of'
says '"offset"'
expect 0 "$clothsim" own.json -o shifted --set ball.mesh.offset=-5 "${change[@]}"
check "no warning of a ball that goes on" sh -c '! grep -q "is .* m from where" stderr'
check "the ball goes on" cmp led/ball_0012.obj shifted/ball_0012.obj
d=$(apart shifted/sheet_0012.obj soft/sheet_0012.obj)
check "both ways give the same, apart by $d" awk "BEGIN { exit !($d < 5e-3) }"
report
