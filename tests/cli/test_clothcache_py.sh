#!/usr/bin/env bash
# test_clothcache_py.sh: the reader in Python against the one in C, bit for bit. Skipped without numpy.
. "$ROOT/tests/cli/cache_lib.bash"
check "the specification is there" test -s "$ROOT/docs/cache-format.md"
check "under 250 lines" test "$(wc -l <"$ROOT/tools/clothcache.py")" -lt 250
needs_numpy
frames run sheet 1 21
frames run flag 1 21 4
"$clothcache" import run -o whole.clothcache
"$clothcache" import run --error 1e-4 -o lossy.clothcache
head -c $(($(stat -c %s whole.clothcache) * 2 / 3)) whole.clothcache >cut.clothcache
for name in whole lossy cut; do
  "$clothcache" export $name.clothcache --to pc2 -o $name 2>/dev/null
  check "$name: every float of every frame" $python - "$ROOT/tools" $name <<'PY'
import struct, sys
sys.path.insert(0, sys.argv[1])
import clothcache, numpy as np
name = sys.argv[2]
cache = clothcache.Cache(name + ".clothcache")
assert len(cache.numbers) > 10 and cache.fps == 25
for thing in cache.objects:
    data = open(f"{name}/{thing.name}.pc2", "rb").read()
    nvert, _, _, count = struct.unpack_from("<iffi", data, 16)
    assert (nvert, count) == (thing.nvert, len(cache.numbers))
    want = np.frombuffer(data, np.float32, offset=32).reshape(count, nvert, 3)
    for index in [*range(count), *range(count - 1, -1, -3)]:  # forward, and back in leaps
        assert np.array_equal(cache.positions(thing.name, index), want[index]), index
    uv = thing.uv[thing.face_uv]
    assert uv.shape == (thing.face_size.sum(), 2) and thing.tags
PY
done
report
