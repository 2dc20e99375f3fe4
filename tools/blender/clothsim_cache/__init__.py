"""Blender add-on: plays clothsim caches as meshes, frame by frame, without converting them, and simulates
what is selected (simulate.py).

File > Import > clothsim cache makes a mesh of every object in the cache. A handler fills in the
positions whenever the frame changes; nothing but the present frame is in memory. The cache stays
where it is: the .blend file keeps its path. A cache that is still being written plays as far as it
goes. `tools/blender/package` makes the .zip that Blender installs.
"""
import os

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy_extras.io_utils import ImportHelper

from . import clothcache, simulate

bl_info = {
    "name": "clothsim cache",
    "author": "the clothsim project",
    "version": (1, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > clothsim cache (.clothcache); sidebar > clothsim",
    "description": "Plays clothsim caches as meshes without converting them; simulates the selection",
    "category": "Import-Export",
}

PATH, NAME, OFFSET = "clothsim_cache", "clothsim_object", "clothsim_frame_offset"
_open = {}  # path: (size of the file, Cache)


def open_cache(path):
    """The cache at a path; read again when the file has grown."""
    path = bpy.path.abspath(path)
    if not os.path.exists(path):
        path += ".part"
    size = os.path.getsize(path)
    if path not in _open or _open[path][0] != size:
        fresh = clothcache.Cache(path)
        if path in _open:  # the same run: what was worked out about its objects stays true
            for new, old in zip(fresh.objects, _open[path][1].objects):
                new.traversal = old.traversal
        _open[path] = size, fresh
    return _open[path][1]


def turned(cache, xyz):
    """Blender's z is up."""
    xyz = np.ascontiguousarray(xyz if cache.up == 2 else xyz[:, (0, 2, 1)])
    if cache.up != 2:
        np.negative(xyz[:, 1], out=xyz[:, 1])
    unit = cache.meta.get("meters_per_unit", 1)
    return xyz if unit == 1 else (xyz * unit).astype(np.float32)


def frame_index(cache, number):
    """The last frame up to `number`; the first before it."""
    return max(0, int(np.searchsorted(cache.numbers, number, side="right")) - 1)


def show(target, frame):
    """Fills an object's mesh with a frame of its cache."""
    cache = open_cache(target[PATH])
    if not cache.numbers:
        return
    mesh = target.data
    index = frame_index(cache, frame - target.get(OFFSET, 0))
    xyz = turned(cache, cache.positions(target[NAME], index))
    if len(mesh.vertices) != len(xyz):
        raise ValueError("the mesh has other vertices than the cache")
    mesh.vertices.foreach_set("co", xyz.ravel())
    if next(o for o in cache.objects if o.name == target[NAME]).has_velocity:
        # for motion blur, in lengths a frame
        v = turned(cache, cache.positions(target[NAME], index, b"VELO")) / np.float32(cache.fps)
        layer = mesh.attributes.get("velocity") or mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
        layer.data.foreach_set("vector", v.ravel())
    mesh.update()


@persistent
def on_frame(scene, _depsgraph=None):
    for target in scene.objects:
        if target.type == "MESH" and PATH in target:
            try:
                show(target, scene.frame_current)
            except (OSError, ValueError, KeyError, StopIteration) as error:
                print(f"clothsim cache: {target.name}: {error}")


def make_mesh(thing):
    """Topology of an object in a cache as a mesh, with all its texture coordinates."""
    mesh = bpy.data.meshes.new(thing.name)
    starts = np.concatenate([[0], np.cumsum(thing.face_size)])
    faces = [thing.face_vert[a:b].tolist() for a, b in zip(starts[:-1], starts[1:])]
    mesh.from_pydata(np.zeros((thing.nvert, 3)).tolist(), [], faces)
    first = {"UVMap": (thing.uv, thing.face_uv)} if thing.uv is not None else {}
    for name, (uv, index) in [*first.items(), *thing.uv_sets.items()]:
        layer = mesh.uv_layers.new(name=name) if len(mesh.loops) == len(index) else None
        if layer is not None:  # Blender has eight at most
            uv = np.where((index < 0)[:, None], np.float32(0), uv[index])
            layer.data.foreach_set("uv", uv.astype(np.float32).ravel())
    mesh.update()
    return mesh


def import_cache(context, path, offset=0, set_range=True, only=None):
    """Makes the objects of a cache, or those of these names. Returns them."""
    cache = open_cache(path)
    scene, made = context.scene, []
    for thing in cache.objects:
        if only is not None and thing.name not in only:
            continue
        target = bpy.data.objects.new(thing.name, make_mesh(thing))
        target[PATH], target[NAME], target[OFFSET] = path, thing.name, offset
        context.collection.objects.link(target)
        made.append(target)
    if set_range and cache.numbers:
        scene.frame_start, scene.frame_end = cache.numbers[0] + offset, cache.numbers[-1] + offset
        scene.render.fps = max(1, round(cache.fps))
        scene.render.fps_base = scene.render.fps / cache.fps
        scene.frame_set(scene.frame_start)
    else:
        scene.frame_set(scene.frame_current)
    return made


class ImportClothCache(bpy.types.Operator, ImportHelper):
    """Play a clothsim cache as meshes"""
    bl_idname = "import_scene.clothcache"
    bl_label = "Import clothsim cache"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".clothcache"
    filter_glob: bpy.props.StringProperty(default="*.clothcache;*.clothcache.part", options={"HIDDEN"})
    offset: bpy.props.IntProperty(name="Frame offset", description="Added to the cache's frame numbers")
    set_range: bpy.props.BoolProperty(name="Set frame range and rate", default=True)

    def execute(self, context):
        try:
            made = import_cache(context, self.filepath, self.offset, self.set_range)
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.report({"ERROR"}, f"{self.filepath}: {error}")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(made)} objects")
        return {"FINISHED"}


def menu(self, _context):
    self.layout.operator(ImportClothCache.bl_idname, text="clothsim cache (.clothcache)")


def register():
    bpy.utils.register_class(ImportClothCache)
    simulate.register()
    bpy.types.TOPBAR_MT_file_import.append(menu)
    # before the scene is evaluated, so that a render sees the new positions
    bpy.app.handlers.frame_change_pre.append(on_frame)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(on_frame)
    bpy.types.TOPBAR_MT_file_import.remove(menu)
    simulate.unregister()
    bpy.utils.unregister_class(ImportClothCache)
    _open.clear()
