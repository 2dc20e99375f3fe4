# Checkpoints: a resumed run leaves the same files as one that was never stopped.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json
stop="--max-time 0.000001s" # stops in the first frame that it would compute

# every way to solve a step, with contact on, resumed at every frame by another number of threads
cat >rich.json <<'END2'
{
  "version": 1,
  "name": "rich",
  "frames": {"start": 1, "end": 5, "fps": 24, "substeps": 2},
  "wind": {"velocity": [2, 0, 1], "turbulence": 0.3},
  "solver": {"method": "newton", "iterations": 3, "tolerance": 1e-3, "linear_tolerance": 0.05},
  "contact": {"thickness": 0.01},
  "objects": [
    {"name": "cloth", "type": "cloth", "material": "cotton", "position": [0, 0.54, 0], "velocity": [0, -1, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [10, 10]}, "pins": [{"vertices": [0]}]},
    {"name": "cloth2", "type": "cloth", "material": "silk", "position": [0, 0.57, 0], "velocity": [0, -1.5, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [9, 9]}},
    {"name": "jelly", "type": "solid", "material": "jelly", "position": [3, 0.53, 0],
     "mesh": {"shape": "box", "size": [1, 1, 1]}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.5},
     "motion": {"keys": [{"frame": 1, "position": [0, 0, 0]}, {"frame": 5, "position": [0.1, 0.1, 0]}]}},
    {"name": "floor", "type": "collider", "mesh": {"shape": "plane"},
     "motion": {"keys": [{"frame": 1, "position": [0, 0, 0]}, {"frame": 5, "position": [0, 0.02, 0]}]}}
  ]
}
END2
every_frame() { # NAME ARGUMENT...
  local name=$1 frame
  shift
  expect 0 "$clothsim" rich.json -q -o "$name" -j 1 "$@"
  expect 0 "$clothsim" rich.json -q -o "$name-r" -e 1 --checkpoint-every 1 "$@"
  for frame in 2 3 4; do
    expect 0 "$clothsim" rich.json -q -o "$name-r" -e $frame -j $frame --resume --checkpoint-every 1 "$@"
  done
  expect 0 "$clothsim" rich.json -q -o "$name-r" --resume "$@"
  check "$name, resumed at every frame" diff -r "$name" "$name-r"
  rm -rf "$name-r"
}
every_frame newton --set output.pressures=true
every_frame damped --set cloth.material.stretch_damping=0.05
every_frame accuracy --set frames.accuracy=0.02 --set frames.substeps=16
every_frame cholesky --set solver.linear=cholesky
every_frame ichol --set solver.preconditioner=ichol
every_frame bdf2 --set solver.integrator=bdf2
every_frame impulse --set contact.response=impulse
every_frame chebyshev --set solver.method=descent --set solver.acceleration=chebyshev
every_frame anderson --set solver.method=descent --set solver.acceleration=anderson
every_frame pd --set solver.method=pd
every_frame lbfgs --set solver.method=pd --set solver.acceleration=lbfgs
every_frame pbd --set solver.method=pbd
every_frame xpbd --set solver.method=xpbd
every_frame linear --set solver.method=xpbd --set solver.projection=linear
every_frame levels --set cloth.springs.levels=1 --set solver.method=xpbd
for method in explicit symplectic; do
  every_frame $method --set solver.method=$method --set frames.substeps=150 --set contact.response=impulse
done
check "contact takes part" sh -c '! cmp -s newton/cloth_0005.obj impulse/cloth_0005.obj'
check "accuracy matters" sh -c '! cmp -s newton/cloth_0005.obj accuracy/cloth_0005.obj'
rm -rf newton damped accuracy cholesky ichol bdf2 impulse chebyshev anderson pd lbfgs pbd xpbd linear levels explicit symplectic

