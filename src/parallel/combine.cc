#include "parallel/combine.h"

#include <algorithm>
#include <cstdlib>

#include "core/check.h"
#include "kernels/sum/job.h"
#include "parallel/memory.h"
#include "parallel/sum.h"

namespace penstock::parallel {
namespace {

void check_alike(std::span<const Tensor> parts, Reduction reduction) {
  PENSTOCK_CHECK(!parts.empty(), ArgumentError, "there is nothing to reduce");
  const TensorDesc& first = parts[0].view;
  for (size_t i = 1; i < parts.size(); ++i) {
    const TensorDesc& part = parts[i].view;
    PENSTOCK_CHECK(part.dtype == first.dtype, TypeError, "part {} is {} and part 0 is {}", i, name_of(part.dtype),
                   name_of(first.dtype));
    PENSTOCK_CHECK(part.shape == first.shape, ArgumentError, "part {} has shape {} and part 0 has {}", i,
                   to_string(part.shape), to_string(first.shape));
  }
  PENSTOCK_CHECK(first.dtype != DType::kBool && first.dtype != DType::kNone, TypeError, "{} has no sum",
                 name_of(first.dtype));
  PENSTOCK_CHECK(reduction == Reduction::kSum || is_floating(first.dtype), TypeError,
                 "the mean of {} would be cut off; reduce a sum, or floating-point numbers", name_of(first.dtype));
}

/// A copy on the lane's device, also where the tensor lies there.
Tensor copied(const Tensor& tensor, const Lane& lane) {
  const std::vector<Tensor> local{placed(tensor, lane)};
  if (local[0].view.data != tensor.view.data) return local[0];
  Tensor copy = allocate(lane, tensor.view);
  if (lane.gpu && tensor.view.nbytes())
    lane.gpu->runtime().copy(lane.stream.get(), copy.view.data, tensor.view.data, tensor.view.nbytes());
  if (!lane.gpu) std::copy_n(tensor.view.data, tensor.view.nbytes(), copy.view.data);
  written(copy, lane);
  return copy;
}

}  // namespace

std::vector<device::Stream> Combiner::streams() const {
  std::vector<device::Stream> result;
  for (const Lane& lane : lanes_) result.push_back(lane.stream.get());
  return result;
}

device::Collectives* Combiner::collectives() {
  std::call_once(opened_, [this] {
    const char* setting = std::getenv("PENSTOCK_NCCL");
    const std::string library = nccl_.empty() && setting ? setting : nccl_;
    const bool all_gpus = std::ranges::all_of(lanes_, [](const Lane& lane) { return lane.gpu != nullptr; });
    if (!all_gpus || lanes_.size() < 2 || library == "off") {
      why_none_ = library == "off" ? "NCCL is off" : "nothing to reach";
      return;
    }
    std::vector<int> gpus;
    for (const Lane& lane : lanes_) gpus.push_back(lane.id.index);
    try {
      collectives_ = device::open_collectives(gpus, library);
    } catch (const std::exception& e) {
      why_none_ = e.what();
    }
  });
  return collectives_.get();
}

std::string Combiner::transport() {
  if (!lanes_[0].gpu) return "host memory";
  const device::Collectives* nccl = collectives();
  return nccl ? nccl->name() : "copies (" + why_none_ + ")";
}

std::vector<Tensor> Combiner::broadcast(const Tensor& tensor) {
  const auto holder =
      std::ranges::find(lanes_, tensor.buffer.device, [](const Lane& lane) { return lane.id.memory(); });
  const size_t root = holder == lanes_.end() ? 0 : static_cast<size_t>(holder - lanes_.begin());
  const Tensor source = placed(tensor, lanes_[root]);
  device::Collectives* nccl = source.view.nbytes() ? collectives() : nullptr;
  std::vector<Tensor> result;
  std::vector<void*> blocks;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    result.push_back(i == root ? source : nccl ? allocate(lane, source.view) : copied(source, lane));
    blocks.push_back(result.back().view.data);
  }
  if (!nccl) return result;
  nccl->broadcast(streams(), blocks, source.view.nbytes(), static_cast<int>(root));
  for (size_t i = 0; i < lanes_.size(); ++i)
    if (i != root) written(result[i], lanes_[i]);
  if (is_foreign(source)) synchronize(lanes_[root]);
  return result;
}

int Combiner::root_for(std::span<const Tensor> parts, const Lane& target) {
  if (!target.gpu || parts.size() != lanes_.size() || !parts[0].view.nbytes()) return -1;
  for (size_t i = 0; i < lanes_.size(); ++i)
    if (parts[i].buffer.device != lanes_[i].id.memory()) return -1;
  const device::Collectives* nccl = collectives();
  if (!nccl || !nccl->sums(parts[0].view.dtype)) return -1;
  return static_cast<int>(std::ranges::find(lanes_, target.id, &Lane::id) - lanes_.begin());
}

Tensor Combiner::reduce(std::span<const Tensor> parts, Reduction reduction, const Lane& target) {
  check_alike(parts, reduction);
  const bool mean = reduction == Reduction::kMean;
  const TensorDesc& desc = parts[0].view;
  const Tensor result = allocate(target, desc);
  if (const int root = root_for(parts, target); root >= 0) {
    std::vector<const void*> blocks;
    for (size_t i = 0; i < parts.size(); ++i) {
      reading(parts[i], lanes_[i]);
      blocks.push_back(parts[i].view.data);
    }
    collectives_->reduce(streams(), blocks, result.view.data, desc.dtype, desc.shape.volume(), mean, root);
    written(result, target);
    for (size_t i = 0; i < parts.size(); ++i)
      if (is_foreign(parts[i])) synchronize(lanes_[i]);
    return result;
  }
  std::vector<Tensor> local;
  for (const Tensor& part : parts) local.push_back(placed(part, target));
  if (target.gpu) {
    PENSTOCK_CHECK(parts.size() <= kernels::kSumParts, ArgumentError, "a GPU sums up to {} parts at a time, got {}",
                   kernels::kSumParts, parts.size());
    kernels::SumParts sum{.count = static_cast<int>(parts.size()),
                          .mean = mean,
                          .out = result.view.data,
                          .elements = desc.shape.volume()};
    std::ranges::transform(local, sum.parts, [](const Tensor& part) { return part.view.data; });
    target.gpu->kernel(kernels::kSum)({.stream = target.stream.get(), .out = desc.dtype, .parameters = sum});
    written(result, target);
    if (std::ranges::any_of(local, is_foreign)) synchronize(target);
  } else {
    std::vector<TensorView> views;
    for (const Tensor& part : local) views.push_back(part.view);
    sum(views, mean, result.view);
  }
  return result;
}

}  // namespace penstock::parallel
