# benches measure what they say: a tiny drop, and strains and crossings made by hand.
. "$ROOT/tests/cli/kit"
drop=$ROOT/tests/bench/drop.py
check "the script is there" test -x "$drop"
needs_numpy
expect 0 $python "$drop" 5 9 --frames 2 --bin "$BIN" --out bench
check "a row for each size and number of threads" [ "$(grep -c '^clothsim,' bench/drop.csv)" = 4 ]
check "two threads against one" grep -q '^9 x 9: 2 threads' stdout
check "growth" grep -q '^5 to 9: time grows as vertices^' stdout
expect 1 $python "$drop" 5 --frames 2 --bin "$BIN" --out bench --set solver.nonsense=1
says nonsense
expect 2 $python "$drop" 2 --bin "$BIN" --out bench
cat >made.py <<'PY'
import argparse, os, subprocess, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import drop
import numpy as np
drop.options = argparse.Namespace(bin=sys.argv[2], frames=1)
n = 5
z, x = np.meshgrid(*2 * [np.linspace(-1, 1, n)], indexing="ij")
rest = np.stack([x, 0 * x + 1, z], 2).reshape(-1, 3)
wide = rest * [1.2, 1, 1]
mean, p99, top = drop.strains(np.array([rest, wide, rest]), n)
assert np.allclose((mean, p99, top), (0.05, 0.1, 0.2)), (mean, p99, top)
drop.options.out, drop.options.reference = ".", False
np.save("drop_converged_5_1.npy", drop.centres([rest, rest], n))
moved = rest + [0.003, 0.002, 0.004]
assert np.allclose(drop.distances([rest, moved], n), (2, 2, 5)), drop.distances([rest, moved], n)
assert np.allclose(drop.distances([moved, rest], n), (2, 0, 5))
drop.options.frames = 2
assert drop.distances([rest, moved, rest], n)[:2] == ("", "")
drop.options.frames = 1
assert drop.thickness(33) == drop.thickness(65) == 0.005 and drop.thickness(129) == 0.0025
ball = np.array([[0.1, 0, 0.05], [0.3, 0, 0.1], [0.1, 0, 0.3], [0.15, 2, 0.12]])
square = np.arange(n * n).reshape(n, n)
a, b, c, d = (q.ravel() for q in (square[:-1, :-1], square[1:, :-1], square[:-1, 1:], square[1:, 1:]))
tri = np.concatenate([np.stack(t, 1) for t in ((a, b, c), (c, b, d))])
drop.fresh("frames")
for k in (1, 2):
    drop.write_obj(f"frames/cloth_{k:04d}.obj", rest, drop.face_lines(tri))
assert drop.imported("frames", "cloth.clothcache") == 0
for k in (1, 2):
    drop.write_obj(f"frames/ball_{k:04d}.obj", ball, drop.face_lines(np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])))
found = drop.imported("frames", "both.clothcache")
assert found >= 6 and found % 2 == 0, found
PY
expect 0 $python made.py "$drop" "$BIN"

# scaling.py: schedules whose length is known, and a trace as a recording build writes it
cat >replayed.py <<'PY'
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import numpy as np
import scaling
ones = np.ones(12)
assert [scaling.makespan(ones, c) for c in (1, 2, 4, 5, 12, 64)] == [12, 6, 3, 3, 1, 1]
# the core with the short slice helps with the long one, chunk by chunk
assert scaling.makespan(np.array([4.0, 4, 1, 1]), 2) == 6 and scaling.makespan(np.array([1.0, 1, 4, 1]), 2) == 4
records = b""
for n, before, chunk in ((4, 1.0, [1, 1, 1, 1]), (-1, 0.5, [2]), (2, 0.25, [3, 1])):
    records += np.int32(n).tobytes() + np.float32([before, *chunk]).tobytes()
open("trace", "wb").write(records + np.int32(9).tobytes() + np.float32([1]).tobytes())
total, serial, critical, loops = scaling.replay("trace", 0.125)
assert serial == 1.75 and critical == 4 and loops == 2, (serial, critical, loops)
assert total[1] == 1.75 + 4 + 2 + 4 and total[2] == 1.75 + 2 + 3 + 0.25 and total[4] == 1.75 + 1 + 3 + 0.25, total
PY
expect 0 $python replayed.py "$ROOT/tests/bench/scaling.py"

# the recorder itself: two jobs and a task, on a pool that is built to record
cat >recorded.c <<'C'
#include "base/pool.h"
static double busy[4];
static void work(void *context, int chunk) {
  (void)context;
  for (int i = 0; i < 1000000 * (1 + chunk); i++) busy[chunk] += 1e-3;
}
static void task(void *context) { work(context, 3); }
int main(void) {
  csim_pool *pool = csim_pool_create(1);
  csim_pool_run(pool, 3, work, 0);
  work(0, 1); // between the jobs
  csim_pool_begin_task(pool, task, 0);
  csim_pool_end_task(pool);
  csim_pool_run(pool, 1, work, 0); // a single chunk is no job
  csim_pool_run(pool, 2, work, 0);
  csim_pool_free(pool);
  return 0;
}
C
expect 0 ${CC:-gcc} -std=c17 -D_GNU_SOURCE -pthread -O1 -DCSIM_POOL_TRACE -I"$ROOT/lib" recorded.c \
  "$ROOT"/lib/base/{trace,pool,timer,arena}.c -o recorded -lm
