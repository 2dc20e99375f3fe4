# KILLS runs (8; `make soak`: 200) killed with SIGKILL at random moments and resumed until they are
# done, with files deleted, emptied or altered between: every file they leave is that of the undisturbed run. SEED=n repeats a series.
. "$ROOT/tests/cli/kit"
KILLS=${KILLS:-8}
SEED=${SEED:-20261}
echo "$KILLS runs, SEED=$SEED"
cat >scene.json <<'END2'
{
  "version": 1,
  "name": "killed",
  "frames": {"start": 1, "end": 8, "fps": 24, "substeps": 4},
  "solver": {"iterations": 4, "tolerance": 1e-3},
  "contact": {"thickness": 0.01},
  "output": {"formats": ["abc", "pc2", "vtp"]},
  "objects": [
    {"name": "cloth", "type": "cloth", "material": "cotton", "position": [0, 0.53, 0], "velocity": [0, -1, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [14, 14]}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.5},
     "motion": {"keys": [{"frame": 1, "position": [0, 0, 0]}, {"frame": 8, "position": [0.1, 0.1, 0]}]}}
  ]
}
END2
milliseconds() { date +%s%3N; }
# how long a run takes, the shortest of three: a first one, or one on a busy machine, takes longer,
# and then few of the others are still there to be killed
whole=1000000
for _ in 1 2 3; do
  start=$(milliseconds)
  expect 0 "$clothsim" scene.json -q -o whole -j 1 --overwrite
  took=$(($(milliseconds) - start))
  [ $took -lt $whole ] && whole=$took
done
random() { # LIMIT: next of Lehmer's series (Park & Miller 1988) into $value, below LIMIT
  SEED=$((SEED * 48271 % 2147483647))
  value=$((SEED % $1))
}

# Deletes, empties or alters a random file of $out, but for the record, every other time.
damage() {
  local list file
  random 2
  [ $value = 0 ] && return
  # nor the checkpoint of a complete run: it is no output, and only computing all again would bring it back
  local keep='^run.json$'
  [ "$("$LOOK" get "$out/run.json" state 2>/dev/null)" = complete ] && keep='^run.json$\|^run.checkpoint'
  mapfile -t list < <(ls "$out" 2>/dev/null | grep -v "$keep")
  [ ${#list[@]} -gt 0 ] || return
  random ${#list[@]}
  file=$out/${list[value]}
  damaged=$((damaged + 1))
  random 3
  # without run.files only what is missing can be found
  [ "$file" = "$out/run.files" ] && value=1
  case $value in
  0) rm -f "$file" ;;
  1) : >"$file" ;;
  2)
    random $(($(stat -c %s "$file") + 1))
    printf '\125' | dd of="$file" bs=1 seek=$value conv=notrunc 2>/dev/null
    ;;
  esac
}

killed=0 resumed=0 wrong=0 damaged=0
for run in $(seq "$KILLS"); do
  out=run$run
  for try in 1 2 3 4 5; do
    random $((whole + 10))
    limit=$((value + 2))
    random 3
    threads=$((value + 1))
    random 3
    every=$((value + 1))
    [ $try = 5 ] && limit=100000 # has been killed often enough
    # in the foreground it waits for the killed to be gone, who else may still hold the directory
    {
      timeout --foreground -s KILL "$((limit / 1000)).$(printf %03d $((limit % 1000)))" \
        "$clothsim" scene.json -q -o $out -j $threads --resume --checkpoint-every $every 2>stderr
    } 2>/dev/null
    code=$?
    [ $code = 0 ] && break
    damage
    killed=$((killed + 1))
    # 124: it was about to end by itself
    if [ $code != 137 ] && [ $code != 124 ]; then
      echo "run $run, try $try: exit code $code"
      cat stderr
      wrong=$((wrong + 1))
      break
    fi
  done
  [ $try -gt 1 ] && resumed=$((resumed + 1))
  diff -rq whole $out || wrong=$((wrong + 1))
  [ $wrong = 0 ] && rm -rf $out
done
equal $wrong 0 "runs that differ from the undisturbed one"
check "most runs were killed" [ $((2 * resumed)) -ge "$KILLS" ]
echo "$damaged files damaged, $killed kills in $resumed of $KILLS runs, one run $whole ms"
report
