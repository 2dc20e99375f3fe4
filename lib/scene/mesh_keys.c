// scene/mesh_keys.c: keys of "mesh": a file or one of the built-in shapes.
#include "scene/reader.h"

#include "mesh/mesh.h"
#include "scene/units.h"

#define AT(member) offsetof(csim_mesh_source, member)

enum { MOST_CELLS = 65536 };

// Shapes have at most (a + 1)(b + 1) vertices a side, six sides; lib/mesh has the exact
// limit.
static void check_cells(csim_reader *r, const cJSON *item, void *base) {
  const csim_mesh_source *mesh = base;
  double count = 1;
  for (int i = 0; i < 3; i++) count *= mesh->cells[i] > 0 ? mesh->cells[i] + 1 : 1;
  if (mesh->shape == CSIM_SHAPE_BOX) {
    const int *c = mesh->cells;
    count = 2.0 * c[0] * c[1] + 2.0 * c[1] * c[2] + 2.0 * c[0] * c[2];
  }
  if (count > CSIM_MESH_MAX_VERT)
    csim_complain(r, item, "these cells make more than %d vertices", CSIM_MESH_MAX_VERT);
  int round = mesh->shape != CSIM_SHAPE_GRID && mesh->shape != CSIM_SHAPE_BOX;
  if (round && mesh->cells[0] < 3)
    csim_complain(r, item, "the first of \"cells\", around, must be at least 3");
  if (mesh->shape == CSIM_SHAPE_SPHERE && mesh->cells[1] < 2)
    csim_complain(r, item, "the second of \"cells\", along, must be at least 2");
  if (mesh->shape == CSIM_SHAPE_TORUS && mesh->cells[1] < 3)
    csim_complain(r, item, "the second of \"cells\", across, must be at least 3");
  if (mesh->shape == CSIM_SHAPE_TORUS && mesh->tube_radius >= mesh->radius)
    csim_complain(r, item,
                  "the torus cuts itself: \"tube_radius\" must be smaller than \"radius\"");
}

#define SIZE(n, what)                                                                              \
  CSIM_KEY("size", real, AT(size), "1", .count = n, .unit = "m", .least = 0, .most = 1e6,          \
           .flags = CSIM_ABOVE, .doc = what)
#define LENGTH(name, value, what)                                                                  \
  CSIM_KEY(#name, real, AT(name), value, .unit = "m", .least = 0, .most = 1e6,                     \
           .flags = CSIM_ABOVE, .doc = what)
#define CELLS(n, value, what)                                                                      \
  CSIM_KEY("cells", integer, AT(cells), value, .count = n, .least = 1, .most = MOST_CELLS,         \
           .doc = what)

static const char *const diagonal_names[] = {"alternate", "same", NULL};

static const char *const up_names[] = {"y", "z", NULL};

#define UNIT_AND_UP                                                                                \
  CSIM_KEY("unit", word, AT(unit), NULL, .detail = csim_length_unit_names,                         \
           .doc = "Unit of lengths in the file. Default: what the file says (caches, Alembic "     \
                  "files of this program), else \"units.files\"."),                                \
      CSIM_KEY(                                                                                    \
          "up", word, AT(up), NULL, .detail = up_names,                                            \
          .doc =                                                                                   \
              "Axis that points up in the file. The mesh is turned if that is not the scene's. "   \
              "Default: what the file says (Alembic: y, by convention), else \"units.up\".")

static void finish_pattern(csim_reader *r, const cJSON *item, void *base) {
  static const double FIRST_EDGES = 0.02; // [m] at most, before triangles are divided
  csim_mesh_source *mesh = base;
  if (mesh->detail.divisions < 0) {
    mesh->detail.divisions = 0;
    for (double edge = 2 * mesh->detail.resolution;
         edge <= FIRST_EDGES * (1 + 1e-9) && mesh->detail.divisions < CSIM_MOST_DIVISIONS;
         edge *= 2)
      mesh->detail.divisions++;
  }
  if (mesh->seam_closed >= -CSIM_FRAME_LIMIT && mesh->seam_closed < mesh->seam_from)
    csim_complain(r, csim_json_get(item, "closed"), "\"closed\" comes before \"from\"");
}