# steps taken in parts, because those before took many iterations, go on like that
cat >twisted.json <<'END2'
{
  "version": 1,
  "name": "twisted",
  "frames": {"start": 1, "end": 7, "fps": 24},
  "gravity": [0, 0, 0],
  "objects": [
    {"name": "tube", "type": "cloth", "material": "cotton", "mesh": {"shape": "tube", "radius": 0.5, "height": 2, "cells": [12, 16]},
     "pins": [{"box": [[-1, 0.99, -1], [1, 2, 1]],
               "motion": [{"frame": 1}, {"frame": 9, "position": [0, -0.3, 0], "rotation": [0, 480, 0]}]},
              {"box": [[-1, -2, -1], [1, -0.99, 1]]}]}
  ]
}
END2
expect 0 "$clothsim" twisted.json -q -o twisted -j 1
for frame in 5 6; do expect 0 "$clothsim" twisted.json -q -o twisted-r -e $frame -j 2 --resume --checkpoint-every 1; done
expect 0 "$clothsim" twisted.json -q -o twisted-r --resume
check "steps in parts, resumed" diff -r twisted twisted-r
expect 0 "$clothsim" twisted.json -q -o early -e 5
halved() { grep -o '"halved_substeps": [0-9]*' "$1/run.json" | grep -o '[0-9]*$'; }
check "steps in parts before frame 6" [ "$(halved early)" -gt 0 ]
check "and after it" [ "$(halved twisted)" -gt $(($(halved early) + 5)) ]
# but not in a phase whose settings do not begin steps in parts
expect 0 "$clothsim" twisted.json -q -o held --set frames.end=10 --set 'phases=[{"name": "twist", "frames": {"end": 7}}, {"name": "hold", "solver": {"balance": 0}}]'
equal "$(halved held)" "$(halved twisted)" "steps in parts, those of the first phase"
rm -rf twisted twisted-r early held

# formats of other programs are written anew
formats='output.formats=["ply", "pc2", "mdd", "vtp", "abc", "usda", "glb"]'
expect 0 "$clothsim" rich.json -q -o films --set "$formats"
expect 0 "$clothsim" rich.json -q -o films-r --set "$formats" -e 3 --checkpoint-every 3
expect 0 "$clothsim" rich.json -q -o films-r --set "$formats" --resume
check "films of a resumed run" diff -r films films-r
expect 75 "$clothsim" rich.json -q -o no-cache --set "$formats" --set output.cache=false $stop
expect 2 "$clothsim" rich.json -q -o no-cache --set "$formats" --set output.cache=false --resume
says "output.cache"
expect 75 "$clothsim" rich.json -q -o objs --set output.cache=false $stop
expect 0 "$clothsim" rich.json -q -o objs --set output.cache=false --resume
check "OBJ files without a cache" diff films/cloth_0005.obj objs/cloth_0005.obj

# the same command again and again
expect 0 "$clothsim" tiny.json -o whole
expect 75 "$clothsim" tiny.json -o again --resume $stop
says "stopped at the time limit"
check "a checkpoint" test -s again/run.checkpoint
equal "$("$LOOK" get again/run.json state)" stopped "state"
expect 2 "$clothsim" tiny.json -o again
says "--resume"
expect 0 "$clothsim" tiny.json -o again --resume
says "resumed after frame 1"
check "the same files" diff -r whole again
expect 0 "$clothsim" tiny.json -o again --resume
says "nothing to do"
check "still the same files" diff -r whole again
expect 0 "$clothsim" tiny.json -o again --resume --json
equal "$("$LOOK" get stdout frames_written)" 0 "frames written"

# killed before the first checkpoint: starts over; with others' files: refused
rm again/tiny.clothcache
printf 'cut' >again/tiny.clothcache.part
touch again/run.json.77-0.tmp again/cloth_0004.obj.7777777-12.tmp again/mine.1-1.tmp
sed -i 's/"complete"/"running"/' again/run.json
expect 0 "$clothsim" tiny.json -o again --resume
equal "$(ls again | grep tmp)" mine.1-1.tmp "temporary files of a killed run are removed, no others"
rm again/mine.1-1.tmp
check "the same after a start over" diff -r whole again
mkdir others && echo mine >others/notes.txt
expect 2 "$clothsim" tiny.json -o others --resume
equal "$(ls others)" notes.txt "a refused directory"
mkdir empty
expect 0 "$clothsim" tiny.json -o empty --resume

