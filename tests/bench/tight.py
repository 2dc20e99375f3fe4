#!/usr/bin/python3
"""tight.py [options] [scene...]: cloth in tight contact: is it whole, how far is it stretched, what does it cost?

twist   a tube of 0.5 m radius, 2 m long, turned six times while its ends come together to 1.2 m
sheets  twenty sheets of 1 m, one on another on a floor, and a ball of rubber thrown on them
ring    a sheet of silk is pulled through a ring by its middle
press   two plates close on a sheet down to 2 mm, and open

--scale is the number of cells along every side as a share of the whole size: 64 x 128 for the tube, 48 x 48 for
the sheets, 64 x 64 for the others. Everything else is what a scene gets that names nothing.

"frames" are those written, of those wanted. "pairs" are the substeps after which anything passes through anything, by
exact predicates (--verify-substeps), which takes no part in the times. "strain" is the largest stretch of a spring in
any frame, and "last" that in the last one; "open" the share of substeps that ended unconverged; "lag" how far a body
is behind its motion [mm]; "parts" the share of substeps that were taken in parts. "cpu" is the user time a frame [s]
of one thread, "hang" that of the same cloth hung up by two corners (of the tube: by its upper end), "times" their ratio.

Prints a table, and writes tight.csv into the folder of --out.
"""
import argparse
import csv
import json
import math
import os
import resource
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ("scene", "vertices", "frames", "wanted", "pairs", "strain", "last", "open", "parts", "lag", "cpu", "hang", "times")
HANG_FRAMES = 12


def whole(*cells):
    return lambda scale: [max(4, round(c * scale)) for c in cells]


SIZES = {"twist": whole(64, 128), "sheets": whole(48, 48), "ring": whole(64, 64), "press": whole(64, 64)}


def cloth(name, mesh, material="cotton", **more):
    return {"name": name, "type": "cloth", "material": material, "mesh": mesh, **more}


def grid(size, cells):
    return {"shape": "grid", "size": [size, size], "cells": cells}


def twist(cells):
    """The ends turn against each other, three turns each in three seconds."""
    def end(sign):
        low, high = sorted((sign * 0.999, sign * 2))
        return {"box": [[-1, low, -1], [1, high, 1]],
                "motion": [{"frame": 1}, {"frame": 73, "position": [0, -0.4 * sign, 0], "rotation": [0, 1080 * sign, 0]}]}
    tube = cloth("tube", {"shape": "tube", "radius": 0.5, "height": 2, "cells": cells}, pins=[end(1), end(-1)])
    return 73, [tube], {"gravity": [0, 0, 0]}


def sheets(cells):
    stack = [cloth(f"sheet{k:02d}", grid(1, cells), position=[0, 0.006 + 0.006 * k, 0]) for k in range(20)]
    ball = {"name": "ball", "type": "solid", "material": "rubber-solid", "position": [-0.5, 0.5, 0.1], "velocity": [2, -3, 0],
            "mesh": {"shape": "sphere", "radius": 0.1, "cells": [16, 10]}}
    return 40, stack + [ball, {"name": "floor", "type": "collider", "mesh": {"shape": "plane"}}], {}


def ring(cells):
    silk = cloth("silk", grid(0.6, cells), "silk", position=[0, 0.08, 0],
                 pins=[{"nearest": [[0, 0, 0]], "motion": [{"frame": 1}, {"frame": 60, "position": [0, -1, 0]}]}])
    ring = {"name": "ring", "type": "collider", "mesh": {"shape": "torus", "radius": 0.09, "tube_radius": 0.02, "cells": [48, 16]}}
    return 60, [silk, ring], {}


def press(cells):
    def plate(name, y, motion=None):
        box = {"shape": "box", "size": [0.4, 0.05, 0.4], "cells": [8, 1, 8]}
        return {"name": name, "type": "collider", "mesh": box, "position": [0, y, 0], **({"motion": motion} if motion else {})}
    # 2 mm are left between the plates in frames 21 to 31
    close = {"position": [0, -0.098, 0]}
    upper = plate("upper", 0.125, [{"frame": 1}, {"frame": 21, **close}, {"frame": 31, **close}, {"frame": 49}])
    return 60, [cloth("cloth", grid(0.6, cells), position=[0, 0.012, 0]), upper, plate("lower", -0.025)], {}


MAKE = {"twist": twist, "sheets": sheets, "ring": ring, "press": press}


def scene(name, frames, objects, more):
    return {"version": 1, "name": name, "frames": {"start": 1, "end": frames, "fps": 24}, "objects": objects, **more}


