// Thread blocks that do one thing together and see each other's shared memory: a cluster, where the GPU has clusters
// (compute capability 9.0), the code was compiled for one that has, and the launch asks for them; else one thread
// block.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

namespace penstock::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFF;  // of a warp

class Team {
 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ Team()
      : size_(cooperative_groups::this_cluster().num_blocks()),
        rank_(cooperative_groups::this_cluster().block_rank()) {}
  __device__ uint32_t size() const { return size_; }
  __device__ uint32_t rank() const { return rank_; }
  /// All threads of the team; what they wrote before, the others see behind.
  __device__ void sync() const {
    if (size_ == 1)
      __syncthreads();
    else
      cooperative_groups::this_cluster().sync();
  }
  /// What lies at `mine` in this thread block's shared memory, in that of another one.
  template <class T>
  __device__ T* at(uint32_t rank, T* mine) const {
    return rank == rank_ ? mine : cooperative_groups::this_cluster().map_shared_rank(mine, static_cast<int>(rank));
  }

 private:
  const uint32_t size_, rank_;
#else
  __device__ uint32_t size() const { return 1; }
  __device__ uint32_t rank() const { return 0; }
  __device__ void sync() const { __syncthreads(); }
  template <class T>
  __device__ T* at(uint32_t, T* mine) const {
    return mine;
  }
#endif
 public:
  /// Which of the launch's teams this is.
  __device__ uint32_t number() const { return blockIdx.x / size(); }
};

/// The launch's shared memory, whose size it has said.
__device__ inline uint4* shared_memory() {
  extern __shared__ uint4 memory[];
  return memory;
}

}  // namespace penstock::cuda
