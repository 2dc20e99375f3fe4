# Normals and colours of input meshes go through to OBJ, PLY, Alembic and USD: the given ones where the mesh is as it
# was given, turned with a rigid collider, bent with a cloth; hard edges stay hard.
. "$ROOT/tests/cli/kit"
cat >make.py <<'END2'
import math, random
random.seed(2)
def unit(v):
    l = math.sqrt(sum(c * c for c in v))
    return [c / l for c in v]
with open("wedge.obj", "w") as f: # a roof with a hard ridge: two normals at its vertices; colours
    for k, (x, y, z) in enumerate([(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (2, 0, 0), (2, 0, 1)]):
        print(f"v {x} {y} {z} {k / 5} {1 - k / 5} 0.25", file=f)
    for n in (unit([-1, 1, 0]), unit([1, 1, 0.5])):
        print("vn", *n, file=f)
    print("f 1//1 2//1 4//1 3//1\nf 3//2 4//2 6//2 5//-1", file=f)
with open("sheet.obj", "w") as f: # smooth, with normals of its own
    for j in range(5):
        for i in range(5):
            print("v", i / 4, 0, j / 4, file=f)
    for k in range(25):
        print("vn", *unit([random.uniform(-.3, .3), 1, random.uniform(-.3, .3)]), file=f)
    for j in range(4):
        for i in range(4):
            a = 5 * j + i + 1
            print("f", *(f"{c}//{c}" for c in (a, a + 5, a + 6, a + 1)), file=f)
END2
cat >look.py <<'END2'
import sys
import numpy as np
def obj(path):
    v, n, faces = [], [], []
    for line in open(path):
        word, *rest = line.split()
        if word == "v": v.append([float(r) for r in rest])
        if word == "vn": n.append([float(r) for r in rest])
        if word == "f": faces.append([[int(c or 0) for c in r.split("/")] for r in rest])
    corner = np.array([[c[0] - 1, c[2] - 1 if c[2] > 0 else len(n) + c[2]] for f in faces for c in f])
    return np.array(v), np.array(n)[corner[:, 1]], corner
out, at = sys.argv[1], np.deg2rad(18.0)
given, bent = obj("wedge.obj"), obj("sheet.obj")
turn = lambda a: np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
for frame in range(1, 7):
    v, n, corner = obj(f"{out}/wedge_{frame:04d}.obj")
    assert v.shape[1] == 6 and np.abs(v[:, 3:] - given[0][:, 3:]).max() < 1e-6, "colours"
    assert (corner[:, 0] == given[2][:, 0]).all()
    want = given[1] @ turn(at * (frame - 1)).T
    assert np.abs(n - want).max() < 1e-6, (frame, np.abs(n - want).max())
    assert len({tuple(r) for r in n.round(5).tolist()}) == 2, "the ridge is hard"
    v, n, corner = obj(f"{out}/sheet_{frame:04d}.obj")
    assert np.abs(np.linalg.norm(n, axis=1) - 1).max() < 1e-6
    off = np.abs(n - bent[1]).max()
    assert off < 1e-6 if frame == 1 else off > 1e-3 * (frame > 3), (frame, off)
END2
python3 make.py
cat >n.json <<'END2'
{
  "name": "n", "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 3},
  "output": {"colliders": true, "formats": ["ply", "abc", "usda"], "samples": [-0.5]},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": "cotton", "position": [5, 0, 0], "mesh": {"file": "sheet.obj"}, "pins": [{"vertices": [0, 4]}]},
    {"name": "wedge", "type": "collider", "mesh": {"file": "wedge.obj"}, "motion": [{"frame": 1}, {"frame": 6, "rotation": [0, 90, 0]}]}
  ]
}
END2
expect 0 "$clothsim" n.json -q -o run
needs_numpy
check "OBJ" $python look.py run
expect 0 "$BIN/clothcache" export run/n.clothcache --to obj -o obj
check "OBJ from the cache" $python look.py obj
for format in abc usda; do
  expect 0 "$BIN/clothcache" export run/n.clothcache --to $format -o again
  check "the cache has all of it for $format" cmp "again/n.$format" "run/n.$format"
