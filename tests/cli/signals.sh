# INT and TERM: the frames so far are kept, run.json says so, exit code 75; a second one quits.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json

# start OUT ARGUMENT...: a run in the background, once its third frame is written
start() {
  local out=$1
  shift
  "$clothsim" tiny.json -o "$out" -e 900000 --progress none "$@" 2>stderr &
  pid=$!
  for _ in $(seq 400); do
    [ -s "$out"/cloth_000003.obj ] && return
    sleep 0.05
  done
}

for signal in TERM INT USR1 USR2 HUP XCPU; do
  start "$signal"
  kill -$signal $pid
  wait $pid
  equal $? 75 "exit code after $signal"
  check "it says so" grep -q "stopped" stderr
  equal "$("$LOOK" get $signal/run.json state)" stopped "state after $signal"
  last=$("$LOOK" get $signal/run.json last_frame)
  equal "$(ls $signal/*.obj | wc -l)" "$last" "frames kept after $signal"
  check "the last one is whole" test "$(grep -c '^v ' "$(ls $signal/*.obj | tail -1)")" = 81
  equal "$(find $signal -name '*.tmp' | wc -l)" 0 "temporary files after $signal"
done

# what was written is the beginning of the run that is not stopped
expect 0 "$clothsim" tiny.json -o whole -e 3
check "same frames" cmp TERM/cloth_000003.obj whole/cloth_0003.obj

# what is stopped can go on
for signal in TERM INT USR1 USR2 HUP XCPU; do
  last=$("$LOOK" get $signal/run.json last_frame)
  expect 75 "$clothsim" tiny.json -o $signal -e 900000 --resume --max-time 0.2s
  says "resumed after frame $last"
done

# under nohup HUP means nothing
nohup "$clothsim" tiny.json -o nohup -e 900000 --progress none >/dev/null 2>&1 &
pid=$!
for _ in $(seq 400); do [ -s nohup/cloth_000003.obj ] && break; sleep 0.05; done
kill -HUP $pid
sleep 0.3
check "nohup" kill -0 $pid
kill -TERM $pid
wait $pid
equal $? 75 "exit code of nohup after TERM"

# a limit on processor time is a signal too
(ulimit -S -t 1; exec "$clothsim" tiny.json -o cpu -e 900000 --progress none 2>/dev/null)
equal $? 75 "exit code after a limit on processor time"
equal "$("$LOOK" get cpu/run.json state)" stopped "its state"

# the first one does not wait for a substep that takes for ever, nor does a limit of time
endless=(--progress none --set frames.substeps=1 --set solver.iterations=1000000 --set solver.tolerance=0 --set solver.step_tolerance=0
  --set solver.line_search=false)
expect 75 timeout 60 "$clothsim" tiny.json -o endless "${endless[@]}" --max-time 0.5
check "the start is kept" test -s endless/cloth_0001.obj
timeout -s KILL 60 "$clothsim" tiny.json -o endless --resume "${endless[@]}" 2>stderr &
pid=$!
sleep 0.5
kill -TERM $pid # which timeout passes on
wait $pid
equal $? 75 "exit code after TERM in an endless substep"

# a second INT does not wait for a linear solve that takes long
"$clothsim" tiny.json -o slow --progress none --set frames.substeps=1 --set "cloth.mesh.cells=[250, 250]" \
  --set solver.iterations=100 --set solver.tolerance=1e-14 --set solver.linear_tolerance=1e-14 --set solver.linear_iterations=100000 2>stderr &
pid=$!
for _ in $(seq 400); do
  [ -s slow/cloth_0001.obj ] && break
  sleep 0.05
done
sleep 0.2
kill -INT $pid
sleep 0.1
check "the first waits for the linear solve" kill -0 $pid
kill -INT $pid
wait $pid
equal $? 130 "exit code after a second INT"
check "the first frame is kept" test -s slow/cloth_0001.obj

# a killed run leaves whole files, and --overwrite goes over them
start killed
kill -KILL $pid
wait $pid 2>/dev/null
check "run.json after a crash" "$LOOK" json killed/run.json
equal "$("$LOOK" get killed/run.json state)" running "state after a crash"
equal "$(grep -c '^v ' killed/*.obj | grep -vc ':81$')" 0 "frames that are not whole"
expect 0 "$clothsim" tiny.json -o killed --overwrite
equal "$(ls killed | wc -l)" 10 "files after --overwrite"
report
