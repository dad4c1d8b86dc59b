#include "kernels/noise/normals.h"

#include "kernels/elements/noise.h"

namespace penstock::kernels {

template <class Real>
void fill_normals(const NoiseTable& table, uint64_t block, std::span<Real, kNormals> normals) {
  constexpr size_t kPairs = kNormals / 2, kBlocks = kNormals / 4;
  uint32_t radii[kPairs], angles[kPairs];
  for (size_t i = 0; i < kBlocks; ++i) {
    const NoiseWords words = noise_words(table, block * kBlocks + i);
    radii[2 * i] = words[0], angles[2 * i] = words[1];
    radii[2 * i + 1] = words[2], angles[2 * i + 1] = words[3];
  }
  Real first[kPairs], second[kPairs];  // apart, so that the compiler vectorises the formulas
  for (size_t i = 0; i < kPairs; ++i) {
    const NormalPair<Real> pair = normal_pair<Real>(radii[i], angles[i]);
    first[i] = pair.first, second[i] = pair.second;
  }
  for (size_t i = 0; i < kPairs; ++i) normals[2 * i] = first[i], normals[2 * i + 1] = second[i];
}
template void fill_normals(const NoiseTable&, uint64_t, std::span<float, kNormals>);
template void fill_normals(const NoiseTable&, uint64_t, std::span<double, kNormals>);

}  // namespace penstock::kernels
