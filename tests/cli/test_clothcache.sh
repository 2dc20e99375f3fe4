#!/usr/bin/env bash
# test_clothcache.sh: the commands of clothcache, their messages and exit codes.
. "$ROOT/tests/cli/cache_lib.bash"

frames run sheet 5 24
frames run flag 5 24 4
outputs 0 "" "$clothcache" import run --fps 30 -o run.clothcache
outputs 0 "20 frames, 5 to 24, at 30 per second, y up" "$clothcache" info run.clothcache
outputs 0 '"objects": [{"name": "flag"' "$clothcache" info --json run.clothcache
outputs 0 "good, 20 whole frames" "$clothcache" verify run.clothcache
outputs 0 '"ok": true' "$clothcache" verify --json run.clothcache
check "info --json is JSON" bash -c "'$clothcache' info --json run.clothcache | python3 -m json.tool"
check "verify --json is JSON" bash -c "'$clothcache' verify --json run.clothcache | python3 -m json.tool"
cp run.clothcache again.clothcache
outputs 0 "" "$clothcache" import run --fps 30 -o run.clothcache
check "equal runs give equal bytes" cmp run.clothcache again.clothcache

# every format that can be read back gives the same floats
for format in obj ply; do
  outputs 0 "" "$clothcache" export run.clothcache --to $format -o out_$format
  outputs 0 same "$clothdiff" --exact run.clothcache out_$format
  outputs 0 "" "$clothcache" import out_$format --fps 30 -o back_$format.clothcache
  outputs 0 same "$clothdiff" --exact run.clothcache back_$format.clothcache
done
for format in pc2 mdd; do
  outputs 0 "" "$clothcache" export run.clothcache --to $format -o out_$format
  for object in sheet flag; do
    outputs 0 same "$clothdiff" --exact --object $object run.clothcache out_$format/$object.$format
  done
  outputs 0 "" "$clothcache" import out_$format/sheet.$format --mesh out_$format/sheet_rest.obj --fps 30 -o p.clothcache
  outputs 0 same "$clothdiff" --exact --object sheet run.clothcache p.clothcache
  outputs 0 "points only" "$clothcache" import out_$format/sheet.$format -o points.clothcache
  outputs 2 "49 vertices, the mesh 16" "$clothcache" import out_$format/sheet.$format --mesh out_$format/flag_rest.obj -o p.clothcache
done
for format in vtp abc usda; do
  outputs 0 "" "$clothcache" export run.clothcache --to $format -o out_$format
done
check "a collection beside the VTP" test -s out_vtp/run.pvd
outputs 0 "" "$clothcache" export run.clothcache --to abc -o some/where/else.abc
check "-o with the format's ending is the file" test -s some/where/else.abc
check "equal Alembic files" cmp some/where/else.abc out_abc/run.abc
outputs 0 "" "$clothcache" export run.clothcache --to abc
check "without -o beside the cache" test -s run.abc

# ranges, objects, axes, scale
outputs 0 "" "$clothcache" export run.clothcache --to obj --frames 10:20:5 --object flag -o part
check "three frames of one object" test "$(ls part | tr '\n' ' ')" = "flag_0010.obj flag_0015.obj flag_0020.obj "
outputs 0 "" "$clothcache" export run.clothcache --to obj --frames 7 -o one
check "one frame" test "$(ls one | tr '\n' ' ')" = "flag_0007.obj sheet_0007.obj "
outputs 2 "none of its 20 frames" "$clothcache" export run.clothcache --to obj --frames 99: -o none
outputs 2 'no object "shirt"; there is "flag" "sheet"' "$clothcache" export run.clothcache --to obj --object shirt -o none
outputs 0 "" "$clothcache" export run.clothcache --to obj --up z --scale 100 --object flag --frames 5 -o z
first=$(LC_ALL=C awk '$1 == "v" { printf "v %.9g %.9g %.9g\n", 100 * $2, -100 * $4, 100 * $3; if (++n == 6) exit }' part/../run/flag_0005.obj | tail -1)
got=$(LC_ALL=C awk '$1 == "v" && ++n == 6' z/flag_0005.obj)
check "turned to z up and scaled: $got, expected $first" awk -v a="$got" -v b="$first" 'BEGIN {
  split(a, p, " "); split(b, q, " "); for (k = 2; k <= 4; k++) if ((p[k] - q[k]) ^ 2 > 1e-10) exit 1 }'
