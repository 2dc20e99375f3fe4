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

# no place to write (root may write anywhere, so a file stands in the way)
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

# and as a real one, where mounting is allowed
mkdir disk
if mount -t tmpfs -o size=40k none disk 2>/dev/null; then
  expect 3 "$clothsim" tiny.json -o disk/out
  says "No space left"
  check "frames so far" test -s disk/out/cloth_0001.obj
  umount disk
fi

# out of memory, which needs an allocator that obeys limits
if [ "$CONFIG" != sanitize ] && [ "$CONFIG" != thread ]; then
  expect 4 sh -c 'ulimit -v 400000; exec "$0" tiny.json -o out -j 1 --set "cloth.mesh.cells=[2000, 2000]"' \
    "$clothsim"
  says memory
fi

# no tetrahedraliser
sed 's/"type": "cloth", "material": "cotton"/"type": "solid", "material": "jelly"/; s/"shape": "grid", "size": \[1, 1\], "cells": \[8, 8\]/"shape": "box", "size": [0.4, 0.4, 0.4]/; s/0.52/0.8/' \
  tiny.json >solid.json
expect 0 "$clothsim" solid.json -o solid -e 2
expect 3 env CLOTHSIM_TET=/nowhere/clothsim-tet "$clothsim" solid.json -o lost
says clothsim-tet
expect 3 env CLOTHSIM_TET=/bin/false "$clothsim" solid.json -o lost
report
