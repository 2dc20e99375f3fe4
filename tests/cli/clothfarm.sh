# clothfarm: sweeps and what it writes for farms. tests/farm/run hands the same to a real Slurm.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json
farm=$BIN/clothfarm
wedges=(--wedge cloth.material.bend=0.5x,1x,2x --wedge contact.friction=0.2,0.4)

expect 0 "$farm" tiny.json -o out "${wedges[@]}" --export obj --time 1:00:00 --memory 2G --sbatch --nice=100 -- -j 1
equal "$(ls out | tr '\n' ' ')" "commands.txt export.sbatch exports.txt farm.openjd.json farm.sbatch scenes \
submit.sh wedges.json " "files"
check "wedges.json" "$LOOK" json out/wedges.json
equal "$("$LOOK" get out/wedges.json wedges)" 6 "runs"
equal "$("$LOOK" get out/wedges.json wedges 3 directory)" w0003_bend-1x_friction-0.4 "name"
equal "$("$LOOK" get out/wedges.json wedges 3 set contact.friction)" 0.4 "value"
check "farm.openjd.json" "$LOOK" json out/farm.openjd.json
equal "$("$LOOK" get out/farm.openjd.json parameterDefinitions 0 default)" scenes "paths are relative"
for script in farm.sbatch export.sbatch submit.sh; do check "$script" bash -n out/$script; done
check "requeue" grep -qx '#SBATCH --requeue' out/farm.sbatch
check "time" grep -qx '#SBATCH --time=1:00:00' out/farm.sbatch
check "further options" grep -qx '#SBATCH --nice=100' out/farm.sbatch
check "exports come after" grep -q 'dependency=aftercorr' out/submit.sh

# what only the model shows is an error here too
outputs 2 'method "symplectic" is stable for substeps under' "$farm" tiny.json -o unstable --wedge frames.substeps=1,2 \
  --wedge 'solver.method="symplectic"'
outputs 2 "contact needs a start without intersections" "$farm" tiny.json -o unstable --wedge 'cloth.position=[0,0.4,0]'
# ...of every value, not only the first
outputs 2 "wedge w0001_position-0_0.4_0 is no sound" "$farm" tiny.json -o unstable --wedge 'cloth.position=[0,0.6,0],[0,0.4,0]'
outputs 2 "wedge w0002_position-0_0.4_0_friction-0.1 is" "$farm" tiny.json -o unstable --wedge 'cloth.position=[0,0.6,0],[0,0.4,0]' \
  --wedge contact.friction=0.1,0.2
check "nothing is written" test ! -e unstable
outputs 0 "27 runs of tiny, 7 of them built" "$farm" tiny.json -o cube --emit commands --wedge frames.end=2,3,4 \
  --wedge contact.friction=0.1,0.2,0.3 --wedge cloth.material.bend=1x,2x,3x
outputs 0 "40 runs of tiny, 32 of them built" "$farm" tiny.json -o many --emit commands --wedge frames.end="$(seq -s, 2 41)"

# the same again; other files stay; another sweep is refused
cp -r out before
expect 0 "$farm" tiny.json -o out "${wedges[@]}" --export obj --time 1:00:00 --memory 2G --sbatch --nice=100 -- -j 1
check "the same again" diff -r out before
expect 2 "$farm" tiny.json -o out --wedge contact.friction=0.1
says "another sweep"
check "refused, nothing changed" diff -r out before
expect 0 "$farm" tiny.json -o other --emit commands --wedge contact.friction=0.1
equal "$(ls other | tr '\n' ' ')" "commands.txt scenes wedges.json " "only commands"

# commands run, in any order and again, and are what clothsim would do with the scene itself
expect 0 sh -e out/commands.txt
expect 0 sh -e out/commands.txt
expect 0 sh -e out/exports.txt
equal "$(ls -d out/w????_* | wc -l)" 12 "directories of runs and exports"
expect 0 "$clothsim" tiny.json -q -o alone --set cloth.material.bend=2x --set contact.friction=0.4
check "as by hand" cmp alone/cloth_0006.obj out/w0005_bend-2x_friction-0.4/cloth_0006.obj
equal "$("$LOOK" get out/w0005_bend-2x_friction-0.4/run.json scene_hash)" \
  "$("$LOOK" get out/wedges.json wedges 5 scene_hash)" "hash of the scene"
sed -i 's/0.52/0.53/' tiny.json
expect 0 sh -e out/commands.txt

# a task of the array as Slurm would start it, without Slurm
rm -r out/w0002_bend-1x_friction-0.2
expect 0 env SLURM_ARRAY_TASK_ID=2 bash out/farm.sbatch
equal "$("$LOOK" get out/w0002_bend-1x_friction-0.2/run.json state)" complete "a task"
expect 2 env SLURM_ARRAY_TASK_ID=6 bash out/farm.sbatch
# ...that is told to end: clothsim stops, and the task asks to be requeued
mkdir bin
printf '#!/bin/sh\necho "$@" >requeued\n' >bin/scontrol
chmod +x bin/scontrol
expect 0 "$farm" tiny.json -o long --emit slurm --wedge frames.end=900000
SLURM_ARRAY_TASK_ID=0 SLURM_JOB_ID=17 PATH=$PWD/bin:$PATH bash long/farm.sbatch >/dev/null 2>&1 &
pid=$!
for _ in $(seq 400); do [ -s long/w0000_end-900000/cloth_000003.obj ] && break; sleep 0.02; done
kill -TERM $pid
wait $pid
equal $? 75 "exit code of a task that was stopped"
equal "$(cat long/requeued)" "requeue 17" "it asks to be requeued"

# names and quotes
expect 0 "$farm" tiny.json --list --wedge cloth.position='[0,0.6,0],[0,"70 cm",0]' --wedge ball.position='[0,0,0]'
equal "$(head -1 stdout)" "w0000_cloth.position-0_0.6_0_ball.position-0_0_0 --set 'cloth.position=[0,0.6,0]' \
--set 'ball.position=[0,0,0]'" "lists as values"
expect 0 "$farm" tiny.json -o "a b'c" --emit commands --wedge frames.end=2
expect 0 sh -e "a b'c/commands.txt"
check "quotes" test -s "a b'c/w0000_end-2/cloth_0002.obj"

# refused
expect 2 "$farm" tiny.json -o bad --wedge cloth.material.bnd=1x
says 'did you mean "bend"'
expect 2 "$farm" tiny.json -o bad --wedge contact.friction=
expect 2 "$farm" tiny.json -o bad --wedge contact.friction=0.1,,0.2
expect 2 "$farm" tiny.json -o bad --wedge contact.friction=0.1 --wedge contact.friction=0.2
expect 2 "$farm" tiny.json -o bad --emit lsf
expect 2 "$farm" tiny.json -o bad --export fbx
expect 2 "$farm" tiny.json
expect 2 "$farm"
expect 3 "$farm" nowhere.json -o bad
check "nothing was made" test ! -e bad
expect 3 "$farm" tiny.json -o tiny.json/deeper
expect 0 "$farm" --help
for option in $(grep -o -- '^ *\(-[a-z], \)\?--[a-z][a-z-]*' stdout | tr -d ' ' | sed 's/^-[a-z],//' | sort -u); do
  check "man page knows $option" grep -qF -- "**$option**" "$ROOT/docs/clothfarm.1.md"
done
report
