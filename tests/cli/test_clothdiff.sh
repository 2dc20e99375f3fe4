#!/usr/bin/env bash
# test_clothdiff.sh: verdicts, numbers and exit codes of clothdiff.
. "$ROOT/tests/cli/cache_lib.bash"
mkdir temporary
export TMPDIR=$PWD/temporary

frames a sheet 1 50
frames a flag 1 50 4
cp -r a b
"$clothcache" import a -o a.clothcache
cp a.clothcache b.clothcache
outputs 0 same "$clothdiff" a b
outputs 0 same "$clothdiff" --exact a.clothcache b.clothcache
outputs 0 same "$clothdiff" --exact a a.clothcache

# damage that no frame shows: each of the last chunks, the statistics, and a lost end
python3 - <<'PY'
data = open('b.clothcache', 'rb').read()
for chunk in (b'STAT', b'INDX', b'TAIL'):
    at = data.rindex(chunk) + 44 # in its contents
    open(chunk.decode() + '.clothcache', 'wb').write(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
open('cut.clothcache', 'wb').write(data[:-1])
open('going.clothcache.part', 'wb').write(data[:-1])
PY
for damaged in STAT INDX TAIL cut; do
  outputs 2 "$damaged.clothcache: byte" "$clothdiff" a.clothcache $damaged.clothcache
done
outputs 0 same "$clothdiff" --frames 3:9 a.clothcache STAT.clothcache
outputs 0 "not complete: 50 whole frames" "$clothdiff" a.clothcache going.clothcache

# one vertex moved by 1e-3 in frame 37
move b/sheet_0037.obj 17 0.001
"$clothcache" import b -o b.clothcache
for pair in "a b" "a.clothcache b.clothcache" "a b.clothcache"; do
  outputs 1 'first differing frame  frame 37, object "sheet", vertex 17, distance 0.001' "$clothdiff" $pair
done
outputs 1 'worst                  frame 37, object "sheet", vertex 17' "$clothdiff" a b
outputs 1 '"first": {"frame": 37, "object": "sheet", "vertex": 17, "distance": 0.001' "$clothdiff" --json a b
check "--json is JSON" bash -c "'$clothdiff' --json a b | python3 -m json.tool"
check "--json has the curve" python3 -c "
import json, subprocess
r = json.loads(subprocess.run(['$clothdiff', '--json', 'a.clothcache', 'b.clothcache'], stdout=-1).stdout)
assert not r['same'] and r['status'] == 1
r = r['comparisons'][0]
assert not r['same'] and r['topology'] == 'same' and r['frames'] == {'both': 50, 'only_a': 0, 'only_b': 0}
assert [c['frame'] for c in r['curve'] if c['max'] > 0] == [37]
assert abs(r['max'] - 1e-3) < 1e-7 and r['worst']['vertex'] == 17
assert abs(r['over_percent'] - 100 / (50 * 65)) < 1e-6
assert abs(r['rms'] - 1e-3 / (50 * 65) ** 0.5) < 1e-8"
outputs 1 "frame 37: max 0.001" "$clothdiff" --curve a b
outputs 1 "" "$clothdiff" --heat heat.ply a b
check "the heat map has the distance" grep -q ' 0.001$' heat.ply

# the worst frame of both, side by side: where they are equal the halves are
export PYTHONPATH=$ROOT/tests/cli PYTHONDONTWRITEBYTECODE=1
cat >halves.py <<'PY'
import sys
from png import read
width, height, rows = read(sys.argv[1])
rows = rows[:height - 60] # labels and the legend are below
half = 3 * width // 2
other = sum(r[i:i + 3] != r[half + i:half + i + 3] for r in rows for i in range(0, half, 3))
drawn = len({r[i:i + 3] for r in rows for i in range(0, half, 3)})
print(width, height, "equal" if other == 0 else "other", drawn > 50)
PY
outputs 0 same "$clothdiff" --picture worst.png a a.clothcache
check "no picture of what is the same" test ! -e worst.png
cp -r a c2 && move c2/sheet_0037.obj 17 0.5
"$clothcache" import c2 -o c2.clothcache
outputs 1 different "$clothdiff" --picture worst.png a.clothcache c2
equal "$(python3 halves.py worst.png)" "2560 960 other True" "the worst frames"
# points are drawn with the faces of the other side
"$clothcache" export a.clothcache --to pc2 --object sheet -o points && rm points/*_rest.*
outputs 1 different "$clothdiff" --object sheet --picture points.png c2.clothcache points
equal "$(python3 halves.py points.png | cut -c 1-14)" "2560 960 other" "a point cache"
outputs 2 "PNG" "$clothdiff" --picture worst.jpg a b
outputs 2 "no picture of the worst frame" env CLOTHVIEW=/bin/false "$clothdiff" --picture worst.png a b
check "nothing stays behind" sh -c '! ls -d "${TMPDIR:-/tmp}"/clothdiff-??????'
# clothview's: of the same by the same camera, whatever else is in the second run
view=("$BIN/clothview" -q --json -o two.png --draft --size 320x240)
outputs 0 '"frames": [36, 36]' "${view[@]}" a.clothcache --compare b.clothcache --frame 36
equal "$(python3 halves.py two.png)" "640 240 equal True" "the same"
outputs 0 '"pictures": 4, "width": 1280, "height": 480' "${view[@]}" a.clothcache --compare c2.clothcache --tiles 4

# tolerances
outputs 0 same "$clothdiff" --atol 2e-3 a b
outputs 1 different "$clothdiff" --atol 5e-4 a b
outputs 0 same "$clothdiff" --rtol 1e-2 a b
outputs 0 same "$clothdiff" --fail-percent 1 a b
outputs 1 different "$clothdiff" --fail-percent 1 --hard-fail 1e-4 a b
outputs 0 same "$clothdiff" --ulp 1000000 a.clothcache b.clothcache
outputs 1 different "$clothdiff" --ulp 4 a.clothcache b.clothcache
outputs 1 different "$clothdiff" --exact a b
outputs 0 same "$clothdiff" --frames 1:36 a b
outputs 1 different "$clothdiff" --frames 37 a b
outputs 0 same "$clothdiff" --frames 1:50:2 --object flag a b
outputs 0 same "$clothdiff" --object flag a b
outputs 1 different "$clothdiff" --object sheet a b

# frames, rates, topology, NaN
rm b/*_0050.obj b/*_0001.obj
outputs 1 "2 ONLY IN a, first 1" "$clothdiff" --atol 1 a b
outputs 0 same "$clothdiff" --atol 1 --frames 2:49 a b
"$clothcache" import a --fps 30 -o fast.clothcache
outputs 1 "DIFFERS: 25 and 30" "$clothdiff" a.clothcache fast.clothcache
frames c sheet 1 3 9
frames d sheet 1 3 7
outputs 1 'topology               DIFFERS' "$clothdiff" c d
outputs 1 '"sheet": 81 vertices, 64 faces; 49 vertices, 36 faces' "$clothdiff" c d
outputs 1 'Hausdorff distance     0.' "$clothdiff" c d
rm d/*
for k in 1 2 3; do grep -v '^f' "c/sheet_000$k.obj" >"d/sheet_000$k.obj"; grep '^f' "c/sheet_000$k.obj" | tac >>"d/sheet_000$k.obj"; done
outputs 1 'Hausdorff distance     0:' "$clothdiff" c d
frames e sheet 1 3
frames e cape 1 3 4
outputs 1 'only in a: "flag"' "$clothdiff" --frames 1:3 a e
python3 - <<'PY'
import struct
def cache(name, bad):
    points = [float("nan") if bad and (f, p) == (2, 3) else 0.1 * p * f for f in range(4) for p in range(15)]
    open(name, "wb").write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 5, 1, 1, 4) + struct.pack("<60f", *points))
cache("good.pc2", False)
cache("nan.pc2", True)
PY
outputs 0 same "$clothdiff" good.pc2 good.pc2
outputs 1 "1 vertices in nan.pc2, first in frame 3" "$clothdiff" good.pc2 nan.pc2
outputs 1 "1 vertices in nan.pc2, first in frame 3" "$clothdiff" nan.pc2 nan.pc2

# a run's folder: everything in it is compared (a scene with OBJ, cache, PC2, MDD, PLY and a collider)
cat >run.json.in <<'JSON'
{"version": 1, "name": "run", "frames": {"start": 1, "end": 4, "fps": 24, "substeps": 2},
 "solver": {"iterations": 1}, "output": {"formats": ["pc2", "mdd", "ply"], "colliders": true},
 "objects": [
  {"name": "cloth", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "cells": [6, 6]},
   "position": [0, 1, 0]},
  {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.3}}]}
JSON
check "a run of every format" "$clothsim" run.json.in -q -o full
cp -r full copy
outputs 0 same "$clothdiff" full copy
outputs 0 "not compared           velocities" "$clothdiff" full full/run.clothcache
outputs 0 same "$clothdiff" full/run.clothcache full
outputs 0 same "$clothdiff" --velocities --uvs --tags full copy
for kind in obj ply pc2 mdd clothcache; do
  mkdir -p only_$kind other_$kind
  cp full/*[a-z0-9].$kind only_$kind
  rm -f only_$kind/*_rest.*
  cp only_$kind/* other_$kind
done
# one vertex moved in one frame, in each format by its own means
move other_obj/cloth_0003.obj 17 0.01
python3 - <<'PY'
import glob, struct
def add(name, offset, order):
    data = bytearray(open(name, "rb").read())
    data[offset:offset + 4] = struct.pack(order + "f", struct.unpack(order + "f", data[offset:offset + 4])[0] + 0.01)
    open(name, "wb").write(data)
add("other_pc2/cloth.pc2", 32 + 12 * (2 * 49 + 17) + 4, "<")
add("other_mdd/cloth.mdd", 8 + 4 * 4 + 12 * (2 * 49 + 17) + 4, ">")
data = open("other_ply/cloth_0003.ply", "rb").read()
head = data.index(b"end_header\n") + 11
size = 4 * sum(line.startswith(b"property float") for line in data[:head].split(b"\n"))
add("other_ply/cloth_0003.ply", head + 17 * size + 4, "<")
PY
"$clothcache" import other_obj -o moved.clothcache --fps 24
cp moved.clothcache other_clothcache/run.clothcache
formats="obj ply pc2 mdd clothcache abc"
# USD where usd-core is there to read it
clothusd=$ROOT/tools/clothusd
if "$clothusd" --help >/dev/null 2>&1; then formats+=" usda usdc"; fi
export CLOTHUSD=$clothusd # also of programs that are built elsewhere
for kind in abc usda usdc; do
  mkdir -p only_$kind other_$kind
  for k in only other; do
    case $kind in
    usdc) case $formats in *usdc) "$clothusd" export ${k}_clothcache/run.clothcache ${k}_usdc/run.usdc ;; esac ;;
    *) "$clothcache" export ${k}_clothcache/run.clothcache --to $kind -o ${k}_$kind >/dev/null 2>&1 ;;
    esac
  done
done
# each USD file is converted once: Python takes longer to start than everything else here
cat >once <<'END'
#!/bin/sh
# once import IN OUT: as clothusd, but what was converted before is copied
kept=$PWD/once_$(cksum <"$2" | tr ' ' _).abc
[ -e "$kept" ] || "$ROOT/tools/clothusd" import "$2" "$kept" || exit
echo "$kept" >>once.log
cp "$kept" "$3"
END
chmod +x once
export CLOTHUSD=$PWD/once
for a in $formats; do
  for b in $formats; do
    outputs 0 same "$clothdiff" only_$a only_$b
    outputs 1 'first differing frame  frame 3, object "cloth", vertex 17, distance 0.0' "$clothdiff" only_$a other_$b
    outputs 1 "failing frames         1 of 4: 3" "$clothdiff" other_$b only_$a
  done
done
export CLOTHUSD=$clothusd
case $formats in *usdc) check "four files, converted for all comparisons but with themselves" test "$(sort -u once.log | wc -l)" = 4 -a "$(wc -l <once.log)" = 92 ;; esac
# what an earlier version called the same: the point caches differ and the rest meshes do not
mkdir -p rest_a rest_b
cp only_pc2/cloth.pc2 full/cloth_rest.obj rest_a
cp other_pc2/cloth.pc2 full/cloth_rest.obj rest_b
outputs 1 "pc2: different" "$clothdiff" rest_a rest_b
outputs 1 "rest: same" "$clothdiff" rest_a rest_b
outputs 0 same "$clothdiff" rest_a rest_a
outputs 0 same "$clothdiff" --object cloth rest_a full
move rest_b/cloth_rest.obj 3 0.5
cp only_pc2/cloth.pc2 rest_b
outputs 1 "rest: different" "$clothdiff" rest_a rest_b
outputs 1 "rest and obj: different" "$clothdiff" --object cloth rest_b only_obj
# an output that one side lacks is compared with what the other has; an object that none has differs
cp -r full lacks
rm lacks/*.pc2 lacks/*.clothcache
outputs 0 same "$clothdiff" full lacks
rm lacks/ball*
outputs 1 '"ball"' "$clothdiff" full lacks
# other formats, and USD that cannot be converted, are compared by their bytes, or not at all
export CLOTHUSD=false
cp -r full films
cp -r full films2
for k in films films2; do "$clothcache" export full/run.clothcache --to usda -o $k >/dev/null; done
outputs 0 "run.usda: equal bytes" "$clothdiff" films films2
outputs 2 "not read, and its bytes differ" "$clothdiff" films full
outputs 2 "cannot tell" "$clothdiff" films full
printf x >>films2/run.usda
outputs 2 "run.usda: not read" "$clothdiff" films films2
outputs 0 "equal bytes" "$clothdiff" films/run.usda films/run.usda
outputs 2 "not read" "$clothdiff" films/run.usda films2/run.usda
outputs 2 "not read" "$clothdiff" films/run.usda full/run.clothcache
export CLOTHUSD=$clothusd
outputs 2 "run.usda: not read" env CLOTHUSD="$PWD/nothing" "$clothdiff" films/run.usda full/run.clothcache
outputs 2 "cannot run $PWD/nothing" env CLOTHUSD="$PWD/nothing" "$clothdiff" films/run.usda full/run.clothcache
case $formats in *usdc)
  # names that USD cannot hold, as Blender's copies have them
  mkdir -p dotted dotted_moved && for k in 1 2 3 4; do cp only_obj/cloth_000$k.obj dotted/cloth.$((k > 9))_000$k.obj && cp only_obj/ball_000$k.obj dotted/0-ball_000$k.obj; done
  cp dotted/* dotted_moved && move dotted_moved/cloth.0_0003.obj 17 0.2
  "$clothcache" import dotted --fps 24 -o dotted.clothcache && "$clothcache" export dotted.clothcache --to usda -o dotted.usda >/dev/null
  outputs 0 same "$clothdiff" --exact dotted.clothcache dotted.usda
  outputs 1 'frame 3, object "cloth_0", vertex 17' "$clothdiff" --picture dotted.png dotted.usda dotted_moved
  check "drawn" test -s dotted.png
  outputs 0 same "$clothdiff" films full
  outputs 0 same env -u CLOTHUSD PATH="$ROOT/tools:$PATH" "$clothdiff" films full
  outputs 0 same "$clothdiff" --exact --uvs films/run.usda full/run.clothcache
  outputs 1 different "$clothdiff" only_usda/run.usda other_usdc/run.usdc
  check "no Alembic file stays behind" sh -c '! ls "${TMPDIR:-/tmp}"/clothdiff-*.abc'
  ;;
esac
export CLOTHUSD=false # from here on USD is not read
# Alembic is read
cp -r full alembic
"$clothcache" export full/run.clothcache --to abc -o alembic >/dev/null
outputs 0 same "$clothdiff" full alembic
outputs 0 same "$clothdiff" alembic/run.abc full/run.clothcache
"$clothcache" export full/run.clothcache --to abc -o alembic --scale 1.001 >/dev/null
outputs 1 "abc" "$clothdiff" full alembic
echo hello >copy/notes.txt
outputs 0 "1 other files in copy, notes.txt" "$clothdiff" full copy

# the whole comparison goes on over what is missing, cannot be read or is no number
cp -r only_obj holes
rm holes/ball_0002.obj
sed -i '5s/.*/v nan 0 0/' holes/cloth_0003.obj
move holes/cloth_0004.obj 7 0.25
outputs 1 "failing frames         3 of 4: 2-4" "$clothdiff" only_obj holes
outputs 1 "MISSING                1 times" "$clothdiff" only_obj holes
outputs 1 "UNREADABLE             1 times" "$clothdiff" only_obj holes
outputs 1 "vertex 7, distance 0.2" "$clothdiff" holes only_obj
outputs 1 '  FAILS                cloth                       49       0.25' "$clothdiff" only_obj holes
head -c 30000 full/run.clothcache >cut.clothcache
python3 - <<'PY'
data = bytearray(open("full/run.clothcache", "rb").read())
for at in range(len(data) - 3000, len(data) - 2990): data[at] ^= 255
open("bad.clothcache", "wb").write(data)
PY
outputs 2 "crc" "$clothdiff" full/run.clothcache bad.clothcache

# velocities, groups and texture coordinates when asked for
python3 - "$clothsim" <<'PY'
import json, subprocess, sys
scene = json.load(open("run.json.in"))
scene["output"] = {"velocities": True, "obj": False}
json.dump(scene, open("v1.json", "w"))
subprocess.run([sys.argv[1], "v1.json", "-q", "-o", "v1"], check=True)
subprocess.run([sys.argv[1], "v1.json", "-q", "-o", "v2", "--set", "frames.start=2", "--set", "frames.end=5"], check=True)
PY
outputs 0 same "$clothdiff" --velocities v1 v1
outputs 2 "no velocities on both sides" "$clothdiff" --velocities only_obj only_obj
for k in 1 2 3; do
  mkdir -p tag_a tag_b uv_b
  { echo "o x"; echo "g one"; cat a/sheet_0002.obj; } >tag_a/sheet_000$k.obj
  { echo "o x"; echo "g one"; sed 's/^o sheet/o sheet\ng two/' a/sheet_0002.obj; } >tag_b/sheet_000$k.obj
  { echo "o x"; echo "g one"; sed '0,/^vt 0/s//vt 5/' a/sheet_0002.obj; } >uv_b/sheet_000$k.obj
done
outputs 0 "not compared           groups and materials (--tags)" "$clothdiff" tag_a tag_b
outputs 1 "groups and materials   DIFFER" "$clothdiff" --tags tag_a tag_b
outputs 0 same "$clothdiff" --tags tag_a tag_a
outputs 0 same "$clothdiff" tag_a uv_b
outputs 1 "texture coordinates    DIFFER" "$clothdiff" --uvs tag_a uv_b
"$clothcache" import tag_a -o tag_a.clothcache
outputs 0 same "$clothdiff" --tags --uvs tag_a tag_a.clothcache
outputs 1 DIFFER "$clothdiff" --tags tag_b tag_a.clothcache
outputs 2 "no format with groups" "$clothdiff" --tags only_pc2 only_ply

# reports for machines, whatever the end
check "JSON on every exit code" python3 -c "
import json, subprocess
def run(*words):
    r = subprocess.run(['$clothdiff', '--json', *words], stdout=-1, stderr=-1)
    return r.returncode, json.loads(r.stdout)
for words, code, same in ((['full', 'copy'], 0, True), (['only_obj', 'holes'], 1, False), (['a', 'nothing'], 2, None),
                          (['--frob', 'a', 'b'], 2, None), (['a'], 2, None), (['films', 'full'], 2, None),
                          (['--atol', 'x', 'a', 'b'], 2, None)):
    status, r = run(*words)
    assert status == code == r['status'] and r['same'] is same, (words, status, r)
    assert bool(r['errors']) == (code == 2 or words[-1] == 'holes'), (words, r['errors'])
r = run('only_obj', 'holes')[1]['comparisons'][0]
assert r['failing'] == [2, 3, 4]
cloth = [o for o in r['objects'] if o['name'] == 'cloth'][0]
assert cloth['failing'] == 2 and cloth['unreadable'] == 1 and cloth['first_failing'] == 3
assert [o for o in r['objects'] if o['name'] == 'ball'][0]['missing'] == [0, 1]
assert run('films', 'full')[1]['not_read'][0]['file'] == 'run.usda'"
outputs 1 "" "$clothdiff" --junit j.xml only_obj holes
check "JUnit XML" python3 -c "
import xml.etree.ElementTree as t
suite = t.parse('j.xml').getroot().find('testsuite')
cases = suite.findall('testcase')
assert len(cases) == int(suite.get('tests')) == 5
assert len(suite.findall('testcase/failure')) == int(suite.get('failures')) == 2
assert {c.get('name') for c in cases} == {'everything was read', 'every object was compared', 'frames and objects', 'ball', 'cloth'}"
# an object that was compared with nothing is in every report
mkdir lonely_a lonely_b && cp only_obj/*.obj lonely_a && cp only_pc2/cloth.pc2 lonely_b
outputs 1 '"only": [{"side": "a", "object": "ball", "kind": "obj"}]' "$clothdiff" --json lonely_a lonely_b
outputs 1 '"objects_only_a": ["ball"], "objects_only_b": []' "$clothdiff" --json lonely_a lonely_b
outputs 1 "::error title=clothdiff ball::only in lonely_a" "$clothdiff" --annotate --junit j.xml lonely_a lonely_b
check "and in JUnit" grep -q 'failures="1"' j.xml
# names of files may hold any bytes
name=$(printf 'n\xe9\x01<&')
cp -r only_obj "$name"
outputs 0 same "$clothdiff" --junit j.xml only_obj "$name"
check "XML of any name" python3 -c "import xml.etree.ElementTree as t; t.parse('j.xml')"
outputs 2 '"errors": ["n\ufffd\u0001<&x: cannot open' "$clothdiff" --json "${name}x" only_obj
outputs 2 "" "$clothdiff" --junit j.xml films full
check "JUnit of an incomplete comparison" python3 -c "
import xml.etree.ElementTree as t
suite = t.parse('j.xml').getroot().find('testsuite')
assert suite.get('errors') == '1' and 'run.usda' in suite.find('testcase/error').text"
outputs 2 "cannot write" "$clothdiff" --junit nowhere/j.xml full copy
outputs 1 "::error title=clothdiff cloth (obj)::2 frames fail, first 3; largest distance 0.25; only_obj and holes" \
  "$clothdiff" --annotate only_obj holes

# two meshes, whatever their numbers
outputs 1 different "$clothdiff" a/sheet_0001.obj a/sheet_0002.obj
outputs 0 same "$clothdiff" a/sheet_0001.obj a/sheet_0001.obj

# trouble
outputs 2 "cannot open: No such file" "$clothdiff" a nothing
outputs 2 "which two runs?" "$clothdiff" a
outputs 2 "unknown option --frob" "$clothdiff" --frob a b
outputs 2 "bad value for --atol" "$clothdiff" --atol x a b
outputs 2 "no object of that name" "$clothdiff" --object nobody a b
outputs 2 "x.clothcache: byte 64: the file ends amid" bash -c "head -c 100 a.clothcache >x.clothcache; '$clothdiff' a x.clothcache"
outputs 0 "usage: clothdiff" "$clothdiff" --help
report