static const csim_field file_fields[] = {
    CSIM_KEY("file", file, AT(file), NULL, .flags = CSIM_REQUIRED,
             .doc = "Mesh file (.obj, .ply, .stl, .off), Alembic file (.abc) or cache "
                    "(.clothcache), relative to the scene file."),
    CSIM_KEY("object", text, AT(object), NULL,
             .doc = "Of an Alembic file or cache: which object, when there are several. Of Alembic "
                    "the path of a mesh or of a transform above it (\"/rig/body\"), or the end of "
                    "one (\"body\")."),
    CSIM_KEY("frame", real, AT(frame), "-1e8", .least = -CSIM_FRAME_LIMIT, .most = CSIM_FRAME_LIMIT,
             .doc = "Of an Alembic file or cache: which frame, by the numbers of the file "
                    "(fractions allowed). Default: its first."),
    UNIT_AND_UP,
};
static const csim_field sequence_fields[] = {
    CSIM_KEY("sequence", sequence, AT(sequence), NULL, .flags = CSIM_REQUIRED,
             .doc =
                 "Frames of a mesh that deforms, for colliders: mesh files with # for the digits "
                 "of their number (\"body/body_####.obj\"), a folder of such files, a cache of "
                 "this program (.clothcache), an Alembic file (.abc), or a point cache (.pc2, "
                 ".mdd). Its first frame is at the scene's start. Vertices move on straight lines "
                 "from frame to frame, and stay before the first and after the last."),
    CSIM_KEY("object", text, AT(object), NULL,
             .doc = "Which object, of a cache, folder or Alembic file that holds several. Of "
                    "Alembic the path of a mesh or of a transform above it (\"/rig/body\"), or the "
                    "end of one (\"body\")."),
    CSIM_KEY("faces", file, AT(faces), NULL,
             .doc = "Mesh file with the faces: required for point caches, which have none."),
    CSIM_KEY("fps", real, AT(fps), "0", .unit = "1/s", .least = 0, .most = 1e6,
             .doc = "Frames per second of the sequence. 0 = its own, else that of the scene."),
    CSIM_KEY("offset", real, AT(offset), "0", .least = -1e6, .most = 1e6,
             .doc = "Number of the scene's frames for which the first frame is held before the "
                    "sequence plays. Negative: that many have passed at the start."),
    UNIT_AND_UP,
};
static const csim_field pattern_fields[] = {
    CSIM_KEY("pattern", file, AT(pattern), NULL, .flags = CSIM_REQUIRED,
             .doc = "Sewing pattern in GarmentCode's JSON, relative to the scene file, for cloth. "
                    "Its panels are flat at rest, placed and sewn together as in the file. Panels, "
                    "and labels of edges, are groups."),
    CSIM_KEY("resolution", real, AT(detail.resolution), "0.01", .unit = "m", .least = 0,
             .most = 1e6, .flags = CSIM_ABOVE,
             .doc = "Length of the edges of the triangles, about."),
    CSIM_KEY("divide", integer, AT(detail.divisions), "-1", .least = -1,
             .most = CSIM_MOST_DIVISIONS,
             .doc = "The pattern is triangulated with edges this many times twice as long, whose "
                    "triangles are then divided in four as often: phases can leave divisions out. "
                    "Default: as often as the first edges are at most 2 cm long."),
    CSIM_KEY("coarse", integer, AT(detail.coarse), "0", .least = 0, .most = CSIM_MOST_DIVISIONS,
             .doc =
                 "Leaves out this many of these divisions, or all if there are fewer, for a phase "
                 "whose motion needs fewer vertices. Frames are written with all vertices. What "
                 "has torn or yielded is whole again where a finer phase begins."),
    CSIM_KEY("from", real, AT(seam_from), "-1e8", .least = -CSIM_FRAME_LIMIT,
             .most = CSIM_FRAME_LIMIT,
             .doc = "Frame in which the seams begin to close, for a garment that waits for the one "
                    "under it. Default: the start."),
    CSIM_KEY("closed", real, AT(seam_closed), "-1e8", .least = -CSIM_FRAME_LIMIT,
             .most = CSIM_FRAME_LIMIT,
             .doc = "Frame in which the seams are closed. Until then they become shorter, with a "
                    "slow start and end. Default: one second after \"from\"; at once in a scene "
                    "that starts from a cache."),
    CSIM_KEY("stiffness", real, AT(seam_stiffness), "10000", .unit = "N/m", .least = 0,
             .most = CSIM_MOST, .flags = CSIM_ABOVE, .doc = "Of each stitch."),
    CSIM_KEY("damping", real, AT(seam_damping), "0", .unit = "N s/m", .least = 0, .most = CSIM_MOST,
             .doc = "Of each stitch: force per speed of separation of its ends."),
    CSIM_KEY("pull", real, AT(seam_pull), "5", .unit = "N", .least = 0, .most = CSIM_MOST,
             .doc =
                 "Largest force of a stitch, for when something is between its ends; 0: no limit."),
    CSIM_KEY(
        "hold", real, AT(hold), "0", .unit = "N/m", .least = 0, .most = CSIM_MOST,
        .doc = "Springs that hold what the garment hangs from at its height, for a phase in which "
               "it would slide down while it is sewn: edges with the label \"lower_interface\" "
               "where they are its top, or else shoulder seams. 0: none."),
    CSIM_KEY("gather", bool, AT(gather), "true",
             .doc = "Edges that are sewn to shorter ones get their length at rest; false: they "
                    "keep their own, for a phase in which panels still move into place."),
};
static const csim_field grid_fields[] = {
    SIZE(2, "Lengths of the sides along x and z."),
    CELLS(2, "32", "Cells along x and z; the grid has one vertex more each way."),
    CSIM_KEY("diagonals", word, AT(diagonals), "alternate", .detail = diagonal_names,
             .doc = "Direction of the diagonals that make triangles of the cells: alternating from "
                    "cell to cell (no preferred direction), or all the same."),
};
static const csim_field box_fields[] = {
    SIZE(3, "Lengths of the sides along x, y and z."),
    CELLS(3, "4", "Cells along x, y and z on the faces."),
};
static const csim_field sphere_fields[] = {
    LENGTH(radius, "0.5", "Radius."),
    CELLS(2, "32", "Cells around the axis and along it from pole to pole."),
};
static const csim_field torus_fields[] = {
    LENGTH(radius, "0.5", "Radius of the centre line."),
    LENGTH(tube_radius, "0.2", "Radius of the tube."),
    CELLS(2, "32", "Cells around the axis and across, around the tube."),
};
static const csim_field cylinder_fields[] = {
    LENGTH(radius, "0.5", "Radius."),
    LENGTH(height, "1", "Height along the axis."),
    CELLS(3, "16", "Cells around the axis, along it, and across each cap from rim to centre."),
};
static const csim_field capsule_fields[] = {
    LENGTH(radius, "0.25", "Radius of the side and of both half spheres."),
    LENGTH(height, "1", "Height of the straight part, without the half spheres."),
    CELLS(3, "16",
          "Cells around the axis, along the straight part, and across each half sphere "
          "from rim to pole."),
};
static const csim_field cone_fields[] = {
    LENGTH(radius, "0.5", "Radius of the base."),
    LENGTH(height, "1", "Height from the base to the tip."),
    CELLS(3, "16", "Cells around the axis, along the side, and across the base."),
};
static const csim_field disk_fields[] = {
    LENGTH(radius, "0.5", "Radius."),
    CELLS(2, "32", "Cells around and across, from rim to centre."),
};
static const csim_field tube_fields[] = {
    LENGTH(radius, "0.5", "Radius."),
    LENGTH(height, "1", "Height along the axis."),
    CELLS(2, "32", "Cells around the axis and along it."),
};

