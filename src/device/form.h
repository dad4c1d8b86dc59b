// How an operator works on a GPU: it describes each sample's work on the host, where infer and need have run, and then
// starts one launch for the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/staging.h"
#include "schema/operator.h"

namespace penstock::device {

/// One operator's part of a batch, ready to start.
struct Launch {
  Device& device;
  Stream stream;
  int count = 0;
  DType in = DType::kNone, out = DType::kNone;  ///< of input 0 and output 0
  std::byte* jobs = nullptr;                    ///< on the GPU
  const std::byte* described = nullptr;         ///< the same on the host
  size_t most_elements = 0;                     ///< of one output
};

/// The second base of sample operators that have a form for GPUs.
class Form {
 public:
  virtual ~Form() = default;
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
  /// True where kernels may refuse a sample: only they see what its data holds.
  virtual bool may_refuse() const { return false; }
  /// Whether they may refuse the one that the job describes; asked where may_refuse().
  virtual bool may_refuse_job(const std::byte*) const { return true; }
  /// False where an operator's arguments ask for what kernels cannot do.
  virtual bool applies() const { return true; }
  virtual void launch(const Launch& launch) const = 0;
};

/// A Form whose job has the members `in` and `out`.
template <class Job>
class JobForm : public Form {
 public:
  size_t job_size() const override { return sizeof(Job); }
  void describe(Sample& s, Staging& staging, std::byte* job, bool) const final { describe(s, staging, *new (job) Job); }
  void connect(std::byte* job, const Places& places) const override {
    Job& j = *reinterpret_cast<Job*>(job);
    j.in = places.in.empty() ? nullptr : places.in[0];
    j.out = places.out;
  }

 protected:
  virtual void describe(Sample& s, Staging& staging, Job& job) const = 0;
};

/// The second base of operators that need the whole batch, where they have a form for GPUs.
class BatchForm {
 public:
  virtual ~BatchForm() = default;
  /// Does the operator's work on a batch whose inputs lie in the GPU's memory, by work queued on the stream.
  virtual void run(BatchContext& batch, Device& device, Stream stream) const = 0;
};

/// Launches of GatherJob and ResampleJob.
void launch_gather(const Launch& launch);
void launch_resample(const Launch& launch);

}  // namespace penstock::device
