// Tensors that all devices hold alike, or that become one.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/collectives.h"
#include "parallel/lane.h"

namespace penstock::parallel {

/// Broadcasts and reductions over lanes: by NCCL where all of them are GPUs and it is there, by copies otherwise.
class Combiner {
 public:
  /// @param nccl  as GroupOptions::nccl. NCCL takes its time to start, so that happens at the first use.
  Combiner(std::span<const Lane> lanes, std::string nccl) : lanes_(lanes), nccl_(std::move(nccl)) {}

  std::string transport();
  std::vector<Tensor> broadcast(const Tensor& tensor);
  Tensor reduce(std::span<const Tensor> parts, Reduction reduction, const Lane& target);

 private:
  device::Collectives* collectives();
  /// The position of the target where NCCL can reduce these parts to it; -1 otherwise.
  int root_for(std::span<const Tensor> parts, const Lane& target);
  std::vector<device::Stream> streams() const;

  const std::span<const Lane> lanes_;
  const std::string nccl_;
  std::once_flag opened_;
  std::shared_ptr<device::Collectives> collectives_;
  std::string why_none_;
};

}  // namespace penstock::parallel
