"""check_usd_in.py FOLDER BIN: USD stages that usd-core writes, through clothusd import and clothcache import: every
vertex of every frame, units, axes, groups, texture coordinates; a skinned mesh; value clips and usdc out."""
import os
import subprocess
import sys

import numpy as np
from common import ROOT, check, clothcache, close, report
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt

folder, binaries = sys.argv[1:3]
random = np.random.default_rng(5)
FRAMES = range(1001, 1006)
LIMIT = 1e-6


def clothusd(*words):
    return subprocess.run([sys.executable, f"{ROOT}/tools/clothusd", *words], capture_output=True, text=True)


def new_stage(path):
    if os.path.exists(path):
        os.unlink(path)
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    stage.SetTimeCodesPerSecond(30)
    stage.SetStartTimeCode(FRAMES[0])
    stage.SetEndTimeCode(FRAMES[-1])
    return stage


def array(values):
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def moving_body(path):
    stage, points = new_stage(path), 100 * random.random((5, 3), dtype=np.float32)
    rig = UsdGeom.Xform.Define(stage, "/rig")
    translate, rotate = rig.AddTranslateOp(), rig.AddRotateXYZOp()
    rig.AddScaleOp().Set(Gf.Vec3f(1, 2, 3))
    body = UsdGeom.Mesh.Define(stage, "/rig/body")
    body.CreateFaceVertexCountsAttr([4, 3])
    body.CreateFaceVertexIndicesAttr([0, 1, 2, 3, 3, 2, 4])
    UsdGeom.Subset.CreateGeomSubset(body, "hem", "face", Vt.IntArray([1]))
    uv = UsdGeom.PrimvarsAPI(body).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "vertex")
    uv.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(points[:, :2] / 100)))
    UsdGeom.Cube.Define(stage, "/rig/box")
    for frame in FRAMES:
        translate.Set(Gf.Vec3d(frame - 1000, 0, 0), frame)
        rotate.Set(Gf.Vec3f(10 * (frame - 1000), 5, 0), frame)
        if frame % 2:  # between these usd-core interpolates
            body.GetPointsAttr().Set(array(points * (1 + 0.1 * (frame - 1001))), frame)
    stage.Save()
    return stage, body, points[:, :2] / 100


def skinned(path):
    stage = new_stage(path)
    root = UsdSkel.Root.Define(stage, "/man")
    skeleton = UsdSkel.Skeleton.Define(stage, "/man/skeleton")
    skeleton.CreateJointsAttr(["a", "a/b"])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0, 0, 10))])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1), Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0, 0, 10))])
    motion = UsdSkel.Animation.Define(stage, "/man/motion")
    motion.CreateJointsAttr(["a", "a/b"])
    motion.CreateTranslationsAttr([Gf.Vec3f(0), Gf.Vec3f(0, 0, 10)])
    motion.CreateScalesAttr([Gf.Vec3h(1), Gf.Vec3h(1)])
    turns = motion.CreateRotationsAttr()
    for frame in FRAMES:
        turn = Gf.Rotation(Gf.Vec3d(1, 0, 0), 20 * (frame - 1001)).GetQuat()
        turns.Set(Vt.QuatfArray([Gf.Quatf(1), Gf.Quatf(turn)]), frame)
    body = UsdGeom.Mesh.Define(stage, "/man/body")
    body.CreateFaceVertexCountsAttr([4])
    body.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    points = np.array([[0, 0, 0], [4, 0, 0], [4, 0, 20], [0, 0, 20]], np.float32)
    body.CreatePointsAttr(array(points))
    binding = UsdSkel.BindingAPI.Apply(body.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray([0, 0, 1, 1]))
    binding.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray([1, 1, 1, 1]))
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    UsdSkel.BindingAPI.Apply(root.GetPrim())
    stage.Save()

    def at(frame):
        angle, moved = np.radians(20 * (frame - 1001)), points.astype(float).copy()
        up = moved[2:, 2] - 10
        moved[2:, 1], moved[2:, 2] = -np.sin(angle) * up, 10 + np.cos(angle) * up
        return moved
    return at


def imported(name):
    run = clothusd("import", f"{folder}/{name}", f"{folder}/in.abc")
    check(run.returncode == 0, f"usd in {name}: {run.stderr}")
    path = f"{folder}/in.clothcache"
    if os.path.exists(path):
        os.unlink(path)
    subprocess.run([f"{binaries}/clothcache", "import", f"{folder}/in.abc", "-o", path], check=True)
    cache = clothcache.Cache(path)
    check((cache.fps, cache.up, cache.numbers) == (30, 2, list(FRAMES)), f"usd in {name}: frames and axes")
    return cache, run.stderr


for ending in ("usda", "usdc", "usdz"):
    stage, body, uv = moving_body(f"{folder}/{'packed.usdc' if ending == 'usdz' else f'body.{ending}'}")
    if ending == "usdz":
        UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(f"{folder}/packed.usdc"), f"{folder}/body.usdz")
    cache, words = imported(f"body.{ending}")
    thing = cache.objects[0]
    check("/rig/box is a Cube" in words, f"{ending}: what is left out is named")
    check(len(cache.objects) == 1 and thing.name == "body", f"{ending}: one object")
    close(thing.face_vert, [0, 1, 2, 3, 3, 2, 4], f"{ending}: corners")
    check([thing.tags[t] if t >= 0 else "" for t in thing.face_tag] == ["", "g hem\n"], f"{ending}: group")
    close(thing.uv[thing.face_uv], uv[thing.face_vert], f"{ending}: uv")
    for index, frame in enumerate(FRAMES):
        matrix = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(body.GetPrim()))
        local = np.array(body.GetPointsAttr().Get(frame)).astype(float)
        world = local @ matrix[:3, :3] + matrix[3, :3]
        close(cache.positions(0, index), world, f"{ending} frame {frame}", LIMIT * np.abs(world).max())

