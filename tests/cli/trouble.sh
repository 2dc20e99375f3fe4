# What fails outside the scene: files, disks, memory. Exit codes 2, 3 and 4, with a line that says where.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json

# the scene cannot be read
expect 3 "$clothsim" nowhere.json -o out
says nowhere.json
expect 3 "$clothsim" . -o out
echo '{"version": 1' >cut.json
expect 2 "$clothsim" cut.json -o out
says "cut.json:2:1: "
: >nothing.json
expect 2 "$clothsim" nothing.json -o out
head -c 500000 /dev/urandom >noise.json
expect 2 "$clothsim" noise.json -o out
check "nothing was made" test ! -e out

# a mesh cannot be read
mesh() { sed 's/"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]/"file": "'"$1"'"/' tiny.json; }
mesh nowhere.obj >mesh.json
expect 2 "$clothsim" mesh.json -o out
says nowhere.obj
cp noise.json noise.obj
mesh noise.obj >mesh.json
expect 2 "$clothsim" mesh.json -o out
: >empty.obj
mesh empty.obj >mesh.json
expect 2 "$clothsim" mesh.json -o out
says empty.obj

# no place to write (root may write anywhere, so a file is in the way)
echo in the way >file
expect 3 "$clothsim" tiny.json -o file
says file
expect 3 "$clothsim" tiny.json -o file/deeper
expect 3 "$clothsim" tiny.json -o /dev/full
expect 3 "$clothsim" tiny.json --dump-model /dev/full
expect 3 "$clothsim" tiny.json --dump-model nowhere/model.json
says nowhere/model.json
expect 3 sh -c '"$0" tiny.json --print-config >/dev/full' "$clothsim"
expect 3 sh -c '"$0" --help >/dev/full' "$clothsim"
equal "$(cat file)" "in the way" "the file in the way"

# a full disk, as a limit on the size of files: the frames so far stay whole
limited() { # KiB COMMAND...
  (
    ulimit -f "$1"
    shift
    exec "$@"
  )
}
expect 3 limited 12 "$clothsim" tiny.json -o small
says small
equal "$("$LOOK" get small/run.json state)" failed "run.json of a failed run"
last=$("$LOOK" get small/run.json last_frame)
check "a last good frame" test "$last" -ge 1 -a "$last" -lt 6
equal "$("$LOOK" cache small/tiny.clothcache small)" "$last" "whole frames in the cache"
equal "$(find small -name '*.tmp' | wc -l)" 0 "temporary files"
expect 3 limited 1 "$clothsim" tiny.json -o tiny

# what a run leaves that met a full disk, it goes on from when there is room
expect 0 "$clothsim" tiny.json -o whole
expect 3 limited 12 "$clothsim" tiny.json -o small --resume --checkpoint-every 1
says small
expect 0 "$clothsim" tiny.json -o small --resume
check "the same files in the end" diff -r whole small
expect 3 limited 5 "$clothsim" tiny.json -o less --checkpoint-every 1
expect 3 limited 5 "$clothsim" tiny.json -o less --resume
expect 0 "$clothsim" tiny.json -o less --resume
check "and after two of them" diff -r whole less

wait_for() { # FOLDER: until a run has written three frames
  for _ in $(seq 400); do
    grep -q 'last_frame": 3' "$1/run.json" 2>/dev/null && break
    sleep 0.02
  done
}

# and as a real one, where mounting is allowed; then one that becomes read-only
mkdir disk
if mount -t tmpfs -o size=60k none disk 2>/dev/null; then
  expect 3 "$clothsim" tiny.json -o disk/out --checkpoint-every 1
  says "No space left"
  check "frames so far" test -s disk/out/cloth_0001.obj
  equal "$(find disk -name '*.tmp' | wc -l)" 0 "temporary files on the full disk"
  mount -o remount,size=4m disk
  expect 0 "$clothsim" tiny.json -o disk/out --resume
  check "the same files when there is room" diff -r whole disk/out
  rm -r disk/out

  # not a byte is left, so run.json cannot be replaced
  "$clothsim" tiny.json -o disk/out -e 900000 --progress none --set output.obj=false 2>stderr &
  pid=$!
  wait_for disk/out
  cat /dev/zero >disk/fill 2>zeros
  wait $pid
  equal $? 3 "exit code on a full disk"
  equal "$("$LOOK" get disk/out/run.json state)" failed "run.json on a full disk"
  rm -r disk/fill disk/out
  "$clothsim" tiny.json -o disk/out -e 900000 --progress none --set output.obj=false 2>stderr &
  pid=$!
  wait_for disk/out
  mount -o remount,ro disk 2>/dev/null || mount -o remount,ro,force disk 2>/dev/null || kill $pid
  wait $pid
  code=$?
  check "read-only: exit code $code" [ $code = 3 -o $code = 75 ]
  umount disk
  wait $pid
fi

# the directory is taken away
"$clothsim" tiny.json -o gone -e 900000 --progress none 2>stderr &
pid=$!
for _ in $(seq 400); do
  [ -s gone/cloth_000003.obj ] && break
  sleep 0.02
done
mv gone elsewhere # at once: rm -rf loses against a run that writes faster
wait $pid
equal $? 3 "exit code when the directory is gone"
check "it says which" grep -q "gone" stderr

# nobody reads what it says
expect 0 sh -c '"$0" tiny.json -o deaf --progress plain -e 200 --set output.obj=false 2>&1 >/dev/null | true
  [ $("$1" get deaf/run.json state) = complete ]' "$clothsim" "$LOOK"
