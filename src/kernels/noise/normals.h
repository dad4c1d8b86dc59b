// Many numbers of normal noise at once, on the CPU.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/elements/job.h"

namespace penstock::kernels {

/// So many are made together.
inline constexpr int64_t kNormals = 256;

/// Elements block * kNormals and following of standard normal noise, of float or double: the bits of normal_at().
template <class Real>
void fill_normals(const NoiseTable& table, uint64_t block, std::span<Real, kNormals> normals);

}  // namespace penstock::kernels
