"""From a selection in Blender to a simulated result: the scene file, its meshes, the run, the import.

What a selected mesh becomes is its "Role" in the sidebar (View > Sidebar > clothsim). "By itself" makes
a solid or cloth of what has a material named as a preset of clothsim, cloth of what has a vertex group
called "pin", and a collider of everything else. All is written as the depsgraph shows it at the first frame, in world space, metres and z up;
a collider whose vertices move within the frame range is written as a point cache with all frames.
"""
import json
import os
import re
import shutil
import struct
import subprocess

import bpy
import numpy as np

ROLES = [("AUTO", "By itself", "Cloth with a vertex group \"pin\" or a material named as a preset, else a collider"),
         ("CLOTH", "Cloth", "A sheet"), ("SOLID", "Solid", "A closed surface, filled"),
         ("COLLIDER", "Collider", "What others touch; it moves as Blender moves it")]
SOLIDS = ("rubber-solid", "jelly", "foam")
PIN = re.compile(r"^pin(?:[ :](.+))?$", re.IGNORECASE)


class Trouble(Exception):
    pass


def file_name(name, taken):
    """A name that clothsim takes, unlike those taken: letters, digits, '_', '.', '-'."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name).lstrip(".-")[:90] or "object"
    while plain in taken:
        plain += "_"
    taken.add(plain)
    return plain


def presets(program):
    """Names of clothsim's presets, from its schema."""
    text = subprocess.run([program, "--print-schema"], capture_output=True, text=True, check=True).stdout
    found = re.search(r'"preset":\s*\{.*?"enum":\s*(\[.*?\])', text, re.DOTALL)
    if not found:
        raise Trouble(f"{program} is not a clothsim of this version")
    return json.loads(found.group(1))


def material_of(thing, known):
    """The preset that a material of the object is named as: "Silk.001" is silk."""
    for slot in thing.material_slots:
        name = slot.material.name if slot.material else ""
        plain = re.sub(r"\.\d{3}$", "", name).strip().lower().replace(" ", "-")
        if plain in known:
            return plain
    return None


def pins_of(thing):
    """(name of a collider or None, vertices) of the groups "pin" and "pin COLLIDER"."""
    for group in thing.vertex_groups:
        match = PIN.match(group.name)
        if match:
            vertices = [v.index for v in thing.data.vertices
                        for g in v.groups if g.group == group.index and g.weight >= 0.5]
            if vertices:
                yield match.group(1), vertices


def role_of(thing, known):
    if thing.clothsim_role != "AUTO":
        return thing.clothsim_role
    material = material_of(thing, known)
    if material in SOLIDS:
        return "SOLID"
    return "CLOTH" if material or any(PIN.match(g.name) for g in thing.vertex_groups) else "COLLIDER"


def evaluated(thing, graph):
    """Vertices in world space (n, 3), and the mesh that they are of; thing.to_mesh_clear() afterwards."""
    shown = thing.evaluated_get(graph)
    mesh = shown.to_mesh()
    xyz = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", xyz)
    world = np.array(shown.matrix_world)
    return shown, mesh, xyz.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def write_abc(context, thing, path, frame):
    """The mesh by Blender's own exporter, with all texture coordinates, colours, normals and, as face sets, materials."""
    chosen, active = context.selected_objects, context.view_layer.objects.active
    for other in chosen:
        other.select_set(other == thing)
    try:
        bpy.ops.wm.alembic_export(
            filepath=path, check_existing=False, start=frame, end=frame, selected=True, flatten=True, face_sets=True,
            vcolors=True, export_hair=False, export_particles=False, evaluation_mode="VIEWPORT", as_background_job=False)
    finally:
        for other in chosen:
            other.select_set(True)
        context.view_layer.objects.active = active
    if not os.path.exists(path):
        raise Trouble(f"Blender has not written {path}")


