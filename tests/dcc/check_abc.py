"""check_abc.py FOLDER BIN: what Blender has written as Alembic and USD (write_abc.py), as we read it: by
clothcache import, and as the collider of a run in metres with z up."""
import json
import os
import subprocess
import sys

import numpy as np
from common import ROOT, check, clothcache, close, report, z_up

folder, binaries = sys.argv[1:3]
wanted = np.load(f"{folder}/wanted.npz")
LIMIT = 1e-6  # of the largest coordinate


def near(got, expected, what):
    close(got, expected, what, LIMIT * np.abs(expected).max())


def cached(name):
    path = f"{folder}/{name}.clothcache"
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([f"{binaries}/clothcache", "import", f"{folder}/{name}.abc", "-o", path],
                   check=True, stderr=subprocess.DEVNULL)
    return clothcache.Cache(path)


def scene(name, mesh, up):
    text = {"frames": {"start": 1, "end": 8, "fps": 24, "substeps": 1}, "units": {"up": up},
            "contact": {"response": "none"}, "output": {"colliders": True, "digits": 17},
            "objects": [{"name": "body", "type": "collider", "mesh": mesh},
                        {"name": "c", "type": "cloth", "material": "cotton", "position": [9, 9, 9],
                         "mesh": {"shape": "grid", "cells": [1, 1]}}]}
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump(text, file)
    subprocess.run([f"{binaries}/clothsim", f"{folder}/{name}.json", "-o", f"{folder}/{name}", "-q",
                    "--overwrite", "--progress=none"], check=True)


def obj(name, frame):
    with open(f"{folder}/{name}/body_{frame:04d}.obj") as file:
        return np.array([line.split()[1:4] for line in file if line.startswith("v ")], dtype=float)


for name in ("body", "between"):
    cache = cached(name)
    check(cache.fps == 24 and cache.numbers == list(range(1, 9)), f"abc {name}: frames")
    check(sorted(o.name for o in cache.objects) == ["body", "still"], f"abc {name}: objects")
    for thing in cache.objects:
        close(thing.face_vert, wanted[f"{thing.name}_corners"], f"abc {name} {thing.name}: corners")
        close(thing.uv[thing.face_uv], wanted[f"{thing.name}_uv"], f"abc {name} {thing.name}: uv", 1e-6)
        for index, frame in enumerate(cache.numbers):
            near(cache.positions(thing.name, index), wanted[f"{thing.name}_{frame}"],
                 f"abc {name} {thing.name} frame {frame}")
    body = next(o for o in cache.objects if o.name == "body")
    eyes = [body.tags[t] == "g eyes\n" for t in body.face_tag]
    close(np.array(eyes, dtype=int), wanted["body_eyes"], f"abc {name}: face sets")

# USD: z up, objects by the names of their meshes
subprocess.run([sys.executable, f"{ROOT}/tools/clothusd", "import", f"{folder}/usd.usdc", f"{folder}/usd.abc"],
               check=True, stderr=subprocess.DEVNULL)
cache = cached("usd")
check(cache.up == 2 and cache.fps == 24 and cache.numbers == list(range(1, 9)), f"usd: frames {cache.numbers}")
names = {"body_mesh": "body", "still_mesh": "still"}
check(sorted(o.name for o in cache.objects) == sorted(names), f"usd: objects {[o.name for o in cache.objects]}")
for thing in cache.objects:
    name = names.get(thing.name)
    corners = [(v, *uv) for v, uv in zip(thing.face_vert, thing.uv[thing.face_uv].round(5))]
    close(sorted(corners), sorted((v, *uv) for v, uv in zip(wanted[f"{name}_corners"], wanted[f"{name}_uv"].round(5))),
          f"usd {name}: corners and their uv", 2e-5)
    for index, frame in enumerate(cache.numbers):
        near(cache.positions(thing.name, index), z_up(wanted[f"{name}_{frame}"]), f"usd {name} frame {frame}")

for name in ("body", "between"):
    scene(f"{name}_z", {"sequence": f"{name}.abc", "object": "/rig/hip/body", "unit": "cm"}, "z")
    for frame in range(1, 9):
        near(obj(f"{name}_z", frame), z_up(wanted[f"body_{frame}"]) / 100, f"{name}.abc, z up, frame {frame}")
scene("usd_y", {"sequence": "usd.abc", "object": "/root/rig/hip/body"}, "y")
for frame in range(1, 9):
    near(obj("usd_y", frame), wanted[f"body_{frame}"] / 100, f"USD by its own unit and axis, y up, frame {frame}")
scene("still_y", {"file": "body.abc", "object": "still", "frame": 5, "unit": "cm"}, "y")
near(obj("still_y", 1), wanted["still_5"] / 100, "a frame of a file")
sys.exit(report())
