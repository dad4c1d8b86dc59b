// A JPEG file decoded by the GPU's kernels, their threads played by the host's.
#pragma once

#include "cuda/jpeg/entropy/entropy.cuh"
#include "cuda/jpeg/stuffing/stuffing.cuh"
#include "gpu_on_threads/threads.h"

#include <gtest/gtest.h>

#include <random>

#include "codec/jpeg/encode.h"
#include "device/fake_backend.h"
#include "ops/decoders/jpeg_on_gpu.h"
#include "ops/run_op.h"

namespace penstock::test {

using namespace codec::jpeg;

/// Smooth with noise on top, so that blocks of all kinds are in it.
inline std::vector<uint8_t> picture(int64_t height, int64_t width, int factor, int64_t channels = 3) {
  std::mt19937 random(static_cast<uint32_t>(height));
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < height * width * channels; ++i)
    pixels.push_back(static_cast<uint8_t>(i / channels % width + i / channels / width + i % channels * 40 +
                                          random() % (i / 9000 % 2 == 0 ? 40 : 4)));
  HostTensor image(Shape{height, width, channels}, "HWC", pixels);
  return codec::encode_jpeg({image.desc, image.bytes.data()}, {.quality = 88, .subsampling = {factor, factor}});
}

/// How a file is decoded.
struct Setting {
  int most_team = 1;
  int batch_size = 256;
  uint32_t warps = 16;  // that collect blocks at a time
  bool checkpoints = false;
  bool example = false;  // tables of the codes that most files have are there
};

class JpegOnThreads : public ::testing::Test {
 protected:
  /// Decodes the bits of a window; job_ then says where its coefficients lie.
  void decode(std::span<const uint8_t> file, const codec::Region& window, const Setting& setting) {
    decode(file, codec::peek(file), {.y0 = window.y0, .x0 = window.x0, .height = window.height, .width = window.width},
           setting);
  }
  void decode(std::span<const uint8_t> file, const codec::Info& info, codec::Request request, const Setting& setting) {
    if (setting.checkpoints) request.checkpoints = &checkpoints_;
    const auto backend = std::make_shared<device::test::FakeBackend>();
    device::Device gpu(0, backend);
    device::StagingMemory memory(gpu, backend->make_stream(0));
    device::Staging staging(memory);
    job_ = {};
    job_.height = static_cast<int>(request.height);
    job_.width = static_cast<int>(request.width);
    job_.channels = request.type == ImageType::kGray ? 1 : 3;
    JpegOnGpu decoder;
    const std::unique_ptr<const CodeTables> tables = setting.example ? make_example_tables() : nullptr;
    const JpegBatch batch{.files = setting.batch_size, .most_team = setting.most_team, .example = tables.get()};
    ASSERT_TRUE(decoder.describe({file}, info, request, batch, staging, job_));
    memory.upload();
    memory_.assign(jpeg_scratch(job_) / sizeof(uint4) + 1, uint4{~0U, ~0U, ~0U, ~0U});
    refused_ = 0;
    connect_jpeg(job_, {.scratch = reinterpret_cast<std::byte*>(memory_.data()), .refused = &refused_});
    if (job_.stuffed) cuda::on_threads::run(1, cuda::kStuffingThreads, 0, [&] { cuda::stuffing_kernel(&job_); });
    const auto team = static_cast<uint32_t>(ScanJob::team_for(setting.batch_size, setting.most_team));
    cuda::on_threads::run(team, ScanJob::kThreads, cuda::EntropyMemory::bytes(team, setting.warps),
                          [&] { cuda::entropy_kernel(&job_, setting.warps); });
  }

  Checkpoints checkpoints_{1 << 20, {}};
  ScanJob job_;
  std::vector<uint4> memory_;
  int32_t refused_ = 0;
};

}  // namespace penstock::test
