// Decoding a batch of JPEG files: which launches its jobs need, and when they may begin.
#include <mutex>

#include "cuda/jpeg/launches.h"
#include "cuda/runtime/kernel.h"
#include "cuda/runtime/turns.h"
#include "kernels/jpeg/job.h"

namespace penstock::cuda {
namespace {

using codec::jpeg::ScanJob;
using codec::jpeg::ScanWork;
using kernels::kDecodeJpeg;

class JpegDecoder final : public device::Launcher {
 public:
  explicit JpegDecoder(Gpu& gpu) : gpu_(gpu) {}

  void launch(const device::LaunchArguments& arguments) override {
    const Current current(gpu_.context);
    const auto batch = batch_of(kDecodeJpeg, arguments);
    const auto stream = static_cast<cudaStream_t>(batch.stream);
    auto* jobs = const_cast<ScanJob*>(batch.jobs);  // in which the GPU notes what it finds out
    const ScanWork& work = batch.parameters;
    EntropyRoom room = entropy_room();
    room.most_team = most_team(stream);
    if (work.stuffed) free_jpeg_of_stuffing(stream, jobs, batch.count);
    const auto decode = [&](cudaEvent_t half_begun) {
      decode_jpeg_entropy(stream, jobs, batch.count, room);
      if (work.direct)
        make_jpeg_pixels_directly(stream, jobs, batch.count, batch.most_elements, work.samples ? nullptr : half_begun);
      if (work.samples) transform_jpeg(stream, jobs, batch.count, batch.most_elements, half_begun);
    };
    // The next may begin when half of this one's files have come behind entropy decoding: early enough to keep the GPU
    // full, late enough not to leave this one behind.
    if (work.scans() && fills_gpu(batch.count, room))
      turns_.take(stream, decode);
    else if (work.scans())
      decode(nullptr);
    if (work.pixels) make_jpeg_pixels(stream, jobs, batch.count, batch.most_elements);
  }

  int most_team(device::Stream stream) override {
    return gpu_.bounded.made(static_cast<cudaStream_t>(stream)) ? 1 : entropy_room().most_team;
  }

 private:
  const EntropyRoom& entropy_room() {
    std::call_once(prepared_, [&] {
      const Current current(gpu_.context);
      entropy_room_ = prepare_jpeg_entropy();
    });
    return entropy_room_;
  }

  Gpu& gpu_;
  std::once_flag prepared_;
  EntropyRoom entropy_room_;
  Turns turns_;  // of launches that fill the GPU
};

}  // namespace

PENSTOCK_KERNEL_LAUNCHER(kDecodeJpeg, JpegDecoder)

}  // namespace penstock::cuda
