"""check_vtk.py CACHE EXPORTS: VTK reads the VTP files and ParaView's collection is sound."""
import os
import sys
import xml.etree.ElementTree as xml

import numpy as np
import vtkmodules.vtkIOXML as io
from common import check, close, expected, report, three
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
        if want.uv is not None and want.name != "patch":
            uv = vtk_to_numpy(data.GetPointData().GetTCoords())
            close(uv[want.corners], want.uv, f"{name}: uv")
check(not window.GetOutput(), f"vtk: no warnings: {window.GetOutput()}")
sys.exit(report())
