// Several GPUs of this process acting as one: NCCL, which the CUDA half opens at run time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "device/runtime.h"

namespace penstock::device {

/// Methods may be called from any thread; calls of one process are queued on all GPUs in one order. They throw
/// std::runtime_error with NCCL's own words. Element i of a span belongs to GPU i of the group.
class Collectives {
 public:
  virtual ~Collectives() = default;
  /// "NCCL 2.27.7"
  virtual std::string name() const = 0;
  virtual bool sums(DType dtype) const = 0;
  /// All blocks get what that of `root` holds.
  virtual void broadcast(std::span<const Stream> streams, std::span<void* const> blocks, size_t bytes, int root) = 0;
  /// `result`, on GPU `root`, gets the sum or mean of all parts.
  virtual void reduce(std::span<const Stream> streams, std::span<const void* const> parts, void* result, DType dtype,
                      int64_t elements, bool mean, int root) = 0;
};

/// @param library  path of NCCL's library; "": the one in this process, or where the loader or wheels have it
/// @throws std::runtime_error that says why there is none
std::shared_ptr<Collectives> open_collectives(std::span<const int> gpus, const std::string& library);

}  // namespace penstock::device
