// How an operator works on a GPU: it describes each sample's work on the host, where infer and need have run, and then
// starts one launch for the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/staging.h"
#include "schema/operator.h"

namespace penstock::device {

/// Kernels of one GPU that an operator launches, each looked up once, by its name.
class FoundKernels {
 public:
  /// @return false where the GPU lacks one of them
  bool find(Runtime& gpu, std::span<const std::string_view> names);
  /// @throws InternalError for a kernel that is not among those names
  template <class Job, class Parameters>
  FoundKernel<Job, Parameters> at(const Kernel<Job, Parameters>& kernel) const {
    return FoundKernel<Job, Parameters>(&launcher(kernel.name));
  }

 private:
  Launcher& launcher(std::string_view name) const;
  std::vector<std::pair<std::string_view, Launcher*>> found_;  // one or two
};

/// One operator's part of a batch, ready to start.
struct Launch {
  Device& device;
  Stream stream;
  int count = 0;
  DType in = DType::kNone, out = DType::kNone;  ///< of input 0 and output 0
  std::byte* jobs = nullptr;                    ///< on the GPU
  const std::byte* described = nullptr;         ///< the same on the host
  size_t most_elements = 0;                     ///< of one output
  const FoundKernels& kernels;                  ///< those that the operator's form names

  /// Launches a kernel on all jobs, which are those that it knows.
  template <class Job, class Parameters>
  void start(const Kernel<Job, Parameters>& kernel, const std::type_identity_t<Parameters>& parameters = {}) const {
    kernels.at(kernel)({.stream = stream,
                        .jobs = reinterpret_cast<const Job*>(jobs),
                        .count = count,
                        .most_elements = static_cast<int64_t>(most_elements),
                        .in = in,
                        .out = out,
                        .parameters = parameters});
  }
};

class GpuForm;
class GpuBatchForm;

/// What an operator also is that has a form for GPUs.
class OnGpu {
 public:
  virtual ~OnGpu() = default;
  /// Names of the kernels that are launched. Where the GPU lacks one, the host does the operator's work.
  virtual std::vector<std::string_view> kernels() const = 0;
  /// The form; one of these is not null.
  virtual const GpuForm* form() const { return nullptr; }
  virtual const GpuBatchForm* batch_form() const { return nullptr; }
};

/// The second base of sample operators that have a form for GPUs.
class GpuForm : public OnGpu {
 public:
  const GpuForm* form() const final { return this; }
  const GpuBatchForm* batch_form() const final { return nullptr; }
  /// Called once, before the first batch. @throws ArgumentError where the GPU cannot do what the arguments ask for
  virtual void open_on(Device&) const {}
  /// Bytes of the job that describe() fills.
  virtual size_t job_size() const = 0;
  /// Describes the work of one sample: everything but where things lie. Tables go to the staging memory. Runs on
  /// workers, where run() would on a CPU. in(i).held and out(i).held are set; data pointers only where the schema says
  /// that the input's data is read: such an input stays on the host.
  /// @param refused the GPU has refused this sample: the host has to do all of it
  virtual void describe(Sample& s, Staging& staging, std::byte* job, bool refused) const = 0;
  /// Bytes of GPU memory that a described job takes for results on the way.
  virtual size_t scratch_size(const std::byte*) const { return 0; }

  /// Of one sample; all but `refused` on the GPU.
  struct Places {
    std::span<const std::byte* const> in;  ///< inputs that kernels read, in their order
    std::byte* out = nullptr;
    std::byte* scratch = nullptr;
    int32_t* refused = nullptr;  ///< pinned memory, 0; a kernel sets it to 1 where the host has to do the sample
    std::vector<CopyJob>* copies = nullptr;  ///< takes what the GPU is to copy from pinned memory before the launch
  };
  /// Whether kernels read the data of that input; of others only the descriptor matters.
  virtual bool reads(int) const { return true; }
  /// Says where the sample lies. Runs once all samples of the batch are described.
  virtual void connect(std::byte* job, const Places& places) const = 0;
  /// True where kernels may refuse the sample that the job describes: only they see what its data holds. Null: any.
  virtual bool may_refuse(const std::byte*) const { return false; }
  virtual void launch(const Launch& launch) const = 0;
};

/// A GpuForm of one kernel, none of whose jobs is refused.
template <class Job, class Parameters = Nothing>
class JobForm : public GpuForm {
 public:
  explicit JobForm(const Kernel<Job, Parameters>& kernel) : kernel_(kernel) {}
  std::vector<std::string_view> kernels() const final { return {kernel_.name}; }
  void open_on(Device&) const final {}
  bool may_refuse(const std::byte*) const final { return false; }
  void launch(const Launch& launch) const override { launch.start(kernel_); }
  size_t job_size() const final { return sizeof(Job); }
  void describe(Sample& s, Staging& staging, std::byte* job, bool) const final { describe(s, staging, *new (job) Job); }
  /// Sets the members `in` and `out`; jobs without them need another one.
  void connect(std::byte* job, const Places& places) const override {
    if constexpr (requires(Job j) { j.in, j.out; }) {
      Job& j = *reinterpret_cast<Job*>(job);
      j.in = places.in.empty() ? nullptr : places.in[0];
      j.out = places.out;
    }
  }

 protected:
  virtual void describe(Sample& s, Staging& staging, Job& job) const = 0;

 private:
  const Kernel<Job, Parameters> kernel_;
};

/// The second base of operators that need the whole batch, where they have a form for GPUs.
class GpuBatchForm : public OnGpu {
 public:
  const GpuForm* form() const final { return nullptr; }
  const GpuBatchForm* batch_form() const final { return this; }
  /// Does the operator's work on a batch whose inputs lie in the GPU's memory, by work queued on the stream.
  virtual void run(BatchContext& batch, Device& device, Stream stream) const = 0;
};

}  // namespace penstock::device
