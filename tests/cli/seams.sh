# Seams and attachments in whole runs: they close, tear and resume, and nothing passes through.
. "$ROOT/tests/cli/kit"
cat >seam.json <<'END'
{
  "name": "seam",
  "frames": {"end": 80, "substeps": 4},
  "gravity": [{"frame": 24, "value": [0, 0, 0]}, {"frame": 30, "value": [0, -9.81, 0]}],
  "solver": {"step_tolerance": 0.002},
  "contact": {"thickness": 0.001},
  "objects": [
    {"name": "left", "type": "cloth", "material": {"preset": "cotton", "damping": 5}, "position": [-0.25, 0, 0],
     "mesh": {"shape": "grid", "size": [0.4, 0.2], "cells": [10, 5]},
     "pins": [{"box": [[-0.46, -1, -1], [-0.44, 1, 1]]}]},
    {"name": "right", "type": "cloth", "material": {"preset": "cotton", "damping": 5}, "position": [0.25, 0.05, 0],
     "mesh": {"shape": "grid", "size": [0.4, 0.2], "cells": [10, 5]}},
    {"name": "button", "type": "cloth", "material": "cotton", "position": [-0.3, 0.01, 0],
     "mesh": {"shape": "disk", "radius": 0.02, "cells": [6, 2]}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.15}, "position": [0.1, -0.3, 0]}
  ],
  "attachments": [{"a": {"object": "button", "nearest": [-0.3, 0.01, 0]}, "b": {"object": "left"}, "force": 5, "damping": 0.01}],
  "seams": [{"a": {"object": "left", "box": [[-0.051, -1, -1], [-0.049, 1, 1]]},
             "b": {"object": "right", "box": [[0.049, -1, -1], [0.051, 1, 1]]}, "closed": 24}]
}
END
expect 0 "$clothsim" seam.json -v -o seam --verify-substeps
gap=$(sed -n 's/.*6 stitches, the largest gap is \([0-9.]*\) mm.*/\1/p' stderr)
check "gap of $gap mm" awk "BEGIN { exit !($gap > 0 && $gap < 0.5) }"
check "the attachment holds" sh -c '! grep -q torn stderr'
expect 0 "$clothsim" --verify-contact seam/seam.clothcache
# a scene that goes on from there keeps its seams closed, without saying so
edges='[{"a":{"object":"left","vertices":[10,21,32,43,54,65]},"b":{"object":"right","vertices":[0,11,22,33,44,55]}}]'
expect 0 "$clothsim" seam.json -v -o on -e 12 --set frames.from=seam/seam.clothcache --set gravity=[0,-9.81,0] --set "seams=$edges"
gap=$(sed -n 's/.*6 stitches, the largest gap is \([0-9.]*\) mm.*/\1/p' stderr)
check "gap of $gap mm, going on" awk "BEGIN { exit !($gap > 0 && $gap < 0.5) }"
# also where contact is thicker than it was: stitches do not burst open
expect 0 "$clothsim" seam.json -v -o on --overwrite -e 4 --set frames.from=seam/seam.clothcache --set gravity=[0,0,0] --set "seams=$edges" --set contact.thickness=0.005
gap=$(sed -n 's/.*6 stitches, the largest gap is \([0-9.]*\) mm.*/\1/p' stderr)
check "gap of $gap mm, going on with thick contact" awk "BEGIN { exit !($gap > 0 && $gap < 0.3) }"
# stitches that are too weak for the ball's side of the cloth tear, and stay so when resumed
weak="--set seams=[{\"a\":{\"object\":\"left\",\"vertices\":[10,21,32,43,54,65]},\"b\":{\"object\":\"right\",\"vertices\":[0,11,22,33,44,55]},\"closed\":4,\"force\":0.02,\"stiffness\":20}] --set gravity=[0,-9.81,0]"
expect 0 "$clothsim" seam.json -v -o torn -e 10 -j 1 $weak
check "stitches tear" grep -q "seam of left and right: [1-6] of 6 strings have torn" stderr
expect 0 "$clothsim" seam.json -q -o torn-r -e 1 --checkpoint-every 1 $weak
for frame in 3 4 5 6 7 8 9; do
  expect 0 "$clothsim" seam.json -q -o torn-r -e $frame --resume --checkpoint-every 1 -j $((frame % 3 + 1)) $weak
