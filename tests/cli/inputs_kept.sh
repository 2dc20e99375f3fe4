# No output replaces an input: of a run, of a comparison, of a picture, of a sweep.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json
expect 0 "$clothsim" tiny.json -q -o a
expect 0 "$clothsim" tiny.json -q -o b --set cloth.material.bend=3x
cp -r a before

# the scene itself, and the model of one that reads a mesh
cp tiny.json own.json
expect 2 "$clothsim" own.json --dump-model own.json
says "own.json: error: the model would replace"
sed 's|"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]|"file": "a/cloth_0005.obj"|; s/0.52/0.6/' tiny.json >again.json
expect 2 "$clothsim" again.json --dump-model a/cloth_0005.obj
cp again.json a/run.json
sed -i 's|a/cloth|cloth|' a/run.json
cp -r a own
for mode in --overwrite --resume; do
  expect 2 "$clothsim" a/run.json -o a $mode
done
expect 2 "$clothsim" a/run.json -o a --overwrite
says "a/run.json: error: this is read for the scene"
check "the scene is as it was" diff -r a own
cp before/run.json a/run.json

# a mesh that an earlier run has left, by its name, by a link, in a phase, as a sequence, a cache to start from
expect 2 "$clothsim" again.json -o a --overwrite
says "a/cloth_0005.obj: error: this is read for the scene"
ln -s a/cloth_0005.obj link.obj
sed 's|a/cloth_0005|link|' again.json >linked.json
expect 2 "$clothsim" linked.json -o a --overwrite
says "link.obj: error: this is read for the scene"
ln -s a alias
expect 2 "$clothsim" again.json -o alias --overwrite
cat >extends.json <<'END'
{"extends": "tiny.json", "phases": [{"name": "one", "frames": {"end": 3}},
  {"name": "two", "objects": [{"name": "cloth", "rest": {"from": "file", "file": "a/cloth_0001.obj"}}]}]}
END
expect 2 "$clothsim" extends.json -o a --overwrite
says "a/cloth_0001.obj: error: this is read for the scene"
for sequence in 'a/cloth_####.obj' a; do
  cat >led.json <<END
{"frames": {"end": 3}, "objects": [{"name": "cloth", "type": "collider", "mesh": {"sequence": "$sequence"}},
  {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 2, 0],
   "mesh": {"shape": "grid", "size": [1, 1], "cells": [4, 4]}}]}
END
  expect 2 "$clothsim" led.json -o a --overwrite
  says "$sequence: error: this is read for the scene"
done
expect 2 "$clothsim" tiny.json -o a --overwrite --set frames.from=a/tiny.clothcache
says "a/tiny.clothcache: error: this is read for the scene"
check "all files are as they were" diff -r a before
expect 0 "$clothsim" again.json -o elsewhere -q
expect 0 "$clothsim" again.json -o elsewhere -q --overwrite

# reports of a comparison
for outputs in "--heat a/cloth_0003.obj" "--junit a/tiny.clothcache" "--junit a/run.json" "--picture picture.png --junit picture.png" \
  "--heat link.obj"; do
  expect 2 "$BIN/clothdiff" a b $outputs
  check "$outputs: said why" grep -qE 'would replace|have the same name' stderr
done
cp a/tiny.clothcache one.png
expect 2 "$BIN/clothdiff" one.png b/tiny.clothcache --picture one.png
expect 1 "$BIN/clothdiff" a b --junit a/report.xml
expect 1 "$BIN/clothdiff" a b --junit a/report.xml # a report may be written again
rm a/report.xml

# pictures and exports: a cache may have any name
expect 2 "$BIN/clothview" one.png -o one.png
expect 2 "$BIN/clothview" a --compare one.png -o one.png
cp a/tiny.clothcache one.abc
expect 2 "$BIN/clothcache" export one.abc --to abc
expect 0 "$BIN/clothcache" export one.abc --to abc -o two.abc
check "one.png is as it was" cmp one.png a/tiny.clothcache
check "one.abc is as it was" cmp one.abc a/tiny.clothcache

# a sweep over one of its own scenes
expect 0 "$BIN/clothfarm" tiny.json -o sweep --wedge cloth.material.bend=1x,2x --clothsim "$clothsim"
cp sweep/scenes/*bend-1x.json kept.json
name=$(basename sweep/scenes/*bend-1x.json)
cp kept.json "sweep/scenes/${name%_*}.json"
expect 3 "$BIN/clothfarm" "sweep/scenes/${name%_*}.json" -o sweep --overwrite --clothsim "$clothsim"
says "would replace its scene"
check "the scene of the sweep is as it was" cmp kept.json "sweep/scenes/${name%_*}.json"
check "all files are as they were" diff -r a before
report