done
expect 0 "$BIN/clothcache" verify run/n.clothcache
check "PLY has normals of vertices" sh -c 'head -20 run/sheet_0003.ply | grep -aq "property float nx"'
check "but not where there are two" sh -c '! head -20 run/wedge_0003.ply | grep -aq "property float nx"'
check "PLY has colours" sh -c 'head -20 run/wedge_0003.ply | grep -aq "property uchar red"'
equal "$(grep -c 'primvars:normals.timeSamples' run/n.usda)" 2 "normals in USD"
equal "$(grep -c 'color3f.. primvars:displayColor' run/n.usda)" 1 "colours in USD"
# from the Alembic file, the cache and the OBJ files of a run: what it was given first
sed 's/"sheet.obj"/"run\/n.abc", "object": "sheet"/; s/"position": .5, 0, 0.,//; s/"wedge.obj"/"run\/n.abc", "object": "wedge"/' n.json >a.json
expect 0 "$clothsim" a.json -q -o abc
check "from Alembic" $python look.py abc
sed 's/n.abc/n.clothcache/g' a.json >c.json
expect 0 "$clothsim" c.json -q -o cached
check "from a cache" $python look.py cached
# a collider that is a matrix over points that stay, from its second frame on: normals turn with it
expect 0 "$BIN/clothcache" export run/n.clothcache --to abc --transforms -o rigid
sed 's/"file": "wedge.obj"/"sequence": "rigid\/n.abc", "object": "wedge"/; s/, "motion":.*$/}/' n.json >s.json
expect 0 "$clothsim" s.json -q -o sequence
check "of a sequence" $python look.py sequence
for from in run/n.abc rigid/n.abc obj; do
  rm -f back.clothcache
  expect 0 "$BIN/clothcache" import $from -o back.clothcache
  rm -rf back
  expect 0 "$BIN/clothcache" export back.clothcache --to obj -o back
  [ $from = obj ] || python3 - <<'END2' # imported with the samples between frames
import os
for name in ("sheet", "wedge"):
    for frame in range(1, 7):
        at = f"back/{name}_{2 * frame:04d}.obj"
        os.rename(at, f"back/{name}_{frame:04d}.obj")
END2
  check "imported from $from" $python look.py back
done
# its faces from another file, with other corners: what belongs to its own is left out
awk '/^f/ { for (i = 3; i < NF; i++) { split($2, a, "/"); split($i, b, "/"); split($(i + 1), c, "/"); print "f", a[1], b[1], c[1] } next } /^v / { print }' \
  sheet.obj >triangles.obj
sed 's/"file": "wedge.obj"/"sequence": "run\/n.abc", "object": "sheet", "faces": "triangles.obj"/; s/, "motion":.*$/, "position": [9, 9, 9]}/' n.json >f.json
expect 0 "$clothsim" f.json -q -o faces
equal "$(grep -c '^f' faces/wedge_0003.obj) $(grep -c '^vn' faces/wedge_0003.obj)" "32 0" "faces of another file"
# materials' libraries
{ echo "mtllib paint.mtl other.mtl"; sed 's/^f 3/usemtl red\nf 3/' wedge.obj; } >painted.obj
sed 's/wedge.obj/painted.obj/' n.json >m.json
expect 0 "$clothsim" m.json -q -o painted
equal "$(grep -c '^mtllib paint.mtl other.mtl$' painted/wedge_0004.obj)" 1 "mtllib in OBJ"
expect 0 "$BIN/clothcache" export painted/n.clothcache --to obj -o painted/again
equal "$(grep -c '^mtllib paint.mtl other.mtl$' painted/again/wedge_0004.obj)" 1 "and from the cache"
equal "$(grep -c mtllib painted/sheet_0004.obj)" 0 "none where there was none"
# what was PLY stays so
sed 's/"sheet.obj"/"run\/sheet_0001.ply"/; s/"position": .5, 0, 0.,//' n.json >p.json
expect 0 "$clothsim" p.json -q -o ply
check "normals of PLY" cmp run/sheet_0001.ply ply/sheet_0001.ply
# damaged: an error, and no more
cp run/n.clothcache bad.clothcache
python3 - <<'END2'
data = bytearray(open("bad.clothcache", "rb").read())
at = data.index(b"LOOK")
data[at + 50] ^= 255
open("bad.clothcache", "wb").write(data)
END2
expect 3 "$BIN/clothcache" verify bad.clothcache
# resumed: the same bytes
expect 0 "$clothsim" n.json -q -o part -e 3
expect 0 "$clothsim" n.json -q -o part --resume
rm -f run/run.json part/run.json
check "resumed" diff -r run part
report
