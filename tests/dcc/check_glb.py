"""check_glb.py CACHE FOLDER: glTF in FOLDER/glb, exported from CACHE, as Blender reads it: every vertex of first, middle and last
frame, faces as fans of triangles, texture coordinates."""
import os
import sys

import bpy
import numpy as np
from common import check, close, expected, report, three, z_up

path, folder = sys.argv[1:3]
cache, objects = expected(path)
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = round(cache.fps)
name = os.path.splitext(os.path.basename(path))[0]
bpy.ops.import_scene.gltf(filepath=f"{folder}/glb/{name}.glb", merge_vertices=False)
for want in objects:
    thing = bpy.data.objects.get(want.name)
    check(thing is not None, f"{want.name} is there")
    if thing is None or not want.faces:
        continue
    mesh = thing.data
    first = want.starts[:-1]
    fan = np.array([c for a, face in zip(first, want.faces) for k in range(1, len(face) - 1) for c in (a, a + k, a + k + 1)])
    got = np.array([tuple(p.vertices) for p in mesh.polygons]).ravel()
    # Blender may begin a triangle with another corner
    check(len(got) == len(fan), f"{want.name}: {len(got) // 3} triangles, not {len(fan) // 3}")
    if len(got) != len(fan):
        continue
    if want.uv is not None:
        flat = np.empty(2 * len(mesh.loops), np.float32)
        mesh.uv_layers[0].data.foreach_get("uv", flat)
        close(flat.reshape(-1, 2), want.uv[fan], f"{want.name}: texture coordinates", 1e-6)
    for index in three(cache):
        number = cache.numbers[index]
        scene.frame_set(number - cache.numbers[0])  # times begin with the first frame
        seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        xyz = np.empty(3 * len(seen.data.vertices), np.float32)
        seen.data.vertices.foreach_get("co", xyz)
        world = np.array(seen.matrix_world)
        xyz = xyz.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        there = want.at(index)[want.corners[fan]]
        close(xyz[got], z_up(there) if cache.up == 1 else there, f"{want.name} at {number}", 2e-6)
sys.exit(report())
