// test_disjoint: joined sets against labels that are rewritten at every join.
#include "check.h"

#include "base/disjoint.h"

enum { N = 60, JOINS = 80 };

int main(void) {
  int parent[N], label[N], wrong = 0, longest = 0;
  for (int i = 0; i < N; i++) parent[i] = label[i] = i;
  for (int k = 0; k < JOINS; k++) {
    int a = (int)(check_random() % N), b = (int)(check_random() % N);
    int from = label[a], to = label[b];
    parent[csim_disjoint_root(parent, a)] = csim_disjoint_root(parent, b);
    for (int i = 0; i < N; i++) label[i] = label[i] == from ? to : label[i];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        wrong += (csim_disjoint_root(parent, i) == csim_disjoint_root(parent, j)) !=
                 (label[i] == label[j]);
  }
  CHECK(wrong == 0);
  // a chain of N items becomes shorter when its end is asked for
  for (int i = 0; i < N; i++) parent[i] = i ? i - 1 : 0;
  CHECK(csim_disjoint_root(parent, N - 1) == 0);
  for (int i = N - 1; i; i = parent[i]) longest++;
  CHECK(longest <= N / 2);
  return check_report();
}
