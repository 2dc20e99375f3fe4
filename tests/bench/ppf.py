#!/usr/bin/python3
"""ppf.py [options] [scene...]: four scenes after the parameters of ppf-contact-solver's examples, beside its times.

drape    five sheets of 2 m, 5 cm apart, held at two corners, fall past a ball of 0.5 m below; strain limit 5 %
curtain  fifteen curtains of 2 m, 0.25 m apart, and a ball of 0.5 m that goes through all of them at 1.6 m/s
hang     one sheet of 2 m, held at two corners, strain limit 1 %; gravity turns over between 1 s and 2 s
twist    a tube of 0.5 m radius, 2 m long, 360 vertices around; its ends turn against each other, a turn a second

The limits are bounds ("limit_law") of every direction, as theirs: "strain" is the largest of any triangle in any substep, "last" that of
the edges in the last frame.

The scenes are rebuilt from their parameters, not copied; steps are of 0.01 s, two a frame. --scale is the number of
cells along every side as a share of theirs: times are to be compared at 1 only. --frames shortens them.

"there" is the time a frame [s] that the README of ppf-contact-solver (Apache-2.0) tells for an NVIDIA L4. A frame there is
1/60 s; here it is 1/50 s, so that steps are as long as those of drape there. "cpu" is the user time [s] of one thread here for
1/60 s. The other columns are those of tight.py.
"""
import argparse
import csv

import tight

COLUMNS = ("scene", "vertices", "frames", "wanted", "pairs", "strain", "last", "open", "parts", "lag", "cpu", "there")
THERE = {"drape": 1.6, "curtain": 2.1, "hang": 2.6, "twist": 3.1}
FPS, FPS_THERE = 50, 60


def limited(limit):
    return {"preset": "cotton", "limit": limit, "limit_law": "bound"}


def corners(half):
    return [{"nearest": [[-half, 0, -half], [half, 0, -half]]}]


def ball(position, **more):
    return {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.5, "cells": [48, 32]}, "position": position, **more}


def drape(n):
    sheets = [tight.cloth(f"sheet{k}", tight.grid(2, [n(127)] * 2), limited(0.05), position=[0, 0.55 + 0.05 * k, 0], pins=corners(1))
              for k in range(5)]
    return 100, sheets + [ball([0, 0, 0])], {}


def curtain(n):
    row = [tight.cloth(f"curtain{k:02d}", tight.grid(2, [n(63)] * 2), limited(0.05), position=[0, 0, 0.25 * k], rotation=[90, 0, 0],
                       pins=[{"box": [[-2, 1 - 1e-6, -1], [2, 2, 5]]}]) for k in range(15)]
    end = 5 * FPS + 1
    through = ball([0, 0, -1], motion=[{"frame": 1}, {"frame": end, "position": [0, 0, 8]}])
    return end, row + [through], {}


def hang(n):
    over = [{"frame": f, "value": [0, g, 0]} for f, g in ((1, -9.81), (FPS + 1, -9.81), (2 * FPS + 1, 9.81))]
    return 150, [tight.cloth("sheet", tight.grid(2, [n(127)] * 2), limited(0.01), pins=corners(1))], {"gravity": over}


def twist(n):
    def end(sign):
        low, high = sorted((sign * 0.999, sign * 2))
        return {"box": [[-1, low, -1], [1, high, 1]], "motion": [{"frame": 1}, {"frame": 501, "rotation": [0, 1800 * sign, 0]}]}
    tube = {"shape": "tube", "radius": 0.5, "height": 2, "cells": [n(360), n(566)]}
    return 501, [tight.cloth("tube", tube, pins=[end(1), end(-1)])], {"gravity": [0, 0, 0]}


MAKE = {"drape": drape, "curtain": curtain, "hang": hang, "twist": twist}


def measure(args, name):
    frames, objects, more = MAKE[name](lambda cells: max(4, round(cells * args.scale)))
    wanted = min(frames, args.frames)
    made = {"version": 1, "name": name, "frames": {"start": 1, "end": wanted, "fps": FPS, "substeps": 2}, "objects": objects, **more}
    report, cpu = tight.run(args, made, args.verify)
    if args.verify and args.twice:
        cpu = tight.run(args, made, False)[1]
    done, taken = report["last_frame"], max(1, report["substeps"])
    return {"scene": name, "vertices": report["vertices"], "frames": done, "wanted": wanted, "pairs": report.get("crossing_substeps", "-"),
            "strain": report["worst"]["strain"]["value"], "last": tight.last_strain(f"{args.out}/{name}", made, done) if done > 1 else 0.0,
            "open": report["unconverged_substeps"] / taken, "parts": report["halved_substeps"] / taken,
            "lag": 1e3 * report["worst"]["lag"]["value"], "cpu": cpu / max(1, done - 1) * FPS / FPS_THERE,
            "there": THERE[name]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("scene", nargs="*", help="which (all)")
    tight.add_options(p, "ppf")
    p.add_argument("--frames", type=int, default=10**6, help="frames of each at most")
    args = p.parse_args()
    tight.tabulate(args, MAKE, COLUMNS, lambda name: measure(args, name), f"{args.out}/ppf.csv", p)


if __name__ == "__main__":
    main()
