# --resume verifies what a run has written, and mends it; complete runs are made longer; any kept checkpoint,
# and any frame of the cache, can be gone on from.
. "$ROOT/tests/cli/kit"
tiny_scene | sed 's/"objects"/"output": {"formats": ["pc2", "ply"], "velocities": true},\n  "objects"/' >tiny.json
expect 0 "$clothsim" tiny.json -q -o whole
equal "$(wc -l <whole/run.files)" 15 "lines of run.files: OBJ, PLY, cache, PC2 and its rest mesh"
equal "$(grep -c '^- ' whole/run.files)" 3 "files of the whole run"
while read -r _ size hash name; do
  equal "$(stat -c %s "whole/$name")" "$size" "size of $name"
  equal "${#hash}" 16 "digits of its hash"
done <whole/run.files
expect 0 "$clothsim" tiny.json -o whole --resume
says "nothing to do"

# mended FILE COMMAND TEXT: after the damage --resume says TEXT, and all files are as they were
mended() {
  rm -rf run
  cp -r whole run
  sh -c "$2"
  expect 0 "$clothsim" tiny.json -o run --resume
  says "$3"
  check "$1: mended" diff -r whole run
  check "$1: it says what" grep -q "run/$1" stderr
}
mended cloth_0003.obj 'rm run/cloth_0003.obj' "is missing since it was written"
mended cloth_0001.obj ': >run/cloth_0001.obj' "is empty since it was written"
mended cloth_0006.obj 'echo "# more" >>run/cloth_0006.obj' "has another size"
mended cloth_0002.obj 'sed -i "5s/[0-9]\$/x/" run/cloth_0002.obj' "has other contents"
mended cloth_0002.obj 'rm run/cloth_0002.obj && mkdir run/cloth_0002.obj && rmdir run/cloth_0002.obj && ln -s cloth_0001.obj run/cloth_0002.obj' "no file any more"
mended cloth_0004.ply 'rm run/cloth_0004.ply' "after frame 6"
mended cloth.pc2 ': >run/cloth.pc2' "after frame 6"
mended cloth_rest.obj 'echo x >>run/cloth_rest.obj' "after frame 6"
mended tiny.clothcache 'rm run/tiny.clothcache' "is missing"
mended tiny.clothcache 'truncate -s -100 run/tiny.clothcache' "has another size"
mended tiny.clothcache 'printf "\377\377" | dd of=run/tiny.clothcache bs=1 seek=3000 conv=notrunc 2>/dev/null' "has other contents"
mended "" 'rm run/cloth_000*' "written again"
mended "" 'rm run/tiny.clothcache run/cloth* run/run.checkpoint' "written again"
# the ledger itself
mended "" ': >run/run.files' "written again"
mended "" 'head -c 300 whole/run.files >run/run.files' "written again"
rm -rf run && cp -r whole run && rm run/run.files
expect 0 "$clothsim" tiny.json -o run --resume
says "are not verified"
rm -rf run && cp -r whole run && rm run/run.files run/cloth_0003.obj
expect 0 "$clothsim" tiny.json -o run --resume
says "is missing or empty"
check "without ledger" diff -r whole run
rm -rf run && cp -r whole run && rm run/run.files run/tiny.clothcache
expect 0 "$clothsim" tiny.json -o run --resume
check "without ledger and cache" diff -r whole run

# a stopped run: an earlier checkpoint where there is one before the damage
stopped() {
  rm -rf run
  expect 0 "$clothsim" tiny.json -q -o run -e 4 --checkpoint-every 1 --keep-checkpoints
  sh -c "$1"
  expect 0 "$clothsim" tiny.json -o run --resume
  says "$2"
  rm -f run/run.checkpoint-*
  check "stopped, $1" diff -r whole run
}
stopped 'true' "resumed after frame 4"
stopped 'rm run/cloth_0004.obj' "resumed after frame 3"
stopped ': >run/cloth_0003.obj' "resumed after frame 2"
stopped ': >run/cloth_0001.obj' "are missing or changed"
stopped 'rm -f run/run.checkpoint run/run.checkpoint.old' "resumed after frame 4"
rm -rf run
expect 0 "$clothsim" tiny.json -q -o run -e 4
: >run/cloth_0002.obj
expect 2 "$clothsim" tiny.json -o run --resume-from 4
says "must be computed again"

# complete runs are made longer, also twice, and end as if they had been so long from the start
rm -rf run
expect 0 "$clothsim" tiny.json -q -o run -e 2
expect 0 "$clothsim" tiny.json -q -o run --resume -e 4
expect 0 "$clothsim" tiny.json -q -o run --resume
check "made longer" diff -r whole run
expect 2 "$clothsim" tiny.json -q -o run --resume -e 3
says "after the last frame of the scene"

