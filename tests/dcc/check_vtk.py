"""check_vtk.py CACHE EXPORTS: VTK reads the VTP files and ParaView's collection is sound."""
import os
import sys
import xml.etree.ElementTree as xml

import numpy as np
import vtkmodules.vtkIOXML as io
from common import check, close, expected, report, sets_of, three
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow, vtkVersion

path, exports = sys.argv[1:3]
cache, objects = expected(path)
window = vtkStringOutputWindow()
vtkOutputWindow.SetInstance(window)
print("VTK", vtkVersion.GetVTKVersion())

pvd = xml.parse(f"{exports}/vtp/{os.path.splitext(os.path.basename(path))[0]}.pvd").getroot()
sets = pvd.findall("Collection/DataSet")
check(len(sets) == len(cache.numbers) * len(objects), "pvd: a data set for each frame and object")
times = {s.get("file"): float(s.get("timestep")) for s in sets}

for want in objects:
    for index in three(cache):
        name = f"{want.name}_{cache.numbers[index]:04d}.vtp"
        reader = io.vtkXMLPolyDataReader()
        reader.SetFileName(f"{exports}/vtp/{name}")
        reader.Update()
        data = reader.GetOutput()
        time = cache.numbers[index] / cache.fps
        check(times.get(name) == time, f"pvd: time of {name}")
        check(data.GetNumberOfPoints() == want.nvert, f"{name}: points")
        close(vtk_to_numpy(data.GetPoints().GetData()), want.at(index), name)
        polys = data.GetPolys()
        close(vtk_to_numpy(polys.GetConnectivityArray()), want.corners, f"{name}: corners")
        close(vtk_to_numpy(polys.GetOffsetsArray()), want.starts, f"{name}: offsets")
        check(data.GetFieldData().GetArray("TimeValue").GetValue(0) == time, f"{name}: time")
        if want.thing.has_velocity:
            close(vtk_to_numpy(data.GetPointData().GetVectors()), want.velocity(index), f"{name}: velocities")
        points, single = data.GetPointData(), None  # the normal of each vertex that has one alone
        if want.thing.face_normal is not None:
            pairs = np.unique(np.stack([want.corners, want.thing.face_normal], 1), axis=0)
            single = pairs[:, 1] if len(pairs) == want.nvert and pairs.min() >= 0 else None
        check((points.GetNormals() is not None) == (single is not None), f"{name}: normals")
        if single is not None:
            close(vtk_to_numpy(points.GetNormals()), want.thing.normals(want.at(index))[single], f"{name}: normals", 1e-6)
        check((points.GetArray("Colour") is not None) == (want.thing.colour is not None), f"{name}: colours")
        if want.thing.colour is not None:
            close(vtk_to_numpy(points.GetArray("Colour")), want.thing.colour, f"{name}: colours")
        cells = data.GetCellData()
        masks = {cells.GetArrayName(k): vtk_to_numpy(cells.GetArray(k)) for k in range(cells.GetNumberOfArrays())}
        masks.pop("Tag", None)
        sets = {("group " if kind == "g" else "material ") + group: faces for (kind, group), faces in sets_of(want.thing).items()}
        check(set(masks) == set(sets), f"{name}: groups and materials {set(masks)}")
        for group, faces in sets.items():
            close(np.flatnonzero(masks.get(group, [])), faces, f"{name}: {group}")
        if want.uv is not None and want.name != "patch":
            uv = vtk_to_numpy(data.GetPointData().GetTCoords())
            close(uv[want.corners], want.uv, f"{name}: uv")
check(not window.GetOutput(), f"vtk: no warnings: {window.GetOutput()}")
sys.exit(report())
