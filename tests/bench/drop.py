#!/usr/bin/python3
"""drop.py [options] N...: the drop on a ball, with N x N vertices: what a frame costs and how it looks.

A cotton cloth of 2 m falls 0.1 m onto a static ball of radius 0.5 m: 24 frames a second, friction 0.3,
contact filter with self-contact. The contact distance is 5 mm up to 65 x 65 and from there on shrinks
with the cell (0.16 of it), else neighbours would be in contact at rest. Times are of the whole process,
start and the writing of the cache included, over the number of frames simulated.

Strain is that of the grid's edges along warp and weft, without diagonals, over all frames after the
first: the mean of its absolute value, the mean over frames of the 99th percentile of stretch, and the
largest stretch. Pairs are triangles of cloth and ball or cloth and cloth (the latter alone are "self")
that meet, summed over all frames, by bin/clothsim --verify-contact: also of the programs we compare
with, whose frames come here through clothcache import. "open" is the share of our substeps whose
iterations ended unsettled and above the tolerance.

"off" is how far [mm] the height of the centre of mass is from that of a converged run, at most over all
frames, and "at end" the same in the last frame. The converged run has quality final and 40 substeps; it is
made once for each size and kept in the folder of --out (minutes; --reference makes it, without it and
without such a run the columns stay empty). "aside" is how far [mm] the centre of mass comes from the ball's
axis at most. Cloth and ball are symmetric: any such distance is which fold happened to fall first, and a
start moved by 1e-7 m changes it by as much as itself (docs/performance.md). It needs no converged run.

Prints a table, and writes drop.csv (drop_blender.csv, drop_bullet.csv) into the folder of --out.
"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import threading

import numpy as np

import peers
from peers import ROOT, face_lines, fresh, measured, pairs, read_pc2, write_obj

SIZE, RADIUS, HEIGHT, FPS = 2.0, 0.5, 0.6, 24  # [m], [m], [m] of the cloth's start, [1/s]
COLUMNS = ("program", "n", "threads", "frames", "wall_s", "cpu_s", "bytes_per_vertex", "pairs",
           "self_pairs", "mean_strain", "p99_stretch", "max_stretch", "unconverged", "off_mm", "end_mm", "aside_mm")


def thickness(n):
    """[m]"""
    return 0.005 * min(1.0, 64 / (n - 1))


def scene(n, options):
    frames = {"start": 1, "end": options.frames + 1, "fps": FPS}
    if options.substeps:
        frames["substeps"] = options.substeps
    return {
        "version": 1, "name": "drop", "quality": options.quality, "frames": frames,
        "solver": {"iterations": options.iterations} if options.iterations else {},
        "objects": [
            {"name": "cloth", "type": "cloth", "position": [0, HEIGHT, 0], "material": "cotton",
             "mesh": {"shape": "grid", "size": [SIZE, SIZE], "cells": [n - 1, n - 1]}},
            {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": RADIUS}}],
        "contact": {"response": "filter", "self": True, "thickness": thickness(n), "friction": 0.3},
        "output": {"obj": False, "velocities": False}}


def strains(frames, n):
    """Mean |strain|, 99th percentile and maximum of stretch, over all frames but the first."""
    rest, means, highs, top = SIZE / (n - 1), [], [], 0.0
    for k, x in enumerate(frames):
        x = np.asarray(x, float).reshape(n, n, 3)
        s = np.concatenate([np.linalg.norm(np.diff(x, axis=a), axis=2).ravel() for a in (0, 1)]) / rest - 1
        if k == 0:
            if np.abs(s).max() > 1e-3:
                sys.exit("drop.py: the first frame is not the grid at rest, row by row")
            continue
        means.append(np.abs(s).mean())
        highs.append(np.percentile(s, 99))
        top = max(top, s.max())
    return float(np.mean(means)), float(np.mean(highs)), float(top)


def centres(frames, n):
    """Centre of mass of every frame, (frames, 3)."""
    w = np.ones((n, n))
    for side in (w[0], w[-1], w[:, 0], w[:, -1]):
        side *= 0.5
    w = (w / w.sum()).ravel()
    return np.array([w @ np.asarray(x, float).reshape(-1, 3) for x in frames])


def distances(frames, n):
    """[mm] of heights of the centre of mass from the converged run's: largest, in the last frame; "" without a
    converged run. And the largest distance [mm] of the centre of mass from the axis."""
    found = centres(frames, n)
    aside = 1e3 * float(np.linalg.norm(found[:, [0, 2]], axis=1).max())
    path = f"{options.out}/drop_converged_{n}_{options.frames}.npy"
    if options.reference and not os.path.exists(path):
        place = f"{options.out}/drop_converged"
        asked = options.quality, options.substeps, options.set
        options.quality, options.substeps, options.set = "final", 40, []
        simulate(n, 2, place)
        options.quality, options.substeps, options.set = asked
        subprocess.run([f"{options.bin}/clothcache", "export", f"{place}/out/drop.clothcache", "--to", "pc2",
                        "-o", f"{place}/pc2", "--object", "cloth"], check=True)
        np.save(path, centres(read_pc2(f"{place}/pc2/cloth.pc2"), n))
        shutil.rmtree(place)
    if not os.path.exists(path):
        return "", "", aside
    off = 1e3 * np.abs(found[:, 1] - np.load(path)[:, 1])
    return float(off.max()), float(off[-1]), aside


def row(program, n, threads, wall, cpu, memory, crossing, frames):
    count = options.frames
    return dict(zip(COLUMNS, (program, n, threads, count, wall / count, cpu / count, memory, *crossing,
                              *strains(frames, n), "", *(distances(frames, n) if program == "clothsim" else ("", "", "")))))


def simulate(n, threads, place):
    """Wall, user time, memory; the cache is in the place."""
    fresh(place)
    with open(f"{place}/drop.json", "w") as f:
        json.dump(scene(n, options), f)
    command = [f"{options.bin}/clothsim", f"{place}/drop.json", "-o", f"{place}/out", "-j", str(threads),
               "--progress=none", "-q", "--checkpoint-every", "0"]
    for change in options.set:
        command += ["--set", change]
    return measured(command, f"{place}/log")


def ours(n):
    """A row for each number of threads. The cache must not depend on it."""
    rows, first, look = [], None, None
    for threads in options.threads:
        base = simulate(3, threads, f"{options.out}/drop_tiny")[2]
        place = f"{options.out}/drop_{n}_{threads}"
        wall, cpu, memory = simulate(n, threads, place)
        cache = f"{place}/out/drop.clothcache"
        with open(cache, "rb") as f:
            data = f.read()
        if first is None:
            first = data
            subprocess.run([f"{options.bin}/clothcache", "export", cache, "--to", "pc2", "-o",
                            f"{place}/pc2", "--object", "cloth"], check=True)
            crossing = pairs(options.bin, cache, options.frames + 1)
            crossing = crossing, self_pairs(f"{place}/pc2/cloth.pc2", place) if crossing else 0
            look = row("clothsim", n, threads, wall, cpu, 0, crossing, read_pc2(f"{place}/pc2/cloth.pc2"))
            shutil.rmtree(f"{place}/pc2")
            with open(f"{place}/out/run.json") as f:
                report = json.load(f)
            look["unconverged"] = report["unconverged_substeps"] / report["substeps"]
        elif data != first:
            sys.exit(f"drop.py: {n} x {n}: other bytes with {threads} threads")
        rows.append({**look, "threads": threads, "wall_s": wall / options.frames,
                     "cpu_s": cpu / options.frames, "bytes_per_vertex": round((memory - base) / n**2)})
        tell(rows[-1])
    return rows


def theirs(program, n):
    """A row for a program that writes cloth.f32 (frames x vertices x 3), cloth.tri, ball.f32, ball.tri
    (int32) and times.json into a folder."""
    place = fresh(f"{options.out}/{program}_{n}")
    if program == "bullet":
        measured([f"{options.out}/bullet_drop", str(n), str(options.frames), place], f"{place}/log")
        times = peers.read_times(place)
    else:
        grid = {"n": n - 1, "size": SIZE, "height": HEIGHT, "radius": RADIUS}
        times = peers.run_blender(program, {"frames": options.frames, "fps": FPS, "drop": grid,
                                            "self_distance": 0.3 * SIZE / (n - 1)}, place)
    read = {name: np.fromfile(f"{place}/{name}", np.int32 if name.endswith("tri") else np.float32)
            for name in ("cloth.f32", "cloth.tri", "ball.f32", "ball.tri")}
    frames = read["cloth.f32"].reshape(-1, n * n, 3)
    cloth, ball = (face_lines(read[f"{name}.tri"].reshape(-1, 3)) for name in ("cloth", "ball"))
    folder = fresh(f"{place}/frames")
    for k, xyz in enumerate(frames):
        write_obj(f"{folder}/cloth_{k + 1:04d}.obj", xyz, cloth)
    crossing = [imported(folder, f"{place}/cloth.clothcache")]
    for k in range(len(frames)):
        write_obj(f"{folder}/ball_{k + 1:04d}.obj", read["ball.f32"].reshape(-1, 3), ball)
    crossing.insert(0, imported(folder, f"{place}/{program}.clothcache"))
    shutil.rmtree(folder)
    result = row(program, n, times["threads"], times["wall"], times["cpu"], "", crossing, frames)
    tell(result)
    return result


def imported(frames, cache, *more):
    """Pairs that meet in a cache made of frames."""
    return peers.imported(options.bin, frames, cache, options.frames + 1, FPS, *more)


def self_pairs(pc2, place):
    return imported(pc2, f"{place}/cloth.clothcache", "--mesh", pc2.replace(".pc2", "_rest.obj"))


def tell(r=None):
    if r is None:
        print(f"{'program':9}{'N':>6}{'threads':>8}{'wall [s]':>10}{'CPU [s]':>10}{'B/vertex':>9}"
              f"{'pairs':>8}{'self':>8}{'strain: mean':>13}{'p99':>8}{'max':>8}{'open':>6}{'off':>6}{'at end':>7}{'aside':>6}", flush=True)
        return
    open_share = r["unconverged"] if r["unconverged"] == "" else f"{r['unconverged']:.2f}"
    off, end, aside = (v if v == "" else f"{v:.1f}" for v in (r["off_mm"], r["end_mm"], r["aside_mm"]))
    print(f"{r['program']:9}{r['n']:6}{r['threads']:8}{r['wall_s']:10.4f}{r['cpu_s']:10.4f}"
          f"{r['bytes_per_vertex']:>9}{r['pairs']:8}{r['self_pairs']:8}{r['mean_strain']:13.4f}"
          f"{r['p99_stretch']:8.4f}{r['max_stretch']:8.3f}{open_share:>6}{off:>6}{end:>7}{aside:>6}", flush=True)


def write_csv(rows):
    name = f"drop_{options.against}.csv" if options.against else "drop.csv"
    with open(f"{options.out}/{name}", "w", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for r in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})


def capacity(n, runs):
    """How much more work the machine does when as many runs of one thread go side by side: what no number of
    threads can exceed."""
    places = [f"{options.out}/drop_{n}_beside_{k}" for k in range(runs)]
    walls = [0.0] * runs

    def go(k):
        walls[k] = simulate(n, 1, places[k])[0]

    beside = [threading.Thread(target=go, args=(k,)) for k in range(runs)]
    for t in beside:
        t.start()
    for t in beside:
        t.join()
    alone = simulate(n, 1, places[0])[0]
    for place in places:
        shutil.rmtree(place)
    return sum(alone / wall for wall in walls)


def tell_scaling(rows):
    """Threads against one thread; the exponent of time over vertices from size to size, by CPU time of
    the first number of threads, which a loaded machine distorts least."""
    for n in options.sizes:
        mine = [r for r in rows if r["n"] == n]
        for r in mine[1:]:
            print(f"{n} x {n}: {r['threads']} threads {mine[0]['wall_s'] / r['wall_s']:.2f} times as fast "
                  f"as {mine[0]['threads']} (wall), {r['cpu_s'] / mine[0]['cpu_s']:.2f} times the CPU time; "
                  f"{r['threads']} runs side by side: {capacity(n, r['threads']):.2f} times the work of one")
    single = [r for r in rows if r["threads"] == options.threads[0]]
    for a, b in zip(single, single[1:]):
        power = np.log(b["cpu_s"] / a["cpu_s"]) / np.log((b["n"] / a["n"]) ** 2)
        print(f"{a['n']} to {b['n']}: time grows as vertices^{power:.2f}")


def main():
    global options
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sizes", metavar="N", type=int, nargs="+", help="vertices along a side, from 3 on")
    p.add_argument("--against", choices=("blender", "bpy", "bullet"),
                   help="run it on the same scene too: Debian's Blender, its newer version as a Python module, Bullet")
    p.add_argument("--frames", type=int, default=50, help="to simulate (50)")
    p.add_argument("--quality", default="normal", help="of ours: draft, normal or final (normal)")
    p.add_argument("--substeps", type=int, help="of ours, a frame (what the quality says)")
    p.add_argument("--reference", action="store_true", help="make the converged run where there is none")
    p.add_argument("--iterations", type=int, help="of ours, a substep, at most (what the quality says)")
    p.add_argument("--threads", help="of ours, as 1,2 (default; with --against 2)")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="as of clothsim")
    p.add_argument("--bin", default=f"{ROOT}/bin", help="where the programs are")
    p.add_argument("--out", default=f"{ROOT}/build/release/bench", help="where tables and runs go")
    options = p.parse_args()
    if min(options.sizes) < 3 or options.frames < 1:
        p.error("at least 3 x 3 vertices and one frame")
    options.threads = [int(t) for t in (options.threads or ("2" if options.against else "1,2")).split(",")]
    peers.need_blender(options.against)
    os.makedirs(options.out, exist_ok=True)
    rows, ratios = [], []
    print(f"seconds per frame over {options.frames} frames; clothsim: quality {options.quality}"
          + (f", {options.substeps} substeps" if options.substeps else "") + "".join(", " + s for s in options.set))
    tell()
    for n in options.sizes:
        mine = ours(n)
        rows += mine
        if options.against:
            other = theirs(options.against, n)
            rows.append(other)
            off, end = mine[-1]["off_mm"], mine[-1]["end_mm"]
            off = f"; height of the centre of mass {off:.1f} mm from converged, {end:.1f} at the end" if off != "" else ""
            ratios.append(f"{n} x {n}, quality {options.quality}: {options.against} takes {other['wall_s'] / mine[-1]['wall_s']:.2f} "
                          f"times our wall time, {other['cpu_s'] / mine[-1]['cpu_s']:.2f} times our CPU time{off}")
        write_csv(rows)  # after every size: the next may take long
    print("\n".join(ratios))
    tell_scaling(rows if not options.against else [])


if __name__ == "__main__":
    main()
