# clothfarm: what it writes runs nothing but clothsim, whatever paths and words it was given. A command
# that gets through makes a file whose name begins with PWNED.
. "$ROOT/tests/cli/kit"
tiny_scene | sed 's/"substeps": 4/"substeps": 1/; s/\[8, 8\]/[3, 3]/; s/"end": 6/"end": 2/' >tiny.json
farm=$BIN/clothfarm
nl=$'\n'

# refused: control characters, wherever they are
for c in "$nl" $'\r' $'\t' $'\x01' $'\x1b' $'\x7f'; do
  bad="x${c}touch PWNED"
  for word in "-o${nl:+=}" --memory --time --cpus --sbatch --clothsim; do
    case $word in -o*) expect 2 "$farm" tiny.json --out "$bad" ;;
    *) expect 2 "$farm" tiny.json -o out "$word" "$bad" ;; esac
  done
  expect 2 "$farm" tiny.json -o out --sbatch "--nice=1${c}touch PWNED"
  expect 2 "$farm" tiny.json -o out --memory "2G${c}touch PWNED"
  expect 2 "$farm" tiny.json -o out --time "1:00:00${c}touch PWNED"
  says "control character"
  expect 2 "$farm" tiny.json -o out -- "$bad"
  expect 2 "$farm" tiny.json -o out --wedge "cloth.material.bend=1x,2x${c}"
done
mkdir "a${nl}touch PWNED"
expect 2 sh -c 'cd "a
touch PWNED" && "$0" ../tiny.json -o out' "$farm"
says "control character 10"
rm -r "a${nl}touch PWNED"
# ...and what is no UTF-8: a byte, half a character, a long form of /, half a pair, past the last one
for bad in $'x\xff' $'x\xc3' $'x\xc0\xaf' $'\xed\xa0\x80' $'\xf4\x90\x80\x80' $'\xe2\x82'; do
  expect 2 "$farm" tiny.json -o "out$bad"
  says "no UTF-8"
  expect 2 "$farm" tiny.json -o out --clothsim "$bad/clothsim"
  expect 2 "$farm" tiny.json -o out -- "$bad"
done
check "nothing was made" test ! -e out

# refused: what is no size, time, count or option
for memory in 2X 2GB '2G;touch PWNED' '$(touch PWNED)' '' -1 0 99999999999999; do
  expect 2 "$farm" tiny.json -o out "--memory=$memory"
done
for time in soon '1:00 --wrap=x' 1: :1 1:2:3:4 1- 1-2-3 '1;x' '' '$(touch PWNED)'; do
  expect 2 "$farm" tiny.json -o out "--time=$time"
done
for cpus in 0 -1 x 1x '1 --wrap=x' '' 9999999; do expect 2 "$farm" tiny.json -o out "--cpus=$cpus"; done
for n in 0 -1 x '' 9999999; do
  expect 2 "$farm" tiny.json -o out "--throttle=$n"
  expect 2 "$farm" tiny.json -o out "--array-size=$n"
done
expect 2 "$farm" tiny.json -o out --sbatch 'nice=3'
expect 2 "$farm" tiny.json -o out --sbatch ''
for memory in 512 512M 2G 1T 2048K; do expect 0 "$farm" tiny.json -o out --memory $memory --emit slurm; done
for time in 90 4:00 4:00:00 1-12 1-12:30 1-12:30:00; do expect 0 "$farm" tiny.json -o out --time $time --emit slurm; done
rm -r out

# a worker of OpenJD: replaces the expressions of a template, in arguments and in text, as the specification
# has it, and runs the action of a task. It prints the names for which the files are not made.
cat >openjd.py <<'END'
import json, os, re, subprocess
def task(place, step, wedge, **parameters):
    template = json.load(open(place + "/farm.openjd.json"))
    values = {"Task.Param.Wedge": wedge, "Task.File.Run": os.path.abspath("run.sh")}
    for p in template["parameterDefinitions"]: values["Param." + p["name"]] = p["default"]
    for name, value in parameters.items(): values["Param." + name] = value
    def replace(text): return re.sub(r"\{\{\s*([A-Za-z.]+)\s*\}\}", lambda m: values[m.group(1)], text)
    script = template["steps"][step]["script"]
    open("run.sh", "w").write(replace(script["embeddedFiles"][0]["data"]))
    action = script["actions"]["onRun"]
    quiet = subprocess.DEVNULL
    return subprocess.call([action["command"]] + [replace(a) for a in action["args"]], stdout=quiet, stderr=quiet, stdin=quiet)
here, made = os.getcwd(), 0
for name in os.listdir("place"):
    place = here + "/place/" + name
    a = task(place, 0, "1", Out=place, Scenes=place + "/scenes")
    b = task(place, 1, "1", Out=place, Scenes=place + "/scenes")
    c = task(place, 0, "0", Out="out-" + name, Scenes=place + "/scenes")
    good = (a, b, c) == (0, 0, 0) and os.path.getsize(place + "/w0001_end-2_friction-0.2-pc2/cloth.pc2") > 0
    made += good
    if not good: print("failed:", name, a, b, c)
# by parameters alone
for bad in ("z'$(touch PWNED)'", 'z"; touch PWNED; "', "z'; touch PWNED; '", "z\ntouch PWNED", "$(touch PWNED)", "-x", ""):
    place, scenes = "place/with space", here + "/place/with space/scenes"
    task(place, 0, "0", Out=bad, Scenes=scenes)
    task(place, 0, "0", Out="x", Scenes=bad)
    task(place, 0, bad, Out="x", Scenes=scenes)
    task(place, 0, "0", Out="x", Scenes=scenes, Clothsim=bad)
    task(place, 1, "0", Out="x", Scenes=scenes, Clothcache=bad)
