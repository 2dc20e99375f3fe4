"""blender_cloth.py -- FOLDER: a cloth on a body in Blender; run by drop.py and garments.py in Blender's Python.

FOLDER/job.json says which. With "drop" Blender makes a grid and a ball. With "worn" the meshes are in the folder:
cloth.pc2, body.pc2 (positions of every frame, z up) and their triangles, cloth_given.tri and body_given.tri (int32).
Of cloth.pc2 only the first frame counts, and the vertices in "pins", which are held where it has them.

Quality 5 and self-collision at "self_distance"; everything else is as Blender has it for a new cloth, but for the
distances of collision in "distance": where cloth starts nearer to its body than Blender's distances, they are half of
that each, or the least that Blender takes. "distance" in the job sets both.

Writes the positions of every frame, the triangles as Blender's collisions have them, and its times (simulating only:
neither start nor writing) into the folder.
"""
import json
import os
import struct
import sys
import time

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

folder, THREADS = sys.argv[-1], 2
LEAST = 0.001  # that Blender takes as a distance [m]
with open(f"{folder}/job.json") as file:
    job = json.load(file)


def vertices(thing):
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    xyz = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", xyz)
    return xyz.reshape(-1, 3) + np.array(thing.location, np.float32)


def triangles(thing):
    mesh = thing.data
    mesh.calc_loop_triangles()
    tri = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", tri)
    return tri


def drop(n, size, height, radius):
    """A ball and, above it, a grid of n x n cells."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, segments=64, ring_count=32)
    ball = bpy.context.object
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=n, y_subdivisions=n, size=size, location=(0, 0, height))
    cloth = bpy.context.object
    if len(cloth.data.vertices) != (n + 1)**2:
        sys.exit(f"this Blender makes a grid of {len(cloth.data.vertices)} vertices")
    return cloth, ball


def given(name, moves):
    """A mesh of the folder, where it is in its first frame. If it moves, a modifier has it where its file does."""
    path = f"{folder}/{name}.pc2"
    with open(path, "rb") as f:
        count = struct.unpack_from("<i", f.read(32), 16)[0]
        xyz = np.frombuffer(f.read(12 * count), np.float32).reshape(-1, 3)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(xyz.tolist(), [], np.fromfile(f"{folder}/{name}_given.tri", np.int32).reshape(-1, 3).tolist())
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    if moves:
        modifier = thing.modifiers.new("Motion", "MESH_CACHE")
        modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", path, 1
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"  # as they are
    return thing


def gap(a, b):
    """How near they come to each other where they are now [m]: vertices of each to triangles of the other."""
    least = 1e9
    for thing, other in ((a, b), (b, a)):
        tree = BVHTree.FromPolygons([v.co for v in other.data.vertices], [p.vertices for p in other.data.polygons])
        for v in thing.data.vertices:
            least = tree.find_nearest(v.co, least)[3] or least
    return least


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
count = job["frames"]
scene.render.fps, scene.frame_start, scene.frame_end = job["fps"], 1, count + 1
scene.render.threads_mode, scene.render.threads = "FIXED", THREADS
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))  # on machines with more

if "drop" in job:
    cloth, body = drop(**job["drop"])
else:
    cloth, body = given("cloth", job["worn"]["pins"]), given("body", True)
body.modifiers.new("Collision", "COLLISION")
modifier = cloth.modifiers.new("Cloth", "CLOTH")
modifier.settings.quality = 5
collision = modifier.collision_settings
collision.use_collision = collision.use_self_collision = True
collision.self_distance_min = job["self_distance"]
modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, count + 1
start = None
if "worn" in job:
    if job["worn"]["pins"]:
        cloth.vertex_groups.new(name="pins").add(job["worn"]["pins"], 1, "REPLACE")
        modifier.settings.vertex_group_mass = "pins"
    start = gap(cloth, body)
    if job.get("distance") or start < collision.distance_min + body.collision.thickness_outer:
        each = job.get("distance") or max(LEAST, start / 2)
        collision.distance_min = body.collision.thickness_outer = each

scene.frame_set(1)
frames = [vertices(cloth)]
wall, cpu = time.monotonic(), os.times().user
for frame in range(2, count + 2):
    scene.frame_set(frame)
    frames.append(vertices(cloth))
wall, cpu = time.monotonic() - wall, os.times().user - cpu

np.array(frames, np.float32).tofile(f"{folder}/cloth.f32")
triangles(cloth).tofile(f"{folder}/cloth.tri")
name = "body" if "worn" in job else "ball"
with open(f"{folder}/{name}.f32", "wb") as file:
    for frame in range(1, count + 2 if "worn" in job else 2):
        scene.frame_set(frame)
        vertices(body).tofile(file)
triangles(body).tofile(f"{folder}/{name}.tri")
with open(f"{folder}/times.json", "w") as file:
    json.dump({"wall": wall, "cpu": cpu, "threads": THREADS, "version": bpy.app.version_string, "start": start,
               "distances": [collision.distance_min, body.collision.thickness_outer],
               "collision_quality": collision.collision_quality}, file)
