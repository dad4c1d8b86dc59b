// Operators that need the whole batch: pad, permute_batch, batch_permutation.
#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "../run_op.h"

namespace penstock {
void register_pad(Registry&);
void register_permute_batch(Registry&);
void register_batch_permutation(Registry&);

namespace {

using test::Args;
using test::Ints;
using testing::ElementsAre;
using testing::HasSubstr;

const Registry& ops() {
  static const Registry all = test::registry_of({register_pad, register_permute_batch, register_batch_permutation});
  return all;
}

template <class T>
Tensor tensor(Shape shape, Layout layout, std::vector<T> values) {
  auto kept = std::make_shared<std::vector<T>>(std::move(values));
  auto* data = reinterpret_cast<std::byte*>(kept->data());
  return {{kept, data, kept->size() * sizeof(T)}, {{dtype_of<T>, shape, layout}, data}, {}};
}

/// Samples of the shapes, whose elements count from 1.
TensorList counted(const std::vector<Shape>& shapes, Layout layout = {}) {
  std::vector<Tensor> samples;
  for (const Shape& shape : shapes) {
    std::vector<uint8_t> values(static_cast<size_t>(shape.volume()));
    std::iota(values.begin(), values.end(), uint8_t{1});
    samples.push_back(tensor(shape, layout, values));
  }
  return TensorList(std::move(samples));
}

TensorList result(const std::string& op, Args args, std::vector<const TensorList*> inputs, int64_t batch_size,
                  std::vector<std::pair<std::string, const TensorList*>> arg_inputs = {}, uint64_t sample = 0) {
  OpSpec spec{.args = std::move(args), .seed = 5, .num_inputs = static_cast<int>(inputs.size())};
  std::vector<SampleId> ids(static_cast<size_t>(batch_size));
  for (size_t i = 0; i < ids.size(); ++i) ids[i].sample = sample + i;
  BatchContext batch{.ids = ids, .inputs = std::move(inputs), .outputs = std::vector<TensorList>(1)};
  for (const auto& [name, list] : arg_inputs) spec.arg_inputs.push_back(name), batch.arg_inputs.push_back(list);
  const auto made = ops().at(op).make(spec);
  made->traits().batch->run(batch);
  return batch.outputs[0];
}

std::vector<Shape> padded(Args args, const std::vector<Shape>& shapes, Layout layout = {}) {
  const TensorList in = counted(shapes, layout), out = result("pad", std::move(args), {&in}, in.size());
  EXPECT_EQ(out.layout(), layout);
  std::vector<Shape> made;
  for (int64_t i = 0; i < out.size(); ++i) made.push_back(out[i].shape);
  return made;
}

template <class T>
std::vector<T> values(const TensorView& view) {
  return {view.as<T>(), view.as<T>() + view.shape.volume()};
}

TEST(Pad, GrowsToTheLargestSampleOfTheBatch) {
  const TensorList in = counted({{1, 2}, {2, 1}});
  const TensorList out = result("pad", {{"fill_value", 300.}}, {&in}, 2);
  EXPECT_THAT(values<uint8_t>(out[0]), ElementsAre(1, 2, 255, 255));
  EXPECT_THAT(values<uint8_t>(out[1]), ElementsAre(1, 255, 2, 255));
  EXPECT_TRUE(out.contiguous());
  EXPECT_EQ(result("pad", {}, {&in}, 2)[0].as<uint8_t>()[2], 0);
}

TEST(Pad, TakesShapesAndAlignmentsByAxis) {
  const std::vector<Shape> shapes = {{2, 3, 4}, {1, 5, 4}};
  EXPECT_EQ(padded({{"axes", Ints{0}}, {"shape", Ints{4}}}, shapes), (std::vector<Shape>{{4, 3, 4}, {4, 5, 4}}));
  EXPECT_EQ(padded({{"axes", Ints{1}}, {"shape", Ints{4}}}, shapes), (std::vector<Shape>{{2, 4, 4}, {1, 5, 4}}));
  EXPECT_EQ(padded({{"shape", Ints{-1, 7, -1}}}, shapes), (std::vector<Shape>{{2, 7, 4}, {2, 7, 4}}));
  EXPECT_EQ(padded({{"align", int64_t{4}}}, shapes), (std::vector<Shape>{{4, 8, 4}, {4, 8, 4}}));
  EXPECT_EQ(padded({{"axis_names", "CH"}, {"shape", Ints{8, 3}}, {"align", Ints{3, 2}}}, shapes, "HWC"),
            (std::vector<Shape>{{4, 3, 9}, {4, 5, 9}}));
  EXPECT_EQ(padded({{"axes", Ints{-1}}, {"align", int64_t{3}}}, shapes), (std::vector<Shape>{{2, 3, 6}, {1, 5, 6}}));
}

TEST(Pad, TakesArgumentsPerSample) {
  const TensorList in = counted({{1}, {1}});
  std::vector<Tensor> shapes = {tensor<int32_t>({1}, {}, {2}), tensor<int32_t>({1}, {}, {3})};
  const TensorList wanted(std::move(shapes));
  const TensorList out = result("pad", {}, {&in}, 2, {{"shape", &wanted}});
  EXPECT_EQ(out[0].shape, Shape{2});
  EXPECT_THAT(values<uint8_t>(out[1]), ElementsAre(1, 0, 0));
}

TEST(Pad, RefusesWrongArguments) {
  const auto refusal = [](Args args) -> std::string {
    return test::message_of<ArgumentError>([&] { padded(std::move(args), {{2, 3, 4}}, "HWC"); });
  };
  EXPECT_THAT(refusal({{"align", int64_t{0}}}), HasSubstr("Values of `align` argument must be positive"));
  EXPECT_THAT(refusal({{"axes", Ints{5}}}), HasSubstr("Axis 5 out of range. Expected range is [-3, 2] for a 3D input"));
  EXPECT_THAT(refusal({{"axes", Ints{0, -3}}}), HasSubstr("more than once"));
  EXPECT_THAT(refusal({{"axis_names", "X"}}), HasSubstr("Axis 'X' is not present"));
  EXPECT_THAT(refusal({{"axes", Ints{0}}, {"axis_names", "H"}}), HasSubstr("mutually exclusive"));
  EXPECT_THAT(refusal({{"shape", Ints{2, 2}}}), HasSubstr("one for each of the 3 padded axes, got 2"));
  EXPECT_THAT(refusal({{"shape", Ints{INT64_MAX}}, {"align", int64_t{2}}}), HasSubstr("too large"));
}

TEST(PermuteBatch, PicksSamplesWithoutCopying) {
  const TensorList in = counted({{1}, {2}, {3}});
  const TensorList out = result("permute_batch", {{"indices", Ints{2, 0, 0}}}, {&in}, 3);
  EXPECT_EQ(out[0].data, in[2].data);
  EXPECT_EQ(out[2].shape, Shape{1});
  std::vector<Tensor> scalars;
  for (int32_t i : {1, 2, 0}) scalars.push_back(tensor<int32_t>({}, {}, {i}));
  const TensorList indices(std::move(scalars));
  EXPECT_EQ(result("permute_batch", {}, {&in}, 3, {{"indices", &indices}})[1].data, in[2].data);
  EXPECT_THROW(result("permute_batch", {{"indices", Ints{0, 1, 3}}}, {&in}, 3), IndexError);
  EXPECT_THROW(result("permute_batch", {{"indices", Ints{0, 1}}}, {&in}, 3), ArgumentError);
}

std::vector<int32_t> order(Args args, int64_t n, uint64_t sample = 0) {
  const TensorList out = result("batch_permutation", std::move(args), {}, n, {}, sample);
  std::vector<int32_t> list;
  for (int64_t i = 0; i < n; ++i) list.push_back(out[i].as<int32_t>()[0]);
  return list;
}

TEST(BatchPermutation, NamesEverySampleOnce) {
  for (bool no_fixed_points : {false, true})
    for (uint64_t sample = 0; sample < 50; ++sample) {
      const std::vector<int32_t> list = order({{"no_fixed_points", no_fixed_points}}, 7, sample);
      EXPECT_EQ(std::set<int32_t>(list.begin(), list.end()).size(), 7u);
      for (int32_t i = 0; no_fixed_points && i < 7; ++i) EXPECT_NE(list[static_cast<size_t>(i)], i);
    }
  EXPECT_NE(order({}, 20, 1), order({}, 20, 2));
  EXPECT_EQ(order({}, 20, 1), order({}, 20, 1));
  EXPECT_THAT(order({{"no_fixed_points", true}}, 1), ElementsAre(0));
}

TEST(BatchPermutation, MayRepeatSamples) {
  int repeated = 0;
  for (uint64_t sample = 0; sample < 50; ++sample) {
    const std::vector<int32_t> list = order({{"allow_repetitions", true}, {"no_fixed_points", true}}, 7, sample);
    for (int32_t i = 0; i < 7; ++i) {
      EXPECT_NE(list[static_cast<size_t>(i)], i);
      EXPECT_TRUE(list[static_cast<size_t>(i)] >= 0 && list[static_cast<size_t>(i)] < 7);
    }
    repeated += std::set<int32_t>(list.begin(), list.end()).size() < 7;
  }
  EXPECT_GT(repeated, 25);
}

}  // namespace
}  // namespace penstock
