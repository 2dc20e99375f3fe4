#!/usr/bin/python3
"""ball.py [options]: a ball flies through hanging and falling curtains, tested exactly after every substep.

A curtain of 1 m, held at two corners ("pinned") or not ("free"), and a rigid ball of 0.1 m that meets its middle 0.15 s after the start and
goes on. Scenes have no other setting. "pairs" are the substeps after which anything passes through anything; the other columns are those
of pose.py, "seconds" the user time of the whole run, tests included.
"""
import argparse
import os
import resource

import pose

COLUMNS = ("speed", "cells", "curtain", "frames", "wanted", "pairs", "lag", "strain", "open", "parts", "seconds")


def objects(speed, cells, pinned):
    curtain = {"name": "curtain", "type": "cloth", "material": "cotton", "rotation": [90, 0, 0],
               "mesh": {"shape": "grid", "size": [1, 1], "cells": [cells, cells]}}
    if pinned:
        curtain["pins"] = [{"nearest": [[-0.5, 0.5, 0], [0.5, 0.5, 0]]}]
    way = [{"time": 0, "position": [0, 0, 0.15 * speed]}, {"time": 1, "position": [0, 0, -0.85 * speed]}]
    ball = {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.1, "cells": [24, 24]},
            "position": [0.013, 0.02 if pinned else -0.09, 0], "motion": way}
    return [curtain, ball]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--speeds", type=float, nargs="+", default=[5, 20, 50, 100, 200], metavar="M_PER_S")
    p.add_argument("--cells", type=int, nargs="+", default=[24, 48, 96], metavar="N")
    p.add_argument("--end", type=int, default=8, help="last frame (8)")
    pose.add_options(p)
    args = p.parse_args()
    print(" ".join(f"{c:>8}" for c in COLUMNS), flush=True)
    for cells in args.cells:
        for speed in args.speeds:
            for pinned in (1, 0):
                name = f"ball_{speed:g}_{cells}_{'pinned' if pinned else 'free'}"
                os.makedirs(f"{args.out}/{name}", exist_ok=True)
                path = pose.write_scene(f"{args.out}/{name}", name, args.end, objects(speed, cells, pinned))
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                row = pose.measured(args, name, path, args.end, lambda out, last: 0.0)
                row.update(speed=speed, cells=cells, curtain=name.split("_")[3],
                           seconds=resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
                pose.tell(row, COLUMNS)


if __name__ == "__main__":
    main()