# a damaged checkpoint is no matter where nothing is left to do; to go on from there the cache serves
cp -r whole worn
printf 'xxxxxxxx' | dd of=worn/run.checkpoint bs=1 seek=100 conv=notrunc 2>/dev/null
expect 0 "$clothsim" tiny.json -o worn --resume
says "nothing to do, the run is complete"
expect 2 "$clothsim" tiny.json -o worn --resume -e 8
says "no checkpoint that can be used (--checkpoint-every 0 leaves none): give --overwrite instead of --resume, or --resume-from 6 --from-cache"
expect 0 "$clothsim" tiny.json -q -o worn --resume-from 6 --from-cache -e 8
check "gone on" test -s worn/cloth_0008.obj

# every checkpoint is kept: change at 3, go on from there
expect 0 "$clothsim" tiny.json -q -o kept --keep-checkpoints --checkpoint-every 1
equal "$(ls kept | grep -c 'checkpoint-[1-6]$')" 6 "checkpoints kept"
cp -r kept same
expect 0 "$clothsim" tiny.json -q -o same --resume-from 3
rm -f same/run.checkpoint-*
check "from frame 3, unchanged" diff -r whole same
expect 0 "$clothsim" tiny.json -o kept --resume-from 3 --allow-changes --set cloth.material.stretch=2x
says "resumed after frame 3"
check "frame 3 stays" cmp kept/cloth_0003.obj whole/cloth_0003.obj
check "frame 4 is another" sh -c '! cmp -s kept/cloth_0004.obj whole/cloth_0004.obj'
equal "$("$LOOK" get kept/run.json state)" complete "it is complete"
expect 0 "$clothsim" tiny.json -q -o kept --overwrite
equal "$(ls kept | grep -c 'checkpoint-')" 0 "checkpoints kept after --overwrite"

# any frame of the cache, to its last digits
expect 2 "$clothsim" tiny.json -o same --resume-from 4
says "--from-cache"
expect 0 "$clothsim" tiny.json -o same --resume-from 4 --from-cache
says "continues from the floats of the cache"
check "frames up to it stay" cmp same/cloth_0004.obj whole/cloth_0004.obj
expect 0 "$clothsim" tiny.json -o same --resume
says "nothing to do"
expect 2 "$clothsim" tiny.json -o same --resume-from 2 --from-cache --set contact.friction=0.9
says "--allow-changes"
expect 0 "$clothsim" tiny.json -o same --resume-from 2 --from-cache --allow-changes --set contact.friction=0.9
expect 0 "$clothsim" tiny.json -o same --resume --set contact.friction=0.9
says "nothing to do"
expect 2 "$clothsim" tiny.json -o same --resume-from 9 --from-cache
says "does not hold all frames"
expect 2 "$clothsim" tiny.json -o same --resume-from 2 --from-cache --allow-changes --set cloth.mesh.cells='[9, 9]'
says "have to stay"
expect 2 "$clothsim" tiny.json -o same --resume --from-cache
expect 0 "$clothsim" tiny.json -q -o lossy --set output.cache_error=1e-3 --set 'output.formats=[]'
expect 2 "$clothsim" tiny.json -o lossy --resume-from 2 --from-cache --set output.cache_error=1e-3 --set 'output.formats=[]'
says "rounded"
# without velocities in the cache: those of the motion
expect 0 "$clothsim" tiny.json -q -o still --set output.velocities=false
expect 0 "$clothsim" tiny.json -q -o still --set output.velocities=false --resume-from 4 --from-cache
expect 0 "$BIN/clothdiff" --object cloth --atol 5e-2 whole/tiny.clothcache still/tiny.clothcache
# but for floats, which contact magnifies, with an integrator that needs no accelerations and substeps that converge; colliders move,
# planes too
sed -e 's/"iterations": 2, "tolerance": 1e-2/"iterations": 20, "tolerance": 1e-4, "integrator": "implicit-euler"/' -e 's/"radius": 0.5}/"radius": 0.5}, "motion": {"keys": [{"frame": 1}, {"frame": 6, "position": [0.1, 0, 0]}]}/' \
  -e 's|^  \]|    {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}, "position": [0, 0.25, 0], "motion": {"keys": [{"frame": 1}, {"frame": 6, "position": [0, 0.05, 0]}]}},\n&|' \
  tiny.json >moving.json
expect 0 "$clothsim" moving.json -q -o moving
cp -r moving again
expect 0 "$clothsim" moving.json -o again --resume-from 3 --from-cache
says "differ in their last digits"
expect 0 "$BIN/clothdiff" --atol 1e-4 moving again
report
