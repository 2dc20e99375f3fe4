# Energy gained and momentum left over: told in run.json, and beyond the bounds of "strict" a warning.
. "$ROOT/tests/cli/kit"
# worst KEY FILE: what run.json says of it
worst() {
  "${PYTHON:-python3}" -c 'import json, sys; w = json.load(open(sys.argv[2]))["worst"]
for k in sys.argv[1].split("."): w = w[k]
print(w)' "$1" "$2"
}
# a ring that falls on a ball: impulses press it together, and it comes off with more than it had
cat >ring.json <<'END'
{
  "name": "ring",
  "frames": {"start": 1, "end": 14, "fps": 24, "substeps": 6},
  "solver": {"method": "newton", "iterations": 3, "tolerance": 1e-2, "linear_tolerance": 0.05},
  "objects": [
    {"name": "jelly", "type": "solid", "material": {"preset": "jelly", "modulus": 3e4, "volume": 1e5},
     "mesh": {"shape": "torus", "radius": 0.3, "tube_radius": 0.12, "cells": [36, 14]}, "position": [0.12, 0.95, 0.03]},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.25}, "position": [0, 0.25, 0]}
  ],
  "contact": {"response": "impulse", "thickness": 0.002}
}
END
expect 1 "$clothsim" ring.json -o gains --strict --progress none
check "told" grep -q "more than the start.*though nothing adds any" stderr
check "gain $(worst energy.value gains/run.json)" awk "BEGIN { exit !($(worst energy.value gains/run.json) > 0.05) }"
expect 0 "$clothsim" ring.json -q -o filter --set contact.response=filter
check "no gain but of rounding" awk "BEGIN { exit !($(worst energy.value filter/run.json) < 1e-12) }"
check "closed" [ "$(worst energy.closed filter/run.json)" = True ]
for open in wind.velocity=[1,0,0] 'ball.motion=[{"frame":1},{"frame":9,"position":[1,0,0]}]' 'gravity=[{"frame":1,"value":[0,-9,0]},{"frame":9,"value":[0,0,0]}]'; do
  expect 0 "$clothsim" ring.json -q -o open --overwrite --frames 1:2 --set "$open"
  check "open: $open" [ "$(worst energy.closed open/run.json)" = False ]
done

# a ball of rubber that bounces is tested, too
cat >bounce.json <<'END'
{"frames": {"end": 12}, "objects": [
  {"name": "ball", "type": "solid", "elasticity": "neo-hookean", "material": "rubber-solid", "mesh": {"shape": "sphere", "radius": 0.1}, "position": [0, 0.2, 0]},
  {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}}]}
END
expect 0 "$clothsim" bounce.json -q -o bounce --strict
check "a solid is closed" [ "$(worst energy.closed bounce/run.json)" = True ]
check "and gains nothing" awk "BEGIN { exit !($(worst energy.value bounce/run.json) < 1e-4) }"

# a box that starts 0.2 mm above the floor is lifted to a quarter of the contact distance: that adds energy, and is no fault
cat >rests.json <<'END'
{"frames": {"end": 6}, "objects": [
  {"name": "box", "type": "solid", "elasticity": "neo-hookean", "material": "rubber-solid", "position": [0, 0.0502, 0],
   "mesh": {"shape": "box", "size": [0.2, 0.1, 0.2], "cells": [3, 3, 3]}},
  {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}}]}
END
for height in 0.0502 0.0552; do
  expect 0 "$clothsim" rests.json -q -o rests --overwrite --strict --set "box.position=[0, $height, 0]"
  check "closed, from $height m" [ "$(worst energy.closed rests/run.json)" = "$([ $height = 0.0552 ] && echo True || echo False)" ]
done

# Loosely solved free fall by backward Euler: M v = M g t - sum of h R, with R what is left over.
cat >fall.json <<'END'
{
  "name": "fall",
  "frames": {"start": 1, "end": 9, "fps": 24, "substeps": 1},
  "solver": {"method": "newton", "integrator": "implicit-euler", "preconditioner": "jacobi", "iterations": 1,
             "tolerance": 0, "linear_tolerance": 0.9, "line_search": false, "start": "rest"},
  "wind": {"density": 0},
  "objects": [{"name": "sheet", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "size": [1, 1], "cells": [9, 9]}}]
}
END
expect 0 "$clothsim" fall.json -q -o fall
missing=$("${PYTHON:-python3}" - <<'END'
def read(k):
    words = [l.split() for l in open(f"fall/sheet_{k:04d}.obj")]
    return ([[float(c) for c in w[1:4]] for w in words if w and w[0] == "v"],
            [[int(c.split("/")[0]) - 1 for c in w[1:4]] for w in words if w and w[0] == "f"])
(a, faces), (b, _), (rest, _) = read(8), read(9), read(1)
mass = [0] * len(a)
for f in faces:
    p, q, r = (rest[i] for i in f)
    area = abs((q[0] - p[0]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[0] - p[0])) / 2
    for i in f: mass[i] += area / 3
v = sum(m * (y[1] - x[1]) * 24 for m, x, y in zip(mass, a, b)) / sum(mass)
print(v + 9.81 * 8 / 24)
END
)
drift=$(worst momentum.value fall/run.json)
check "momentum $drift, missing $missing" awk "BEGIN { exit !($drift > 1e-3 && $drift - $missing < 1e-7 && $missing - $drift < 1e-7) }"
# a run in two parts has seen the same
expect 0 "$clothsim" fall.json -q -o parts --frames 1:5 --keep-checkpoints
expect 0 "$clothsim" fall.json -q -o parts --resume
check "resumed" [ "$(worst momentum.value parts/run.json)" = "$drift" ]

