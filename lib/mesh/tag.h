// mesh/tag.h: the group names a face carries. Needs nothing.
//
// A face is in an object, some groups and a material at once, but has one tag in csim_mesh. So a
// tag is the OBJ statements in force at the face, in this order, those without a name left out:
//   "mtllib FILE ...\n" "o NAME\n" "g NAME NAME ...\n" "usemtl NAME\n"
#ifndef CSIM_MESH_TAG_H
#define CSIM_MESH_TAG_H

/// The kinds of names in a tag, in their order.
enum { CSIM_TAG_LIBRARY, CSIM_TAG_OBJECT, CSIM_TAG_GROUP, CSIM_TAG_MATERIAL, CSIM_TAG_KINDS };

/// The keyword of a kind: "mtllib", "o", "g", "usemtl".
const char *csim_tag_keyword(int kind);

/// The name of one kind within a tag.
/// @param tag           NULL = no names
/// @param[out] length   of the name, without the newline; 0 when the tag has none of this kind
/// @return its first character (not terminated)
const char *csim_tag_name(const char *tag, int kind, int *length);

/// Whether a tag carries `name`: as its object, its material, one of its groups, or all of its
/// groups as one string. Case matters.
int csim_tag_has(const char *tag, const char *name);

#endif
