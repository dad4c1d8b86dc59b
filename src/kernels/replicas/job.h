// What copies of a module on several GPUs need: new weights, and the sum of their gradients. One thread block a job.
// Memory of other GPUs is read and written through peer access, which the caller has enabled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// Devices that can share one module, in one launch.
inline constexpr int kMostReplicas = 16;

/// Addresses that are known when a launch is queued, not when its jobs are written.
inline constexpr int kMostBases = 16;
struct Bases {
  void* at[kMostBases] = {};  ///< the first is null: what begins there is an address as it is
};

/// Up to `bytes` of a tensor that has copies elsewhere: they are written where the checksum of `from` is not the one
/// that is noted, which then is; where none is asked for, in any case.
struct RenewJob {
  const void* from = nullptr;    ///< bytes from its base
  uint64_t* checksum = nullptr;  ///< 0: nothing was sent yet
  void* to[kMostReplicas] = {};  ///< bytes from their base
  uint32_t from_base = 0;
  uint32_t to_base = 0;
  uint32_t copies = 0;  ///< how many of `to` there are
  uint32_t bytes = 0;
};

enum class RealType : uint32_t { kFloat32, kFloat64, kFloat16, kBfloat16 };

/// to[i] = sum of from[...][i], in the order of the addends, summed in single precision or better.
struct TotalJob {
  const void* from[kMostReplicas] = {};
  uint64_t to = 0;  ///< bytes from where the launch says
  uint32_t addends = 0;
  uint32_t elements = 0;
  RealType type = RealType::kFloat32;
};

/// Where all sums of a launch lie.
struct TotalTarget {
  void* base = nullptr;
};

inline constexpr device::Kernel<RenewJob, Bases> kRenew{"renew"};
inline constexpr device::Kernel<TotalJob, TotalTarget> kTotal{"total"};

}  // namespace penstock::kernels