# cloth that is cut at 45 degrees and pulled stretches by shear, which is a strain as well
for pull in 0.2:0 0.4:1; do
  cat >bias.json <<END
{"frames": {"end": 22}, "wind": {"density": 0}, "output": {"obj": false, "strain": true}, "objects": [
  {"name": "strip", "type": "cloth", "material": "cotton", "membrane": {"angle": 45}, "mesh": {"shape": "grid", "size": [0.3, 0.1], "cells": [24, 8]},
   "pins": [{"box": [[-0.2, -1, -1], [-0.1499, 1, 1]]},
            {"box": [[0.1499, -1, -1], [0.2, 1, 1]], "motion": [{"frame": 1}, {"frame": 20, "position": [$(awk "BEGIN { print 0.3 * ${pull%:*} }"), 0, 0]}]}]}]}
END
  expect ${pull#*:} "$clothsim" bias.json --progress none -o bias --overwrite --strict
  check "a bias strip stretches by $(worst strain.value bias/run.json)" awk "BEGIN { exit !($(worst strain.value bias/run.json) > ${pull%:*} && $(worst strain.value bias/run.json) < 1.6 * ${pull%:*}) }"
done
check "told" grep -q 'strip" is stretched by 5. %' stderr

# small pieces of cloth that swing by 4 degrees about two corners, in a vacuum: what moves them is a fourteenth of gravity. They gained up
# to a fifth of their energy
for size in 0.005:0.02:2:8 0.02:0.02:4:4 0.005:0.05:1:10; do
  IFS=: read -r width length across down <<<"$size"
  corners=$(awk -v w="$width" -v l="$length" 'BEGIN { a = atan2(0, -1) * 86 / 180; y = l / 2 * sin(a); z = l / 2 * cos(a)
    printf "[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", -w / 2, y, z, w / 2, y, z }')
  cat >swing.json <<END
{"frames": {"end": 97}, "wind": {"density": 0}, "output": {"obj": false}, "objects": [
  {"name": "piece", "type": "cloth", "material": {"preset": "cotton", "damping": 0}, "rotation": [86, 0, 0], "pins": [{"nearest": $corners}],
   "mesh": {"shape": "grid", "size": [$width, $length], "cells": [$across, $down]}}]}
END
  expect 0 "$clothsim" swing.json -q -o swing --overwrite
  check "no gain of $width x $length" awk "BEGIN { exit !($(worst energy.value swing/run.json) < 0.002) }"
done

# a block of jelly rests on the floor; 4 m away a ball hits a sheet, for which substeps are taken in parts. Contacts of the block became up
# to 64 times as stiff in these, and it jumped by 2 mm
cat >rest.json <<'END'
{"frames": {"end": 32}, "wind": {"density": 0}, "objects": [
  {"name": "jelly", "type": "solid", "material": "jelly", "position": [0, 0.153, 0], "mesh": {"shape": "box", "size": [0.3, 0.3, 0.3], "cells": [4, 4, 4]}},
  {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}},
  {"name": "sheet", "type": "cloth", "material": "cotton", "position": [4, 1, 0], "rotation": [0, 0, 90], "pins": [{"vertices": [0, 16, 272, 288]}],
   "mesh": {"shape": "grid", "size": [0.6, 0.6], "cells": [16, 16]}},
  {"name": "ball", "type": "solid", "material": "rubber-solid", "position": [-41, 5.905, 0], "velocity": [45, 0, 0],
   "mesh": {"shape": "sphere", "radius": 0.08, "cells": [12, 8]}}]}
END
# [m] highest place of its lowest vertex in frames 20 to 32
rises() { # FOLDER
  for f in "$1"/jelly_00{20..32}.obj; do awk '$1 == "v" && (low == "" || $3 < low) { low = $3 } END { print low }' "$f"; done | sort -g | tail -1
}
expect 0 "$clothsim" rest.json -q -o rest
check "taken in parts" [ "$("$LOOK" get rest/run.json halved_substeps)" -gt 10 ]
rise=$(rises rest)
check "what rests stays where it is: $rise m" awk "BEGIN { exit !($rise > 0 && $rise < 0.0007) }"
# nor does it jump in a scene with a collider that flies by: that is far away, and stiffens only what it may touch
sed 's/{"name": "sheet"/{"name": "paddle", "type": "collider", "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2]}, "position": [-3, 2, 0],\n   "motion": [{"frame": 1}, {"frame": 32, "position": [0, 0, 6.5]}]},\n  &/' rest.json >flyby.json
expect 0 "$clothsim" flyby.json -q -o flyby
check "taken in parts" [ "$("$LOOK" get flyby/run.json halved_substeps)" -gt 5 ]
rise=$(rises flyby)
check "what rests stays, whatever flies by: $rise m" awk "BEGIN { exit !($rise > 0 && $rise < 0.0007) }"
report
