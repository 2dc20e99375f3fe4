"""write_abc.py FOLDER: Blender writes Alembic files and USD of a body that bends under two transforms, and of a
still one, in centimetres; FOLDER/wanted.npz has where it has their vertices. POSES: OBJ files of another body."""
import os
import sys

import bpy
import numpy as np

folder, first, last, scale = sys.argv[-1], 1, 8, 100.0
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, first, last

def read_obj(path):
    with open(path) as file:
        lines = [line.split() for line in file]
    return (np.array([[float(x) for x in words[1:4]] for words in lines if words[:1] == ["v"]], np.float32),
            [[int(c.split("/")[0]) - 1 for c in words[1:]] for words in lines if words[:1] == ["f"]])


poses = [read_obj(path) for path in os.environ.get("POSES", "").split()]
if poses:
    bpy.ops.object.add(type="MESH")
    bpy.context.object.data.from_pydata(poses[0][0].tolist(), [], poses[0][1])
    layer = bpy.context.object.data.uv_layers.new()
    layer.data.foreach_set("uv", np.random.default_rng(1).random(2 * len(layer.data), np.float32))
else:
    bpy.ops.mesh.primitive_monkey_add()
body = bpy.context.object
body.name, body.data.name = "body", "body_mesh"
for name in ("skin", "eyes"):
    body.data.materials.append(bpy.data.materials.new(name))
for polygon in body.data.polygons:
    polygon.material_index = polygon.index % 5 == 0
points = np.empty(3 * len(body.data.vertices), dtype=np.float32)
body.data.vertices.foreach_get("co", points)
body.shape_key_add(name="Basis")
shapes = [xyz.ravel() for xyz, _ in poses[1:]] or [points * 1.5 + np.sin(4 * points).astype(np.float32)]
for k, shape in enumerate(shapes):
    bent = body.shape_key_add(name=f"bent {k}")
    bent.data.foreach_set("co", shape)
    for frame, value in ((first, 0), (last, 1 / (k + 1))):
        bent.value = value
        bent.keyframe_insert("value", frame=frame)

rig, hip = (bpy.data.objects.new(name, None) for name in ("rig", "hip"))
for thing in (rig, hip):
    scene.collection.objects.link(thing)
hip.parent, body.parent = rig, hip
rig.scale, hip.location = (1.1, 0.9, 1.2), (0, 0, 0.5)
for frame in range(first, last + 1):
    rig.location, rig.rotation_euler = (0.1 * frame, 0.02 * frame**2, 0), (0, 0, 0.1 * frame)
    hip.rotation_euler = (0.05 * frame, 0.3, 0)
    for thing, path in ((rig, "location"), (rig, "rotation_euler"), (hip, "rotation_euler")):
        thing.keyframe_insert(path, frame=frame)
bpy.ops.mesh.primitive_torus_add(location=(3, 0, 1))
bpy.context.object.name, bpy.context.object.data.name = "still", "still_mesh"
bpy.context.object.parent = rig
bpy.ops.curve.primitive_bezier_curve_add()

for name, times in (("body", {}), ("between", {"xsamples": 3, "gsamples": 2})):
    bpy.ops.wm.alembic_export(filepath=f"{folder}/{name}.abc", start=first, end=last, face_sets=True,
                              global_scale=scale, as_background_job=False, **times)
bpy.ops.wm.usd_export(filepath=f"{folder}/usd.usdc", export_animation=True, convert_scene_units="CENTIMETERS")

wanted = {}
for frame in range(first, last + 1):
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for name in ("body", "still"):
        thing = bpy.data.objects[name].evaluated_get(graph)
        mesh = thing.to_mesh()
        local = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", local)
        matrix = np.array(thing.matrix_world)
        world = local.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        wanted[f"{name}_{frame}"] = scale * np.stack([world[:, 0], world[:, 2], -world[:, 1]], 1)
        if frame == first:
            wanted[f"{name}_corners"] = np.array([v for p in mesh.polygons for v in p.vertices])
            wanted[f"{name}_uv"] = np.array([d.uv for d in mesh.uv_layers[0].data])
            wanted[f"{name}_eyes"] = np.array([p.material_index for p in mesh.polygons])
np.savez(f"{folder}/wanted.npz", **wanted)
print("Blender", bpy.app.version_string)
