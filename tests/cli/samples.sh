# Samples between frames and strain: the same on every number of threads, resumed and exported again; in USD, PLY
# and VTP; what is refused.
. "$ROOT/tests/cli/kit"
cat >s.json <<'END2'
{
  "name": "s",
  "units": {"length": "cm", "up": "z"},
  "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 3},
  "output": {"obj": false, "pressures": true, "strain": true, "samples": [-0.25, 0, 0.25], "colliders": true, "formats": ["abc", "usda", "ply", "vtp"]},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 0, 3], "rotation": [90, 0, 0],
     "mesh": {"shape": "grid", "size": [40, 40], "cells": [6, 6]}, "render_meshes": [{"name": "fine", "mesh": {"shape": "grid", "size": [40, 40], "cells": [9, 9]}}]},
    {"name": "jelly", "type": "solid", "material": "jelly", "position": [60, 0, 30], "mesh": {"shape": "box", "size": [20, 20, 20], "cells": [2, 2, 2]}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 2}, "motion": [{"frame": 1}, {"frame": 6, "position": [0, 0, 6]}]}
  ]
}
END2
repeats s.json
for format in abc usda; do
  expect 0 "$BIN/clothcache" export one/s.clothcache --to $format -o again
  check "exported from the cache as $format" cmp "again/s.$format" "one/s.$format"
done
"$BIN/clothdiff" one/s.clothcache three/s.clothcache >same
check "clothdiff tells that it does not compare samples" grep -q "not compared.*samples" same
expect 0 "$BIN/clothdiff" one/s.clothcache one/s.abc
check "samples of an archive are no frames of their own" grep -Eq '^frames +[0-9]+ in both' stdout
"$BIN/clothcache" info one/s.clothcache >info
check "the sheet has samples and strain" grep -q "sheet .*strain, 2 samples" info
check "so has its render mesh" grep -q "fine .*2 samples" info
equal "$(grep -c '^        1.25: \[' one/s.usda)" 12 "points, velocities and extents of four objects at 1.25"
equal "$(grep -c '^        0.75: \[' one/s.usda)" 0 "before the first frame"
equal "$(grep -c 'primvars:strain.timeSamples' one/s.usda)" 2 "objects with strain"
check "PLY has strain" sh -c 'head -20 one/sheet_0003.ply | grep -aq "property float strain"'
check "VTP has strain" grep -aq 'Name="Strain"' one/sheet_0003.vtp
expect 2 "$clothsim" s.json -q -o no --set 'output.samples=[0.5, 1]'
expect 2 "$clothsim" s.json -q -o no --set 'output.samples=[-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7]'
cat >look.py <<'END2'
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, clothcache
cache = clothcache.Cache("one/s.clothcache")
assert cache.meta["samples"] == [-0.75, -0.25]
for f in range(1, 6):
    for name in ("sheet", "fine", "jelly", "ball"):
        rows = [cache.positions(name, f - 1)] + [cache.positions(name, f, a) for a in (b"SMP0", b"SMP1", b"POSN")]
        heights = [r[:, 2].mean() for r in rows]
        steps = np.diff(heights)
        assert (steps > 0).all() if name == "ball" else (steps != 0).all(), (f, name, heights)
assert cache.positions("sheet", 5, b"STRN").max() > 1e-6
END2
if python3 -c 'import numpy' 2>/dev/null; then
  check "an own reader has them in order" python3 look.py "$ROOT/tools"
else
  skip "no numpy for Python"
fi
report
