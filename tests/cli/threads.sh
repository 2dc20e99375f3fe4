# The same bits for any number of threads: every frame and the cache, for each way to solve a step.
. "$ROOT/tests/cli/kit"
cat >cloth.json <<'END'
{
  "version": 1,
  "name": "cloth",
  "frames": {"start": 1, "end": 3, "fps": 24, "substeps": 2},
  "wind": {"velocity": [2, 0, 1], "turbulence": 0.3},
  "solver": {"method": "newton", "iterations": 2, "tolerance": 1e-3, "linear_tolerance": 0.05},
  "contact": {"response": "impulse"},
  "objects": [
    {"name": "cloth", "type": "cloth", "material": "cotton", "position": [0, 0.51, 0], "velocity": [0, -1, 0],
     "mesh": {"shape": "grid", "size": [1, 1], "cells": [56, 56]}, "pins": [{"vertices": [0]}]},
    {"name": "jelly", "type": "solid", "material": "jelly", "position": [3, 0.55, 0],
     "mesh": {"shape": "sphere", "radius": 0.5}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.5}},
    {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}}
  ]
}
END
expect 0 "$clothsim" cloth.json --check
same() {
  local name=$1 j
  shift
  expect 0 "$clothsim" cloth.json -q -o "$name-1" -j 1 "$@"
  for j in 2 3 8; do
    expect 0 "$clothsim" cloth.json -q -o "$name-$j" -j $j "$@"
    check "$name with $j threads" diff -r "$name-1" "$name-$j"
  done
}
same multilevel
same jacobi --set solver.preconditioner=jacobi --set frames.end=2
same filter --set contact.response=filter --set frames.end=2
same ichol --set solver.preconditioner=ichol
same cholesky --set solver.linear=cholesky --set frames.end=2
for method in descent pbd xpbd; do
  same $method --set solver.method=$method
done
same pd --set solver.method=pd --set solver.iterations=20
same damped --set cloth.material.stretch_damping=0.05
same accuracy --set frames.accuracy=0.02 --set frames.substeps=16
same symplectic --set solver.method=symplectic --set frames.substeps=100 --set frames.end=2 \
  --set cloth.material.stretch=0.1x
check "methods differ, so this could fail" sh -c '! cmp -s multilevel-1/cloth_0003.obj descent-1/cloth_0003.obj'

# where the number of threads comes from
expect 0 env CLOTHSIM_THREADS=3 "$clothsim" cloth.json -q -o env
check "CLOTHSIM_THREADS" diff -r multilevel-1 env
threads_of() { # of a run that is going on
  local pid count=0
  rm -rf long
  "$@" "$clothsim" cloth.json -q -o long -e 5000 &
  pid=$!
  for _ in $(seq 400); do
    [ -s long/run.json ] && break
    sleep 0.02
  done
  count=$(ls /proc/$pid/task | wc -l)
  kill -TERM $pid
  wait $pid
  echo "$count"
}
[ "$CONFIG" = thread ] || {
  equal "$(threads_of env CLOTHSIM_THREADS=3 OMP_NUM_THREADS=2)" 3 "CLOTHSIM_THREADS first"
  equal "$(threads_of env OMP_NUM_THREADS=4 SLURM_CPUS_PER_TASK=2)" 4 "then OMP_NUM_THREADS"
  equal "$(threads_of env SLURM_CPUS_PER_TASK=5)" 5 "then SLURM_CPUS_PER_TASK"
}
report