class Look:
    """Materials and shading of a mesh, for another one with the same faces."""

    def __init__(self, mesh):
        self.materials = [material and material.original for material in mesh.materials]
        self.layers = {}
        for name, kind in (("material_index", np.int32), ("use_smooth", bool)):
            self.layers[name] = np.empty(len(mesh.polygons), kind)
            mesh.polygons.foreach_get(name, self.layers[name])

    def give(self, mesh):
        for material in self.materials:
            mesh.materials.append(material)
        for name, values in self.layers.items():
            if len(values) == len(mesh.polygons):
                mesh.polygons.foreach_set(name, values)


def write_meshes(context, things, colliders, folder, first, last):
    """Meshes of all at the first frame; of colliders that move or deform all frames. Returns "mesh" and look of each."""
    scene, was = context.scene, context.scene.frame_current
    frames = {name: [] for name in colliders}
    source, looks = {}, {}
    for name, thing in things.items():
        write_abc(context, thing, os.path.join(folder, name + ".abc"), first)
        source[name] = {"file": name + ".abc", "up": "y"}
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        graph = context.evaluated_depsgraph_get()
        for name, thing in things.items():
            if frame > first and name not in colliders:
                continue
            shown, mesh, xyz = evaluated(thing, graph)
            if frame == first:
                looks[name] = Look(mesh)
            if name in colliders:
                frames[name].append(xyz.astype("<f4"))
            shown.to_mesh_clear()
    scene.frame_set(was)
    for name, all_of_it in frames.items():
        if any(len(x) != len(all_of_it[0]) for x in all_of_it):
            raise Trouble(f"\"{things[name].name}\" changes its number of vertices: apply or turn off the modifier that does so")
        if all(np.array_equal(x, all_of_it[0]) for x in all_of_it):
            continue
        with open(os.path.join(folder, name + ".pc2"), "wb") as out:
            out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(all_of_it[0]), first, 1, len(all_of_it)))
            out.writelines(x.tobytes() for x in all_of_it)
        source[name] = {"sequence": name + ".pc2", "faces": name + ".abc"}
    return source, looks


def write_scene(context, folder, program):
    """The scene file of the selection. Returns its path, and by name the objects of Blender, their roles and looks."""
    selected = [o for o in context.selected_objects if o.type == "MESH"]
    scene, known, taken, objects = context.scene, presets(program), set(), []
    things = {file_name(o.name, taken): o for o in selected}
    roles = {name: role_of(o, known) for name, o in things.items()}
    if "CLOTH" not in roles.values() and "SOLID" not in roles.values():
        raise Trouble("nothing selected is cloth or a solid: set a role, or name a material after a preset")
    os.makedirs(folder, exist_ok=True)
    colliders = [name for name, role in roles.items() if role == "COLLIDER"]
    source, looks = write_meshes(context, things, colliders, folder, scene.frame_start, scene.frame_end)
    for name, thing in things.items():
        entry = {"name": name, "type": roles[name].lower(), "mesh": source[name]}
        if roles[name] != "COLLIDER":
            entry["material"] = material_of(thing, known) or ("cotton" if roles[name] == "CLOTH" else "jelly")
            entry["pins"] = []
            for leader, vertices in pins_of(thing):
                follow = next((n for n in colliders if things[n].name == leader), None)
                if leader and not follow:
                    raise Trouble(f"\"{thing.name}\": its pins follow \"{leader}\", which is not among the colliders selected")
                entry["pins"].append({"vertices": vertices, **({"follow": follow} if follow else {})})
        objects.append(entry)
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"version": 1, "name": "scene", "units": {"up": "z", "length": "m"},
                   "frames": {"start": scene.frame_start, "end": scene.frame_end,
                              "fps": scene.render.fps / scene.render.fps_base},
                   "gravity": [round(g, 6) for g in scene.gravity] if scene.use_gravity else [0, 0, 0],
                   "output": {"obj": False}, "objects": objects}, out, indent=1)
    return path, things, roles, looks


