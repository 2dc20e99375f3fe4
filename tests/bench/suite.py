#!/usr/bin/python3
"""suite.py [options]: scenes x sizes x methods x threads: what a frame costs, and which phases of a step cost it.

Scenes, all of N x N vertices of cotton at 24 frames a second:
  drop     the drop on a ball of drop.py: contact filter, self-contact, 5 substeps
  hang     held by two corners, nothing to touch: 5 substeps
Methods have their own defaults, but for 20 iterations of pd and xpbd. A run that takes longer than --seconds
is stopped there, and its figures are of the frames it has done; one that does not come to two frames has none.

Writes suite.csv, and suite.svg where matplotlib is installed, into the folder of --out. Seconds are per frame
simulated: wall and CPU of the whole process, start included; phases as the program tells them (docs/run-report.md),
of wall time. --before OLD.csv prints each run's time as a ratio to an earlier one's, of the same machine, please.
"""
import argparse
import csv
import json
import os
import sys
from types import SimpleNamespace

import drop
import peers

PHASES = ("start", "search", "contact", "elasticity", "linear", "output", "other")
KEYS = ("scene", "n", "method", "threads")
COLUMNS = KEYS + ("vertices", "frames", "substeps", "wall_s", "cpu_s", "bytes_per_vertex", "iterations",
                  "linear_iterations", "unconverged") + tuple(f"{p}_s" for p in PHASES)


def hang(n, frames):
    return {
        "version": 1, "name": "hang",
        "frames": {"start": 1, "end": frames + 1, "fps": drop.FPS, "substeps": 5},
        "solver": {"tolerance": 1e-2},
        "objects": [{"name": "cloth", "type": "cloth", "material": "cotton",
                     "mesh": {"shape": "grid", "size": [2, 2], "cells": [n - 1, n - 1]},
                     "pins": [{"vertices": [0, n - 1]}]}],
        "contact": {"response": "none"},
        "output": {"obj": False, "velocities": False}}


def build(name, n, method, options):
    if name == "drop":
        scene = drop.scene(n, SimpleNamespace(frames=options.frames, substeps=None, iterations=None, quality="normal"))
    else:
        scene = hang(n, options.frames)
    if method != "auto":
        scene["solver"]["method"] = method
    if method in ("pd", "xpbd"):
        scene["solver"]["iterations"] = 20
    return scene


def simulate(scene, place, threads, options):
    """Wall and user time [s], peak memory [bytes], the program's own summary; None when it was too slow."""
    peers.fresh(place)
    with open(f"{place}/scene.json", "w") as f:
        json.dump(scene, f)
    command = [f"{options.bin}/clothsim", f"{place}/scene.json", "-o", f"{place}/out", "-j", str(threads), "--json",
               "--progress=none", "-q", "--checkpoint-every", "0", "--max-time", str(options.seconds)]
    wall, cpu, memory = peers.measured(command, f"{place}/log", (0, 75))
    with open(f"{place}/log") as f:
        summary = json.loads(f.read().splitlines()[-1])
    return (wall, cpu, memory, summary) if summary["frames_written"] > 2 else None


def measure(name, n, method, threads, options):
    place = f"{options.out}/suite"
    base = simulate(build(name, 3, method, options), place, threads, options)[2]
    found = simulate(build(name, n, method, options), place, threads, options)
    row = dict.fromkeys(COLUMNS, "") | {"scene": name, "n": n, "method": method, "threads": threads, "vertices": n * n}
    if found:
        wall, cpu, memory, summary = found
        frames, taken = summary["frames_written"] - 1, summary["substeps"]
        row |= {"frames": frames, "substeps": taken, "wall_s": wall / frames, "cpu_s": cpu / frames,
                "bytes_per_vertex": round((memory - base) / n**2), "iterations": summary["iterations"] / taken,
                "linear_iterations": summary["linear_iterations"] / taken,
                "unconverged": summary["unconverged_substeps"] / taken}
        row |= {f"{p}_s": summary["seconds"][p] / frames for p in PHASES}
    return row