# a checkpoint is never half: the one before it is kept, and damage is noticed
expect 0 "$clothsim" tiny.json -o two -e 4 --checkpoint-every 2
cp -r whole short # complete, with another last frame
expect 0 "$clothsim" tiny.json -o long -e 8
expect 0 "$clothsim" tiny.json -o short --resume -e 8
says "resumed after frame 6"
check "a complete run made longer" diff -r long short
cp -r whole short2
rm short2/run.checkpoint
expect 2 "$clothsim" tiny.json -o short2 --resume -e 8
says "--checkpoint-every"
damaged() { # WHAT COMMAND
  rm -rf two
  expect 75 "$clothsim" tiny.json -q -o two -e 6 $stop
  expect 0 "$clothsim" tiny.json -q -o two -e 2 --resume --checkpoint-every 1
  cp two/run.checkpoint two/run.checkpoint.old
  expect 0 "$clothsim" tiny.json -q -o two -e 4 --resume --checkpoint-every 9
  rm -f two/run.checkpoint.old
  cp two/run.checkpoint keep
  expect 0 "$clothsim" tiny.json -q -o two -e 5 --resume --checkpoint-every 9
  cp keep two/run.checkpoint.old
  sh -c "$2"
  expect 0 "$clothsim" tiny.json -o two --resume
  says "resumed after frame 4"
  check "$1" diff -r whole two
}
damaged "cut checkpoint" 'truncate -s 5000 two/run.checkpoint'
says "cut short"
damaged "empty checkpoint" ': >two/run.checkpoint'
says "not a clothsim checkpoint"
damaged "missing checkpoint" 'rm two/run.checkpoint'
damaged "flipped bit" 'printf "\377" | dd of=two/run.checkpoint bs=1 seek=6000 conv=notrunc 2>/dev/null'
says "damaged"
damaged "cache behind the checkpoint" 'truncate -s -2000 two/tiny.clothcache'
says "does not hold all frames up to 5"
# killed between closing the cache, which then has an index, and writing the record of a complete run
damaged "closed cache of a killed run" '
  sed -i "s/\"complete\"/\"running\"/" two/run.json
  sed -i "/^- /d" two/run.files
  printf "\377\377" | dd of=two/tiny.clothcache bs=1 seek=$(($(stat -c %s two/tiny.clothcache) - 2000)) conv=notrunc 2>/dev/null'
says "does not hold all frames up to 5"

# a changed scene: told key by key, refused, allowed
expect 75 "$clothsim" tiny.json -q -o changed $stop
cp -r changed before
expect 2 "$clothsim" tiny.json -o changed --resume --set contact.friction=0.5 --set cloth.material.bend=2x \
  --set description=other
says "/contact/friction: 0.3 -> 0.5"
says "/objects/cloth/material/bend: 2.1e-05 -> 4.2e-05"
says "--resume-from 1 --allow-changes"
equal "$(grep -c 'error' stderr)" 5 "messages"
check "refused, nothing changed" diff -r changed before
expect 2 "$clothsim" tiny.json -o changed --resume-from 2
says "there are: 1"
expect 0 "$clothsim" tiny.json -q -o kept -e 3 --keep-checkpoints --checkpoint-every 1
expect 2 "$clothsim" tiny.json -o kept --resume-from 5
says "no checkpoint of frame 5 that can be used; there are: 3, 2, 1"
expect 2 "$clothsim" tiny.json -o changed --allow-changes
expect 2 "$clothsim" tiny.json -o changed --resume --overwrite
expect 2 "$clothsim" tiny.json -o changed --resume-from 1 --allow-changes --set 'cloth.mesh.cells=[9,9]'
says "have to stay"
expect 0 "$clothsim" tiny.json -o changed --resume-from 1 --allow-changes --set solver.iterations=3
says "/solver/iterations: 2 -> 3"
expect 0 "$clothsim" tiny.json -o from-start --set solver.iterations=3
check "going on at the first frame is starting" diff -r from-start changed
expect 0 "$clothsim" tiny.json -q -o mid -e 4 --checkpoint-every 2
expect 0 "$clothsim" tiny.json -q -o mid --resume-from 4 --allow-changes --set cloth.material.stretch=2x --set output.cache_error=1e-6
equal "$("$LOOK" cache mid/tiny.clothcache mid)" 6 "frames of a changed run"
check "pressures are carried over" sh -c '
  "$0" tiny.json -q -o pressed -e 4 --checkpoint-every 2 --set output.pressures=true &&
  "$0" tiny.json -q -o pressed --resume-from 4 --allow-changes --set output.pressures=true --set solver.iterations=3' "$clothsim"
check "frames before stay" cmp mid/cloth_0004.obj whole/cloth_0004.obj

# frames that are written again from a cache of lower accuracy are recorded as they are then
for end in 4 6 6; do
  expect 0 "$clothsim" tiny.json -o lossy -e $end --resume --set 'output.formats=["ply"]' --set output.cache_error=1e-3