at = skinned(f"{folder}/man.usda")
cache, _ = imported("man.usda")
for index, frame in enumerate(FRAMES):
    close(cache.positions(0, index), at(frame), f"skinned, frame {frame}", LIMIT * 20)

# instances of a set piece, points with instances, a mirror, a hole
stage = Usd.Stage.CreateNew(f"{folder}/set.usda")
UsdGeom.SetStageUpAxis(stage, "Y")
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float32)


def quad(path):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(CORNERS)
    mesh.CreateFaceVertexCountsAttr([3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 0, 2, 3])
    return mesh


quad("/piece/leaf")
for k in range(2):
    place = UsdGeom.Xform.Define(stage, f"/set/piece{k}")
    place.GetPrim().GetReferences().AddInternalReference("/piece")
    place.GetPrim().SetInstanceable(True)
    UsdGeom.XformCommonAPI(place).SetTranslate((3 * k + 1, 0, 0))
points = UsdGeom.PointInstancer.Define(stage, "/leaves")
points.CreateProtoIndicesAttr([0])
points.CreatePositionsAttr([(0, 0, 0)])
points.CreatePrototypesRel().AddTarget(quad("/leaves/prototypes/leaf").GetPath())
UsdGeom.XformCommonAPI(quad("/mirrored")).SetScale((-1, 1, 1))
quad("/holed").CreateHoleIndicesAttr([1])
stage.GetRootLayer().Save()
run = clothusd("import", f"{folder}/set.usda", f"{folder}/set.abc")
check(run.returncode == 0, f"usd in set.usda: {run.stderr}")
words = run.stderr
subprocess.run([f"{binaries}/clothcache", "import", f"{folder}/set.abc", "-o", f"{folder}/set.clothcache"], check=True)
cache_of_set = clothcache.Cache(f"{folder}/set.clothcache")
there = {thing.name: cache_of_set.positions(k, 0) for k, thing in enumerate(cache_of_set.objects)}
check(len(there) == 5, f"meshes of the set: {sorted(there)}")
for name, place in there.items():
    x = 1 if "piece0" in name else 4 if "piece1" in name else 0
    close(place, CORNERS * ((-1, 1, 1) if name.startswith("mirrored") else 1) + (x, 0, 0), name)
check("/leaves is a PointInstancer, and left out" in words, f"instances of points are named: {words}")
check("/holed: faces that are holes are kept" in words, f"holes are named: {words}")
run = clothusd("import", f"{folder}/set.usda", f"{folder}/leaf.abc", "--object", "/leaves/prototypes/leaf")
check(run.returncode == 0, f"a prototype that is asked for: {run.stderr}")

run = clothusd("import", f"{folder}/body.usda", f"{folder}/no.abc", "--object", "/rig/box")
check(run.returncode == 1 and "has no mesh" in run.stderr and not os.path.exists(f"{folder}/no.abc.tmp"), "no mesh")
with open(f"{folder}/bad.usda", "w") as file:
    file.write("#usda 1.0\ndef Mesh {")
run = clothusd("import", f"{folder}/bad.usda", f"{folder}/no.abc")
check(run.returncode == 1 and "clothusd: error" in run.stderr, f"a file that is damaged: {run.stderr}")

check("Error in" not in run.stderr, f"without usd-core's source lines: {run.stderr}")
with open(f"{folder}/body.usda", "rb") as file:
    before = file.read()
for words, message in (
        (("import", "body.usda", "no.abc", "--object", "/rig/boddy"), "did you mean /rig/body?"),
        (("import", "body.usda", "no.abc", "--object", "/elsewhere/coat"), "its first mesh is /"),
        (("import", "body.usda", "body.usda"), "the output would replace the input"),
        (("import", "body.usda", "no.obj"), "must end in .abc"),
        (("import", "in.abc", "no.abc"), "is Alembic already"),
        (("import", "body.usda", "nowhere/no.abc"), "there is no folder"),
        (("import", ".", "no.abc"), "is a folder"),
        (("import", "nothing.usda", "no.abc"), "there is no such file"),
        (("export", "in.clothcache", "no.abc"), "must end in .usdc"),
        (("export", "in.clothcache", "in.clothcache"), "the output would replace the input")):
    paths = [f"{folder}/{word}" for word in words[1:3]]
    run = clothusd(words[0], *paths, *words[3:])
    check(run.returncode == 1 and message in run.stderr and "Traceback" not in run.stderr, f"{words}: {run.stderr}")
with open(f"{folder}/body.usda", "rb") as file:
    check(file.read() == before, "the input is as it was")

# out: binary and clips have every bit of the cache
for name, more in (("out", ()), ("clips", ("--clips",))):
    run = clothusd("export", f"{folder}/in.clothcache", f"{folder}/{name}.usdc", *more)
    check(run.returncode == 0, f"usdc {name}: {run.stderr}")
    stage = Usd.Stage.Open(f"{folder}/{name}.usdc")
    check(UsdGeom.GetStageUpAxis(stage) == "Z" and stage.GetTimeCodesPerSecond() == 30, f"usdc {name}: stage")
    for k, thing in enumerate(cache.objects):
        mesh = UsdGeom.Mesh.Get(stage, stage.GetDefaultPrim().GetPath().AppendChild(thing.name))
        close(mesh.GetFaceVertexIndicesAttr().Get(), thing.face_vert, f"usdc {name}: corners")
        for index, frame in enumerate(cache.numbers):
            close(np.array(mesh.GetPointsAttr().Get(frame)), cache.positions(k, index), f"usdc {name} {frame}")
sys.exit(report())
