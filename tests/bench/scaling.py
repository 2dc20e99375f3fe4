#!/usr/bin/python3
"""scaling.py [options] N...: how much faster the drop of drop.py, with N x N vertices, would be on more cores.

A build that records what every chunk of every loop takes (make config=trace) runs the drop on one thread, its
loops divided as for 16. Its schedule is then replayed: each core begins with its own slice of a loop's chunks, and
one that has finished takes from the slice with most left, as lib/base/pool.c does. What lies between loops stays
on one core; a loop of more than one chunk costs --barrier on more than one core. Memory is taken to be as fast for
many cores as for one, so the figures are bounds. "Serial" is the share of one core's time that lies between loops or
in loops of one chunk, "critical" that of the largest chunks: no number of cores gets below the sum of the two.

Beside it stands what two threads really do: wall time of one thread over that of two, and the work that two runs
of one thread do side by side, which no two threads can exceed on this machine.

Prints a table, and writes scaling.csv into the folder of --out.
"""
import argparse
import csv
import heapq
import json
import os
import sys

import numpy as np

import drop
import peers

CORES = (1, 2, 4, 8, 16, 32, 64)


def read_trace(path):
    """Yields (chunks, seconds before, [seconds of each chunk]) of each job; chunks is -1 for a task."""
    data = np.fromfile(path, np.float32)
    count = data.view(np.int32)
    at = 0
    while at + 2 <= len(data):
        n = int(count[at])
        length = 1 if n < 0 else n
        if at + 2 + length > len(data):
            return  # the run was stopped while it wrote
        yield n, float(data[at + 1]), data[at + 2:at + 2 + length].astype(float)
        at += 2 + length


def makespan(chunk, cores):
    """[s] until all chunks are done, by as many cores."""
    n = len(chunk)
    if cores == 1:
        return float(chunk.sum())
    if n <= cores:
        return float(chunk.max())
    edge = [n * k // cores for k in range(cores + 1)]
    first, last = edge[:-1], edge[1:]
    free = [(0.0, k) for k in range(cores)]
    heapq.heapify(free)
    end = 0.0
    while True:
        time, k = heapq.heappop(free)
        slice_of = k if first[k] < last[k] else max(range(cores), key=lambda j: last[j] - first[j])
        if first[slice_of] == last[slice_of]:
            return max(end, time, *(t for t, _ in free)) if free else max(end, time)
        time += chunk[first[slice_of]]
        first[slice_of] += 1
        end = max(end, time)
        heapq.heappush(free, (time, k))


def replay(path, barrier):
    """Seconds for each number of cores; seconds of serial work and of the loops' largest chunks; loops."""
    total, serial, critical, loops = dict.fromkeys(CORES, 0.0), 0.0, 0.0, 0
    for n, before, chunk in read_trace(path):
        serial += before
        for cores in CORES:
            total[cores] += before
            if n < 0:
                total[cores] += chunk.sum() if cores == 1 else 0.0
            else:
                total[cores] += makespan(chunk, cores) + (barrier if cores > 1 else 0.0)
        if n > 0:
            loops += 1
            critical += chunk.max()
    return total, serial, critical, loops


def trace(n):
    place = peers.fresh(f"{options.out}/scaling_{n}")
    with open(f"{place}/drop.json", "w") as f:
        json.dump(drop.scene(n, options), f)
    os.environ["CSIM_POOL_TRACE"] = f"{place}/trace"
    peers.measured([f"{options.traced}/clothsim", f"{place}/drop.json", "-o", f"{place}/out", "-j", "1", "--progress=none",
                    "-q", "--checkpoint-every", "0"], f"{place}/log")
    del os.environ["CSIM_POOL_TRACE"]
    return f"{place}/trace"


def main():
    global options
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sizes", metavar="N", type=int, nargs="+", help="vertices along a side, from 3 on")
    p.add_argument("--frames", type=int, default=25, help="to simulate (25)")
    p.add_argument("--quality", default="normal", help="draft, normal or final (normal)")
    p.add_argument("--barrier", type=float, default=1.5, help="[microseconds] that a loop costs on several cores (1.5)")
    p.add_argument("--replay-only", action="store_true", help="without the runs on two threads")
    p.add_argument("--traced", required=True, help="where the recording build is")
    p.add_argument("--bin", required=True, help="where the programs are")
    p.add_argument("--out", required=True, help="where the table and runs go")
    options = p.parse_args()
    if min(options.sizes) < 3 or options.frames < 1:
        p.error("at least 3 x 3 vertices and one frame")
    options.set, options.substeps, options.iterations = [], None, None
    drop.options = options
    os.makedirs(options.out, exist_ok=True)
    rows = []
    print(f"{'N':>5}{'loops a frame':>15}{'serial':>8}{'critical':>9}" + "".join(f"{c:>7}" for c in CORES[1:]) +
          f"{'two really':>12}{'side by side':>14}")
    for n in options.sizes:
        path = trace(n)
        total, serial, critical, loops = replay(path, 1e-6 * options.barrier)
        os.remove(path)
        r = {"n": n, "loops": loops / options.frames, "serial": serial / total[1], "critical": critical / total[1]}
        r.update({f"cores_{c}": total[1] / total[c] for c in CORES[1:]})
        r["two"] = r["beside"] = ""
        if not options.replay_only:
            walls = [drop.simulate(n, t, f"{options.out}/scaling_{n}")[0] for t in (1, 2)]
            r["two"], r["beside"] = walls[0] / walls[1], drop.capacity(n, 2)
        rows.append(r)
        two, beside = (v if v == "" else f"{v:.2f}" for v in (r["two"], r["beside"]))
        print(f"{n:5}{r['loops']:15.0f}{r['serial']:8.3f}{r['critical']:9.3f}" +
              "".join(f"{r[f'cores_{c}']:7.2f}" for c in CORES[1:]) + f"{two:>12}{beside:>14}", flush=True)
    with open(f"{options.out}/scaling.csv", "w", newline="") as f:
        writer = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
