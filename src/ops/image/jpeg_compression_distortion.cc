#include <algorithm>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/jpeg_distortion/job.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct JpegDistortionArgs {
  int64_t quality = 50;
};

class JpegCompressionDistortion final : public SampleOperator<JpegDistortionArgs>,
                                        public device::JobForm<kernels::JpegDistortionJob> {
  using Job = penstock::kernels::JpegDistortionJob;
  static constexpr int64_t kMostExtent = 65500;  // libjpeg's, of files

 public:
  JpegCompressionDistortion() : JobForm(penstock::kernels::kJpegDistortion) { traits_.goes_by_descriptors = true; }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const int last = in.shape.ndim() - 1;
    PENSTOCK_CHECK(in.dtype == DType::kUInt8, TypeError, "JPEG stores uint8, got {}; cast the input",
                   name_of(in.dtype));
    PENSTOCK_CHECK(in.shape[last] == 3, ArgumentError, "expects RGB pictures, of 3 channels; got shape {}",
                   to_string(in.shape));
    PENSTOCK_CHECK(in.shape[last - 2] <= kMostExtent && in.shape[last - 1] <= kMostExtent, ArgumentError,
                   "JPEG holds at most {} rows and columns, got shape {}; resize or crop the input", kMostExtent,
                   to_string(in.shape));
    s.out(0).describe(in);
  }
  void run(Sample& s) const override {
    if (s.in(0).tensor.shape.volume() == 0) return;
    Job job = job_of(s);
    job.in = s.in(0).tensor.data;
    job.out = s.out(0).tensor.data;
    job.planes = s.scratch_array<uint8_t>(static_cast<size_t>(job.layout().bytes()));
    penstock::kernels::jpeg_distortion(job);
  }
  size_t scratch_size(const std::byte* memory) const override {
    const Job& job = *reinterpret_cast<const Job*>(memory);
    return static_cast<size_t>(job.pictures) * static_cast<size_t>(job.layout().bytes());
  }
  void connect(std::byte* memory, const Places& places) const override {
    JobForm::connect(memory, places);
    reinterpret_cast<Job*>(memory)->planes = reinterpret_cast<uint8_t*>(places.scratch);
  }

 private:
  Job job_of(const Sample& s) const {
    const Shape& shape = s.in(0).tensor.shape;
    const int last = shape.ndim() - 1;
    Job job;
    job.rows = static_cast<int32_t>(shape[last - 2]);
    job.columns = static_cast<int32_t>(shape[last - 1]);
    job.pictures = last == 3 ? static_cast<int32_t>(shape[0]) : 1;
    if (shape.volume() == 0) job.pictures = 0;
    // libjpeg's scale; what lies outside takes its ends, as in DALI.
    penstock::kernels::set_jpeg_quality(job, static_cast<int>(std::clamp<int64_t>(args(s).quality, 1, 100)));
    return job;
  }
  void describe(Sample& s, device::Staging&, Job& job) const override { job = job_of(s); }
};

}  // namespace

[[gnu::cold]] void register_jpeg_compression_distortion(Registry& r) {
  r.add<JpegCompressionDistortion>("jpeg_compression_distortion")
      .doc(
          "Gives pictures the artefacts of JPEG: what comes out when libjpeg-turbo writes a file of that quality, with "
          "chroma of half the resolution, and it is read again.")
      .input("input", {"HWC", "FHWC"}, "RGB, uint8.")
      .output("distorted", "Shape, layout and type of the input.")
      .arg("quality", &JpegDistortionArgs::quality, "1 (lowest) to 100 (highest); what lies outside takes these ends.",
           kPerSample);
}

}  // namespace penstock
