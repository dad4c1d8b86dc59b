// Launches on several GPUs that are written down once and replayed again and again, by one thread: asking for each of
// them anew costs a framework's Python more than the launches themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "kernels/replicas/job.h"

namespace penstock::parallel {

/// One piece of work of the GPU with that place in the sequence.
struct Node {
  enum class Kind : uint8_t {
    kFirstWaits,  ///< what the first GPU is given from now on comes after what the others have been given
    kOthersWait,  ///< the other way round
    kRenew,       ///< `jobs` RenewJobs at `address`
    kTotal,       ///< `jobs` TotalJobs at `address`, sums behind the base of number `base`
    kGraph,       ///< the cudaGraphExec_t at `address`
    kSend,        ///< `jobs` CopyJobs at `address` in host memory, from behind the base, by a copy engine: beside what
                  ///< this GPU is given from now on
    kArrive,      ///< what any GPU is given from now on comes after all that was sent
  };
  Kind kind = Kind::kFirstWaits;
  int gpu = 0;
  void* address = nullptr;
  int jobs = 0;
  int base = 0;
};

class LaunchSequence {
 public:
  /// @param gpus  which outlive the sequence
  /// @throws ArgumentError for nodes of other GPUs and bases that cannot be; std::runtime_error for a GPU without
  /// kernels
  LaunchSequence(std::vector<device::Runtime*> gpus, std::vector<Node> nodes);
  ~LaunchSequence();
  LaunchSequence(const LaunchSequence&) = delete;
  LaunchSequence& operator=(const LaunchSequence&) = delete;

  /// Queues all nodes in order. One thread at a time.
  /// @param streams  of each GPU, the same GPUs' in each call
  /// @param bases    from number 1 on
  /// @throws ArgumentError for another number of streams, and for too few or too many bases
  void replay(std::span<const device::Stream> streams, std::span<void* const> bases);

 private:
  void queue(const Node& node, std::span<const device::Stream> streams, const kernels::Bases& bases);
  void send(const Node& node, device::Stream stream, const std::byte* base);
  void arrive(std::span<const device::Stream> streams);
  /// What is queued on `later` from now on comes after what is queued on `earlier`.
  void order(size_t later, size_t earlier, std::span<const device::Stream> streams);

  const std::vector<device::Runtime*> gpus_;
  struct Kernels {
    device::FoundKernel<kernels::RenewJob, kernels::Bases> renew;
    device::FoundKernel<kernels::TotalJob, kernels::TotalTarget> total;
  };
  std::vector<Kernels> kernels_;
  const std::vector<Node> nodes_;
  std::vector<device::Event> events_;
  struct Side {
    device::Stream stream = nullptr;  // of GPUs that send
    device::Event event = nullptr;
  };
  std::vector<Side> sides_;
  int most_base_ = 0;
};

}  // namespace penstock::parallel
