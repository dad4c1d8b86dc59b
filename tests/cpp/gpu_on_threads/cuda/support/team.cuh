// In the place of src/cuda/support/team.cuh.
#pragma once

#include "gpu_on_threads/threads.h"

namespace penstock::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFF;

class Team {
 public:
  uint32_t size() const { return static_cast<uint32_t>(on_threads::launch->blocks.size()); }
  uint32_t rank() const { return blockIdx.x; }
  uint32_t number() const { return 0; }
  void sync() const { on_threads::launch->all.arrive_and_wait(); }
  template <class T>
  T* at(uint32_t rank, T* mine) const {
    const auto offset = reinterpret_cast<char*>(mine) - bytes_of(blockIdx.x);
    return reinterpret_cast<T*>(bytes_of(rank) + offset);
  }

 private:
  static char* bytes_of(uint32_t rank) {
    return reinterpret_cast<char*>(on_threads::launch->blocks[rank]->memory.data());
  }
};

inline uint4* shared_memory() { return on_threads::block().memory.data(); }

}  // namespace penstock::cuda
