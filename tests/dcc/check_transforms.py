"""check_transforms.py FOLDER BIN: rigid colliders as animated transforms, in USD as usd-core and Blender read it and in
Alembic as Blender does, against the vertices in the cache; clothsim's own readers get them back from both."""
import json
import math
import os
import subprocess
import sys

import numpy as np
from common import ROOT, check, clothcache, close, report
from pxr import Usd, UsdGeom

folder, binaries = sys.argv[1:3]
LIMIT = 2e-6  # [m] at 8 m: two float steps
scene = {
    "name": "rigid", "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 4},
    "output": {"obj": False, "colliders": True, "transforms": True, "samples": [-0.25, 0, 0.25], "formats": ["abc", "usda"]},
    "objects": [
        {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 2, 0], "mesh": {"shape": "grid", "cells": [4, 4]}},
        {"name": "wheel", "type": "collider", "position": [5, -1, 3], "mesh": {"shape": "torus", "radius": 0.3, "tube_radius": 0.1},
         "motion": [{"frame": 1}, {"frame": 6, "position": [2, 0.5, 0], "rotation": [30, 70, -20]}]},
        {"name": "floor", "type": "collider", "position": [3, -2, 0], "mesh": {"shape": "box", "size": [1, 0.1, 1]}}]}
with open(f"{folder}/rigid.json", "w", encoding="utf-8") as out:
    json.dump(scene, out)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.stderr}")


run(f"{binaries}/clothsim", f"{folder}/rigid.json", "-q", "-o", f"{folder}/rigid", "--overwrite")
path = f"{folder}/rigid/rigid.clothcache"
cache = clothcache.Cache(path)
for output, options in (("rigid.usdc", []), ("clips.usdc", ["--clips"])):
    run(sys.executable, f"{ROOT}/tools/clothusd", "export", path, f"{folder}/{output}", "--transforms", *options)
colliders, whole = ("wheel", "floor"), [(float(n), k, b"POSN") for k, n in enumerate(cache.numbers)]
between = [(n + s, k, b"SMP%d" % i) for n, k, _ in whole if k for i, s in enumerate(cache.meta["samples"])]
worst = {}


def near(got, want, program, what):
    worst[program] = max(worst.get(program, 0), float(np.abs(got - want).max()))
    close(got, want, f"{program}: {what}", LIMIT)


def wanted(name, k, attribute):
    return cache.positions(name, k, attribute if cache.objects[[o.name for o in cache.objects].index(name)].nsample else b"POSN")


def is_rotation(matrix):
    return np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-12) and np.linalg.det(matrix) > 0


for output, times in ((f"{folder}/rigid/rigid.usda", whole + between), (f"{folder}/rigid.usdc", whole + between),
                      (f"{folder}/clips.usdc", whole)):
    stage, what = Usd.Stage.Open(output), os.path.basename(output)
    for name in colliders:
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/rigid/{name}"))
        check(mesh.GetPointsAttr().GetNumTimeSamples() <= 1, f"{what} {name}: points stay")
        check(not mesh.GetVelocitiesAttr().HasAuthoredValue(), f"{what} {name}: no velocities")
        first = np.array(mesh.GetPointsAttr().Get(1.0), dtype=float)
        extent = np.array(mesh.GetExtentAttr().Get(1.0))
        close(extent, [first.min(0), first.max(0)], f"{what} {name}: extent", 1e-7)
        for code, k, attribute in times:
            matrix = np.array(UsdGeom.XformCache(code).GetLocalToWorldTransform(mesh.GetPrim()))
            check(is_rotation(matrix[:3, :3]), f"{what} {name} {code}: a rotation")
            near(first @ matrix[:3, :3] + matrix[3, :3], wanted(name, k, attribute), "usd-core", f"{what} {name} {code}")
        codes = mesh.GetOrderedXformOps()[0].GetTimeSamples()
        moving = sorted(c for c, _, _ in times)
        check(codes == (moving if name == "wheel" or "clips" in what else [c for c, _, _ in whole]),
              f"{what} {name}: time codes {codes}")

# our own readers: Alembic, and USD by way of it
run(sys.executable, f"{ROOT}/tools/clothusd", "import", f"{folder}/rigid.usdc", f"{folder}/from_usd.abc")
for file in (f"{folder}/rigid/rigid.abc", f"{folder}/from_usd.abc"):
    back = f"{folder}/back.clothcache"
    if os.path.exists(back):
        os.remove(back)
    run(f"{binaries}/clothcache", "import", file, "-o", back)
    read = clothcache.Cache(back)
    times = sorted(whole + between) if len(read.numbers) > len(whole) else whole
    check(len(read.numbers) == len(times), f"{file}: {len(read.numbers)} times")
    for i, (code, k, attribute) in enumerate(times):
        for name in colliders:
            near(read.positions(name, i), wanted(name, k, attribute), "clothcache", f"{file} {name} {code}")

import bpy  # noqa: E402  (its own USD library must come second)


def look(importer, file):
    """Every vertex at every frame and sample, in the world."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    importer(filepath=file)
    for code, k, attribute in whole + between:
        bpy.context.scene.frame_set(math.floor(code), subframe=code - math.floor(code))
        graph = bpy.context.evaluated_depsgraph_get()
        for name in colliders:
            thing = bpy.data.objects[name].evaluated_get(graph)
            local = np.empty(3 * len(thing.data.vertices), np.float32)
            thing.data.vertices.foreach_get("co", local)
            matrix, want = np.array(thing.matrix_world), wanted(name, k, attribute)
            got = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
            near(got, np.stack([want[:, 0], -want[:, 2], want[:, 1]], 1), "Blender", f"{os.path.basename(file)} {name} {code}")


look(lambda filepath: bpy.ops.wm.alembic_import(filepath=filepath, as_background_job=False), f"{folder}/rigid/rigid.abc")
look(lambda filepath: bpy.ops.wm.usd_import(filepath=filepath), f"{folder}/rigid.usdc")
for program, error in worst.items():
    print(f"{program}: rigid colliders as transforms, off by {error:.1e} m at most")
sys.exit(report())
