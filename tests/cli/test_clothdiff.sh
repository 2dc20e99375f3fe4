#!/usr/bin/env bash
# test_clothdiff.sh: verdicts, numbers and exit codes of clothdiff.
. "$(dirname "$0")/cache_lib.bash"

frames a sheet 1 50
frames a flag 1 50 4
cp -r a b
"$clothcache" import a -o a.clothcache
cp a.clothcache b.clothcache
says 0 same "$clothdiff" a b
says 0 same "$clothdiff" --exact a.clothcache b.clothcache
says 0 same "$clothdiff" --exact a a.clothcache

# one vertex moved by 1e-3 in frame 37
move b/sheet_0037.obj 17 0.001
"$clothcache" import b -o b.clothcache
for pair in "a b" "a.clothcache b.clothcache" "a b.clothcache"; do
  says 1 'first differing frame  frame 37, object "sheet", vertex 17, distance 0.001' "$clothdiff" $pair
done
says 1 'worst                  frame 37, object "sheet", vertex 17' "$clothdiff" a b
says 1 '"first": {"frame": 37, "object": "sheet", "vertex": 17, "distance": 0.001' "$clothdiff" --json a b
ok "--json is JSON" bash -c "'$clothdiff' --json a b | python3 -m json.tool"
ok "--json has the curve" python3 -c "
import json, subprocess
r = json.loads(subprocess.run(['$clothdiff', '--json', 'a.clothcache', 'b.clothcache'], stdout=-1).stdout)
assert not r['same'] and r['topology'] == 'same' and r['frames'] == {'both': 50, 'only_a': 0, 'only_b': 0}
assert [c['frame'] for c in r['curve'] if c['max'] > 0] == [37]
assert abs(r['max'] - 1e-3) < 1e-7 and r['worst']['vertex'] == 17
assert abs(r['over_percent'] - 100 / (50 * 65)) < 1e-6
assert abs(r['rms'] - 1e-3 / (50 * 65) ** 0.5) < 1e-8"
says 1 "frame 37: max 0.001" "$clothdiff" --curve a b
says 1 "" "$clothdiff" --heat heat.ply a b
ok "the heat map has the distance" grep -q ' 0.001$' heat.ply

# tolerances
says 0 same "$clothdiff" --atol 2e-3 a b
says 1 different "$clothdiff" --atol 5e-4 a b
says 0 same "$clothdiff" --rtol 1e-2 a b
says 0 same "$clothdiff" --fail-percent 1 a b
says 1 different "$clothdiff" --fail-percent 1 --hard-fail 1e-4 a b
says 0 same "$clothdiff" --ulp 1000000 a.clothcache b.clothcache
says 1 different "$clothdiff" --ulp 4 a.clothcache b.clothcache
says 1 different "$clothdiff" --exact a b
says 0 same "$clothdiff" --frames 1:36 a b
says 1 different "$clothdiff" --frames 37 a b
says 0 same "$clothdiff" --frames 1:50:2 --object flag a b
says 0 same "$clothdiff" --object flag a b
says 1 different "$clothdiff" --object sheet a b

# frames, rates, topology, NaN
rm b/*_0050.obj b/*_0001.obj
says 1 "2 ONLY IN a, first 1" "$clothdiff" --atol 1 a b
says 0 same "$clothdiff" --atol 1 --frames 2:49 a b
"$clothcache" import a --fps 30 -o fast.clothcache
says 1 "DIFFERS: 25 and 30" "$clothdiff" a.clothcache fast.clothcache
frames c sheet 1 3 9
frames d sheet 1 3 7
says 1 'topology               DIFFERS' "$clothdiff" c d
says 1 '"sheet": 81 vertices, 64 faces; 49 vertices, 36 faces' "$clothdiff" c d
says 1 'Hausdorff distance     0.' "$clothdiff" c d
rm d/*
for k in 1 2 3; do grep -v '^f' "c/sheet_000$k.obj" >"d/sheet_000$k.obj"; grep '^f' "c/sheet_000$k.obj" | tac >>"d/sheet_000$k.obj"; done
says 1 'Hausdorff distance     0:' "$clothdiff" c d
frames e sheet 1 3
frames e cape 1 3 4
says 1 'only in a: "flag"' "$clothdiff" --frames 1:3 a e
python3 - <<'PY'
import struct
def cache(name, bad):
    points = [float("nan") if bad and (f, p) == (2, 3) else 0.1 * p * f for f in range(4) for p in range(15)]
    open(name, "wb").write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 5, 1, 1, 4) + struct.pack("<60f", *points))
cache("good.pc2", False)
cache("nan.pc2", True)
PY
says 0 same "$clothdiff" good.pc2 good.pc2
says 1 "1 vertices in nan.pc2, first in frame 3" "$clothdiff" good.pc2 nan.pc2
says 1 "1 vertices in nan.pc2, first in frame 3" "$clothdiff" nan.pc2 nan.pc2

# two meshes, whatever their numbers
says 1 different "$clothdiff" a/sheet_0001.obj a/sheet_0002.obj
says 0 same "$clothdiff" a/sheet_0001.obj a/sheet_0001.obj

# trouble
says 2 "cannot open: No such file" "$clothdiff" a nothing
says 2 "which two runs?" "$clothdiff" a
says 2 "unknown option --frob" "$clothdiff" --frob a b
says 2 "bad value for --atol" "$clothdiff" --atol x a b
says 2 "no object of that name" "$clothdiff" --object nobody a b
says 2 "x.clothcache: byte 64: the file ends amid" bash -c "head -c 100 a.clothcache >x.clothcache; '$clothdiff' a x.clothcache"
says 0 "usage: clothdiff" "$clothdiff" --help
finish
