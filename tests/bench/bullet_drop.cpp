// tests/bench/bullet_drop.cpp: the scene of drop.py with Bullet's btSoftBody, run by drop.py. C++
// as Bullet is; nothing of it is linked to the rest.
//
// bullet_drop N FRAMES FOLDER [ITERATIONS [CLUSTERS]]: 10 substeps a frame, one thread (btSoftBody
// has no other), 4 iterations (with 1, as it is, the cloth explodes), cloth against the ball by
// signed distances, against itself by clusters of about 8 triangles, or so many as said. Writes
// positions, triangles and times (simulating only) as blender_cloth.py does. Bullet has y up and
// gravity in its world and in its world info.
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyInternals.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <vector>

namespace {

constexpr int substeps = 10;
constexpr double size = 2, radius = 0.5, height = 0.6, fps = 24; // [m], [m], [m], [1/s]
constexpr double density = 0.2;                                  // [kg/m^2] cotton
constexpr double margin = 0.005;                                 // [m]

template <class T> void write_all(const std::string &path, const std::vector<T> &data) {
  std::FILE *f = std::fopen(path.c_str(), "wb");
  if (!f || std::fwrite(data.data(), sizeof(T), data.size(), f) != data.size() || std::fclose(f)) {
    std::fprintf(stderr, "bullet_drop: cannot write %s\n", path.c_str());
    std::exit(3);
  }
}

/// Triangles of a closed sphere of the ball's radius, 64 around and 32 from pole to pole.
void make_ball(std::vector<float> &x, std::vector<int> &tri) {
  constexpr int around = 64, down = 32;
  for (int j = 1; j < down; j++)
    for (int i = 0; i < around; i++) {
      double t = M_PI * j / down, p = 2 * M_PI * i / around;
      for (double c : {sin(t) * cos(p), cos(t), sin(t) * sin(p)}) x.push_back(float(radius * c));
    }
  int top = around * (down - 1), bottom = top + 1;
  for (double y : {radius, -radius})
    for (double c : {0.0, y, 0.0}) x.push_back(float(c));
  for (int i = 0; i < around; i++) {
    int k = (i + 1) % around, last = around * (down - 2);
    tri.insert(tri.end(), {top, k, i, bottom, last + i, last + k});
    for (int j = 0; j + 2 < down; j++) {
      int a = j * around;
      tri.insert(tri.end(), {a + i, a + k, a + around + k, a + i, a + around + k, a + around + i});
    }
  }
}

btSoftBody *make_cloth(btSoftBodyWorldInfo &info, int n, int iterations, int clusters) {
  const btScalar h = btScalar(size / 2), y = btScalar(height);
  btSoftBody *cloth =
      btSoftBodyHelpers::CreatePatch(info, btVector3(-h, y, -h), btVector3(h, y, -h),
                                     btVector3(-h, y, h), btVector3(h, y, h), n, n, 0, true);
  cloth->getCollisionShape()->setMargin(btScalar(margin));
  cloth->setTotalMass(btScalar(density * size * size));
  cloth->m_materials[0]->m_kLST = 1;
  cloth->m_cfg.piterations = iterations;
  cloth->m_cfg.kDF = btScalar(0.3);
  cloth->m_cfg.collisions = btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::CL_SS |
                            btSoftBody::fCollision::CL_SELF;
  cloth->generateClusters(clusters);
  return cloth;
}

// Bullet 3 no longer collides clusters of one body: its mask of soft-soft kinds takes in CL_SELF,
// and no kind is equal to CL_SS | CL_SELF then. So what that would call is called here, once a
// substep.
void collide_with_itself(btDynamicsWorld *world, btScalar) {
  auto *cloth = static_cast<btSoftBody *>(world->getWorldUserInfo());
  btSoftColliders::CollideCL_SS collider;
  collider.ProcessSoftSoft(cloth, cloth);
}

double wall_time() { // [s]
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double user_time() { // [s]
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return double(u.ru_utime.tv_sec) + 1e-6 * double(u.ru_utime.tv_usec);
}

void keep(const btSoftBody &cloth, std::vector<float> &frames) {
  for (int i = 0; i < cloth.m_nodes.size(); i++)
    for (int c = 0; c < 3; c++) frames.push_back(float(cloth.m_nodes[i].m_x[c]));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bullet_drop N FRAMES FOLDER [ITERATIONS [CLUSTERS]]\n");
    return 2;
  }
  const int n = std::atoi(argv[1]), count = std::atoi(argv[2]);
  const std::string folder = argv[3];
  const int iterations = argc > 4 ? std::atoi(argv[4]) : 4;
  const int clusters = argc > 5 ? std::atoi(argv[5]) : n * n / 4;

  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  const btVector3 gravity(0, btScalar(-9.81), 0);
  world.setGravity(gravity);
  btSoftBodyWorldInfo &info = world.getWorldInfo();
  info.m_broadphase = &broadphase;
  info.m_dispatcher = &dispatcher;
  info.m_gravity = gravity;
  info.air_density = 0;
  info.m_sparsesdf.Initialize();
  info.m_sparsesdf.setDefaultVoxelsz(btScalar(0.05)); // [m]; 0.25 as it is cuts 3 cm off the ball
  info.m_sparsesdf.Reset();

  btSphereShape shape{btScalar(radius)};
  btRigidBody ball(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &shape));
  ball.setFriction(btScalar(0.3));
  world.addRigidBody(&ball);
  btSoftBody *cloth = make_cloth(info, n, iterations, clusters);
  world.addSoftBody(cloth);
  world.setInternalTickCallback(collide_with_itself, cloth);

  std::vector<float> frames;
  keep(*cloth, frames);
  const double wall = wall_time(), user = user_time();
  for (int frame = 0; frame < count; frame++) {
    world.stepSimulation(btScalar(1 / fps), substeps, btScalar(1 / (fps * substeps)));
    keep(*cloth, frames);
  }
  const double took = wall_time() - wall, used = user_time() - user;

  std::vector<int> tri;
  for (int f = 0; f < cloth->m_faces.size(); f++)
    for (btSoftBody::Node *node : cloth->m_faces[f].m_n)
      tri.push_back(int(node - &cloth->m_nodes[0]));
  std::vector<float> ball_x;
  std::vector<int> ball_tri;
  make_ball(ball_x, ball_tri);
  write_all(folder + "/cloth.f32", frames);
  write_all(folder + "/cloth.tri", tri);
  write_all(folder + "/ball.f32", ball_x);
  write_all(folder + "/ball.tri", ball_tri);
  char times[128];
  int length = std::snprintf(times, sizeof times,
                             "{\"wall\": %.6f, \"cpu\": %.6f, \"threads\": 1}\n", took, used);
  write_all(folder + "/times.json", std::vector<char>(times, times + length));

  world.removeSoftBody(cloth);
  delete cloth;
  world.removeRigidBody(&ball);
  return 0;
}