outputs 0 "errors up to 0.001" bash -c "'$clothcache' import run --fps 30 --error 1e-3 -o lossy.clothcache && '$clothcache' info lossy.clothcache"
outputs 0 same "$clothdiff" --atol 1.733e-3 run.clothcache lossy.clothcache

# a comma locale changes nothing
for locale in $(locale -a 2>/dev/null | grep -iE 'de_DE|fr_FR' | head -1); do
  LC_ALL=$locale "$clothcache" export run.clothcache --to usda -o comma
  check "usda in $locale" cmp comma/run.usda out_usda/run.usda
done

# what goes wrong
size=$(stat -c %s run.clothcache)
head -c $((size - 100)) run.clothcache >cut.clothcache
outputs 3 "NOT GOOD, 20 whole frames" "$clothcache" verify cut.clothcache
outputs 0 "NOT COMPLETE" "$clothcache" info cut.clothcache
outputs 0 "not complete: 20 whole frames" "$clothcache" export cut.clothcache --to abc -o cut
head -c $((size / 2)) run.clothcache >cut.clothcache
outputs 0 "not complete" "$clothcache" export cut.clothcache --to obj -o half
check "the frames before the cut" test "$(ls half | wc -l)" -gt 4
cp run.clothcache flip.clothcache
head -c 300 /dev/zero | dd of=flip.clothcache bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
outputs 3 "damaged (wrong crc)" "$clothcache" verify flip.clothcache
outputs 3 "damaged (wrong crc)" "$clothcache" export flip.clothcache --to abc -o flip
check "no half file" test ! -e flip/flip.abc
outputs 0 "frames are damaged and left out" "$clothcache" export --skip-damaged flip.clothcache --to obj -o flip
left=$(ls flip/sheet_*.obj | wc -l)
check "some are left out, and others are not: $left" test "$left" -ge 8 -a "$left" -lt 20
for file in flip/*.obj; do check "$file is as it was" cmp "$file" "out_obj/${file##*/}"; done
# one object damaged where it never changes: all its frames are gone, and the other's are not
mkdir -p still
for k in 5 6 7; do cp run/flag_000$k.obj still && cp run/sheet_0005.obj still/board_000$k.obj; done
outputs 0 "" "$clothcache" import still -o still.clothcache
python3 - still.clothcache first.clothcache <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"FRAM") + 100
data[at:at + 4] = bytes(255 - b for b in data[at:at + 4])
open(sys.argv[2], "wb").write(data)
PY
outputs 3 "no vertex that could be read" "$clothcache" verify first.clothcache
outputs 3 "NOT GOOD, 3 times a frame of an object cannot be read; 3 frames" "$clothcache" verify first.clothcache
outputs 2 "none of its 3 frames can be read whole: --object exports" "$clothcache" export first.clothcache --skip-damaged --to obj -o first
check "said once" test "$("$clothcache" export first.clothcache --skip-damaged --to obj -o first 2>&1 | grep -c crc)" = 1
outputs 0 "" "$clothcache" export first.clothcache --object flag --to obj -o first
check "the other object is whole" cmp first/flag_0007.obj out_obj/flag_0007.obj
outputs 3 "cannot open: No such file" "$clothcache" info nothing.clothcache
outputs 3 "not a clothsim cache" "$clothcache" info run/sheet_0005.obj
outputs 3 "is not a regular file" "$clothcache" info run
outputs 3 "cannot create" "$clothcache" import run -o no/such/folder/x.clothcache
outputs 3 "" "$clothcache" export run.clothcache --to obj -o run.clothcache/inside
outputs 2 "holds no frames" bash -c "mkdir -p empty; '$clothcache' import empty -o x.clothcache"
frames odd sheet 1 3
frames odd2 sheet 2 2 5
cp odd2/sheet_0002.obj odd/
outputs 2 "25 vertices, and the first frame" "$clothcache" import odd -o x.clothcache
check "a failed import leaves nothing" test ! -e x.clothcache -a ! -e x.clothcache.part
outputs 2 'cannot export to "fbx": unknown format' "$clothcache" export run.clothcache --to fbx
outputs 2 "export needs --to" "$clothcache" export run.clothcache
outputs 2 "unknown command" "$clothcache" frobnicate run.clothcache
outputs 2 "unknown option --frob" "$clothcache" info --frob run.clothcache
outputs 2 "bad value for --frames" "$clothcache" export run.clothcache --to obj --frames x
outputs 2 "what to do?" "$clothcache"
outputs 0 "usage: clothcache info" "$clothcache" --help
outputs 0 "clothcache 0." "$clothcache" --version
if [ -e /dev/full ]; then
  outputs 3 "standard output: cannot write" bash -c "'$clothcache' info run.clothcache >/dev/full"
