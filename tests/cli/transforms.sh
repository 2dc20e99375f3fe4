# Rigid colliders as animated transforms: the same on every number of threads, resumed and exported again; read back
# they are where they were; what deforms keeps its points.
. "$ROOT/tests/cli/kit"
mkdir wave
for k in 1 2 3 4 5 6; do
  printf 'v 4 0 0\nv 5 0 0\nv 5 0.%s 1\nv 4 0 1\nf 1 4 3 2\n' $k >wave/wave_000$k.obj
done
cat >s.json <<'END2'
{
  "name": "s",
  "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 4},
  "output": {"obj": false, "samples": [-0.25, 0.25], "colliders": true, "transforms": true, "formats": ["abc", "usda", "ply"]},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 1, 0], "mesh": {"shape": "grid", "cells": [4, 4]}},
    {"name": "wheel", "type": "collider", "position": [30, -1, 7], "mesh": {"shape": "torus", "radius": 0.3, "tube_radius": 0.1},
     "motion": [{"frame": 1}, {"frame": 6, "position": [0, 0.5, 0], "rotation": [20, 90, -40]}]},
    {"name": "floor", "type": "collider", "position": [0, -3, 0], "mesh": {"shape": "plane"}},
    {"name": "wave", "type": "collider", "mesh": {"sequence": "wave"}}
  ]
}
END2
repeats s.json
for format in abc usda; do
  expect 0 "$BIN/clothcache" export one/s.clothcache --to $format --transforms -o again
  check "exported from the cache as $format" cmp "again/s.$format" "one/s.$format"
  expect 0 "$BIN/clothcache" export one/s.clothcache --to $format -o plain
done
equal "$(grep -c 'matrix4d xformOp:transform.timeSamples' one/s.usda)" 2 "two transforms"
equal "$(grep -c 'matrix4d' plain/s.usda)" 0 "none that were not asked for"
equal "$(grep -c 'velocities.timeSamples' one/s.usda)" 2 "velocities of what has points that move"
check "PLY has points that move" sh -c '! cmp -s one/wheel_0001.ply one/wheel_0006.ply'
small=$(stat -c %s one/s.abc) large=$(stat -c %s plain/s.abc)
check "points that stay are stored once" [ $((small * 3)) -lt "$large" ]
expect 0 "$BIN/clothcache" import one/s.abc -o back.clothcache
expect 0 "$BIN/clothcache" import plain/s.abc -o points.clothcache
expect 0 "$BIN/clothdiff" points.clothcache back.clothcache --rtol 0 --atol 1e-5
expect 1 "$BIN/clothdiff" points.clothcache back.clothcache --exact
# turned and scaled
expect 0 "$BIN/clothcache" export one/s.clothcache --to abc --transforms --up z --scale 100 -o turned
expect 0 "$BIN/clothcache" export one/s.clothcache --to abc --up z --scale 100 -o turned/plain
expect 0 "$BIN/clothcache" import turned/s.abc -o turned.clothcache
expect 0 "$BIN/clothcache" import turned/plain/s.abc -o turned_points.clothcache
expect 0 "$BIN/clothdiff" turned_points.clothcache turned.clothcache --rtol 0 --atol 1e-3
# a lossy cache: rigid within what it may be off
expect 0 "$clothsim" s.json -q -o lossy --set output.cache_error=1e-5
expect 0 "$BIN/clothcache" export lossy/s.clothcache --to usda --transforms -o lossy/again
equal "$(grep -c 'matrix4d xformOp:transform.timeSamples' lossy/again/s.usda)" 2 "two transforms of a lossy cache"
report
