// archive.cpp: Alembic files written and read by Alembic's own library, for tests/alembic/run.
//
//   archive write OUT.abc WANTED POSE.obj...   a body that goes through the poses, a frame each and
//       three between two, in centimetres with z up, below two moving transforms and one that is
//       still; WANTED: its vertices in the world at each frame, as the library multiplies them
//   archive read IN.abc OUT                    every mesh at every sample: name, times, bounds, and
//       numbers of positions, velocities, uv, normals, parameters, face sets; text and doubles
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace Alembic::AbcGeom;

struct Mesh {
  std::vector<Imath::V3d> points;
  std::vector<int32_t> indices, counts;
};

static Mesh read_obj(const char *path) {
  Mesh mesh;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Imath::V3d p;
      words >> p.x >> p.y >> p.z;
      mesh.points.push_back(p);
    } else if (word == "f") {
      std::vector<int32_t> face;
      while (words >> word) face.push_back(std::atoi(word.c_str()) - 1);
      mesh.counts.push_back((int32_t)face.size());
      mesh.indices.insert(mesh.indices.end(), face.rbegin(), face.rend()); // clockwise
    }
  }
  return mesh;
}

static XformSample rig_at(int frame) {
  XformSample xform;
  xform.setTranslation(V3d(3.0 * frame, 10 + 0.5 * frame * frame, -2));
  xform.setRotation(V3d(0, 0, 1), 7.0 * frame);
  xform.setScale(V3d(1.1, 0.9, 1.2));
  return xform;
}

static XformSample hip_at(int frame) {
  XformSample xform;
  xform.addOp(XformOp(kTranslateOperation, kTranslateHint), V3d(0, 0, 20));
  xform.addOp(XformOp(kRotateXOperation, kRotateHint), 5.0 * frame);
  xform.addOp(XformOp(kRotateYOperation, kRotateHint), -3.0 * frame);
  xform.addOp(XformOp(kTranslateOperation, kTranslateHint), V3d(0, 0, -20));
  return xform;
}

// A further set of texture coordinates: by corner with an index, or by vertex without.
static void put_uv_set(OPolyMesh &mesh, const char *name, const Mesh &m, bool by_corner) {
  std::vector<V2f> uv;
  std::vector<uint32_t> index(m.indices.begin(), m.indices.end());
  for (size_t i = 0; i < m.points.size(); i++) uv.push_back(V2f(i * 0.25f, by_corner ? -3.f : 7.f));
  OV2fGeomParam param(mesh.getSchema().getArbGeomParams(), name, by_corner,
                      by_corner ? kFacevaryingScope : kVertexScope, 1);
  OV2fGeomParam::Sample sample(V2fArraySample(uv), by_corner ? kFacevaryingScope : kVertexScope);
  if (by_corner) sample.setIndices(UInt32ArraySample(index));
  param.set(sample);
}

