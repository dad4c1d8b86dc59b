// Launches of the kernel in jpeg_entropy.cuh, by what a GPU has for it.
#include "cuda/jpeg/entropy/entropy.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cuda/jpeg/launches.h"
#include "cuda/runtime/check.h"

namespace penstock::cuda {
namespace {

/// Warps that may collect blocks at a time in a thread block that has no more than this.
constexpr uint32_t warps_in(size_t memory) {
  uint32_t warps = kScanWarps;
  while (warps > 1 && EntropyMemory::bytes(1, warps) > memory) warps /= 2;
  return warps;
}
// What thread blocks may have at most where GPUs have no clusters (7.5) and where they do (12.0).
constexpr size_t kLeast = 64 << 10, kLeastOfTeams = 99 << 10;
static_assert(EntropyMemory::bytes(1, warps_in(kLeast)) <= kLeast &&
              EntropyMemory::bytes(2, warps_in(kLeastOfTeams)) <= kLeastOfTeams);

int attribute_of(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

EntropyRoom prepare_jpeg_entropy() {
  const auto most = static_cast<size_t>(attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  cudaFuncAttributes compiled{};
  check(cudaFuncGetAttributes(&compiled, entropy_kernel), "cudaFuncGetAttributes");
  // Whatever the GPU has: code that was compiled for one without clusters takes each thread block for a team.
  const bool teams = compiled.ptxVersion >= 90;
  EntropyRoom room{.warps = warps_in(most)};
  const auto set = [](cudaFuncAttribute attribute, int value) {
    check(cudaFuncSetAttribute(entropy_kernel, attribute, value), "cudaFuncSetAttribute");
  };
  // More than kernels get without asking; and where there is room for two thread blocks, nothing is lost to the cache.
  const size_t memory = EntropyMemory::bytes(teams ? 2 : 1, room.warps);
  set(cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(memory));
  set(cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  if (teams) {
    set(cudaFuncAttributeNonPortableClusterSizeAllowed, 1);  // more than eight
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(ScanJob::kMostTeam);
    config.blockDim = dim3(kScanThreads);
    config.dynamicSmemBytes = memory;
    int largest = 1;
    check(cudaOccupancyMaxPotentialClusterSize(&largest, entropy_kernel, &config),
          "cudaOccupancyMaxPotentialClusterSize");
    room.most_team =
        std::clamp(static_cast<int>(std::bit_floor(static_cast<unsigned>(largest))), 1, ScanJob::kMostTeam);
  }
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, entropy_kernel, kScanThreads,
                                                      EntropyMemory::bytes(1, room.warps)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  room.at_once = each * attribute_of(cudaDevAttrMultiProcessorCount);
  return room;
}

bool fills_gpu(int count, EntropyRoom room) { return 2 * count > room.at_once; }

void decode_jpeg_entropy(cudaStream_t stream, const ScanJob* jobs, int count, EntropyRoom room) {
  if (!count) return;
  const auto team = static_cast<unsigned>(ScanJob::team_for(count, room.most_team));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {team, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(count) * team);
  config.blockDim = dim3(kScanThreads);
  config.dynamicSmemBytes = EntropyMemory::bytes(team, room.warps);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = team > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, entropy_kernel, jobs, room.warps), "decoding a batch of JPEG files");
}

}  // namespace penstock::cuda
