#include "parallel/launch_sequence.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "kernels/replicas/job.h"

namespace penstock::parallel {

LaunchSequence::LaunchSequence(std::vector<device::Runtime*> gpus, std::vector<Node> nodes)
    : gpus_(std::move(gpus)), nodes_(std::move(nodes)), events_(gpus_.size()), sides_(gpus_.size()) {
  PENSTOCK_CHECK(!gpus_.empty(), ArgumentError, "a sequence needs a GPU");
  for (device::Runtime* gpu : gpus_)
    kernels_.push_back({device::find(*gpu, kernels::kRenew), device::find(*gpu, kernels::kTotal)});
  for (const Node& node : nodes_) {
    PENSTOCK_CHECK(node.gpu >= 0 && node.gpu < static_cast<int>(gpus_.size()), ArgumentError, "a node for GPU {} of {}",
                   node.gpu, gpus_.size());
    PENSTOCK_CHECK(node.base >= 0 && node.base < kernels::kMostBases, ArgumentError, "a node with base {}, at most {}",
                   node.base, kernels::kMostBases - 1);
    most_base_ = std::max(most_base_, node.base);
  }
}

LaunchSequence::~LaunchSequence() {
  for (size_t i = 0; i < gpus_.size(); ++i) {
    if (events_[i]) gpus_[i]->give_back_event(events_[i]);
    if (sides_[i].event) gpus_[i]->give_back_event(sides_[i].event);
    if (sides_[i].stream) gpus_[i]->destroy_stream(sides_[i].stream);
  }
}

void LaunchSequence::replay(std::span<const device::Stream> streams, std::span<void* const> bases) {
  PENSTOCK_CHECK(streams.size() == gpus_.size(), ArgumentError, "{} streams for {} GPUs", streams.size(), gpus_.size());
  PENSTOCK_CHECK(bases.size() >= static_cast<size_t>(most_base_) && bases.size() < kernels::kMostBases, ArgumentError,
                 "{} bases for a sequence with {}, at most {}", bases.size(), most_base_, kernels::kMostBases - 1);
  for (size_t i = 0; i < events_.size(); ++i)
    if (!events_[i]) events_[i] = gpus_[i]->take_event(streams[i]);
  kernels::Bases all;
  std::ranges::copy(bases, all.at + 1);
  for (const Node& node : nodes_) queue(node, streams, all);
}

void LaunchSequence::queue(const Node& node, std::span<const device::Stream> streams, const kernels::Bases& bases) {
  const auto i = static_cast<size_t>(node.gpu);
  device::Runtime& gpu = *gpus_[i];
  switch (node.kind) {
    case Node::Kind::kFirstWaits:
      for (size_t other = 1; other < gpus_.size(); ++other) order(0, other, streams);
      break;
    case Node::Kind::kOthersWait:
      if (gpus_.size() > 1) gpus_[0]->record(events_[0], streams[0]);
      for (size_t other = 1; other < gpus_.size(); ++other) gpus_[other]->wait(streams[other], events_[0]);
      break;
    case Node::Kind::kRenew:
      kernels_[i].renew({.stream = streams[i],
                         .jobs = static_cast<const kernels::RenewJob*>(node.address),
                         .count = node.jobs,
                         .parameters = bases});
      break;
    case Node::Kind::kTotal:
      kernels_[i].total({.stream = streams[i],
                         .jobs = static_cast<const kernels::TotalJob*>(node.address),
                         .count = node.jobs,
                         .parameters = {.base = bases.at[node.base]}});
      break;
    case Node::Kind::kGraph:
      gpu.launch_graph(streams[i], node.address);
      break;
    case Node::Kind::kSend:
      send(node, streams[i], static_cast<const std::byte*>(bases.at[node.base]));
      break;
    case Node::Kind::kArrive:
      arrive(streams);
      break;
  }
}

void LaunchSequence::send(const Node& node, device::Stream stream, const std::byte* base) {
  const auto i = static_cast<size_t>(node.gpu);
  device::Runtime& gpu = *gpus_[i];
  Side& side = sides_[i];
  if (!side.stream) side.stream = gpu.make_stream(0);
  if (!side.event) side.event = gpu.take_event(side.stream);
  gpu.record(events_[i], stream);
  gpu.wait(side.stream, events_[i]);
  for (const auto& job : std::span(static_cast<const device::CopyJob*>(node.address), static_cast<size_t>(node.jobs)))
    gpu.copy(side.stream, job.to, base + reinterpret_cast<uintptr_t>(job.from), job.bytes);
  gpu.record(side.event, side.stream);
}

void LaunchSequence::arrive(std::span<const device::Stream> streams) {
  for (const Side& side : sides_)
    for (size_t i = 0; side.event && i < gpus_.size(); ++i) gpus_[i]->wait(streams[i], side.event);
}

void LaunchSequence::order(size_t later, size_t earlier, std::span<const device::Stream> streams) {
  gpus_[earlier]->record(events_[earlier], streams[earlier]);
  gpus_[later]->wait(streams[later], events_[earlier]);
}

}  // namespace penstock::parallel