static int write(int argc, char **argv) {
  enum { BETWEEN = 3 };
  std::vector<Mesh> pose;
  for (int k = 4; k < argc; k++) pose.push_back(read_obj(argv[k]));
  TimeSampling times(1.0 / 24, 1.0 / 24); // frame 1 first
  OArchive archive(Alembic::AbcCoreOgawa::WriteArchive(), argv[2]);
  uint32_t ts = archive.addTimeSampling(times);
  OXform rig(OObject(archive, kTop), "rig", ts), hip(rig, "hip", ts), still(hip, "still");
  Imath::M44d to_z_up(100, 0, 0, 0, 0, 0, 100, 0, 0, -100, 0, 0, 0, 0, 0, 1);
  XformSample fixed;
  fixed.setMatrix(to_z_up);
  still.getSchema().set(fixed);
  OPolyMesh body(still, "bodyShape", ts);
  put_uv_set(body, "atlas", pose[0], true);
  put_uv_set(body, "paint", pose[0], false);
  FILE *wanted = fopen(argv[3], "wb");
  if (!wanted) return 1;
  int frames = (int)(pose.size() - 1) * (BETWEEN + 1) + 1;
  for (int f = 0; f < frames; f++) {
    const Mesh &a = pose[f / (BETWEEN + 1)],
               &b = pose[std::min(pose.size() - 1, (size_t)(f / (BETWEEN + 1) + 1))];
    double t = f % (BETWEEN + 1) / (double)(BETWEEN + 1);
    std::vector<V3f> points;
    for (size_t i = 0; i < a.points.size(); i++)
      points.push_back(V3f(a.points[i] * (1 - t) + b.points[i] * t));
    XformSample r = rig_at(f + 1), h = hip_at(f + 1);
    rig.getSchema().set(r);
    hip.getSchema().set(h);
    OPolyMeshSchema::Sample sample{V3fArraySample(points), Int32ArraySample(a.indices),
                                   Int32ArraySample(a.counts)};
    body.getSchema().set(sample);
    M44d world = fixed.getMatrix() * h.getMatrix() * r.getMatrix();
    for (const V3f &p : points) {
      V3d q = V3d(p) * world;
      fwrite(&q, sizeof q, 1, wanted);
    }
  }
  return fclose(wanted) != 0;
}

static void put(FILE *out, const char *name, const std::vector<double> &values) {
  fprintf(out, "%s %zu\n", name, values.size());
  fwrite(values.data(), sizeof(double), values.size(), out);
  fputc('\n', out);
}

template <typename V> static std::vector<double> flat(const V *data, size_t n, size_t width) {
  std::vector<double> out;
  const float *p = reinterpret_cast<const float *>(data);
  for (size_t i = 0; i < n * width; i++) out.push_back((double)p[i]);
  return out;
}

template <typename Ints> static std::vector<double> ints(const Ints &array) {
  std::vector<double> out;
  for (size_t i = 0; i < array->size(); i++) out.push_back((double)(*array)[i]);
  return out;
}

static std::vector<double> box(const Box3d &b) {
  return {b.min.x, b.min.y, b.min.z, b.max.x, b.max.y, b.max.z};
}

// Every parameter of a compound, of a sample.
static void read_params(FILE *out, const ICompoundProperty &params, const ISampleSelector &at) {
  for (size_t k = 0; params && k < params.getNumProperties(); k++) {
    const PropertyHeader &head = params.getPropertyHeader(k);
    if (IFloatGeomParam::matches(head)) {
      IFloatGeomParam::Sample s = IFloatGeomParam(params, head.getName()).getExpandedValue(at);
      put(out, head.getName().c_str(), flat(s.getVals()->get(), s.getVals()->size(), 1));
    } else if (IV2fGeomParam::matches(head)) {
      IV2fGeomParam::Sample s = IV2fGeomParam(params, head.getName()).getExpandedValue(at);
      put(out, head.getName().c_str(), flat(s.getVals()->get(), s.getVals()->size(), 2));
    } else if (IC3fGeomParam::matches(head)) {
      IC3fGeomParam::Sample s = IC3fGeomParam(params, head.getName()).getExpandedValue(at);
      put(out, head.getName().c_str(), flat(s.getVals()->get(), s.getVals()->size(), 3));
    }
  }
}

