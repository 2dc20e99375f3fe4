// scene/contact_keys.c: keys of "contact". Needs scene/reader.h.
#include "scene/reader.h"

#include <stddef.h>

#define IN_CONTACT(member) offsetof(csim_contact_params, member)

static const char *const response_names[] = {"none",    "impulse",      "filter",
                                             "penalty", "impact-zones", NULL};

// in the order of the enums of model/params.h
static const char *const energy_names[] = {"quadratic-log", "log", "cubic", NULL};
static const char *const broad_phase_names[] = {"bvh", "grid", NULL};
static const char *const test_names[] = {"discrete", "continuous", NULL};
static const char *const on_intersection_names[] = {"refuse", "ignore-pairs", "untangle", NULL};
static const char *const pinched_names[] = {"lag", "ignore", NULL};

#define IN_PAIR(member) offsetof(csim_pair_friction, member)
static const csim_field pair_fields[] = {
    CSIM_KEY("a", name, IN_PAIR(object[0]), NULL, .flags = CSIM_REQUIRED,
             .doc = "Name of an object."),
    CSIM_KEY("b", name, IN_PAIR(object[1]), NULL, .flags = CSIM_REQUIRED,
             .doc = "Name of the other; the same name: the object against itself."),
    CSIM_KEY("friction", real, IN_PAIR(friction), NULL, .least = 0, .most = 100,
             .flags = CSIM_REQUIRED, .doc = "Coefficient of friction between the two."),
};
static const csim_table pair_table = CSIM_TABLE("friction-pair", csim_pair_friction, pair_fields,
                                                NULL, "Friction between two objects.");
static const csim_list pair_list =
    CSIM_LIST_OF(pair_table, csim_pair_friction, IN_CONTACT(nfriction));

static const csim_field contact_fields[] = {
    CSIM_KEY(
        "response", choice, IN_CONTACT(response), "filter", .detail = response_names,
        .doc =
            "Method of contact. \"filter\": smooth contact forces, and a CCD filter that shortens "
            "every step so that no surfaces can intersect, with any solver. \"impulse\": vertices "
            "that have entered a collider are pushed out; no guarantee. \"penalty\": springs push "
            "them out; no guarantee. \"impact-zones\": impulses on pairs that would collide, then "
            "one projection of all that still would; no guarantee. \"none\": no contact."),
    CSIM_KEY("self", bool, IN_CONTACT(self), "true",
             .doc = "Contact of cloth and solids with themselves and each other, not only with "
                    "colliders (response \"filter\")."),
    CSIM_KEY(
        "thickness", real, IN_CONTACT(thickness), "0", .unit = "m", .least = 0, .most = 1,
        .doc =
            "Distance at which surfaces begin to push each other apart. They never come nearer "
            "than a tenth of it. 0: a fifth of the mean edge of each object, at most 5 mm and that "
            "of the thinnest cloth (1 mm "
            "unless \"response\" is \"filter\"). Vertices that start nearer to another object "
            "begin with nine tenths of that distance; it grows as gaps open, and gaps of less than "
            "a quarter of the thickness are opened. From there it rises over the rest of the "
            "object by a fiftieth of the way along its surface. "
            "With \"impulse\": distance kept from colliders."),
    CSIM_KEY(
        "self_thickness", real, IN_CONTACT(self_thickness), "0", .unit = "m", .least = 0, .most = 1,
        .doc = "The same between cloth and solids, if it is less: layers of cloth lie nearer to "
               "each other than to colliders (response \"filter\"). 0: \"thickness\"."),
    CSIM_KEY("friction", real, IN_CONTACT(friction), "0.3", .least = 0, .most = 100,
             .doc = "Coefficient of friction of objects that do not have their own. Where two "
                    "objects touch, the smaller of their coefficients counts, unless "
                    "\"friction_pairs\" says otherwise."),
    CSIM_KEY(
        "friction_pairs", list, IN_CONTACT(pair_friction), NULL, .detail = &pair_list,
        .doc = "Coefficients of friction of pairs of objects, instead of the smaller of the two."),
    CSIM_KEY("slip", real, IN_CONTACT(slip), "0.00002", .unit = "m/s", .least = 1e-12, .most = 1,
             .doc = "Speed of sliding from which friction has its full size. Slower creep counts "
                    "as sticking."),
    CSIM_KEY("energy", choice, IN_CONTACT(energy), "quadratic-log", .detail = energy_names,
             .doc = "Energy of a closing gap: quadratic, and logarithmic below half the thickness; "
                    "a logarithmic barrier (interior point); or a cubic barrier."),
    CSIM_KEY("broad_phase", choice, IN_CONTACT(broad_phase), "bvh", .detail = broad_phase_names,
             .doc = "Search for near pairs: a bounding volume hierarchy or a uniform grid. Both "
                    "find the same pairs."),
    CSIM_KEY("test", choice, IN_CONTACT(test), "discrete", .detail = test_names,
             .doc = "Of \"impulse\" and \"penalty\". \"discrete\": test the position at the end of "
                    "a step. \"continuous\": test the path relative to the collider, so that fast "
                    "vertices do not pass through thin colliders."),
    CSIM_KEY("penalty", real, IN_CONTACT(penalty), "0.25", .least = 0, .most = 1,
             .flags = CSIM_ABOVE,
             .doc = "Of \"penalty\": share of the depth that a spring undoes in a substep; its "
                    "stiffness is that much of the vertex's mass over the substep squared."),
    CSIM_KEY("on_intersection", choice, IN_CONTACT(on_intersection), "refuse",
             .detail = on_intersection_names,
             .doc = "What to do if surfaces intersect at the start: refuse the scene, ignore the "
                    "pairs that intersect (no others will), or untangle them before the first "
                    "frame (pinned vertices stay; pairs that remain are ignored)."),
    CSIM_KEY("pinched", choice, IN_CONTACT(pinched), "lag", .detail = pinched_names,
             .doc = "What colliders do when cloth is in their way and has no room, between two of "
                    "them or in a fold of one (response \"filter\"). \"lag\": they wait, or "
                    "follow their motion beside it, and catch up later. \"ignore\": they keep to "
                    "their motion and release the cloth while it "
                    "is inside of them or in the gap; run.json lists it under \"pinched\"."),
};
const csim_table csim_contact_table =
    CSIM_TABLE("contact", csim_contact_params, contact_fields, NULL, "How contact is computed.");
