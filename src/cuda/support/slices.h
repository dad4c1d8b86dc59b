// Batches of more jobs than a grid has room for along y, where kernels look for their job.
#pragma once

#include <algorithm>

namespace penstock::cuda {

/// Calls launch(first, count) for one slice of the jobs after the other.
template <class Launch>
void in_slices(int count, Launch&& launch) {
  constexpr int kMost = 65'535;
  for (int first = 0; first < count; first += kMost)
    launch(first, static_cast<unsigned>(std::min(count - first, kMost)));
}

}  // namespace penstock::cuda