expect 0 env CSIM_POOL_TRACE=written ./recorded
cat >written.py <<'PY'
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import scaling
jobs = list(scaling.read_trace("written"))
assert [n for n, _, _ in jobs] == [3, -1, 2], jobs
(_, first, a), (_, between, b), (_, single, c) = jobs
assert a[0] < a[1] < a[2] and c[0] < c[1] and len(b) == 1 and b[0] > a[1], jobs
assert first < between and 0.3 * a[0] < single < 3 * a[0] and 0.3 * a[1] < between < 3 * a[1], jobs
PY
expect 0 $python written.py "$ROOT/tests/bench/scaling.py"

# suite.py: a row for each run, whose phases are its wall time but for the start of the process
suite=$ROOT/tests/bench/suite.py
expect 0 $python "$suite" --sizes 5,9 --frames 4 --methods auto,pd --bin "$BIN" --out bench
check "a row for each run" [ "$(wc -l <bench/suite.csv)" = 17 ]
cat >phases.py <<'PY'
import csv
for r in csv.DictReader(open("bench/suite.csv")):
    phases = sum(float(r[f"{p}_s"]) for p in "start search contact elasticity linear output other".split())
    assert 0 < phases <= float(r["wall_s"]), r
    assert r["frames"] == "4" and float(r["iterations"]) >= 1 and (float(r["search_s"]) > 0) == (r["scene"] == "drop"), r
PY
expect 0 $python phases.py
sed -i 's/^\(drop,5,auto,1,25,4,[0-9]*,[^,]*\),[^,]*/\1,0.000001/' bench/suite.csv
expect 0 $python "$suite" --sizes 5 --frames 4 --methods auto --threads 1 --bin "$BIN" --out bench --before bench/suite.csv
check "ratios to an earlier run" grep -qE '^drop      5 auto          1 +[0-9]{3,}\.[0-9]{2}$' stdout
expect 2 $python "$suite" --scenes nothing --bin "$BIN" --out bench

# truth.py: a row for each quality and one for the converged run, which is kept, and used again
truth=$ROOT/tests/bench/truth.py
expect 0 $python "$truth" --scenes cube --qualities draft final --frames 2 --bin "$BIN" --out bench
check "a row for each run" [ "$(grep -c '^cube,[0-9]*,2,' bench/truth.csv)" = 3 ]
check "the converged run is 0 from itself" grep -qE '^cube,.*,converged,[^,]*,0,0,' bench/truth.csv
kept=$(echo bench/truth_cube_*.npz)
touch -d 2001-01-01 "$kept"
expect 0 $python "$truth" --scenes cube --qualities draft --frames 2 --bin "$BIN" --out bench
check "the converged run is kept" [ "$(date -r "$kept" +%Y)" = 2001 ]
expect 2 $python "$truth" --scenes nothing --bin "$BIN" --out bench
cat >made.py <<'PY'
import argparse, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import truth
import numpy as np
truth.options = argparse.Namespace(bin=sys.argv[2], out="bench", threads=1)
best = {"cpu": 1, "height": np.array([1, 0.5, 0.2]), "last": np.zeros((2, 3)), "strain": 0.1, "open": 0}
run = {**best, "height": np.array([1, 0.51, 0.195]), "last": np.array([[0.003, 0, 0.004], [0, 0.005, 0]])}
r = truth.row("made", "draft", run, best)
assert np.allclose((r["height_mm"], r["rms_mm"]), (10, 5)) and (r["vertices"], r["frames"]) == (2, 2), r
for name, (make, frames) in truth.SCENES.items():
    scene = make()
    assert "solver" not in scene or not scene["solver"], name
    assert "substeps" not in scene["frames"], name
c = truth.converged(truth.board(), "bench/made")
assert c["quality"] == "final" and c["frames"]["substeps"] == 40 and c["solver"]["iterations"] == 400, c
assert np.allclose([c["solver"][key] for key in truth.TOLERANCES], 0.002), c
PY
expect 0 $python made.py "$truth" "$BIN"

# garments.py: seams that are welded, strains against the first frame, axes that turn and turn back
garments=$ROOT/tests/bench/garments.py
expect 2 $python "$garments" nothing
expect 2 $python "$garments" skirt
says "skirt needs --skirt"
cat >worn.py <<'PY'
import argparse, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import garments
import numpy as np
# two panels of two triangles, their edges at x = 1 sewn with a gap of 0.3 mm, their others 2 mm from a third panel
panel = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
x = np.concatenate([panel, [2.0003, 0, 0] - panel * [1, -1, 1], panel - [1.002, 0, 0]])
tri = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(3)])
at = garments.welded(x, tri)
assert at.max() == 9 and at[1] == at[5] and at[2] == at[6] and len(np.unique(at)) == 10, at
assert len(garments.edges_of(tri)) == 15 and len(garments.edges_of(at[tri])) == 14
mean, p99, top = garments.strains(np.array([x, 1.2 * x, x]), garments.edges_of(tri))
assert np.allclose((mean, p99, top), (0.1, 0.1, 0.2)), (mean, p99, top)
up = garments.z_up(np.array([[1, 2, 3]]))
assert up.tolist() == [[1, -3, 2]] and garments.y_up(up).tolist() == [[1, 2, 3]]
# a cloth that passes through a body whose own triangles intersect: only the cloth's pairs count
garments.options = argparse.Namespace(bin=sys.argv[2])
body = np.concatenate([panel - [0.5, 0.5, 0], (panel - [0.5, 0.5, 0])[:, [2, 0, 1]]])
cloth = panel[:, [1, 2, 0]] + [0.05, 0.1, -0.6]
frames = [np.array([cloth, cloth + [0, 5, 0]]), tri[:2], np.array([body, body]), tri[:4]]
found, own = garments.counted(".", *frames)
assert found > 0 and own == 0, (found, own)
assert garments.counted(".", frames[0][1:], tri[:2], frames[2][1:], tri[:4]) == (0, 0)
PY
expect 0 $python worn.py "$garments" "$BIN"
report
