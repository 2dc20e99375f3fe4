"""check_usd.py CACHE EXPORTS: usd-core opens the USDA without a word, and finds everything."""
import os
import sys

import numpy as np
from common import check, close, expected, report, sets_of, three
from pxr import Usd, UsdGeom, UsdValidation

path, exports = sys.argv[1:3]
file = f"{exports}/usda/{os.path.splitext(os.path.basename(path))[0]}.usda"
cache, objects = expected(path)

# warnings go to standard error: catch the descriptor
sys.stderr.flush()
saved, caught = os.dup(2), os.open(f"{exports}/usd.log", os.O_CREAT | os.O_TRUNC | os.O_RDWR)
os.dup2(caught, 2)
stage = Usd.Stage.Open(file)
validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
problems = UsdValidation.ValidationContext(validators).Validate(stage)
for prim in stage.Traverse():
    for attribute in prim.GetAttributes():
        attribute.Get(Usd.TimeCode(cache.numbers[0]))
os.dup2(saved, 2)
os.lseek(caught, 0, os.SEEK_SET)
noise = os.read(caught, 10000).decode()
check(not noise, f"usd: no warnings: {noise}")
check(len(validators) > 5 and not problems, f"usd: compliance: {[p.GetMessage() for p in problems]}")

print("usd-core", ".".join(map(str, Usd.GetVersion())))
check(stage.GetTimeCodesPerSecond() == cache.fps and stage.GetFramesPerSecond() == cache.fps, "usd: rate")
check((stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (cache.numbers[0], cache.numbers[-1]), "usd: range")
check(UsdGeom.GetStageUpAxis(stage) == ("Z" if cache.up == 2 else "Y"), "usd: up axis")
check(UsdGeom.GetStageMetersPerUnit(stage) == cache.meta.get("meters_per_unit", 1), "usd: unit")
check(stage.HasDefaultPrim(), "usd: default prim")
for want in objects:
    mesh = UsdGeom.Mesh.Get(stage, stage.GetDefaultPrim().GetPath().AppendChild(want.name))
    check(bool(mesh), f"usd: mesh {want.name}")
    if not mesh:
        continue
    check(mesh.GetDoubleSidedAttr().Get() == (want.thing.type == "cloth"), "usd: sides")
    check(mesh.GetPrim().GetDisplayName() == want.name, "usd: display name")
    subsets = {s.GetPrim().GetDisplayName(): s for s in UsdGeom.Subset.GetAllGeomSubsets(mesh)}
    check(len(subsets) == len(sets_of(want.thing)), f"usd {want.name}: subsets")
    for (kind, name), faces in sets_of(want.thing).items():
        close(subsets[name].GetIndicesAttr().Get() if name in subsets else [], faces, f"usd {want.name}: {name}")
        check(subsets[name].GetFamilyNameAttr().Get() == ("group" if kind == "g" else "materialBind"), "usd: family")
    check(mesh.GetSubdivisionSchemeAttr().Get() == "none", "usd: no subdivision")
    check(mesh.GetOrientationAttr().Get() == "rightHanded", "usd: orientation")
    close(mesh.GetFaceVertexCountsAttr().Get(), want.thing.face_size, f"usd {want.name}: counts")
    close(mesh.GetFaceVertexIndicesAttr().Get(), want.corners, f"usd {want.name}: corners")
    check(mesh.GetPointsAttr().GetTimeSamples() == [float(n) for n in cache.numbers], "usd: times")
    if want.uv is not None:
        st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
        check(st.GetInterpolation() == "faceVarying", f"usd {want.name}: uv interpolation")
        close(np.array(st.ComputeFlattened()), want.uv, f"usd {want.name}: uv")
    for index in three(cache):
        time, what = Usd.TimeCode(cache.numbers[index]), f"usd {want.name} frame {cache.numbers[index]}"
        xyz = want.at(index)
        close(np.array(mesh.GetPointsAttr().Get(time)), xyz, what)
        close(np.array(mesh.GetExtentAttr().Get(time)), [xyz.min(0), xyz.max(0)], f"{what}: extent")
        if want.thing.has_velocity:
            close(np.array(mesh.GetVelocitiesAttr().Get(time)), want.velocity(index), f"{what}: velocities")
sys.exit(report())
