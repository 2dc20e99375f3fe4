#!/usr/bin/python3
"""truth.py [options]: what each quality costs, and how far it is from a converged run.

Scenes: the drop of drop.py with 65 x 65 and 129 x 129 vertices, the skirt of scenes/contact, the flag of
scenes, a patch that slides down a board of 20 degrees (friction 0.2), a cloth that slides off a ball and
falls free (torn), a cube of foam that drops on a box. --frames shortens them.

CPU is the user time [s] of the process. Distances are from the converged run: "height" is the largest
difference over all frames between the heights of the centres of mass [mm], "rms" that of the vertices in
the last frame [mm]. "strain" is the largest stretch of an edge in any frame, "open" the share of substeps
that ended unconverged.

The converged run has quality final with 8 times the substeps of normal, a tenth of final's tolerances and
5 times its iterations. It is kept in the folder of --out, and made again when the scene or the program is
another. Its own line shows how converged it is.

Prints a table, and writes truth.csv into the folder of --out.
"""
import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np

import drop
import peers

sys.path.insert(0, f"{peers.ROOT}/tools")
import clothcache

COLUMNS = ("scene", "vertices", "frames", "quality", "cpu_s", "height_mm", "rms_mm", "strain", "open")
QUALITIES = ("draft", "normal", "final")
TOLERANCES = ("step_tolerance", "balance", "linear_tolerance")
VACUUM = {"density": 0}


def drop_of(n):
    return drop.scene(n, SimpleNamespace(frames=50, substeps=None, iterations=None, quality="normal"))


def of_file(path):
    """A scene of scenes/, without the settings that a quality stands for."""
    with open(f"{peers.ROOT}/scenes/{path}") as f:
        scene = json.loads(re.sub(r"^\s*//.*$", "", f.read(), flags=re.M))
    scene.pop("$schema", None)
    scene.pop("solver", None)
    del scene["frames"]["substeps"]
    return scene


def made(name, frames, friction, thickness, objects, **more):
    return {"version": 1, "name": name, "frames": {"start": 1, "end": frames + 1, "fps": 24},
            "contact": {"friction": friction, "thickness": thickness}, "objects": objects, **more}


def board():  # as tests/unit/test_truth.c has it
    up = 0.8 * np.tan(np.radians(20)) + 0.02
    return made("board", 20, 0.2, 0.001, [
        {"name": "board", "type": "collider", "rotation": [0, 0, -20],
         "mesh": {"shape": "box", "size": [3, 0.02, 1], "cells": [30, 1, 10]}},
        {"name": "patch", "type": "cloth", "material": "cotton", "position": [-0.8, up, 0], "rotation": [0, 0, -20],
         "mesh": {"shape": "grid", "size": [0.4, 0.4], "cells": [20, 20]}}], wind=VACUUM)


def torn():  # as tests/unit/test_truth.c has it
    return made("torn", 44, 0.1, 0.003, [
        {"name": "cloth", "type": "cloth", "material": "cotton", "position": [0.2, 0.26, 0],
         "mesh": {"shape": "grid", "size": [0.8, 0.8], "cells": [24, 24]}},
        {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.25}}], wind=VACUUM)


def cube():
    return made("cube", 36, 0.3, 0.002, [
        {"name": "cube", "type": "solid", "material": "foam", "position": [0, 0.5, 0], "rotation": [20, 10, 30],
         "mesh": {"shape": "box", "size": [0.3, 0.3, 0.3], "cells": [6, 6, 6]}},
        {"name": "box", "type": "collider", "mesh": {"shape": "box", "size": [1, 0.1, 1], "cells": [4, 1, 4]}}])


# name: the scene, its number of frames
SCENES = {
    "drop65": (lambda: drop_of(65), 50),
    "drop129": (lambda: drop_of(129), 24),
    "skirt": (lambda: of_file("contact/skirt.json"), 48),
    "flag": (lambda: of_file("flag.json"), 48),
    "board": (board, 20),
    "torn": (torn, 44),
    "cube": (cube, 36),
}


