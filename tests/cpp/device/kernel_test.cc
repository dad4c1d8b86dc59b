// Launches of kernels that the host knows by name, on a GPU of host memory.
#include "device/kernel.h"

#include <gtest/gtest.h>

#include "core/message.h"
#include "device/device.h"
#include "device/fake_backend.h"
#include "device/gpu_form.h"

namespace penstock::device {
namespace {

struct ScaleJob {
  const float* in = nullptr;
  float* out = nullptr;
  int64_t elements = 0;
};
struct ScaleParameters {
  float by = 1;
};
constexpr Kernel<ScaleJob, ScaleParameters> kScale{"scale"};

class Kernels : public ::testing::Test {
 protected:
  std::shared_ptr<test::FakeBackend> backend_ = std::make_shared<test::FakeBackend>();
  Device gpu_{0, backend_};
};

TEST_F(Kernels, ALaunchBringsItsJobsAndParametersWithTheirTypes) {
  backend_->on(kScale, [](const JobBatch<ScaleJob, ScaleParameters>& batch) {
    for (int i = 0; i < batch.count; ++i) {
      const auto& job = *reinterpret_cast<const ScaleJob*>(reinterpret_cast<const std::byte*>(batch.jobs) +
                                                           static_cast<size_t>(i) * batch.stride);
      for (int64_t k = 0; k < job.elements; ++k) job.out[k] = job.in[k] * batch.parameters.by;
    }
    EXPECT_EQ(batch.stream, reinterpret_cast<Stream>(7));
    EXPECT_EQ(batch.most_elements, 2);
    EXPECT_EQ(batch.in, DType::kFloat);
    EXPECT_EQ(batch.out, DType::kFloat64);
  });
  struct Spaced {
    ScaleJob job;
    int64_t other = 0;
  };
  const float in[] = {1, 2, 3};
  float out[3] = {};
  const Spaced jobs[] = {{{in, out, 2}}, {{in + 2, out + 2, 1}}};
  const FoundKernel scale = gpu_.kernel(kScale);
  scale({.stream = reinterpret_cast<Stream>(7),
         .jobs = &jobs[0].job,
         .count = 2,
         .most_elements = 2,
         .in = DType::kFloat,
         .out = DType::kFloat64,
         .parameters = {.by = 10},
         .stride = sizeof(Spaced)});
  EXPECT_EQ(out[0], 10);
  EXPECT_EQ(out[1], 20);
  EXPECT_EQ(out[2], 30);
  EXPECT_EQ(backend_->launches(kScale), 1);
}

TEST_F(Kernels, AKernelThatTheGpuLacksIsNamed) {
  backend_->lacking = {"scale"};
  penstock::test::expect_in("no kernel \"scale\"",
                            penstock::test::message_of<std::runtime_error>([&] { gpu_.kernel(kScale); }));
}

TEST_F(Kernels, AnOperatorLaunchesNoneButThoseItNames) {
  FoundKernels kernels;
  const std::string_view names[] = {kScale.name};
  ASSERT_TRUE(kernels.find(gpu_.runtime(), names));
  kernels.at(kScale)({.count = 1});
  EXPECT_EQ(backend_->launches(kScale), 1);
  EXPECT_THROW(kernels.at(kCopy), InternalError);
  backend_->lacking = {"scale"};
  EXPECT_FALSE(kernels.find(gpu_.runtime(), names));
}

TEST_F(Kernels, WhatEveryGpuMustHaveIsLookedForAtOnce) {
  const auto without = std::make_shared<test::FakeBackend>();
  without->lacking = {"copy"};
  EXPECT_THROW(Device(0, without), std::runtime_error);
}

}  // namespace
}  // namespace penstock::device