#define TABLE(shape, text, at_end)                                                                 \
  static const csim_table shape##_table =                                                          \
      CSIM_TABLE("mesh-" #shape, csim_mesh_source, shape##_fields, at_end, text)
TABLE(file, "A mesh file, or a frame of an Alembic file or cache.", NULL);
TABLE(sequence, "A mesh that deforms from frame to frame; colliders only.", NULL);
TABLE(pattern, "The panels of a sewing pattern; cloth only.", finish_pattern);
TABLE(grid, "A flat rectangle in the plane of x and z, its normal along y.", check_cells);
TABLE(box, "A closed box.", check_cells);
TABLE(sphere, "A closed sphere.", check_cells);
TABLE(torus, "A closed ring around the axis.", check_cells);
TABLE(cylinder, "A closed cylinder.", check_cells);
TABLE(capsule, "A closed cylinder with half spheres for ends.", check_cells);
TABLE(cone, "A closed cone, tip up, centred at half its height.", check_cells);
TABLE(disk, "A flat disk, its normal along y.", check_cells);
TABLE(tube, "The side of a cylinder, open at both ends.", check_cells);
static const csim_table plane_table = {.name = "mesh-plane",
                                       .doc = "An infinite plane through the origin, its normal "
                                              "along \"units.up\", solid below; colliders only.",
                                       .size = sizeof(csim_mesh_source)};

const char *const csim_shape_names[] = {"file",   "sequence", "pattern",  "grid",    "box",
                                        "sphere", "torus",    "cylinder", "capsule", "cone",
                                        "disk",   "tube",     "plane",    NULL};
static const csim_table *const shape_tables[] = {
    &file_table,   &sequence_table, &pattern_table,  &grid_table,    &box_table,
    &sphere_table, &torus_table,    &cylinder_table, &capsule_table, &cone_table,
    &disk_table,   &tube_table,     &plane_table};
_Static_assert(sizeof shape_tables / sizeof *shape_tables == CSIM_SHAPE_PLANE + 1,
               "one table for every shape");

static const char *const implied_keys[] = {"file", "sequence", "pattern", NULL};

const csim_variants csim_mesh_variants = {.name = "mesh",
                                          .key = "shape",
                                          .doc =
                                              "Built-in shape, centred at the origin with its axis "
                                              "along y; not needed with \"file\", "
                                              "\"sequence\" or \"pattern\".",
                                          .names = csim_shape_names,
                                          .table = shape_tables,
                                          .offset = AT(shape),
                                          .implied = implied_keys};
