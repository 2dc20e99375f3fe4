// scene/units.h: units of measurement in texts such as "0.3 mm" or "kg/m^2". Needs base/.
#ifndef CSIM_SCENE_UNITS_H
#define CSIM_SCENE_UNITS_H

/// A unit: value in SI = value * times / over. Two factors, so that 0.3 mm is 0.3 / 1000 and rounds
/// to the double that 0.0003 reads as.
typedef struct csim_unit {
  double times, over;
  int m, kg, s, rad; ///< exponents
} csim_unit;

/// Parses products and quotients of known units, each with an optional exponent: "N/m", "kg m^2",
/// "m/s^2", "1/s". A slash divides by the one factor after it. "" is the unit 1.
/// @param[out] unknown  (32) on failure: the part that is not known, or "" for bad form
/// @return 0 on failure
int csim_parse_unit(const char *text, csim_unit *unit, char *unknown);

/// Same exponents?
int csim_same_dimension(const csim_unit *a, const csim_unit *b);

/// Names of units: of length only (for "units"), and all (for messages and the manual).
extern const char *const csim_length_unit_names[];
extern const char *const csim_unit_names[];

#endif