static void read_mesh(FILE *out, const IObject &object) {
  IPolyMesh mesh(object, kWrapExisting);
  IPolyMeshSchema &schema = mesh.getSchema();
  std::vector<std::string> sets;
  schema.getFaceSetNames(sets);
  fprintf(out, "mesh %s %zu\n", object.getParent().getName().c_str(), schema.getNumSamples());
  for (const std::string &name : sets) {
    IFaceSetSchema::Sample s;
    schema.getFaceSet(name).getSchema().get(s);
    put(out, ("set:" + name).c_str(), ints(s.getFaces()));
  }
  for (index_t i = 0; i < (index_t)schema.getNumSamples(); i++) {
    ISampleSelector at(i);
    IPolyMeshSchema::Sample s;
    schema.get(s, at);
    put(out, "time", {schema.getTimeSampling()->getSampleTime(i)});
    put(out, "P", flat(s.getPositions()->get(), s.getPositions()->size(), 3));
    if (s.getVelocities())
      put(out, "v", flat(s.getVelocities()->get(), s.getVelocities()->size(), 3));
    put(out, "bounds", box(s.getSelfBounds()));
    if (schema.getNormalsParam()) {
      IN3fGeomParam::Sample n = schema.getNormalsParam().getExpandedValue(at);
      put(out, "N", flat(n.getVals()->get(), n.getVals()->size(), 3));
    }
    if (i) continue;
    put(out, "indices", ints(s.getFaceIndices()));
    put(out, "counts", ints(s.getFaceCounts()));
    if (schema.getUVsParam()) {
      IV2fGeomParam::Sample uv = schema.getUVsParam().getExpandedValue(at);
      put(out, "uv", flat(uv.getVals()->get(), uv.getVals()->size(), 2));
    }
  }
  // parameters are of frames, whatever is between them
  ICompoundProperty params = schema.getArbGeomParams();
  size_t most = 0;
  for (size_t k = 0; params && k < params.getNumProperties(); k++)
    if (IFloatGeomParam::matches(params.getPropertyHeader(k)))
      most = std::max(
          most, IFloatGeomParam(params, params.getPropertyHeader(k).getName()).getNumSamples());
  for (size_t i = 0; i < std::max(most, (size_t)(params ? 1 : 0)); i++) {
    fprintf(out, "params %zu\n", i);
    read_params(out, params, ISampleSelector((index_t)i));
  }
}

static void walk(FILE *out, const IObject &object) {
  if (IPolyMesh::matches(object.getHeader())) read_mesh(out, object);
  if (IXform::matches(object.getHeader())) {
    IXform xform(object, kWrapExisting);
    IBox3dProperty bounds = xform.getSchema().getChildBoundsProperty();
    fprintf(out, "xform %s %zu\n", object.getName().c_str(), bounds ? bounds.getNumSamples() : 0);
    for (index_t i = 0; bounds && i < (index_t)bounds.getNumSamples(); i++)
      put(out, "bounds", box(bounds.getValue(ISampleSelector(i))));
    size_t n = xform.getSchema().isConstantIdentity() ? 0 : xform.getSchema().getNumSamples();
    fprintf(out, "matrices %s %zu\n", object.getName().c_str(), n);
    for (index_t i = 0; i < (index_t)n; i++) {
      const M44d m = xform.getSchema().getValue(ISampleSelector(i)).getMatrix();
      put(out, "matrix", std::vector<double>(m.getValue(), m.getValue() + 16));
      put(out, "when", {xform.getSchema().getTimeSampling()->getSampleTime(i)});
    }
  }
  for (size_t i = 0; i < object.getNumChildren(); i++) walk(out, object.getChild(i));
}

static int read(char **argv) {
  IArchive archive(Alembic::AbcCoreOgawa::ReadArchive(), argv[2]);
  FILE *out = fopen(argv[3], "wb");
  if (!out) return 1;
  IBox3dProperty bounds = GetIArchiveBounds(archive, ErrorHandler::kQuietNoopPolicy);
  fprintf(out, "archive x %zu\n", bounds ? bounds.getNumSamples() : 0);
  for (index_t i = 0; bounds && i < (index_t)bounds.getNumSamples(); i++)
    put(out, "bounds", box(bounds.getValue(ISampleSelector(i))));
  walk(out, archive.getTop());
  return fclose(out) != 0;
}

int main(int argc, char **argv) {
  try {
    if (argc > 4 && !strcmp(argv[1], "write")) return write(argc, argv);
    if (argc == 4 && !strcmp(argv[1], "read")) return read(argv);
  } catch (const std::exception &e) {
    std::cerr << "archive: " << e.what() << "\n";
    return 1;
  }
  std::cerr << "archive write OUT.abc WANTED POSE.obj... | read IN.abc OUT\n";
  return 2;
}
