"""write_abc.py FOLDER: Blender writes Alembic files of a body that bends under two transforms, and of a
still one, in centimetres; FOLDER/wanted.npz has where it has their vertices."""
import sys

import bpy
import numpy as np

folder, first, last, scale = sys.argv[-1], 1, 8, 100.0
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, first, last

bpy.ops.mesh.primitive_monkey_add()
body = bpy.context.object
body.name = "body"
for name in ("skin", "eyes"):
    body.data.materials.append(bpy.data.materials.new(name))
for polygon in body.data.polygons:
    polygon.material_index = polygon.index % 5 == 0
points = np.empty(3 * len(body.data.vertices), dtype=np.float32)
body.data.vertices.foreach_get("co", points)
body.shape_key_add(name="Basis")
bent = body.shape_key_add(name="bent")
bent.data.foreach_set("co", points * 1.5 + np.sin(4 * points).astype(np.float32))
for frame, value in ((first, 0), (last, 1)):
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
bpy.context.object.name = "still"
bpy.context.object.parent = rig
bpy.ops.curve.primitive_bezier_curve_add()

for name, times in (("body", {}), ("between", {"xsamples": 3, "gsamples": 2})):
    bpy.ops.wm.alembic_export(filepath=f"{folder}/{name}.abc", start=first, end=last, face_sets=True,
                              global_scale=scale, as_background_job=False, **times)

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
