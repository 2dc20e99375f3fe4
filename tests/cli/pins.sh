# Pins that follow, begin and end: resumed runs and any number of threads give the same files.
. "$ROOT/tests/cli/kit"
cat >pins.json <<'END'
{
  "name": "pins",
  "frames": {"end": 7, "substeps": 3},
  "gravity": [{"frame": 2, "value": [0, 0, 0]}, {"frame": 4, "value": [0, -9.81, 0]}],
  "wind": {"velocity": [{"frame": 1, "value": [0, 0, 0]}, {"frame": 5, "value": [3, 0, 0]}], "turbulence": 0.3},
  "solver": {"method": "newton", "iterations": 3, "linear_tolerance": 0.05},
  "contact": {"thickness": 0.01},
  "objects": [
    {"name": "cloth", "type": "cloth", "material": "cotton", "position": [0, 0.54, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [10, 10]},
     "pins": [{"vertices": [0], "to": 4}, {"vertices": ["5-9"], "follow": "ball", "from": 3, "to": 5},
              {"vertices": [60], "follow": "guide", "stiffness": [{"frame": 1, "value": 5}, {"frame": 4, "value": 50}]},
              {"vertices": [0], "from": 5, "follow": "guide", "by": "vertex"}]},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.5},
     "motion": {"keys": [{"frame": 1}, {"frame": 7, "rotation": [0, 20, 0], "position": [0.1, 0.1, 0]}]}},
    {"name": "guide", "type": "collider", "ghost": true, "mesh": {"shape": "torus"},
     "motion": [{"frame": 1}, {"frame": 7, "position": [0, 0.3, 0]}]}
  ]
}
END
every_frame() { # NAME ARGUMENT...
  local name=$1 frame
  shift
  expect 0 "$clothsim" pins.json -q -o "$name" -j 1 "$@"
  expect 0 "$clothsim" pins.json -q -o "$name-r" -e 1 --checkpoint-every 1 "$@"
  for frame in 2 3 4 5 6; do
    expect 0 "$clothsim" pins.json -q -o "$name-r" -e $frame -j $frame --resume --checkpoint-every 1 "$@"
  done
  expect 0 "$clothsim" pins.json -q -o "$name-r" --resume "$@"
  check "$name, resumed at every frame" diff -r "$name" "$name-r"
}
every_frame newton
every_frame cholesky --set solver.linear=cholesky
every_frame bdf2 --set solver.integrator=bdf2
every_frame pd --set solver.method=pd
every_frame xpbd --set solver.method=xpbd
every_frame descent --set solver.method=descent
expect 0 "$clothsim" pins.json -q -o verified --verify-substeps
# the ghost is not in contact with anything, and in no file
check "no ghost" sh -c '! ls newton | grep guide'
# without the pin that begins in frame 5 the corner falls on
expect 0 "$clothsim" pins.json -q -o other --set 'cloth.pins=[{"vertices": [0], "to": 4}]'
check "pins matter" sh -c '! cmp -s newton/cloth_0007.obj other/cloth_0007.obj'

# tetrahedra are smaller where pins hold: the same as in a box around what they hold, however it is chosen
cat >bar.json <<'END'
{"frames": {"start": 0, "end": 0}, "objects": [{"name": "bar", "type": "solid", "material": "jelly",
  "mesh": {"shape": "box", "size": [0.2, 0.04, 0.04], "cells": [20, 4, 4]}}]}
END
finer() { # PINS FINER: sets tetrahedra
  expect 0 "$clothsim" bar.json --overwrite -v -o out --set "bar.pins=$1" --set "bar.tetrahedra.finer=$2"
  tetrahedra=$(sed -n 's/.*"bar": \([0-9]*\) tetrahedra, .*/\1/p' stderr)
}
pins='[{"box": [[-0.11, -1, -1], [-0.099, 1, 1]]}]' size='"distance": "2 cm", "max_volume": 1e-8'
finer "$pins" '[]'
coarse=$tetrahedra
finer "$pins" "[{\"pins\": true, $size}]"
fine=$tetrahedra
check "$fine tetrahedra, $coarse without" [ "$fine" -gt $((2 * coarse)) ]
finer "$pins" "[{\"box\": [[-0.1, -0.02, -0.02], [-0.1, 0.02, 0.02]], $size}]"
equal "$tetrahedra" "$fine" "the box around the pins"
size='"distance": "8 mm", "max_volume": 1e-8'
finer '[{"nearest": [-0.1, 0, 0], "stiffness": 5}, {"vertices": [360]}]' "[{\"pins\": true, $size}]" # 360 is inside
some=$tetrahedra
check "some are finer: $some" [ "$some" -gt "$coarse" -a "$some" -lt "$fine" ]
finer '[]' "[{\"box\": [[-0.1, 0, 0], [-0.1, 0, 0]], $size}]"
equal "$tetrahedra" "$some" "around one vertex"
expect 2 "$clothsim" bar.json --overwrite -o out --set 'bar.tetrahedra.finer=[{"max_volume": 1}]'
says 'give a "box", or "pins": true'

# a patch that pins move through a hanging sheet pushes it and is on time; pins before a wall stay there, at little cost
cat >hand.json <<'END'
{"frames": {"end": 13}, "objects": [
  {"name": "sheet", "type": "cloth", "material": "cotton", "rotation": [90, 0, 0],
   "mesh": {"shape": "grid", "size": [0.6, 0.6], "cells": [12, 12]}, "pins": [{"nearest": [[-0.3, 0.3, 0], [0.3, 0.3, 0]]}]},
  {"name": "hand", "type": "cloth", "material": "cotton", "rotation": [90, 0, 0], "position": [0, 0, -0.05],
   "mesh": {"shape": "grid", "size": [0.1, 0.1], "cells": [2, 2]},
   "pins": [{"box": [[-0.2, -0.2, -0.2], [0.2, 0.2, -0.01]], "motion": [{"frame": 1}, {"frame": 13, "position": [0, 0, 1]}]}]}
]}
END
expect 0 "$clothsim" hand.json -q -o hand --verify-substeps
late=$("${PYTHON:-python3}" -c 'import json; r = json.load(open("hand/run.json")); print(r["lagged_substeps"], r["crossing_substeps"])')
equal "$late" "0 0" "late substeps, and crossing ones, of pins at 2 m/s"
sed '/"name": "sheet"/,+1d' hand.json >wall.json
sed -i 's|^]}|, {"name": "wall", "type": "collider", "mesh": {"shape": "box", "size": [2, 2, 0.1]}, "position": [0, 0, 0.15]}]}|' wall.json
expect 0 "$clothsim" wall.json -q -o wall --verify-substeps
late=$("${PYTHON:-python3}" -c 'import json; r = json.load(open("wall/run.json")); print(r["worst"]["lag"]["value"] > 0.5, r["crossing_substeps"], r["halved_substeps"] < 10)')
equal "$late" "True 0 True" "pins before a wall"
# a point that is far from its object, as in centimetres, is told; the corners are not
expect 0 "$clothsim" hand.json --check
check "no word of near points" sh -c '! grep "away from there" stderr'
expect 0 "$clothsim" hand.json --check --set 'sheet.pins.0.nearest=[[-30, 30, 0], [0.3, 0.3, 0]]'
says 'nearest to [-30, 30, 0], number 0, is 42 m away from there'
report
