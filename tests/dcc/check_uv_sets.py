"""check_uv_sets.py FOLDER BIN: further sets of texture coordinates, from a USD file of usd-core through clothusd and
clothsim to USD (usda, usdc, value clips) read by usd-core, and to Alembic, glTF and the cache read by Blender."""
import json
import os
import subprocess
import sys

import numpy as np
from common import ROOT, check, clothcache, close, report
from pxr import Sdf, Usd, UsdGeom, Vt

folder, binaries = sys.argv[1:3]
random = np.random.default_rng(5)
SIDE = 6
POINTS = np.array([(i / 5, 1, j / 5) for j in range(SIDE) for i in range(SIDE)], np.float32)
FACES = np.array([[SIDE * j + i + k for k in (0, SIDE, SIDE + 1, 1)] for j in range(SIDE - 1) for i in range(SIDE - 1)])
NCORNER = FACES.size
# by name: values, their index at each corner
SETS = {"st": (random.random((40, 2), np.float32), random.integers(0, 40, NCORNER)),
        "atlas": (random.normal(size=(NCORNER, 2)).astype(np.float32), np.arange(NCORNER)),
        "lightmap": (random.normal(size=(9, 2)).astype(np.float32) * 1e5, random.integers(0, 9, NCORNER)),
        "paint": (random.random((len(POINTS), 2), np.float32), FACES.ravel())}


# clothdiff reads USD by this clothusd, with the Python that has usd-core
clothusd = os.path.abspath(f"{folder}/clothusd.sh")
with open(clothusd, "w") as f:
    f.write(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/tools/clothusd" "$@"\n')
os.chmod(clothusd, 0o755)


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "CLOTHUSD": clothusd})
    check(done.returncode == status, f"{words}: exit status {done.returncode}: {done.stdout}{done.stderr}")


def write_stage(path, change=0.0):
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageUpAxis(stage, "Y")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    mesh = UsdGeom.Mesh.Define(stage, "/world/sheet")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(POINTS))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(FACES), 4))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(FACES.ravel().astype(np.int32)))
    for name, (values, index) in SETS.items():
        by_vertex = name == "paint"
        primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(name, Sdf.ValueTypeNames.TexCoord2fArray,
                                                          "vertex" if by_vertex else "faceVarying")
        primvar.Set(Vt.Vec2fArray.FromNumpy(values + np.float32(change if name == "lightmap" else 0)))
        if not by_vertex:
            primvar.SetIndices(Vt.IntArray.FromNumpy(index.astype(np.int32)))
    stage.GetRootLayer().Save()


def wanted(name):
    values, index = SETS[name]
    return values[index]


def check_cache(path):
    for thing in clothcache.Cache(path).objects:
        close(thing.uv[thing.face_uv], wanted("st"), f"{path} {thing.name}: first set")
        check(list(thing.uv_sets) == ["atlas", "lightmap", "paint"], f"{path} {thing.name}: {list(thing.uv_sets)}")
        for name, (uv, index) in thing.uv_sets.items():
            close(uv[index], wanted(name), f"{path} {thing.name}: {name}")


write_stage(f"{folder}/given.usdc")
write_stage(f"{folder}/other.usdc", 1e-1)
for name in ("given", "other"):
    run(sys.executable, "tools/clothusd", "import", f"{folder}/{name}.usdc", f"{folder}/{name}.abc")
scene = {"name": "uv", "frames": {"start": 1, "end": 3, "fps": 24, "substeps": 2},
         "output": {"colliders": True, "formats": ["abc", "usda", "glb"]},
         "objects": [{"name": "sheet", "type": "cloth", "material": "cotton", "mesh": {"file": "given.abc"}},
                     {"name": "slab", "type": "collider", "position": [0, -1, 0], "mesh": {"file": "given.abc"}}]}
with open(f"{folder}/uv.json", "w") as file:
    json.dump(scene, file)
run(f"{binaries}/clothsim", f"{folder}/uv.json", "-q", "-o", f"{folder}/uv", "--overwrite")
check_cache(f"{folder}/uv/uv.clothcache")

for options, output in (([], "uv.usdc"), (["--clips"], "clips.usdc")):
    run(sys.executable, "tools/clothusd", "export", *options, f"{folder}/uv/uv.clothcache", f"{folder}/uv/{output}")