# an empty parameter is no place: not the root folder
for empty in (dict(Out=""), dict(Scenes=""), dict(Clothsim="")):
    parameters = dict(Out="empty", Scenes=here + "/place/with space/scenes")
    parameters.update(empty)
    if task("place/with space", 0, "0", **parameters) != 2: print("taken:", empty)
print(made)
END

# paths and words full of what shells, sbatch and templates look at: runs are made, nothing else happens
. "$ROOT/tests/farm/hostile"
n=0
for name in "${hostile[@]}"; do
  n=$((n + 1))
  mkdir -p "place/$name" && cp tiny.json "place/$name/tiny.json"
  ln -s "$clothsim" "$BIN/clothcache" "place/$name"
  expect 0 "$farm" "place/$name/tiny.json" --out="place/$name" --clothsim "$PWD/place/$name/clothsim" --export pc2 \
    --wedge frames.end=1,2 --wedge 'contact.friction=0.2' -- --set 'cloth.material.bend="0.5x"' --set "description=\"$(sed 's/["\\]/_/g' <<<"$name")\""
  place="place/$name"
  expect 0 sh -e "$place/commands.txt"
  expect 0 sh -e "$place/exports.txt"
  check "$name: commands" test -s "$place/w0001_end-2_friction-0.2/cloth_0002.obj"
  check "$name: exports" test -s "$place/w0001_end-2_friction-0.2-pc2/cloth.pc2"
  rm -r "$place"/w0*
  expect 0 env SLURM_ARRAY_TASK_ID=1 bash "$place/farm.sbatch"
  expect 0 env SLURM_ARRAY_TASK_ID=1 bash "$place/export.sbatch"
  check "$name: Slurm" test -s "$place/w0001_end-2_friction-0.2-pc2/cloth.pc2"
  # Slurm replaces % and backslashes in the path of a log, also in that of its folder
  if [[ $PWD/$place =~ ^[-A-Za-z0-9_+=.,:/@\ ]*$ ]]; then
    check "$name: the log is in quotes" grep -qxF "#SBATCH --output=\"$PWD/$place/log/%a.log\"" "$place/farm.sbatch"
  else
    check "$name: Slurm writes no log" grep -qx '#SBATCH --output=/dev/null' "$place/farm.sbatch"
    check "$name: the script does" grep -q 'resumed\|all frames' "$place/log/1.log"
    check "$name: and that of exports" test -e "$place/log/1-export.log"
  fi
  rm -r "$place"/w0*
done
equal "$n" 61 "names"
equal "$(python3 openjd.py)" 61 "runs by OpenJD"
equal "$(find . -name 'PWNED*' -type f | head -1)" "" "commands that ran"

# host requirements
expect 0 "$farm" tiny.json -o hosts --cpus 4 --memory 2G --emit openjd
equal "$("$LOOK" get hosts/farm.openjd.json steps 0 hostRequirements amounts 0 name)" amount.worker.vcpu "processors"
equal "$("$LOOK" get hosts/farm.openjd.json steps 0 hostRequirements amounts 0 min)" 4 "of them"
equal "$("$LOOK" get hosts/farm.openjd.json steps 0 hostRequirements amounts 1 min)" 2048 "MiB"

# throttle, and sweeps of more tasks than an array job may have
mkdir bin
printf '#!/bin/sh\necho "$@" >>sbatch.log\necho "$(wc -l <sbatch.log);cluster"\n' >bin/sbatch
chmod +x bin/sbatch
expect 0 "$farm" tiny.json -o many --emit slurm --throttle 5 --array-size 3 --export obj --wedge contact.friction=0.1,0.2,0.3,0.4,0.5,0.6,0.7
equal "$(ls many/*.sbatch | tr '\n' ' ')" "many/export-1.sbatch many/export-2.sbatch many/export.sbatch \
many/farm-1.sbatch many/farm-2.sbatch many/farm.sbatch " "array jobs"
check "the first" grep -qx '#SBATCH --array=0-2%5' many/farm.sbatch
check "the last" grep -qx '#SBATCH --array=0-0%5' many/farm-2.sbatch
check "logs" grep -q 'log/2-%a.log' many/farm-2.sbatch
expect 0 env SLURM_ARRAY_TASK_ID=0 bash many/farm-2.sbatch
check "its run is the seventh" test -s many/w0006_friction-0.7/cloth_0002.obj
expect 2 env SLURM_ARRAY_TASK_ID=1 bash many/farm-2.sbatch
expect 0 env PATH="$PWD/bin:$PATH" sh many/submit.sh -p night
equal "$(cat many/sbatch.log | tr '\n' '|')" "--parsable -p night farm.sbatch|--parsable --dependency=aftercorr:1 \
--kill-on-invalid-dep=yes -p night export.sbatch|--parsable --dependency=afterany:1 -p night farm-1.sbatch|--parsable \
--dependency=aftercorr:3 --kill-on-invalid-dep=yes -p night export-1.sbatch|--parsable --dependency=afterany:3 -p night \
farm-2.sbatch|--parsable --dependency=aftercorr:5 --kill-on-invalid-dep=yes -p night export-2.sbatch|" "what is submitted"
values=$(seq -s , 0.0001 0.0001 0.1002)
expect 0 "$farm" tiny.json -o large --emit slurm --wedge contact.friction=$values
check "1002 runs: 1000" grep -qx '#SBATCH --array=0-999' large/farm.sbatch
check "and 2" grep -qx '#SBATCH --array=0-1' large/farm-1.sbatch
report