expect 0 sh -c '{ "$0" tiny.json -o deaf2 --json --progress none; echo $? >code; } | true
  sleep 0.1; [ $(cat code) = 3 ]' "$clothsim"
equal "$("$LOOK" get deaf2/run.json state)" complete "the run itself is complete"

# out of memory, which needs an allocator that obeys limits
if [ "$CONFIG" != sanitize ] && [ "$CONFIG" != thread ]; then
  expect 4 sh -c 'ulimit -v 400000; exec "$0" tiny.json -o out -j 1 --set "cloth.mesh.cells=[2000, 2000]"' \
    "$clothsim"
  says memory
  for kib in 5000 7000 9000 11000 13000 15000 17000 20000 25000 30000; do # some too small to load the program
    (ulimit -v $kib && exec "$clothsim" tiny.json -o little -j 2 -q --resume) >stdout 2>stderr
    code=$?
    check "$kib KiB: exit code $code" [ $code = 0 -o $code = 4 -o $code = 127 ]
  done
  check "enough in the end" diff -r whole little
fi

# no tetrahedraliser
sed 's/"type": "cloth", "material": "cotton"/"type": "solid", "material": "jelly"/; s/"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]/"shape": "box", "size": [0.4, 0.4, 0.4]/; s/0.52/0.8/' \
  tiny.json >solid.json
expect 0 "$clothsim" solid.json -o solid -e 2
expect 3 env CLOTHSIM_TET=/nowhere/clothsim-tet "$clothsim" solid.json -o lost
says clothsim-tet
expect 3 env CLOTHSIM_TET=/bin/false "$clothsim" solid.json -o lost
# what has no end, or never begins: devices and pipes as scenes and meshes
mkfifo pipe
sed 's|"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]|"file": "pipe"|' tiny.json >piped.json
sed 's|"file": "pipe"|"file": "/dev/zero"|' piped.json >zero.json
expect 2 timeout 20 "$clothsim" zero.json --check
says "is a device"
expect 2 timeout 20 "$clothsim" /dev/zero --check
says "is a device"
expect 3 timeout 30 "$clothsim" piped.json --check
says "cannot read"
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n' >three.obj
sed -i 's/"position": \[[^]]*\]/"position": [0, 3, 0]/' piped.json
cat three.obj >pipe & # read once, from its first byte
expect 0 timeout 20 "$clothsim" piped.json --check
cat tiny.json >pipe &
expect 0 timeout 20 "$clothsim" pipe --check
expect 0 timeout 20 bash -c '"$0" <(cat tiny.json) --check' "$clothsim"
expect 2 timeout 60 bash -c '"$0" <(cat /dev/zero) --check' "$clothsim"

# a link where run.json goes is replaced, and not what it leads to
expect 0 "$clothsim" tiny.json -o linked
echo precious >precious
ln -sf ../precious linked/run.json
expect 0 "$clothsim" tiny.json -o linked --overwrite
equal "$(cat precious)" precious "what the link led to"
check "run.json is a file" test ! -L linked/run.json
check "of the run" "$LOOK" json linked/run.json
# vertices that would have no mass: a free sheet would hang in mid-air by them
printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 2 0 0\nv 3 0 0\nv 9 9 9\nf 1 2 3\nf 2 4 5\n' >flat.obj
sed 's|"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]|"file": "flat.obj"|; s/"contact.*//' tiny.json >flat.json
expect 2 "$clothsim" flat.json --check
says "2 vertices, the first is 3, belong to none but triangles without area and would have no mass"
sed -i 's/^v 3 0 0/v 3 0 0.5/' flat.obj
expect 0 "$clothsim" flat.json --check
# far from the origin, where numbers are coarse; not where they are fine enough
for far in 1e5 1e9; do
  expect 0 "$clothsim" tiny.json --check --set "cloth.position=[0, 0.52, $far]" --set "ball.position=[0, 0, $far]"
  says "m from the origin, where positions can only be"
done
expect 0 "$clothsim" tiny.json --check --set "cloth.position=[0, 0.52, 100]"
check "near enough" sh -c '! grep "from the origin" stderr'
# Exact pins and planes release nothing: where they are late, "pinched" is no cure.
lagging() { # OBJECT
  echo "{\"frames\": {\"end\": 6}, \"gravity\": [0, 0, 0], \"objects\": [$1,
    {\"name\": \"block\", \"type\": \"collider\", \"position\": [0, -0.25, 0], \"mesh\": {\"shape\": \"box\", \"size\": [0.5, 0.5, 0.5], \"cells\": [2, 2, 2]}}]}"
}
patch='"name": "patch", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "size": [0.3, 0.3], "cells": [8, 8]}'
into='"motion": [{"frame": 1}, {"frame": 5, "position": [0, -0.1, 0]}]'
lagging "{$patch, \"position\": [0, 0.05, 0], \"pins\": [{\"vertices\": \"all\", $into}]}" >pins.json
expect 0 "$clothsim" pins.json -o pins
says 'pins of "patch" are up to 0.05'
check "no cure for pins" sh -c '! grep pinched stderr'
lagging "{$patch, \"position\": [0, 0.01, 0]}, {\"name\": \"lid\", \"type\": \"collider\", \"mesh\": {\"shape\": \"plane\"}, \"rotation\": [180, 0, 0], \"position\": [0, 0.05, 0], $into}" >lid.json
expect 0 "$clothsim" lid.json -o lid
says '"lid" is up to 0.0'
check "no cure for planes" sh -c '! grep pinched stderr'
report
