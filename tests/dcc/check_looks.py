"""check_looks.py FOLDER BIN: normals and colours that meshes were given, as usd-core reads them from USD and Blender
from Alembic, against the OBJ files of the run (which tests/cli/normals.sh holds against closed forms)."""
import json
import os
import subprocess
import sys

import numpy as np
from common import check, clothcache, close, report
from pxr import Usd, UsdGeom

folder, binaries = sys.argv[1:3]
random = np.random.default_rng(1)


def unit(v):
    return v / np.linalg.norm(v, axis=1)[:, None]


with open(f"{folder}/wedge.obj", "w") as file:  # a hard ridge, colours
    for k, xyz in enumerate([(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (2, 0, 0), (2, 0, 1)]):
        print("v", *xyz, k / 5, 1 - k / 5, 0.25, file=file)
    for n in unit(np.array([[-1, 1, 0], [1, 1, 0.5]])):
        print("vn", *n, file=file)
    print("f 1//1 2//1 4//1 3//1\nf 3//2 4//2 6//2 5//2", file=file)
with open(f"{folder}/sheet.obj", "w") as file:
    for j in range(5):
        for i in range(5):
            print("v", i / 4, 0, j / 4, file=file)
    for n in unit(np.stack([random.uniform(-.3, .3, 25), np.ones(25), random.uniform(-.3, .3, 25)], 1)):
        print("vn", *n, file=file)
    for j in range(4):
        for i in range(4):
            a = 5 * j + i + 1
            print("f", *(f"{c}//{c}" for c in (a, a + 5, a + 6, a + 1)), file=file)
scene = {"name": "looks", "frames": {"start": 1, "end": 6, "fps": 24, "substeps": 4},
         "output": {"colliders": True, "formats": ["abc", "usda"], "samples": [-0.5], "pressures": True, "strain": True},
         "objects": [{"name": "sheet", "type": "cloth", "material": "cotton", "position": [0.6, 1.01, -0.7], "mesh": {"file": "sheet.obj"},
                      "pins": [{"vertices": [0, 4]}]},
                     {"name": "wedge", "type": "collider", "mesh": {"file": "wedge.obj"},
                      "motion": [{"frame": 1}, {"frame": 6, "rotation": [0, 90, 0]}]}]}
with open(f"{folder}/looks.json", "w") as file:
    json.dump(scene, file)
subprocess.run([f"{binaries}/clothsim", f"{folder}/looks.json", "-q", "-o", f"{folder}/looks", "--overwrite"], check=True)


def wanted(name, frame):
    """Colours of vertices, and (vertex, normal) of each corner of each face."""
    v, n, faces = [], [], []
    with open(f"{folder}/looks/{name}_{frame:04d}.obj") as file:
        for line in file:
            word, *rest = line.split()
            if word == "v":
                v.append([float(r) for r in rest])
            elif word == "vn":
                n.append([float(r) for r in rest])
            elif word == "f":
                corners = [[int(c) - 1 for c in r.split("//")] for r in rest]
                faces.append([(c[0], n[c[1]]) for c in corners])
    return np.array(v)[:, 3:], faces


# usda by clothsim; usdc and value clips by clothusd
for options, output in (([], "looks.usdc"), (["--clips"], "clips.usdc")):
    subprocess.run([sys.executable, "tools/clothusd", "export", *options, f"{folder}/looks/looks.clothcache",
                    f"{folder}/looks/{output}"], check=True)
for output, nsample in (("looks.usda", 11), ("looks.usdc", 11), ("clips.usdc", 6)):
    stage = Usd.Stage.Open(f"{folder}/looks/{output}")
    for name in ("sheet", "wedge"):
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/looks/{name}"))
        for frame in range(1, 7):
            colours, faces = wanted(name, frame)
            primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals")
            check(primvar.GetInterpolation() == "faceVarying", f"{output} {name}: interpolation")
            close(np.array(primvar.ComputeFlattened(frame)), [n for face in faces for _, n in face],
                  f"{output} {name} {frame}", 1e-6)
        check(len(primvar.GetTimeSamples()) == nsample, f"{output} {name}: samples {primvar.GetTimeSamples()}")
        if colours.size:
            check(mesh.GetDisplayColorPrimvar().GetInterpolation() == "vertex", f"{output} {name}: colours by vertex")
            close(np.array(mesh.GetDisplayColorAttr().Get()), colours, f"{output} {name}: colours", 1e-7)

# and back in: USD by way of Alembic, and the run's own Alembic file
for given in ("looks.usdc", "looks.abc"):
    archive, back = f"{folder}/looks/{given}", f"{folder}/looks/back.clothcache"
    if given.endswith("usdc"):
        archive = f"{folder}/looks/back.abc"
        subprocess.run([sys.executable, "tools/clothusd", "import", f"{folder}/looks/{given}", archive], check=True)
    if os.path.exists(back):
        os.remove(back)
    subprocess.run([f"{binaries}/clothcache", "import", archive, "-o", back], check=True)
    cache = clothcache.Cache(back)
    step, rest = divmod(len(cache.numbers) - 1, 5)  # with the samples between frames, or without
    check(step in (1, 2) and not rest, f"{given} in: frames {cache.numbers}")
    for thing in cache.objects:
        for frame in range(1, 7):
            colours, faces = wanted(thing.name, frame)
            got = thing.normals(cache.positions(thing.name, step * (frame - 1)))[thing.face_normal]
            close(got, [n for face in faces for _, n in face], f"{given} in, {thing.name} {frame}", 2e-6)
        check((thing.colour is not None) == bool(colours.size), f"{given} in, {thing.name}: colours")
        if colours.size:
            close(thing.colour, colours, f"{given} in, {thing.name}: colours", 1e-6)

import bpy  # noqa: E402  (its own USD library must come second)

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.wm.alembic_import(filepath=f"{folder}/looks/looks.abc", as_background_job=False)
for frame in range(1, 7):
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for name in ("sheet", "wedge"):
        thing = bpy.data.objects[name].evaluated_get(graph)
        colours, faces = wanted(name, frame)
        turn, got, want = np.array(thing.matrix_world)[:3, :3], [], []
        for polygon, face in zip(thing.data.polygons, faces):
            there = dict(face)
            for corner in polygon.loop_indices:
                n = there[thing.data.loops[corner].vertex_index]
                want.append([n[0], -n[2], n[1]])
                got.append(turn @ np.array(thing.data.corner_normals[corner].vector))
        close(got, want, f"Blender {name} {frame}", 2e-4)  # it keeps 16 bits
        layer = thing.data.attributes.get("Col")
        check((layer is not None) == bool(colours.size), f"Blender {name}: colours")
        if layer is not None:
            flat = np.empty(4 * len(layer.data), np.float32)
            layer.data.foreach_get("color_srgb", flat)
            flat = flat.reshape(-1, 4)[:, :3]
            if layer.domain == "CORNER":
                colours = colours[[loop.vertex_index for loop in thing.data.loops]]
            close(flat, colours, f"Blender {name}: colours on {layer.domain}", 0.5 / 255 + 1e-6)  # bytes
sys.exit(report())