class Simulate(bpy.types.Operator):
    """Simulate the selected meshes with clothsim and load the result"""
    bl_idname = "clothsim.simulate"
    bl_label = "Simulate with clothsim"
    _child = _timer = None

    def start(self, context):
        settings = context.scene.clothsim
        self.program = shutil.which(bpy.path.abspath(settings.program))
        if not self.program:
            raise Trouble(f"there is no program {settings.program}: say in the sidebar where clothsim is")
        self.folder = os.path.realpath(bpy.path.abspath(settings.folder))
        if settings.folder.startswith("//") and not bpy.data.filepath:
            raise Trouble("save the .blend file first, or give a folder that does not begin with //")
        self.path, self.things, self.roles, self.looks = write_scene(context, self.folder, self.program)
        self.out = os.path.join(self.folder, "out")
        self.errors = open(os.path.join(self.folder, "clothsim.log"), "w+", encoding="utf-8")
        self._child = subprocess.Popen([self.program, self.path, "-o", self.out, "--overwrite", "-q"],
                                       stdout=self.errors, stderr=self.errors, stdin=subprocess.DEVNULL)

    def finish(self, context, code):
        self.errors.seek(0)
        said = self.errors.read().strip()
        self.errors.close()
        if code != 0:
            raise Trouble(f"clothsim ended with {code}: {said[-800:]}")
        from . import NAME, import_cache
        simulated = {name for name, role in self.roles.items() if role != "COLLIDER"}
        made = import_cache(context, os.path.join(self.out, "scene.clothcache"), set_range=False, only=simulated)
        for result in made:
            self.looks[result[NAME]].give(result.data)
        for name in simulated:
            self.things[name].hide_set(True)
            self.things[name].hide_render = True
        if said:
            self.report({"WARNING"}, said[-800:])

    def attempt(self, step, *arguments):
        try:
            step(*arguments)
        except (Trouble, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def execute(self, context):
        if not self.attempt(self.start, context):
            return {"CANCELLED"}
        return {"FINISHED"} if self.attempt(self.finish, context, self._child.wait()) else {"CANCELLED"}

    def invoke(self, context, _event):
        if not self.attempt(self.start, context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.5, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._child.terminate()  # it leaves a checkpoint: clothsim --resume goes on
        if event.type != "TIMER" or self._child.poll() is None:
            self.show_progress(context)
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        return {"FINISHED"} if self.attempt(self.finish, context, self._child.returncode) else {"CANCELLED"}

    def show_progress(self, context):
        try:
            with open(os.path.join(self.out, "run.json"), encoding="utf-8") as record:
                now = json.load(record)
            context.workspace.status_text_set(
                f"clothsim: frame {now['last_frame']} of {now['frame_end']} (Esc stops it)")
        except (OSError, ValueError, KeyError):
            pass


class Settings(bpy.types.PropertyGroup):
    program: bpy.props.StringProperty(name="Program", default="clothsim", subtype="FILE_PATH",
                                      description="clothsim, or where it is")
    folder: bpy.props.StringProperty(name="Folder", default="//clothsim", subtype="DIR_PATH",
                                     description="Where scene, meshes and result go; it is overwritten")


class Panel(bpy.types.Panel):
    bl_idname, bl_label = "VIEW3D_PT_clothsim", "clothsim"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "clothsim"

    def draw(self, context):
        layout = self.layout
        if context.object and context.object.type == "MESH":
            layout.prop(context.object, "clothsim_role")
        layout.prop(context.scene.clothsim, "program")
        layout.prop(context.scene.clothsim, "folder")
        layout.operator(Simulate.bl_idname)


CLASSES = (Settings, Simulate, Panel)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.clothsim = bpy.props.PointerProperty(type=Settings)
    bpy.types.Object.clothsim_role = bpy.props.EnumProperty(name="Role", items=ROLES)


def unregister():
    del bpy.types.Object.clothsim_role, bpy.types.Scene.clothsim
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
