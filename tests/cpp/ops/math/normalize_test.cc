#include <gtest/gtest.h>

#include <cmath>

#include "../run_op.h"

namespace penstock {

void register_normalize(Registry& r);

namespace {

using test::Args;
using test::HostTensor;
using test::RunOp;
using Inputs = std::vector<std::pair<std::string, HostTensor>>;

const OpSchema& normalize() {
  static const Registry all = test::registry_of({register_normalize});
  return all.at("normalize");
}

std::vector<float> run(Args args, HostTensor input, Inputs arg_inputs = {}) {
  return RunOp(normalize(), std::move(args), std::move(arg_inputs))({std::move(input)})[0].values<float>();
}

const HostTensor& image() {
  static const HostTensor made = test::test_image(5, 7);
  return made;
}

/// (x - mean) / stddev of the elements for which `group` gives one number.
template <class Fn>
std::vector<double> expected(const HostTensor& input, Fn&& group, double ddof = 0, double epsilon = 0) {
  const auto values = input.values<uint8_t>();
  std::vector<double> result;
  for (size_t i = 0; i < values.size(); ++i) {
    double n = 0, sum = 0, squares = 0;
    for (size_t k = 0; k < values.size(); ++k)
      if (group(k) == group(i)) ++n, sum += values[k];
    for (size_t k = 0; k < values.size(); ++k)
      if (group(k) == group(i)) squares += std::pow(values[k] - sum / n, 2);
    result.push_back((values[i] - sum / n) / std::sqrt(squares / (n - ddof) + epsilon));
  }
  return result;
}

void expect_near(const std::vector<float>& actual, const std::vector<double>& wanted) {
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(actual[i], wanted[i], 1e-5) << i;
}

TEST(Normalize, ReducesAllAxesOrThoseNamed) {
  expect_near(run({}, image()), expected(image(), [](size_t) { return 0; }));
  expect_near(run({{"axis_names", std::string("HW")}}, image()), expected(image(), [](size_t i) { return i % 3; }));
  expect_near(run({{"axes", std::vector<int64_t>{2}}}, image()), expected(image(), [](size_t i) { return i / 3; }));
  expect_near(run({{"axes", std::vector<int64_t>{1}}}, image()),
              expected(image(), [](size_t i) { return i / 21 * 3 + i % 3; }));
  expect_near(run({{"axes", std::vector<int64_t>{0, 2}}}, image()),
              expected(image(), [](size_t i) { return i / 3 % 7; }));
}

TEST(Normalize, FreedomAndEpsilonEnterTheVariance) {
  expect_near(run({{"ddof", int64_t{1}}, {"epsilon", 2.0}}, image()), expected(
                                                                          image(), [](size_t) { return 0; }, 1, 2));
}

TEST(Normalize, GivenStatisticsAreUsed) {
  const HostTensor line(Shape{4}, {}, std::vector<uint8_t>{1, 2, 3, 4});
  EXPECT_EQ(run({{"mean", 2.0}, {"stddev", 0.5}, {"scale", 3.0}, {"shift", 1.0}}, line),
            (std::vector<float>{-5, 1, 7, 13}));
  EXPECT_EQ(run({{"mean", 2.0}, {"stddev", 3.0}, {"epsilon", 16.0}}, line), (std::vector<float>{-0.2f, 0, 0.2f, 0.4f}));
  const HostTensor pixels(Shape{1, 2, 2}, "HWC", std::vector<uint8_t>{1, 2, 3, 4});
  const HostTensor mean(Shape{1, 1, 2}, {}, std::vector<float>{1, 2}),
      half(Shape{1, 1, 2}, {}, std::vector<float>{.5, 2});
  EXPECT_EQ(run({}, pixels, {{"mean", mean}, {"stddev", half}}), (std::vector<float>{0, 0, 4, 1}));
}

TEST(Normalize, ConstantInputsGiveTheShift) {
  const HostTensor flat(Shape{3}, {}, std::vector<float>{9, 9, 9});
  EXPECT_EQ(run({{"shift", 7.0}}, flat), (std::vector<float>{7, 7, 7}));
  EXPECT_EQ(run({{"ddof", int64_t{5}}}, flat), (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(run({}, HostTensor({DType::kFloat, {0, 3}, {}})).empty());
}

TEST(Normalize, BatchPoolsStatisticsOverSamplesOfDifferentSize) {
  const OpSpec spec{.args = {{"batch", true}, {"axes", std::vector<int64_t>{0}}}, .num_inputs = 1};
  const auto op = normalize().make(spec);
  const auto* batch_op = op->traits().batch;
  ASSERT_TRUE(batch_op);
  HostTensor a(Shape{1, 2}, {}, std::vector<float>{1, 10}), b(Shape{3, 2}, {}, std::vector<float>{2, 10, 3, 30, 6, 30});
  TensorList list({Tensor{.view = {a.desc, a.bytes.data()}}, Tensor{.view = {b.desc, b.bytes.data()}}});
  BatchContext batch;
  batch.inputs = {&list};
  batch_op->run(batch);
  const TensorView first = batch.outputs.at(0)[0], second = batch.outputs.at(0)[1];
  // Column 0: 1 2 3 6, mean 3, variance 3.5. Column 1: 10 10 30 30, mean 20, deviation 10.
  EXPECT_FLOAT_EQ(first.as<float>()[0], static_cast<float>(-2 / std::sqrt(3.5)));
  EXPECT_FLOAT_EQ(first.as<float>()[1], -1);
  EXPECT_FLOAT_EQ(second.as<float>()[4], static_cast<float>(3 / std::sqrt(3.5)));
  EXPECT_FLOAT_EQ(second.as<float>()[5], 1);
}

TEST(Normalize, RefusesContradictions) {
  const auto make = [](Args args) { return normalize().make({.args = std::move(args), .num_inputs = 1}); };
  EXPECT_THROW(make({{"axes", std::vector<int64_t>{0}}, {"axis_names", std::string("H")}}), ArgumentError);
  EXPECT_THROW(make({{"axes", std::vector<int64_t>{0}}, {"mean", 1.0}, {"stddev", 1.0}}), ArgumentError);
  EXPECT_THROW(make({{"axes", std::vector<int64_t>{}}}), ArgumentError);
  EXPECT_THROW(make({{"dtype", static_cast<int64_t>(DType::kInt64)}}), ArgumentError);
  EXPECT_THROW(normalize().make({.args = {{"batch", true}}, .arg_inputs = {"mean"}, .num_inputs = 1}), ArgumentError);
  EXPECT_THROW(run({}, HostTensor({DType::kFloat64, {2}, {}})), TypeError);
  const HostTensor mean(Shape{1, 2, 1}, {}, std::vector<float>{1, 2});
  EXPECT_THROW(run({}, image(), {{"mean", mean}}), ArgumentError);
}

}  // namespace
}  // namespace penstock
