/// @file
/// DataParallel for modules of LibTorch. It needs LibTorch's headers and libraries, and Penstock; nothing of it is in
/// Penstock's own library.
///
/// @code{.cpp}
/// Net net;                                                     // a ModuleHolder of a Cloneable module
/// net->to(torch::Device(torch::kCUDA, 1));                     // the module lives on the first device
/// parallel::DataParallel dp(net.ptr(), {DeviceId::parse("cuda:1"), DeviceId::parse("cuda:3")});
/// dp(x).sum().backward();                                      // gradients arrive at net's own parameters
/// @endcode
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ThreadLocalState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <penstock/parallel.h>

namespace penstock::parallel {

/// LibTorch's name of the device; all virtual devices are its one CPU.
inline torch::Device torch_device(const DeviceId& device) {
  return device.kind == DeviceId::Kind::kCuda
             ? torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(device.index))
             : torch::Device(torch::kCPU);
}

namespace detail {

/// The copy of a parameter that a replica holds, as a function of the parameter: gradients go back to its device.
struct OnReplica : torch::autograd::Function<OnReplica> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& parameter,
                               const torch::Tensor& copy) {
    context->saved_data["device"] = parameter.device();
    return copy.detach();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0].to(context->saved_data["device"].toDevice()), torch::Tensor()};
  }
};

/// A copy of a module on another device.
template <class Module>
class ModuleReplica {
 public:
  ModuleReplica(const Module& module, const torch::Device& device) {
    // Clones draw initial weights first. The program's random numbers shall not depend on the number of devices.
    const torch::Generator generator = at::detail::getDefaultCPUGenerator();
    const torch::Tensor state = generator.get_state();
    module_ = std::dynamic_pointer_cast<Module>(module.clone(device));
    torch::Generator(generator).set_state(state);
    sources_ = tensors_of(module);
    copies_ = tensors_of(*module_);
    for (size_t i = 0; i < sources_.size(); ++i) {
      const torch::Tensor &source = sources_[i], &copy = copies_[i];
      versions_.push_back(version_of(source));
      copy.requires_grad_(source.requires_grad());
      if (source.requires_grad()) {
        const torch::AutoGradMode on(true);
        // By way of a view, so that what adds to the parameter's gradient is on the parameter's own device and stream.
        torch::autograd::impl::set_gradient_edge(
            copy, torch::autograd::impl::gradient_edge(OnReplica::apply(source.view_as(source), copy.detach())));
      }
    }
  }

  /// Whether the module still has the tensors that were copied, of the same types and shapes.
  bool fits(const Module& module) const {
    const std::vector<torch::Tensor> now = tensors_of(module);
    if (now.size() != sources_.size()) return false;
    for (size_t i = 0; i < now.size(); ++i)
      if (!now[i].is_same(sources_[i]) || now[i].sizes() != copies_[i].sizes() ||
          now[i].scalar_type() != copies_[i].scalar_type() || now[i].requires_grad() != copies_[i].requires_grad())
        return false;
    return true;
  }

  /// Copies weights and modes. Nothing tells which weights have changed: LibTorch's optimizers and its batch
  /// normalisation count no versions. A copy counts one where its source did, so that a backward pass may still come
  /// where the module itself allows it.
  void follow(const Module& module) {
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < sources_.size(); ++i) {
      copies_[i].variable_data().copy_(sources_[i], /*non_blocking=*/true);
      if (version_of(sources_[i]) == versions_[i]) continue;
      torch::autograd::impl::bump_version(copies_[i]);
      versions_[i] = version_of(sources_[i]);
    }
    const auto sources = module.modules(), copies = module_->modules();
    for (size_t i = 0; i < sources.size(); ++i)  // parents come first, and children have the last word
      if (copies[i]->is_training() != sources[i]->is_training()) copies[i]->train(sources[i]->is_training());
  }
  const std::shared_ptr<Module>& module() const { return module_; }

 private:
  static std::vector<torch::Tensor> tensors_of(const Module& module) {
    std::vector<torch::Tensor> tensors = module.parameters();
    for (torch::Tensor& buffer : module.buffers()) tensors.push_back(std::move(buffer));
    return tensors;
  }
  static int64_t version_of(const torch::Tensor& tensor) { return tensor.is_inference() ? 0 : tensor._version(); }
  std::shared_ptr<Module> module_;
  std::vector<torch::Tensor> sources_, copies_;
  std::vector<int64_t> versions_;  // of the sources when they were copied
};

}  // namespace detail

/// A module on several devices: inputs are cut along one dimension, replicas run at the same time, each on a worker of
/// its own, results are put together, and gradients flow back to the module. Replicas live on from call to call; each
/// call copies the module's weights to them.
///
/// Module is the type behind the ModuleHolder. It derives from torch::nn::Cloneable and its forward() takes tensors and
/// returns one. The module itself is the replica of the first device, so the statistics that batch normalisation
/// gathers there are kept, as with torch.nn.DataParallel.
template <class Module>
class DataParallel {
 public:
  /// @param options  as for Group::apply
  /// It throws what the constructor of Group throws.
  DataParallel(std::shared_ptr<Module> module, const std::vector<DeviceId>& devices, CallOptions options = {})
      : module_(std::move(module)), options_(std::move(options)), group_(devices) {
    replicas_.resize(devices.size() - 1);
  }

