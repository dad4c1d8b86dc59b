#include "schema/sample_runner.h"

#include <gtest/gtest.h>

#include "core/check.h"

namespace penstock {
namespace {

struct Calls {
  int infer = 0, need = 0;
  friend bool operator==(const Calls&, const Calls&) = default;
};

/// Adds a row and asks for half of what is wanted.
class Grows final : public SampleOperatorBase {
 public:
  explicit Grows(bool goes_by_descriptors) { traits_.goes_by_descriptors = goes_by_descriptors; }
  void infer(Sample& s) const override {
    ++calls.infer;
    PENSTOCK_CHECK(s.in(0).tensor.shape[0] < 10, ArgumentError, "too high");
    s.out(0).tensor = s.in(0).tensor;
    ++s.out(0).tensor.shape[0];
  }
  void need(Sample& s) const override {
    ++calls.need;
    Region half = whole(s.in(0).tensor);
    half.set(0, 0, s.wanted(0).end(0) / 2);
    s.need(0, half);
  }
  void run(Sample&) const override {}

  mutable Calls calls;
};

class SampleRunnerTest : public ::testing::TestWithParam<bool> {
 protected:
  SampleRunnerTest() {
    runner_.add_input(&in_);
    runner_.add_output(&out_);
  }
  /// Makes what the executor makes of a sample up to `need`.
  void take(int64_t height, int64_t wanted, DType dtype = DType::kUInt8) {
    in_.tensor = {{dtype, {height, 1}, "HW"}};
    out_ = {};
    runner_.infer({});
    EXPECT_EQ(out_.tensor.dtype, dtype);
    EXPECT_EQ(out_.tensor.shape, Shape({height + 1, 1}));
    runner_.wanted(0) = in_plane({0, 0, wanted, 1}, out_.tensor);
    runner_.need();
    EXPECT_EQ(runner_.needed(0), in_plane({0, 0, wanted / 2, 1}, in_.tensor));
  }
  /// Checks the calls: those of an operator that goes by descriptors, and of one that looks at more.
  void expect_calls(Calls by_descriptors, Calls all) const { EXPECT_EQ(op_.calls, GetParam() ? by_descriptors : all); }

  Grows op_{GetParam()};
  SampleRunner runner_{op_, 1};
  Value in_, out_;
};
INSTANTIATE_TEST_SUITE_P(All, SampleRunnerTest, ::testing::Bool());

TEST_P(SampleRunnerTest, EqualSamplesAreInferredOnce) {
  take(4, 4), take(4, 4), take(4, 4);
  expect_calls({1, 1}, {3, 3});
}

TEST_P(SampleRunnerTest, OthersAreInferredAnew) {
  take(4, 4), take(5, 4), take(4, 4), take(4, 4, DType::kFloat), take(4, 4, DType::kFloat);
  expect_calls({4, 4}, {5, 5});
}

TEST_P(SampleRunnerTest, WhatIsNeededFollowsWhatIsWanted) {
  take(4, 4), take(4, 2), take(4, 2), take(4, 4);
  expect_calls({1, 3}, {4, 4});
}

TEST_P(SampleRunnerTest, AnErrorComesForEachSampleThatCausesIt) {
  take(4, 4);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(take(10, 4), ArgumentError);
  take(4, 4);
  expect_calls({4, 2}, {4, 2});
}

TEST_P(SampleRunnerTest, ArgumentsOfTheSampleMakeItAnother) {
  Value argument;
  runner_.add_arg_input(&argument);
  take(4, 4), take(4, 4);
  expect_calls({2, 2}, {2, 2});
}

}  // namespace
}  // namespace penstock
