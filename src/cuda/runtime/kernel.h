// How a kernel gets into the table that the host half looks in: a line in its .cu file, which CMake collects.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string_view>
#include <utility>

#include "cuda/runtime/gpu.h"
#include "device/kernel.h"

namespace penstock::cuda {

/// One row of the table: the kernel's name, and what makes its launcher for a GPU.
struct KernelRow {
  std::string_view name;
  std::unique_ptr<device::Launcher> (*make)(Gpu&);
};

template <class Job, class Parameters>
device::JobBatch<Job, Parameters> batch_of(const device::Kernel<Job, Parameters>&, const device::LaunchArguments& a) {
  return device::JobBatch<Job, Parameters>::of(a);
}

template <class Job, class Parameters>
cudaStream_t stream_of(const device::JobBatch<Job, Parameters>& batch) {
  return static_cast<cudaStream_t>(batch.stream);
}

/// For kernels whose jobs lie more than their size apart.
template <class Job, class Parameters>
const std::byte* first_job(const device::JobBatch<Job, Parameters>& batch) {
  return reinterpret_cast<const std::byte*>(batch.jobs);
}

/// Calls `kStart`, a function of a JobBatch, with the GPU as the thread's own.
template <const auto& kKernel, auto kStart>
class FunctionLauncher final : public device::Launcher {
 public:
  explicit FunctionLauncher(Gpu& gpu) : gpu_(gpu) {}
  void launch(const device::LaunchArguments& arguments) override {
    const Current current(gpu_.context);
    kStart(batch_of(kKernel, arguments));
  }

 private:
  Gpu& gpu_;
};

template <class Launcher>
std::unique_ptr<device::Launcher> make_launcher(Gpu& gpu) {
  return std::make_unique<Launcher>(gpu);
}

/// PENSTOCK_KERNEL(kResample, launch_resample): `launch_resample(const JobBatch<ResampleJob>&)` launches the kernel
/// that the host knows as kResample. The line stands alone at the beginning of a line of a file of src/cuda.
#define PENSTOCK_KERNEL(kernel, function) \
  KernelRow row_of_##kernel() { return {kernel.name, make_launcher<FunctionLauncher<kernel, function>>}; }

/// Likewise for a launcher that keeps something for each GPU: a class of device::Launcher, made of a Gpu&.
#define PENSTOCK_KERNEL_LAUNCHER(kernel, launcher) \
  KernelRow row_of_##kernel() { return {kernel.name, make_launcher<launcher>}; }

}  // namespace penstock::cuda