for output in ("uv.usda", "uv.usdc", "clips.usdc"):
    stage = Usd.Stage.Open(f"{folder}/uv/{output}")
    for name in ("sheet", "slab"):
        primvars = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(f"/uv/{name}"))
        for set_name in SETS:
            primvar = primvars.GetPrimvar(set_name)
            check(primvar.GetTypeName() == "texCoord2f[]" and primvar.GetInterpolation() == "faceVarying",
                  f"{output} {name} {set_name}: {primvar.GetTypeName()} {primvar.GetInterpolation()}")
            close(np.array(primvar.ComputeFlattened()), wanted(set_name), f"{output} {name} {set_name}")

# back in, and what clothdiff says of all of it
for given in ("uv.usdc", "uv.abc"):
    archive, back = f"{folder}/uv/{given}", f"{folder}/back.clothcache"
    if given.endswith("usdc"):
        archive = f"{folder}/back.abc"
        run(sys.executable, "tools/clothusd", "import", f"{folder}/uv/{given}", archive)
    if os.path.exists(back):
        os.remove(back)
    run(f"{binaries}/clothcache", "import", archive, "-o", back)
    check_cache(back)
for given in ("uv.usdc", "uv.abc"):
    run(f"{binaries}/clothdiff", "--uvs", f"{folder}/uv/uv.clothcache", f"{folder}/uv/{given}")
run(f"{binaries}/clothdiff", "--uvs", f"{folder}/given.abc", f"{folder}/given.abc")
run(f"{binaries}/clothdiff", "--uvs", f"{folder}/given.abc", f"{folder}/other.abc", status=1)

import bpy  # noqa: E402  (its own USD library must come second)

bpy.ops.wm.read_factory_settings(use_empty=True)


def check_blender(thing, first, what):
    layers = thing.data.uv_layers
    check(sorted(layer.name for layer in layers) == sorted([first, "atlas", "lightmap", "paint"]),
          f"{what}: {[layer.name for layer in layers]}")
    for layer in layers:
        flat = np.empty(2 * len(layer.data), np.float32)
        layer.data.foreach_get("uv", flat)
        name = "st" if layer.name == first else layer.name
        close(flat.reshape(-1, 2), wanted(name), f"{what}: {name}")


bpy.ops.wm.alembic_import(filepath=f"{folder}/uv/uv.abc", as_background_job=False)
for name in ("sheet", "slab"):
    check_blender(bpy.data.objects[name], "uv", f"Blender, Alembic, {name}")
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=f"{folder}/uv/uv.glb", merge_vertices=False)
for name in ("sheet", "slab"):
    mesh = bpy.data.objects[name].data
    check(list(mesh.get("uv_sets", ())) == ["uv", "atlas", "lightmap", "paint"], f"glTF, {name}: {mesh.get('uv_sets')}")
    corners = np.arange(NCORNER).reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    flats = []
    for layer in mesh.uv_layers:
        flat = np.empty(2 * len(layer.data), np.float32)
        layer.data.foreach_get("uv", flat)
        flats.append(flat.reshape(-1, 2))
    check(len(flats) == len(SETS), f"glTF, {name}: {len(flats)} sets")
    if len(flats) != len(SETS):
        continue
    got = np.hstack(flats).reshape(len(corners), 3, -1)
    want = np.hstack([wanted(set_name) for set_name in SETS])[corners]
    # Blender may begin a triangle with another corner; the paths of glTF are 1 - v, twice rounded
    turned = np.stack([np.abs(np.roll(got, k, 1) - want).max((1, 2)) for k in range(3)]).min(0)
    check(turned.max() <= 1e-6 * np.abs(want).max(), f"glTF, {name}: off by {turned.max()}")
bpy.ops.wm.read_factory_settings(use_empty=True)
archive = os.path.join(os.path.abspath(folder), "clothsim_cache.zip")
subprocess.run([sys.executable, os.path.join(ROOT, "tools/blender/package"), archive], check=True)
bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
bpy.ops.preferences.addon_enable(module="clothsim_cache")
bpy.ops.import_scene.clothcache(filepath=os.path.abspath(f"{folder}/uv/uv.clothcache"))
for name in ("sheet", "slab"):
    check_blender(bpy.data.objects[name], "UVMap", f"Blender, cache, {name}")
bpy.ops.preferences.addon_disable(module="clothsim_cache")
sys.exit(report())