  /// The module's result for the inputs, which may lie on any device, on the device of `options.output`. Grad mode,
  /// autocast and the current streams are the calling thread's; calls of several threads take turns.
  /// @throws ReplicaErrors when replicas threw
  /// @throws ArgumentError for a module that is not on the first device and for inputs that differ in length
  template <class... Inputs>
  torch::Tensor operator()(const Inputs&... inputs) {
    std::lock_guard lock(mutex_);
    check_placement();
    const std::vector<int64_t> rows = rows_of({inputs...});
    const auto count = static_cast<int>(rows.size());
    sync(count);
    const auto parts = std::make_tuple(scattered(inputs, rows)...);
    const std::vector<std::optional<c10::Stream>> streams = current_streams(count);
    const at::ThreadLocalState state;
    const std::vector<torch::Tensor> results = group_.map(
        count,
        [&](Replica& replica) {
          const auto i = static_cast<size_t>(replica.number());
          const at::ThreadLocalStateGuard as_the_caller(state);
          const c10::OptionalStreamGuard stream =
              streams[i] ? c10::OptionalStreamGuard(*streams[i]) : c10::OptionalStreamGuard();
          const std::shared_ptr<Module>& module = i ? replicas_[i - 1]->module() : module_;
          return std::apply([&](const auto&... part) { return module->forward(part[i]...); }, parts);
        },
        rows);
    return gathered(results);
  }

  /// While frozen, calls copy no weights: for inference with a module that does not change.
  void freeze(bool on = true) {
    std::lock_guard lock(mutex_);
    frozen_ = on;
  }

  /// Lets the next call clone the module anew: after changes of what it holds besides parameters, buffers and modes.
  void refresh() {
    std::lock_guard lock(mutex_);
    for (auto& replica : replicas_) replica.reset();
  }

 private:
  torch::Device device(int replica) const { return torch_device(group_.devices()[static_cast<size_t>(replica)]); }

  void check_placement() const {
    const auto check = [&](const torch::Tensor& tensor) {
      if (tensor.device() != device(0))
        throw ArgumentError("module must have its parameters and buffers on device " + to_string(group_.devices()[0]) +
                            " (device_ids[0]) but found one of them on device: " + tensor.device().str());
    };
    for (const torch::Tensor& tensor : module_->parameters()) check(tensor);
    for (const torch::Tensor& tensor : module_->buffers()) check(tensor);
  }

  std::vector<int64_t> rows_of(const std::vector<torch::Tensor>& inputs) const {
    const int64_t length = inputs[0].size(options_.dim);
    for (size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].size(options_.dim) != length)
        throw ArgumentError("argument 0 has " + std::to_string(length) + " rows (the length along dimension " +
                            std::to_string(options_.dim) + "), argument " + std::to_string(i) + " has " +
                            std::to_string(inputs[i].size(options_.dim)) + "; give them the same length");
    return split_sizes(length, static_cast<int>(group_.devices().size()), options_.split);
  }

  /// Brings the replicas that a call needs up to date.
  void sync(int count) {
    const c10::InferenceMode off(false);  // what is made in inference mode could never be trained
    for (int i = 1; i < count; ++i) {
      auto& replica = replicas_[static_cast<size_t>(i - 1)];
      const bool fits = replica && replica->fits(*module_);
      if (!fits) replica.emplace(*module_, device(i));
      if (fits && !frozen_) replica->follow(*module_);
    }
  }

  std::vector<torch::Tensor> scattered(const torch::Tensor& input, const std::vector<int64_t>& rows) const {
    std::vector<torch::Tensor> parts = input.split_with_sizes(rows, options_.dim);
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i] = parts[i].to(parts[i].options().device(device(static_cast<int>(i))), /*non_blocking=*/true);
    return parts;
  }

  /// The streams that the calling thread works on, of each replica's device; none for the CPU.
  std::vector<std::optional<c10::Stream>> current_streams(int count) const {
    std::vector<std::optional<c10::Stream>> streams(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
      if (!device(i).is_cpu())
        streams[static_cast<size_t>(i)] = c10::impl::VirtualGuardImpl(device(i).type()).getStream(device(i));
    return streams;
  }

  torch::Tensor gathered(const std::vector<torch::Tensor>& results) const {
    const torch::Device target = torch_device(options_.output.value_or(group_.devices().front()));
    std::vector<torch::Tensor> local;
    for (const torch::Tensor& result : results) {
      const torch::Tensor there = result.to(target);
      local.push_back(there.dim() ? there : there.reshape(1));
    }
    return torch::cat(local, options_.dim);
  }

  const std::shared_ptr<Module> module_;
  const CallOptions options_;
  Group group_;
  std::mutex mutex_;
  bool frozen_ = false;
  std::vector<std::optional<detail::ModuleReplica<Module>>> replicas_;  // of all devices but the first
};

}  // namespace penstock::parallel