fi
# a full disk, by a limit of 64 KiB on files
frames large sheet 1 40 40
outputs 3 "cannot write" bash -c "ulimit -f 64; '$clothcache' import large -o full.clothcache"
outputs 3 "" bash -c "ulimit -f 64; '$clothcache' export run.clothcache --to usda -o full; '$clothcache' import large -o large.clothcache"
outputs 0 "" "$clothcache" import large -o large.clothcache
for format in pc2 mdd abc usda; do
  outputs 3 "annot" bash -c "ulimit -f 64; '$clothcache' export large.clothcache --to $format -o full_$format"
  check "no half $format file" bash -c "! ls full_$format/*.$format"
done
# a folder that may not be written to: root may everything, so it becomes nobody
as_user=()
if [ "$(id -u)" = 0 ]; then as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
cp "$clothcache" mine
mkdir locked && chmod a-w locked
chmod a+rx . run mine
if "${as_user[@]}" ./mine --version >/dev/null 2>&1; then
  outputs 3 "locked/x.clothcache: cannot create the cache: Permission denied" \
    "${as_user[@]}" ./mine import run -o locked/x.clothcache
  for format in obj ply pc2 mdd vtp abc usda; do
    outputs 3 "Permission denied" "${as_user[@]}" ./mine export run.clothcache --to $format -o locked
    outputs 3 "Permission denied" "${as_user[@]}" ./mine export run.clothcache --to $format -o locked/new
  done
  check "nothing in the locked folder" test -z "$(ls locked)"
fi
# a disk that is really full, where this process may mount one
full_disk() {
  local code
  mkdir -p disk && mount -t tmpfs -o size=96k tmpfs disk || return 9
  "$clothcache" import large -o disk/x.clothcache
  code=$?
  ls disk
  umount disk
  return $code
}
if unshare -m bash -c "mkdir -p disk && mount -t tmpfs -o size=96k tmpfs disk" 2>/dev/null; then
  export -f full_disk
  outputs 3 "cannot write the cache: No space left on device" unshare -m bash -c "clothcache='$clothcache'; full_disk"
  for format in ply pc2 abc usda; do
    outputs 3 "No space left on device" unshare -m bash -c \
      "mount -t tmpfs -o size=96k tmpfs disk && '$clothcache' export large.clothcache --to $format -o disk"
  done
