// A program that the machine for pixels has written out gives what its steps give one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "ops/elements/run_program.h"

namespace penstock {

void register_crop_mirror_normalize(Registry& r);
void register_resize(Registry& r);

namespace {

using kernels::ElementJob;
using kernels::ElementMachine;
using test::Args;
using test::HostHalves;
using test::HostTensor;
using test::Programmed;
using test::result_of;
using test::RunOp;

/// Arguments of crop_mirror_normalize; with a small deviation float16 cannot hold what comes out.
Args normalising(DType dtype, const char* layout, double deviation = 58.4) {
  return {{"dtype", static_cast<int64_t>(dtype)},
          {"output_layout", std::string(layout)},
          {"mirror", int64_t{1}},
          {"mean", std::vector<double>{123.7, 116.3, 103.5}},
          {"std", std::vector<double>{deviation, 57.1, 57.4}}};
}

class KnownPrograms : public testing::Test {
 protected:
  static const OpSchema& schema(const char* name) {
    static const Registry registry = test::registry_of({register_crop_mirror_normalize, register_resize});
    return registry.at(name);
  }

  /// The job of crop_mirror_normalize behind resize, or of it alone. Tables that it names live as long as this.
  ElementJob job_of(HostTensor& image, const Args& normalise, const Args& resize = {}) {
    std::vector<Value> in = {{{image.desc, image.bytes.data()}, whole(image.desc), {}}};
    if (resize.empty()) {
      Programmed op(schema("crop_mirror_normalize"), normalise, in);
      made_ = cut(op.out().tensor, op.out().held);
      return written(op.work(staging_));
    }
    Programmed first(schema("resize"), resize, in), second(schema("crop_mirror_normalize"), normalise, {first.out()});
    made_ = cut(second.out().tensor, second.out().held);
    const ElementWork earlier = first.work(staging_);
    ElementWork work = second.work(staging_);
    work.follow(earlier, 0);
    return written(work);
  }

  /// What the job's machine makes of it others do, too, and so do its steps one by one.
  void expect_alike(const ElementJob& job, const HostTensor& image) const {
    ElementJob stepwise = job;
    stepwise.known = false;
    const std::vector<std::byte> got = result(job, image).bytes;
    EXPECT_TRUE(got == result(stepwise, image).bytes);
    EXPECT_TRUE(got == result_of(job, made_, std::span(&image, 1), by<ElementMachine::kNarrow>).bytes);
    EXPECT_TRUE(got == result_of(job, made_, std::span(&image, 1), by<ElementMachine::kWide>).bytes);
  }

  /// The CPU may round a resampled byte the other way, which is a part of the smallest deviation.
  static void expect_near(const HostTensor& expected, const HostTensor& got) {
    ASSERT_TRUE(expected.desc == got.desc);
    const auto list = [](const HostTensor& tensor) {
      if (tensor.desc.dtype == DType::kFloat) return tensor.values<float>();
      const std::vector<float16> halves = tensor.values<float16>();
      return std::vector<float>(halves.begin(), halves.end());
    };
    const std::vector<float> a = list(expected), b = list(got);
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1.01 / 57) << i;
  }

  HostTensor result(const ElementJob& job, const HostTensor& image) const {
    return result_of(job, made_, std::span(&image, 1), test::evaluate);
  }

 private:
  template <ElementMachine kMachine>
  static void by(const ElementJob& job) {
    test::evaluate_by<kernels::Machine<HostHalves, kMachine>>(job);
  }
  ElementJob written(const ElementWork& work) {
    ElementJob job;
    const int input[] = {0};
    work.write(staging_, input, job);
    memory_.upload();
    return job;
  }

  device::Device device_{0, std::make_shared<device::test::FakeBackend>()};
  device::StagingMemory memory_{device_, nullptr};
  device::Staging staging_{memory_};
  TensorDesc made_;
};

TEST_F(KnownPrograms, ResampleAsStepsDo) {
  for (const DType dtype : {DType::kFloat, DType::kFloat16})
    for (const char* layout : {"CHW", "HWC"})
      for (int64_t height = 1; height <= 9; ++height) {
        const Args resize = {{"size", std::vector<double>{static_cast<double>(height), 6}}, {"antialias", int64_t{0}}};
        HostTensor image = test::test_image(14, 11);
        const ElementJob job = job_of(image, normalising(dtype, layout), resize);
        EXPECT_EQ(job.known, height > 1) << height;  // of one row the machine's rows lie along x
        expect_alike(job, image);
        const HostTensor on_cpu = RunOp(schema("resize"), resize)({image})[0];
        expect_near(RunOp(schema("crop_mirror_normalize"), normalising(dtype, layout))({on_cpu})[0],
                    result(job, image));
      }
}

TEST_F(KnownPrograms, OthersGoStepByStep) {
  HostTensor image = test::test_image(14, 11), gray = test::test_image(14, 11, 1);
  const Args resized = {{"size", std::vector<double>{5, 6}}, {"antialias", int64_t{0}}};
  const Args smoothed = {{"size", std::vector<double>{5, 6}}, {"antialias", int64_t{1}}};
  const Args one_channel = {{"mean", std::vector<double>{3}}, {"std", std::vector<double>{2}}};
  const Args as_they_are = {{"dtype", static_cast<int64_t>(DType::kFloat)}};
  EXPECT_TRUE(job_of(image, normalising(DType::kFloat, "CHW"), resized).known);
  EXPECT_FALSE(job_of(image, normalising(DType::kFloat, "CHW"), smoothed).known);
  EXPECT_FALSE(job_of(gray, one_channel, resized).known);
  EXPECT_FALSE(job_of(image, as_they_are, resized).known);
  EXPECT_FALSE(job_of(image, normalising(DType::kFloat, "CHW")).known);
}

TEST_F(KnownPrograms, HalvesSaturateInEveryMachine) {
  HostTensor image = test::test_image(8, 7);
  const Args resized = {{"size", std::vector<double>{5, 6}}, {"antialias", int64_t{0}}};
  for (const Args& resize : {Args{}, resized}) {
    const ElementJob job = job_of(image, normalising(DType::kFloat16, "CHW", 1e-4), resize);
    EXPECT_EQ(job.known, !resize.empty());
    expect_alike(job, image);
    const std::vector<float16> values = result(job, image).values<float16>();
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](float16 x) { return static_cast<float>(x) == 65504.f; }));
    EXPECT_TRUE(
        std::none_of(values.begin(), values.end(), [](float16 x) { return std::isinf(static_cast<float>(x)); }));
  }
}

}  // namespace
}  // namespace penstock
