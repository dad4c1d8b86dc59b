// How an operator works on a GPU: it describes each sample's work on the host, where infer and need have run, and then
// starts one launch for the batch.
#pragma once

#include <cstddef>

#include "device/staging.h"
#include "schema/sample.h"

namespace penstock::device {

/// One operator's part of a batch, ready to start.
struct Launch {
  Device& device;
  Stream stream;
  int count = 0;
  DType in = DType::kNone, out = DType::kNone;  ///< of input 0 and output 0
  std::byte* jobs = nullptr;                    ///< on the GPU
  size_t most_elements = 0;                     ///< of one output
};

/// The second base of sample operators that have a form for GPUs.
class Form {
 public:
  virtual ~Form() = default;
  /// Bytes of the job that describe() fills.
  virtual size_t job_size() const = 0;
  /// Describes the work of one sample: everything but where input and output lie. Tables go to the staging memory.
  /// Runs on workers, where run() would on a CPU. in(i).held and out(i).held are set; no data pointer is.
  virtual void describe(Sample& s, Staging& staging, std::byte* job) const = 0;
  /// Says where the sample lies on the GPU. Device addresses; runs once all samples of the batch are described.
  virtual void connect(std::byte* job, const std::byte* in, std::byte* out) const = 0;
  virtual void launch(const Launch& launch) const = 0;
};

/// A Form whose job has the members `in` and `out`.
template <class Job>
class JobForm : public Form {
 public:
  size_t job_size() const override { return sizeof(Job); }
  void describe(Sample& s, Staging& staging, std::byte* job) const final { describe(s, staging, *new (job) Job); }
  void connect(std::byte* job, const std::byte* in, std::byte* out) const override {
    Job& j = *reinterpret_cast<Job*>(job);
    j.in = in;
    j.out = out;
  }

 protected:
  virtual void describe(Sample& s, Staging& staging, Job& job) const = 0;
};

/// Launches of GatherJob and ResampleJob.
void launch_gather(const Launch& launch);
void launch_resample(const Launch& launch);

}  // namespace penstock::device
