# Chambers in whole runs: a sewn cushion, a balloon, and what is refused.
. "$ROOT/tests/cli/kit"
cat >cushion.json <<'END'
{
  "name": "cushion",
  "frames": {"end": 72, "substeps": 4},
  "gravity": [0, 0, 0],
  "contact": {"thickness": 0.002},
  "objects": [
    {"name": "top", "type": "cloth", "material": {"preset": "cotton", "damping": 3, "compression": 0.01, "stretch": 4000}, "position": [0, 0.01, 0],
     "mesh": {"shape": "disk", "radius": 0.2, "cells": [24, 6]}},
    {"name": "bottom", "type": "cloth", "material": {"preset": "cotton", "damping": 3, "compression": 0.01, "stretch": 4000},
     "mesh": {"shape": "disk", "radius": 0.2, "cells": [24, 6]}}
  ],
  "chambers": [{"objects": ["top", "bottom"], "pressure": [{"frame": 12, "value": 0}, {"frame": 24, "value": 100}]}],
  "seams": [{"a": {"object": "top", "vertices": ["0-23"]}, "b": {"object": "bottom", "vertices": ["0-23"]}, "closed": 10}]
}
END
expect 0 "$clothsim" cushion.json -v -o cushion -j 1
volume=$(sed -n 's/.*chamber of "top": \([0-9.e-]*\) m^3, 100 Pa.*/\1/p' stderr)
expect 0 "$clothsim" --verify-contact cushion/cushion.clothcache
# two disks of radius a that crumple but do not stretch make a Mylar balloon of 1.2186 a^3 (Paulsen 1994);
# this cotton does nearly so
check "volume $volume is that of a Mylar balloon" awk "BEGIN { v = $volume / (1.2186 * 0.008); exit !(v > 0.97 && v < 1.05) }"
expect 0 "$clothsim" cushion.json -q -o resumed -e 5 --checkpoint-every 1
for frame in 12 20 30; do expect 0 "$clothsim" cushion.json -q -o resumed -e $frame -j 2 --resume --checkpoint-every 1; done
expect 0 "$clothsim" cushion.json -q -o resumed -j 3 --resume
check "resumed" diff -r cushion resumed
wrong() { # TEXT SETTING...
  local text=$1
  shift
  expect 2 "$clothsim" cushion.json -q --check "$@"
  says "$text"
}
wrong 'the chamber has a hole of 24 edges at vertex' --set seams=[]
wrong 'there is no cloth "tap", did you mean "top"?' --set 'chambers=[{"objects":["tap"]}]'
wrong '"top" is named twice' --set 'chambers=[{"objects":["top","bottom","top"]}]'
wrong 'chambers need the method "newton"' --set solver.method=xpbd
wrong 'needs a "stiffness" > 0 Pa' --set 'chambers=[{"objects":["top","bottom"],"volume":2}]'
wrong 'is below a vacuum' --set 'chambers=[{"objects":["top","bottom"],"gas":true,"pressure":-200000}]'
wrong 'is flat at the start' --set 'chambers=[{"objects":["top","bottom"],"gas":true}]' --set top.position=[0,1e-6,0] --set contact.thickness=1e-7
report
