# A small run: what it leaves, what it replaces, what it refuses.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json

# what a run leaves
expect 0 "$clothsim" tiny.json -o out
equal "$(ls out | tr '\n' ' ')" "cloth_0001.obj cloth_0002.obj cloth_0003.obj cloth_0004.obj \
cloth_0005.obj cloth_0006.obj run.checkpoint run.files run.json tiny.clothcache " "files of a run"
check "run.json is JSON" "$LOOK" json out/run.json
equal "$("$LOOK" get out/run.json state)" complete "state"
equal "$("$LOOK" get out/run.json last_frame)" 6 "last frame"
equal "$("$LOOK" get out/run.json vertices)" 81 "vertices"
equal "$(grep -c '^v ' out/cloth_0006.obj)" 81 "vertices of the OBJ"
check "no NaN" sh -c '! grep -qi nan out/*.obj out/run.json'
check "it moved" sh -c '! cmp -s out/cloth_0001.obj out/cloth_0006.obj'
equal "$("$LOOK" cache out/tiny.clothcache out)" 6 "frames in the cache, equal to the OBJ files"
expect 0 "$clothsim" tiny.json -o exact --set output.digits=17
equal "$("$LOOK" cache exact/tiny.clothcache exact exact)" 6 "frames in the cache, bit by bit"
[ ! -x "$BIN/clothcache" ] || check "clothcache verify" "$BIN/clothcache" verify out/tiny.clothcache

# a directory with something in it is refused, and left as it was
cp -r out before
expect 2 "$clothsim" tiny.json -o out
says "--overwrite"
check "refused, nothing changed" diff -r out before
mkdir other && echo mine >other/notes.txt
expect 2 "$clothsim" tiny.json -o other
equal "$(ls other)" notes.txt "a refused directory"
mkdir empty
expect 0 "$clothsim" tiny.json -o empty
expect 0 "$clothsim" tiny.json -o deep/er/still
check "the same again in another place" diff -r out deep/er/still

# --overwrite replaces, removes what the ledger of the earlier run names, and touches nothing else: not what only looks like a
# frame, nor what a damaged or forged ledger names
for mine in notes.txt cloth_0999.obj cloth_0000.obj cloth_2.obj ball_0002.obj ball_rest.obj tiny.usda; do echo mine >out/$mine; done
mkdir out/folder.obj && echo mine >mine.obj
printf '1 5 0 ../mine.obj\nnonsense\n- 5 0 ..\n- 5 0 folder.obj\n- 5 0 notes.txt\n- 5 0 %s/mine.obj\n' "$PWD" >>out/run.files
touch out/tiny.clothcache.part
expect 0 "$clothsim" tiny.json -o out --overwrite -e 3
equal "$(ls out | tr '\n' ' ')" "ball_0002.obj ball_rest.obj cloth_0000.obj cloth_0001.obj cloth_0002.obj cloth_0003.obj \
cloth_0999.obj cloth_2.obj folder.obj notes.txt \
run.checkpoint run.files run.json tiny.clothcache tiny.usda " "after --overwrite"
equal "$(cat mine.obj)" mine "a file outside"
check "no other's file in the ledger" test "$(grep -cE 'usda|0999' out/run.files)" = 0

# another scene takes all files of the first away: its frames, its cache, what it had not finished
sed 's/{"name": "cloth"/{"name": "sheet"/; s/"tiny"/"other"/' tiny.json >other.json
expect 0 "$clothsim" tiny.json -q -o both --set 'output.formats=["abc", "pc2", "ply"]'
expect 0 "$clothsim" other.json -q -o both --overwrite -e 2
others="other.clothcache run.checkpoint run.files run.json sheet_0001.obj sheet_0002.obj "
equal "$(ls both | tr '\n' ' ')" "$others" "after another scene"
expect 1 "$clothsim" tiny.json -q -o both --overwrite --set 'output.formats=["abc", "pc2"]' --set solver.method='"explicit"' \
  --set frames.substeps=2 --set contact.response='"impulse"' -e 900
check "its exports are there" test -s both/tiny.abc -a -s both/cloth.pc2 -a -s both/tiny.clothcache.part
check "and known" grep -qx '+ 0 0000000000000000 tiny.abc' both/run.files
echo old >both/tiny.clothcache.old
touch both/ball_0003.obj.12-0.tmp both/notes.txt.12-0.tmp
expect 0 "$clothsim" other.json -q -o both --overwrite -e 2
rm both/notes.txt.12-0.tmp
equal "$(ls both | tr '\n' ' ')" "$others" "after another scene that was stopped"

# without a ledger only what the run writes itself is replaced
expect 0 "$clothsim" tiny.json -q -o both --overwrite
rm both/run.files
expect 0 "$clothsim" other.json -o both --overwrite -e 2
says "its run.files is missing or damaged"
check "frames that no ledger names" test -s both/cloth_0003.obj
expect 0 "$clothsim" tiny.json -q -o both --overwrite -e 2
check "frames beyond the last" test -s both/cloth_0003.obj -a ! -e both/sheet_0001.obj

equal "$("$LOOK" get out/run.json last_frame)" 3 "last frame after --overwrite"

# outputs can be turned off; nothing temporary stays
expect 0 "$clothsim" tiny.json -o bare --set output.obj=false --set output.cache=false
equal "$(ls bare | tr '\n' ' ')" "run.checkpoint run.files run.json " "a run without outputs"
expect 0 "$clothsim" tiny.json -o balls --set output.colliders=true -e 2
check "collider frames" test -s balls/ball_0002.obj
equal "$(find . -name '*.tmp*' | wc -l)" 0 "temporary files"

# with z up a plane lies flat, as seen and as collided with
cat >zup.json <<'END'
{"frames": {"end": 8}, "units": {"up": "z"}, "output": {"colliders": true},
 "objects": [{"name": "c", "type": "cloth", "material": "cotton", "position": [0, 0, 0.05], "rotation": [90, 0, 0],
              "mesh": {"shape": "grid", "size": [0.2, 0.2], "cells": [4, 4]}},
             {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}}]}
END
expect 0 "$clothsim" zup.json -o zup
check "the floor lies" test "$(awk '$1 == "v" && $4 != 0' zup/floor_0001.obj | wc -l)" = 0
check "and carries" test "$(awk '$1 == "v" && ($4 < 0 || $4 > 0.01)' zup/c_0008.obj | wc -l)" = 0

# by relative path from another folder, and over a symbolic link
mkdir elsewhere && cd elsewhere || exit 1
ln -s ../tiny.json link.json
expect 0 "$clothsim" ../tiny.json -o there -e 2
expect 0 "$clothsim" link.json -o here -e 2
check "paths do not matter" diff -r here there
report