def program(*arguments):
    return subprocess.run([f"{options.bin}/clothsim", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def written(scene, place):
    with open(f"{peers.fresh(place)}/scene.json", "w") as f:
        json.dump(scene, f)
    return f"{place}/scene.json"


def converged(scene, place):
    """The scene with the settings of the converged run."""
    normal, final = (json.loads(program("--print-config", written({**scene, "quality": quality}, place)))
                     for quality in ("normal", "final"))
    solver = {key: 0.1 * final["solver"][key] for key in TOLERANCES}
    return {**scene, "quality": "final", "solver": solver | {"iterations": 5 * final["solver"]["iterations"]},
            "frames": {**scene["frames"], "substeps": 8 * normal["frames"]["substeps"]}}


def simulated(scene, place):
    """What a run shows: CPU time, heights of the centre of mass (frames), last positions (nvert x 3), ..."""
    path = written(scene, place)
    program(path, "--dump-model", f"{place}/model.json", "-q")
    with open(f"{place}/model.json") as f:
        mass = np.array(json.load(f)["mass"])
    _, cpu, _ = peers.measured([f"{options.bin}/clothsim", path, "-o", f"{place}/out", "-j", str(options.threads),
                                "--progress=none", "-q", "--checkpoint-every", "0"], f"{place}/log")
    cache = clothcache.Cache(f"{place}/out/{scene['name']}.clothcache")  # PC2 has no vertices inside solids
    body = next(o["name"] for o in scene["objects"] if o["type"] != "collider")
    x = np.array([cache.positions(body, k) for k in range(len(cache.numbers))], float)
    with open(f"{place}/out/run.json") as f:
        report = json.load(f)
    result = {"cpu": cpu, "height": np.array([y @ mass for y in x[:, :, 1]]) / mass.sum(), "last": x[-1],
              "strain": report["worst"]["strain"]["value"],
              "open": report["unconverged_substeps"] / report["substeps"]}
    shutil.rmtree(place)
    return result


def reference(name, scene):
    """The converged run of a scene, made or found."""
    place = f"{options.out}/truth_{name}"
    scene = converged(scene, place)
    key = json.dumps(scene, sort_keys=True) + program("--version")
    path = f"{place}_{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
    if not os.path.exists(path):
        np.savez(f"{place}.part.npz", **simulated(scene, place))
        os.replace(f"{place}.part.npz", path)  # a run that was stopped leaves none
    shutil.rmtree(place, ignore_errors=True)
    return dict(np.load(path))


def row(name, quality, run, best):
    count, off = len(run["height"]) - 1, run["last"] - best["last"]
    return dict(zip(COLUMNS, (name, len(off), count, quality, float(run["cpu"]),
                              1e3 * float(np.abs(run["height"] - best["height"]).max()),
                              1e3 * float(np.sqrt((off**2).sum(1).mean())), float(run["strain"]), float(run["open"]))))


def tell(r):
    print(f"{r['scene']:9}{r['vertices']:>9}{r['frames']:>7} {r['quality']:10}{r['cpu_s']:>9.2f}{r['height_mm']:>12.2f}"
          f"{r['rms_mm']:>10.1f}{r['strain']:>8.3f}{r['open']:>7.3f}", flush=True)


def write_csv(rows):
    with open(f"{options.out}/truth.csv", "w", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for r in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})


def main():
    global options
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--scenes", nargs="+", choices=SCENES, default=SCENES, metavar="NAME", help=", ".join(SCENES))
    p.add_argument("--qualities", nargs="+", choices=QUALITIES, default=QUALITIES, metavar="NAME", help=", ".join(QUALITIES))
    p.add_argument("--frames", type=int, help="to simulate, at most (what a scene has)")
    p.add_argument("--threads", type=int, default=1, help="(1)")
    p.add_argument("--bin", default=f"{peers.ROOT}/bin", help="where the programs are")
    p.add_argument("--out", default=f"{peers.ROOT}/build/bench", help="where the table and converged runs go")
    options = p.parse_args()
    if options.frames is not None and options.frames < 1 or options.threads < 1:
        p.error("at least one frame and one thread")
    os.makedirs(options.out, exist_ok=True)
    print(f"{'scene':9}{'vertices':>9}{'frames':>7} {'quality':10}{'CPU [s]':>9}{'height [mm]':>12}"
          f"{'rms [mm]':>10}{'strain':>8}{'open':>7}", flush=True)
    rows = []
    for name in options.scenes:
        make, frames = SCENES[name]
        scene = make()
        scene["frames"]["end"] = scene["frames"]["start"] + min(frames, options.frames or frames)
        best = reference(name, scene)
        runs = [(quality, simulated({**scene, "quality": quality}, f"{options.out}/truth_{name}")) for quality in options.qualities]
        for quality, run in runs + [("converged", best)]:
            rows.append(row(name, quality, run, best))
            tell(rows[-1])
        write_csv(rows)  # after every scene: the next may take long


if __name__ == "__main__":
    main()
