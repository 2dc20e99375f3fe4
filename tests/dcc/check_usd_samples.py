"""check_usd_samples.py FOLDER BIN: samples between frames, pressures and strain, as usd-core reads them: those that
clothusd export makes up, a turning collider against its motion, a falling sheet against its parabola; those that were
simulated, in USD and by Blender from Alembic, against the cache."""
import json
import math
import os
import subprocess
import sys

import numpy as np
from common import ROOT, check, clothcache, report
from pxr import Usd, UsdGeom

folder, binaries = sys.argv[1:3]
scene = {
    "name": "samples", "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 20}, "wind": {"density": 0},
    "output": {"obj": False, "pressures": True},
    "objects": [
        {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 2, 0], "mesh": {"shape": "grid", "cells": [4, 4]}},
        {"name": "rest", "type": "cloth", "material": "cotton", "position": [3, 0.004, 0],
         "mesh": {"shape": "grid", "size": [0.2, 0.2], "cells": [4, 4]}},
        {"name": "wheel", "type": "collider", "position": [0, -1, 0], "mesh": {"shape": "cylinder", "radius": 0.3, "height": 0.1},
         "motion": {"keys": [{"frame": 1}, {"frame": 6, "rotation": [0, 90, 0]}]}},
        {"name": "floor", "type": "collider", "position": [3, 0, 0], "mesh": {"shape": "box", "size": [1, 0.001, 1]}}]}
path = os.path.join(folder, "samples.json")
with open(path, "w", encoding="utf-8") as out:
    json.dump(scene, out)
subprocess.run([f"{binaries}/clothsim", path, "-q", "-o", f"{folder}/samples", "--overwrite"], check=True)
cache = clothcache.Cache(f"{folder}/samples/samples.clothcache")


def export(*options):
    return subprocess.run([sys.executable, f"{ROOT}/tools/clothusd", "export", f"{folder}/samples/samples.clothcache",
                           f"{folder}/samples{len(options)}.usdc", *options], capture_output=True, text=True)


done = export("--samples=-0.25,0.25,0.5")
check(done.returncode == 0, done.stderr)
stage = Usd.Stage.Open(f"{folder}/samples1.usdc")
wheel, sheet, rest = (UsdGeom.Mesh(stage.GetPrimAtPath(f"/samples/{name}")) for name in ("wheel", "sheet", "rest"))
codes = wheel.GetPointsAttr().GetTimeSamples()
check(len(codes) == 24 and codes[:6] == [0.75, 1, 1.25, 1.5, 1.75, 2], f"time codes: {codes[:6]}")
check(wheel.GetVelocitiesAttr().GetTimeSamples() == codes, "velocities at the same times")
start, spin = cache.positions("wheel", 0).astype(float), math.pi / 2 / 5  # radians a frame
for code in codes:
    if not 1 <= code <= 6:
        continue
    angle = spin * (code - 1)
    want = np.stack([math.cos(angle) * start[:, 0] + math.sin(angle) * start[:, 2], start[:, 1],
                     math.cos(angle) * start[:, 2] - math.sin(angle) * start[:, 0]], axis=1)
    off = np.abs(np.array(wheel.GetPointsAttr().Get(code)) - want).max()
    # the cubic's error is at most r (spin dt)^4 / 384, a line's would be r spin^2 / 8 = 3.7e-3
    check(off < 0.3 * spin ** 4 / 384 + 1e-6, f"the wheel at {code}: off by {off}")
    speed = np.stack([spin * 24 * want[:, 2], 0 * want[:, 1], -spin * 24 * want[:, 0]], axis=1)
    off = np.abs(np.array(wheel.GetVelocitiesAttr().Get(code)) - speed).max()
    check(off < 0.3 * 24 * spin ** 4 / 100 + 1e-4, f"its velocity at {code}: off by {off}")
    fallen = np.array(sheet.GetPointsAttr().Get(code))[:, 1].mean() - 2 + 9.81 / 2 * ((code - 1) / 24) ** 2
    check(abs(fallen) < 2e-4, f"the sheet falls at {code}: off by {fallen}")