done
check "its files are as recorded" sh -c '! grep -q "since it was written" stderr'
check "frames after change" sh -c '! cmp -s mid/cloth_0006.obj whole/cloth_0006.obj'

# a changed mesh file
"$clothsim" tiny.json -q -o mesh -e 1 && mv mesh/cloth_0001.obj cloth.obj && rm -r mesh
sed 's/"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]/"file": "cloth.obj"/; s/0.52, 0\]}/0.01, 0]}/' tiny.json >file.json
expect 75 "$clothsim" file.json -q -o mesh $stop
sed -i '0,/^v .*/s//v -0.501 0.52 -0.5/' cloth.obj
expect 2 "$clothsim" file.json -o mesh --resume
says "mesh file"

# a changed frame of a collider that deforms
mkdir film && for k in 1 2 3; do
  printf 'v -1 0 -1\nv 1 0 -1\nv 0 0.0%d 1\nf 1 3 2\n' $k >film/f_000$k.obj
done
sed 's/"mesh": {"shape": "sphere", "radius": 0.5}/"mesh": {"sequence": "film\/f_####.obj"}/' tiny.json >film.json
expect 75 "$clothsim" film.json -q -o film-out $stop
sed -i 's/0.02/0.03/' film/f_0002.obj
expect 2 "$clothsim" film.json -o film-out --resume
says "mesh file"

# two at once
"$clothsim" tiny.json -o busy -e 900000 --progress none 2>/dev/null &
pid=$!
for _ in $(seq 400); do [ -s busy/run.json ] && break; sleep 0.02; done
expect 3 "$clothsim" tiny.json -o busy --resume
says "another clothsim is writing into"
for mode in --resume --overwrite; do
  expect 124 timeout 2 "$clothsim" tiny.json -o busy $mode
  says "busy: warning: another clothsim is writing here: waiting up to 10 seconds"
done
kill -KILL $pid
wait $pid 2>/dev/null

# usage
for bad in "--checkpoint-every x" "--checkpoint-every -3" "--max-time 0" "--max-time 5x" "--max-time 1:2:3:4" \
  "--resume-from x"; do
  expect 2 "$clothsim" tiny.json -o usage $bad
done
check "refused before anything is made" test ! -e usage
# what files hold is part of the scene, all of it: painted numbers, rest shapes, groups, velocities in a cache
quad() { # W SIZE: a square of two triangles, the number W of its first vertex
  printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float w\nelement face 2\n'
  printf 'property list uchar int vertex_indices\nend_header\n0 0 0 %s\n%s 0 0 1\n1 0 1 1\n0 0 1 1\n3 0 2 1\n3 0 3 2\n' "$1" "$2"
}
quad 0.5 1 >quad.ply
quad 0.5 1.1 >rest.ply
cat >quad.json <<'J'
{"name": "quad", "frames": {"end": 4}, "output": {"cache": false},
 "objects": [{"name": "cloth", "type": "cloth", "material": "cotton", "mesh": {"file": "quad.ply"}, "pins": [{"vertices": [2]}],
  "maps": [{"of": "density", "property": "w", "low": 1, "high": 9}], "rest": {"from": "file", "file": "rest.ply"}}]}
J
changes() { # FILE: it has another content now, and back
  expect 2 "$clothsim" quad.json -q -o quad --resume
  says "the contents of a mesh file have changed"
  cp "$1.was" "$1"
}
cp quad.ply quad.ply.was
cp rest.ply rest.ply.was
expect 0 "$clothsim" quad.json -q -o quad -e 2
quad 0.6 1 >quad.ply
changes quad.ply
quad 0.5 1.2 >rest.ply
changes rest.ply
expect 0 "$clothsim" quad.json -q -o quad --resume
expect 0 "$clothsim" quad.json -q -o quad-whole
check "as never stopped" diff -r quad quad-whole
for speed in 0 1; do
  expect 0 "$clothsim" tiny.json -q -o from$speed -e 1 --set "cloth.velocity=[$speed,0,0]"
done
mkdir from
cp from0/tiny.clothcache from
expect 0 "$clothsim" tiny.json -q -o flown -e 3 --set frames.from=from/tiny.clothcache
cp from1/tiny.clothcache from
expect 2 "$clothsim" tiny.json -q -o flown --resume --set frames.from=from/tiny.clothcache
says "the contents of a mesh file have changed"
report