done
expect 0 "$clothsim" seam.json -q -o torn-r -e 10 --resume $weak
check "torn, resumed at every frame" diff -r torn torn-r
# A strip of 20 cm, held by an end, of one piece and of two sewn halves: it sags and stretches alike.
strip() { # NAME GRAVITY SEWN
  halves='{"name": "a", "type": "cloth", "material": "felt", "position": [0.1, 0, 0], "pins": [{"box": [[-1, -1, -1], [0.0101, 1, 1]]}],
    "mesh": {"shape": "grid", "size": [0.2, 0.04], "cells": [20, 4]}}'
  seams=
  [ $3 = 0 ] || halves=$(echo "$halves" | sed 's/0.1, 0, 0/0.05, 0, 0/; s/0.2, 0.04/0.1, 0.04/; s/20, 4/10, 4/')', {"name": "b", "type": "cloth",
    "material": "felt", "position": [0.1502, 0, 0], "mesh": {"shape": "grid", "size": [0.1, 0.04], "cells": [10, 4]}}'
  [ $3 = 0 ] || seams='"seams": [{"a": {"object": "a", "box": [[0.0999, -1, -1], [0.1001, 1, 1]]},
    "b": {"object": "b", "box": [[0.1001, -1, -1], [0.1003, 1, 1]]}, "closed": 1}],'
  cat >strip.json <<END
{"frames": {"end": 120, "until": "rest"}, "gravity": $2, "contact": {"thickness": 0.001}, "wind": {"density": 0},
 "solver": {"balance": 0.002, "step_tolerance": 0.0005, "iterations": 60}, $seams
 "materials": {"felt": {"density": 0.2, "stretch": 200, "bend": 1e-3, "damping": 5}}, "objects": [$halves]}
END
  expect 0 "$clothsim" strip.json -q -o "$1"
  # of the free end: along x and y
  tip=$(cat "$(ls "$1"/[ab]_*.obj | sort | tail -1)" | awk '$1 == "v"' | sort -k2,2 -g | tail -1 | cut -d' ' -f2,3)
}
strip bend1 '[0, -2, 0]' 0; one=$tip
strip bend2 '[0, -2, 0]' 1
check "sags alike: $one, $tip" awk "BEGIN { split(\"$one $tip\", t, \" \"); exit !(t[2] < -0.05 && t[4] / t[2] > 0.98 && t[4] / t[2] < 1.02) }"
strip pull1 '[100, 0, 0]' 0; one=$tip
strip pull2 '[100, 0, 0]' 1
check "stretches alike: $one, $tip" awk "BEGIN { split(\"$one $tip\", t, \" \"); s = (t[3] - 0.2002) / (t[1] - 0.2); exit !(t[1] > 0.2014 && s > 0.98 && s < 1.02) }"
# bending begins with the frame in which seams are closed, also in a run that is resumed there
sed 's/"closed": 1}/"closed": 4}/; s/\[100, 0, 0\]/[0, -2, 0]/' strip.json >late.json
expect 0 "$clothsim" late.json -q -o late -e 6 -j 1
expect 0 "$clothsim" late.json -q -o late-r -e 2 --checkpoint-every 1
for frame in 3 4 5 6; do
  expect 0 "$clothsim" late.json -q -o late-r -e $frame --resume --checkpoint-every 1 -j $((frame % 2 + 1))
done
check "late bending, resumed" diff -r late late-r
# what is wrong
wrong() { # SETTING TEXT
  expect 2 "$clothsim" seam.json -q --check --set "$1"
  says "$2"
}
wrong 'seams=[{"a":{"object":"left","vertices":[1,2]},"b":{"object":"right","vertices":[1]}}]' 'cannot go in order with 1'
wrong 'seams=[{"a":{"object":"lift","vertices":[1]},"b":{"object":"right","vertices":[1]}}]' 'did you mean "left"?'
wrong 'seams=[{"a":{"object":"ball","vertices":[1]},"b":{"object":"right","vertices":[1]}}]' 'let pins of the other object "follow" it'
wrong 'seams=[{"a":{"object":"left","vertices":[1000]},"b":{"object":"right","vertices":[1]}}]' 'vertex 1000 is out of range'
wrong 'seams=[{"a":{"object":"left"},"b":{"object":"right","vertices":[1]}}]' 'no vertices of "left" are chosen'
wrong 'seams=[{"a":{"object":"left","vertices":[1]},"b":{"object":"right","vertices":[1]},"from":9,"closed":3}]' 'comes before "from"'
wrong 'attachments=[{"a":{"object":"left","vertices":[1]},"b":{"object":"left","vertices":[1]}}]' 'attached to itself'
wrong 'attachments=[{"a":{"object":"left","vertices":[1]},"b":{"object":"right"},"stiffness":0}]' 'must be > 0'
wrong 'attachments=[{"a":{"object":"left","vertices":[1]},"b":{"object":"right"},"from":4,"to":3}]' 'comes before "from"'
report