fi
# triangles that meet: a sheet with one corner sewn through its middle
outputs 1 'frame 5: ' "$clothcache" verify --contact run.clothcache # the flag lies in the sheet
outputs 0 "0 pairs of triangles intersect" "$clothcache" verify --contact large.clothcache
frames folded sheet 1 3
LC_ALL=C awk '$1 == "v" { k = n++; if (k < 2 || k == 7) { $2 = 0.37 + 0.01 * k; $3 = k ? -0.3 : 0.3; $4 = 0.36 } }
  { print }' folded/sheet_0001.obj >folded/sheet_0003.obj
outputs 0 "" "$clothcache" import folded -o folded.clothcache
outputs 1 "frame 3:" "$clothcache" verify --contact folded.clothcache
outputs 1 '"worst_frame": 3' "$clothcache" verify --contact --json folded.clothcache
outputs 0 "good, 3 whole frames" "$clothcache" verify folded.clothcache
# never over what it is made of
cp out_pc2/sheet.pc2 own.pc2 && cp out_pc2/sheet_rest.obj own.obj && ln own.obj linked.obj
outputs 2 "would replace what it is made of" "$clothcache" import own.pc2 -o ./own.pc2
outputs 2 "would replace what it is made of" "$clothcache" import own.pc2 --mesh own.obj -o linked.obj
check "both are as they were" sh -c 'cmp own.pc2 out_pc2/sheet.pc2 && cmp own.obj out_pc2/sheet_rest.obj'
# the unit of an archive stays that of the cache, and of what is made of that
cat >cm.json <<'END'
{"name": "cm", "units": {"length": "cm"}, "frames": {"end": 2}, "output": {"formats": ["abc"]},
 "objects": [{"name": "sheet", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "size": ["1 m", "1 m"], "cells": [2, 2]}}]}
END
outputs 0 "" "$BIN/clothsim" cm.json -q -o cm
outputs 0 "" "$clothcache" import cm/cm.abc -o back.clothcache
outputs 0 '"meters_per_unit": 0.01' "$clothcache" info --json back.clothcache
outputs 0 "" "$clothcache" export back.clothcache --to usda -o back.usda
check "centimetres again" grep -q "metersPerUnit = 0.01$" back.usda
outputs 0 "" "$clothcache" import cm/cm.abc --scale 0.01 -o metres.clothcache
outputs 0 '"meters_per_unit": 1,' "$clothcache" info --json metres.clothcache
# a cache with NaN, made from a PC2
python3 - <<'PY'
import struct
points = [float("nan") if (f, p) == (2, 3) else 0.1 * p * f for f in range(4) for p in range(15)]
open("nan.pc2", "wb").write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 5, 1, 1, 4) + struct.pack("<60f", *points))
PY
outputs 0 "frame 3: vertex 1 of" "$clothcache" import nan.pc2 -o nan.clothcache
outputs 1 "1 values are NaN or infinite, first in frame 3, vertex 1" "$clothcache" verify nan.clothcache

# frames that are lost are told; frames of every second number are not lost, nor those that are not chosen
frames nine sheet 1 9
mkdir gap even
cp nine/sheet_000[13579].obj even
cp nine/sheet_000[12569].obj gap
outputs 0 "gap: warning: frame 3 is missing, and there are more gaps after it" "$clothcache" import gap -o gap.clothcache
outputs 0 "gap: warning: frame 7 is missing" "$clothcache" import gap --frames 5:9 -o gap.clothcache
for words in "even" "gap --frames 5:6"; do
  "$clothcache" import $words -o gap.clothcache >import.out 2>&1
  check "$words: nothing is missing" sh -c '! grep missing import.out'
done
# the rate of an MDD file is what its times were rounded from
for fps in 24 25 29.97 12.5; do
  "$clothcache" import nine --fps $fps -o rate.clothcache
  "$clothcache" export rate.clothcache --to mdd -o rate
  "$clothcache" import rate/sheet.mdd --mesh nine/sheet_0001.obj -o rate2.clothcache
  outputs 0 "at $fps per second" "$clothcache" info rate2.clothcache
done
report