for index, number in enumerate(cache.numbers):
    for name, mesh in (("wheel", wheel), ("sheet", sheet)):
        check(np.array_equal(np.array(mesh.GetPointsAttr().Get(number)), cache.positions(name, index)), f"{name} {number}: as it was")
    pressure = UsdGeom.PrimvarsAPI(rest).GetPrimvar("pressure")
    check(pressure.GetInterpolation() == "vertex" and
          np.array_equal(np.array(pressure.Get(number)), cache.positions("rest", index, b"PRES")[:, 0]), f"pressure {number}")
check(np.array(pressure.Get(6)).max() > 0.1, "it rests")
plain = export()
stage = Usd.Stage.Open(f"{folder}/samples0.usdc")
check(stage.GetPrimAtPath("/samples/wheel").GetAttribute("points").GetTimeSamples() == list(map(float, cache.numbers)),
      "none that are not asked for")
# simulated
scene["output"] |= {"strain": True, "samples": [-0.25, 0, 0.25], "colliders": True, "formats": ["usda", "abc"]}
scene["frames"]["substeps"] = 4
with open(path, "w", encoding="utf-8") as out:
    json.dump(scene, out)
subprocess.run([f"{binaries}/clothsim", path, "-q", "-o", f"{folder}/samples", "--overwrite"], check=True)
cache = clothcache.Cache(f"{folder}/samples/samples.clothcache")
done = export("--samples=-0.25,0.25")
check(done.returncode == 0, done.stderr)
check(cache.meta["samples"] == [-0.75, -0.25], "shares")
between = [(number + share, index, b"SMP%d" % s, b"SMV%d" % s) for index, number in enumerate(cache.numbers) if index
           for s, share in enumerate(cache.meta["samples"])]
codes = sorted([*map(float, cache.numbers), *(b[0] for b in between)])
for file in (f"{folder}/samples1.usdc", f"{folder}/samples/samples.usda"):
    stage = Usd.Stage.Open(file)
    for name in ("wheel", "sheet", "rest"):
        mesh, what = UsdGeom.Mesh(stage.GetPrimAtPath(f"/samples/{name}")), f"{os.path.basename(file)} {name}"
        check(mesh.GetPointsAttr().GetTimeSamples() == codes, f"{what}: simulated samples and no others")
        for code, index, x, v in between:
            check(np.array_equal(np.array(mesh.GetPointsAttr().Get(code)), cache.positions(name, index, x)) and
                  np.array_equal(np.array(mesh.GetVelocitiesAttr().Get(code)), cache.positions(name, index, v)),
                  f"{what} at {code}")
        for primvar, attribute in (("strain", b"STRN"), ("pressure", b"PRES")) if name != "wheel" else ():
            primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar(primvar)
            check(primvar.GetInterpolation() == "vertex" and all(
                np.array_equal(np.array(primvar.Get(number)), cache.positions(name, index, attribute)[:, 0])
                for index, number in enumerate(cache.numbers)), f"{what}: {primvar.GetName()}")
import bpy  # noqa: E402  (its own USD library must come second)

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.wm.alembic_import(filepath=f"{folder}/samples/samples.abc", as_background_job=False)
for code, index, x, _ in between:
    bpy.context.scene.frame_set(math.floor(code), subframe=code - math.floor(code))
    graph = bpy.context.evaluated_depsgraph_get()
    for name in ("wheel", "sheet"):
        thing = bpy.data.objects[name].evaluated_get(graph)
        local = np.empty(3 * len(thing.data.vertices), np.float32)
        thing.data.vertices.foreach_get("co", local)
        matrix, want = np.array(thing.matrix_world), cache.positions(name, index, x)
        got = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        off = np.abs(got - np.stack([want[:, 0], -want[:, 2], want[:, 1]], 1)).max()
        check(off < 2e-6, f"Blender, {name} at {code}: off by {off}")
for words in (("--samples=1",), ("--samples=x",), ("--samples=0.5", "--clips")):
    check(export(*words).returncode == 2, f"{words} is refused")
sys.exit(report())
