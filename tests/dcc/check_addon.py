"""check_addon.py FOLDER BIN: the add-on takes a selection to a simulated, loaded result, in Blender without a window."""
import json
import os
import subprocess
import sys

import bpy
import numpy as np

from common import check, clothcache, report, ROOT

folder, bin_folder = (os.path.abspath(a) for a in sys.argv[1:3])
print("Blender", bpy.app.version_string)
bpy.ops.wm.read_factory_settings(use_empty=True)
archive = os.path.join(folder, "clothsim_cache.zip")
subprocess.run([sys.executable, os.path.join(ROOT, "tools/blender/package"), archive], check=True)
bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
bpy.ops.preferences.addon_enable(module="clothsim_cache")
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, 12, 24
scene.clothsim.program = os.path.join(bin_folder, "clothsim")
scene.clothsim.folder = os.path.join(folder, "job")


def simulate():
    """(result, message) of the operator on the selection."""
    try:
        return bpy.ops.clothsim.simulate(), ""
    except RuntimeError as error:  # reports of errors
        return {"CANCELLED"}, str(error)


# a banner of silk on two corners of a frame that moves, over a body that deforms, and a solid
bpy.ops.mesh.primitive_grid_add(x_subdivisions=14, y_subdivisions=14, size=1.0, location=(0, 0, 1.0))
banner = bpy.context.object
banner.name = "the banner"
banner.data.materials.append(bpy.data.materials.new("Silk.001"))
banner.data.materials.append(bpy.data.materials.new("trim"))
for polygon in banner.data.polygons:
    polygon.material_index, polygon.use_smooth = polygon.index % 3 == 0, polygon.index % 2 == 0
drawn = banner.data.uv_layers.new(name="print")
ncorner = len(banner.data.loops)
drawn.data.foreach_set("uv", np.random.default_rng(2).random(2 * ncorner, np.float32))
held = banner.vertex_groups.new(name="pin")
held.add([0, 14], 1.0, "REPLACE")
led = banner.vertex_groups.new(name="pin frame")
led.add([210, 224], 1.0, "REPLACE")
above = bpy.data.objects.new("above", None)
scene.collection.objects.link(above)
above.scale, above.rotation_euler, above.location = (1.1, 1.1, 1.1), (0.02, -0.01, 0.1), (0, 0, 0.1)
banner.parent = above
bpy.ops.mesh.primitive_cube_add(size=0.1, location=(0, 0.7, 1.2))
frame = bpy.context.object
frame.name = "frame"
frame.keyframe_insert("location", frame=1)
frame.location.x = 0.2
frame.keyframe_insert("location", frame=12)
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 0, 0.6))
body = bpy.context.object
body.name = "body"
body.scale = (1, 1, 1)
body.keyframe_insert("scale", frame=1)
body.scale = (1, 1, 1.2)
body.keyframe_insert("scale", frame=12)
bpy.ops.mesh.primitive_cube_add(size=0.3, location=(2, 0, 0.5), rotation=(0.3, 0, 0))
jelly = bpy.context.object
jelly.name = "jelly"
jelly.clothsim_role = "SOLID"
bpy.ops.mesh.primitive_plane_add(size=8, location=(0, 0, 0))
floor = bpy.context.object
floor.name = "floor"

bpy.ops.object.select_all(action="DESELECT")
check(simulate()[0] == {"CANCELLED"}, "nothing selected is an error")
floor.select_set(True)
result, text = simulate()
check(result == {"CANCELLED"} and "nothing selected is cloth" in text, f"only a floor: {text}")
banner.select_set(True)
result, text = simulate()
check(result == {"CANCELLED"} and "not among the colliders selected" in text, f"a leader is missing: {text}")
for thing in (frame, body, jelly):
    thing.select_set(True)
before = set(bpy.data.objects)
bpy.context.view_layer.update()
start = np.array([banner.matrix_world @ v.co for v in banner.data.vertices])
result, text = simulate()
check(result == {"FINISHED"}, f"simulated: {text}")
made = {o["clothsim_object"]: o for o in bpy.data.objects if o not in before}
check(set(made) == {"the_banner", "jelly"}, f"loaded: {set(made)}")
check(banner.hide_get() and banner.hide_render and not body.hide_get(), "what was simulated is hidden")
with open(os.path.join(folder, "job/scene.json"), encoding="utf-8") as file:
    written = {o["name"]: o for o in json.load(file)["objects"]}
check(written["the_banner"]["material"] == "silk", "its material by name")
check(written["floor"]["mesh"]["file"] == "floor.abc", "what does not move is one mesh")
check(all("sequence" in written[name]["mesh"] for name in ("frame", "body")), "what moves or deforms is a sequence")

cache = clothcache.Cache(os.path.join(folder, "job/out/scene.clothcache"))
if made:
    sheet = made["the_banner"]

    def corners_of(mesh):
        """{layer: {(face's vertices, vertex): texture coordinates}}: Alembic turns faces round, so corners change places."""
        return {layer.name: {(tuple(sorted(face.vertices)), mesh.loops[c].vertex_index): tuple(layer.data[c].uv)
                             for face in mesh.polygons for c in face.loop_indices} for layer in mesh.uv_layers}

    uv, wanted = corners_of(sheet.data), corners_of(banner.data)
    check(sorted(uv) == ["UVMap", "print"] and uv == wanted, f"texture coordinates of both layers: {list(uv)}")
    check([m.name for m in sheet.data.materials] == ["Silk.001", "trim"], "materials of the result")
    check([(p.material_index, p.use_smooth) for p in sheet.data.polygons] ==
          [(p.material_index, p.use_smooth) for p in banner.data.polygons], "materials and shading of its faces")
    check({"print"} == set(cache.objects[0].uv_sets), "the cache has the further layer")
    def at(number):
        scene.frame_set(number)
        graph = bpy.context.evaluated_depsgraph_get()
        mesh = sheet.evaluated_get(graph).to_mesh()
        xyz = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", xyz)
        return xyz.reshape(-1, 3)
    first, last = at(1), at(12)
    check(np.abs(first - start).max() < 1e-6, f"it starts where it was: {np.abs(first - start).max()}")
    check(np.array_equal(last, cache.positions("the_banner", 11)), "the last frame is the cache's")
    check(np.abs(last[[0, 14]] - start[[0, 14]]).max() < 1e-6, "pinned corners stay")
    moved = last[[210, 224]] - start[[210, 224]]
    check(np.abs(moved - [0.2, 0, 0]).max() < 1e-5, f"pins go with their collider: {moved}")
    check(last[:, 2].min() < start[:, 2].min() - 0.01, "it sags")
    body_now = cache.positions("body", 11)
    check(abs(body_now[:, 2].max() - 0.96) < 1e-4, "the body has deformed as Blender deforms it")
    check(subprocess.run([os.path.join(bin_folder, "clothcache"), "verify", "--contact",
                          os.path.join(folder, "job/out/scene.clothcache")], capture_output=True).returncode == 0,
          "nothing passes through anything")
bpy.ops.preferences.addon_disable(module="clothsim_cache")
check(not hasattr(bpy.types.Object, "clothsim_role"), "the add-on leaves nothing behind")
sys.exit(report())