def tell(row=None):
    if row is None:
        print(f"{'scene':6}{'N':>5} {'method':8}{'threads':>7}{'wall [s]':>10}{'CPU [s]':>10}{'B/vertex':>9}"
              f"{'its':>6}{'linear':>8}" + "".join(f"{p:>11}" for p in PHASES))
        return
    head = f"{row['scene']:6}{row['n']:5} {row['method']:8}{row['threads']:7}"
    if row["frames"] == "":
        print(f"{head}  too slow", flush=True)
        return
    shares = "".join(f"{row[f'{p}_s'] / row['wall_s']:11.0%}" for p in PHASES)
    print(f"{head}{row['wall_s']:10.4f}{row['cpu_s']:10.4f}{row['bytes_per_vertex']:9}{row['iterations']:6.1f}"
          f"{row['linear_iterations']:8.1f}{shares}", flush=True)


def write_csv(rows, path):
    with open(path, "w", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for r in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})


def read_csv(path):
    with open(path, newline="") as f:
        return {tuple(r[k] for k in KEYS): r for r in csv.DictReader(f)}


def compare(rows, before):
    print("CPU time against the earlier run's")
    for r in rows:
        old = before.get(tuple(str(r[k]) for k in KEYS))
        if old and old["cpu_s"] and r["cpu_s"]:
            print(f"{r['scene']:6}{r['n']:5} {r['method']:8}{r['threads']:7}{r['cpu_s'] / float(old['cpu_s']):10.2f}")


def plot(rows, path):
    """Left: time over size, a line for each method. Right: phases of the largest size, one thread."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib for Python (make deps-bench): no plot")
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    done = [r for r in rows if r["frames"] != "" and r["threads"] == min(x["threads"] for x in rows)]
    scenes = list(dict.fromkeys(r["scene"] for r in done))
    figure, axes = plt.subplots(len(scenes), 2, figsize=(10, 4 * len(scenes)), squeeze=False)
    for (left, right), name in zip(axes, scenes):
        mine = [r for r in done if r["scene"] == name]
        for method in dict.fromkeys(r["method"] for r in mine):
            line = [(r["vertices"], r["cpu_s"]) for r in mine if r["method"] == method]
            left.loglog(*zip(*line), "o-", label=method)
        left.set(title=name, xlabel="vertices", ylabel="CPU time a frame [s]")
        left.legend()
        left.grid(True, which="both", alpha=0.3)
        largest = [r for r in mine if r["n"] == max(x["n"] for x in mine)]
        foot = [0.0] * len(largest)
        for p in PHASES:
            height = [r[f"{p}_s"] / r["wall_s"] for r in largest]
            right.bar([r["method"] for r in largest], height, bottom=foot, label=p)
            foot = [a + b for a, b in zip(foot, height)]
        right.set(title=f"{name}, {largest[0]['n']} x {largest[0]['n']}", ylabel="share of wall time")
        right.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path)


def numbers(text):
    return [int(t) for t in text.split(",")]


def words(text):
    return text.split(",")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--scenes", type=words, default=["drop", "hang"])
    p.add_argument("--sizes", type=numbers, default=[33, 65, 129], help="vertices along a side, from 3 on")
    p.add_argument("--methods", type=words, default=["auto", "newton", "pd", "xpbd"])
    p.add_argument("--threads", type=numbers, default=[1, 2])
    p.add_argument("--frames", type=int, default=20, help="to simulate (20)")
    p.add_argument("--seconds", type=float, default=30, help="that a run may take (30)")
    p.add_argument("--before", metavar="CSV", help="of an earlier run, to compare with")
    p.add_argument("--bin", default=f"{peers.ROOT}/bin", help="where the programs are")
    p.add_argument("--out", default=f"{peers.ROOT}/build/release/bench", help="where table and plot go")
    options = p.parse_args()
    if not set(options.scenes) <= {"drop", "hang"}:
        p.error("scenes are drop and hang")
    if min(options.sizes) < 3 or options.frames < 2:
        p.error("at least 3 x 3 vertices and two frames")
    before = read_csv(options.before) if options.before else {}  # which may be where the new one goes
    rows = []
    tell()
    for name in options.scenes:
        for n in options.sizes:
            for method in options.methods:
                for threads in options.threads:
                    rows.append(measure(name, n, method, threads, options))
                    tell(rows[-1])
        write_csv(rows, f"{options.out}/suite.csv")
    plot(rows, f"{options.out}/suite.svg")
    if before:
        compare(rows, before)


if __name__ == "__main__":
    sys.exit(main())
