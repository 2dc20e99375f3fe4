// header.cpp: clothsim.h in C++: a scene from memory, stepped.
#include <clothsim.h>

#include <cstring>

int main() {
  static const char text[] =
      "{\"version\": 1, \"objects\": [{\"name\": \"c\", \"type\": \"cloth\", \"material\": "
      "\"cotton\", \"mesh\": {\"shape\": \"grid\", \"size\": [1, 1], \"cells\": [2, 2]}}]}";
  csim_scene *scene = nullptr;
  csim_sim *sim = nullptr;
  if (std::strcmp(csim_version(), CSIM_VERSION)) return 1;
  if (csim_scene_parse(text, sizeof text - 1, "cpp.json", nullptr, 0, nullptr, &scene)) return 2;
  if (csim_sim_create(scene, nullptr, nullptr, &sim) || csim_sim_step_frame(sim, nullptr)) return 3;
  const double fallen = csim_sim_positions(sim)[1];
  csim_sim_free(sim);
  csim_scene_free(scene);
  return fallen < 0 ? 0 : 4;
}
