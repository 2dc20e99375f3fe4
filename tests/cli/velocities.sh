# Velocities of colliders that move, rigid and deforming, in every output that has velocities; against
# their motion. Read by an own reader (tools/clothcache.py) and from USD's text.
. "$ROOT/tests/cli/kit"
for k in 1 2 3 4 5; do # a square that is lifted by 0.1 each frame
  printf 'v 3 %s 0\nv 4 %s 0\nv 3 %s 1\nf 1 3 2\n' 0.$k 0.$k 0.$k >lift_000$k.obj
done
cat >v.json <<'END2'
{
  "version": 1, "name": "v",
  "units": {"length": "cm", "files": "m"},
  "frames": {"start": 1, "end": 5, "fps": 20, "substeps": 2},
  "gravity": [0, 0, 0],
  "contact": {"response": "none"},
  "output": {"colliders": true, "formats": ["usda", "ply", "abc"]},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": "cotton", "velocity": [0, 0, 200],
     "mesh": {"shape": "grid", "size": [100, 100], "cells": [4, 4]}},
    {"name": "wheel", "type": "collider", "position": [0, -100, 0], "mesh": {"shape": "cylinder", "radius": 30, "height": 10},
     "motion": {"keys": [{"frame": 1}, {"frame": 5, "position": [40, 0, 0], "rotation": [0, 90, 0]}]}},
    {"name": "lift", "type": "collider", "mesh": {"sequence": "lift_####.obj"}},
    {"name": "post", "type": "collider", "mesh": {"shape": "sphere", "radius": 20}, "position": [0, 300, 0]}
  ]
}
END2
expect 0 "$clothsim" v.json -q -o run
"$BIN/clothcache" info run/v.clothcache >info
check "the wheel has velocities" grep -q "wheel .*velocities" info
check "the lift has velocities" grep -q "lift .*velocities" info
check "what does not move has none" sh -c '! grep -q "post .*velocities" info'
check "nor where they are not asked for" sh -c '"$0" v.json -q -o none --set output.velocities=false && ! "$1" info none/v.clothcache | grep velocities' "$clothsim" "$BIN/clothcache"
cat >look.py <<'END2'
import math, sys
sys.path.insert(0, sys.argv[1])
import numpy as np, clothcache
cache = clothcache.Cache("run/v.clothcache")
for f in range(5):
    x, v = (cache.positions("wheel", f, a).astype(float) for a in (b"POSN", b"VELO"))
    spin, along = math.pi / 2 / 0.2, 0.4 / 0.2  # rad/s, m/s: a quarter turn and 40 cm in 4 frames of 1/20 s
    centre = np.array([along * f / 20, -1.0, 0.0])
    r = x - centre
    want = np.stack([along + spin * r[:, 2], 0 * r[:, 1], -spin * r[:, 0]], axis=1)
    assert np.abs(v - want).max() < 2e-6, (f, np.abs(v - want).max())
    v = cache.positions("lift", f, b"VELO")
    assert np.abs(v - [0, 2, 0]).max() < 2e-6, (f, v)
END2
if python3 -c 'import numpy' 2>/dev/null; then
  check "they are those of the motion" python3 look.py "$ROOT/tools"
else
  skip "no numpy for Python"
fi
equal "$(grep -c 'vector3f\[\] velocities.timeSamples' run/v.usda)" 3 "objects with velocities in USD"
check "PLY has them" sh -c 'head -20 run/wheel_0003.ply | grep -aq "property float vx"'
expect 0 "$BIN/clothdiff" --velocities run/v.clothcache run/v.abc
# resumed: the same bytes
expect 0 "$clothsim" v.json -q -o part -e 3
expect 0 "$clothsim" v.json -q -o part --resume
check "resumed" diff -r run part
report