def hanging(name, objects, more):
    """The cloths alone, hung up."""
    hung = []
    for o in objects:
        if o["type"] != "cloth":
            continue
        o = {**o, "position": [0, 0, 2.0 * len(hung)]}
        if o["mesh"]["shape"] == "grid":
            o["rotation"], half = [90, 0, 0], o["mesh"]["size"][0] / 2
            o["pins"] = [{"nearest": [[-half, half, 2.0 * len(hung)], [half, half, 2.0 * len(hung)]]}]
        else:
            o["pins"] = [{"box": o["pins"][0]["box"]}]
        hung.append(o)
    return scene(f"{name}_hang", HANG_FRAMES, hung, {})


def run(args, made, verify):
    """The run's report, and its user time [s]."""
    out = f"{args.out}/{made['name']}"
    os.makedirs(args.out, exist_ok=True)
    with open(f"{out}.json", "w") as f:
        json.dump(made, f, indent=1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [f"{args.bin}/clothsim", f"{out}.json", "-o", out, "--overwrite", "-q", "-j", "1", "--progress", "none",
               "--checkpoint-every", "0", "--max-time", f"{args.limit:g}"]
    subprocess.run(command + ["--verify-substeps"] * verify + sum((["--set", s] for s in args.set), []), check=False)
    with open(f"{out}/run.json") as f:
        return json.load(f), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def last_strain(out, made, frame):
    """Of the edges of quadrilaterals or triangles that the first frame has, in a frame."""
    most = 0.0
    for o in made["objects"]:
        if o["type"] != "cloth":
            continue
        width = len(str(made["frames"]["end"]))
        read = lambda f: [l.split() for l in open(f"{out}/{o['name']}_{f:0{max(4, width)}d}.obj")]
        rest, now = ([tuple(map(float, w[1:4])) for w in read(f) if w and w[0] == "v"] for f in (1, frame))
        faces = [[int(c.split("/")[0]) - 1 for c in w[1:]] for w in read(1) if w and w[0] == "f"]
        for f in faces:
            for k in range(len(f)):
                a, b = f[k], f[k - 1]
                most = max(most, math.dist(now[a], now[b]) / math.dist(rest[a], rest[b]) - 1)
    return most


def measure(args, name):
    frames, objects, more = MAKE[name](SIZES[name](args.scale))
    made = scene(name, frames, objects, more)
    report, cpu = run(args, made, args.verify)
    if args.verify and args.twice:
        cpu = run(args, made, False)[1]
    _, hang = run(args, hanging(name, objects, more), False)
    done, taken = report["last_frame"], max(1, report["substeps"])
    row = {"scene": name, "vertices": report["vertices"], "frames": done, "wanted": frames,
           "pairs": report.get("crossing_substeps", "-"), "strain": report["worst"]["strain"]["value"],
           "last": last_strain(f"{args.out}/{name}", made, done) if done > 1 else 0.0,
           "open": report["unconverged_substeps"] / taken, "parts": report["halved_substeps"] / taken,
           "lag": 1e3 * report["worst"]["lag"]["value"], "cpu": cpu / max(1, done - 1), "hang": hang / (HANG_FRAMES - 1)}
    row["times"] = row["cpu"] / row["hang"]
    return row


def add_options(p, folder):
    p.add_argument("--scale", type=float, default=1.0, help="of the number of cells along a side")
    p.add_argument("--limit", type=float, default=3600, help="seconds after which a run is stopped")
    p.add_argument("--no-verify", dest="verify", action="store_false", help="without the test after every substep")
    p.add_argument("--once", dest="twice", action="store_false", help="take times from the run with that test too")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="of every scene, as clothsim has it")
    p.add_argument("--bin", default=f"{ROOT}/bin")
    p.add_argument("--out", default=f"{ROOT}/build/bench/{folder}")


def tabulate(args, scenes, columns, measure, path, parser):
    """A line for each scene, and all of them into a file."""
    for name in args.scene:
        if name not in scenes:
            parser.error(f"there is no scene {name}")
    rows = []
    print(" ".join(f"{c:>8}" for c in columns), flush=True)
    for name in args.scene or scenes:
        rows.append(measure(name))
        print(" ".join(f"{rows[-1][c]:>8.3g}" if isinstance(rows[-1][c], float) else f"{rows[-1][c]:>8}" for c in columns), flush=True)
    with open(path, "w", newline="") as f:
        writer = csv.DictWriter(f, columns)
        writer.writeheader()
        writer.writerows(rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("scene", nargs="*", help="which (all)")
    add_options(p, "tight")
    args = p.parse_args()
    tabulate(args, MAKE, COLUMNS, lambda name: measure(args, name), f"{args.out}/tight.csv", p)


if __name__ == "__main__":
    main()
