"""check_blender.py CACHE EXPORTS: Blender reads every export, and the cache by the add-on."""
import os
import subprocess
import sys

import bpy
import numpy as np
from common import ROOT, check, close, expected, report, sets_of, three, z_up

path, exports = sys.argv[1:3]
stem = os.path.splitext(os.path.basename(path))[0]
cache, objects = expected(path)
scene = None


def fresh():
    global scene
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(cache.fps), 1


def vertices(mesh):
    xyz = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", xyz)
    return xyz.reshape(-1, 3)


def evaluated(target):
    shape = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
    xyz = vertices(shape.data)
    m = np.array(target.matrix_world)
    return xyz, xyz @ m[:3, :3].T + m[:3, 3]


def rotated(face, uv=None):
    """A face from its lowest vertex on: importers may start it anywhere."""
    k = face.index(min(face))
    turn = face[k:] + face[:k]
    return turn if uv is None else (turn, [uv[(k + i) % len(face)] for i in range(len(face))])


def check_faces(target, want, what, uv=True):
    mesh = target.data
    faces = [rotated(list(p.vertices)) for p in mesh.polygons]
    check(faces == [rotated(f) for f in want.faces], f"{what}: faces and winding")
    if not uv or want.uv is None:
        return
    check(len(mesh.uv_layers) == 1, f"{what}: one uv layer")
    if len(mesh.uv_layers) == 1:
        flat = np.empty(2 * len(mesh.loops), np.float32)
        mesh.uv_layers[0].data.foreach_get("uv", flat)
        flat = flat.reshape(-1, 2)
        got, should = [], []
        for p, a, b in zip(mesh.polygons, want.starts[:-1], want.starts[1:]):
            corners = list(p.loop_indices)
            got += rotated(list(p.vertices), flat[corners].tolist())[1]
            should += rotated(want.corners[a:b].tolist(), want.uv[a:b].tolist())[1]
        close(got, should, f"{what}: uv", 1e-7)


def check_obj_and_ply():
    for index in three(cache):
        for want in objects:
            for kind in ("obj", "ply"):
                fresh()
                what = f"{kind} {want.name} frame {cache.numbers[index]}"
                file = f"{exports}/{kind}/{want.name}_{cache.numbers[index]:04d}.{kind}"
                operator = bpy.ops.wm.obj_import if kind == "obj" else bpy.ops.wm.ply_import
                operator(filepath=file, forward_axis="Y", up_axis="Z")
                check(len(bpy.data.objects) == 1, f"{what}: one object")
                target = bpy.data.objects[0]
                close(vertices(target.data), want.at(index), what)
                seams = kind == "ply" and want.name == "patch"  # PLY has uv by vertex only
                check_faces(target, want, what, uv=not seams)


def check_point_caches():
    for want in objects:
        for kind in ("pc2", "mdd"):
            fresh()
            bpy.ops.wm.obj_import(filepath=f"{exports}/{kind}/{want.name}_rest.obj", forward_axis="Y",
                                  up_axis="Z")
            check(len(bpy.data.objects) == 1, f"{kind} {want.name}: the rest mesh is one object")
            target = bpy.data.objects[0]
            for mode in ("FRAME", "TIME"):
                if kind == "pc2" and mode == "TIME":
                    continue  # Blender divides by the frame rate twice
                target.modifiers.clear()
                modifier = target.modifiers.new("cache", "MESH_CACHE")
                modifier.cache_format, modifier.filepath = kind.upper(), f"{exports}/{kind}/{want.name}.{kind}"
                modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
                modifier.time_mode, modifier.interpolation = mode, "NONE"
                modifier.frame_start = cache.numbers[0] if mode == "FRAME" else 0
                for index in three(cache):
                    scene.frame_set(cache.numbers[index])
                    close(evaluated(target)[0], want.at(index),
                          f"{kind} {mode} {want.name} frame {cache.numbers[index]}")


def named(want, suffix=""):
    """The mesh object of a name; importers add .001 or name the shape."""
    for target in bpy.data.objects:
        if target.type == "MESH" and want.name in (target.name, target.data.name, target.name.split(".")[0]):
            return target
    return None


def check_scene_file(kind, tolerance):
    fresh()
    file = f"{exports}/{kind}/{stem}.{kind}"
    if kind == "abc":
        bpy.ops.wm.alembic_import(filepath=file, set_frame_range=True, as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=file, set_frame_range=True)
    check((scene.frame_start, scene.frame_end) == (cache.numbers[0], cache.numbers[-1]),
          f"{kind}: frame range {scene.frame_start} to {scene.frame_end}")
    for want in objects:
        target = named(want)
        check(target is not None, f"{kind}: object {want.name}")
        if target is None:
            continue
        check_faces(target, want, f"{kind} {want.name}")
        if kind == "abc":  # Blender makes materials of face sets
            names = {material.name for material in target.data.materials}
            check(names == {name for _, name in sets_of(want.thing)}, f"abc {want.name}: face sets {names}")
        for index in three(cache):
            scene.frame_set(cache.numbers[index])
            what = f"{kind} {want.name} frame {cache.numbers[index]}"
            close(evaluated(target)[1], z_up(want.at(index)), what, tolerance)
            shape = target.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            layer = shape.attributes.get("velocity")
            if want.thing.has_velocity and kind == "abc":
                check(layer is not None, f"{what}: velocities")
                if layer is not None:
                    v = np.empty(3 * len(shape.vertices), np.float32)
                    layer.data.foreach_get("vector", v)
                    close(v.reshape(-1, 3), z_up(want.velocity(index)), f"{what}: velocities", 1e-5)


def check_add_on():
    fresh()
    archive = os.path.join(os.path.abspath(exports), "clothsim_cache.zip")
    subprocess.check_call([sys.executable, f"{ROOT}/tools/blender/package", archive])
    bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
    bpy.ops.preferences.addon_enable(module="clothsim_cache")
    result = bpy.ops.import_scene.clothcache(filepath=os.path.abspath(path))
    check(result == {"FINISHED"}, "add-on: import")
    check((scene.frame_start, scene.frame_end) == (cache.numbers[0], cache.numbers[-1]), "add-on: range")
    check(abs(scene.render.fps / scene.render.fps_base - cache.fps) < 1e-6, "add-on: frame rate")
    for want in objects:
        target = bpy.data.objects[want.name]
        check_faces(target, want, f"add-on {want.name}")
        for index in (*three(cache), 3, 1, len(cache.numbers) - 2):  # forward and back
            scene.frame_set(cache.numbers[index])
            xyz = vertices(target.data)[:want.nvert]
            close(xyz, z_up(want.at(index)), f"add-on {want.name} frame {cache.numbers[index]}")
            close(evaluated(target)[0][:want.nvert], xyz, f"add-on {want.name}: what a render sees")
    bad = bpy.ops.import_scene.clothcache
    try:
        bad(filepath=os.path.abspath(__file__))
        check(False, "add-on: a file that is no cache")
    except RuntimeError as error:
        check("not a clothsim cache" in str(error), f"add-on: {error}")
    bpy.ops.preferences.addon_disable(module="clothsim_cache")


print("Blender", bpy.app.version_string)
check_obj_and_ply()
check_point_caches()
check_scene_file("abc", 1e-6)
check_scene_file("usda", 1e-6)
check_add_on()
sys.exit(report())
